"""What every use case needs: settings, database, clock, entropy, tokens, and the wake-up of the worker."""

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Engine

from pbem import clock
from pbem.config import Config
from pbem.models import engine as db
from pbem.services.counters import Counters
from pbem.services.database_time import DatabaseTime
from pbem.services.reply_tokens import ReplyTokens
from pbem.services.state_cache import StateCache
from pbem.services.tokens import Tokens
from pbem.services.view_cache import Known, ViewCache
from pbem.services.work import Reading, Work


def _wake_nobody() -> None:
    """Wakes nobody, on a site without a worker; the beat drains the outbox anyway."""


def _need_not_settle() -> None:
    """Settles nothing: a clock that is given is right."""


@dataclass(frozen=True)
class Site:
    """One running service. Tests can replace time, entropy and the wake-up."""

    config: Config
    engine: Engine
    now: clock.Clock = clock.now
    settle: Callable[[], None] = _need_not_settle
    """Lets `now` be corrected if need be; called by whoever records a heartbeat. Raises Busy, Unavailable."""
    entropy: Callable[[int], bytes] = secrets.token_bytes
    wake: Callable[[], None] = _wake_nobody
    counters: Counters = field(default_factory=Counters)
    stopping: Callable[[], bool] = lambda: False
    """True once this process, or its task, should stop: it then finishes its current work and claims nothing more."""
    heads: StateCache = field(default_factory=StateCache)
    seen: ViewCache[Known] = field(default_factory=ViewCache)
    results: ViewCache[Any] = field(default_factory=ViewCache)
    """What the logs of matches that are over tell, which everybody who may watch them may know."""
    reversible: ViewCache[Any] = field(default_factory=ViewCache)
    """What the logs of running matches tell of each seat's latest decision, as its owner may know it."""
    unarchived: set[str] = field(default_factory=set)
    """The matches that this process could not archive, whose tracebacks are in its log."""
    tokens: Tokens = field(init=False)
    reply_tokens: ReplyTokens = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "tokens", Tokens(self.config.secret))
        object.__setattr__(self, "reply_tokens", ReplyTokens(self.config.secret))

    @contextmanager
    def reading(self) -> Iterator[Reading]:
        """Opens a read-only transaction."""
        with db.reading(self.engine, lambda connection: Reading(connection, self.heads, self.seen)) as session:
            yield session

    @contextmanager
    def one_statement(self) -> Iterator[Connection]:
        """Opens a connection for a single statement, which costs one round trip because there is no transaction.

        Except on SQLite the statement may write; it then commits by itself.
        """
        with db.one_statement(self.engine) as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Work]:
        """Opens a transaction that commits at its end; afterwards wakes the worker if something is due. Raises Busy."""
        with db.writing(self.engine, lambda connection: Work(connection, self.heads)) as work:
            yield work
        if work.marks:
            self.counters.add(work.marks)
        if work.made is not None:
            self.heads.keep(work.made)
        if work.wakes:
            self.wake()

    def url(self, path: str) -> str:
        """Returns the public URL of a path; based on the settings, never on a request."""
        return f"{self.config.url}{path}"


def open_site(config: Config, **replaced: object) -> Site:
    """Returns a site on the configured database, whose time it has unless another clock is given."""
    engine = db.make_engine(config.database_url, lock_wait_s=config.lock_wait_s)
    if "now" not in replaced:
        time = DatabaseTime(engine, clock.now, clock.elapsed)
        replaced = {"now": time, "settle": time.settle, **replaced}
    return Site(config, engine, **replaced)  # type: ignore[arg-type]  # names are checked by the dataclass
