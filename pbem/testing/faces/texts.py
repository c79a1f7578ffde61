"""What a game says, in both languages: what is missing, alike, too long, or not translated."""

import re
from collections.abc import Iterator, Mapping, Sequence
from html import unescape
from itertools import zip_longest
from typing import Any

from pbem.games import found_games
from pbem.kit.contract import AnyGame, Ask, Event, Scene, Unreadable, Viewer
from pbem.kit.options import options_of
from pbem.kit.secrecy import redact
from pbem.kit.texts import LANGS, Text
from pbem.testing.faces.languages import Languages, difference_in_places_or_numbers
from pbem.testing.faces.wording import find_slips, first_repeated_text
from pbem.testing.faults import Fault
from pbem.testing.records import Record

TEXTS = "texts"
_WORDS_OF_BOARD = re.compile(r"(?<=>)[^<>]+(?=</t)|(?<=aria-label=\")[^\"]+")
_HINT = "what is said where a move cannot be read"
"""It names what may be typed, in whatever language."""
_SAYS = "what the order"
"""What an order does is typeset when it is shown."""
_MOVES = 30
"""About this many legal moves are compared at a question."""
_MATCHES = 40
"""After this many matches, what is asked and shown says nothing new; what is told may be rare."""
_ROOM = {"the title": 40, "the draw": 40, "the ending": 90, "the guard": 90, "the hint": 240, "the refusal": 240}
"""In letters, by what a text is: there is no room for more on the pages of a phone."""


def find_wrong_texts(game: AnyGame, languages: Languages) -> Iterator[Fault]:
    """Yields the texts of `Meta`, the introduction and the lesson that cannot stand so."""
    for where, text in texts_of(game).items():
        if not (text.fr.strip() and text.en.strip()):
            yield Fault(TEXTS, f"{where} is not said in both languages", "Say it in French and in English.")
            continue
        wrong = languages.what_is_wrong_with_translation(text.fr, text.en) or difference_in_places_or_numbers(
            text.fr, text.en
        )
        if wrong and (where != _HINT or text.fr == text.en):
            yield Fault(TEXTS, f"{where} {wrong}: {text.fr!r}, {text.en!r}", "Translate it.")
        room = next((letters for what, letters in _ROOM.items() if where.startswith(what)), None)
        for lang in LANGS:
            for said, todo in find_slips(text[lang], lang, typeset=not where.startswith(_SAYS)):
                yield Fault(TEXTS, f"{where} {said}: {text[lang]!r}", todo)
            if room is not None and len(text[lang]) > room:
                said = f"{where} has {len(text[lang])} letters, and there is room for {room}: {text[lang]!r}"
                yield Fault(TEXTS, said, "Say it in fewer words.")
    for what, texts in _texts_of_which_no_two_are_alike(game).items():
        if same := next(filter(None, (first_repeated_text([text[lang] for text in texts]) for lang in LANGS)), ""):
            yield Fault(TEXTS, f"{what} say the same: {same!r}", "Call them so that they can be told apart.")


def missing_aids_for_newcomers(game: AnyGame) -> list[str]:
    """Returns what helps newcomers and is not there, in words: a game need not have it."""
    ornaments = {"a cover": found_games()[game.meta.slug].cover, "an introduction": game.intro, "a lesson": game.lesson}
    hints = [f"a hint for the question {kind!r}" for kind, ask in game.meta.asks.items() if ask.hint is None]
    return [name for name, value in ornaments.items() if value is None] + hints


def _texts_of_which_no_two_are_alike(game: AnyGame) -> Mapping[str, Sequence[Text]]:
    """Returns texts of which no two may be alike, by what these would be."""
    meta, options = game.meta, options_of(game.meta)
    found: dict[str, Sequence[Text]] = {
        "the title and the goal": (meta.title, meta.blurb),
        "two options": [option.title for option in options],
        "two hints of options": [option.hint for option in options],
        "two endings": [*meta.endings.values()],
        "two kinds of draws": [draw.title for draw in meta.draws.values()],
        "two orders": [order.title for order in meta.orders],
        "two guards": [guard.text for guard in meta.guards.values()],
        "two pictures of a turn": [picture.text for picture in game.intro.turn] if game.intro is not None else [],
        "two steps of the lesson": [step.say for step in game.lesson.steps] if game.lesson is not None else [],
    }
    for option in options:
        found[f"two choices of the option {option.name!r}"] = [choice.text for choice in option.choices]
        found[f"the title and the hint of the option {option.name!r}"] = (option.title, option.hint)
    for kind, ask in meta.asks.items():
        found[f"the title and the hint of the question {kind!r}"] = (ask.title, *([ask.hint] if ask.hint else []))
    return found


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


class Said:
    """The sentences that matches have said, and each kind of thing that is wrong with a face of the game."""

    def __init__(self, game: AnyGame, languages: Languages) -> None:
        self._title, self._languages, self._wrong = game.meta.title, languages, dict[tuple[str, str], Fault]()
        self._read, self._asked, self._matches = set[tuple[str, ...]](), set[str](), 0

    def read_what_match_says(self, record: Record) -> None:
        """Reads what is told, asked and offered in a match in both languages, to seats and to a spectator."""
        game = record.game
        self._matches += 1
        folds: dict[Viewer, Any] = dict.fromkeys(record.table.viewers)
        for at, decision in enumerate(record.decisions):
            if (ask := decision.ask) is not None and self._matches <= _MATCHES:
                viewer = ask.seat if at % 2 else None
                self._look_at_description(game, folds[viewer], viewer)
                if at % 7 == 1 or ask.kind not in self._asked:
                    self._asked.add(ask.kind)
                    self._look_at_question(game, ask, folds[ask.seat])
                    for viewer in (ask.seat, None):
                        boards = [game.draw(folds[viewer], viewer, lang, Scene()) for lang in LANGS]
                        self._compare_languages("draw", *map(_WORDS_OF_BOARD.findall, boards))
            for event in decision.events:
                for viewer, fold in folds.items():
                    self._look_at_event(game, redact(event, viewer), fold, viewer)
                    folds[viewer] = game.evolve(fold, redact(event, viewer))

    def _look_at_event(self, game: AnyGame, event: Event, fold: Any, viewer: Viewer) -> None:
        self._compare_languages("tell", *([game.tell(event, fold, lang)] for lang in LANGS))
        if game.card is not None:
            cards = [game.card(event, fold, viewer, lang) for lang in LANGS]
            self._compare_languages("card", *((card.title, *card.lines) if card else () for card in cards))

    def _look_at_question(self, game: AnyGame, ask: Ask, fold: Any) -> None:
        self._compare_languages("prompt", *([game.prompt(ask, fold, lang)] for lang in LANGS))
        pads = [game.pad(ask, fold, lang) for lang in LANGS]
        self._compare_languages("pad", *([pad.title, *(cell.text for row in pad.rows for cell in row)] for pad in pads))
        self._compare_languages(
            "candidates", *([one.text for one in game.candidates(ask, fold, lang)] for lang in LANGS)
        )
        legal = game.legal(fold, ask.seat)
        some = legal[:: max(1, len(legal) // _MOVES)]
        for move in some:
            self._compare_languages("path", *([step.label for step in game.path(move, fold, lang)] for lang in LANGS))
        for face, name in (("label", lambda move, lang: game.label(move, fold, lang)), ("name", game.name)):
            said = [[name(move, lang) for move in some] for lang in LANGS]
            self._compare_languages(face, *said)
            for same in filter(None, map(first_repeated_text, said)):
                todo = "Say what tells them apart: a mail offers both."
                self._note_fault(face, "says the same of two moves", same, todo)

    def _look_at_description(self, game: AnyGame, fold: Any, viewer: Viewer) -> None:
        lines = [game.describe(fold, viewer, lang) for lang in LANGS]
        if not any(lines):
            todo = "Say the board in words, for mails and for people who do not see it."
            self._note_fault("describe", "says nothing of a board", "", todo)
        self._compare_languages("describe", *lines)

    def _compare_languages(self, face: str, french: Sequence[str], english: Sequence[str]) -> None:
        # A drawing may break lines otherwise.
        drawn = face == "draw"
        for texts in zip(french, english, strict=False) if drawn else zip_longest(french, english, fillvalue=""):
            if (face, *texts) in self._read:
                continue
            self._read.add((face, *texts))
            untitled = [text.replace(self._title[lang], "").strip() for text, lang in zip(texts, LANGS, strict=True)]
            compared = texts if untitled.count("") == 1 else untitled
            if wrong := self._languages.what_is_wrong_with_translation(*compared) or (
                "" if drawn else difference_in_places_or_numbers(*texts)
            ):
                at = texts[bool(texts[1]) and (not texts[0] or wrong.endswith(" in English"))]
                self._note_fault(face, wrong, at, "Translate it.")
            for text, lang in zip(texts, LANGS, strict=True):
                for said, todo in find_slips(unescape(text) if drawn else text, lang):
                    self._note_fault(face, said, text, todo)

    def _note_fault(self, face: str, wrong: str, text: str, todo: str) -> None:
        self._wrong.setdefault((face, wrong), Fault(TEXTS, f"`{face}` {wrong}: {text!r}", todo))

    def faults(self) -> Iterator[Fault]:
        """Yields a sentence of each face of the game for each kind of thing that is wrong with it."""
        yield from self._wrong.values()
