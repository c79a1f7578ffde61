"""What others see of players: their ratings, and how fast they usually answer; and what a player chooses of it.

It is read for players who have chosen to show it, and for nobody else: what somebody does not show is not computed. A
pace is the median, over the matches that are over, of the player's median time in each; it takes ten of them, so that
it says little about any one.

Nobody is rated, and no pace is shown, unless they have asked for it. A player who ends their ratings deletes them;
one who wants ratings again starts over, from the next match that ends.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from statistics import median_low
from typing import Annotated, Any

from msgspec import Meta, Struct
from msgspec.structs import astuple
from sqlalchemy import delete, select
from sqlmodel import Session, col

from pbem.errors import CHANGED, Changed
from pbem.models.results import Rating, Result
from pbem.models.tables import Player, table
from pbem.services import versions
from pbem.services.log import locks
from pbem.services.results.ratings import ShownRating, Strength, rating_as_shown
from pbem.services.site import Site

LEAST_MATCHES = 10
"""How many matches in which they answered a pace takes."""
_ratings, _results = table(Rating), table(Result)


class Pace(Struct, frozen=True):
    """How fast a player usually answers: the median, over their matches that are over, of the median in each."""

    median_s: Annotated[int, Meta(description="In seconds.")]
    matches: Annotated[int, Meta(description="Ten or more.")]


def ratings_and_paces_shown(session: Session, game: str, players: Iterable[Player]) -> dict[int, dict[str, Any]]:
    """Returns the `rating` and the `pace` that these players show to others at a table of the game, by their ids.

    A player who shows nothing is left out, and so is what a player does not show. It takes one query for the ratings
    and one for the paces, and none if nobody shows any.
    """
    known = {player.id: player for player in players}
    rated, r = {number for number, one in known.items() if one.rated}, _ratings.c
    found = select(r.player_id, r.mu, r.sigma, r.matches).where(r.player_id.in_(rated), r.game == game)
    rows = session.execute(found) if rated else ()
    ratings = {player: rating_as_shown(Strength(mu, sigma, matches)) for player, mu, sigma, matches in rows}
    paces = paces_of(session, {number for number, one in known.items() if one.pace_shown})
    both: dict[str, dict[int, Any]] = {"rating": ratings, "pace": paces}
    return {
        number: {name: shown[number] for name, shown in both.items() if number in shown}
        for number in {*ratings, *paces}
    }


def ratings_of(session: Session, player_id: int) -> dict[str, ShownRating]:
    """Returns the player's ratings by game, the surest highest first; empty if they want none."""
    r = _ratings.c
    found = session.execute(select(r.game, r.mu, r.sigma, r.matches).where(r.player_id == player_id))
    strengths = {game: Strength(mu, sigma, matches) for game, mu, sigma, matches in found}
    order = sorted(strengths.items(), key=lambda one: (-one[1].ordinal, one[0]))
    return {game: rating_as_shown(strength) for game, strength in order}


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


class Choices(Struct, frozen=True):
    """What a player has chosen to show, all at once."""

    rated: Annotated[bool, Meta(description="They are rated, and others see it.")]
    pace_shown: Annotated[bool, Meta(description="Others see how fast they usually answer.")]
    weekly: Annotated[bool, Meta(description="They get the mail of the week, if a feature sends one.")]


@dataclass(frozen=True)
class Shared:
    """A player's choices, and what follows from them."""

    choices: Choices
    ratings: Mapping[str, ShownRating]
    """By game."""
    pace: Pace | None
    """None: they do not show it, or have played too few matches."""


def read_shared(site: Site, player_id: int) -> Shared:
    """Returns what the player has chosen and what others see of it. Three queries at most."""
    with site.reading() as session:
        return sharing_of(session, session.get_one(Player, player_id))


def sharing_of(session: Session, player: Player) -> Shared:
    """Returns what this player has chosen and what others see of it; no query if that is nothing."""
    ratings = ratings_of(session, player.id) if player.rated else {}
    pace = paces_of(session, {player.id}).get(player.id) if player.pace_shown else None
    return Shared(_choices_of_player(player), ratings, pace)


def choose_what_to_share(
    site: Site,
    player_id: int,
    *,
    rated: bool | None = None,
    pace_shown: bool | None = None,
    weekly: bool | None = None,
    was: Choices | None = None,
    version: str | None = None,
) -> Choices:
    """Sets what the player chooses; None leaves it as it is. Returns all choices.

    If `was` is given, the change is made only if the choices still equal it; `version` is that of a form of all three.
    Ending the ratings deletes them. Raises Changed, Unauthorized if the player has been erased, Forbidden for a guest.
    """
    with site.writing() as work:
        player = locks.lock_player(work, player_id)
        stored = _choices_of_player(player)
        if was is not None and was != stored:
            raise Changed(CHANGED, etag="")
        wanted = (rated, pace_shown, weekly)
        entered = [now if new is None else new for now, new in zip(astuple(stored), wanted, strict=True)]
        player.rated, player.pace_shown, player.weekly = versions.merge_or_raise_changed(
            version, astuple(stored), entered
        )
        if not player.rated:
            work.execute(delete(Rating).where(col(Rating.player_id) == player_id))
        return _choices_of_player(player)


def _choices_of_player(player: Player) -> Choices:
    return Choices(player.rated, player.pace_shown, player.weekly)
