"""Waiting for news without a thread: what those who wait know, and which of them there is news for.

A request that finds nothing new is answered all the same, and says beside its answer what its caller knows (`Pause`).
The web server keeps the answer, on its event loop, and calls the application again when there is news for this caller.
So the application alone decides what a caller may see, and never waits. A server that cannot wait has no `Visit` in the
request's environment: its callers get the answer at once.

For everybody who waits in a process two statements look for news (`find_outdated_among_known`,
`read_places_of_players`),
however many there are. A caller wakes when the version of a match has grown, when it has ended or was deleted, and when
the link of their seat was replaced; who follows all their matches, also when what they are asked or where they sit has
changed.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple, Protocol

import msgspec
from sqlalchemy import Integer, Text, and_, bindparam, or_, select, text

from pbem.games import find_game
from pbem.kit.contract import Viewer
from pbem.models.prepared import Prepared
from pbem.models.tables import AskRow, Match, SeatRow, table
from pbem.services.log import store
from pbem.services.site import Site

VISIT = "pbem.visit"
"""The name of the request's `Visit` in its WSGI environment."""
ENDED = ("over", "cancelled")

_matches, _seats, _asks = table(Match), table(SeatRow), table(AskRow)
_m = _matches.c
_WATCHABLE = and_(_m.spectators, _m.deal_id.is_(None))
"""Whether spectators may see a match that goes on: one whose deal other tables may play is open only afterwards."""
_STILL = Prepared(select(_m.game, _m.version, _m.status, _m.head, _WATCHABLE).where(_m.id == bindparam("match")))


class Known(NamedTuple):
    """What somebody knows of a match: its entries up to `version`, and the epoch of their seat, if they have one."""

    match_id: str
    version: int
    seat: Viewer
    epoch: int | None


class Place(NamedTuple):
    """Where a player sits, or is invited to, in a match that has not ended, and what they are asked there."""

    match_id: str
    seat: int
    seat_status: str
    match_status: str
    key: str | None
    """The key of their open question; None without one, and if their answer to it is sealed."""
    deadline: datetime | None


Places = frozenset[Place]


@dataclass(frozen=True)
class Pause:
    """A caller with nothing to do but to wait for news, for at most `most_s` seconds from their first pause on.

    `who` counts those who wait, of whom fewer may be a `stranger`'s. In a stream all answers together are one, which
    goes on from `position` (the application's own); `alive` is sent where nothing happens.
    """

    who: str
    stranger: bool
    most_s: float
    known: Collection[Known] = ()
    player_id: int | None = None
    """The player whose `query_of_places_of_players` these are, if their changes are news."""
    places: Places = frozenset()
    alive: bytes | None = None
    """None: this is no stream."""
    position: Any = None
    renews: bool = False
    """True if nothing but `known` decides the answer: the server need not ask who comes again with the same request."""


class Visit(Protocol):
    """A request that may wait, from its first call of the application to its last."""

    @property
    def position_of_last_pause(self) -> Any:
        """What the last pause said; None at the first call."""

    @property
    def was_called_before(self) -> bool:
        """True if the application has been called for this request before."""

    def ask_to_pause(self, pause: Pause) -> bool:
        """True if the server keeps the answer to this call; False if the caller has to take it now.

        In that case they have as many pauses as they can, nobody can wait at the moment, or the process is to end.
        """


def read_game_and_head_if_unchanged(
    site: Site, match_id: str, viewer: Viewer, after: int
) -> tuple[str, str | None] | None:
    """Returns the game and head of a match that goes on, if `after` is its last entry and the viewer may watch it.

    This is what a program that waits finds nearly every time, so it costs one statement. Raises NotFound for text that
    is no id.
    """
    with site.one_statement() as connection:
        rows = _STILL.send(connection, store.match_parameter(match_id)).rows()
    for game, version, status, head, watchable in rows:
        may_watch = viewer is not None or watchable
        if may_watch and version == after > 0 and status not in ENDED and find_game(game) is not None:
            return game, head
    return None


# --- looking for news ----------------------------------------------------------------------------------------


def find_outdated_among_known(site: Site, known: Sequence[Known]) -> list[Known]:
    """Returns what is no longer all that can be known: there is more, or nothing will come, or not to this link."""
    with site.one_statement() as connection:
        sent = _query_of_outdated_among_known(site.engine.dialect.name).send(
            connection, {"known": msgspec.json.encode(known).decode()}
        )
        return [known[number] for (number,) in sent.rows()]


_GIVEN = {
    "sqlite": """
        SELECT key AS n, json_extract(value, '$[0]') AS match_id, json_extract(value, '$[1]') AS version,
               json_extract(value, '$[2]') AS seat, json_extract(value, '$[3]') AS epoch
        FROM json_each(:known)
    """,
    "postgresql": """
        SELECT n - 1 AS n, value ->> 0 AS match_id, CAST(value ->> 1 AS integer) AS version,
               CAST(value ->> 2 AS integer) AS seat, CAST(value ->> 3 AS integer) AS epoch
        FROM json_array_elements(CAST(:known AS json)) WITH ORDINALITY AS given(value, n)
    """,
}
"""The rows of a JSON array of `Known`, with the place of each in it: one parameter, however many wait."""


@cache
def _query_of_outdated_among_known(dialect: str) -> Prepared:
    """Returns the statement of `find_outdated_among_known`."""
    rows = text(_GIVEN[dialect]).columns(n=Integer, match_id=Text, version=Integer, seat=Integer, epoch=Integer)
    known = rows.subquery("known").c
    found = (
        select(known.n)
        .join(_matches, _matches.c.id == known.match_id, isouter=True)
        .join(_seats, and_(_seats.c.match_id == known.match_id, _seats.c.seat == known.seat), isouter=True)
    )
    ended = or_(*(_matches.c.status == status for status in ENDED))
    more = or_(_matches.c.id.is_(None), _matches.c.version > known.version, ended)
    return Prepared(found.where(or_(more, _seats.c.epoch.is_distinct_from(known.epoch))))


def read_places_of_players(site: Site, player_ids: Collection[int]) -> dict[int, Places]:
    """Returns the places of each of these players."""
    found: dict[int, list[Place]] = {player_id: [] for player_id in player_ids}
    with site.one_statement() as connection:
        for player_id, *place in connection.execute(query_of_places_of_players(player_ids).where(GOES_ON)):
            found[player_id].append(Place(*place))
    return {player_id: frozenset(theirs) for player_id, theirs in found.items()}


GOES_ON: Any = or_(
    and_(_seats.c.status == "accepted", _matches.c.status.in_(("inviting", "running", "paused"))),
    and_(_seats.c.status == "invited", _matches.c.status == "inviting"),
)
"""The condition of a place: nobody learns of an invitation before the organiser confirms the match."""


ASKED: Any = and_(
    _asks.c.match_id == _seats.c.match_id, _asks.c.seat == _seats.c.seat, _asks.c.closed_at.is_(None),
    _asks.c.sealed_at.is_(None),
)  # fmt: skip
"""The condition that joins a seat with its open question; an answer that is sealed has been given."""


def query_of_places_of_players(player_ids: Collection[int], *more: Any) -> Any:
    """Returns the query of these players' seats: a player's id, the fields of a `Place`, and `more` columns."""
    place = (_seats.c.match_id, _seats.c.seat, _seats.c.status, _matches.c.status, _asks.c.key, _asks.c.deadline)
    return (
        select(_seats.c.player_id, *place, *more)
        .join(_matches, _matches.c.id == _seats.c.match_id)
        .join(_asks, ASKED, isouter=True)
        .where(_seats.c.player_id.in_(player_ids))
    )
