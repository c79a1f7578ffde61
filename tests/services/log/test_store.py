"""Loading and appending: locked rows are read again, and impossible ids are not found."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlalchemy import update
from sqlalchemy.exc import IntegrityError
from sqlmodel import col, select

from pbem.errors import Busy, GameUnavailable, NotFound
from pbem.kit.folds import no_folds
from pbem.kit.replay import By, Extended, Resumed, full_fold
from pbem.models.tables import AskRow, EntryRow, Match, OutboxRow, table
from pbem.services.lobby.match_request import BotSeat, Invitee, NewMatch
from pbem.services.lobby.matches import accept_invitation, confirm_match, create_match
from pbem.services.log import locks, outbox, store
from pbem.services.log.table import lock_table, lock_with_ask, lock_with_open_asks
from pbem.services.play import bots, decisions, timeouts
from pbem.services.site import Head, Work
from pbem.services.who import STRANGER
from tests.harness.cases import cases
from tests.table import START, House, address_of, submit_answer


def with_bots(house: House, game: str, count: int = 1) -> str:
    """A match of Alice, Bob and this many bots that everybody has accepted."""
    people = [Invitee(name, address_of(name)) for name in ("Alice", "Bob")]
    match_id = create_match(house.site, STRANGER, NewMatch(game, [*people, *[BotSeat("random")] * count]))
    confirm_match(house.site, house.claim("confirm", match_id, 0), "en", "Europe/London")
    accept_invitation(house.site, house.claim("invitation", match_id, 1), "en", "Europe/London")
    return match_id


def mails_in_outbox(house: House, match_id: str, kind: str) -> list[OutboxRow]:
    """The match's mails of one kind in the outbox, sent or not, in seat order."""
    with house.site.reading() as session:
        found = select(OutboxRow).where(col(OutboxRow.match_id) == match_id, col(OutboxRow.kind) == kind)
        rows = list(session.exec(found.order_by(col(OutboxRow.seat))))
        session.expunge_all()
        return rows


LOCKS: dict[str, Callable[[Work, str], Match]] = {
    "lock_match": locks.lock_match,
    "lock_table": lambda session, match_id: lock_table(session, match_id).match,
    "lock_with_open_asks": lambda session, match_id: lock_with_open_asks(session, match_id, START)[0].match,
    "lock_with_ask": lambda session, match_id: lock_with_ask(session, match_id, "t0.ally0", 0)[0].match,
}


@pytest.mark.sample(1)
@pytest.mark.on_postgresql
@pytest.mark.parametrize("lock", LOCKS)
def test_a_locked_match_is_read_afresh_from_the_database(house: House, lock: str) -> None:
    match_id = house.begin()
    with house.site.writing() as session:
        match = store.get_match(session, match_id)
        version = match.version
        # Like another writer between the read of the match and the lock on it.
        session.connection().execute(update(table(Match)).values(version=version + 1))
        assert match.version == version
        assert LOCKS[lock](session, match_id).version == version + 1


ASKS: dict[str, Callable[[Work, str], AskRow | None]] = {
    "get_ask": lambda session, match_id: store.get_ask(session, match_id, "t0.ally0", 0),
    "lock_table": lambda session, match_id: lock_table(session, match_id).ask_to(0),
    "lock_with_open_asks": lambda session, match_id: lock_with_open_asks(session, match_id, START)[1][0],
    "lock_with_ask": lambda session, match_id: lock_with_ask(session, match_id, "t0.ally0", 0)[1],
}


@pytest.mark.sample(1)
@pytest.mark.on_postgresql
@pytest.mark.parametrize("read", ASKS)
def test_rereading_an_ask_returns_the_databases_current_values(house: House, read: str) -> None:
    match_id = house.begin()
    with house.site.writing() as session:
        ask = store.get_ask(session, match_id, "t0.ally0", 0)
        assert ask is not None
        session.connection().execute(update(table(AskRow)).values(answer="given meanwhile"))
        assert ask.answer is None
        found = ASKS[read](session, match_id)
        assert found is not None
        assert found.answer == "given meanwhile"


@cases("what", ["", "g", "A" * 24, "0" * 33, "0" * 24 + "\n", "\x00", "é"])
def test_an_impossible_match_id_is_refused_as_no_such_match(house: House, what: str) -> None:
    readers: tuple[Callable[[Work, str], object], ...] = (store.get_match, *LOCKS.values())
    with house.site.writing() as session:
        for reader in readers:
            with pytest.raises(NotFound, match="no such match"):
                reader(session, what)


@cases("what", ["", " ", "t0 ally0", "x" * 65, "t0.ally0\n", "\x00", "é"])
def test_an_impossible_question_key_names_no_question(house: House, what: str) -> None:
    match_id = house.begin()
    with house.site.writing() as session:
        assert store.get_ask(session, match_id, what, 0) is None
        assert lock_with_ask(session, match_id, what, 0)[1] is None


def test_every_way_to_read_a_missing_match_says_no_such_match(house: House) -> None:
    readers: tuple[Callable[[Work, str], object], ...] = (store.get_match, *LOCKS.values())
    with house.site.writing() as session:
        for reader in readers:
            with pytest.raises(NotFound, match="no such match"):
                reader(session, "0" * 24)


def test_a_state_kept_in_a_transaction_serves_only_its_match_and_position(house: House) -> None:
    match_id, other = house.begin(), house.begin()
    house.play(match_id, 0)
    with house.site.writing() as session:
        match = locks.lock_match(session, match_id)
        game = store.game_by_slug(match.game)
        folded = full_fold(game, store.load_entries(session, match_id, game))
        fold = game.meta.fold
        for made in (
            Head(other, match.version, fold, "another match's", no_folds(0)),
            Head(match_id, match.version - 1, fold, "an earlier one", no_folds(0)),
            Head(match_id, match.version, fold + 1, "another fold's", no_folds(0)),
        ):
            session.made = made
            assert store.Table(session, match).state == folded
        session.made = Head(match_id, match.version, fold, "this match's, here", no_folds(0))
        assert store.Table(session, match).state == "this match's, here"
        session.made = None


def test_the_log_is_read_from_its_start_or_from_after_a_given_entry(house: House) -> None:
    match_id = house.begin()
    version = house.view(match_id, None).sheet.version
    with house.site.reading() as session:
        game = store.game_by_slug("hogen")
        assert [entry.n for entry in store.load_entries(session, match_id, game)] == list(range(1, version + 1))
        assert [entry.n for entry in store.load_entries(session, match_id, game, version - 1)] == [version]


def test_the_error_for_a_game_not_installed_names_the_game() -> None:
    with pytest.raises(GameUnavailable) as refusal:
        store.game_by_slug("forgotten")
    assert refusal.value.facts == {"game": "forgotten"}


def test_appending_no_event_leaves_the_database_unchanged(house: House) -> None:
    match_id = house.begin()
    with house.site.writing() as session:
        locked = lock_table(session, match_id)
        version = locked.match.version
        locked.record([])
        assert locked.match.version == version


def test_facts_recorded_together_keep_their_order_in_the_log(house: House) -> None:
    match_id = house.begin()
    facts = [Extended(seconds, 0) for seconds in range(17)]
    with house.site.writing() as session:
        locked = lock_table(session, match_id)
        version = locked.match.version
        locked.record(facts)
        assert locked.match.version == version + len(facts)
    entries = house.view(match_id, None).entries[version:]
    assert [(entry.n, entry.event) for entry in entries] == [*enumerate(facts, version + 1)]
    assert {entry.by for entry in entries} == {By(table=True)}


def test_a_writer_whose_place_in_the_log_is_taken_must_retry(house: House) -> None:
    match_id = house.begin()
    with house.site.writing() as session:
        place = locks.lock_match(session, match_id).version + 1
        session.add(EntryRow(match_id=match_id, n=place, at=house.clock(), by="{}", event="{}", head="0" * 64))
    with pytest.raises(Busy) as refusal, house.site.writing() as session:
        lock_table(session, match_id).record([Resumed()])
    assert refusal.value.retry_after == 1


def test_a_conflict_with_our_own_row_is_not_mistaken_for_another_writer(house: House) -> None:
    """Every retry would find the same row, and nobody would learn of the fault."""
    played, match_id = house.begin(), house.begin()
    for seat in range(3):
        house.play(played, seat)
    (ask,) = house.asks(played)
    house.play(match_id, 0)
    house.play(match_id, 1)
    view = house.view(match_id, 2)
    assert view.ask is not None
    with house.site.writing() as session:
        there = store.get_ask(session, played, ask.key, ask.seat)
        assert there is not None
        session.add_all(AskRow(**{**there.model_dump(), "match_id": match_id, "seat": seat}) for seat in range(3))
    with pytest.raises(IntegrityError):
        submit_answer(house.site, match_id, 2, view.ask.key, view.legal()[0], "api")


def test_moves_are_counted_by_channel_and_automatic_ones_by_lateness(house: House) -> None:
    match_id = with_bots(house, "hogen")
    view = house.view(match_id, 0)
    assert view.ask is not None
    submit_answer(house.site, match_id, 0, view.ask.key, view.legal()[0], "web")
    (late,) = [ask for ask in house.asks(match_id) if ask.seat == 1]
    bot = bots.play_quick_bots(house.site)
    house.time_is_up(match_id)
    house.clock.forward(seconds=90)
    assert timeouts.answer_expired_ask(house.site, match_id, late.key, 1)
    counted = house.site.counters.read()
    assert {name: count for name, count in counted.items() if name.startswith("moves")} == {
        "moves|hogen|web": 1, "moves|hogen|bot": bot, "moves|hogen|clock": 1,
    }  # fmt: skip
    assert {name: count for name, count in counted.items() if name.endswith("#sum")} == {"lag|hogen|#sum": 90}


def test_people_not_asked_get_a_started_mail_when_the_turn_mails_leave(house_that_holds: House) -> None:
    house = house_that_holds
    match_id = with_bots(house, "niigata", 2)
    asked = {ask.seat for ask in house.asks(match_id)}
    told = mails_in_outbox(house, match_id, "started")
    assert [(mail.seat, mail.due_at) for mail in told] == [
        (seat, START + timedelta(minutes=1)) for seat in (0, 1) if seat not in asked
    ]
    assert told


@pytest.mark.long
def test_the_end_of_a_match_is_mailed_to_people_and_not_to_bots(house: House) -> None:
    match_id = with_bots(house, "hogen")
    house.play_out(match_id)
    assert [mail.seat for mail in mails_in_outbox(house, match_id, "over")] == [0, 1]
    with house.site.reading() as session:
        match = store.get_match(session, match_id)
        assert (match.status, match.ended_at) == ("over", house.clock())


def test_a_mail_already_queued_does_not_make_a_move_fail(house: House) -> None:
    played, match_id = house.begin(), house.begin()
    for seat in range(3):
        house.play(played, seat)
    (ask,) = house.asks(played)
    house.play(match_id, 0)
    house.play(match_id, 1)
    with house.site.writing() as session:
        for seat in range(3):
            dedupe = f"turn:{match_id}:{seat}:{ask.key}"
            outbox.enqueue(session, dedupe, "turn", house.clock(), match_id=match_id, seat=seat, key=ask.key)
    house.play(match_id, 2)
    assert [asked.key for asked in house.asks(match_id)] == [ask.key]


@pytest.mark.on_postgresql
def test_an_answer_to_a_question_another_writer_has_closed_must_be_retried(house: House) -> None:
    match_id = house.begin()

    def answer_what_was_closed_meanwhile() -> None:
        with house.site.writing() as session:
            locked, ask = lock_with_ask(session, match_id, "t0.ally0", 0)
            assert ask is not None
            move = locked.game.legal(locked.state, 0)[0]
            session.connection().execute(update(table(AskRow)).values(closed_at=house.clock(), closed_by="clock"))
            decisions.apply_or_seal_move(locked, ask, move, By(seat=0))

    with pytest.raises(Busy):
        answer_what_was_closed_meanwhile()
    assert len(house.asks(match_id)) == 3
