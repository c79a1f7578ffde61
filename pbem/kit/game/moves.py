"""Answers, the reasons against them, and the questions that they answer."""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any, ClassVar, get_args

import msgspec

from pbem.kit import contract
from pbem.kit.contract import IllegalMove, Phrase
from pbem.kit.game.facts import Event, fill, hints_of
from pbem.kit.texts import Lang, Text
from pbem.kit.words import say


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
        return fill(self.label[lang], self)

    def say(self, lang: Lang, fr: str, en: str, **more: object) -> Phrase:
        """Returns the sentence in the wanted language, with its fields and `more` in the braces."""
        return fill(say(lang, fr, en), self, **more)

    def path(self, s: Any, lang: Lang) -> tuple[contract.Step, ...]:
        """Returns the steps to it where they are not its typed parts, or say something of the position; else ()."""
        return ()

    def short(self, lang: Lang) -> Phrase:
        """Returns what it is called within a sentence."""
        return fill((self.name or self.does)[lang], self)


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
    return tuple((name, *bounds_of(hint)) for name, hint in hints_of(kind).items())


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
