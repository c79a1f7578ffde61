"""What a game must offer before a site shows it: checked when it is found, without playing it.

The laws (`pbem.kit.laws`) play it, and are for its author. This is what a host needs: a game that lacks something would
fail later, at a page, in a mail, or in the lists that show all games.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Union, get_args

import msgspec

from pbem.kit.codec import Codec
from pbem.kit.contract import AskKind, Event, Game, Intro, Lesson, Meta, Move, Options, Outcome, Refusal, Shape
from pbem.kit.drawing.svg import find_uses
from pbem.kit.options import options_of
from pbem.kit.replay import TABLE_EVENTS
from pbem.kit.texts import LANGS, Lang, Text

OPTIONAL = ("imagine", "playout", "estimate", "with_marks", "end", "card", "intro", "lesson", "notation_page")
"""What a game need not offer: see docs/below-the-layer.md."""
NOTATIONS: Mapping[str, Lang] = {"NOTATION.fr.md": "fr", "NOTATION.en.md": "en"}
PARTS = "parts.svg"
TEXTS = ("RULES.fr.md", "RULES.en.md", *NOTATIONS, PARTS)
"""The files beside its code: see `pbem.games.read_text_file_of_game` for what stands in for one that is not there."""
COVER = "cover.svg"
"""The file with its cover, which it need not have."""
MOST_SEATS, MOST_GUARDS = 16, 6
_SLUG = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_LONGEST_SLUG = 32
_VALUES = ("meta", "bots", "figures")
"""The faces that are no functions."""


def is_slug(text: str) -> bool:
    """Returns whether a game can be called so in addresses: words of small letters and digits, with hyphens."""
    return bool(_SLUG.fullmatch(text)) and len(text) <= _LONGEST_SLUG


def missing_faces(game: object) -> list[str]:
    """Returns the parts of the contract that this object lacks, in the contract's order."""
    faces = [name for name in vars(Game) if not name.startswith("_") and name not in OPTIONAL]
    return [name for name in faces if name not in _VALUES and not callable(getattr(game, name, None))] + [
        name for name in _VALUES if not hasattr(game, name)
    ]


def faults(game: Any, parts: str = "") -> Iterator[str]:
    """Yields what is wrong with the meta of a game that has all faces, and its `parts.svg`, each as a few words."""
    meta = game.meta
    if not (isinstance(meta.slug, str) and is_slug(meta.slug)):
        yield f"its slug must be words of small letters and digits with hyphens, at most {_LONGEST_SLUG} characters"
    yield from _wrong_numbers(meta)
    yield from _wrong_types(game)
    yield from _faults_of_text_tables(game)
    if parts.strip():
        yield from _fault_of_calling("its parts.svg cannot be read", lambda: _check_xml(parts))
    if not isinstance(meta.options, type) or not issubclass(meta.options, Options):
        yield "its options are no Options"
        return
    yield from _fault_of_calling("its options", lambda: options_of(meta))
    for name, words in meta.option_texts.items():
        texts = {"title": words.title, "hint": words.hint, **words.choices}
        yield from (f"the {part} of its option {name} {wrong}" for part, wrong in _missing_texts(texts))


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
    yield from _fault_of_calling("its types", lambda: Codec(game))
    yield from _fault_of_calling(
        "its types", lambda: msgspec.json.schema_components([*meta.moves, meta.state, meta.options])
    )
    yield from _fault_of_calling("its events", lambda: msgspec.json.Decoder(Union[(*meta.events, *TABLE_EVENTS)]))


def _faults_of_text_tables(game: Any) -> Iterator[str]:
    """Yields what is wrong with the tables of texts: a word in only one language, an entry of another kind."""
    meta: Meta = game.meta
    kinds: tuple[tuple[str, type, Callable[[Any], Text]], ...] = (
        ("asks", AskKind, lambda kind: kind.title),
        ("endings", Text, lambda text: text),
        ("refusals", Refusal, lambda refusal: refusal.text),
    )
    yield from (f"its {name} {wrong}" for name, wrong in _missing_texts({"title": meta.title, "blurb": meta.blurb}))
    for name, kind, text_of in kinds:
        entries = getattr(meta, name)
        if not isinstance(entries, Mapping) or not all(isinstance(one, kind) for one in entries.values()):
            yield f"its {name} must be {kind.__name__} by name"
            continue
        texts = {key: text_of(one) for key, one in entries.items()}
        yield from (f"{key!r} of its {name} {wrong}" for key, wrong in _missing_texts(texts))
    for name in ("asks", "endings"):
        if not getattr(meta, name):
            yield f"it has no {name}"
    for name, functions in (("bots", game.bots), ("figures", game.figures)):
        if not isinstance(functions, Mapping) or not all(map(callable, functions.values())):
            yield f"its {name} must be functions by name"
    if len(meta.guards) > MOST_GUARDS:
        yield f"it has more than {MOST_GUARDS} guards"


def wrong_ornaments(game: Any, cover: str | None, symbols: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yields which of what a game can be played without cannot be shown (`cover`, `end`, `intro`, `lesson`), and why.

    `cover` is the text of that file, None without one, `symbols` what drawings may use, by name. Whether a lesson can
    be played is a law of lessons.
    """
    checks: dict[str, tuple[Any, Callable[[Any], object]]] = {
        "cover": (cover, lambda drawn: _check_drawing(drawn, "0 0 400 300", symbols)),
        "end": (game.end, lambda end: _check_ends(game, symbols)),
        "intro": (game.intro, lambda intro: _check_intro(intro, symbols)),
        "lesson": (game.lesson, lambda lesson: _check_types(lesson, Lesson, options=Options())),
    }
    for name, (value, check) in checks.items():
        if value is not None:
            yield from ((name, why) for why in _fault_of_calling(f"its {name} cannot be shown", partial(check, value)))


def _check_drawing(drawn: str, box: str, symbols: Mapping[str, str]) -> None:
    """Raises ValueError or SyntaxError if a page cannot show this drawing, whose viewBox begins like this."""
    if not re.match(rf'<svg [^<>]*viewBox="{box}', drawn) or re.search(r"\{|<a\b|<script\b", drawn):
        raise ValueError(f'it must begin with <svg viewBox="{box}…, and have no names, links and scripts')
    _check_xml(drawn)
    find_uses((drawn,), symbols)


def _check_ends(game: Any, symbols: Mapping[str, str]) -> None:
    """Checks how an end is drawn, by number of winners. Raises ValueError if something is not the same for all."""
    for winners in (tuple(range(count)) for count in range(max(game.meta.seats) + 1)):
        for scores in (None, (-3,) * max(game.meta.seats)):
            drawn = game.end(Outcome(next(iter(game.meta.endings)), winners, scores))
            _check_drawing(drawn, "", symbols)
            if "data-" in drawn:
                raise ValueError("it must have no pieces that move")
    game.end(None)


def _check_intro(intro: Any, symbols: Mapping[str, str]) -> None:
    """Checks a turn in both languages. Raises ValueError if the page of the game cannot show what it says."""
    _check_types(intro, Intro, turn=())
    for number, wrong in _missing_texts({str(number): picture.text for number, picture in enumerate(intro.turn, 1)}):
        raise ValueError(f"the text of picture {number} {wrong}")
    for drawn in (picture.draw(lang) for picture in intro.turn for lang in LANGS):
        _check_drawing(drawn, "0 0 360 ", symbols)


def _check_types(value: Any, kind: type, **fields: Any) -> None:
    """Raises ValueError where the value is not of its type, but for these fields, which have others meanwhile."""
    msgspec.convert(msgspec.to_builtins(msgspec.structs.replace(value, **fields)), kind)


def _missing_texts(texts: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yields the names of the texts that are not there in a language, and which."""
    for name, text in texts.items():
        if not isinstance(text, Text):
            yield name, "is no Text"
            continue
        said: dict[str, Any] = {lang: text[lang] for lang in LANGS}
        absent = [lang for lang, words in said.items() if not isinstance(words, str) or not words.strip()]
        if absent:
            yield name, f"is not said in {', '.join(absent)}"


def _check_xml(drawings: str) -> None:
    """Raises SyntaxError if the drawings cannot be read."""
    from xml.etree import ElementTree  # here, because nothing else at the start of a process needs it

    ElementTree.fromstring(drawings)  # noqa: S314 - it comes with the code that runs here


def _fault_of_calling(what: str, make: Callable[[], object]) -> Iterator[str]:
    try:
        make()
    except Exception as error:  # noqa: BLE001 - whatever it is, it is said
        yield f"{what}: {error}"
