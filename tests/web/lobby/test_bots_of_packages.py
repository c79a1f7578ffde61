"""A bot of a package is offered wherever the others are, by the words of its package."""

from __future__ import annotations

import pytest

from tests.games.stage.bot_packages import Offer
from tests.games.stage.bot_packages import offer as offer
from tests.web.cast import Web, words_of


@pytest.mark.parametrize(
    ("lang", "title", "strength"),
    [("fr", "Rusé", "prend le premier coup."), ("en", "Wily", "takes the first move.")],
)
def test_a_packages_bot_is_on_its_games_page_and_in_the_form(
    web: Web, offer: Offer, lang: str, title: str, strength: str
) -> None:
    offer()
    assert f"{title} {strength}" in words_of(web, "/games/hogen", lang)
    assert title in words_of(web, "/new?game=hogen", lang)
    assert 'name="rest" value="wily"' in web.client(lang).get("/new?game=hogen").text
    assert title not in words_of(web, "/games/niigata", lang)


def test_a_packages_bot_can_be_chosen_as_a_stand_in(web: Web, offer: Offer) -> None:
    offer()
    match_id = web.start()
    away = web.link("play", match_id, 1) + "/away"
    assert '<option value="wily">Bot: Wily</option>' in web.client().get(away).text


def test_the_api_lists_a_packages_bot_with_its_description(web: Web, offer: Offer) -> None:
    offer()
    game = web.client().get("/api/v1/games/hogen").json
    assert game is not None
    assert game["bots"][-1] == "wily"
    assert {*game["bot_texts"]} == {*game["bots"]}
    assert game["bot_texts"]["wily"] == {
        "title": {"fr": "Rusé", "en": "Wily"},
        "strength": {"fr": "prend le premier coup.", "en": "takes the first move."},
    }
    assert game["bot_texts"]["greedy"]["title"] == {"fr": "Bon", "en": "Good"}
