"""One way into a place: a seat before the start, a seat that was left, a circle, a season.

1. Somebody at the place passes on a link to it by other means than our mail; a season is offered on its own page. The
   link ends once the place is taken or closed, or has a new link: its claim is compared with the locked place.
2. Somebody who has the link asks with a name and an address,
which gets a mail (`transaction_with_player_of_address`). Several
people may ask.
3. The link in the mail answers, once: it takes the place (`lock_player_and_moved_matches`,
`verify_player_and_set_zone`), or declines it. The same
   answer again changes nothing.
4. A signed-in player has verified their address, and takes the place at once.

Asking never reveals whether an address is known, or has the place already.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Generic, TypeVar

from sqlmodel import Session

from pbem.errors import N_, Gone, NotFound
from pbem.models.tables import Match, Player, SeatRow
from pbem.services.calendar import calendar
from pbem.services.clock.holidays import ids_of_matches_in_play, ids_of_matches_with_asks, move_deadlines
from pbem.services.lobby.match_request import Invitee
from pbem.services.log import locks
from pbem.services.players import digest_day, players
from pbem.services.players.players import check_address, check_language, check_zone, normalise_name
from pbem.services.site import Site, Work
from pbem.services.tokens import ERA, OpeningClaim, opening_of, unknown_link
from pbem.services.views.match_views import Sheet, View

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
    take: Callable[[Site, What, int, str], Taken]
    """Gives the place to a signed-in player, by their id and name, and returns where they are now. Idempotent."""


@contextmanager
def transaction_with_player_of_address(
    site: Site, who: Invitee, language: str, zone: str
) -> Iterator[tuple[Work, Player, str]]:
    """Opens the transaction in which somebody asks for a place; yields it, the player of the address, and the name.

    The player is added if new. Only then they get the language and zone: anybody may type an address. Rows may point
    to them until the transaction ends. Raises Invalid.
    """
    name = normalise_name(who.name)
    check_address(who.address)
    language, zone = check_language(language), check_zone(zone)
    with site.writing() as work:
        yield work, players.find_or_add(work, who.address, language, site.now(), zone), name


def lock_player_and_moved_matches(
    session: Session, player_id: int | None, zone: str, *matches: str
) -> tuple[Player, list[str]]:
    """Returns the player who is about to take a place, and the ids of the matches whose deadlines their new zone moves.

    The player, the matches given and, if their zone changes, all that they play are locked. Raises Unauthorized if the
    player has deleted their data, NotFound.
    """
    player = locks.lock_player(session, player_id)
    moves = player.zone != zone
    moved = ids_of_matches_with_asks(session, player) if moves else []
    locks.lock_matches(session, [*matches, *moved, *(ids_of_matches_in_play(session, player) if moves else ())])
    return player, moved


def verify_player_and_set_zone(
    site: Site, work: Work, player: Player, moved: Sequence[str], language: str, zone: str
) -> None:
    """Marks the player's address as verified and stores their language and zone.

    A new zone moves the deadlines of their asks in the matches of `moved`. See `lock_player_and_moved_matches`, which
    locks them.
    """
    before, moves = calendar.calendar_of_player(work, player), player.zone != zone
    player.language, player.zone = language, zone
    player.verified_at = player.verified_at or site.now()
    work.flush()
    if moves:
        digest_day.skip_past_digest(work, player, site.now())
        move_deadlines(work, player, moved, before, site.now())


# --- seats that a link offers --------------------------------------------------------------------------------

REFUSALS = {
    "unconfirmed": N_("The organiser has not confirmed this match yet."),
    "cancelled": N_("This match has been called off."),
    "begun": N_("The match has already begun."),
    "over": N_("The match is not being played."),
    "back": N_("The player of this seat is back."),
    "taken": N_("Somebody else has taken this seat meanwhile."),
}


@dataclass(frozen=True)
class Vacancy:
    """A seat that may be taken, as everybody may see it.

    `how` is "free", or the reason why it is not, a key of REFUSALS; "yours" if the viewer has taken it.
    """

    sheet: Sheet
    seat: int
    how: str
    view: View | None = None
    """None before the match has begun, and if it admits no spectators."""
    name: str = ""
    """The name that the newcomer has chosen, if any."""
    language: str = ""
    zone: str = ""
    verified: bool = False
    play_token: str | None = None
    """The play token of a newcomer who has taken the seat; None once they renewed it: this link must not reveal it."""


def free_or_why_too_late(status: str) -> str:
    """Returns "free" while a match of this status waits for its players, otherwise the reason why they are too late."""
    if status == "inviting":
        return "free"
    return status if status in ("unconfirmed", "cancelled") else "begun"


def check_seat_is_free(how: str) -> None:
    """Raises Gone with the reason if the seat is not free."""
    if how != "free":
        raise Gone(REFUSALS[how])


# --- old links to open seats ----------------------------------------------------------------------------------

ENDED = {
    "cancelled": N_("This match has been called off. Ask whoever invited you, or start a match of your own."),
    "begun": N_("The match has begun without this link. Ask whoever invited you, or start a match of your own."),
}
REPLACED = N_(
    "This link has ended: its seat has got a new link, or went to somebody else. Ask whoever gave you the link whether "
    "a seat is free."
)
NO_MATCH = N_("There is no such match any more. Ask whoever gave you the link, or start a match of your own.")


def read_join_link(session: Session, claim: OpeningClaim) -> tuple[Match, SeatRow]:
    """Returns the match and the seat of a join link.

    Raises Gone for an old link, NotFound if its match is gone, Unauthorized for one that never was.
    """
    seat = session.get(SeatRow, (claim.match_id, claim.seat), populate_existing=True)
    match = session.get(Match, claim.match_id)
    if seat is None or match is None:
        raise NotFound(NO_MATCH)
    if opening_of(seat.epoch) != claim.era:
        if not 0 < claim.era <= seat.epoch // ERA:
            raise unknown_link()
        raise Gone(ENDED.get(free_or_why_too_late(match.status), REPLACED))
    return match, seat
