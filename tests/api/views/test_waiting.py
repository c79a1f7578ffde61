"""Waiting for a match to go on: limited in number and time, and nobody learns what they may not know."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from werkzeug.test import TestResponse

from pbem.models.tables import Match, SeatRow
from pbem.services.access import access_tokens
from pbem.services.site import Site
from pbem.services.views.waiting import EVERY_S, Waiting
from tests.api.cast import READER, Api, Table, body, problem


class Watch:
    """A clock for waiting callers: each time one of them sleeps, the event planned for that moment happens."""

    def __init__(self, api: Api) -> None:
        self.at, self.slept, self.plans = 0.0, 0, dict[int, Callable[[], object]]()
        waiting: Waiting = api.app.extensions["pbem.waiting"]
        waiting.time, waiting.sleep = lambda: self.at, self.sleep

    def sleep(self, seconds: float) -> None:
        self.at += seconds
        self.slept += 1
        self.plans.pop(self.slept, lambda: None)()


@pytest.fixture
def watch(hogen: Table) -> Watch:
    """The clock of the callers who wait at the table."""
    return Watch(hogen.api)


def moves(table: Table, seat: int) -> Callable[[], object]:
    """Returns a function by which the seat plays its first legal move."""
    return lambda: table.play(seat, table.ask(seat)["legal"][0])


def changes(table: Table, **to: object) -> Callable[[], object]:
    """Returns a function that changes values in the match's row."""

    def change() -> None:
        with table.api.site.writing() as session:
            for name, value in to.items():
                setattr(session.get_one(Match, table.id), name, value)

    return change


def test_whoever_waits_gets_the_next_entries_when_they_are_there(hogen: Table, watch: Watch) -> None:
    watch.plans[5] = moves(hogen, 1)
    told = body(hogen.alice.get(f"{hogen.path}/events?after=1&wait=20"))
    assert (told["version"], [entry["n"] for entry in told["events"]]) == (2, [2])
    assert watch.at == 5 * EVERY_S


def test_what_comes_after_waiting_is_what_the_caller_would_have_got_without(hogen: Table, watch: Watch) -> None:
    for after, seat in ((1, 0), (2, 1)):
        watch.plans = {watch.slept + 1: moves(hogen, seat)}
        for caller in (hogen.bob, hogen.charlie, hogen.alice):
            waited = caller.get(f"{hogen.path}/events?after={after}&wait=9")
            at_once = caller.get(f"{hogen.path}/events?after={after}")
            assert waited.data == at_once.data
            assert waited.headers["ETag"] == at_once.headers["ETag"]
            assert json.loads(waited.data)["events"]


def nothing_after(version: int, answer: TestResponse) -> bool:
    """True if the answer tells that the match is at this version, without an entry, and so the head is the base."""
    told = body(answer)
    known = told["base"] == told["head"] and (told["head"] is None) == (version == 0)
    return known and told == {**told, "game": "hogen", "version": version, "events": []}


def test_whoever_has_waited_long_enough_gets_nothing_new(hogen: Table, watch: Watch) -> None:
    answer = hogen.alice.get(f"{hogen.path}/events?after=1&wait=20")
    assert nothing_after(1, answer)
    assert "Retry-After" not in answer.headers
    assert watch.at == 20


def test_nobody_waits_for_what_is_there_already_or_without_asking(hogen: Table, watch: Watch) -> None:
    assert len(body(hogen.alice.get(f"{hogen.path}/events?wait=25"))["events"]) == 1
    assert body(hogen.alice.get(f"{hogen.path}/events?after=1"))["events"] == []
    assert watch.slept == 0


@pytest.mark.parametrize("status", ["over", "cancelled"])
def test_nobody_waits_for_a_match_that_has_ended(hogen: Table, watch: Watch, status: str) -> None:
    watch.plans[3] = changes(hogen, status=status, outcome=None)
    for _ in range(2):
        assert nothing_after(1, hogen.charlie.get(f"{hogen.path}/events?after=1&wait=25"))
    assert watch.slept == 3


def test_one_may_wait_for_a_match_to_begin(rest: Api) -> None:
    match_id = rest.create()
    body(rest.caller().post(f"/confirm/{rest.token('confirm', match_id, 0)}", READER))
    watch = Watch(rest)
    assert nothing_after(0, rest.caller().get(f"/matches/{match_id}/events?wait=2"))
    assert watch.at == 2


def test_a_link_that_ends_while_its_caller_waits_tells_them_nothing_more(hogen: Table, watch: Watch) -> None:
    def renew() -> None:
        with hogen.api.site.writing() as session:
            session.get_one(SeatRow, (hogen.id, 0)).epoch = 1

    alice = hogen.alice
    watch.plans = {2: renew}
    problem(alice.get(f"{hogen.path}/events?after=1&wait=25"), 401, "unauthorized")
    assert watch.slept == 2


@pytest.mark.parametrize("news", [True, False])
def test_a_personal_token_that_is_revoked_while_its_caller_waits_tells_them_nothing_more(
    hogen: Table, watch: Watch, news: bool
) -> None:
    made, token = access_tokens.make(hogen.api.site, 1, "My bot", ["read"], None)

    def revoke() -> None:
        access_tokens.revoke(hogen.api.site, 1, made.id)
        if news:
            moves(hogen, 1)()

    watch.plans = {2: revoke}
    refused = problem(hogen.api.caller(token).get(f"{hogen.path}/events?after=1&wait=5"), 401, "unauthorized")
    assert refused["reason"] == "revoked"


def test_a_table_that_closes_its_doors_tells_a_waiting_spectator_nothing_more(hogen: Table, watch: Watch) -> None:
    def close() -> None:
        moves(hogen, 1)()
        changes(hogen, spectators=False)()

    watch.plans = {2: close}
    problem(hogen.charlie.get(f"{hogen.path}/events?after=1&wait=25"), 403, "forbidden")


def test_nobody_waits_outside_a_private_table(make_site: Callable[..., Site]) -> None:
    api = Api(make_site())
    table = Table(api, api.start(spectators=False))
    watch = Watch(api)
    problem(table.charlie.get(f"{table.path}/events?after=1&wait=25"), 403, "forbidden")
    assert watch.slept == 0


def test_where_all_places_are_taken_the_answer_comes_at_once_and_says_when_to_ask_again(
    hogen: Table, watch: Watch
) -> None:
    waiting: Waiting = hogen.api.app.extensions["pbem.waiting"]
    places = [waiting.take_slot(who, stranger=False) for who in "abc"]
    assert None not in places
    answer = hogen.alice.get(f"{hogen.path}/events?after=1&wait=25")
    assert nothing_after(1, answer)
    assert answer.headers["Retry-After"] == "2"
    assert watch.slept == 0
    for place in places:
        assert place is not None
        place.leave()
        place.leave()
    assert "Retry-After" not in hogen.alice.get(f"{hogen.path}/events?after=1&wait=1").headers


def test_whoever_has_waited_leaves_their_place_even_when_it_goes_wrong(hogen: Table, watch: Watch) -> None:
    def fail() -> None:
        raise RuntimeError("the machine")

    for at in range(1, 6):
        watch.plans = {at: fail}
        problem(hogen.alice.get(f"{hogen.path}/events?after=1&wait=25"), 500, "internal")


def test_nobody_waits_for_a_match_that_its_organiser_has_not_confirmed(rest: Api) -> None:
    path = f"/matches/{rest.create()}/events"
    watch = Watch(rest)
    assert rest.caller().get(f"{path}?wait=25").headers["Retry-After"] == "2"
    problem(rest.caller().get(f"{path}/stream"), 503, "busy")
    assert watch.slept == 0


def test_a_stranger_has_one_place_and_a_player_two() -> None:
    waiting = Waiting(9)
    mine = [waiting.take_slot("player:1", stranger=False) for _ in range(3)]
    assert [place is None for place in mine] == [False, False, True]
    assert waiting.take_slot("from:192.0.2.1", stranger=True) is not None
    assert waiting.take_slot("from:192.0.2.1", stranger=True) is None
    assert mine[0] is not None
    mine[0].leave()
    assert waiting.take_slot("player:1", stranger=False) is not None


def test_strangers_never_take_the_last_place() -> None:
    waiting = Waiting(3)
    taken = [waiting.take_slot(f"from:192.0.2.{n}", stranger=True) is not None for n in range(3)]
    assert taken == [True, True, False]
    assert waiting.take_slot("seat:ab.0.0", stranger=False) is not None
    assert waiting.take_slot("seat:ab.1.0", stranger=False) is None


def test_while_strangers_follow_a_match_who_plays_in_it_still_finds_a_place(hogen: Table, watch: Watch) -> None:
    waiting: Waiting = hogen.api.app.extensions["pbem.waiting"]
    path = f"{hogen.path}/events?after=1&wait=1"
    at_his_address = waiting.take_slot("from:127.0.0.1", stranger=True)
    assert hogen.charlie.get(path).headers["Retry-After"] == "2"
    assert at_his_address is not None
    at_his_address.leave()
    assert "Retry-After" not in hogen.charlie.get(path).headers
    assert None not in [waiting.take_slot(f"from:192.0.2.{n}", stranger=True) for n in range(2)]
    assert hogen.charlie.get(path).headers["Retry-After"] == "2"
    assert "Retry-After" not in hogen.alice.get(path).headers


def test_nobody_waits_at_a_site_without_places(make_site: Callable[..., Site]) -> None:
    api = Api(make_site(waiting=0))
    table = Table(api, api.start())
    assert table.alice.get(f"{table.path}/events?after=1&wait=25").headers["Retry-After"] == "2"


def test_a_process_that_is_to_end_lets_nobody_wait_longer(hogen: Table, watch: Watch) -> None:
    waiting: Waiting = hogen.api.app.extensions["pbem.waiting"]
    waiting.ended = lambda: watch.slept == 3
    assert body(hogen.alice.get(f"{hogen.path}/events?after=1&wait=25"))["events"] == []
    assert watch.slept == 3


@pytest.mark.parametrize("wait", ["26", "-1", "x", "1.5", "", "٣"])
def test_a_time_to_wait_is_a_whole_number_of_seconds_up_to_25(hogen: Table, wait: str) -> None:
    said = problem(hogen.alice.get(f"{hogen.path}/events?wait={wait}"), 422, "invalid")
    assert set(said["fields"]) == {"wait"}
