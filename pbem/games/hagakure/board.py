"""The drawn board of Hagakure, 360 units wide: one viewer's fold in one language.

Above all which round it is and who is to act; then the others, clockwise from the viewer's left, the trick, his own
hand with his Nobori, and the score sheet. Without a seat everybody sits on top. Shown is what the fold knows.
"""

from pbem.games.hagakure import board_cards as pieces
from pbem.games.hagakure.board_middle import HEIGHT, middle
from pbem.games.hagakure.board_sheet import news, round_title, score_sheet, tally
from pbem.games.hagakure.board_view import CURRENT, LEFT, Eyes, eyes_of
from pbem.games.hagakure.facts import FOOL, NOBORI, Nobori, State, known, name_of
from pbem.games.hagakure.words import NOBORI_NAMES
from pbem.kit.contract import Lang, Scene, Viewer
from pbem.kit.notation import seat_letter

# Scale, distance and first place of the cards in one's own hand, by its full size.
_OWN = {4: (0.78, 90, 6), 5: (0.64, 73, 2)}


def draw(fold: State, viewer: Viewer, lang: Lang, scene: Scene) -> str:
    """The board as the viewer sees it; cards that the fold does not know lie face down."""
    board = eyes_of(fold, viewer, lang, scene)
    others = [((viewer or 0) + step) % fold.seats for step in range(0 if viewer is None else 1, fold.seats)]
    parts = [
        pieces.text("in b", 0, 14, round_title(board), 15),
        pieces.text("in b e", 360, 14, news(board), 15),
    ]
    panels, y = _panels(board, others, 28)
    parts += panels
    parts.append(middle(board, y))
    y += HEIGHT + 10
    if viewer is None:
        parts.append(_yomi(board, 42, y + 2, 0, y + 26))
        y += 50
    else:
        own, y = _own(board, viewer, y)
        parts.append(own)
    sheet, y = score_sheet(board, y)
    parts.append(sheet)
    return _framed(board, "".join(parts), y + 10)


def _framed(board: Eyes, inside: str, height: float) -> str:
    """The whole element around what was drawn."""
    fold, words = board.fold, board.words
    if board.viewer is not None:
        label = words.seen_by.format(viewer=f"{{{board.viewer}}}")
    else:
        label = words.seen_by_public if any(None in pile for pile in (*fold.hands, fold.yomi)) else words.seen_by_all
    role = "group" if "<a " in inside else "img"
    tall = pieces.number(height + 10)
    return (
        f'<svg viewBox="-12 -10 384 {tall}" role="{role}" aria-label="{label}" font-family="Literata">'
        '<defs><linearGradient id="bokashi" x1="0" y1="0" x2="0" y2="1">'
        '<stop class="bk" offset="0" stop-opacity=".42"/><stop class="bk" offset="1" stop-opacity="0"/>'
        f'</linearGradient></defs><rect class="sk" x="-12" y="-10" width="384" height="{tall}"/>'
        f'<rect fill="url(#bokashi)" x="-12" y="-10" width="384" height="120"/>{inside}</svg>'
    )


# --- the others --------------------------------------------------------------------------------------------


def _panels(board: Eyes, others: list[int], y: float) -> tuple[list[str], float]:
    """Everybody who sits on top, three in a row or two, and where the rows end."""
    columns = 3 if len(others) in (3, 5) else 2
    pitch, row = (123, 131) if columns == 3 else (184, 94)
    drawn = [
        _panel(board, seat, pitch * (at % columns), y + row * (at // columns), columns == 3)
        for at, seat in enumerate(others)
    ]
    return drawn, y + row * (-(-len(others) // columns)) + 4


def _panel(board: Eyes, seat: int, x: float, y: float, narrow: bool) -> str:
    """Another's name, cards, what he has taken, and his Nobori: below all this, or beside the cards."""
    width = 114 if narrow else 176
    name = pieces.seat_mark(seat, x, y) + pieces.text("in b", x + 27, y + 17, f"{{{seat}:{9 if narrow else 16}}}", 15)
    if board.to_act(seat):
        name = pieces.pill(x - 4, y - 2, width + 4) + name
    banners = (x, y + 129) if narrow else (x + 84, y + 69)
    return "".join(
        (
            name,
            _hand(board, seat, x, y + 30, width if narrow else 80),
            tally(board, seat, x, y + 88),
            board.banners_of(seat, *banners, 16, 21, 4 if narrow else 2.4),
        )
    )


def _hand(board: Eyes, seat: int, x: float, y: float, width: float) -> str:
    """Another's cards, and that he has shown to hold no samurai."""
    fold = board.fold
    cards = fold.hands[seat]
    shown = pieces.hand(cards, x, y, width)
    wide = pieces.hand_width(cards, width)
    step = f"look-{seat_letter(seat)}"
    if fold.bare[seat] and None in cards:
        shown += pieces.bare(x + wide + 1, y + 8)
    return _looked_at(board, step, shown, x - 4, y - 4, wide + 4)


def _looked_at(board: Eyes, step: str, shown: str, x: float, y: float, width: float) -> str:
    """Cards that one may look at: a link, or framed and sealed once chosen."""
    if board.chosen(step):
        return pieces.box("se", x, y, width, 49, 6) + shown + pieces.seal(x + width - 20, y - 6, 22)
    return pieces.touchable(shown, board.link(step), pieces.box("ib", x, y, width, 49, 6))


def _yomi(board: Eyes, x: float, y: float, label_x: float, label_y: float) -> str:
    """The Yomi, face down, or the cards that the viewer knows to be in it."""
    cards = board.fold.yomi
    shown = pieces.hand(cards, x, y, 100)
    label = pieces.text("i2", label_x, label_y, "Yomi")
    return label + _looked_at(board, "look-yomi", shown, x - 4, y - 4, pieces.hand_width(cards, 100) + 6)


# --- one's own ---------------------------------------------------------------------------------------------


def _own(board: Eyes, seat: int, y: float) -> tuple[str, float]:
    """One's own hand, face up, one's Nobori and the Yomi; and where they end."""
    fold = board.fold
    name = pieces.seat_mark(seat, 0, y) + pieces.text("in b", 29, y + 17, board.words.your_hand, 15)
    if board.to_act(seat):
        name = pieces.pill(-4, y - 2, 128) + name
    parts = [name, tally(board, seat, 250, y + 17)]
    gone = next((step for step in board.scene.chosen if step.startswith("play-")), None)
    scale, pitch, first = _OWN[4 if fold.seats == 4 else 5]
    hand = fold.hands[seat]
    seen = known(hand)
    places: list[int | str | None] = [*seen, *([None] * hand.count(None))]
    if gone is not None:
        name_of_gone = gone.removeprefix("play-")
        number = int(name_of_gone[1:] or FOOL)
        places.insert(sum(card < number for card in seen), name_of_gone)
    y += 34
    parts += [_held(board, card, first + pitch * at, y, scale) for at, card in enumerate(places)]
    if fold.phase in ("nobori", "play"):
        y += 140 * scale + 22
    if fold.phase == "nobori":
        parts += [_choice(board, seat, nobori, 4 + 51 * at, y) for at, nobori in enumerate(NOBORI)]
        parts.append(_yomi(board, 266, y + 26, 264, y + 12))
        return "".join(parts), y + 84
    raised = fold.raised[seat]
    parts.append(board.banners_of(seat, 2, y + 40, 20, 24))
    if raised is not None:
        parts.append(pieces.text("in b", 130, y + 28, NOBORI_NAMES[raised][board.lang]))
    parts.append(_yomi(board, 266, y, 226, y + 24))
    return "".join(parts), y + 52


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


def _choice(board: Eyes, seat: int, nobori: Nobori, x: float, y: float) -> str:
    """One of one's Nobori while they are chosen; the place of one that has left is dashed."""
    at = (x - 4, y - 4, 46, 80, 6)
    if board.chosen(nobori):
        if nobori in board.fold.nobori[seat]:
            drawn = pieces.owned(seat, nobori, x, y + 2, 38, CURRENT)
            return pieces.box("se", *at) + _cloth(x, y) + drawn + pieces.seal(x + 18, y + 44, 24)
        dashes = pieces.box("sl", x - 3, y - 3, 44, 76, 6, ' stroke-width="2" stroke-dasharray="6 4"')
        return dashes + pieces.owned(seat, nobori, x, y + 2, 38, LEFT)
    if nobori not in board.fold.nobori[seat]:
        return pieces.banner("used", x, y + 2, 38, LEFT)
    drawn = pieces.owned(seat, nobori, x, y + 2, 38, LEFT)
    return pieces.touchable(drawn, board.link(nobori), pieces.box("ib", *at) + _cloth(x, y))


def _cloth(x: float, y: float) -> str:
    return pieces.box("pa", x - 2, y - 2, 42, 71, 4)
