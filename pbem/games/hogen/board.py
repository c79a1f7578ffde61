"""The drawn board of Hogen, 360 units wide: one viewer's fold in one language.

A seated viewer has the others on top, in clockwise order from his left, the palace in the middle, his own
cards below, and under them what he may call or name. Without a seat everybody has a panel. Either shows just
the cards that the fold knows.
"""

from pbem.games.hogen import pieces
from pbem.games.hogen.board_choices import choices
from pbem.games.hogen.board_palace import HEIGHT, palace
from pbem.games.hogen.board_view import Board
from pbem.games.hogen.board_words import words_for
from pbem.games.hogen.cards import State
from pbem.kit.contract import Lang, Scene, Viewer

# By the number of places in one's own hand: scale, distance, the first one's x, the dotted line's, the ally's.
_OWN = {2: (0.66, 92, 12, 208, 226), 3: (0.62, 72, 10, 229, 240), 4: (0.52, 59, 8, 243, 253)}
_PANEL = (174, 124)
_OTHERS = {3: (186, 34, 39, 18, 12), 4: (123, 30, 34, 12, 9)}
"""By the number of seats: the others' distance, a card's width and distance, the margin, letters of a name."""


def draw(fold: State, viewer: Viewer, lang: Lang, scene: Scene) -> str:
    """The board as the viewer sees it; cards that the fold does not know lie face down."""
    board = Board(fold, viewer, words_for(lang), scene)
    inside, bottom = _table(board) if viewer is None else _seated(board, viewer)
    height = pieces.number(bottom + 20)
    words = board.words
    if viewer is not None:
        label = words.seen_by.format(viewer=f"{{{viewer}}}")
    else:
        label = words.seen_by_all if _knows_everything(fold) else words.seen_by_public
    role = "group" if "<a " in inside else "img"
    return (
        f'<svg viewBox="-12 -10 384 {height}" role="{role}" aria-label="{label}" font-family="Literata">'
        '<defs><linearGradient id="bokashi" x1="0" y1="0" x2="0" y2="1">'
        '<stop class="bk" offset="0" stop-opacity=".42"/><stop class="bk" offset="1" stop-opacity="0"/>'
        f'</linearGradient></defs><rect class="sk" x="-12" y="-10" width="384" height="{height}"/>'
        f'<rect fill="url(#bokashi)" x="-12" y="-10" width="384" height="120"/>{inside}</svg>'
    )


def _knows_everything(fold: State) -> bool:
    hidden = any(None in hand for hand in fold.hands)
    return not hidden and all(a is not None or not c for a, c in zip(fold.allies, fold.chosen, strict=True))


def _shown_first(hand: tuple[str | None, ...]) -> list[str | None]:
    return sorted(hand, key=lambda card: card is None)


def _says(board: Board, seat: int) -> tuple[str, str]:
    """The class and words under somebody's hand: what he does or did, else that it is a hand."""
    fold, words = board.fold, board.words
    if fold.winner == seat:
        return "in b m", words.won
    if fold.out[seat]:
        return "in b m", words.out
    if not fold.chosen[seat]:
        return "i2 m", words.choosing
    if board.passed(seat):
        return "in m", words.passes
    if board.asked(seat):
        return "in b m", words.is_asked if fold.call is None else words.is_answering
    return "i2 m", words.calling if fold.call is not None and fold.active == seat else words.hand


def _head(board: Board, seat: int, x: float, y: float, end: float, room: int) -> str:
    """A seat's mark and name, and an hourglass if the table waits for it."""
    glass = ""
    if board.asked(seat):
        glass = f'<g class="c6">{pieces.symbol("wait", end - 18, y + 3, 17, 17)}</g>'
        room = min(room, int((end - x - 45) / 8.2))
    return pieces.seat_mark(seat, x, y) + pieces.text("in b", x + 27, y + 17, f"{{{seat}:{room}}}", 15) + glass


# --- seen from a seat -----------------------------------------------------------------------------


def _seated(board: Board, viewer: int) -> tuple[str, float]:
    seats = board.fold.seats
    others = [_other(board, (viewer + 1 + i) % seats, i) for i in range(seats - 1)]
    top = _under(board) + 9
    own = _own(board, viewer, top + HEIGHT + 12)
    below, bottom = choices(board, top + HEIGHT + 148)
    return "".join([*others, palace(board, top), own, below]), bottom


def _under(board: Board) -> float:
    """Where the words under the others' cards stand."""
    return 61 + _OTHERS[board.fold.seats][1] * 1.4


def _other(board: Board, seat: int, place: int) -> str:
    """Another's name, hand and ally, in little."""
    pitch, width, step, margin, room = _OTHERS[board.fold.seats]
    x, hand = place * pitch, _shown_first(board.fold.hands[seat])
    classes, label = _says(board, seat)
    parts = [_head(board, seat, x, 4, x + pitch - margin, room)]
    parts += [board.small(seat, card, x + 2 + step * i, 35, width) for i, card in enumerate(hand)]
    parts.append(pieces.text(classes, x + step * len(hand) / 2, _under(board), label))
    if board.fold.chosen[seat]:
        parts.append(_mat(board, seat, x + 6 + step * len(hand), 30, width))
    return "".join(parts)


def _mat(board: Board, seat: int, x: float, y: float, width: float) -> str:
    """Another's ally on its paper mat; it can be touched to declare, and shows what it was said to be."""
    wide, high = width + 10, width * 1.4 + 10
    guess, naming = board.guesses.get(seat), board.naming == seat
    parts = [pieces.box("pa", x, y, wide, high, 4), pieces.box("ln", x, y, wide, high, 4)]
    under = _under(board)
    label = pieces.text("i2 m", x + wide / 2, under, board.words.ally)
    if guess is not None:
        parts.append(pieces.small(guess, x + 5, y + 5, width, piece=False))
        label = pieces.text("in b m", x + wide / 2, under, f"{guess}\u00a0?")
    else:
        parts.append(pieces.small(board.fold.allies[seat], x + 5, y + 5, width))
    if naming and guess is None:
        parts.append(
            pieces.box("il", x - 3, y - 3, wide + 6, high + 6, 6, ' stroke-width="2.5" stroke-dasharray="6 4"')
        )
    link = board.scene.links.get("declare")
    return pieces.framed("".join(parts), x, y, wide, high, link, guess is not None) + label


def _own(board: Board, seat: int, y: float) -> str:
    """One's own hand and ally, face up."""
    fold, words = board.fold, board.words
    hand = _places(board, seat)
    scale, pitch, first, line, ally = _OWN[len(hand)]
    top = y + 32
    heading = words.your_hand_out if fold.out[seat] else words.your_hand
    parts = [
        pieces.seat_mark(seat, 0, y, 24),
        pieces.text("in b", 31, y + 18, heading, 15),
        pieces.text("in b m", (line + 372) / 2 - 6, y + 18, words.your_ally, 15),
        f'<path class="ln" d="M{line},{y + 4} V{y + 126}" stroke-dasharray="2 4"/>',
    ]
    for i, card in enumerate(hand):
        x = first + pitch * i
        kept = card in fold.hands[seat]
        parts.append(board.card(seat, card, x, top, scale) if kept else _left(board, card, x, top, scale))
    return "".join([*parts, _own_ally(board, seat, ally, top, scale)])


def _places(board: Board, seat: int) -> list[str | None]:
    """The viewer's hand, in which the card that he would put down as his ally keeps its place."""
    before = [step.removeprefix("ally-") for step in board.scene.links if step.startswith("ally-")]
    hand = board.fold.hands[seat]
    left = set(before) - set(hand)
    return [*before] if len(left) == 1 and left <= board.chosen else list(hand)


def _left(board: Board, card: str | None, x: float, y: float, scale: float) -> str:
    """The dashed place that a chosen card has left."""
    dashes = ' stroke-width="2" stroke-dasharray="6 5"'
    return pieces.box("sl", x + 1, y + 1, 100 * scale - 2, 140 * scale - 2, 6, dashes)


def _own_ally(board: Board, seat: int, x: float, y: float, scale: float) -> str:
    """The viewer's ally and who knows it."""
    fold, words, width = board.fold, board.words, 100 * scale
    beside = x + width + 11
    if fold.chosen[seat]:
        revealed = fold.over is not None  # the log is open to everybody once the match is over
        eye, lines = ("eye", words.revealed) if revealed else ("eye-shut", words.hidden)
        drawn = board.card(seat, fold.allies[seat], x, y, scale)
        drawn += f'<g class="c6">{pieces.symbol(eye, beside, y + 4, 26, 22)}</g>'
    else:
        lines = words.to_choose
        dashes = ' stroke-width="2" stroke-dasharray="6 5"'
        drawn = pieces.box("ln", x + 1, y + 1, width - 2, 140 * scale - 2, 6, dashes)
    return drawn + "".join(pieces.text("i2", beside, y + 44 + 17 * i, part) for i, part in enumerate(lines))


# --- seen from beside the table -------------------------------------------------------------------


def _table(board: Board) -> tuple[str, float]:
    """A panel for everybody, clockwise around the palace."""
    width, height = _PANEL
    below = height + HEIGHT + 24
    right = 360 - width
    corners = {
        3: [(0, 0), (right, 0), (right // 2, below)],
        4: [(0, 0), (right, 0), (right, below), (0, below)],
    }[board.fold.seats]
    panels = [_panel(board, seat, x, y) for seat, (x, y) in enumerate(corners)]
    return "".join([*panels, palace(board, height + 12)]), below + height


def _panel(board: Board, seat: int, x: float, y: float) -> str:
    """One seat's name, hand and ally."""
    width, height = _PANEL
    hand = _shown_first(board.fold.hands[seat])
    classes, label = _says(board, seat)
    parts = [
        pieces.box("pa", x, y, width, height, 6),
        pieces.box("ln", x, y, width, height, 6),
        _head(board, seat, x + 6, y + 6, x + width - 6, 12),
    ]
    roomy = board.fold.seats == 4
    pitch, card_width = (54, 48) if roomy else (40, 36)
    first, top = (x + 10, y + 34) if roomy else (x + 9, y + 42)
    mat_top, mat_height = (y + 29, 77) if roomy else (y + 36, 63)
    at = [first + pitch * i for i in range(len(hand) + 1)]
    parts.append(pieces.text(classes, (first + at[-1] + card_width - pitch) / 2, y + 118, label))
    if board.fold.chosen[seat]:
        parts.append(pieces.box("sk", at[-1] - 4, mat_top, card_width + 8, mat_height, 4))
        parts.append(pieces.text("i2 m", at[-1] + card_width / 2, y + 118, board.words.ally))
        hand.append(board.fold.allies[seat])
    if roomy:
        parts += [board.card(seat, card, place, top, 0.48) for card, place in zip(hand, at, strict=False)]
    else:
        parts += [board.small(seat, c, place, top, 36) for c, place in zip(hand, at, strict=False)]
    return "".join(parts)
