"""What comes back for mails that have left: bounces, complaints, and mails that unsubscribe. None is ever answered.

A report names the mail by the token of its return path, or by its Message-ID. A mail program may send the mail that
unsubscribes, so what it says does not matter, nor that a program wrote it.
"""

from sqlmodel import Session

from pbem.errors import Unauthorized
from pbem.mail.compose import row_named
from pbem.mail.incoming.message import Incoming
from pbem.mail.incoming.reports import Bounce, Complaint
from pbem.mail.kinds import all_kinds
from pbem.models.inbox import InboxRow
from pbem.models.tables import OutboxRow, Player, SeatRow
from pbem.services.inbox import verdicts
from pbem.services.inbox.closing import close, close_within, player_of
from pbem.services.inbox.whose import Named, canonical_of, sender_of
from pbem.services.players import bounces, players
from pbem.services.reply_tokens import PlayerNamed, RowNamed, SeatNamed
from pbem.services.site import Site
from pbem.services.tokens import SeatClaim
from pbem.services.views import seats

OWNER = "asked"
"""The reason of a suppression that the owner of the address has caused."""


# --- reports -------------------------------------------------------------------------------------------------


def note_report(site: Site, row: InboxRow, incoming: Incoming, named: Named | None) -> str:
    """Records what the report says about the address of the mail that it names; returns the verdict.

    A delay changes nothing, nor does a report about another address: it may be an alias that somebody forwards to.
    """
    assert row.id is not None
    assert incoming.report is not None
    report = incoming.report
    with site.reading() as session:
        mail = _mail_of(site, session, report, named)
        reader = _reader(session, mail) if mail is not None else None
        canonical = reader.canonical if reader is not None else None
        player_id, address = (reader.id, reader.address) if reader is not None else (None, None)
    if canonical is None or address is None:
        return _close(site, row, incoming, "unknown")
    if isinstance(report, Complaint):
        return _note_complaint(site, row, incoming, canonical)
    if not report.final:
        return _close(site, row, incoming, "delayed")
    if canonical not in map(canonical_of, report.addresses):
        return _close(site, row, incoming, "another-address")
    with site.writing() as work:
        bounces.mark(work, player_id, bounces.reported(report.status), site.now(), address)
        close_within(
            site, work, row.id, verdicts.BOUNCE, incoming=incoming, detail=report.status, player_id=player_id
        )  # fmt: skip
    return verdicts.BOUNCE


def _close(site: Site, row: InboxRow, incoming: Incoming, why: str) -> str:
    assert row.id is not None
    close(site, row.id, verdicts.REPORT, incoming=incoming, detail=why)
    return verdicts.REPORT


def _mail_of(site: Site, session: Session, report: Bounce | Complaint, named: Named | None) -> OutboxRow | None:
    """Returns the row of the mail that the report is about; None if it names none whose reader is its addressee."""
    number = named.row if isinstance(named, RowNamed) else None
    if number is None and report.original_id is not None:
        number = row_named(report.original_id, site.config.secret)
    mail = session.get(OutboxRow, number) if number is not None else None
    return mail if mail is not None and not all_kinds()[mail.kind].to_any_mailbox else None


def _reader(session: Session, mail: OutboxRow) -> Player | None:
    """Returns the player to whom the mail went; None if they have no address any more."""
    if mail.player_id is not None:
        return player_of(session, mail.player_id)
    seat = session.get(SeatRow, (mail.match_id, mail.seat)) if mail.match_id and mail.seat is not None else None
    return player_of(session, seat.player_id) if seat is not None else None


def _note_complaint(site: Site, row: InboxRow, incoming: Incoming, canonical: str) -> str:
    """Stops all mail to the address: providers often hide it in the report, so the mail alone names it."""
    assert row.id is not None
    with site.writing() as work:
        players.suppress(site, work, canonical, OWNER)
        close_within(site, work, row.id, verdicts.COMPLAINT, incoming=incoming)
    return verdicts.COMPLAINT


# --- unsubscribing -------------------------------------------------------------------------------------------


def unsubscribe(site: Site, row: InboxRow, incoming: Incoming, named: SeatNamed | PlayerNamed) -> str:
    """Mutes the match for the seat, or stops all mail to the sender, as the token says; returns the verdict."""
    assert row.id is not None
    done = _mute(site, named) if isinstance(named, SeatNamed) else _stop(site, named, sender_of(incoming))
    verdict = verdicts.UNSUBSCRIBED if done else verdicts.STRANGER
    close(site, row.id, verdict, incoming=incoming, sender=sender_of(incoming))
    return verdict


def _mute(site: Site, named: SeatNamed) -> bool:
    with site.reading() as session:
        seat = session.get(SeatRow, (named.match_id, named.seat))
        if seat is None or not site.reply_tokens.names_seat(named, seat.epoch):
            return False
        claim = SeatClaim(named.match_id, named.seat, seat.epoch, "mute")
    try:
        seats.mute(site, claim, True)
    except Unauthorized:
        return False
    return True


def _stop(site: Site, named: PlayerNamed, sender: str | None) -> bool:
    """Stops all mail to the player if they wrote from their address: it may have become somebody else's since."""
    with site.writing() as work:
        player = work.get(Player, named.player_id)
        if player is None or not player.address or sender is None or player.canonical != sender:
            return False
        players.suppress(site, work, sender, OWNER)
    return True
