"""How a program manages a table: seats before the start, resigning, rematches."""

from __future__ import annotations

from typing import Any

import pytest

from pbem.models.tables import OutboxRow, SeatRow, table
from pbem.services.lobby import joining, match_request
from pbem.services.lobby import matches as services
from pbem.services.tokens import PlayClaim
from tests.api.access_tokens import make_program, sign_in
from tests.api.cast import READER, Api, Caller, Table, check_problem, json_of
from tests.api.protocol.document import checker, document
from tests.harness.cases import cases

__all__ = ["document"]


@pytest.fixture
def inviting(rest: Api) -> Table:
    """A match that Alice has confirmed, with Bob and Carol invited."""
    table = Table(rest, rest.create())
    json_of(rest.caller().post(f"/confirm/{rest.token('confirm', table.id, 0)}", READER))
    return table


def change_seat(inviting: Table, number: int, what: dict[str, Any], caller: Caller | None = None) -> Any:
    """Changes a seat, by default with the organiser's token; returns the answer."""
    return (caller or inviting.alice).put(f"{inviting.path}/seats/{number}", what)


def mails_in_outbox(api: Api, kind: str) -> list[Any]:
    """The mails of a kind in the outbox."""
    with api.site.reading() as session:
        found = session.execute(table(OutboxRow).select()).all()
    return [row for row in found if row.kind == kind]


# --- seats ---------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_seat_goes_to_a_bot_to_a_link_or_to_somebody_else(inviting: Table, document: dict[str, Any]) -> None:
    opened = json_of(change_seat(inviting, 1, {"open": True}))
    checker(document, "MatchSheet").validate(opened)
    assert (opened["seats"][1]["status"], opened["seats"][1]["name"]) == ("open", "?")
    assert opened["seats"][1]["join"].startswith(inviting.api.site.config.url)
    named = json_of(change_seat(inviting, 1, {"name": "Dave", "email": "dave@example.org"}))
    assert (named["seats"][1]["status"], named["seats"][1]["name"]) == ("invited", "Dave")
    filled = json_of(change_seat(inviting, 1, {"bot": "random"}))
    assert (filled["seats"][1]["status"], filled["seats"][1]["bot"]) == ("accepted", "random")
    assert filled["status"] == "inviting"


def test_filling_the_last_seat_begins_the_match(inviting: Table) -> None:
    json_of(change_seat(inviting, 1, {"bot": "random"}))
    begun = json_of(change_seat(inviting, 2, {"bot": "random"}))
    assert (begun["status"], begun["version"]) == ("running", 1)
    check_problem(change_seat(inviting, 2, {"bot": "random"}), 409, "gone")


def test_giving_a_seat_away_ends_its_former_link_and_mails_the_new_invitee(inviting: Table) -> None:
    api = inviting.api
    bob = api.token("invitation", inviting.id, 1)
    before = len(mails_in_outbox(api, "invitation"))
    json_of(change_seat(inviting, 1, {"name": "Dave", "email": "dave@example.org"}))
    check_problem(api.caller().post(f"/invitation/{bob}/accept", READER), 409, "gone")
    assert len(mails_in_outbox(api, "invitation")) == before + 1


def test_giving_a_seat_to_the_same_guest_again_changes_nothing(inviting: Table) -> None:
    first = json_of(change_seat(inviting, 1, {"name": "Dave", "email": "dave@example.org"}))
    before = inviting.trace()
    assert json_of(change_seat(inviting, 1, {"name": "Dave", "email": "dave@example.org"})) == first
    assert inviting.trace() == before


@pytest.mark.long
def test_a_seat_whose_player_has_accepted_cannot_be_given_away(inviting: Table) -> None:
    json_of(
        inviting.api.caller().post(f"/invitation/{inviting.api.token('invitation', inviting.id, 1)}/accept", READER)
    )
    before = inviting.trace()
    for what in ({"bot": "random"}, {"open": True}, {"name": "Dave", "email": "dave@example.org"}):
        check_problem(change_seat(inviting, 1, what), 409, "gone")
    check_problem(change_seat(inviting, 0, {"bot": "random"}), 409, "gone")
    assert inviting.trace() == before


@pytest.mark.long
def test_only_the_organiser_gives_seats_away(inviting: Table, dave: Caller) -> None:
    json_of(
        inviting.api.caller().post(f"/invitation/{inviting.api.token('invitation', inviting.id, 1)}/accept", READER)
    )
    before = inviting.trace()
    check_problem(change_seat(inviting, 2, {"bot": "random"}, inviting.bob), 403, "forbidden")
    check_problem(change_seat(inviting, 2, {"bot": "random"}, dave), 403, "forbidden")
    check_problem(change_seat(inviting, 2, {"bot": "random"}, inviting.charlie), 401, "unauthorized")
    check_problem(change_seat(inviting, 2, {"bot": "random"}, make_program(inviting.api, "Bob")), 403, "forbidden")
    reading = make_program(inviting.api, "Alice", ["read", "play"], label="reads")
    check_problem(change_seat(inviting, 2, {"bot": "random"}, reading), 403, "insufficient_scope")
    assert inviting.trace() == before
    json_of(change_seat(inviting, 2, {"bot": "random"}, make_program(inviting.api, "Alice", ["create"])))


@cases(
    "what, field",
    [
        ({"bot": "deep"}, "bot"),
        ({"bot": "random", "open": True}, "bot"),
        ({"open": False}, "open"),
        ({"name": "Dave"}, "email"),
        ({"name": "Carol", "email": "dave@example.org"}, "name"),
        ({"name": "Dave", "email": "carol@example.org"}, "email"),
        ({"name": "Dave", "email": "nobody"}, "email"),
        ({"name": "http://x", "email": "dave@example.org"}, "name"),
        ({"seat": 1}, "seat"),
    ],
)
def test_an_invalid_occupant_of_a_seat_is_refused_and_the_field_named(
    inviting: Table, what: dict[str, Any], field: str
) -> None:
    before = inviting.trace()
    assert field in check_problem(change_seat(inviting, 1, what), 422, "invalid")["fields"]
    assert inviting.trace() == before


@pytest.mark.long
def test_a_seat_that_is_not_there_is_not_found(inviting: Table) -> None:
    for number in ("3", "99999999999999999999", "x", "-1"):
        answer = inviting.alice.put(f"{inviting.path}/seats/{number}", {"bot": "random"})
        check_problem(answer, 404, "not_found")


def test_a_player_whose_seat_was_given_away_cannot_be_invited_again(inviting: Table) -> None:
    json_of(change_seat(inviting, 1, {"name": "Dave", "email": "dave@example.org"}))
    said = check_problem(change_seat(inviting, 1, {"name": "Bob", "email": "bob@example.org"}), 422, "invalid")
    assert list(said["fields"]) == ["email"]


def test_changing_a_seat_or_withdrawing_with_an_old_etag_is_refused(inviting: Table) -> None:
    seen = inviting.alice.get(inviting.path).headers["ETag"]
    json_of(change_seat(inviting, 1, {"bot": "random"}))
    before, path = inviting.trace(), f"/api/v1{inviting.path}"
    for method, where, what in (("PUT", "seats/2", {"open": True}), ("POST", "withdraw", {})):
        headers = inviting.alice.headers() | {"If-Match": seen}
        client = inviting.alice.client
        said = check_problem(client.open(f"{path}/{where}", method=method, json=what, headers=headers), 412, "changed")
        assert said["etag"] == inviting.alice.get(inviting.path).headers["ETag"]
        assert inviting.trace() == before
        headers["If-Match"] = said["etag"]
        json_of(client.open(f"{path}/{where}", method=method, json=what, headers=headers))
        before = inviting.trace()


@pytest.mark.long
@pytest.mark.parametrize("what", [{"name": "Dave", "email": "dave@example.org"}, {"open": True}, {"bot": "random"}])
def test_of_two_who_give_a_seat_away_at_once_the_second_is_refused(
    inviting: Table, monkeypatch: pytest.MonkeyPatch, what: dict[str, Any]
) -> None:
    names = {
        "name": (services, "invite_to_untaken_seat"),
        "open": (joining, "open_seat"),
        "bot": (joining, "fill_with_bot"),
    }
    there, name = names[next(iter(what))]
    erin = {"name": "Erin", "email": "erin@example.org"}
    quicker = PlayClaim(inviting.id, 0, 0)
    change = services.invite_to_untaken_seat

    def first(*args: Any, **kwargs: Any) -> Any:
        monkeypatch.undo()
        change(inviting.api.site, quicker, 1, match_request.Invitee(erin["name"], erin["email"]))
        return getattr(there, name)(*args, **kwargs)

    headers = inviting.alice.headers() | {"If-Match": inviting.alice.get(inviting.path).headers["ETag"]}
    monkeypatch.setattr(there, name, first)
    answer = inviting.alice.client.put(f"/api/v1{inviting.path}/seats/1", json=what, headers=headers)
    refused, now = check_problem(answer, 412, "changed"), inviting.alice.get(inviting.path)
    assert json_of(now)["seats"][1]["name"] == "Erin"
    assert refused["etag"] == now.headers["ETag"]


# --- going away ----------------------------------------------------------------------------------------------


@pytest.mark.long
def test_the_organiser_can_withdraw_the_match(inviting: Table, document: dict[str, Any]) -> None:
    answer = json_of(inviting.alice.post(f"{inviting.path}/withdraw", {}))
    checker(document, "Started").validate(answer)
    assert answer == {"id": inviting.id, "status": "cancelled", "warnings": []}
    assert json_of(inviting.charlie.get(inviting.path))["cancelled"] == "withdrawn"


@pytest.mark.long
def test_a_guest_who_withdraws_gives_up_their_seat_and_not_the_match(inviting: Table) -> None:
    json_of(
        inviting.api.caller().post(f"/invitation/{inviting.api.token('invitation', inviting.id, 1)}/accept", READER)
    )
    token = make_program(inviting.api, "Bob", ["create"])
    for bob in (token, inviting.bob):
        assert json_of(bob.post(f"{inviting.path}/withdraw", {})) == {
            "id": inviting.id,
            "status": "inviting",
            "warnings": [],
        }
    check_problem(token.post(f"{inviting.path}/withdraw", {}), 403, "forbidden")
    assert json_of(inviting.charlie.get(inviting.path))["seats"][1]["status"] == "declined"
    assert len(mails_in_outbox(inviting.api, "declined")) == 1


@pytest.mark.long
def test_nobody_can_withdraw_from_a_match_that_has_begun(hogen: Table) -> None:
    before = hogen.trace()
    for caller in (hogen.alice, hogen.bob):
        check_problem(caller.post(f"{hogen.path}/withdraw", {}), 409, "gone")
    check_problem(hogen.charlie.post(f"{hogen.path}/withdraw", {}), 401, "unauthorized")
    assert hogen.trace() == before


# --- again ---------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_seats_token_creates_a_rematch_but_gets_no_token_for_it(over: Table, document: dict[str, Any]) -> None:
    first = over.bob.post(f"{over.path}/rematch", {})
    again = json_of(first, 201)
    checker(document, "Rematch").validate(again)
    promised = json_of(over.api.caller().get(f"/matches/{again['id']}"))["commitment"]
    assert again == {
        "id": again["id"], "status": "inviting", "warnings": [], "commitment": promised, "seat": None
    }  # fmt: skip
    assert first.headers["Location"] == f"/api/v1/matches/{again['id']}"
    assert json_of(over.alice.post(f"{over.path}/rematch", {}), 200) == again
    assert json_of(over.charlie.get(over.path))["rematch"] == again["id"]
    check_problem(over.bob.get(f"/matches/{again['id']}/ask"), 403, "forbidden")


@pytest.mark.long
def test_creating_a_rematch_by_personal_token_returns_the_callers_seat(over: Table) -> None:
    bob, carol = make_program(over.api, "Bob", ["create", "read"]), make_program(over.api, "Carol", ["create", "read"])
    again = json_of(bob.post(f"{over.path}/rematch", {}), 201)
    assert again["seat"] == 0
    sheet = json_of(bob.get(f"/matches/{again['id']}"))
    assert (sheet["viewer"], sheet["seats"][0]["name"]) == (0, "Bob")
    assert json_of(carol.post(f"{over.path}/rematch", {})) == again | {"seat": 1}
    listed = json_of(carol.get("/me/matches?seat=invited"))["matches"]
    assert [(one["id"], one["rematch_of"]) for one in listed] == [(again["id"], over.id)]


@pytest.mark.long
def test_rematch_of_is_null_for_a_player_not_at_the_former_table(over: Table) -> None:
    again = Table(over.api, json_of(over.alice.post(f"{over.path}/rematch", {}), 201)["id"])
    json_of(change_seat(again, 1, {"name": "Dave", "email": "dave@example.org"}))
    told = {}
    for name in ("Alice", "Carol", "Dave"):
        (one,) = (m for m in json_of(sign_in(over.api, name).get("/me/matches"))["matches"] if m["id"] == again.id)
        told[name] = one["rematch_of"]
    assert told == {"Alice": over.id, "Carol": over.id, "Dave": None}


def test_a_rematch_requested_twice_under_one_key_is_created_once(over: Table) -> None:
    bob, path = make_program(over.api, "Bob", ["create"]), f"/api/v1{over.path}/rematch"
    headers = bob.headers() | {"Idempotency-Key": "again-1"}
    first, second = (bob.client.post(path, json={}, headers=headers) for _ in range(2))
    assert json_of(first, 201) == json_of(second, second.status_code)
    assert (first.headers.get("Idempotency-Replayed"), second.headers["Idempotency-Replayed"]) == (None, "true")
    assert (
        len(
            {
                one["id"]
                for one in json_of(make_program(over.api, "Bob", ["read"], label="r").get("/me/matches"))["matches"]
            }
        )
        == 2
    )


@pytest.mark.long
def test_a_rematch_needs_a_seat_and_a_token_with_the_create_scope(over: Table, dave: Caller) -> None:
    before = over.trace()
    check_problem(over.charlie.post(f"{over.path}/rematch", {}), 401, "unauthorized")
    check_problem(dave.post(f"{over.path}/rematch", {}), 403, "forbidden")
    check_problem(
        make_program(over.api, "Bob", ["play"], label="p").post(f"{over.path}/rematch", {}), 403, "insufficient_scope"
    )
    assert over.trace() == before


def test_asking_for_a_rematch_of_a_running_match_is_refused(hogen: Table) -> None:
    before = hogen.trace()
    check_problem(hogen.alice.post(f"{hogen.path}/rematch", {}), 409, "gone")
    check_problem(hogen.alice.post(f"{hogen.path}/rematch", {"seats": 2}), 422, "invalid")
    assert hogen.trace() == before


def test_a_player_who_declined_the_rematch_cannot_ask_for_it_again(over: Table) -> None:
    again = json_of(over.alice.post(f"{over.path}/rematch", {}), 201)["id"]
    with over.api.site.reading() as session:
        seats = session.execute(table(SeatRow).select().where(table(SeatRow).c.match_id == again)).all()
    bob = next(row for row in seats if row.name == "Bob")
    token = over.api.token("invitation", again, bob.seat, bob.epoch)
    json_of(over.api.caller().post(f"/invitation/{token}/decline", {}))
    check_problem(over.bob.post(f"{over.path}/rematch", {}), 409, "gone")
