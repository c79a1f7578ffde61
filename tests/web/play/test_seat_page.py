"""A seat's page: choosing by links, playing by the only button, and everything that can be late or wrong."""

from __future__ import annotations

import gzip
import random
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from flask.testing import FlaskClient
from markupsafe import Markup
from sqlalchemy import event, text

from pbem.games.hogen import GAME as HOGEN
from pbem.models.tables import AskRow, Match
from pbem.render import pictures
from pbem.services.log import locks, store
from pbem.services.log.table import LockedTable, lock_with_ask
from pbem.services.mail import sender
from pbem.services.play import timeouts
from pbem.services.site import Work
from pbem.services.tokens import PlayClaim
from pbem.services.views import talk
from pbem.services.views.match_views import read_view
from pbem.services.views.seats import read_play
from pbem.web.views.match_page import table_on_page
from tests.harness.cases import cases
from tests.harness.forms import same_each_time
from tests.table import THREE, MovedClock
from tests.web.cast import Page, Web, choose_move, item_in_sight, items_in, path_of, press_only_button


@pytest.fixture
def alice(web: Web, hogen: str) -> str:
    """Alice's page."""
    return web.link("play", hogen, 0)


@pytest.fixture
def browser(web: Web, hogen: str) -> FlaskClient:
    return web.client()


def first_of_links(links: list[str]) -> str:
    return links[0]


def begin_match(web: Web, hogen: str) -> int:
    """Everybody hides their first card; returns the seat that is asked next."""
    client = web.client()
    for seat in range(3):
        press_only_button(client, choose_move(client, web.link("play", hogen, seat), first_of_links))
    return next(s for s in range(3) if "What you can do" in client.get(web.link("play", hogen, s)).text)


def test_a_board_is_drawn_again_only_if_it_shows_something_else(
    web: Web, hogen: str, alice: str, browser: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn, page_svg = list[str](), pictures.svg_with_names

    def note_drawing(svg: str, names: Sequence[str]) -> Markup:
        drawn.append(svg)
        return page_svg(svg, names)

    def count_drawings(path: str) -> int:
        drawn.clear()
        assert browser.get(path).status_code == 200
        return len(drawn)

    monkeypatch.setattr(pictures, "svg_with_names", note_drawing)
    shapes = len(HOGEN.meta.shapes)
    assert count_drawings(alice) == shapes
    bob = web.site.tokens.read(PlayClaim, web.link("play", hogen, 1).split("/")[-1])
    talk.post_message(web.site, bob, "It is your turn.")
    assert "It is your turn." in browser.get(alice).text
    assert count_drawings(alice) == 0
    choice = first_of_links(Page(browser.get(alice).text).hrefs("opt"))
    assert count_drawings(choice) == shapes
    assert count_drawings(alice) == shapes, "one board is kept, not one for each choice"
    assert count_drawings(f"{alice}?lang=fr") == shapes
    web.rename(hogen, 1, "Bertha")
    assert count_drawings(alice) == shapes
    assert count_drawings(web.link("play", hogen, 1)) == shapes, "nobody has the drawing of another seat"


def test_views_with_different_folds_do_not_share_a_kept_board(web: Web, hogen: str) -> None:
    everybody, bob = (read_view(web.site, hogen, viewer) for viewer in (None, 1))
    views = (everybody, replace(everybody, fold=bob.fold), everybody)
    with web.app.test_request_context("/"):
        boards = [table_on_page(view, (), "/").board for view in views]
    assert boards[0] == boards[2] != boards[1]


@pytest.mark.long
@pytest.mark.parametrize("often", [0.3, pytest.param(0, marks=pytest.mark.long)])
def test_a_whole_match_is_played_by_links_and_buttons_alone(web: Web, hogen: str, often: float) -> None:
    """Picks declarations often and other links at random, so that a match is soon over."""
    client, rng = web.client(), random.Random(7)

    def pick(links: list[str]) -> str:
        declares = [link for link in links if link.endswith("declare")]
        return rng.choice(declares if declares and rng.random() < often else links)

    for _ in range(500):
        paths = (web.link("play", hogen, seat) for seat in range(3))
        asked = next((path for path in paths if Page(client.get(path).text).hrefs("opt")), None)
        if asked is None:
            break
        answer = press_only_button(client, choose_move(client, asked, pick))
        assert answer.status_code == 303
        assert path_of(answer) == asked + "?done=1"
    pages = [Page(client.get(web.link("play", hogen, seat)).text) for seat in range(3)]
    assert all(" won" in page.words for page in pages)
    assert "Watch the replay" in pages[0].words


@pytest.mark.long
def test_the_seat_page_shows_the_question_its_deadline_and_who_is_to_play(browser: FlaskClient, alice: str) -> None:
    page = Page(browser.get(alice).text)
    assert "Choose your ally" in page.words
    assert "3 d left till Sun 15 Mar 13:00" in page.words
    assert "Alice (you)" in page.words
    assert page.text.count('class="now"') == len(THREE)
    assert "t0.ally" not in page.words, "the key of a question is no word for people"


@pytest.mark.long
def test_choosing_is_a_link_and_shows_the_move_before_it_is_made(
    web: Web, hogen: str, browser: FlaskClient, alice: str
) -> None:
    before = web.everything()
    page = choose_move(browser, alice, first_of_links)
    form = page.form("confirm")
    assert form is not None
    assert form.method == "post"
    assert form.fields["key"] == "t0.ally0"
    assert "it is your ally" in page.words
    assert web.everything() == before


@pytest.mark.long
def test_the_board_offers_the_same_links_as_the_list(browser: FlaskClient, alice: str) -> None:
    page = Page(browser.get(alice).text)
    on_board = {known["href"]: known["aria-label"] for tag, known in page.tags if "aria-label" in known and tag == "a"}
    for link in page.hrefs("opt"):
        assert on_board[link].startswith("Hide ")


@pytest.mark.long
def test_a_move_typed_in_notation_is_shown_as_a_choice_like_any_other(
    web: Web, hogen: str, browser: FlaskClient, alice: str
) -> None:
    card = read_play(web.site, web.site.tokens.read(PlayClaim, alice.split("/")[-1]))[1].fold.hands[0][0]
    answer = browser.post(alice, data={"key": "t0.ally0", "text": f"perhaps {card}"})
    assert answer.status_code == 422
    before = web.everything()
    answer = browser.post(alice, data={"key": "t0.ally0", "text": f"ALLY {card.lower()}"})
    assert answer.status_code == 303
    page = Page(browser.get(answer.location).text)
    form = page.form("confirm")
    assert form is not None
    assert form.fields["move"] == f"ally {card}"
    assert web.everything() == before
    assert path_of(press_only_button(browser, page)) == f"{alice}?done=1"


def test_a_link_with_a_move_in_notation_opens_with_it_chosen(web: Web, browser: FlaskClient, alice: str) -> None:
    card = read_play(web.site, web.site.tokens.read(PlayClaim, alice.split("/")[-1]))[1].fold.hands[0][1]
    form = Page(browser.get(f"{alice}?move=ally+{card}").text).form("confirm")
    assert form is not None
    assert form.fields["move"] == f"ally {card}"
    assert "no longer possible" in browser.get(f"{alice}?move=call+4").text
    assert "cannot be read" in browser.get(f"{alice}?move=hello").text


@pytest.mark.long
def test_pressing_the_play_button_twice_plays_the_move_once(web: Web, browser: FlaskClient, alice: str) -> None:
    page = choose_move(browser, alice, first_of_links)
    assert path_of(press_only_button(browser, page)) == f"{alice}?done=1"
    before = web.everything()
    again = press_only_button(browser, page)
    assert again.status_code == 303
    assert path_of(again) == f"{alice}?done=again"
    assert "had been played already" in item_in_sight(browser.get(path_of(again)).text)
    assert web.everything() == before


@pytest.mark.long
def test_a_second_answer_is_refused_on_a_page_that_shows_the_match(web: Web, browser: FlaskClient, alice: str) -> None:
    pages = [choose_move(browser, alice, lambda links, i=i: links[i]) for i in (0, 1)]
    press_only_button(browser, pages[0])
    before = web.everything()
    answer = press_only_button(browser, pages[1])
    assert answer.status_code == 409
    page = Page(answer.text)
    assert "already answered" in page.words
    assert "Waiting for Bob and Carol" in page.words
    assert web.everything() == before


@pytest.mark.long
def test_the_chosen_extent_of_the_board_stays_while_playing(browser: FlaskClient, alice: str) -> None:
    unknown = choose_move(browser, f"{alice}?extent=sideways", first_of_links).form("confirm")
    assert unknown is not None
    assert unknown.action == alice
    form = choose_move(browser, f"{alice}?extent=whole", first_of_links).form("confirm")
    assert form is not None
    assert form.action == f"{alice}?extent=whole"
    assert path_of(browser.post(form.action, data=form.fields)) == f"{alice}?done=1&extent=whole"


@pytest.mark.long
@cases(
    "form, status",
    [
        ({"key": "t0.ally0", "text": "call 4"}, 422),
        ({"key": "t0.ally0", "text": "gibberish <b>"}, 422),
        ({"key": "t0.ally0", "text": "x" * 500}, 422),
        ({"key": "t0.ally1", "move": "ally F1"}, 409),
        ({"key": "", "move": "ally F1"}, 409),
        ({}, 422),
    ],
)
def test_a_refused_move_keeps_what_was_typed_and_changes_nothing(
    web: Web, browser: FlaskClient, alice: str, form: dict[str, str], status: int
) -> None:
    before = web.everything()
    answer = browser.post(alice, data=form)
    assert answer.status_code == status
    page = Page(answer.text)
    assert any(known.get("role") == "alert" for _, known in page.tags)
    typed = next(known["value"] for tag, known in page.tags if tag == "input" and known.get("name") == "text")
    assert typed == form.get("text", "")
    assert page.hrefs("opt")
    assert web.everything() == before


@pytest.mark.long
def test_an_illegal_move_is_refused_with_its_rule(web: Web, browser: FlaskClient, alice: str) -> None:
    theirs = read_play(web.site, web.site.tokens.read(PlayClaim, alice.split("/")[-1]))[1].fold.palace[0]
    answer = browser.post(alice, data={"key": "t0.ally0", "text": f"ally {theirs}"})
    assert answer.status_code == 422
    assert f"{theirs} is not in your hand" in Page(answer.text).words
    assert "rule\u00a05.2" in answer.text
    assert "/rules/hogen#5.2" in Page(answer.text).hrefs()


@pytest.mark.long
def test_a_link_that_ended_a_moment_ago_plays_no_move(
    web: Web, hogen: str, browser: FlaskClient, alice: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    form, lock = choose_move(browser, alice, first_of_links).form("confirm"), lock_with_ask
    assert form is not None

    def renew_before(session: Work, match_id: str, key: str, seat: int) -> tuple[LockedTable, AskRow | None]:
        locks.lock_match(session, match_id)
        session.connection().execute(text("UPDATE seats SET epoch = epoch + 1"))
        return lock(session, match_id, key, seat)

    before = web.everything()
    monkeypatch.setattr("pbem.services.play.moves.lock_with_ask", renew_before)
    assert browser.post(form.action, data=form.fields).status_code == 401
    assert web.everything() == before


@pytest.mark.long
def test_a_move_by_button_does_not_read_the_log(web: Web, hogen: str, browser: FlaskClient) -> None:
    press_only_button(browser, choose_move(browser, web.link("play", hogen, 1), first_of_links))
    form = choose_move(browser, web.link("play", hogen, 0), first_of_links).form("confirm")
    assert form is not None
    press_only_button(browser, choose_move(browser, web.link("play", hogen, 2), first_of_links))
    with web.site.reading() as session:
        version = session.get_one(Match, hogen).version
    said: list[tuple[str, Any]] = []

    def note(_connection: Any, _cursor: Any, statement: str, given: Any, *_: Any) -> None:
        said.append((statement, given))

    event.listen(web.site.engine, "before_cursor_execute", note)
    try:
        assert browser.post(form.action, data=form.fields).status_code == 303
    finally:
        event.remove(web.site.engine, "before_cursor_execute", note)
    assert any("INSERT INTO entries" in statement for statement, _ in said)
    read = [given for statement, given in said if "FROM entries" in statement]
    assert all(given["after"] == version for given in read), "only whether others have added to it"


@pytest.mark.long
def test_an_old_link_shows_the_present_match_and_how_its_question_ended(
    web: Web, hogen: str, browser: FlaskClient, alice: str, clock: MovedClock
) -> None:
    press_only_button(browser, choose_move(browser, alice, first_of_links))
    old = browser.get(f"{alice}?ask=t0.ally0&pick=ally-F1")
    assert old.status_code == 200
    assert "You have answered this question" in old.text
    sender.drain(web.site)
    clock.forward(days=4)
    timeouts.sweep_deadlines(web.site)
    bob = browser.get(web.link("play", hogen, 1) + "?ask=t0.ally1&pick=ally-F1")
    assert "the clock moved for you" in bob.text
    assert "earlier question" in browser.get(f"{alice}?ask=t77.act0").text


def test_a_choice_that_is_not_possible_any_more_says_so_and_offers_what_is(browser: FlaskClient, alice: str) -> None:
    page = Page(browser.get(f"{alice}?ask=t0.ally0&pick=ally-Z9").text)
    assert "no longer possible" in page.words
    assert page.hrefs("opt")
    assert page.form("confirm") is None


@pytest.mark.long
def test_the_next_question_of_the_same_turn_follows_at_once(web: Web, hogen: str) -> None:
    client, asked = web.client(), begin_match(web, hogen)
    rng = random.Random(3)
    for _ in range(40):
        page = choose_move(client, web.link("play", hogen, asked), lambda links: rng.choice(links[:1] or links))
        after = Page(client.get(path_of(press_only_button(client, page))).text)
        if after.hrefs("opt"):
            (why_not,) = items_in(after.text, "mine")
            assert "it cannot be taken back" in why_not
            assert item_in_sight(after.text) in items_in(after.text, "news"), "what cannot be changed is said after it"
            return
        asked = next(s for s in range(3) if "What you can do" in client.get(web.link("play", hogen, s)).text)
    pytest.fail("nobody was ever asked twice in a row")


@pytest.mark.long
def test_a_page_never_holds_what_another_seat_hides(web: Web, hogen: str) -> None:
    begin_match(web, hogen)
    client = web.client()
    allies = [
        read_play(web.site, web.site.tokens.read(PlayClaim, web.link("play", hogen, s).split("/")[-1]))[1].fold.allies[
            s
        ]
        for s in range(3)
    ]
    for path in (web.link("play", hogen, 0), web.link("play", hogen, 0) + "/replay", f"/match/{hogen}"):
        said = Page(client.get(path).text).words
        assert f"Bob hides an ally: {allies[1]}" not in said
        assert "Bob hides an ally." in said


@pytest.mark.long
@cases("token", ["x", "a.b.c.d", "00000000.0.0.xyz", "%00", "a" * 3000])
def test_an_invalid_link_of_any_kind_is_refused_with_a_way_to_get_another(web: Web, token: str) -> None:
    for page in ("play", "confirm", "invitation", "mute", "never", "account"):
        answer = web.client().get(f"/{page}/{token}")
        assert answer.status_code == 401
        assert "/links" in Page(answer.text).hrefs("ctl")
        assert web.client().post(f"/{page}/{token}").status_code == 401


@pytest.mark.long
def test_a_play_token_is_refused_by_pages_of_other_purposes(web: Web, hogen: str) -> None:
    play = web.link("play", hogen, 0).split("/")[-1]
    for page in ("confirm", "invitation", "mute", "never", "account"):
        assert web.client().get(f"/{page}/{play}").status_code == 401


@pytest.mark.long
def test_a_renewed_link_works_and_the_old_one_leads_to_match_and_links(web: Web, hogen: str, alice: str) -> None:
    client = web.client()
    answer = client.post(f"{alice}/renew")
    assert answer.status_code == 200
    fresh = web.link("play", hogen, 0, epoch=1)
    assert fresh not in answer.text, "whoever renews a link that he found must not get the new one"
    assert client.get(fresh).status_code == 200
    old = client.get(alice)
    assert old.status_code == 401
    assert {"/links", f"/match/{hogen}"} <= set(Page(old.text).hrefs("ctl"))
    assert client.post(f"{alice}/renew").status_code == 401


@pytest.mark.long
def test_beside_a_landscape_board_the_keyboard_reaches_only_the_pad(web: Web, hogen: str) -> None:
    html = web.client().get(web.link("play", hogen, begin_match(web, hogen))).text
    links = {}
    for shape in ("pad", "portrait", "landscape"):
        drawing = re.search(rf'<svg class="{shape}\b.*?</svg>', html, re.DOTALL)
        assert drawing is not None
        links[shape] = [link for link in re.findall(r"<a [^>]*href=[^>]*>", drawing[0]) if "no=" not in link]
    assert links["pad"]
    for shape in ("pad", "portrait"):
        reached = [re.findall(r'href="[^"]*"', link)[0] for link in links[shape] if "tabindex" not in link]
        assert len(reached) == len({*reached}), "each answer once"
        assert {*reached} == {re.findall(r'href="[^"]*"', link)[0] for link in links[shape]}
    assert all('tabindex="-1"' in link for link in links["landscape"])


# --- polling for news ------------------------------------------------------------------------------------------


def tag_of(client: FlaskClient, path: str) -> str:
    """The ETag of the page."""
    return client.get(path).headers["ETag"]


@pytest.mark.long
def test_an_unchanged_page_is_answered_304_without_reading_the_log(web: Web, hogen: str, alice: str) -> None:
    begin_match(web, hogen)
    client, said = web.client(), list[str]()
    event.listen(web.site.engine, "before_cursor_execute", lambda *args: said.append(args[2]))
    for path in (alice, f"/match/{hogen}"):
        tag = tag_of(client, path)
        assert any("FROM seats" in statement for statement in said), "what is asked of the database is heard"
        said.clear()
        answer = client.get(path, headers={"If-None-Match": tag})
        assert answer.status_code == 304
        assert answer.data == b""
        assert answer.headers["ETag"] == tag
        assert answer.headers["Cache-Control"] == "no-store"
        assert not any("entries" in statement or "folds" in statement for statement in said)
        said.clear()


@pytest.mark.long
def test_a_seat_pages_etag_changes_exactly_with_what_it_shows(
    web: Web, hogen: str, alice: str, clock: MovedClock
) -> None:
    client, bob, watch = web.client(), web.link("play", hogen, 1), f"/match/{hogen}"
    mine, theirs = tag_of(client, alice), tag_of(client, watch)
    assert mine != theirs != tag_of(client, bob) != mine
    clock.forward(hours=1)
    choose_move(client, alice, first_of_links)
    assert tag_of(client, alice) == mine == tag_of(client, f"{alice}?ask=t0.ally0&pick=ally-F1")
    assert tag_of(web.client("fr"), watch) != theirs, "it speaks another language"
    client.post(f"{bob}/say", data={"say": "Hello"})
    told = tag_of(client, alice)
    assert told != mine
    assert tag_of(client, watch) == theirs, "spectators are not told that the seats talk"
    press_only_button(client, choose_move(client, bob, first_of_links))
    assert tag_of(client, alice) != told
    assert tag_of(client, watch) != theirs


@pytest.mark.long
def test_a_seat_pages_etag_changes_when_somebody_sits_down(web: Web) -> None:
    match_id = web.create()
    client, alice = web.client(), web.link("play", match_id, 0)
    tags = [tag_of(client, alice)]
    web.confirm(match_id)
    tags.append(tag_of(client, alice))
    for seat in (1, 2):
        web.accept(match_id, seat)
        tags.append(tag_of(client, alice))
    assert len(set(tags)) == len(tags)


@pytest.mark.long
def test_loading_a_seats_page_repeatedly_changes_nothing(web: Web, hogen: str, alice: str) -> None:
    client, before = web.client(), web.everything()
    for path in (alice, f"/match/{hogen}"):
        client.get(path, headers={"If-None-Match": tag_of(client, path)})
    assert web.everything() == before


def test_the_old_links_etag_is_not_valid_for_a_renewed_link(web: Web, alice: str) -> None:
    client = web.client()
    tag = tag_of(client, alice)
    client.post(f"{alice}/renew")
    assert client.get(alice, headers={"If-None-Match": tag}).status_code == 401


def test_the_answer_to_a_refused_move_has_no_etag(web: Web, browser: FlaskClient, alice: str) -> None:
    assert "ETag" not in browser.post(alice, data={"key": "t0.ally0", "text": "call 4"}).headers


# --- compression -----------------------------------------------------------------------------------------------


@pytest.mark.long
def test_pages_and_style_sheets_are_compressed_for_clients_that_accept_it(web: Web, hogen: str, alice: str) -> None:
    client = web.client()
    sheet = re.search(r'href="(/static/[^"]+look\.css)"', client.get(alice).text)
    assert sheet is not None
    for path in (alice, f"/match/{hogen}", sheet[1], "/"):
        plain = client.get(path)
        packed = client.get(path, headers={"Accept-Encoding": "gzip"})
        assert "Content-Encoding" not in plain.headers
        assert packed.headers["Content-Encoding"] == "gzip"
        assert same_each_time(gzip.decompress(packed.data)) == same_each_time(plain.data)
        assert len(packed.data) < len(plain.data) / 2
        assert "Accept-Encoding" in plain.headers["Vary"]
        assert "Content-Encoding" not in client.get(path, headers={"Accept-Encoding": "gzip;q=0"}).headers


def test_a_page_that_reads_the_session_cookie_is_not_compressed(web: Web, alice: str) -> None:
    client = web.client()
    client.set_cookie("session", "anything")
    packed = {"Accept-Encoding": "gzip"}
    assert "Content-Encoding" not in client.get("/links?lang=fr", headers=packed).headers
    assert "Content-Encoding" in client.get(alice, headers=packed).headers


@pytest.mark.long
def test_a_typed_move_is_read_as_that_of_the_seat_whose_page_it_is(web: Web) -> None:
    match_id = web.start(game="hexen-rennen")
    client, bob = web.client(), web.link("play", match_id, 1)
    with web.site.reading() as session:
        key = next(ask.key for ask in store.open_asks(session, match_id) if ask.seat == 1)
    typed = "divide A2 3 4 / 5 6 7 / 8 9 10"
    by_link = client.get(bob, query_string={"ask": key, "move": typed})
    by_hand = client.post(bob, data={"key": key, "text": typed})
    for answer in (by_link, by_hand):
        assert "A2 is of clan A, and yours is B." in Page(answer.text).words
    assert client.post(bob, data={"key": key, "text": typed.replace("A2", "B2")}).status_code == 303


@pytest.mark.long
def test_an_answer_marks_as_seen_what_its_page_showed(web: Web, hogen: str) -> None:
    browser, path = web.client(), web.link("play", hogen, 0)
    drawn = choose_move(browser, path, first_of_links)
    version = read_view(web.site, hogen, 0).sheet.version
    press_only_button(web.client(), choose_move(web.client(), web.link("play", hogen, 1), first_of_links))
    press_only_button(browser, drawn)
    assert read_view(web.site, hogen, 0).sheet.seen == version, "what came after it was drawn stays"


def test_choices_with_long_words_do_not_stand_three_abreast(web: Web) -> None:
    """Beside a board a third of the column has room for some seven letters: "champignon" went over its button."""
    clans = web.link("play", web.start(game="hexen-rennen", options={"clans": "chosen"}), 0)
    allies = web.link("play", web.start(game="hogen"), 0)
    assert 'class="opts long"' in web.client("fr").get(clans).text
    assert 'class="opts"' in web.client("fr").get(allies).text
