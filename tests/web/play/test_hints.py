"""Hints: in somebody's first match of a game, one for each kind of question, put away for good by one press."""

from __future__ import annotations

import pytest

from pbem.games import find_game
from pbem.kit.contract import AnyGame
from pbem.kit.texts import LANGS
from pbem.models.tables import Player
from pbem.services.privacy import erasure
from tests.games.discovered import GAMES, UNSET_IN_FRENCH
from tests.table import MovedClock
from tests.web.cast import Form, Page, Web, path_of
from tests.web.lobby.guests import begin

LONGEST = 140


def hint(page: Page) -> Form | None:
    return page.form("hint")


def open_page(web: Web, match_id: str, seat: int = 0) -> Page:
    return Page(web.client().get(web.link("play", match_id, seat)).text)


def press(web: Web, form: Form) -> str:
    """Presses “Got it” without scripts; returns where it leads."""
    answer = web.client().post(form.action, data=form.fields)
    assert answer.status_code == 303
    return path_of(answer)


@GAMES
def test_every_kind_of_question_has_a_short_hint_in_both_languages(game: AnyGame) -> None:
    for kind, ask in game.meta.asks.items():
        assert ask.hint is not None, kind
        assert not UNSET_IN_FRENCH.search(ask.hint.fr)
        for lang in LANGS:
            assert 30 < len(ask.hint[lang]) < LONGEST


@pytest.mark.long
def test_a_first_match_shows_the_hint_of_what_is_asked(web: Web) -> None:
    page = open_page(web, web.start())
    game = find_game("hogen")
    assert game
    assert game.meta.asks["ally"].hint
    assert game.meta.asks["ally"].hint.en in page.words
    assert hint(page)


def test_a_hint_that_was_put_away_stays_away_for_that_player_alone(web: Web) -> None:
    match_id = web.start()
    form = hint(open_page(web, match_id))
    assert form
    press(web, form)
    assert hint(open_page(web, match_id)) is None
    assert hint(open_page(web, match_id, 1))
    again = web.start(names=("Dora", "Alice", "Erik"))
    assert hint(open_page(web, again, 1)) is None


@pytest.mark.long
def test_a_guest_puts_hints_away(web: Web) -> None:
    client = web.client()
    path = begin(web, client)
    form = hint(Page(client.get(path).text))
    assert form
    assert client.post(form.action, data=form.fields).status_code == 303
    assert hint(Page(client.get(path).text)) is None


@pytest.mark.long
def test_pressing_twice_is_as_pressing_once(web: Web) -> None:
    form = hint(open_page(web, match_id := web.start()))
    assert form
    assert press(web, form) == press(web, form)
    assert hint(open_page(web, match_id)) is None


@pytest.mark.long
def test_what_was_chosen_stays_chosen(web: Web) -> None:
    match_id = web.start()
    chosen = Page(web.client().get(open_page(web, match_id).hrefs("opt")[0]).text)
    form = hint(chosen)
    assert form
    after = Page(web.client().get(press(web, form)).text)
    assert after.form("confirm")
    assert hint(after) is None


@pytest.mark.long
def test_a_browser_that_has_the_page_gets_it_again_without_the_hint(web: Web) -> None:
    client, path = web.client(), web.link("play", web.start(), 0)
    first = client.get(path)
    form = hint(Page(first.text))
    assert form
    assert client.get(path, headers={"If-None-Match": first.headers["ETag"]}).status_code == 304
    press(web, form)
    assert client.get(path, headers={"If-None-Match": first.headers["ETag"]}).status_code == 200


def test_a_second_match_of_the_game_has_no_hints_and_the_first_keeps_them(web: Web, clock: MovedClock) -> None:
    first = web.start()
    clock.forward(minutes=1)
    second = web.start(names=("Dora", "Alice", "Erik"))
    assert hint(open_page(web, second, 1)) is None
    assert hint(open_page(web, first))
    assert hint(open_page(web, second)), "for Dora it is the first one"


@pytest.mark.long
def test_the_first_match_of_another_game_has_hints(web: Web) -> None:
    web.start()
    assert hint(open_page(web, web.start(game="hexen-rennen")))


@pytest.mark.long
def test_an_erased_player_leaves_no_hints(web: Web) -> None:
    form = hint(open_page(web, web.start()))
    assert form
    press(web, form)
    with web.site.reading() as session:
        player = session.get_one(Player, 1)
        assert player.hints_hidden == "hogen.ally"
        number = player.id
    assert number
    erasure.erase(web.site, number)
    with web.site.reading() as session:
        assert session.get_one(Player, number).hints_hidden == ""


def test_an_unknown_kind_is_refused(web: Web) -> None:
    path = web.link("play", web.start(), 0)
    assert web.client().post(f"{path}/hint", data={"kind": "no such"}).status_code == 422
    assert web.client().post(f"{path}/hint").status_code == 422


def test_a_link_of_another_kind_hides_nothing(web: Web) -> None:
    token = web.link("mute", web.start(), 0).rpartition("/")[2]
    assert web.client().post(f"/play/{token}/hint", data={"kind": "ally"}).status_code == 401
