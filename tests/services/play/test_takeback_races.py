"""Taking back, and taking a seat over, against a move, the clock, a mail, orders and each other, in threads."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from sqlmodel import col, select

from pbem.errors import Gone, Problem, Stale, Unauthorized
from pbem.kit.replay import Replaced, Undone
from pbem.models.tables import AskRow, OutboxRow, SeatRow
from pbem.services.log import rebuilding, store
from pbem.services.log.consent import find_takeback_request
from pbem.services.mail import sender
from pbem.services.play import ordering, presence, substitutes, takeback, timeouts
from pbem.services.play.moves import Receipt
from pbem.services.play.takeback import TakenBack
from pbem.services.tokens import VacancyClaim
from tests.services.play.stage.presence import entries_of_table, seat_of
from tests.services.play.stage.races import ROUNDS, at_once, job_that_answers, while_committing
from tests.services.play.stage.substitutes import play_until_bob_is_asked, players_id, token_to_share
from tests.table import CAST, House, Outgoing, address_of, claim_of

pytestmark = pytest.mark.on_postgresql


def match_with_free_move(house: House) -> tuple[str, int, int]:
    """A match of Niigata in which a move that is free was just made; the match, who made it, and the version before."""
    match_id = house.begin(3, "niigata")
    house.drain()
    while True:
        mover, before = house.asks(match_id)[0].seat, house.view(match_id, None).sheet.version
        house.play(match_id, mover)
        found = takeback.read_takeback(house.site, claim_of(house.site, match_id, mover)).reversible
        if house.asks(match_id)[0].seat != mover and found.state == "free":
            return match_id, mover, before


def check_match(house: House, match_id: str) -> None:
    """The projections agree with the log, the chain holds, and nobody has two open questions."""
    with house.site.reading() as session:
        assert [*rebuilding.differences_of_open_asks(session)] == []
        assert [*rebuilding.matches_with_broken_chain(session)] == []
        rows = session.exec(select(AskRow).where(col(AskRow.match_id) == match_id)).all()
    asked = [row.seat for row in rows if row.closed_at is None]
    assert len(asked) == len(set(asked))


def job_that_takes_back(house: House, match_id: str, seat: int, to: int) -> partial[TakenBack]:
    return partial(takeback.take_back, house.site, claim_of(house.site, match_id, seat), to)


@pytest.mark.long
def test_of_a_take_back_and_the_next_move_at_once_only_one_succeeds(house: House) -> None:
    for _ in range(ROUNDS):
        match_id, mover, before = match_with_free_move(house)
        other = house.asks(match_id)[0].seat
        back, move = at_once(
            job_that_takes_back(house, match_id, mover, before), job_that_answers(house, match_id, other, 0)
        )
        assert isinstance(move, Receipt | Stale)
        assert is_done(back) == isinstance(move, Stale), "once the other has played, they have to agree"
        check_match(house, match_id)


@pytest.mark.long
def test_of_two_simultaneous_take_backs_only_one_succeeds(house: House) -> None:
    for _ in range(ROUNDS):
        match_id, mover, before = match_with_free_move(house)
        job = job_that_takes_back(house, match_id, mover, before)
        results = at_once(job, job)
        assert sum(isinstance(one, TakenBack) and one.done for one in results) == 1
        assert sum(isinstance(one, Problem) for one in results) == 1
        undone = [entry for entry in house.view(match_id, None).entries if isinstance(entry.event, Undone)]
        assert len(undone) == 1
        check_match(house, match_id)


@pytest.mark.long
def test_of_a_take_back_and_an_automatic_move_only_one_succeeds(house: House) -> None:
    for _ in range(ROUNDS):
        match_id, mover, before = match_with_free_move(house)
        ask = house.asks(match_id)[0]
        house.time_is_up(match_id)
        expire = partial(timeouts.answer_expired_ask, house.site, match_id, ask.key, ask.seat)
        back, clock = at_once(job_that_takes_back(house, match_id, mover, before), expire)
        assert is_done(back) != bool(clock)
        check_match(house, match_id)


def is_done(back: object) -> bool:
    """Whether it was taken back; else the others are asked, or luck has spoken."""
    assert isinstance(back, TakenBack | Gone)
    return isinstance(back, TakenBack) and back.done


def keep_post(post: Outgoing) -> Outgoing:
    return post


@pytest.mark.long
def test_a_turn_mail_sent_during_a_take_back_is_followed_by_a_notice(house: House) -> None:
    for _ in range(ROUNDS):
        match_id, mover, before = match_with_free_move(house)
        ask, post = house.asks(match_id)[0], Outgoing()
        other = ask.seat
        drain = partial(sender.drain, house.site, partial(keep_post, post))
        assert is_done(at_once(job_that_takes_back(house, match_id, mover, before), drain)[0])
        house.clock.forward(minutes=10)
        drain()
        told = [str(one.get_body(("plain",))) for one in post.to(address_of(CAST[other]))]
        notices = sum("has taken back a move" in one or "a repris un coup" in one for one in told)
        with house.site.reading() as session:
            turn = session.exec(select(OutboxRow).where(col(OutboxRow.key) == ask.origin, col(OutboxRow.seat) == other))
            results = {row.kind: row.result for row in turn if row.match_id == match_id}
        assert (results["turn"] == "sent") == (notices == 1), results
        check_match(house, match_id)


@pytest.mark.long
def test_an_order_saved_while_a_move_is_taken_back_does_not_outlive_it(house: House) -> None:
    keep = {"type": "Always", "kind": "nobori", "move": {"type": "Keep"}, "scope": "match"}
    for _ in range(ROUNDS):
        match_id = house.begin(4, "hagakure")
        mover, before = house.asks(match_id)[0].seat, house.view(match_id, None).sheet.version
        house.play(match_id, mover)
        version, other = house.view(match_id, None).sheet.version, (mover + 2) % 4
        save = partial(ordering.save_orders, house.site, claim_of(house.site, match_id, other), version, [keep], "api")
        back, saved = at_once(job_that_takes_back(house, match_id, mover, before), save)
        assert isinstance(back, TakenBack)
        assert back.done
        assert ordering.read_orders(house.site, claim_of(house.site, match_id, other)).orders == ()
        assert isinstance(saved, Stale | ordering.Ordered)
        check_match(house, match_id)


@pytest.mark.long
def test_of_two_last_consents_at_once_only_one_takes_back_the_move(house: House) -> None:
    while True:
        match_id, mover, before = match_with_free_move(house)
        house.play(match_id, house.asks(match_id)[0].seat)
        found = takeback.read_takeback(house.site, claim_of(house.site, match_id, mover)).reversible
        if found.state == "consent":
            break
    job_that_takes_back(house, match_id, mover, before)()
    give = [
        partial(takeback.answer_takeback_request, house.site, claim_of(house.site, match_id, seat), before, agree=True)
        for seat in range(3)
        if seat != mover
    ]
    assert sum(isinstance(one, TakenBack) and one.done for one in at_once(*give)) == 1
    entries = house.view(match_id, None).entries
    assert sum(isinstance(entry.event, Undone) for entry in entries) == 1
    assert isinstance(entries[-1].event, Undone)
    check_match(house, match_id)


# --- a substitute takes a seat over ----------------------------------------------------------------------------

NONE = "always nobori: none"


def job_that_takes_over(house: House, match_id: str) -> Callable[[], object]:
    """Returns a job in which Charlie, signed in, sits down in Bob's place."""
    charlie, claim = players_id(house, "Charlie"), house.tokens.read(VacancyClaim, token_to_share(house, match_id))
    return lambda: substitutes.take_seat_at_once(house.site, claim, charlie, "Charlie")


def has_charlie_the_seat(house: House, match_id: str) -> bool:
    """Whether Charlie has the seat, and the log says so once."""
    here = seat_of(house, match_id, 1).name == "Charlie"
    assert [event for event in entries_of_table(house, match_id) if event == Replaced(1)] == [Replaced(1)] * here
    return here


def match_bob_has_left(house: House, game: str) -> str:
    """A match of three from which Bob has resigned."""
    match_id = house.begin(3, game)
    presence.resign(house.site, claim_of(house.site, match_id, 1))
    timeouts.sweep_deadlines(house.site)
    return match_id


def match_with_absent_bob(house: House, game: str) -> str:
    """A match of three in which Bob is absent."""
    match_id = house.begin(3, game)
    with house.site.writing() as work:
        row = work.get_one(SeatRow, (match_id, 1))
        row.absent, row.away_n = True, store.get_match(work, match_id).version
    return match_id


def open_seat(house: House, match_id: str) -> int | None:
    """Returns who asks to take something back."""
    with house.site.reading() as session:
        request = find_takeback_request(store.get_match(session, match_id))
    return None if request is None else request.seat


@pytest.mark.long
def test_a_move_of_another_and_a_takeover_at_once_both_stand(house: House) -> None:
    for _ in range(ROUNDS):
        match_id = match_bob_has_left(house, "niigata")
        mover = house.asks(match_id)[0].seat
        move, seated = at_once(job_that_answers(house, match_id, mover, 0), job_that_takes_over(house, match_id))
        assert isinstance(move, Receipt)
        assert seated == (match_id, 1)
        assert has_charlie_the_seat(house, match_id)
        timeouts.sweep_deadlines(house.site)
        check_match(house, match_id)
        play_until_bob_is_asked(house, match_id)
        assert isinstance(house.play(match_id, 1), Receipt), "no clock has played for the newcomer"


@pytest.mark.long
def test_an_absent_owners_move_during_a_takeover_leaves_one_in_the_seat(house: House) -> None:
    for _ in range(ROUNDS):
        match_id = match_with_absent_bob(house, "niigata")
        play_until_bob_is_asked(house, match_id)
        before = house.view(match_id, None).sheet.version
        move, seated = at_once(job_that_answers(house, match_id, 1, 0), job_that_takes_over(house, match_id))
        if has_charlie_the_seat(house, match_id):
            assert isinstance(move, Unauthorized)
            assert house.view(match_id, None).sheet.version == before + 1
            assert 1 in [ask.seat for ask in house.asks(match_id)]
        else:
            assert isinstance(move, Receipt)
            assert isinstance(seated, Gone)
            assert not seat_of(house, match_id, 1).absent
        check_match(house, match_id)


@pytest.mark.long
def test_an_owner_whose_move_waits_for_a_takeover_is_refused(house: House) -> None:
    match_id = match_with_absent_bob(house, "niigata")
    play_until_bob_is_asked(house, match_id)
    seated, move = while_committing(
        house, job_that_takes_over(house, match_id), job_that_answers(house, match_id, 1, 0)
    )
    assert seated == (match_id, 1)
    assert isinstance(move, Unauthorized)
    assert has_charlie_the_seat(house, match_id)
    check_match(house, match_id)


@pytest.mark.long
def test_a_takeover_that_waits_for_the_owners_move_comes_too_late(house: House) -> None:
    """Also when the move puts the next question to the same seat."""
    match_id = match_with_absent_bob(house, "niigata")
    play_until_bob_is_asked(house, match_id)
    move, seated = while_committing(
        house, job_that_answers(house, match_id, 1, 0), job_that_takes_over(house, match_id)
    )
    assert isinstance(move, Receipt)
    assert isinstance(seated, Gone)
    assert not has_charlie_the_seat(house, match_id)
    check_match(house, match_id)


@pytest.mark.long
def test_during_a_takeover_the_clock_answers_or_the_newcomer_is_asked(house: House) -> None:
    for _ in range(ROUNDS):
        match_id = match_with_absent_bob(house, "niigata")
        play_until_bob_is_asked(house, match_id)
        (ask,) = [one for one in house.asks(match_id) if one.seat == 1]
        expire = partial(timeouts.answer_expired_ask, house.site, match_id, ask.key, 1)
        played, _ = at_once(expire, job_that_takes_over(house, match_id))
        assert has_charlie_the_seat(house, match_id)
        assert bool(played) != (ask.key in [one.key for one in house.asks(match_id)])
        assert timeouts.sweep_deadlines(house.site) == 0, "the clock does not answer for the newcomer"
        check_match(house, match_id)


@pytest.mark.long
def test_a_newcomer_gets_no_orders_that_the_owner_saves_in_a_takeover(house: House) -> None:
    for _ in range(ROUNDS):
        match_id = match_with_absent_bob(house, "hagakure")
        former, version = claim_of(house.site, match_id, 1), house.view(match_id, None).sheet.version
        save = partial(ordering.save_orders, house.site, former, version, [NONE], "api")
        saved, seated = at_once(save, job_that_takes_over(house, match_id))
        if has_charlie_the_seat(house, match_id):
            assert isinstance(saved, Unauthorized)
            assert ordering.read_orders(house.site, claim_of(house.site, match_id, 1)).orders == ()
        else:
            assert isinstance(saved, ordering.Ordered), "whoever saves orders is here"
            assert isinstance(seated, Gone)
        check_match(house, match_id)


@pytest.mark.long
def test_orders_of_another_seat_saved_in_a_takeover_stand_or_are_stale(house: House) -> None:
    for _ in range(ROUNDS):
        match_id = match_bob_has_left(house, "hagakure")
        seat = next(seat for seat in (0, 2) if seat not in [ask.seat for ask in house.asks(match_id)])
        claim, version = claim_of(house.site, match_id, seat), house.view(match_id, None).sheet.version
        save = partial(ordering.save_orders, house.site, claim, version, [NONE], "api")
        saved, seated = at_once(save, job_that_takes_over(house, match_id))
        assert seated == (match_id, 1)
        assert has_charlie_the_seat(house, match_id)
        assert isinstance(saved, ordering.Ordered | Stale)
        kept = ordering.read_orders(house.site, claim).orders
        assert len(kept) == isinstance(saved, ordering.Ordered)
        check_match(house, match_id)


@pytest.mark.long
def test_a_take_back_and_a_takeover_at_once_both_succeed(house: House) -> None:
    """Nobody has learned anything from it, no matter who sits there."""
    for _ in range(ROUNDS):
        match_id = match_bob_has_left(house, "niigata")
        mover, to = house.asks(match_id)[0].seat, house.view(match_id, None).sheet.version
        house.play(match_id, mover)
        back, seated = at_once(
            partial(takeback.take_back, house.site, claim_of(house.site, match_id, mover), to),
            job_that_takes_over(house, match_id),
        )
        assert seated == (match_id, 1)
        assert has_charlie_the_seat(house, match_id)
        assert isinstance(back, TakenBack)
        assert back.done
        assert [ask.seat for ask in house.asks(match_id)] == [mover]
        check_match(house, match_id)


def consent_wanted(house: House) -> tuple[str, int, int]:
    """A match that Bob has left, in which somebody may take back with consent; the match, who, and up to where."""
    match_id = match_bob_has_left(house, "niigata")
    while True:
        house.play(match_id, house.asks(match_id)[0].seat)
        timeouts.sweep_deadlines(house.site)
        for seat in (0, 2):
            found = takeback.read_takeback(house.site, claim_of(house.site, match_id, seat)).reversible
            if found.state == "consent":
                assert found.to is not None
                return match_id, seat, found.to


@pytest.mark.long
def test_a_request_to_take_back_ends_when_a_substitute_takes_a_seat(house: House) -> None:
    """The player who sits there now has not been asked."""
    match_id, mover, to = consent_wanted(house)
    other = 2 - mover
    takeback.take_back(house.site, claim_of(house.site, match_id, mover), to)
    assert open_seat(house, match_id) == mover
    job_that_takes_over(house, match_id)()
    assert open_seat(house, match_id) is None
    with pytest.raises(Stale):
        takeback.answer_takeback_request(house.site, claim_of(house.site, match_id, other), to, agree=True)
    after = takeback.read_takeback(house.site, claim_of(house.site, match_id, mover)).reversible
    assert (after.state, after.reason) == ("no", "asked_before")


@pytest.mark.long
def test_a_request_made_in_a_takeover_ends_or_asks_the_newcomer_too(house: House) -> None:
    for _ in range(ROUNDS):
        match_id, mover, to = consent_wanted(house)
        ask = partial(takeback.take_back, house.site, claim_of(house.site, match_id, mover), to)
        asked, seated = at_once(ask, job_that_takes_over(house, match_id))
        assert seated == (match_id, 1)
        assert isinstance(asked, TakenBack)
        assert (open_seat(house, match_id) == mover) == (1 in asked.reversible.needed)
        check_match(house, match_id)


@pytest.mark.long
def test_the_last_consent_in_a_takeover_takes_back_or_comes_too_late(house: House) -> None:
    for _ in range(ROUNDS):
        match_id, mover, to = consent_wanted(house)
        takeback.take_back(house.site, claim_of(house.site, match_id, mover), to)
        other = claim_of(house.site, match_id, 2 - mover)
        agree = partial(takeback.answer_takeback_request, house.site, other, to, agree=True)
        agreed, seated = at_once(agree, job_that_takes_over(house, match_id))
        assert seated == (match_id, 1)
        assert isinstance(agreed, Stale) or (isinstance(agreed, TakenBack) and agreed.done)
        assert open_seat(house, match_id) is None
        check_match(house, match_id)
