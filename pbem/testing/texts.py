"""What a game says: in both languages, with rules that are in its rulebook."""

import io
import re
import tokenize
from collections.abc import Iterator, Sequence
from importlib.resources.abc import Traversable
from itertools import zip_longest
from typing import Any

from pbem.games import text_of
from pbem.kit.contract import UNNUMBERED, AnyGame, Ask, Event, Scene, Unreadable, Viewer
from pbem.kit.options import options_of
from pbem.kit.secrecy import redact
from pbem.kit.texts import LANGS, Lang, Text
from pbem.render.markdown import rules_of
from pbem.testing.faults import Fault, faults_of
from pbem.testing.languages import Languages, words_of
from pbem.testing.records import Record

RULES, TEXTS = "rules", "texts"
_WITH_TEXT = (tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING))
_ANCHOR = re.compile(r'id="([\w.]+)"')
_NUMBER = r"(?:R\d+|[1-9]\d*(?:\.\d+)?)"
_NUMBERS = rf"{_NUMBER}(?:(?:, | and | et ){_NUMBER})*"
_CITED = re.compile(rf"#\s*(?:-+ )?({_NUMBERS})(?:[:.] .*)?\s*")
_NAMED = re.compile(rf"\b(?:rules?|règles?) ({_NUMBERS})(?!\w)", re.IGNORECASE)
_IN_BRACKETS = re.compile(rf"\((?:R\d+|\d+\.\d+)(?:(?:, | and | et ){_NUMBER})*\)")
_WORDS_OF_BOARD = re.compile(r"(?<=>)[^<>]+(?=</t)|(?<=aria-label=\")[^\"]+")
_HINT = "what is said where a move cannot be read"
"""It names what may be typed, in whatever language."""
_LINE = 4
"""This many words are a line of a rulebook that is to be in one language."""
_WORD = re.compile(r"[^\W\d_]{2,}")


def find_wrong_rules(game: AnyGame, folder: Traversable) -> Iterator[Fault]:
    """Yields rules that are cited and not in the rulebook, and rulebooks that have other numbers."""
    where = {one.rule: f"the refusal {code!r}" for code, one in game.meta.refusals.items() if one.rule != UNNUMBERED}
    cited, uncertain = dict[str, str](), dict[str, str]()
    for file, rule, certain in _find_cited(folder):
        (cited if certain else uncertain).setdefault(rule, f"a comment or a text in {file}")
    numbers: dict[Lang, set[str]] = {}
    for lang in LANGS:
        name = f"RULES.{lang}.md"

        def look(lang: Lang = lang) -> None:
            numbers[lang] = {*_ANCHOR.findall(rules_of(game.meta.slug, lang).body)}

        yield from faults_of(RULES, look)
        if lang not in numbers:
            continue
        shapes = {_rule_number_form(number) for number in numbers[lang]}
        where = {
            **{rule: name for rule, name in uncertain.items() if _rule_number_form(rule) in shapes},
            **cited,
            **where,
        }
        for rule in sorted(where.keys() - numbers[lang]):
            todo = f"Write a rule that begins with {rule}. in {name}, or cite the number that is meant."
            yield Fault(RULES, f"{name} has no rule {rule}, which {where[rule]} cites", todo)
    if len(numbers) == len(LANGS) and (odd := numbers["fr"] ^ numbers["en"]):
        yield Fault(RULES, f"only one of the rulebooks has {', '.join(sorted(odd))}", "Number both alike.")


def _rule_number_form(number: str) -> str:
    """Returns the form of a number of a rule: a number in brackets that no rulebook would have cites none."""
    return re.sub(r"\d+", "0", number)


def _find_cited(folder: Traversable) -> Iterator[tuple[str, str, bool]]:
    """Yields the rules that are cited in code and in texts, each with its file, and whether it must be a rule.

    That is what is called a rule or has an R before it; a number alone may be another one.
    """
    for file in folder.iterdir():
        if file.is_dir():
            yield from _find_cited(file)
        elif file.name.endswith(".md"):
            for named in _NAMED.finditer(file.read_text(encoding="utf-8")):
                yield from ((file.name, rule, True) for rule in re.findall(_NUMBER, named[1]))
        elif file.name.endswith(".py"):
            for token in tokenize.generate_tokens(io.StringIO(file.read_text(encoding="utf-8")).readline):
                if token.type not in _WITH_TEXT:
                    continue
                named_in = [named[1] for named in _NAMED.finditer(token.string)]
                found = [one[0] for one in _IN_BRACKETS.finditer(token.string)]
                if token.type == tokenize.COMMENT and (alone := _CITED.fullmatch(token.string)):
                    found.append(alone[1])
                for certain, texts in ((True, named_in), (False, found)):
                    for rule in (rule for text in texts for rule in re.findall(_NUMBER, text)):
                        yield file.name, rule, certain or rule.startswith("R")


def find_wrong_texts(game: AnyGame, languages: Languages) -> Iterator[Fault]:
    """Yields the texts of `Meta` that are missing in a language or the same in both, and files that are the same."""
    for where, text in texts_of(game).items():
        if not (text.fr.strip() and text.en.strip()):
            yield Fault(TEXTS, f"{where} is not said in both languages", "Say it in French and in English.")
        elif text.fr == text.en and _says_something(text.en):
            yield Fault(TEXTS, f"{where} is the same in both languages: {text.en!r}", "Translate one of them.")
        elif where != _HINT and (wrong := languages.wrong(text.fr, text.en)):
            yield Fault(TEXTS, f"{where} {wrong}: {text.fr!r}, {text.en!r}", "Translate it.")
    for name in ("RULES", "NOTATION"):
        french, english = (text_of(game.meta.slug, f"{name}.{lang}.md") for lang in LANGS)
        same = [line for line in english.splitlines() if len(words_of(line)) >= _LINE and line in french.splitlines()]
        if same:
            said = f"{name}.fr.md and {name}.en.md say the same: {same[0]!r}"
            yield Fault(TEXTS, said, "Translate it.")


def texts_of(game: AnyGame) -> dict[str, Text]:
    """Returns the texts of `Meta`, by what each is. The title may be a name, and is not among them."""
    meta = game.meta
    found = {"the blurb": meta.blurb}
    for kind, ask in meta.asks.items():
        found[f"the title of the question {kind!r}"] = ask.title
        if ask.hint is not None:
            found[f"the hint of the question {kind!r}"] = ask.hint
    found |= {f"the ending {reason!r}": text for reason, text in meta.endings.items()}
    found |= {f"the refusal {code!r}": refusal.text for code, refusal in meta.refusals.items()}
    found |= {f"the draw {kind!r}": draw.title for kind, draw in meta.draws.items()}
    found |= {f"the guard {word!r}": guard.text for word, guard in meta.guards.items()}
    for order in meta.orders:
        found[f"the title of the order {order.word!r}"] = order.title
        found |= {f"{name!r} of the order {order.word!r}": one.title for name, one in order.parameters.items()}
        for sample in order.samples:
            found[f"what the order {order.word!r} says"] = Text(order.says(sample, "fr"), order.says(sample, "en"))
    if game.intro is not None:
        found |= {f"picture {n} of a turn": picture.text for n, picture in enumerate(game.intro.turn, 1)}
    if game.lesson is not None:
        found |= {f"step {n} of the lesson": step.say for n, step in enumerate(game.lesson.steps, 1)}
    try:
        game.parse("?", 0)
    except Unreadable as unreadable:
        found[_HINT] = unreadable.hint
    for option in options_of(meta):
        found[f"the title of the option {option.name!r}"] = option.title
        found[f"the hint of the option {option.name!r}"] = option.hint
        found |= {f"{choice.word!r} of the option {option.name!r}": choice.text for choice in option.choices}
    return found


def _says_something(text: str) -> bool:
    """Returns whether the text has a word that can be translated: not only numbers, names and things in braces."""
    words = _WORD.findall(re.sub(r"\{[^{}]*\}", "", text))
    return len(words) > 1 or any(word[0].islower() for word in words)


class Said:
    """The sentences that matches have said, and what is wrong with the first one of each face of the game."""

    def __init__(self, game: AnyGame, languages: Languages) -> None:
        self._title, self._languages, self._wrong = game.meta.title, languages, dict[str, Fault]()

    def look(self, record: Record) -> None:
        """Reads what is told, asked and offered in a match in both languages, to seats and to a spectator."""
        game = record.game
        folds: dict[Viewer, Any] = dict.fromkeys(record.table.viewers)
        for at, decision in enumerate(record.decisions):
            if decision.ask is not None and at % 7 == 1:
                self._look_at_question(game, decision.ask, folds[decision.ask.seat])
                for viewer in (decision.ask.seat, None):
                    self._look_at_board(game, folds[viewer], viewer)
            for event in decision.events:
                for viewer, fold in folds.items():
                    self._look_at_event(game, redact(event, viewer), fold, viewer)
                    folds[viewer] = game.evolve(fold, redact(event, viewer))

    def _look_at_event(self, game: AnyGame, event: Event, fold: Any, viewer: Viewer) -> None:
        self._compare("tell", *([game.tell(event, fold, lang)] for lang in LANGS))
        if game.card is not None:
            cards = [game.card(event, fold, viewer, lang) for lang in LANGS]
            self._compare("card", *((card.title, *card.lines) if card else () for card in cards))

    def _look_at_question(self, game: AnyGame, ask: Ask, fold: Any) -> None:
        self._compare("prompt", *([game.prompt(ask, fold, lang)] for lang in LANGS))
        pads = [game.pad(ask, fold, lang) for lang in LANGS]
        self._compare("pad", *([pad.title, *(cell.text for row in pad.rows for cell in row)] for pad in pads))
        self._compare("candidates", *([one.text for one in game.candidates(ask, fold, lang)] for lang in LANGS))
        legal = game.legal(fold, ask.seat)
        for move in legal[:: max(1, len(legal) // 7)]:
            self._compare("label", *([game.label(move, fold, lang)] for lang in LANGS))
            self._compare("path", *([step.label for step in game.path(move, fold, lang)] for lang in LANGS))
            self._compare("name", *([game.name(move, lang)] for lang in LANGS))

    def _look_at_board(self, game: AnyGame, fold: Any, viewer: Viewer) -> None:
        self._compare("describe", *(game.describe(fold, viewer, lang) for lang in LANGS))
        self._compare("draw", *(_WORDS_OF_BOARD.findall(game.draw(fold, viewer, lang, Scene())) for lang in LANGS))

    def _compare(self, face: str, french: Sequence[str], english: Sequence[str]) -> None:
        # A drawing may break lines otherwise.
        pairs = zip(french, english, strict=False) if face == "draw" else zip_longest(french, english, fillvalue="")
        for texts in pairs:
            untitled = [text.replace(self._title[lang], "").strip() for text, lang in zip(texts, LANGS, strict=True)]
            compared = texts if untitled.count("") == 1 else untitled
            if face not in self._wrong and (wrong := self._languages.wrong(*compared)):
                at = texts[not texts[0] or "French in English" in wrong]
                self._wrong[face] = Fault(TEXTS, f"`{face}` {wrong}: {at!r}", "Translate it.")

    def faults(self) -> Iterator[Fault]:
        """Yields a sentence of each face of the game that is not in both languages."""
        yield from self._wrong.values()
