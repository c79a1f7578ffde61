"""What a drawn Hagakure board counts: the round and whose turn it is, what a seat has taken, the score sheet."""

from pbem.games.hagakure import board_cards as pieces
from pbem.games.hagakure.board_view import Eyes
from pbem.games.hagakure.facts import BONUS, State, is_warrior, villagers_wanted
from pbem.games.hagakure.words import points, round_name, signed, tricks

MOST_COLUMNS = 9
_ROW = 25


def round_title(board: Eyes) -> str:
    """Which round this is."""
    return round_name(board.fold, board.lang)


def news(board: Eyes) -> str:
    """Who is to do what, or how the match ended."""
    fold, words = board.fold, board.words
    if fold.over:
        return board.of(fold.winners[0], words.wins) if len(fold.winners) == 1 else words.shared
    if fold.phase == "scored":
        return words.counted
    if fold.phase == "nobori":
        return board.of(fold.active, words.chooses)
    return board.of(fold.active, words.plays if fold.trick else words.leads)


def tally(board: Eyes, seat: int, x: float, y: float) -> str:
    """What a seat has taken in the round: tricks, villagers, the 18; before the tricks its points so far."""
    fold = board.fold
    if fold.phase == "nobori":
        return pieces.text("in", x, y, points(fold.totals[seat], board.lang))
    parts = [pieces.text("in", x, y, tricks(fold.tricks[seat], board.lang))]
    x += 48 if board.lang == "en" else 41
    won = fold.won[seat]
    counts = fold.raised[seat] == "villagers"
    if won or counts:
        villagers = sum(not is_warrior(card) for card in won)
        said = f"{villagers}/{villagers_wanted(fold.seats)}" if counts else str(villagers)
        parts.append(pieces.symbol("villager", x, y - 14, 18, 18, "c4") + pieces.text("in", x + 19, y, said))
        x += 23 + 8 * len(said)
    if BONUS in won:
        parts.append(pieces.symbol("seal18", x, y - 16, 21, 21) + pieces.text("os b m", x + 10.5, y - 0.5, "18"))
    return "".join(parts)


def score_sheet(board: Eyes, y: float) -> tuple[str, float]:
    """The points of each round and all together, a line for each seat; and where it ends."""
    fold, words = board.fold, board.words
    first, last = _columns(fold)
    pitch = min(30.0, 196 / (last - first + 1))
    parts = [pieces.text("i2", 0, y + 16, words.points), pieces.text("i2 e", 356, y + 16, words.total)]
    for n in range(first, last + 1):
        x = 122 + pitch * (n - first + 0.5)
        if n == fold.number and not fold.over:
            parts.append(pieces.box("pa", x - pitch / 2, y + 1, pitch, 23 + _ROW * fold.seats, 4))
        parts.append(pieces.text("in b m" if n == fold.number and not fold.over else "i2 m", x, y + 16, str(n)))
    parts.append(f'<path class="ln" d="M0,{pieces.number(y + 22)} H360"/>')
    for seat in range(fold.seats):
        parts.append(_line(board, seat, y + 24 + _ROW * seat, (first, last), pitch))
    return "".join(parts), y + 26 + _ROW * fold.seats


def _columns(fold: State) -> tuple[int, int]:
    """The rounds that have room: all of them, or those around the present one."""
    last = max(fold.rounds, fold.number)
    if last > MOST_COLUMNS:
        last = max(MOST_COLUMNS, min(last, fold.number + 1))
    return max(1, last - MOST_COLUMNS + 1), last


def _line(board: Eyes, seat: int, y: float, columns: tuple[int, int], pitch: float) -> str:
    """A seat's name, points by round, and points."""
    fold = board.fold
    parts = [pieces.box("iw", -4, y, 368, _ROW, 4)] if seat == board.viewer else []
    parts.append(pieces.seat_mark(seat, 0, y + 2, 20))
    parts.append(pieces.text("in b", 26, y + 18, f"{{{seat}:11}}", 15))
    first, last = columns
    for n, gained in enumerate(fold.sheet, 1):
        if first <= n <= last:
            parts.append(pieces.text("in m", 122 + pitch * (n - first + 0.5), y + 17.5, signed(gained[seat])))
    total = signed(fold.totals[seat])
    if fold.over and seat in fold.winners:
        parts.append(pieces.box("in", 326, y + 2, 36, 21, 10) + pieces.text("pa b e", 354, y + 18, total, 15))
    else:
        parts.append(pieces.text("in b e", 354, y + 18, total, 15))
    return "".join(parts)
