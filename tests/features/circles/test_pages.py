"""The pages of circles: who sees them, the press that joins, says yes, starts a match and leaves."""

from __future__ import annotations

import re

import pytest
from flask.testing import FlaskClient

from pbem.features.circles import claims, founding, joining, sheets
from pbem.features.circles.claims import CircleClaim, MemberClaim
from pbem.features.circles.occasions import run_standing_tables
from pbem.services.mail import sender
from pbem.services.players import players
from tests.table import address_of
from tests.web.cast import Page, Web


def id_of_player(web: Web, name: str) -> int:
    """The id of one of the cast, whose address is proven."""
    with web.site.writing() as work:
        found = players.find_or_add(work, address_of(name), "en", web.site.now())
        found.verified_at = web.site.now()
        work.flush()
        assert found.id is not None
        return found.id


@pytest.fixture
def circle(web: Web) -> str:
    """The id of Alice's circle, which Bob and Carol have joined."""
    made = founding.found_circle(web.site, id_of_player(web, "Alice"), "Les Lacs", "Alice")
    for name in ("Bob", "Carol"):
        joining.join_signed_in(web.site, CircleClaim(made, 0), id_of_player(web, name), name)
    return made


def member_claim(web: Web, circle: str, name: str) -> MemberClaim:
    return sheets.claim_of_player(web.site, id_of_player(web, name), circle)


def path_of_member_page(web: Web, circle: str, name: str) -> str:
    """The path of the member's page, as the mails of the circle have it."""
    return f"/circle/member/{web.site.tokens.sign(member_claim(web, circle, name))}"


def sign_in(web: Web, name: str) -> FlaskClient:
    """A browser in which one of the cast is signed in."""
    client = web.client()
    answer = client.post(f"/account/{web.site.tokens.for_account(id_of_player(web, name), 0, web.site.now())}")
    assert answer.status_code == 303
    return client


def token_of(page: str) -> str:
    """The session's token in the forms of the page."""
    found = re.search(r'name="csrf_token" value="([^"]+)"', page)
    assert found is not None
    return found[1]


@pytest.mark.long
def test_a_circles_page_is_404_for_everybody_but_members(web: Web, circle: str) -> None:
    assert "Carol" in sign_in(web, "Bob").get(f"/circle/{circle}").text
    for client in (web.client(), sign_in(web, "Dave")):
        hidden, none = (client.get(f"/circle/{one}") for one in (circle, "0" * 24))
        assert (hidden.status_code, none.status_code) == (404, 404)
        assert hidden.text.replace(circle, "") == none.text.replace("0" * 24, "")
        assert "Les Lacs" not in hidden.text


@pytest.mark.long
def test_the_home_page_names_circles_to_members_only(web: Web, circle: str) -> None:
    assert "Les Lacs" in sign_in(web, "Bob").get("/").text
    for client in (web.client(), sign_in(web, "Dave")):
        for path in ("/", "/new"):
            assert Page(client.get(path).text).words.lower().count("circle") == 1, "in the navigation"
    assert "Les Lacs" in sign_in(web, "Bob").get("/new").text


def test_a_stranger_joins_by_the_link_with_one_mail_and_one_press(web: Web, circle: str) -> None:
    path, client = f"/circle/join/{web.site.tokens.sign(claims.CircleClaim(circle, 0))}", web.client()
    assert "Les Lacs" in client.get(path).text
    form = {"name": "Dave", "address": "dave@example.org", "language": "en", "zone": "Europe/Paris"}
    assert client.post(path, data=form).headers["Location"] == f"{path}/sent"
    assert client.get(f"{path}/sent").status_code == 200
    dave = sheets.claim_of_player(web.site, id_of_player(web, "Dave"), circle)
    mailed = f"/circle/member/{web.site.tokens.sign(dave)}"
    asked = client.get(mailed).text
    assert "Carol" not in asked
    pressed = client.post(f"{mailed}/accept", data=form)
    assert pressed.headers["Location"] == f"{mailed}?done=joined"
    assert "Carol" in client.get(mailed).text


def test_a_signed_in_player_joins_a_circle_at_once(web: Web, circle: str) -> None:
    path, client = f"/circle/join/{web.site.tokens.sign(claims.CircleClaim(circle, 0))}", sign_in(web, "Dave")
    page = client.get(path).text
    assert client.post(path, data={"name": "Dave"}).status_code == 400
    assert client.post(path, data={"name": "Bob", "csrf_token": token_of(page)}).status_code == 422
    done = client.post(path, data={"name": "Dave", "csrf_token": token_of(page)})
    assert done.headers["Location"] == f"/circle/{circle}?done=joined"


def test_a_circle_match_is_started_by_ticking_members_names(web: Web, circle: str) -> None:
    client, path = sign_in(web, "Alice"), f"/circle/{circle}/match"
    page = client.get(f"{path}?game=hogen").text
    assert "@" not in re.sub(r"bob@example\.org|alice@example\.org", "", Page(page).words)
    others = [str(member_claim(web, circle, name).member_id) for name in ("Bob", "Carol")]
    form = {"game": "hogen", "member": others, "spectators": "1", "csrf_token": token_of(page)}
    begun = client.post(path, data=form)
    assert begun.status_code == 303
    assert begun.headers["Location"].startswith("/play/")
    assert "Bob" in client.get(begun.headers["Location"]).text
    wrong = client.post(path, data=form | {"word": "x" * 50})
    assert wrong.status_code == 200
    assert "at most 40" in wrong.text


def test_a_weekly_table_is_set_up_and_answered_from_a_mail_by_one_press(web: Web, circle: str) -> None:
    client, alice = web.client(), path_of_member_page(web, circle, "Alice")
    form = {"game": "hogen", "weekday": "6", "hour": "18", "zone": "Europe/Paris"}
    assert client.post(f"{alice}/weekly", data=form).headers["Location"] == f"{alice}?done=weekly"
    run_standing_tables(web.site)
    bob = path_of_member_page(web, circle, "Bob")
    asked = client.get(f"{bob}/occasion/1?say=yes").text
    assert "Yes, I play" in asked
    assert client.post(f"{bob}/say", data={"occasion": "1", "say": "yes"}).headers["Location"] == f"{bob}?done=yes"
    assert "Bob plays." in client.get(alice).text
    client.post(f"{bob}/say", data={"occasion": "1", "say": "no"})
    assert "Bob does not." in client.get(alice).text
    assert client.post(f"{alice}/stop", data={"table": "1"}).headers["Location"] == f"{alice}?done=stopped"
    assert "too late" in client.get(f"{bob}/occasion/1").text


def test_a_press_leaves_a_circle_but_one_click_unsubscribe_only_mutes(web: Web, circle: str) -> None:
    client, bob = web.client(), path_of_member_page(web, circle, "Bob")
    click = client.post(f"{bob}/mails", data={"List-Unsubscribe": "One-Click"})
    assert (click.status_code, click.text) == (200, "ok")
    assert sheets.read_circle_briefly(web.site, member_claim(web, circle, "Bob")).you.muted
    client.post(f"{bob}/mails", data={"muted": "0"})
    assert not sheets.read_circle_briefly(web.site, member_claim(web, circle, "Bob")).you.muted
    assert "You have left" in client.post(f"{bob}/leave").text
    assert [one.name for one in sheets.read_circle(web.site, member_claim(web, circle, "Alice")).members] == [
        "Alice",
        "Carol",
    ]
    assert client.post(f"{bob}/leave").status_code == 200
    assert client.post(f"{bob}/rename", data={"title": "Bob’s"}).status_code == 409


def test_an_open_circles_page_shows_only_consenting_members_names(web: Web, circle: str) -> None:
    client, alice, bob = (
        web.client(),
        path_of_member_page(web, circle, "Alice"),
        path_of_member_page(web, circle, "Bob"),
    )
    client.post(f"{bob}/list", data={"listed": "1"})
    assert client.post(f"{bob}/open", data={"open": "1"}).status_code == 403
    client.post(f"{alice}/open", data={"open": "1"})
    shown = web.client().get(f"/circle/{circle}")
    assert shown.status_code == 200
    assert "Bob and 2 others" in Page(shown.text).words
    assert "Alice" not in shown.text


def test_inviting_by_address_shows_the_same_answer_for_any_address(web: Web, circle: str) -> None:
    client, alice = web.client(), path_of_member_page(web, circle, "Alice")
    answers = [
        client.post(f"{alice}/invite", data={"people": people})
        for people in ("Zoe <zoe@example.org>", "bob@example.org", "zoe@example.org")
    ]
    assert {answer.headers["Location"] for answer in answers} == {f"{alice}?done=invited"}
    assert "zoe" not in client.get(alice).text.lower()
    assert sender.drain(web.site) == 1
