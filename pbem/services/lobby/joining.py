"""Open seats for anybody with a link, which the organiser passes on by other means than our mail.

1. The organiser opens a seat: a new era of its epochs begins, and its join link carries the era.
2. The holder of the link claims the seat for a name and an address. The address gets the ordinary invitation; the seat
   is taken by accepting that, not by the claim. Signed-in players have verified their address and take it at once.
3. Until the seat is taken, the link may claim it again: the epoch rises, and the former claims stay good beside the new
   one (`seat_links.earlier_claim_of_invitation`). So nobody can block the seat by asking for it: the first to accept
   gets
   it.
4. A player who has claimed the seat, and has not accepted when it goes to another, is told by a mail.
5. The organiser may also fill the seat with a named person or a bot.

A claim never reveals whether an address is known or sits at this table.
"""

from pbem.models.tables import Match, SeatRow
from pbem.services.access import seat_links
from pbem.services.lobby import seating
from pbem.services.lobby.lucky_words import lucky_word_to_store
from pbem.services.lobby.match_request import Invitee, check_bot, normalise_and_check_lucky_word
from pbem.services.lobby.offers import (
    Offer,
    Vacancy,
    check_seat_is_free,
    free_or_why_too_late,
    read_join_link,
    transaction_with_player_of_address,
)
from pbem.services.log import locks, store
from pbem.services.log.store import Table
from pbem.services.log.table import LockedTable, table_of
from pbem.services.players import players
from pbem.services.players.players import normalise_name
from pbem.services.site import Site, Work
from pbem.services.tokens import OpeningClaim, SeatClaim, next_named, next_opening, opening_of
from pbem.services.views import match_views
from pbem.services.who import ORGANISER


def read_open_seat(site: Site, claim: OpeningClaim) -> Vacancy:
    """Returns the seat of a join link. Raises Unauthorized, Gone, NotFound."""
    with site.reading() as session:
        match, row = read_join_link(session, claim)
        table = Table(session, match)
        shown = match_views.sheet(table, None, standings=True)
        return Vacancy(shown, row.seat, _seat_free_or_why_too_late(match, row))


def _seat_free_or_why_too_late(match: Match, seat: SeatRow) -> str:
    """Returns whether the open seat can be taken, as in Vacancy.how."""
    how = free_or_why_too_late(match.status)
    return "taken" if how == "free" and seat.status == "accepted" else how


def _lock_open_seat(work: Work, claim: OpeningClaim) -> tuple[LockedTable, SeatRow]:
    """Returns the locked match and the seat of the link. Raises Unauthorized, Gone, NotFound."""
    if work.get(Match, claim.match_id) is not None:
        locks.lock_match(work, claim.match_id)
    match, seat = read_join_link(work, claim)
    return table_of(work, match), seat


def claim_seat(site: Site, claim: OpeningClaim, who: Invitee, language: str, zone: str) -> tuple[str, int]:
    """Claims the seat of the link for a name and an address. Returns match and seat.

    The address gets the invitation, or its player's links if they have already been written to about this match.
    It takes no lucky word: the address may be somebody else's. Raises Unauthorized, Invalid, Gone, TooMany.
    """
    with transaction_with_player_of_address(site, who, language, zone) as (work, player, name):
        table, seat = _lock_open_seat(work, claim)
        check_seat_is_free(_seat_free_or_why_too_late(table.match, seat))
        seating.free_name_taken_by_bot(table, seat, name)
        seating.check_invitation_limit(table, by_link=True)
        again = seat.status == "invited" and seat.player_id == player.id
        seat.name, seat.status, seat.player_id = name, "invited", player.id
        if not again:
            seat.epoch += 1
        work.flush()
        seat_links.store_latest_claim(work, seat, site.now())
        sits = any(other.player_id == player.id and other.seat != seat.seat for other in table.seats)
        if not again and (sits or seating.was_invited(work, table.id, player)):
            # Their links include the current invitation and are rate-limited: at most one such mail in ten minutes.
            players.queue_links(site, work, player, news=True)
        elif not again:
            seating.queue_invitation(table, seat)
        return table.id, seat.seat


def take_seat_at_once(
    site: Site, claim: OpeningClaim, player_id: int, name: str, *, word: str | None = None
) -> tuple[str, int]:
    """Gives a signed-in player the seat of the link at once, with their lucky word if they typed one. Idempotent.

    Returns the match's id and the seat's number. Raises Unauthorized, Invalid, Gone.
    """
    name, word = normalise_name(name), normalise_and_check_lucky_word(word)
    with site.writing() as work:
        held = seating.hold_people_at_table(work, claim.match_id)
        locks.lock_player(work, player_id)
        table, seat = _lock_open_seat(work, claim)
        match = table.match
        if seat.status == "accepted" and seat.player_id == player_id and match.status != "cancelled":
            return match.id, seat.seat
        check_seat_is_free(_seat_free_or_why_too_late(match, seat))
        seating.check_has_no_other_seat(work, seat, player_id)
        seating.free_name_taken_by_bot(table, seat, name)
        seating.end_other_invitations(site, work, seat, held, player_id)
        seat.name, seat.status, seat.player_id, seat.muted = name, "accepted", player_id, False
        seat.epoch, seat.word = (
            seat.epoch + 1,
            lucky_word_to_store(match.seed, seat.seat, word, shared=match.deal_id is not None),
        )
        seating.start_if_full(table)
        return match.id, seat.seat


OFFER = Offer(claim_seat, take_seat_at_once)


# --- the organiser's side ------------------------------------------------------------------------------------


def open_seat(site: Site, claim: SeatClaim, number: int, was: seating.SeatSeen | None = None) -> None:
    """Opens a seat that nobody has taken, for the organiser with this play link; older links to it end.

    Takes `was` as `free_seat` does. Raises Unauthorized, Forbidden, NotFound, Gone, Changed.
    """
    with site.writing() as work:
        held = seating.hold_people_at_table(work, claim.match_id)
        _, seat = seating.lock_untaken_seat(work, claim, number, was)
        seating.end_other_invitations(site, work, seat, held)
        seat.name, seat.status, seat.player_id, seat.word = seating.FREE, "open", None, None
        seat.epoch = next_opening(seat.epoch)


def fill_with_bot(site: Site, claim: SeatClaim, number: int, bot: str, was: seating.SeatSeen | None = None) -> str:
    """Gives a seat that nobody has taken to a bot, for the organiser; returns the match's id.

    The match starts if this was the last free seat. Takes `was` as `free_seat` does. Raises Unauthorized, Forbidden,
    NotFound, Gone, Invalid, Changed.
    """
    with site.writing() as work:
        held = seating.hold_people_at_table(work, claim.match_id)
        table, seat = seating.lock_untaken_seat(work, claim, number, was)
        seating.end_other_invitations(site, work, seat, held)
        seat.bot = check_bot(table.game, bot)
        taken = [other.name for other in table.seats if other.seat != number]
        seat.name, seat.status, seat.player_id, seat.word = (
            seating.choose_bot_name(table.match, taken),
            "accepted",
            None,
            None,
        )
        seat.epoch = next_named(seat.epoch)
        seating.start_if_full(table)
        return table.id


def join_tokens_for_organiser(site: Site, match_id: str, viewer: int | None) -> dict[int, str]:
    """Returns the valid join tokens by seat if the viewer is the organiser; otherwise an empty dict."""
    if viewer != ORGANISER:
        return {}
    with site.reading() as session:
        match = store.get_match(session, match_id)
        if match.status not in ("unconfirmed", "inviting"):
            return {}
        seats = store.seats_of(session, match_id)
        eras = {seat.seat: opening_of(seat.epoch) for seat in seats if seat.status != "accepted"}
    return {number: site.tokens.sign(OpeningClaim(match_id, number, era)) for number, era in eras.items() if era}
