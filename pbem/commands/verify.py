"""`pbem verify`: whether a finished match was played by the rules, with the luck of its seed."""

from typing import BinaryIO

import click

from pbem.commands.files import read_log
from pbem.rules.verdict import verify as verdict_on


@click.command()
@click.argument("log", type=click.File("rb"))
def verify(log: BinaryIO) -> None:
    """Makes every decision of a finished match's log again and compares.

    LOG is a file, or - for standard input. The exit code is 0 if everything holds and 1 if not.
    """
    read = read_log(log)
    verdict = verdict_on(read)
    if verdict.ok:
        click.echo(f"Holds: the seed is the one committed to; {verdict.decisions} decisions give the same entries.")
        if verdict.cancelled:
            click.echo("The match was called off before its end.")
        return
    click.echo("Does not hold:")
    for problem in verdict.problems:
        click.echo(f"  * {problem}")
    raise SystemExit(1)
