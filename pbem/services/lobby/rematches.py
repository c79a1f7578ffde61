"""Rematches: any player of a finished match can start one; those who ask later join the one that exists.

The player who asks first is the organiser and sits first; the others follow around the table in the same order. Having
the link of their seat, the organiser need not confirm. The column `rematch_of` is unique, which holds even without the
lock.

On its page, the link of a finished seat leads on to the player's seat in the rematch, until they renew the link there:
one press sits them down.
For programs it acts for the finished seat only, and its owner's way into the rematch is mailed; so it is on the page
for a reader who is signed in as somebody else.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from typing import Literal

from sqlmodel import Session, col, select

from pbem.errors import N_, Gone
from pbem.models.tables import Match, Player, SeatRow
from pbem.services.access import idempotency, seat_links
from pbem.services.access.idempotency import IdempotencyKey
from pbem.services.lobby import matches, seating
from pbem.services.lobby.match_request import OpenSeat, Terms, normalise_and_check_lucky_word
from pbem.services.log import locks, outbox, store
from pbem.services.log.table import table_of
from pbem.services.players.guests import guest_id
from pbem.services.players.players import name_of_unnamed_seat
from pbem.services.site import Site, Work
from pbem.services.tokens import InvitationClaim, PlayClaim, SeatClaim
from pbem.services.views import seats
from pbem.services.who import ORGANISER, STRANGER, Caller


@dataclass(frozen=True)
class Way:
    """How a player gets to a match: with the token of their seat or invitation, or by a mail."""

    match_id: str
    seat: Literal["play", "invitation", "mail"]
    token: str | None = None
    made: bool = field(default=False, compare=False)
    """True if this request created the match, False if it existed."""
    sat: bool = field(default=False, compare=False)
    """True if this request accepted the invitation to it."""


def rematch_of(session: Session, match_id: str) -> Match | None:
    """Returns the rematch of this match, or None; cancelled rematches do not count."""
    found = session.exec(select(Match).where(col(Match.rematch_of) == match_id)).first()
    return found if found is not None and found.status != "cancelled" else None


def read_rematch_id(site: Site, match_id: str) -> str | None:
    """Returns the id of the rematch of this match; None if there is none."""
    with site.reading() as session:
        found = rematch_of(session, match_id)
        return found.id if found is not None else None


def may_bring_word_to_rematch(site: Site, match_id: str, player_id: int, who: Caller) -> bool:
    """True if `sit_down_in_rematch` uses the lucky word of this player of a finished match.

    It does if it creates the rematch, or seats the player in it.
    """
    with site.reading() as session:
        again = rematch_of(session, match_id)
        if again is None:
            return True
        invited = [seat for seat in store.seats_of(session, again.id) if seat.status == "invited"]
        return any(seat.player_id == player_id and _may_enter_rematch_seat(seat, who) for seat in invited)


def _may_enter_rematch_seat(seat: SeatRow, who: Caller) -> bool:
    """True if the page of the finished match leads on to this seat of its player in the rematch."""
    return who == seat.player_id or (who == STRANGER and seat.epoch == seating.FIRST_EPOCH)


def find_or_create_rematch(
    site: Site, claim: SeatClaim, who: Caller, *, word: str | None = None, once: IdempotencyKey | None = None
) -> Way:
    """Returns the way into the rematch of a finished match for the player of this play link; creates it if necessary.

    `who` is the signed-in player, if any; for anybody but the seat's owner the way is a mail. `word` is the lucky word
    of the player who creates the rematch; it is dropped if there is one: a player who comes later types theirs as they
    accept. Raises Unauthorized, Invalid, Gone, TooMany, KeyReused, Busy.
    """
    return _find_or_create_way_to_rematch(
        site, claim, lambda seat: who == seat.player_id, normalise_and_check_lucky_word(word), once
    )


def sit_down_in_rematch(site: Site, claim: SeatClaim, who: Caller, *, word: str | None = None) -> Way:
    """Returns the way into the rematch as `find_or_create_rematch` does, and takes the seat of an invited player.

    `word` is their lucky word, if they type one. A reader who is not signed in is the seat's owner, who came by its
    link, unless the links of the seat in the rematch were renewed since; then the way is a mail. Raises Unauthorized,
    Invalid, Gone, TooMany, Busy.
    """
    word = normalise_and_check_lucky_word(word)
    way = _find_or_create_way_to_rematch(site, claim, lambda seat: _may_enter_rematch_seat(seat, who), word, None)
    if way.seat != "invitation" or way.token is None:
        return way
    invited = site.tokens.read(InvitationClaim, way.token)
    _, seat = matches.accept_invitation(site, invited, *seats.language_and_zone(site, invited), word=word)
    return replace(way, seat="play", token=site.tokens.sign(PlayClaim(way.match_id, seat, invited.epoch)), sat=True)


def _find_or_create_way_to_rematch(
    site: Site, claim: SeatClaim, leads_on: Callable[[SeatRow], bool], word: str | None, once: IdempotencyKey | None
) -> Way:
    """Returns the way into the rematch: the token of the player's seat in it if `leads_on` that seat, else a mail."""
    with site.writing() as work:
        match, seat, held = _lock_with_rematches(work, claim)
        if match.status != "over" or seat.status != "accepted" or seat.player_id is None:
            raise Gone(N_("A rematch can be asked for when the match is over."))
        known = idempotency.claim_key(work, once, site.now())
        existing = work.get(Match, known) if known is not None else rematch_of(work, match.id)
        again = existing or _create_rematch(site, work, match, seat, held, word)
        if known is None:
            idempotency.store_answer(work, once, again.id)
        sits = (row for row in store.seats_of(work, again.id) if row.status in ("accepted", "invited"))
        own = next((row for row in sits if row.player_id == seat.player_id), None)
        if own is None:
            raise Gone(N_("You have declined this invitation. The organiser can invite you again."))
        if leads_on(own):
            return replace(_way_to_seat(site, work, own), made=existing is None)
        if own.status == "accepted":  # an invitation has its own mail
            dedupe = f"rematch:{again.id}:{seat.player_id}"
            outbox.enqueue(work, dedupe, "links", site.now(), player_id=seat.player_id)
        return Way(again.id, "mail", made=existing is None)


def _lock_with_rematches(session: Session, claim: SeatClaim) -> tuple[Match, SeatRow, set[str]]:
    """Returns the match, the link's seat, and the ids of the match and its rematches so far, all locked.

    Its players are held, too, so that new rows may point to them. Raises Unauthorized, Busy.
    """
    seat_links.seat_of_link(session, claim, "play")
    sitting = select(col(SeatRow.player_id)).where(col(SeatRow.match_id) == claim.match_id)
    held = locks.hold_players(session, session.execute(sitting).scalars())
    again = select(Match.id).where(col(Match.rematch_of) == claim.match_id)
    found = locks.lock_matches(session, [claim.match_id, *session.exec(again)])
    seat = seat_links.seat_of_link(session, claim, "play", refresh=True)
    if not {*session.execute(sitting).scalars()} <= held | {None}:
        raise locks.busy_error()
    return found[claim.match_id], seat, {*found}


def _create_rematch(site: Site, work: Work, match: Match, presser: SeatRow, held: set[str], word: str | None) -> Match:
    """Creates the rematch with the player who asked on the first seat and everybody else invited. Raises Busy."""
    for former in work.exec(select(Match).where(col(Match.rematch_of) == match.id)).all():
        if former.id not in held:
            raise locks.busy_error()
        former.rematch_of = None  # it was cancelled; the new one replaces it
    work.flush()
    same = Terms(**{one.name: getattr(match, one.name) for one in fields(Terms)})
    terms = replace(same, organiser_id=presser.player_id, rematch_of=match.id)
    sat = store.seats_of(work, match.id)
    places = [_place_in_rematch(seat) for seat in sat[presser.seat :] + sat[: presser.seat]]
    again = seating.set_up_match(site, work, terms, places, word)
    table = table_of(work, again)
    table.seats[ORGANISER].status = "accepted"
    seating.invite_others_and_start_if_full(table)
    return again


def _place_in_rematch(sat: SeatRow) -> seating.Place:
    """Returns the place in the rematch for this seat; open if its player is no longer known."""
    if sat.bot is not None:
        return seating.Place("accepted", sat.name, bot=sat.bot)
    if sat.player_id is None:
        return seating.place_of_bot_or_open_seat(OpenSeat())
    name = seating.UNNAMED if sat.name == name_of_unnamed_seat(sat.seat) else sat.name
    return seating.Place("invited", name, sat.player_id)


def _way_to_seat(site: Site, session: Session, seat: SeatRow) -> Way:
    """Returns the way to this seat by its owner's own token."""
    if seat.status != "accepted":
        return Way(seat.match_id, "invitation", site.tokens.sign(InvitationClaim(seat.match_id, seat.seat, seat.epoch)))
    assert seat.player_id is not None, "a person has accepted it"
    guest = guest_id(session.get_one(Player, seat.player_id))
    return Way(seat.match_id, "play", site.tokens.for_owner(seat.match_id, seat.seat, seat.epoch, guest))
