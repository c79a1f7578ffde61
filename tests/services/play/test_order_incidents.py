"""What others in this field got wrong with orders, each as a test; the tracker and number of each stands beside it."""

from __future__ import annotations

from typing import Any

import pytest
from sqlmodel import col, select

from pbem.errors import Gone, Illegal, Stale
from pbem.kit.codec import plain
from pbem.kit.contract import Order
from pbem.models.tables import OrderRow, OutboxRow
from pbem.services.play import moves, ordering
from pbem.services.views import match_views
from tests.table import House, claim_of

NONE = "always nobori: none"


def save_orders_of(house: House, match_id: str, seat: int, *said: Any) -> ordering.Ordered:
    version = house.view(match_id, seat).sheet.version
    return ordering.save_orders(house.site, claim_of(house.site, match_id, seat), version, said, "api")


def standing_orders(house: House, match_id: str, seat: int) -> tuple[Order, ...]:
    return ordering.read_orders(house.site, claim_of(house.site, match_id, seat)).orders


def news_of_orders(house: House, match_id: str, seat: int) -> tuple[ordering.Told, ...]:
    return ordering.read_orders(house.site, claim_of(house.site, match_id, seat)).news


def first_of(house: House, match_id: str) -> int:
    """The seat that is asked first."""
    return house.asks(match_id)[0].seat


def play_while(house: House, match_id: str, kind: str) -> None:
    """Plays by hand as long as this is asked."""
    while house.asks(match_id) and house.asks(match_id)[0].kind == kind:
        house.play(match_id, first_of(house, match_id))


def match_of_hagakure(house: House) -> tuple[str, int]:
    """A match of Hagakure, and the seat that plays second."""
    match_id = house.begin(3, "hagakure")
    return match_id, (first_of(house, match_id) + 1) % 3


@pytest.mark.sample(1)
@pytest.mark.parametrize("guard", ["raised", "trickless", "last"])
def test_events_before_an_order_was_made_do_not_end_it(house: House, guard: str) -> None:
    """18xx.games #5215, #4427: a pass was switched off by what its owner had seen when they set it."""
    match_id, seat = match_of_hagakure(house)
    save_orders_of(house, match_id, seat, NONE + " for match", "lowest for match")
    play_while(house, match_id, "nobori")
    save_orders_of(house, match_id, seat, "lowest for match", f"lowest for match ask if {guard}")
    house.play(match_id, first_of(house, match_id))
    assert [one.kind for one in news_of_orders(house, match_id, seat) if one.why is None] == ["card"]


def test_an_order_for_a_round_does_not_answer_in_the_next(house: House) -> None:
    """18xx.games #5344, #6529: a pass outlived its round and ate the next one."""
    match_id, seat = match_of_hagakure(house)
    save_orders_of(house, match_id, seat, NONE)
    play_while(house, match_id, "nobori")
    play_while(house, match_id, "card")
    assert house.asks(match_id)[0].kind == "nobori", "the next round has begun"
    assert standing_orders(house, match_id, seat) == ()
    for _ in range(3):
        if first_of(house, match_id) == seat:
            break
        house.play(match_id, first_of(house, match_id))
    assert first_of(house, match_id) == seat, "its owner is asked"


def test_a_failing_order_asks_its_owner_instead_of_playing_another_move(house: House) -> None:
    """18xx.games #9316: "buy until …" passed when the purchase failed."""
    match_id, seat = match_of_hagakure(house)
    foreign = plain(house.view(match_id, first_of(house, match_id)).legal()[0])
    assert foreign is not None
    other = house.view(match_id, (seat + 1) % 3).fold.hands[(seat + 1) % 3][0]
    never = {"type": "Always", "kind": "card", "move": {"type": "Play", "card": other}}
    save_orders_of(house, match_id, seat, NONE, never)
    play_while(house, match_id, "nobori")
    house.play(match_id, first_of(house, match_id))
    assert house.asks(match_id)[0].seat == seat, "its owner is asked, and nothing was played for them"
    assert [one.kind for one in news_of_orders(house, match_id, seat) if one.why is not None] == ["card"]


def test_no_log_or_export_of_a_match_contains_a_seats_orders(house: House) -> None:
    """18xx.games #6584: a copy of a match showed a rival's orders."""
    match_id, seat = match_of_hagakure(house)
    save_orders_of(house, match_id, seat, NONE + " for match", "lowest for match")
    for viewer in (None, 0, 1, 2):
        log = match_views.read_log(house.site, match_id, viewer)
        found = {name: getattr(log, name) for name in log.__struct_fields__}
        text = str({name: value for name, value in found.items() if name != "game"})
        assert "lowest" not in text.lower()
        assert "Always" not in text


def test_a_never_legal_order_is_refused_when_it_is_saved(house: House) -> None:
    """lichess lila #1578: for ten years orders were accepted that could never run."""
    match_id, seat = match_of_hagakure(house)
    foreign = house.view(match_id, (seat + 1) % 3).fold.hands[(seat + 1) % 3][0]
    save_orders_of(house, match_id, seat, NONE)
    play_while(house, match_id, "nobori")
    house.play(match_id, first_of(house, match_id))
    with pytest.raises(Illegal) as refused:
        save_orders_of(house, match_id, seat, {
            "type": "Always", "kind": "card", "scope": "question", "move": {"type": "Play", "card": foreign},
        })  # fmt: skip
    assert refused.value.extra["rule"]
    assert [one.scope for one in standing_orders(house, match_id, seat)] == ["round"], "only the one before stands"


@pytest.mark.long
def test_a_question_that_an_order_answered_sends_no_mail_or_notice(house: House) -> None:
    """lichess lila #2453: a notice for each move that a premove had answered; boardgamers: "your turn" a beat early.

    Notices to devices leave by the same rows as the mails, so their rows must be found stale.
    """
    match_id, seat = match_of_hagakure(house)
    house.drain()
    save_orders_of(house, match_id, seat, NONE + " for match", "lowest for match")
    play_while(house, match_id, "nobori")
    house.play(match_id, first_of(house, match_id))
    house.clock.forward(hours=1)
    house.drain()
    with house.site.reading() as session:
        query = select(OutboxRow.result).where(col(OutboxRow.kind) == "turn", col(OutboxRow.seat) == seat)
        assert {*session.exec(query)} <= {"stale"}


def test_the_orders_returned_after_saving_are_those_in_the_database(house: House) -> None:
    """lichobile #2370: an app showed orders that the server had never stored."""
    match_id, seat = match_of_hagakure(house)
    saved = save_orders_of(house, match_id, seat, NONE + " for match", "lowest ask if raised, last")
    with house.site.reading() as session:
        assert session.get(OrderRow, (match_id, seat)) is not None
    assert saved.orders == standing_orders(house, match_id, seat)
    assert len(saved.orders) == 2


@pytest.mark.long
def test_every_answer_of_a_list_can_be_played_not_the_first_alone(house: House) -> None:
    """OGS #1148: of a line of answers only the first was ever played."""
    match_id, seat = match_of_hagakure(house)
    hand = sorted(house.view(match_id, seat).fold.hands[seat])
    cards = [{"type": "Play", "card": card} for card in hand]
    listed = {"type": "Prefer", "kind": "card", "moves": cards}
    save_orders_of(house, match_id, seat, NONE, listed)
    play_while(house, match_id, "nobori")
    for _ in range(3 * len(hand)):
        if house.asks(match_id)[0].kind != "card":
            break
        house.play(match_id, first_of(house, match_id))
    answered = [one for one in news_of_orders(house, match_id, seat) if one.kind == "card" and one.why is None]
    assert len(answered) >= len(hand) - 1, "a hand's last card is sometimes played by itself"


@pytest.mark.long
def test_an_order_just_after_a_change_of_turn_is_refused_or_runs_at_once(house: House) -> None:
    """playhex #160: an order that arrived just after the turn had changed was stored and never ran."""
    match_id, seat = match_of_hagakure(house)
    claim, version = claim_of(house.site, match_id, seat), house.view(match_id, seat).sheet.version
    house.play(match_id, first_of(house, match_id))
    assert first_of(house, match_id) == seat
    with pytest.raises(Stale):
        ordering.save_orders(house.site, claim, version, [NONE], "api")
    assert save_orders_of(house, match_id, seat, NONE).answered == 1


@pytest.mark.long
def test_an_order_waits_for_the_kind_of_question_it_was_made_for(house: House) -> None:
    """boardgamers: an order was burnt on a question that it was not made for."""
    match_id, seat = match_of_hagakure(house)
    save_orders_of(house, match_id, seat, "lowest for question")
    play_while(house, match_id, "nobori")
    assert len(standing_orders(house, match_id, seat)) == 1
    house.play(match_id, first_of(house, match_id))
    assert standing_orders(house, match_id, seat) == ()
    assert [one.kind for one in news_of_orders(house, match_id, seat)] == ["card"]


@pytest.mark.long
def test_orders_are_deleted_when_their_match_ends(house: House) -> None:
    """Nothing is saved for what is over, and what stood there answers nothing in a rematch."""
    match_id = house.begin(2, "niigata")
    save_orders_of(house, match_id, 0, "breeder least 4 for match")
    house.play_out(match_id)
    assert standing_orders(house, match_id, 0) == ()
    with pytest.raises(Gone):
        save_orders_of(house, match_id, 0)


@pytest.mark.long
def test_a_move_like_the_one_its_order_just_played_counts_as_repeated(house: House) -> None:
    """The order plays when it is saved; the hand that comes later learns that the question is answered."""
    match_id, _ = match_of_hagakure(house)
    seat = first_of(house, match_id)
    view = house.view(match_id, seat)
    assert view.ask is not None
    assert save_orders_of(house, match_id, seat, NONE).answered == 1
    repeated = moves.play_answer(
        house.site, claim_of(house.site, match_id, seat), view.ask.key, {"type": "Keep"}, "web"
    )
    assert repeated.repeated
    version = house.view(match_id, seat).sheet.version
    assert repeated.version <= version
