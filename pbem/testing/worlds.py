"""Other worlds: how a match would have gone with one hidden thing otherwise, as long as a viewer cannot tell.

One draw gives another result, or one seat has given another answer; all else is as it was. Both worlds are matches that
can happen, so where a viewer can tell them apart, what tells them is what they have learnt.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

from pbem.kit.chance import Chance, Luck
from pbem.kit.contract import Event, Move, Viewer
from pbem.kit.replay import evolve_all
from pbem.kit.secrecy import redact
from pbem.testing.records import Decision, Record

T = TypeVar("T")
MOST_ANSWERS = 1000
"""Where a seat has more answers than this, it is not searched for one that looks the same."""


class OtherDraw(Chance):
    """A stream whose result is another one: a die shows another face, two things of a shuffle have changed places."""

    def __init__(self, drawn: Chance, choice: Chance) -> None:
        self._drawn, self._choice = drawn, choice

    def below(self, n: int) -> int:
        """Returns another number than was drawn, if there is one."""
        was = self._drawn.below(n)
        return (was + 1 + self._choice.below(n - 1)) % n if n > 1 else was

    def shuffled(self, items: Iterable[T]) -> tuple[T, ...]:
        """Returns the order that was drawn, with two things exchanged."""
        out = list(self._drawn.shuffled(items))
        if len(out) > 1:
            one = self._choice.below(len(out))
            other = (one + 1 + self._choice.below(len(out) - 1)) % len(out)
            out[one], out[other] = out[other], out[one]
        return tuple(out)


class OtherLuck(Luck):
    """The luck of a match in which the draw of one name gives something else."""

    def __init__(self, luck: Luck, name: str, choice: Chance) -> None:
        self._luck, self._name, self._choice = luck, name, choice

    def named(self, name: str) -> Chance:
        """Returns the stream of this name: that of the match, but for one."""
        drawn = self._luck.named(name)
        return OtherDraw(drawn, self._choice) if name == self._name else drawn


class Parting(NamedTuple):
    """Where a viewer can tell a world from the true one: at the decision `at`, whatever its seat answers there.

    `state` is that of the other world before it, `legal` whether the true answer is allowed there, `tried` what follows
    there from each answer that was tried, the true one first if it is allowed. `why` says what is otherwise. If the
    draw that is otherwise is one of this decision itself, the state is the true one.
    """

    at: int
    state: Any
    legal: bool
    tried: Sequence[Sequence[Event]]
    why: str


def follow_until_they_part(record: Record, viewer: Viewer, choice: Chance) -> Parting | None:
    """Follows another world, chosen by `choice`, to where the viewer can tell; None if they never can.

    None, too, if it is another answer by which they can tell at once.
    """
    draws: dict[str, list[tuple[int, str]]] = {}
    for at, name in ((at, name) for at, decision in enumerate(record.decisions) for name in decision.draws):
        draws.setdefault(name.partition(":")[0], []).append((at, name))
    answers = [at for at, one in enumerate(record.decisions) if one.ask is not None and one.ask.seat != viewer]
    luck = record.table.luck.rules(1)
    if draws and (not answers or choice.below(2)):
        at, name = choice.pick(choice.pick([*draws.values()]))  # of each kind as often: one shuffle beside many dice
        decision = record.decisions[at]
        # The choice is asked once for each draw of that name, and must be the same each time.
        luck, why = OtherLuck(luck, name, Fixed(choice)), f"another result of the draw {name!r}"
        events = _events_of_decision(record, decision, decision.move, luck)
        if _redact_events(events, viewer) != _redact_events(decision.events, viewer):
            return Parting(at, decision.before, True, (events,), why)
    elif answers:
        at = choice.pick(answers)
        decision = record.decisions[at]
        assert decision.ask is not None, "it is an answer"
        why = f"another answer of seat {decision.ask.seat} at {decision.ask.key}"
        events = _events_of_decision(
            record, decision, choice.pick(record.game.legal(decision.before, decision.ask.seat)), luck
        )
        if _redact_events(events, viewer) != _redact_events(decision.events, viewer):
            return None
    else:
        return None
    return _follow_world_until_parting(
        record, at + 1, viewer, evolve_all(record.game, decision.before, events), luck, why
    )


class Fixed(Chance):
    """Luck that gives the same whenever it is asked the same: see `part`."""

    def __init__(self, choice: Chance) -> None:
        self._word = choice.below(1 << 30)

    def below(self, n: int) -> int:
        return self._word % n


def _events_of_decision(record: Record, decision: Decision, move: Move | None, luck: Luck) -> Sequence[Event]:
    """Returns what follows from a move and luck at this decision, or of luck when the match is set up."""
    if decision.ask is None:
        events: Sequence[Event] = record.game.setup(record.table.seats, record.table.options, luck)
    else:
        events = record.game.decide(decision.before, decision.ask.seat, move, luck)
    return events


def _follow_world_until_parting(
    record: Record, at: int, viewer: Viewer, state: Any, luck: Luck, why: str
) -> Parting | None:
    game = record.game
    for number, (before, ask, move, events, _) in enumerate(record.decisions[at:], at):
        assert ask is not None, "the setup comes first"
        if state == before:
            return None
        seen, tried = _redact_events(events, viewer), []
        legal = game.legal(state, ask.seat)
        for answer in _answers_viewer_thinks_possible(legal, move, ask.seat == viewer):
            follow = game.decide(state, ask.seat, answer, luck)
            if _redact_events(follow, viewer) == seen:
                state = evolve_all(game, state, follow)
                break
            tried.append(follow)
        else:
            return Parting(number, state, move in legal, tried, why)
    return None


def _answers_viewer_thinks_possible(legal: Sequence[Move], move: Move | None, own: bool) -> Iterator[Move]:
    """Yields the true answer, if it is legal, and then the others, unless the viewer knows which it was."""
    if move is not None and move in legal:
        yield move
    if not own and len(legal) <= MOST_ANSWERS:
        yield from (other for other in legal if other != move)


def _redact_events(events: Sequence[Event], viewer: Viewer) -> list[Event]:
    return [redact(event, viewer) for event in events]
