"""Reads single settings out of environment variables and notes what is wrong with each.

`pbem.config` puts them together.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, metadata
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, cast, get_args
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from pbem import discovery

if TYPE_CHECKING:
    from pbem.config import Config

T = TypeVar("T")
Mode = Literal["embedded", "production"]
Tls = Literal["starttls", "ssl", "none"]

MASK = "***"
_SECRET_LENGTH = 32
ADDRESS = re.compile(r"[^\s@<>,;:\"\\]+@[^\s@<>,;:\"\\]+")
_SMTP_PORTS: dict[Tls, int] = {"starttls": 587, "ssl": 465, "none": 25}


@dataclass(frozen=True)
class Problem:
    """One wrong setting: which variable, what is wrong, what to do about it."""

    variable: str
    what: str
    hint: str

    def __str__(self) -> str:
        return f"{self.variable}: {self.what}. {self.hint}"


def problem_of_package(what: str) -> Problem:
    """Returns what is wrong with a feature of a package as a problem of the settings."""
    return Problem("PBEM_FEATURES", what, "Change its package, or uninstall it: then its data stays as it is.")


@dataclass(frozen=True)
class Number:
    """A setting, of the core or of a feature: a whole number from `least` to `most`, in this variable."""

    variable: str
    default: int
    least: int
    most: int

    @property
    def variables(self) -> tuple[str, ...]:
        """That variable."""
        return (self.variable,)

    def read(self, read: Reader, _config: Config) -> int:
        """Returns what is set, or the default."""
        return read.number(self)


@dataclass(frozen=True)
class Group(Generic[T]):
    """Settings of a feature that belong together: what `read` makes of these variables, once all others are known.

    It notes with the reader what is wrong with them.
    """

    variables: tuple[str, ...]
    default: T
    read: Callable[[Reader, Config], T]


@dataclass(frozen=True)
class Process:
    """A process of a feature, which `pbem run` keeps up beside its own if the settings want it.

    `module` runs as a program, as by `python -m`.
    """

    name: str
    module: str
    wanted: Callable[[Config], bool]


@dataclass(frozen=True)
class Smtp:
    """Where mail is handed over. `user` and `password` are both set or both None; `timeout` is in seconds."""

    host: str
    port: int
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    tls: Tls = "starttls"
    timeout: float = 10.0


def mask_password(url: str) -> str:
    """Returns `url` with its password, wherever a driver would read one, replaced by asterisks."""
    hidden = re.sub(r"(://[^/?#@:]*:).*@", rf"\g<1>{MASK}@", url)
    return re.sub(r"([?&]password=)[^&#]*", rf"\g<1>{MASK}", hidden, flags=re.IGNORECASE)


def is_loopback(host: str) -> bool:
    """True if `host`, a name or an address with or without brackets, can only be this machine."""
    name = host.strip("[]").rstrip(".").lower()
    if name == "localhost":
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False


def data_folder(environ: Mapping[str, str]) -> Path:
    """Returns the absolute folder for everything an embedded pbem keeps; it need not exist."""
    return Path(environ.get("PBEM_DATA", "").strip() or "var").expanduser().absolute()


class Reader:
    """Reads variables one by one and collects what is wrong, so that a host is told everything at once."""

    def __init__(self, environ: Mapping[str, str], mode: Mode) -> None:
        self.environ = environ
        self.mode = mode
        self.problems: list[Problem] = []
        self.asked = {"PBEM_MODE", "PBEM_DATA"}
        """The variables that have been read, set or not."""

    def get(self, name: str) -> str | None:
        """Returns the variable's text; an empty one counts as unset."""
        self.asked.add(name)
        return self.environ.get(name, "").strip() or None

    def refuse(self, name: str, what: str, hint: str) -> None:
        """Notes what is wrong with the variable; all that is noted is said at once when everything has been read."""
        self.problems.append(Problem(name, what, hint))

    def require(self, name: str, hint: str) -> str | None:
        """Returns the variable's text; notes that production needs it where it is not set."""
        text = self.get(name)
        if text is None and self.mode == "production":
            self.refuse(name, f"not set, but {self.mode} needs it", hint)
        return text

    def number(self, number: Number) -> int:
        text = self.get(number.variable)
        if text is None:
            return number.default
        if re.fullmatch(r"[0-9]{1,9}", text) and number.least <= int(text) <= number.most:
            return int(text)
        what = f"{text!r} is not a whole number from {number.least} to {number.most}"
        self.refuse(number.variable, what, f"The default is {number.default}.")
        return number.default

    def of_features(self, config: Config) -> dict[str, Any]:
        """Returns what is set for all features, on or off: see `Config.of_features`."""
        offers = discovery.attributes_of_features("settings", "SETTINGS", discovery.packages_of_features())
        return {one.variables[0]: one.read(self, config) for settings in offers for one in settings}

    def unknown_variables(self) -> tuple[Problem, ...]:
        """Returns a problem for each variable that begins with PBEM_ and has not been read."""
        names = sorted(name for name in self.environ if name.startswith("PBEM_") and name not in self.asked)
        if not names:
            return ()
        from difflib import get_close_matches  # most have no such variable

        def hint(name: str) -> str:
            near = get_close_matches(name, sorted(self.asked), 1)
            return f"Is {near[0]} meant?" if near else "docs/hosting.md lists all settings."

        return tuple(Problem(name, "there is no such setting", hint(name)) for name in names)

    def host(self) -> str:
        host = self.get("PBEM_HOST") or "127.0.0.1"
        if not re.fullmatch(r"[0-9A-Za-z.:_-]+", host):
            self.refuse("PBEM_HOST", f"{host!r} is not an address to listen on", "Example: 127.0.0.1.")
        return host

    def data(self) -> Path:
        data = data_folder(self.environ)
        if re.search(r"[?#%]", str(data)):
            self.refuse("PBEM_DATA", f"{str(data)!r} holds ?, # or %", "Name a folder without them.")
        return data

    def split_url(self, name: str, text: str, hint: str) -> SplitResult | None:
        """Returns the parts of a URL whose port is a number, or None with the problem noted."""
        try:
            parts = urlsplit(text)
            _ = parts.port
        except ValueError:
            self.refuse(name, "not a URL that can be read", hint)
            return None
        return parts

    def site_url(self, host: str, port: int) -> str:
        hint = "Example: https://play.example.org."
        text = self.require("PBEM_URL", f"It stands in every mail's links. {hint}")
        if text is None:
            name = "127.0.0.1" if host in {"0.0.0.0", "::"} else host  # noqa: S104 - a comparison, nothing is bound
            return f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}"
        parts = self.split_url("PBEM_URL", text, hint)
        if parts is None:
            return text
        plain = not (parts.query or parts.fragment or parts.username)
        if parts.scheme not in {"http", "https"} or not parts.hostname or not plain:
            self.refuse("PBEM_URL", f"{mask_password(text)!r} is not a web address, https://name", hint)
        elif parts.path not in {"", "/"}:
            why = "What else is under that name could play for your players: give pbem a name of its own."
            self.refuse("PBEM_URL", f"it has a path, {parts.path!r}", f"{why} {hint}")
        elif self.mode == "production" and parts.scheme == "http" and not is_loopback(parts.hostname):
            self.refuse("PBEM_URL", "links in mails would go over plain http", f"Use https. {hint}")
        return text.rstrip("/")

    def database_url(self, data: Path) -> str:
        hint = "Example: postgresql://pbem:password@db.example.org/pbem."
        text = self.require("DATABASE_URL", hint)
        if text is None:
            return f"sqlite:///{data / 'pbem.db'}"
        if text.startswith("sqlite:///") and self.mode == "embedded":
            return text
        if not re.match(r"(postgres|postgresql|postgresql\+psycopg)://", text):
            kinds = "PostgreSQL" if self.mode == "production" else "PostgreSQL or SQLite"
            self.refuse("DATABASE_URL", f"not an address of {kinds}", hint)
            return text
        self.split_url("DATABASE_URL", text, hint)
        return re.sub(r"^[a-z+]+://", "postgresql+psycopg://", text)

    def redis_url(self) -> str | None:
        hint = "Example: redis://redis.example.org:6379/0 or unix:///run/redis/redis.sock."
        text = self.require("REDIS_URL", hint)
        if text is None:
            return None
        parts = self.split_url("REDIS_URL", text, hint)
        if parts is None:
            return text
        where = parts.path if parts.scheme == "unix" else parts.hostname
        if parts.scheme not in {"redis", "rediss", "unix"} or not where:
            self.refuse("REDIS_URL", "not an address of Redis", hint)
        return text

    def secret(self, data: Path) -> str:
        name, hint = "PBEM_SECRET", "Make one with: python3 -c 'import secrets; print(secrets.token_urlsafe(48))'"
        text = self.require(name, hint)
        if text is None and self.mode == "embedded":
            name, text = self._secret_in_file(data / "secret")
        if text is not None and len(text) < _SECRET_LENGTH:
            length = f"{len(text)} {'character' if len(text) == 1 else 'characters'}"
            self.refuse(name, f"{length} long, {_SECRET_LENGTH} is the least", hint)
        return text or ""

    def _secret_in_file(self, file: Path) -> tuple[str, str | None]:
        """Returns what the secret in the file is called, and the secret; None with the problem noted."""
        name = "PBEM_SECRET"
        try:
            text = file.read_text(encoding="utf-8").strip()
        except (FileNotFoundError, NotADirectoryError):
            hint = "`pbem run` makes that file once. If it was there, restore it from the backup."
            self.refuse(name, f"not set, and {file} is not there", hint)
            return name, None
        except (OSError, ValueError) as error:
            why = (error.strerror if isinstance(error, OSError) else None) or "it is no text"
            hint = "Make it readable for the user that runs this, or restore it from the backup."
            self.refuse(name, f"not set, and {file} cannot be read: {why}", hint)
            return name, None
        name = f"PBEM_SECRET (read from {file})"
        if not text:
            self.refuse(name, "empty", "Restore it from the backup; `pbem secret new` makes another one.")
        return name, text or None

    def token(self, name: str, noun: str) -> str | None:
        text = self.get(name)
        if text is not None and not re.fullmatch(r"[A-Za-z0-9._~+/=-]{16,}", text):
            hint = "Make one with: python3 -c 'import secrets; print(secrets.token_urlsafe(24))'"
            self.refuse(name, f"not a {noun} of at least 16 letters, digits and .-_~+/=", hint)
        return text

    def source_url(self) -> str | None:
        """Returns where the source is published: as set, else as the installed package says; None if neither does."""
        text = self.get("PBEM_SOURCE")
        if text is None:
            try:
                known = metadata("pbem").get_all("Project-URL") or []
            except PackageNotFoundError:
                return None
            return next((url for label, _, url in (one.partition(", ") for one in known) if label == "Source"), None)
        parts = self.split_url("PBEM_SOURCE", text, hint := "Example: https://code.example.org/pbem.")
        if parts is not None and (parts.scheme not in {"http", "https"} or not parts.hostname or parts.username):
            self.refuse("PBEM_SOURCE", f"{mask_password(text)!r} is not a web address", hint)
        return text

    def features(self) -> tuple[str, ...]:
        """Returns the names of the features that are on: all unless some are named, none with "none"."""
        known = tuple(discovery.packages_of_features())
        for sentence in discovery.faults_of_features():
            # It may hold data of players, which nobody would erase without it.
            self.refuse("PBEM_FEATURES", sentence, "Or uninstall its package: then its data stays as it is.")
        text = self.get("PBEM_FEATURES")
        if text is None:
            return known
        named = set(re.split(r"[\s,]+", text)) - {"", "none"}
        for name in sorted(named.difference(known)):
            self.refuse("PBEM_FEATURES", f"there is no feature {name!r}", f"There are: {', '.join(known) or 'none'}.")
        return tuple(name for name in known if name in named)

    def check_packages(self, core: Collection[str], on: Collection[str]) -> None:
        """Notes what features of packages bring that cannot stand beside the core, whose variables are given.

        `on` names the features that are on.
        """
        self.problems += map(
            problem_of_package, [*discovery.mistakes_of_features(core), *discovery.clashes_of_return_paths(on)]
        )

    def mail_from(self) -> str:
        address = self.get("PBEM_FROM")
        if address is None:
            if self.get("SMTP_URL") or self.mode == "production":
                self.refuse("PBEM_FROM", "not set, but mail that leaves needs a sender", "Example: play@example.org.")
            return "pbem@localhost"
        if not ADDRESS.fullmatch(address):
            self.refuse("PBEM_FROM", f"{address!r} is not an email address", "Example: play@example.org.")
        elif not address.isascii():
            # A relay without SMTPUTF8 would refuse each mail, and each recipient's address would seem to be the reason.
            hint = "Write the domain as its name server has it (xn--…), and what stands before the @ in ASCII."
            self.refuse("PBEM_FROM", f"{address!r} has letters that many mail servers refuse in a sender", hint)
        return address

    def mail_server(self, name: str, scheme: str, timeout: str, hint: str) -> tuple[SplitResult, Tls, float] | None:
        """Returns the parts of a mail server's URL, its encryption and its time limit in seconds, if they are right."""
        text = self.get(name)
        parts = self.split_url(name, text, hint) if text is not None else None
        if parts is None:
            return None
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        tls = query.pop("tls", "ssl" if parts.scheme == f"{scheme}s" else "starttls")
        seconds = query.pop("timeout", timeout)
        if parts.scheme not in {scheme, f"{scheme}s"} or not parts.hostname or query:
            self.refuse(name, f"not an address of an {scheme.upper()} server", hint)
        elif tls not in get_args(Tls) or (parts.scheme == f"{scheme}s" and tls != "ssl"):
            self.refuse(name, f"tls={tls!r} does not fit", "Use tls=starttls, tls=ssl or tls=none.")
        elif not re.fullmatch(r"[1-9][0-9]{0,2}", seconds):
            self.refuse(name, f"timeout={seconds!r} is not a number of seconds", f"The default is {timeout}.")
        else:
            return parts, cast(Tls, tls), float(seconds)
        return None

    def smtp(self) -> Smtp | None:
        hint = "Example: smtp://user:password@mail.example.org:587 (STARTTLS), smtps://… or smtp://localhost?tls=none."
        self.require("SMTP_URL", f"Without it no mail would leave. {hint}")
        if (found := self.mail_server("SMTP_URL", "smtp", "10", hint)) is None:
            return None
        parts, tls, timeout = found
        if parts.path not in {"", "/"}:
            self.refuse("SMTP_URL", "not an address of an SMTP server", hint)
        elif bool(parts.username) != bool(parts.password):
            self.refuse("SMTP_URL", "user and password come together or not at all", hint)
        else:
            user, password = (unquote(word) if word else None for word in (parts.username, parts.password))
            return Smtp(parts.hostname or "", parts.port or _SMTP_PORTS[tls], user, password, tls, timeout)
        return None
