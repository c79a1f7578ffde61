"""How mail comes in, and the address that answers go to."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import unquote

from pbem.config import Config
from pbem.environment import ADDRESS, Group, Process, Reader, Tls, is_loopback

PLACE = "{token}"
"""Where PBEM_REPLY_TO has its token."""
LOCAL_REPLY_TO = "play+{token}@localhost"
_MOST_REPLY_TO = 64 - 40 + len(PLACE)
"""A local part holds at most 64 characters (RFC 5321, section 4.5.3.1.1), a token takes 40 of them."""
MAIL_BYTES = 25 * 1024 * 1024
"""The size of the largest mail that is taken in."""
TAKEN = "pbem-taken"
"""The folder of a mailbox that mails are moved into once they are taken in."""
_IMAP_PORTS: dict[Tls, int] = {"starttls": 143, "ssl": 993, "none": 143}
INTAKES = ("IMAP_URL", "PBEM_LMTP", "PBEM_INBOUND_SECRET")
"""The variables by which a host opens the ways in for mail."""
Intake = Literal["imap", "lmtp", "http"]


@dataclass(frozen=True)
class Imap:
    """The mailbox whose mails are taken in; `timeout` is in seconds."""

    host: str
    port: int
    user: str
    password: str = field(repr=False)
    folder: str = "INBOX"
    tls: Tls = "ssl"
    timeout: float = 30.0


@dataclass(frozen=True)
class Lmtp:
    """Where the LMTP server listens: at `path`, a Unix socket, or else at a host and port of this machine."""

    host: str = "127.0.0.1"
    port: int = 0
    path: str | None = None

    def __str__(self) -> str:
        return self.path or f"{self.host}:{self.port}"


@dataclass(frozen=True)
class Inbound:
    """The ways by which mail comes in, and the address that it comes to.

    `reply_to` is where answers to mails go, with PLACE in its local part if any address of that form reaches this site;
    None: no mail comes back. `authserv` names the mail servers whose Authentication-Results are believed.
    """

    reply_to: str | None = None
    imap: Imap | None = None
    lmtp: Lmtp | None = None
    secret: str | None = field(default=None, repr=False)
    authserv: tuple[str, ...] = ()

    @property
    def intakes(self) -> tuple[Intake, ...]:
        """The ways that are open."""
        ways: dict[Intake, object] = {"imap": self.imap, "lmtp": self.lmtp, "http": self.secret}
        return tuple(way for way, setting in ways.items() if setting is not None)

    @property
    def has_tokens(self) -> bool:
        """True if the addresses that mail comes back to carry tokens."""
        return PLACE in (self.reply_to or "")

    def token_in(self, address: str) -> str | None:
        """Returns what the address has in the token's place, "" where there is none; None for somebody else's."""
        before, place, after = (self.reply_to or "").casefold().partition(PLACE)
        found = re.fullmatch(re.escape(before) + ("(.*)" if place else "()") + re.escape(after), address.casefold())
        return found[1] if found is not None and self.reply_to else None

    def address(self, token: str) -> str | None:
        """Returns the address that mail for this token comes back to; None if no mail comes back.

        Where no form of it carries tokens, it is the same for all: then something else in the mail names its seat.
        """
        return self.reply_to.replace(PLACE, token) if self.reply_to is not None else None


def read_inbound(read: Reader, config: Config) -> Inbound:
    """Returns how mail comes in; notes also whether answers have an address and a way in.

    With a local mailbox they have both.
    """
    reply_to = _read_reply_to(read, local=config.uses_local_mailbox)
    secret = read.token("PBEM_INBOUND_SECRET", "secret")
    found = Inbound(reply_to, _read_imap(read), _read_lmtp(read), secret, _read_authserv_ids(read))
    named = [variable for variable in INTAKES if read.get(variable)]
    is_on = "inbox" in config.features
    off = "" if is_on else " Or unset what is of mail that comes in: PBEM_FEATURES leaves out `inbox`."
    if named and reply_to is None:
        read.refuse(
            "PBEM_REPLY_TO",
            f"not set, but {' and '.join(named)} {'take' if len(named) > 1 else 'takes'} mail in",
            f"Set the address that answers go to, such as play+{{token}}@example.org.{off}",
        )
    if not named and read.get("PBEM_REPLY_TO") and not config.uses_local_mailbox:
        hint = f"Set {', '.join(INTAKES[:-1])} or {INTAKES[-1]}, too.{off}"
        read.refuse("PBEM_REPLY_TO", "set, but nothing takes in what is sent there", hint)
    return found


def _read_imap(read: Reader) -> Imap | None:
    hint = "Example: imaps://user:password@mail.example.org or imaps://…/Games for a folder other than INBOX."
    if (found := read.mail_server("IMAP_URL", "imap", "30", hint)) is None:
        return None
    parts, tls, timeout = found
    folder = unquote(parts.path.strip("/"))
    if parts.fragment:
        read.refuse("IMAP_URL", "not an address of an IMAP server", hint)
    elif not (parts.username and parts.password):
        read.refuse("IMAP_URL", "without user and password no mailbox opens", hint)
    elif re.search(rf"(?:^|[./]){TAKEN}$", folder, re.IGNORECASE):
        what = f"{TAKEN} is the folder that mails are moved into"
        read.refuse("IMAP_URL", what, "Name the one that they arrive in.")
    else:
        port, user, password = parts.port or _IMAP_PORTS[tls], unquote(parts.username), unquote(parts.password)
        return Imap(parts.hostname or "", port, user, password, folder or "INBOX", tls, timeout)
    return None


def _read_lmtp(read: Reader) -> Lmtp | None:
    hint = "Example: 127.0.0.1:2424 or /run/pbem/lmtp."
    text = read.get("PBEM_LMTP")
    if text is None:
        return None
    if text.startswith("/") and len(text.encode()) < 100:  # Linux cuts longer paths of sockets, macOS sooner
        return Lmtp(path=text)
    host, _, port = text.rpartition(":")
    if not (host and re.fullmatch(r"[0-9]{1,5}", port) and 0 < int(port) < 65_536):
        read.refuse("PBEM_LMTP", f"{text!r} is neither host:port nor the path of a socket", hint)
    elif not is_loopback(host):
        read.refuse("PBEM_LMTP", f"{host!r} is not this machine, and LMTP asks for no password", hint)
    else:
        return Lmtp(host.strip("[]"), int(port))
    return None


def _read_authserv_ids(read: Reader) -> tuple[str, ...]:
    names = tuple(name.strip().casefold() for name in (read.get("PBEM_AUTHSERV") or "").split(",") if name.strip())
    wrong = [name for name in names if not re.fullmatch(r"[a-z0-9._-]+", name)]
    if wrong:
        hint = "It is the first word of the Authentication-Results that your mail server writes: mx.example.org."
        read.refuse("PBEM_AUTHSERV", f"{wrong[0]!r} is not the name of a mail server", hint)
    return names


def _read_reply_to(read: Reader, *, local: bool) -> str | None:
    """Returns the address that answers go to; one of this machine where mail is `local`, None where none is set."""
    hint = "Example: play+{token}@example.org, or play@example.org where the server takes no plus-addresses."
    address = read.get("PBEM_REPLY_TO")
    if address is None:
        return LOCAL_REPLY_TO if local else None
    if not ADDRESS.fullmatch(address.replace("{token}", "token", 1)) or not address.isascii():
        read.refuse("PBEM_REPLY_TO", f"{address!r} is not an email address, with {{token}} once or not at all", hint)
    elif "{token}" in address.partition("@")[2] or len(address.partition("@")[0]) > _MOST_REPLY_TO:
        read.refuse("PBEM_REPLY_TO", f"{address!r} has no room for 40 characters before the @", hint)
    return address


INBOUND = Group(("PBEM_REPLY_TO", *INTAKES, "PBEM_AUTHSERV"), Inbound(), read_inbound)
SETTINGS = (INBOUND,)
PROCESSES = (
    Process("inbound", "pbem.features.inbox.ways.serving", lambda config: bool(config.group(INBOUND).intakes)),
)
