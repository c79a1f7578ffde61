"""The form for taking a seat through its link, whether the seat is open or abandoned by its player."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from pbem.services.lobby import matches
from pbem.services.lobby.match_request import Invitee, NewMatch, OpenSeat
from pbem.services.play import presence
from pbem.services.views import match_views
from pbem.services.who import STRANGER
from tests.harness.forms import same_each_time
from tests.table import address_of, claim_of
from tests.web.cast import CHARLIE, Page, Web, path_of, seat_link, secret_of, sign_in
from tests.web.lobby.joining import join_links, start_open_match
from tests.web.lobby.start import values_of_inputs


class Offered(NamedTuple):
    """A seat, the path of its link, and what the seat's page says to a player who has just taken it."""

    match_id: str
    seat: int
    path: str
    welcome: str


@pytest.fixture(params=["join", "substitute"])
def open_seat(web: Web, request: pytest.FixtureRequest) -> Offered:
    """The open seat of Alice's match, or the one that Bob has resigned from."""
    if request.param == "join":
        match_id, seat, welcome = start_open_match(web), 2, "You have your seat"
    else:
        match_id, seat, welcome = web.start(), 1, "The seat is yours: from now on you play here."
        presence.resign(web.site, claim_of(web.site, match_id, seat))
    (path,) = join_links(web, match_id)
    assert path.startswith(f"/{request.param}/")
    return Offered(match_id, seat, path, welcome)


@pytest.mark.long
def test_viewing_the_pages_of_free_seats_changes_nothing(web: Web, open_seat: Offered) -> None:
    before = web.everything()
    for looked in (open_seat.path, f"{open_seat.path}/sent"):
        assert web.client().get(looked).status_code == 200
        assert web.client().head(looked).status_code == 200
    assert web.everything() == before


@pytest.mark.long
def test_asking_for_a_free_seat_answers_alike_for_known_and_new_addresses(web: Web, open_seat: Offered) -> None:
    answers = []
    for name in ("charlie", "alice", "bob"):
        answer = web.client().post(open_seat.path, data={**CHARLIE, "address": f"{name}@example.org"})
        page = web.client().get(path_of(answer))
        headers = {name: value for name, value in answer.headers if name != "X-Request-ID"}
        shown = [same_each_time(one.data) for one in (page, web.client().get(open_seat.path))]
        answers.append((answer.status_code, headers, shown))
    assert path_of(answer) == f"{open_seat.path}/sent"
    assert answers == answers[:1] * 3


@pytest.mark.long
def test_an_invalid_form_for_a_free_seat_keeps_everything_typed(web: Web, open_seat: Offered) -> None:
    before = web.everything()
    for change, hint in (
        ({"name": "ALICE"}, "Two players are called"),
        ({"name": ""}, "Every player needs a name."),
        ({"address": "charlie@"}, "is not an email address"),
        ({"language": "xx"}, "The language must be"),
        ({"zone": "Mars/Base"}, "Mars/Base"),
    ):
        typed = {**CHARLIE, **change}
        answer = web.client().post(open_seat.path, data=typed)
        assert answer.status_code == 422
        page = Page(answer.text)
        assert any(known.get("role") == "alert" or "aria-invalid" in known for _, known in page.tags)
        assert hint in page.words
        assert (values_of_inputs(page)["name"], values_of_inputs(page)["address"]) == (typed["name"], typed["address"])
    assert web.everything() == before


@pytest.mark.long
def test_names_that_look_alike_are_told_only_while_the_seat_may_be_taken(web: Web) -> None:
    seats = [Invitee(name, address_of(name.lower())) for name in ("Alice", "Bob")]
    wanted = NewMatch("hogen", [*seats, OpenSeat()], language="en", spectators=False)
    match_id = matches.create_match(web.site, STRANGER, wanted)
    web.confirm(match_id)
    web.rename(match_id, 1, "AIice")  # as at a table that is older than the refusal of such names
    (path,) = join_links(web, match_id)
    assert "look alike" in web.client().get(f"{path}/sent").text
    matches.cancel_or_leave_match(web.site, claim_of(web.site, match_id, 0))
    text = web.client().get(f"{path}/sent").text
    assert "look alike" not in text
    assert "AIice" not in text


@pytest.mark.long
def test_a_made_up_link_to_a_free_seat_opens_nothing(web: Web, open_seat: Offered) -> None:
    play = web.link("play", open_seat.match_id, 0).rpartition("/")[2]
    way, token = open_seat.path.rsplit("/", 1)
    for wrong in ("x", token[:-1], play):
        assert web.client().get(f"{way}/{wrong}").status_code == 401
        assert web.client().post(f"{way}/{wrong}", data=CHARLIE).status_code == 401
        assert web.client().get(f"{way}/{wrong}/sent").status_code == 401


@pytest.mark.long
def test_a_signed_in_player_takes_the_seat_at_once_by_the_forms_own_secret(web: Web, open_seat: Offered) -> None:
    web.confirm(web.create(("Dave", "Alice", "Carol")))
    client = sign_in(web, "dave")
    text = client.get(open_seat.path).text
    assert values_of_inputs(Page(text))["name"] == "Dave"
    before = web.everything()
    assert client.post(open_seat.path, data={"name": "Dave"}).status_code == 400
    assert web.everything() == before
    answer = client.post(open_seat.path, data={"name": "Dave", "csrf_token": secret_of(text)})
    seat = seat_link(web, open_seat.match_id, open_seat.seat)
    assert path_of(answer).partition("?")[0] == seat
    assert open_seat.welcome in Page(client.get(path_of(answer)).text).words
    assert match_views.read_sheet(web.site, open_seat.match_id, None).names[open_seat.seat] == "Dave"
    assert seat in Page(client.get(open_seat.path).text).hrefs()


@pytest.mark.long
def test_a_player_who_sits_at_the_table_already_is_led_to_their_seat(web: Web, open_seat: Offered) -> None:
    page = Page(sign_in(web, "alice").get(open_seat.path).text)
    assert "You are in this match" in page.words
    assert web.link("play", open_seat.match_id, 0) in page.hrefs()
    assert page.forms == []
