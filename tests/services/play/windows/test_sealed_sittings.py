"""A sitting that begins in a silent window: the answer is sealed, and what follows it is ordered."""

from __future__ import annotations

from typing import Any

import pytest

from pbem.kit.codec import plain
from pbem.kit.orders.typed import format_order
from pbem.services.play import moves, ordering
from pbem.services.play.moves import Part, Receipt
from tests.table import House, claim_of
from tests.windows import answer_window, answers_told, begin_silent, pass_floor

PASS = {"type": "LetPass"}


def announcement_of(card: str) -> dict[str, Any]:
    """The announcement of a card."""
    return {"type": "Announce", "card": card}


def pass_and_announce(house: House, match_id: str, seat: int, *then: Any) -> Receipt:
    """Lets the announcement pass, with what follows."""
    view = house.view(match_id, seat)
    assert view.ask is not None
    claim = claim_of(house.site, match_id, seat)
    return moves.play_answer(house.site, claim, view.ask.key, PASS, "api", then=[Part(one) for one in then])


def test_an_announcement_sent_with_an_answer_is_played_after_the_window(house: House) -> None:
    match_id = begin_silent(house, 3)
    before = house.view(match_id, None).sheet.version
    asked = [ask.seat for ask in house.asks(match_id)]
    for seat in asked:
        receipt = pass_and_announce(house, match_id, seat, announcement_of("T4"))
        assert [(one.kind, one.outcome) for one in receipt.parts] == [("answer", "sealed"), ("announce", "ordered")]
        assert receipt.version == before
    pass_floor(house, match_id)
    told = answers_told(house, match_id, before)
    assert [name for name, _ in told].count("Announced") == 1
    (announcer,) = (seat for name, seat in told if name == "Announced")
    assert announcer in asked
    left = {seat: ordering.read_orders(house.site, claim_of(house.site, match_id, seat)).orders for seat in asked}
    assert left[announcer or 0] == ()
    assert all(orders == () for orders in left.values()), "whoever is not asked after this window has ordered nothing"


@pytest.mark.long
def test_replacing_a_sealed_answer_replaces_its_announcement_too(house: House) -> None:
    match_id = begin_silent(house, 3)
    seat, *_ = (ask.seat for ask in house.asks(match_id))
    first, second = announcement_of("F1"), announcement_of("M2")
    pass_and_announce(house, match_id, seat, first)
    again = pass_and_announce(house, match_id, seat, second)
    assert (again.repeated, again.sealed) == (True, True)
    (order,) = ordering.read_orders(house.site, claim_of(house.site, match_id, seat)).orders
    assert plain(order)["move"] == second


@pytest.mark.long
def test_an_answer_is_sealed_even_with_an_illegal_announcement(house: House) -> None:
    match_id = begin_silent(house, 3)
    seat, other, *_ = (ask.seat for ask in house.asks(match_id))
    receipt = pass_and_announce(
        house, match_id, seat, {"type": "Announce", "card": "F1"}, {"type": "Give", "seat": other}
    )
    assert receipt.parts[0].outcome == "sealed"
    assert receipt.sealed
    answer_window(house, match_id, other)
    assert {ask.seat for ask in house.asks(match_id)} >= {seat, other}, "nobody can tell"


def test_replacing_a_sealed_answer_alone_deletes_its_ordered_announcement(house: House) -> None:
    match_id = begin_silent(house, 3)
    seat, *_ = (ask.seat for ask in house.asks(match_id))
    pass_and_announce(house, match_id, seat, announcement_of("T4"))
    answer_window(house, match_id, seat, challenge=True)
    assert ordering.read_orders(house.site, claim_of(house.site, match_id, seat)).orders == ()


def test_saving_orders_again_keeps_them_tied_to_their_sealed_answer(
    house: House,
) -> None:
    match_id = begin_silent(house, 3)
    seat, *_ = (ask.seat for ask in house.asks(match_id))
    pass_and_announce(house, match_id, seat, announcement_of("F1"))
    claim = claim_of(house.site, match_id, seat)
    before = ordering.read_orders(house.site, claim)
    (order,) = before.orders
    ordering.save_orders(house.site, claim, before.version, [plain(order)], "api")
    assert ordering.read_orders(house.site, claim).orders == (order,)
    pass_and_announce(house, match_id, seat)
    assert ordering.read_orders(house.site, claim).orders == ()


@pytest.mark.long
def test_the_news_omit_an_answer_of_an_order_that_was_changed_by_hand(house: House) -> None:
    match_id = begin_silent(house, 3)
    seat, *_ = (ask.seat for ask in house.asks(match_id))
    claim, version = claim_of(house.site, match_id, seat), house.view(match_id, seat).sheet.version
    ordering.save_orders(house.site, claim, version, ["answer: pass for question"], "api")
    answer_window(house, match_id, seat, challenge=True)
    for other in (ask.seat for ask in house.asks(match_id)):
        if other != seat:
            answer_window(house, match_id, other)
    pass_floor(house, match_id)
    assert ordering.read_orders(house.site, claim).news == ()


def test_orders_sent_with_a_sealed_answer_are_kept_beside_its_announcement(house: House) -> None:
    match_id = begin_silent(house, 3)
    seat, *_ = (ask.seat for ask in house.asks(match_id))
    view, claim = house.view(match_id, seat), claim_of(house.site, match_id, seat)
    assert view.ask is not None
    then, ordered = [Part(announcement_of("T4"))], ["always answer: pass", "announce: announce M2 for question"]
    moves.play_answer(house.site, claim, view.ask.key, PASS, "api", then=then, ordered=ordered)
    found = ordering.read_orders(house.site, claim)
    said = [format_order(one, found.game) for one in found.orders]
    assert said == ["always announce: announce T4 for question", *ordered]
    answer_window(house, match_id, seat, challenge=True)
    left = ordering.read_orders(house.site, claim).orders
    assert [format_order(one, found.game) for one in left] == ordered, "what was ordered with the answer went with it"
