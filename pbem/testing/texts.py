"""What a game says: in both languages, with rules that are in its rulebook."""

import io
import re
import tokenize
from collections.abc import Iterator
from importlib.resources.abc import Traversable

from pbem.kit.contract import UNNUMBERED, AnyGame, Scene
from pbem.kit.options import options_of
from pbem.kit.texts import LANGS, Lang, Text
from pbem.testing.faults import Fault, faults_of
from pbem.testing.records import Record
from pbem.web.docs import rules_of

RULES, TEXTS = "rules", "texts"
_ANCHOR = re.compile(r'id="([\w.]+)"')
_NUMBER = r"(?:R\d+|[1-9]\d*(?:\.\d+)?)"
_CITED = re.compile(rf"#\s*({_NUMBER}(?:, {_NUMBER})*)\s*")
_IN_BRACKETS = re.compile(rf"\((R\d+|\d+\.\d+)(?:(?:, | and | et )({_NUMBER}))*\)")
_WORDS_OF_BOARD = re.compile(r"<text[^>]*>([^<]+)</text>")
_WORD = re.compile(r"[^\W\d_]{2,}")
_SAME_WORDS = 2
"""Of what is said in a match, this many equal words in both languages are a sentence that nobody has translated."""


def find_wrong_rules(game: AnyGame, folder: Traversable) -> Iterator[Fault]:
    """Yields rules that are cited and not in the rulebook, and rulebooks that have other numbers."""
    where = {one.rule: f"the refusal {code!r}" for code, one in game.meta.refusals.items() if one.rule != UNNUMBERED}
    in_code = {rule: f"a comment or a text in {file}" for file, rule in _find_in_code(folder)}
    numbers: dict[Lang, set[str]] = {}
    for lang in LANGS:
        name = f"RULES.{lang}.md"

        def look(lang: Lang = lang) -> None:
            numbers[lang] = {*_ANCHOR.findall(rules_of(game.meta.slug, lang).body)}

        yield from faults_of(RULES, look)
        if lang not in numbers:
            continue
        shapes = {_shape(number) for number in numbers[lang]}
        where = {**{rule: name for rule, name in in_code.items() if _shape(rule) in shapes}, **where}
        for rule in sorted(where.keys() - numbers[lang]):
            todo = f"Write a rule that begins with {rule}. in {name}, or cite the number that is meant."
            yield Fault(RULES, f"{name} has no rule {rule}, which {where[rule]} cites", todo)
    if len(numbers) == len(LANGS) and (odd := numbers["fr"] ^ numbers["en"]):
        yield Fault(RULES, f"only one of the rulebooks has {', '.join(sorted(odd))}", "Number both alike.")


def _shape(number: str) -> str:
    """Returns the form of a number of a rule: a number in brackets that no rulebook would have cites none."""
    return re.sub(r"\d+", "0", number)


def _find_in_code(folder: Traversable) -> Iterator[tuple[str, str]]:
    """Yields the numbers of rules in comments that are nothing else, and in brackets in texts, each with its file."""
    for file in folder.iterdir():
        if file.is_dir():
            yield from _find_in_code(file)
        elif file.name.endswith(".py"):
            for token in tokenize.generate_tokens(io.StringIO(file.read_text(encoding="utf-8")).readline):
                if token.type == tokenize.COMMENT and (found := _CITED.fullmatch(token.string)):
                    yield from ((file.name, rule) for rule in found[1].split(", "))
                elif token.type == tokenize.STRING:
                    for group in _IN_BRACKETS.finditer(token.string):
                        yield from ((file.name, rule) for rule in re.findall(_NUMBER, group[0]))


def find_wrong_texts(game: AnyGame) -> Iterator[Fault]:
    """Yields the texts of `Meta` that are missing in a language, or the same in both."""
    for where, text in texts_of(game).items():
        if not (text.fr.strip() and text.en.strip()):
            yield Fault(TEXTS, f"{where} is not said in both languages", "Say it in French and in English.")
        elif text.fr == text.en and _says_something(text.en):
            yield Fault(TEXTS, f"{where} is the same in both languages: {text.en!r}", "Translate one of them.")


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
    """The sentences that matches have said, and those that were the same in both languages."""

    def __init__(self) -> None:
        self.same: dict[str, str] = {}

    def look(self, record: Record) -> None:
        """Reads what is told, asked and offered in a match in both languages."""
        game, table = record.game, record.table
        fold = None
        for entry in table.entries:
            self._compare("tell", *(game.tell(entry.event, fold, lang) for lang in LANGS))
            if game.card is not None:
                cards = [game.card(entry.event, fold, None, lang) for lang in LANGS]
                self._compare("card", *(" ".join((card.title, *card.lines)) if card else "" for card in cards))
            fold = game.evolve(fold, entry.event)
        for decision in record.decisions[1::7]:
            ask, state = decision.ask, decision.before
            assert ask is not None, "the setup comes first"
            self._compare("prompt", *(game.prompt(ask, state, lang) for lang in LANGS))
            self._compare("pad", *(game.pad(ask, state, lang).title for lang in LANGS))
            legal = game.legal(state, ask.seat)
            for move in legal[:: max(1, len(legal) // 7)]:
                self._compare("label", *(game.label(move, state, lang) for lang in LANGS))
                for pair in zip(*(game.path(move, state, lang) for lang in LANGS), strict=False):
                    self._compare("path", *(step.label for step in pair))
            for pair in zip(*(game.describe(state, ask.seat, lang) for lang in LANGS), strict=False):
                self._compare("describe", *pair)
            drawn = (_WORDS_OF_BOARD.findall(game.draw(state, ask.seat, lang, Scene())) for lang in LANGS)
            for pair in zip(*drawn, strict=False):
                self._compare("draw", *pair)

    def _compare(self, face: str, french: str, english: str) -> None:
        words = _WORD.findall(re.sub(r"\{[^{}]*\}", "", english))
        if french == english and len(words) >= _SAME_WORDS:
            self.same.setdefault(face, english)

    def faults(self) -> Iterator[Fault]:
        """Yields one sentence of each face of the game that is the same in both languages."""
        for face, text in self.same.items():
            yield Fault(TEXTS, f"`{face}` says the same in both languages: {text!r}", "Translate one of them.")
