"""The notation of every game: each spelling is read, and nothing unclear is guessed at."""

from typing import Any

import pytest
from hypothesis import given, settings

from pbem.kit.contract import AnyGame, Unreadable
from pbem.kit.texts import LANGS
from tests.games.discovered import AMOUNTS, GAMES, examples_of, texts_to_parse

MOST = 200
"""No game reads a text of more characters."""


def notation_as_read(game: AnyGame, typed: str) -> str | None:
    """The notation of the parsed move; None if the text is refused."""
    try:
        return game.format(game.parse(typed))
    except Unreadable:
        return None


@pytest.mark.long
@GAMES
@AMOUNTS
def test_every_move_reads_back_as_it_was_written(game: AnyGame, amount: int) -> None:
    @settings(max_examples=amount)
    @given(examples_of(game).MOVES)
    def reads_back(move: Any) -> None:
        text = game.format(move)
        spaced = text.replace(" ", " \u00a0")
        for typed in (text, text.upper(), text.lower(), f"  {text}. ", spaced):
            assert game.parse(typed) == move, typed

    reads_back()


@pytest.mark.long
@GAMES
@AMOUNTS
def test_any_typed_text_is_a_move_or_unreadable(game: AnyGame, amount: int) -> None:
    @settings(max_examples=amount)
    @given(texts_to_parse(game))
    def is_a_move_or_unreadable(typed: str) -> None:
        written = notation_as_read(game, typed)
        assert written is None or notation_as_read(game, written) == written

    is_a_move_or_unreadable()


@GAMES
def test_a_hint_shows_a_move_in_each_language(game: AnyGame) -> None:
    with pytest.raises(Unreadable) as caught:
        game.parse("?")
    for lang in LANGS:
        shown = examples_of(game).HINT[lang]
        assert shown in caught.value.hint[lang]
        assert isinstance(game.parse(shown), game.meta.moves)


@GAMES
def test_each_games_documented_spellings_are_read_as_their_moves(game: AnyGame) -> None:
    spellings = examples_of(game).SPELLINGS
    assert {typed: notation_as_read(game, typed) for typed in spellings} == spellings
    kinds = {type(game.parse(typed)) for typed in spellings}
    assert kinds == set(game.meta.moves), "each kind of move is spelt"


@GAMES
def test_ambiguous_texts_are_not_read_as_moves(game: AnyGame) -> None:
    unclear = examples_of(game).UNCLEAR
    assert "" in unclear
    assert {typed: notation_as_read(game, typed) for typed in unclear} == dict.fromkeys(unclear)


@GAMES
def test_an_overlong_text_is_not_read_as_a_move(game: AnyGame) -> None:
    for written in set(examples_of(game).SPELLINGS.values()):
        assert notation_as_read(game, written) == written
        assert notation_as_read(game, written + " " * MOST) is None
