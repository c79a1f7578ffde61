"""Moves from rows that a process has kept: the same as under the lock, also if others have written meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from sqlalchemy import Connection, create_engine, select, text
from sqlmodel import SQLModel

from pbem.errors import Answered, Gone, Outdated, Stale, Unauthorized, Unavailable
from pbem.games import all_games
from pbem.kit.codec import plain
from pbem.kit.folds import fold_for_all, no_folds
from pbem.kit.replay import Resigned, entries_not_taken_back
from pbem.models.at_once import AtOnce
from pbem.models.clocks import VoteRow
from pbem.models.prepared import Unmet
from pbem.models.schema.revisions import NEWEST_SCHEMA
from pbem.models.tables import AskRow, Match, OrderRow, SeatRow
from pbem.services import statements
from pbem.services.clock import holidays
from pbem.services.log import cancellation, kept, store
from pbem.services.log.one_batch import Outrun
from pbem.services.log.table import lock_table
from pbem.services.play import moves, ordering, presence, takeback, timeouts
from pbem.services.site import Cache, Site, Work
from tests.harness.sent import statements_to
from tests.harness.servers import PostgresServer
from tests.services.play.stage.orders import order_of_no_nobori, save_orders_of
from tests.services.play.stage.races import ROUNDS, at_once
from tests.table import House, claim_of, deadline_of, open_house

LOCK, GUARD = "FOR NO KEY UPDATE", "matches.touched ="


@pytest.fixture
def house(postgres_url: str, tmp_path: Path) -> Iterator[House]:
    """A house on PostgreSQL: on SQLite no rows are kept."""
    yield from open_house(postgres_url, tmp_path)


def match_with_cached_rows(house: House, game: str = "allegeance", seats: int = 2, **wanted: Any) -> str:
    """A match whose rows this process has kept: its first moves are played."""
    match_id = house.begin(seats, game, **wanted)
    for _ in range(3):
        house.play(match_id, house.asks(match_id)[0].seat)
    return match_id


def answer_of(house: House, match_id: str, site: Site | None = None) -> Callable[[], moves.Receipt]:
    """The answer to the open question, as its owner sends it a little later: what they need is read now."""
    seat = house.asks(match_id)[0].seat
    view, holder = house.view(match_id, seat), claim_of(house.site, match_id, seat)
    assert view.ask is not None
    return partial(moves.play_answer, site or house.site, holder, view.ask.key, plain(view.legal()[0]), "api")


def another_process(house: House) -> House:
    """Another process on the same database."""
    wakes = house.wakes
    site = Site(house.site.config, house.site.engine, now=house.clock, wake=lambda: wakes.append(house.clock()))
    return House(site, house.clock, house.mail, wakes)


def ways_taken(said: list[str]) -> tuple[bool, bool]:
    """Whether the statements try the kept rows, and whether they lock the match and read it."""
    return any(GUARD in one for one in said), any(LOCK in one and "FROM matches" in one for one in said)


@contextmanager
def both_ways(house: House) -> Iterator[None]:
    """What is kept is tried in this block, and found to be out of date."""
    with statements_to(house.site.engine) as said:
        yield
    assert ways_taken(said) == (True, True)


def test_writing_to_a_cached_row_raises_so_that_the_move_takes_the_lock() -> None:
    row = kept.Row(misses=1)
    with pytest.raises(Outrun):
        row.misses = 0
    assert row.misses == 1


def test_a_renewed_link_is_refused_even_with_cached_rows(house: House) -> None:
    match_id = house.begin(2, "allegeance")
    seat = house.asks(match_id)[0].seat
    before = claim_of(house.site, match_id, seat)
    with house.site.engine.begin() as connection:
        connection.execute(text("UPDATE seats SET epoch = epoch + 1"))
    for _ in range(4):
        house.play(match_id, house.asks(match_id)[0].seat)
    ask = next(iter(house.asks(match_id)))
    old = replace(before, seat=ask.seat)
    view = house.view(match_id, ask.seat)
    assert house.site.kept is not None
    assert kept.find_kept_match_with_ask(house.site.kept, match_id, ask.key, ask.seat) is not None
    with pytest.raises(Unauthorized):
        moves.play_answer(house.site, old, ask.key, plain(view.legal()[0]), "api")


def test_a_move_from_cached_rows_reads_nothing_before_writing(house: House) -> None:
    match_id = match_with_cached_rows(house)
    for _ in range(8):
        answer = answer_of(house, match_id)
        with statements_to(house.site.engine) as said:
            answer()
        assert ways_taken(said) == (True, False)
        assert len(said) == 2, "one compares, the other writes"


@pytest.mark.parametrize("game", sorted(set(all_games()) - {"endless"}))
def test_moves_from_cached_rows_leave_the_same_rows_as_locked_ones(
    game: str, tmp_path: Path, postgres: PostgresServer, postgres_migrated: str
) -> None:
    left = []
    for number in range(2):
        lent = postgres.lend(postgres_migrated)
        for house in open_house(lent.url, tmp_path):
            if number:
                object.__setattr__(house.site, "kept", Cache(0))
            match_id = house.begin(min(all_games()[game].meta.seats), game)
            tried = 0
            for step in range(60):
                if not house.asks(match_id):
                    break
                house.clock.forward(minutes=step)
                if step % 3:
                    house.drain()
                answer = answer_of(house, match_id)
                with statements_to(house.site.engine) as said:
                    answer()
                tried += ways_taken(said) == (True, False)
            assert (tried > 5) != bool(number)
            with house.site.engine.connect() as connection:
                tables = SQLModel.metadata.tables
                left.append({name: sorted(map(str, connection.execute(select(it)))) for name, it in tables.items()})
        postgres.take_back(lent)
    assert left[0] == left[1]


def test_the_error_of_an_outdated_cached_move_does_not_name_its_match(house: House) -> None:
    match_id = match_with_cached_rows(house)
    values = {"match": match_id, "from_n": 1, "to_n": 2, "to_head": "", "touched": 0, "schema": NEWEST_SCHEMA}
    with pytest.raises(Unmet) as refused, house.site.writing() as work:
        statements.GUARD.flush_and_send(work, values).rows()
    assert match_id not in str(refused.value.__cause__)


def test_a_cached_move_waits_for_a_schema_migration_holding_no_lock(house: House) -> None:
    match_id = match_with_cached_rows(house)
    answer, said = answer_of(house, match_id), list[Any]()
    with house.site.engine.connect() as migration:
        migration.execute(text("LOCK TABLE schema_floor IN ACCESS EXCLUSIVE MODE"))
        mover = Thread(target=lambda: said.append(answer()))
        mover.start()
        waiting = text("SELECT pid FROM pg_locks WHERE relation = 'schema_floor'::regclass AND NOT granted")
        while not (pids := migration.execute(waiting).scalars().all()):
            assert mover.is_alive()
        held = text(
            "SELECT relation::regclass::text FROM pg_locks WHERE pid = :pid AND granted AND relation IS NOT NULL"
        )
        assert migration.execute(held, {"pid": pids[0]}).scalars().all() == []
    mover.join()
    assert isinstance(said[0], moves.Receipt)


# --- what others have written meanwhile ----------------------------------------------------------------------


def test_after_a_renewal_by_another_process_only_the_new_link_plays(house: House) -> None:
    match_id = match_with_cached_rows(house)
    answer, seat = answer_of(house, match_id), house.asks(match_id)[0].seat
    with another_process(house).site.writing() as work:
        lock_table(work, match_id).seats[seat].epoch += 1
    with both_ways(house), pytest.raises(Unauthorized):
        answer()
    assert isinstance(answer_of(house, match_id)(), moves.Receipt)


def test_an_answer_from_cached_rows_older_than_another_process_is_refused(house: House) -> None:
    match_id = match_with_cached_rows(house)
    first, seat = answer_of(house, match_id), house.asks(match_id)[0].seat
    view = house.view(match_id, seat)
    assert view.ask is not None
    other = partial(moves.play_answer, another_process(house).site, claim_of(house.site, match_id, seat), view.ask.key)
    other(plain(view.legal()[1]), "api")
    with both_ways(house), pytest.raises(Answered):
        first()
    entries = house.view(match_id, None).entries
    assert {entry.key for entry in entries if entry.n > view.sheet.version} == {view.ask.key}


def test_a_program_too_old_for_the_database_plays_no_move(house: House) -> None:
    match_id = match_with_cached_rows(house)
    answer, version = answer_of(house, match_id), house.view(match_id, None).sheet.version
    with house.site.engine.begin() as connection:
        connection.execute(text("UPDATE schema_floor SET revision = '9000'"))
    with pytest.raises(Outdated):
        answer()
    assert house.view(match_id, None).sheet.version == version


def test_a_move_without_a_free_connection_waits_only_once(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    match_id = match_with_cached_rows(house)
    full = create_engine(house.site.engine.url, pool_size=1, max_overflow=0, pool_timeout=0.01)
    waits, connect = list[int](), full.connect

    def count() -> Connection:
        waits.append(1)
        return connect()

    monkeypatch.setattr(full, "connect", count)
    answer = answer_of(house, match_id, replace(house.site, engine=full))
    with connect(), pytest.raises(Unavailable):
        answer()
    full.dispose()
    assert len(waits) == 1


def test_a_move_committed_by_a_lost_batch_is_recognised_on_retry(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    match_id = match_with_cached_rows(house)
    answer, version, send = answer_of(house, match_id), house.view(match_id, None).sheet.version, AtOnce.send

    def lose(*sent: Any) -> None:
        send(*sent)
        raise Unavailable("The connection was lost.")

    with monkeypatch.context() as patch, both_ways(house):
        patch.setattr(AtOnce, "send", lose)
        receipt = answer()
    assert receipt.repeated
    assert receipt.version == house.view(match_id, None).sheet.version > version


def _misses(house: House, match_id: str, seat: int) -> None:
    with house.site.writing() as work:
        lock_table(work, match_id).seats[seat].misses = 1


def _asks_to_take_back(house: House, match_id: str, seat: int) -> None:
    with house.site.writing() as work:
        lock_table(work, match_id).match.undoing = '{"seat":0,"to":1,"agreed":[]}'


def _votes(house: House, match_id: str, seat: int) -> None:
    with house.site.writing() as work:
        (ask,) = lock_table(work, match_id).asks
        ask.vote_since = house.clock()
        work.add(VoteRow(match_id=match_id, key=ask.origin, seat=seat, voter=1 - seat, at=house.clock()))


@pytest.mark.parametrize("touch", [_misses, _asks_to_take_back, _votes])
def test_a_cached_move_clears_misses_votes_and_take_back_requests(
    house: House, touch: Callable[[House, str, int], None]
) -> None:  # fmt: skip
    match_id = match_with_cached_rows(house, takebacks="consent")
    answer, seat = answer_of(house, match_id), house.asks(match_id)[0].seat
    touch(another_process(house), match_id, seat)
    with both_ways(house):
        answer()
    with house.site.reading() as session:
        assert session.get_one(SeatRow, (match_id, seat)).misses == 0
        assert session.get_one(Match, match_id).undoing is None
        assert session.get(VoteRow, (match_id, house.asks(match_id)[0].key, seat, 1 - seat)) is None
        assert [ask.vote_since for ask in store.open_asks(session, match_id)] == [None]


def test_a_cached_move_gives_an_absent_seats_question_no_time(house: House) -> None:
    match_id = match_with_cached_rows(house, "hagakure", 3)
    while len({ask.seat for ask in house.asks(match_id)}) != 1:
        house.play(match_id, house.asks(match_id)[0].seat)
    mover = house.asks(match_id)[0].seat
    with another_process(house).site.writing() as work:
        for seat in lock_table(work, match_id).seats:
            seat.absent = seat.seat != mover
    with both_ways(house):
        answer_of(house, match_id)()
    while house.asks(match_id)[0].seat == mover:
        answer_of(house, match_id)()
    (asked,) = house.asks(match_id)
    with house.site.reading() as session:
        row = session.get_one(AskRow, (match_id, asked.key, asked.seat))
        assert (row.allowed_s, row.acts_at) == (0, house.clock())


def _announces(house: House, player: int) -> None:
    day = house.clock().date()
    holidays.add_holiday(house.site, player, day, day + timedelta(days=9))


def _sleeps(house: House, player: int) -> None:
    at = house.clock().hour
    holidays.set_clock_hours(house.site, player, False, ((at - 1) % 24, (at + 2) % 24), "UTC")


@pytest.mark.parametrize("change", [_announces, _sleeps])
def test_a_cached_move_sets_the_next_deadline_by_the_asked_seats_calendar(
    house: House, change: Callable[[House, int], None]
) -> None:  # fmt: skip
    match_id = match_with_cached_rows(house)
    while house.asks(match_id)[0].seat != 0:
        house.play(match_id, 1)
    with house.site.reading() as session:
        player = session.get_one(SeatRow, (match_id, 1)).player_id
        usual = timedelta(seconds=session.get_one(Match, match_id).window_s)
    assert player is not None
    change(another_process(house), player)
    with both_ways(house):
        answer_of(house, match_id)()
    while house.asks(match_id)[0].seat == 0:
        answer_of(house, match_id)()
    assert deadline_of(house.asks(match_id)[0]) > house.clock() + usual


def test_a_cached_move_by_hand_resets_its_seats_count_of_order_answers(house: House) -> None:
    match_id = match_with_cached_rows(house, "hagakure", 3)
    answer, seat = answer_of(house, match_id), house.asks(match_id)[0].seat
    save_orders_of(another_process(house), match_id, seat, order_of_no_nobori(scope="match"))
    with another_process(house).site.writing() as work:
        lock_table(work, match_id)
        work.get_one(OrderRow, (match_id, seat)).answered = 7
    with both_ways(house):
        answer()
    with house.site.reading() as session:
        assert session.get_one(OrderRow, (match_id, seat)).answered == 0


def test_moves_of_a_seat_with_orders_always_take_the_lock(house: House) -> None:
    match_id = match_with_cached_rows(house, "hagakure", 3)
    seat, tried = house.asks(match_id)[0].seat, list[tuple[int, tuple[bool, bool]]]()
    save_orders_of(another_process(house), match_id, seat, order_of_no_nobori(scope="match"))
    for _ in range(12):
        answer, mover = answer_of(house, match_id), house.asks(match_id)[0].seat
        with statements_to(house.site.engine) as said:
            answer()
        tried.append((mover, ways_taken(said)))
    first, *later = [how for mover, how in tried if mover == seat]
    assert (first, {*later}) == ((True, True), {(False, True)})
    assert (True, False) in [how for mover, how in tried if mover != seat]


def test_orders_and_seen_marks_of_other_seats_keep_cached_rows_valid(house: House) -> None:
    match_id = match_with_cached_rows(house, "hagakure", 3)
    answer, seat = answer_of(house, match_id), house.asks(match_id)[0].seat
    elsewhere, version = another_process(house), house.view(match_id, None).sheet.version
    for other in {0, 1, 2} - {seat}:
        save_orders_of(elsewhere, match_id, other, order_of_no_nobori(scope="match"))
        presence.mark_entries_seen(elsewhere.site, claim_of(house.site, match_id, other), version)
    with statements_to(house.site.engine) as said:
        answer()
    assert ways_taken(said) == (True, False)


def test_a_cached_move_stores_the_seen_version_that_its_sender_gave(house: House) -> None:
    match_id = match_with_cached_rows(house)
    seat, ask = house.asks(match_id)[0].seat, house.view(match_id, house.asks(match_id)[0].seat).ask
    with house.site.writing() as work:
        lock_table(work, match_id).seats[seat].seen = None
    assert ask is not None
    move = plain(house.view(match_id, seat).legal()[0])
    with statements_to(house.site.engine) as said:
        moves.play_answer(house.site, claim_of(house.site, match_id, seat), ask.key, move, "api", seen=0)
    assert ways_taken(said) == (True, False)
    assert house.view(match_id, seat).sheet.seen is None
    assert house.view(match_id, seat).news("en").lines


def test_sending_a_mail_does_not_invalidate_the_cached_rows(house: House) -> None:
    match_id = match_with_cached_rows(house)
    answer = answer_of(house, match_id)
    assert another_process(house).drain()
    with statements_to(house.site.engine) as said:
        answer()
    assert ways_taken(said) == (True, False)


def test_a_cached_move_keeps_the_deadline_its_turns_mail_started(house: House) -> None:
    match_id = match_with_cached_rows(house, "hagakure", 3)
    for _ in range(30):
        (before,), answer = house.asks(match_id), answer_of(house, match_id)
        house.clock.forward(hours=3)
        another_process(house).drain()
        with house.site.reading() as session:
            times = [(ask.mailed_at, ask.acts_at, ask.deadline) for ask in store.open_asks(session, match_id)]
        answer()
        (after,) = house.asks(match_id)
        if (after.seat, after.ask.turn) == (before.seat, before.ask.turn):
            with house.site.reading() as session:
                assert times == [
                    (ask.mailed_at, ask.acts_at, ask.deadline) for ask in store.open_asks(session, match_id)
                ]
            return
    raise AssertionError("no turn of two questions")


def _cancels(house: House, match_id: str, seat: int) -> None:
    cancellation.cancel_match_for_host(house.site, match_id)


def _resigns(house: House, match_id: str, seat: int) -> None:
    presence.resign(house.site, claim_of(house.site, match_id, seat))


@pytest.mark.parametrize("end", [_cancels, _resigns])
def test_a_cached_move_is_refused_once_the_match_has_ended(
    house: House, end: Callable[[House, str, int], None]
) -> None:
    match_id = match_with_cached_rows(house)
    answer, seat = answer_of(house, match_id), house.asks(match_id)[0].seat
    version = house.view(match_id, None).sheet.version
    end(another_process(house), match_id, seat)
    with both_ways(house), pytest.raises((Gone, Stale)):
        answer()
    left = house.view(match_id, None)
    assert [
        e for e in left.entries if e.n > version and e.by.seat is not None and not isinstance(e.event, Resigned)
    ] == []


def match_with_reversible_move(house: House) -> tuple[str, int, int]:
    """A match, the seat that has moved last and may take that back, and the version before it."""
    match_id = house.begin(3, "niigata")
    for _ in range(40):
        mover, before = house.asks(match_id)[0].seat, house.view(match_id, None).sheet.version
        house.play(match_id, mover)
        found = takeback.read_takeback(house.site, claim_of(house.site, match_id, mover)).reversible
        if found.to == before and found.reason is None and house.asks(match_id)[0].seat != mover:
            return match_id, mover, before
    raise AssertionError("nothing can be taken back")


def test_a_cached_answer_to_a_question_taken_back_is_stale(house: House) -> None:
    match_id, mover, before = match_with_reversible_move(house)
    answer = answer_of(house, match_id)
    takeback.take_back(another_process(house).site, claim_of(house.site, match_id, mover), before)
    with both_ways(house), pytest.raises(Stale):
        answer()
    answer_of(house, match_id)()
    assert_head_is_right(house, match_id, house.site)


def never_kept(house: House, match_id: str) -> None:
    """Plays on, each time under the lock."""
    for _ in range(6):
        answer = answer_of(house, match_id)
        with statements_to(house.site.engine) as said:
            answer()
        assert ways_taken(said) == (False, True)


def test_after_a_take_back_every_move_of_the_match_takes_the_lock(house: House) -> None:
    match_id, mover, before = match_with_reversible_move(house)
    takeback.take_back(house.site, claim_of(house.site, match_id, mover), before)
    never_kept(house, match_id)


def test_a_move_that_charges_a_bank_takes_the_lock(house: House) -> None:
    match_id = match_with_cached_rows(house, bank_s=86400)
    never_kept(house, match_id)


def _adds(work: Work, match_id: str) -> None:
    work.add(VoteRow(match_id=match_id, key="x", seat=0, voter=1, at=work.site.now()))


def _sends(work: Work, match_id: str) -> None:
    statements.LOCK.flush_and_send(work, {"match": match_id})


@pytest.mark.parametrize("more", [_adds, _sends])
def test_writing_a_row_after_a_cached_moves_batch_is_an_error(
    house: House, monkeypatch: pytest.MonkeyPatch, more: Callable[[Work, str], None]
) -> None:  # fmt: skip
    match_id = match_with_cached_rows(house)
    answer = answer_of(house, match_id)
    monkeypatch.setattr(kept, "keep_after_commit", lambda _, table: more(table.work, match_id))
    with pytest.raises(RuntimeError):
        answer()


@pytest.mark.parametrize("game", ["allegeance", "niigata"])
def test_moves_of_another_process_are_folded_onto_the_cached_state(house: House, game: str) -> None:
    match_id = match_with_cached_rows(house, game, min(all_games()[game].meta.seats))
    sites = house.site, another_process(house).site
    for step in range(20):
        site = sites[step // 2 % 2]
        answer = answer_of(house, match_id, site)
        with statements_to(house.site.engine) as said:
            answer()
        assert any("FROM folds" in one for one in said) == (step == 2)
        assert_head_is_right(house, match_id, site)


def assert_head_is_right(house: House, match_id: str, site: Site) -> None:
    """What this process has cached is what the log tells."""
    head = site.heads.find(match_id)
    with house.site.reading() as session:
        match = store.get_match(session, match_id)
        game = store.game_by_slug(match.game)
        entries = store.load_entries(session, match_id, game)
    assert head is not None
    folds = fold_for_all(game, no_folds(len(head.folds.seen) - 1), entries_not_taken_back(entries))
    assert (head.version, head.state, fold_for_all(game, head.folds, head.since)) == (match.version, folds.full, folds)


# --- at the same moment --------------------------------------------------------------------------------------


@pytest.mark.races
def test_of_two_processes_with_cached_rows_only_one_plays_its_answer(house: House) -> None:
    for _ in range(ROUNDS):
        match_id = match_with_cached_rows(house)
        seat = house.asks(match_id)[0].seat
        elsewhere, view = another_process(house), house.view(match_id, seat)
        assert house.site.kept is not None
        assert elsewhere.site.kept is not None
        elsewhere.site.kept.keep(match_id, house.site.kept.find(match_id))
        assert view.ask is not None
        one, other = at_once(
            *(
                partial(
                    moves.play_answer,
                    site,
                    claim_of(site, match_id, seat),
                    view.ask.key,
                    plain(view.legal()[at]),
                    "api",
                )
                for at, site in enumerate((house.site, elsewhere.site))
            )
        )
        assert sorted(type(it).__name__ for it in (one, other)) == [Answered.__name__, moves.Receipt.__name__]
        numbers = [entry.n for entry in house.view(match_id, None).entries]
        assert numbers == [*range(1, numbers[-1] + 1)]


@pytest.mark.races
def test_of_the_clock_and_a_cached_move_at_once_only_one_answers(house: House) -> None:
    for _ in range(ROUNDS):
        match_id = match_with_cached_rows(house)
        house.time_is_up(match_id)
        (ask,) = house.asks(match_id)
        move, clock = at_once(
            answer_of(house, match_id), partial(timeouts.answer_expired_ask, house.site, match_id, ask.key, ask.seat)
        )
        assert isinstance(move, moves.Receipt) != bool(clock)
        assert len({e.n for e in house.view(match_id, None).entries if e.key == ask.key}) >= 1


@pytest.mark.races
def test_orders_saved_during_a_cached_move_are_stored_or_stale(house: House) -> None:
    for _ in range(ROUNDS):
        match_id = match_with_cached_rows(house, "hagakure", 3)
        answer, seat = answer_of(house, match_id), house.asks(match_id)[0].seat
        elsewhere = another_process(house)
        moved, saved = at_once(
            answer, partial(save_orders_of, elsewhere, match_id, seat, order_of_no_nobori(scope="match"))
        )
        assert isinstance(moved, moves.Receipt)
        assert isinstance(saved, ordering.Ordered | Stale)
