"""The drawn board of Allégeance, 360 units wide: one viewer's fold in one language.

Above are the other seats, clockwise from the viewer's left; Door, announcement and Palace stand in the middle;
below lie the viewer's own cards and, where he may touch them, the sixteen samurai to announce. Without a seat
everybody stands above. Only cards that the fold knows lie face up.
"""

from pbem.games.allegeance import pieces
from pbem.games.allegeance.board_middle import below, middle
from pbem.games.allegeance.board_seats import own, seats
from pbem.games.allegeance.board_view import Board
from pbem.games.allegeance.board_words import words_for
from pbem.games.allegeance.cards import CARDS, State
from pbem.kit.contract import Lang, Scene, Viewer
from pbem.kit.notation import french


def draw(fold: State, viewer: Viewer, lang: Lang, scene: Scene) -> str:
    """The board as the viewer sees it."""
    words = words_for(lang)
    board = Board(fold, viewer, words, scene)
    above, bottom = seats(board)
    parts = [above]
    for part in (middle, below, _own, _choices):
        drawn, bottom = part(board, bottom)
        parts.append(drawn)
    inside, height = "".join(parts), pieces.units(bottom + 20)
    if viewer is not None:
        label = words.seen_by.format(viewer=f"{{{viewer}}}")
    else:
        hidden = any(None in hand for hand in fold.hands)
        label = words.seen_by_public if hidden else words.seen_by_all
    role = "group" if "<a " in inside else "img"
    return (
        f'<svg viewBox="-12 -10 384 {height}" role="{role}" aria-label="{label}" font-family="Literata">'
        '<defs><linearGradient id="bokashi" x1="0" y1="0" x2="0" y2="1">'
        '<stop class="bk" offset="0" stop-opacity=".42"/><stop class="bk" offset="1" stop-opacity="0"/>'
        f'</linearGradient></defs><rect class="sk" x="-12" y="-10" width="384" height="{height}"/>'
        f'<rect fill="url(#bokashi)" x="-12" y="-10" width="384" height="120"/>{inside}</svg>'
    )


def _own(board: Board, y: float) -> tuple[str, float]:
    return ("", y) if board.viewer is None else own(board, board.viewer, y)


def _choices(board: Board, y: float) -> tuple[str, float]:
    """The samurai that may be announced, to be touched; others lie flat, with the reason in words."""
    steps = [f"announce-{card}" for card in CARDS]
    if not any(step in board.scene.links for step in steps):
        return "", y
    parts = [pieces.text("in b", 0, y + 24, french(board.words.to_announce), 15)]
    for i, (card, step) in enumerate(zip(CARDS, steps, strict=True)):
        x, top = -0.5 + 46 * (i % 8), y + 38 + 70 * (i // 8)
        drawn = pieces.small(card, x, top, 39, piece=False)
        if board.chosen(step):
            parts.append(pieces.box("se", x - 4, top - 4, 47, 66, 8) + drawn + pieces.seal(x + 25, top + 41, 21))
        else:
            parts.append(pieces.touchable(drawn, x, top, 39, 55, board.link(step)))
    flat = [card for card, step in zip(CARDS, steps, strict=True) if not (board.link(step) or board.chosen(step))]
    if not flat:
        return "".join(parts), y + 174
    why = board.words.why_not(len(flat)).format(board.words.both.join(flat))
    return "".join([*parts, pieces.text("i2", 0, y + 186, french(why))]), y + 192
