"""The course of a decision: what happens one after the other, each event folded in as soon as it is known."""

from collections.abc import Callable
from typing import Generic, TypeVar

from pbem.kit.contract import Event

S = TypeVar("S")


class Course(Generic[S]):
    """The events of a decision so far, and the state after them."""

    __slots__ = ("_evolve", "events", "state")

    def __init__(self, evolve: Callable[[S | None, Event], S], state: S) -> None:
        self._evolve = evolve
        self.events: list[Event] = []
        self.state = state

    def add(self, event: Event) -> None:
        """Makes the event happen."""
        self.events.append(event)
        self.state = self._evolve(self.state, event)
