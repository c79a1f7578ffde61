"""The game obeys every law: `pbem check pig` says more."""

from pbem.games import find_game, folder_of_game
from pbem.testing.check import check_game


def test_the_game_obeys_every_law() -> None:
    game = find_game("pig")
    assert game is not None, "it is not installed, or broken: see `pbem check pig`"
    checks = [*check_game(game, folder_of_game("pig"), count=20)]
    assert [fault for check in checks for fault in check.faults] == []
