"""Options in words: every option of every game has them, in both languages, with only choices that the rules know."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
import pytest

from pbem.games import all_games
from pbem.kit.codec import codec_for
from pbem.kit.contract import AnyGame, Options
from pbem.kit.options import in_words, options_of
from pbem.kit.texts import LANGS, OptionText, Text
from tests.harness.cases import cases

GAMES = pytest.mark.parametrize("game", all_games().values(), ids=list(all_games()))


@GAMES
def test_every_option_of_every_game_has_texts_in_both_languages(game: AnyGame) -> None:
    for option in options_of(game.meta):
        texts = [option.title, option.hint, *(choice.text for choice in option.choices)]
        assert all(text[lang].strip() for text in texts for lang in LANGS), option.name
        assert option.hint["fr"] != option.hint["en"]
        for lang in LANGS:
            titles = [choice.text[lang] for choice in option.choices]
            assert len(set(titles)) == len(titles), "two choices are called alike"


@GAMES
def test_every_offered_option_is_readable_and_the_usual_one_is_the_default(
    game: AnyGame,
) -> None:
    read = codec_for(game).options
    for option in options_of(game.meta):
        for choice in option.choices:
            assert getattr(read({option.name: choice.value}), option.name) == choice.value
        assert read({option.name: option.value_of_word(option.usual)}) == game.meta.options()


@GAMES
def test_the_sample_options_of_a_game_are_offered_and_have_words(game: AnyGame) -> None:
    for options in (game.meta.options(), *game.meta.samples):
        assert len(in_words(game.meta, options)) == len(options_of(game.meta))


class Sweet(Options, frozen=True):
    """Options that belong to no game."""

    taste: Literal["plain", "sweet"] = "plain"
    spoons: Annotated[int, msgspec.Meta(ge=1, le=3)] | None = None


WORD = Text(fr="mot", en="word")
TASTE = OptionText(WORD, WORD, {"plain": Text("nature", "plain"), "sweet": Text("sucré", "sweet")})
SPOONS = OptionText(WORD, WORD, {"null": Text("aucune", "none")})


def with_texts(options: type[Options], **texts: OptionText) -> list[str]:
    meta = msgspec.structs.replace(all_games()["hogen"].meta, options=options, option_texts=texts)
    return [f"{option.name}: {' '.join(choice.word for choice in option.choices)}" for option in options_of(meta)]


def test_an_options_choices_follow_from_its_type() -> None:
    assert with_texts(Sweet, taste=TASTE, spoons=SPOONS) == ["taste: plain sweet", "spoons: null 1 2 3"]


class Boundless(Options, frozen=True):
    """An option that no list can offer."""

    many: int = 1


@cases(
    "options, texts, why",
    [
        (Sweet, {"taste": TASTE}, "spoons"),
        (Sweet, {"taste": TASTE, "spoons": SPOONS, "salt": SPOONS}, "salt"),
        (Sweet, {"taste": TASTE, "spoons": OptionText(WORD, WORD)}, "null"),
        (Sweet, {"taste": TASTE, "spoons": OptionText(WORD, WORD, {"null": WORD, "4": WORD})}, "4"),
        (Boundless, {"many": OptionText(WORD, WORD)}, "cannot be listed"),
    ],
)
def test_options_without_texts_and_texts_without_options_are_errors(
    options: type[Options], texts: dict[str, OptionText], why: str
) -> None:
    with pytest.raises(ValueError, match=why):
        with_texts(options, **texts)
