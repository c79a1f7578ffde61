"""Open seats over the API: asked for, given to the organiser alone, claimed by their link."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sqlmodel import select

from pbem.models.tables import OutboxRow, SeatRow
from pbem.services.lobby import matches, rematches
from pbem.services.play.bots import play_quick_bots
from pbem.services.site import Site
from pbem.services.tokens import PlayClaim
from pbem.services.who import STRANGER
from tests.api.cast import READER, Api, Table, body_of_match, check_problem, json_of
from tests.harness.cases import cases

OPEN = {"seats": [*body_of_match()["seats"][:2], {"open": True}]}


@pytest.fixture
def table(rest: Api) -> Table:
    """Alice's match with Bob invited and the third seat open."""
    match_id = json_of(rest.caller().post("/matches", body_of_match() | OPEN), 201)["id"]
    assert rest.caller().post(f"/confirm/{rest.token('confirm', match_id, 0)}", READER).status_code == 200
    return Table(rest, match_id)


def join_links(answer: Any) -> list[str | None]:
    return [seat["join"] for seat in json_of(answer)["seats"]]


def path_of(table: Table) -> str:
    link = join_links(table.alice.get(table.path))[2]
    assert link is not None
    return "/join/" + link.rpartition("/")[2]


CAROL = {"name": "Carol", "email": "carol@example.org"}


@pytest.mark.long
def test_only_the_organisers_sheet_holds_the_link_of_an_open_seat(table: Table) -> None:
    table.api.caller().post(f"/invitation/{table.api.token('invitation', table.id, 1)}/accept", READER)
    mine = join_links(table.alice.get(table.path))
    assert mine[:2] == [None, None]
    assert str(mine[2]).startswith(table.api.site.url("/join/"))
    for other in (table.bob, table.charlie):
        answer = other.get(table.path)
        assert join_links(answer) == [None] * 3
        assert "/join/" not in answer.text
    assert json_of(table.charlie.get(table.path))["seats"][2]["status"] == "open"


@pytest.mark.long
def test_claiming_a_seat_and_accepting_its_mail_begins_the_match(table: Table) -> None:
    nobody = table.charlie
    nobody.post(f"/invitation/{table.api.token('invitation', table.id, 1)}/accept", READER)
    assert json_of(nobody.post(path_of(table), CAROL | READER)) == {
        "id": table.id,
        "seat": 2,
        "status": "inviting",
        "warnings": [],
    }
    with table.api.site.reading() as session:
        epoch = session.get_one(SeatRow, (table.id, 2)).epoch
    accepted = nobody.post(f"/invitation/{table.api.token('invitation', table.id, 2, epoch)}/accept", READER)
    assert json_of(accepted)["status"] == "running"
    assert join_links(table.alice.get(table.path)) == [None] * 3


@pytest.mark.long
def test_claiming_a_seat_answers_alike_for_known_and_unknown_addresses(table: Table) -> None:
    path, answers = path_of(table), []
    for email in ("carol@example.org", "charlie@example.org", "bob@example.org", "alice@example.org"):
        answer = table.charlie.post(path, {"name": "Zoe", "email": email})
        seat = json_of(table.charlie.get(table.path))["seats"][2]
        answers.append((answer.status_code, answer.data, seat))
    assert answers == answers[:1] * 4


@pytest.mark.long
@cases(
    "change, wrong",
    [
        ({"name": ""}, "name"),
        ({"name": "bob"}, "name"),
        ({"email": "nobody"}, "email"),
        ({"zone": "Mars/Base"}, "zone"),
        ({"language": "xx"}, "language"),
        ({"open": True}, "open"),
        ({"name": None}, "name"),
    ],
)
def test_an_invalid_claim_of_a_seat_names_the_wrong_field(table: Table, change: dict[str, Any], wrong: str) -> None:
    path = path_of(table)
    before = table.trace()
    said = check_problem(table.charlie.post(path, CAROL | change), 422, "invalid")
    assert set(said["fields"]) == {wrong}
    assert table.trace() == before


def test_a_wrong_link_to_an_open_seat_or_of_a_cancelled_match_is_refused(table: Table) -> None:
    path = path_of(table)
    for token in ("x", table.api.token("play", table.id, 0), table.api.token("join", table.id, 1, 1)):
        check_problem(table.charlie.post(f"/join/{token}", CAROL), 401, "unauthorized")
    matches.cancel_or_leave_match(
        table.api.site, table.api.site.tokens.read(PlayClaim, table.api.token("play", table.id, 0))
    )
    check_problem(table.charlie.post(path, CAROL), 409, "gone")


@cases("seat", [{"open": False}, {"open": 1}, {"open": True, "name": "Carol"}, {"open": True, "bot": "random"}])
def test_a_seat_is_refused_if_open_is_not_true_or_beside_a_name_or_bot(rest: Api, seat: dict[str, Any]) -> None:
    said = check_problem(
        rest.caller().post("/matches", body_of_match() | {"seats": [*OPEN["seats"][:2], seat]}), 422, "invalid"
    )
    assert all(path.startswith("seats.2.") for path in said["fields"])


def test_the_organisers_own_seat_cannot_be_open(rest: Api) -> None:
    said = check_problem(
        rest.caller().post("/matches", body_of_match() | {"seats": [{"open": True}] * 3}), 422, "invalid"
    )
    assert set(said["fields"]) == {"seats.0.open"}


@pytest.mark.long
def test_in_production_one_network_can_claim_a_limited_number_of_seats(make_site: Callable[..., Site]) -> None:
    rest = Api(make_site(mode="production"))
    match_id = json_of(rest.caller().post("/matches", body_of_match() | OPEN), 201)["id"]
    rest.caller().post(f"/confirm/{rest.token('confirm', match_id, 0)}", READER)
    table = Table(rest, match_id)
    path = path_of(table)
    for number in range(20):
        claim = {"name": "Carol", "email": f"c{number}@example.org"}
        assert table.charlie.post(path, claim).status_code == 200
    said = table.charlie.post(path, CAROL)
    check_problem(said, 429, "too_many")
    assert int(said.headers["Retry-After"]) > 0
    with rest.site.reading() as session:
        assert len(session.exec(select(OutboxRow).where(OutboxRow.kind == "invitation")).all()) == 21


@pytest.mark.long
def test_the_sheet_of_a_finished_match_names_its_rematch(rest: Api) -> None:
    seats = [body_of_match()["seats"][0], {"bot": "random"}]
    game = {"game": "allegeance", "seats": seats, "options": {"target": 1}}
    match_id = json_of(rest.caller().post("/matches", game), 201)["id"]
    rest.caller().post(f"/confirm/{rest.token('confirm', match_id, 0)}", READER)
    table = Table(rest, match_id)
    assert json_of(table.charlie.get(table.path))["rematch"] is None
    for _ in range(300):
        play_quick_bots(rest.site)
        if not table.seats_asked():
            break
        table.play(0, table.ask(0)["legal"][0])
    assert json_of(table.charlie.get(table.path))["rematch"] is None
    again = rematches.find_or_create_rematch(
        rest.site, rest.site.tokens.read(PlayClaim, rest.token("play", match_id, 0)), STRANGER
    ).match_id
    assert json_of(table.charlie.get(table.path))["rematch"] == again
