"""Orders: what a seat has said beforehand is played as soon as it is asked, by the same path as a hand."""

from __future__ import annotations

from typing import Any

import pytest

from pbem.errors import Gone, Illegal, Invalid, Stale, Unauthorized
from pbem.kit.contract import Order
from pbem.kit.replay import Absent
from pbem.models.tables import Match, OrderRow
from pbem.services.play import moves, ordering, orders, presence, timeouts
from pbem.services.play.moves import Receipt
from tests.harness.cases import cases
from tests.services.play.stage.orders import order_of_cards, order_of_no_nobori, save_orders_of, who_is_asked
from tests.table import House, address_of, claim_of

MATCH = {"scope": "match"}


def standing_orders(house: House, match_id: str, seat: int) -> tuple[Order, ...]:
    """The seat's orders, for its owner."""
    return ordering.read_orders(house.site, claim_of(house.site, match_id, seat)).orders


def news_of_orders(house: House, match_id: str, seat: int) -> tuple[ordering.Told, ...]:
    """What its orders have to tell."""
    return ordering.read_orders(house.site, claim_of(house.site, match_id, seat)).news


def row_of_orders(house: House, match_id: str, seat: int) -> OrderRow | None:
    with house.site.reading() as session:
        return session.get(OrderRow, (match_id, seat))


@pytest.mark.long
def test_orders_answer_for_their_seat_once_it_is_asked(house: House) -> None:
    match_id = house.begin(3, "hagakure")
    (first, _), *_ = who_is_asked(house, match_id)
    following = (first + 1) % 3
    save_orders_of(
        house, match_id, following, order_of_no_nobori(**MATCH), order_of_cards(house, match_id, following, **MATCH)
    )
    house.play(match_id, first)
    while who_is_asked(house, match_id)[0][0] == first:
        house.play(match_id, first)
    assert who_is_asked(house, match_id)[0][0] == (first + 2) % 3, "the seat between has answered"
    entries = house.view(match_id, following).entries
    assert {entry.by.via for entry in entries if entry.by.seat == following} == {"api"}


@pytest.mark.long
def test_the_movers_receipt_ends_with_their_own_move(house: House) -> None:
    match_id = house.begin(3, "hagakure")
    (first, _), *_ = who_is_asked(house, match_id)
    following = (first + 1) % 3
    save_orders_of(
        house, match_id, following, order_of_no_nobori(**MATCH), order_of_cards(house, match_id, following, **MATCH)
    )
    receipts: list[Receipt] = []
    while not receipts or who_is_asked(house, match_id)[0][0] == first:
        receipts.append(house.play(match_id, first))
    assert {entry.by.seat for entry in receipts[-1].told.entries} == {first}
    assert house.view(match_id, first).sheet.version > receipts[-1].version
    heads = [receipt.told.head for receipt in receipts]
    assert receipts[-1].told.base == (heads[-2] if len(heads) > 1 else receipts[-1].told.base)


@pytest.mark.long
def test_answers_of_orders_are_logged_as_moves_of_their_seats(house: House) -> None:
    match_id = house.begin(3, "hagakure")
    for seat in range(3):
        save_orders_of(house, match_id, seat, order_of_no_nobori(**MATCH))
    (first, _), *_ = who_is_asked(house, match_id)
    house.play(match_id, first)
    entries = house.view(match_id, None).entries
    assert all(entry.by.seat is not None for entry in entries if entry.key is not None)
    assert not any("order" in str(type(entry.event)).lower() for entry in entries)


@pytest.mark.long
def test_orders_for_a_question_that_is_open_play_at_once_and_say_so(house: House) -> None:
    match_id = house.begin(3, "hagakure")
    (first, kind), *_ = who_is_asked(house, match_id)
    assert kind == "nobori"
    done = save_orders_of(house, match_id, first, order_of_no_nobori())
    assert done.answered == 1
    assert done.version > 1
    assert (first, "nobori") not in who_is_asked(house, match_id)


def test_orders_from_an_earlier_position_are_refused_with_the_new_events(house: House) -> None:
    match_id = house.begin(3, "hagakure")
    (first, _), *_ = who_is_asked(house, match_id)
    other, version = (first + 1) % 3, house.view(match_id, 0).sheet.version
    house.play(match_id, first)
    with pytest.raises(Stale) as caught:
        ordering.save_orders(house.site, claim_of(house.site, match_id, other), version, [order_of_no_nobori()], "api")
    told = caught.value.extra
    assert told["version"] == house.view(match_id, 0).sheet.version
    assert [entry["n"] for entry in told["events"]] == [*range(version + 1, told["version"] + 1)]
    assert row_of_orders(house, match_id, other) is None


@pytest.mark.long
def test_stopped_orders_answer_nothing(house: House) -> None:
    match_id = house.begin(3, "hagakure")
    (first, _), *_ = who_is_asked(house, match_id)
    following = (first + 1) % 3
    save_orders_of(
        house, match_id, following, order_of_no_nobori(**MATCH), order_of_cards(house, match_id, following, **MATCH)
    )
    assert ordering.read_orders(house.site, claim_of(house.site, match_id, following)).orders
    ordering.stop_orders(house.site, claim_of(house.site, match_id, following))
    ordering.stop_orders(house.site, claim_of(house.site, match_id, following))
    assert ordering.read_orders(house.site, claim_of(house.site, match_id, following)).orders == ()
    while who_is_asked(house, match_id)[0][0] == first:
        house.play(match_id, first)
    assert who_is_asked(house, match_id)[0][0] == following


def test_an_empty_list_stops_all_orders(house: House) -> None:
    match_id = house.begin(3, "hagakure")
    (first, _), *_ = who_is_asked(house, match_id)
    save_orders_of(house, match_id, (first + 1) % 3, order_of_no_nobori())
    save_orders_of(house, match_id, (first + 1) % 3)
    assert row_of_orders(house, match_id, (first + 1) % 3) is None


@pytest.mark.long
def test_a_question_no_order_can_answer_is_left_to_its_owner(house: House) -> None:
    match_id = house.begin(3, "hagakure")
    (first, _), *_ = who_is_asked(house, match_id)
    following = (first + 1) % 3
    elsewhere = order_of_cards(house, match_id, first)["moves"]
    save_orders_of(
        house,
        match_id,
        following,
        order_of_no_nobori(**MATCH),
        {"type": "Prefer", "kind": "card", "moves": elsewhere} | MATCH,
    )
    while who_is_asked(house, match_id)[0][0] != following:
        house.play(match_id, who_is_asked(house, match_id)[0][0])
    assert who_is_asked(house, match_id)[0] == (following, "card")


def test_a_resigned_player_has_no_orders_any_more(house: House) -> None:
    match_id = house.begin(3, "hagakure")
    (first, _), *_ = who_is_asked(house, match_id)
    following = (first + 1) % 3
    save_orders_of(
        house, match_id, following, order_of_no_nobori(**MATCH), order_of_cards(house, match_id, following, **MATCH)
    )
    presence.resign(house.site, claim_of(house.site, match_id, following))
    while who_is_asked(house, match_id)[0][0] == first:
        house.play(match_id, first)
    assert row_of_orders(house, match_id, following) is None
    assert not any(isinstance(entry.event, Absent) for entry in house.view(match_id, None).entries)


def test_orders_end_after_twenty_answers_in_a_row(house: House) -> None:
    match_id = house.begin(3, "hagakure")
    (first, _), *_ = who_is_asked(house, match_id)
    following = (first + 1) % 3
    save_orders_of(
        house, match_id, following, order_of_no_nobori(**MATCH), order_of_cards(house, match_id, following, **MATCH)
    )
    kept = row_of_orders(house, match_id, following)
    assert kept is not None
    with house.site.writing() as work:
        one = work.get_one(OrderRow, (match_id, following))
        one.answered = orders.IN_A_ROW
        work.add(one)
    while who_is_asked(house, match_id)[0][0] == first:
        house.play(match_id, first)
    assert who_is_asked(house, match_id)[0][0] == following
    assert standing_orders(house, match_id, following) == ()
    (told,) = news_of_orders(house, match_id, following)
    assert told.why == orders.ENOUGH


def test_an_answer_by_hand_lets_orders_answer_twenty_times_more(house: House) -> None:
    match_id = house.begin(3, "hagakure")
    (first, _), *_ = who_is_asked(house, match_id)
    following = (first + 1) % 3
    save_orders_of(
        house, match_id, following, order_of_cards(house, match_id, following, **MATCH)
    )  # the Nobori is left to the hand
    with house.site.writing() as work:
        work.get_one(OrderRow, (match_id, following)).answered = orders.IN_A_ROW
    until_first_card(house, match_id)
    assert [(one.kind, one.why) for one in news_of_orders(house, match_id, following)] == [("card", None)]


@cases(
    "said, error",
    [
        ({"type": "Nothing"}, Invalid),
        ({"type": "Always", "kind": "nobori"}, Invalid),
        (order_of_no_nobori(kind="chess"), Illegal),
        (order_of_no_nobori(kind="card"), Illegal),
        (order_of_no_nobori(scope="for ever"), Invalid),
        (order_of_no_nobori(ask_if=["moon"]), Illegal),
    ],
)
def test_an_order_that_does_not_fit_is_refused_and_those_before_stand(
    house: House, said: dict[str, Any], error: type[Exception]
) -> None:
    match_id = house.begin(3, "hagakure")
    (first, _), *_ = who_is_asked(house, match_id)
    other = (first + 1) % 3
    save_orders_of(house, match_id, other, order_of_no_nobori())
    with pytest.raises(error):
        save_orders_of(house, match_id, other, order_of_no_nobori(), said)
    assert len(ordering.read_orders(house.site, claim_of(house.site, match_id, other)).orders) == 1


def test_an_order_for_a_window_may_have_no_condition_to_ask_its_owner(house: House) -> None:
    match_id = house.begin(3, "allegeance")
    challenge, let_pass = (
        {"type": "Always", "kind": "answer", "move": {"type": name}} for name in ("Challenge", "LetPass")
    )
    save_orders_of(house, match_id, 0, challenge)
    save_orders_of(house, match_id, 0, let_pass)
    with pytest.raises(Illegal):
        save_orders_of(house, match_id, 0, let_pass | {"ask_if": ["few"]})
    assert row_of_orders(house, match_id, 0) is not None


def test_only_the_seats_current_link_reads_or_changes_its_orders(house: House) -> None:
    match_id = house.begin(3, "hagakure")
    other = house.claim("play", match_id, 1, epoch=7)
    for use in (
        lambda: ordering.read_orders(house.site, other),
        lambda: ordering.stop_orders(house.site, other),
        lambda: ordering.save_orders(house.site, other, 0, [], "api"),
    ):
        with pytest.raises(Unauthorized):
            use()


@pytest.mark.long
def test_a_match_that_is_over_takes_no_orders(house: House) -> None:
    match_id = house.begin(3)
    house.play_out(match_id)
    with pytest.raises(Gone):
        save_orders_of(house, match_id, 0)


# --- what they have to tell ----------------------------------------------------------------------------------


def follower_with_orders(house: House, *said: dict[str, Any]) -> tuple[str, int]:
    """A match of Hagakure in which the seat that follows the first has these orders, and the first has just played."""
    match_id = house.begin(3, "hagakure")
    (first, _), *_ = who_is_asked(house, match_id)
    following = (first + 1) % 3
    save_orders_of(
        house,
        match_id,
        following,
        *said or (order_of_no_nobori(**MATCH), order_of_cards(house, match_id, following, **MATCH)),
    )
    until_first_card(house, match_id)
    return match_id, following


def until_first_card(house: House, match_id: str) -> None:
    """Lets everybody keep their Nobori, as far as no order does, and the first play a card."""
    while who_is_asked(house, match_id)[0][1] == "nobori":
        house.play(match_id, who_is_asked(house, match_id)[0][0])
    house.play(match_id, who_is_asked(house, match_id)[0][0])


@pytest.mark.long
def test_the_news_list_the_answers_of_orders_until_their_owner_reads_them(house: House) -> None:
    match_id, seat = follower_with_orders(house)
    claim = claim_of(house.site, match_id, seat)
    told = news_of_orders(house, match_id, seat)
    assert [(one.kind, one.why) for one in told] == [("nobori", None), ("card", None)]
    entries = {entry.n: entry for entry in house.view(match_id, seat).entries}
    assert all(entries[one.first_n or 0].by.seat == seat and one.first_n == one.n for one in told)
    ordering.forget_read_news(house.site, claim, told[0].n)
    assert news_of_orders(house, match_id, seat) == told[1:]
    ordering.forget_read_news(house.site, claim, told[-1].n)
    assert news_of_orders(house, match_id, seat) == ()
    assert len(standing_orders(house, match_id, seat)) == 2


def test_news_of_stopped_orders_stay_until_read_and_their_row_goes_then(house: House) -> None:
    match_id, seat = follower_with_orders(house)
    claim = claim_of(house.site, match_id, seat)
    ordering.stop_orders(house.site, claim)
    assert standing_orders(house, match_id, seat) == ()
    told = news_of_orders(house, match_id, seat)
    assert len(told) == 2
    ordering.forget_read_news(house.site, claim, told[-1].n)
    assert row_of_orders(house, match_id, seat) is None
    with house.site.reading() as session:
        assert session.get_one(Match, match_id).ordering == 0


@pytest.mark.long
def test_the_news_say_in_the_games_words_why_an_order_did_not_answer(house: House) -> None:
    match_id = house.begin(3, "hagakure")
    (first, _), *_ = who_is_asked(house, match_id)
    seat = (first + 1) % 3
    elsewhere = {"type": "Prefer", "kind": "card", "moves": order_of_cards(house, match_id, first)["moves"]}
    save_orders_of(house, match_id, seat, order_of_no_nobori(**MATCH), elsewhere)
    until_first_card(house, match_id)
    missed = [one for one in news_of_orders(house, match_id, seat) if one.why is not None]
    (one,) = missed
    assert one.why is not None
    assert one.why.en.startswith("Your order could not be followed. {")
    assert "hand" in one.why.en
    version = house.view(match_id, seat).sheet.version
    assert one.n == version
    others = (one for one in range(3) if one != seat)
    assert all(news_of_orders(house, match_id, other) == () for other in others)


@pytest.mark.long
@pytest.mark.parametrize(
    ("said", "failures"),
    [
        (["lowest ask if trickless"], 0),
        (["lowest ask if trickless", "card: play V1, play V2"], 1),
    ],
)
def test_a_question_left_on_purpose_is_no_news_but_a_failure_behind_it_is(
    house: House, said: list[str], failures: int
) -> None:
    match_id = house.begin(3, "hagakure")
    (first, _), *_ = who_is_asked(house, match_id)
    seat = (first + 1) % 3
    hand = house.view(match_id, seat).fold.hands[seat]
    assert not {1, 2} & {*hand}, "or the list could be followed"
    version = house.view(match_id, seat).sheet.version
    ordering.save_orders(house.site, claim_of(house.site, match_id, seat), version, said, "api")
    until_first_card(house, match_id)
    if who_is_asked(house, match_id)[0] == (seat, "nobori"):
        house.play(match_id, seat)
    assert who_is_asked(house, match_id)[0] == (seat, "card")
    assert len([one for one in news_of_orders(house, match_id, seat) if one.why is not None]) == failures
    kept = row_of_orders(house, match_id, seat)
    assert kept is not None
    assert len(orders.read_news(kept)) == failures, "nothing else is noted"


def test_saving_orders_of_others_adds_no_news_about_a_failed_order(house: House) -> None:
    """A failure is told once, though every move of the others looks at the orders again."""
    guarded = {"type": "Lowest", "ask_if": ["raised"]}
    match_id = house.begin(3, "hagakure")
    (first, _), *_ = who_is_asked(house, match_id)
    seat = (first + 1) % 3
    save_orders_of(house, match_id, seat, order_of_cards(house, match_id, first, **MATCH), guarded)
    while who_is_asked(house, match_id)[0] != (seat, "nobori"):
        house.play(match_id, who_is_asked(house, match_id)[0][0])
    house.play(match_id, seat)
    before = news_of_orders(house, match_id, seat)
    for other in range(3):
        save_again = [one for one in who_is_asked(house, match_id) if one[0] == other != seat]
        if save_again:
            save_orders_of(house, match_id, other, order_of_no_nobori(**MATCH))
    assert news_of_orders(house, match_id, seat) == before


@pytest.mark.long
def test_an_order_for_one_question_is_gone_after_that_question(house: House) -> None:
    match_id, seat = follower_with_orders(
        house, order_of_no_nobori(scope="question"), order_of_no_nobori(scope="match")
    )
    assert [order.scope for order in standing_orders(house, match_id, seat)] == ["match"]


@pytest.mark.long
def test_an_order_for_one_question_ends_when_its_owner_answers_by_hand(house: House) -> None:
    match_id = house.begin(3, "hagakure")
    (first, _), *_ = who_is_asked(house, match_id)
    hidden = {"type": "Always", "kind": "card", "move": {"type": "Play", "card": 0}, "scope": "question"}
    save_orders_of(house, match_id, first, hidden)
    until_first_card(house, match_id)
    assert standing_orders(house, match_id, first) == ()


@pytest.mark.long
def test_absence_ends_orders_and_saving_orders_ends_the_absence(house: House) -> None:
    match_id = house.begin(3, "hagakure")
    (first, _), *_ = who_is_asked(house, match_id)
    following = (first + 1) % 3
    save_orders_of(house, match_id, first, order_of_cards(house, match_id, following, **MATCH))
    for _ in range(20):
        house.time_is_up(match_id)
        timeouts.sweep_deadlines(house.site)
        if house.view(match_id, None).sheet.seats[first].absent:
            break
    assert standing_orders(house, match_id, first) == ()
    save_orders_of(house, match_id, first, order_of_no_nobori(**MATCH))
    assert not house.view(match_id, None).sheet.seats[first].absent
    assert len(standing_orders(house, match_id, first)) == 1


@pytest.mark.long
def test_questions_answered_by_an_order_send_no_turn_mail(house: House) -> None:
    match_id = house.begin(3, "hagakure")
    (first, _), *_ = who_is_asked(house, match_id)
    following = (first + 1) % 3
    save_orders_of(
        house, match_id, following, order_of_no_nobori(**MATCH), order_of_cards(house, match_id, following, **MATCH)
    )
    house.drain()
    house.mail.clear()
    until_first_card(house, match_id)
    house.clock.forward(minutes=30)
    house.drain()
    names = [place.name for place in house.view(match_id, None).sheet.seats]
    assert house.mail.to(address_of(names[following])) == []
    assert house.mail.to(address_of(names[(first + 2) % 3]))


# --- what must not go wrong ----------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["raises", "unreadable"])
def test_a_failing_order_asks_its_owner_and_delays_no_other_match(
    house: House, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    match_id = house.begin(3, "hagakure")
    (first, _), *_ = who_is_asked(house, match_id)
    seat = (first + 1) % 3
    save_orders_of(house, match_id, seat, order_of_no_nobori(**MATCH))
    if how == "raises":

        def broken(*_: object) -> None:
            raise ZeroDivisionError

        monkeypatch.setattr(orders, "follow", broken)
    else:
        with house.site.writing() as work:
            kept = work.get_one(OrderRow, (match_id, seat))
            kept.body = kept.body.replace("Always", "Forever")
            work.add(kept)
    assert house.play(match_id, first).told.entries
    assert who_is_asked(house, match_id)[0] == (seat, "nobori")
    assert standing_orders(house, match_id, seat) == ()
    assert [one.why for one in news_of_orders(house, match_id, seat)] == [orders.BROKEN]
    house.play(match_id, seat)


@pytest.mark.long
def test_of_two_orders_for_one_question_none_is_left_for_the_next(house: House) -> None:
    match_id, seat = follower_with_orders(
        house,
        order_of_no_nobori(**MATCH),
        {"type": "Lowest", "scope": "question"},
        {"type": "Only", "scope": "question"},
    )
    assert [order.scope for order in standing_orders(house, match_id, seat)] == ["match"]


def test_orders_added_to_a_repeated_move_are_refused(house: House) -> None:
    match_id = house.begin(3, "hagakure")
    (first, _), *_ = who_is_asked(house, match_id)
    claim, ask = claim_of(house.site, match_id, first), house.view(match_id, first).ask
    assert ask is not None
    moves.play_answer(house.site, claim, ask.key, {"type": "Keep"}, "api")
    with pytest.raises(Stale):
        moves.play_answer(house.site, claim, ask.key, {"type": "Keep"}, "api", ordered=["lowest"])
    assert standing_orders(house, match_id, first) == ()


@pytest.mark.long
def test_repeating_a_move_with_its_orders_returns_the_first_receipt(house: House) -> None:
    match_id = house.begin(3, "hagakure")
    (first, _), *_ = who_is_asked(house, match_id)
    claim, ask = claim_of(house.site, match_id, first), house.view(match_id, first).ask
    assert ask is not None
    moves.play_answer(house.site, claim, ask.key, {"type": "Keep"}, "api", ordered=["lowest"])
    assert moves.play_answer(house.site, claim, ask.key, {"type": "Keep"}, "api", ordered=["lowest"]).repeated
