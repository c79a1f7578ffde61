"""A player's rating in a game: Plackett-Luce, as `openskill` computes it.

The strength of a player is a normal distribution: `mu` is its mean, `sigma` its standard deviation. A match moves those
of its players by their places among each other, in the order in which matches ended. It is shown on a scale on which
somebody new has 1,500 ± 500, and somebody 400 points stronger than somebody else wins ten times as often once both are
known well:

    value      = 1500 + 30 · (mu − 25)
    plus_minus = 30 · 2 · sigma        the true strength lies in this range 19 times in 20

Ratings are ordered by mu − 3 · sigma, so that nobody leads after one match. Who is rated is decided in `tallying`; only
players who want ratings have any.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from msgspec import Meta, Struct
from openskill.models import PlackettLuce
from sqlalchemy import select

from pbem.models.prepared import insert_function_of_dialect
from pbem.models.results import Rating
from pbem.models.tables import Player, table
from pbem.services.site import Work

CENTRE, POINTS = 1500, 30
"""The value of the first rating, and how many points of it are one of `mu`."""
_MODEL = PlackettLuce()
_ratings, _players = table(Rating), table(Player)


@dataclass(frozen=True)
class Strength:
    """How strong a player is in a game, as far as is known."""

    mu: float = _MODEL.mu
    sigma: float = _MODEL.sigma
    matches: int = 0

    @property
    def ordinal(self) -> float:
        """What ratings are ordered by: a strength that is exceeded almost surely."""
        return self.mu - 3 * self.sigma


class ShownRating(Struct, frozen=True):
    """A rating in a game: the value, and how far the true one may be from it 19 times in 20."""

    value: int
    plus_minus: int
    matches: Annotated[int, Meta(description="How many matches have changed it.")]


def rating_as_shown(strength: Strength) -> ShownRating:
    """Returns the rating on the scale on which it is shown.

    >>> rating_as_shown(Strength())
    ShownRating(value=1500, plus_minus=500, matches=0)
    """
    value = CENTRE + POINTS * (strength.mu - _MODEL.mu)
    return ShownRating(round(value), round(POINTS * 2 * strength.sigma), strength.matches)


FIRST = rating_as_shown(Strength())
"""The rating of somebody new."""


def strengths_after_match(strengths: Sequence[Strength], places: Sequence[int]) -> list[Strength]:
    """Returns the strengths of the players of a match after it; lower places are better, equal ones level.

    The order in which the players are given does not matter: they are sorted, so that no rounding depends on it.
    """
    order = sorted(range(len(places)), key=lambda n: (places[n], strengths[n].mu, strengths[n].sigma))
    teams = [[_MODEL.create_rating([strengths[n].mu, strengths[n].sigma])] for n in order]
    rated = _MODEL.rate(teams, ranks=[float(places[n]) for n in order])
    found = dict(zip(order, rated, strict=True))
    return [Strength(one.mu, one.sigma, strengths[n].matches + 1) for n, (one,) in sorted(found.items())]


def rate_players(work: Work, matches: Iterable[Sequence[Mapping[str, Any]]]) -> None:
    """Changes the ratings of the players of these matches, one after the other; each is given as rows of its results.

    It takes two statements, however many matches there are. The players must be locked.
    """
    matches, r = list(matches), _ratings.c
    players = {row["player_id"] for match in matches for row in match}
    read = work.execute(select(r.player_id, r.game, r.mu, r.sigma, r.matches).where(r.player_id.in_(players)))
    known = {(player, game): Strength(mu, sigma, count) for player, game, mu, sigma, count in read}
    changed = dict[tuple[int, str], datetime]()
    for match in matches:
        keys = [(row["player_id"], row["game"]) for row in match]
        after = strengths_after_match([known.get(key, Strength()) for key in keys], [row["place"] for row in match])
        known |= zip(keys, after, strict=True)
        changed |= {(row["player_id"], row["game"]): row["ended_at"] for row in match}
    if not changed:
        return
    made = insert_function_of_dialect(work.connection().dialect.name)(_ratings)
    newer = {name: made.excluded[name] for name in ("mu", "sigma", "matches", "at")}
    put = made.on_conflict_do_update(index_elements=["player_id", "game"], set_=newer)
    rows = [
        {"player_id": player, "game": game, **vars(known[player, game]), "at": at}
        for (player, game), at in sorted(changed.items())
    ]
    work.connection().execute(put, rows)
