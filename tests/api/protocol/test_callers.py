"""Permissions: each endpoint against each caller, on an open table and on a private one."""

from __future__ import annotations

import re

import pytest
from werkzeug.http import generate_etag

from pbem.models.tables import SeatRow
from tests.api.cast import Api, Caller, Table, check_problem, json_of
from tests.harness.cases import cases

READS = ("", "/state", "/events", "/log")


def callers(table: Table, dave: Caller) -> dict[str, Caller]:
    api = table.api
    return {
        "Charlie": api.caller(),
        "Alice": table.alice,
        "Bob": table.bob,
        "Dave": dave,
        "garbage": api.caller("not.a.real.token"),
        "old epoch": api.caller(api.token("play", table.id, 0, 1)),
        "invitation": api.caller(api.token("invitation", table.id, 0)),
    }


OPEN = {"Charlie": 200, "Alice": 200, "Bob": 200, "Dave": 403, "garbage": 401, "old epoch": 401, "invitation": 401}
PRIVATE = OPEN | {"Charlie": 404}
SEATED = OPEN | {"Charlie": 401}


def statuses_of_callers(table: Table, dave: Caller, path: str) -> dict[str, int]:
    """Returns the status that each caller gets at this path."""
    return {who: one.get(f"{table.path}{path}").status_code for who, one in callers(table, dave).items()}


@pytest.mark.long
@cases("path", READS)
def test_anybody_reads_an_open_table_but_not_with_a_wrong_token(hogen: Table, dave: Caller, path: str) -> None:
    assert statuses_of_callers(hogen, dave, path) == OPEN


@pytest.mark.long
@pytest.mark.parametrize("path", READS)
def test_a_private_table_is_read_only_with_the_token_of_one_of_its_seats(rest: Api, dave: Caller, path: str) -> None:
    assert statuses_of_callers(Table(rest, rest.start(spectators=False)), dave, path) == PRIVATE


@pytest.mark.long
def test_only_a_seats_token_reads_its_question(hogen: Table, dave: Caller) -> None:
    assert statuses_of_callers(hogen, dave, "/ask") == SEATED


@pytest.mark.long
def test_only_alices_token_answers_the_question_to_alice(hogen: Table, dave: Caller) -> None:
    question = hogen.ask(0)
    answer = {"key": question["ask"]["key"], "move": question["legal"][0]["move"]}
    before = hogen.trace()
    everybody = callers(hogen, dave)
    alice = everybody.pop("Alice")
    expected = SEATED | {"Alice": 201, "Bob": 409}
    for who, caller in everybody.items():
        given = caller.post(f"{hogen.path}/moves", answer)
        assert given.status_code == expected[who], (who, given.text)
        assert hogen.trace() == before, who
    assert alice.post(f"{hogen.path}/moves", answer).status_code == expected["Alice"]
    assert hogen.trace() != before


def test_a_missing_or_bad_token_gets_a_www_authenticate_header(hogen: Table) -> None:
    none = hogen.charlie.get(f"{hogen.path}/ask")
    check_problem(none, 401, "unauthorized")
    assert none.headers["WWW-Authenticate"] == 'Bearer realm="pbem"'
    bad = hogen.api.caller("x.y.z.w").get(f"{hogen.path}/state")
    check_problem(bad, 401, "unauthorized")
    assert 'error="invalid_token"' in bad.headers["WWW-Authenticate"]


def test_an_invalid_authorization_is_never_taken_for_a_spectator(hogen: Table) -> None:
    for header in ("", "Bearer", "Bearer ", "Basic YTpi", "Token x", "Bearer a b", "Bearer é", "\x7f"):
        check_problem(hogen.charlie.get(f"{hogen.path}/state", Authorization=header), 401, "unauthorized")


def test_a_missing_token_is_refused_with_where_to_find_one(hogen: Table) -> None:
    english = check_problem(hogen.charlie.get(f"{hogen.path}/ask"), 401, "unauthorized")["detail"]
    assert english.endswith("It is the last part of the play link.")
    french = check_problem(hogen.charlie.get(f"{hogen.path}/ask?lang=fr"), 401, "unauthorized")["detail"]
    assert french.endswith("du lien de jeu.")


@cases("token", [None, "garbage"])
def test_options_answers_the_methods_of_an_address_and_nothing_else(hogen: Table, token: str | None) -> None:
    caller = hogen.api.caller(token)
    for path in ("/games", "/matches", f"{hogen.path}/moves", f"{hogen.path}/state", "/confirm/x"):
        answer = caller.client.options(f"/api/v1{path}", headers=caller.headers())
        assert (answer.status_code, answer.data) == (204, b""), path
        assert "OPTIONS" in answer.headers["Allow"]
        assert "Content-Type" not in answer.headers


def test_the_token_is_checked_before_the_body(hogen: Table) -> None:
    check_problem(hogen.charlie.send(f"{hogen.path}/moves", b"{"), 401, "unauthorized")
    check_problem(hogen.api.caller("x").send(f"{hogen.path}/moves", b"{"), 401, "unauthorized")


def test_renewing_a_seats_link_ends_its_old_token(hogen: Table) -> None:
    alice = hogen.alice
    with hogen.api.site.writing() as session:
        session.get_one(SeatRow, (hogen.id, 0)).epoch = 1
    check_problem(alice.get(f"{hogen.path}/state"), 401, "unauthorized")
    renewed = hogen.api.caller(hogen.api.token("play", hogen.id, 0, 1))
    assert renewed.get(f"{hogen.path}/state").status_code == 200


def test_an_ended_link_is_refused_before_the_body_is_judged(hogen: Table) -> None:
    alice, key = hogen.alice, hogen.ask(0)["ask"]["key"]
    move = hogen.ask(0)["legal"][0]["move"]
    with hogen.api.site.writing() as session:
        session.get_one(SeatRow, (hogen.id, 0)).epoch = 1
    version = json_of(hogen.charlie.get(hogen.path))["version"]
    good = {"key": key, "move": move}
    for sent in (
        good,
        {**good, "move": {}},
        {"key": "x", "move": move},
        {},
        {**good, "more": 1},
        {"key": key, "text": "?"},
    ):
        check_problem(alice.post(f"{hogen.path}/moves", sent), 401, "unauthorized")
    check_problem(alice.send(f"{hogen.path}/moves", b"{"), 401, "unauthorized")
    check_problem(alice.post(f"{hogen.path}/moves?lang=xx", good), 401, "unauthorized")
    assert json_of(hogen.charlie.get(hogen.path))["version"] == version


def test_a_refused_move_is_explained_in_the_players_own_language(hogen: Table) -> None:
    caller = hogen.api.caller(hogen.alice.token, language="fr")
    refused = [
        check_problem(caller.post(f"{hogen.path}/moves", sent), 422, code)
        for sent, code in (({}, "invalid"), ({"key": "x", "text": "?"}, "unreadable"))
    ]
    assert "Missing data" in str(refused[0])
    assert "cannot be read as a move" in str(refused[1])


@cases("match_id", ["0" * 24, "f" * 33, "x", "..", "%00", "é", "a%2Fb", "ABCDEF"])
def test_a_match_that_is_not_there_is_not_found(rest: Api, match_id: str) -> None:
    for path in READS:
        check_problem(rest.caller().get(f"/matches/{match_id}{path}"), 404, "not_found")


def test_a_question_is_in_the_players_language_unless_lang_is_given(hogen: Table) -> None:
    title = {"en": "Choose your ally", "fr": "Choisissez votre alliée"}
    english = hogen.api.caller(hogen.alice.token, language="fr")
    assert json_of(english.get(f"{hogen.path}/ask"))["ask"]["title"] == title["en"]
    assert json_of(english.get(f"{hogen.path}/ask?lang=fr"))["ask"]["title"] == title["fr"]
    assert "Authorization" in english.get(f"{hogen.path}/ask").headers["Vary"]


def test_a_strangers_first_known_language_is_used_whatever_its_region(rest: Api) -> None:
    def refusal(header: str) -> object:
        return json_of(rest.caller(language=header).get("/matches/x"), 404)["detail"]

    french, english = refusal("fr"), refusal("en")
    assert french != english
    assert [refusal(header) for header in ("fr-CA,en;q=0.8", "en-GB,fr;q=0.8", "de")] == [french, english, french]


@pytest.mark.long
def test_a_matching_etag_gets_304_without_a_body(hogen: Table) -> None:
    for caller, kept in ((hogen.charlie, "no-cache"), (hogen.alice, "private, no-store")):
        for path in READS:
            first = caller.get(f"{hogen.path}{path}")
            assert first.headers["Cache-Control"] == kept
            again = caller.get(f"{hogen.path}{path}", **{"If-None-Match": first.headers["ETag"]})
            assert (again.status_code, again.data) == (304, b"")
            assert again.headers["ETag"] == first.headers["ETag"]
    tag = hogen.charlie.get(f"{hogen.path}/state").headers["ETag"]
    hogen.allies()
    assert hogen.charlie.get(f"{hogen.path}/state", **{"If-None-Match": tag}).status_code == 200


@pytest.mark.long
def test_anothers_secret_choice_changes_only_hashes_in_ones_own_events(hogen: Table) -> None:
    """Two matches that differ only in which card Bob put down give Alice the same but for heads and seals.

    These are salted hashes, whose salts she does not get. A tag is made from the bytes that she gets, and nothing else.
    """
    seen = []
    for choice in (0, 1):
        table = hogen if choice == 0 else Table(hogen.api, hogen.api.start())
        table.play(1, table.ask(1)["legal"][choice])
        answer = table.alice.get(f"{table.path}/events?after=1")
        assert answer.headers["ETag"] == f'"{generate_etag(answer.data)}"'
        (entry,) = json_of(answer)["events"]
        assert entry["event"]["card"] is None
        assert "salts" not in entry
        seen.append(re.sub(rb"[0-9a-f]{64}|[0-9A-Z]{4}-[0-9A-Z]{4}", b"a hash", answer.data))
    assert seen[0] == seen[1]
    assert seen[0].count(b"a hash") == 4, "base, head and its mark, and the seal of the card"


@pytest.mark.long
def test_reads_write_nothing_to_the_database(hogen: Table, dave: Caller) -> None:
    before = hogen.trace()
    for caller in callers(hogen, dave).values():
        for path in (*READS, "/ask", "/ask?kind=ChooseAlly&limit=1"):
            for method in ("GET", "HEAD", "OPTIONS"):
                caller.client.open(f"/api/v1{hogen.path}{path}", method=method, headers=caller.headers())
    assert hogen.trace() == before
