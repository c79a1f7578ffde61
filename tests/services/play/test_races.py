"""Races with real threads: PostgreSQL resolves them by row locks, SQLite by its write lock."""

import threading
from collections import Counter
from contextlib import nullcontext
from functools import partial

import pytest
from sqlalchemy import text

from pbem.errors import Answered, Busy, Problem
from pbem.mail.mime import Mail
from pbem.services.log import locks
from pbem.services.mail import sender
from pbem.services.play import moves, timeouts
from pbem.services.players import players
from pbem.services.site import Site
from pbem.services.tokens import NeverClaim
from pbem.services.views import match_views
from tests.harness.sent import statements_to
from tests.harness.waiting import SECONDS
from tests.services.play.stage.races import ROUNDS, at_once, job_that_answers
from tests.table import House, Outgoing


def test_an_exception_in_any_thread_fails_the_test() -> None:
    with pytest.raises(ZeroDivisionError):
        at_once(lambda: 1, lambda: 1 // 0)


@pytest.mark.long
@pytest.mark.sqlite_too
def test_of_two_different_answers_at_once_only_one_is_played(house: House) -> None:
    for _ in range(ROUNDS):
        match_id = house.begin()
        one, other = at_once(job_that_answers(house, match_id, 0, 0), job_that_answers(house, match_id, 0, 1))
        kinds = sorted(type(result).__name__ for result in (one, other))
        assert kinds == [Answered.__name__, moves.Receipt.__name__]
        assert match_views.read_sheet(house.site, match_id, None).version == 2


@pytest.mark.long
def test_the_same_answer_twice_at_once_gives_one_move_and_the_same_receipt(house: House) -> None:
    for _ in range(ROUNDS):
        match_id = house.begin()
        job = job_that_answers(house, match_id, 0, 0)
        one, other = at_once(job, job)
        assert isinstance(one, moves.Receipt)
        assert isinstance(other, moves.Receipt)
        assert one.told.entries == other.told.entries
        assert {one.repeated, other.repeated} == {True, False}


@pytest.mark.long
def test_secret_choices_at_once_are_all_played_and_begin_the_match_once(house: House) -> None:
    for _ in range(ROUNDS):
        match_id = house.begin(4)
        results = at_once(*(job_that_answers(house, match_id, seat, 0) for seat in range(4)))
        assert all(isinstance(result, moves.Receipt) for result in results)
        kinds = Counter(type(e.event).__name__ for e in house.view(match_id, None).entries)
        assert kinds["AllyChosen"] == 4
        assert kinds["Began"] == 1


@pytest.mark.long
@pytest.mark.sqlite_too
def test_a_last_second_move_and_the_clock_never_both_win(house: House) -> None:
    for _ in range(ROUNDS):
        match_id = house.begin()
        ask = house.asks(match_id)[0]
        house.time_is_up(match_id)
        move, clock = at_once(
            job_that_answers(house, match_id, ask.seat, 0),
            partial(timeouts.answer_expired_ask, house.site, match_id, ask.key, ask.seat),
        )
        assert isinstance(move, moves.Receipt) != bool(clock)
        answered = [e for e in house.view(match_id, None).entries if e.key == ask.key]
        assert len(answered) == 1


@pytest.mark.long
@pytest.mark.sqlite_too
def test_two_drains_at_once_send_every_mail_once(house: House) -> None:
    for _ in range(2):
        house.begin()
    with house.site.engine.connect() as connection:
        due = connection.execute(text("SELECT count(*) FROM outbox WHERE done_at IS NULL")).scalar()
    post = Outgoing()
    counts = at_once(*(lambda: sender.drain(house.site, lambda: post) for _ in range(3)))
    ids = [message["Message-ID"] for _, message in post.all_sent]
    assert len(ids) == len(set(ids))
    assert sum(counts) == len(ids)  # type: ignore[arg-type]
    assert due is not None
    assert 0 < len(ids) <= due
    assert house.drain() == 0


@pytest.mark.long
def test_several_mails_go_to_a_relay_at_once_and_each_leaves_once(
    house_with_caps: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house, changed = house_with_caps, threading.Condition()
    many = house.site.engine.dialect.name != "sqlite"
    match_ids = [house.begin() for _ in range(2)]
    lanes: list[Outgoing] = []
    begun, ended, under_way = list[str](), list[str](), [0]

    class Slow(Outgoing):
        def send(self, mail: Mail, to: str) -> None:
            with changed:
                begun.append(to)
                under_way.append(len(begun) - len(ended))
                changed.notify_all()
                if many:
                    assert changed.wait_for(lambda: max(under_way) > 1, SECONDS), "two mails are on their way"
            super().send(mail, to)
            with changed:
                ended.append(to)

    def open_slow(site: Site) -> Outgoing:
        lanes.append(Slow())
        return lanes[-1]

    monkeypatch.setattr(sender, "transport_for", open_slow)
    left = sender.drain(house.site)
    ids = [message["Message-ID"] for lane in lanes for _, message in lane.all_sent]
    assert left == len(ids) == len(set(ids)) >= 2 * len(match_ids)
    assert (len(lanes) > 1, max(under_way) > 1) == (many, many), "SQLite has one writer"
    assert house.drain() == 0


@pytest.mark.on_postgresql
def test_a_mail_that_is_due_alone_is_claimed_by_one_run_alone(
    house_with_caps: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = house_with_caps
    house.begin()
    with house.site.engine.begin() as connection:
        one = "SELECT min(id) FROM outbox WHERE done_at IS NULL AND kind = 'turn'"
        connection.execute(text(f"UPDATE outbox SET done_at = due_at WHERE id <> ({one})"))
    monkeypatch.setattr(sender, "transport_for", lambda _site: nullcontext(Outgoing()))
    with statements_to(house.site.engine) as said:
        assert sender.drain(house.site) == 1
    assert sum("UPDATE outbox SET claimed_until" in one for one in said) == 1, "a claim in vain costs half a mail"


@pytest.mark.long
def test_sweeps_at_once_play_each_question_once(house: House) -> None:
    match_ids = [house.begin() for _ in range(2)]
    house.drain()
    house.clock.forward(days=4)
    results = at_once(*(lambda: timeouts.sweep_deadlines(house.site) for _ in range(3)))
    assert not [r for r in results if isinstance(r, Problem)]
    # A sweep that could not lock a match in time leaves it to the next one, after the lease.
    house.clock.forward(seconds=61)
    assert sum(results) + timeouts.sweep_deadlines(house.site) == 6  # type: ignore[arg-type]
    for match_id in match_ids:
        keys = Counter(e.key for e in house.view(match_id, None).entries if type(e.event).__name__ == "AllyChosen")
        assert keys == {f"t0.ally{seat}": 1 for seat in range(3)}


@pytest.mark.long
def test_a_move_that_gets_no_lock_in_time_is_refused_as_busy(impatient_house: House) -> None:
    house = impatient_house
    match_id = house.begin()
    job = job_that_answers(house, match_id, 0, 0)
    with house.site.writing() as session:
        locks.lock_match(session, match_id)
        (result,) = at_once(job)
    assert isinstance(result, Busy)
    assert result.retry_after
    assert match_views.read_sheet(house.site, match_id, None).version == 1
    assert isinstance(job(), moves.Receipt)


@pytest.mark.long
def test_matches_created_at_once_with_the_same_new_people_all_succeed(house: House) -> None:
    results = at_once(house.create, house.create, house.create)
    assert all(isinstance(result, str) for result in results), results
    with house.site.engine.connect() as connection:
        assert connection.execute(text("SELECT count(*) FROM players")).scalar() == 3


def test_suppressing_an_address_several_times_at_once_never_fails(house: House) -> None:
    house.create()
    claim = house.tokens.read(NeverClaim, house.site.tokens.sign_for(NeverClaim, 1, "alice@example.org"))
    assert at_once(*(partial(players.suppress_by_link, house.site, claim) for _ in range(3))) == [None] * 3


@pytest.mark.on_postgresql
def test_a_log_entry_already_written_makes_the_second_writer_busy(house: House) -> None:
    match_id = house.begin()
    job = job_that_answers(house, match_id, 0, 0)
    with house.site.engine.begin() as connection:
        columns = "at, by, key, event, head"
        copied = f"INSERT INTO entries (match_id, n, {columns}) SELECT match_id, 2, {columns} FROM entries"
        connection.execute(text(copied))
    (result,) = at_once(job)
    assert isinstance(result, Busy)
