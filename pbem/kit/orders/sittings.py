"""Sittings: questions to one seat that its owner can answer at once, because nothing that others do bears on the later.

`Meta.sittings` names the pairs. Where the second question is put at once, its answer follows the first; where others
still have to answer, it is an order for one question.
"""

import re
from collections.abc import Sequence
from typing import Any

from pbem.kit.contract import AnyGame, Ask, Event, Move, ask_of
from pbem.kit.replay import evolve_all


def kinds_after(game: AnyGame, kind: str) -> tuple[str, ...]:
    """Returns the kinds of questions that can be answered together with one of this kind."""
    return tuple(after for before, after in game.meta.sittings if before == kind)


def kind_of_next(game: AnyGame, kind: str, move: Move) -> str | None:
    """Returns the kind of question after one of this kind that the move can answer; None if there is none."""
    return next((after for after in kinds_after(game, kind) if isinstance(move, game.meta.asks[after].moves)), None)


def split_texts(text: str) -> list[str]:
    """Returns the typed answers of one sitting: one a line, or with `; ` between them.

    >>> split_texts("take N40; place N20 1N r1")
    ['take N40', 'place N20 1N r1']
    """
    parts = [part.strip() for part in re.split(r";\s|\n", text)]
    return [part for part in parts if part] or [text]


def question_after(game: AnyGame, fold: Any, seat: int, events: Sequence[Event]) -> tuple[Any, Ask] | None:
    """Returns the seat's fold after a move that has these events, and what it is asked then in the same sitting.

    `fold` is the seat's own, in which it is asked something; `events` is what `Game.preview` foresees. None if nothing
    follows at once, or if it cannot be foreseen.
    """
    before = ask_of(game, fold, seat)
    after = evolve_all(game, fold, events) if events else fold
    ask = ask_of(game, after, seat)
    if before is None or ask is None or ask.key == before.key or (before.kind, ask.kind) not in game.meta.sittings:
        return None
    return after, ask
