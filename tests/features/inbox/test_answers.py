"""What may be typed for a question: the notation, then what stands in a box."""

from typing import Any

import pytest

from pbem.features.inbox.answers import ShortAnswers
from pbem.games import all_games
from pbem.games.allegeance.facts import Announce, Give
from pbem.kit.contract import Move
from pbem.kit.play import Table
from pbem.kit.replay import By


def answers_to_gift_question(
    names: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, boxes: dict[str, Move]
) -> ShortAnswers:
    """The answers to whom a card of Allegeance is given, where these boxes are shown."""
    game: Any = all_games()["allegeance"]
    table = Table(game, 4, game.meta.options(), bytes(32))
    while True:
        ask, *_ = game.pending(table.state)
        legal = game.legal(table.state, ask.seat)
        if any(isinstance(move, Give) for move in legal):
            break
        table.play(ask, legal[-1], By(seat=ask.seat, via="page"))
    answers = ShortAnswers(game, table.folds[ask.seat], ask.seat, ask, names)
    monkeypatch.setitem(answers.__dict__, "_moves_by_boxed_text", boxes)
    return answers


def test_a_reply_names_a_move_by_its_notation_or_by_an_answer_box(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = answers_to_gift_question(
        ("F1", "Bob", "Charlie", "Dora"), monkeypatch, {"f1": Give(3), "bob": Give(3), "m1": Announce("M1")}
    )
    assert answers.move_named("F1") is None  # a card, which cannot be announced now, or a player of this name
    assert answers.move_named("give B") == Give(1)
    assert answers.move_named("Bob") == Give(3)
    assert answers.move_named("M2") == Announce("M2")
    assert answers.move_named("M1") == Announce("M1")


def test_a_text_that_is_a_move_and_another_answers_label_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = answers_to_gift_question(("Alice", "Bob", "Charlie", "D"), monkeypatch, {"d": Give(2)})
    assert answers.move_named("D") is None
