"""What an author of a game need not say: it follows, or is refused for them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import pytest
from msgspec import Meta

from pbem.games import folder_of_game, read_text_file_of_game
from pbem.kit.chance import NO_LUCK, Luck
from pbem.kit.contract import IllegalMove, Outcome, Seat
from pbem.kit.game.facts import Counting, Event
from pbem.kit.game.moves import Move, Question, write_notation_page
from pbem.kit.game.parts import Part
from pbem.kit.game.rules import Game, best
from pbem.kit.secrecy import Open
from pbem.kit.texts import LANGS, Lang
from pbem.kit.words import T
from pbem.testing.starter import pig
from tests.harness.cases import cases

Row = Annotated[int, Meta(ge=0, le=5)]


class State(Counting, frozen=True):
    active: Open[int] = 0


class Recounted(Counting, frozen=True):
    count: Open[int] = 0


class Began(Event, frozen=True):
    told = T("Début.", "It begins.")

    def apply(self, s: State | None) -> State:
        return State()


class Placed(Event, frozen=True):
    seat: Open[Seat]
    row: Open[Row]
    column: Open[Row]
    told = T("{seat} joue.", "{seat} plays.")

    def apply(self, s: State) -> State:
        return State(1 - s.active)


class Place(Move, frozen=True):
    row: Row
    column: Row
    asked, makes, typed = "play", Placed, ("row {row} column {column}", "{row} {column}")
    does, steps = T("Placer", "Place"), T("Ligne {row} | Colonne {column}", "Row {row} | Column {column}")
    name, label = T("{row}-{column}", "{row}-{column}"), T("Vous jouez {row}-{column}.", "You play {row}-{column}.")

    @classmethod
    def every(cls, s: State, seat: int) -> list[Move]:
        return [cls(row, column) for row in range(6) for column in range(6)]


class Squares(Game):
    slug, title, seats, minutes, blurb = "squares", T("Carrés", "Squares"), (2,), 5, T("Placez.", "Place.")
    endings = {}
    questions = {"play": Question(T("À vous", "Your turn"), prompt=T("Placez.", "Place."))}

    def begin(self, seats: int, options: Any, luck: Luck) -> Event:
        return Began()

    def asks(self, s: State) -> Iterator[tuple[int, str]]:
        yield s.active, "play"

    def outcome(self, s: State) -> Outcome | None:
        return None

    def board(self, s: State) -> Iterator[Part]:
        yield from ()


def test_a_state_field_with_the_reserved_event_counter_name_is_an_error() -> None:
    game = type("Again", (Squares,), {"state": Recounted})
    with pytest.raises(TypeError, match=r"^State.count: facts are counted by this name; choose another$"):
        game()


def test_a_move_with_a_number_that_its_type_does_not_admit_is_refused() -> None:
    game = Squares().assemble()
    assert game.decide(State(), 0, Place(5, 5), NO_LUCK) == [Placed(0, 5, 5)]
    with pytest.raises(IllegalMove, match="wrong_kind"):
        game.decide(State(), 0, Place(5, 6), NO_LUCK)


def test_the_default_pad_shows_first_steps_if_answers_are_too_many() -> None:
    game = Squares().assemble()
    (ask,) = game.pending(State())
    pad = game.pad(ask, State(), "en")
    assert [[cell.text for cell in row] for row in pad.rows] == [[f"Row {row}"] for row in range(6)]
    assert [step.text for step in pad.rows[2][0].steps or ()] == ["row-2"]


def test_default_scores_read_the_state_and_best_returns_the_highest_seats() -> None:
    assert pig.GAME.scores(pig.State((4, 9, 9))) == (4, 9, 9)
    assert Squares().scores(State()) is None
    assert best((4, 9, 9)) == (1, 2)


def test_the_generated_notation_page_lists_what_to_type_for_each_move() -> None:
    title, words = T("Carrés", "Squares"), {"row": "row rows ligne"}
    assert write_notation_page(title, (Place,), words, "en").splitlines() == [
        "# Notation of Squares",
        "",
        "| write | to |",
        "|---|---|",
        "| `row {row} column {column}` or `{row} {column}` | You play {row}-{column}. |",
        "",
        "Also read: `row`, `rows` and `ligne` for `row`.",
    ]
    assert "| `roll`, `lance` ou `r` | Vous lancez le dé. |" in pig.PigGame().notation_page("fr")


@pytest.mark.usefixtures("install")
@cases("lang", LANGS)
def test_a_package_without_notation_pages_gets_the_generated_ones(lang: Lang) -> None:
    assert not (folder_of_game("pig") / f"NOTATION.{lang}.md").is_file()
    assert read_text_file_of_game("pig", f"NOTATION.{lang}.md") == pig.PigGame().notation_page(lang)
    assert read_text_file_of_game("pig", "parts.svg") == ""


@pytest.mark.usefixtures("install")
def test_a_games_own_notation_page_replaces_the_generated_one() -> None:
    assert read_text_file_of_game("hogen", "NOTATION.en.md") == (folder_of_game("hogen") / "NOTATION.en.md").read_text(
        "utf-8"
    )
