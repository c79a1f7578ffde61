"""Take back: what nobody has learned anything from at once, anything else but luck with the others' consent."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import text
from sqlmodel import col, select

from pbem.errors import Gone, Stale, Unauthorized
from pbem.games.hogen.facts import Declare
from pbem.kit.codec import encode, plain
from pbem.kit.folds import Folds
from pbem.kit.logs.verdict import verify
from pbem.kit.replay import Absent, Undone
from pbem.models.tables import AskRow, FoldRow, Match, OrderRow, OutboxRow, SeatRow
from pbem.services.lobby import matches
from pbem.services.log import folds, rebuilding, store
from pbem.services.log.consent import Request
from pbem.services.log.table import lock_table
from pbem.services.play import bots, moves, ordering, presence, takeback, timeouts
from pbem.services.play.takeback import Reversible, TakenBack
from pbem.services.site import Cache, Site
from pbem.services.tokens import SeatClaim
from pbem.services.views import match_views, seats
from pbem.services.who import STRANGER
from tests.harness.sent import statements_to
from tests.services.play.stage.takeback import (
    first_seat_asked,
    match_with_reply,
    reversible_of_seat,
    take_back,
    version_of_match,
)
from tests.table import CAST, House, address_of, claim_of, deadline_of, submit_answer


def answer_request(house: House, match_id: str, seat: int, to: int, *, agree: bool = True) -> TakenBack:
    return takeback.answer_takeback_request(house.site, claim_of(house.site, match_id, seat), to, agree=agree)


def reason_against(house: House, match_id: str, seat: int) -> str:
    return refusal_of_take_back(house, claim_of(house.site, match_id, seat))


def refusal_of_take_back(house: House, claim: SeatClaim) -> str:
    to = takeback.read_takeback(house.site, claim).reversible.to
    with pytest.raises(Gone) as caught:
        takeback.take_back(house.site, claim, to or 0)
    return str(caught.value.extra["why"])


def asks_of_match(house: House, match_id: str) -> list[AskRow]:
    with house.site.reading() as session:
        return list(session.exec(select(AskRow).where(col(AskRow.match_id) == match_id)))


def declare_wrong(house: House, match_id: str, seat: int) -> None:
    """Lets the active seat declare wrongly."""
    with house.site.reading() as session:
        match = store.get_match(session, match_id)
        allies = store.Table(session, match).state.allies
    view = house.view(match_id, seat)
    assert view.ask is not None
    wrong = next(
        move
        for move in view.legal()
        if isinstance(move, Declare) and all(allies[guess.seat] != guess.card for guess in move.allies)
    )
    moves.play_answer(house.site, house.claim("play", match_id, seat), view.ask.key, plain(wrong), "web")


# --- at once -----------------------------------------------------------------------------------------------------


def test_an_absence_since_the_move_remains_after_a_take_back(house: House) -> None:
    match_id = house.begin(3, "niigata")
    mover = first_seat_asked(house, match_id)
    house.play(match_id, mover)
    away = (mover + 1) % 3
    with house.site.writing() as work:
        lock_table(work, match_id).record([Absent(away)])
    take_back(house, match_id, mover)
    kept, read = (_folds_in(site, match_id) for site in (house.site, fresh_process(house)))
    assert kept == read
    assert kept.there.absent == {away}


@pytest.mark.long
def test_a_move_that_revealed_no_information_is_taken_back_at_once(house: House) -> None:
    match_id = house.begin(3, "niigata")
    mover = first_seat_asked(house, match_id)
    before = house.view(match_id, mover)
    receipt = house.play(match_id, mover)
    assert reversible_of_seat(house, match_id, mover) == Reversible("free", before.sheet.version)
    done = take_back(house, match_id, mover)
    after = house.view(match_id, mover)
    assert done.done
    assert done.version == after.sheet.version == receipt.version + 1
    assert isinstance(after.entries[-1].event, Undone)
    assert after.fold == before.fold
    assert after.ask is not None
    assert before.ask is not None
    assert (after.ask.ask, after.ask.key) == (before.ask.ask, f"{before.ask.key}~1")


def test_a_page_offers_the_take_back_until_its_reader_is_asked_again(house: House) -> None:
    match_id, mover, _ = match_with_reply(house)
    claim = claim_of(house.site, match_id, mover)
    assert takeback.read_seat_page(house.site, claim)[3] == reversible_of_seat(house, match_id, mover)
    while first_seat_asked(house, match_id) != mover:
        house.play(match_id, first_seat_asked(house, match_id))
    assert takeback.read_seat_page(house.site, claim)[3] is None


def test_the_log_is_read_once_per_version_for_the_reversible_moves(house: House) -> None:
    match_id = house.begin(3, "niigata")
    mover = first_seat_asked(house, match_id)
    for _ in range(2):
        house.play(match_id, mover)
        with statements_to(house.site.engine) as statements:
            assert reversible_of_seat(house, match_id, mover) == reversible_of_seat(house, match_id, mover)
        assert sum("FROM entries" in one for one in statements) == 1
        take_back(house, match_id, mover)


@pytest.mark.long
def test_after_a_takeback_the_match_goes_on_and_its_log_repeats_no_key(house: House) -> None:
    match_id = house.begin(3, "niigata")
    for _ in range(3):
        mover = first_seat_asked(house, match_id)
        house.play(match_id, mover, -1)
        take_back(house, match_id, mover)
        house.play(match_id, mover)
    house.play_on(match_id)
    log = match_views.read_log(house.site, match_id, None)
    verdict = verify(log)
    assert verdict.checked
    assert verdict.problems == ()
    keys = [(row.key, row.seat) for row in asks_of_match(house, match_id)]
    assert len(keys) == len(set(keys))
    with house.site.reading() as session:
        assert [*rebuilding.matches_with_broken_chain(session)] == []
        assert [*rebuilding.differences_of_open_asks(session)] == []


@pytest.mark.long
def test_after_a_take_back_asks_and_folds_equal_those_of_the_shorter_log(house: House, monkeypatch: Any) -> None:
    monkeypatch.setattr(folds, "EVERY", 2)
    match_id = house.begin(3, "niigata")
    for count in range(12):
        mover = first_seat_asked(house, match_id)
        before = house.view(match_id, mover)
        house.play(match_id, mover, -1)
        if reversible_of_seat(house, match_id, mover).state != "free":
            continue
        take_back(house, match_id, mover)
        with house.site.reading() as session:
            kept = session.exec(select(FoldRow).where(col(FoldRow.match_id) == match_id)).all()
            assert all(row.n <= before.sheet.version for row in kept)
            assert [*rebuilding.differences_of_open_asks(session)] == []
        with replace(house.site, heads=Cache()).reading() as session:
            match = store.get_match(session, match_id)
            assert match.undone == count + 1 or count
            fresh = store.Table(session, match).state
        house.play(match_id, mover)
        assert house.view(match_id, mover).game.pending(fresh) == tuple(ask.ask for ask in before.sheet.asks)


def test_an_undone_answer_and_an_answer_to_an_undone_question_are_stale(house: House) -> None:
    match_id = house.begin(3, "niigata")
    mover = first_seat_asked(house, match_id)
    mine = house.view(match_id, mover)
    assert mine.ask is not None
    move = mine.legal()[0]
    house.play(match_id, mover)
    other = first_seat_asked(house, match_id)
    theirs = house.view(match_id, other)
    assert theirs.ask is not None
    take_back(house, match_id, mover)
    for seat, key, said in ((mover, mine.ask.key, move), (other, theirs.ask.key, theirs.legal()[0])):
        with pytest.raises(Stale) as caught:
            submit_answer(house.site, match_id, seat, key, said, "api")
        assert "taken back" in caught.value.message
    assert house.view(match_id, mover).sheet.version == mine.sheet.version + 2


def test_repeating_a_take_back_request_takes_back_nothing_more(house: House) -> None:
    match_id = house.begin(3, "niigata")
    mover = first_seat_asked(house, match_id)
    house.play(match_id, mover)
    to = reversible_of_seat(house, match_id, mover).to
    take_back(house, match_id, mover, to)
    with pytest.raises(Gone) as caught:
        take_back(house, match_id, mover, to)
    assert caught.value.extra["why"] == "nothing"


def test_moves_in_a_row_are_taken_back_one_after_the_other(house: House) -> None:
    match_id = house.begin(3, "niigata")
    while len(house.asks(match_id)) != 1 or house.asks(match_id)[0].kind != "place":
        house.play(match_id, first_seat_asked(house, match_id))
    mover, start = first_seat_asked(house, match_id), version_of_match(house, match_id)
    house.play(match_id, mover)
    made = 1
    while first_seat_asked(house, match_id) == mover:
        house.play(match_id, mover)
        made += 1
    for _ in range(made):
        if reversible_of_seat(house, match_id, mover).state == "free":
            take_back(house, match_id, mover)
    assert first_seat_asked(house, match_id) == mover
    assert reversible_of_seat(house, match_id, mover).to != start or made == 1


def test_a_take_back_to_a_wrong_entry_is_refused_with_the_right_one(house: House) -> None:
    match_id = house.begin(3, "niigata")
    mover = first_seat_asked(house, match_id)
    house.play(match_id, mover)
    with pytest.raises(Stale) as caught:
        take_back(house, match_id, mover, 99)
    assert caught.value.extra == {"to": reversible_of_seat(house, match_id, mover).to}


def test_only_the_movers_current_link_takes_back_a_move(house: House) -> None:
    match_id = house.begin(3, "niigata")
    mover = first_seat_asked(house, match_id)
    house.play(match_id, mover)
    assert reason_against(house, match_id, (mover + 1) % 3) == "nothing"
    with house.site.writing() as work:
        work.get_one(SeatRow, (match_id, mover)).epoch += 1
    with pytest.raises(Unauthorized):
        takeback.take_back(house.site, house.claim("play", match_id, mover), 1)


def test_a_move_for_which_luck_was_drawn_cannot_be_taken_back(house: House) -> None:
    match_id = house.begin(3, "hagakure")
    for _ in range(60):
        mover = first_seat_asked(house, match_id)
        house.play(match_id, mover)
        if reversible_of_seat(house, match_id, mover).reason == "luck":
            break
    assert reason_against(house, match_id, mover) == "luck"


@pytest.mark.long
def test_no_move_of_a_finished_match_can_be_taken_back(house: House) -> None:
    match_id = house.begin(3)
    house.play_out(match_id)
    with pytest.raises(Gone):
        take_back(house, match_id, 0, 3)


def test_receipts_of_moves_that_still_count_stay_after_a_take_back(house: House) -> None:
    match_id = house.begin(3, "niigata")
    mover = first_seat_asked(house, match_id)
    view = house.view(match_id, mover)
    assert view.ask is not None
    receipt = submit_answer(house.site, match_id, mover, view.ask.key, view.legal()[0], "api")
    other = first_seat_asked(house, match_id)
    house.play(match_id, other)
    take_back(house, match_id, other)
    again = submit_answer(house.site, match_id, mover, view.ask.key, view.legal()[0], "api")
    assert again.repeated
    assert again.told.entries == receipt.told.entries


# --- time --------------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_take_back_restores_the_time_left_when_the_move_was_made(house: House) -> None:
    match_id = house.begin(3, "niigata")
    house.drain()
    mover = first_seat_asked(house, match_id)
    house.clock.forward(hours=5)
    before = deadline_of(house.asks(match_id)[0])
    house.play(match_id, mover)
    house.clock.forward(hours=2)
    take_back(house, match_id, mover)
    ask = house.asks(match_id)[0]
    assert deadline_of(ask) == before + timedelta(hours=2)
    assert ask.acts_at is not None
    house.clock.at = ask.acts_at
    assert timeouts.sweep_deadlines(house.site) > 0


def test_a_take_back_restores_the_time_bank(house: House) -> None:
    match_id = house.begin(3, "niigata", bank_s=86400, increment_s=3600)
    house.drain()
    mover = first_seat_asked(house, match_id)
    bank = house.view(match_id, None).sheet.seats[mover].bank_s
    assert bank is not None
    house.clock.forward(hours=5)
    while first_seat_asked(house, match_id) == mover:
        house.play(match_id, mover)
    assert house.view(match_id, None).sheet.seats[mover].bank_s != bank
    take_back(house, match_id, mover)
    assert house.view(match_id, None).sheet.seats[mover].bank_s == bank
    house.clock.forward(hours=1)
    while first_seat_asked(house, match_id) == mover:
        house.play(match_id, mover)
    assert house.view(match_id, None).sheet.seats[mover].bank_s == bank - 6 * 3600 + 3600


# --- orders ------------------------------------------------------------------------------------------------------


def order_of_seat(house: House, match_id: str, seat: int) -> OrderRow | None:
    with house.site.reading() as session:
        return session.get(OrderRow, (match_id, seat))


def save_order(house: House, match_id: str, seat: int) -> None:
    keep = {"type": "Always", "kind": "nobori", "move": {"type": "Keep"}, "scope": "match"}
    ordering.save_orders(
        house.site, claim_of(house.site, match_id, seat), version_of_match(house, match_id), [keep], "api"
    )


def test_a_take_back_ends_only_orders_made_since_and_the_takers_own(house: House) -> None:
    match_id = house.begin(4, "hagakure")
    mover = first_seat_asked(house, match_id)
    since, earlier = (mover + 2) % 4, (mover + 3) % 4
    save_order(house, match_id, earlier)
    house.play(match_id, mover)
    save_order(house, match_id, since)
    take_back(house, match_id, mover)
    assert order_of_seat(house, match_id, since) is None
    assert order_of_seat(house, match_id, earlier) is not None
    with house.site.reading() as session:
        assert store.get_match(session, match_id).ordering == 1
    save_order(house, match_id, mover)
    assert order_of_seat(house, match_id, mover) is not None
    take_back(house, match_id, mover)
    assert order_of_seat(house, match_id, mover) is None, "else it would answer at once again"
    assert first_seat_asked(house, match_id) == mover


# --- with consent ------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_move_is_taken_back_once_all_players_consent(house: House) -> None:
    match_id, mover, before = match_with_reply(house)
    one, other = (mover + 1) % 3, (mover + 2) % 3
    assert reversible_of_seat(house, match_id, mover) == Reversible(
        "consent", before, "acted", needed=tuple(sorted((one, other)))
    )
    assert not take_back(house, match_id, mover).done
    assert reversible_of_seat(house, match_id, mover).state == "asked"
    assert not answer_request(house, match_id, one, before).done
    assert reversible_of_seat(house, match_id, mover).agreed == (one,)
    assert not answer_request(house, match_id, one, before).done, "agreeing twice counts once"
    assert answer_request(house, match_id, other, before).done
    assert first_seat_asked(house, match_id) == mover
    assert isinstance(house.view(match_id, None).entries[-1].event, Undone)


def test_a_take_back_also_undoes_later_moves_of_others(house: House) -> None:
    match_id, mover, before = match_with_reply(house)
    assert reversible_of_seat(house, match_id, mover).reason == "acted"
    take_back(house, match_id, mover)
    for seat in {0, 1, 2} - {mover}:
        answer_request(house, match_id, seat, before)
    view = house.view(match_id, mover)
    assert [ask.seat for ask in view.sheet.asks] == [mover]
    assert {row.closed_by for row in asks_of_match(house, match_id) if row.opened_n > before and row.closed_at} == {
        "undone"
    }


@pytest.mark.sample(2)
@pytest.mark.parametrize("act", ["move", "decline", "withdraw", "clock"])
def test_a_take_back_request_ends_by_a_move_a_refusal_or_its_withdrawal(house: House, act: str) -> None:
    match_id, mover, before = match_with_reply(house)
    take_back(house, match_id, mover)
    asked = house.asks(match_id)[0]
    other = next(seat for seat in range(3) if seat != mover)
    if act == "move":
        house.play(match_id, asked.seat)
    elif act == "decline":
        answer_request(house, match_id, other, before, agree=False)
    elif act == "withdraw":
        takeback.withdraw_request(house.site, claim_of(house.site, match_id, mover))
    else:
        house.time_is_up(match_id)
        assert timeouts.answer_expired_ask(house.site, match_id, asked.key, asked.seat)
    with pytest.raises(Stale):
        answer_request(house, match_id, other, before)
    assert reason_against(house, match_id, mover) in ("asked_before", "luck", "nothing")


def test_consent_needs_another_player_and_the_open_request(house: House) -> None:
    match_id, mover, before = match_with_reply(house)
    other = next(seat for seat in range(3) if seat != mover)
    with pytest.raises(Stale):
        answer_request(house, match_id, other, before)
    take_back(house, match_id, mover)
    for seat, to in ((mover, before), (other, before - 1)):
        with pytest.raises(Stale):
            answer_request(house, match_id, seat, to)


@pytest.mark.on_postgresql
def test_absent_and_resigned_players_need_not_agree_but_somebody_must(house: House) -> None:
    match_id, mover, before = match_with_reply(house)
    one, other = (mover + 1) % 3, (mover + 2) % 3
    with house.site.writing() as work:
        work.get_one(SeatRow, (match_id, one)).absent = True
    assert reversible_of_seat(house, match_id, mover).needed == (other,)
    with house.site.writing() as work:
        work.get_one(SeatRow, (match_id, other)).resigned = True
    assert reason_against(house, match_id, mover) == "nobody"
    with house.site.writing() as work:
        work.get_one(SeatRow, (match_id, one)).absent = False
        work.get_one(SeatRow, (match_id, one)).resigned = True
    assert take_back(house, match_id, mover, before).done, "nobody else plays any more"


def test_bots_agree_to_a_take_back_and_answer_again(house: House) -> None:
    match_id = matches.start_match_against_bots(
        house.site, STRANGER, "niigata", "Guest", "en", "Europe/London"
    ).match_id
    guest = house.claim("play", match_id, 0)
    bots.play_quick_bots(house.site)

    def play() -> str:
        """Plays the guest's first legal move, and lets the bots answer; returns what was asked."""
        view = house.view(match_id, 0)
        assert view.ask is not None
        moves.play_answer(house.site, guest, view.ask.key, plain(view.legal()[0]), "web")
        bots.play_quick_bots(house.site)
        return view.ask.kind

    while True:
        before = version_of_match(house, match_id)
        kind = play()
        can = takeback.read_takeback(house.site, guest).reversible
        if version_of_match(house, match_id) > before + 1 and can.state == "consent":
            break
    assert (can.needed, can.to) == ((), before)
    assert takeback.take_back(house.site, guest, before).done
    bots.play_quick_bots(house.site)
    ask = house.view(match_id, 0).ask
    assert ask is not None
    assert (ask.kind, ask.deadline) == (kind, None)
    play()
    played = [entry for entry in house.view(match_id, 0).entries if entry.by.bot is not None]
    assert played[-1].key is not None
    assert played[-1].key.endswith("~1")


def test_moves_after_which_bots_revealed_cards_cannot_be_taken_back(house: House) -> None:
    match_id = matches.start_match_against_bots(
        house.site, STRANGER, "hagakure", "Guest", "en", "Europe/London"
    ).match_id
    guest, shown = house.claim("play", match_id, 0), 0
    bots.play_quick_bots(house.site)
    while (view := house.view(match_id, 0)).ask is not None and not shown:
        before = view.sheet.version
        moves.play_answer(house.site, guest, view.ask.key, plain(view.legal()[0]), "web")
        bots.play_quick_bots(house.site)
        cards = [e for e in house.view(match_id, 0).entries if e.n > before and type(e.event).__name__ == "Played"]
        shown += len([card for card in cards if card.by.bot is not None])
        if shown:
            assert refusal_of_take_back(house, guest) in ("shown", "luck")
    assert shown


# --- not at all --------------------------------------------------------------------------------------------------


def test_a_wrong_declaration_that_showed_the_allies_cannot_be_taken_back(house: House) -> None:
    match_id = matches.start_match_against_bots(house.site, STRANGER, "hogen", "Guest", "en", "Europe/London").match_id
    guest = house.claim("play", match_id, 0)
    for _ in range(60):
        bots.play_quick_bots(house.site)
        view = house.view(match_id, 0)
        assert view.ask is not None
        if view.ask.kind == "act":
            break
        moves.play_answer(house.site, guest, view.ask.key, plain(view.legal()[0]), "web")
    declare_wrong(house, match_id, 0)
    assert None not in house.view(match_id, 0).fold.allies, "the true allies are shown"
    assert refusal_of_take_back(house, guest) == "shown"
    bots.play_quick_bots(house.site)
    assert house.view(match_id, 0).sheet.over or refusal_of_take_back(house, guest) == "shown"


def match_with_declaration(house: House) -> tuple[str, int, int]:
    """A match of Hogen in which somebody has just declared wrongly; the match, who, and the version before."""
    match_id = house.begin(3)
    for seat in range(3):
        house.play(match_id, seat)
    mover, before = first_seat_asked(house, match_id), version_of_match(house, match_id)
    declare_wrong(house, match_id, mover)
    return match_id, mover, before


def test_a_move_that_showed_its_mover_a_secret_cannot_be_taken_back(house: House) -> None:
    match_id, mover, before = match_with_declaration(house)
    assert reversible_of_seat(house, match_id, mover) == Reversible("no", before, "shown")
    assert reason_against(house, match_id, mover) == "shown"
    assert house.view(match_id, None).sheet.takeback is None, "nobody is asked to agree"
    house.play(match_id, first_seat_asked(house, match_id))
    assert reason_against(house, match_id, mover) == "shown"


def test_an_older_request_that_todays_rule_forbids_is_not_carried_out(house: House) -> None:
    match_id, mover, before = match_with_declaration(house)
    with house.site.writing() as work:
        work.get_one(Match, match_id).undoing = encode(Request(mover, before)).decode()
    for seat in {0, 1, 2} - {mover}:
        with pytest.raises(Gone) as caught:
            answer_request(house, match_id, seat, before)
        assert caught.value.extra == {"why": "shown"}
    assert not any(isinstance(entry.event, Undone) for entry in house.view(match_id, None).entries)


@pytest.mark.long
def test_a_call_that_others_pass_or_must_answer_cannot_be_taken_back(house: House) -> None:
    for at in range(3):
        match_id = house.begin(3)
        for seat in range(3):
            house.play(match_id, seat)
        mover = first_seat_asked(house, match_id)
        house.play(match_id, mover, at)
        assert reason_against(house, match_id, mover) == "shown"


@pytest.mark.long
def test_every_seat_that_has_shown_a_card_since_must_agree_to_a_take_back(house: House) -> None:
    match_id = house.begin(3, "hagakure")
    while house.asks(match_id)[0].kind != "card":
        house.play(match_id, first_seat_asked(house, match_id))
    mover = first_seat_asked(house, match_id)
    house.play(match_id, mover)
    other = first_seat_asked(house, match_id)
    house.play(match_id, other)
    assert reversible_of_seat(house, match_id, mover).reason == "acted"
    assert reversible_of_seat(house, match_id, mover).needed == tuple(sorted({0, 1, 2} - {mover}))
    with house.site.writing() as work:
        work.get_one(SeatRow, (match_id, other)).absent = True
    assert reason_against(house, match_id, mover) == "shown"


def test_without_take_backs_by_consent_a_move_others_have_seen_stays(house: House) -> None:
    match_id, mover, _ = match_with_reply(house)
    with house.site.writing() as work:
        work.get_one(Match, match_id).takebacks = "free"
    assert reason_against(house, match_id, mover) == "rule"


def test_a_substitute_cannot_take_back_moves_of_the_former_owner(house: House) -> None:
    match_id = house.begin(3, "niigata")
    mover = first_seat_asked(house, match_id)
    house.play(match_id, mover)
    with house.site.writing() as work:
        locked = lock_table(work, match_id)
        presence.record_takeover(locked, locked.seats[mover])
    assert reason_against(house, match_id, mover) == "nothing"


def test_an_answer_whose_receipt_was_deleted_cannot_be_taken_back(house: House) -> None:
    match_id = house.begin(3, "niigata")
    mover = first_seat_asked(house, match_id)
    house.play(match_id, mover)
    with house.site.writing() as work:
        (answered,) = work.exec(select(AskRow).where(col(AskRow.answer).is_not(None)))
        answered.answer = None
    assert reason_against(house, match_id, mover) == "nothing"


@pytest.mark.long
def test_an_answer_in_a_window_cannot_be_taken_back(house: House) -> None:
    match_id = house.begin(3, "allegeance")
    while house.asks(match_id)[0].kind != "answer":
        house.play(match_id, first_seat_asked(house, match_id))
    seat = first_seat_asked(house, match_id)
    house.play(match_id, seat, -1)
    assert reason_against(house, match_id, seat) == "window"


# --- mails ---------------------------------------------------------------------------------------------------------


def texts_of_mails(house: House, seat: int) -> list[str]:
    """The texts of the mails to this seat's player."""
    return [str(one.get_body(("plain",)).get_content()) for one in house.mail.to(address_of(CAST[seat]))]  # type: ignore[union-attr]


@pytest.mark.long
def test_a_take_back_while_mails_are_held_sends_no_mail(house_that_holds: House) -> None:
    house = house_that_holds
    match_id = house.begin(3, "niigata")
    house.clock.forward(minutes=2)
    house.drain()
    house.mail.clear()
    mover = first_seat_asked(house, match_id)
    house.play(match_id, mover)
    other = first_seat_asked(house, match_id)
    found = reversible_of_seat(house, match_id, mover)
    assert (found.state, found.held_until) == ("held", house.clock.at + timedelta(seconds=60))
    take_back(house, match_id, mover)
    house.clock.forward(minutes=5)
    house.drain()
    assert house.mail.to(address_of(CAST[other])) == []
    assert house.mail.to(address_of(CAST[mover])) == [], "the one who takes back is at the table"


def test_after_a_take_back_a_sent_turn_mail_is_followed_by_a_notice(house_that_holds: House) -> None:
    house = house_that_holds
    match_id = house.begin(3, "niigata")
    house.clock.forward(minutes=2)
    house.drain()
    mover = first_seat_asked(house, match_id)
    house.play(match_id, mover)
    other = first_seat_asked(house, match_id)
    house.clock.forward(minutes=2)
    house.drain()
    assert reversible_of_seat(house, match_id, mover).state == "free"
    take_back(house, match_id, mover)
    house.drain()
    turn, notice = house.mail.to(address_of(CAST[other]))[-2:]
    assert notice["Subject"] == turn["Subject"]
    assert notice["References"] == turn["References"]
    assert f"{CAST[mover]} has taken back a move" in texts_of_mails(house, other)[-1]
    house.play(match_id, mover)
    house.clock.forward(minutes=2)
    sent = len(texts_of_mails(house, other))
    house.drain()
    assert len(texts_of_mails(house, other)) == sent + 1, "asked again, they get another mail"


def test_a_take_back_notice_is_not_sent_if_its_reader_is_asked_again(house_that_holds: House) -> None:
    house = house_that_holds
    match_id = house.begin(3, "niigata")
    house.clock.forward(minutes=2)
    house.drain()
    mover = first_seat_asked(house, match_id)
    house.play(match_id, mover)
    other = first_seat_asked(house, match_id)
    house.clock.forward(minutes=2)
    house.drain()
    take_back(house, match_id, mover)
    house.play(match_id, mover)
    house.drain()
    assert not any("has taken back" in text for text in texts_of_mails(house, other))


@pytest.mark.long
def test_the_mover_can_release_held_mails_at_once(house_that_holds: House) -> None:
    house = house_that_holds
    match_id = house.begin(3, "niigata")
    house.clock.forward(minutes=2)
    house.drain()
    mover = first_seat_asked(house, match_id)
    house.play(match_id, mover)
    sent = len(texts_of_mails(house, first_seat_asked(house, match_id)))
    takeback.release_held_mails(house.site, claim_of(house.site, match_id, mover))
    house.drain()
    assert len(texts_of_mails(house, first_seat_asked(house, match_id))) == sent + 1
    assert reversible_of_seat(house, match_id, mover).state == "free"


def test_a_take_back_request_mails_each_player_once_and_none_if_settled(house: House) -> None:
    match_id, mover, before = match_with_reply(house)
    one, other = (mover + 1) % 3, (mover + 2) % 3
    take_back(house, match_id, mover)
    take_back(house, match_id, mover)
    house.drain()
    for seat in (one, other):
        (mail,) = [
            text for text in texts_of_mails(house, seat) if "asks to take back a move" in text or "reprendre" in text
        ]
        assert f"/play/{claim_token(house, match_id, seat)}" in mail
    takeback.withdraw_request(house.site, claim_of(house.site, match_id, mover))
    assert reason_against(house, match_id, mover) == "asked_before"
    match_id, mover, before = match_with_reply(house)
    take_back(house, match_id, mover)
    answer_request(house, match_id, (mover + 1) % 3, before, agree=False)
    sent = [len(texts_of_mails(house, seat)) for seat in range(3)]
    house.drain()
    asked = [
        text for seat in range(3) for text in texts_of_mails(house, seat)[sent[seat] :] if "asks to take back" in text
    ]
    assert asked == []


def claim_token(house: House, match_id: str, seat: int) -> str:
    return seats.play_token(house.site, match_id, seat)


@pytest.mark.on_postgresql
def test_mails_are_held_equally_long_for_players_with_and_without_orders(house_that_holds: House) -> None:
    """A player who has orders is written to only if they do not answer."""
    house, found = house_that_holds, []
    for ordered in (False, True):
        match_id = house.begin(3, "hagakure")
        house.clock.forward(minutes=2)
        house.drain()
        mover = first_seat_asked(house, match_id)
        house.play(match_id, mover)
        if ordered:
            with house.site.writing() as work:
                for row in work.exec(select(OutboxRow).where(col(OutboxRow.match_id) == match_id)).all():
                    work.delete(row)
        one = reversible_of_seat(house, match_id, mover)
        takeback.release_held_mails(house.site, claim_of(house.site, match_id, mover))
        found.append(
            (
                one.state,
                one.held_until == house.clock.at + timedelta(seconds=60),
                reversible_of_seat(house, match_id, mover),
            )
        )
    assert found[0][:2] == ("held", True)
    assert found[0] == found[1]


@pytest.mark.long
def test_only_one_request_to_take_back_can_be_open(house: House) -> None:
    match_id, _, _ = match_with_reply(house)
    house.play(match_id, first_seat_asked(house, match_id))
    may_ask = [seat for seat in range(3) if reversible_of_seat(house, match_id, seat).state == "consent"]
    one, other = may_ask[:2]
    take_back(house, match_id, one)
    assert reason_against(house, match_id, other) == "open"


@pytest.mark.parametrize("leave", ["resign", "taken over"])
def test_a_take_back_request_ends_when_its_player_leaves(house: House, leave: str) -> None:
    match_id, mover, before = match_with_reply(house)
    take_back(house, match_id, mover)
    if leave == "resign":
        presence.resign(house.site, claim_of(house.site, match_id, mover))
    else:
        with house.site.writing() as work:
            locked = lock_table(work, match_id)
            presence.record_takeover(locked, locked.seats[mover])
    with pytest.raises(Stale):
        answer_request(house, match_id, (mover + 1) % 3, before)
    assert house.view(match_id, None).sheet.takeback is None


@pytest.mark.parametrize(
    ("game", "step", "met"),
    [
        ("allegeance", 7, {"shown", "learned", "window"}),
        ("hagakure", 7, {"luck", "shown", "acted", "learned", None}),
        ("hogen", 5, {"luck", "shown", "acted", None}),
    ],
)
def test_stored_reasons_against_take_backs_equal_those_read_from_the_log(
    house: House, game: str, step: int, met: set[Any]
) -> None:
    match_id, reasons = house.begin(3, game), set()
    for count in range(24):
        asked = house.asks(match_id)[count % len(house.asks(match_id))]
        legal = house.view(match_id, asked.seat).legal()
        submit_answer(house.site, match_id, asked.seat, asked.key, legal[(step * count) % len(legal)], "web")
        if not house.asks(match_id):
            break
        with house.site.engine.begin() as connection:
            rows = connection.execute(text("SELECT key, seat, drew, told FROM asks WHERE drew IS NOT NULL")).all()
            noted = [reversible_of_seat(replace(house, site=fresh_process(house)), match_id, seat) for seat in range(3)]
        with house.site.engine.begin() as connection:
            connection.execute(text("UPDATE asks SET drew = NULL, told = NULL"))
        assert [
            reversible_of_seat(replace(house, site=fresh_process(house)), match_id, seat) for seat in range(3)
        ] == noted
        reasons |= {one.reason for one in noted}
        with house.site.engine.begin() as connection:
            for key, seat, drew, told in rows:
                values = {"k": key, "s": seat, "d": drew, "t": told}
                connection.execute(text("UPDATE asks SET drew = :d, told = :t WHERE key = :k AND seat = :s"), values)
    assert reasons - {"nothing"} == met


def _folds_in(site: Site, match_id: str) -> Folds:
    with site.writing() as work:
        return lock_table(work, match_id).folds


def fresh_process(house: House) -> Site:
    """Returns the site in a process that has seen nothing yet."""
    return Site(house.site.config, house.site.engine, now=house.clock)
