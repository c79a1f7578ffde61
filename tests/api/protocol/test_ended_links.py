"""A link that is revoked while its request waits for the match no longer acts for the seat."""

from __future__ import annotations

from typing import Any

import pytest

from pbem.models.tables import SeatRow
from pbem.services.access import access_tokens
from pbem.services.lobby import joining, matches, rematches, reminding
from pbem.services.play import presence, stand_ins, takeback, voting
from pbem.services.views import talk
from tests.api.cast import READER, Api, Table, check_problem, json_of
from tests.api.protocol.if_match import run_before_service_call
from tests.table import MovedClock, play_out

WAYS: dict[str, tuple[Any, str, str, str, dict[str, Any]]] = {
    "back": (presence, "end_own_absence", "POST", "back", {}),
    "resign": (presence, "resign", "POST", "resign", {}),
    "stand-in": (stand_ins, "choose_stand_in", "PUT", "stand-in", {"bot": "greedy"}),
    "vote": (voting, "vote_to_let_clock_move", "POST", "votes", {"seat": 0}),
    "takeback": (takeback, "take_back", "POST", "takeback", {"to": 1}),
    "consent": (takeback, "answer_takeback_request", "POST", "takeback/consent", {"to": 1, "agree": True}),
    "withdraw": (takeback, "withdraw_request", "DELETE", "takeback", {}),
    "say": (talk, "post_message", "POST", "messages", {"text": "in your name"}),
    "note": (talk, "write_note", "PUT", "note", {"text": "in your place"}),
}


def what_is_kept(table: Table) -> Any:
    """Everything that a revoked link must not change: the match, and what the new owner finds."""
    bob = table.api.caller(table.api.token("play", table.id, 1, epoch=1))
    told = [bob.get(f"{table.path}{path}").json for path in ("", "/messages", "/note", "/stand-in")]
    assert None not in told
    return table.api.trace(table.id), told


@pytest.mark.long
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("program", [False, True])
def test_a_write_is_refused_if_its_link_ends_while_it_waits_for_the_lock(
    hogen: Table, monkeypatch: pytest.MonkeyPatch, way: str, program: bool
) -> None:
    service, name, method, path, sent = WAYS[way]
    bob, before = hogen.bob, list[Any]()
    if program:
        with hogen.api.site.reading() as session:
            owner = session.get_one(SeatRow, (hogen.id, 1)).player_id
        assert owner is not None
        bob = hogen.api.caller(access_tokens.create_token(hogen.api.site, owner, "My bot", ["play"], None)[1])

    def end() -> None:
        with hogen.api.site.writing() as session:
            session.get_one(SeatRow, (hogen.id, 1)).epoch = 1
        before.append(what_is_kept(hogen))

    run_before_service_call(monkeypatch, service, name, end)
    url = f"/api/v1{hogen.path}/{path}"
    answer = bob.client.open(url, method=method, json=sent, headers=bob.headers())
    check_problem(answer, *((503, "busy") if program else (401, "unauthorized")))
    assert before == [what_is_kept(hogen)]


ORGANISING: dict[str, tuple[Any, str, str, str, dict[str, Any], int]] = {
    "rematch": (rematches, "find_or_create_rematch", "POST", "rematch", {}, 201),
    "fill": (joining, "fill_with_bot", "PUT", "seats/1", {"bot": "random"}, 200),
    "open": (joining, "open_seat", "PUT", "seats/1", {"open": True}, 200),
    "name": (matches, "invite_to_untaken_seat", "PUT", "seats/1", {"name": "Dave", "email": "dave@example.org"}, 200),
    "remind": (reminding, "remind_invited_player", "POST", "seats/1/reminder", {}, 200),
    "withdraw": (matches, "cancel_or_leave_match", "POST", "withdraw", {}, 200),
}


def match_to_organise(rest: Api, way: str) -> Table:
    """A finished match for a rematch; otherwise one that waits for its players."""
    if way == "rematch":
        table = Table(rest, rest.start())
        play_out(rest.site, table.id)
        return table
    table = Table(rest, rest.create())
    json_of(rest.caller().post(f"/confirm/{rest.token('confirm', table.id, 0)}", READER))
    if way == "remind":
        clock = rest.site.now
        assert isinstance(clock, MovedClock)
        clock.forward(days=2)
    return table


@pytest.mark.long
@pytest.mark.parametrize("way", ORGANISING)
@pytest.mark.parametrize("program", [False, True])
def test_renewing_links_during_an_organisers_request_refuses_it(
    rest: Api, monkeypatch: pytest.MonkeyPatch, way: str, program: bool
) -> None:
    service, name, method, path, sent, done = ORGANISING[way]
    table = match_to_organise(rest, way)
    alice, before = table.alice, list[Any]()
    if program:
        with rest.site.reading() as session:
            owner = session.get_one(SeatRow, (table.id, 0)).player_id
        assert owner is not None
        alice = rest.caller(access_tokens.create_token(rest.site, owner, "My bot", ["create"], None)[1])

    def renew() -> None:
        with rest.site.writing() as session:
            session.get_one(SeatRow, (table.id, 0)).epoch = 1
        before.append(table.trace())

    run_before_service_call(monkeypatch, service, name, renew)
    url = f"/api/v1{table.path}/{path}"
    answer = alice.client.open(url, method=method, json=sent, headers=alice.headers())
    check_problem(answer, *((503, "busy") if program else (401, "unauthorized")))
    assert before == [table.trace()]
    if program:
        json_of(alice.client.open(url, method=method, json=sent, headers=alice.headers()), done)
