"""A game's notation page is right in both languages: everything it says one may type is read so, for every move."""

from __future__ import annotations

import json
import re
from importlib.resources import files

import pytest

from pbem.games import all_games
from pbem.kit.codec import codec_for
from pbem.kit.contract import AnyGame, Unreadable
from pbem.kit.texts import LANGS, Lang

GAMES = pytest.mark.parametrize("game", all_games().values(), ids=list(all_games()))
LANGUAGES = pytest.mark.parametrize("lang", LANGS)
SPAN = re.compile("`([^`]+)`")
KIND = re.compile("## `([A-Za-z]+)`")


def source_of_page(game: AnyGame, lang: Lang) -> str:
    folder = files("pbem.games") / game.meta.slug.replace("-", "_")
    return (folder / f"NOTATION.{lang}.md").read_text(encoding="utf-8")


def sections_of_page(text: str) -> list[tuple[str, list[list[str]], list[list[str]]]]:
    """Each section's heading, with the code in each row of its table and each item of its list."""
    found = []
    for part in re.split(r"^(?=## )", text, flags=re.MULTILINE)[1:]:
        heading, *lines = part.splitlines()
        rows = [SPAN.findall(line) for line in lines if line.startswith("| `")]
        found.append((heading, rows, [SPAN.findall(line) for line in lines if line.startswith("* `")]))
    return found


@GAMES
@LANGUAGES
def test_the_notation_pages_examples_are_read_as_the_page_says(game: AnyGame, lang: Lang) -> None:
    shown = []
    for heading, rows, items in sections_of_page(source_of_page(game, lang))[:-1]:
        kind = KIND.match(heading)
        assert kind, heading
        shown.append(kind[1])
        moves = {written: codec_for(game).move_of(json.loads(as_json)) for written, as_json in items}
        assert {type(move).__name__ for move in moves.values()} == {kind[1]}
        assert {written for _, written in rows} == set(moves), "each move is shown as it is typed, and as JSON"
        for typed, written in rows:
            assert written == game.format(moves[written])
            for text in (typed, typed.upper(), written):
                assert game.parse(text) == moves[written], text
    assert sorted(shown) == sorted(move.__name__ for move in game.meta.moves), "each kind of move has its section"


@GAMES
@LANGUAGES
def test_the_notation_pages_examples_of_unreadable_text_are_unreadable(game: AnyGame, lang: Lang) -> None:
    rows = sections_of_page(source_of_page(game, lang))[-1][1]
    assert rows
    for (text,) in rows:
        with pytest.raises(Unreadable):
            game.parse(text)


@GAMES
@LANGUAGES
def test_all_code_on_the_notation_pages_is_in_tested_lists(game: AnyGame, lang: Lang) -> None:
    for line in source_of_page(game, lang).splitlines():
        assert "`" not in line or line.startswith(("| `", "* `", "## `")), line


@GAMES
def test_both_languages_show_the_same_kinds_of_moves_in_the_same_order(game: AnyGame) -> None:
    french, english = (
        [KIND.findall(heading) for heading, *_ in sections_of_page(source_of_page(game, lang))] for lang in LANGS
    )
    assert french == english
