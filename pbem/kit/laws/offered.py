"""What a game must offer before a site shows it: checked when it is found, without playing it.

The laws (`pbem.kit.laws`) play it, and are for its author. This is what a host needs: a game that lacks something would
fail later, at a page, in a mail, or in the lists that show all games.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Union, get_args

import msgspec

from pbem.kit.codec import Codec
from pbem.kit.contract import (
    AskKind,
    Event,
    Game,
    Intro,
    Length,
    Lesson,
    LessonStep,
    Meta,
    Move,
    Options,
    Outcome,
    Picture,
    Refusal,
    Shape,
)
from pbem.kit.options import options_of
from pbem.kit.replay import TABLE_EVENTS
from pbem.kit.texts import LANGS, Text

OPTIONAL = ("imagine", "playout", "estimate", "end", "card", "intro", "lesson")
"""What a game need not offer: see docs/new-game.md."""
TEXTS = ("RULES.fr.md", "RULES.en.md", "NOTATION.fr.md", "NOTATION.en.md", "parts.svg")
"""The files beside its code."""
COVER = "cover.svg"
"""The file with its cover, which it need not have."""
MOST_SEATS, MOST_GUARDS = 16, 6
PICTURES = 3
"""The pictures of a turn."""
_SLUG = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_LONGEST_SLUG = 32
_VALUES = ("meta", "bots", "figures")
"""The faces that are no functions."""


def missing_faces(game: object) -> list[str]:
    """Returns the parts of the contract that this object lacks, in the contract's order."""
    faces = [name for name in vars(Game) if not name.startswith("_") and name not in OPTIONAL]
    return [name for name in faces if name not in _VALUES and not callable(getattr(game, name, None))] + [
        name for name in _VALUES if not hasattr(game, name)
    ]


def faults(game: Any) -> Iterator[str]:
    """Yields what is wrong with the meta of a game that has all faces, each as a few words."""
    meta = game.meta
    if not (isinstance(meta.slug, str) and _SLUG.fullmatch(meta.slug) and len(meta.slug) <= _LONGEST_SLUG):
        yield f"its slug must be words of small letters and digits with hyphens, at most {_LONGEST_SLUG} characters"
    yield from _wrong_numbers(meta)
    yield from _wrong_types(game)
    yield from _wrong_tables(game)
    if game.end is not None:
        yield from _try("its picture of the end", lambda: _draw_ends(game))
    yield from _wrong_intro(game)
    yield from _wrong_lesson(game.lesson)
    if not isinstance(meta.options, type) or not issubclass(meta.options, Options):
        yield "its options are no Options"
        return
    yield from _try("its options", lambda: options_of(meta))
    for name, words in meta.option_texts.items():
        texts = {"title": words.title, "hint": words.hint, **words.choices}
        yield from (f"the {part} of its option {name} {wrong}" for part, wrong in _unsaid(texts))


def _wrong_numbers(meta: Any) -> Iterator[str]:
    seats = meta.seats
    if not (isinstance(seats, tuple) and seats and all(isinstance(n, int) and 1 <= n <= MOST_SEATS for n in seats)):
        yield f"its numbers of seats must be from 1 to {MOST_SEATS}"
    elif not (isinstance(meta.bot_names, tuple) and len({*meta.bot_names}) > max(seats)):
        yield "it has too few names for bots"
    for name in ("minutes", "bound", "ease", "fold", "bot_version"):
        number = getattr(meta, name)
        if not isinstance(number, int) or number < 1:
            yield f"its {name} must be a number from 1 on"
    if not set(meta.shapes) <= {*get_args(Shape)} or "portrait" not in meta.shapes:
        yield f"the shapes of its board are {', '.join(get_args(Shape))}, and portrait is one of them"


def _wrong_types(game: Any) -> Iterator[str]:
    """Yields what keeps its moves, events and state from being read and written."""
    meta = game.meta
    wrong = [
        name
        for name, kinds, kind in (
            ("moves", meta.moves, Move), ("events", meta.events, Event), ("state", (meta.state,), msgspec.Struct),
        )
        if not kinds or not all(isinstance(one, type) and issubclass(one, kind) for one in kinds)
    ]  # fmt: skip
    if wrong:
        yield from (f"its {name} must be types of the contract" for name in wrong)
        return
    yield from _try("its types", lambda: Codec(game))
    yield from _try("its types", lambda: msgspec.json.schema_components([*meta.moves, meta.state, meta.options]))
    yield from _try("its events", lambda: msgspec.json.Decoder(Union[(*meta.events, *TABLE_EVENTS)]))


def _wrong_tables(game: Any) -> Iterator[str]:
    """Yields what is wrong with the tables of texts: a word in only one language, an entry of another kind."""
    meta: Meta = game.meta
    kinds: tuple[tuple[str, type, Callable[[Any], Text]], ...] = (
        ("asks", AskKind, lambda kind: kind.title),
        ("endings", Text, lambda text: text),
        ("refusals", Refusal, lambda refusal: refusal.text),
    )
    yield from (f"its {name} {wrong}" for name, wrong in _unsaid({"title": meta.title, "blurb": meta.blurb}))
    for name, kind, text_of in kinds:
        entries = getattr(meta, name)
        if not isinstance(entries, Mapping) or not all(isinstance(one, kind) for one in entries.values()):
            yield f"its {name} must be {kind.__name__} by name"
            continue
        texts = {key: text_of(one) for key, one in entries.items()}
        yield from (f"{key!r} of its {name} {wrong}" for key, wrong in _unsaid(texts))
    for name in ("asks", "endings"):
        if not getattr(meta, name):
            yield f"it has no {name}"
    if not isinstance(game.bots, Mapping) or not all(callable(bot) for bot in game.bots.values()):
        yield "its bots must be functions by name"
    if not isinstance(game.figures, Mapping) or not all(callable(figure) for figure in game.figures.values()):
        yield "its figures must be functions by name"
    if len(meta.guards) > MOST_GUARDS:
        yield f"it has more than {MOST_GUARDS} guards"


def _draw_ends(game: Any) -> None:
    """Draws how a match ended, for each number of winners. Raises ValueError if something is not the same for all."""
    for winners in (tuple(range(count)) for count in range(max(game.meta.seats) + 1)):
        for scores in (None, (-3,) * max(game.meta.seats)):
            drawn = game.end(Outcome(next(iter(game.meta.endings)), winners, scores))
            if not drawn.startswith("<svg ") or re.search(r"\{|data-piece|data-token|<a ", drawn):
                raise ValueError("it must be an <svg> without names, pieces and links")
    game.end(None)


def _wrong_intro(game: Any) -> Iterator[str]:
    """Yields what would be wrong on the page of the game; nothing if it has no introduction."""
    intro: Any = game.intro
    if intro is None:
        return
    if type(intro) is not Intro or not isinstance(intro.designer, str):
        yield "its intro must be an Intro whose designer is a text"
        return
    if intro.year is not None and not isinstance(intro.year, int):
        yield "the year of its intro must be a number"
    if len(intro.turn) not in (0, PICTURES) or not all(isinstance(one, Picture) for one in intro.turn):
        yield f"the turn of its intro must be {PICTURES} times a Picture, or nothing"
        return
    texts = {str(n): picture.text for n, picture in enumerate(intro.turn, 1)}
    yield from (f"the text of picture {n} of its turn {wrong}" for n, wrong in _unsaid(texts))
    yield from _try("a picture of its turn", lambda: _draw_turn(intro))
    yield from _wrong_lengths(intro, game.meta)


def _draw_turn(intro: Intro) -> None:
    """Draws a turn in both languages. Raises ValueError if a picture cannot stand on the page of the game."""
    for drawn in (picture.draw(lang) for picture in intro.turn for lang in LANGS):
        head = drawn.partition(">")[0]
        if not head.startswith("<svg ") or 'viewBox="0 0 360 ' not in head or re.search(r"\{|<a ", drawn):
            raise ValueError("it must be an <svg>, 360 units wide, without names and links")


def _wrong_lengths(intro: Intro, meta: Any) -> Iterator[str]:
    if not all(isinstance(one, Length) for one in intro.lengths):
        yield "the lengths of its intro must be Length"
        return
    numbers: list[Any] = [number for one in intro.lengths for number in (one.seats, one.turns, one.days)]
    if not all(isinstance(number, int) and number >= 1 for number in numbers):
        yield "the lengths of its intro must be numbers from 1 on"
    seats = [one.seats for one in intro.lengths]
    if len({*seats}) < len(seats) or not {*seats} <= {*meta.seats}:
        yield "the lengths of its intro must be for numbers of players that it offers, one for each"


def _wrong_lesson(lesson: Any) -> Iterator[str]:
    """Yields what is no lesson, or not said in both languages; whether it can be played is a law of its own."""
    if lesson is None:
        return
    if not isinstance(lesson, Lesson) or not all(isinstance(step, LessonStep) for step in lesson.steps):
        yield "its lesson must be a Lesson of LessonSteps"
        return
    texts = {str(n): step.say for n, step in enumerate(lesson.steps, 1)}
    yield from (f"step {n} of its lesson {wrong}" for n, wrong in _unsaid(texts))


def _unsaid(texts: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yields the names of the texts that are not there in a language, and which."""
    for name, text in texts.items():
        if not isinstance(text, Text):
            yield name, "is no Text"
            continue
        said: dict[str, Any] = {lang: text[lang] for lang in LANGS}
        absent = [lang for lang, words in said.items() if not isinstance(words, str) or not words.strip()]
        if absent:
            yield name, f"is not said in {', '.join(absent)}"


def wrong_symbols(text: str) -> str | None:
    """Returns what is wrong with a file of drawings; None if it can be read. An empty one has no symbols."""
    from xml.etree import ElementTree  # here, because nothing else at the start of a process needs it

    if not text.strip():
        return None
    try:
        ElementTree.fromstring(text)  # noqa: S314 - it comes with the code that runs here
    except ElementTree.ParseError as error:
        return str(error)
    return None


def wrong_cover(text: str) -> str | None:
    """Returns what is wrong with a cover; None if it can be shown."""
    if (wrong := wrong_symbols(text)) is not None:
        return wrong
    if not re.match(r'<svg viewBox="0 0 400 300"[^<>]*>', text):
        return 'it must begin with <svg viewBox="0 0 400 300"'
    return "it must have no links and no names" if re.search(r"<a\b|\{", text) else None


def _try(what: str, make: Callable[[], object]) -> Iterator[str]:
    try:
        make()
    except Exception as error:  # noqa: BLE001 - whatever it is, it is said
        yield f"{what}: {error}"
