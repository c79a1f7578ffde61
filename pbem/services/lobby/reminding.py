"""The same mail once more, for a player who waits before the start: the organiser's own, and an invitation.

Each is queued under its number, so a button pressed twice sends one mail. It counts against the same quotas as the
first (see `quotas`), and like it says nothing of whether the address is known, verified or written to at all.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlmodel import Session, col, select

from pbem.errors import N_, Gone, TooMany
from pbem.models.tables import OutboxRow, Player, SeatRow
from pbem.services.access import idempotency, seat_links
from pbem.services.access.idempotency import IdempotencyKey
from pbem.services.lobby import seating
from pbem.services.lobby.offers import REFUSALS
from pbem.services.log import locks, outbox, store
from pbem.services.players import quotas
from pbem.services.players.players import player_at_address
from pbem.services.site import Site
from pbem.services.tokens import SeatClaim, SentClaim, opening_of
from pbem.services.who import ORGANISER

MOST = 3
"""How often one mail goes to one player of a match, the first time included."""
CONFIRM_EVERY = timedelta(minutes=5)
REMIND_EVERY = timedelta(days=1)


@dataclass(frozen=True)
class Again:
    """What may be sent next: the number of the mail, one after the last, and from when on.

    `at` is None if it was sent as often as it may be.
    """

    number: int
    at: datetime | None

    def is_due(self, now: datetime) -> bool:
        """True if it may be sent now."""
        return self.at is not None and self.at <= now


def _keys_of_first_and_repeated_mails(first: str) -> list[str]:
    return [first, *(f"{first}:{number}" for number in range(2, MOST + 1))]


def _next_mails(session: Session, first: Mapping[int, str], every: timedelta, since: datetime) -> dict[int, Again]:
    """Returns what may be sent next to each seat, by the key of its first mail, queued at the earliest at `since`."""
    wanted = [key for one in first.values() for key in _keys_of_first_and_repeated_mails(one)]
    found = select(OutboxRow.dedupe, OutboxRow.created_at).where(col(OutboxRow.dedupe).in_(wanted))
    queued = dict(session.exec(found).all())
    times = {
        seat: [queued[key] for key in _keys_of_first_and_repeated_mails(one) if key in queued]
        for seat, one in first.items()
    }
    return {
        seat: Again(len(sent) + 1, max([*sent, since]) + every if len(sent) < MOST else None)
        for seat, sent in times.items()
    }


def _check_mail_due(again: Again, now: datetime, soon: str, facts: Mapping[str, str] | None = None) -> None:
    """Raises Gone if the mail was sent as often as it may be, and TooMany with the text `soon` if it is not due yet."""
    if again.at is None:
        raise Gone(N_("This email was sent %(count)s times. Another one would hardly help."), {"count": MOST})
    if again.at > now:
        raise TooMany(soon, facts, retry_after=int((again.at - now).total_seconds()) + 1)


# --- the organiser's own mail ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sent:
    """The mail that asks the organiser to confirm: the address it went to, and what may be sent next.

    `again` is None once there is nothing to confirm.
    """

    address: str
    again: Again | None


def read_sent_confirmation(site: Site, claim: SentClaim) -> Sent:
    """Returns what a browser may know of the mail that a match started on it has caused. Raises Unauthorized."""
    with site.reading() as session:
        organiser = _organiser_at_typed_address(site, session, claim)
        match = store.get_match(session, claim.match_id)
        first = {ORGANISER: f"confirm:{match.id}"} if match.status == "unconfirmed" else {}
        again = _next_mails(session, first, CONFIRM_EVERY, match.created_at)
        return Sent(organiser.canonical or "", again.get(ORGANISER))


def was_sent_first_mail(site: Site, claim: SeatClaim) -> bool:
    """True if a mail with the match's commitment was sent to the player of this link before the start.

    That mail is the one to confirm, or the invitation; a player who sat down without one has none. Raises Unauthorized.
    """
    with site.reading() as session:
        seat = seat_links.seat_of_link(session, claim, claim.purpose)
        first = f"confirm:{seat.match_id}" if seat.seat == ORGANISER else seating.invitation_key(seat)
        sent = (col(OutboxRow.dedupe).in_(_keys_of_first_and_repeated_mails(first)), col(OutboxRow.result) == "sent")
        return session.exec(select(OutboxRow.id).where(*sent)).first() is not None


def _organiser_at_typed_address(site: Site, session: Session, claim: SentClaim) -> Player:
    """Returns the organiser while their address is the one that was typed. Raises Unauthorized.

    The one who typed it must not learn a later one, nor how its owner spells it.
    """
    seat = session.get(SeatRow, (claim.match_id, ORGANISER))
    return player_at_address(site, session, seat.player_id if seat is not None else None, claim.digest)


def resend_confirmation(site: Site, claim: SentClaim, number: int, *, browser: int | None = None) -> None:
    """Sends the organiser the mail to confirm once more, as the number-th. Idempotent.

    `browser` is the player who has signed in on the caller's browser before. Raises Unauthorized, Gone, TooMany.
    """
    with site.writing() as work:
        match = locks.lock_match(work, claim.match_id)
        player = _organiser_at_typed_address(site, work, claim)
        if match.status != "unconfirmed":
            raise Gone(REFUSALS["cancelled"] if match.status == "cancelled" else N_("The match is confirmed already."))
        first = f"confirm:{match.id}"
        again = _next_mails(work, {ORGANISER: first}, CONFIRM_EVERY, match.created_at)[ORGANISER]
        if number < again.number:
            return
        _check_mail_due(again, site.now(), N_("The email was sent a moment ago. Please wait a few minutes."))
        key = quotas.OWNER if player.id == browser else None
        dedupe = _keys_of_first_and_repeated_mails(first)[again.number - 1]
        outbox.enqueue(work, dedupe, "confirm", site.now(), match_id=match.id, seat=ORGANISER, key=key)


# --- invitations -----------------------------------------------------------------------------------------------


def remind_invited_player(
    site: Site, claim: SeatClaim, seat_number: int, number: int | None = None, *, once: IdempotencyKey | None = None
) -> None:
    """Sends a player who has not answered their invitation once more, for the organiser with this play link.

    `number` is that of the mail that the organiser has asked for; a number already sent does nothing, and neither does
    a request that was done under its key. Raises Unauthorized, Forbidden, NotFound, Gone, TooMany, KeyReused.
    """
    with site.writing() as work:
        table = seating.lock_table_of_organiser(work, claim)
        if idempotency.claim_key(work, once, site.now()) is not None:
            return
        seat = seating.find_untaken_seat(table, seat_number)
        if seat.status != "invited":
            raise Gone(N_("Nobody has been invited to this seat, so nobody can be reminded."))
        first = seating.invitation_key(seat)
        again = _next_mails(work, {seat.seat: first}, REMIND_EVERY, table.match.created_at)[seat.seat]
        idempotency.store_answer(work, once, str(again.number))
        if number is not None and number < again.number:
            return
        soon = N_("%(name)s got an email less than a day ago. Please wait until tomorrow.")
        _check_mail_due(again, site.now(), soon, {"name": seat.name})
        seating.check_invitation_limit(table, by_link=opening_of(seat.epoch) is not None)
        dedupe, key = _keys_of_first_and_repeated_mails(first)[again.number - 1], f"{seat_links.EPOCH}{seat.epoch}"
        outbox.enqueue(work, dedupe, "invitation", site.now(), match_id=seat.match_id, seat=seat.seat, key=key)


def read_reminders(site: Site, match_id: str) -> Mapping[int, Again]:
    """Returns what may be sent next to each seat whose player has not answered."""
    with site.reading() as session:
        match = store.get_match(session, match_id)
        invited = [seat for seat in store.seats_of(session, match_id) if seat.status == "invited"]
        first = {seat.seat: seating.invitation_key(seat) for seat in invited}
        return _next_mails(session, first, REMIND_EVERY, match.created_at)
