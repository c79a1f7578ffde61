"""Submitting moves: idempotent per key, refused with a reason, in one transaction."""

import json
from typing import cast

import pytest
from sqlalchemy import text

from pbem.clock import iso_format
from pbem.errors import Answered, Busy, Gone, Illegal, NotFound, Stale, Unreadable
from pbem.games import find_game
from pbem.kit.contract import COMMON_REFUSALS, AnyGame
from pbem.kit.logs import logfile
from pbem.kit.logs.verdict import verify
from pbem.kit.replay import Cancelled, full_fold
from pbem.kit.texts import LANGS
from pbem.models.tables import FoldRow, Match, table
from pbem.services.log import cancellation, proofs, store
from pbem.services.log.table import LockedTable, lock_with_ask
from pbem.services.play import decisions, moves, timeouts
from pbem.services.tokens import PlayClaim
from pbem.services.views import match_views
from tests.harness.cases import cases
from tests.services.play.stage.moves import all_rows
from tests.table import House, deadline_of, submit_answer


@pytest.mark.long
def test_a_whole_match_is_played_and_its_log_verifies(house: House) -> None:
    match_id = house.begin(4, "hagakure", options={"rounds": 1})
    house.play_on(match_id)
    sheet = match_views.read_sheet(house.site, match_id, None)
    assert sheet.status == "over"
    assert sheet.outcome is not None
    log = logfile.read(logfile.log_to_bytes(match_views.read_log(house.site, match_id, None)), find_game)
    assert log.viewer == "all"
    assert verify(log).ok


def test_the_same_answer_again_gives_the_first_receipt_and_changes_nothing(house: House) -> None:
    match_id = house.begin()
    view = house.view(match_id, 1)
    assert view.ask is not None
    first = submit_answer(house.site, match_id, 1, view.ask.key, view.legal()[0], "web")
    assert not first.repeated
    before = all_rows(house)
    again = submit_answer(house.site, match_id, 1, view.ask.key, view.legal()[0], "api")
    assert (again.version, again.told.entries, again.repeated) == (first.version, first.told.entries, True)
    assert all_rows(house) == before


@pytest.mark.long
def test_the_answer_that_ended_the_match_may_be_repeated_after_the_end(house: House) -> None:
    match_id = house.begin()
    last = None
    while house.asks(match_id):
        ask = house.asks(match_id)[0]
        last = (ask, house.view(match_id, ask.seat).legal()[-1])
        submit_answer(house.site, match_id, ask.seat, ask.key, last[1], "api")
    assert last is not None
    ask, move = last
    assert submit_answer(house.site, match_id, ask.seat, ask.key, move, "api").repeated


@pytest.mark.long
def test_after_the_end_a_repeated_answer_gets_its_whole_first_receipt(house: House) -> None:
    match_id = house.begin(2, "allegeance", options={"target": 1})
    ask = house.asks(match_id)[0]
    move = house.view(match_id, ask.seat).legal()[3]
    first = submit_answer(house.site, match_id, ask.seat, ask.key, move, "api")
    faded = False
    while asks := house.asks(match_id):
        faded |= submit_answer(house.site, match_id, ask.seat, ask.key, move, "api").told.entries != first.told.entries
        house.play(match_id, asks[0].seat)
    assert faded
    assert submit_answer(house.site, match_id, ask.seat, ask.key, move, "api").told.entries == first.told.entries


@pytest.mark.long
def test_a_different_second_answer_is_refused_and_changes_nothing(house: House) -> None:
    match_id = house.begin()
    view = house.view(match_id, 1)
    assert view.ask is not None
    house.play(match_id, 1, at=0)
    before = all_rows(house)
    with pytest.raises(Answered) as refusal:
        submit_answer(house.site, match_id, 1, view.ask.key, view.legal()[1], "web")
    assert refusal.value.extra == {"ask": None}
    assert all_rows(house) == before


def test_an_unknown_key_is_refused_with_the_current_question(house: House) -> None:
    match_id = house.begin()
    with pytest.raises(Stale) as refusal:
        submit_answer(house.site, match_id, 1, "t99.answer", house.view(match_id, 1).legal()[0], "web")
    assert refusal.value.extra == {
        "ask": {
            "key": "t0.ally1",
            "kind": "ally",
            "seat": 1,
            "deadline": iso_format(deadline_of(house.asks(match_id)[1])),
        }
    }


def test_answering_with_the_key_of_another_seat_is_refused_as_stale(house: House) -> None:
    match_id = house.begin()
    with pytest.raises(Stale):
        submit_answer(house.site, match_id, 1, "t0.ally2", house.view(match_id, 1).legal()[0], "web")


def test_an_illegal_move_is_refused_with_its_reason_and_changes_nothing(house: House) -> None:
    match_id = house.begin()
    foreign = house.view(match_id, 2).legal()[0]
    before = all_rows(house)
    with pytest.raises(Illegal) as refusal:
        submit_answer(house.site, match_id, 1, "t0.ally1", foreign, "web")
    assert refusal.value.extra["reason"] == "not_in_hand"
    assert all_rows(house) == before


@pytest.mark.long
def test_refusals_common_to_all_games_have_texts_in_every_language(house: House) -> None:
    match_id = house.begin()
    other = moves.read_move(game_of_tests(), {"type": "Call", "rank": 1}, 0)
    with pytest.raises(Illegal) as refusal:
        submit_answer(house.site, match_id, 1, "t0.ally1", other, "web")
    assert refusal.value.extra["reason"] == "wrong_kind"
    assert refusal.value.facts["sentence"] == {lang: COMMON_REFUSALS["wrong_kind"].text[lang] for lang in LANGS}


@pytest.mark.long
def test_simultaneous_questions_are_answered_in_any_order(house: House) -> None:
    match_id = house.begin()
    house.play(match_id, 2)
    house.play(match_id, 0)
    assert [ask.seat for ask in house.asks(match_id)] == [1]


def test_a_match_that_has_not_begun_takes_no_moves(house: House) -> None:
    match_id = house.create()
    with pytest.raises(Gone):
        submit_answer(house.site, match_id, 0, "t0.ally0", moves.read_typed_move(game_of_tests(), "ally F1", 0), "web")


@pytest.mark.long
def test_a_cancelled_match_takes_no_moves_and_its_log_says_so(house: House) -> None:
    match_id = house.begin()
    view = house.view(match_id, 1)
    assert view.ask is not None
    cancellation.cancel_match_for_host(house.site, match_id)
    with pytest.raises(Gone):
        submit_answer(house.site, match_id, 1, view.ask.key, view.legal()[0], "web")
    assert house.view(match_id, 1).entries[-1].event == Cancelled("host")
    assert match_views.read_log(house.site, match_id, None).seed is None


def test_an_unknown_match_is_not_found(house: House) -> None:
    claim = PlayClaim("0" * 24, 0, 0)
    with pytest.raises(NotFound):
        moves.play_answer(house.site, claim, "t0.ally0", "ally F1", "web")


def test_text_and_json_that_are_no_moves_are_unreadable() -> None:
    for text_ in ("", "xyzzy", "F9", "A" * 5000):
        with pytest.raises(Unreadable):
            moves.read_typed_move(game_of_tests(), text_, 0)
    values: list[object] = [None, 7, [], {}, {"type": "Call", "rank": "4"}, {"type": "Call", "rank": 9}]
    for value in [*values, {"type": "Nope"}]:
        with pytest.raises(Unreadable):
            moves.read_move(game_of_tests(), value, 0)


@cases(
    "status, why",
    [("unconfirmed", "not begun"), ("inviting", "not begun"), ("over", "is over"), ("cancelled", "is over")],
)
def test_the_refusal_says_whether_a_match_has_not_begun_or_is_over(status: str, why: str) -> None:
    with pytest.raises(Gone, match=why) as refusal:
        moves.require_in_play(status)
    assert refusal.value.extra == {"ask": None}


@cases("status", ["running", "paused"])
def test_running_and_paused_matches_accept_moves(status: str) -> None:
    moves.require_in_play(status)


@pytest.mark.long
def test_log_entries_record_whether_a_move_came_by_web_api_or_mail(house: House) -> None:
    match_id = house.begin()
    for seat, via in enumerate(("web", "api", "mail")):
        view = house.view(match_id, seat)
        assert view.ask is not None
        receipt = submit_answer(house.site, match_id, seat, view.ask.key, view.legal()[0], via)
        assert {(entry.by.seat, entry.by.via) for entry in receipt.told.entries} == {(seat, via)}
        played = [entry for entry in house.view(match_id, seat).entries if entry.key == view.ask.key]
        assert {(entry.by.seat, entry.by.via) for entry in played} == {(seat, via)}


def test_repeating_an_answer_that_the_clock_gave_is_refused_as_late(house: House) -> None:
    match_id = house.begin()
    key = house.asks(match_id)[1].key
    house.time_is_up(match_id)
    assert timeouts.answer_expired_ask(house.site, match_id, key, 1)
    with house.site.reading() as session:
        ask = store.get_ask(session, match_id, key, 1)
        assert ask is not None
        assert ask.answer is not None
        same = moves.read_move(game_of_tests(), json.loads(ask.answer), 0)
    with pytest.raises(Stale, match="the clock moved for you"):
        submit_answer(house.site, match_id, 1, key, same, "web")


@pytest.mark.long
def test_an_automatic_move_draws_its_luck_for_its_own_question(house: House) -> None:
    match_id = house.begin()
    for _ in range(8):
        house.time_is_up(match_id)
        ask = house.asks(match_id)[0]
        with house.site.writing() as session:
            locked, row = lock_with_ask(session, match_id, ask.key, ask.seat)
            assert row is not None
            chance = proofs.luck_of(locked.match).fallback(locked.match.version + 1, ask.key, ask.seat)
            drawn = game_of_tests().fallback(locked.fold_of_seat(ask.seat), ask.seat, chance)
            decisions.answer_as_clock_or_stand_in(locked, row)
        with house.site.reading() as session:
            answered = store.get_ask(session, match_id, ask.key, ask.seat)
            assert answered is not None
            assert answered.closed_by == "clock"
            assert moves.read_move(game_of_tests(), json.loads(answered.answer or "null"), 0) == drawn


@pytest.mark.long
def test_answering_a_question_that_closed_unanswered_is_refused(house: House) -> None:
    match_id = house.begin()
    view = house.view(match_id, 1)
    assert view.ask is not None
    with house.site.writing() as session:
        ask = store.get_ask(session, match_id, view.ask.key, 1)
        assert ask is not None
        ask.closed_at, ask.closed_by = house.clock(), "table"
        session.add(ask)
    before = all_rows(house)
    with pytest.raises(Stale, match="no longer open") as refusal:
        submit_answer(house.site, match_id, 1, view.ask.key, view.legal()[0], "web")
    assert refusal.value.extra == {"ask": None}
    assert all_rows(house) == before


def test_a_typed_move_may_have_four_hundred_characters_and_no_more() -> None:
    class Patient:
        """A game that reads any text, so that only its length is checked."""

        def parse(self, text: str, seat: int) -> str:
            return f"{seat}: {len(text)}"

    game = cast(AnyGame, Patient())
    assert str(moves.read_typed_move(game, "x" * 400, 2)) == "2: 400"
    with pytest.raises(Unreadable, match="too long for a move") as refusal:
        moves.read_typed_move(game, "x" * 401, 2)
    assert refusal.value.facts == {"most": 400}


def test_an_unreadable_typed_move_is_quoted_in_short_with_the_games_hint() -> None:
    assert moves.read_typed_move(game_of_tests(), "ally F1", 0) == game_of_tests().parse("ally F1", 0)
    with pytest.raises(Unreadable, match="cannot be read as a move") as refusal:
        moves.read_typed_move(game_of_tests(), "x" * 100, 0)
    assert refusal.value.facts["text"] == "x" * 60
    assert "ally F1" in refusal.value.facts["hint"]["fr"]
    assert "ally F1" in refusal.value.facts["hint"]["en"]


def test_json_that_is_no_move_is_refused_with_the_place_that_does_not_fit() -> None:
    with pytest.raises(Unreadable) as refusal:
        moves.read_move(game_of_tests(), {"type": "Call", "rank": 9}, 0)
    assert "$.rank" in refusal.value.extra["why"]


@pytest.mark.on_postgresql
def test_a_writer_without_the_lock_is_refused_by_the_version(house: House) -> None:
    match_id = house.begin()

    def write_without_looking() -> None:
        with house.site.writing() as session:
            match = store.get_match(session, match_id)
            session.connection().execute(text("UPDATE matches SET version = version + 7"))
            session.expunge(match)
            LockedTable(session, Match(**match.model_dump())).record([Cancelled()])

    before = all_rows(house)
    with pytest.raises(Busy):
        write_without_looking()
    assert all_rows(house) == before


@pytest.mark.long
def test_the_receipt_shows_the_mover_their_own_secrets_only(house: House) -> None:
    match_id = house.begin()
    receipt = house.play(match_id, 1)
    assert receipt.told.entries[0].event.card is not None
    other = house.view(match_id, 2).entries[-1]
    assert other.n == receipt.version
    assert other.event.card is None


@pytest.mark.long
def test_folds_are_kept_and_give_the_same_state_as_the_whole_log(house: House) -> None:
    match_id = house.begin(4)
    while house.asks(match_id):
        house.play(match_id, house.asks(match_id)[0].seat)
        with house.site.reading() as session:
            match = store.get_match(session, match_id)
            game = store.game_by_slug(match.game)
            full = full_fold(game, store.load_entries(session, match_id, game))
            assert store.Table(session, match).state == full
            if session.execute(table(FoldRow).select()).all():
                return
    raise AssertionError("no folds were kept; play a longer match")


def game_of_tests() -> AnyGame:
    """The game of these tests."""
    game = find_game("hogen")
    assert game is not None
    return game
