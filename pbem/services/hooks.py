"""Hooks: what features add to use cases of the core, which names no feature.

A feature has a module `hooks` with one object `HOOKS`, a `Hooks`. Several answer in the order of their names. While a
feature is off (`Config.features`), nothing goes ahead of a mail or comes back for it, it counts nothing, and nothing of
it is overdue; its data stays, so what concerns data is asked all the same: `personal`, `moments`, and `results`.

Its periodic tasks are in a module of their own, `tasks`, in one object `TASKS`, and what its workers do on request is
in another one, `REQUESTS`. The names of both are those of messages, and no two features have the same.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from typing import Any, Literal, NamedTuple, Protocol

from sqlalchemy import ColumnElement, Connection, Table
from sqlmodel import Session

from pbem.config import Config
from pbem.discovery import attributes_of_features, packages_of_features
from pbem.models.tables import Match, OutboxRow, Player, SeatRow
from pbem.services.findings import Due, Finding
from pbem.services.site import Reading, Site, Work
from pbem.services.statements import ForgetOld

Counter = tuple[str, tuple[str, ...]]
"""What `/metrics` says about a counter: its description, and the names of its labels."""


class Ahead(Protocol):
    """Tells the reader of a mail about a seat ahead of the mail, which follows if they do not open that.

    The first that has something to send goes ahead. If it reaches nobody, the mail leaves at once.
    """

    def condition(self, seat: Table) -> ColumnElement[bool]:
        """Returns the SQL condition under which a seat is worth asking about, over the columns of `seats`.

        It becomes a part of the statement that reads a claimed mail, so it costs no round trip.
        """
        ...

    def prepare(
        self, site: Site, session: Reading, row: OutboxRow, match: Match, seat: SeatRow, player: Player
    ) -> Any | None:
        """Returns what `send` will send ahead of this mail; None if the mail goes alone.

        Called in the transaction that reads the claimed row, if the condition held. It must write nothing.
        """
        ...

    def send(self, site: Site, row_id: int, ready: Any, at: datetime) -> bool:
        """Sends what was prepared as of `at`; returns True if it has reached the reader.

        After that transaction, in one of its own: it then starts the clocks that wait for the mail
        (`closing.start_clocks`), notes `pushed_at`, and releases the row, due again when the mail is to follow.
        """
        ...


class Back(Protocol):
    """Says where mail about a letter comes back to: its answer, its bounce, and the mail that unsubscribes.

    Both are asked in the transaction that reads the row, and return fields of the letter.
    """

    def of_letter(self, config: Config, row_id: int, player: Player, seat: SeatRow | None) -> Mapping[str, str | None]:
        """Returns `return_path` and `unsubscribe_to` of the mail of this row to this player, at this seat."""
        ...

    def of_seat(self, config: Config, seat: SeatRow, key: str | None) -> Mapping[str, str | None]:
        """Returns `reply_to`, `reply_token` and `reply_question`: where the answer to this question of the seat goes.

        Without a key, they name the seat alone. `reply_guide_url` is the page that says what an answer can be.
        """
        ...


class Fate(NamedTuple):
    """What becomes of a column that points to a player: when they are erased, and when a guest is merged with them."""

    erased: Literal["with the matches", "emptied", "forgotten", "deleted"]
    merged: Literal["with the matches", "moved", "a guest has none"] = "a guest has none"
    export: tuple[str, ...] | None = None
    """The columns of the row that the player gets when they download their data: none that authenticates anybody, is
    about somebody else, or may not be seen yet. None: nothing was said of it, which fails a test.
    """


def _keep_nothing(*_what: Any) -> None:
    """Keeps nothing that it would have to end or delete."""


@dataclass(frozen=True)
class Personal:
    """What a feature stores about players, and how it is ended and deleted, whether the feature is on or off.

    `fates` has the fate of each column that points to a player, by "table.column". `forget_old` has the sweeps of
    retention, by their names in the log; each batch is a transaction of its own.
    """

    fates: Mapping[str, Fate] = field(default_factory=dict)
    export: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Of each table with rows of a seat (`match_id`, `seat`), the columns that its player gets with their data."""
    export_through: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Of each "table.column" that points to a row with a `player_id`, the columns that this player gets of the rows."""
    forget_seat: Callable[[Work, SeatRow], None] = _keep_nothing
    """Deletes what is kept for the seat: in the transaction that empties it, which holds its match's lock."""
    clear_seat: Callable[[Work, SeatRow], None] = _keep_nothing
    """Deletes what the seat's player keeps there for themselves: in the transaction that empties it, and in that in
    which somebody else takes it over. Both hold its match's lock.
    """
    forget_addresses: Callable[[Site, Collection[str]], object] = _keep_nothing
    """Deletes what others have sent that names these addresses, all of the player who is erased: once, before they
    leave anything, in transactions of its own. It may be called again.
    """
    leave: Callable[[Site, int], None] = _keep_nothing
    """Ends what the player who is erased takes part in, in transactions of its own; it may be called again.

    May raise Busy.
    """
    takes_part_in: Callable[[Session, int], Sequence[object]] = lambda _session, _player_id: ()
    """Returns what the player takes part in, nothing after `leave`: in the last transaction of the erasure."""
    forget_player: Callable[[Work, int], None] = _keep_nothing
    """Deletes what `fates` does not: in the last transaction of the erasure, which holds the player's row."""
    change_address: Callable[[Work, Player], None] = _keep_nothing
    """Ends what was mailed to the player's former address, or made by anyone who reads mail there: in the transaction
    that changes it, which holds the player's row.
    """
    forget_old: Mapping[str, ForgetOld] = field(default_factory=dict)


@dataclass(frozen=True)
class Moments:
    """What `clock.setbacks` does with the moments in a feature's tables: its `WAITING`, `HAPPENED` and `LEFT`."""

    waiting: Mapping[str, Mapping[str, timedelta]] = field(default_factory=dict)
    happened: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    left: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Overdue:
    """Work that a feature should have done by now, for those who watch the site.

    Each function reads by the connection it is given, as of that moment, and writes nothing. `due` is asked at each
    scrape of `/metrics`, and if it `degrades` the service at each `/readyz`, which then says "late" while something is
    due, else "ok". `check` is asked by `pbem doctor`. What is `counted`, in words for one and for several, is late
    there after minutes, as deadlines are.
    """

    due: Callable[[Connection, datetime], Due]
    degrades: bool = False
    check: Callable[[Connection, datetime], Finding] | None = None
    counted: tuple[str, str] | None = None
    state: Callable[[Connection, datetime, Config], str] | None = None
    """What `/readyz` says if it `degrades` the service, "ok" if all is well, where "late" while something is due does
    not do."""


class Gauge(NamedTuple):
    """What `/metrics` says about a figure: its name after `pbem_`, its description, and its values by their labels."""

    name: str
    help: str
    labels: tuple[str, ...]
    values: Mapping[tuple[str, ...], float]


@dataclass(frozen=True)
class Results:
    """What a feature does when the results of matches are written, whether it is on or off; `after` only while on."""

    note: Callable[[Work, list[str]], None] = _keep_nothing
    """Notes that the results of these matches, whose ids are sorted, are written: in the transaction that does it,
    which holds the matches' locks.
    """
    rate_with_bots: Callable[[Session, set[str]], set[str]] = lambda _session, _match_ids: set()
    """Returns those of these matches, at which bots sit, that rate their people all the same: in that transaction."""
    after: Callable[[Site], object] = _keep_nothing
    """Does what follows from results, after those transactions, each time a worker has looked for new ones."""


@dataclass(frozen=True)
class Task:
    """What a worker does every `period_s` seconds; "one" worker, or each of them, from a "queue" of what is due, or in
    its share of the matches ("shard"): then `run` takes the site and the `Shard`.

    `run` may run twice or in two places at once; it returns the number of things that it did. If it `wakes`, a wake-up
    sends it, too, and beat, each half minute, only makes up for a lost one: after bots and mails, or before them if it
    is `first`, for they follow from it. With `settled` it waits while the clock may be wrong, for what it does cannot
    be undone.

    With `must_think` it is work for the process where bots think, called for as long as this returns True. `run` comes
    after the bots, and the next bot waits until it returns: it takes a few seconds and leaves the rest.
    """

    period_s: float
    kind: Literal["one", "queue", "shard"]
    run: Callable[..., int]
    wakes: bool = False
    first: bool = False
    settled: bool = False
    must_think: Callable[[Site], bool] | None = None


Request = Callable[..., Any]
"""What a worker does for the one who has sent it a message and waits for what it returns.

It takes the site, and the values that the message carries; these and what it returns are JSON values, as Celery writes
them. It may run twice. While the feature is off, None is returned in its place.
"""


@dataclass(frozen=True)
class Hooks:
    """What one feature adds; `counters` has what it counts, `overdue` what it may be late with, by name.

    `gauges` reads its figures at each scrape of `/metrics`, by the connection that it is given. Where no feature that
    `shows_counts` is on, processes do not add up what they count.
    """

    ahead: Ahead | None = None
    back: Back | None = None
    personal: Personal | None = None
    results: Results = Results()
    moments: Moments = Moments()
    counters: Mapping[str, Counter] = field(default_factory=dict)
    gauges: Callable[[Connection, datetime, Config], Iterable[Gauge]] = lambda _connection, _now, _config: ()
    shows_counts: bool = False
    overdue: Mapping[str, Overdue] = field(default_factory=dict)


@cache
def hooks_of(names: tuple[str, ...]) -> tuple[Hooks, ...]:
    """Returns the hooks of these features, in the order of the names; some have none."""
    return tuple(attributes_of_features("hooks", "HOOKS", names))


def all_hooks() -> tuple[Hooks, ...]:
    """Returns the hooks of every feature, on or off."""
    return hooks_of(tuple(packages_of_features()))


def all_personal() -> list[Personal]:
    """Returns what every feature that holds personal data deletes of it."""
    return [one.personal for one in all_hooks() if one.personal is not None]


def overdue_of(names: tuple[str, ...]) -> dict[str, Overdue]:
    """Returns what these features may be late with, by what it is called."""
    return {name: one for each in hooks_of(names) for name, one in each.overdue.items()}


@cache
def tasks_of(names: tuple[str, ...]) -> dict[str, Task]:
    """Returns the periodic tasks of these features by the names of their messages, after `workers.tasks.`."""
    return {name: task for tasks in attributes_of_features("tasks", "TASKS", names) for name, task in tasks.items()}


@cache
def requests_of(names: tuple[str, ...]) -> dict[str, Request]:
    """Returns what workers do for these features on request, by the names of the messages, after `workers.tasks.`."""
    return {
        name: request
        for requests in attributes_of_features("tasks", "REQUESTS", names)
        for name, request in requests.items()
    }


def thoughts_of(names: tuple[str, ...]) -> list[tuple[str, Callable[[Site], int]]]:
    """Returns what these features do where bots think, each with the feature's name."""
    return [(name, task.run) for name in names for task in tasks_of((name,)).values() if task.must_think is not None]
