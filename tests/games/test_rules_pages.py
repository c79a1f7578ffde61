"""Every game's rules pages contain the rules that its code cites, in both languages, and their examples are valid."""

import io
import re
import tokenize
from collections.abc import Iterator

from pbem.kit.contract import AnyGame, Unreadable
from pbem.kit.texts import LANGS, Lang
from tests.games.discovered import GAMES, LANGUAGES, examples_of, folder_of_game, options_of, rules_page

CITED = re.compile(r"\b(R\d+|[1-9]\.[1-9]\d*)\b")
IN_BRACKETS = re.compile(r"\(((?:R\d+|[1-9]\.[1-9]\d*)(?:(?:, | and )(?:R\d+|[1-9]\.[1-9]\d*))*)\)")


def rule_numbers(game: AnyGame, lang: Lang) -> list[str]:
    """The numbers of the sections and rules, in order."""
    return re.findall(r"^(?:## )?(\d+\.\d*)", rules_page(game, lang), re.MULTILINE)


def ruling_numbers(game: AnyGame, lang: Lang) -> list[str]:
    """The numbers of the rulings, in order."""
    return re.findall(r"^\* \*\*(R\d+)\.", rules_page(game, lang), re.MULTILINE)


def numbers_cited_by_the_code(game: AnyGame) -> Iterator[str]:
    """The numbers of rules and rulings in the comments, and those in brackets in docstrings and texts."""
    for module in folder_of_game(game).iterdir():
        if module.name.endswith(".py"):
            for token in tokenize.generate_tokens(io.StringIO(module.read_text(encoding="utf-8")).readline):
                if token.type == tokenize.COMMENT:
                    yield from CITED.findall(token.string)
                elif token.type == tokenize.STRING:
                    for group in IN_BRACKETS.findall(token.string):
                        yield from CITED.findall(group)


@GAMES
@LANGUAGES
def test_every_refusal_cites_an_existing_rule(game: AnyGame, lang: Lang) -> None:
    assert {refusal.rule for refusal in game.meta.refusals.values()} <= set(rule_numbers(game, lang))


@GAMES
def test_every_rule_cited_in_the_code_exists(game: AnyGame) -> None:
    cited = set(numbers_cited_by_the_code(game))
    assert len(cited) > 2
    for lang in LANGS:
        assert cited <= {*rule_numbers(game, lang), *ruling_numbers(game, lang)}


@GAMES
@LANGUAGES
def test_the_rulings_are_numbered_in_order_and_each_is_cited_in_the_rules(game: AnyGame, lang: Lang) -> None:
    found = ruling_numbers(game, lang)
    assert found == [f"R{n}" for n in range(1, len(found) + 1)]
    assert set(re.findall(r"\bR\d+\b", rules_page(game, lang).partition("* **R1.")[0])) == set(found)


@GAMES
def test_the_english_and_french_rules_have_the_same_numbers(game: AnyGame) -> None:
    french, english = ([*rule_numbers(game, lang), *ruling_numbers(game, lang)] for lang in LANGS)
    assert french == english


@GAMES
def test_every_notation_shown_parses_and_every_kind_of_move_is_shown(game: AnyGame) -> None:
    unread = set()
    for lang in LANGS:
        (section,) = re.findall(r"^## \d+\. Notation\n(.*?)^## ", rules_page(game, lang), re.MULTILINE | re.DOTALL)
        kinds = set()
        for example in re.findall(r"`([^`]+)`", section):
            try:
                kinds.add(type(game.parse(example)))
            except Unreadable:
                unread.add(example)
        assert kinds == set(game.meta.moves)
    assert unread == set(examples_of(game).FRAGMENTS)


@GAMES
def test_the_french_rules_follow_french_typography(game: AnyGame) -> None:
    prose = re.sub(r"`[^`]*`|!\[|\]\(figure:[a-z-]+\)", "", rules_page(game, "fr"))
    assert not re.search(r"(?<!\u00a0)[:;?!»](?!-)|'|\u202f", prose.replace("|---", ""))


@GAMES
@LANGUAGES
def test_a_games_rule_of_silence_cites_its_number_on_the_rules_page(game: AnyGame, lang: Lang) -> None:
    asked = [silence[lang] for n in range(4) if (silence := game.meta.silence(options_of(game, n)))]
    ruled = re.findall(r"^(\d\.\d)\. \*\*Silence\.\*\*", rules_page(game, lang), re.MULTILINE)
    assert len(ruled) == bool(asked)
    assert all(f"({ruled[0]})" in text for text in asked)
