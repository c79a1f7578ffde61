"""A player's own matches: which are listed, filters, and stable pages."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.api.access_tokens import make_program, sign_in
from tests.api.cast import Api, Caller, Table, check_problem, json_of
from tests.api.protocol.document import checker, document
from tests.table import MovedClock

__all__ = ["document"]


def ids_of_page(caller: Caller, query: str = "") -> list[str]:
    """The matches of a page."""
    return [match["id"] for match in json_of(caller.get(f"/me/matches{query}"))["matches"]]


def several_matches(rest: Api, clock: MovedClock, count: int) -> list[str]:
    """Matches in which Alice, Bob and Carol sit, the newest first."""
    begun = []
    for _ in range(count):
        begun.append(rest.start())
        clock.forward(seconds=1)
    return begun[::-1]


@pytest.mark.long
def test_the_match_list_summarises_each_match_for_its_player(rest: Api, document: dict[str, Any]) -> None:
    match_id = rest.start()
    told = json_of(sign_in(rest, "Bob").get("/me/matches"))
    checker(document, "MyMatches").validate(told)
    names = ("Alice", "Bob", "Carol")
    ask = next(a for a in json_of(rest.caller().get(f"/matches/{match_id}"))["asks"] if a["seat"] == 1)
    assert told == {
        "matches": [
            {
                "id": match_id, "game": "hogen", "status": "running", "version": 1, "seat": 1,
                "seat_status": "accepted", "asked": True, "deadline": ask["deadline"],
                "players": [
                    {"seat": n, "name": name, "bot": None, "status": "accepted"} for n, name in enumerate(names)
                ],
                "outcome": None, "cancelled": None, "rematch_of": None, "created_at": "2026-03-12T12:00:00Z",
                "started_at": "2026-03-12T12:00:00Z", "ended_at": None,
            }
        ],
        "next": None,
    }  # fmt: skip


@pytest.mark.long
def test_only_ones_own_matches_are_listed(rest: Api) -> None:
    mine, others = rest.start(), rest.start(("Dave", "Bob", "Carol"))
    assert ids_of_page(sign_in(rest, "Alice")) == [mine]
    assert ids_of_page(sign_in(rest, "Dave")) == [others]
    assert set(ids_of_page(sign_in(rest, "Bob"))) == {mine, others}


@pytest.mark.long
def test_an_invitation_is_listed_once_the_organiser_has_confirmed(rest: Api) -> None:
    other = rest.start(("Bob", "Carol", "Dave"))
    match_id = rest.create()
    bob = sign_in(rest, "Bob")
    assert ids_of_page(bob) == [other]
    json_of(rest.caller().post(f"/confirm/{rest.token('confirm', match_id, 0)}", {"language": "en", "zone": "UTC"}))
    assert ids_of_page(bob) == [match_id, other] or ids_of_page(bob) == [other, match_id]
    assert ids_of_page(bob, "?seat=invited") == [match_id]
    assert ids_of_page(bob, "?seat=accepted") == [other]
    json_of(rest.caller().post(f"/invitation/{rest.token('invitation', match_id, 1)}/decline", {}))
    assert ids_of_page(bob) == [other]


def test_a_player_seated_and_also_invited_sees_the_match_once(rest: Api) -> None:
    match_id = rest.create()
    nobody = rest.caller()
    json_of(nobody.post(f"/confirm/{rest.token('confirm', match_id, 0)}", {"language": "en", "zone": "UTC"}))
    json_of(rest.caller(rest.token("play", match_id, 0)).put(f"/matches/{match_id}/seats/1", {"open": True}))
    sheet = json_of(rest.caller(rest.token("play", match_id, 0)).get(f"/matches/{match_id}"))
    join = sheet["seats"][1]["join"].rpartition("/")[2]
    claim = {"name": "Ally", "email": "alice@example.org", "language": "en", "zone": "UTC"}
    json_of(nobody.post(f"/join/{join}", claim))
    listed = json_of(sign_in(rest, "Alice").get("/me/matches"))["matches"]
    assert [(one["id"], one["seat"], one["seat_status"]) for one in listed] == [(match_id, 0, "accepted")]
    assert ids_of_page(sign_in(rest, "Alice"), "?seat=invited") == []


def test_filters_narrow_the_match_list(rest: Api, clock: MovedClock) -> None:
    other = rest.start(game="hagakure")
    running, waiting = several_matches(rest, clock, 2)
    called_off = rest.start()
    question = Table(rest, waiting)
    question.play(0, question.ask(0)["legal"][0])
    alice = sign_in(rest, "Alice")
    json_of(rest.caller(rest.token("play", called_off, 0)).get(f"/matches/{called_off}"))
    assert set(ids_of_page(alice)) == {other, running, waiting, called_off}
    assert ids_of_page(alice, "?game=hagakure") == [other]
    assert ids_of_page(alice, "?game=chess") == []
    assert waiting not in ids_of_page(alice, "?turn=true")
    assert waiting in ids_of_page(alice, "?turn=false")
    assert set(ids_of_page(alice, "?turn=true") + ids_of_page(alice, "?turn=false")) == set(ids_of_page(alice))
    assert set(ids_of_page(alice, "?status=running,over&game=hogen&turn=true")) == {running, called_off}
    assert ids_of_page(alice, "?status=over") == []


def test_the_match_list_says_that_a_match_was_withdrawn(rest: Api) -> None:
    match_id = rest.create()
    json_of(rest.caller().post(f"/confirm/{rest.token('confirm', match_id, 0)}", {"language": "en", "zone": "UTC"}))
    alice = rest.caller(rest.token("play", match_id, 0))
    json_of(alice.post(f"/matches/{match_id}/withdraw", {}))
    (off,) = json_of(sign_in(rest, "Alice").get("/me/matches?status=cancelled"))["matches"]
    assert (off["cancelled"], off["outcome"], off["asked"], off["deadline"]) == ("withdrawn", None, False, None)


@pytest.mark.long
@pytest.mark.parametrize("limit", [1, 2, 3, 7])
def test_pages_of_the_match_list_hold_every_match_once_newest_first(rest: Api, clock: MovedClock, limit: int) -> None:
    begun = several_matches(rest, clock, 5)
    bob, seen, query = sign_in(rest, "Bob"), [], f"?limit={limit}"
    while query:
        page = bob.get(f"/me/matches{query}")
        assert len(json_of(page)["matches"]) <= limit
        seen += [match["id"] for match in json_of(page)["matches"]]
        link = re.fullmatch(r'<https?://[^/]+/api/v1/me/matches(\?.+)>; rel="next"', page.headers.get("Link", ""))
        assert (link is None) == (json_of(page)["next"] is None)
        query = link[1] if link else ""
    assert seen == begun


@pytest.mark.long
def test_matches_begun_at_the_same_moment_are_each_on_one_page(rest: Api) -> None:
    begun = {rest.start() for _ in range(3)}
    bob, seen, after = sign_in(rest, "Bob"), [], ""
    for _ in begun:
        page = json_of(bob.get(f"/me/matches?limit=1{after}"))
        seen += [match["id"] for match in page["matches"]]
        after = f"&after={page['next']}"
    assert sorted(seen, reverse=True) == seen
    assert set(seen) == begun


def test_a_match_that_begins_between_two_pages_repeats_and_hides_none(rest: Api, clock: MovedClock) -> None:
    begun = several_matches(rest, clock, 4)
    bob = sign_in(rest, "Bob")
    first = json_of(bob.get("/me/matches?limit=2"))
    newest = rest.start()
    rest_of_it = json_of(bob.get(f"/me/matches?limit=2&after={first['next']}"))
    assert [match["id"] for page in (first, rest_of_it) for match in page["matches"]] == begun
    assert rest_of_it["next"] is None
    assert ids_of_page(bob)[0] == newest


def test_the_next_page_of_the_match_list_keeps_the_filters(rest: Api, clock: MovedClock) -> None:
    several_matches(rest, clock, 3)
    link = sign_in(rest, "Bob").get("/me/matches?limit=1&status=running&turn=true&lang=fr").headers["Link"]
    for part in ("limit=1", "status=running", "turn=true", "lang=fr", "after="):
        assert part in link


@pytest.mark.sample(8)
@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("after=x", "after"), ("after=", "after"), ("after=%00", "after"), ("after=é", "after"),
        ("after=MjAyNi0wMy0xMg.x", "after"), ("after=" + "A" * 300, "after"), ("status=won", "status"),
        ("status=", "status"), ("status=running,", "status"), ("turn=1", "turn"), ("turn=", "turn"),
        ("seat=declined", "seat"), ("limit=0", "limit"), ("limit=101", "limit"), ("limit=x", "limit"),
        ("page=2", "page"), ("game=" + "x" * 41, "game"),
    ],
)  # fmt: skip
def test_an_invalid_filter_of_the_match_list_is_refused_and_named(rest: Api, query: str, field: str) -> None:
    rest.start()
    said = check_problem(sign_in(rest, "Bob").get(f"/me/matches?{query}"), 422, "invalid")
    assert list(said["fields"]) == [field]


@pytest.mark.long
def test_the_etag_of_the_match_list_changes_with_the_list(rest: Api) -> None:
    match_id = rest.start()
    bob = sign_in(rest, "Bob")
    tag = bob.get("/me/matches").headers["ETag"]
    assert bob.get("/me/matches", **{"If-None-Match": tag}).status_code == 304
    started = Table(rest, match_id)
    started.play(1, started.ask(1)["legal"][0])
    assert bob.get("/me/matches", **{"If-None-Match": tag}).status_code == 200


def test_seat_tokens_and_strangers_have_no_match_list(rest: Api) -> None:
    match_id = rest.start()
    for token in (None, "garbage", rest.token("play", match_id, 0)):
        check_problem(rest.caller(token).get("/me/matches"), 401, "unauthorized")


def test_a_personal_token_with_the_read_scope_lists_matches(rest: Api) -> None:
    match_id = rest.start()
    assert ids_of_page(make_program(rest, "Bob", ["read"])) == [match_id]
    check_problem(
        make_program(rest, "Bob", ["play", "create"], label="other").get("/me/matches"), 403, "insufficient_scope"
    )


def test_the_match_list_holds_no_token_and_no_mail_address(rest: Api) -> None:
    rest.start()
    told = json.dumps(json_of(sign_in(rest, "Alice").get("/me/matches")))
    assert "example.org" not in told
    assert "token" not in told
