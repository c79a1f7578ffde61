"""`pbem replay`: the story of a portable log, as one of its viewers may see it."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, BinaryIO, Literal, cast

import click
import msgspec

from pbem.commands.terminal import bad_log_error, pluralize, printable, read_log
from pbem.kit.contract import Viewer
from pbem.kit.endings import endings_of, outcome_after
from pbem.kit.logs import log_errors
from pbem.kit.logs.log_errors import BadLog
from pbem.kit.logs.logfile import Log, states
from pbem.kit.notation import french, seat_letter
from pbem.kit.replay import TableEvent, is_last, redact_entries
from pbem.kit.texts import LANGS, Lang, Text
from pbem.render.i18n import join_and
from pbem.render.phrases import phrase_text
from pbem.render.table_story import Narrator

Eyes = int | Literal["all"] | None

_PLAYER = Text(fr="Joueur {letter}", en="Player {letter}")
_BOARD = Text(fr=french("Le plateau :"), en="The board:")
_ENDED = Text(fr=french("Fin de la partie : {reason}."), en="The match ended: {reason}.")
_WON = Text(fr=french("Gagne : {who}."), en="Won by: {who}.")


@click.command()
@click.argument("log", type=click.File("rb"))
@click.option("--as", "who", metavar="SEAT|none|all", help="Whose eyes: 0 or A, 1 or B, ...; none is a spectator.")
@click.option("--names", metavar="A,B,…", help="The players' names, from seat A on: a log has none.")
@click.option("--lang", type=click.Choice(LANGS), default="en", show_default=True)
@click.option("--step", type=click.IntRange(min=1), help="Stop after this line of the story.")
def replay(log: BinaryIO, who: str | None, names: str | None, lang: str, step: int | None) -> None:
    """Tell the match in LOG line by line.

    Where the story stops, the board is shown in words. LOG is a file, or - for standard input. With --as, the story
    shows what that seat saw. A log made for one viewer can be shown as that viewer only, which is its default.
    """
    read = read_log(log)
    eyes = read.viewer if who is None else _eyes_named(who, read)
    if read.viewer not in ("all", eyes):
        of_seat = isinstance(read.viewer, int)
        audience, option = (f"seat {seat_letter(read.viewer)}", read.viewer) if of_seat else ("spectators", "none")
        raise click.ClickException(f"This log is for {audience} only: use --as {option}.")
    try:
        lines = _lines_of_log(
            read, cast(Eyes, eyes), _names_of_players(read, names, cast(Lang, lang)), cast(Lang, lang), step
        )
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


def _names_of_players(log: Log, said: str | None, lang: Lang) -> list[str]:
    """Returns the players' names from the command line, else their seats' letters. Raises click.BadParameter."""
    if said is None:
        return [_PLAYER[lang].format(letter=seat_letter(seat)) for seat in range(log.seats)]
    names = [printable(name.strip()) for name in said.split(",")]
    if len(names) != log.seats or not all(names):
        wanted = ",".join(seat_letter(seat) for seat in range(log.seats))
        raise click.BadParameter(
            f"this match has {pluralize(log.seats, 'seat', 'seats')}: name each, parted by commas, as in {wanted}",
            param_hint="--names",
        )
    return names


def _lines_of_log(log: Log, eyes: Eyes, names: Sequence[str], lang: Lang, step: int | None) -> list[str]:
    viewer: Viewer = None if eyes == "all" else eyes
    seen = log
    if log.viewer == "all" and eyes != "all":
        # Only a finished match has a full log, and then nothing has faded.
        seen = msgspec.structs.replace(log, viewer=viewer, entries=tuple(redact_entries(log.entries, viewer)))
    story: list[str] = []
    state: Any = None
    last = 0
    for line, n, after in islice(_story_lines(seen, names, lang), step):
        story.append(f"{len(story) + 1:>4}  {line}")
        last, state = n, after  # only the last one is kept: a log may have thousands of positions
    if not story:
        raise BadLog(log_errors.SILENT)
    if step is not None and step > len(story):
        raise click.BadParameter(f"the story has {pluralize(len(story), 'line', 'lines')}", param_hint="--step")
    return [
        log.game.meta.title[lang],
        "",
        *story,
        "",
        _BOARD[lang],
        *_position_in_words(seen, last, state, viewer, names, lang),
    ]


def _story_lines(log: Log, names: Sequence[str], lang: Lang) -> Iterator[tuple[str, int, Any]]:
    """Yields the lines of the story, each with the number of its entry and the state after it.

    Raises BadLog at the entry that does not fit.
    """
    before, narrator = None, Narrator(log.game, lang)
    for entry, state in states(log):
        try:
            own_line = "" if isinstance(entry.event, TableEvent) else log.game.tell(entry.event, before, lang)
            line = phrase_text(narrator.line(entry, own_line), names)
        except Exception as error:
            # Whatever a forged entry breaks inside a game, the log is at fault.
            raise BadLog(log_errors.UNTELLABLE, entry.n) from error
        if line and state is not None:
            yield printable(line), entry.n, state
        before = state


def _position_in_words(log: Log, n: int, state: Any, viewer: Viewer, names: Sequence[str], lang: Lang) -> list[str]:
    """Returns the position after entry n in words and, at the end, how the match ended. Raises BadLog."""
    game = log.game
    try:
        over = is_last(log.entries[n - 1].event)
        lines = [phrase_text(phrase, names) for phrase in game.describe(state, viewer, lang, over=over)]
        outcome = outcome_after(game, state, log.entries[:n])
        if outcome is not None:
            lines.append(_ENDED[lang].format(reason=endings_of(game)[outcome.reason][lang]))
            if outcome.winners:
                lines.append(_WON[lang].format(who=join_and([names[seat] for seat in outcome.winners], lang)))
    except Exception as error:
        # As above: no match leads to this position.
        raise BadLog(log_errors.INDESCRIBABLE) from error
    return [f"      {printable(line)}" for line in lines]
