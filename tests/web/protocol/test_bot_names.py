"""Bots go by titles that say how strong they are, and forms offer the usual one first."""

import pytest

from pbem.games import find_game
from pbem.kit.bots import bots_of, usual_bot
from pbem.kit.texts import Lang
from pbem.render.bot_titles import title_of
from pbem.web.protocol.bot_names import offered_bots
from tests.kit.toys import IMAGINING
from tests.web.cast import Web


@pytest.mark.parametrize(
    ("lang", "titles"),
    [
        ("en", ["Random bot", "Easy bot", "Good bot", "Bot that thinks", "Bot that thinks for long", "Bot: loud"]),
        (
            "fr",
            [
                "Robot au hasard",
                "Robot facile",
                "Bon robot",
                "Robot qui réfléchit",
                "Robot qui réfléchit longtemps",
                "Robot\xa0: loud",
            ],
        ),
    ],
)
def test_a_title_says_how_strong_a_bot_is(lang: Lang, titles: list[str]) -> None:
    assert [title_of(bot, lang) for bot in ("random", "easy", "greedy", "fair", "strong", "loud")] == titles


def test_a_form_offers_the_usual_bot_first_then_those_below_and_then_those_above(web: Web) -> None:
    with web.app.test_request_context():
        offered = [bot for bot, _ in offered_bots(IMAGINING)]
    assert offered == ["loud", "easy", "random", "fair", "strong"]
    assert offered[0] == usual_bot(IMAGINING)


def test_only_a_game_that_imagines_offers_bots_that_think(web: Web) -> None:
    game = find_game("hogen")
    assert game is not None
    thinkers = {"easy", "fair", "strong"} if game.imagine is not None else set()
    assert set(bots_of(game)) == {"random", "greedy"} | thinkers
