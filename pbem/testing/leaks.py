"""The law of leaks: a field that says `Open` tells nobody what was hidden from them.

It knows no game and no things: numbers and bools leak as cards do. It looks in two ways.

* In two worlds. A match is played once more with one hidden draw or answer otherwise, until a viewer can tell
  (`pbem.testing.worlds`). What they tell it by is not the same in both worlds, though all that they knew was: where it
  is in `Open` fields alone, these tell what was hidden. A field that may do so says `Shown`, so its author has thought
  of it.
* In a fold. What a seat does not know, by what the fields of the state say, comes into its fold by `Shown` and by what
  marks let it see, never by `Open`.

Where only some hidden things allow an answer, the answer says that one has them. Rules mean that, so an `Open` field
leaks by it only if it says the very thing that is otherwise in the other world.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

import msgspec

from pbem.kit.chance import Chance, Luck
from pbem.kit.contract import AnyGame, Event, Viewer
from pbem.kit.secrecy import marks_of, redact, visibility_of
from pbem.testing.faults import Fault
from pbem.testing.records import Record
from pbem.testing.shown import Claims, fields_marked_shown
from pbem.testing.values import leaf_values_that_differ, leaf_values_with_types
from pbem.testing.worlds import Parting, follow_until_they_part

LEAKS = "leaks"
MOST_ANSWERS = 60
"""Of more answers than this to a question, about this many are looked at."""


class Leak(NamedTuple):
    """A field, as `Event.field`, or the name of an event that comes or not, and what it told whom.

    `certain`: False where the rules may mean it.
    """

    field: str
    said: str
    certain: bool = True


class Difference(NamedTuple):
    """How an event differs between two worlds for a viewer: which it is, the two forms of it, and the fields."""

    at: int
    true: Event
    other: Event
    fields: Sequence[str]

    @property
    def is_in_open_fields_alone(self) -> bool:
        """Whether it differs in `Open` fields alone."""
        return all(is_open_field(type(self.true), field) for field in self.fields)

    @property
    def has_same_open_fields(self) -> bool:
        """Whether its `Open` fields are the same."""
        return not any(is_open_field(type(self.true), field) for field in self.fields)


def is_open_field(kind: type[msgspec.Struct], field: str) -> bool:
    """Returns whether the field says that it was never hidden, or says nothing."""
    return all(mark.kind == "open" for mark in visibility_of(kind)[field])


class Leaks:
    """The fields and kinds of events that leaked in the matches that it has looked at, each with what it told first."""

    def __init__(self, game: AnyGame) -> None:
        self.game, self.matches, self.found, self.claims = game, 0, dict[str, str](), Claims()
        self.doubtful = dict[str, str]()
        """The kinds of events whose coming tells something, which the rules may mean."""

    def look_at_match(self, record: Record, choice: Chance, worlds: int = 20) -> None:
        """Looks for leaks in a match and in this many other worlds of it, chosen by `choice`."""
        self.matches += 1
        events = [event for decision in record.decisions for event in decision.events]
        self._note_leaks(leaks_into_folds(self.game, record.table.viewers, events))
        self.claims.note_what_shown_fields_say(events)
        for _ in range(worlds):
            self._look_at_world(record, choice)
        for _ in range(worlds):
            if self.claims.doubtful:
                self._look_at_world(record, choice)
        self._note_leaks(leaks_of_hidden_part_of_answers(record, choice))

    def look_at_setup(self, seats: int, options: Any, luck: Luck) -> None:
        """Looks for leaks in the events that open a match: where they leak, a match may not even begin."""
        events = self.game.setup(seats, options, luck)
        self.claims.note_what_shown_fields_say(events)
        self._note_leaks(leaks_into_folds(self.game, (None, *range(seats)), events))

    def _look_at_world(self, record: Record, choice: Chance) -> None:
        viewer = choice.pick(record.table.viewers)
        parting = follow_until_they_part(record, viewer, choice)
        if parting is not None:
            self._note_leaks(leaks_between_worlds(record, viewer, parting))
            self.claims.note_shown_fields_that_differ(record, parting)
            # By coming or not, an event tells what it says, too.
            comes = [kind for kind in _kinds_of_first_differing_event(record, viewer, parting) if kind is not None]
            self.claims.true |= {f"{kind.__name__}.{name}" for kind in comes for name in fields_marked_shown(kind)}

    def _note_leaks(self, leaks: Iterable[Leak]) -> None:
        for leak in leaks:
            (self.found if leak.certain else self.doubtful).setdefault(leak.field, leak.said)

    def faults(self) -> Iterator[Fault]:
        """Yields a fault for each field that says `Open` and leaks, or `Shown` and shows nothing."""
        kinds = {kind.__name__: kind for kind in self.game.meta.events}
        for where, said in self.found.items():
            kind, _, field = where.partition(".")
            if not field:
                yield Fault(LEAKS, said, "Let it come in both cases, or say in a Shown field what it tells.")
            elif visibility_of(kinds[kind])[field]:
                todo = "Say Own, Each, Hidden or Fading; or Shown, if everybody may learn this by the rules."
                yield Fault(LEAKS, f"{where} says Open, but {said}", todo)
        yield from self.claims.faults(self.matches)

    def doubtful_leaks(self) -> Iterator[Fault]:
        """Yields a hint for each event that tells something hidden by coming or not, as a hit or a miss does."""
        todo = "If the rules mean that, let a field of it say Shown; else let it come in both cases."
        yield from (Fault(LEAKS, said, todo) for kind, said in self.doubtful.items() if kind not in self.found)


def leaks_between_worlds(record: Record, viewer: Viewer, parting: Parting) -> Iterator[Leak]:
    """Yields what the viewer learns by `Open` fields where two worlds part."""
    told = _open_difference_that_tells(record, viewer, parting)
    if told is None:
        yield from _leak_by_kind_of_event(record, viewer, parting)
    else:
        field = told.fields[0]
        true, other = getattr(told.true, field), getattr(told.other, field)
        yield Leak(
            f"{type(told.true).__name__}.{field}",
            f"{true!r} tells {_name_of_seat_or_everybody(viewer)} what was hidden: with {parting.why} it is {other!r}",
        )


def _leak_by_kind_of_event(record: Record, viewer: Viewer, parting: Parting) -> Iterator[Leak]:
    """Yields an event that comes in one of the worlds alone, and so tells something; not where one says `Shown`.

    It is certain where nothing but its coming can be what it tells: of an event without fields, or one of the setup.
    After an answer the rules may say that one comes: a hit or a miss.
    """
    pair = _kinds_of_first_differing_event(record, viewer, parting)
    kinds = [kind for kind in pair if kind is not None]
    marks = [mark.kind for kind in kinds for marks in visibility_of(kind).values() for mark in marks]
    if kinds and "shown" not in marks:
        bare = record.decisions[parting.at].ask is None or any(not kind.__struct_fields__ for kind in kinds)
        kind = kinds[0].__name__
        said = f"{kind} tells {_name_of_seat_or_everybody(viewer)} what was hidden: with {parting.why} "
        if len(kinds) > 1:
            said += f"it is {kinds[1].__name__}"
        else:
            said += "it does not come" if pair[0] is not None else "it comes"
        yield Leak(kind, said, certain=bare)


def _kinds_of_first_differing_event(record: Record, viewer: Viewer, parting: Parting) -> Sequence[type[Event] | None]:
    """Returns of what kinds the first event is that the viewer sees otherwise in the other world; () if it is of one.

    None in place of one that does not come there.
    """
    decision = record.decisions[parting.at]
    for event, other in zip_longest(decision.events, parting.tried[0] if parting.legal else decision.events):
        if type(event) is not type(other):
            return [None if one is None else type(one) for one in (event, other)]
        if redact(event, viewer) != redact(other, viewer):
            break
    return ()


def _open_difference_that_tells(record: Record, viewer: Viewer, parting: Parting) -> Difference | None:
    """Returns by what the viewer tells the worlds apart, if that is `Open` fields alone."""
    decision = record.decisions[parting.at]
    found = [_first_difference(decision.events, other, viewer) for other in parting.tried]
    if parting.state is decision.before:
        return (
            found[0]
            if found[0] is not None and _is_derived_from_secret_draw(found[0], decision.events, parting.tried[0])
            else None
        )
    if parting.legal:
        return found[0] if found[0] is not None and found[0].is_in_open_fields_alone else None
    alike = [one for one in found if one is not None]
    told = next((one for one in alike if one.is_in_open_fields_alone), None)
    if told is None or any(one.has_same_open_fields for one in alike):
        return None
    hidden = {*leaf_values_that_differ(decision.before, parting.state)}
    said = (value for field in told.fields for value in leaf_values_with_types(getattr(told.true, field)))
    return told if hidden.intersection(said) else None


def _is_derived_from_secret_draw(told: Difference, events: Sequence[Event], others: Sequence[Event]) -> bool:
    """Returns whether what an `Open` field tells of a draw is worked out from what the draw gives in secret.

    What is drawn in public is in `Open` fields alone. Of a shuffle, a thing that lies open in one world is hidden in
    the other.
    """
    hidden, elsewhere = set[Any](), set[Any]()
    for event, other in zip(events[: told.at + 1], others, strict=False):
        for field in marks_of(type(event)):
            hidden |= {*leaf_values_that_differ(getattr(event, field), getattr(other, field))}
            elsewhere |= {*leaf_values_that_differ(getattr(other, field), getattr(event, field))}
    said = (leaf_values_that_differ(getattr(told.true, field), getattr(told.other, field)) for field in told.fields)
    return (
        told.is_in_open_fields_alone
        and bool(hidden)
        and elsewhere.isdisjoint(leaf for leaves in said for leaf in leaves)
    )


def _first_difference(events: Sequence[Event], others: Sequence[Event], viewer: Viewer) -> Difference | None:
    """Returns how the first event that is not the same for the viewer differs; None if it is of another type."""
    for at, (event, other) in enumerate(zip(events, others, strict=False)):
        true, seen = redact(event, viewer), redact(other, viewer)
        if type(true) is not type(seen):
            return None
        fields = [name for name in true.__struct_fields__ if getattr(true, name) != getattr(seen, name)]
        if fields:
            return Difference(at, true, seen, fields)
    return None


def leaks_of_hidden_part_of_answers(record: Record, choice: Chance) -> Iterator[Leak]:
    """Yields `Open` fields that are worked out from the hidden part of an answer, at one decision of the match.

    Where each hidden part comes with one open part alone, and several with the same, the open part tells of it.
    """
    decision = choice.pick(record.decisions)
    if decision.ask is None:
        return
    luck, seen = record.table.luck.rules(1), dict[tuple[Any, ...], dict[Any, set[tuple[Any, ...]]]]()
    legal = record.game.legal(decision.before, decision.ask.seat)
    for move in legal[:: max(1, len(legal) // MOST_ANSWERS)]:
        event = record.game.decide(decision.before, decision.ask.seat, move, luck)[0]
        kind: type[Event] = type(event)
        outside = redact(event, None)
        alike = (
            kind,
            *(getattr(outside, field) for field in event.__struct_fields__ if not is_open_field(kind, field)),
        )
        hidden = tuple(getattr(event, field) for field in marks_of(kind))
        seen.setdefault(alike, {}).setdefault(hidden, set()).add(_values_of_open_fields(event))
    for (kind, *_), answers in seen.items():
        told = {part for parts in answers.values() for part in parts}
        if all(len(parts) == 1 for parts in answers.values()) and len(told) < len(answers):
            fields = [field for field in kind.__struct_fields__ if is_open_field(kind, field)]
            for field, values in zip(fields, zip(*told, strict=True), strict=True):
                if len({*values}) > 1:
                    said = f"tells everybody something of what seat {decision.ask.seat} hides by the same answer"
                    yield Leak(f"{kind.__name__}.{field}", said)


def _values_of_open_fields(event: Event) -> tuple[Any, ...]:
    return tuple(getattr(event, field) for field in event.__struct_fields__ if is_open_field(type(event), field))


def leaks_into_folds(game: AnyGame, viewers: Iterable[Viewer], events: Sequence[Event]) -> Iterator[Leak]:
    """Yields what comes into folds by `Open` fields though the state says that the viewer does not know it."""
    for viewer in viewers:
        state: Any = None
        fold: Any = None
        held = Counter[Any]()
        for event in events:
            seen = redact(event, viewer)
            state, fold = game.evolve(state, event), game.evolve(fold, seen)
            new = Counter(_knowledge_beyond_state(game, state, fold, viewer)) - held
            held = Counter(
                leaf for field in marks_of(game.meta.state) for leaf in leaf_values_with_types(getattr(fold, field))
            )
            said = {
                field: Counter(leaf_values_with_types(getattr(seen, field))) for field in seen.__struct_fields__ if new
            }
            # Those that say most of it come first, so that a number that occurs elsewhere by chance is theirs, too.
            by_much = sorted(said, key=lambda field: -(said[field] & new).total())
            for field in sorted(by_much, key=lambda field: is_open_field(type(seen), field)):
                if is_open_field(type(seen), field) and (told := said[field] & new):
                    _, value = next(iter(told))
                    yield Leak(
                        f"{type(seen).__name__}.{field}",
                        f"{value!r} comes into the fold of {_name_of_seat_or_everybody(viewer)}, "
                        "from whom the state hides it",
                    )
                new -= said[field]


def _knowledge_beyond_state(game: AnyGame, state: Any, fold: Any, viewer: Viewer) -> Iterator[tuple[str, Any]]:
    """Yields what the viewer's fold knows of the fields that the state hides from them."""
    shown = redact(state, viewer)
    for field in marks_of(game.meta.state):
        yield from _extra_knowledge(getattr(shown, field), getattr(fold, field))


def _extra_knowledge(shown: Any, known: Any) -> Iterator[tuple[str, Any]]:
    if shown is None:
        yield from leaf_values_with_types(known)
    elif isinstance(shown, tuple) and isinstance(known, tuple):
        for one, other in zip(shown, known, strict=False):
            yield from _extra_knowledge(one, other)


def _name_of_seat_or_everybody(viewer: Viewer) -> str:
    return "everybody" if viewer is None else f"seat {viewer}"
