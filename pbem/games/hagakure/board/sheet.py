"""The figures on a drawn Hagakure board: whose turn it is, what a seat has taken, the points by round."""

from collections.abc import Callable, Sequence
from functools import partial

from pbem.games.hagakure import words
from pbem.games.hagakure.board.view import View
from pbem.games.hagakure.facts_cards import BONUS, count_villagers, villagers_wanted
from pbem.games.hagakure.facts_state import players_of_round
from pbem.kit.drawing.board import panel
from pbem.kit.drawing.grid import Box
from pbem.kit.drawing.svg import box, seat_mark, symbol, text
from pbem.kit.words import PLAYS, WINS, counted, signed

MOST_COLUMNS = 9


def turn_or_end_in_words(view: View, width: float = 0) -> str:
    """Returns who has to do what, or how the match ended, for a line of this width in letters of a heading's size."""
    fold, size = view.fold, view.sizes.name
    if fold.over:
        return view.fitted(WINS, fold.winners[0], width, size) if len(fold.winners) == 1 else words.SHARED[view.lang]
    if view.scene.over:
        return ""
    if fold.phase == "scored":
        return words.COUNTED[view.lang]
    if view.is_nobori_phase:
        return view.fitted(words.CHOOSES, fold.active, width, size)
    return view.fitted(PLAYS if fold.trick else words.LEADS, fold.active, width, size)


# --- what a seat has taken ---------------------------------------------------------------------------------


Parts = Sequence[tuple[Callable[[float, float], str], float]]
"""Signs of one line: what draws each at an x and a baseline, and its width."""


def trick_and_villager_count_parts(view: View, seat: int, room: float) -> Parts:
    """Returns the parts with what a seat has taken in the round: none before the tricks."""
    rest = villager_count_parts(view, seat)
    return [*trick_count_parts(view, seat, room - width_of_parts_in_line(view, rest) - view.sizes.text * 0.4), *rest]


def trick_count_parts(view: View, seat: int, room: float) -> Parts:
    """Returns the number of tricks that a seat has taken: in words, or on a pile if these do not fit.

    Of one that sits out, that it does.
    """
    fold, size = view.fold, view.sizes.text
    plays = seat in fold.players
    if view.is_nobori_phase and plays:
        return []
    said = counted(fold.tricks[seat], words.TRICK, view.lang) if plays else words.SITS_OUT[view.lang]
    wide = len(said) * size * 0.5
    if not plays and (wide > room or fold.over):
        return []
    if wide > room:
        return [(partial(_draw_trick_pile, fold.tricks[seat], size), size * 1.3)]
    return [(lambda x, line: text("in", x, line, said, size), wide)]


def villager_count_parts(view: View, seat: int) -> Parts:
    """Returns the villagers in a seat's tricks, and the 18."""
    fold, size = view.fold, view.sizes.text
    won, parts = fold.won[seat], []
    wanted = villagers_wanted(fold.seats) if fold.raised[seat] == "villagers" and not view.is_nobori_phase else None
    if won or wanted:
        parts.append(_villager_number_part(count_villagers(won), wanted, size, exact=fold.exact))
    if BONUS in won:
        parts.append((partial(_draw_seal_of_18, size), size * 1.55))
    return parts


def draw_parts_in_line(view: View, parts: Parts, x: float, line: float) -> str:
    """Draws the signs from left to right."""
    drawn = ""
    for draw, width in parts:
        drawn += draw(x, line)
        x += width + view.sizes.text * 0.4
    return drawn


def width_of_parts_in_line(view: View, parts: Parts) -> float:
    """Returns how wide `draw_parts_in_line` draws them."""
    return sum(width for _, width in parts) + view.sizes.text * 0.4 * max(0, len(parts) - 1)


def _draw_trick_pile(count: int, size: float, x: float, line: float) -> str:
    """Draws a number of tricks as two cards, one on the other."""
    wide, high, y = size * 1.1, size * 1.35, line - size * 1.1
    under = box("pa", x, y, wide, high, 2) + box("ln", x, y, wide, high, 2)
    x, y = x + size * 0.2, y + size * 0.15
    over = box("pa", x, y, wide, high, 2) + box("li", x, y, wide, high, 2)
    return under + over + text("in b m", x + wide / 2, line + size * 0.08, str(count), size)


def _villager_number_part(
    count: int, wanted: int | None, size: float, *, exact: bool
) -> tuple[Callable[[float, float], str], float]:  # fmt: skip
    """Returns the part with a number of villagers, beside the number that is wanted, if one is.

    If exactly that many are wanted (6.3), it says whether there are.
    """
    said = str(count) if wanted is None else f"{count}/{wanted}"
    if exact and wanted is not None:
        said = f"{count}{'=' if count == wanted else '≠'}{wanted}"
    figure = size * 1.25

    def draw(x: float, line: float) -> str:
        shown = text("in", x + figure + size * 0.1, line, said, size)
        return symbol("villager", x, line - size, figure, figure, "c4") + shown

    return draw, figure + size * (0.6 * len(said) - (0 if wanted is None else 0.2) + 0.1)


def _draw_seal_of_18(size: float, x: float, line: float) -> str:
    wide = size * 1.55
    return symbol("seal18", x, line - size * 1.12, wide, wide) + text("os b m", x + wide / 2, line, "18", size)


# --- the points by round -----------------------------------------------------------------------------------


def draw_score_sheet(view: View, at: Box) -> str:
    """Draws the points of each round and their sum, one line per seat."""
    fold, sizes = view.fold, view.sizes
    last = max(fold.rounds, fold.number)  # all rounds, or as many around the current one as fit
    if last > MOST_COLUMNS:
        last = max(MOST_COLUMNS, min(last, fold.number + 1))
    first = max(1, last - MOST_COLUMNS + 1)
    left, right = at.x + sizes.inset * 0.6, at.right - sizes.inset * 0.6
    count, end = last - first + 1, right - sizes.text * 2.6
    pitch = min(sizes.text * 2.6, (end - left - (right - left) * 0.34) / count)
    start = end - pitch * count
    line = at.y + sizes.name * 1.25
    drawn = panel(at) + text("in b", left, line, words.POINTS[view.lang], sizes.name)
    drawn += text("i2 e", right, line, words.TOTAL[view.lang], sizes.text)
    below = Box(at.x, at.y + sizes.name * 1.7, at.width, at.height - sizes.name * 1.7 - sizes.gap)
    for n in range(first, last + 1):
        x, running = start + pitch * (n - first + 0.5), n == fold.number and not fold.over
        if running:
            drawn += box("sk", x - pitch / 2, at.y + 4, pitch, at.height - 8, 4)
        drawn += text("in b m" if running else "i2 m", x, line, str(n), sizes.text)
    for seat, row in enumerate(below.rows(fold.seats, 0)):
        drawn += _draw_score_line_of_seat(
            view, seat, Box(left, row.y, right - left, row.height), (start, pitch), (first, last)
        )
    return drawn


def score_sheet_height(view: View) -> float:
    """Returns how high the points by round are drawn best."""
    return view.sizes.name * 1.7 + view.sizes.gap + view.fold.seats * view.sizes.mark * 1.04


def _draw_score_line_of_seat(
    view: View, seat: int, at: Box, across: tuple[float, float], columns: tuple[int, int]
) -> str:
    """Draws a seat's name, points by round, and their sum."""
    fold, sizes, (start, pitch), (first, last) = view.fold, view.sizes, across, columns
    line, mark = at.y + at.height / 2 + sizes.text * 0.35, sizes.mark
    own = seat == view.viewer
    drawn = box("iw", at.x - 4, at.y, at.width + 8, at.height, 4) if own else ""
    drawn += seat_mark(seat, at.x, at.y + (at.height - mark) / 2, mark)
    name = at.x + mark * 1.25
    drawn += view.name("in b" if own else "in", seat, name, line, start - name, sizes.text)
    for n, gained in enumerate(fold.sheet, 1):
        if first <= n <= last:
            said = signed(gained[seat]) if seat in players_of_round(fold, n) else "–"
            drawn += text("in m", start + pitch * (n - first + 0.5), line, said, sizes.text)
    total = signed(fold.totals[seat])
    if fold.over and seat in fold.winners:
        high = sizes.text * 1.5
        wide = sizes.text * (0.6 * len(total) + 1)
        pill = box("in", at.right - wide + 4, at.y + (at.height - high) / 2, wide, high, high / 2)
        return drawn + pill + text("pa b e", at.right - sizes.text * 0.2, line, total, sizes.text)
    return drawn + text("in b e", at.right, line, total, sizes.text)
