"""Moves as they are typed: patterns such as `give {give} take {take}`, said once, read and written."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, get_args

import msgspec

from pbem.kit.game.facts import hints_of, seat_fields
from pbem.kit.game.moves import Move, bounds_of
from pbem.kit.notation import plain_text, seat_letter, spelled
from pbem.kit.texts import Lang, Text
from pbem.kit.words import OR, T, joined

Kind = tuple[str, Callable[[str], Any]]
"""How a field is typed: a regular expression over words that stand apart, each after a space, and what a match means.

A card such as F4 is two words: " [fmtb] [1-4]". None: the match means nothing.
"""

_WORD = re.compile(r"[a-z]+|[0-9]+")
_PART = re.compile(r"([a-z]+)|\[([a-z]+)\]|\{(\w+)\}")
_FIELD = re.compile(r"\{(\w+)\}")
_LEFT_OUT = re.compile(r"\[\w+\] ?")


class Patterns:
    """Reads and writes moves by the patterns of their classes.

    `[word]` in a pattern may be left out. `vocabulary`: a word of the patterns -> its spellings in all languages;
    `fillers` are words that are dropped. `kinds`: how the fields of this name are typed; numbers need none, nor do
    seats, of which there are `seats`. A tuple of structs repeats the pattern `typed` of the struct.
    """

    def __init__(
        self, moves: Sequence[type[Move]], seats: int, kinds: Mapping[str, Kind], vocabulary: Mapping[str, str],
        fillers: str,
    ) -> None:  # fmt: skip
        self._kinds, self._seats, self._meant = (
            kinds,
            "".join(map(seat_letter, range(seats))).lower(),
            spelled(vocabulary),
        )
        self._fillers = frozenset(_split_words(fillers)) - set(self._meant)
        self._read = [
            (move, re.compile(self._expression(move, one) + " ")) for move in moves for one in patterns_of(move)
        ]

    def read(self, text: str) -> Move | None:
        """Returns the move that the text means, or None. A lone "a" may be dropped, but in moves that name seats."""
        words = [self._meant.get(word, word) for word in _split_words(text) if word not in self._fillers]
        for dropped in ("", "a"):
            typed = "".join(f" {word}" for word in words if word != dropped) + " "
            for move, expression in self._read:
                found = None if dropped and _names_seats(move) else expression.fullmatch(typed)
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
            return f" [{self._seats}]", lambda text: self._seats.index(text.strip())
        low, high = bounds_of(hints_of(kind)[field])
        return " [0-9]{1,4}", lambda text: int(text) if low <= int(text) <= high else None


def patterns_of(kind: Any) -> tuple[str, ...]:
    """Returns the patterns of a move or an item; the first one formats."""
    return (kind.typed,) if isinstance(kind.typed, str) else tuple(kind.typed)


@cache
def item_of(kind: type, field: str) -> Any:
    """Returns the struct of which the field is a tuple and which has a pattern, or None."""
    hint = hints_of(kind).get(field)
    found: Iterator[Any] = (
        one for one in (*get_args(hint), *(inner for one in get_args(hint) for inner in get_args(one)))
    )
    return next((one for one in found if hasattr(one, "typed")), None)


@cache
def _names_seats(kind: type[msgspec.Struct]) -> bool:
    items = (item_of(kind, field) for field in kind.__struct_fields__)
    return bool(seat_fields(kind)) or any(item is not None and seat_fields(item) for item in items)


# --- written -------------------------------------------------------------------------------------------------


def write_steps(move: Any) -> tuple[str, ...]:
    """Returns the typed move in the parts by which it is chosen: up to each field, then each item of a list."""
    kind: type[msgspec.Struct] = type(move)
    values = {name: _spell_value(getattr(move, name), name in seat_fields(kind)) for name in kind.__struct_fields__}
    out: list[str] = []
    words: list[str] = []
    for word, field in _words_to_write(kind):
        listed = bool(field) and item_of(kind, field) is not None
        if word and not listed:
            words.append(word.format(**values))
        if words and (field or not word):
            out.append(" ".join(words))
            words = []
        if listed:
            out += [" ".join(write_steps(one)) for one in getattr(move, field)]
    return tuple(out)


@cache
def _words_to_write(kind: type[msgspec.Struct]) -> tuple[tuple[str, str], ...]:
    """Returns the words of the pattern that formats, each with the first field in it; the last one is empty."""
    words = _LEFT_OUT.sub("", patterns_of(kind)[0]).split()
    return (*((word, field[1] if (field := _FIELD.search(word)) else "") for word in words), ("", ""))


def _spell_value(value: Any, is_seat: bool) -> str:
    return "" if value is None else seat_letter(value) if is_seat else str(value)


def _split_words(text: str) -> list[str]:
    return _WORD.findall(plain_text(text))


NOTATION, WRITE = T("{title} : la notation", "Notation of {title}"), T("| écrivez | pour |", "| write | to |")
EACH = T("{{{name}}}, un par un", "each of {{{name}}}")
ALSO = T("Se lit aussi : {words} pour `{word}`.", "Also read: {words} for `{word}`.")


def write_notation(title: Text, moves: Sequence[type[Move]], vocabulary: Mapping[str, str], lang: Lang) -> str:
    """Returns in Markdown how each move is typed. A field stands in braces, in what is typed and in what that means."""
    lines = [f"# {NOTATION.fill(title=title)[lang]}", "", WRITE[lang], "|---|---|"]
    for move in moves:
        means = re.sub(r"\{(\w+)[^}]*\}", r"{\1}", (getattr(move, "label", None) or move.does)[lang])
        typed = joined((f"`{one}`" for one in patterns_of(move)), lang, OR)
        lines.append(f"| {typed} | {means} |")
        items = ((name, item_of(move, name)) for name in move.__struct_fields__)
        lines += [f"| `{patterns_of(item)[0]}` | {EACH.fill(name=name)[lang]} |" for name, item in items if item]
    also = [
        ALSO.fill(word=word, words=joined((f"`{one}`" for one in spellings.split()), lang))[lang]
        for word, spellings in vocabulary.items()
    ]
    return "\n".join([*lines, *(f"\n{line}" for line in also), ""])
