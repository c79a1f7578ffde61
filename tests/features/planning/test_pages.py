"""The planning board: a page on which nothing is played, by links and buttons alone, and private."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import pytest
from flask.testing import FlaskClient

from pbem.features.planning import plans
from pbem.services.play import ordering, presence
from pbem.services.views import match_views
from tests.table import claim_of, play_out, submit_answer
from tests.web.cast import Page, Web, path_of


@pytest.fixture
def niigata(web: Web) -> str:
    """A match of three in which the first tile is to be taken."""
    return web.start(game="niigata")


def who_is_asked(web: Web, match_id: str) -> int:
    return match_views.read_sheet(web.site, match_id, None).asks[0].seat


def path_of_board(web: Web, match_id: str, seat: int) -> str:
    return f"{web.link('play', match_id, seat)}/plan"


def follow_first_choices(client: FlaskClient, path: str, steps: int) -> str:
    """Follows the first choice this many times; returns the path of the page that is reached."""
    for _ in range(steps):
        path = Page(client.get(path).text).hrefs("opt")[0]
    return path


def press_line_button(client: FlaskClient, path: str, act: str) -> str:
    """Presses a button of the line on the page; returns where it leads."""
    page = Page(client.get(path).text)
    assert f'value="{act}"' in page.text
    query = parse_qs(urlsplit(path).query)
    form = {"do": act, "at": query["at"][0], "step": query["step"]}
    answer = client.post(urlsplit(path).path, data=form)
    assert answer.status_code == 303
    return path_of(answer)


def play_nth_legal_move(web: Web, match_id: str, at: int = 0) -> None:
    """The player who is asked plays their at-th legal move."""
    seat = who_is_asked(web, match_id)
    view = match_views.read_view(web.site, match_id, seat)
    assert view.ask is not None
    submit_answer(web.site, match_id, seat, view.ask.key, view.legal()[at], "api")


@pytest.mark.long
def test_the_seats_page_and_its_planning_board_link_to_each_other(web: Web, niigata: str) -> None:
    seat, client = (who_is_asked(web, niigata) + 1) % 3, web.client()
    path = path_of_board(web, niigata, seat)
    assert path in Page(client.get(web.link("play", niigata, seat)).text).hrefs()
    assert web.link("play", niigata, seat) in Page(client.get(path).text).hrefs()


@pytest.mark.long
def test_trying_moves_on_the_planning_board_stores_nothing(web: Web, niigata: str) -> None:
    client, before = web.client(), web.everything()
    for seat in range(3):
        follow_first_choices(client, path_of_board(web, niigata, seat), 6)
    assert web.everything() == before


@pytest.mark.long
@pytest.mark.parametrize("game", ["niigata", "hexen-rennen", "hagakure", "hogen", "allegeance"])
@pytest.mark.parametrize("lang", ["fr", "en"])
def test_every_game_has_a_planning_board_in_both_languages(web: Web, game: str, lang: str) -> None:
    match_id, client = web.start(game=game), web.client()
    while len(match_views.read_sheet(web.site, match_id, None).asks) > 1:
        play_nth_legal_move(web, match_id)
    for seat in range(3):
        path = f"{path_of_board(web, match_id, seat)}?lang={lang}"
        for _ in range(8):
            answer = client.get(path)
            assert answer.status_code == 200
            page = Page(answer.text)
            assert {"en": "Nothing here is played", "fr": "Rien n’est joué ici"}[lang] in page.words
            choices = page.hrefs("opt")
            if not choices:
                break
            path = choices[-1]


@pytest.mark.long
def test_nothing_on_the_planning_board_plays_a_move(web: Web, niigata: str) -> None:
    """A planner that closes under the finger, and the next tap is a move: not here."""
    client = web.client()
    for seat in range(3):
        path = path_of_board(web, niigata, seat)
        for _ in range(6):
            page = Page(client.get(path).text)
            assert all(urlsplit(form.action).path == path_of_board(web, niigata, seat) for form in page.forms)
            assert not any(tag == "script" for tag, _ in page.tags), "nothing moves by itself"
            choices = page.hrefs("opt")
            assert all(urlsplit(href).path == path_of_board(web, niigata, seat) for href in choices)
            if not choices:
                break
            path = choices[0]


@pytest.mark.long
def test_the_planning_board_announces_news_and_keeps_the_plan(web: Web, niigata: str) -> None:
    client, seat = web.client(), (who_is_asked(web, niigata) + 1) % 3
    path = follow_first_choices(client, path_of_board(web, niigata, seat), 2)
    before = Page(client.get(path).text)
    play_nth_legal_move(web, niigata)
    after = Page(client.get(path).text)
    assert "News:" in after.words
    assert "News:" not in before.words
    assert after.hrefs("opt") == before.hrefs("opt"), "the choices are where they were"
    drawn = [re.sub(r"^.*?<figure|</figure>.*$", "", page.text, flags=re.DOTALL) for page in (before, after)]
    assert drawn[0] == drawn[1]
    rest = next(href for href in after.hrefs() if "at=" in href and f"at={version_of_match(web, niigata)}" in href)
    assert "News:" not in Page(client.get(rest).text).words


def version_of_match(web: Web, match_id: str) -> int:
    return match_views.read_sheet(web.site, match_id, None).version


@pytest.mark.long
def test_a_plan_that_no_longer_fits_the_match_says_so(web: Web, niigata: str) -> None:
    client, seat = web.client(), (who_is_asked(web, niigata) + 1) % 3
    path = follow_first_choices(client, path_of_board(web, niigata, seat), 2)
    play_nth_legal_move(web, niigata, at=1)
    page = Page(client.get(path).text)
    assert "Your line does not fit any more." in page.words
    assert path_of_board(web, niigata, seat) in page.hrefs()


@pytest.mark.long
def test_a_stale_plan_is_not_saved_and_plays_nothing(web: Web, niigata: str) -> None:
    client, seat = web.client(), (who_is_asked(web, niigata) + 1) % 3
    path = follow_first_choices(client, path_of_board(web, niigata, seat), 2)
    play_nth_legal_move(web, niigata)
    before = version_of_match(web, niigata)
    query = parse_qs(urlsplit(path).query)
    answer = client.post(urlsplit(path).path, data={"do": "order", "at": query["at"][0], "step": query["step"]})
    assert answer.status_code == 409
    assert "The match has moved on" in Page(answer.text).words
    assert "Nothing here is played" in answer.text, "one is still on the board"
    assert version_of_match(web, niigata) == before
    assert ordering.read_orders(web.site, claim_of(web.site, niigata, seat)).orders == ()


def test_buttons_keep_a_plan_forget_it_or_save_it_as_an_order(web: Web, niigata: str) -> None:
    client, seat = web.client(), (who_is_asked(web, niigata) + 1) % 3
    claim = claim_of(web.site, niigata, seat)
    path = follow_first_choices(client, path_of_board(web, niigata, seat), 2)
    page = Page(client.get(press_line_button(client, path, "keep")).text)
    assert "The line is kept." in page.words
    assert "Your lines" in page.words
    assert len(plans.read_board(web.site, claim, None, ()).lines) == 1
    page = Page(client.get(press_line_button(client, path, "order")).text)
    assert "Saved as an order" in page.words
    assert len(ordering.read_orders(web.site, claim).orders) == 1
    told = Page(client.get(f"{web.link('play', niigata, seat)}/orders").text).words
    assert re.search(r"If exactly this comes: \S+ takes [^.]+\. Then answers “Your turn to take a tile” with:", told)
    form = next(form for form in page.forms if "stay" in form.fields)
    steps = parse_qs(urlsplit(path).query)["step"]
    answer = client.post(form.action, data={"do": "forget", "at": form.fields["at"], "step": steps, "stay": steps})
    assert "The line is forgotten." in Page(client.get(path_of(answer)).text).words
    assert plans.read_board(web.site, claim, None, ()).lines == ()
    assert len(ordering.read_orders(web.site, claim).orders) == 1, "the order stays"


@pytest.mark.long
def test_a_plans_first_move_leads_to_the_match_to_be_confirmed(web: Web, niigata: str) -> None:
    client, seat = web.client(), who_is_asked(web, niigata)
    path = follow_first_choices(client, path_of_board(web, niigata, seat), 1)
    before = version_of_match(web, niigata)
    (there,) = [href for href in Page(client.get(path).text).hrefs("ctl") if "/plan" not in href]
    page = Page(client.get(there).text)
    assert page.form("confirm") is not None
    assert version_of_match(web, niigata) == before
    play_nth_legal_move(web, niigata)
    assert all("/plan" in href for href in Page(client.get(path).text).hrefs("ctl")), "a stale move is not offered"
    assert Page(client.get(there).text).form("confirm") is None


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "query",
    ["at=0", "at=99999", "at=x&step=pass", "step=~7", "step=castle", "step=" + "&step=pass" * 30, "pick=no,such"],
)
def test_an_impossible_plan_in_the_url_shows_the_current_board(web: Web, niigata: str, query: str) -> None:
    answer = web.client().get(f"{path_of_board(web, niigata, 0)}?{query}")
    assert answer.status_code in (200, 422)
    assert "Nothing here is played" in answer.text
    assert Page(answer.text).hrefs("opt")


def test_an_unknown_action_or_a_malformed_plan_is_refused(web: Web, niigata: str) -> None:
    client, path = web.client(), path_of_board(web, niigata, 0)
    before = web.everything()
    for form in ({"do": "play"}, {}, {"do": "keep", "at": "x"}, {"do": "keep", "at": "2"}, {"do": "order", "at": "2"}):
        assert client.post(path, data=form).status_code in (409, 422)
    assert web.everything() == before


@pytest.mark.long
def test_only_a_seats_own_link_opens_its_planning_board(web: Web, niigata: str) -> None:
    client = web.client()
    assert client.get("/play/nobody/plan").status_code == 401
    assert client.post("/play/nobody/plan", data={"do": "keep"}).status_code == 401


@pytest.mark.long
def test_there_is_no_planning_board_before_or_after_the_match(web: Web) -> None:
    early = web.create()
    assert web.client().get(path_of_board(web, early, 0)).status_code == 409
    over = web.start(game="hogen")
    play_out(web.site, over)
    assert web.client().get(path_of_board(web, over, 0)).status_code == 409


def seats_with_board_link(web: Web, match_id: str) -> list[int]:
    """The seats whose pages lead to their board."""
    pages = {seat: Page(web.client().get(web.link("play", match_id, seat)).text) for seat in range(3)}
    return [seat for seat, page in pages.items() if path_of_board(web, match_id, seat) in page.hrefs()]


def test_a_seats_menu_links_to_the_planning_board_while_usable(web: Web, hogen: str) -> None:
    assert seats_with_board_link(web, hogen) == [0, 1, 2]
    presence.resign(web.site, claim_of(web.site, hogen, 2))
    assert seats_with_board_link(web, hogen) == [0, 1]
    over = web.start()
    play_out(web.site, over)
    assert seats_with_board_link(web, over) == seats_with_board_link(web, web.create()) == []


def test_with_planning_off_no_page_links_to_the_planning_board(make_web: Callable[..., Web]) -> None:
    web = make_web(features=())
    match_id = web.start(game="niigata")
    assert seats_with_board_link(web, match_id) == []
    answer = web.client().get(f"{path_of_board(web, match_id, 0)}?lang=en")
    assert (answer.status_code, "This site does not offer this feature." in answer.text) == (410, True)
    for lang in ("en", "fr"):
        assert "plateau de r" not in (told := web.client().get(f"/help?lang={lang}").text)
        assert "planning board" not in told


def test_the_api_has_no_operation_for_plans(web: Web) -> None:
    """The opponent's conditional moves in the API: there are none."""
    document = web.client().get("/api/v1/openapi.json").text
    assert "/plan" not in document
