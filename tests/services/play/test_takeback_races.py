"""Take back against a move, the clock, a bot, a mail, an order and another take-back, in threads."""

from functools import partial

import pytest
from sqlmodel import col, select

from pbem.errors import Gone, Problem, Stale
from pbem.kit.replay import Undone, effective
from pbem.models.tables import AskRow, OutboxRow
from pbem.services.log import rebuilding
from pbem.services.mail import sender
from pbem.services.play import ordering, takeback, timeouts
from pbem.services.play.moves import Receipt
from pbem.services.play.takeback import TakenBack
from tests.services.play.test_races import answers, at_once
from tests.table import CAST, House, Outgoing, address_of, claim_of

pytestmark = pytest.mark.both


def played(house: House) -> tuple[str, int, int]:
    """A match of Niigata in which a move that is free was just made; the match, who made it, and the version before."""
    match_id = house.begin(3, "niigata")
    house.drain()
    while True:
        mover, before = house.asked(match_id)[0].seat, house.view(match_id, None).sheet.version
        house.play(match_id, mover)
        found = takeback.read_takeback(house.site, claim_of(house.site, match_id, mover)).reversible
        if house.asked(match_id)[0].seat != mover and found.state == "free":
            return match_id, mover, before


def check(house: House, match_id: str) -> None:
    """The projections agree with the log, the chain holds, and nobody has two open questions."""
    with house.site.reading() as session:
        assert [*rebuilding.differences(session)] == []
        assert [*rebuilding.broken_chains(session)] == []
        rows = session.exec(select(AskRow).where(col(AskRow.match_id) == match_id)).all()
    asked = [row.seat for row in rows if row.closed_at is None]
    assert len(asked) == len(set(asked))


def take(house: House, match_id: str, seat: int, to: int) -> partial[TakenBack]:
    return partial(takeback.take_back, house.site, claim_of(house.site, match_id, seat), to)


def test_of_taking_back_and_the_next_move_one_goes_in(house: House) -> None:
    for _ in range(6):
        match_id, mover, before = played(house)
        other = house.asked(match_id)[0].seat
        back, move = at_once(take(house, match_id, mover, before), answers(house, match_id, other, 0))
        assert isinstance(move, Receipt | Stale)
        assert is_done(back) == isinstance(move, Stale), "once the other has played, they have to agree"
        check(house, match_id)


def test_of_taking_back_twice_at_once_one_goes_in(house: House) -> None:
    for _ in range(6):
        match_id, mover, before = played(house)
        job = take(house, match_id, mover, before)
        results = at_once(job, job)
        assert sum(isinstance(one, TakenBack) and one.done for one in results) == 1
        assert sum(isinstance(one, Problem) for one in results) == 1
        undone = [entry for entry in house.view(match_id, None).entries if isinstance(entry.event, Undone)]
        assert len(undone) == 1
        check(house, match_id)


def test_of_taking_back_and_the_clock_one_goes_in(house: House) -> None:
    for _ in range(6):
        match_id, mover, before = played(house)
        ask = house.asked(match_id)[0]
        house.time_is_up(match_id)
        expire = partial(timeouts.expire, house.site, match_id, ask.key, ask.seat)
        back, clock = at_once(take(house, match_id, mover, before), expire)
        assert is_done(back) != bool(clock)
        check(house, match_id)


def is_done(back: object) -> bool:
    """Whether it was taken back; else the others are asked, or luck has spoken."""
    assert isinstance(back, TakenBack | Gone)
    return isinstance(back, TakenBack) and back.done


def kept(post: Outgoing) -> Outgoing:
    return post


def test_whoever_is_mailed_about_a_question_that_was_taken_back_is_told_so(house: House) -> None:
    for _ in range(6):
        match_id, mover, before = played(house)
        ask, post = house.asked(match_id)[0], Outgoing()
        other = ask.seat
        drain = partial(sender.drain, house.site, partial(kept, post))
        assert is_done(at_once(take(house, match_id, mover, before), drain)[0])
        house.clock.forward(minutes=10)
        drain()
        told = [str(one.get_body(("plain",))) for one in post.to(address_of(CAST[other]))]
        notices = sum("has taken back a move" in one or "a repris un coup" in one for one in told)
        with house.site.reading() as session:
            turn = session.exec(select(OutboxRow).where(col(OutboxRow.key) == ask.origin, col(OutboxRow.seat) == other))
            results = {row.kind: row.result for row in turn if row.match_id == match_id}
        assert (results["turn"] == "sent") == (notices == 1), results
        check(house, match_id)


def test_an_order_saved_while_a_move_is_taken_back_stands_or_is_late(house: House) -> None:
    keep = {"type": "Always", "kind": "nobori", "move": {"type": "Keep"}, "scope": "match"}
    for _ in range(6):
        match_id = house.begin(4, "hagakure")
        mover, before = house.asked(match_id)[0].seat, house.view(match_id, None).sheet.version
        house.play(match_id, mover)
        version, other = house.view(match_id, None).sheet.version, (mover + 2) % 4
        save = partial(ordering.save_orders, house.site, claim_of(house.site, match_id, other), version, [keep], "api")
        back, saved = at_once(take(house, match_id, mover, before), save)
        assert isinstance(back, TakenBack)
        assert back.done
        assert ordering.read_orders(house.site, claim_of(house.site, match_id, other)).orders == ()
        assert isinstance(saved, Stale | ordering.Ordered)
        check(house, match_id)


def test_of_two_last_consents_at_once_one_takes_it_back(house: House) -> None:
    for at in range(40):
        match_id = house.begin(3)
        for seat in range(3):
            house.play(match_id, seat)
        mover, before = house.asked(match_id)[0].seat, house.view(match_id, None).sheet.version
        house.play(match_id, mover, at)
        if [ask.kind for ask in house.asked(match_id)] != ["answer"]:
            continue
        take(house, match_id, mover, before)()
        give = [
            partial(takeback.give_consent, house.site, claim_of(house.site, match_id, seat), before, agree=True)
            for seat in range(3)
            if seat != mover
        ]
        assert sum(isinstance(one, TakenBack) and one.done for one in at_once(*give)) == 1
        entries = house.view(match_id, None).entries
        assert len(effective(entries)) == before + 1
        check(house, match_id)
        return
    raise AssertionError("no call that anybody has to answer")
