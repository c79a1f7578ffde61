"""Uploaded logs that programs send: read strictly, kept for a month, returned unchanged, deleted by their sender."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from sqlalchemy import func, select, update

from pbem.api.protocol import bodies
from pbem.environment import Smtp
from pbem.features.uploads import uploaded_logs
from pbem.features.uploads.tables import UploadedLogRow
from pbem.features.uploads.uploaded_logs import LogReplay
from pbem.games import all_games, find_game
from pbem.kit.logs import logfile
from pbem.kit.logs.logfile import Log, log_to_bytes
from pbem.kit.logs.verdict import verify
from pbem.kit.logs.verdict_texts import NOT_CHECKED
from pbem.kit.replay import redact_entries
from pbem.models.tables import table
from pbem.services.views.replays import Step
from tests.api.cast import Api, Begun, Caller, Table, check_problem, json_of
from tests.harness.cases import cases
from tests.kit.logs.logs import LOG
from tests.table import MovedClock
from tests.transcripts import folder_of_transcripts, log_of, play_match, seed_of
from tests.web.cast import Web

DOCUMENT: dict[str, Any] = json.loads(log_to_bytes(LOG))


@pytest.fixture
def rest(web: Web) -> Api:
    """The API of a site without matches."""
    return Api(web.site)


@pytest.fixture
def hogen(rest: Api, new_match: Begun) -> Table:
    """A match of three that has just begun: everybody chooses an ally."""
    return Table(rest, new_match.lay(rest.site))


def account_caller(api: Api, player: int = 1) -> Caller:
    """A player with the token of their account link."""
    return api.caller(api.site.tokens.for_account(player, 0, api.site.now()))


def number_of_logs(api: Api) -> int:
    """The number of uploaded logs."""
    with api.site.reading() as session:
        return int(session.execute(select(func.count()).select_from(table(UploadedLogRow))).scalar_one())


def without_seed(log: Log, viewer: int | None) -> Log:
    """The log as this viewer downloads it while the match runs."""
    return msgspec.structs.replace(log, viewer=viewer, seed=None, entries=tuple(redact_entries(log.entries, viewer)))


@pytest.mark.long
def test_an_uploaded_log_is_kept_a_month_and_returned_unchanged(rest: Api, clock: MovedClock) -> None:
    spaced = json.dumps(DOCUMENT, indent=1).encode()
    answer = rest.caller().send("/logs", spaced)
    sent = json_of(answer, 201)
    assert sent["page"] == f"http://127.0.0.1:8000/replay/log/{sent['id']}"
    assert answer.headers["Location"] == f"/api/v1/logs/{sent['id']}"
    del sent["id"], sent["page"]
    assert sent == {
        "game": DOCUMENT["game"], "seats": DOCUMENT["seats"], "viewer": "all", "verified": True,
        "not_checked": list(verify(LOG).not_checked),
        "until": "2026-04-11T12:00:00Z",
    }  # fmt: skip
    path = answer.headers["Location"].removeprefix("/api/v1")
    assert rest.caller().get(path).data == log_to_bytes(LOG)
    clock.forward(days=29, hours=23)
    assert rest.caller().get(path).status_code == 200
    clock.forward(hours=1)
    check_problem(rest.caller().get(path), 404, "not_found")
    assert number_of_logs(rest) == 1
    with rest.site.writing() as session:
        assert uploaded_logs.forget_old(session, rest.site.now(), 9) == 1
    assert number_of_logs(rest) == 0


def test_the_json_keys_of_an_uploaded_log_are_checked_once(rest: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    checked: list[str] = []
    for module in (bodies, logfile):
        monkeypatch.setattr(module, "check_names", checked.append)
    json_of(rest.caller().send("/logs", log_to_bytes(LOG)), 201)
    assert checked == [log_to_bytes(LOG).decode()]


@pytest.mark.long
@pytest.mark.parametrize("slug", list(all_games()))
def test_a_log_of_every_game_is_uploaded_and_verifies(rest: Api, slug: str) -> None:
    game = all_games()[slug]
    document = log_to_bytes(log_of(play_match(game, min(game.meta.seats), seed_of(slug, 2, 1))))
    sent = json_of(rest.caller().send("/logs", document), 201)
    assert (sent["game"], sent["verified"]) == (slug, True)
    kept = rest.caller().get(f"/logs/{sent['id']}")
    assert kept.data == document
    assert kept.headers["X-Robots-Tag"] == "noindex"


@pytest.mark.long
def test_a_log_downloaded_from_the_api_can_be_uploaded(hogen: Table) -> None:
    for caller, viewer in ((hogen.alice, 0), (hogen.charlie, None)):
        document = caller.get(f"{hogen.path}/log").data
        sent = json_of(hogen.charlie.send("/logs", document), 201)
        assert (sent["viewer"], sent["verified"]) == (viewer, None)
        assert sent["not_checked"] == list(verify(logfile.read(document, find_game)).not_checked)
        assert hogen.charlie.get(f"/logs/{sent['id']}").data == document


@pytest.mark.long
def test_a_tampered_log_opens_but_does_not_verify(rest: Api) -> None:
    for field in ("seed", "commitment", "head"):
        touched = {**DOCUMENT, field: "0" * 64}
        assert json_of(rest.caller().post("/logs", touched), 201)["verified"] is False


def test_the_document_says_that_a_verified_log_merely_agrees_with_itself(rest: Api) -> None:
    schemas = json_of(rest.caller().get("/openapi.json"), 200)["components"]["schemas"]
    fields = schemas["Imported"]["properties"]
    assert "agrees with itself" in fields["verified"]["description"]
    assert "true does not say that the match was played" in fields["verified"]["description"]
    assert "cannot be checked, as before the end" in fields["verified"]["description"]
    for name, what in NOT_CHECKED.items():
        assert f"`{name}`: {what.en}" in fields["not_checked"]["description"]
    committed = schemas["MatchSheet"]["oneOf"][0]["$ref"].rsplit("/", 1)[1]
    assert "it does not say how the seed was chosen" in str(schemas[committed])


def test_the_document_lists_the_log_operations_after_those_of_streams(rest: Api) -> None:
    tags = [tag["name"] for tag in json_of(rest.caller().get("/openapi.json"), 200)["tags"]]
    assert tags[tags.index("streams") + 1] == "imports"


def test_an_invalid_log_is_refused_naming_the_fault_and_not_stored(rest: Api) -> None:
    events = DOCUMENT["events"]
    for wrong, field in (
        ({**DOCUMENT, "events": [*events[:2], {**events[2], "n": 9}, *events[3:]]}, "events.2"),
        ({**DOCUMENT, "events": [{**events[0], "event": {"type": "Nothing"}}]}, "events.0"),
    ):
        assert list(check_problem(rest.caller().post("/logs", wrong), 422, "invalid")["fields"]) == [field]
    others: tuple[Any, ...] = (
        {},
        [],
        {**DOCUMENT, "game": "chess"},
        {**DOCUMENT, "events": []},
        {**DOCUMENT, "more": 1},
        1,
    )
    for other in others:
        check_problem(rest.caller().post("/logs", other), 422, "invalid")
    for data in (b"", b"{", b"\xff", b"[" * 5000):
        check_problem(rest.caller().send("/logs", data), 422, "invalid")
    check_problem(rest.caller().send("/logs", log_to_bytes(LOG), "text/plain"), 415, "not_json")
    check_problem(rest.caller().send("/logs", b"{" + b" " * 1_048_576), 413, "too_large")
    check_problem(
        rest.caller().send("/logs", log_to_bytes(LOG).replace(b"{", b"{" + b" " * 1_000_000, 1)), 422, "invalid"
    )
    assert number_of_logs(rest) == 0


def test_a_log_whose_last_board_cannot_be_drawn_is_refused(rest: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    last = len(DOCUMENT["events"])
    board = LogReplay.board

    def broken(self: LogReplay, step: Step) -> str:
        if step.entry < last:
            return board(self, step)
        raise KeyError("no such card")

    monkeypatch.setattr(LogReplay, "board", broken)
    said = check_problem(rest.caller().post("/logs", DOCUMENT), 422, "invalid")
    assert list(said["fields"]) == [f"events.{last - 1}"]
    assert "cannot be drawn" in said["detail"]
    assert number_of_logs(rest) == 0


def test_the_error_of_an_uploaded_log_is_in_the_readers_language(rest: Api) -> None:
    sent = {**DOCUMENT, "game": "chess"}
    for language, said in (("en", "no game here is called"), ("fr", "aucun jeu d’ici ne s’appelle")):
        assert said in check_problem(rest.caller(language=language).post("/logs", sent), 422, "invalid")["detail"]


def test_only_its_uploader_deletes_a_log_and_with_its_current_etag(hogen: Table) -> None:
    rest = hogen.api
    alice, bob = account_caller(rest), account_caller(rest, 2)
    path = f"/logs/{json_of(alice.post('/logs', DOCUMENT), 201)['id']}"
    tag = {"If-Match": alice.get(path).headers["ETag"]}

    def delete(caller: Caller, **headers: str) -> Any:
        return caller.client.delete(f"/api/v1{path}", headers=caller.headers() | headers)

    check_problem(delete(alice), 428, "precondition_required")
    check_problem(delete(alice, **{"If-Match": '"x"'}), 412, "changed")
    check_problem(delete(bob, **tag), 403, "forbidden")
    check_problem(delete(rest.caller(), **tag), 401, "unauthorized")
    check_problem(delete(hogen.alice, **tag), 401, "unauthorized")
    assert number_of_logs(rest) == 1
    gone = delete(alice, **tag)
    assert (gone.status_code, gone.data) == (204, b"")
    check_problem(rest.caller().get(path), 404, "not_found")
    check_problem(delete(alice, **tag), 404, "not_found")


def test_an_anonymously_uploaded_log_cannot_be_deleted_by_players(hogen: Table) -> None:
    path = f"/logs/{json_of(hogen.charlie.post('/logs', DOCUMENT), 201)['id']}"
    alice = account_caller(hogen.api)
    tag = alice.get(path).headers["ETag"]
    refused = alice.client.delete(f"/api/v1{path}", headers=alice.headers() | {"If-Match": tag})
    check_problem(refused, 403, "forbidden")


@pytest.mark.long
def test_a_log_sent_twice_under_a_key_is_kept_once(rest: Api) -> None:
    def send() -> Any:
        caller = rest.caller()
        return caller.client.post("/api/v1/logs", json=DOCUMENT, headers={"Idempotency-Key": "k"})

    first, again = send(), send()
    assert json_of(first, 201) == json_of(again, 201)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert number_of_logs(rest) == 1


@cases("log_id", ["0" * 24, "x", "0" * 25, "%00", "..", "ABCDEF" * 4])
def test_a_log_that_is_not_there_is_not_found(rest: Api, log_id: str) -> None:
    check_problem(rest.caller().get(f"/logs/{log_id}"), 404, "not_found")


@pytest.mark.long
def test_uploads_of_logs_have_an_hourly_limit_per_network(make_web: Callable[..., Web]) -> None:
    relay = Smtp(host="127.0.0.1", port=25, user=None, password=None, tls="none", timeout=5)
    rest = Api(make_web(smtp=relay).site)
    for _ in range(30):
        check_problem(rest.caller().post("/logs", {}), 422, "invalid")
    refused = rest.caller().post("/logs", DOCUMENT)
    check_problem(refused, 429, "too_many")
    assert 0 < int(refused.headers["Retry-After"]) <= 3600
    assert number_of_logs(rest) == 0


@pytest.fixture
def site_with_caps(make_web: Callable[..., Web]) -> Api:
    """A site that sends mail and enforces its caps; logs may take a megabyte."""
    relay = Smtp(host="127.0.0.1", port=25, user=None, password=None, tls="none", timeout=5)
    return Api(make_web(smtp=relay, of_features={"PBEM_LOGS_MB": 1}).site)


def send_from(api: Api, place: str, token: str | None = None) -> Any:
    """Sends a log from this place on the network; returns the answer."""
    headers = api.caller(token).headers()
    return api.app.test_client().post(
        "/api/v1/logs", json=DOCUMENT, headers=headers, environ_base={"REMOTE_ADDR": place}
    )


def test_strangers_together_send_at_most_half_of_the_hourly_limit_of_logs(
    site_with_caps: Api, clock: MovedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploaded_logs, "PER_HOUR", 4)
    alice = site_with_caps.start() and account_caller(site_with_caps).token
    for n in range(2):
        json_of(send_from(site_with_caps, f"192.0.2.{n}"), 201)
    refused = send_from(site_with_caps, "198.51.100.1")
    check_problem(refused, 429, "too_many")
    assert int(refused.headers["Retry-After"]) > 0
    for n in range(2):
        json_of(send_from(site_with_caps, f"203.0.113.{n}", alice), 201)
    check_problem(send_from(site_with_caps, "203.0.113.9", alice), 429, "too_many")
    assert number_of_logs(site_with_caps) == 4
    clock.forward(hours=1)
    json_of(send_from(site_with_caps, "198.51.100.1"), 201)


def test_uploaded_logs_have_a_total_size_limit_and_strangers_half_of_it(
    site_with_caps: Api, clock: MovedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    json_of(send_from(site_with_caps, "192.0.2.1"), 201)
    with site_with_caps.site.writing() as session:
        row = session.execute(select(table(UploadedLogRow))).one()
        assert row.size == len(row.document)
        session.execute(update(table(UploadedLogRow)).values(size=500_000 - row.size))
    json_of(send_from(site_with_caps, "192.0.2.2"), 201)
    refused = send_from(site_with_caps, "192.0.2.3")
    assert "space" in check_problem(refused, 429, "too_many")["detail"]
    site_with_caps.start()
    alice = account_caller(site_with_caps).token
    json_of(send_from(site_with_caps, "192.0.2.3", alice), 201)
    with site_with_caps.site.writing() as session:
        session.execute(
            update(table(UploadedLogRow))
            .where(table(UploadedLogRow).c.player_id == 1)
            .values(player_id=2, size=500_000)
        )
    check_problem(send_from(site_with_caps, "192.0.2.3", alice), 429, "too_many")
    assert number_of_logs(site_with_caps) == 3
    clock.forward(days=30)
    with site_with_caps.site.writing() as session:
        uploaded_logs.forget_old(session, site_with_caps.site.now(), 9)
    json_of(send_from(site_with_caps, "192.0.2.3"), 201)


def test_one_players_logs_take_at_most_a_tenth_of_the_total_size(site_with_caps: Api) -> None:
    site_with_caps.start()
    alice, bob = account_caller(site_with_caps).token, account_caller(site_with_caps, 2).token
    json_of(send_from(site_with_caps, "192.0.2.1", alice), 201)
    with site_with_caps.site.writing() as session:
        row = session.execute(select(table(UploadedLogRow))).one()
        session.execute(update(table(UploadedLogRow)).values(size=100_000 - row.size))
    json_of(send_from(site_with_caps, "192.0.2.1", alice), 201)
    assert "one player" in check_problem(send_from(site_with_caps, "192.0.2.2", alice), 429, "too_many")["detail"]
    json_of(send_from(site_with_caps, "192.0.2.2", bob), 201)
    assert number_of_logs(site_with_caps) == 3


def test_the_size_limit_of_an_uploaded_log_counts_its_rewritten_form(
    rest: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is kept has defaults that a sender may leave out, such as options in format 1: the log grows by that."""
    canonical = log_to_bytes(
        logfile.read((folder_of_transcripts(all_games()["niigata"]) / "stock.json").read_bytes(), find_game)
    )
    sent = json.dumps({**json.loads(canonical), "options": {}}, separators=(",", ":")).encode()
    assert len(sent) < len(canonical)
    monkeypatch.setattr(logfile, "MAX_BYTES", len(canonical) - 1)
    assert "at most" in check_problem(rest.caller().send("/logs", sent), 422, "invalid")["detail"]
    monkeypatch.setattr(logfile, "MAX_BYTES", len(canonical))
    page = json_of(rest.caller().send("/logs", sent), 201)["page"]
    assert rest.app.test_client().get(page.removeprefix("http://127.0.0.1:8000")).status_code == 200


def test_a_log_with_an_oversized_board_is_refused_naming_the_entry(rest: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploaded_logs, "MAX_PICTURE", 1000)
    said = check_problem(rest.caller().post("/logs", DOCUMENT), 422, "invalid")
    assert list(said["fields"]) == [f"events.{len(DOCUMENT['events']) - 1}"]
    assert "more than 1000 bytes" in said["detail"]
    assert number_of_logs(rest) == 0


@pytest.mark.parametrize("sent", [b"\x00", b"\xff{}", b"[" * 100_000, b"{", b"nothing"])
def test_an_upload_that_is_not_json_is_refused_the_same_under_a_key(rest: Api, sent: bytes) -> None:
    told = []
    for headers in ({}, {"Idempotency-Key": "mine"}, {"Idempotency-Key": "mine"}):
        answer = rest.app.test_client().post(
            "/api/v1/logs", data=sent, content_type="application/json", headers=headers
        )
        told.append((answer.status_code, answer.data))
    assert told == told[:1] * 3
    assert told[0][0] in (400, 422)
    assert number_of_logs(rest) == 0
