"""The settings of mail that comes in: by IMAP, by LMTP, or by a relay that posts it.

`pbem.config` puts them together with the others.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args
from urllib.parse import SplitResult, parse_qsl, unquote

from pbem.environment import MASK, Reader, Tls, is_loopback

MAIL_BYTES = 25 * 1024 * 1024
"""The size of the largest mail that is taken in."""
TAKEN = "pbem-taken"
"""The folder of a mailbox that mails are moved into once they are taken in."""
_SECRET_LENGTH = 16
_IMAP_PORTS: dict[Tls, int] = {"starttls": 143, "ssl": 993, "none": 143}
_IMAP_HINT = "Example: imaps://user:password@mail.example.org or imaps://…/Games for a folder other than INBOX."
_LMTP_HINT = "Example: 127.0.0.1:2424 or /run/pbem/lmtp."
Intake = Literal["imap", "lmtp", "http"]
VARIABLES: Mapping[Intake, str] = {"imap": "IMAP_URL", "lmtp": "PBEM_LMTP", "http": "PBEM_INBOUND_SECRET"}


@dataclass(frozen=True, repr=False)
class Imap:
    """The mailbox whose mails are taken in; `timeout` is in seconds."""

    host: str
    port: int
    user: str
    password: str
    folder: str = "INBOX"
    tls: Tls = "ssl"
    timeout: float = 30.0

    def __repr__(self) -> str:
        return f"<Imap {self.user}:{MASK}@{self.host}:{self.port}/{self.folder} {self.tls}>"


@dataclass(frozen=True)
class Lmtp:
    """Where the LMTP server listens: at `path`, a Unix socket, or else at a host and port of this machine."""

    host: str = "127.0.0.1"
    port: int = 0
    path: str | None = None

    def __str__(self) -> str:
        return self.path or f"{self.host}:{self.port}"


@dataclass(frozen=True, repr=False)
class Inbound:
    """The ways by which mail comes in; `authserv` names the mail servers whose Authentication-Results are believed."""

    imap: Imap | None = None
    lmtp: Lmtp | None = None
    secret: str | None = None
    authserv: tuple[str, ...] = ()

    @property
    def intakes(self) -> tuple[Intake, ...]:
        """The ways that are open."""
        ways: dict[Intake, object] = {"imap": self.imap, "lmtp": self.lmtp, "http": self.secret}
        return tuple(way for way, setting in ways.items() if setting is not None)

    def __repr__(self) -> str:
        secret = MASK if self.secret else None
        return f"<Inbound {self.imap!r} lmtp={self.lmtp} secret={secret} authserv={','.join(self.authserv)}>"


NO_INBOUND = Inbound()


def read_inbound(read: Reader, reply_to: str | None, *, local: bool) -> Inbound:
    """Returns the settings; notes what is wrong with them, and whether answers have an address and a way in.

    With a `local` mailbox they have both.
    """
    found = Inbound(_imap(read), _lmtp(read), _secret(read), _authserv(read))
    named = [variable for variable in VARIABLES.values() if read.get(variable)]
    if named and reply_to is None:
        read.report(
            "PBEM_REPLY_TO",
            f"not set, but {' and '.join(named)} {'take' if len(named) > 1 else 'takes'} mail in",
            "Set the address that answers go to, such as play+{token}@example.org.",
        )
    if not named and read.get("PBEM_REPLY_TO") and not local:
        ways = "IMAP_URL, PBEM_LMTP or PBEM_INBOUND_SECRET"
        read.report("PBEM_REPLY_TO", "set, but nothing takes in what is sent there", f"Set {ways}, too.")
    return found


def _imap(read: Reader) -> Imap | None:
    text = read.get("IMAP_URL")
    parts = read.split("IMAP_URL", text, _IMAP_HINT) if text is not None else None
    if parts is None:
        return None
    query = dict(parse_qsl(parts.query, keep_blank_values=True))
    tls = query.pop("tls", "ssl" if parts.scheme == "imaps" else "starttls")
    timeout = query.pop("timeout", "30")
    if parts.scheme not in {"imap", "imaps"} or not parts.hostname or query or parts.fragment:
        read.report("IMAP_URL", "not an address of an IMAP server", _IMAP_HINT)
    elif tls not in get_args(Tls) or (parts.scheme == "imaps" and tls != "ssl"):
        read.report("IMAP_URL", f"tls={tls!r} does not fit", "Use tls=starttls, tls=ssl or tls=none.")
    elif not re.fullmatch(r"[1-9][0-9]{0,2}", timeout):
        read.report("IMAP_URL", f"timeout={timeout!r} is not a number of seconds", "The default is 30.")
    elif not (parts.username and parts.password):
        read.report("IMAP_URL", "without user and password no mailbox opens", _IMAP_HINT)
    elif re.search(rf"(?:^|[./]){TAKEN}$", unquote(parts.path.strip("/")), re.IGNORECASE):
        read.report("IMAP_URL", f"{TAKEN} is the folder that mails are moved into", "Name the one that they arrive in.")
    else:
        return _mailbox(parts, tls, float(timeout))
    return None


def _mailbox(parts: SplitResult, word: str, timeout: float) -> Imap:
    tls: Tls = "ssl" if word == "ssl" else "none" if word == "none" else "starttls"
    return Imap(
        host=parts.hostname or "",
        port=parts.port or _IMAP_PORTS[tls],
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
        folder=unquote(parts.path.strip("/")) or "INBOX",
        tls=tls,
        timeout=timeout,
    )


def _lmtp(read: Reader) -> Lmtp | None:
    text = read.get("PBEM_LMTP")
    if text is None:
        return None
    if text.startswith("/") and len(text.encode()) < 100:  # Linux cuts longer paths of sockets, macOS sooner
        return Lmtp(path=text)
    host, _, port = text.rpartition(":")
    if not (host and re.fullmatch(r"[0-9]{1,5}", port) and 0 < int(port) < 65_536):
        read.report("PBEM_LMTP", f"{text!r} is neither host:port nor the path of a socket", _LMTP_HINT)
    elif not is_loopback(host):
        read.report("PBEM_LMTP", f"{host!r} is not this machine, and LMTP asks for no password", _LMTP_HINT)
    else:
        return Lmtp(host.strip("[]"), int(port))
    return None


def _secret(read: Reader) -> str | None:
    text = read.get("PBEM_INBOUND_SECRET")
    if text is not None and not re.fullmatch(rf"[A-Za-z0-9._~+/=-]{{{_SECRET_LENGTH},}}", text):
        hint = "Make one with: python3 -c 'import secrets; print(secrets.token_urlsafe(24))'"
        what = f"not a secret of at least {_SECRET_LENGTH} letters, digits and .-_~+/="
        read.report("PBEM_INBOUND_SECRET", what, hint)
    return text


def _authserv(read: Reader) -> tuple[str, ...]:
    names = tuple(name.strip().casefold() for name in (read.get("PBEM_AUTHSERV") or "").split(",") if name.strip())
    wrong = [name for name in names if not re.fullmatch(r"[a-z0-9._-]+", name)]
    if wrong:
        hint = "It is the first word of the Authentication-Results that your mail server writes: mx.example.org."
        read.report("PBEM_AUTHSERV", f"{wrong[0]!r} is not the name of a mail server", hint)
    return names
