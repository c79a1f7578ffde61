"""What orders answer comes from the sweep, never from a request, nor at a moment that tells what its owner holds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace as replace_fields
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import NoReturn

import pytest
from msgspec.structs import replace
from sqlalchemy import event
from sqlmodel import select
from structlog.testing import capture_logs

from pbem.errors import Problem, Unavailable
from pbem.games import all_games
from pbem.games.allegeance.facts import Answered
from pbem.kit.codec import plain
from pbem.kit.replay import key_without_takebacks
from pbem.kit.windows import DELAY_MAX_S, DELAY_MIN_S, is_order_delayed, order_delay_s
from pbem.models.tables import AskRow, OrderRow, SeatRow
from pbem.services.lobby.match_request import AT_ONCE, SILENT
from pbem.services.log import locks, proofs, store
from pbem.services.log.table import LockedTable, lock_table
from pbem.services.monitoring import backlog
from pbem.services.play import ordering, timeouts
from pbem.services.site import Work
from tests.harness.statements import LOCKS, shape_of_statement
from tests.secrecy.received import copy_with, full_log
from tests.services.play.stage.races import ROUNDS, at_once
from tests.table import House, address_of, claim_of, open_house, submit_answer
from tests.windows import answer_window, begin_silent, play_to_window

NONE = "always nobori: none for match"
LOWEST = "lowest for match"
ON_FILES = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
"""A house is copied by its file."""


@contextmanager
def record_statements(house: House) -> Iterator[list[str]]:
    """Records what is sent to the database, without its values."""
    sent: list[str] = []

    def note(connection: object, cursor: object, statement: str, *_: object) -> None:
        sent.append(shape_of_statement(statement))

    event.listen(house.site.engine, "before_cursor_execute", note)
    try:
        yield sent
    finally:
        event.remove(house.site.engine, "before_cursor_execute", note)


def order_all(house: House, match_id: str, seat: int) -> None:
    """Orders for the seat a fixed answer to each kind of question that can have one."""
    view = house.view(match_id, seat)
    for kind in view.game.meta.asks:
        for move in [*view.game.answers(kind, view.fold, seat)][:1]:
            said = {"type": "Always", "kind": kind, "move": plain(move), "scope": "match"}
            try:
                ordering.add_order(house.site, claim_of(house.site, match_id, seat), view.sheet.version, said, "api")
            except Problem:
                continue  # not every answer can be ordered


def answer_seat(house: House, match_id: str, seat: int) -> None:
    """The seat answers, and no worker does anything."""
    view = house.view(match_id, seat)
    assert view.ask is not None
    submit_answer(house.site, match_id, seat, view.ask.key, view.legal()[0], "api")


def row_of(house: House, match_id: str, seat: int) -> AskRow:
    """The row of the seat's open question."""
    with house.site.reading() as session:
        return next(ask for ask in store.open_asks(session, match_id) if ask.seat == seat)


def match_of_hagakure(house: House, *said: str) -> tuple[str, int, int]:
    """A match of Hagakure, whose first seat is about to play a card, and the next, which has these orders."""
    match_id = house.begin(3, "hagakure")
    first = house.asks(match_id)[0].seat
    second = (first + 1) % 3
    version = house.view(match_id, second).sheet.version
    ordering.save_orders(house.site, claim_of(house.site, match_id, second), version, [NONE, *said], "api")
    while house.asks(match_id)[0].kind == "nobori":
        house.play(match_id, house.asks(match_id)[0].seat)
    house.drain()
    house.mail.clear()
    return match_id, first, second


# --- requests ------------------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("slug", [*all_games()])
@ON_FILES
def test_a_move_costs_the_same_statements_with_orders_of_others(slug: str, house: House, tmp_path: Path) -> None:
    match_id = house.begin(3, slug, windows=SILENT)
    while len(house.asks(match_id)) > 1:
        house.play(match_id, house.asks(match_id)[0].seat)
    found = []
    for ordered in range(3):
        there = copy_with(house, match_id, full_log(house, match_id), tmp_path / f"{ordered}")
        first = there.asks(match_id)[0].seat
        for step in range(1, ordered + 1):
            order_all(there, match_id, (first + step) % 3)
        version = there.view(match_id, None).sheet.version
        with record_statements(there) as sent:
            answer_seat(there, match_id, first)
        assert {entry.by.seat for entry in there.view(match_id, None).entries if entry.n > version} == {first}
        found.append(sent)
        there.site.engine.dispose()
    assert found[0] == found[1] == found[2]


@pytest.mark.long
@ON_FILES
def test_an_answer_in_a_silent_window_always_costs_the_same_statements(house: House, tmp_path: Path) -> None:
    match_id = begin_silent(house)
    seats = [ask.seat for ask in house.asks(match_id)]
    for mine in seats:
        found = []
        others = [seat for seat in seats if seat != mine]
        for by_hand, by_order in (([], []), (others[:1], []), (others, []), ([], others), (others[:1], others[1:])):
            there = copy_with(house, match_id, full_log(house, match_id), tmp_path / "there")
            for seat in by_hand:
                answer_seat(there, match_id, seat)
            for seat in by_order:
                order_all(there, match_id, seat)
            timeouts.sweep_deadlines(there.site)
            with record_statements(there) as sent:
                answer_seat(there, match_id, mine)
            found.append(sent)
            there.site.engine.dispose()
        assert all(one == found[0] for one in found)


@pytest.mark.long
@ON_FILES
def test_saving_orders_costs_the_same_statements_with_orders_of_others(house: House, tmp_path: Path) -> None:
    match_id = begin_silent(house)
    mine, *others = [ask.seat for ask in house.asks(match_id)]
    found = []
    for ordered in range(3):
        there = copy_with(house, match_id, full_log(house, match_id), tmp_path / f"{ordered}")
        for seat in others[:ordered]:
            order_all(there, match_id, seat)
        version, claim = there.view(match_id, mine).sheet.version, claim_of(there.site, match_id, mine)
        with record_statements(there) as sent:
            ordering.save_orders(there.site, claim, version, ["always answer: pass for match"], "api")
        found.append(sent)
        there.site.engine.dispose()
    assert found[0] == found[1] == found[2]


# --- delays --------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_an_order_that_may_reveal_hidden_cards_answers_after_a_drawn_delay(house: House) -> None:
    match_id, first, second = match_of_hagakure(house, LOWEST)
    answer_seat(house, match_id, first)
    ask, opened = row_of(house, match_id, second), house.clock.at
    with house.site.reading() as session:
        match = store.get_match(session, match_id)
        luck = proofs.luck_of_window_durations(match).order(key_without_takebacks(ask.key), second)
        answers_at = opened + timedelta(seconds=order_delay_s(luck, match.turn_s))
    assert DELAY_MIN_S <= (answers_at - opened).total_seconds() <= DELAY_MAX_S
    timeouts.sweep_deadlines(house.site)
    house.clock.at = answers_at - timedelta(seconds=1)
    timeouts.sweep_deadlines(house.site)
    assert house.asks(match_id)[0].seat == second
    house.clock.at = answers_at
    timeouts.sweep_deadlines(house.site)
    timeouts.sweep_deadlines(house.site)
    assert house.asks(match_id)[0].seat != second
    (entry,) = [one for one in house.view(match_id, None).entries if one.by.seat == second and one.key == ask.key]
    assert datetime.fromisoformat(entry.at) == answers_at.replace(microsecond=0)


@pytest.mark.long
@pytest.mark.parametrize("said", ["only for match", LOWEST])
def test_an_order_delays_a_forced_card_as_long_as_any_other(house: House, said: str) -> None:
    """The delay does not go by the hand: a player who has a choice and leaves it to an order takes as long."""
    match_id, _, second = match_of_hagakure(house, said)
    by_order: list[float] = []
    for at in range(200):
        house.play(match_id, house.asks(match_id)[0].seat, at=-(at % 2))
        with house.site.reading() as session:
            asked = select(AskRow).where(AskRow.match_id == match_id, AskRow.seat == second, AskRow.kind == "card")
            took = [(ask.closed_at - ask.opened_at).total_seconds() for ask in session.exec(asked) if ask.closed_at]
        by_order = [seconds for seconds in took if seconds]
        if len(by_order) > 1:
            break
    assert by_order
    assert all(DELAY_MIN_S <= seconds <= DELAY_MAX_S for seconds in by_order)


@pytest.mark.long
def test_order_delays_shrink_with_the_turn_time_and_differ_by_question(house: House) -> None:
    match_id, first, second = match_of_hagakure(house, LOWEST)
    answer_seat(house, match_id, first)
    with house.site.reading() as session:
        luck = proofs.luck_of_window_durations(store.get_match(session, match_id))
    drawn = [order_delay_s(luck.order(f"r1.t{n}.card", second), 86_400) for n in range(200)]
    assert len({*drawn}) > 150
    assert max(order_delay_s(luck.order(f"r1.t{n}.card", second), 3_600) for n in range(200)) <= DELAY_MAX_S / 24


def match_of_niigata(house: House) -> tuple[str, int, int]:
    """A match of Niigata, whose first seat is about to take a tile, and the other, which has ordered what it takes."""
    match_id = house.begin(2, "niigata")
    first = house.asks(match_id)[0].seat
    other = 1 - first
    assert not is_order_delayed(house.view(match_id, other).game.meta.asks["pick"])
    order_all(house, match_id, other)
    order_preference(house, match_id, other, [plain(move) for move in house.view(match_id, first).legal()][:16])
    return match_id, first, other


def order_preference(house: House, match_id: str, seat: int, listed: list[object]) -> None:
    """The seat leaves its picks to an order, and nothing else."""
    version = house.view(match_id, seat).sheet.version
    said = {"type": "Prefer", "kind": "pick", "moves": listed, "scope": "match"}
    ordering.save_orders(house.site, claim_of(house.site, match_id, seat), version, [said], "api")


def left_to_its_owner(house: House) -> tuple[str, int]:
    """A match of Niigata in which a seat is asked that has ordered to take the tile that has just been taken."""
    match_id, first, other = match_of_niigata(house)
    while house.asks(match_id)[0].kind != "pick":
        answer_seat(house, match_id, first)
    order_preference(house, match_id, other, [plain(house.view(match_id, first).legal()[0])])
    while house.asks(match_id)[0].seat == first:
        answer_seat(house, match_id, first)
    return match_id, other


def locking_statements(sent: list[str]) -> list[str]:
    """Those statements that lock or write, or on SQLite begin a transaction that does."""
    return [one for one in sent if LOCKS.search(one) or not (one == "BEGIN" or one.startswith("SELECT"))]


def test_a_database_away_is_not_logged_as_a_fault_of_an_order(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    match_id, first, _ = match_of_niigata(house)
    while house.asks(match_id)[0].seat == first:
        answer_seat(house, match_id, first)

    def away(*_: object) -> NoReturn:
        raise Unavailable("The database does not answer.")

    with monkeypatch.context() as patched, capture_logs() as logs:
        patched.setattr(timeouts, "get_match", away)
        with pytest.raises(Unavailable):
            timeouts.let_undelayed_orders_answer(house.site)
    assert [line["event"] for line in logs if line["log_level"] == "error"] == []


def test_a_woken_worker_locks_nothing_where_no_order_answers(house: House) -> None:
    match_id, other = left_to_its_owner(house)
    asked = row_of(house, match_id, other)
    with record_statements(house) as ordered:
        assert timeouts.let_undelayed_orders_answer(house.site) == 0
    with record_statements(house) as again:
        assert timeouts.let_undelayed_orders_answer(house.site) == 0
    left = row_of(house, match_id, other)
    assert (left.follow_at, left.claimed_until) == (asked.follow_at, None), "the sweep looks at it"
    ordering.stop_orders(house.site, claim_of(house.site, match_id, other))
    with record_statements(house) as free:
        assert timeouts.let_undelayed_orders_answer(house.site) == 0
    assert locking_statements(ordered) == locking_statements(free) == []
    assert "FROM orders" in " ".join(ordered)
    assert again == free, "it has been read once"


def test_a_woken_worker_locks_a_match_where_an_order_answers(house: House) -> None:
    match_id, first, _ = match_of_niigata(house)
    while house.asks(match_id)[0].seat == first:
        answer_seat(house, match_id, first)
    with record_statements(house) as sent:
        assert timeouts.let_undelayed_orders_answer(house.site) == 1
    assert any(one == "BEGIN IMMEDIATE" or LOCKS.search(one) for one in sent)


def test_the_sweep_records_why_no_order_answered_a_public_question(house: House) -> None:
    match_id, other = left_to_its_owner(house)
    woken = list[str]()
    site = replace_fields(house.site, wake=lambda: woken.append("woken"))
    timeouts.let_undelayed_orders_answer(site)
    assert woken == []
    timeouts.sweep_deadlines(site)
    assert woken == ["woken"], "the mail may leave"
    with house.site.reading() as session:
        noted = session.get_one(OrderRow, (match_id, other))
    assert (row_of(house, match_id, other).follow_at, noted.left_key) == (None, house.asks(match_id)[0].key)


def test_a_stopping_worker_lets_no_more_orders_answer_and_claims_none(house: House) -> None:
    match_id, first, other = match_of_niigata(house)
    while house.asks(match_id)[0].seat == first:
        answer_seat(house, match_id, first)
    asked = row_of(house, match_id, other)
    assert timeouts.let_undelayed_orders_answer(replace_fields(house.site, stopping=lambda: True)) == 0
    assert row_of(house, match_id, other) == asked
    assert timeouts.let_undelayed_orders_answer(house.site) == 1


def test_an_order_that_cannot_be_read_holds_up_no_other(house: House) -> None:
    matches = [match_of_niigata(house) for _ in range(2)]
    for match_id, first, _ in matches:
        while house.asks(match_id)[0].seat == first:
            answer_seat(house, match_id, first)
    broken, _, other = matches[1]
    with house.site.writing() as work:
        work.get_one(OrderRow, (broken, other)).body = "[{"
    assert timeouts.let_undelayed_orders_answer(house.site) == 1
    assert [house.asks(match_id)[0].seat == other for match_id, _, other in matches] == [False, True]
    timeouts.sweep_deadlines(house.site)
    with house.site.reading() as session:
        assert session.get_one(OrderRow, (broken, other)).news, "its owner is told"


def test_a_woken_worker_answers_by_orders_when_nothing_is_hidden(house: House) -> None:
    match_id, first, other = match_of_niigata(house)
    while house.asks(match_id)[0].seat == first:
        answer_seat(house, match_id, first)
    asked, begun = house.asks(match_id)[0], house.clock.at
    assert asked.seat == other
    assert timeouts.let_undelayed_orders_answer(house.site) == 1
    assert house.asks(match_id)[0].key != asked.key
    assert (timeouts.let_undelayed_orders_answer(house.site), house.clock.at) == (0, begun)


@pytest.mark.long
def test_the_sweep_answers_at_once_where_a_delay_would_hide_nothing(house: House) -> None:
    match_id, first, _ = match_of_niigata(house)
    while house.asks(match_id)[0].seat == first:
        answer_seat(house, match_id, first)
    asked, begun = house.asks(match_id)[0], house.clock.at
    timeouts.sweep_deadlines(house.site)
    assert house.asks(match_id)[0].key != asked.key
    assert house.clock.at == begun


def test_a_woken_worker_looks_at_no_question_that_hides_something(house: House) -> None:
    match_id, first, second = match_of_hagakure(house, LOWEST)
    answer_seat(house, match_id, first)
    assert row_of(house, match_id, second).follow_at == house.clock.at
    with record_statements(house) as sent:
        assert timeouts.let_undelayed_orders_answer(house.site) == 0
    assert len([one for one in sent if one != "BEGIN"]) == 1, "one look at what is due: nothing is claimed or locked"
    assert row_of(house, match_id, second).follow_at == house.clock.at


def match_with_passing_orders(house: House, windows: str) -> tuple[str, int]:
    """A match of Allégeance in which two seats are asked in a window, of which the one returned passes by order."""
    match_id = house.begin(3, "allegeance", windows=windows)
    (first,) = [ask.seat for ask in house.asks(match_id)]
    second = (first + 1) % 3
    version, claim = house.view(match_id, second).sheet.version, claim_of(house.site, match_id, second)
    ordering.save_orders(house.site, claim, version, ["always answer: pass for match"], "api")
    while house.asks(match_id)[0].kind != "answer":
        answer_seat(house, match_id, first)
    return match_id, second


def test_a_woken_worker_seals_no_order_in_a_silent_window(house: House) -> None:
    match_id, second = match_with_passing_orders(house, SILENT)
    ask = row_of(house, match_id, second)
    assert (ask.floor_at is not None, ask.follow_at, ask.sealed) == (True, house.clock.at, None)
    assert timeouts.let_undelayed_orders_answer(house.site) == 0
    timeouts.sweep_deadlines(house.site)
    assert row_of(house, match_id, second).sealed is not None


def test_an_order_answers_at_once_in_a_window_that_is_not_silent(house: House) -> None:
    match_id, second = match_with_passing_orders(house, AT_ONCE)
    assert row_of(house, match_id, second).floor_at is None
    assert timeouts.let_undelayed_orders_answer(house.site) == 1
    assert second not in [ask.seat for ask in house.asks(match_id)]


def test_a_woken_worker_lets_the_order_of_an_only_person_answer(house: House) -> None:
    match_id, first, second = match_of_hagakure(house, LOWEST)
    answer_seat(house, match_id, first)
    with house.site.writing() as work:
        for seat in work.exec(select(SeatRow).where(SeatRow.match_id == match_id, SeatRow.seat != second)):
            seat.resigned = True
    assert timeouts.let_undelayed_orders_answer(house.site) == 1
    assert house.asks(match_id)[0].seat != second


def test_each_question_wakes_a_worker_also_the_next_of_the_same_turn(house: House) -> None:
    match_id, woken, turns = house.begin(2, "niigata"), list[str](), list[tuple[int, str]]()
    site = replace_fields(house.site, wake=lambda: woken.append("woken"))
    while len({*turns}) == len(turns):
        (ask,) = house.asks(match_id)
        turns.append((ask.seat, ask.turn))
        submit_answer(site, match_id, ask.seat, ask.key, house.view(match_id, ask.seat).legal()[0], "api")
        assert len(woken) == len(turns)


# --- looked at again -----------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_line_of_orders_is_rechecked_after_each_answer_of_another_seat(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    asks = all_games()["allegeance"].meta.asks  # as in a game that asks several seats at once outside of windows
    monkeypatch.setitem(asks, "answer", replace(asks["answer"], window=False))
    match_id = house.begin(4, "allegeance")
    play_to_window(house, match_id)
    first, second, third = (ask.seat for ask in house.asks(match_id))
    view = house.view(match_id, third)
    passes = [plain(Answered(seat, None)) for seat in (first, second)]
    said = {"type": "Line", "after": passes, "kind": "answer", "move": plain(view.legal()[1]), "scope": "question"}
    ordering.add_order(house.site, claim_of(house.site, match_id, third), view.sheet.version, said, "api")
    for seat in (first, second):
        timeouts.sweep_deadlines(house.site)
        house.clock.forward(seconds=DELAY_MAX_S)
        assert third in [ask.seat for ask in house.asks(match_id)]
        assert row_of(house, match_id, third).follow_at is None, "looked at, and left open"
        answer_window(house, match_id, seat)
    timeouts.sweep_deadlines(house.site)
    assert house.asks(match_id)[0].kind != "answer"
    assert [one.by.seat for one in house.view(match_id, None).entries if one.by.seat == third]


# --- mails ---------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_the_turn_mail_waits_for_a_delayed_order_until_that_is_stopped(house: House) -> None:
    match_id, first, second = match_of_hagakure(house, LOWEST)
    to = address_of([seat.name for seat in house.view(match_id, None).sheet.seats][second])
    answer_seat(house, match_id, first)
    for _ in range(5):
        house.drain()
        timeouts.sweep_deadlines(house.site)
        house.clock.forward(seconds=20)
    assert house.mail.to(to) == []
    ordering.stop_orders(house.site, claim_of(house.site, match_id, second))
    house.clock.forward(minutes=20)
    timeouts.sweep_deadlines(house.site)
    house.drain()
    assert len(house.mail.to(to)) == 1
    assert house.asks(match_id)[0].seat == second


def test_a_turn_mail_leaves_once_a_sweep_found_no_order_that_answers(house: House) -> None:
    match_id, first, second = match_of_hagakure(house, "lowest for match ask if trickless")
    to = address_of([seat.name for seat in house.view(match_id, None).sheet.seats][second])
    answer_seat(house, match_id, first)
    house.drain()
    assert house.mail.to(to) == [], "nobody has looked at the orders"
    timeouts.sweep_deadlines(house.site)
    house.clock.forward(seconds=30)
    house.drain()
    assert len(house.mail.to(to)) == 1


# --- nothing is lost -----------------------------------------------------------------------------------------


@pytest.mark.long
def test_orders_after_an_acknowledged_move_are_followed_by_any_process(
    house: House, database_url: str, tmp_path: Path
) -> None:
    match_id, first, second = match_of_hagakure(house, LOWEST)
    answer_seat(house, match_id, first)
    for there in open_house(database_url, tmp_path):  # as after a crash: nothing is kept in memory
        there.clock.at = house.clock.at + timedelta(seconds=DELAY_MAX_S)
        timeouts.sweep_deadlines(there.site)
    assert house.asks(match_id)[0].seat != second


@pytest.mark.long
def test_two_sweeps_at_once_follow_an_order_once(house: House) -> None:
    for _ in range(ROUNDS):
        match_id, first, second = match_of_hagakure(house, LOWEST)
        answer_seat(house, match_id, first)
        now = house.clock.at = house.clock.at + timedelta(seconds=DELAY_MAX_S)
        follow = partial(timeouts.let_orders_answer, house.site, now)
        at_once(follow, follow)
        played = [
            one for one in house.view(match_id, None).entries if one.by.seat == second and ".card" in str(one.key)
        ]
        assert len({one.key for one in played}) == 1
        with house.site.reading() as session:
            asked = select(AskRow).where(AskRow.match_id == match_id, AskRow.seat == second, AskRow.kind == "card")
            assert [ask.closed_by for ask in session.exec(asked)] == ["seat"]


def test_the_sweep_checks_all_questions_of_seats_without_orders_at_once(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    monkeypatch.setattr(timeouts, "BATCH", 1)
    both = [(match_id, house.asks(match_id)[0].seat) for match_id in (house.begin(3, "hagakure") for _ in range(2))]
    assert all(row_of(house, *one).follow_at is not None for one in both)
    timeouts.sweep_deadlines(house.site)
    assert [row_of(house, *one).follow_at for one in both] == [None, None]


@pytest.mark.long
def test_an_order_answers_before_the_clock_however_late_the_sweep_comes(house: House) -> None:
    match_id, first, second = match_of_hagakure(house, LOWEST)
    answer_seat(house, match_id, first)
    house.clock.forward(minutes=6)
    house.drain()  # after so long without a sweep its mail leaves, and its clock runs
    key, acts_at = row_of(house, match_id, second).key, row_of(house, match_id, second).acts_at
    assert acts_at is not None
    house.clock.at = acts_at
    assert timeouts.sweep_deadlines(house.site) == 0
    with house.site.reading() as session:
        answered = store.get_ask(session, match_id, key, second)
        assert answered is not None
        assert answered.closed_by == "seat"


@pytest.mark.long
def test_without_a_sweep_the_mail_leaves_and_doctor_counts_the_question(house: House) -> None:
    match_id, first, second = match_of_hagakure(house, LOWEST)
    to = address_of([seat.name for seat in house.view(match_id, None).sheet.seats][second])
    answer_seat(house, match_id, first)
    for late in (False, True):
        house.drain()
        with house.site.one_statement() as connection:
            found = backlog.asks_due(connection, house.site.now())
        assert (len(house.mail.to(to)), found.count, found.age_s >= 300) == ((1, 1, True) if late else (0, 0, False))
        house.clock.forward(seconds=timeouts.ORDER_PATIENCE.total_seconds() + timeouts.SWEEP_INTERVAL.total_seconds())


def test_orders_of_a_paused_match_wait_and_are_checked_rarely(house: House) -> None:
    match_id, first, second = match_of_hagakure(house, LOWEST)
    answer_seat(house, match_id, first)
    set_status(house, match_id, "paused")
    assert timeouts.let_orders_answer(house.site, house.site.now()) == 1
    assert timeouts.let_orders_answer(house.site, house.site.now()) == 0
    assert row_of(house, match_id, second).follow_at == house.site.now() + timeouts.PAUSED_INTERVAL
    set_status(house, match_id, "running")
    house.clock.forward(seconds=timeouts.PAUSED_INTERVAL.total_seconds() + DELAY_MAX_S)
    timeouts.sweep_deadlines(house.site)
    assert house.asks(match_id)[0].seat != second


def set_status(house: House, match_id: str, status: str) -> None:
    with house.site.writing() as work:
        match = locks.lock_match(work, match_id)
        match.status = status
        work.add(match)


def test_an_order_that_cannot_be_checked_asks_its_owner_and_stops_no_other(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id, first, second = match_of_hagakure(house, LOWEST)
    to = address_of([seat.name for seat in house.view(match_id, None).sheet.seats][second])
    other_id, other_first, other_second = match_of_hagakure(house, LOWEST)
    answer_seat(house, match_id, first)
    house.clock.forward(seconds=1)
    answer_seat(house, other_id, other_first)

    def fail_for_one(work: Work, locked: str, now: datetime) -> LockedTable:
        if locked == match_id:
            raise RuntimeError("cannot be loaded")
        return lock_table(work, locked, now)

    house.clock.forward(seconds=DELAY_MAX_S)
    with monkeypatch.context() as broken:
        broken.setattr(timeouts, "lock_table", fail_for_one)
        timeouts.sweep_deadlines(house.site)
    assert row_of(house, match_id, second).follow_at is None
    assert house.asks(other_id)[0].seat != other_second
    house.drain()
    assert [mail for mail in house.mail.to(to) if match_id in str(mail)]
