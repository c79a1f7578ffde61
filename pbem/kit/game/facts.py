"""Facts: events that apply and tell themselves, and states that count them."""

from functools import cache
from typing import Any, ClassVar, get_args, get_type_hints

import msgspec

from pbem.kit import contract
from pbem.kit.contract import Phrase
from pbem.kit.secrecy import Open
from pbem.kit.texts import Lang, Text
from pbem.kit.words import put_in, say


class Event(contract.Event, frozen=True):
    """A fact, named in the past tense. Each field says who sees it: `Open`, `Shown`, `Own`, `Each`, `Hidden`, `Fading`.

    `told` narrates it, with its fields in braces: a seat by its name, a thing by its drawing. `s` is the fold before.
    `ends_turn`: what is asked next begins a turn, though it may be the same seat again.
    """

    told: ClassVar[Text]
    ends_turn: ClassVar[bool] = False

    def apply(self, s: Any) -> Any:
        """Returns the state after it. `s` is the full state or a fold, None before the first fact."""
        raise NotImplementedError

    def tell(self, s: Any, lang: Lang) -> Phrase:
        """Narrates it, from the fold before it; "" if it is not worth a line."""
        return self.say(lang, self.told.fr, self.told.en, s=s)

    def say(self, lang: Lang, fr: str, en: str, **more: object) -> Phrase:
        """Returns the sentence in the wanted language, with its fields and `more` in the braces."""
        return fill_with_fields(say(lang, fr, en), self, **more)


class Counting(msgspec.Struct, frozen=True, kw_only=True):
    """A state that counts facts: the keys of its questions and the names of its draws follow from that."""

    count: Open[int] = 0
    """The number of facts so far."""
    acts: Open[tuple[int, ...]] = ()
    """The number of facts of each seat so far, as far as seats have any: the key of a seat's question comes from its
    own, so that it stays the same while others answer."""
    turn_began: Open[tuple[int, int] | None] = None
    """The seat that answered last, and how many facts it had had when its turn began; None if its turn is over."""

    def acts_of(self, seat: int) -> int:
        """Returns the number of facts that name this seat."""
        return self.acts[seat] if seat < len(self.acts) else 0


class Turns(msgspec.Struct, frozen=True):
    """How turns follow from facts: `forced` are those that answer nothing, `windows` those that answer only windows."""

    forced: frozenset[type[contract.Event]] = frozenset()
    windows: frozenset[type[contract.Event]] = frozenset()


def count_fact(s: Counting | None, event: contract.Event, after: Counting, turns: Turns) -> Counting:
    """Returns the state after the event with the event counted."""
    count, acts, began = (s.count, s.acts, s.turn_began) if s is not None else (0, (), None)
    seat = getattr(event, "seat", None)
    if seat is not None:
        acts += (0,) * (seat + 1 - len(acts))
        if type(event) not in turns.forced and (began is None or began[0] != seat):
            began = seat, acts[seat]
        acts = (*acts[:seat], acts[seat] + 1, *acts[seat + 1 :])
    if type(event) in turns.windows or getattr(event, "ends_turn", False):
        began = None
    return msgspec.structs.replace(after, count=count + 1, acts=acts, turn_began=began)


# --- fields in sentences -------------------------------------------------------------------------------------


def fill_with_fields(text: str, one: msgspec.Struct, **more: object) -> Phrase:
    """Returns the text with the fields of a move, a fact or an item of a list, and `more`, in its braces.

    A seat becomes the placeholder of its name, a string that of the thing: see `Phrase`.
    """
    seats, fields = seat_fields(type(one)), {}
    for name in one.__struct_fields__:
        value = getattr(one, name)
        fields[name] = put_in(value) if name in seats or isinstance(value, str) else value
    try:
        return text.format(**fields | more)
    except KeyError as name:
        raise ValueError(f"{type(one).__name__} has no field {name} for {text!r}") from None


@cache
def types_of_fields(kind: type[msgspec.Struct]) -> dict[str, Any]:
    """Returns the types of a struct's fields, by their names."""
    hints = get_type_hints(kind, include_extras=True)
    return {name: hints[name] for name in kind.__struct_fields__}


@cache
def seat_fields(kind: type[msgspec.Struct]) -> frozenset[str]:
    """Returns the names of the fields that hold a `Seat`, or None."""
    return frozenset(name for name, hint in types_of_fields(kind).items() if _is_seat(hint))


def _is_seat(hint: Any) -> bool:
    marks = getattr(hint, "__metadata__", ())
    return any(isinstance(mark, msgspec.Meta) and mark.title == "Seat" for mark in marks) or (
        not isinstance(hint, type) and any(_is_seat(one) for one in get_args(hint) if one is not ...)
    )
