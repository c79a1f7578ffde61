"""A board made of parts, each of which draws itself and says itself."""

import re
from typing import Any

from msgspec import Struct

from pbem.kit.contract import Phrase, Scene, Viewer
from pbem.kit.drawing import svg
from pbem.kit.drawing.board import View, label
from pbem.kit.notation import seat_letter
from pbem.kit.texts import Lang, Text
from pbem.kit.words import PLAYS, WINS, seat_and_place, seen_from, typeset

WIDE, GAP, LEAST, RIM = 360, 12, 120, 4
"""A board is so wide; between parts of a row there is a gap; what takes the rest of a row gets so much at least; and
above and below the frame of what can be touched is a rim."""

Seen = View[Any]


class Part(Struct, frozen=True, kw_only=True):
    """A part of a board, `height` units high and as wide as it is told.

    `move`: the step that is chosen where it is touched, as links have it, such as "roll". `seat`: whose part it is.
    """

    move: str = ""
    seat: int | None = None

    @property
    def height(self) -> float:
        """How much room it takes, with that below it."""
        return 92

    @property
    def width(self) -> float | None:
        """How wide it is beside others; None: it takes what they leave."""
        return None

    def draw(self, x: float, y: float, wide: float, view: Seen) -> str:
        """Returns its strokes."""
        raise NotImplementedError

    def describe(self, view: Seen) -> Phrase:
        """Returns it in words; "" if they add nothing."""
        return ""


class Die(Part, frozen=True):
    """A die that shows a face from 1 to 6. None: its face is hidden, or it was not thrown."""

    face: int | None

    @property
    def width(self) -> float:
        return 84

    def draw(self, x: float, y: float, wide: float, view: Seen) -> str:
        """Draws it in the middle of its room, and smaller where that is narrow."""
        side = min(wide, self.width) - 8
        left, top, dot = x + (wide - side) / 2, y + (self.height - side) / 2, side / 9
        drawn = "".join(svg.box(paint, left, top, side, side, side / 5) for paint in ("pa", "li"))
        if self.face is None:
            return drawn + svg.text("i2 m", left + side / 2, top + side * 0.63, "?", side * 0.4)
        for at in ("4", "08", "048", "0268", "02468", "023568")[self.face - 1]:
            across, down = (left + side * (0.15 + 0.3 * (int(at) % 3)), top + side * (0.15 + 0.3 * (int(at) // 3)))
            drawn += svg.box("ib", across, down, dot, dot, dot / 2)
        return drawn

    def describe(self, view: Seen) -> Phrase:
        return "" if self.face is None else f"{DIE[view.lang]} {self.face}."


class Big(Part, frozen=True):
    """A large number and what it counts."""

    number: int
    below: Text

    def draw(self, x: float, y: float, wide: float, view: Seen) -> str:
        number = svg.text("in b m", x + wide / 2, y + 48, str(self.number), 36)
        return number + svg.text("i2 m", x + wide / 2, y + 76, self.below[view.lang])

    def describe(self, view: Seen) -> Phrase:
        return f"{self.number} {self.below[view.lang]}."


class Meter(Part, frozen=True):
    """A seat's name and score, and how far that is from the most."""

    score: int
    most: int

    @property
    def height(self) -> float:
        return 48

    def draw(self, x: float, y: float, wide: float, view: Seen) -> str:
        """Draws it in the middle of its height."""
        assert self.seat is not None, "a score is a seat's"
        y += 8
        drawn = svg.seat_mark(self.seat, x, y) + view.name(
            "in b", self.seat, x + 30, y + 17, wide - 46 - 11 * len(str(self.score))
        )
        drawn += svg.text("in b e", x + wide, y + 17, str(self.score), 17)
        drawn += svg.box("pa", x + 30, y + 24, wide - 30, 8, 4)
        return drawn + svg.box("ib", x + 30, y + 24, (wide - 30) * min(1, self.score / self.most), 8, 4)

    def describe(self, view: Seen) -> Phrase:
        assert self.seat is not None, "a score is a seat's"
        return typeset(f"{seat_and_place(self.seat, view.viewer, view.lang)} : {self.score}.", view.lang)


class Row(Part, frozen=True):
    """Parts beside each other: dice in the middle, or at the side of what takes the rest."""

    parts: tuple[Part, ...]

    @property
    def height(self) -> float:
        return max(part.height for part in self.parts)

    def draw(self, x: float, y: float, wide: float, view: Seen) -> str:
        widths = [part.width for part in self.parts if part.width is not None]
        room, fixed, others = wide - GAP * (len(self.parts) - 1), sum(widths), len(self.parts) - len(widths)
        narrower = min(1, (room - LEAST * others) / fixed) if fixed else 1
        left = room - fixed * narrower
        rest, drawn, x = left / max(1, others), "", x if others else x + left / 2
        for part in self.parts:
            own = rest if part.width is None else part.width * narrower
            drawn += _draw_linked_part(part, x, y + (self.height - part.height) / 2, own, view)
            x += own + GAP
        return drawn

    def describe(self, view: Seen) -> Phrase:
        return " ".join(filter(None, (part.describe(view) for part in self.parts)))


DIE, WIN = Text("Dé", "Die"), Text("* gagnent", "* win")
_CUT = re.compile(r"(\{\d+):\d+\}")
"""A name that is cut to its room in a drawing."""


class Board:
    """The drawn board, and that in words, of a game whose `board(s)` yields parts, from top to bottom.

    Those of seats stand below the others, the viewer's own first.
    """

    def __init__(self, title: Text, game: Any) -> None:
        self._title, self._game = title, game

    def draw(self, fold: Any, viewer: Viewer, lang: Lang, scene: Scene) -> str:
        """Draws the board in one column, below a line that says whose turn it is or who has won."""
        view, y = View(fold, viewer, lang, scene), 28.0
        inside = svg.text("in b", 0, 16, self._turn_or_winner(view), 16)
        for part in self._parts(fold, viewer):
            inside += _draw_linked_part(part, 0, y, WIDE, view)
            y += part.height
        frame = (-10, -10, WIDE + 20, y + 14)
        seen_by = Text(f"{self._title.fr}, vu par *", f"{self._title.en} as * sees it")
        return svg.drawing(svg.sky("sk", *frame) + inside, frame, label(view, seen_by, self._title))

    def describe(self, fold: Any, viewer: Viewer, lang: Lang, *, over: bool) -> list[Phrase]:
        """Returns the board in words, a line for each part."""
        view = View(fold, viewer, lang, Scene(over=over))
        return [
            _CUT.sub(r"\1}", self._turn_or_winner(view)),
            *(part.describe(view) for part in self._parts(fold, viewer)),
        ]

    def _parts(self, fold: Any, viewer: Viewer) -> list[Part]:
        parts = [*self._game.board(fold)]
        seats = [part.seat for part in parts if part.seat is not None]
        first = {seat: at for at, seat in enumerate(seen_from(viewer, max(seats, default=0) + 1))}
        return sorted(parts, key=lambda part: -1 if part.seat is None else first[part.seat])

    def _turn_or_winner(self, view: Seen) -> Phrase:
        """Returns who has won, or whose turn it is: by name, or several by their letters, for which there is room."""
        outcome = self._game.outcome(view.fold)
        forms, several = (PLAYS, PLAYS[1]) if outcome is None else (WINS, WIN)
        asked = () if view.scene.over else self._game.pending(view.fold)
        seats = tuple(ask.seat for ask in asked) if outcome is None else outcome.winners
        if view.viewer in seats:
            seats = (view.viewer,)
        if len(seats) > 1:
            return several[view.lang].replace("*", " · ".join(map(seat_letter, seats)))
        return "".join(view.to(forms, seat) for seat in seats)


def _draw_linked_part(part: Part, x: float, y: float, wide: float, view: Seen) -> str:
    """Draws a part, and the link of what is chosen where it is touched."""
    drawn = part.draw(x, y, wide, view)
    if not part.move:
        return drawn
    if view.chosen(part.move):
        drawn += svg.seal(x + wide - 28, y + RIM)
    frame = svg.box("iw", x, y + RIM, wide, part.height - 2 * RIM, GAP)
    return svg.linked(drawn, view.link_instead(part.move), frame)
