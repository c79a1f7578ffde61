"""What comes back for mails that have left: bounces, complaints, and mails that unsubscribe. None is ever answered.

Anybody can write a report, and a Message-ID is no secret: it stands in the References of a forward. So a report counts
only if it came to the return path of the mail, whose token its reader's servers alone have seen. Where addresses carry
no tokens, a bounce counts by the Message-ID if it came with the null return path and our own server finds no fault with
it; a complaint is left to the host. A report of a failure has no sender of its own (RFC 3464, 2.1): one that has proves
nothing, whatever it names. A full mailbox or a limit on rates passes, so a report of it marks no address, as a refusal
for such a reason does not during delivery. A mail program may send the mail that unsubscribes, so what it says does not
matter, nor that a program wrote it.
"""

from dataclasses import replace
from datetime import timedelta
from functools import partial

from sqlmodel import Session

from pbem.errors import Unauthorized
from pbem.features.inbox import verdicts
from pbem.features.inbox.closing import close_mail, close_mail_within
from pbem.features.inbox.incoming.message import Incoming
from pbem.features.inbox.incoming.reports import Bounce, Complaint, is_by_reporter
from pbem.features.inbox.incoming.verdicts import has_failed_checks
from pbem.features.inbox.reply_tokens import PlayerNamed, RowNamed, SeatNamed, tokens_of
from pbem.features.inbox.settings import INBOUND
from pbem.features.inbox.tables import InboxRow
from pbem.features.inbox.whose import canonical_address, canonical_sender, meaning_of_first_token
from pbem.mail.compose import row_of_message_id
from pbem.models.tables import OutboxRow, Player, SeatRow
from pbem.services.kinds import all_kinds_of_mail
from pbem.services.log import locks
from pbem.services.players import bounces, players
from pbem.services.players.mailboxes import mailbox_of
from pbem.services.site import Site
from pbem.services.tokens import MuteClaim
from pbem.services.views import seats

OWNER = "asked"
"""The reason of a suppression that the owner of the address has caused."""
LATEST = timedelta(days=14)
"""How long after a mail was sent a report about it counts. Servers give up after five days; complaints take longer."""


# --- reports -------------------------------------------------------------------------------------------------


def note_report(site: Site, row: InboxRow, incoming: Incoming) -> str:
    """Records what the report says about the address of the mail that it names; returns the verdict.

    A delay changes nothing, nor does a refusal that passes or is not about the address, nor a report about another
    address: it may be an alias that somebody forwards to.
    """
    report, sender = incoming.report, canonical_sender(incoming)
    assert report is not None
    with site.reading() as session:
        mail = _mail_of_report(site, session, row, incoming)
        reader = _reader_of_mail(session, mail) if mail is not None else None
    end = partial(close_mail, site, row, incoming=incoming, sender=sender)
    if isinstance(report, Bounce) and not report.final:
        return end(verdicts.REPORT, detail="delayed")
    if isinstance(report, Bounce) and _has_answerable_sender(incoming):
        return end(verdicts.UNPROVEN, detail="has-sender")
    if reader is None or reader.canonical is None:
        return end(verdicts.UNPROVEN, detail=type(report).__name__.lower())
    if isinstance(report, Complaint):  # providers often hide the address in the report: the mail alone names it
        with site.writing() as work:
            author = locks.hold_player_with_address(work, sender) if sender is not None else None
            players.suppress_address(site, work, reader.canonical, OWNER)
            return close_mail_within(
                site, work, row, verdicts.COMPLAINT, incoming=incoming, player_id=author.id if author else None
            )
    if mailbox_of(reader.canonical) not in map(mailbox_of, filter(None, map(canonical_address, report.addresses))):
        return end(verdicts.REPORT, detail="another-address")
    if report.is_transient:
        return end(verdicts.REPORT, detail=f"passes {report.status or ''}".strip())
    if not report.is_address_at_fault:
        return end(verdicts.REPORT, detail=f"not-address {report.status or ''}".strip())
    with site.writing() as work:
        bounces.mark_bouncing(work, reader.id, bounces.reason_of_report(report.status), site.now(), reader.address)
        return close_mail_within(
            site, work, row, verdicts.BOUNCE, incoming=incoming, detail=report.status, player_id=reader.id
        )  # fmt: skip


def _mail_of_report(site: Site, session: Session, row: InboxRow, incoming: Incoming) -> OutboxRow | None:
    """Returns the row of the mail that the report is proved to be about; None if it proves nothing.

    So is a report about a mail that may have gone to another address than its player's, or that left too long ago.
    """
    number = _row_number_in_report(site, row, incoming)
    mail = session.get(OutboxRow, number) if number is not None else None
    kind = all_kinds_of_mail().get(mail.kind) if mail is not None else None
    if mail is None or (kind is not None and kind.to_any_mailbox):
        return None
    left = mail.done_at or site.now()  # the report may come before its delivery is recorded
    return mail if left > site.now() - LATEST else None


def _row_number_in_report(site: Site, row: InboxRow, incoming: Incoming) -> int | None:
    """Returns the number of the row that the report names in a way that strangers cannot."""
    if site.config.group(INBOUND).has_tokens:
        found = (meaning_of_first_token(site, replace(incoming, recipients=(one,))) for one in incoming.recipients)
        return next((named.row for named in found if isinstance(named, RowNamed)), None)
    if isinstance(incoming.report, Complaint) or incoming.report is None or incoming.report.original_id is None:
        return None
    if incoming.return_path != "" or row.raw is None or has_failed_checks(row.raw, site.config.group(INBOUND).authserv):
        return None
    return row_of_message_id(incoming.report.original_id, site.config.secret)


def _has_answerable_sender(incoming: Incoming) -> bool:
    """True if somebody has sent the report who could be answered; where no envelope is known, by its From."""
    if incoming.return_path is None:
        return not is_by_reporter(incoming.senders)
    return incoming.return_path != ""


def _reader_of_mail(session: Session, mail: OutboxRow) -> Player | None:
    """Returns the player to whom the mail went; None if they have no address any more, or never had."""
    player_id = mail.player_id
    if player_id is None and mail.match_id and mail.seat is not None:
        seat = session.get(SeatRow, (mail.match_id, mail.seat))
        player_id = seat.player_id if seat is not None else None
    player = session.get(Player, player_id) if player_id is not None else None
    return player if player is not None and player.address and player.canonical else None


# --- unsubscribing -------------------------------------------------------------------------------------------


def mute_or_unsubscribe(site: Site, row: InboxRow, incoming: Incoming, named: SeatNamed | PlayerNamed) -> str:
    """Mutes the match for the seat, or stops all mail to the sender, as the token says; returns the verdict."""
    done = (
        _mute_match(site, named)
        if isinstance(named, SeatNamed)
        else _stop_all_mail(site, named, canonical_sender(incoming))
    )
    verdict = verdicts.UNSUBSCRIBED if done else verdicts.STRANGER
    return close_mail(site, row, verdict, incoming=incoming, sender=canonical_sender(incoming))


def _mute_match(site: Site, named: SeatNamed) -> bool:
    with site.reading() as session:
        seat = session.get(SeatRow, (named.match_id, named.seat))
        if seat is None or not tokens_of(site.config.secret).names_seat(named, seat.epoch):
            return False
        claim = MuteClaim(named.match_id, named.seat, seat.epoch)
    try:
        seats.mute(site, claim, True)
    except Unauthorized:
        return False
    return True


def _stop_all_mail(site: Site, named: PlayerNamed, sender: str | None) -> bool:
    """Stops all mail to the player if they wrote from their address: it may have become somebody else's since."""
    with site.writing() as work:
        player = work.get(Player, named.player_id)
        if player is None or not player.address or sender is None or player.canonical is None:
            return False
        if mailbox_of(player.canonical) != mailbox_of(sender):
            return False
        players.suppress_address(site, work, player.canonical, OWNER)
    return True
