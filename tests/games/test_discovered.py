"""Every game's test folder provides what the laws need."""

import pytest

from pbem.kit.contract import AnyGame
from pbem.kit.secrecy import check_visibility
from tests.games.discovered import GAMES, missing_parts
from tests.kit.toys import GLIMPSE


@GAMES
def test_every_game_has_all_members_that_the_laws_require(game: AnyGame) -> None:
    assert missing_parts(game) == []


@GAMES
def test_each_field_of_a_games_events_and_state_declares_who_sees_it(game: AnyGame) -> None:
    for kind in (*game.meta.events, game.meta.state):
        check_visibility(kind)


@GAMES
def test_a_game_has_short_names_for_more_bots_than_a_table_has_seats(game: AnyGame) -> None:
    names = game.meta.bot_names
    assert len({name.casefold() for name in names}) == len(names) > max(game.meta.seats)
    assert max(map(len, names)) <= 7, "so much room has a name on the narrowest board"


def test_the_check_lists_every_member_that_an_empty_game_lacks() -> None:
    worlds, examples = missing_parts(GLIMPSE)
    assert worlds.startswith("tests.games.glimpse")
    assert {"worlds", "TRIES", "BLIND_MOVES"} <= set(worlds.replace(",", "").split())
    assert {"MOVES", "SPELLINGS", "marks_known"} <= set(examples.replace(",", "").split())


def test_a_single_missing_part_of_a_game_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from pbem.games import all_games
    from tests.games.hogen import examples

    monkeypatch.delattr(examples, "UNCLEAR")
    assert missing_parts(all_games()["hogen"]) == ["tests.games.hogen.examples.UNCLEAR"]
