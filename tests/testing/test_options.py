"""The options that `pbem check` plays with: no choice of any option is left out, whether a sample names it or not."""

import pytest
from msgspec.structs import replace

from pbem.games import all_games, find_game
from pbem.kit.contract import AnyGame
from pbem.kit.options import options_of
from pbem.testing.check import matches_to_check, options_tried

EVERY = [pytest.param(game, id=slug) for slug, game in all_games().items()]


@pytest.mark.parametrize("game", EVERY)
def test_a_few_check_matches_cover_each_number_of_seats_and_option(game: AnyGame) -> None:
    meta = game.meta
    first = matches_to_check(game, max(len(meta.seats), len(options_tried(meta))))
    assert {match.seats for match in first} == {*meta.seats}
    for option in options_of(meta):
        tried = {getattr(match.options, option.name) for match in first}
        assert tried >= {choice.value for choice in option.choices if type(choice.value) is not int}, option.name


@pytest.mark.parametrize("game", EVERY)
def test_more_check_matches_cover_each_pair_of_options_once(game: AnyGame) -> None:
    pairs = [(seats, repr(options)) for seats, options, _ in matches_to_check(game, 1000)]
    count = len(game.meta.seats) * len(options_tried(game.meta))
    assert len({*pairs[:count]}) == len({*pairs}) == count


def test_every_choice_of_an_option_is_tried_even_if_no_sample_has_it() -> None:
    game = find_game("niigata")
    assert game is not None
    assert {one.picking for one in options_tried(replace(game.meta, samples=()))} == {"turns", "compulsory", "grab"}  # type: ignore[attr-defined]
