"""Circles through `pbem.client`: founded, joined and played in by programs of their members."""

from __future__ import annotations

import re
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from pbem.client import Circle, Pbem, Refused
from pbem.features.circles.occasions import run_standing_tables
from pbem.services.results import tallying
from tests.api.access_tokens import make_program
from tests.api.cast import READER, Table, json_of
from tests.api.client import HERE, Wire, problem_answer
from tests.table import MovedClock, play_out

PAGE = Path(__file__).parents[4] / "docs" / "api.md"
EXAMPLES = re.compile(r"```python\n(.*?)```", re.DOTALL)
_numbers = count(1)


@pytest.fixture
def wire(hogen: Table) -> Wire:
    return Wire(hogen.api)


def program_of_player(hogen: Table, wire: Wire, name: str) -> Pbem:
    """A program of one of those at the table."""
    return Pbem(
        HERE, make_program(hogen.api, name, label=f"bot {next(_numbers)}").token, opener=wire, sleep=lambda _: None
    )


@pytest.fixture
def circle(hogen: Table, wire: Wire) -> Circle:
    """Alice's circle, as her program sees it; Bob has joined it by its link."""
    founded = program_of_player(hogen, wire, "Alice").found_circle("Les Lacs", "Alice")
    assert program_of_player(hogen, wire, "Bob").join_circle(founded.sheet()["join_url"], "Bob").id == founded.id
    return founded


def names_of_members(circle: Circle) -> list[str]:
    """The names of the members."""
    return [one["name"] for one in circle.sheet()["members"]]


def test_a_circle_is_founded_once_and_stands_in_the_lists_of_its_members(hogen: Table, wire: Wire) -> None:
    alice = program_of_player(hogen, wire, "Alice")
    wire.lost_answers = 1
    founded = alice.found_circle("Les Lacs", "Alice", key="lakes")
    assert alice.found_circle("Les Lacs", "Alice", key="lakes").id == founded.id
    assert [(one["title"], one["status"]) for one in alice.circles()] == [("Les Lacs", "member")]
    assert program_of_player(hogen, wire, "Bob").circles() == []


def test_the_founder_renames_the_circle_opens_it_and_renews_its_link(
    hogen: Table, wire: Wire, circle: Circle
) -> None:  # fmt: skip
    changed = circle.change(title="Les Étangs", open=True)
    assert (changed["title"], changed["open"]) == ("Les Étangs", True)
    old = circle.sheet()["join_url"]
    new = circle.renew_link()
    assert new != old
    carol = program_of_player(hogen, wire, "Carol")
    with pytest.raises(Refused):
        carol.join_circle(old, "Carol")
    carol.join_circle(new.rpartition("/")[2], "Carol")
    assert names_of_members(circle) == ["Alice", "Bob", "Carol"]
    circle.remove("Carol")
    assert names_of_members(circle) == ["Alice", "Bob"]


def test_the_client_joins_a_circle_of_an_older_site_at_its_old_url(hogen: Table, wire: Wire) -> None:
    founded = program_of_player(hogen, wire, "Alice").found_circle("Les Lacs", "Alice")
    link = founded.sheet()["join_url"]
    bob = program_of_player(hogen, wire, "Bob")
    wire.first = [problem_answer(404, "not_found")]
    assert bob.join_circle(link, "Bob").id == founded.id
    token = link.rpartition("/")[2]
    tried = [request.full_url.removeprefix(f"{HERE}/api/v1") for request in wire.seen[-2:]]
    assert tried == [f"/circle-links/{token}", f"/circles/join/{token}"]
    assert names_of_members(founded) == ["Alice", "Bob"]


def test_a_player_who_is_invited_accepts_or_declines(hogen: Table, wire: Wire, circle: Circle) -> None:
    other = program_of_player(hogen, wire, "Bob").found_circle("Les Étangs", "Bob")
    circle.invite("carol@example.org", "Caro")
    other.invite("carol@example.org")
    carol = program_of_player(hogen, wire, "Carol")
    assert {one["id"]: one["status"] for one in carol.circles()} == {circle.id: "invited", other.id: "invited"}
    assert carol.circle(circle.id).accept("Carol")["status"] == "member"
    carol.circle(other.id).decline()
    assert {one["id"]: one["status"] for one in carol.circles()} == {circle.id: "member"}
    assert names_of_members(circle) == ["Alice", "Bob", "Carol"]


def test_a_member_mutes_the_circle_shows_their_name_and_leaves(hogen: Table, wire: Wire, circle: Circle) -> None:
    bob = program_of_player(hogen, wire, "Bob").circle(circle.id)
    changed = bob.change_membership(muted=True, listed=True)
    assert (changed["muted"], changed["listed"]) == (True, True)
    bob.leave()
    assert names_of_members(circle) == ["Alice"]
    with pytest.raises(Refused) as refused:
        bob.leave()
    assert (refused.value.code, refused.value.again) == ("not_found", False)


def test_the_client_leaves_and_declines_once_although_answers_are_lost(
    hogen: Table, wire: Wire, circle: Circle
) -> None:
    bob, carol = (program_of_player(hogen, wire, name).circle(circle.id) for name in ("Bob", "Carol"))
    circle.invite("carol@example.org")
    wire.lost_answers = 1
    carol.decline()
    wire.lost_answers, wire.lost_method = 1, "DELETE"
    bob.leave()
    assert wire.lost_answers == 0
    assert names_of_members(circle) == ["Alice"]


@pytest.mark.long
def test_declining_without_an_invitation_is_refused(hogen: Table, wire: Wire, circle: Circle) -> None:
    wire.first = [problem_answer(503, "busy", **{"Retry-After": "1"})]
    with pytest.raises(Refused, match="404 not_found"):
        program_of_player(hogen, wire, "Carol").circle(circle.id).decline()


def test_the_client_starts_a_circle_match_that_counts_in_the_standings(
    hogen: Table, wire: Wire, circle: Circle
) -> None:
    assert circle.standings() == []
    match = circle.start("hogen", ["Bob"], bots=["random"], key="one")
    assert circle.start("hogen", ["Bob"], bots=["random"], key="one").id == match.id
    assert [(seat["name"], seat["status"]) for seat in match.sheet()["seats"][:2]] == [
        ("Alice", "accepted"), ("Bob", "invited"),
    ]  # fmt: skip
    assert circle.sheet()["matches"] == [match.id]
    invitation = hogen.api.token("invitation", match.id, 1)
    json_of(hogen.api.caller().post(f"/invitation/{invitation}/accept", READER))
    play_out(hogen.api.site, match.id)
    tallying.tally_matches(hogen.api.site)
    (standings,) = circle.standings()
    assert (standings["game"], standings["matches"]) == ("hogen", 1)
    assert sorted(one["name"] for one in standings["scores"]) == ["Alice", "Bob"]


def test_the_client_takes_names_and_ids_and_refuses_an_unknown_name(circle: Circle, wire: Wire) -> None:
    by_name = {one["name"]: one["id"] for one in circle.sheet()["members"]}
    before = len(wire.seen)
    assert circle.start("hogen", [by_name["Bob"]], open=1).id
    assert [request.get_method() for request in wire.seen[before:]] == ["POST"]
    with pytest.raises(ValueError, match="Charlie"):
        circle.start("hogen", ["Bob", "Charlie"])
    assert len(circle.sheet()["matches"]) == 1


def test_the_client_sets_up_a_weekly_table_and_stops_it(
    hogen: Table, wire: Wire, circle: Circle, clock: MovedClock
) -> None:
    table = circle.set_up_table("hogen", 6, 18, "Europe/Paris", clock={"turn_s": 86_400}, key="sundays")
    assert circle.set_up_table("hogen", 6, 18, "Europe/Paris", clock={"turn_s": 86_400}, key="sundays") == table
    with pytest.raises(Refused, match="409 gone"):
        circle.answer_table(table["id"])
    run_standing_tables(hogen.api.site)
    bob = program_of_player(hogen, wire, "Bob")
    assert [one["asks"] for one in bob.circles()] == [True]
    assert bob.circle(circle.id).answer_table(table["id"])["yes"] == ["Bob"]
    assert bob.circle(circle.id).answer_table(table["id"], yes=False)["no"] == ["Bob"]
    with pytest.raises(Refused, match="403 forbidden"):
        bob.circle(circle.id).stop_table(table["id"])
    circle.stop_table(table["id"])
    assert circle.sheet()["tables"] == []


@pytest.mark.long
def test_the_docs_circle_example_accepts_says_yes_and_starts_a_match(
    hogen: Table, wire: Wire, circle: Circle
) -> None:  # fmt: skip
    (example,) = (text for text in EXAMPLES.findall(PAGE.read_text()) if "circles()" in text)
    circle.invite("carol@example.org", "Carol")
    given: dict[str, Any] = {
        "token": make_program(hogen.api, "Carol").token,
        "Pbem": lambda _, token: Pbem(HERE, token, opener=wire),
    }
    exec(example, given)  # it is ours
    assert names_of_members(circle) == ["Alice", "Bob", "My bot"]
    (match_id,) = circle.sheet()["matches"]
    seats = json_of(hogen.api.caller().get(f"/matches/{match_id}"))["seats"]
    assert [seat["name"] for seat in seats] == ["My bot", "Alice", "Bob"]
    circle.set_up_table("hogen", 6, 18, "Europe/Paris")
    run_standing_tables(hogen.api.site)
    exec(example, given)
    assert circle.sheet()["tables"][0]["yes"] == ["My bot"]
