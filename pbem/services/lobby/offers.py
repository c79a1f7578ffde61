"""One way into a place: a seat before the start, a seat that was left, a circle, a season.

1. Somebody at the place passes on a link to it by other means than our mail; a season is offered on its own page. The
   link ends once the place is taken or closed, or has a new link: its claim is compared with the locked place.
2. Whoever has the link asks with a name and an address, which gets a mail (`asking`). Several people may ask.
3. The link in the mail answers, once: it takes the place (`lock_newcomer`, `verify_player`), or declines it. The same
   answer again changes nothing.
4. A signed-in player has verified their address, and takes the place at once.

Asking never reveals whether an address is known, or has the place already.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Generic, TypeVar

from sqlmodel import Session

from pbem.errors import N_
from pbem.models.tables import Player
from pbem.services.calendar import player_calendars
from pbem.services.clock.rescheduling import matches_with_asks, move_deadlines
from pbem.services.lobby.match_request import Invitee
from pbem.services.log import locks
from pbem.services.players import digest_day, players
from pbem.services.players.players import checked_address, checked_language, checked_name, checked_zone
from pbem.services.site import Site, Work

INVITED = N_("You have invited many people today. Please wait until tomorrow.")
ASKED = N_("Too many people have asked for a seat here today. Please wait until tomorrow.")
"""The same refusal for somebody who asks for a seat themselves instead of inviting others."""

What = TypeVar("What")
Taken = TypeVar("Taken")


@dataclass(frozen=True)
class Offer(Generic[What, Taken]):
    """How somebody comes to one kind of place. `What` names the place: the claim of its link, or a season's id.

    Both raise Unauthorized for a void link, NotFound, Gone, Invalid and TooMany.
    """

    ask: Callable[[Site, What, Invitee, str, str], object]
    """Has a mail sent by which the owner of the address takes the place; their language and zone come last."""
    take: Callable[..., Taken]
    """Gives the place to a signed-in player, by their id and name, and returns where they are now. Idempotent."""


@contextmanager
def asking(site: Site, who: Invitee, language: str, zone: str) -> Iterator[tuple[Work, Player, str]]:
    """Opens the transaction in which somebody asks for a place; yields it, the player of the address, and the name.

    The player is added if new. Only then they get the language and zone: anybody may type an address. Rows may point
    to them until the transaction ends. Raises Invalid.
    """
    name = checked_name(who.name)
    checked_address(who.address)
    language, zone = checked_language(language), checked_zone(zone)
    with site.writing() as work:
        yield work, players.find_or_add(work, who.address, language, site.now(), zone), name


def lock_newcomer(session: Session, player_id: int | None, zone: str, *matches: str) -> tuple[Player, list[str]]:
    """Returns the player who is about to take a place, and the ids of the matches whose deadlines their new zone moves.

    The player, these matches and those given are locked. Raises Unauthorized if the player has deleted their data,
    NotFound.
    """
    player = locks.lock_player(session, player_id)
    moved = matches_with_asks(session, player) if player.zone != zone else []
    locks.lock_matches(session, [*matches, *moved])
    return player, moved


def verify_player(site: Site, work: Work, player: Player, moved: Sequence[str], language: str, zone: str) -> None:
    """Marks the player's address as verified and stores their language and zone.

    A new zone moves the deadlines of their asks in the matches of `moved`. See `lock_newcomer`.
    """
    before, moves = player_calendars.of_player(work, player), player.zone != zone
    player.language, player.zone = language, zone
    player.verified_at = player.verified_at or site.now()
    work.flush()
    if moves:
        digest_day.skip_past(work, player, site.now())
        move_deadlines(work, player, moved, before, site.now())
