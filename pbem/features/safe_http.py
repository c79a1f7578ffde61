"""Calls to URLs entered by strangers: to public addresses only, without redirects, and with a short time limit.

1. The URL is checked when it is entered: https, no user, a port that web servers use, no name of this machine.
2. At every call its name is resolved again, and every answer must be a public address: a name that later resolves to
   another address, even half of the time, is not called.
3. The connection goes to one of exactly these addresses; the name is not resolved a second time.
4. The server's certificate must be valid for the name. No redirect is followed, and no body is read.
5. A call ends after some seconds, counted from resolving the name, however slowly the other side responds.
"""

import http.client
import re
import socket
import ssl
import threading
import time
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any
from urllib.parse import SplitResult, urlsplit

from pbem.errors import N_, Unlinkable

URL_LENGTH = 500
CALL_S, RESOLVE_S, CONNECT_S = 5.0, 3.0, 3.0
"""Time limits in seconds: for a call as a whole, for resolving its name, and for one attempt to connect."""
LONGEST_WAIT_S = 3600
_LETTERS = re.compile(r"[!-~]+")
_LOCAL = ("localhost", "local", "internal", "localdomain", "lan", "home", "arpa", "onion", "test", "invalid")
"""Top-level names that never belong to a public server."""
_NAT64 = ip_network("64:ff9b::/96")
_NOT_PUBLIC = tuple(
    map(
        ip_network,
        ("192.88.99.0/24", "168.63.129.16/32", "64:ff9b:1::/48", "fec0::/10", "::/8", "2001:0::/32", "3fff::/20"),
    )
)
"""Networks that some versions of the standard library consider public, and a cloud's internal service address."""

Address = IPv4Address | IPv6Address
Where = tuple[int, Any]
"""An address family, and an address with its port, as sockets take them."""


@dataclass(frozen=True)
class Answer:
    """The result of a call: the server's status, or why there is none.

    `error` is "address" (the name does not resolve, or not to public addresses only), "connect", "tls", "timeout" or
    "answer" (the response was not HTTP). `wait_s` is the time in seconds for which the server asks not to be called.
    """

    status: int | None = None
    error: str | None = None
    wait_s: int | None = None

    @property
    def is_accepted(self) -> bool:
        """True if the server has accepted the call."""
        return self.status is not None and 200 <= self.status < 300


class _Nowhere(Exception):
    """The name does not resolve, or not to public addresses only."""


# --- which URLs are allowed ----------------------------------------------------------------------------------


def strip_and_check_url(url: str, *, private: bool, longest: int = URL_LENGTH) -> str:
    """Returns the URL without surrounding spaces. Raises Unlinkable.

    With `private` any server may be called, by http too, because it is on the host's own network.
    """
    url = url.strip()
    if len(url) > longest or not _LETTERS.fullmatch(url):
        raise Unlinkable(N_("An address has at most %(most)s ASCII characters, without spaces."), {"most": longest})
    try:
        parts = urlsplit(url)
        port, host = parts.port, (parts.hostname or "").rstrip(".")
        fits = bool(parts.hostname) and parts.scheme in ("https", "http") and "@" not in parts.netloc
    except ValueError:
        fits = False
    if not fits or "\\" in url:
        raise Unlinkable(N_("Write the whole address, like “https://example.org/hook”, without a name or password."))
    if private:
        return url
    if parts.scheme != "https":
        raise Unlinkable(N_("The address must begin with “https://”."))
    if port is not None and port != 443 and port < 1024:
        raise Unlinkable(N_("The port must be 443, or 1024 or higher."))
    literal, top = _literal_address(host), host.rpartition(".")[2]
    if not is_public_address(literal) if literal is not None else "." not in host or top in _LOCAL or top.isdigit():
        raise Unlinkable(N_("The server must be on the public internet."))
    return url


def _literal_address(host: str) -> Address | None:
    try:
        return ip_address(host)
    except ValueError:
        return None


def is_public_address(address: Address) -> bool:
    """True if the address is on the public internet; for an address that embeds another one, if that one is."""
    if isinstance(address, IPv6Address):
        if address.scope_id is not None:
            return False
        inner = address.ipv4_mapped or address.sixtofour
        if inner is not None:
            return is_public_address(inner)
        if address in _NAT64:
            return is_public_address(IPv4Address(int(address) & 0xFFFFFFFF))
        if address.teredo is not None:
            return False  # a tunnel to a client somewhere; no servers use it
    if any(address.version == net.version and address in net for net in _NOT_PUBLIC):
        return False
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)


# --- the call ------------------------------------------------------------------------------------------------


def post_safely(url: str, body: bytes, headers: dict[str, str], *, private: bool, life_s: float = CALL_S) -> Answer:
    """Posts the body to the URL; returns the result and never raises, whatever the other side does."""
    parts, end = urlsplit(url), time.monotonic() + life_s
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        raw = _connect_to_first(_public_addresses(parts.hostname or "", port, private, end), private, end)
    except _Nowhere:
        return Answer(error="address")
    except TimeoutError:
        return Answer(error="timeout")
    except (OSError, RuntimeError):  # RuntimeError: this machine has no threads left
        return Answer(error="connect")
    return _send_request(parts, raw, body, headers, end)


def _seconds_left(most_s: float, end: float) -> float:
    """Returns the seconds available for one step of a call that ends at `end`. Raises TimeoutError if none are left."""
    left = end - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return min(most_s, left)


def _public_addresses(host: str, port: int, private: bool, end: float) -> list[Where]:
    """Returns the addresses of the name with their families. Raises _Nowhere, also if a single one is not public.

    A host that is already an address is not resolved.
    """
    literal = _literal_address(host)
    if literal is not None:
        if not (private or is_public_address(literal)):
            raise _Nowhere
        return [(socket.AF_INET, (host, port)) if literal.version == 4 else (socket.AF_INET6, (host, port, 0, 0))]
    try:
        answers = _resolve_host(host, port, _seconds_left(RESOLVE_S, end))
    except (OSError, UnicodeError, TimeoutError):
        raise _Nowhere from None
    addresses = []
    for family, _, _, _, where in answers:
        if family not in (socket.AF_INET, socket.AF_INET6) or not (private or is_public_address(ip_address(where[0]))):
            raise _Nowhere
        addresses.append((family, where))
    if not addresses:
        raise _Nowhere
    return addresses


def _resolve_host(host: str, port: int, wait_s: float) -> list[Any]:
    """Returns the resolver's answer. Waits in a thread that may be left behind: the resolver has no time limit."""
    future: Future[list[Any]] = Future()

    def ask() -> None:
        try:
            future.set_result(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except (OSError, UnicodeError) as error:
            future.set_exception(error)

    threading.Thread(target=ask, name="resolve", daemon=True).start()
    return future.result(wait_s)


def _connect_to_first(addresses: list[Where], private: bool, end: float) -> socket.socket:
    """Returns a connection to the first address that accepts one, trying two in order. Raises OSError, _Nowhere."""
    failure: OSError = OSError("no address")
    for family, where in addresses[:2]:
        wait_s = _seconds_left(CONNECT_S, end)
        raw = socket.socket(family, socket.SOCK_STREAM)
        raw.settimeout(wait_s)
        try:
            raw.connect(where)
        except OSError as error:
            raw.close()
            failure = error
            continue
        if not private and not is_public_address(ip_address(raw.getpeername()[0])):
            raw.close()
            raise _Nowhere
        return raw
    raise failure


@cache
def tls_context() -> ssl.SSLContext:
    """Returns the TLS context, which trusts the certificate authorities of this machine."""
    return ssl.create_default_context()


def _send_request(parts: SplitResult, raw: socket.socket, body: bytes, headers: dict[str, str], end: float) -> Answer:
    """Sends the request over the connection and closes it, at the latest when the time is up."""
    late = threading.Event()
    try:
        cut = raw.dup()  # for shutting down the connection, even during the handshake
    except OSError:  # this machine has no file descriptors left
        raw.close()
        return Answer(error="connect")

    def cut_off() -> None:
        late.set()
        with suppress(OSError):
            cut.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(max(0.0, end - time.monotonic()), cut_off)
    timer.daemon = True
    try:
        timer.start()
        return _post_over_socket(parts, raw, body, headers)
    except ssl.SSLCertVerificationError:
        return Answer(error="tls")
    except TimeoutError:
        return Answer(error="timeout")
    except ssl.SSLError:
        return Answer(error="timeout" if late.is_set() else "tls")
    except RuntimeError:  # this machine has no threads left
        return Answer(error="connect")
    except (OSError, http.client.HTTPException):
        return Answer(error="timeout" if late.is_set() else "answer")
    finally:
        timer.cancel()
        cut.close()
        raw.close()


def _post_over_socket(parts: SplitResult, raw: socket.socket, body: bytes, headers: dict[str, str]) -> Answer:
    host = parts.hostname or ""
    secure = parts.scheme == "https"
    port = parts.port or (443 if secure else 80)
    connection = http.client.HTTPConnection(host, port, timeout=CALL_S)
    connection.default_port = 443 if secure else 80  # the Host header names only non-default ports
    connection.sock = tls_context().wrap_socket(raw, server_hostname=host) if secure else raw
    try:
        connection.sock.settimeout(CALL_S)
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        connection.request("POST", target, body, {**headers, "Connection": "close"})
        response = connection.getresponse()
        return Answer(status=response.status, wait_s=_retry_after_seconds(response.headers.get("Retry-After")))
    finally:
        connection.close()


def _retry_after_seconds(said: str | None) -> int | None:
    """Returns the seconds in the header, an hour at most; None for anything else, including dates."""
    if said is None or not re.fullmatch(r"[0-9]{1,6}", said.strip()):
        return None
    return min(int(said), LONGEST_WAIT_S)
