"""Answers, the reasons against them, the questions that they answer, and how they are typed.

They are typed in patterns such as `give {give} take {take}`, said once, read and written.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, ClassVar, get_args

import msgspec

from pbem.kit import contract
from pbem.kit.contract import IllegalMove, Phrase
from pbem.kit.game.facts import Event, fill_with_fields, seat_fields, types_of_fields
from pbem.kit.notation import plain_text, seat_letter, spelled
from pbem.kit.texts import Lang, Text
from pbem.kit.words import OR, T, joined, say


class Reason:
    """Why a move can be refused: the number of the rule, and a sentence. Its code is the name that it is given.

    It is an attribute of its move, or stands at the top of the module of moves that share it.

    `lasting`: true of a seat for good, so an order for such a move is refused, too.
    """

    def __init__(self, rule: str, text: Text, *, lasting: bool = False) -> None:
        self.rule, self.text, self.lasting, self.code = rule, text, lasting, ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.code = name

    def __call__(self, **facts: str | int) -> IllegalMove:
        """Returns the refusal, with what stands in the braces of its sentence."""
        if not self.code:
            raise TypeError(f"a Reason of rule {self.rule} has no name: make it an attribute of its move")
        return IllegalMove(self.code, **facts)


class Move(contract.Move, frozen=True):
    """An answer, named in the imperative. What it says of itself are attributes of its class; its choices are fields.

    `asked`: the kind of question; a move that answers several is named by each of them instead. `makes`: its fact,
    whose fields are the seat and those of the move. `typed`: patterns such as "give {give} take {take}"; the first one
    formats, all of them are read, and the parts up to each field are the steps of choosing it. `does`: what its button
    says; `steps`: the same where it has several, as in "Give {give} | Take {take}". `label`: the move in a sentence,
    said to the one who makes it. `name`: what it is called within a sentence. `head` and `last`: the heading in a pad
    under which it stands, and its field there.
    """

    asked: ClassVar[str] = ""
    makes: ClassVar[type[Event]]
    typed: ClassVar[str | tuple[str, ...]]
    does: ClassVar[Text]
    label: ClassVar[Text]
    steps: ClassVar[Text | None] = None
    name: ClassVar[Text | None] = None
    head: ClassVar[Text | None] = None
    last: ClassVar[Text | None] = None

    @classmethod
    def every(cls, s: Any, seat: int) -> Sequence["Move"]:
        """Returns the answers that the seat may look for, legal or not; () where they are too many to be listed.

        In a fold that hides some of what the seat holds: those that it may have.
        """
        return (cls(),)

    @classmethod
    def legal(cls, s: Any, seat: int) -> Sequence["Move"]:
        """Returns those that are legal; a `Lazy` where they are too many to be made."""
        every = cls.every(s, seat)
        if cls.why_not is Move.why_not:
            return every
        return tuple([move for move in every if next(iter(move.why_not(s, seat)), None) is None])

    def why_not(self, s: Any, seat: int) -> Iterable[IllegalMove]:
        """Yields each reason against it, in the order of the rules. What the fold hides is no reason."""
        return ()

    def fact(self, s: Any, seat: int) -> Event:
        """Returns the one fact that it makes. All that follows is `Game.next_fact`."""
        return self.makes(seat, *msgspec.structs.astuple(self))

    @classmethod
    def read(cls, *args: Any, **fields: Any) -> "Move | None":
        """Returns the move that was typed, from its fields by their names; None if it makes no sense."""
        return cls(*args, **fields)

    def tell(self, s: Any, lang: Lang) -> Phrase:
        """Returns the move in a sentence, said to the one who makes it, with what follows for certain."""
        return fill_with_fields(self.label[lang], self)

    def say(self, lang: Lang, fr: str, en: str, **more: object) -> Phrase:
        """Returns the sentence in the wanted language, with its fields and `more` in the braces."""
        return fill_with_fields(say(lang, fr, en), self, **more)

    def path(self, s: Any, lang: Lang) -> tuple[contract.Step, ...]:
        """Returns the steps to it where they are not its typed parts, or say something of the position; else ()."""
        return ()

    def short(self, lang: Lang) -> Phrase:
        """Returns what it is called within a sentence."""
        return fill_with_fields((self.name or self.does)[lang], self)


def bounds_of(hint: Any) -> tuple[int, int]:
    """Returns the smallest and the largest number of a type such as `Annotated[int, Meta(ge=1, le=6)] | None`."""
    marks = [mark for one in (hint, *get_args(hint)) for mark in getattr(one, "__metadata__", ())]
    marks = [mark for mark in marks if isinstance(mark, msgspec.Meta)]
    low = max((int(mark.ge) for mark in marks if mark.ge is not None), default=0)
    return low, min((int(mark.le) for mark in marks if mark.le is not None), default=9999)


def within_bounds(move: msgspec.Struct) -> bool:
    """Returns whether each number of a move is one that its type admits."""
    for name, low, high in _bounds_of_fields(type(move)):
        value = getattr(move, name)
        if type(value) is int and not low <= value <= high:
            return False
    return True


@cache
def _bounds_of_fields(kind: type[msgspec.Struct]) -> tuple[tuple[str, int, int], ...]:
    return tuple((name, *bounds_of(hint)) for name, hint in types_of_fields(kind).items())


RESERVED = frozenset(name for name in dir(Move) if not name.startswith("_")) | {*Move.__annotations__}
"""What a field of a move cannot be called."""

Said = Text | Callable[[Any, int, Lang], Phrase]
"""A text, in which `s` in braces is the fold, or what makes one of the fold, the seat and the language."""


class Question(contract.AskKind, frozen=True, kw_only=True):
    """A kind of question, as in the contract, and the sentence that says what binds the seat.

    `moves`: those that answer it, in the order in which they are offered; by default those that name it as `asked`.
    `pad`: what all answers have in common, such as "Call for…", in mails; None: the title.
    """

    moves: tuple[type[Move], ...] = ()
    prompt: Said
    pad: Text | None = None


# --- as they are typed ----------------------------------------------------------------------------------------

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
                made = (
                    move.read(**fields)
                    if found and (fields := self._values_typed_for_fields(move, found)) is not None
                    else None
                )
                if made is not None:
                    return made
        return None

    def _expression(self, kind: Any, pattern: str, *, names: bool = True) -> str:
        out = ""
        for word, optional, field in _PART.findall(pattern):
            name = f"?P<{field}>" if names else "?:"
            if field and (item := item_type_of_field(kind, field)) is not None:
                out += f"({name}(?:{self._expression(item, item.typed, names=False)})+)"
            elif field:
                out += f"({name}{self._expression_and_reader(kind, field)[0]})"
            else:
                out += f" {word}" if word else f"(?: {optional})?"
        return out

    def _values_typed_for_fields(self, kind: Any, found: re.Match[str]) -> dict[str, Any] | None:
        """Returns what was typed for each field; None if something means nothing."""
        fields: dict[str, Any] = {}
        for name, text in found.groupdict().items():
            if (item := item_type_of_field(kind, name)) is not None:
                each = [
                    self._values_typed_for_fields(item, one)
                    for one in re.finditer(self._expression(item, item.typed), text)
                ]
                fields[name] = tuple(item(**one) for one in each if one is not None)
                if None in each:
                    return None
                continue
            fields[name] = self._expression_and_reader(kind, name)[1](text)
            if fields[name] is None:
                return None
        return fields

    def _expression_and_reader(self, kind: type[msgspec.Struct], field: str) -> Kind:
        if field in self._kinds:
            return self._kinds[field]
        if field in seat_fields(kind):
            return f" [{self._seats}]", lambda text: self._seats.index(text.strip())
        low, high = bounds_of(types_of_fields(kind)[field])
        return " [0-9]{1,4}", lambda text: int(text) if low <= int(text) <= high else None


def patterns_of(kind: Any) -> tuple[str, ...]:
    """Returns the patterns of a move or an item; the first one formats."""
    return (kind.typed,) if isinstance(kind.typed, str) else tuple(kind.typed)


@cache
def item_type_of_field(kind: type, field: str) -> Any:
    """Returns the struct of which the field is a tuple and which has a pattern, or None."""
    hint = types_of_fields(kind).get(field)
    found: Iterator[Any] = (
        one for one in (*get_args(hint), *(inner for one in get_args(hint) for inner in get_args(one)))
    )
    return next((one for one in found if hasattr(one, "typed")), None)


@cache
def _names_seats(kind: type[msgspec.Struct]) -> bool:
    items = (item_type_of_field(kind, field) for field in kind.__struct_fields__)
    return bool(seat_fields(kind)) or any(item is not None and seat_fields(item) for item in items)


# --- written -------------------------------------------------------------------------------------------------


def parts_of_move_as_typed(move: Any) -> tuple[str, ...]:
    """Returns the typed move in the parts by which it is chosen: up to each field, then each item of a list."""
    kind: type[msgspec.Struct] = type(move)
    values = {name: _spell_value(getattr(move, name), name in seat_fields(kind)) for name in kind.__struct_fields__}
    out: list[str] = []
    words: list[str] = []
    for word, field in _words_to_write(kind):
        listed = bool(field) and item_type_of_field(kind, field) is not None
        if word and not listed:
            words.append(word.format(**values))
        if words and (field or not word):
            out.append(" ".join(words))
            words = []
        if listed:
            out += [" ".join(parts_of_move_as_typed(one)) for one in getattr(move, field)]
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


def write_notation_page(title: Text, moves: Sequence[type[Move]], vocabulary: Mapping[str, str], lang: Lang) -> str:
    """Returns in Markdown how each move is typed. A field stands in braces, in what is typed and in what that means."""
    lines = [f"# {NOTATION.fill(title=title)[lang]}", "", WRITE[lang], "|---|---|"]
    for move in moves:
        means = re.sub(r"\{(\w+)[^}]*\}", r"{\1}", (getattr(move, "label", None) or move.does)[lang])
        typed = joined((f"`{one}`" for one in patterns_of(move)), lang, OR)
        lines.append(f"| {typed} | {means} |")
        items = ((name, item_type_of_field(move, name)) for name in move.__struct_fields__)
        lines += [f"| `{patterns_of(item)[0]}` | {EACH.fill(name=name)[lang]} |" for name, item in items if item]
    also = [
        ALSO.fill(word=word, words=joined((f"`{one}`" for one in spellings.split()), lang))[lang]
        for word, spellings in vocabulary.items()
    ]
    return "\n".join([*lines, *(f"\n{line}" for line in also), ""])
