"""What every use case needs: settings, database, clock, entropy, tokens, and the wake-up of the worker.

Its transaction is a session. A function that only reads or writes rows takes a Session; one that takes a Reading also
uses the caches of the process, and one that takes a Work also leaves something to be done after the commit.
"""

import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, TypeVar, cast
from weakref import WeakValueDictionary

from sqlalchemy import Connection, Engine
from sqlmodel import Session

from pbem import clock
from pbem.config import Config
from pbem.errors import Busy
from pbem.kit.folds import Folds
from pbem.kit.replay import AnyEntry
from pbem.models import engine as db
from pbem.services.counters import Counters, Mark
from pbem.services.database_time import DatabaseTime
from pbem.services.tokens import Tokens

T = TypeVar("T")
TRIES = 5
"""How often `Site.persist` tries."""


@dataclass(frozen=True)
class Head:
    """The state of a match after entry `version`, computed by fold version `fold` of its game.

    `folds` are what everybody knew before the entries in `since`: what they know now is folded once it is asked for.
    """

    match_id: str
    version: int
    fold: int
    state: Any
    folds: Folds
    since: tuple[AnyEntry, ...] = ()


class Cache(Generic[T]):
    """What this process has worked out of matches: the values used last, `most` of them, by their keys.

    The states of matches are kept once they are committed, under the version they led to: a caller holds the match's
    lock and has read the version under it, so if another process has written meanwhile, the version differs and the log
    is read. What a viewer may know is made from their own redacted log, and found under their own seat only; a log only
    grows, so what they may know at a version never changes.
    """

    def __init__(self, most: int = 128) -> None:
        self._most = most
        self._kept: OrderedDict[Hashable, T] = OrderedDict()
        self._lock = threading.Lock()

    def keep(self, key: Hashable, value: T) -> None:
        """Caches a value in place of the former one."""
        with self._lock:
            self._kept[key] = value
            self._kept.move_to_end(key)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)

    def find(self, key: Hashable) -> T | None:
        """Returns what was cached under exactly this key, or None."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)


class Reading(Session):
    """A transaction of a use case that reads, with access to this process's caches of matches."""

    made: Head | None = None
    """The state of a match as this transaction has changed it, which is cached after the commit."""

    def __init__(self, connection: Connection | None, site: "Site | None" = None) -> None:
        # The session ends with the transaction, so expiring each row would be wasted work.
        super().__init__(connection, expire_on_commit=False)
        self.site = cast("Site", site)
        self.heads: Cache[Head] = site.heads if site is not None else Cache()
        self.views: Cache[Any] | None = site.seen if site is not None else None
        """None in a transaction that writes: what is rolled back must not be shown later."""
        self.lacks_folds: set[str] = set()
        """The matches in play whose log was read as a whole because kept folds are missing: see `log.keeping`."""

    def head(self, match_id: str, version: int, fold: int) -> Head | None:
        """Returns the state of the match at exactly this version, computed by this fold.

        None unless this transaction has made it or the process has cached it.
        """
        for head in (self.made, self.heads.find(match_id)):
            if head is not None and (head.match_id, head.version, head.fold) == (match_id, version, fold):
                return head
        return None

    def finish(self) -> None:
        """Has folds kept of the matches that lack them, as this transaction has seen; after its end."""
        for match_id in self.lacks_folds:
            self.site.keep_folds(match_id)


class Work(Reading):
    """The transaction of a use case that writes, and what is done if and when it commits."""

    def __init__(self, connection: Connection | None, site: "Site") -> None:
        super().__init__(connection, site)
        self.views = None
        self.leaves: Any = None
        """The rows of a match as this transaction leaves them, which are kept after the commit: see `log.kept`."""
        self.wakes = False
        """True if the workers are to be woken after the commit."""
        self.marks: list[Mark] = []
        self.tables: WeakValueDictionary[str, Any] = WeakValueDictionary()
        """The locked tables in use in this transaction, by match: see `log.table.table_of`."""

    def put(self, row: T) -> T:
        """Writes a row at once, with what else waits to be written, and returns it: a new one has its id."""
        self.add(row)
        self.flush()
        return row

    def count(self, name: str, *labels: str, seconds: float | None = None) -> None:
        """Counts an event, or how long it took, after the commit."""
        self.marks.append(Mark(name, labels, seconds))

    def finish(self) -> None:
        """Does what this transaction has left to be done after its commit."""
        site = self.site
        if self.marks:
            site.counters.add(self.marks)
        if self.made is not None:
            site.heads.keep(self.made.match_id, self.made)
        if site.kept is not None and self.leaves is not None:
            site.kept.keep(self.leaves.match_id, self.leaves)
        if self.wakes:
            site.wake()
        Reading.finish(self)  # for `OneBatch`, too


@dataclass(frozen=True)
class Site:
    """One running service. Tests can replace time, entropy and the wake-up."""

    config: Config
    engine: Engine
    now: clock.Clock = clock.now
    settle: Callable[[], None] = lambda: None
    """Lets `now` be corrected if need be; called by the process that records a heartbeat. Raises Busy, Unavailable.

    Without it, `now` is taken to be right."""
    entropy: Callable[[int], bytes] = secrets.token_bytes
    wake: Callable[[], None] = lambda: None
    """Wakes the worker, if there is one: the beat drains the outbox anyway."""
    keep_folds: Callable[[str], None] = lambda match_id: None
    """Has a worker keep the folds that a match lacks, if there is one. Returns at once."""
    counters: Counters = field(default_factory=Counters)
    stopping: Callable[[], bool] = lambda: False
    """True once this process, or its task, should stop: it then finishes its current work and claims nothing more."""
    heads: Cache[Head] = field(default_factory=lambda: Cache(256))
    """The latest states of the matches to which this process wrote last, by match."""
    seen: Cache[Any] = field(default_factory=Cache)
    """What viewers may know of matches, each from their own redacted log."""
    results: Cache[Any] = field(default_factory=Cache)
    """What the logs of matches that are over tell, which everybody who may watch them may know."""
    reversible: Cache[Any] = field(default_factory=Cache)
    """What the logs of running matches tell of each seat's latest decision, as its owner may know it."""
    left: Cache[bool] = field(default_factory=lambda: Cache(1024))
    """The questions that no order answers at once, as this process has read: the sweep looks at them."""
    looked_at: dict[str, str | None] = field(default_factory=dict)
    """The last match at which a walk of this process through all of them has looked; None once it is through."""
    unarchived: set[str] = field(default_factory=set)
    """The matches that this process could not archive, whose tracebacks are in its log."""
    tokens: Tokens = field(init=False)
    kept: Cache[Any] | None = field(init=False)
    """The rows of the matches in which this process played last, by match; only `log.kept` uses them.

    None on SQLite, where there are no round trips to be saved."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "tokens", Tokens(self.config.secret))
        object.__setattr__(self, "kept", None if self.engine.dialect.name == "sqlite" else Cache(256))

    @contextmanager
    def reading(self) -> Iterator[Reading]:
        """Opens a read-only transaction."""
        with db.reading_session(self.engine, partial(Reading, site=self)) as session:
            yield session
        session.finish()

    @contextmanager
    def one_statement(self) -> Iterator[Connection]:
        """Opens a connection for a single statement, which costs one round trip because there is no transaction.

        Except on SQLite the statement may write; it then commits by itself. So does a `batch`, in its place.
        """
        with db.autocommit_connection(self.engine) as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Work]:
        """Opens a transaction that commits at its end; afterwards wakes the worker if something is due. Raises Busy."""
        with db.writing_session(self.engine, partial(Work, site=self)) as work:
            yield work
        work.finish()

    def persist(self, note: Callable[[Work], None]) -> None:
        """Notes what was done outside, and would be done again, in a transaction of its own. Raises Busy.

        Tries it again if the database is busy, TRIES times in all.
        """
        for left in reversed(range(TRIES)):
            try:
                with self.writing() as work:
                    note(work)
                return
            except Busy:
                if not left:
                    raise

    def url(self, path: str) -> str:
        """Returns the public URL of a path; based on the settings, never on a request."""
        return f"{self.config.url}{path}"


def open_site(config: Config, **replaced: object) -> Site:
    """Returns a site on the configured database, whose time it has unless another clock is given."""
    engine = db.make_engine(config.database_url, lock_wait_s=config.lock_wait_s)
    if "now" not in replaced:
        time = DatabaseTime(engine, clock.now, clock.seconds_since_boot)
        replaced = {"now": time, "settle": time.settle, **replaced}
    return Site(config, engine, **replaced)  # type: ignore[arg-type]  # names are checked by the dataclass
