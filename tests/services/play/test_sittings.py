"""Sittings: questions to one seat that nothing of another can come between are answered at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from pbem.errors import Answered, Illegal, Invalid, Problem, Unreadable
from pbem.kit.codec import plain
from pbem.kit.contract import AnyGame, Move
from pbem.kit.orders.following import fold_and_question_of_sitting
from pbem.services.play import moves, ordering
from pbem.services.play.moves import Part, PartDone, Receipt
from tests.table import House, claim_of


@dataclass
class Sitting:
    """A match of Niigata in which a seat lays a tile that closes a pond, and what it is asked then."""

    house: House
    match_id: str
    seat: int
    key: str
    place: Move
    claims: Sequence[Move]
    """What is legal after it."""

    @property
    def game(self) -> AnyGame:
        """The game."""
        return self.house.view(self.match_id, None).game

    def answer(self, said: Any, *then: Any, ordered: Sequence[Any] | None = None) -> Receipt:
        """Answers the first question with this, and those after it."""
        claim = claim_of(self.house.site, self.match_id, self.seat)
        parts = [one if isinstance(one, Part) else Part(one) for one in then]
        return moves.play_answer(self.house.site, claim, self.key, said, "api", then=parts, ordered=ordered)

    def version(self) -> int:
        """The number of the last entry."""
        return self.house.view(self.match_id, None).sheet.version


@pytest.fixture
def sitting(house: House) -> Sitting:
    """The first question of a match whose answer can close a pond with carp."""
    match_id = house.begin(2, "niigata")
    for _ in range(200):
        (open_ask,) = house.asks(match_id)
        seat, view = open_ask.seat, house.view(match_id, open_ask.seat)
        for move in view.legal():
            found = fold_and_question_of_sitting(view.game, view.fold, seat, view.game.preview(view.fold, seat, move))
            if found is not None:
                fold, ask = found
                assert (ask.seat, open_ask.kind, ask.kind) == (seat, "place", "claim")
                return Sitting(house, match_id, seat, open_ask.key, move, [*view.game.legal(fold, seat)])
        house.play(match_id, seat)
    raise AssertionError("nobody closes a pond")


@pytest.mark.long
def test_one_request_answers_two_questions_as_separate_decisions(sitting: Sitting) -> None:
    before = sitting.version()
    receipt = sitting.answer(plain(sitting.place), plain(sitting.claims[0]))
    assert [(one.kind, one.why) for one in receipt.parts] == [("place", None), ("claim", None)]
    keys = [one.key for one in receipt.parts]
    assert keys[0] == sitting.key
    assert [entry.key for entry in receipt.told.entries if entry.key == keys[1]], (
        "the second part has entries of its own"
    )
    assert receipt.told.entries[0].n == before + 1
    assert receipt.version == receipt.told.entries[-1].n == sitting.version()


def test_repeating_a_request_of_two_answers_returns_the_first_receipt(sitting: Sitting) -> None:
    first = sitting.answer(plain(sitting.place), plain(sitting.claims[0]))
    again = sitting.answer(plain(sitting.place), plain(sitting.claims[0]))
    assert again.repeated
    assert again.told.entries == first.told.entries
    assert again.told.head == first.told.head
    assert [one.key for one in again.parts] == [one.key for one in first.parts]
    with pytest.raises(Answered):
        sitting.answer({"type": "Pass"})


@pytest.mark.long
def test_an_illegal_part_of_a_sitting_is_asked_again_earlier_ones_stand(sitting: Sitting) -> None:
    receipt = sitting.answer(plain(sitting.place), {"type": "Claim", "pond": "30E.N"})
    first, second = receipt.parts
    assert first == PartDone(sitting.key, "place", "played")
    assert isinstance(second.why, Illegal)
    open_ask = sitting.house.asks(sitting.match_id)[0]
    assert (open_ask.seat, open_ask.kind, open_ask.key) == (sitting.seat, "claim", second.key)


@pytest.mark.long
def test_an_illegal_first_part_or_an_unreadable_later_one_plays_nothing(sitting: Sitting) -> None:
    before, claim = sitting.version(), plain(sitting.claims[0])
    refused: list[tuple[type[Problem], Any, Any]] = [
        (Illegal, plain(sitting.place) | {"cell": "30E"}, claim),
        (Unreadable, plain(sitting.place), {"type": "Dance"}),
        (Unreadable, plain(sitting.place), "whatever"),
        (Invalid, plain(sitting.place), {"type": "Take", "tile": "N02"}),
        (Invalid, plain(sitting.place), Part(claim, "place")),
    ]
    for error, said, then in refused:
        with pytest.raises(error):
            sitting.answer(said, then)
    assert sitting.version() == before


@pytest.mark.long
def test_orders_go_with_a_move_and_are_made_after_it(sitting: Sitting) -> None:
    text = sitting.game.format(sitting.claims[0])
    receipt = sitting.answer(plain(sitting.place), ordered=[f"claim: {text} for question"])
    claim = claim_of(sitting.house.site, sitting.match_id, sitting.seat)
    assert len(receipt.parts) == 1, "what orders answer is no part of the receipt"
    assert sitting.version() > receipt.version
    found = ordering.read_orders(sitting.house.site, claim)
    assert (found.orders, [one.kind for one in found.news]) == ((), ["claim"])


@pytest.mark.long
def test_a_move_with_an_order_that_is_refused_is_not_played(sitting: Sitting) -> None:
    before = sitting.version()
    with pytest.raises(Unreadable):
        sitting.answer(plain(sitting.place), ordered=["whatever"])
    assert sitting.version() == before
    assert sitting.house.asks(sitting.match_id)[0].key == sitting.key


def test_a_question_that_does_not_follow_at_once_ends_the_sitting(house: House) -> None:
    """The first pick of a round is followed by somebody else's."""
    match_id = house.begin(2, "niigata")
    (open_ask,) = house.asks(match_id)
    move = house.view(match_id, open_ask.seat).legal()[0]
    place = {"type": "Place", "tile": plain(move)["tile"], "cell": "1E", "rotation": 0}
    claim = claim_of(house.site, match_id, open_ask.seat)
    receipt = moves.play_answer(house.site, claim, open_ask.key, plain(move), "api", then=[Part(place)])
    first, second = receipt.parts
    assert first.why is None
    assert (second.key, second.kind) == (None, "place")
    assert second.why is not None
    assert house.asks(match_id)[0].seat != open_ask.seat
