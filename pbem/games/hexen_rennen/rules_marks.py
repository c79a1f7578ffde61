"""The game as a match shows it in which the table has chosen its clans (2.5)."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

import msgspec

from pbem.games.hexen_rennen import notation
from pbem.games.hexen_rennen.board import end
from pbem.games.hexen_rennen.facts_race import CLANS, SEAT_MARKS, UNDECIDED, State
from pbem.games.hexen_rennen.words import are_clans_out_of_seat_order
from pbem.kit.contract import AnyGame
from pbem.kit.game.moves import Move


def with_marks(game: AnyGame, fold: State | None) -> AnyGame:
    """Returns the game with the marks, letters and colours of the clans that the seats have; None: nobody has one."""
    if fold is None:
        return _game_with_marks_of_clans(game, (None,) * len(CLANS))
    return _game_with_marks_of_clans(game, fold.clans) if are_clans_out_of_seat_order(fold) else game


@cache
def _game_with_marks_of_clans(game: Any, clans: Sequence[int | None]) -> AnyGame:
    marks = tuple(SEAT_MARKS[UNDECIDED if clan is None else clan] for clan in clans)
    shown: AnyGame = replace(
        game,
        meta=msgspec.structs.replace(game.meta, seat_marks=marks),
        parse=partial(_parse_and_check_own_clan, clans),
        end=game.end and partial(end.draw, clans=clans),
    )
    return shown


def _parse_and_check_own_clan(clans: Sequence[int | None], text: str, seat: int | None = None) -> Move:
    """Returns the move that the text means. A letter is checked once the seat has a clan."""
    clan = None if seat is None else clans[seat]
    own = None if clan is None else CLANS[clan]
    return notation.parse(text, own, notation.HINT_OF_CLANS if None in clans else notation.HINT)
