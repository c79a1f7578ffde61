"""One navigation on all pages: the same entries in the same order, where one is, and how many matches wait."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from flask.testing import FlaskClient
from sqlalchemy import event
from sqlmodel import select

from pbem.models.tables import Player
from pbem.services.play import presence
from pbem.services.views import match_views
from tests.harness.cases import cases
from tests.table import claim_of, submit_answer
from tests.web.cast import Page, Web, sign_in
from tests.web.everywhere import Everywhere
from tests.web.lobby.guests import play_now

ENTRY = re.compile(r'<a href="([^"]+)"(?: aria-current="(\w+)")?>(\w+)(?: <i[^>]*>(\d+)</i>)?')
OWN = re.compile(r'<a class="me" href="([^"]+)"[^>]*><i aria-hidden="true">(\w?)')


def entries_of_navigation(text: str, before: str = '<nav class="entries"') -> list[tuple[str, str, str, str]]:
    """The entries of the page: address, `aria-current`, title, number."""
    return ENTRY.findall(text[text.index(before) :].partition("</ul>")[0])


def number_in_navigation(client: FlaskClient, path: str = "/") -> str:
    return entries_of_navigation(client.get(path).text)[1][3]


def test_every_page_has_the_same_navigation(everywhere: Everywhere) -> None:
    for path in everywhere.paths:
        text = everywhere.answer(path).text
        said = [(href, title) for href, _, title, _ in entries_of_navigation(text)]
        ways = [("/games", "Play"), ("/links", "Matches"), ("/circles", "Circles"), ("/leagues", "Leagues")]
        assert said == ways, path
        assert OWN.findall(text) == [("/signup", "")], path


def test_the_menu_of_a_seat_begins_with_the_entries_of_the_navigation(web: Web, hogen: str) -> None:
    for client, own in ((web.client(), ("/signup", "Sign")), (sign_in(web, "bob"), ("/me", "Preferences"))):
        text = client.get(web.link("play", hogen, 1)).text
        *entries, (href, _, title, _) = entries_of_navigation(text, '<ul class="ways"')
        assert entries == entries_of_navigation(text) != []
        assert (href, title) == own


def test_the_navigation_landmark_has_an_accessible_name(web: Web) -> None:
    for lang, name in (("en", "Main"), ("fr", "Principale")):
        assert f'<nav class="entries" aria-label="{name}">' in web.client(lang).get("/games").text


@cases(
    "path, here",
    [
        ("/", [("Play", "true")]),
        ("/games", [("Play", "page")]),
        ("/new", [("Play", "true")]),
        ("/links", [("Matches", "page")]),
        ("/circles", [("Circles", "page")]),
        ("/leagues", [("Leagues", "page")]),
        ("/help", []),
    ],
)
def test_the_navigation_marks_the_current_page_for_a_stranger(web: Web, path: str, here: list[tuple[str, str]]) -> None:
    assert [(title, now) for _, now, title, _ in entries_of_navigation(web.client().get(path).text) if now] == here


def test_the_navigation_marks_the_current_page_for_a_signed_in_player(web: Web, hogen: str) -> None:
    client = sign_in(web, "bob")
    text = client.get("/").text
    assert entries_of_navigation(text)[:2] == [("/games", "", "Play", ""), ("/", "page", "Matches", "1")]
    assert OWN.findall(text) == [("/me", "B")]
    assert 'class="me" href="/me" aria-current="page"' in client.get("/me").text


def test_the_navigation_counts_own_turns_and_open_invitations(web: Web, hogen: str) -> None:
    client = sign_in(web, "bob")
    assert number_in_navigation(client) == "1"
    invited = web.create()
    assert number_in_navigation(client) == "1", "nobody is told before the organiser confirms"
    web.confirm(invited)
    assert [number_in_navigation(client, path) for path in ("/", "/games", "/me", "/circles", "/new")] == ["2"] * 5
    view = match_views.read_view(web.site, hogen, 1)
    assert view.ask is not None
    submit_answer(web.site, hogen, 1, view.ask.key, view.legal()[0], "api")
    assert number_in_navigation(client) == "1"
    presence.resign(web.site, claim_of(web.site, web.start(), 1))
    assert number_in_navigation(client) == "1"


def test_seat_and_public_pages_do_not_count_waiting_matches(web: Web, hogen: str) -> None:
    client, other = sign_in(web, "bob"), web.start()
    view = match_views.read_view(web.site, hogen, 1)
    assert view.ask is not None
    submit_answer(web.site, hogen, 1, view.ask.key, view.legal()[0], "api")
    seats = [web.link("play", match_id, 1) for match_id in (hogen, other)]
    assert f'class="next" href="{seats[1]}"' in client.get(f"{seats[0]}?done=1").text, (
        "this page reads who is signed in"
    )
    for path in (*seats, f"{seats[0]}?done=1", f"/match/{hogen}", "/help"):
        assert number_in_navigation(client, path) == "", path
        assert OWN.findall(client.get(path).text) == [("/me", "")], path
        assert entries_of_navigation(client.get(path).text)[1][0] == "/", path
    assert count_statements(web, lambda: client.get(f"/match/{hogen}")) == count_statements(
        web, lambda: web.client().get(f"/match/{hogen}")
    )


def count_statements(web: Web, do: Callable[[], object]) -> int:
    said: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        said.append(statement)

    event.listen(web.site.engine, "before_cursor_execute", note)
    try:
        do()
    finally:
        event.remove(web.site.engine, "before_cursor_execute", note)
    return len(said)


def test_the_navigation_of_a_guest_counts_their_waiting_matches(web: Web) -> None:
    client = web.client()
    play_now(client, "hogen")
    text = client.get("/").text
    assert entries_of_navigation(text)[1] == ("/", "page", "Matches", "1")
    assert OWN.findall(text) == [("/me", "G")]


def test_a_session_that_has_ended_has_the_navigation_of_a_stranger(web: Web, hogen: str) -> None:
    client = sign_in(web, "alice")
    with web.site.writing() as session:
        session.exec(select(Player).where(Player.canonical == "alice@example.org")).one().epoch += 1
    assert entries_of_navigation(client.get("/").text)[1][0] == "/links"


def test_signing_in_changes_the_etag_of_public_pages(web: Web, hogen: str) -> None:
    tag = web.client().get(f"/match/{hogen}").headers["ETag"]
    assert web.client().get(f"/match/{hogen}", headers={"If-None-Match": tag}).status_code == 304
    assert sign_in(web, "bob").get(f"/match/{hogen}", headers={"If-None-Match": tag}).status_code == 200


def test_the_navigation_has_no_entry_for_a_feature_that_is_off(make_web: Callable[..., Web]) -> None:
    web = make_web(features=("leagues",))
    assert [title for _, _, title, _ in entries_of_navigation(web.client().get("/").text)] == [
        "Play",
        "Matches",
        "Leagues",
    ]


def test_the_list_of_circles_tells_a_stranger_what_a_circle_is(web: Web) -> None:
    page = Page(web.client().get("/circles").text)
    assert "A circle is a group of friends" in page.words
    assert "/signup" in page.hrefs("ctl")
    assert not page.forms
    guest = web.client()
    play_now(guest, "hogen")
    assert "/me/address" in Page(guest.get("/circles").text).hrefs("ctl")
