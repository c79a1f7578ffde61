"""Who may see which field of an event: declared once, in the type of the field, and applied in one place.

    class AllyChosen(Event):
        seat: Open[Seat]
        card: Own[Card | None]      # only that seat sees it; others get None

Each field says one of these words, with its type as it is:

* `Open`: everybody sees it, and it was never hidden: seats, counts, public dice, what players say;
* `Shown`: everybody sees it from now on, and it may tell what was hidden before: a card laid open, a verdict;
* `Own`: the seat in the field `seat` of the event sees it;
* `Each`: a tuple, its i-th element is for seat i;
* `Hidden`: no viewer at all;
* `Fading`: everybody while the entry is fresh, afterwards nobody.

Where these do not suffice, it is a mark, or several, as in `Annotated[Card | None, to("giver", "taker"), fades()]`:

* `to(*fields)`: the seats named by these fields of the same event (a seat, or a tuple of seats);
* `each()`, `nobody()` and `fades()`, as the words say them. `fades(repeated=True)`: also as long as it is the newest
  event of its type. For an event that repeats what lies open now, and nothing earlier;
* `unless="field"`: the mark is lifted when that bool field of the event is true.

If a field has several marks, each of them must let the viewer see it. A hidden value is None; a hidden tuple
keeps its length, so that counts stay public. A field that can be hidden is never None otherwise.

The fields of a state say the same of an imagined state: what a seat knows of it that has forgotten nothing. No real
viewer is shown a state redacted so: what they may see is in their fold. An `Open` field is alike in all folds.
"""

import functools
import types
import typing
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Literal, TypeVar

import msgspec

from pbem.kit.contract import Event, Viewer

E = TypeVar("E", bound=msgspec.Struct)
T = TypeVar("T")


class SecrecyMark(msgspec.Struct, frozen=True):
    """A declaration of who may see a field; made by the words, and by `to`, `each`, `nobody` and `fades`."""

    kind: Literal["open", "shown", "to", "each", "nobody", "fades"]
    fields: tuple[str, ...] = ()
    unless: str | None = None
    repeated: bool = False

    @property
    def hides(self) -> bool:
        """Whether there are viewers who may not see the field, or not always."""
        return self.kind not in ("open", "shown")

    def __str__(self) -> str:
        """Who sees the field, as `pbem check` says it.

        >>> str(to("giver", "taker", unless="open"))
        'only giver and taker, unless open'
        """
        who = {"to": f"only {' and '.join(self.fields)}", "each": "each its own", "fades": "all while it is fresh"}
        return who.get(self.kind, self.kind) + (f", unless {self.unless}" if self.unless else "")


def to(*fields: str, unless: str | None = None) -> SecrecyMark:
    """Marks a field that only the seats named in these fields of the event may see."""
    return SecrecyMark("to", fields, unless)


def each(*, unless: str | None = None) -> SecrecyMark:
    """Marks a field whose i-th element only seat i may see."""
    return SecrecyMark("each", (), unless)


def nobody(*, unless: str | None = None) -> SecrecyMark:
    """Marks a field that no viewer may see."""
    return SecrecyMark("nobody", (), unless)


def fades(*, unless: str | None = None, repeated: bool = False) -> SecrecyMark:
    """Marks a field that everybody may see while the entry is fresh, and nobody afterwards.

    `repeated`: each event of its type says the field again, so the newest one always shows it. Where it depends on an
    option whether anything fades, `unless` names a bool of the event that says so: see `folds`.
    """
    return SecrecyMark("fades", (), unless, repeated)


Open = Annotated[T, SecrecyMark("open")]
Shown = Annotated[T, SecrecyMark("shown")]
Own = Annotated[T, to("seat")]
Each = Annotated[T, each()]
Hidden = Annotated[T, nobody()]
Fading = Annotated[T, fades()]


@functools.cache
def visibility_of(kind: type[msgspec.Struct]) -> dict[str, tuple[SecrecyMark, ...]]:
    """Returns what each field of an event or a state says of who sees it; () for one that says nothing.

    Raises TypeError if a mark cannot work as declared.
    """
    hints = typing.get_type_hints(kind, include_extras=True)
    found = {}
    for name in kind.__struct_fields__:
        hint = hints[name]
        marks = _marks(hint)
        if _has_mark(typing.get_args(hint)[0] if hasattr(hint, "__metadata__") else hint):
            raise TypeError(f"{kind.__name__}.{name}: a mark stands on the whole field, not inside it")
        if len(marks) > 1 and any(mark.kind == "open" for mark in marks):
            raise TypeError(f"{kind.__name__}.{name}: what is Open is nothing else")
        if any(mark.hides for mark in marks):
            _check_marks(kind, name, typing.get_args(hint)[0], marks, hints)
        found[name] = marks
    return found


def check_visibility(kind: type[msgspec.Struct]) -> None:
    """Raises TypeError if a field of this event or state does not say who sees it."""
    for name, marks in visibility_of(kind).items():
        if not marks:
            raise TypeError(f"{kind.__name__}.{name}: say who sees it: Open, Shown, Own, Each, Hidden or Fading")


@functools.cache
def marks_of(event_type: type[msgspec.Struct]) -> dict[str, tuple[SecrecyMark, ...]]:
    """Returns the fields of an event type that can be hidden, with their marks. Raises TypeError, as above."""
    hiding = ((name, tuple(m for m in marks if m.hides)) for name, marks in visibility_of(event_type).items())
    return {name: marks for name, marks in hiding if marks}


def _marks(hint: Any) -> tuple[SecrecyMark, ...]:
    return tuple(m for m in getattr(hint, "__metadata__", ()) if isinstance(m, SecrecyMark))


def _has_mark(hint: Any) -> bool:
    """Returns whether the type contains a mark at any depth, where `redact` would not look for it."""
    if _marks(hint):
        return True
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return any(_has_mark(h) for h in typing.get_type_hints(hint, include_extras=True).values())
    return any(_has_mark(arg) for arg in typing.get_args(hint))


def _check_marks(
    event: type[msgspec.Struct], name: str, hint: Any, marks: tuple[SecrecyMark, ...], hints: dict[str, Any]
) -> None:
    where = f"{event.__name__}.{name}"
    for mark in marks:
        for other in (*mark.fields, *([mark.unless] if mark.unless else [])):
            if other not in hints:
                raise TypeError(f"{where}: its mark names {other!r}, which is not a field of the event")
            if any(m.hides for m in _marks(hints[other])):
                raise TypeError(f"{where}: its mark rests on {other!r}, which is secret itself")
        if mark.unless and _unwrap_hint(hints[mark.unless]) is not bool:
            raise TypeError(f"{where}: {mark.unless!r} must be a bool")
        if mark.kind == "each" and not _is_tuple(hint):
            raise TypeError(f"{where}: each() needs a tuple")
    if not _admits_hidden(hint):
        raise TypeError(f"{where}: a marked field must admit None where it is hidden")


def _unwrap_hint(hint: Any) -> Any:
    while hasattr(hint, "__metadata__"):
        hint = typing.get_args(hint)[0]
    return hint


def _is_tuple(hint: Any) -> bool:
    return typing.get_origin(_unwrap_hint(hint)) is tuple


def _admits_hidden(hint: Any) -> bool:
    hint = _unwrap_hint(hint)
    if _is_tuple(hint):
        return all(_admits_hidden(arg) for arg in typing.get_args(hint) if arg is not Ellipsis)
    return typing.get_origin(hint) in (typing.Union, types.UnionType) and type(None) in typing.get_args(hint)


def hide(value: Any) -> Any:
    """Returns what replaces a value that the viewer may not see.

    >>> hide("F1"), hide((("F1", "F2"), ("T1",)))
    (None, ((None, None), (None,)))
    """
    return tuple(hide(v) for v in value) if isinstance(value, tuple) else None


def redact(event: E, viewer: Viewer, fresh: bool = True, newest: bool = False) -> E:
    """Returns the event as the viewer may see it. `fresh=False` also hides what has faded.

    `newest`: no later event has this type, so fields that fade with `repeated` are still visible.
    """
    marks = marks_of(type(event))
    if not marks:
        return event
    changes = {}
    for name, field_marks in marks.items():
        value = getattr(event, name)
        seen = value
        for mark in field_marks:
            if not (mark.unless and getattr(event, mark.unless)):
                seen = _apply_mark(mark, event, seen, viewer, fresh or (newest and mark.repeated))
        if seen is not value:
            changes[name] = seen
    return msgspec.structs.replace(event, **changes) if changes else event


def _apply_mark(mark: SecrecyMark, event: msgspec.Struct, value: Any, viewer: Viewer, fresh: bool) -> Any:
    if mark.kind == "fades":
        return value if fresh else hide(value)
    if mark.kind == "to":
        return value if _names_viewer(event, mark.fields, viewer) else hide(value)
    if mark.kind == "each":
        return tuple(v if i == viewer else hide(v) for i, v in enumerate(value))
    return hide(value)


def _names_viewer(event: msgspec.Struct, fields: tuple[str, ...], viewer: Viewer) -> bool:
    if viewer is None:
        return False
    for field in fields:
        seats = getattr(event, field)
        if viewer == seats or (isinstance(seats, tuple) and viewer in seats):
            return True
    return False


def withholds(event: Event) -> bool:
    """Returns whether a field of the event is hidden, in whole or in part."""
    return any(_has_hidden(getattr(event, name)) for name in marks_of(type(event)))


def _has_hidden(value: Any) -> bool:
    return any(_has_hidden(v) for v in value) if isinstance(value, tuple) else value is None


@functools.cache
def can_fade(event_type: type[Event]) -> bool:
    """Returns whether the event type has a field that fades."""
    return any(m.kind == "fades" for marks in marks_of(event_type).values() for m in marks)


def is_fading(event: Event) -> bool:
    """Returns whether a field of this very event fades: its type has one, and nothing lifts the mark."""
    return can_fade(type(event)) and any(
        mark.kind == "fades" and not (mark.unless and getattr(event, mark.unless))
        for marks in marks_of(type(event)).values()
        for mark in marks
    )


@functools.cache
def repeats(event_type: type[Event]) -> bool:
    """Returns whether the newest event of this type shows fields that have faded in all others."""
    return any(m.repeated for marks in marks_of(event_type).values() for m in marks)


@functools.cache
def fields_by_seat(event_type: type[Event]) -> tuple[str, ...]:
    """Returns the fields in which every seat has its own element."""
    return tuple(name for name, marks in marks_of(event_type).items() if any(m.kind == "each" for m in marks))


def put(items: tuple[T, ...], at: int, item: T) -> tuple[T, ...]:
    """Returns the items with this one in that place.

    >>> put(("a", "b", "c"), 1, "x")
    ('a', 'x', 'c')
    """
    return (*items[:at], item, *items[at + 1 :])


def less(items: tuple[T, ...], item: T) -> tuple[T, ...]:
    """Returns the items without this one, once. Raises ValueError if it is not there; see `without` for hidden ones.

    >>> less(("a", "b", "a"), "a")
    ('b', 'a')
    """
    at = items.index(item)
    return items[:at] + items[at + 1 :]


def without(cards: tuple[T | None, ...], card: T | None) -> tuple[T | None, ...]:
    """Returns the cards without this one: the card itself if it is known among them, else one hidden card.

    >>> without(("F1", None), "F1"), without(("F1", None), "M2"), without((None, None), None)
    ((None,), ('F1',), (None,))

    Raises ValueError if there is neither the card nor a hidden one.
    """
    at = cards.index(card) if card in cards else cards.index(None)
    return cards[:at] + cards[at + 1 :]


def fill(cards: Iterable[T | None], rest: Iterator[T]) -> tuple[T, ...]:
    """Returns the cards with the next ones of the rest in the places of those that are hidden.

    >>> fill(("F1", None, None), iter(["M2", "T3", "B4"]))
    ('F1', 'M2', 'T3')
    """
    return tuple([next(rest) if card is None else card for card in cards])


def agrees(full: Any, seen: Any) -> bool:
    """Returns whether a viewer's value is consistent with the full one.

    A tuple inside another, such as one hand among several, may be in another order; a tuple on its own may not:
    its places mean something, most often seats.

    >>> agrees((("F1", "M2"),), ((None, "F1"),)), agrees((("F1", "M2"),), (("T1", None),))
    (True, False)
    >>> agrees(("F1", "M2"), (None, "M2")), agrees(("F1", "M2"), ("M2", None))
    (True, False)
    """
    return _is_consistent(full, seen, inside=False)


def _is_consistent(full: Any, seen: Any, inside: bool) -> bool:
    if seen is None or full == seen:
        return True
    if isinstance(full, msgspec.Struct):
        if type(full) is not type(seen):
            return False
        return all(_is_consistent(getattr(full, f), getattr(seen, f), inside) for f in full.__struct_fields__)
    if isinstance(full, tuple):
        if not isinstance(seen, tuple) or len(full) != len(seen):
            return False
        if all(_is_consistent(a, b, True) for a, b in zip(full, seen, strict=True)):
            return True
        if not inside or any(isinstance(v, tuple) for v in full):
            return False
        return not Counter(v for v in seen if v is not None) - Counter(full)
    return bool(full == seen)
