"""Webhooks wait as long as mails do: what is taken back meanwhile is never told as if it stood."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from pbem.features import safe_http
from pbem.features.safe_http import Answer
from pbem.features.webhooks import registry
from pbem.services.lobby import matches
from pbem.services.lobby.match_request import BotSeat, Invitee, NewMatch
from pbem.services.log import cancellation
from pbem.services.play import bots, takeback
from pbem.services.who import STRANGER
from tests.features.webhooks.hooked import ALL, make_due_calls
from tests.services.letterbox import id_of
from tests.table import CAST, House, address_of, claim_of

pytestmark = pytest.mark.usefixtures("no_lookups")

PROGRAM, CHAT = "https://example.org/hook", "https://discord.com/api/webhooks/1/x"
HOLD_S = 60


@pytest.fixture
def house(make_house: Callable[..., House]) -> House:
    """A house that holds mails for a minute."""
    return make_house(mail_hold_s=HOLD_S)


@pytest.fixture
def calls_made(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Any]]:
    """What is called, each with success: the address and the body."""
    made: list[tuple[str, Any]] = []

    def call(url: str, body: bytes, headers: dict[str, str], **_: object) -> Answer:
        made.append((url, json.loads(body)))
        return Answer(status=204)

    monkeypatch.setattr(safe_http, "post_safely", call)
    return made


Posted = list[tuple[str, Any]]


def call_player_about_everything(house: House, seat: int, url: str = PROGRAM, kinds: tuple[str, ...] = ALL) -> None:
    """Has this player called about all that happens from now on."""
    preset = "standard" if url == PROGRAM else "discord"
    registry.add_webhook(house.site, id_of(house, CAST[seat]), url, kinds, preset, language="en")


def match_with_listener(house: House, url: str = PROGRAM) -> tuple[str, int, int, int]:
    """A match that all know, whose next player listens; the match, who moves, who is next, and the version."""
    match_id = house.begin(3, "niigata")
    mover = house.asks(match_id)[0].seat
    following = (mover + 1) % 3
    call_player_about_everything(house, following, url)
    return match_id, mover, following, house.view(match_id, None).sheet.version


def what_is_told(posted: Posted) -> list[tuple[str, list[int]]]:
    """Returns what a program was told: the kind of each call, and the entries in it."""
    return [(body["type"], [entry["n"] for entry in body["data"]["events"]]) for url, body in posted if url == PROGRAM]


@pytest.mark.long
def test_a_held_move_is_reported_only_when_its_mails_are_sent(house: House, calls_made: Posted) -> None:
    match_id, mover, _, before = match_with_listener(house)
    house.play(match_id, mover)
    house.clock.forward(seconds=HOLD_S - 1)
    assert make_due_calls(house) == 0
    house.clock.forward(seconds=1)
    make_due_calls(house)
    assert what_is_told(calls_made) == [("match.moved", [before + 1]), ("turn.asked", [before + 1])]
    assert make_due_calls(house) == 0


@pytest.mark.long
def test_each_held_move_waits_for_its_own_time(house: House, calls_made: Posted) -> None:
    match_id, mover, following, before = match_with_listener(house)
    house.play(match_id, mover)
    house.clock.forward(seconds=HOLD_S - 10)
    house.play(match_id, following)
    house.clock.forward(seconds=10)
    make_due_calls(house)
    assert what_is_told(calls_made) == [("match.moved", [before + 1])], (
        "their question is answered, the next move waits"
    )
    house.clock.forward(seconds=HOLD_S - 10)
    make_due_calls(house)
    assert [one for kind, entries in what_is_told(calls_made) for one in entries if kind == "match.moved"][:2] == [
        before + 1, before + 2,
    ]  # fmt: skip


def test_reports_do_not_mention_a_question_opened_by_a_held_move(house: House, calls_made: Posted) -> None:
    match_id, mover, following, _ = match_with_listener(house)
    call_player_about_everything(house, (mover + 2) % 3)
    calls_made.clear()
    house.play(match_id, mover)
    house.clock.forward(seconds=HOLD_S - 10)
    house.play(match_id, following)
    house.clock.forward(seconds=10)
    make_due_calls(house)
    (moved,) = [body["data"] for _, body in calls_made if body["data"]["seat"] == (mover + 2) % 3]
    assert moved["ask"] is None
    house.clock.forward(seconds=HOLD_S)
    make_due_calls(house)
    assert any(body["data"]["ask"] for _, body in calls_made if body["data"]["seat"] == (mover + 2) % 3)


@pytest.mark.long
def test_a_held_move_taken_back_is_reported_only_with_its_take_back(house: House, calls_made: Posted) -> None:
    match_id, mover, _, before = match_with_listener(house)
    house.play(match_id, mover)
    house.clock.forward(seconds=HOLD_S - 1)
    takeback.take_back(house.site, claim_of(house.site, match_id, mover), before)
    house.clock.forward(seconds=10)
    assert make_due_calls(house) == 0, "the move would be told, had it not been taken back"
    house.clock.forward(seconds=HOLD_S)
    make_due_calls(house)
    assert what_is_told(calls_made) == [("match.moved", [before + 1, before + 2])]
    assert calls_made[0][1]["data"]["events"][-1]["event"] == {"type": "Undone", "to": before}
    house.play(match_id, mover)
    house.clock.forward(seconds=HOLD_S)
    make_due_calls(house)
    assert what_is_told(calls_made)[1:] == [("match.moved", [before + 3]), ("turn.asked", [before + 3])]
    assert [body["data"]["after"] for _, body in calls_made][:2] == [before, before + 2], "without a gap"


def test_a_chat_gets_no_message_of_a_move_taken_back_while_held(house: House, calls_made: Posted) -> None:
    match_id, mover, following, before = match_with_listener(house, CHAT)
    house.play(match_id, mover)
    house.clock.forward(seconds=HOLD_S - 1)
    takeback.take_back(house.site, claim_of(house.site, match_id, mover), before)
    for later_s in (10, HOLD_S):  # the move would be told now, and its end afterwards
        house.clock.forward(seconds=later_s)
        assert make_due_calls(house) == 0
    house.play(match_id, mover, 1)
    house.clock.forward(seconds=HOLD_S)
    make_due_calls(house)
    said = [body["content"] for _, body in calls_made]
    assert len(said) == 2
    assert said[0].count("\n") == 2, "one line for the move that counts"
    assert f"{CAST[following]} is up" in said[1]


@pytest.mark.long
def test_a_chat_that_reported_a_move_also_reports_its_take_back(house: House, calls_made: Posted) -> None:
    match_id, mover, _, before = match_with_listener(house, CHAT)
    house.play(match_id, mover)
    house.clock.forward(seconds=HOLD_S)
    make_due_calls(house)
    calls_made.clear()
    takeback.take_back(house.site, claim_of(house.site, match_id, mover), before)
    house.clock.forward(seconds=HOLD_S)
    make_due_calls(house)
    (said,) = [body["content"] for _, body in calls_made]
    assert "taken back" in said or "takes back" in said


@pytest.mark.long
def test_releasing_the_held_mails_also_releases_the_webhook_calls(house: House, calls_made: Posted) -> None:
    match_id, mover, _, before = match_with_listener(house)
    house.play(match_id, mover)
    assert make_due_calls(house) == 0
    takeback.release_held_mails(house.site, claim_of(house.site, match_id, mover))
    make_due_calls(house)
    assert what_is_told(calls_made) == [("match.moved", [before + 1]), ("turn.asked", [before + 1])]


@pytest.mark.long
def test_nothing_is_held_back_in_a_finished_or_cancelled_match(house: House, calls_made: Posted) -> None:
    over, off = house.begin(3), house.begin(3)
    for seat in range(3):
        call_player_about_everything(house, seat, kinds=("over", "moved"))
    house.play_out(over)
    cancellation.cancel_match_for_host(house.site, off)
    make_due_calls(house)
    ends = [body["data"]["match"] for _, body in calls_made if body["type"] == "match.over"]
    assert sorted(ends) == sorted([over, off] * 3)
    last = {body["data"]["version"] for _, body in calls_made if body["data"]["match"] == over}
    assert max(last) == house.view(over, None).sheet.version


@pytest.mark.long
def test_nothing_is_held_back_where_one_person_plays_with_bots(house: House, calls_made: Posted) -> None:
    people: list[Invitee | BotSeat] = [Invitee("Alice", address_of("Alice")), BotSeat("random"), BotSeat("random")]
    match_id = matches.create_match(house.site, STRANGER, NewMatch("niigata", people, language="en"))
    matches.confirm_match(house.site, house.claim("confirm", match_id, 0), "en", "Europe/Paris")
    call_player_about_everything(house, 0)
    if 0 not in [ask.seat for ask in house.asks(match_id)]:
        bots.play_quick_bots(house.site)
    house.play(match_id, 0)
    assert make_due_calls(house) > 0


@pytest.mark.long
def test_without_a_configured_hold_webhook_calls_are_made_at_once(
    make_house: Callable[..., House], calls_made: Posted
) -> None:
    house = make_house()
    match_id, mover, _, before = match_with_listener(house)
    house.play(match_id, mover)
    make_due_calls(house)
    assert what_is_told(calls_made) == [("match.moved", [before + 1]), ("turn.asked", [before + 1])]
