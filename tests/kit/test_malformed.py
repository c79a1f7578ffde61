"""Moves with a value out of bounds: not legal, refused by the rules, and unreadable as JSON."""

from typing import Any

import pytest

from pbem.errors import Unreadable
from pbem.games import all_games
from pbem.kit.chance import SeedChance
from pbem.kit.choices import kinds_of
from pbem.kit.codec import plain
from pbem.kit.contract import COMMON_REFUSALS, AnyGame, IllegalMove, Move
from pbem.kit.laws.malformed import moves_out_of_bounds
from pbem.kit.play import Table, random_decisions
from pbem.services.play.moves import read_move
from tests.kit.seated import options_of
from tests.transcripts import seed_of

GAMES = [pytest.param(game, id=game.meta.slug) for game in all_games().values()]


def everything_malformed(game: AnyGame) -> list[tuple[Any, int, Move]]:
    """For a legal move of each kind: the position, the seat that is asked, and all malformed variants of the move."""
    found: dict[str, list[tuple[Any, int, Move]]] = {}
    for n in range(50):
        table = Table(game, game.meta.seats[-1], options_of(game, n), seed_of(game.meta.slug, 2, n))
        for ask, _ in random_decisions(table):
            for kind, group in kinds_of(game.legal(table.state, ask.seat)).items():
                if kind not in found:
                    found[kind] = [(table.state, ask.seat, move) for move in moves_out_of_bounds(game, group[0])]
            if len(found) == len(game.meta.moves):
                return [tried for moves in found.values() for tried in moves]
    raise AssertionError(f"only {sorted(found)} were ever legal")


@pytest.mark.parametrize("game", GAMES)
def test_a_move_with_a_value_out_of_bounds_is_not_legal_and_is_refused(game: AnyGame) -> None:
    found = everything_malformed(game)
    assert len(found) > 3
    refusals = {**COMMON_REFUSALS, **game.meta.refusals}
    for state, seat, move in found:
        assert move not in game.legal(state, seat)
        with pytest.raises(IllegalMove) as caught:
            game.decide(state, seat, move, SeedChance(bytes(32), 1, "decide", seat))
        assert caught.value.code in refusals, move
        for lang in ("fr", "en"):
            assert refusals[caught.value.code].text[lang].format(**caught.value.facts)


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
def test_a_move_with_a_value_out_of_bounds_cannot_be_read_from_json(game: AnyGame) -> None:
    for _, _, move in everything_malformed(game):
        with pytest.raises(Unreadable):
            read_move(game, plain(move), 0)
