"""What says `Shown`: whether it shows what was hidden, or says so in place of Own, Each, Hidden or Open.

A `Shown` field tells something that was hidden: in another world, which the viewer could not tell from the true one,
it says something else (`pbem.testing.worlds`); or something is hidden from now on that it tells of. Or it says again
what everybody knew, such as a card that is taken up from the table. A field that never does so, though it says
something new, is a die that was just rolled, or an answer that was just given: it is public, or it is a secret that
everybody is told.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from pbem.kit.contract import Event
from pbem.kit.game.facts import seat_fields
from pbem.kit.secrecy import marks_of, redact, visibility_of
from pbem.testing.faults import Fault
from pbem.testing.records import LIKELY, Record
from pbem.testing.values import leaf_values_that_differ, leaf_values_with_types
from pbem.testing.worlds import Parting

OFTEN = 5
"""Of a field that was said less often, nothing is said."""


def fields_marked_shown(kind: type[msgspec.Struct]) -> tuple[str, ...]:
    """Returns the fields that say `Shown` and nothing else."""
    return tuple(name for name, marks in visibility_of(kind).items() if [mark.kind for mark in marks] == ["shown"])


class Claims:
    """The `Shown` fields of the matches that it has looked at."""

    def __init__(self) -> None:
        self.said = Counter[str]()
        self.news, self.true = dict[str, str](), set[str]()
        """What a field told first that nobody had seen, and the fields that have shown something hidden."""

    @property
    def doubtful(self) -> set[str]:
        """The fields that have told something new, but so far nothing hidden."""
        return self.news.keys() - self.true

    def note_what_shown_fields_say(self, events: Sequence[Event]) -> None:
        """Notes what the `Shown` fields of a match say, and whether a spectator has seen it before."""
        known = set[Any]()
        for event in (redact(event, None) for event in events):
            kind: type[Event] = type(event)
            for name in fields_marked_shown(kind):
                field, value = f"{kind.__name__}.{name}", getattr(event, name)
                self.said[field] += 1
                if not known.issuperset(leaf_values_with_types(value)):
                    self.news.setdefault(field, repr(value))
            names = (name for name in event.__struct_fields__ if name not in seat_fields(kind))
            known.update(leaf for name in names for leaf in leaf_values_with_types(getattr(event, name)))

    def note_shown_fields_that_differ(self, record: Record, parting: Parting) -> None:
        """Notes which `Shown` fields are otherwise where two worlds part, though all was the same to the viewer."""
        decision = record.decisions[parting.at]
        before, after = {*leaf_values_that_differ(decision.before, parting.state)}, set[Any]()
        for others in parting.tried[: 1 if parting.legal else None]:
            found = list[tuple[str, set[Any]]]()
            for event, other in zip(decision.events, others, strict=False):
                kind: type[Event] = type(event)
                if kind is not type(other):
                    break
                pairs = {name: (getattr(event, name), getattr(other, name)) for name in event.__struct_fields__}
                after |= {leaf for name in marks_of(kind) for leaf in leaf_values_that_differ(*pairs[name])}
                found += [
                    (f"{kind.__name__}.{name}", {*leaf_values_that_differ(*pairs[name])})
                    for name in fields_marked_shown(kind)
                ]
            fresh = parting.state is decision.before
            told = ((field, said) for field, said in found if said)
            self.true |= {field for field, said in told if (after if fresh else parting.legal or before & said)}

    def faults(self, matches: int) -> Iterator[Fault]:
        """Yields the fields that show nothing hidden; none after a few matches."""
        for field in sorted(self.doubtful):
            if matches >= LIKELY and self.said[field] >= OFTEN:
                said = f"{field} says Shown, but nothing had hidden what it tells everybody: {self.news[field]}"
                yield Fault("leaks", said, "Say Own, Each, Hidden or Fading if it is a secret; Open if it is none.")
