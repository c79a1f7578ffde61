"""Whether a move has told anybody anything: if not, it can be taken back without asking.

`pbem.services.play.takeback` adds what the table and the mails say to it.

A move has *shown* its mover something if the events of it, as they see them, do not follow from what they knew and from
the move itself: something hidden was turned up, or luck was drawn. It is never taken back. One that others play after
it has shown the player who takes back what does not follow from what they knew. If it follows from what its mover knew,
too, it is their own secret, which goes back if they agree.

A move is *free* if these hold:

1. Its events follow from what the mover alone knew and from what everybody knew; nothing that another seat keeps
   secret, or that nobody knows, was looked at, and no luck was drawn.
2. All others were told the same.

So the mover learns nothing by it, nor can they show one player what another keeps secret. The others learn the move,
and what follows from it about the mover's own secrets.

All of this is found out from the log of one seat: `decide` runs on its fold, in which everything that is hidden raises
as soon as the rules look at it. Whether a move is free, or has shown its mover something, tells them nothing either.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, NamedTuple, NoReturn

import msgspec

from pbem.kit.chance import NO_LUCK
from pbem.kit.contract import AnyGame, Event, Move, Seat
from pbem.kit.folds import Folds
from pbem.kit.replay import evolve_all
from pbem.kit.secrecy import marks_of, redact, visibility_of


class LookedAt(Exception):  # not an error: it says what a decision depends on
    """The rules have looked at something hidden."""


def _raise_looked(*_: Any) -> NoReturn:
    raise LookedAt


class Veiled:
    """Stands for a hidden value. It can be moved about; comparing, counting or reading it raises LookedAt."""

    __slots__ = ()

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _raise_looked
    __hash__ = __bool__ = __len__ = __iter__ = __getitem__ = __contains__ = __index__ = __int__ = _raise_looked
    __str__ = __repr__ = __format__ = __add__ = __radd__ = __sub__ = __rsub__ = __neg__ = _raise_looked

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):  # Python's own, such as what tools that inspect a module ask for
            raise AttributeError(name)
        raise LookedAt


VEILED = Veiled()
_COMPOSED = (tuple, dict, msgspec.Struct)


class Answered(NamedTuple):
    """A decision: the seat whose question it answers, its move, and the events that the rules made of it."""

    seat: Seat
    move: Move
    events: Sequence[Event]


FREE, OWN, SHOWN = range(3)
"""What a decision for which nothing was drawn has told; see `kind_of_knowledge_told`."""


def kind_of_knowledge_told(game: AnyGame, folds: Folds, made: Answered) -> int | None:
    """Returns what this decision has told, from what everybody knew before it.

    SHOWN: its mover, what they did not know. OWN: others, what its mover knew. FREE: nothing of all this. None:
    somebody else, what its mover did not know.
    """
    if is_free_to_take_back(game, folds, made):
        return FREE  # it follows from less than what its mover knew
    own = folds.fold_without_fading(made.seat)
    again = _decide_veiled(game, veil(folds.full, own, own), made)
    if not _are_events_same_to_viewers(again, made, (made.seat,)):
        return SHOWN
    return OWN if _are_events_same_to_viewers(again, made, (None, *range(len(folds.seen) - 1))) else None


def is_free_to_take_back(game: AnyGame, folds: Folds, made: Answered) -> bool:
    """Returns whether this decision can be taken back without asking; `folds` are what everybody knew before it."""
    public, *seats = folds.seen
    others = [fold for seat, fold in enumerate(seats) if seat != made.seat]
    rest = [seat for seat in range(len(seats)) if seat != made.seat]
    marked = (event for event in made.events if marks_of(type(event)))
    if any(redact(event, other) != redact(event, None) for event in marked for other in rest):
        return False
    known = veil(folds.full, seats[made.seat], public, others)
    return _are_events_same_to_viewers(_decide_veiled(game, known, made), made, (made.seat,))


def _decide_veiled(game: AnyGame, known: Any, made: Answered) -> Sequence[Event] | None:
    """Returns what the rules make of the move in this veiled state without luck; None if they need more than that."""
    try:
        return game.decide(known, made.seat, made.move, NO_LUCK)
    except Exception:  # noqa: BLE001 - the rules may stumble in any way over what they cannot know: then they need it
        return None


def _are_events_same_to_viewers(again: Sequence[Event] | None, made: Answered, viewers: Iterable[Seat | None]) -> bool:
    """Returns whether the rules have made the same events again, as each of these viewers is told them."""
    if again is None:
        return False
    try:
        return all([redact(one, who) for one in again] == [redact(one, who) for one in made.events] for who in viewers)
    except Exception:  # noqa: BLE001 - as above: what they made of something hidden cannot be told
        return False


def seats_with_secrets_shown_to_taker(
    game: AnyGame, before: Sequence[Event], made: Sequence[Answered], taker: Seat
) -> frozenset[Seat] | None:
    """Returns the seats whose own secrets these decisions have shown to the taker.

    None if one of them has shown the taker something else, or its own mover anything that they did not know. `before`
    are the events of the game before them that count, with nothing hidden.
    """
    state = evolve_all(game, None, before)
    seats = {taker, *(one.seat for one in made)}
    folds = {seat: evolve_all(game, None, (redact(event, seat) for event in before)) for seat in seats}
    shown = set[Seat]()
    for one in made:
        own, seen = folds[one.seat], folds[taker]
        if not _are_events_same_to_viewers(_decide_veiled(game, veil(state, own, own), one), one, (one.seat,)):
            return None
        if one.seat != taker and not _are_events_same_to_viewers(
            _decide_veiled(game, veil(state, seen, seen), one), one, (taker,)
        ):
            both = _merge_folds(own, seen)
            if not _are_events_same_to_viewers(_decide_veiled(game, veil(state, both, both), one), one, (taker,)):
                return None
            shown.add(one.seat)
        state = evolve_all(game, state, one.events)
        folds = {
            seat: evolve_all(game, fold, (redact(event, seat) for event in one.events)) for seat, fold in folds.items()
        }
    return frozenset(shown)


def _merge_folds(one: Any, other: Any) -> Any:
    """Returns what either of two folds shows. Of a hand of which both see something, that of the one who sees more.

    >>> _merge_folds((("F1", None), None), ((None, "F2"), "M1")), _merge_folds((("F1", None), 2), (("F1", "F2"), 2))
    ((('F1', None), 'M1'), (('F1', 'F2'), 2))
    """
    if isinstance(one, msgspec.Struct):
        changes = {name: _merge_folds(getattr(one, name), getattr(other, name)) for name in one.__struct_fields__}
        return msgspec.structs.replace(one, **changes)
    if isinstance(one, dict):
        return {key: _merge_folds(value, other[key]) for key, value in one.items()}
    if isinstance(one, tuple) and any(isinstance(part, tuple | dict | msgspec.Struct) for part in one):
        return tuple(_merge_folds(*parts) for parts in zip(one, other, strict=True))
    if isinstance(one, tuple):
        return one if one.count(None) <= other.count(None) else other
    return other if one is None else one


def does_move_draw(game: AnyGame, state: Any, seat: Seat, move: Move) -> bool:
    """Returns whether the rules draw for this move, which they have accepted in this state before.

    True, too, if they refuse it now, because they have been corrected since.
    """
    try:
        game.decide(state, seat, move, NO_LUCK)
    except Exception:  # noqa: BLE001 - what NO_LUCK raises, or corrected rules
        return True
    return False


def veil(full: Any, seen: Any, public: Any, others: Sequence[Any] = ()) -> Any:
    """Returns what somebody has seen of a state, with a `Veiled` wherever they have not seen what is there.

    Also where another has seen it, too, but not everybody: `public` and `others` are what these have seen.

    >>> veiled = veil((1, "F1", "F2"), (1, None, "F2"), (1, None, None), [(1, "F1", None)])
    >>> veiled[0], veiled[1] is VEILED, veiled[2]
    (1, True, 'F2')
    """
    if full == seen == public:
        return seen
    if isinstance(seen, msgspec.Struct):
        changes = {}
        for name in _fields_not_open(type(seen)):
            there, one, known = getattr(full, name), getattr(seen, name), getattr(public, name)
            if not there == one == known:  # most fields are no secret, and need not be copied
                changes[name] = veil(there, one, known, [getattr(other, name) for other in others])
        return msgspec.structs.replace(seen, **changes)
    if isinstance(seen, dict):
        return {
            key: veil(full.get(key), one, *_parts_of_public_and_others(dict.get, public, others, key))
            for key, one in seen.items()
        }
    if isinstance(seen, tuple):
        return _veil_tuple(full, seen, public, others)
    if seen is None:
        return None if full is None else VEILED
    return VEILED if public is None and any(one is not None for one in others) else seen


@cache
def _fields_not_open(kind: type[msgspec.Struct]) -> tuple[str, ...]:
    """Returns the fields that do not say that everybody sees them, which is a law of all states."""
    return tuple(name for name, marks in visibility_of(kind).items() if not any(mark.kind == "open" for mark in marks))


def _parts_of_public_and_others(get: Any, public: Any, others: Sequence[Any], name: Any) -> tuple[Any, list[Any]]:
    return get(public, name), [get(one, name) for one in others]


def _veil_tuple(
    full: tuple[Any, ...], seen: tuple[Any, ...], public: tuple[Any, ...], others: Sequence[tuple[Any, ...]]
) -> tuple[Any, ...]:  # fmt: skip
    """Returns the tuple veiled. The values of one inside another, such as a hand, may be in another order for each."""
    for one in seen:
        if isinstance(one, _COMPOSED):
            return tuple(
                [
                    veil(full[at], one, *_parts_of_public_and_others(tuple.__getitem__, public, others, at))
                    for at, one in enumerate(seen)
                ]
            )
    some_hidden = seen.count(None) > full.count(None)  # which of them cannot be told
    known, out = [*public], list[Any]()
    for one in seen:
        if one is None:
            out.append(VEILED if some_hidden else None)
        elif one in known:
            known.remove(one)
            out.append(one)
        else:
            out.append(VEILED if any(one in other for other in others) else one)
    return tuple(out)
