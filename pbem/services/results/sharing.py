"""What a player chooses: whether they are rated, whether others see how fast they answer, and the mail of the week.

Nobody is rated, and no pace is shown, unless they have asked for it. A player who ends their ratings deletes them;
wanting some again starts over, from the next match that ends.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import astuple
from sqlalchemy import delete
from sqlmodel import Session, col

from pbem.errors import CHANGED, Changed
from pbem.models.results import Rating
from pbem.models.tables import Player
from pbem.services import versions
from pbem.services.log import locks
from pbem.services.results.ratings import ShownRating
from pbem.services.results.standing import Pace, paces_of, ratings_of
from pbem.services.site import Site


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
        return shared_by(session, session.get_one(Player, player_id))


def shared_by(session: Session, player: Player) -> Shared:
    """Returns what this player has chosen and what others see of it; no query if that is nothing."""
    assert player.id is not None, "a stored player has an id"
    ratings = ratings_of(session, player.id) if player.rated else {}
    pace = paces_of(session, {player.id}).get(player.id) if player.pace_shown else None
    return Shared(_choices(player), ratings, pace)


def choose(
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
        stored = _choices(player)
        if was is not None and was != stored:
            raise Changed(CHANGED, etag="")
        wanted = (rated, pace_shown, weekly)
        entered = [now if new is None else new for now, new in zip(astuple(stored), wanted, strict=True)]
        player.rated, player.pace_shown, player.weekly = versions.merge(version, astuple(stored), entered)
        if not player.rated:
            work.execute(delete(Rating).where(col(Rating.player_id) == player_id))
        return _choices(player)


def _choices(player: Player) -> Choices:
    return Choices(player.rated, player.pace_shown, player.weekly)
