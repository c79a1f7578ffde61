"""A season is over: the standings, who moves, and the next season."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal, Self

from sqlalchemy import or_, select
from sqlmodel import col

from pbem.features.leagues.entry.entrants import entrant_of_player
from pbem.features.leagues.lookups import may_enter
from pbem.features.leagues.news import INVITED
from pbem.features.leagues.running.seasons import CALLED_OFF
from pbem.features.leagues.season_letters import About, SeasonLetter, SeasonRow, entrant_of_mail_row, entry_url
from pbem.features.leagues.tables import Entrant, Season, SeasonMatch
from pbem.features.leagues.terms import DIVISION_MOST
from pbem.mail.letters import Kind
from pbem.models.tables import Match, table
from pbem.services.mail.letter_context import LetterContext


@dataclass(frozen=True, kw_only=True)
class Finish(SeasonLetter):
    """The standings of the reader's division, which has `of` rows, at the end of the season. `rows` may be fewer.

    `moves` says whether they go up, down or stay. `next_at` is when the next season begins, None if there is none;
    `next_url` then enters it, None once they have entered it.
    """

    lists = ("rows",)

    division: int
    divisions: int
    rows: tuple[SeasonRow, ...]
    of: int
    moves: Literal["up", "down", "stays"]
    unfinished: int
    """How many of the reader's matches were not over."""
    next_at: datetime | None = None
    next_url: str | None = None

    def with_fewer(self, most: int) -> Self:
        """Returns the letter with at most this many rows, the reader's own among them."""
        rows = self.rows[:most]
        if self.own is not None and self.own not in rows:
            rows = (*rows[:-1], self.own)
        return replace(self, rows=rows)

    def count_left_out(self, name: str) -> int:
        """Returns how many rows of the division are missing."""
        return max(0, self.of - len(self.rows))

    @property
    def own(self) -> SeasonRow | None:
        """The reader's row; None if they have none."""
        return next((row for row in self.rows if row.own), None)


_e = table(Entrant)
_sm, _m = table(SeasonMatch), table(Match)
FIRST, NEXT = 10, 2
"""How many rows of a division larger than ours are in the mail: from the top, and on either side of the reader."""


def build(context: LetterContext) -> Finish | str:
    """Returns the letter with the standings of the reader's division."""
    of = entrant_of_mail_row(context)
    if of is None or of.season.status != "closed" or of.entrant.division is None:
        return "stale"
    rows = _division_rows(of)
    shown = rows
    if len(rows) > DIVISION_MOST:  # the first ones, the reader, and who is next to them
        own = next((at for at, row in enumerate(rows) if row[0] == of.entrant.id), 0)
        shown = [row for at, row in enumerate(rows) if at < FIRST or abs(at - own) <= NEXT]
    next_at, next_url = _next_season_link(of)
    return Finish(
        **of.fields_of_letter(), division=of.entrant.division, divisions=of.count_divisions(),
        rows=tuple(SeasonRow(place, name, got, number == of.entrant.id) for number, place, name, got in shown),
        of=len(rows),
        moves=_division_move(of.entrant), unfinished=_count_open_matches(of),
        next_at=next_at, next_url=next_url,
    )  # fmt: skip


KIND = Kind(Finish, build)


def _division_rows(of: About) -> list[Any]:
    """Returns the reader's division, best first."""
    ranked = (
        select(_e.c.id, _e.c.place, _e.c.name, _e.c.points)
        .where(_e.c.season_id == of.season.id, _e.c.division == of.entrant.division, _e.c.place.is_not(None))
        .order_by(_e.c.place, _e.c.id)
    )
    return list(of.context.session.execute(ranked))


def _division_move(entrant: Entrant) -> Literal["up", "down", "stays"]:
    if entrant.moves_to is None or entrant.division is None or entrant.moves_to == entrant.division:
        return "stays"
    return "up" if entrant.moves_to < entrant.division else "down"


def _count_open_matches(of: About) -> int:
    seats = _sm.c.seats.like(f"%{of.entrant.id}%")
    found = of.context.session.execute(
        select(_sm.c.seats).join(_m, _m.c.id == _sm.c.match_id)
        .where(_sm.c.season_id == of.season.id, _sm.c.division == of.entrant.division, seats)
        .where(or_(_m.c.ended_at.is_(None), _m.c.ended_at > of.season.closed_at, _m.c.outcome == CALLED_OFF))
    ).scalars()  # fmt: skip
    return sum(str(of.entrant.id) in row.strip("[]").split(", ") for row in found)


def _next_season_link(of: About) -> tuple[datetime | None, str | None]:
    """Returns when the season begins that is open now, and the link that enters it if the reader is asked."""
    found = select(Season).where(col(Season.league_id) == of.league.id, col(Season.number) > of.season.number)
    season = of.context.session.execute(found.where(col(Season.status) == "open")).scalars().first()
    if season is None or of.entrant.player_id is None:
        return None, None
    row = entrant_of_player(of.context.session, season.id, of.entrant.player_id)
    if row is None or row.status != INVITED:
        return season.starts_at, None
    enters = may_enter(of.context.session, of.league.circle_id, of.entrant.player_id)
    return season.starts_at, entry_url(of.context, row.id) if enters else None
