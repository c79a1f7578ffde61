"""Loading and appending: what is locked is read afresh, and what cannot be there is not found."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlalchemy import update
from sqlmodel import Session

from pbem.errors import NotFound
from pbem.models.tables import AskRow, Match, table
from pbem.rules.replay import full_fold
from pbem.services.log import locks, store
from pbem.services.state_cache import MADE, Head
from tests.table import House

LOCKS: dict[str, Callable[[Session, str], Match]] = {
    "lock_match": locks.lock_match,
    "lock_table": lambda session, match_id: locks.lock_table(session, match_id, "t0.ally0", 0)[0],
    "lock_asked": lambda session, match_id: locks.lock_asked(session, match_id)[0],
}


@pytest.mark.parametrize("lock", LOCKS)
def test_a_locked_match_is_as_the_database_has_it_whatever_was_read_before_the_lock(house: House, lock: str) -> None:
    match_id = house.begin()
    with house.site.writing() as session:
        match = store.get_match(session, match_id)
        version = match.version
        # As another writer does between the look at the match and the lock on it.
        session.connection().execute(update(table(Match)).values(version=version + 1))
        assert match.version == version
        assert LOCKS[lock](session, match_id).version == version + 1


ASKS: dict[str, Callable[[Session, str], AskRow | None]] = {
    "get_ask": lambda session, match_id: store.get_ask(session, match_id, "t0.ally0", 0),
    "lock_table": lambda session, match_id: locks.lock_table(session, match_id, "t0.ally0", 0)[1],
    "lock_asked": lambda session, match_id: locks.lock_asked(session, match_id)[1][0],
}


@pytest.mark.parametrize("read", ASKS)
def test_a_question_is_as_the_database_has_it_whatever_was_read_before(house: House, read: str) -> None:
    match_id = house.begin()
    with house.site.writing() as session:
        ask = store.get_ask(session, match_id, "t0.ally0", 0)
        assert ask is not None
        session.connection().execute(update(table(AskRow)).values(answer="given meanwhile"))
        assert ask.answer is None
        found = ASKS[read](session, match_id)
        assert found is not None
        assert found.answer == "given meanwhile"


@pytest.mark.parametrize("what", ["", "g", "A" * 24, "0" * 33, "0" * 24 + "\n", "\x00", "é"])
def test_what_can_be_no_match_id_is_not_found_before_a_database_sees_it(house: House, what: str) -> None:
    readers: tuple[Callable[[Session, str], object], ...] = (store.get_match, *LOCKS.values())
    with house.site.writing() as session:
        for reader in readers:
            with pytest.raises(NotFound, match="no such match"):
                reader(session, what)


@pytest.mark.parametrize("what", ["", " ", "t0 ally0", "x" * 65, "t0.ally0\n", "\x00", "é"])
def test_what_can_be_no_key_names_no_question(house: House, what: str) -> None:
    match_id = house.begin()
    with house.site.writing() as session:
        assert store.get_ask(session, match_id, what, 0) is None
        assert locks.lock_table(session, match_id, what, 0)[1] is None


def test_a_match_that_is_not_there_is_not_found_by_any_way_to_it(house: House) -> None:
    readers: tuple[Callable[[Session, str], object], ...] = (store.get_match, *LOCKS.values())
    with house.site.writing() as session:
        for reader in readers:
            with pytest.raises(NotFound, match="no such match"):
                reader(session, "0" * 24)


def test_a_state_made_in_this_transaction_is_used_for_its_own_match_and_position_alone(house: House) -> None:
    match_id, other = house.begin(), house.begin()
    house.play(match_id, 0)
    with house.site.writing() as session:
        match = locks.lock_match(session, match_id)
        game = store.game_of(match)
        folded = full_fold(game, store.load_entries(session, match_id, game))
        fold = game.meta.fold
        for made in (
            Head(other, match.version, fold, "another match's"),
            Head(match_id, match.version - 1, fold, "an earlier one"),
            Head(match_id, match.version, fold + 1, "another fold's"),
        ):
            session.info[MADE] = made
            assert store.load_state(session, match, game) == folded
        session.info[MADE] = Head(match_id, match.version, fold, "this match's, here")
        assert store.load_state(session, match, game) == "this match's, here"
        session.info.pop(MADE)


def test_the_log_is_read_from_its_first_entry_or_after_the_one_that_is_named(house: House) -> None:
    match_id = house.begin()
    version = house.view(match_id, None).sheet.version
    with house.site.reading() as session:
        game = store.game_called("hogen")
        assert [entry.n for entry in store.load_entries(session, match_id, game)] == list(range(1, version + 1))
        assert [entry.n for entry in store.load_entries(session, match_id, game, version - 1)] == [version]


def test_a_game_that_is_not_installed_is_named() -> None:
    with pytest.raises(NotFound) as refusal:
        store.game_called("forgotten")
    assert refusal.value.facts == {"game": "forgotten"}


def test_a_fact_that_is_none_writes_nothing(house: House) -> None:
    match_id = house.begin()
    with house.site.writing() as session:
        match = locks.lock_match(session, match_id)
        version = match.version
        store.record(session, match, [], house.clock())
        assert match.version == version
