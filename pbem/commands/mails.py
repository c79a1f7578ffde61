"""`pbem mail`: what waits in the outbox, what did not leave, and sending one again."""

from datetime import datetime
from typing import Any

import click
from sqlalchemy import and_, or_
from sqlmodel import Session, col, select

from pbem.clock import iso_format
from pbem.commands.host import open_site_from_environment
from pbem.commands.terminal import print_table
from pbem.models.tables import OutboxRow
from pbem.render.addresses import mask_address
from pbem.services.mail import sender
from pbem.services.mail.letter_context import reader_of


@click.group()
def mail() -> None:
    """List the mails of the outbox, or send one again."""


@mail.command("list")
@click.option("--due", "which", flag_value="due", help="Only those that should have left by now.")
@click.option("--failed", "which", flag_value="failed", help="Only refused ones, and those that failed so far.")
@click.option("--match", "match_id", metavar="ID", help="Only those of this match.")
@click.option("--addresses", is_flag=True, help="Show the addresses in full.")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, help="The most to list.")
def list_mails(which: str | None, match_id: str | None, addresses: bool, limit: int) -> None:
    """List mails, newest first. The text of a mail is written when it is sent, and not kept."""
    with open_site_from_environment() as site, site.reading() as session:
        found = (
            select(OutboxRow)
            .where(*_conditions_of_list(which, site.now()))
            .order_by(col(OutboxRow.id).desc())
            .limit(limit)
        )
        if match_id is not None:
            found = found.where(col(OutboxRow.match_id) == match_id)
        rows = [_row_of_mail(session, row, addresses) for row in session.exec(found)]
    head = ("id", "kind", "match", "to", "due", "answer", "tried", "result")
    print_table(head, rows, "There are no such mails.")


def _conditions_of_list(which: str | None, now: datetime) -> list[Any]:
    waiting = col(OutboxRow.done_at).is_(None)
    if which == "due":
        return [waiting, col(OutboxRow.due_at) <= now]
    if which == "failed":
        lost = col(OutboxRow.result).in_(("refused", "expired", "rejected", "unsendable", "bounced"))
        in_vain = or_(col(OutboxRow.attempts) > 0, col(OutboxRow.unrendered_since).is_not(None))
        return [or_(lost, and_(waiting, in_vain))]
    return []


def _row_of_mail(session: Session, row: OutboxRow, addresses: bool) -> tuple[str, ...]:
    reader = reader_of(session, row)
    known = reader.player.address if reader is not None else None
    to = "-" if known is None else known if addresses else mask_address(known)
    result = row.result or ("unrendered" if row.unrendered_since else "waiting")
    answer = row.answer or "-"
    return (str(row.id), row.kind, row.match_id or "-", to, iso_format(row.due_at), answer, str(row.attempts), result)


@mail.command()
@click.argument("mail_id", metavar="ID", type=int)
def resend(mail_id: int) -> None:
    """Make a mail due again. It is not sent if its reason is gone: a turn that has been played, for example."""
    with open_site_from_environment() as site:
        try:
            sender.make_mail_due_again(site, mail_id)
        except LookupError as error:
            raise click.ClickException(f"There is no mail {mail_id}; `pbem mail list` shows them.") from error
    click.echo(f"Mail {mail_id} is due. The worker takes it within seconds; `pbem mail list` shows the result.")
