"""States that a process keeps between moves: they save folding and never change the play."""

from __future__ import annotations

from copy import copy
from typing import Any

import pytest
from msgspec.structs import replace
from sqlalchemy import delete, text, update
from structlog.testing import capture_logs

from pbem.kit.folds import Folds, fold_for_all, no_folds
from pbem.kit.replay import Absent, By, entries_not_taken_back, full_fold
from pbem.models.tables import EntryRow, FoldRow, Match, table
from pbem.services.log import folds, proofs, store
from pbem.services.log.table import Step, lock_table
from pbem.services.site import Head, Site
from tests.harness.sent import statements_to
from tests.table import House


def _statements(house: House, match_id: str) -> list[str]:
    view = house.view(match_id, house.asks(match_id)[0].seat)
    assert view.ask is not None
    with statements_to(house.site.engine) as said:
        house.play(match_id, view.ask.seat)
    return said


def _head(house: House, match_id: str) -> Any:
    """Returns the state from which the next move would be decided."""
    with house.site.writing() as session:
        return lock_table(session, match_id).state


def _fold(house: House, match_id: str) -> Any:
    with house.site.reading() as session:
        match = store.get_match(session, match_id)
        game = store.game_by_slug(match.game)
        return full_fold(game, store.load_entries(session, match_id, game))


def _keep(house: House, match_id: str, at: Folds, n: int, newer: int = 0) -> None:
    """Keeps these folds after entry `n`, in place of any others, as a game whose fold version is newer by this."""
    game: Any = copy(store.game_by_slug("hogen"))
    object.__setattr__(game, "meta", replace(game.meta, fold=game.meta.fold + newer))
    with house.site.writing() as session:
        session.connection().execute(delete(table(FoldRow)))
        for one in folds.statements_to_keep(match_id, game, n, at):
            one.statement.flush_and_send(session, one.values)


def _folds(house: House, match_id: str) -> Folds:
    """Returns what everybody knows, from the log."""
    with house.site.reading() as session:
        match, seats = store.get_match(session, match_id), len(store.seats_of(session, match_id))
        game = store.game_by_slug(match.game)
        return fold_for_all(game, no_folds(seats), entries_not_taken_back(store.load_entries(session, match_id, game)))


def _restart(house: House) -> House:
    """Yields another process on the same database, with an empty cache."""
    return House(Site(house.site.config, house.site.engine, now=house.clock), house.clock, house.mail, [])


def _forget(house: House, match_id: str, *entries: Any) -> None:
    """Deletes the match's entries that meet these conditions."""
    with house.site.engine.begin() as connection:
        connection.execute(delete(table(EntryRow)).where(table(EntryRow).c.match_id == match_id, *entries))


def test_a_move_after_a_move_reads_no_stored_folds(house: House) -> None:
    match_id = house.begin()
    house.play(match_id, house.asks(match_id)[0].seat)
    assert not any("FROM folds" in said for said in _statements(house, match_id))


@pytest.mark.long
def test_the_cached_state_equals_that_of_the_log(house: House) -> None:
    match_id = house.begin()
    for _ in range(5):
        house.play(match_id, house.asks(match_id)[0].seat)
        assert _head(house, match_id) == _fold(house, match_id)


@pytest.mark.long
def test_entries_of_another_process_are_applied_to_the_cached_state(house: House) -> None:
    match_id = house.begin()
    other = _restart(house)
    for _ in range(3):
        for process in (house, other):
            process.play(match_id, process.asks(match_id)[0].seat)
            assert _head(house, match_id) == _head(other, match_id) == _fold(house, match_id)


def test_the_folds_of_viewers_catch_up_only_at_a_move_without_luck(house: House) -> None:
    match_id, since = house.begin(), list[int]()
    for _ in range(4):
        house.play(match_id, house.asks(match_id)[0].seat)
        head = house.site.heads.find(match_id)
        assert head is not None
        assert fold_for_all(store.game_by_slug("hogen"), head.folds, head.since) == _folds(house, match_id)
        since.append(len(head.since))
    assert since == [1, 1, 3, 1], "the third ally and who begins, which is drawn, wait with the second"


def test_an_absence_leaves_the_cached_state_usable_for_the_next_move(house: House) -> None:
    match_id = house.begin()
    house.play(match_id, house.asks(match_id)[0].seat)
    asked = house.asks(match_id)[0].seat
    with house.site.writing() as session:
        locked = lock_table(session, match_id)
        locked.seats[asked].absent = True
        locked.record([Absent(asked)])
    version = house.view(match_id, asked).sheet.version
    kept = house.site.heads.find(match_id)
    assert kept is not None
    assert (kept.match_id, kept.version, kept.fold) == (match_id, version, store.game_by_slug("hogen").meta.fold)
    assert kept.state == _fold(house, match_id)
    # The owner comes back by this move: that entry comes in the same transaction, before the move's.
    assert not any("FROM folds" in said for said in _statements(house, match_id))
    assert _head(house, match_id) == _fold(house, match_id)


def test_a_move_that_was_rolled_back_leaves_no_cached_state(house: House) -> None:
    match_id = house.begin()
    before = _head(house, match_id)
    game = store.game_by_slug("hogen")
    ask = house.asks(match_id)[0]
    move = house.view(match_id, ask.seat).legal()[0]

    def lose() -> None:
        with house.site.writing() as session:
            locked = lock_table(session, match_id)
            luck = proofs.luck_of(locked.match).rules(locked.match.version + 1, ask.seat)
            events = game.decide(before, ask.seat, move, luck)
            locked.append(Step(events, By(seat=ask.seat), locked.ask(ask.key, ask.seat), "{}"))
            raise RuntimeError("the process fails just before its commit")

    with pytest.raises(RuntimeError):
        lose()
    house.play(match_id, ask.seat, at=1)
    assert _head(house, match_id) == _fold(house, match_id)


@pytest.mark.long
def test_without_cached_state_or_folds_the_state_is_folded_from_the_log(house: House) -> None:
    match_id = house.begin()
    house.play(match_id, house.asks(match_id)[0].seat)
    with house.site.writing() as session:
        session.connection().execute(delete(table(FoldRow)))
    assert _head(_restart(house), match_id) == _fold(house, match_id)


@pytest.mark.on_postgresql
def test_stored_folds_replace_the_entries_up_to_their_position(house: House) -> None:
    match_id = house.begin()
    n = house.play(match_id, house.asks(match_id)[0].seat).version
    state = _folds(house, match_id)
    house.play(match_id, house.asks(match_id)[0].seat)
    later = _fold(house, match_id)
    assert later != state.full
    _keep(house, match_id, state, n)
    _forget(house, match_id, table(EntryRow).c.n <= n)  # so that only what is kept can say what was in them
    assert _head(_restart(house), match_id) == later


@pytest.mark.long
def test_stored_folds_at_a_matchs_version_serve_as_its_state(house: House) -> None:
    match_id = house.begin()
    n = house.play(match_id, house.asks(match_id)[0].seat).version
    state = _folds(house, match_id)
    _keep(house, match_id, state, n)
    _forget(house, match_id)
    assert _head(_restart(house), match_id) == state.full


@pytest.mark.long
@pytest.mark.parametrize("newer", [-1, 1])
def test_folds_of_another_version_of_the_game_are_passed_over(house: House, newer: int) -> None:
    match_id = house.begin()
    began = _folds(house, match_id)
    house.play(match_id, house.asks(match_id)[0].seat)
    version = house.view(match_id, None).sheet.version
    # It can be read, and differs from the state that the current fold makes of the same entries.
    _keep(house, match_id, began, version, newer)
    assert _head(_restart(house), match_id) == _fold(house, match_id) != began.full


@pytest.mark.on_postgresql
def test_folds_of_a_later_position_than_the_match_has_are_passed_over(house: House) -> None:
    match_id = house.begin()
    version = house.view(match_id, None).sheet.version
    before = _fold(house, match_id)
    house.play(match_id, house.asks(match_id)[0].seat)
    ahead = _folds(house, match_id)
    _forget(house, match_id, table(EntryRow).c.n > version)  # the log went back; what is kept did not
    with house.site.engine.begin() as connection:
        connection.execute(update(table(Match)).where(table(Match).c.id == match_id).values(version=version))
    _keep(house, match_id, ahead, version + 1)
    assert _head(_restart(house), match_id) == before != ahead.full


@pytest.mark.parametrize("damage", ["substr(body, 1, 1)", "substr(body, 1, length(body) - 9)", "other shape"])
def test_folds_that_cannot_be_read_are_passed_over_with_a_bare_warning(house: House, damage: str) -> None:
    match_id = house.begin()
    version = house.play(match_id, house.asks(match_id)[0].seat).version
    _keep(house, match_id, _folds(house, match_id)._replace(full={"of": "long ago"}), version)
    if damage != "other shape":
        with house.site.engine.begin() as connection:
            connection.execute(text(f"UPDATE folds SET body = {damage}"))
    with capture_logs() as logged:
        assert _head(_restart(house), match_id) == _fold(house, match_id)
    assert logged == [{"event": "folds.unreadable", "match": match_id, "log_level": "warning"}]


def test_a_cached_state_is_found_only_by_match_version_and_fold_version(house: House) -> None:
    house.site.heads.keep("a", Head("a", 7, 1, "state", no_folds(0)))
    with house.site.reading() as session:
        assert session.head("a", 7, 1) is not None
        assert session.head("a", 6, 1) is session.head("a", 8, 1) is session.head("a", 7, 2) is None
        assert session.head("b", 7, 1) is None


def test_the_last_committed_state_is_kept_even_if_the_database_went_back(house: House) -> None:
    house.site.heads.keep("a", Head("a", 8, 1, "of what was undone", no_folds(0)))
    house.site.heads.keep("a", Head("a", 7, 1, "played since", no_folds(0)))
    with house.site.reading() as session:
        found = session.head("a", 7, 1)
        assert found is not None
        assert found.state == "played since"
        assert session.head("a", 8, 1) is None
