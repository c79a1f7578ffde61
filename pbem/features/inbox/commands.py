"""`pbem inbox`: the mails that have come in, and reading one again; `pbem inbound`: the process that takes mail in."""

import json

import click

from pbem.cli import load_config
from pbem.clock import iso_format
from pbem.commands.host import open_site_from_environment
from pbem.commands.terminal import print_table, printable
from pbem.features.inbox import verdicts
from pbem.features.inbox.tables import InboxRow
from pbem.features.inbox.ways import intake
from pbem.run.preloading import preload_modules

HEAD = ("id", "received", "via", "bytes", "match", "tried", "verdict", "why")


@click.group()
def inbox() -> None:
    """List or show the mails that have come in."""


@inbox.command("list")
@click.option("--waiting", is_flag=True, help="Only those that are not read yet.")
@click.option("--failed", is_flag=True, help="Only those that the program could not read, or failed at.")
@click.option("--verdict", type=click.Choice([*verdicts.MEANING]), help="Only those with this verdict.")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, help="The most to list.")
def list_mails(waiting: bool, failed: bool, verdict: str | None, limit: int) -> None:
    """List mails, newest first, with what became of them."""
    only = (verdicts.FAILED, verdicts.UNREADABLE) if failed else (verdict,) if verdict else ()
    with open_site_from_environment() as site:
        rows = [_cells_of_mail(one) for one in intake.list_kept_mails(site, only=only, waiting=waiting, most=limit)]
    print_table(HEAD, rows, "There are no such mails.")


def _cells_of_mail(kept: InboxRow) -> tuple[str, ...]:
    where = f"{kept.match_id} {kept.seat}" if kept.match_id else "-"
    return (
        str(kept.id), iso_format(kept.received_at), kept.via, str(kept.size), where, str(kept.attempts),
        kept.verdict or "waiting", kept.detail or "-",
    )  # fmt: skip


@inbox.command()
@click.argument("mail_id", metavar="ID", type=int)
@click.option("--text", is_flag=True, help="Show the mail itself, with its addresses.")
def show(mail_id: int, text: bool) -> None:
    """Show what became of a mail, and with --text the mail."""
    with open_site_from_environment() as site:
        try:
            kept = intake.read_kept_mail(site, mail_id)
        except intake.NotKept as error:
            raise _unknown_mail_error(mail_id) from error
    print_table(HEAD, [_cells_of_mail(kept)], "")
    click.echo(f"\n{verdicts.MEANING[kept.verdict] if kept.verdict else f'It is read at {iso_format(kept.due_at)}.'}")
    if text:
        envelope = f"{kept.mail_from or '-'} to {', '.join(json.loads(kept.recipients)) or '-'}"
        click.echo(f"\nEnvelope: {printable(envelope)}\n")
        click.echo(_printable_lines(kept.raw) if kept.raw is not None else "Its text has been erased.")


def _printable_lines(raw: bytes) -> str:
    """Returns the lines of the mail; a stranger has written it, so nothing in it may steer the terminal."""
    lines = raw.decode(errors="replace").replace("\r\n", "\n").split("\n")
    return "\n".join("\t".join(map(printable, line.split("\t"))) for line in lines)


@inbox.command()
@click.argument("mail_id", metavar="ID", type=int)
def again(mail_id: int) -> None:
    """Have a mail read again that nothing was done for."""
    with open_site_from_environment() as site:
        try:
            intake.make_due_again(site, mail_id)
        except intake.NotKept as error:
            raise _unknown_mail_error(mail_id) from error
        except intake.WasActedOn as error:
            raise click.ClickException(f"Something was done for mail {mail_id}: it is not read again.") from error
    click.echo(f"Mail {mail_id} is due. The worker reads it within seconds; `pbem inbox show` shows the result.")


def _unknown_mail_error(mail_id: int) -> click.ClickException:
    return click.ClickException(f"There is no mail {mail_id}, or its text is erased; `pbem inbox list` shows them.")


@click.command()
def inbound() -> None:
    """Take mail in, by LMTP and by IMAP, as the settings say.

    Runs until SIGTERM or Ctrl-C. One such process is enough; a second one does no harm, but for an LMTP port that is
    taken. Where no mail comes in by either way, it waits; so it does while the feature `inbox` is off.
    """
    preload_modules("pbem.features.inbox.ways.serving")
    from pbem.features.inbox.ways.serving import serve_inbound

    serve_inbound(load_config())


COMMANDS = (inbox, inbound)
