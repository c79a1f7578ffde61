"""Answers by hand and by order: moves, sittings, silent windows, orders, and bots at the table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import pytest

from pbem.errors import Problem
from pbem.kit.codec import plain
from pbem.kit.orders.following import fold_and_question_of_sitting
from pbem.kit.orders.typed import format_order
from pbem.services.lobby import matches
from pbem.services.lobby.match_request import BotSeat, Invitee, NewMatch
from pbem.services.play import bots, moves, ordering, presence, timeouts
from pbem.services.play.moves import Part
from pbem.services.tokens import PlayClaim, SeatClaim
from pbem.services.who import STRANGER
from tests.harness.undrawn import replace_pictures
from tests.services.chronicles.chronicle import Chronicle
from tests.services.chronicles.chronicle import in_words as noted
from tests.services.play.stage import orders
from tests.table import House, address_of, claim_of
from tests.windows import begin_silent, floor_of


def tell(house: House, told: Chronicle) -> None:
    with pytest.MonkeyPatch.context() as patch:
        replace_pictures(patch)
        _tell_moves(house, told)
        _tell_sittings(house, told)
        _tell_windows(house, told)
        _tell_orders(house, told)
        _tell_bots(house, told)


def _note_with_refusal(told: Chronicle, title: str, use_case: Callable[[], Any]) -> None:
    """Does something, and notes what a refusal tells beside its sentence, too."""
    refused: list[Problem] = []

    def noting() -> Any:
        try:
            return use_case()
        except Problem as problem:
            refused.append(problem)
            raise

    told.do(title, noting)
    for problem in refused:
        told.lines += noted("with", {"status": problem.status, **problem.extra})


def _key(house: House, match_id: str, seat: int) -> str:
    ask = house.view(match_id, seat).ask
    assert ask is not None
    return ask.key


def _what_is_told(receipt: moves.Receipt) -> dict[str, Any]:
    """What a receipt says, but for hashes."""
    return {
        "version": receipt.version,
        "repeated": receipt.repeated,
        "sealed": receipt.sealed,
        "held": receipt.held_until,
        "parts": [f"{one.key} {one.kind} {one.outcome} {one.why and one.why.code}" for one in receipt.parts],
        "entries": [f"{one.n} {type(one.event).__name__}" for one in receipt.told.entries],
        "proved": [receipt.told.base, receipt.told.head],
    }


def _tell_moves(house: House, told: Chronicle) -> None:
    told.part("moves")
    site = house.site
    match_id = house.create(3)
    _note_with_refusal(
        told,
        "before it begins",
        lambda: moves.play_answer(site, house.claim("play", match_id, 0), "t0.ally0", "T1", "api"),
    )
    match_id = house.begin(3, "hogen")
    claim, key = claim_of(site, match_id, 0), _key(house, match_id, 0)
    legal = house.view(match_id, 0).legal()
    house.drain()
    told.skip()

    def answer(said: Any, key: str = key, claim: SeatClaim = claim, **more: Any) -> Callable[[], Any]:
        return lambda: _what_is_told(moves.play_answer(site, claim, key, said, "api", **more))

    _note_with_refusal(told, "unreadable", answer("dance"))
    _note_with_refusal(told, "too long", answer("x" * 401))
    _note_with_refusal(told, "as long as may be", answer("x" * 400))
    _note_with_refusal(told, "no move", answer({"type": "Dance"}))
    _note_with_refusal(told, "a move that does not fit", answer({"type": "ChooseAlly", "card": 7}))
    _note_with_refusal(told, "no such question", answer(plain(legal[0]), "t9.ally0"))
    _note_with_refusal(told, "a question of another", answer(plain(legal[0]), "t0.ally1"))
    _note_with_refusal(told, "another's link", answer(plain(legal[0]), claim=PlayClaim(match_id, 0, 3)))
    hand = {plain(one)["card"] for one in legal}
    other = next(card for seat in (1, 2) for card in (plain(m)["card"] for m in house.view(match_id, seat).legal()))
    _note_with_refusal(told, "illegal", answer({"type": "ChooseAlly", "card": other if other not in hand else "Z9"}))
    _note_with_refusal(
        told, "foreseen", lambda: [type(one).__name__ for one in _foresee(house, match_id, key, plain(legal[0]))]
    )
    _note_with_refusal(told, "foreseen elsewhere", lambda: _foresee(house, match_id, "t9.x", plain(legal[0])))
    _note_with_refusal(told, "foreseen, illegal", lambda: _foresee(house, match_id, None, {"type": "Declare"}))
    _note_with_refusal(told, "what followed is no sitting", answer(plain(legal[0]), then=[Part(plain(legal[1]))]))
    _note_with_refusal(told, "Alice answers", answer(plain(legal[0]), seen=0))
    _note_with_refusal(told, "the same again", answer(plain(legal[0])))
    _note_with_refusal(told, "the same, with orders", answer(plain(legal[0]), ordered=["whatever"]))
    _note_with_refusal(told, "another move", answer(plain(legal[1])))
    bob = claim_of(site, match_id, 1)
    mine = plain(house.view(match_id, 1).legal()[0])
    _note_with_refusal(told, "Bob has seen more than there is", answer(mine, "t0.ally1", bob, seen=99, ordered=[]))
    house.play(match_id, 2)
    house.time_is_up(match_id)
    late = house.asks(match_id)[0].seat
    late_key, late_move = _key(house, match_id, late), plain(house.view(match_id, late).legal()[0])
    timeouts.sweep_deadlines(site)
    told.skip()
    _note_with_refusal(told, "too late", answer(late_move, late_key, claim_of(site, match_id, late)))
    for seat in range(2):
        presence.resign(site, claim_of(site, match_id, seat))
    told.skip()
    _note_with_refusal(told, "over", answer(late_move, late_key, claim_of(site, match_id, 2)))
    _note_with_refusal(told, "over, the same again", answer(plain(legal[0])))
    _note_with_refusal(told, "foreseen once it is over", lambda: _foresee(house, match_id, key, plain(legal[0])))


def _foresee(house: House, match_id: str, key: str | None, said: Any) -> Sequence[Any]:
    return moves.preview_move(house.site, match_id, 0, key, said).events


def _tell_sittings(house: House, told: Chronicle) -> None:
    told.part("sittings")
    site = house.site
    match_id = house.begin(2, "niigata")
    for _ in range(200):
        (ask,) = house.asks(match_id)
        view = house.view(match_id, ask.seat)
        found = [
            (move, then)
            for move in view.legal()
            if (
                then := fold_and_question_of_sitting(
                    view.game, view.fold, ask.seat, view.game.preview(view.fold, ask.seat, move)
                )
            )
        ]
        if found:
            break
        house.play(match_id, ask.seat)
    move, then = found[0]
    assert then is not None
    claims = [plain(one) for one in view.game.legal(then[0], ask.seat)]
    claim, key = claim_of(site, match_id, ask.seat), ask.key
    told.skip()

    def answer(*after: Any, **more: Any) -> Callable[[], Any]:
        parts = [one if isinstance(one, Part) else Part(one) for one in after]
        return lambda: _what_is_told(moves.play_answer(site, claim, key, plain(move), "api", then=parts, **more))

    _note_with_refusal(told, "of another kind", answer(Part(claims[0], "place")))
    _note_with_refusal(told, "unreadable", answer("whatever"))
    _note_with_refusal(told, "orders that are unreadable", answer(claims[0], ordered=["whatever"]))
    _note_with_refusal(told, "two answers", answer(Part(claims[0], "claim")))
    _note_with_refusal(told, "the same two again", answer(claims[0]))
    _note_with_refusal(told, "the first again", answer())
    _note_with_refusal(
        told, "the first, and another second", answer(claims[-1] if claims[-1] != claims[0] else {"type": "Pass"})
    )
    presence.resign(site, claim)


def _tell_windows(house: House, told: Chronicle) -> None:
    told.part("silent windows")
    site = house.site
    match_id = begin_silent(house, 3)
    house.drain()
    told.skip()
    first, second = (ask.seat for ask in house.asks(match_id))
    passing = {"type": "LetPass"}

    def answer(seat: int, said: Any = passing, *then: Any) -> Callable[[], Any]:
        claim, key = claim_of(site, match_id, seat), _key(house, match_id, seat)
        return lambda: _what_is_told(moves.play_answer(site, claim, key, said, "api", then=[Part(one) for one in then]))

    _note_with_refusal(told, "sealed, with what follows", answer(first, passing, {"type": "Announce", "card": "T4"}))
    _note_with_refusal(told, "changed", answer(first, passing, {"type": "Announce", "card": "F1"}))
    _note_with_refusal(told, "the same, alone", answer(first))
    _note_with_refusal(told, "no such move", answer(first, {"type": "Announce", "card": "F1"}))
    _note_with_refusal(
        told,
        "what cannot follow",
        answer(first, passing, {"type": "Announce", "card": "F1"}, {"type": "Give", "seat": 0}),
    )
    _note_with_refusal(told, "the other answers", answer(second))
    house.clock.at = floor_of(house, match_id) - timedelta(seconds=1)
    _note_with_refusal(told, "a second before the floor", lambda: timeouts.sweep_deadlines(site))
    house.clock.forward(seconds=1)
    _note_with_refusal(told, "the window closes", lambda: timeouts.sweep_deadlines(site))
    for seat in range(2):
        presence.resign(site, claim_of(site, match_id, seat))


def _tell_orders(house: House, told: Chronicle) -> None:
    told.part("orders")
    site = house.site
    match_id = house.begin(3, "hagakure")
    house.drain()
    house.follow_orders()
    told.skip()
    (first, _), *_ = orders.who_is_asked(house, match_id)
    seat = (first + 1) % 3
    claim = claim_of(site, match_id, seat)
    none, for_match = orders.order_of_no_nobori(), orders.order_of_no_nobori(scope="match")

    def now() -> int:
        return house.view(match_id, seat).sheet.version

    def save(*said: Any, version: int | None = None, **more: Any) -> Callable[[], Any]:
        return lambda: _order(ordering.save_orders(site, claim, version or now(), said, "web", **more))

    _note_with_refusal(told, "none", lambda: _order(ordering.read_orders(site, claim)))
    _note_with_refusal(told, "stopping none", lambda: ordering.stop_orders(site, claim))
    _note_with_refusal(told, "unreadable", save(none, "whatever"))
    _note_with_refusal(told, "of no kind", save({"type": "Always", "kind": "dance", "move": {"type": "Keep"}}))
    _note_with_refusal(told, "illegal", save(none | {"move": {"type": "Play", "card": "1"}}))
    _note_with_refusal(told, "seventeen", save(*[none] * 17))
    _note_with_refusal(told, "at another version", save(none, version=99))
    _note_with_refusal(told, "two", save(none, for_match, was=[]))
    typed = list(ordering.read_orders(site, claim).says("en"))
    _note_with_refusal(told, "what they say", lambda: typed)
    _note_with_refusal(told, "they were others", save(none, was=["whatever"]))
    _note_with_refusal(told, "one more", lambda: _order(ordering.add_order(site, claim, now(), for_match, "api")))
    hand = orders.order_of_cards(house, match_id, seat, scope="match")
    _note_with_refusal(told, "another one", lambda: _order(ordering.add_order(site, claim, now(), hand, "api")))
    text = format_order(ordering.read_orders(site, claim).orders[0], house.view(match_id, seat).game)
    _note_with_refusal(told, "one is stopped", lambda: ordering.stop_order(site, claim, text))
    _note_with_refusal(told, "it is gone already", lambda: ordering.stop_order(site, claim, text))
    _note_with_refusal(told, "and comes back", lambda: _order(ordering.add_order(site, claim, now(), hand, "api")))
    while orders.who_is_asked(house, match_id)[0][0] == first:
        view = house.view(match_id, first)
        moves.play_answer(
            site, claim_of(site, match_id, first), _key(house, match_id, first), plain(view.legal()[0]), "api"
        )
    told.skip()
    _note_with_refusal(
        told, "nothing is due yet", lambda: timeouts.let_orders_answer(site, house.clock.at - timedelta(seconds=1))
    )
    _note_with_refusal(told, "they answer", lambda: timeouts.let_orders_answer(site, house.clock.at))
    _note_with_refusal(told, "the news", lambda: _order(ordering.read_orders(site, claim)))
    _note_with_refusal(told, "read up to the first", lambda: ordering.forget_read_news(site, claim, 2))
    _note_with_refusal(told, "read up to now", lambda: ordering.forget_read_news(site, claim, now()))
    third = (first + 2) % 3
    _note_with_refusal(told, "an order for an open question answers at once", lambda: _at_once(house, match_id, third))
    _note_with_refusal(told, "they resign, which ends the orders", lambda: presence.resign(site, claim))
    _note_with_refusal(told, "who has resigned orders nothing", save(none))
    presence.resign(site, claim_of(site, match_id, first))
    told.skip()
    _note_with_refusal(told, "the match is over", save())


def _at_once(house: House, match_id: str, seat: int) -> Any:
    kinds = dict(orders.who_is_asked(house, match_id))
    if kinds.get(seat) == "nobori":
        return _order(orders.save_orders_of(house, match_id, seat, orders.order_of_no_nobori()))
    return _order(orders.save_orders_of(house, match_id, seat, orders.order_of_cards(house, match_id, seat)))


def _order(found: ordering.Ordered) -> dict[str, Any]:
    return {
        "version": found.version,
        "orders": [format_order(one, found.game) for one in found.orders],
        "news": [f"{one.n} {one.key} {one.kind} {one.first_n}-{one.last_n}" for one in found.news],
        "why": [one.why["en"] for one in found.news if one.why is not None],
        "answered": found.answered,
    }


def _tell_bots(house: House, told: Chronicle) -> None:
    told.part("bots")
    site = house.site
    alice = Invitee("Alice", address_of("Alice"))
    wanted: list[Any] = [alice, BotSeat("random"), BotSeat("greedy")]
    match_id = matches.create_match(site, STRANGER, NewMatch("hogen", wanted))
    _note_with_refusal(told, "nobody plays before it begins", lambda: bots.play_quick_bots(site))
    matches.confirm_match(site, house.claim("confirm", match_id, 0), "fr", "Europe/Paris")
    told.skip()
    _note_with_refusal(told, "none of them thinks", lambda: (bots.is_any_thinker_asked(site), bots.play_thinkers(site)))
    _note_with_refusal(told, "they play", lambda: bots.play_quick_bots(site))
    _note_with_refusal(told, "and have played", lambda: bots.play_quick_bots(site))
    house.play(match_id, 0)
    told.skip()
    _note_with_refusal(told, "they go on", lambda: bots.play_quick_bots(site))
    _note_with_refusal(
        told, "alone with bots Alice resigns", lambda: presence.resign(site, claim_of(site, match_id, 0))
    )
