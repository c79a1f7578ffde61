"""The figures on a drawn Hagakure board: whose turn it is, what a seat has taken, the score sheet."""

from pbem.games.hagakure import words
from pbem.games.hagakure.board_view import View
from pbem.games.hagakure.facts import BONUS, State, is_warrior, villagers_wanted
from pbem.games.hagakure.words import signed
from pbem.kit.drawing.svg import box, number, seat_mark, symbol, text
from pbem.kit.words import PLAYS, WINS, counted

MOST_COLUMNS = 9
_ROW = 25


def news(view: View) -> str:
    """Returns who has to do what, or how the match ended."""
    fold = view.fold
    if fold.over:
        return view.to(WINS, fold.winners[0]) if len(fold.winners) == 1 else words.SHARED[view.lang]
    if fold.phase == "scored":
        return words.COUNTED[view.lang]
    if fold.phase == "nobori":
        return view.to(words.CHOOSES, fold.active)
    return view.to(PLAYS if fold.trick else words.LEADS, fold.active)


def tally(view: View, seat: int, x: float, y: float) -> str:
    """Draws what a seat has taken in the round: tricks, villagers, the 18; before the tricks its points so far."""
    fold = view.fold
    if fold.phase == "nobori":
        return text("in", x, y, words.points(fold.totals[seat], view.lang))
    drawn = text("in", x, y, counted(fold.tricks[seat], words.TRICK, view.lang))
    x += 48 if view.lang == "en" else 41
    won, counts = fold.won[seat], fold.raised[seat] == "villagers"
    if won or counts:
        villagers = sum(not is_warrior(card) for card in won)
        villagers_text = f"{villagers}/{villagers_wanted(fold.seats)}" if counts else str(villagers)
        drawn += symbol("villager", x, y - 14, 18, 18, "c4") + text("in", x + 19, y, villagers_text)
        x += 23 + 8 * len(villagers_text)
    if BONUS in won:
        drawn += symbol("seal18", x, y - 16, 21, 21) + text("os b m", x + 10.5, y - 0.5, "18")
    return drawn


def score_sheet(view: View, y: float) -> tuple[str, float]:
    """Draws the points of each round and their sum, one line per seat; returns the lower edge, too."""
    fold = view.fold
    first, last = _columns(fold)
    pitch = min(30.0, 196 / (last - first + 1))
    drawn = text("i2", 0, y + 16, words.POINTS[view.lang]) + text("i2 e", 356, y + 16, words.TOTAL[view.lang])
    for n in range(first, last + 1):
        x, running = 122 + pitch * (n - first + 0.5), n == fold.number and not fold.over
        drawn += box("pa", x - pitch / 2, y + 1, pitch, 23 + _ROW * fold.seats, 4) if running else ""
        drawn += text("in b m" if running else "i2 m", x, y + 16, str(n))
    drawn += f'<path class="ln" d="M0,{number(y + 22)} H360"/>'
    for seat in range(fold.seats):
        drawn += _line(view, seat, y + 24 + _ROW * seat, (first, last), pitch)
    return drawn, y + 26 + _ROW * fold.seats


def _columns(fold: State) -> tuple[int, int]:
    """Returns the first and the last round shown: all, or as many around the current one as fit."""
    last = max(fold.rounds, fold.number)
    if last > MOST_COLUMNS:
        last = max(MOST_COLUMNS, min(last, fold.number + 1))
    return max(1, last - MOST_COLUMNS + 1), last


def _line(view: View, seat: int, y: float, columns: tuple[int, int], pitch: float) -> str:
    """Draws a seat's name, points by round, and their sum."""
    fold = view.fold
    drawn = box("iw", -4, y, 368, _ROW, 4) if seat == view.viewer else ""
    drawn += seat_mark(seat, 0, y + 2, 20) + text("in b", 26, y + 18, f"{{{seat}:11}}", 15)
    first, last = columns
    for n, gained in enumerate(fold.sheet, 1):
        if first <= n <= last:
            drawn += text("in m", 122 + pitch * (n - first + 0.5), y + 17.5, signed(gained[seat]))
    total = signed(fold.totals[seat])
    if fold.over and seat in fold.winners:
        return drawn + box("in", 326, y + 2, 36, 21, 10) + text("pa b e", 354, y + 18, total, 15)
    return drawn + text("in b e", 354, y + 18, total, 15)
