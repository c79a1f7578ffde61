"""The drawn board of Hagakure, 360 units wide: one viewer's fold in one language.

The others sit on top, clockwise from the viewer's left, the trick lies in the middle, his own hand below; under
all of it everybody's Nobori and points. Without a seat everybody sits on top. Shown is what the fold knows.
"""

from pbem.games.hagakure import pieces
from pbem.games.hagakure.cards import FOOL, NOBORI, Nobori, State, known, name_of
from pbem.games.hagakure.eyes import CURRENT, Eyes, eyes_of
from pbem.games.hagakure.middle import middle
from pbem.games.hagakure.phrases import signed, tricks
from pbem.rules.contract import Lang, Scene, Viewer
from pbem.rules.notation import seat_letter

# Scale, distance and first place of the cards in one's own hand, by its full size.
_OWN = {4: (0.78, 90, 6), 5: (0.64, 73, 2)}
_ROW = 104


def draw(fold: State, viewer: Viewer, lang: Lang, scene: Scene) -> str:
    """The board as the viewer sees it; cards that the fold does not know lie face down."""
    board = eyes_of(fold, viewer, lang, scene)
    others = [((viewer or 0) + step) % fold.seats for step in range(0 if viewer is None else 1, fold.seats)]
    parts, y = _panels(board, others)
    parts.append(middle(board, y))
    y += 164
    if viewer is None:
        parts.append(_yomi(board, 0, y))
        y += 44
    else:
        parts.append(_own(board, viewer, y))
        y += 176
        if fold.phase == "nobori":
            parts.append(_own_nobori(board, viewer, y))
            y += 84
    parts.append(_sheet(board, y))
    return _framed(board, "".join(parts), y + 46 + 34 * fold.seats)


def _framed(board: Eyes, inside: str, height: int) -> str:
    """The whole element around what was drawn."""
    fold, words = board.fold, board.words
    if board.viewer is not None:
        label = words.seen_by.format(viewer=f"{{{board.viewer}}}")
    else:
        label = words.seen_by_public if any(None in pile for pile in (*fold.hands, fold.yomi)) else words.seen_by_all
    role = "group" if "<a " in inside else "img"
    return (
        f'<svg viewBox="-12 -10 384 {height}" role="{role}" aria-label="{label}" font-family="Literata">'
        '<defs><linearGradient id="bokashi" x1="0" y1="0" x2="0" y2="1">'
        '<stop class="bk" offset="0" stop-opacity=".42"/><stop class="bk" offset="1" stop-opacity="0"/>'
        f'</linearGradient></defs><rect class="sk" x="-12" y="-10" width="384" height="{height}"/>'
        f'<rect fill="url(#bokashi)" x="-12" y="-10" width="384" height="120"/>{inside}</svg>'
    )


# --- the others --------------------------------------------------------------------------------------------


def _panels(board: Eyes, others: list[int]) -> tuple[list[str], int]:
    """Everybody who sits on top, three in a row of four-card hands or two, and where the rows end."""
    columns = 3 if len(others) == 3 and board.fold.seats == 4 else 2
    pitch = 122 if columns == 3 else 184
    drawn = [
        _panel(board, seat, pitch * (at % columns), _ROW * (at // columns), pitch) for at, seat in enumerate(others)
    ]
    return drawn, _ROW * (-(-len(others) // columns)) + 8


def _panel(board: Eyes, seat: int, x: float, y: float, pitch: float) -> str:
    """Another's name, cards, tricks, and his Nobori of the round."""
    fold = board.fold
    hand = fold.hands[seat]
    width, step = (18, 19) if pitch < 150 else (22, 24)
    shown = pieces.hand(hand, x, y + 34, width, step)
    wide = step * len(hand) if None not in hand else 13 * (len(hand) + 1)
    frame = pieces.box("ib", x - 4, y + 30, wide + 8, 48, 6)
    tally = f"{board.words.hand} {len(hand)} · {tricks(fold.tricks[seat], board.lang)}"
    return "".join(
        (
            pieces.seat_mark(seat, x, y + 4),
            pieces.text("in b", x + 27, y + 21, f"{{{seat}:{9 if pitch < 150 else 16}}}", 15),
            pieces.touchable(shown, board.link(f"look-{seat_letter(seat)}"), frame),
            board.raised(seat, x + pitch - 44, y + 29),
            pieces.text("i2", x, y + 94, tally),
        )
    )


def _yomi(board: Eyes, x: float, y: float) -> str:
    """The Yomi, face down, or the cards that the viewer knows to be in it."""
    cards = board.fold.yomi
    wide = 19 * len(cards) + 8 if None not in cards else 13 * (len(cards) + 1) + 8
    shown = pieces.hand(cards, x + 42, y, 18, 19)
    frame = pieces.box("ib", x + 38, y - 4, wide, 48, 6)
    return pieces.text("i2", x, y + 24, "Yomi") + pieces.touchable(shown, board.link("look-yomi"), frame)


# --- one's own ---------------------------------------------------------------------------------------------


def _own(board: Eyes, seat: int, y: float) -> str:
    """One's own hand, face up, and the Yomi beside its heading."""
    fold, words = board.fold, board.words
    parts = [
        pieces.seat_mark(seat, 0, y + 4, 24),
        pieces.text("in b", 31, y + 22, words.your_hand, 15),
        _yomi(board, 122, y),
        pieces.text("in e", 356, y + 22, tricks(fold.tricks[seat], board.lang)),
    ]
    if fold.phase != "nobori":
        parts.append(board.raised(seat, 270, y, 20))
    hand = fold.hands[seat]
    gone = next((step for step in board.scene.chosen if step.startswith("play-")), None)
    size = 4 if fold.seats == 4 else 5
    scale, pitch, first = _OWN[size]
    seen = known(hand)
    places: list[int | str | None] = [*seen, *([None] * hand.count(None))]
    if gone is not None:
        name = gone.removeprefix("play-")
        number = int(name[1:] or FOOL)
        places.insert(sum(card < number for card in seen), name)
    parts += [_held(board, card, first + pitch * at, y + 46, scale) for at, card in enumerate(places)]
    return "".join(parts)


def _held(board: Eyes, card: int | str | None, x: float, y: float, scale: float) -> str:
    """A card of one's own hand, or the place of the one that was chosen."""
    if card is None:
        return pieces.back(x, y, 100 * scale)
    if isinstance(card, str):
        return pieces.slot("sl", x, y, scale, card, *board.words.played)
    drawn = pieces.face(card, x, y, scale, board.lang)
    link = board.link(f"play-{name_of(card)}")
    if link is None and any(step.startswith("play-") for step in board.scene.links):
        return drawn + pieces.text("i2 m", x + 50 * scale, y + 140 * scale + 15, board.words.not_allowed)
    return pieces.touchable(drawn, link, pieces.box("ib", x - 3, y - 3, 100 * scale + 6, 140 * scale + 11, 9))


def _own_nobori(board: Eyes, seat: int, y: float) -> str:
    """The Nobori that one may play now."""
    parts = [pieces.text("i2", 0, y + 40, board.words.your_nobori)]
    for at, nobori in enumerate(NOBORI):
        x = 104 + 52 * at
        left = nobori in board.fold.nobori[seat]
        drawn = pieces.banner(nobori if left else "used", x, y + 2, 38, CURRENT)
        frame = pieces.box("ib", x - 4, y - 4, 46, 80, 6) + pieces.box("pa", x - 2, y - 2, 42, 71, 4)
        if board.chosen(nobori):
            drawn = pieces.banner("used", x, y + 2, 38, CURRENT) + pieces.seal(x + 18, y + 44, 24)
        parts.append(pieces.touchable(drawn, board.link(nobori), frame))
    return "".join(parts)


# --- below all ---------------------------------------------------------------------------------------------


def _sheet(board: Eyes, y: float) -> str:
    """Everybody's Nobori that are left, and points."""
    fold, words = board.fold, board.words
    parts = [
        pieces.text("i2", 136, y + 20, words.nobori_left),
        pieces.text("i2 e", 356, y + 20, words.points),
        f'<path class="ln" d="M0,{pieces.number(y + 28)} H360"/>',
    ]
    for seat in range(fold.seats):
        top = y + 32 + 34 * seat
        parts.append(pieces.seat_mark(seat, 0, top + 4))
        parts.append(pieces.text("in b", 28, top + 21, f"{{{seat}:11}}", 15))
        for at, nobori in enumerate(NOBORI):
            parts.append(pieces.banner(_left(fold, seat, nobori), 138 + 28 * at, top, 18, "c1"))
        parts.append(pieces.text("in b e", 356, top + 21, signed(fold.totals[seat]), 15))
    return "".join(parts)


def _left(fold: State, seat: int, nobori: Nobori) -> str:
    return nobori if nobori in fold.nobori[seat] else "used"
