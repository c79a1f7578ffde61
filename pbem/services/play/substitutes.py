"""Taking over a seat whose owner is absent or has resigned.

1. Active players at the table see a link for each such seat and pass it on by other means than our mail. The link names
   the log entry by which the seat was left: once the owner is back or the seat is taken, it is void for good.
2. Opening the link shows what spectators see. Asking for the seat takes a name and an address, to which a mail offers
   the seat. Several people may ask. Signed-in players have already verified their address and take the seat at once.
3. The first to accept gets the seat: a conditional UPDATE under the match's lock decides. The seat's epoch rises, so
   that the former owner's links end; their messages and note are removed, and so are their votes.
4. One mailbox plays one seat: players who sat at the table have seen a hand, and cannot take over another seat.

Asking for a seat never reveals whether an address is known or sits at this table.
"""

from datetime import timedelta

from sqlalchemy import func, update
from sqlmodel import Session, col, select

from pbem.errors import N_, Gone, TooMany
from pbem.models.tables import Match, OutboxRow, Player, SeatRow, SubstituteRow, table
from pbem.services.lobby.match_request import Invitee
from pbem.services.lobby.offers import (
    ASKED,
    REFUSALS,
    Offer,
    Vacancy,
    check_seat_is_free,
    lock_player_and_moved_matches,
    transaction_with_player_of_address,
    verify_player_and_set_zone,
)
from pbem.services.lobby.seating import check_has_no_other_seat, check_name_is_free
from pbem.services.log import deals, locks, outbox, store
from pbem.services.log.consent import is_active_person
from pbem.services.log.store import Table
from pbem.services.log.table import LockedTable, lock_table, table_of
from pbem.services.play import presence
from pbem.services.players import bounces, first_names
from pbem.services.players.mailboxes import has_same_mailbox_as_other
from pbem.services.players.players import LINKS_EVERY_S, check_language, check_zone, normalise_name
from pbem.services.site import Reading, Site
from pbem.services.tokens import OfferClaim, PlayClaim, VacancyClaim, next_named, unknown_link
from pbem.services.views import match_views, talk
from pbem.services.views.match_views import Sheet

_seats = table(SeatRow)
PLAYED = ("running", "paused")
ASKED_DAY = 10
"""How many mails a day may offer the seats of one table; the addresses they go to are not verified."""


def substitute_links_by_seat(site: Site, sheet: Sheet, viewer: int | None) -> dict[int, str]:
    """Returns the substitute links by seat if the viewer is active at the table; otherwise an empty dict."""
    left = [place for place in sheet.seats if place.absent or place.resigned]
    if viewer is None or not left or sheet.status not in PLAYED:
        return {}
    with site.reading() as session:
        seats = store.seats_of(session, sheet.id)
        if not is_active_person(seats[viewer]):
            return {}
        empty = [(seat.seat, seat.away_n) for seat in seats if seat.away_n is not None]
    tokens = {seat: site.tokens.sign(VacancyClaim(sheet.id, seat, away_n)) for seat, away_n in empty}
    return {seat: site.url(f"/substitute/{token}") for seat, token in tokens.items()}


# --- asking for a seat ---------------------------------------------------------------------------------------


def read_vacancy(site: Site, claim: VacancyClaim) -> Vacancy:
    """Returns the seat of a substitute link. Raises Unauthorized."""
    with site.reading() as session:
        seat = session.get(SeatRow, (claim.match_id, claim.seat))
        if seat is None:
            raise unknown_link()
        return _vacancy_of_seat(session, store.get_match(session, claim.match_id), seat, claim.away_n)


def _vacancy_of_seat(session: Reading, match: Match, seat: SeatRow, away_n: int) -> Vacancy:
    table = Table(session, match)
    view = match_views.view(table, None) if match_views.is_watchable(session, match) else None
    sheet = view.sheet if view is not None else match_views.sheet(table, None)
    return Vacancy(sheet, seat.seat, _state_of_vacancy(session, match, seat, away_n), view)


def _state_of_vacancy(session: Session, match: Match, seat: SeatRow, away_n: int) -> str:
    """Returns whether the seat that was left by this entry is free, as in Vacancy.how."""
    if match.status not in PLAYED:
        return "over"
    if seat.away_n == away_n:
        return "free"
    sat = col(SubstituteRow.epoch).is_not(None)
    taken = select(SubstituteRow.id).where(*_conditions_of_offers_for_seat(seat), SubstituteRow.away_n == away_n, sat)
    return "back" if session.exec(taken.limit(1)).first() is None else "taken"


def _conditions_of_offers_for_seat(seat: SeatRow) -> tuple[bool, bool]:
    return (SubstituteRow.match_id == seat.match_id, SubstituteRow.seat == seat.seat)


def ask_for_seat(site: Site, claim: VacancyClaim, who: Invitee, language: str, zone: str) -> tuple[str, int]:
    """Offers the seat of the link to the address, by a mail with which to take it. Returns match and seat.

    Asking again for the same address sends another mail, at most one in ten minutes. Raises Unauthorized,
    Invalid, Gone, TooMany.
    """
    with transaction_with_player_of_address(site, who, language, zone) as (work, player, name):
        table = lock_table(work, claim.match_id)
        seat = work.get(SeatRow, (claim.match_id, claim.seat), populate_existing=True)
        if seat is None:
            raise unknown_link()
        check_seat_is_free(_state_of_vacancy(work, table.match, seat, claim.away_n))
        check_name_is_free(work, seat, name)
        _check_request_limits(site, work, table.match)
        offer = _offer_to(site, work, seat, claim.away_n, player.id, name)
        period = int(site.now().timestamp()) // LINKS_EVERY_S
        outbox.imitate_enqueue(work, site.now())  # also where a mail has left a moment ago
        outbox.enqueue(
            work, f"substitute:{offer.id}:{period}", "substitute", site.now(), match_id=table.id, seat=seat.seat,
            player_id=player.id, key=str(offer.id),
        )  # fmt: skip
        return table.id, seat.seat


def _check_request_limits(site: Site, session: Session, match: Match) -> None:
    """Raises TooMany if too many have asked for seats today, at this table or at all tables of its organiser.

    Anybody with a link can cause these mails, so they do not count towards the organiser's invitations.
    """
    if not site.config.has_caps:
        return
    mail = table(OutboxRow)
    own = mail.c.match_id == match.id
    asked = select(func.count(), func.count().filter(own)).where(
        mail.c.kind == "substitute",
        mail.c.created_at > site.now() - timedelta(days=1),
        mail.c.match_id == col(Match.id),
        col(Match.organiser_id) == match.organiser_id,
    )
    everywhere, here = session.exec(asked).one()
    if here >= ASKED_DAY or everywhere >= site.config.mails_per_address_day:
        raise TooMany(ASKED, retry_after=3600)


def _offer_to(
    site: Site, session: Session, seat: SeatRow, away_n: int, player_id: int | None, name: str
) -> SubstituteRow:
    """Returns the offer of this seat to the player, one per time it was left, with the name they gave last."""
    row = {"match_id": seat.match_id, "seat": seat.seat, "away_n": away_n, "player_id": player_id}
    outbox.insert_row_unless_key_exists(session, SubstituteRow, {**row, "name": name, "at": site.now()})
    found = select(SubstituteRow).where(
        *_conditions_of_offers_for_seat(seat), SubstituteRow.away_n == away_n, SubstituteRow.player_id == player_id,
        ~col(SubstituteRow.void)
    )  # fmt: skip
    offer = session.exec(found).one()
    offer.name = name
    session.flush()
    return offer


# --- taking a seat -------------------------------------------------------------------------------------------


def read_offer(site: Site, claim: OfferClaim) -> Vacancy:
    """Returns the seat offered by the link in a newcomer's mail, also once they have taken it. Raises Unauthorized."""
    with site.reading() as session:
        offer = _current_offer(session, claim)
        match = store.get_match(session, offer.match_id)
        seat = session.get_one(SeatRow, (offer.match_id, offer.seat))
        player = session.get_one(Player, offer.player_id)
        seen = _vacancy_of_seat(session, match, seat, offer.away_n)
        return Vacancy(
            seen.sheet, seen.seat, "yours" if _has_taken_seat(offer, seat) else seen.how, seen.view, offer.name,
            player.language,
            player.zone, player.verified_at is not None,
            site.tokens.sign(PlayClaim(match.id, seat.seat, seat.epoch)) if offer.epoch == seat.epoch else None,
        )  # fmt: skip


def _current_offer(session: Session, claim: OfferClaim) -> SubstituteRow:
    """Returns the offer as it is now. Raises Unauthorized, also if it is void."""
    offer = session.get(SubstituteRow, claim.offer_id, populate_existing=True)
    if offer is None or offer.void:
        raise unknown_link()
    return offer


def void_offers_to_player(session: Session, player_id: int) -> None:
    """Voids the offers that the player has not accepted: their links no longer work, but the player may ask again."""
    t = table(SubstituteRow)
    waiting = update(t).where(t.c.player_id == player_id, t.c.epoch.is_(None), t.c.away_n >= 0)
    session.execute(waiting.values(void=True))


def _has_taken_seat(offer: SubstituteRow, seat: SeatRow) -> bool:
    """True if the newcomer has taken the seat and still holds it, whatever link they use now."""
    return offer.epoch is not None and seat.player_id == offer.player_id


def language_and_zone(site: Site, claim: OfferClaim) -> tuple[str, str]:
    """Returns the language and zone of the player who is offered the seat. Raises Unauthorized."""
    with site.reading() as session:
        offer = _current_offer(session, claim)
        player = session.get_one(Player, offer.player_id)
        return player.language, player.zone


def accept_offer(site: Site, claim: OfferClaim, language: str, zone: str) -> tuple[str, int]:
    """Gives the newcomer the seat and returns match and seat. Idempotent. Raises Unauthorized, Invalid, Gone."""
    language, zone = check_language(language), check_zone(zone)
    with site.writing() as work:
        offer = _current_offer(work, claim)
        former = _hold_former(work, offer.match_id, offer.seat, offer.player_id)
        player, moved = lock_player_and_moved_matches(work, offer.player_id, zone, offer.match_id)
        match, offer = store.get_match(work, offer.match_id), _current_offer(work, claim)
        seat = work.get_one(SeatRow, (offer.match_id, offer.seat), populate_existing=True)
        if offer.epoch == seat.epoch:
            return match.id, seat.seat
        if _has_taken_seat(offer, seat):
            raise Gone(N_("You have this seat already, and its link has changed since. Have your links sent to you."))
        verify_player_and_set_zone(site, work, player, moved, language, zone)
        bounces.clear_bounce_noted_after_sending(work, offer.player_id, site.now())
        _replace_owner(table_of(work, match), seat, offer, former)
        return match.id, seat.seat


def take_seat_at_once(site: Site, claim: VacancyClaim, player_id: int, name: str) -> tuple[str, int]:
    """Gives a signed-in player the seat of the link at once. Idempotent.

    Returns the match's id and the seat's number. Raises Unauthorized, Invalid, Gone.
    """
    name = normalise_name(name)
    with site.writing() as work:
        former = _hold_former(work, claim.match_id, claim.seat, player_id)
        locks.lock_player(work, player_id)
        table = lock_table(work, claim.match_id)
        seat = work.get(SeatRow, (claim.match_id, claim.seat), populate_existing=True)
        if seat is None:
            raise unknown_link()
        if seat.away_n is None and seat.player_id == player_id and table.match.status in PLAYED:
            return table.id, seat.seat
        check_seat_is_free(_state_of_vacancy(work, table.match, seat, claim.away_n))
        offer = _offer_to(site, work, seat, claim.away_n, player_id, name)
        _replace_owner(table, seat, offer, former)
        return table.id, seat.seat


OFFER = Offer(ask_for_seat, take_seat_at_once)


def _hold_former(session: Session, match_id: str, number: int, player_id: int) -> int | None:
    """Returns the id of the seat's current player; rows may point to them until the transaction ends."""
    seat = session.get(SeatRow, (match_id, number))
    former = seat.player_id if seat is not None else None
    if former != player_id:
        locks.hold_players(session, [former])
    return former


def _replace_owner(table: LockedTable, seat: SeatRow, offer: SubstituteRow, former: int | None) -> None:
    """Replaces the former owner by the newcomer. The former owner's row must be held.

    Raises Invalid, Gone; of two newcomers the second gets Gone. Raises Busy if the seat has changed hands meanwhile.
    """
    work, match = table.work, table.match
    check_seat_is_free(_state_of_vacancy(work, match, seat, offer.away_n))
    _check_newcomer(work, seat, offer.player_id)
    check_name_is_free(work, seat, offer.name)
    if seat.player_id != former:
        raise locks.busy_error()
    epoch = next_named(seat.epoch)
    match.first_names = first_names.names_after_takeover(match.first_names, seat.seat, seat.name)
    t = _seats
    taken = work.connection().execute(
        update(t)
        .where(t.c.match_id == seat.match_id, t.c.seat == seat.seat, t.c.away_n == offer.away_n)
        .values(
            player_id=offer.player_id, name=offer.name, epoch=epoch, muted=False, misses=0, absent=False,
            resigned=False, away_n=None, bank_s=match.bank_s, word=None,
            stand_in=None, seen=0,
        )
    )  # fmt: skip
    if taken.rowcount != 1:
        raise Gone(REFUSALS["taken"])
    work.refresh(seat)
    offer.epoch, offer.former_id = epoch, former
    talk.delete_talk_of_seat(work, seat)
    presence.record_takeover(table, seat)


def _check_newcomer(session: Session, seat: SeatRow, player_id: int) -> None:
    """Raises Gone for a player who sits at this table, has sat on another of its seats, or plays its deal elsewhere."""
    if seat.player_id == player_id or has_same_mailbox_as_other(session, player_id, [seat.player_id]):
        raise Gone(N_("This seat is your own: somebody else must take it over."))
    check_has_no_other_seat(session, seat, player_id)
    elsewhere = select(SubstituteRow.former_id).where(
        SubstituteRow.match_id == seat.match_id, SubstituteRow.seat != seat.seat,
        col(SubstituteRow.former_id).is_not(None),
    )  # fmt: skip
    former = session.exec(elsewhere).all()
    if player_id in former or has_same_mailbox_as_other(session, player_id, former):
        raise Gone(N_("You have played in this match before: one address plays one seat."))
    at_the_deal = deals.players_elsewhere(session, seat.match_id)
    if player_id in at_the_deal or has_same_mailbox_as_other(session, player_id, at_the_deal):
        raise Gone(N_("You play this deal at another table: somebody else must take this seat over."))
