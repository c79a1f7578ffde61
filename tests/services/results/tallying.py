"""Matches that end, and players who want ratings."""

from __future__ import annotations

from sqlalchemy import update

from pbem.models.tables import Match, Player, table
from tests.services.letterbox import id_of
from tests.table import House


def want_ratings(house: House, *names: str) -> None:
    """Has these of the cast want ratings."""
    with house.site.writing() as work:
        p = table(Player)
        ids = [id_of(house, name) for name in names]
        work.connection().execute(update(p).where(p.c.id.in_(ids)).values(rated=True))


def end_match(house: House, *winners: int, seats: int = 3, game: str = "hogen") -> str:
    """Begins a match and ends it with these winners."""
    match_id = house.begin(seats, game)
    house.clock.forward(minutes=1)
    outcome = f'{{"reason":"found","winners":{[*winners]}}}'
    with house.site.writing() as work:
        m = table(Match)
        over = update(m).where(m.c.id == match_id).values(status="over", ended_at=house.clock(), outcome=outcome)
        work.connection().execute(over)
    return match_id
