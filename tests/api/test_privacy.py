"""Address changes and erasure by the API: with the token of the player's account link and no other."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import select

from pbem.models.accounts import AddressChange
from pbem.models.tables import Player, Suppression, table
from pbem.services.tokens import ChangeClaim
from tests.api.cast import Api, Caller, Table, check_problem, json_of
from tests.harness.cases import cases
from tests.table import MovedClock

PATH, NEW = "/me/address", {"email": "robert@example.net"}


@pytest.fixture
def bob(rest: Api, hogen: Table) -> Caller:
    """Bob with the token of an account link."""
    with rest.site.reading() as session:
        players = table(Player)
        found = session.execute(select(players).where(players.c.canonical == "bob@example.org")).one()
    return rest.caller(rest.site.tokens.for_account(found.id, found.epoch, rest.site.now()))


def delete(caller: Caller, path: str, said: Any = None) -> Any:
    return caller.client.delete(f"/api/v1{path}", json=said, headers=caller.headers() | {"If-Match": "*"})


def tokens(rest: Api) -> tuple[str, str]:
    """The tokens mailed to the old and the new mailbox for the newest change."""
    with rest.site.reading() as session:
        t = table(AddressChange)
        number = session.execute(select(t.c.id).order_by(t.c.id.desc()).limit(1)).scalar_one()
    return rest.site.tokens.sign(ChangeClaim(number, "old")), rest.site.tokens.sign(ChangeClaim(number, "new"))


@pytest.mark.long
def test_an_address_changes_when_both_mailboxes_confirm_ending_old_tokens(rest: Api, bob: Caller, hogen: Table) -> None:
    nothing = {"state": "none", "email": None, "until": None, "old": False, "new": False}
    assert json_of(bob.get(PATH)) == nothing
    asked = json_of(bob.post(PATH, NEW), 202)
    assert (asked["state"], asked["email"], asked["old"], asked["new"]) == ("pending", NEW["email"], False, False)
    old, new = tokens(rest)
    nobody = rest.caller()
    assert json_of(nobody.post(f"/address/{old}", {})) == {"state": "waiting"}
    assert json_of(bob.get(PATH)) == asked | {"old": True}
    assert json_of(nobody.post(f"/address/{new}")) == {"state": "done"}
    assert json_of(nobody.post(f"/address/{old}")) == {"state": "done"}
    check_problem(bob.get(PATH), 401, "unauthorized")
    check_problem(hogen.bob.get(f"{hogen.path}/ask"), 401, "unauthorized")


def test_a_change_to_a_known_or_unknown_address_gets_the_same_answer(bob: Caller) -> None:
    answers = [json_of(bob.post(PATH, {"email": wanted}), 202) for wanted in ("new@example.net", "carol@example.org")]
    assert answers[0] | {"email": ""} == answers[1] | {"email": ""}
    json_of(bob.post(PATH, NEW), 202)
    refused = check_problem(bob.post(PATH, NEW), 429, "too_many")
    assert "today" in refused["detail"]


def test_only_the_new_mailbox_learns_that_its_address_is_taken(rest: Api, bob: Caller) -> None:
    bob.post(PATH, {"email": "carol@example.org"})
    old, new = tokens(rest)
    assert json_of(rest.caller().post(f"/address/{new}")) == {"state": "waiting"}
    assert "no longer pending" in check_problem(rest.caller().post(f"/address/{old}"), 409, "gone")["detail"]
    assert "Two accounts" in check_problem(rest.caller().post(f"/address/{new}"), 409, "gone")["detail"]
    assert json_of(bob.get(PATH))["state"] == "none"


def test_a_pending_change_of_address_can_be_withdrawn(rest: Api, bob: Caller) -> None:
    bob.post(PATH, NEW)
    assert delete(bob, PATH).status_code == 204
    assert delete(bob, PATH).status_code == 204
    assert json_of(bob.get(PATH))["state"] == "none"
    check_problem(rest.caller().post(f"/address/{tokens(rest)[1]}"), 409, "gone")


@cases("wrong", [{}, {"email": "nobody"}, {"email": "bob@example.org"}, {"email": 3}])
def test_an_invalid_new_address_is_refused_and_its_field_named(bob: Caller, wrong: dict[str, Any]) -> None:
    assert list(check_problem(bob.post(PATH, wrong), 422, "invalid")["fields"]) == ["email"]


@pytest.mark.long
def test_erasing_needs_the_typed_word_and_a_session_and_ends_all_access(rest: Api, bob: Caller, hogen: Table) -> None:
    for wrong in ({}, {"confirm": "yes"}, {"confirm": "erase", "never": 1}):
        check_problem(delete(bob, "/me", wrong), 422, "invalid")
    for caller in (rest.caller(), hogen.bob):
        check_problem(delete(caller, "/me", {"confirm": "erase"}), 401, "unauthorized")
    assert json_of(hogen.charlie.get(hogen.path))["seats"][1]["name"] == "Bob"
    assert delete(bob, "/me", {"confirm": "erase", "never": True}).status_code == 204
    check_problem(bob.get(PATH), 401, "unauthorized")
    check_problem(delete(bob, "/me", {"confirm": "erase"}), 401, "unauthorized")
    seat = json_of(hogen.charlie.get(hogen.path))["seats"][1]
    assert (seat["name"], seat["resigned"]) == ("(B)", True)
    with rest.site.reading() as session:
        (digest,) = session.execute(select(table(Suppression).c.digest)).scalars()
    assert digest == rest.site.tokens.address_digest("bob@example.org")


@pytest.mark.long
def test_erasing_oneself_requires_the_accounts_current_etag(bob: Caller, hogen: Table) -> None:
    headers, said = bob.headers(), {"confirm": "erase"}
    check_problem(bob.client.delete("/api/v1/me", json=said, headers=headers), 428, "precondition_required")
    check_problem(bob.client.delete("/api/v1/me", json=said, headers=headers | {"If-Match": '"x"'}), 412, "changed")
    tag = bob.get("/me").headers["ETag"]
    assert bob.client.delete("/api/v1/me", json=said, headers=headers | {"If-Match": tag}).status_code == 204


@pytest.mark.long
@pytest.mark.parametrize("how", ["erased", "elsewhere"])
def test_erasing_a_player_or_changing_their_address_ends_their_tokens(
    rest: Api, bob: Caller, hogen: Table, how: str
) -> None:
    made = json_of(bob.post("/me/tokens", {"name": "Bot", "scopes": ["read"], "days": 3}), 201)["token"]
    assert json_of(rest.caller(made).get(f"{hogen.path}/ask"))["ask"]
    if how == "erased":
        assert delete(bob, "/me", {"confirm": "erase"}).status_code == 204
    else:
        bob.post(PATH, NEW)
        for token in tokens(rest):
            rest.caller().post(f"/address/{token}")
    check_problem(rest.caller(made).get(f"{hogen.path}/ask"), 401, "unauthorized")


def test_a_sign_in_older_than_half_an_hour_cannot_erase_the_player(
    bob: Caller, clock: MovedClock, hogen: Table
) -> None:
    clock.forward(minutes=31)
    check_problem(delete(bob, "/me", {"confirm": "erase"}), 401, "unauthorized")
    assert json_of(hogen.charlie.get(hogen.path))["seats"][1]["name"] == "Bob"
