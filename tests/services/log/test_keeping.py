"""Folds that a match in play lacks are kept by a task, at once when somebody reads it, whatever happens meanwhile."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import msgspec
import pytest
from sqlalchemy import text
from sqlmodel import col, select

from pbem.kit.folds import fold_for_all, no_folds, pack_folds
from pbem.kit.replay import entries_not_taken_back, full_fold
from pbem.models.clocks import Heartbeat
from pbem.services.log import cancellation, folds, keeping, store
from pbem.services.log.store import Table
from pbem.services.play import takeback
from pbem.services.site import Site, Work
from pbem.services.views import match_views
from tests.services.play.stage.takeback import reversible_of_seat, take_back
from tests.table import House, claim_of, submit_answer

SEATS = 2
Rows = list[tuple[int, bytes]]


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keeps folds every few entries."""
    monkeypatch.setattr(folds, "EVERY", 12)


def fresh_process(house: House) -> Site:
    """Returns the site in a process that has seen nothing yet."""
    return Site(house.site.config, house.site.engine, now=house.clock)


def play_next(house: House, match_id: str) -> None:
    ask = house.asks(match_id)[0]
    legal = house.view(match_id, ask.seat).legal()
    submit_answer(
        fresh_process(house), match_id, ask.seat, ask.key, legal[(7 * ask.seat + len(ask.key)) % len(legal)], "web"
    )


def version_of_match(house: House, match_id: str) -> int:
    return house.view(match_id, None).sheet.version


def long_match(house: House, game: str = "allegeance", entries: int = 60) -> str:
    match_id = house.begin(SEATS, game)
    while version_of_match(house, match_id) < entries:
        play_next(house, match_id)
    return match_id


def run_statement(house: House, statement: str, **values: Any) -> None:
    with house.site.engine.begin() as connection:
        connection.execute(text(statement), values)


def folds_in_database(house: House, match_id: str) -> Rows:
    """Returns the folds that are kept, the earlier first."""
    with house.site.engine.connect() as connection:
        found = connection.execute(text("SELECT n, body FROM folds WHERE match_id = :m ORDER BY n"), {"m": match_id})
        return [(n, bytes(body)) for n, body in found]


def make_older_match(house: House, match_id: str) -> None:
    """Makes it a match that an older release has played."""
    run_statement(house, "DELETE FROM folds WHERE match_id = :m", m=match_id)


def of_log(house: House, match_id: str, seats: int = SEATS) -> Rows:
    """Returns what the rows that are there should hold, from the log."""
    with house.site.reading() as session:
        table = Table(session, store.get_match(session, match_id))
        made = ((n, entries_not_taken_back(table.entries[:n])) for n, _ in folds_in_database(house, match_id))
        return [(n, pack_folds(table.game, fold_for_all(table.game, no_folds(seats), log))) for n, log in made]


def matches_to_keep_after(house: House, read: Callable[[Site], object]) -> list[str]:
    """Returns of which matches folds are to be kept, once this was read in a process that knew nothing."""
    asked: list[str] = []
    read(replace(fresh_process(house), keep_folds=asked.append))
    return asked


def job_that_reads_page(house: House, match_id: str, seat: int = 0) -> Callable[[Site], object]:
    return lambda site: takeback.read_seat_page(site, claim_of(site, match_id, seat))


class Meanwhile(Site):
    """A site on which something happens just before a transaction that writes."""

    happens: Callable[[], object] = staticmethod(lambda: None)

    @contextmanager
    def writing(self) -> Iterator[Work]:
        Meanwhile.happens()
        with super().writing() as work:
            yield work


def keep_while(house: House, match_id: str, happens: Callable[[], object]) -> bool:
    """Keeps folds while this happens, after the log was read; returns whether they were written."""
    Meanwhile.happens = staticmethod(happens)
    return keeping.keep_folds(Meanwhile(house.site.config, house.site.engine, now=house.clock), match_id)


# --- what is kept, and when -----------------------------------------------------------------------------------


@pytest.mark.parametrize("game", ["allegeance", "hexen-rennen", "niigata"])
def test_the_fold_task_stores_the_same_folds_as_moves_do(house: House, game: str) -> None:
    match_id = long_match(house, game, 30)
    by_moves = folds_in_database(house, match_id)
    assert len(by_moves) == 2
    make_older_match(house, match_id)
    assert keeping.keep_folds(fresh_process(house), match_id)
    assert folds_in_database(house, match_id) == by_moves == of_log(house, match_id)
    assert not keeping.keep_folds(fresh_process(house), match_id), "it lacks nothing any more"


def test_in_a_young_match_the_fold_task_stores_the_same_folds_as_moves(house: House) -> None:
    match_id = house.begin(SEATS, "allegeance")
    while (now := version_of_match(house, match_id)) < 26:
        by_moves = folds_in_database(house, match_id)
        make_older_match(house, match_id)
        assert keeping.keep_folds(fresh_process(house), match_id) == (now >= 12)
        assert folds_in_database(house, match_id) == by_moves
        play_next(house, match_id)


def test_reading_a_match_without_stored_folds_asks_to_store_them(house: House) -> None:
    match_id = long_match(house)
    assert matches_to_keep_after(house, job_that_reads_page(house, match_id)) == []
    make_older_match(house, match_id)
    for seat in range(SEATS):
        assert matches_to_keep_after(house, job_that_reads_page(house, match_id, seat)) == [match_id]
    assert matches_to_keep_after(house, lambda site: match_views.read_now(site, match_id, None)) == [match_id]
    assert folds_in_database(house, match_id) == [], "a page writes nothing"
    keeping.keep_folds(fresh_process(house), match_id)
    for seat in range(SEATS):
        assert matches_to_keep_after(house, job_that_reads_page(house, match_id, seat)) == []
        assert takeback.read_seat_page(fresh_process(house), claim_of(house.site, match_id, seat))[1].start.n > 0


def test_a_move_in_a_match_without_stored_folds_asks_to_store_them(house: House) -> None:
    match_id = long_match(house)
    while version_of_match(house, match_id) % 12 > 5:
        play_next(house, match_id)
    make_older_match(house, match_id)
    ask, asked = house.asks(match_id)[0], list[str]()
    legal = house.view(match_id, ask.seat).legal()
    submit_answer(replace(fresh_process(house), keep_folds=asked.append), match_id, ask.seat, ask.key, legal[0], "web")
    assert asked == [match_id]


def test_a_match_with_only_the_later_of_two_folds_gets_both(house: House) -> None:
    match_id = long_match(house)
    by_moves = folds_in_database(house, match_id)
    run_statement(house, "DELETE FROM folds WHERE n = :n", n=by_moves[0][0])
    assert matches_to_keep_after(house, job_that_reads_page(house, match_id)) == [match_id]
    assert keeping.keep_folds(fresh_process(house), match_id)
    assert folds_in_database(house, match_id) == by_moves


def test_a_finished_match_gets_no_folds(house: House) -> None:
    match_id = long_match(house)
    house.play_out(match_id)
    make_older_match(house, match_id)
    assert matches_to_keep_after(house, job_that_reads_page(house, match_id)) == []
    assert not keeping.keep_folds(fresh_process(house), match_id)
    assert folds_in_database(house, match_id) == []


@pytest.mark.parametrize("raised", [-1, 1])
def test_folds_of_an_older_version_are_replaced_and_newer_ones_stay(house: House, raised: int) -> None:
    match_id = long_match(house)
    by_moves = folds_in_database(house, match_id)
    for n, body in by_moves:
        number, *others = msgspec.msgpack.decode(zlib.decompress(body))
        other = zlib.compress(msgspec.msgpack.encode([number + raised, *others]))
        run_statement(house, "UPDATE folds SET body = :b WHERE n = :n", b=other, n=n)
    changed = folds_in_database(house, match_id)
    assert matches_to_keep_after(house, job_that_reads_page(house, match_id)) == ([match_id] if raised < 0 else [])
    assert keeping.sweep_folds(fresh_process(house)) == (raised < 0)
    assert not keeping.keep_folds(fresh_process(house), match_id)
    assert folds_in_database(house, match_id) == (by_moves if raised < 0 else changed)


def test_folds_that_cannot_be_read_are_replaced(house: House) -> None:
    match_id = long_match(house)
    by_moves = folds_in_database(house, match_id)
    run_statement(house, "UPDATE folds SET n = n + 3, body = substr(body, 1, 9)")
    assert matches_to_keep_after(house, job_that_reads_page(house, match_id)) == [match_id]
    assert keeping.keep_folds(fresh_process(house), match_id)
    assert folds_in_database(house, match_id) == by_moves


def test_folds_whose_contents_cannot_be_decoded_are_replaced(house: House) -> None:
    match_id = long_match(house)
    by_moves = folds_in_database(house, match_id)
    for n, body in by_moves:
        number, turns, _, seen, faded, there = msgspec.msgpack.decode(zlib.decompress(body))
        other = [number, turns, b"[7]", [b"[7]"] * len(seen), [b"[7]"] * len(faded), there]
        run_statement(
            house, "UPDATE folds SET body = :b WHERE n = :n", b=zlib.compress(msgspec.msgpack.encode(other)), n=n
        )
    assert matches_to_keep_after(house, job_that_reads_page(house, match_id)) == [match_id]
    assert matches_to_keep_after(house, lambda site: whole_state(site, match_id)) == [match_id]
    assert matches_to_keep_after(house, lambda site: everybody_knows(site, match_id)) == [match_id]
    assert keeping.keep_folds(fresh_process(house), match_id)
    assert folds_in_database(house, match_id) == by_moves


def whole_state(site: Site, match_id: str) -> object:
    with site.reading() as session:
        return Table(session, store.get_match(session, match_id)).state


def everybody_knows(site: Site, match_id: str) -> object:
    with site.reading() as session:
        return Table(session, store.get_match(session, match_id)).read_folds_at_head()


def test_a_match_of_which_only_one_fold_can_be_stored_counts_as_complete(house: House) -> None:
    match_id = long_match(house, entries=28)
    while version_of_match(house, match_id) % 12 > 8:
        play_next(house, match_id)
    first = version_of_match(house, match_id) // 12 * 12
    run_statement(house, "UPDATE entries SET key = 'q' WHERE match_id = :m AND n <= :n", m=match_id, n=first)
    make_older_match(house, match_id)
    assert matches_to_keep_after(house, job_that_reads_page(house, match_id)) == [match_id]
    assert keeping.keep_folds(fresh_process(house), match_id)
    (alone,) = folds_in_database(house, match_id)
    assert alone[0] >= first
    assert matches_to_keep_after(house, job_that_reads_page(house, match_id)) == []
    assert not keeping.keep_folds(fresh_process(house), match_id)
    assert keeping.sweep_folds(fresh_process(house)) == 0
    assert folds_in_database(house, match_id) == [alone]


# --- beside others --------------------------------------------------------------------------------------------


def test_the_fold_task_stores_the_same_though_a_move_is_played_meanwhile(house: House) -> None:
    match_id = long_match(house)
    while version_of_match(house, match_id) % 12 > 5:
        play_next(house, match_id)
    by_moves = folds_in_database(house, match_id)
    make_older_match(house, match_id)
    assert keep_while(house, match_id, lambda: play_next(house, match_id))
    assert folds_in_database(house, match_id) == by_moves == of_log(house, match_id)


def test_folds_that_a_move_stores_during_the_fold_task_stay(house: House) -> None:
    match_id = long_match(house)
    make_older_match(house, match_id)

    def pass_a_multiple() -> None:
        while not folds_in_database(house, match_id):
            play_next(house, match_id)

    assert not keep_while(house, match_id, pass_a_multiple)
    assert len(folds_in_database(house, match_id)) == 1
    keeping.keep_folds(fresh_process(house), match_id)
    assert len(folds_in_database(house, match_id)) == 2
    assert folds_in_database(house, match_id) == of_log(house, match_id)


def test_a_match_that_ends_during_the_fold_task_gets_no_folds(house: House) -> None:
    match_id = long_match(house)
    make_older_match(house, match_id)
    assert not keep_while(house, match_id, lambda: cancellation.cancel_match_for_host(house.site, match_id))
    assert folds_in_database(house, match_id) == [], "nobody would delete them once it is archived"


def to_take_back(house: House) -> Iterator[tuple[str, int, int]]:
    """Yields a match as soon as its mover can take back what kept folds are made of: its id, the mover, to where."""
    match_id, found = house.begin(3, "niigata"), 0
    while found < 3:
        mover = house.asks(match_id)[0].seat
        house.play(match_id, mover, -1)
        if not house.asks(match_id):
            break
        can, kept = reversible_of_seat(house, match_id, mover), folds_in_database(house, match_id)
        if can.state == "free" and can.to is not None and kept and can.to < kept[-1][0]:
            found += 1
            yield match_id, mover, can.to
    assert found, "nothing was taken back past kept folds"


def test_folds_computed_during_a_take_back_are_not_stored(house: House) -> None:
    for match_id, mover, _ in to_take_back(house):
        make_older_match(house, match_id)
        assert not keep_while(house, match_id, partial(take_back, house, match_id, mover))
        assert folds_in_database(house, match_id) == [], "they were of entries that no longer count"
        assert keeping.keep_folds(fresh_process(house), match_id)
        assert folds_in_database(house, match_id) == of_log(house, match_id, 3) != []
        with fresh_process(house).reading() as session:
            table = Table(session, store.get_match(session, match_id))
            assert table.entries_after_earlier_folds[0] > 0
            assert table.state == full_fold(table.game, store.load_entries(session, match_id, table.game))


def test_no_folds_are_stored_at_entries_taken_back_earlier(house: House) -> None:
    for match_id, mover, to in to_take_back(house):
        take_back(house, match_id, mover)
        assert not any(n > to for n, _ in folds_in_database(house, match_id))
        keeping.keep_folds(fresh_process(house), match_id)
        now = folds_in_database(house, match_id)
        assert now == of_log(house, match_id, 3) != []
        assert not any(to < n < version_of_match(house, match_id) for n, _ in now)
        assert matches_to_keep_after(house, job_that_reads_page(house, match_id)) == []


def test_two_simultaneous_fold_tasks_store_the_same(house: House) -> None:
    match_id = long_match(house)
    by_moves = folds_in_database(house, match_id)
    for _ in range(3):
        make_older_match(house, match_id)
        with ThreadPoolExecutor(2) as pool:
            done = [*pool.map(lambda _: keeping.keep_folds(fresh_process(house), match_id), range(2))]
        assert any(done)
        assert folds_in_database(house, match_id) == by_moves


# --- the sweep ------------------------------------------------------------------------------------------------


def test_after_one_fold_sweep_no_process_looks_at_the_matches_again(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "AT_ONCE", 2)
    several = [long_match(house, entries=30) for _ in range(5)]
    kept = {one: folds_in_database(house, one) for one in several}
    for one in several[1:]:
        make_older_match(house, one)
    site = fresh_process(house)
    assert keeping.sweep_folds(site) == 4
    assert {one: folds_in_database(house, one) for one in several} == kept
    make_older_match(house, several[0])
    assert keeping.sweep_folds(site) == 0, "it has looked at all of them"
    assert keeping.sweep_folds(fresh_process(house)) == 0, "and so does every other process"


@pytest.mark.parametrize("what", ["NEWEST_SCHEMA", "all_games"])
def test_the_fold_sweep_starts_again_once_after_a_new_schema_or_game(
    house: House, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    match_id = long_match(house, entries=30)
    assert keeping.sweep_folds(fresh_process(house)) == 0
    make_older_match(house, match_id)
    assert keeping.sweep_folds(fresh_process(house)) == 0
    few = {"allegeance": store.game_by_slug("allegeance")}
    monkeypatch.setattr(keeping, what, {"NEWEST_SCHEMA": "9000", "all_games": lambda: few}[what])
    assert keeping.sweep_folds(fresh_process(house)) == 1
    make_older_match(house, match_id)
    assert keeping.sweep_folds(fresh_process(house)) == 0


def test_the_fold_sweeps_marks_of_releases_long_gone_are_deleted(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    def marks() -> int:
        with house.site.reading() as session:
            return len(session.exec(select(Heartbeat).where(col(Heartbeat.name).startswith(f"{keeping.WALK}:"))).all())

    found = []
    for schema, days in (("9000", 0), ("9001", 89), ("9002", 1)):
        house.clock.forward(days=days, hours=1)
        monkeypatch.setattr(keeping, "NEWEST_SCHEMA", schema)
        keeping.sweep_folds(fresh_process(house))
        found.append(marks())
    assert found == [1, 2, 2]


def test_a_fold_sweep_told_to_stop_goes_on_in_its_next_run(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    for one in [long_match(house, entries=30) for _ in range(3)]:
        make_older_match(house, one)
    left = iter([False, True])
    site = replace(fresh_process(house), stopping=lambda: next(left, False))
    assert keeping.sweep_folds(site) == 1
    with monkeypatch.context() as patch:
        patch.setattr(keeping, "RUN_S", -1.0)
        assert keeping.sweep_folds(site) == 0
    assert keeping.sweep_folds(site) == 2


def test_a_match_that_cannot_be_folded_holds_up_no_other(house: House) -> None:
    several = sorted(long_match(house, entries=30) for _ in range(2))
    for one in several:
        make_older_match(house, one)
    run_statement(house, "UPDATE entries SET event = '{}' WHERE match_id = :m AND n = 20", m=several[0])
    assert keeping.sweep_folds(fresh_process(house)) == 1
    assert [bool(folds_in_database(house, one)) for one in several] == [False, True]
