"""What one types to answer a question: without what the question says already."""

from typing import Any

import pytest

from pbem.games import all_games
from pbem.kit.answers import first_words_of_moves, read_answer, shortest_answer_text
from pbem.kit.contract import Ask, Unreadable
from pbem.kit.laws.malformed import COURTESIES
from pbem.kit.laws.positions import check_courtesies
from pbem.kit.play import Table
from pbem.kit.replay import By
from tests.harness.cases import cases


def first_question(slug: str, kind: str) -> tuple[Any, Ask, Any]:
    """Returns the game, its first question of this kind, and that seat's fold."""
    game = all_games()[slug]
    table = Table(game, 4, game.meta.options(), bytes(32))
    while True:
        ask, *_ = game.pending(table.state)
        if ask.kind == kind:
            return game, ask, table.folds[ask.seat]
        table.play(ask, game.legal(table.state, ask.seat)[0], By(seat=ask.seat, via="page"))


def text_of(slug: str, kind: str, whole: str) -> str:
    game, ask, fold = first_question(slug, kind)
    legal = game.legal(fold, ask.seat)
    return shortest_answer_text(
        game, game.parse(whole, ask.seat), ask.seat, legal, [*first_words_of_moves(game, legal)]
    )


@cases(
    "slug, kind, whole, short",
    [
        ("hogen", "act", "call 2", "2"),
        ("hogen", "act", "call F", "F"),
        ("hogen", "answer", "give F2 take M1", "F2 take M1"),
        ("allegeance", "announce", "announce F3", "F3"),
        ("allegeance", "answer", "pass", "pass"),
        ("hagakure", "card", "play V6", "V6"),
        ("hexen-rennen", "fly", "fly 0", "0"),
        ("niigata", "pick", "take N40", "N40"),
    ],
)
def test_the_short_answer_leaves_out_the_word_the_question_implies(
    slug: str, kind: str, whole: str, short: str
) -> None:
    assert text_of(slug, kind, whole) == short


def test_the_short_text_of_an_answer_keeps_an_ambiguous_first_word() -> None:
    """Yomi is also what Double could be played on: « yomi » alone says nothing."""
    assert text_of("hagakure", "nobori", "look yomi") == "look yomi"


def test_the_full_notation_wins_over_a_short_answer() -> None:
    """Anyone who types the whole is read as everywhere, also to another question."""
    game, ask, fold = first_question("hogen", "act")
    legal = game.legal(fold, ask.seat)
    assert read_answer(game, "give F2 take M1", ask.seat, legal) == game.parse("give F2 take M1", ask.seat)


def test_read_answer_parses_an_illegal_short_answer_too() -> None:
    game, ask, fold = first_question("hogen", "act")
    legal = game.legal(fold, ask.seat)
    forbidden = next(call for rank in range(1, 5) if (call := game.parse(f"call {rank}", ask.seat)) not in legal)
    assert read_answer(game, str(forbidden.rank), ask.seat, legal) == forbidden


@cases("text", ["", "perhaps", "see you tomorrow", "7", "F9"])
def test_a_text_without_a_move_is_unreadable(text: str) -> None:
    game, ask, fold = first_question("hogen", "act")
    with pytest.raises(Unreadable):
        read_answer(game, text, ask.seat, game.legal(fold, ask.seat))


@pytest.mark.long
@cases("slug", sorted(all_games()))
def test_a_typed_courtesy_is_no_move(slug: str) -> None:
    """Not even where a pass or leaving is legal, to which filler words may be added."""
    game = all_games()[slug]
    table = Table(game, 4, game.meta.options(), bytes(32))
    kinds = set()
    for turn in range(60):
        ask = next(iter(game.pending(table.state)), None)
        if ask is None:
            break
        if ask.kind not in kinds:
            check_courtesies(table, ask, COURTESIES)
        kinds.add(ask.kind)
        legal = game.legal(table.state, ask.seat)
        table.play(ask, legal[turn % len(legal)], By(seat=ask.seat, via="page"))
    assert len(kinds) > 1


@cases("slug, kind, text", [("niigata", "pick", "pass, thank you"), ("hagakure", "nobori", "none, please")])
def test_a_courtesy_behind_a_move_does_not_matter(slug: str, kind: str, text: str) -> None:
    game, ask, fold = first_question(slug, kind)
    legal = game.legal(fold, ask.seat)
    assert read_answer(game, text, ask.seat, legal) == game.parse(text.split(",")[0], ask.seat)
