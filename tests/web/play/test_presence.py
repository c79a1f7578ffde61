"""Absence and resignation on the page of a seat: one click to come back, a confirmation to resign."""

from __future__ import annotations

from datetime import timedelta

import pytest

from pbem.models.tables import SeatRow
from pbem.services.clock import holidays
from pbem.services.mail import sender
from pbem.services.play import presence, timeouts
from pbem.services.views import match_views
from tests.table import MovedClock, claim_of, submit_answer
from tests.web.cast import Page, Web, items_in


def mark_absent(web: Web, match_id: str, seat: int) -> None:
    """Marks the seat as absent."""
    with web.site.writing() as session:
        row = session.get_one(SeatRow, (match_id, seat))
        row.absent, row.misses = True, 2


def test_a_player_who_is_absent_comes_back_with_one_click(web: Web, hogen: str) -> None:
    mark_absent(web, hogen, 1)
    client = web.client()
    alice, bob = (web.link("play", hogen, seat) for seat in (0, 1))
    assert "is absent; the clock moves" in client.get(alice).text
    assert f"{bob}/back" in client.get(bob).text
    assert "I am back" not in client.get(alice).text
    answer = client.post(f"{bob}/back")
    assert answer.status_code == 303
    shown = client.get(answer.location).text
    assert "You are back at the table." in Page(shown).words
    assert "I am back" not in shown
    assert "is absent" not in client.get(alice).text


@pytest.mark.long
def test_the_etag_of_a_page_changes_when_a_player_becomes_absent(web: Web, hogen: str) -> None:
    alice, client = web.link("play", hogen, 0), web.client()
    tag = client.get(alice).headers["ETag"]
    assert client.get(alice, headers={"If-None-Match": tag}).status_code == 304
    mark_absent(web, hogen, 1)
    assert client.get(alice, headers={"If-None-Match": tag}).status_code == 200


@pytest.mark.long
def test_resigning_asks_first_and_looking_changes_nothing(web: Web, hogen: str) -> None:
    bob, client = web.link("play", hogen, 1), web.client()
    assert f"{bob}/resign" in client.get(bob).text
    before = web.everything()
    asked = client.get(f"{bob}/resign")
    assert "cannot be undone" in asked.text
    assert asked.headers["Cache-Control"] == "no-store"
    assert client.get(f"{bob}/back").location == bob
    assert web.everything() == before
    answer = client.post(f"{bob}/resign")
    assert answer.status_code == 303
    assert Page(client.get(answer.location).text).words.count("You have resigned") == 2, "in the title and as headline"
    assert "has resigned" in client.get(f"/match/{hogen}").text
    assert client.post(f"{bob}/back").status_code == 409
    assert Page(client.get(f"{bob}/resign").text).forms == []


@pytest.mark.long
def test_a_player_who_has_resigned_has_nothing_to_do_and_sees_no_clock(web: Web, hogen: str) -> None:
    sender.drain(web.site)
    bob, client = web.link("play", hogen, 1), web.client()
    before = Page(client.get(bob).text)
    assert before.hrefs("opt")
    assert "left" in before.words
    assert "choose your ally" in before.words
    presence.resign(web.site, claim_of(web.site, hogen, 1))
    assert any(ask.seat == 1 for ask in match_views.read_sheet(web.site, hogen, 1).asks), "the clock has not played yet"
    after = Page(client.get(bob).text)
    assert ">You have resigned</h1>" in after.text
    assert "left" not in after.words
    assert "choose your ally" not in after.words, "the board asks nothing of them either"
    assert not [href for href in after.hrefs() if "pick=" in href], "on the board neither"
    assert "What you can do" not in after.words
    assert "Your moves are automatic until the end." in after.words
    assert 'class="due"' in client.get(web.link("play", hogen, 0)).text


@pytest.mark.long
def test_without_scripts_a_waiting_page_has_a_reload_link(web: Web, hogen: str) -> None:
    presence.resign(web.site, claim_of(web.site, hogen, 1))
    client = web.client()
    for seat, offered in ((0, False), (1, True)):
        path = web.link("play", hogen, seat)
        page = client.get(path).text
        assert (f'<noscript><a class="ctl" href="{path}">Reload the page</a></noscript>' in page) == offered


def test_the_page_of_a_paused_match_says_that_it_is_paused(web: Web, hogen: str) -> None:
    with web.site.writing() as session:
        for seat in range(3):
            session.get_one(SeatRow, (hogen, seat)).absent = True
    presence.resign(web.site, claim_of(web.site, hogen, 2))
    assert "The match is paused" in web.client().get(web.link("play", hogen, 0)).text


def test_the_other_players_vote_on_a_late_player_on_their_pages(web: Web, clock: MovedClock) -> None:
    match_id = web.start(late="vote")
    for seat in (0, 2):  # a late player has no vote
        view = match_views.read_view(web.site, match_id, seat)
        assert view.ask is not None
        submit_answer(web.site, match_id, seat, view.ask.key, view.legal()[0], "web")
    sender.drain(web.site)
    clock.forward(days=4)
    timeouts.sweep_deadlines(web.site)
    alice, bob, client = web.link("play", match_id, 0), web.link("play", match_id, 1), web.client()
    shown = client.get(alice).text
    assert items_in(shown, "asked") == ["The time of Bob is up. Let the clock move? 0 of 2 votes Let it move"]
    assert client.post(f"{alice}/vote", data={"late": "1"}).status_code == 303
    assert items_in(client.get(alice).text, "asked") == ["The time of Bob is up. Let the clock move? 1 of 2 votes"]
    assert client.post(f"{alice}/vote", data={"late": "0"}).status_code == 409
    assert client.post(f"{alice}/vote", data={"late": "x"}).status_code == 409
    client.post(f"{web.link('play', match_id, 2)}/vote", data={"late": "1"})
    assert items_in(client.get(alice).text, "asked") == []
    assert "the clock moved for you" in client.get(f"{bob}?ask=t0.ally1&pick=ally-F1").text


@pytest.mark.long
def test_after_the_deadline_pages_show_the_grace_and_then_the_clocks_move(web: Web, clock: MovedClock) -> None:
    match_id = web.start()
    sender.drain(web.site)
    bob, client = web.link("play", match_id, 1), web.client()
    assert "left" in Page(client.get(bob).text).words
    assert "Extra time till" not in client.get(bob).text
    clock.forward(days=3, minutes=1)
    for path in (bob, f"/match/{match_id}"):
        assert "Time is up. Extra time till" in Page(client.get(path).text).words
    clock.forward(hours=6)
    assert "Extra time till" not in client.get(bob).text
    assert "Time is up." in client.get(bob).text
    timeouts.sweep_deadlines(web.site)
    assert "Automatic move by <b>Bob</b>." in client.get(bob).text


def test_the_seat_page_shows_each_time_bank_and_who_is_on_holiday(web: Web, clock: MovedClock) -> None:
    match_id = web.start(bank_s=5 * 86_400, increment_s=3600)
    client = web.client()
    said = Page(client.get(web.link("play", match_id, 0)).text).words.replace("\u00a0", " ")
    assert said.count("5 d in the bank") == 3
    with web.site.reading() as session:
        carol = session.get_one(SeatRow, (match_id, 2)).player_id
    assert carol is not None
    holidays.add_holiday(web.site, carol, clock().date(), clock().date() + timedelta(days=3))
    said = Page(client.get(web.link("play", match_id, 0)).text).words.replace("\u00a0", " ")
    assert "on holiday until Sunday 15 March · 5 d in the bank" in said
    presence.resign(web.site, claim_of(web.site, match_id, 2))
    said = Page(client.get(f"/match/{match_id}").text).words.replace("\u00a0", " ")
    assert said.count("in the bank") == 2


@pytest.mark.long
def test_the_page_to_resign_warns_before_the_button_that_it_ends_the_match(web: Web, hogen: str) -> None:
    client = web.client()
    carol, bob = (web.link("play", hogen, seat) for seat in (2, 1))
    asked = Page(client.get(f"{carol}/resign").text)
    assert "The match goes on without you" in asked.words
    assert "ends the match" not in asked.words
    presence.resign(web.site, claim_of(web.site, hogen, 2))
    before = web.everything()
    asked = Page(client.get(f"{bob}/resign").text)
    assert "This ends the match: Alice wins." in asked.words
    assert "The match goes on" not in asked.words
    assert asked.text.index("This ends the match") < asked.text.index("<button")
    assert "La partie se termine alors\u00a0: Alice gagne." in web.client().get(f"{bob}/resign?lang=fr").text
    assert web.everything() == before
    answer = client.post(f"{bob}/resign")
    assert answer.status_code == 303
    over = Page(client.get(answer.location).text)
    assert "Alice won" in over.words
    assert Page(client.get(f"{bob}/resign").text).forms == []


@pytest.mark.long
def test_a_player_who_resigns_just_after_the_others_reads_that_they_won(web: Web, hogen: str) -> None:
    for seat in (0, 2):
        presence.resign(web.site, claim_of(web.site, hogen, seat))
    bob, client = web.link("play", hogen, 1), web.client()
    answer = client.post(f"{bob}/resign")
    assert answer.status_code == 409
    said = Page(answer.text).words
    assert "The match is not being played." in said
    assert "You won" in said
