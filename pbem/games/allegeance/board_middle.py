"""Door, announcement and Palace on a drawn board of Allégeance, and what the table waits for."""

from pbem.games.allegeance import pieces
from pbem.games.allegeance.board_view import Board
from pbem.kit.notation import french

_AT_DOOR, _MIDDLE, _AT_PALACE = 64, 180, 296
_SCALE = 0.76
_WIDTH, _HEIGHT = 100 * _SCALE, 140 * _SCALE


def middle(board: Board, y: float) -> tuple[str, float]:
    """The middle of the table, and how far down it reaches."""
    answers = _answers(board, y + 208)
    height = 260 if answers else 216
    left, right = _where(board)
    parts = [
        pieces.box("pa", 0, y, 360, height, 8),
        pieces.box("ln", 0.5, y + 0.5, 359, height - 1, 8),
        pieces.text("in b", 12, y + 22, left, 15),
        pieces.text("in b e" if right else "in", 348, y + 22, right, 15),
        f'<path class="ln" d="M12,{pieces.units(y + 32)} H348" stroke-dasharray="2 4"/>',
        pieces.text("i2 m", _AT_DOOR, y + 51, board.words.door),
        pieces.text("i2 m", _MIDDLE, y + 51, board.words.announcement),
        pieces.text("i2 m", _AT_PALACE, y + 51, board.words.palace),
        _door(board, y + 62),
        _announcement(board, y + 62),
        _palace(board, y + 62),
        answers,
    ]
    return "".join(parts), y + height


def _where(board: Board) -> tuple[str, str]:
    """Round and turn; and whose turn it is or what is asked."""
    fold, words = board.fold, board.words
    if fold.phase == "over":
        return words.ended, words.winners(fold.winners, board.viewer)
    if fold.phase == "round":
        return (words.round_ended.format(fold.round), "") if fold.round else (words.match_begins, "")
    if board.beginning:
        return words.round.format(fold.round), board.name(fold.first, words.begins)
    turn = words.turn.format(fold.round, fold.turn)
    asked = {"announce": words.announces, "give": words.gives}.get(fold.phase)
    if asked is not None:
        return turn, board.name(fold.active, asked)
    if fold.phase != "window":
        return turn, ""
    return turn, french(words.others_answer if fold.active == board.viewer else words.challenge_or_not)


# --- the Door ---------------------------------------------------------------------------------------------


def _door(board: Board, y: float) -> str:
    """A pile of backs, and on it the card that was hit until it is given away."""
    fold, words, x = board.fold, board.words, _AT_DOOR - _WIDTH / 2
    left = len(fold.door)
    parts = [pieces.use("back", x + 3 - 3 * i, y - 3 + 3 * i, _WIDTH, _HEIGHT) for i in range(min(left, 3))]
    if not left and fold.drawn is None:
        parts.append(pieces.box("ln", x + 0.5, y + 0.5, _WIDTH - 1, _HEIGHT - 1, 7, dashes="5 4"))
    if fold.drawn is not None:
        parts += [pieces.gold(x - 5, y - 5, _WIDTH + 10, _HEIGHT + 10), pieces.face(fold.drawn, x, y, _SCALE)]
        parts.append(board.spot("door", x - 10, y - 10))
    elif any(step.startswith("give-") for step in board.scene.chosen):
        parts.append(pieces.box("sl", x, y, _WIDTH, _HEIGHT, 7, dashes="6 5"))  # the place that the card has left
    return "".join(parts) + _label(_AT_DOOR, y, words.left(left))


def _label(x: float, y: float, *lines: str, classes: str = "i2 m") -> str:
    """Words under a pile."""
    return "".join(pieces.text(classes, x, y + _HEIGHT + 20 + 17 * i, line) for i, line in enumerate(lines))


# --- the announcement -------------------------------------------------------------------------------------


def _announcement(board: Board, y: float) -> str:
    """What was announced, as a speech cartouche, and by whom; before that what is not allowed."""
    fold, words = board.fold, board.words
    if fold.announced is None:
        return _no_announcement(board, y)
    clan, x = fold.announced[0], _MIDDLE - _WIDTH / 2
    colour = pieces.COLOUR[clan]
    said = (
        pieces.tongue("pa ol", x, y, _WIDTH, _HEIGHT - 10)
        + pieces.use(f"mon-{clan.lower()}", _MIDDLE - 26, y + 38, 52, 52, colour)
        + f'<g class="{colour}">{pieces.text("cu b m", _MIDDLE, y + 30, fold.announced, 26)}</g>'
    )
    chosen = board.chosen("challenge") or board.chosen(f"announce-{fold.announced}")
    link = None if chosen else board.link("challenge")
    if chosen:
        said = pieces.box("se", x - 4, y - 4, _WIDTH + 8, _HEIGHT + 4, 10) + said + pieces.seal(x + 58, y + 78)
    elif link is None and "announced" in board.spots:
        said = pieces.gold(x - 5, y - 5, _WIDTH + 10, _HEIGHT + 2) + said
    drawn = pieces.touchable(said, x, y, _WIDTH, _HEIGHT - 10, link) + board.spot("announced", x - 10, y - 10)
    by = board.name(fold.active, words.by, 10)
    return drawn + _label(_MIDDLE, y, by) + ("" if fold.drawn is None else _second(words.right, y))


def _second(words: str, y: float) -> str:
    return pieces.text("in b m", _MIDDLE, y + _HEIGHT + 37, words)


def _no_announcement(board: Board, y: float) -> str:
    """The empty place of the announcement, and what may not be announced."""
    fold, words, x = board.fold, board.words, _MIDDLE - _WIDTH / 2
    drawn = pieces.tongue("ln", x, y, _WIDTH, _HEIGHT - 10, dashes="5 4")
    if fold.phase in ("reveal", "give", "window") or (fold.phase == "turn" and not board.beginning):
        return drawn + _label(_MIDDLE, y, board.name(fold.active, words.by, 10))  # an announcement that has faded
    banned = [card for card in fold.banned if card is not None] if fold.phase == "announce" else []
    if not banned:
        return drawn
    left = _MIDDLE - (32 * len(banned) - 2) / 2
    marks = "".join(pieces.small(card, left + 32 * i, y + 27, 30, piece=False) for i, card in enumerate(banned))
    return drawn + marks + _label(_MIDDLE, y, words.banned, words.just_said)


# --- the Palace -------------------------------------------------------------------------------------------


def _palace(board: Board, y: float) -> str:
    """The pile, of which the top card lies open."""
    fold, words, x = board.fold, board.words, _AT_PALACE - _WIDTH / 2
    height = len(fold.palace)
    if not height:
        dashed = pieces.box("ln", x + 0.5, y + 0.5, _WIDTH - 1, _HEIGHT - 1, 7, dashes="5 4")
        return dashed + _label(_AT_PALACE, y, words.empty)
    parts = []
    for i in range(min(height, 3) - 1, 0, -1):
        parts += [pieces.box(line, x + 3 * i, y - 3 * i, _WIDTH, _HEIGHT, 7) for line in ("pa", "li")]
    if "palace" in board.spots:
        parts.append(pieces.gold(x - 5, y - 5, _WIDTH + 10, _HEIGHT + 10))
    parts.append(pieces.face(fold.palace[-1], x, y, _SCALE))
    parts.append(board.spot("palace", x - 10, y - 10))
    return "".join(parts) + _label(_AT_PALACE, y, words.count(height))


def below(board: Board, y: float) -> tuple[str, float]:
    """What lies under the top of the Palace, where the fold knows it: with open memory, and after the end."""
    under = [card for card in reversed(board.fold.palace[:-1]) if card is not None]
    if not under:
        return "", y
    return pieces.text("i2", 0, y + 22, board.words.below) + pieces.row([*under], 0, y + 30, 28, 360), y + 72


# --- to challenge or not ----------------------------------------------------------------------------------


def _answers(board: Board, y: float) -> str:
    """The two answers to an announcement, to be touched; or the one that the viewer has given."""
    fold, words, seat = board.fold, board.words, board.viewer
    if fold.phase != "window" or seat is None or seat == fold.active:
        return ""
    steps = (("challenge", words.challenge), ("pass", words.leave_be))
    if not any(board.link(step) or board.chosen(step) for step, _ in steps):
        wish = fold.wishes[seat]
        said = words.has_answered if wish is None else (words.has_challenged if wish else words.has_passed)
        return pieces.text("in m", 180, y + 26, french(said)) if fold.answered[seat] else ""
    return "".join(_answer(board, step, said, 15 + 170 * i, y) for i, (step, said) in enumerate(steps))


def _answer(board: Board, step: str, said: str, x: float, y: float) -> str:
    drawn = pieces.box("pa", x, y, 160, 36, 6) + pieces.text("in b m", x + 76, y + 23, said, 15)
    if board.chosen(step):
        return pieces.box("se", x - 4, y - 4, 168, 49, 10) + drawn + pieces.seal(x + 138, y + 12)
    return pieces.touchable(drawn, x, y, 160, 36, board.link(step))
