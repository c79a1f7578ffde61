"""The pages of a lesson: only the thing to touch leads on, nothing is stored, and everybody may read them."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from pbem.features.lessons.playing import play_lesson
from pbem.games import all_games
from pbem.kit.contract import AnyGame
from pbem.kit.texts import LANGS
from tests.web.cast import Page, Web

TAUGHT = [pytest.param(game, id=slug) for slug, game in all_games().items() if game.lesson is not None]
BOARD = re.compile(r'<figure class="board">(.*?)</figure>', re.DOTALL)
PAD = re.compile(r'<section class="todo">(.*?)</section>', re.DOTALL)


def step_path(game: AnyGame, step: int) -> str:
    return f"/games/{game.meta.slug}/learn/{step}"


@pytest.mark.parametrize("game", TAUGHT)
def test_each_step_leads_to_the_next_by_what_is_to_be_touched_alone(web: Web, game: AnyGame) -> None:
    client = web.client()
    for at, stage in enumerate(play_lesson(game), 1):
        text = client.get(step_path(game, at)).text
        played = "".join([*BOARD.findall(text), *PAD.findall(text)])
        links = re.findall(r'<a [^>]*href="([^"]*)"', played)
        assert {*links} == ({step_path(game, at + 1)} if stage.step.touch else set()), at
        assert step_path(game, at + 1) in Page(text).hrefs()
        assert f"<b>{at} of {len(play_lesson(game))}</b>" in text


@pytest.mark.parametrize("lang", LANGS)
def test_a_page_has_the_sentence_and_what_to_tap(web: Web, lang: str) -> None:
    said = {
        "en": ("Take another card from the palace.", "Take", "Skip"),
        "fr": ("Prenez une autre carte", "Prendre", "Passer"),
    }
    words = Page(web.client(lang).get("/games/hogen/learn/5").text).words
    assert all(one in words for one in said[lang])


def test_a_lesson_ends_with_the_ways_to_play(web: Web) -> None:
    client = web.client()
    last = len(play_lesson(all_games()["hogen"])) + 1
    page = Page(client.get(f"/games/hogen/learn/{last}").text)
    assert {"/new?game=hogen", "/rules/hogen", "/games/hogen/learn"} <= {*page.hrefs()}
    fields = dict(re.findall(r'<input type="hidden" name="(game|others|rest)" value="(\w+)">', page.text))
    assert fields == {"game": "hogen", "others": "bots", "rest": "easy"}
    started = client.post("/now", data=fields)
    assert started.status_code == 303
    assert "/play/" in started.headers["Location"]


@pytest.mark.parametrize(
    "path", ["/games/hogen/learn/0", "/games/hogen/learn/11", "/games/chess/learn", "/games/hogen/learn/x"]
)
def test_what_no_lesson_has_is_not_found(web: Web, path: str) -> None:
    assert web.client().get(path).status_code == 404


def test_a_page_that_is_known_is_not_sent_again_and_sets_no_cookie(web: Web) -> None:
    client = web.client()
    first = client.get("/games/hogen/learn")
    assert "Set-Cookie" not in first.headers
    again = client.get("/games/hogen/learn", headers={"If-None-Match": first.headers["ETag"]})
    assert again.status_code == 304
    french = client.get("/games/hogen/learn?lang=fr", headers={"If-None-Match": first.headers["ETag"]})
    assert french.status_code == 200


@pytest.mark.parametrize("on", [True, False])
def test_the_page_of_a_game_leads_to_its_lesson_while_it_is_on(make_web: Callable[..., Web], on: bool) -> None:
    web = make_web(features=("lessons",) if on else ())
    assert ("/games/hogen/learn" in Page(web.client().get("/games/hogen").text).hrefs()) is on
    assert web.client().get("/games/hogen/learn").status_code == (200 if on else 410)


def test_nothing_of_what_is_hidden_from_the_reader_is_on_a_page(web: Web) -> None:
    hidden = re.compile(r'data-piece="(T3|T4|B3|B4)"')
    assert not any(hidden.search(web.client().get(f"/games/hogen/learn/{at}").text) for at in range(1, 10))
