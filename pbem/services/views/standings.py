"""How a player's matches stand, for a program that follows all of them: what they are asked, and what has ended.

It is read again when something has changed (`waiting`), and compared with what the program has.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import msgspec
from sqlalchemy import and_, or_

from pbem.kit.contract import Outcome
from pbem.models.tables import AskRow, Match, SeatRow, table
from pbem.services.site import Site
from pbem.services.views.waiting import ENDED, GOES_ON, Known, Place, Places, places

LATE = timedelta(minutes=1)
"""A match that ended this long before a program's last message may have become visible after it."""

_matches, _seats, _asks = table(Match), table(SeatRow), table(AskRow)
_MORE = (_asks.c.kind, _matches.c.game, _matches.c.version, _matches.c.outcome)


@dataclass(frozen=True)
class OwnAsk:
    """The player's open question."""

    key: str
    kind: str
    deadline: datetime | None


@dataclass(frozen=True)
class Standing:
    """How a match stands for a player who sits there or is invited."""

    id: str
    game: str
    status: str
    version: int
    seat: int
    seat_status: str
    ask: OwnAsk | None
    """None without one, and if the player's answer to it is sealed."""
    outcome: Outcome | None
    cancelled: str | None
    """Why it was called off."""

    @property
    def goes_on(self) -> bool:
        """True unless it has ended."""
        return self.status not in ENDED

    @property
    def known(self) -> Known:
        """What a program that has been told this knows of the match."""
        return Known(self.id, self.version, None, None)


@dataclass(frozen=True)
class Standings:
    """How a player's matches stand, by their ids, and the places by whose changes one knows when to read it again."""

    at: datetime
    matches: dict[str, Standing]
    places: Places


def read_standings(site: Site, player_id: int, known: Collection[str] = (), since: datetime | None = None) -> Standings:
    """Returns all that go on, those of the `known` that have ended, and those that have ended `since`.

    A match in which the player has two seats stands here once, by the one they have taken.
    """
    theirs: Any = [_matches.c.id.in_(known)]
    if since is not None:
        theirs.append(_matches.c.ended_at >= since - LATE)
    ended = and_(_seats.c.status == "accepted", _matches.c.status.in_(ENDED), or_(*theirs))
    now = site.now()
    with site.one_statement() as connection:
        rows = connection.execute(places([player_id], *_MORE).where(or_(GOES_ON, ended))).all()
    standings = [_standing(Place(*row[1:7]), *row[7:]) for row in rows]
    standings.sort(key=lambda one: (one.seat_status, one.seat, one.id), reverse=True)  # of two, the last one counts
    stay = frozenset(Place(*row[1:7]) for row in rows if row[4] not in ENDED)
    return Standings(now, {one.id: one for one in standings}, stay)


def _standing(place: Place, kind: str | None, game: str, version: int, outcome: str | None) -> Standing:
    ask = OwnAsk(place.key, kind, place.deadline) if place.key is not None and kind is not None else None
    status = place.match_status
    over = msgspec.json.decode(outcome, type=Outcome) if outcome is not None and status == "over" else None
    why = str(msgspec.json.decode(outcome)["reason"]) if outcome is not None and status == "cancelled" else None
    return Standing(
        place.match_id, game, status, version, place.seat, place.seat_status, ask if status == "running" else None,
        over, why,
    )  # fmt: skip
