"""Settings: one frozen `Config`, read from the environment once, every mistake reported together.

`pbem.environment` has the names of the variables, and says what is wrong with one. Two modes share the settings.
*embedded* is `pbem run`: whatever is missing gets a default that works on one machine. *production* has no default for
anything whose silent choice would lose mail, matches or secrets.
"""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar, cast, get_args
from urllib.parse import parse_qsl, urlsplit

from pbem import discovery
from pbem.environment import (
    MASK,
    Group,
    Mode,
    Number,
    Problem,
    Reader,
    Smtp,
    is_loopback,
    mask_password,
    problem_of_package,
)

T = TypeVar("T")
THREADS = 6
"""How many requests a web process answers at once."""
_DAY = 86_400
_YEAR = 365 * _DAY


class ConfigError(Exception):
    """The settings cannot be used; `problems` holds every reason, in the order the variables are read."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = tuple(problems)
        count = "1 setting is" if len(problems) == 1 else f"{len(problems)} settings are"
        super().__init__("\n".join([f"{count} wrong:", *(f"  * {problem}" for problem in problems)]))


def _number_field(variable: str, default: int, least: int, most: int) -> Any:
    """Returns a field of `Config` that a host sets by this variable, to a whole number from `least` to `most`."""
    return field(default=default, metadata={"number": Number(variable, default, least, most)})


def raise_package_mistakes(sentences: list[str]) -> None:
    """Raises ConfigError with what is wrong with features of packages, if anything is."""
    if sentences:
        raise ConfigError([problem_of_package(one) for one in sentences])


@dataclass(frozen=True, kw_only=True, repr=False)
class Config:
    """All settings of a pbem process. Names ending in `_s` are seconds."""

    mode: Mode
    data: Path
    host: str = "127.0.0.1"
    port: int = _number_field("PORT", 8000, 1, 65_535)
    url: str = "http://127.0.0.1:8000"
    database_url: str
    redis_url: str | None = None
    secret: str
    smtp: Smtp | None = None
    mail_from: str = "pbem@localhost"
    mail_hold_s: int = _number_field("PBEM_MAIL_HOLD", 0, 0, 3600)
    mail_late_s: int = _number_field("PBEM_MAIL_LATE", 600, 60, _DAY)
    turn_s: int = _number_field("PBEM_TURN_SECONDS", 3 * _DAY, 1, _YEAR)
    window_s: int = _number_field("PBEM_WINDOW_SECONDS", _DAY, 1, _YEAR)
    lapse_days: int = 14
    matches_per_ip_hour: int = _number_field("PBEM_MATCHES_PER_IP_HOUR", 10, 1, 100_000)
    matches_per_address_day: int = _number_field("PBEM_MATCHES_PER_ADDRESS_DAY", 10, 1, 100_000)
    open_matches: int = _number_field("PBEM_OPEN_MATCHES", 10, 1, 100_000)
    """How many matches a player may have open before they have finished any."""
    mails_per_address_day: int = _number_field("PBEM_MAILS_PER_ADDRESS_DAY", 50, 1, 100_000)
    unverified_mails_per_address_day: int = _number_field("PBEM_UNVERIFIED_MAILS_PER_ADDRESS_DAY", 5, 1, 100_000)
    unverified_mails_per_day: int = _number_field("PBEM_UNVERIFIED_MAILS_PER_DAY", 500, 1, 10_000_000)
    lock_wait_s: float = 3.0
    max_body: int = 1024 * 1024
    trusted_proxies: int = _number_field("PBEM_PROXIES", 0, 0, 10)
    webhooks_private: bool = False
    metrics_token: str | None = None
    source: str | None = None
    """Where the program's source is published; every page links to it."""
    web_processes: int = _number_field("WEB_CONCURRENCY", 2, 1, 256)
    """How many processes of the web there are in production."""
    shards: int = _number_field("PBEM_SHARDS", 1, 1, 256)
    """How many shares the matches have for the sweeps: as many workers may sweep side by side."""
    waiting: int = _number_field("PBEM_WAITING", 2000, 0, 3000)
    """How many requests may wait for news in each web process."""
    features: tuple[str, ...] = field(default_factory=lambda: tuple(discovery.packages_of_features()))
    """The names of the features that are on, sorted."""
    of_features: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """What is set for features, by the variable, of a group by its first one: read it by `number` and `group`."""
    unknown: tuple[Problem, ...] = ()
    """What of the environment looks like a setting and is none; `pbem doctor` says it."""

    def number(self, setting: Number) -> int:
        """Returns what is set for a feature, or the default."""
        return int(self.of_features.get(setting.variable, setting.default))

    def group(self, setting: Group[T]) -> T:
        """Returns what is set for a feature by several variables, or the default."""
        return cast(T, self.of_features.get(setting.variables[0], setting.default))

    @classmethod
    def from_env(cls, environ: Mapping[str, str], mode: Mode) -> Config:
        """Returns the settings that `environ` names, with the defaults of `mode` for the rest.

        Reads one file, `<data>/secret`, in embedded mode without PBEM_SECRET; writes nothing. Raises ConfigError, which
        names every mistake.
        """
        read = Reader(environ, mode)
        found = {one.name: one.metadata["number"] for one in fields(cls) if "number" in one.metadata}
        host = read.host()
        data = read.data()
        smtp = read.smtp()
        if smtp and mode == "production":
            found["mail_hold_s"] = replace(found["mail_hold_s"], default=60)
        numbers: dict[str, Any] = {name: read.number(number) for name, number in found.items()}
        config = cls(
            mode=mode,
            data=data,
            host=host,
            url=read.site_url(host, numbers["port"]),
            database_url=read.database_url(data),
            redis_url=read.redis_url(),
            secret=read.secret(data),
            smtp=smtp,
            mail_from=read.mail_from(),
            webhooks_private=read.number(Number("PBEM_WEBHOOKS_PRIVATE", 0, 0, 1)) == 1,
            metrics_token=read.token("PBEM_METRICS_TOKEN", "token"),
            source=read.source_url(),
            features=read.features(),
            **numbers,
        )
        read.check_packages(frozenset(read.asked), config.features)
        config = replace(config, of_features=read.of_features(config), unknown=read.unknown_variables())
        if read.problems:
            raise ConfigError(read.problems)
        return config

    @cached_property
    def has_caps(self) -> bool:
        """Whether the caps per address and IP hold; not where all mail stays on this machine."""
        return self.mode == "production" or self.smtp is not None

    @cached_property
    def uses_local_mailbox(self) -> bool:
        """Whether mail lands in the mailbox page instead of leaving: embedded, no SMTP, bound to loopback."""
        return self.mode == "embedded" and self.smtp is None and is_loopback(self.host)

    @cached_property
    def log_json(self) -> bool:
        """Whether log lines are JSON (for machines) instead of text (for a terminal)."""
        return self.mode == "production"

    @cached_property
    def broker_url(self) -> str | None:
        """`redis_url` as Celery spells it, None when there is none.

        A Unix socket is `unix://` for redis-py and `redis+socket://` for Celery; Celery wants a TLS address
        to say how the certificate is checked.
        """
        if self.redis_url is None:
            return None
        parts = urlsplit(self.redis_url)
        query = dict(parse_qsl(parts.query))
        if parts.scheme == "unix":
            return f"redis+socket://{parts.netloc}{parts.path}?virtual_host={query.get('db', '0')}"
        if parts.scheme == "rediss" and "ssl_cert_reqs" not in query:
            return f"{self.redis_url}{'&' if query else '?'}ssl_cert_reqs=required"
        return self.redis_url

    def __repr__(self) -> str:
        shown = {field.name: getattr(self, field.name) for field in fields(self)}
        shown["secret"] = MASK
        shown["metrics_token"] = self.metrics_token and MASK
        shown["database_url"] = mask_password(self.database_url)
        shown["redis_url"] = self.redis_url and mask_password(self.redis_url)
        return f"Config({', '.join(f'{name}={value!r}' for name, value in shown.items())})"


def mode_of(environ: Mapping[str, str]) -> Mode:
    """Returns the mode PBEM_MODE names, *production* when it is unset.

    Raises: ConfigError for any other word.
    """
    match environ.get("PBEM_MODE", "").strip():
        case "" | "production":
            return "production"
        case "embedded":
            return "embedded"
        case other:
            words = " or ".join(get_args(Mode))
            raise ConfigError([Problem("PBEM_MODE", f"unknown mode {other!r}", f"Use {words}.")])


def config_of_process() -> Config:
    """Returns the settings of this process, from the environment; ends the process if they are wrong."""
    try:
        return Config.from_env(os.environ, mode_of(os.environ))
    except ConfigError as error:
        sys.exit(str(error))


def ensure_secret_file(data: Path) -> None:
    """Guarantees that `<data>/secret` exists, made once, readable by its owner alone; `data` must exist.

    Nobody ever reads a half-written secret: the file is written under another name and linked into place;
    if two processes try, the second keeps the first one's secret.
    """
    path = data / "secret"
    if path.exists():
        return
    draft = data / f"secret.{os.getpid()}"
    with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="ascii") as file:
        try:
            file.write(secrets.token_urlsafe(48) + "\n")
            file.flush()
            os.fsync(file.fileno())
        except OSError as error:
            draft.unlink()
            error.filename = str(path)
            raise
    try:
        os.link(draft, path)
    except FileExistsError:
        return
    finally:
        draft.unlink()
    fsync_folder(data)  # before anything is signed with it


def fsync_folder(folder: Path) -> None:
    """Guarantees that the names in the folder survive a power cut."""
    entry = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(entry)
    finally:
        os.close(entry)
