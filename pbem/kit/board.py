"""What the parts of a drawn board share: whose eyes it is for, what may be touched, and what is marked.

A game draws from a `View` of its own state; where it keeps more at hand, such as where the story's numbers
belong, its view is a dataclass that extends this one.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from pbem.kit import svg
from pbem.kit.contract import Event, Lang, Link, Scene, Text, Viewer

S = TypeVar("S")

Forms = tuple[Text, Text]
"""What is said to the viewer, and of somebody else whose name stands for the *."""


@dataclass(frozen=True)
class View(Generic[S]):
    """One drawing's subject: a viewer's fold in one language, and what the page wants marked on it."""

    fold: S
    viewer: Viewer
    lang: Lang
    scene: Scene

    @property
    def newest(self) -> int | None:
        """The story number that may fade in; none on a board that answers a click."""
        return None if self.scene.chosen or not self.scene.recent else self.scene.recent[-1][0]

    @property
    def recent(self) -> Iterator[tuple[int, Event]]:
        """The newest events with their story numbers, the oldest first."""
        return iter(self.scene.recent)

    def link(self, step: str) -> Link | None:
        """Where touching this step leads."""
        return self.scene.links.get(step)

    def chosen(self, step: str) -> bool:
        """Whether this step was chosen."""
        return step in self.scene.chosen

    def choice(self, kind: str) -> str | None:
        """What was chosen of this kind of step: "F1" for "give" where "give-F1" was."""
        found = (step.removeprefix(f"{kind}-") for step in self.scene.chosen if step.startswith(f"{kind}-"))
        return next(found, None)

    def offered(self, kind: str) -> dict[str, Link]:
        """What may be touched of this kind of step, by what stands behind its dash."""
        links = self.scene.links.items()
        return {step.removeprefix(f"{kind}-"): link for step, link in links if step.startswith(f"{kind}-")}

    def to(self, forms: Forms, seat: int, room: int = 11) -> str:
        """What is said to the viewer where the seat is theirs, else of the seat, whose name has this much room."""
        mine, others = forms
        return mine[self.lang] if seat == self.viewer else others[self.lang].replace("*", f"{{{seat}:{room}}}")

    def spot(self, story: int | None, x: float, y: float, size: float) -> str:
        """The ink spot of a line of the story; nothing where there is none."""
        return "" if story is None else svg.spot(story, x, y, size, story == self.newest)


def label(view: View[S], seen_by: Text, seen_by_all: Text) -> str:
    """What a drawing is called for whoever listens: the first text with the viewer's name for its *."""
    if view.viewer is None:
        return seen_by_all[view.lang]
    return seen_by[view.lang].replace("*", f"{{{view.viewer}}}")
