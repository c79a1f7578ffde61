"""`pbem verify`: whether a finished match's log agrees with itself, and with what a player got by mail."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import BinaryIO, TextIO

import click

from pbem.commands.terminal import pluralize, read_log
from pbem.kit.codec import encode
from pbem.kit.endings import endings_of, outcome_of
from pbem.kit.logs.chain import WHOLE, mark_of, read_digits, read_head_or_mark
from pbem.kit.logs.logfile import Log
from pbem.kit.logs.verdict import Subject, Verdict
from pbem.kit.logs.verdict import verify as verdict_on
from pbem.kit.logs.verdict_texts import NOT_CHECKED
from pbem.kit.notation import seat_letter

Say = Callable[[str], None]
COUNTED = {
    "word": ("seat has", "seats have", "it"),
    "chain": ("entry", "entries", "lead to the log's mark"),
    "seals": ("value is", "values are", "what was sealed"),
    "words": ("lucky word was", "lucky words were", "typed"),
    "facts": ("decision", "decisions", "made again give the same entries"),
    "luck": ("draw", "draws", "made again give the same results"),
    "bots": ("choice", "choices", "of bots made again are the same"),
}


def _callback_that_reads_option(
    read: Callable[[str], str],
) -> Callable[[click.Context, click.Parameter, str | None], str | None]:
    """Returns the callback of an option that is read by a function which raises ValueError."""

    def callback(_: click.Context, __: click.Parameter, text: str | None) -> str | None:
        try:
            return None if text is None else read(text)
        except ValueError as error:
            raise click.BadParameter(str(error)) from None

    return callback


@click.command()
@click.argument("log", type=click.File("rb"))
@click.option(
    "--commitment",
    callback=_callback_that_reads_option(read_digits),
    metavar="HEX",
    help="The commitment from a mail of the match: its 64 digits, or the first 16; blanks and hyphens do not matter.",
)
@click.option(
    "--mark",
    callback=_callback_that_reads_option(read_head_or_mark),
    metavar="MARK",
    help="The mark from the foot of a mail of the match, or the 64 digits of that mail's X-PBEM-Head.",
)
@click.option(
    "--word",
    metavar="WORD",
    help="The lucky word of a player, who finds so that the match used it, and no other in its place.",
)
@click.option(
    "--draws",
    type=click.File("w"),
    metavar="FILE",
    help="Write what was drawn, as a list in JSON, to FILE, or - for standard output; for checkers of one's own.",
)
@click.option(
    "--thoughts", is_flag=True, help="Let the bots that think choose again, too: up to seconds for each choice."
)
def verify(
    log: BinaryIO, commitment: str | None, mark: str | None, word: str | None, draws: TextIO | None, thoughts: bool
) -> None:  # fmt: skip
    """Make every decision of a finished match again and compare.

    LOG is a file, or - for standard input. Without --commitment and --mark a log can only agree with itself: anyone can
    make up a match that does. The commitment shows that the luck was fixed when the site sent that mail, the mark that
    the log has not been changed since, up to that point. What was checked is listed with its length, and so is what was
    not. The exit code is 0 if everything that was checked holds, and 1 if something does not or if the log cannot be
    checked.
    """
    read = read_log(log)
    if draws is not None and (read.proof is None or read.seed is None):
        raise click.UsageError("only the full log of a finished match, with its seed, in the present format has draws")
    verdict = verdict_on(read, commitment, mark, word, thoughts=thoughts)
    if draws is not None:
        draws.write(encode(verdict.draws).decode() + "\n")
    say = partial(click.echo, err=draws is not None and draws.name == "<stdout>")  # a checker reads the list there
    if verdict.ok:
        _print_what_holds(read, verdict, say)
        return
    if verdict.checked:
        say("Does not hold:")
        for problem in verdict.problems:
            say(f"  * {problem}")
    else:
        (why,) = verdict.problems
        say(f"{why[0].upper()}{why[1:]}.")
    _print_checks(verdict, say)
    raise SystemExit(1)


def _print_what_holds(log: Log, verdict: Verdict, say: Say) -> None:
    given: Sequence[Subject] = ("commitment", "mark", "head", "word")
    compared = [what for what in given if verdict.count(what) is not None]
    if compared:
        say(f"Holds: the log agrees with itself and with the {' and the '.join(compared)} that you gave.")
    else:
        say("Agrees with itself. Nothing here shows that this match was played.")
    _print_checks(verdict, say)
    if verdict.count("commitment") is None:
        say("Compare its commitment with your match mails:")
        say(f"  {log.commitment}")
    if log.proof is not None and verdict.count("mark") is None and verdict.count("head") is None:
        say(f"Compare its marks with the feet of your match mails; the last is {mark_of(log.proof.head)}.")
    if (outcome := outcome_of(log.game, log.entries)) is None:
        say("The match was called off before its end.")
    else:
        winners = ", ".join(seat_letter(seat) for seat in outcome.winners) or "nobody"
        say(f"How it ended: {endings_of(log.game)[outcome.reason].en}. Winners: {winners}.")
    say("Not checked:")
    for what in verdict.not_checked:
        say(f"  * {NOT_CHECKED[what].en}")


def _print_checks(verdict: Verdict, say: Say) -> None:
    if verdict.checks:
        say("Checked:")
    for check in verdict.checks:
        say(f"  * {_check_in_words(check.what, check.count)}")


def _check_in_words(what: str, count: int) -> str:
    match what:
        case "commitment" if count == WHOLE:
            return "commitment: all 64 digits are the ones given"
        case "commitment":
            return (
                "commitment: its first 16 digits are the ones given; another luck could share these, "
                "compare all 64 to be sure"
            )
        case "mark":
            return (
                f"mark: the log has it after entry {count}; whoever writes a log can find another with the same 8 "
                "signs, compare the 64 digits of X-PBEM-Head to be sure"
            )
        case "head":
            return f"head: all 64 digits are those after entry {count}; up to there the log is what you were sent"
    one, many, rest = COUNTED[what]
    return f"{what}: {pluralize(count, one, many)} {rest}"
