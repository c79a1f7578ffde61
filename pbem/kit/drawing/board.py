"""What the parts of a drawn board share: its viewer, what may be touched, and what is marked.

A game draws from a `View` of its own state. A game that needs more, such as where the story's numbers belong,
extends this dataclass.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

from pbem.kit.contract import Event, Link, Scene, Viewer
from pbem.kit.drawing import svg
from pbem.kit.drawing.grid import SIZES, Box, Grid, Sizes
from pbem.kit.drawing.svg import box, coloured, linked, number, seal, seat_mark, symbol
from pbem.kit.texts import Lang, Text

S = TypeVar("S")

Forms = tuple[Text, Text]
"""What is said to the viewer, and what is said about somebody else, whose name replaces the *."""

_LONGEST = 60
"""More letters than any name has."""


@dataclass(frozen=True)
class View(Generic[S]):
    """What one drawing shows: a viewer's fold in one language, and what the page wants marked on it."""

    fold: S
    viewer: Viewer
    lang: Lang
    scene: Scene

    @cached_property
    def newest(self) -> int | None:
        """The story number that may fade in; None on a board that answers a click."""
        return None if self.scene.chosen or not self.scene.recent else self.scene.recent[-1][0]

    @property
    def recent(self) -> Iterator[tuple[int, Event]]:
        """The newest events with their story numbers, oldest first."""
        return iter(self.scene.recent)

    @cached_property
    def sizes(self) -> Sizes:
        """How large the signs are drawn."""
        return SIZES[self.scene.shape]

    def link(self, step: str) -> Link | None:
        """Returns where touching this step leads; None if it cannot be touched."""
        return self.scene.links.get(step)

    def link_instead(self, step: str) -> Link | None:
        """Returns where touching this step leads, be it next or instead of one that was chosen before."""
        return self.scene.links.get(step) or self.scene.others.get(step)

    def refusal(self, step: str) -> Link | None:
        """Returns where touching this step tells why it cannot be chosen; None if there is nothing to tell."""
        return self.scene.refused.get(step)

    def chosen(self, step: str) -> bool:
        """Returns whether this step was chosen."""
        return step in self.scene.chosen

    def choice(self, kind: str) -> str | None:
        """Returns what was chosen of this kind of step: "F1" for "give" if "give-F1" was chosen."""
        found = (step.removeprefix(f"{kind}-") for step in self.scene.chosen if step.startswith(f"{kind}-"))
        return next(found, None)

    def offered(self, kind: str) -> dict[str, Link]:
        """Returns the links of this kind of step, by what follows the dash."""
        links = self.scene.links.items()
        return {step.removeprefix(f"{kind}-"): link for step, link in links if step.startswith(f"{kind}-")}

    def name(
        self, classes: str, seat: int, x: float, line: float, room: float, size: float = 0, *, night: bool = False
    ) -> str:
        """Writes a seat's name, cut to the room in its line; before that of a bot stands its sign.

        `size` is that of the letters; 0: of a name's.
        """
        size, drawn = size or self.sizes.name, ""
        if seat in self.scene.bots:
            drawn = svg.bot_sign(x, line - size * 0.87, size, self.lang, night=night)
            x, room = x + size * 1.3, room - size * 1.3
        return drawn + svg.text(classes, x, line, f"{{{seat}:{self.sizes.letters(room, size)}}}", size)

    def asks_nothing_of(self, seat: int) -> bool:
        """True if nothing is asked of the seat any more: the match is over, or its player, the viewer, has resigned."""
        return self.scene.over or (self.scene.resigned and seat == self.viewer)

    def to(self, forms: Forms, seat: int, room: int = 11) -> str:
        """Returns the form for the viewer if the seat is theirs, else the other, with `room` letters for the name.

        A viewer who has resigned reads the other form, too.
        """
        mine, others = forms
        spoken_to = seat == self.viewer and not self.scene.resigned
        return mine[self.lang] if spoken_to else others[self.lang].replace("*", f"{{{seat}:{room}}}")

    def fitted(self, forms: Forms, seat: int, width: float, size: float, least: int = 11) -> str:
        """Returns `to` with as many letters for the name as a line of this width has beside the other words.

        `size` is that of the letters. The name has at least `least` letters, whatever the width.
        """
        beside = len(forms[1][self.lang].replace("*", ""))
        return self.to(forms, seat, max(least, min(_LONGEST, self.sizes.letters(width, size) - beside)))

    def spot(self, story: int | None, x: float, y: float, size: float) -> str:
        """Returns the ink spot of a line of the story; "" if `story` is None."""
        return "" if story is None else svg.spot(story, x, y, size, story == self.newest)


def label(view: View[S], seen_by: Text, seen_by_all: Text) -> str:
    """Returns a drawing's name for screen readers: the first text, with the viewer's name in place of its *."""
    if view.viewer is None:
        return seen_by_all[view.lang]
    return seen_by[view.lang].replace("*", f"{{{view.viewer}}}")


def finished(
    view: View[S],
    parts: Iterable[str],
    places: Grid,
    name: str,
    *,
    night: bool = False,
) -> str:
    """Returns a board of these parts under the sky, with its name for screen readers."""
    shape = view.scene.shape
    # A page can have one drawing of each shape, and names are unique in a page.
    sky = "bokashi" if shape == "portrait" else f"bokashi-{shape}"
    ground = svg.sky("ng" if night else "sk", 0, 0, places.width, places.height, sky)
    more = f' class="{shape}{" night-svg" if night else ""}"'
    return svg.drawing(ground + "".join(parts), places.frame, name, more)


# --- the paper of a region, the line that names its seat, and frames ------------------------------------------


def panel(at: Box, *, asked: bool = False) -> str:
    """Draws the paper of a region; the seat that is asked has a frame of ink."""
    paper = box("pa", at.x, at.y, at.width, at.height, 8)
    edge = 3 if asked else 1.5
    line = at.x + edge / 2, at.y + edge / 2, at.width - edge, at.height - edge
    return paper + box("li" if asked else "ln", *line, 7, f' stroke-width="{number(edge)}"')


def hourglass(x: float, y: float, size: float) -> str:
    """Draws the sign that the table waits for a seat."""
    return coloured(symbol("wait", x, y, size, size), "c6")


def head(view: View[Any], seat: int, at: Box, *, asked: bool) -> str:
    """Draws a seat's mark and name in the first line of a region, and an hourglass if the table waits for it."""
    sizes, end, glass = view.sizes, at.right, ""
    if asked:
        size = sizes.mark * 0.8
        end -= size
        glass = hourglass(end, at.y + sizes.mark * 0.12, size)
        end -= sizes.gap
    first = at.x + sizes.mark * 1.22
    name = view.name("in b", seat, first, at.y + sizes.mark * 0.73, end - first)
    return seat_mark(seat, at.x, at.y, sizes.mark) + name + glass


def framed(sizes: Sizes, drawn: str, at: Box, link: Link | None, chosen: bool, field: str = "") -> str:
    """Adds to the drawing of a piece the frame that shows that it can be touched, or that it was chosen.

    `field` as in `linked`.
    """
    if link is None and not chosen:
        return drawn
    edge, foot = sizes.frame, sizes.foot
    if chosen:
        edge, foot = edge + 1, foot + 1
        size = min(sizes.seal, at.width * 0.42, at.height * 0.5)
        tick = seal(at.right + edge + 1 - size, at.bottom + foot + 1 - size, size)
        return box("se", *at.around(edge, foot), 10) + drawn + tick
    frame = box("ib", *at.around(edge, foot), 9)
    return linked(drawn, link, frame, field)
