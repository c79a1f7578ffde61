"""What our games say to somebody who does not know them: the goal, a turn in pictures, measured lengths."""

from __future__ import annotations

import json
import re
from typing import cast
from unittest.mock import Mock
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from pbem.cli import main
from pbem.games import all_games
from pbem.games.hogen import GAME as HOGEN
from pbem.kit.contract import AnyGame, Intro, Length, Picture
from pbem.kit.laws.newcomers import check_intro
from pbem.kit.play import LawBroken
from pbem.kit.texts import Lang, Text
from pbem.render import pictures
from pbem.testing.faces.boards import CLASSES
from tests.games.discovered import GAMES, LANGUAGES, UNSET_IN_FRENCH
from tests.games.stage.drawn import classes_in, sizes_of_texts

LEAST = 13.3
"""The size of letters in a picture, so that they have 12 pixels on a phone that is 360 wide."""
SEED, MATCHES = "5e" * 32, 60
PICTURE = Picture(lambda lang: "", Text("x", "x"))
NEAR = 0.15
"""How far what is said may be from what is measured."""


def intro_of(game: AnyGame) -> Intro:
    assert game.intro is not None
    return game.intro


@GAMES
@LANGUAGES
def test_the_goal_is_one_sentence(game: AnyGame, lang: Lang) -> None:
    assert re.fullmatch(r"[^.!?]+\.", game.meta.blurb[lang])


@GAMES
@LANGUAGES
def test_a_turn_is_three_pictures_with_a_sentence_each(game: AnyGame, lang: Lang) -> None:
    turn = intro_of(game).turn
    assert len(turn) == 3
    for picture in turn:
        drawn = pictures.svg_with_names(picture.draw(lang), ())
        assert pictures.symbol_definitions(game, drawn)
        assert classes_in(drawn) <= CLASSES
        said = [picture.text[lang], *(text.text or "" for text in ElementTree.fromstring(drawn).iter("text"))]
        assert lang == "en" or not [one for one in said if UNSET_IN_FRENCH.search(one) and one not in ("!", "?")]


@GAMES
@LANGUAGES
def test_pictures_of_turns_are_alike_and_can_be_read_on_a_phone(game: AnyGame, lang: Lang) -> None:
    for picture in intro_of(game).turn:
        drawn = ElementTree.fromstring(picture.draw(lang))
        assert drawn.attrib["viewBox"] == "0 0 360 228"
        assert min(sizes_of_texts(drawn), default=LEAST) >= LEAST
        assert len(drawn.get("aria-label", "")) > 20


@GAMES
def test_a_games_introduction_is_within_its_length_limits(game: AnyGame) -> None:
    check_intro(game)


@pytest.mark.parametrize(
    ("intro", "why"),
    [
        (Intro(turn=(PICTURE,) * 2), "a turn is 3 pictures, not 2"),
        (Intro(turn=(replace(PICTURE, text=Text("x", "x" * 91)),) * 3), "more than 90 letters: xxx"),
        (Intro(lengths=(Length(2, 7, 5),)), "lengths are for"),
        (Intro(lengths=(Length(3, 7, 5),) * 2), "lengths are for"),
    ],
)
def test_the_check_of_a_game_names_intro_texts_that_are_too_long(intro: Intro, why: str) -> None:
    with pytest.raises(LawBroken, match=why):
        check_intro(cast(AnyGame, Mock(meta=HOGEN.meta, intro=intro)))
    long = replace(HOGEN.meta, blurb=Text("x" * 91, "x"))
    with pytest.raises(LawBroken, match="more than 90 letters"):
        check_intro(cast(AnyGame, Mock(meta=long, intro=None)))
    check_intro(cast(AnyGame, Mock(meta=replace(long, blurb=Text("x" * 90, "x")), intro=None)))


@GAMES
def test_a_games_introduction_gives_a_length_for_each_number_of_players(game: AnyGame) -> None:
    assert tuple(length.seats for length in intro_of(game).lengths) == game.meta.seats


@pytest.mark.parametrize(
    ("slug", "length"),
    [
        pytest.param(slug, length, marks=() if slug == "hogen" and length.seats == 3 else pytest.mark.long)
        for slug, game in all_games().items()
        for length in intro_of(game).lengths
    ],
)
def test_simulated_matches_last_as_long_as_the_games_page_says(slug: str, length: Length) -> None:
    argv = f"simulate {slug} --bots greedy --seats {length.seats} --matches {MATCHES} --seed {SEED} --json"
    said = CliRunner().invoke(main, argv.split(), catch_exceptions=False).output
    found = json.loads(said)["seats"][str(length.seats)]
    assert length.turns == pytest.approx(found["decisions"]["median"] / length.seats, rel=NEAR)
    assert length.days == pytest.approx(found["days"]["median"], rel=NEAR)
