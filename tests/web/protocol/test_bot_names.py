"""Bots go by titles that say how strong they are, and forms list them in that order."""

import re

from pbem.games import find_game
from pbem.kit.bots import bots_of, usual_bot
from pbem.kit.texts import Lang
from pbem.render.i18n import bot_level, bot_manner, bot_title
from tests.harness.cases import cases
from tests.kit.toys import IMAGINING
from tests.web.cast import Web


@cases(
    "lang, titles",
    [
        ("en", ["Random bot", "Easy bot", "Good bot", "Strong bot", "Very strong bot", "Bot: loud"]),
        (
            "fr",
            [
                "Robot au hasard",
                "Robot facile",
                "Bon robot",
                "Robot fort",
                "Robot très fort",
                "Robot\xa0: loud",
            ],
        ),
    ],
)
def test_a_bots_title_says_how_strong_it_is(lang: Lang, titles: list[str]) -> None:
    assert [bot_title(IMAGINING, bot, lang) for bot in ("random", "easy", "greedy", "fair", "strong", "loud")] == titles


def test_a_bots_level_is_a_word_or_two_and_its_manner_a_sentence() -> None:
    known = ("random", "easy", "greedy", "fair", "strong")
    assert [bot_level(IMAGINING, bot, "en") for bot in (*known, "loud")] == [
        "Random", "Easy", "Good", "Strong", "Very strong", "loud",
    ]  # fmt: skip
    assert all(bot_manner(IMAGINING, bot, "en").endswith(".") for bot in known)
    assert bot_manner(IMAGINING, "loud", "en") == "", "only its game knows it"


def test_bots_are_listed_from_the_weakest_to_the_strongest() -> None:
    assert list(bots_of(IMAGINING)) == ["random", "easy", "loud", "fair", "strong"]


def test_the_match_form_preselects_the_usual_bot(web: Web) -> None:
    shown = web.client().get("/new?game=hogen&others=bots").text
    assert re.findall(r'name="rest" value="(\w+)" checked', shown) == ["greedy"]
    with web.app.test_request_context():
        game = find_game("hogen")
        assert game is not None
        assert usual_bot(game) == "greedy"


def test_only_a_game_that_imagines_offers_bots_that_think(web: Web) -> None:
    game = find_game("hogen")
    assert game is not None
    thinkers = {"easy", "fair", "strong"} if game.imagine is not None else set()
    assert set(bots_of(game)) == {"random", "greedy"} | thinkers
