"""Greetings, thanks and closings, in every game: around a move they do not matter, and alone they are none."""

from collections.abc import Callable
from itertools import islice
from typing import Any

import pytest

from pbem.features.inbox.incoming.commands import MOST_READ, Move, read_reply
from pbem.games import all_games
from pbem.kit.answers import first_words_of_moves, read_answer, shortest_answer_text
from pbem.kit.contract import Ask, Unreadable
from pbem.kit.play import Table
from pbem.kit.replay import By
from tests.harness.cases import cases

CLOSINGS = (
    "Thank you!", "Thanks", "Many thanks,", "Cheers", "Merci !", "Merci beaucoup", "Bonne journée !", "À bientôt",
    "Bye",
    "Best wishes", "Bien à toi", "Your turn!", "À toi", "Good luck!", "Viele Grüße", "Have a good one", "Merci Bob",
)  # fmt: skip
GREETINGS = ("Hello!", "Hi Bob,", "Bonjour,", "Salut tout le monde !", "Hallo zusammen,", "Good morning")
NOTHING = ("and you", "the", "-", "…", "!", "you", "le", "with you")
PASSES = {"niigata": "pick", "hexen-rennen": "own", "allegeance": "answer", "hagakure": "nobori", "hogen": "act"}
"""A question of each game; where one can pass, one at which one can."""


def question_and_moves(slug: str, kind: str) -> tuple[Any, Ask, Any]:
    """The game, a question of this kind, and the legal moves."""
    game = all_games()[slug]
    table = Table(game, 4, game.meta.options(), bytes(32))
    while True:
        ask, *_ = game.pending(table.state)
        legal = game.legal(table.state, ask.seat)
        if ask.kind == kind:
            return game, ask, legal
        table.play(ask, legal[0], By(seat=ask.seat, via="page"))


def reader_and_answers(slug: str) -> tuple[Callable[[str], bool], list[str]]:
    """What the service hands in, and a few answers to the question."""
    game, ask, legal = question_and_moves(slug, PASSES[slug])

    def read(text: str) -> bool:
        try:
            read_answer(game, text, ask.seat, legal)
        except Unreadable:
            return False
        return True

    moves = [*islice(legal, 3), legal[-1]]
    return read, [
        shortest_answer_text(game, move, ask.seat, legal, [*first_words_of_moves(game, legal)]) for move in moves
    ]


@pytest.mark.long
@cases("slug", sorted(PASSES))
def test_courtesies_around_a_move_do_not_change_it(slug: str) -> None:
    read, answers = reader_and_answers(slug)
    for answer in answers:
        played = (Move((answer,)),)
        for said in CLOSINGS:
            for text in (f"{answer}\n{said}", f"{answer}\n\n{said}\nAlice", f"Hi,\n\n{answer}\n\n{said} \n"):
                assert read_reply(text, read, ("Alice",)).commands == played, text
        for said in GREETINGS:
            assert read_reply(f"{said}\n\n{answer}\n\nAlice", read, ("Alice",)).commands == played, said


@cases("slug", sorted(PASSES))
def test_courtesies_alone_are_no_move(slug: str) -> None:
    read, _ = reader_and_answers(slug)
    for said in (*CLOSINGS, *GREETINGS, *NOTHING):
        assert read_reply(said, read, ("Alice",)).commands == (), said


def test_a_courtesy_is_no_move_even_if_the_games_notation_accepts_it() -> None:
    said = (*CLOSINGS, *GREETINGS, "-", "…")

    def read(text: str) -> bool:
        return text in ("pass", *said)

    for one in said:
        assert read_reply(one, read).commands == (), one
        assert read_reply(f"pass\n\n{one}", read).commands == (Move(("pass",)),), one


def test_a_move_word_behind_a_thanks_counts_as_a_second_move() -> None:
    read, _ = reader_and_answers("niigata")
    assert read_reply("N40\n\nMerci, passe", read).doubts == ("second-move",)


@cases(
    "line",
    [
        "Say, Bob plays well", "Dis Bob, tu viens demain", "dis donc, quelle partie", "Dis-moi quand tu joues",
        "Note that I'm away", "Note, I'm away", "Note que je pars", "note qu'il pleut", "Say Bob, I am late",
    ],
)  # fmt: skip
def test_a_sentence_that_only_seems_to_begin_with_say_or_note_is_doubtful(line: str) -> None:
    assert read_reply(line, lambda _: False).doubts == ("two-meanings",)


@cases(
    "line",
    [
        "say: Bob, I am late",
        "say Is Bob late?",
        "dire : Bob, à demain",
        "say Thanks, Bob",
        "note: that is it",
        "note F3",
    ],
)
def test_a_line_beginning_with_say_or_note_is_one_command(line: str) -> None:
    assert len(read_reply(line, lambda _: False).commands) == 1


@cases("word", ["the rain is falling on my garden", "take a 12 or w3 x 4 5", "N35 again N35 then"])
def test_reading_a_reply_calls_the_games_parser_a_limited_number_of_times(word: str) -> None:
    asked: list[str] = []

    def read(said: str) -> bool:
        asked.append(said)
        return said == "N35"

    lines = [" ".join(f"{word}{line}x{at}" for at in range(60))[:990] for line in range(20)]
    assert read_reply("\n".join(["N35", "", *lines]), read).doubts == ("too-long",)
    assert len(asked) <= MOST_READ


def test_many_friendly_words_below_a_move_cost_few_calls_of_the_parser() -> None:
    asked: list[str] = []

    def read(said: str) -> bool:
        asked.append(said)
        return said == "N35"

    below = "It has been raining here all week and the garden is under water, but the children like it very much."
    assert read_reply("\n".join(["N35", "", *[below] * 20]), read).commands == (Move(("N35",)),)
    assert len(asked) < 60
