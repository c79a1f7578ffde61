"""`pbem replay`: the story of a portable log, as one of its viewers may see it."""

from typing import BinaryIO

import click

from pbem.commands.terminal import bad_log_error, pluralize, printable, read_log
from pbem.features.uploads.uploaded_logs import LogReplay, replay_log
from pbem.kit.endings import outcome_of_fold_and_entries
from pbem.kit.logs import log_errors
from pbem.kit.logs.log_errors import BadLog
from pbem.kit.logs.logfile import Log
from pbem.kit.notation import french, seat_letter
from pbem.kit.replay import does_end_match
from pbem.kit.texts import LANGS, Lang, Text
from pbem.render.i18n import player_names_by_letter
from pbem.render.phrases import phrase_text
from pbem.render.table_story import outcome_in_words
from pbem.services.views.replays import Eyes, Step

_BOARD = Text(fr=french("Le plateau :"), en="The board:")


@click.command()
@click.argument("log", type=click.File("rb"))
@click.option("--as", "who", metavar="SEAT|none|all", help="Whose eyes: 0 or A, 1 or B, ...; none is a spectator.")
@click.option("--names", metavar="A,B,…", help="The players' names, from seat A on: a log has none.")
@click.option("--lang", type=click.Choice(LANGS), default="en", show_default=True)
@click.option("--step", type=click.IntRange(min=1), help="Stop after this line of the story.")
def replay(log: BinaryIO, who: str | None, names: str | None, lang: Lang, step: int | None) -> None:
    """Tell the match in LOG line by line.

    Where the story stops, the board is shown in words. LOG is a file, or - for standard input. With --as, the story
    shows what that seat saw. A log made for one viewer can be shown as that viewer only, which is its default.
    """
    read = read_log(log)
    eyes = "" if who is None else _eyes_named(who, read)
    if who is not None and read.viewer not in ("all", eyes):
        of_seat = isinstance(read.viewer, int)
        audience, option = (f"seat {seat_letter(read.viewer)}", read.viewer) if of_seat else ("spectators", "none")
        raise click.ClickException(f"This log is for {audience} only: use --as {option}.")
    try:
        lines = _lines_of_replay(read, replay_log(read, lang, _names_given_or_letters(read, names, lang), eyes), step)
    except BadLog as error:
        raise bad_log_error(log, error) from error
    click.echo("\n".join(lines))


def _eyes_named(who: str, log: Log) -> Eyes:
    """Returns the viewer named on the command line. Raises click.BadParameter."""
    word = who.strip().lower()
    if word == "all":
        return "all"
    if word == "none":
        return None
    for seat in range(log.seats):
        if word in (str(seat), seat_letter(seat).lower()):
            return seat
    last = log.seats - 1
    allowed = f"0 to {last} or A to {seat_letter(last)} for a seat, none, or all"
    raise click.BadParameter(f"{who!r}: this match has {allowed}", param_hint="--as")


def _names_given_or_letters(log: Log, said: str | None, lang: Lang) -> list[str]:
    """Returns the players' names from the command line, else their seats' letters. Raises click.BadParameter."""
    if said is None:
        return player_names_by_letter(log.seats, lang)
    names = [printable(name.strip()) for name in said.split(",")]
    if len(names) != log.seats or not all(names):
        wanted = ",".join(seat_letter(seat) for seat in range(log.seats))
        raise click.BadParameter(
            f"this match has {pluralize(log.seats, 'seat', 'seats')}: name each, parted by commas, as in {wanted}",
            param_hint="--names",
        )
    return names


def _lines_of_replay(log: Log, seen: LogReplay, most: int | None) -> list[str]:
    if most is not None and most > len(seen.steps):
        said = f"the story has {pluralize(len(seen.steps), 'line', 'lines')}"
        raise click.BadParameter(said, param_hint="--step")
    shown = seen.steps[:most]
    story = [f"{step.n:>4}  {printable(seen.line_in_words(step))}" for step in shown]
    title, board = seen.game.meta.title[seen.lang], _BOARD[seen.lang]
    return [title, "", *story, "", board, *_position_in_words(log, seen, shown[-1])]


def _position_in_words(log: Log, seen: LogReplay, step: Step) -> list[str]:
    """Returns the position after the step in words and, at the end, how the match ended. Raises BadLog."""
    game, lang, viewer = seen.game, seen.lang, None if seen.eyes == "all" else seen.eyes
    try:
        told = game.describe(step.fold, viewer, lang, over=does_end_match(step.event))
        lines = [phrase_text(phrase, seen.names) for phrase in told]
        outcome = outcome_of_fold_and_entries(game, step.fold, log.entries[: step.entry])
        if outcome is not None:
            lines.append(outcome_in_words(game, outcome, seen.names, lang))
    except Exception as error:
        # Whatever a forged entry breaks inside a game, the log is at fault.
        raise BadLog(log_errors.INDESCRIBABLE) from error
    return [f"      {printable(line)}" for line in lines]
