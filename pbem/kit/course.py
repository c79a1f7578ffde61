"""The course of a decision: its events in order, each folded in as soon as it is known."""

from collections.abc import Callable
from typing import Generic, TypeVar

from pbem.kit.contract import Event

S = TypeVar("S")


class Course(Generic[S]):
    """Collects the events of a decision, and keeps the state after them."""

    __slots__ = ("_evolve", "events", "state")

    def __init__(self, evolve: Callable[[S | None, Event], S], state: S) -> None:
        self._evolve = evolve
        self.events: list[Event] = []
        self.state = state

    def add(self, event: Event) -> None:
        """Appends the event and folds it into the state."""
        self.events.append(event)
        self.state = self._evolve(self.state, event)
