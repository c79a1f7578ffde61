"""Take back on the page of a seat: one item in five states, with buttons that are forms; a link changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import event
from werkzeug.test import TestResponse

from pbem.kit.replay import Undone
from pbem.models.tables import Match
from pbem.services.mail import sender
from pbem.services.play import ordering, takeback
from pbem.services.views import match_views
from tests.table import CAST, MovedClock, Outgoing, claim_of, submit_answer
from tests.web.cast import Page, Web, item_in_sight, items_in


def play_first_asked(web: Web, match_id: str, at: int = 0) -> int:
    """The player who is asked first plays; returns their seat."""
    seat = match_views.read_sheet(web.site, match_id, 0).asks[0].seat
    view = match_views.read_view(web.site, match_id, seat)
    assert view.ask is not None
    submit_answer(web.site, match_id, seat, view.ask.key, view.legal()[at], "web")
    return seat


def words_of_own_item(text: str) -> str:
    """The words of the item about what the reader did; "" without one."""
    return " ".join(items_in(text, "mine"))


def values_of_hidden_fields(text: str, action: str) -> dict[str, str]:
    """The hidden fields of the form with this action."""
    form = text.partition(f'action="{action}"')[2].partition("</form>")[0]
    assert form, action
    names = [part.partition('"')[0] for part in form.split('name="')[1:]]
    values = [part.partition('"')[0] for part in form.split('value="')[1:]]
    return dict(zip(names, values, strict=False))


def post_form(client: FlaskClient, page: str, action: str, **more: str) -> TestResponse:
    return client.post(action, data=values_of_hidden_fields(page, action) | more)


def match_with_reply(web: Web) -> tuple[str, int]:
    """A match of Niigata in which another has played since somebody's move, and who has made that."""
    for _ in range(40):
        match_id = web.start(game="niigata")
        mover = play_first_asked(web, match_id)
        following = play_first_asked(web, match_id)
        can = takeback.read_takeback(web.site, claim_of(web.site, match_id, mover)).reversible
        if following != mover and can.state == "consent":
            return match_id, mover
    raise AssertionError("no move after which another plays, without luck")


@pytest.mark.parametrize("status", ["cancelled", "paused"])
def test_a_match_that_stops_while_an_answer_is_refused_is_still_shown(
    web: Web, monkeypatch: pytest.MonkeyPatch, status: str
) -> None:
    match_id = web.start(game="niigata")
    path = web.link("play", match_id, play_first_asked(web, match_id))
    read = takeback.read_seat_page

    def stop_before(*asked: Any) -> Any:
        with web.site.writing() as work:
            work.get_one(Match, match_id).status = status
        return read(*asked)

    monkeypatch.setattr(takeback, "read_seat_page", stop_before)
    answer = web.client().post(path, data={"key": "", "text": "?"})
    assert (answer.status_code, words_of_own_item(answer.text)) == (422, "")


@pytest.mark.long
def test_the_seat_page_reads_the_log_once_for_match_and_take_back(web: Web) -> None:
    match_id = web.start(game="niigata")
    path, said = web.link("play", match_id, play_first_asked(web, match_id)), list[str]()
    event.listen(web.site.engine, "before_cursor_execute", lambda *args: said.append(args[2]))
    assert words_of_own_item(web.client().get(f"{path}?done=1").text)
    assert sum("FROM entries" in one for one in said) == 1


def test_a_free_move_is_taken_back_by_one_button(web: Web) -> None:
    match_id = web.start(game="niigata")
    mover = play_first_asked(web, match_id)
    path, client = web.link("play", match_id, mover), web.client()
    page = client.get(f"{path}?done=1").text
    assert CAST[mover] in words_of_own_item(page)
    assert item_in_sight(page) == words_of_own_item(page)
    assert "No one has seen it yet." in words_of_own_item(page)
    assert client.get(f"{path}/takeback").location == path, "looking changes nothing"
    answer = post_form(client, page, f"{path}/takeback")
    assert answer.status_code == 303
    after = client.get(answer.location).text
    assert "Your move is taken back. Play another one." in Page(after).words
    assert "Take back" not in words_of_own_item(after)
    assert f"{CAST[mover]} takes back a move." in Page(after).words
    assert "<s>" in after, "what was taken back is struck out"
    again = client.post(f"{path}/takeback", data={"to": "2"})
    assert again.status_code == 409
    assert "You have made no move that could be taken back." in Page(again.text).words


@pytest.mark.long
def test_one_who_takes_a_move_back_is_told_that_their_orders_end_with_it(web: Web) -> None:
    match_id = web.start(game="niigata")
    mover = match_views.read_sheet(web.site, match_id, 0).asks[0].seat
    claim, version = claim_of(web.site, match_id, mover), match_views.read_sheet(web.site, match_id, 0).version
    ordering.save_orders(web.site, claim, version, ["breeder least 4 for match"], "web")
    play_first_asked(web, match_id)
    path, client = web.link("play", match_id, mover), web.client()
    after = client.get(post_form(client, client.get(path).text, f"{path}/takeback").location).text
    assert "Your move is taken back, and your orders have ended. Play another one." in Page(after).words
    assert ordering.read_orders(web.site, claim).orders == ()


@pytest.mark.long
def test_the_take_back_bar_says_how_long_mails_are_held_and_sends_them(
    make_web: Callable[..., Web], clock: MovedClock
) -> None:
    web = make_web(mail_hold_s=90)
    match_id = web.start(game="niigata")
    clock.forward(minutes=5)
    post_box = Outgoing()
    sender.drain(web.site, lambda: post_box)
    mover = play_first_asked(web, match_id)
    path, client = web.link("play", match_id, mover), web.client()
    page = client.get(f"{path}?done=1").text
    assert "Emails wait till" in words_of_own_item(page)
    other = match_views.read_sheet(web.site, match_id, 0).asks[0].seat
    assert post_form(client, page, f"{path}/takeback/tell").status_code == 303
    sender.drain(web.site, lambda: post_box)
    assert post_box.all_sent[-1][0].startswith(CAST[other].lower())
    assert "No one has seen it yet." in words_of_own_item(client.get(path).text)


@pytest.mark.sample(1)
@pytest.mark.parametrize("agree", ["1", "0"])
def test_the_others_pages_ask_for_consent_to_a_take_back(web: Web, agree: str) -> None:
    match_id, mover = match_with_reply(web)
    path, client = web.link("play", match_id, mover), web.client()
    others = [seat for seat in range(3) if seat != mover]
    page = client.get(path).text
    assert "The others must agree." in words_of_own_item(page)
    open_page = client.get(web.link("play", match_id, others[0])).headers["ETag"]
    answer = post_form(client, page, f"{path}/takeback")
    assert "The others are asked" in Page(client.get(answer.location).text).words
    assert f"{CAST[others[0]]} and {CAST[others[1]]} have not agreed yet." in words_of_own_item(client.get(path).text)
    for seat in others:
        theirs = web.link("play", match_id, seat)
        known = client.get(theirs, headers={"If-None-Match": open_page})
        assert known.status_code == 200, "an open page learns of it"
        assert f"{CAST[mover]} wants to take back a move. Agree?" in Page(known.text).words
        said = post_form(client, known.text, f"{theirs}/takeback/consent", agree=agree)
        assert said.status_code == 303
        if agree == "0":
            break
    entries = match_views.read_view(web.site, match_id, None).entries
    assert isinstance(entries[-1].event, Undone) == (agree == "1")
    if agree == "0":
        assert "asks to take back" not in client.get(web.link("play", match_id, others[1])).text
        assert words_of_own_item(client.get(path).text) == ""


def test_a_request_to_take_back_is_withdrawn_on_the_page(web: Web) -> None:
    match_id, mover = match_with_reply(web)
    path, client = web.link("play", match_id, mover), web.client()
    post_form(client, client.get(path).text, f"{path}/takeback")
    answer = post_form(client, client.get(path).text, f"{path}/takeback/withdraw")
    assert "Your request is withdrawn." in Page(client.get(answer.location).text).words
    other = web.link("play", match_id, (mover + 1) % 3)
    assert "asks to take back" not in client.get(other).text


@pytest.mark.long
def test_a_mover_reads_once_that_luck_prevents_a_take_back(web: Web) -> None:
    match_id = web.start(game="hexen-rennen")
    for _ in range(30):
        mover = play_first_asked(web, match_id)
        path = web.link("play", match_id, mover)
        if "Luck has spoken" in words_of_own_item(web.client().get(f"{path}?done=1").text):
            assert words_of_own_item(web.client().get(path).text) == ""
            return
    raise AssertionError("no luck in thirty moves")


@pytest.mark.long
def test_an_old_link_to_a_question_that_was_taken_back_says_so(web: Web) -> None:
    match_id = web.start(game="niigata")
    key = match_views.read_sheet(web.site, match_id, 0).asks[0].key
    mover = play_first_asked(web, match_id)
    path, client = web.link("play", match_id, mover), web.client()
    post_form(client, client.get(path).text, f"{path}/takeback")
    assert "This question was taken back" in Page(client.get(f"{path}?ask={key}").text).words


@pytest.mark.long
def test_the_take_back_bar_is_translated_into_french(web: Web) -> None:
    match_id = web.start(game="niigata")
    mover = play_first_asked(web, match_id)
    with web.site.writing() as session:
        session.connection().exec_driver_sql("UPDATE players SET language = 'fr'")
    page = web.client("fr").get(f"{web.link('play', match_id, mover)}?done=1").text
    assert "Reprendre" in page
    assert "Take back" not in page


@pytest.mark.long
def test_the_replay_tells_of_a_take_back(web: Web) -> None:
    match_id = web.start(game="niigata")
    mover = play_first_asked(web, match_id)
    path, client = web.link("play", match_id, mover), web.client()
    post_form(client, client.get(path).text, f"{path}/takeback")
    shown = client.get(f"/replay/{match_id}?lang=en").text
    assert f"{CAST[mover]} takes back a move." in Page(shown).words


@pytest.mark.long
def test_one_asked_again_sees_the_take_back_offer_only_after_the_move(web: Web) -> None:
    match_id = web.start(game="niigata")
    for _ in range(60):
        mover = play_first_asked(web, match_id)
        path = web.link("play", match_id, mover)
        if match_views.read_sheet(web.site, match_id, 0).asks[0].seat == mover:
            page = web.client().get(path).text
            if "No one has seen it yet." in words_of_own_item(page):
                assert item_in_sight(page) != words_of_own_item(page)
                assert item_in_sight(web.client().get(f"{path}?news=mine0").text) == words_of_own_item(page)
                assert item_in_sight(web.client().get(f"{path}?done=1").text) == words_of_own_item(page)
                return
    raise AssertionError("nobody was asked again in sixty moves")
