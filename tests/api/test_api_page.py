"""The answers shown in docs/api.md are the real ones."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from tests.api.access_tokens import sign_in
from tests.api.cast import Api, Table, check_problem, json_of
from tests.harness.cases import cases

DOCS = Path(__file__).parents[2] / "docs"


def section_of_page(heading: str) -> str:
    """The text below this heading, up to the next one."""
    text = (DOCS / "api.md").read_text()
    return re.split(r"^#+ ", text.partition(f"# {heading}\n")[2], flags=re.MULTILINE)[0]


def test_the_docs_example_of_losing_a_race_is_the_actual_response(rest: Api) -> None:
    shown = json.loads(re.findall(r"```json\n(.*?)```", section_of_page("Losing a race"), re.DOTALL)[0])
    table = Table(rest, rest.start(("Alice", "Bob", "Carol", "Dave"), game="allegeance", clock={"windows": "at_once"}))
    asks: dict[int, Any] = {}
    for _ in range(100):
        asks = {seat: json_of(table.seat(seat).get(f"{table.path}/ask")) for seat in range(4)}
        racing = [seat for seat, told in asks.items() if told["ask"] and told["ask"]["kind"] == "answer"]
        if len(racing) == 3:
            break
        seat, told = next((seat, told) for seat, told in asks.items() if told["ask"])
        answer = {"key": told["ask"]["key"], "move": told["legal"][0]["move"]}
        json_of(table.seat(seat).post(f"{table.path}/moves", answer), 201)
    (announcer,) = {0, 1, 2, 3} - {*racing}
    first, second = (announcer + 1) % 4, (announcer + 2) % 4  # the one who sits nearest challenges before all others
    won = {"key": asks[first]["ask"]["key"], "text": "challenge"}
    json_of(table.seat(first).post(f"{table.path}/moves", won), 201)
    before = table.trace()
    lost = {"key": asks[second]["ask"]["key"], "text": "challenge"}
    told = check_problem(table.seat(second).post(f"{table.path}/moves", lost), 409, "stale")
    assert told == shown
    assert told["ask"] is None
    assert table.trace() == before


def test_only_whole_quiet_hours_are_accepted(hogen: Table) -> None:
    alice = sign_in(hogen.api, "Alice")
    sent = {"zone": "Europe/Paris", "weekends_off": False, "quiet": {"from": 22, "to": 7}}
    assert json_of(alice.put("/me/calendar", sent))["quiet"] == sent["quiet"]
    for wrong in (22.5, "22:00", 24, -1):
        said = check_problem(alice.put("/me/calendar", {**sent, "quiet": {"from": wrong, "to": 7}}), 422, "invalid")
        assert list(said["fields"]) == ["quiet.from"]


@cases("link", ["join", "substitute"])
def test_links_to_seats_are_in_the_seat_objects_as_the_docs_say(hogen: Table, link: str) -> None:
    assert f"`{link}`, the link to " in " ".join(section_of_page("Fields of a seat").split())
    sheet = json_of(hogen.alice.get(hogen.path))
    assert link not in sheet
    assert all(link in seat for seat in sheet["seats"])


def test_the_docs_name_the_page_of_each_games_notation(rest: Api) -> None:
    said = section_of_page("Notation")
    assert "/docs/api/notation/<slug>" in said
    rules = {rule.rule for rule in rest.app.url_map.iter_rules()}
    assert "/docs/api/notation/<slug>" in rules
