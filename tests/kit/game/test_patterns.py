"""Moves as they are typed: patterns that are read and written."""

from __future__ import annotations

from typing import Annotated

import msgspec
import pytest

from pbem.kit.contract import Seat
from pbem.kit.game.moves import Kind, Move, Patterns, parts_of_move_as_typed
from tests.harness.cases import cases


class Guess(msgspec.Struct, frozen=True):
    seat: Seat
    card: str
    typed = "{seat}=[hides] {card}"


class Give(Move, frozen=True):
    give: str
    take: str
    typed = "give {give} take {take}", "take {take} give {give}", "{give} {take}"


class Bid(Move, frozen=True):
    price: Annotated[int, msgspec.Meta(ge=1, le=12)]
    seat: Seat
    typed = "bid {price} [to] {seat}"


class Name(Move, frozen=True):
    allies: tuple[Guess, ...]
    typed = "name {allies}"

    @classmethod
    def read(cls, allies: tuple[Guess, ...]) -> Move | None:
        return cls(allies) if len({guess.seat for guess in allies}) == len(allies) else None


class Pass(Move, frozen=True):
    typed = "pass", "p"


CARD: Kind = (" [a-f] [1-4]", lambda text: text.replace(" ", "").upper())
PATTERNS = Patterns(
    (Give, Bid, Name, Pass),
    4,
    dict.fromkeys(("card", "give", "take"), CARD),
    {"give": "give gives donne", "take": "take prends", "pass": "pass passe", "name": "name nomme"},
    "an je la le les the please",
)

READ = {
    "give F4 take A1": Give("F4", "A1"),
    "Prends a1, donne f4": Give("F4", "A1"),
    "f4 a1": Give("F4", "A1"),
    "bid 12 to C": Bid(12, 2),
    "bid 3 a": Bid(3, 0),
    "please the pass": Pass(),
    "give a F4, take an E1": Give("F4", "E1"),
    "p": Pass(),
    "name B=F1 C=A2": Name((Guess(1, "F1"), Guess(2, "A2"))),
    "nomme b hides f1": Name((Guess(1, "F1"),)),
}


@cases("text, move", READ.items())
def test_a_typed_move_is_parsed_by_its_patterns(text: str, move: Move) -> None:
    assert PATTERNS.read(text) == move


@cases(
    "text",
    [
        "",
        "give",
        "give F4",
        "give F9 take A1",
        "bid 13 to C",
        "bid 0 B",
        "bid 3 e",
        "name B=F1 B=A2",
        "pass me",
        "name A B=F1",
    ],
)
def test_a_text_that_matches_no_pattern_is_unreadable(text: str) -> None:
    assert PATTERNS.read(text) is None


def test_the_steps_of_a_move_are_written_by_its_first_pattern() -> None:
    assert parts_of_move_as_typed(Give("F4", "A1")) == ("give F4", "take A1")
    assert parts_of_move_as_typed(Bid(12, 2)) == ("bid 12", "C")
    assert parts_of_move_as_typed(Name((Guess(1, "F1"), Guess(2, "A2")))) == ("name", "B=F1", "C=A2")
    assert parts_of_move_as_typed(Pass()) == ("pass",)


def test_patterns_that_give_a_word_two_meanings_are_an_error() -> None:
    with pytest.raises(ValueError, match="'donne' means both"):
        Patterns((Pass,), 4, {}, {"give": "donne", "deal": "donne"}, "")
