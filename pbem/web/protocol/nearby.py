"""Tells whether a request comes from this machine."""

from flask import request

from pbem.environment import is_loopback


def is_local_request() -> bool:
    """True if the request comes from this machine, names this machine, and passed no proxy."""
    host = request.host
    name = host.rsplit(":", 1)[0] if not host.endswith("]") else host
    return is_loopback(request.remote_addr or "") and is_loopback(name) and not _is_forwarded()


def _is_forwarded() -> bool:
    """True if a proxy forwarded the request: then the peer is the proxy, and the client may be anybody."""
    names = [name.lower() for name, _value in request.headers]
    return any(name in ("forwarded", "via", "x-real-ip") or name.startswith("x-forwarded-") for name in names)
