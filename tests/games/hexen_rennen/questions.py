"""Random positions in which a seat is asked something, and the scene in which its page shows each."""

from collections.abc import Iterator

from pbem.games.hexen_rennen import GAME
from pbem.games.hexen_rennen.facts import HexenOptions
from pbem.games.hexen_rennen.facts_race import State
from pbem.kit.contract import Ask, Link, Scene, Shape
from pbem.kit.play import Table, random_decisions
from pbem.kit.replay import redact_entries
from pbem.kit.texts import Lang
from tests.transcripts import seed_of


def questions(matches: int) -> Iterator[tuple[State, Ask, Table]]:
    """The fold of the seat that is asked, at each question of this many matches of each number of seats."""
    for seats in GAME.meta.seats:
        for number in range(matches):
            options = HexenOptions(bool(number % 2), "chosen" if (seats + number) % 2 else "seats")
            table = Table(GAME, seats, options, seed_of("questions of hexen", seats, number))
            for _ in random_decisions(table):
                for ask in GAME.pending(table.state):
                    yield table.folds[ask.seat], ask, table


def scene_of(fold: State, ask: Ask, table: Table, lang: Lang, shape: Shape = "portrait") -> Scene:
    """The scene before anything is chosen: what can be, and what cannot, each with a link."""
    past = redact_entries(table.entries[-12:], ask.seat)
    legal = GAME.legal(fold, ask.seat)
    offered = {step.text: step.label for move in legal for step in GAME.path(move, fold, lang)}
    moves = (one.move for one in GAME.candidates(ask, fold, lang))
    refused = {step.text: step.label for move in moves if move not in legal for step in GAME.path(move, fold, lang)}
    return Scene(
        links={step: Link(f"?{step}", label) for step, label in offered.items()},
        refused={step: Link(f"?no={step}", label) for step, label in refused.items() if step not in offered},
        recent=tuple((n, entry.event) for n, entry in enumerate(past, 90)),
        shape=shape,
    )
