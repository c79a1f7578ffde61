"""The first page: for anybody, and for signed-in players."""

from __future__ import annotations

import re
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import event
from sqlmodel import select

from pbem.models.tables import Player
from pbem.services.lobby import matches
from pbem.services.lobby.match_request import BotSeat, Invitee, NewMatch, OpenSeat
from pbem.services.log.cancellation import cancel_match_for_host
from pbem.services.play import presence
from pbem.services.players.players import find_or_add
from pbem.services.views import match_views
from pbem.services.who import STRANGER
from tests.table import MovedClock, address_of, claim_of, submit_answer
from tests.web.cast import Page, Web, choose_move, path_of, press_only_button, sign_in
from tests.web.lobby.guests import play_now


@pytest.fixture
def table(web: Web, hogen: str, clock: MovedClock) -> dict[str, str]:
    """Bob's list: a turn of Bob's, another player's turn, an invitation, an open table, and a finished match."""
    clock.forward(minutes=1)
    waiting = web.start()
    view = match_views.read_view(web.site, waiting, 1)
    assert view.ask is not None
    submit_answer(web.site, waiting, 1, view.ask.key, view.legal()[0], "api")
    clock.forward(minutes=1)
    over = web.start()
    cancel_match_for_host(web.site, over)
    invited = web.create()
    web.confirm(invited)
    return {"turn": hogen, "waiting": waiting, "over": over, "invited": invited}


def test_the_home_page_shows_a_stranger_games_and_no_match_list(web: Web) -> None:
    page = Page(web.client().get("/").text)
    assert "Board games, one email at a time" in page.words
    assert "My matches" not in page.words
    assert {"/new?game=hogen", "/new", "/links"} <= set(page.hrefs())


@pytest.mark.long
def test_the_match_list_orders_own_turns_invitations_running_and_finished(web: Web, table: dict[str, str]) -> None:
    client = sign_in(web, "bob")
    page = Page(client.get("/").text)
    ways = [href for href in page.hrefs() if href.startswith(("/play", "/invitation"))]
    assert ways == [
        web.link("play", table["turn"], 1),
        web.link("invitation", table["invited"], 1),
        web.link("play", table["waiting"], 1),
        web.link("play", table["over"], 1),
    ]
    places = [page.text.index(f">{title}") for title in ("Your turn: 1", "Invitations: 1", "Others are up: 1", "Over")]
    assert places == sorted(places)
    assert page.text.count('<ul class="mine now">') == 2, "what waits for Bob stands out"


@pytest.mark.long
def test_each_listed_match_names_opponents_open_question_and_deadline(web: Web, table: dict[str, str]) -> None:
    said = Page(sign_in(web, "bob").get("/").text).words
    assert "Choose your ally Hogen · Alice and Carol 2 d 23 h left" in said
    assert "Waiting for Alice and Carol Hogen · Alice and Carol 2 d 23 h left" in said
    assert "The host has stopped it." in said
    assert "Alice invites you to play" in said


@pytest.mark.long
def test_the_match_list_is_private_and_viewing_it_writes_nothing(web: Web, table: dict[str, str]) -> None:
    client = sign_in(web, "bob")
    before = web.everything()
    answer = client.get("/")
    assert answer.headers["Cache-Control"] == "no-store"
    assert "Set-Cookie" not in answer.headers
    assert web.everything() == before
    assert "bob@example.org" not in answer.text
    assert "carol@example.org" not in answer.text


@pytest.mark.long
def test_the_match_list_folds_away_all_but_three_finished_matches(web: Web, clock: MovedClock) -> None:
    for _ in range(5):
        clock.forward(minutes=1)
        cancel_match_for_host(web.site, web.start())
    page = Page(sign_in(web, "alice").get("/").text)
    assert "2 more" in page.words
    before = page.text[: page.text.index("<details>")]
    assert before.count("The host has stopped it.") == 3
    assert page.text.count("The host has stopped it.") == 5


def test_a_session_that_has_ended_shows_the_page_of_a_stranger(web: Web, hogen: str) -> None:
    client = sign_in(web, "alice")
    with web.site.writing() as session:
        session.exec(select(Player).where(Player.canonical == "alice@example.org")).one().epoch += 1
    page = Page(client.get("/").text)
    assert "My matches" not in page.words
    assert web.link("play", hogen, 0) not in page.text


@pytest.mark.long
def test_preferences_have_a_page_of_their_own_without_the_match_list(web: Web, hogen: str) -> None:
    client = sign_in(web, "alice")
    assert "/me" in Page(client.get("/").text).hrefs()
    page = Page(client.get("/me").text)
    assert "Preferences" in page.words
    assert web.link("play", hogen, 0) not in page.hrefs()
    assert "/me/results" in page.hrefs("ctl")


@pytest.mark.long
def test_the_match_list_links_to_the_results_of_a_player_but_no_guest(web: Web, hogen: str) -> None:
    client = sign_in(web, "alice")
    cancel_match_for_host(web.site, hogen)
    assert "/me/results" in Page(client.get("/").text).hrefs()
    guest = web.client()
    play_now(guest, "hogen")
    assert "/me/results" not in Page(guest.get("/").text).hrefs(), "a guest has none"


def test_a_player_without_a_match_reads_that_they_are_in_none(web: Web) -> None:
    with web.site.writing() as session:
        find_or_add(session, address_of("dave"), "en", web.site.now())
    page = Page(sign_in(web, "dave").get("/").text)
    assert "You are not in any match yet." in page.words


def test_the_match_list_counts_the_free_seats_of_a_match(web: Web) -> None:
    alice = Invitee("Alice", address_of("Alice"))
    for free, said in ((1, "1 free seat"), (2, "2 free seats")):
        wanted = NewMatch("hogen", [alice, BotSeat("random"), *[OpenSeat()] * free], language="en")
        match_id = matches.create_match(web.site, STRANGER, wanted)
        web.confirm(match_id)
        bot = match_views.read_sheet(web.site, match_id, 0).names[1]
        assert f"Hogen · {bot} and {said}" in Page(sign_in(web, "alice").get("/").text).words


def test_a_match_that_lacks_players_is_listed_as_waiting_for_players(web: Web, hogen: str) -> None:
    web.confirm(web.create())
    said = Page(sign_in(web, "alice").get("/").text).words
    assert said.index("Your turn: 1") < said.index("Waiting for players: 1")
    assert "Others are up" not in said


def test_each_listed_match_has_the_cover_of_its_game_and_no_board(web: Web, table: dict[str, str]) -> None:
    web.start(game="niigata")
    page = Page(sign_in(web, "bob").get("/").text)
    assert page.text.count('<svg class="cover') == 5
    assert {known["id"] for tag, known in page.tags if known.get("id", "").startswith("cover-")} == {
        "cover-hogen", "cover-niigata",
    }  # fmt: skip
    assert not [known for tag, known in page.tags if tag == "svg" and "Bob" in known.get("aria-label", "")]
    ids = [known["id"] for _, known in page.tags if "id" in known]
    assert len(ids) == len(set(ids))


@pytest.mark.long
def test_the_match_list_puts_the_nearest_deadline_first(web: Web, clock: MovedClock) -> None:
    later = web.start()
    clock.forward(minutes=1)
    sooner = web.start(turn_s=3600)
    page = Page(sign_in(web, "bob").get("/").text)
    ways = [href for href in page.hrefs() if href.startswith("/play/")]
    assert ways == [web.link("play", sooner, 1), web.link("play", later, 1)]


@pytest.mark.long
def test_a_match_resigned_from_is_listed_last_without_clock(web: Web, clock: MovedClock) -> None:
    running = web.start()
    view = match_views.read_view(web.site, running, 1)
    assert view.ask is not None
    submit_answer(web.site, running, 1, view.ask.key, view.legal()[0], "api")
    clock.forward(minutes=1)
    resigned = web.start()
    presence.resign(web.site, claim_of(web.site, resigned, 1))
    assert match_views.read_sheet(web.site, resigned, 1).seats[1].asked, "the automatic move is still to come"
    page = Page(sign_in(web, "bob").get("/").text)
    assert "Your turn" not in page.words
    ways = [href for href in page.hrefs() if href.startswith("/play")]
    assert ways == [web.link("play", running, 1), web.link("play", resigned, 1)]
    assert page.words.count(" left") == 1, "of the running match"
    assert "You have resigned" in page.words


@pytest.mark.long
def test_the_match_list_shows_no_deadlines_of_bots(web: Web) -> None:
    client = web.client()
    path = play_now(client, "hogen")
    assert path_of(press_only_button(client, choose_move(client, path, lambda links: links[0]))) == f"{path}?done=1"
    home = Page(client.get("/").text).words
    assert "Waiting for" in home
    assert " left" not in home
    match_id = path.rpartition("/")[2].partition(".")[0]
    watched = Page(web.client().get(f"/match/{match_id}").text).words
    assert "Waiting for" in watched
    assert " left" not in watched
    assert "take your time" not in watched
    asks = web.client().get(f"/api/v1/matches/{match_id}").get_json()["asks"]
    assert asks
    assert {(ask["deadline"], ask["grace_until"]) for ask in asks} == {(None, None)}


SIGN = re.compile(r'<title>bot</title><use href="#bot"')


@pytest.mark.long
def test_the_boards_of_a_seat_its_replay_and_its_spectators_mark_bots(web: Web) -> None:
    client = web.client()
    path = play_now(client, "hogen")
    match_id = path.rpartition("/")[2].partition(".")[0]
    for one in (path, f"{path}/replay?viewer=0", f"/match/{match_id}"):
        drawn = client.get(one).text
        board = drawn[drawn.index('<figure class="board') :]
        assert SIGN.search(board[: board.index("</figure>")]), one
        assert '<symbol id="bot"' in drawn
    people = web.client().get(web.link("play", web.start(), 1)).text
    assert not SIGN.search(people[people.index('<figure class="board') :])


def statements_of_home(web: Web, client: FlaskClient) -> list[str]:
    """The statements that the list costs."""
    said: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        said.append(statement)

    event.listen(web.site.engine, "before_cursor_execute", note)
    try:
        assert client.get("/").status_code == 200
    finally:
        event.remove(web.site.engine, "before_cursor_execute", note)
    return said


def test_the_match_list_reads_no_log_and_costs_the_same_at_any_length(web: Web) -> None:
    web.start()
    client = sign_in(web, "bob")
    few = statements_of_home(web, client)
    for _ in range(6):
        web.start()
    many = statements_of_home(web, client)
    assert not [one for one in many if re.search(r"\b(entries|archives|folds)\b", one)]
    # With the beginnings of transactions; circles and seasons cost one statement each no matter who has none.
    assert len(many) == len(few) <= 13
