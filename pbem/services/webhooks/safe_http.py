"""Calls to addresses that strangers have named: public ones only, nowhere further, and not for long.

1. The address is looked at when it is named: https, no user, a port that web servers use, no name of this machine.
2. At every call its name is resolved anew, and every answer must be a public address: a name that leads elsewhere
   tomorrow, or half of the time, leads nowhere.
3. The connection goes to one of these very addresses, not to the name a second time.
4. The server's certificate must be for the name. No redirect is followed, and no body is read.
5. A call ends after some seconds, from the look at the name on, however slowly the other side trickles.
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
"""A call as a whole takes no longer than the first; of these, looking up a name and one try to connect than the others.
"""
LONGEST_WAIT_S = 3600
_LETTERS = re.compile(r"[!-~]+")
_LOCAL = ("localhost", "local", "internal", "localdomain", "lan", "home", "arpa", "onion", "test", "invalid")
"""Last parts of names that lead to no public server."""
_PLACES = {
    "discord": (("discord.com", "discordapp.com"), "/api/webhooks/"),
    "slack": (("hooks.slack.com",), "/services/"),
}
_NAT64 = ip_network("64:ff9b::/96")
_NOT_PUBLIC = tuple(
    map(
        ip_network,
        ("192.88.99.0/24", "168.63.129.16/32", "64:ff9b:1::/48", "fec0::/10", "::/8", "2001:0::/32", "3fff::/20"),
    )
)
"""What some versions of the standard library take for public; and where a cloud answers its own machines."""

Address = IPv4Address | IPv6Address
Where = tuple[int, Any]
"""A family of addresses, and one of it with its port, as sockets take them."""


@dataclass(frozen=True)
class Answer:
    """What came of a call: the server's status, or why there is none. `wait_s` is how long it wants to be left alone.

    `error` is address (the name leads nowhere, or not to a public address), connect, tls, timeout or answer (what
    came was no HTTP).
    """

    status: int | None = None
    error: str | None = None
    wait_s: int | None = None

    @property
    def arrived(self) -> bool:
        """Whether the server has taken it."""
        return self.status is not None and 200 <= self.status < 300


class _Nowhere(Exception):
    """The name leads nowhere, or not to public addresses alone."""


# --- what may be named ---------------------------------------------------------------------------------------


def checked_url(url: str, preset: str, *, private: bool) -> str:
    """The address, tidied. Raises Unlinkable.

    With `private` any server is called, by http too: it is the host's own house.
    """
    url = url.strip()
    if len(url) > URL_LENGTH or not _LETTERS.fullmatch(url):
        raise Unlinkable(N_("An address has at most 500 ASCII characters, without spaces."))
    parts = _split(url)
    if not private:
        _check_public(parts)
    if preset in _PLACES:
        hosts, path = _PLACES[preset]
        if parts.scheme != "https" or parts.hostname not in hosts or not parts.path.startswith(path):
            facts = {"host": hosts[0], "path": path}
            raise Unlinkable(N_("An address of this kind begins with “https://%(host)s%(path)s”."), facts)
    return url


def redacted_url(url: str) -> str:
    """Where an address leads, without the part of it that may be a secret.

    >>> place("https://example.org:8443/hook?key=1")
    'https://example.org:8443/…'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}/…"


def _split(url: str) -> SplitResult:
    """The parts of an address that could be called somewhere. Raises Unlinkable."""
    try:
        parts = urlsplit(url)
        _ = parts.port
        fits = bool(parts.hostname) and parts.scheme in ("https", "http") and "@" not in parts.netloc
        fits = fits and "\\" not in url
    except ValueError:
        fits = False
    if not fits:
        raise Unlinkable(N_("Write the whole address, like “https://example.org/hook”, without a name or password."))
    return parts


def _check_public(parts: SplitResult) -> None:
    if parts.scheme != "https":
        raise Unlinkable(N_("The address must begin with “https://”."))
    if parts.port is not None and parts.port != 443 and parts.port < 1024:
        raise Unlinkable(N_("The port must be 443, or 1024 or higher."))
    host = (parts.hostname or "").rstrip(".")
    literal = _literal(host)
    if literal is not None and not is_public(literal):
        raise Unlinkable(N_("The server must be on the public internet."))
    if literal is None and ("." not in host or host.rpartition(".")[2] in _LOCAL or host.rpartition(".")[2].isdigit()):
        raise Unlinkable(N_("The server must be on the public internet."))


def _literal(host: str) -> Address | None:
    try:
        return ip_address(host)
    except ValueError:
        return None


def is_public(address: Address) -> bool:
    """Whether the address is one of the public internet, also where another one is wrapped in it."""
    if isinstance(address, IPv6Address):
        if address.scope_id is not None:
            return False
        inner = address.ipv4_mapped or address.sixtofour
        if inner is not None:
            return is_public(inner)
        if address in _NAT64:
            return is_public(IPv4Address(int(address) & 0xFFFFFFFF))
        if address.teredo is not None:
            return False  # a tunnel to wherever its client is; no server is found there
    if any(address.version == net.version and address in net for net in _NOT_PUBLIC):
        return False
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)


# --- the call ------------------------------------------------------------------------------------------------


def call(url: str, body: bytes, headers: dict[str, str], *, private: bool, life_s: float = CALL_S) -> Answer:
    """Posts the body to the address; gives what came of it and never raises for what the other side does."""
    parts, end = urlsplit(url), time.monotonic() + life_s
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        raw = _connected(_addresses(parts.hostname or "", port, private, end), private, end)
    except _Nowhere:
        return Answer(error="address")
    except TimeoutError:
        return Answer(error="timeout")
    except (OSError, RuntimeError):  # or this machine has no more threads to give
        return Answer(error="connect")
    return _posted(parts, raw, body, headers, end)


def _within(most_s: float, end: float) -> float:
    """The seconds for one step of a call that ends then. Raises TimeoutError when none are left."""
    left = end - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return min(most_s, left)


def _addresses(host: str, port: int, private: bool, end: float) -> list[Where]:
    """The addresses of the name, each with its family. Raises _Nowhere, also when a single one is not public.

    A host that is an address already is looked up nowhere.
    """
    literal = _literal(host)
    if literal is not None:
        if not (private or is_public(literal)):
            raise _Nowhere
        return [(socket.AF_INET, (host, port)) if literal.version == 4 else (socket.AF_INET6, (host, port, 0, 0))]
    try:
        found = _resolved(host, port, _within(RESOLVE_S, end))
    except (OSError, UnicodeError, TimeoutError):
        raise _Nowhere from None
    addresses = []
    for family, _, _, _, where in found:
        if family not in (socket.AF_INET, socket.AF_INET6) or not (private or is_public(ip_address(where[0]))):
            raise _Nowhere
        addresses.append((family, where))
    if not addresses:
        raise _Nowhere
    return addresses


def _resolved(host: str, port: int, wait_s: float) -> list[Any]:
    """What the resolver says, which has no time limit of its own: a thread waits for it, and is left behind."""
    future: Future[list[Any]] = Future()

    def ask() -> None:
        try:
            future.set_result(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except (OSError, UnicodeError) as error:
            future.set_exception(error)

    threading.Thread(target=ask, name="hook-resolve", daemon=True).start()
    return future.result(wait_s)


def _connected(addresses: list[Where], private: bool, end: float) -> socket.socket:
    """A connection to the first of the addresses that takes one, tried in order. Raises OSError, _Nowhere."""
    failure: OSError = OSError("no address")
    for family, where in addresses[:2]:
        wait_s = _within(CONNECT_S, end)
        raw = socket.socket(family, socket.SOCK_STREAM)
        raw.settimeout(wait_s)
        try:
            raw.connect(where)
        except OSError as error:
            raw.close()
            failure = error
            continue
        if not private and not is_public(ip_address(raw.getpeername()[0])):
            raw.close()
            raise _Nowhere
        return raw
    raise failure


@cache
def tls() -> ssl.SSLContext:
    """How servers are believed: by the authorities that this machine trusts."""
    return ssl.create_default_context()


def _posted(parts: SplitResult, raw: socket.socket, body: bytes, headers: dict[str, str], end: float) -> Answer:
    """Sends the request over the connection, which is closed afterwards, at the latest when its time is up."""
    late = threading.Event()
    try:
        cut = raw.dup()  # to end the connection by, also in the midst of the handshake
    except OSError:  # this machine has no more files to give
        raw.close()
        return Answer(error="connect")

    timer = threading.Timer(max(0.0, end - time.monotonic()), _cut_off, (late, cut))
    timer.daemon = True
    try:
        timer.start()
        return _talk(parts, raw, body, headers)
    except ssl.SSLCertVerificationError:
        return Answer(error="tls")
    except TimeoutError:
        return Answer(error="timeout")
    except ssl.SSLError:
        return Answer(error="timeout" if late.is_set() else "tls")
    except RuntimeError:  # this machine has no more threads to give
        return Answer(error="connect")
    except (OSError, http.client.HTTPException):
        return Answer(error="timeout" if late.is_set() else "answer")
    finally:
        timer.cancel()
        cut.close()
        raw.close()


def _cut_off(late: threading.Event, cut: socket.socket) -> None:
    late.set()
    with suppress(OSError):
        cut.shutdown(socket.SHUT_RDWR)


def _talk(parts: SplitResult, raw: socket.socket, body: bytes, headers: dict[str, str]) -> Answer:
    host = parts.hostname or ""
    secure = parts.scheme == "https"
    port = parts.port or (443 if secure else 80)
    connection = http.client.HTTPConnection(host, port, timeout=CALL_S)
    connection.default_port = 443 if secure else 80  # so that the Host header names a port only where it must
    connection.sock = tls().wrap_socket(raw, server_hostname=host) if secure else raw
    try:
        connection.sock.settimeout(CALL_S)
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        connection.request("POST", target, body, {**headers, "Connection": "close"})
        response = connection.getresponse()
        return Answer(status=response.status, wait_s=_wait(response.headers.get("Retry-After")))
    finally:
        connection.close()


def _wait(said: str | None) -> int | None:
    """The seconds that the header names, an hour at most; None for anything else, dates too."""
    if said is None or not re.fullmatch(r"[0-9]{1,6}", said.strip()):
        return None
    return min(int(said), LONGEST_WAIT_S)
