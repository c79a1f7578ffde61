"""`pbem verify`: whether a finished match's log agrees with itself, and with the commitment that a player got."""

from typing import BinaryIO

import click

from pbem.commands.files import read_log
from pbem.commands.terminal import pluralize
from pbem.kit.logs.logfile import Log
from pbem.kit.logs.verdict import NOT_CHECKED, Verdict
from pbem.kit.logs.verdict import verify as verdict_on
from pbem.kit.proof.commitments import WHOLE, read_digits


def _digits(_: click.Context, __: click.Parameter, text: str | None) -> str | None:
    try:
        return None if text is None else read_digits(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


@click.command()
@click.argument("log", type=click.File("rb"))
@click.option(
    "--commitment",
    callback=_digits,
    metavar="HEX",
    help="The commitment from a mail of the match: its 64 digits, or the first 16; blanks and hyphens do not matter.",
)
def verify(log: BinaryIO, commitment: str | None) -> None:
    """Make every decision of a finished match again and compare.

    LOG is a file, or - for standard input. Without --commitment a log can only agree with itself: anyone can make up a
    match that does. With all 64 digits from a mail, the seed is shown to be the one that the site had when it sent that
    mail. What is never checked is listed with the result. The exit code is 0 if everything that was checked holds, and
    1 if something does not or if the log cannot be checked.
    """
    read = read_log(log)
    verdict = verdict_on(read, commitment)
    if verdict.ok:
        _tell_what_holds(read, verdict)
        return
    if verdict.checked:
        click.echo("Does not hold:")
        for problem in verdict.problems:
            click.echo(f"  * {problem}")
    else:
        (why,) = verdict.problems
        click.echo(f"{why[0].upper()}{why[1:]}.")
    if verdict.compared is not None:
        click.echo(f"The commitment in its header is the one given. {_how_far(verdict.compared)}")
    raise SystemExit(1)


def _tell_what_holds(log: Log, verdict: Verdict) -> None:
    made_again = pluralize(verdict.decisions, "decision made again gives", "decisions made again give")
    again = f"with its luck, {made_again} the same entries."
    match verdict.compared:
        case None:
            click.echo(f"Agrees with itself: the seed is the one of the log's own commitment; {again}")
            click.echo("Nothing here shows that this match was played.")
            click.echo("Compare it with the commitment in your match mails:")
            click.echo(f"  {log.seed_sha256}")
        case digits:
            seed = "the seed is the one committed to" if digits == WHOLE else "the commitment begins as the one given"
            click.echo(f"Holds: {seed}; {again}")
            click.echo(_how_far(digits))
    if verdict.cancelled:
        click.echo("The match was called off before its end.")
    click.echo("Not checked:")
    for what in NOT_CHECKED.values():
        click.echo(f"  * {what.en}")


def _how_far(digits: int) -> str:
    if digits == WHOLE:
        return "All 64 digits of the commitment were compared."
    return (
        "The first 16 digits of the commitment were compared. "
        "Another seed could share these 16 digits; compare all 64 to be sure."
    )
