"""Moves as they are typed: patterns such as `give {give} take {take}`, said once, read and written."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, get_args

import msgspec

from pbem.kit.game.facts import hints_of, seat_fields
from pbem.kit.game.moves import Move
from pbem.kit.notation import plain_text, seat_letter, spelled

Kind = tuple[str, Callable[[str], Any]]
"""How a field is typed: a regular expression over words that stand apart, each after a space, and what a match means.

A card such as F4 is two words: " [fmtb] [1-4]". None: the match means nothing.
"""

_WORD = re.compile(r"[a-z]+|[0-9]+")
_PART = re.compile(r"([a-z]+)|\[([a-z]+)\]|\{(\w+)\}")
_LEFT_OUT = re.compile(r"\[\w+\] ?")


class Patterns:
    """Reads and writes moves by the patterns of their classes.

    `[word]` in a pattern may be left out. `vocabulary`: a word of the patterns -> its spellings in all languages;
    `fillers` are words that are dropped. `kinds`: how the fields of this name are typed; seats and numbers need none. A
    tuple of structs repeats the pattern `typed` of the struct.
    """

    def __init__(
        self, moves: Sequence[type[Move]], kinds: Mapping[str, Kind], vocabulary: Mapping[str, str], fillers: str
    ) -> None:
        self._kinds, self._meant = kinds, spelled(vocabulary)
        self._fillers = frozenset(_words(fillers)) - set(self._meant)
        self._read = [
            (move, re.compile(self._expression(move, one) + " ")) for move in moves for one in patterns_of(move)
        ]

    def read(self, text: str) -> Move | None:
        """Returns the move that the text means, or None. A lone "a" is a seat, else it is dropped."""
        words = [self._meant.get(word, word) for word in _words(text) if word not in self._fillers]
        for kept in (words, [word for word in words if word != "a"]):
            typed = "".join(f" {word}" for word in kept) + " "
            for move, expression in self._read:
                found = expression.fullmatch(typed)
                made = move.read(**fields) if found and (fields := self._fields(move, found)) is not None else None
                if made is not None:
                    return made
        return None

    def _expression(self, kind: Any, pattern: str, *, names: bool = True) -> str:
        out = ""
        for word, optional, field in _PART.findall(pattern):
            name = f"?P<{field}>" if names else "?:"
            if field and (item := item_of(kind, field)) is not None:
                out += f"({name}(?:{self._expression(item, item.typed, names=False)})+)"
            elif field:
                out += f"({name}{self._kind(kind, field)[0]})"
            else:
                out += f" {word}" if word else f"(?: {optional})?"
        return out

    def _fields(self, kind: Any, found: re.Match[str]) -> dict[str, Any] | None:
        """Returns what was typed for each field; None if something means nothing."""
        fields: dict[str, Any] = {}
        for name, text in found.groupdict().items():
            if (item := item_of(kind, name)) is not None:
                each = [self._fields(item, one) for one in re.finditer(self._expression(item, item.typed), text)]
                fields[name] = tuple(item(**one) for one in each if one is not None)
                if None in each:
                    return None
                continue
            fields[name] = self._kind(kind, name)[1](text)
            if fields[name] is None:
                return None
        return fields

    def _kind(self, kind: type[msgspec.Struct], field: str) -> Kind:
        if field in self._kinds:
            return self._kinds[field]
        if field in seat_fields(kind):
            return " [a-p]", lambda text: ord(text.strip()) - ord("a")
        low, high = bounds_of(hints_of(kind)[field])
        return " [0-9]{1,4}", lambda text: int(text) if low <= int(text) <= high else None


def patterns_of(kind: Any) -> tuple[str, ...]:
    """Returns the patterns of a move or an item; the first one formats."""
    return (kind.typed,) if isinstance(kind.typed, str) else tuple(kind.typed)


def bounds_of(hint: Any) -> tuple[int, int]:
    """Returns the smallest and the largest number of a type such as `Annotated[int, Meta(ge=1, le=6)]`."""
    marks = [mark for mark in getattr(hint, "__metadata__", ()) if isinstance(mark, msgspec.Meta)]
    low = max((int(mark.ge) for mark in marks if mark.ge is not None), default=0)
    return low, min((int(mark.le) for mark in marks if mark.le is not None), default=9999)


@cache
def item_of(kind: type, field: str) -> Any:
    """Returns the struct of which the field is a tuple and which has a pattern, or None."""
    hint = hints_of(kind).get(field)
    found: Iterator[Any] = (
        one for one in (*get_args(hint), *(inner for one in get_args(hint) for inner in get_args(one)))
    )
    return next((one for one in found if hasattr(one, "typed")), None)


# --- written -------------------------------------------------------------------------------------------------


def write_steps(move: Any) -> tuple[str, ...]:
    """Returns the typed move in the parts by which it is chosen: up to each field, then each item of a list."""
    out: list[str] = []
    kind: type[msgspec.Struct] = type(move)
    for part in _parts(kind):
        if part.listed:
            out += [" ".join(write_steps(one)) for one in getattr(move, part.listed)]
        else:
            out.append(part.text.format_map(_Typed(move)))
    return tuple(out)


class _Part(NamedTuple):
    """A part of a pattern: a text with fields in braces, or the name of a field that is a list."""

    text: str
    listed: str = ""


@cache
def _parts(kind: type[msgspec.Struct]) -> tuple[_Part, ...]:
    return tuple(_split(kind))


def _split(kind: type[msgspec.Struct]) -> Iterator[_Part]:
    words: list[str] = []
    for word in _LEFT_OUT.sub("", patterns_of(kind)[0]).split():
        field = re.search(r"\{(\w+)\}", word)
        listed = field is not None and item_of(kind, field[1]) is not None
        if not listed:
            words.append(word)
        if field and words:
            yield _Part(" ".join(words))
            words = []
        if field and listed:
            yield _Part("", field[1])
    if words:
        yield _Part(" ".join(words))


class _Typed(dict[str, str]):
    """The fields of a move as they are typed."""

    def __init__(self, move: msgspec.Struct) -> None:
        super().__init__()
        self._move, self._seats = move, seat_fields(type(move))

    def __missing__(self, field: str) -> str:
        value = getattr(self._move, field)
        return "" if value is None else seat_letter(value) if field in self._seats else str(value)


def _words(text: str) -> list[str]:
    return _WORD.findall(plain_text(text))
