"""The middle of a drawn Hagakure board: the trick, or the Nobori while these are chosen."""

from pbem.games.hagakure import board_cards as pieces
from pbem.games.hagakure.board_view import CURRENT, Eyes
from pbem.games.hagakure.facts import is_warrior, name_of
from pbem.games.hagakure.rules import winner_of
from pbem.games.hagakure.words import this_trick, trick_name

HEIGHT = 162

# Scale, distance and first place of the cards, by seats.
_TRICK = {3: (0.72, 112, 32), 4: (0.72, 86, 15), 5: (0.6, 69, 14)}


def middle(board: Eyes, y: float) -> str:
    """The trick, or the Nobori while these are chosen, and above it which it is and what it asks for."""
    fold, words = board.fold, board.words
    top = y + 33 + (100.8 - 140 * _TRICK[fold.seats][0]) / 2
    parts = [pieces.box("pa", 0, y, 360, HEIGHT, 8), pieces.box("ln", 0.5, y + 0.5, 359, HEIGHT - 1, 8)]
    if fold.phase == "nobori":
        title = words.choosing
        parts += _nobori_slots(board, top)
        if board.scene.chosen == ("look",):
            parts.append(pieces.text("in e", 348, y + 21, words.to_look_at))
    elif fold.trick or not fold.previous:
        title = this_trick(fold, board.lang).capitalize()
        parts += _trick(board, fold.trick, fold.leader, top)
        parts.append(_demand(board, y))
    else:
        title = trick_name(sum(fold.tricks), fold.seats, board.lang).capitalize()
        title += f"{', à' if board.lang == 'fr' else ', to'} {{{fold.leader}:11}}"
        parts += _trick(board, fold.previous, fold.previous_leader, top)
    parts.append(pieces.text("in b", 12, y + 21, title, 15))
    return "".join(parts)


def _demand(board: Eyes, y: float) -> str:
    """What the led card asks of the others."""
    if not board.fold.trick:
        return ""
    warrior = is_warrior(board.fold.trick[0])
    kind, colour = ("samurai", "c1") if warrior else ("villager", "c4")
    said = pieces.text("in e", 326, y + 21, board.words.must_follow if warrior else board.words.free)
    return said + pieces.symbol(kind, 330, y + 5, 20, 20, colour)


def _trick(board: Eyes, cards: tuple[int, ...], leader: int, y: float) -> list[str]:
    """The cards of a trick in the order in which they are played, whose they are, and the places still to come."""
    seats = board.fold.seats
    scale, pitch, first = _TRICK[seats]
    best = winner_of(cards, 0) if cards else None
    parts = []
    for at in range(seats):
        seat, x = (leader + at) % seats, first + pitch * at
        centre = x + 50 * scale
        if at < len(cards):
            parts.append(_laid(board, seat, cards[at], x, y, scale))
            best_words = board.words.took if len(cards) == seats else board.words.ahead
            parts.append(_under(seat, centre, y + 140 * scale, best_words if at == best else ""))
        else:
            parts.append(pieces.slot("ln", x, y, scale, f"{{{seat}:7}}"))
        parts.append(pieces.seat_mark(seat, x - 9, y - 9))
    return parts


def _under(seat: int, centre: float, foot: float, best: str) -> str:
    """Whose card it is, or that it is the best one of the trick."""
    if not best:
        return pieces.text("i2 m", centre, foot + 20, f"{{{seat}:8}}")
    return pieces.box("in", centre - 31, foot + 6, 62, 19, 9) + pieces.text("pa b m", centre, foot + 20, best)


def _laid(board: Eyes, seat: int, card: int, x: float, y: float, scale: float) -> str:
    """A card of the trick with its frame, seal, gold, number."""
    width, height = 100 * scale, 140 * scale
    drawn = pieces.face(card, x, y, scale, board.lang)
    if seat == board.viewer and board.chosen(f"play-{name_of(card)}"):
        frame = pieces.box("se", x - 4, y - 4, width + 8, height + 11, 10)
        return frame + drawn + pieces.seal(x + width - 18, y + height - 24)
    newest, story = board.cards.get(seat, (None, 0))
    if newest != card:
        return drawn
    return (
        pieces.wash(x, y, width, height) + drawn + pieces.spot(story, x - 9, y + height - 15, 22, story == board.newest)
    )


def _nobori_slots(board: Eyes, y: float) -> list[str]:
    """Everybody's place in the order in which the Nobori are chosen."""
    fold = board.fold
    scale, pitch, first = _TRICK[fold.seats]
    wide = 48 * scale
    parts = []
    for at in range(fold.seats):
        seat, x = (fold.dealer + 1 + at) % fold.seats, first + pitch * at
        nobori = fold.raised[seat]
        if nobori is None:
            parts.append(_undecided(board, seat, x, y, scale))
        else:
            drawn = pieces.slot("ln", x, y, scale)
            drawn += pieces.banner(nobori, x + 50 * scale - wide / 2, y + 24 * scale, wide, CURRENT)
            parts.append(_sealed(drawn, x, y, scale) if _fresh(board, seat) else drawn)
        parts.append(pieces.text("i2 m", x + 50 * scale, y + 140 * scale + 20, f"{{{seat}:8}}"))
        parts.append(pieces.seat_mark(seat, x - 9, y - 9))
    return parts


def _fresh(board: Eyes, seat: int) -> bool:
    """Whether the viewer has just chosen what stands in this place."""
    return seat == board.viewer and bool(board.scene.chosen)


def _undecided(board: Eyes, seat: int, x: float, y: float, scale: float) -> str:
    """The place of a seat without a Nobori in this round; one's own can be touched to play none."""
    link = board.link("none")
    mine = seat == board.viewer
    chosen = mine and board.chosen("none")
    words = board.words.none if (link and mine) or chosen else _said(board, seat)
    drawn = pieces.slot("ln", x, y, scale, words)
    if chosen:
        return _sealed(drawn, x, y, scale)
    if link is None or not mine:
        return drawn
    at = (x - 3, y - 3, 100 * scale + 6, 140 * scale + 11, 9)
    return pieces.touchable(drawn, link, pieces.box("ib", *at) + _ground(x, y, scale))


def _sealed(drawn: str, x: float, y: float, scale: float) -> str:
    """The place of one's own choice, framed and sealed."""
    frame = pieces.box("se", x - 4, y - 4, 100 * scale + 8, 140 * scale + 11, 10) + _ground(x, y, scale)
    return frame + drawn + pieces.seal(x + 100 * scale - 18, y + 140 * scale - 24)


def _ground(x: float, y: float, scale: float) -> str:
    return pieces.box("pa", x, y, 100 * scale, 140 * scale, 7)


def _said(board: Eyes, seat: int) -> str:
    """What stands in the place of somebody without a Nobori in this round."""
    fold = board.fold
    order = [(fold.dealer + 1 + at) % fold.seats for at in range(fold.seats)]
    if order.index(seat) < order.index(fold.active):
        return board.words.none
    return "?" if seat == fold.active else board.words.to_come
