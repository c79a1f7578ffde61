"""Orders: what a seat has said beforehand is played as soon as it is asked, by the same path as a hand."""

from __future__ import annotations

from typing import Any

import pytest

from pbem.errors import Gone, Illegal, Invalid, Stale, Unauthorized
from pbem.kit.codec import plain
from pbem.kit.replay import Absent
from pbem.models.tables import OrderRow
from pbem.services.play import ordering, orders, presence
from pbem.services.play.moves import Receipt
from tests.table import House, claim_of

MATCH = {"scope": "match"}


def none(**more: Any) -> dict[str, Any]:
    """An order for Hagakure: no Nobori."""
    return {"type": "Always", "kind": "nobori", "move": {"type": "Keep"}} | more


def cards(house: House, match_id: str, seat: int, **more: Any) -> dict[str, Any]:
    """An order for Hagakure: the first card of the seat's hand, from the left, that may be played."""
    hand = [plain(move) for move in house.view(match_id, seat).fold.hands[seat]]
    return {"type": "Prefer", "kind": "card", "moves": [{"type": "Play", "card": card} for card in hand]} | more


def save(house: House, match_id: str, seat: int, *said: dict[str, Any]) -> ordering.Ordered:
    version = house.view(match_id, seat).sheet.version
    return ordering.save_orders(house.site, claim_of(house.site, match_id, seat), version, said, "api")


def asked(house: House, match_id: str) -> list[tuple[int, str]]:
    """Who is asked, and what."""
    return [(ask.seat, ask.kind) for ask in house.asked(match_id)]


def row(house: House, match_id: str, seat: int) -> OrderRow | None:
    with house.site.reading() as session:
        return session.get(OrderRow, (match_id, seat))


@pytest.mark.both
def test_what_a_seat_is_asked_is_answered_in_the_transaction_that_asks_it(house: House) -> None:
    match_id = house.begin(3, "hagakure")
    (first, _), *_ = asked(house, match_id)
    following = (first + 1) % 3
    save(house, match_id, following, none(**MATCH), cards(house, match_id, following, **MATCH))
    house.play(match_id, first)
    while asked(house, match_id)[0][0] == first:
        house.play(match_id, first)
    assert asked(house, match_id)[0][0] == (first + 2) % 3, "the seat between has answered"
    entries = house.view(match_id, following).entries
    assert {entry.by.via for entry in entries if entry.by.seat == following} == {"api"}


def test_the_movers_receipt_ends_with_their_own_move(house: House) -> None:
    match_id = house.begin(3, "hagakure")
    (first, _), *_ = asked(house, match_id)
    following = (first + 1) % 3
    save(house, match_id, following, none(**MATCH), cards(house, match_id, following, **MATCH))
    receipts: list[Receipt] = []
    while not receipts or asked(house, match_id)[0][0] == first:
        receipts.append(house.play(match_id, first))
    assert {entry.by.seat for entry in receipts[-1].entries} == {first}
    assert house.view(match_id, first).sheet.version > receipts[-1].version
    heads = [receipt.told.head for receipt in receipts]
    assert receipts[-1].told.base == (heads[-2] if len(heads) > 1 else receipts[-1].told.base)


def test_the_log_is_the_one_that_hands_would_have_written_but_for_its_times(house: House) -> None:
    match_id = house.begin(3, "hagakure")
    for seat in range(3):
        save(house, match_id, seat, none(**MATCH))
    (first, _), *_ = asked(house, match_id)
    house.play(match_id, first)
    entries = house.view(match_id, None).entries
    assert all(entry.by.seat is not None for entry in entries if entry.key is not None)
    assert not any("order" in str(type(entry.event)).lower() for entry in entries)


def test_orders_for_a_question_that_is_open_play_at_once_and_say_so(house: House) -> None:
    match_id = house.begin(3, "hagakure")
    (first, kind), *_ = asked(house, match_id)
    assert kind == "nobori"
    done = save(house, match_id, first, none())
    assert done.answered == 1
    assert done.version > 1
    assert (first, "nobori") not in asked(house, match_id)


def test_orders_made_at_an_earlier_position_are_not_saved_and_the_news_are_told(house: House) -> None:
    match_id = house.begin(3, "hagakure")
    (first, _), *_ = asked(house, match_id)
    other, version = (first + 1) % 3, house.view(match_id, 0).sheet.version
    house.play(match_id, first)
    with pytest.raises(Stale) as caught:
        ordering.save_orders(house.site, claim_of(house.site, match_id, other), version, [none()], "api")
    told = caught.value.extra
    assert told["version"] == house.view(match_id, 0).sheet.version
    assert [entry["n"] for entry in told["events"]] == [*range(version + 1, told["version"] + 1)]
    assert row(house, match_id, other) is None


def test_stopped_orders_answer_nothing(house: House) -> None:
    match_id = house.begin(3, "hagakure")
    (first, _), *_ = asked(house, match_id)
    following = (first + 1) % 3
    save(house, match_id, following, none(**MATCH), cards(house, match_id, following, **MATCH))
    assert ordering.read_orders(house.site, claim_of(house.site, match_id, following)).orders
    ordering.stop_orders(house.site, claim_of(house.site, match_id, following))
    ordering.stop_orders(house.site, claim_of(house.site, match_id, following))
    assert ordering.read_orders(house.site, claim_of(house.site, match_id, following)).orders == ()
    while asked(house, match_id)[0][0] == first:
        house.play(match_id, first)
    assert asked(house, match_id)[0][0] == following


def test_an_empty_list_stops_all_orders(house: House) -> None:
    match_id = house.begin(3, "hagakure")
    (first, _), *_ = asked(house, match_id)
    save(house, match_id, (first + 1) % 3, none())
    save(house, match_id, (first + 1) % 3)
    assert row(house, match_id, (first + 1) % 3) is None


def test_what_cannot_be_followed_is_left_to_the_hand(house: House) -> None:
    match_id = house.begin(3, "hagakure")
    (first, _), *_ = asked(house, match_id)
    following = (first + 1) % 3
    elsewhere = cards(house, match_id, first)["moves"]
    save(house, match_id, following, none(**MATCH), {"type": "Prefer", "kind": "card", "moves": elsewhere} | MATCH)
    while asked(house, match_id)[0][0] != following:
        house.play(match_id, asked(house, match_id)[0][0])
    assert asked(house, match_id)[0] == (following, "card")


def test_whoever_is_absent_or_was_replaced_has_no_orders_any_more(house: House) -> None:
    match_id = house.begin(3, "hagakure")
    (first, _), *_ = asked(house, match_id)
    following = (first + 1) % 3
    save(house, match_id, following, none(**MATCH), cards(house, match_id, following, **MATCH))
    presence.resign(house.site, claim_of(house.site, match_id, following))
    while asked(house, match_id)[0][0] == first:
        house.play(match_id, first)
    assert row(house, match_id, following) is None
    assert not any(isinstance(entry.event, Absent) for entry in house.view(match_id, None).entries)


def test_after_twenty_answers_in_a_row_orders_end_and_a_hand_lets_them_go_on(house: House) -> None:
    match_id = house.begin(3, "hagakure")
    (first, _), *_ = asked(house, match_id)
    following = (first + 1) % 3
    save(house, match_id, following, none(**MATCH), cards(house, match_id, following, **MATCH))
    kept = row(house, match_id, following)
    assert kept is not None
    with house.site.writing() as work:
        one = work.get_one(OrderRow, (match_id, following))
        one.answered = orders.IN_A_ROW
        work.add(one)
    while asked(house, match_id)[0][0] == first:
        house.play(match_id, first)
    assert asked(house, match_id)[0][0] == following
    assert row(house, match_id, following) is None


@pytest.mark.parametrize(
    ("said", "error"),
    [
        ({"type": "Nothing"}, Invalid),
        ({"type": "Always", "kind": "nobori"}, Invalid),
        (none(kind="chess"), Illegal),
        (none(kind="card"), Illegal),
        (none(scope="for ever"), Invalid),
        (none(ask_if=["moon"]), Illegal),
    ],
)
def test_an_order_that_does_not_fit_is_refused_and_those_before_stand(
    house: House, said: dict[str, Any], error: type[Exception]
) -> None:
    match_id = house.begin(3, "hagakure")
    (first, _), *_ = asked(house, match_id)
    other = (first + 1) % 3
    save(house, match_id, other, none())
    with pytest.raises(error):
        save(house, match_id, other, none(), said)
    assert len(ordering.read_orders(house.site, claim_of(house.site, match_id, other)).orders) == 1


def test_an_order_for_a_window_answers_every_case(house: House) -> None:
    match_id = house.begin(3, "allegeance")
    challenge, let_pass = (
        {"type": "Always", "kind": "answer", "move": {"type": name}} for name in ("Challenge", "LetPass")
    )
    save(house, match_id, 0, challenge)
    save(house, match_id, 0, let_pass)
    with pytest.raises(Illegal):
        save(house, match_id, 0, let_pass | {"ask_if": ["few"]})
    assert row(house, match_id, 0) is not None


def test_only_the_seats_owner_reads_or_changes_its_orders(house: House) -> None:
    match_id = house.begin(3, "hagakure")
    other = house.claim("play", match_id, 1, epoch=7)
    for use in (
        lambda: ordering.read_orders(house.site, other),
        lambda: ordering.stop_orders(house.site, other),
        lambda: ordering.save_orders(house.site, other, 0, [], "api"),
    ):
        with pytest.raises(Unauthorized):
            use()


def test_a_match_that_is_over_takes_no_orders(house: House) -> None:
    match_id = house.begin(3)
    house.play_out(match_id)
    with pytest.raises(Gone):
        save(house, match_id, 0)
