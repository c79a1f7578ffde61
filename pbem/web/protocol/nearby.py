"""Whether a request comes from this very machine."""

from flask import request

from pbem.config import is_loopback


def from_here() -> bool:
    """Whether a program of this machine asks for this machine by a name of its own, with no proxy in between."""
    host = request.host
    name = host.rsplit(":", 1)[0] if not host.endswith("]") else host
    return is_loopback(request.remote_addr or "") and is_loopback(name) and not _forwarded()


def _forwarded() -> bool:
    """Whether a proxy passed the request on: then the peer is the proxy, and the reader may be anybody."""
    names = [name.lower() for name, _value in request.headers]
    return any(name in ("forwarded", "via", "x-real-ip") or name.startswith("x-forwarded-") for name in names)
