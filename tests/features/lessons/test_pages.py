"""The pages of a lesson: only the thing to touch leads on, nothing is stored, and everybody may read them."""

from __future__ import annotations

import re
from collections.abc import Callable

import msgspec
import pytest

from pbem import games
from pbem.features.lessons import doctor
from pbem.features.lessons.playing import options_of_lesson, play_lesson
from pbem.games import all_games
from pbem.games.allegeance.facts_state import Table
from pbem.kit.contract import AnyGame, LessonStep
from pbem.kit.texts import LANGS, Text
from pbem.services.views import match_views
from tests.features.lessons.taught import LESSON, Taught, with_steps
from tests.harness.rows import every_row
from tests.web.cast import Page, Web
from tests.web.lobby.guests import play_now

TAUGHT = [pytest.param(game, id=slug) for slug, game in all_games().items() if game.lesson is not None]
BOARD = re.compile(r'<figure class="board">(.*?)</figure>', re.DOTALL)
PAD = re.compile(r'<section class="todo">(.*?)</section>', re.DOTALL)


def step_path(game: AnyGame, step: int) -> str:
    return f"/games/{game.meta.slug}/learn/{step}"


@pytest.mark.parametrize("game", TAUGHT)
def test_only_touching_what_a_lesson_asks_leads_to_the_next_step(web: Web, game: AnyGame) -> None:
    client = web.client()
    for at, stage in enumerate(play_lesson(game), 1):
        text = client.get(step_path(game, at)).text
        played = "".join([*BOARD.findall(text), *PAD.findall(text)])
        links = re.findall(r'<a [^>]*href="([^"]*)"', played)
        assert {*links} == ({step_path(game, at + 1)} if stage.step.touch else set()), at
        assert step_path(game, at + 1) in Page(text).hrefs()
        assert f"<b>{at} of {len(play_lesson(game))}</b>" in text


@pytest.mark.parametrize("lang", LANGS)
def test_a_lessons_page_has_its_sentence_and_what_to_tap(web: Web, lang: str) -> None:
    said = {
        "en": ("Take another card from the palace.", "Take", "Leave the lesson"),
        "fr": ("Prenez une autre carte", "Prendre", "Quitter la leçon"),
    }
    words = Page(web.client(lang).get("/games/hogen/learn/6").text).words
    assert all(one in words for one in said[lang])


ALLEGEANCE = all_games()["allegeance"]
UNUSUAL = Taught(
    msgspec.structs.replace(ALLEGEANCE.lesson, options=Table(target=2, memory="open")) if ALLEGEANCE.lesson else None,
    ALLEGEANCE,
)


def replace_game(monkeypatch: pytest.MonkeyPatch, game: AnyGame) -> None:
    """Puts the game, which a package has brought, in place of the one of its name."""
    slug, found = game.meta.slug, games.found_games()
    monkeypatch.setitem(found, slug, found[slug]._replace(game=game, origin="some package"))


def last_page(web: Web, game: AnyGame, lang: str = "en") -> Page:
    return Page(web.client(lang).get(step_path(game, len(play_lesson(game)) + 1)).text)


def test_a_lesson_ends_with_the_ways_to_play(web: Web) -> None:
    page = last_page(web, all_games()["hogen"])
    assert {"/new?game=hogen", "/rules/hogen", "/games/hogen/learn"} <= {*page.hrefs()}
    assert "Against 2 bots (easy), at once." in page.words
    answer = web.client().get(f"/games/hogen/learn/{len(LESSON.steps) + 1}")
    assert "ETag" not in answer.headers, "its button has a new number each time"


@pytest.mark.parametrize("game", [*TAUGHT, pytest.param(UNUSUAL, id="unusual options")])
def test_a_lessons_end_starts_a_match_with_its_seats_and_options(
    web: Web, monkeypatch: pytest.MonkeyPatch, game: AnyGame
) -> None:
    assert game.lesson is not None
    replace_game(monkeypatch, game)
    fields = next(form.fields for form in last_page(web, game).forms if form.action == "/now")
    started = web.client().post("/now", data=fields)
    assert started.status_code == 303
    (match,) = every_row(web.site.engine)["matches"]
    sheet = match_views.read_sheet(web.site, match["id"], 0)
    assert len(sheet.seats) == game.lesson.seats
    assert sheet.options == options_of_lesson(game, game.lesson)
    assert {seat.bot for seat in sheet.seats[1:]} == {fields["rest"]}


def test_leaving_a_lesson_leads_to_its_games_page(web: Web) -> None:
    for game in all_games().values():
        links = re.findall(r'<a class="leave" href="([^"]*)"', web.client().get(step_path(game, 1)).text)
        assert links == [f"/games/{game.meta.slug}"]


@pytest.mark.parametrize(
    "path", ["/games/hogen/learn/0", "/games/hogen/learn/12", "/games/chess/learn", "/games/hogen/learn/x"]
)
def test_an_unknown_lesson_or_step_is_not_found(web: Web, path: str) -> None:
    assert web.client().get(path).status_code == 404


def test_a_lessons_step_has_an_etag_and_sets_no_cookie(web: Web) -> None:
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


@pytest.mark.parametrize("on", [True, False])
def test_the_menu_of_a_seat_leads_to_the_lesson_while_it_is_on(make_web: Callable[..., Web], on: bool) -> None:
    web = make_web(features=("lessons",) if on else ())
    client = web.client()
    assert ('<li><a href="/games/hogen/learn">Learn</a></li>' in client.get(play_now(client, "hogen")).text) is on


@pytest.mark.parametrize(("lang", "hint"), [("en", "(new tab)"), ("fr", "(nouvel onglet)")])
def test_an_invitation_stays_open_beside_the_lesson(web: Web, lang: str, hint: str) -> None:
    match_id = web.create()
    web.confirm(match_id)
    invitation = web.client(lang).get(web.link("invitation", match_id, 1)).text
    (link,) = re.findall(r'<a [^>]*href="/games/hogen/learn".*?</a>', invitation)
    assert 'target="_blank" rel="noopener"' in link
    assert hint in link
    assert 'href="/games/hogen/learn" target' not in web.client(lang).get("/games/hogen").text


@pytest.mark.parametrize(("lang", "said"), [("en", "go back to it."), ("fr", "revenez-y.")])
def test_a_lessons_last_page_first_tells_to_go_back_to_an_invitation(web: Web, lang: str, said: str) -> None:
    end = web.client(lang).get(step_path(all_games()["hogen"], len(LESSON.steps) + 1)).text
    (first, *_) = re.findall(r"<p>(.*?)</p>", end.split("</h1>")[1])
    assert "invitation" in first
    assert said in first


def test_no_page_of_a_lesson_contains_cards_hidden_from_the_reader(web: Web) -> None:
    hidden = re.compile(r'data-piece="(T3|T4|B3|B4)"')
    assert not any(
        hidden.search(web.client().get(f"/games/hogen/learn/{at}").text) for at in range(1, len(LESSON.steps) + 1)
    )


WRONG = [
    pytest.param(with_steps(LessonStep(Text("Voyez.", "Look."), "call-9")), "'call-9' cannot be touched", id="touch"),
    pytest.param(with_steps(LessonStep(Text("Voyez {9}.", "Look at {9}."))), "{9}", id="sentence"),
    pytest.param(with_steps(seed="zz"), "ValueError", id="seed"),
    pytest.param(with_steps(steps=()), "no step", id="no step"),
]


@pytest.mark.parametrize(("wrong", "why"), WRONG)
def test_a_broken_lesson_is_not_offered_and_doctor_reports_it(
    web: Web, monkeypatch: pytest.MonkeyPatch, wrong: AnyGame, why: str
) -> None:
    replace_game(monkeypatch, wrong)
    client = web.client()
    assert "/games/hogen/learn" not in Page(client.get("/games/hogen").text).hrefs()
    assert [client.get(f"/games/hogen/learn{step}").status_code for step in ("", "/1", "/11")] == [404] * 3
    (finding,) = doctor.check(web.site.config)
    assert finding.level == "WARN"
    assert "hogen" in finding.said
    assert why in finding.said


def test_doctor_reports_nothing_about_valid_lessons(web: Web) -> None:
    assert [*doctor.check(web.site.config)] == []


def test_a_lesson_is_in_the_language_of_its_reader(web: Web) -> None:
    client = web.client("fr")
    play_now(client)
    for path in ("/games/hogen/learn", step_path(all_games()["hogen"], len(LESSON.steps) + 1)):
        page = client.get(path, headers={"Accept-Language": "en"})
        assert '<html lang="fr"' in page.text
