"""The cards of every game: few, and each with a line in the story."""

from pbem.kit.contract import AnyGame
from tests.games.discovered import GAMES, tables
from tests.games.stage.words import steps

MOST = 1 / 10
"""Of the lines of a story: a match is no row of cards."""


@GAMES
def test_a_match_has_few_cards_and_each_has_a_line(game: AnyGame) -> None:
    assert game.card is not None
    cards = lines = 0
    for table in tables(game):
        for viewer in table.viewers:
            for before, event, _ in steps(game, table, viewer):
                told = game.tell(event, before, "en")
                card = game.card(event, before, viewer, "en")
                assert told or card is None
                lines += bool(told)
                cards += card is not None
    assert 0 < cards < lines * MOST
