"""The rulebooks: they have every number that is cited, each once, and say the same numbers in both languages."""

import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from html import unescape
from importlib.resources.abc import Traversable

from pbem.games import read_text_file_of_game
from pbem.kit.contract import UNNUMBERED, AnyGame
from pbem.kit.texts import LANGS, Lang
from pbem.render.markdown import rules_of
from pbem.testing.faces.languages import numbers_in_one_text_only, words_of
from pbem.testing.faults import Fault, fault_if_check_raises

RULES = "rules"
_WITH_TEXT = (tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING))
_ANCHOR = re.compile(r'<(?:h2|div class="rule") id="([\w.]+)">')
_TAG = re.compile(r"<svg.*?</svg>|<[^>]*>", re.DOTALL)
_NUMBER = r"(?:R\d+|[1-9]\d*(?:\.\d+)?)"
_NUMBERS = rf"{_NUMBER}(?:(?:, | and | et ){_NUMBER})*"
_CITED = re.compile(rf"#\s*(?:-+ )?({_NUMBERS})(?:[:.] .*)?\s*")
_NAMED = re.compile(rf"\b(?:rules?|règles?) ({_NUMBERS})(?!\w)", re.IGNORECASE)
_IN_BRACKETS = re.compile(rf"\((?:R\d+|\d+\.\d+)(?:(?:, | and | et ){_NUMBER})*\)")
_LINE = 4
"""This many words are a line of a rulebook that is to be in one language."""


def find_wrong_rules(game: AnyGame, folder: Traversable) -> Iterator[Fault]:
    """Yields rules that are cited and not in the rulebook, and rulebooks that differ, or number two rules alike."""
    cited, uncertain = dict[str, str](), dict[str, str]()
    for file, rule, certain in _find_cited_rules(folder):
        (cited if certain else uncertain).setdefault(rule, f"a comment or a text in {file}")
    cited |= {one.rule: f"the refusal {code!r}" for code, one in game.meta.refusals.items() if one.rule != UNNUMBERED}
    books: dict[Lang, Sequence[tuple[str, str]]] = {}
    for lang in LANGS:

        def look(lang: Lang = lang) -> None:
            books[lang] = _read_rules(game.meta.slug, lang)

        yield from fault_if_check_raises(RULES, look)
        if lang in books:
            yield from _find_missing_or_doubled_rules(
                f"RULES.{lang}.md", [number for number, _ in books[lang]], cited, uncertain
            )
    if len(books) == len(LANGS):
        yield from _compare_rulebooks(*(dict(books[lang]) for lang in LANGS))
    yield from _find_untranslated_lines(game.meta.slug)


def _read_rules(slug: str, lang: Lang) -> Sequence[tuple[str, str]]:
    """Returns the rules of a rulebook in their order: the number of each, and what it says."""
    _, *parts = _ANCHOR.split(str(rules_of(slug, lang).body))
    return [(number, unescape(_TAG.sub("", said))) for number, said in zip(parts[::2], parts[1::2], strict=True)]


def _find_missing_or_doubled_rules(
    book: str, numbers: Sequence[str], cited: Mapping[str, str], uncertain: Mapping[str, str]
) -> Iterator[Fault]:
    """Yields what one rulebook lacks of the rules that are cited, each with where, and what it has twice."""
    if not numbers:
        yield Fault(RULES, f"{book} has no rule with a number", "Begin each rule with its number, such as `1. `.")
    forms = {_rule_number_form(number) for number in numbers}
    where = {**{rule: name for rule, name in uncertain.items() if _rule_number_form(rule) in forms}, **cited}
    for rule in sorted(where.keys() - {*numbers}):
        todo = f"Write a rule that begins with {rule}. in {book}, or cite the number that is meant."
        yield Fault(RULES, f"{book} has no rule {rule}, which {where[rule]} cites", todo)
    for rule in [rule for rule, times in Counter(numbers).items() if times > 1]:
        yield Fault(RULES, f"{book} has two rules {rule}", "Give each rule a number of its own: a link leads to one.")


def _compare_rulebooks(french: Mapping[str, str], english: Mapping[str, str]) -> Iterator[Fault]:
    if odd := french.keys() ^ english.keys():
        yield Fault(RULES, f"only one of the rulebooks has {', '.join(sorted(odd))}", "Number both alike.")
    for rule in (rule for rule in french if rule in english):
        alone = numbers_in_one_text_only(french[rule], english[rule])
        if any(alone):
            in_french, in_english = (", ".join(numbers) or "none" for numbers in alone)
            said = f"rule {rule} has the numbers {in_french} in French alone, and {in_english} in English alone"
            yield Fault(RULES, said, "Say the same rule under the same number in both rulebooks.")


def _find_untranslated_lines(slug: str) -> Iterator[Fault]:
    """Yields the first line that is the same in both languages, of the rulebook and of the page of notation."""
    for name in ("RULES", "NOTATION"):
        french, english = (read_text_file_of_game(slug, f"{name}.{lang}.md") for lang in LANGS)
        same = [line for line in english.splitlines() if len(words_of(line)) >= _LINE and line in french.splitlines()]
        if same:
            yield Fault(RULES, f"{name}.fr.md and {name}.en.md say the same: {same[0]!r}", "Translate it.")


def _rule_number_form(number: str) -> str:
    """Returns the form of a number of a rule: a number in brackets that no rulebook would have cites none."""
    return re.sub(r"\d+", "0", number)


def _find_cited_rules(folder: Traversable) -> Iterator[tuple[str, str, bool]]:
    """Yields the rules that are cited in code and in texts, each with its file, and whether it must be a rule.

    That is what is called a rule or has an R before it; a number alone may be another one.
    """
    for file in folder.iterdir():
        if file.is_dir():
            yield from _find_cited_rules(file)
        elif file.name.endswith((".md", ".py")):
            text = file.read_text(encoding="utf-8")
            for said in [text] if file.name.endswith(".md") else _comments_and_texts_in_code(text):
                named = [found[1] for found in _NAMED.finditer(said)]
                others = [found[0] for found in _IN_BRACKETS.finditer(said)]
                others += [alone[1]] if (alone := _CITED.fullmatch(said)) else []
                for certain, texts in ((True, named), (False, others)):
                    for rule in (rule for text in texts for rule in re.findall(_NUMBER, text)):
                        yield file.name, rule, certain or rule.startswith("R")


def _comments_and_texts_in_code(code: str) -> Iterator[str]:
    """Yields the comments and the texts of a module."""
    tokens = tokenize.generate_tokens(io.StringIO(code).readline)
    return (token.string for token in tokens if token.type in _WITH_TEXT)
