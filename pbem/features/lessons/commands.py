"""`pbem lesson`: a game's lesson in words, for its author."""

from collections.abc import Iterator

import click

from pbem.commands.terminal import printable
from pbem.features.lessons import boards, laws
from pbem.features.lessons.playing import READER, Stage, WrongLesson, deal, play_lesson, touches_possible
from pbem.games import all_games
from pbem.kit.contract import AnyGame, Lesson, ask_of
from pbem.kit.notation import seat_letter
from pbem.kit.texts import LANGS, Lang
from pbem.render import phrases


@click.command()
@click.argument("game", metavar="GAME", type=click.Choice(sorted(all_games())))
@click.option("--lang", type=click.Choice(LANGS), default="en", show_default=True, help="The language of the words.")
@click.option(
    "--deal", "number", type=click.IntRange(0), help="Show the deal of this number instead: its seed, and who has what."
)
@click.option("--seats", type=int, help="With --deal: how many play; as few as can without it.")
def lesson(game: str, lang: Lang, number: int | None, seats: int | None) -> None:
    """Print the lesson of a game in words, or a deal for one."""
    found = all_games()[game]
    try:
        if number is not None:
            lines = _lines_of_deal(found, Lesson(f"{number:064x}", seats or min(found.meta.seats), ()), lang)
        else:
            lines = _lines_of_lesson(found, lang)
        for line in lines:
            click.echo(printable(line))
        if number is None:
            laws.check_lesson(found)
    except WrongLesson as error:
        raise click.ClickException(printable(f"{error}.")) from None


def _lines_of_lesson(game: AnyGame, lang: Lang) -> Iterator[str]:
    stages, names, shown = play_lesson(game), boards.names_at_lesson(game, lang), None
    for number, stage in enumerate(stages, 1):
        yield from ("", f"--- step {number}: {phrases.phrase_text(stage.step.say[lang], names)}")
        if stage.fold != shown:
            yield from (
                f"  > {phrases.phrase_text(line, names)}"
                for line, _event in boards.events_since_last_move(game, stage, lang)
            )
            yield from (f"  {phrases.phrase_text(line, names)}" for line in game.describe(stage.fold, READER, lang))
        shown = stage.fold
        yield from _lines_of_touches(game, stage, lang, names)


def _lines_of_touches(game: AnyGame, stage: Stage, lang: Lang, names: tuple[str, ...]) -> Iterator[str]:
    if stage.ask is not None:
        yield f"  {game.meta.asks[stage.ask.kind].title[lang]}"
        yield f"  could touch: {', '.join(stage.can)}"
    touch = stage.step_to_touch(game, lang)
    yield f"  touch: {touch.text} ({phrases.phrase_text(touch.label, names)})" if touch is not None else "  go on"
    if touch is not None and stage.whole_move is not None:
        yield f"  plays: {game.format(stage.whole_move)}"
    yield from (f"  then {seat_letter(seat)}: {said}" for seat, said in stage.step.then)


def _lines_of_deal(game: AnyGame, lesson: Lesson, lang: Lang) -> Iterator[str]:
    table, names = deal(game, lesson), boards.names_of_guest_and_bots(game, lesson.seats, lang)
    yield f"seed: {lesson.seed}"
    for seat in range(lesson.seats):
        yield f"--- what {names[seat]} ({seat_letter(seat)}) sees"
        yield from (f"  {phrases.phrase_text(line, names)}" for line in game.describe(table.folds[seat], seat, lang))
    for asked in game.pending(table.state):
        yield f"asked: {seat_letter(asked.seat)}, {game.meta.asks[asked.kind].title[lang]}"
    can = touches_possible(game, table.folds[READER], ask_of(game, table.state, READER), ())
    yield f"could touch: {', '.join(can) or 'nothing'}"


COMMANDS = (lesson,)
