"""Personal tokens through the API: created and shown once, listed, used within their scopes, revoked."""

from __future__ import annotations

import pytest
from sqlalchemy import select
from werkzeug.test import TestResponse

from pbem.models.accounts import Idempotent, PersonalToken
from pbem.models.tables import OutboxRow, Player, SeatRow, table
from pbem.services.access import access_tokens
from pbem.services.players import players
from pbem.services.results import tallying
from tests.api.access_tokens import ALL, delete_resource, make_program, revoke_all_tokens, sign_in
from tests.api.cast import NOON, READER, Api, Table, body_of_match, check_problem, json_of
from tests.harness.cases import cases
from tests.table import MovedClock, play_out


def test_an_access_token_is_shown_once_when_it_is_created(hogen: Table) -> None:
    alice = sign_in(hogen.api, "Alice")
    answer = alice.post("/me/tokens", {"name": "  My   bot ", "scopes": ["play", "read"], "days": 30})
    first = json_of(answer, 201)
    token = first.pop("token")
    assert token.startswith("pbem_pat.")
    assert len(token) == 52
    assert answer.headers["Cache-Control"] == "private, no-store"
    assert first == {
        "id": first["id"], "name": "My bot", "hint": token[-4:], "scopes": ["read", "play"],
        "created_at": "2026-03-12T12:00:00Z", "expires_at": "2026-04-11T12:00:00Z", "used_at": None,
    }  # fmt: skip
    assert answer.headers["Location"] == f"/api/v1/me/tokens/{first['id']}"
    listed = alice.get("/me/tokens")
    assert json_of(listed) == {"tokens": [first]}
    assert json_of(alice.get(f"/me/tokens/{first['id']}")) == first
    assert token not in listed.text


@pytest.mark.long
def test_the_database_holds_no_access_token_but_its_hash(hogen: Table) -> None:
    token = make_program(hogen.api, "Alice").token
    assert token is not None
    with hogen.api.site.reading() as session:
        (row,) = session.execute(select(table(PersonalToken))).all()
    assert token not in str(row)
    assert token.removeprefix("pbem_pat.") not in str(row)


@pytest.mark.long
@cases(
    "change, field",
    [
        ({"name": ""}, "name"),
        ({"name": "x" * 61}, "name"),
        ({"name": "a\x00b"}, "name"),
        ({"name": "a\u202eb"}, "name"),
        ({"scopes": []}, "scopes"),
        ({"scopes": ["admin"]}, "scopes.0"),
        ({"scopes": "read"}, "scopes"),
        ({"scopes": ["read"] * 10}, "scopes"),
        ({"days": 0}, "days"),
        ({"days": 367}, "days"),
        ({"days": True}, "days"),
        ({"more": 1}, "more"),
    ],
)
def test_an_invalid_new_access_token_is_refused_and_its_field_named(
    hogen: Table, change: dict[str, object], field: str
) -> None:
    sent = {"name": "bot", "scopes": ["read"], "days": 1, **change}
    refused = check_problem(sign_in(hogen.api, "Alice").post("/me/tokens", sent), 422, "invalid")
    assert field in refused["fields"]


def test_a_new_access_token_needs_an_expiry(hogen: Table) -> None:
    refused = sign_in(hogen.api, "Alice").post("/me/tokens", {"name": "bot", "scopes": ["read"]})
    assert "days" in check_problem(refused, 422, "invalid")["fields"]


@pytest.mark.long
def test_a_personal_token_plays_like_the_token_of_the_seat(hogen: Table) -> None:
    bot = make_program(hogen.api, "Alice")
    for path in ("", "/state", "/events", "/story", "/log", "/ask", "/messages", "/note"):
        ours, theirs = bot.get(f"{hogen.path}{path}"), hogen.alice.get(f"{hogen.path}{path}")
        assert (ours.status_code, ours.data) == (200, theirs.data), path
        assert ours.headers["ETag"] == theirs.headers["ETag"]
    question = json_of(bot.get(f"{hogen.path}/ask"))
    sent = {"key": question["ask"]["key"], "move": question["legal"][0]["move"]}
    receipt = bot.post(f"{hogen.path}/moves", sent)
    assert receipt.status_code == 201
    assert hogen.alice.post(f"{hogen.path}/moves", sent).data == receipt.data


def test_each_personal_token_sees_the_match_from_its_players_seat(hogen: Table) -> None:
    alice, bob = make_program(hogen.api, "Alice"), make_program(hogen.api, "Bob")
    mine = json_of(alice.get(f"{hogen.path}/state"))
    assert (mine["viewer"], json_of(bob.get(f"{hogen.path}/state"))["viewer"]) == (0, 1)
    assert mine != json_of(bob.get(f"{hogen.path}/state"))


@pytest.mark.long
@pytest.mark.parametrize("scopes", [["read"], ["play"], ["create"]])
def test_no_token_scope_includes_another(hogen: Table, scopes: list[str]) -> None:
    bot = make_program(hogen.api, "Alice", scopes)
    tried = {
        "read": bot.get(f"{hogen.path}/state"),
        "play": bot.post(f"{hogen.path}/messages", {"text": "Good luck."}),
        "create": bot.post("/matches", body_of_match()),
    }
    for scope, answer in tried.items():
        if [scope] == scopes:
            assert answer.status_code in (200, 201), scope
        else:
            assert check_problem(answer, 403, "insufficient_scope")["needs"] == scope
            challenge = f'Bearer realm="pbem", error="insufficient_scope", scope="{scope}"'
            assert answer.headers["WWW-Authenticate"] == challenge


def test_a_token_that_may_only_play_neither_invites_nor_calls_a_match_off(rest: Api) -> None:
    draft = rest.create()
    json_of(rest.caller().post(f"/confirm/{rest.token('confirm', draft, 0)}", READER))
    plays, creates = (
        make_program(rest, "Alice", ["read", "play"]),
        make_program(rest, "Alice", ["create"], label="other"),
    )
    before = rest.trace(draft)
    stranger = {"name": "Zoe", "email": "zoe@example.net"}
    for refused in (plays.put(f"/matches/{draft}/seats/1", stranger), plays.post(f"/matches/{draft}/withdraw", {})):
        assert check_problem(refused, 403, "insufficient_scope")["needs"] == "create"
    assert rest.trace(draft) == before
    json_of(creates.put(f"/matches/{draft}/seats/1", stranger))
    json_of(creates.post(f"/matches/{draft}/withdraw", {}))


def test_a_token_needs_the_scope_even_for_what_a_spectator_may_read(hogen: Table) -> None:
    check_problem(make_program(hogen.api, "Alice", ["play"]).get(f"{hogen.path}/state"), 403, "insufficient_scope")


def test_a_revoked_token_is_refused_at_once_with_that_reason(hogen: Table) -> None:
    bot = make_program(hogen.api, "Alice")
    revoke_all_tokens(hogen.api, "Alice")
    refused = bot.get(f"{hogen.path}/state")
    assert check_problem(refused, 401, "unauthorized")["reason"] == "revoked"
    assert refused.headers["WWW-Authenticate"] == 'Bearer realm="pbem", error="invalid_token"'
    assert json_of(sign_in(hogen.api, "Alice").get("/me/tokens")) == {"tokens": []}


def test_an_expired_token_is_refused_with_that_reason(hogen: Table, clock: MovedClock) -> None:
    bot = make_program(hogen.api, "Alice", days=1)
    clock.forward(days=1, seconds=-1)
    assert bot.get(f"{hogen.path}/state").status_code == 200
    clock.forward(seconds=1)
    assert check_problem(bot.get(f"{hogen.path}/state"), 401, "unauthorized")["reason"] == "expired"
    assert json_of(sign_in(hogen.api, "Alice").get("/me/tokens")) == {"tokens": []}


@cases("token", ["pbem_pat.", "pbem_pat." + "A" * 43, "pbem_pat." + "A" * 44, "pbem_pat.\u00e9"])
def test_a_token_that_nobody_made_is_refused_without_a_reason(hogen: Table, token: str) -> None:
    for path in (f"{hogen.path}/state", "/me", "/me/tokens", "/matches/nothing/state"):
        refused = check_problem(hogen.api.caller(token).get(path), 401, "unauthorized")
        assert "reason" not in refused


def test_an_access_token_can_neither_create_nor_list_tokens(hogen: Table) -> None:
    bot = make_program(hogen.api, "Alice")
    for answer in (bot.get("/me/tokens"), bot.post("/me/tokens", {"name": "x", "scopes": ["read"], "days": 1})):
        assert check_problem(answer, 403, "insufficient_scope")["needs"] == "account"


def test_nobody_revokes_the_token_of_another(hogen: Table) -> None:
    bot = make_program(hogen.api, "Alice")
    (token,) = json_of(sign_in(hogen.api, "Alice").get("/me/tokens"))["tokens"]
    bob = sign_in(hogen.api, "Bob")
    for wrong in (token["id"], 10**30):
        delete_resource(bob, f"/me/tokens/{wrong}", 404)
        check_problem(bob.get(f"/me/tokens/{wrong}"), 404, "not_found")
    assert bot.get(f"{hogen.path}/state").status_code == 200


def test_a_repeated_request_under_one_key_creates_and_shows_one_token(hogen: Table) -> None:
    alice = sign_in(hogen.api, "Alice")
    headers = {**alice.headers(), "Idempotency-Key": "k1"}

    def send(**changed: object) -> TestResponse:
        sent = {"name": "bot", "scopes": ["read"], "days": 1, **changed}
        return alice.client.post("/api/v1/me/tokens", json=sent, headers=headers)

    first, again = send(), send()
    told = json_of(first, 201)
    assert "Idempotency-Replayed" not in first.headers
    assert again.headers["Idempotency-Replayed"] == "true"
    assert json_of(again, 201) == {**told, "token": None}
    assert len(json_of(alice.get("/me/tokens"))["tokens"]) == 1
    check_problem(send(name="another"), 422, "key_reused")
    with hogen.api.site.reading() as session:
        kept = session.execute(select(table(Idempotent))).all()
    assert told["token"] not in str(kept)


@pytest.mark.long
def test_revoking_a_token_requires_its_current_etag(hogen: Table) -> None:
    bot, alice = make_program(hogen.api, "Alice"), sign_in(hogen.api, "Alice")
    (token,) = json_of(alice.get("/me/tokens"))["tokens"]
    path = f"/api/v1/me/tokens/{token['id']}"
    tag = alice.get(f"/me/tokens/{token['id']}").headers["ETag"]
    check_problem(alice.client.delete(path, headers=alice.headers()), 428, "precondition_required")
    bot.get(f"{hogen.path}/state").close()
    changed = alice.client.delete(path, headers={**alice.headers(), "If-Match": tag})
    tag = check_problem(changed, 412, "changed")["etag"]
    assert bot.get(f"{hogen.path}/state").status_code == 200
    assert alice.client.delete(path, headers={**alice.headers(), "If-Match": tag}).status_code == 204
    assert bot.get(f"{hogen.path}/state").status_code == 401


def test_the_last_use_of_a_token_is_recorded_to_ten_minutes(hogen: Table, clock: MovedClock) -> None:
    bot, alice = make_program(hogen.api, "Alice", days=None), "Alice"

    def time_of_use() -> object:
        return json_of(sign_in(hogen.api, alice).get("/me/tokens"))["tokens"][0]["used_at"]

    assert time_of_use() is None
    bot.get(f"{hogen.path}/state").close()
    assert time_of_use() == "2026-03-12T12:00:00Z"
    clock.forward(minutes=9)
    bot.get(f"{hogen.path}/state").close()
    assert time_of_use() == "2026-03-12T12:00:00Z"
    clock.forward(minutes=1)
    refused = bot.get(f"{hogen.path}/ask?limit=0")
    check_problem(refused, 422, "invalid")
    refused.close()
    assert time_of_use() == "2026-03-12T12:10:00Z"


def test_with_a_locked_database_a_token_reads_but_its_use_is_not_stored(hogen: Table) -> None:
    bot = make_program(hogen.api, "Alice")
    with hogen.api.site.writing() as session:
        session.execute(table(Player).update().values(language="en"))
        with bot.get(f"{hogen.path}/state") as answer:
            assert answer.status_code == 200
    assert json_of(sign_in(hogen.api, "Alice").get("/me/tokens"))["tokens"][0]["used_at"] is None


def test_the_last_use_of_a_token_is_written_after_the_response_was_sent(
    hogen: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot, noted = make_program(hogen.api, "Alice"), []
    monkeypatch.setattr(access_tokens, "record_use", lambda site, found: noted.append(found.player_id))
    answer = bot.get(f"{hogen.path}/state")
    assert json_of(answer)["viewer"] == 0
    assert noted == []
    answer.close()
    assert noted == [1]


def test_a_token_outlives_the_session_that_made_it_and_renewed_links(hogen: Table) -> None:
    bot = make_program(hogen.api, "Alice")
    alice = sign_in(hogen.api, "Alice")
    with hogen.api.site.writing() as session:
        session.get_one(SeatRow, (hogen.id, 0)).epoch = 1
        player = players.player_by_address(session, "alice@example.org")
        assert player is not None
        player.epoch += 1
    check_problem(alice.get("/me"), 401, "unauthorized")
    check_problem(hogen.alice.get(f"{hogen.path}/state"), 401, "unauthorized")
    question = json_of(bot.get(f"{hogen.path}/ask"))
    move = {"key": question["ask"]["key"], "move": question["legal"][0]["move"]}
    assert bot.post(f"{hogen.path}/moves", move).status_code == 201


def test_a_player_whose_seat_is_taken_over_is_a_spectator_with_their_token(hogen: Table) -> None:
    bot = make_program(hogen.api, "Alice")
    with hogen.api.site.writing() as session:
        dave = players.find_or_add(session, "dave@example.org", "en", NOON)
        session.flush()
        row = session.get_one(SeatRow, (hogen.id, 0))
        row.player_id, row.epoch = dave.id, 1
    assert json_of(bot.get(f"{hogen.path}/state"))["viewer"] is None
    check_problem(bot.get(f"{hogen.path}/ask"), 403, "forbidden")


@pytest.mark.long
def test_a_token_cannot_read_a_private_match_before_its_player_accepts(rest: Api) -> None:
    alice = Table(rest, rest.start())
    pending = rest.create(("Bob", "Alice", "Carol"), spectators=False)
    bot = make_program(rest, "Alice")
    assert json_of(bot.get(f"{alice.path}/state"))["viewer"] == 0
    check_problem(bot.get(f"/matches/{pending}/state"), 404, "not_found")


def test_a_match_that_a_program_starts_for_its_player_is_confirmed_at_once(hogen: Table) -> None:
    bot = make_program(hogen.api, "Alice")
    started = json_of(bot.post("/matches", body_of_match()), 201)
    assert started["status"] == "inviting"
    assert json_of(bot.get(f"/matches/{started['id']}/state"))["viewer"] == 0
    with hogen.api.site.reading() as session:
        mails = session.execute(select(table(OutboxRow)).where(table(OutboxRow).c.match_id == started["id"])).all()
    assert "confirm" not in {mail.kind for mail in mails}


def test_a_match_that_a_program_starts_for_another_player_waits_for_them(hogen: Table) -> None:
    started = json_of(make_program(hogen.api, "Bob").post("/matches", body_of_match()), 201)
    assert started["status"] == "unconfirmed"


def test_a_seats_token_starts_no_match(hogen: Table) -> None:
    check_problem(hogen.alice.post("/matches", body_of_match()), 401, "unauthorized")


def test_a_token_reads_and_sets_its_players_public_settings(hogen: Table) -> None:
    bot = make_program(hogen.api, "Alice")
    assert json_of(bot.get("/me/preferences")) == {"rated": False, "pace_shown": False, "weekly": True}
    assert json_of(bot.get("/me/ratings")) == {"ratings": [], "pace": None}
    wants = {"rated": True, "pace_shown": True, "weekly": False}
    assert json_of(bot.put("/me/preferences", wants)) == wants == json_of(bot.get("/me/preferences"))
    json_of(make_program(hogen.api, "Bob").put("/me/preferences", wants))
    seats = json_of(hogen.alice.get(hogen.path))["seats"]
    assert not any("rating" in seat or "pace" in seat for seat in seats), "there is nothing to show yet"
    play_out(hogen.api.site, hogen.id)
    tallying.tally_matches(hogen.api.site)
    alice, bob, carol = json_of(hogen.alice.get(hogen.path))["seats"]
    assert {*alice["rating"]} == {"value", "plus_minus", "matches"}
    assert alice["rating"]["matches"] == bob["rating"]["matches"] == 1
    assert "rating" not in carol
    assert "pace" not in alice, "one match is too few"
    assert json_of(bot.get("/me/ratings"))["ratings"] == [{"game": "hogen", **alice["rating"]}]
    json_of(bot.put("/me/preferences", {**wants, "rated": False}))
    assert json_of(bot.get("/me/ratings"))["ratings"] == []
    assert "rating" not in json_of(hogen.alice.get(hogen.path))["seats"][0]
    check_problem(bot.put("/me/preferences", {"rated": "yes"}), 422, "invalid")


def test_the_account_resource_describes_the_caller(hogen: Table) -> None:
    account = json_of(sign_in(hogen.api, "Alice").get("/me"))
    assert account == {
        "name": "Alice", "language": "en", "zone": "Europe/Paris", "email": "alice@example.org",
        "caller": {"kind": "account", "scopes": ALL, "expires_at": "2026-03-12T12:30:00Z"},
        "open_matches": {"count": 1, "most": None, "absences": 0},
    }  # fmt: skip
    token = json_of(make_program(hogen.api, "Alice", ["create", "read"], 7).get("/me"))
    assert token == {
        "name": "Alice", "language": "en", "zone": "Europe/Paris",
        "caller": {"kind": "token", "scopes": ["read", "create"], "expires_at": "2026-03-19T12:00:00Z"},
        "open_matches": {"count": 1, "most": None, "absences": 0},
    }  # fmt: skip


def test_responses_to_a_personal_token_are_in_its_players_language(hogen: Table) -> None:
    bot = hogen.api.caller(make_program(hogen.api, "Alice").token, language="fr")
    assert json_of(bot.get(f"{hogen.path}/ask"))["ask"]["title"] == "Choose your ally"
    assert "Alice" in json_of(bot.get("/me"))["name"]


def test_the_calendar_is_read_with_the_read_scope_and_set_with_play(hogen: Table) -> None:
    hours = {"zone": "Asia/Tokyo", "weekends_off": False, "quiet": None}
    reads, plays = make_program(hogen.api, "Alice", ["read"]), make_program(hogen.api, "Alice", ["play"], label="other")
    assert json_of(reads.get("/me/calendar"))["zone"] == "Europe/Paris"
    check_problem(reads.put("/me/calendar", hours), 403, "insufficient_scope")
    assert json_of(plays.put("/me/calendar", hours))["zone"] == "Asia/Tokyo"


def test_a_move_during_which_links_are_renewed_is_answered_with_retry(
    hogen: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The seat is read, then its links are renewed, then the move takes the match's lock."""
    bot, site = make_program(hogen.api, "Alice"), hogen.api.site
    question = json_of(bot.get(f"{hogen.path}/ask"))
    move = {"key": question["ask"]["key"], "move": question["legal"][0]["move"]}
    from pbem.services.play import moves

    answer = moves.play_answer

    def renew_meanwhile(*args: object, **more: object) -> object:
        monkeypatch.setattr(moves, "play_answer", answer)
        with site.writing() as session:
            session.get_one(SeatRow, (hogen.id, 0)).epoch = 1
        return answer(*args, **more)  # type: ignore[arg-type]  # what the endpoint returns

    monkeypatch.setattr(moves, "play_answer", renew_meanwhile)
    refused = bot.post(f"{hogen.path}/moves", move)
    check_problem(refused, 503, "busy")
    assert refused.headers["Retry-After"] == "1"
    assert bot.post(f"{hogen.path}/moves", move).status_code == 201
