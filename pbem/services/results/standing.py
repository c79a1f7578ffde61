"""What others see of players who have chosen so: their rating in a game, and how fast they usually answer.

Both are read for players who have chosen to show them, and for nobody else: what somebody does not show is not
computed. A pace is the median, over the matches that are over, of the player's median time in each; it takes ten of
them, so that it says little about any one.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from statistics import median_low
from typing import Annotated

from msgspec import Meta, Struct
from sqlalchemy import select
from sqlmodel import Session

from pbem.models.results import Rating, Result
from pbem.models.tables import Player, table
from pbem.services.results.ratings import ShownRating, Strength, show

LEAST_MATCHES = 10
"""How many matches in which they answered a pace takes."""
_ratings, _results = table(Rating), table(Result)


class Pace(Struct, frozen=True):
    """How fast a player usually answers: the median, over their matches that are over, of the median in each."""

    median_s: Annotated[int, Meta(description="In seconds.")]
    matches: Annotated[int, Meta(description="Ten or more.")]


@dataclass(frozen=True)
class Standing:
    """What a player shows; None: they do not, or there is nothing to show yet."""

    rating: ShownRating | None = None
    pace: Pace | None = None


def standings_of(session: Session, game: str, players: Iterable[Player]) -> dict[int, Standing]:
    """Returns what these players show to others at a table of the game, without those who show nothing.

    One query for the ratings and one for the paces, and none if nobody shows any.
    """
    known = {player.id: player for player in players if player.id is not None}
    ratings = _ratings_in(session, game, {number for number, one in known.items() if one.rated})
    paces = paces_of(session, {number for number, one in known.items() if one.pace_shown})
    return {number: Standing(ratings.get(number), paces.get(number)) for number in {*ratings, *paces}}


def _ratings_in(session: Session, game: str, players: Collection[int]) -> dict[int, ShownRating]:
    if not players:
        return {}
    r = _ratings.c
    found = select(r.player_id, r.mu, r.sigma, r.matches).where(r.player_id.in_(players), r.game == game)
    return {player: show(Strength(mu, sigma, matches)) for player, mu, sigma, matches in session.execute(found)}


def ratings_of(session: Session, player_id: int) -> dict[str, ShownRating]:
    """Returns the player's ratings by game, the surest highest first; empty if they want none."""
    r = _ratings.c
    found = session.execute(select(r.game, r.mu, r.sigma, r.matches).where(r.player_id == player_id))
    strengths = {game: Strength(mu, sigma, matches) for game, mu, sigma, matches in found}
    order = sorted(strengths.items(), key=lambda one: (-one[1].ordinal, one[0]))
    return {game: show(strength) for game, strength in order}


def paces_of(session: Session, players: Collection[int]) -> dict[int, Pace]:
    """Returns the paces of these players by id; those with fewer than LEAST_MATCHES have none."""
    if not players:
        return {}
    t, times = _results.c, defaultdict[int, list[int]](list)
    for player, seconds in session.execute(
        select(t.player_id, t.median_s).where(t.player_id.in_(players), t.median_s.is_not(None))
    ):
        times[player].append(seconds)
    return {
        player: Pace(median_low(every), len(every)) for player, every in times.items() if len(every) >= LEAST_MATCHES
    }
