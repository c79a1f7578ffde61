"""Open questions after a game was corrected under running matches: the questions are exactly those of the new rules."""

from __future__ import annotations

import pytest
from sqlalchemy import text
from sqlmodel import select

from pbem.errors import Busy
from pbem.kit.replay import By
from pbem.models.tables import AskRow
from pbem.services.log import proofs, rebuilding, store
from pbem.services.log.table import Step, lock_table
from pbem.services.play import decisions
from tests.services.log.logs import rename_open_questions
from tests.services.play.stage.moves import all_rows
from tests.table import House, submit_answer


def who_is_asked(house: House, match_id: str) -> set[tuple[str, int]]:
    return {(ask.key, ask.seat) for ask in house.asks(match_id)}


def questions_of_rules(house: House, match_id: str) -> set[tuple[str, int]]:
    """Returns the questions of the state by the current rules."""
    with house.site.reading() as session:
        match = store.get_match(session, match_id)
        game = store.game_by_slug(match.game)
        return {(ask.key, ask.seat) for ask in game.pending(store.Table(session, match).state)}


def who_closed(house: House, match_id: str) -> dict[tuple[str, int], str | None]:
    with house.site.reading() as session:
        found = session.exec(select(AskRow).where(AskRow.match_id == match_id)).all()
        return {(ask.key, ask.seat): ask.closed_by for ask in found}


def differences_of_asks(house: House) -> list[rebuilding.Difference]:
    with house.site.reading() as session:
        return list(rebuilding.differences_of_open_asks(session))


def test_answering_closes_a_question_that_the_current_rules_have_renamed(house: House) -> None:
    match_id = house.begin()
    (named,) = (ask.key for ask in house.asks(match_id) if ask.seat == 0)
    rename_open_questions(house, match_id, 0)
    house.play(match_id, 0)
    assert who_closed(house, match_id)[f"old.{named}", 0] == "seat"
    assert who_is_asked(house, match_id) == questions_of_rules(house, match_id)


@pytest.mark.long
def test_an_answer_that_closed_a_renamed_question_can_be_repeated(house: House) -> None:
    match_id = house.begin()
    rename_open_questions(house, match_id, 0)
    view = house.view(match_id, 0)
    assert view.ask is not None
    first = submit_answer(house.site, match_id, 0, view.ask.key, view.legal()[0], "api")
    again = submit_answer(house.site, match_id, 0, view.ask.key, view.legal()[0], "api")
    assert (again.repeated, again.version, again.told.entries) == (True, first.version, first.told.entries)


@pytest.mark.long
def test_an_answer_also_repairs_renamed_questions_to_other_seats(house: House) -> None:
    match_id = house.begin()
    rename_open_questions(house, match_id, 0, 1, 2)
    house.play(match_id, 0)
    assert who_is_asked(house, match_id) == questions_of_rules(house, match_id)
    assert sorted(str(how) for how in who_closed(house, match_id).values()) == [
        "None",
        "None",
        "seat",
        "table",
        "table",
    ]
    assert house.play_out(match_id)


@pytest.mark.long
def test_an_automatic_move_closes_its_renamed_question(house: House) -> None:
    match_id = house.begin()
    rename_open_questions(house, match_id, 0, 1, 2)
    with house.site.writing() as session:
        locked = lock_table(session, match_id)
        decisions.answer_as_clock_or_stand_in(locked, locked.asks[0])
    assert [how for (_, seat), how in who_closed(house, match_id).items() if seat == 0] == ["clock"]


@pytest.mark.on_postgresql
def test_answering_a_question_closed_without_the_lock_stores_nothing(house: House) -> None:
    match_id = house.begin()
    move = house.view(match_id, 0).legal()[0]

    def late() -> None:
        with house.site.writing() as session:
            locked = lock_table(session, match_id)
            ask, luck = locked.asks[0], proofs.luck_of(locked.match).rules(locked.match.version + 1, 0)
            session.connection().execute(text("UPDATE asks SET closed_at = opened_at, closed_by = 'seat'"))
            locked.append(Step(locked.game.decide(locked.state, 0, move, luck), By(seat=0), ask, "{}"))

    before = all_rows(house)
    with pytest.raises(Busy):
        late()
    assert all_rows(house) == before


def test_differing_open_questions_are_found_and_repaired_once(house: House) -> None:
    match_id = house.begin()
    house.begin()
    assert differences_of_asks(house) == []
    rename_open_questions(house, match_id, 2)
    house.play(match_id, 0)
    assert who_is_asked(house, match_id) != questions_of_rules(house, match_id)
    (found,) = differences_of_asks(house)
    assert (found.match_id, found.extra, found.missing) == (match_id, ("old.t0.ally2",), ("t0.ally2",))
    assert rebuilding.rebuild_asks(house.site, match_id) == found
    assert who_is_asked(house, match_id) == questions_of_rules(house, match_id)
    assert differences_of_asks(house) == []
    before = all_rows(house)
    assert rebuilding.rebuild_asks(house.site, match_id) is None
    assert all_rows(house) == before


@pytest.mark.long
def test_a_repaired_question_is_mailed_and_can_be_answered(house: House) -> None:
    match_id = house.begin()
    house.drain()
    house.mail.clear()
    rename_open_questions(house, match_id, 2)
    rebuilding.rebuild_asks(house.site, match_id)
    house.drain()
    assert [to for to, _ in house.mail.all_sent] == ["carol@example.org"]
    assert house.play_out(match_id)


@pytest.mark.on_postgresql
def test_repairing_a_paused_match_starts_no_clock(house: House) -> None:
    match_id = house.begin()
    with house.site.writing() as session:
        session.connection().execute(text("UPDATE matches SET status = 'paused'"))
        session.connection().execute(text("UPDATE seats SET absent = true"))
    rename_open_questions(house, match_id, 0)
    rebuilding.rebuild_asks(house.site, match_id)
    with house.site.reading() as session:
        assert [ask.acts_at for ask in store.open_asks(session, match_id) if ask.seat == 0] == [None]


@pytest.mark.on_postgresql
def test_a_missing_question_already_answered_is_reported_and_not_asked(house: House) -> None:
    match_id = house.begin()
    house.play(match_id, 0)
    with house.site.writing() as session:
        session.connection().execute(text("UPDATE asks SET closed_at = opened_at, closed_by = 'table' WHERE seat = 2"))
    (found,) = differences_of_asks(house)
    assert (found.missing, found.answered) == ((), ("t0.ally2",))
    before = all_rows(house)
    assert rebuilding.rebuild_asks(house.site, match_id) == found
    assert all_rows(house) == before
