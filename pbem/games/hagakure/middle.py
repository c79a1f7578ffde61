"""The middle of a drawn Hagakure board: the trick, or the Nobori while these are chosen."""

from pbem.games.hagakure import pieces
from pbem.games.hagakure.cards import is_warrior, name_of
from pbem.games.hagakure.eyes import CURRENT, Eyes
from pbem.games.hagakure.phrases import trick_number

# Scale, distance and first place of the cards, by seats.
_TRICK = {3: (0.72, 112, 32), 4: (0.72, 86, 15), 5: (0.6, 69, 12)}


def middle(board: Eyes, y: float) -> str:
    """The trick, or the Nobori while these are chosen, and above it what the table is waiting for."""
    fold, words = board.fold, board.words
    top = y + 33 + (100.8 - 140 * _TRICK[fold.seats][0]) / 2
    parts = [pieces.box("pa", 0, y, 360, 150, 8), pieces.box("ln", 0.5, y + 0.5, 359, 149, 8)]
    if fold.phase == "nobori":
        title = f"{_round(board)} · {words.choosing}"
        parts += _nobori_slots(board, top)
    elif fold.trick or not fold.previous:
        number, of = trick_number(fold)
        title = words.trick.format(number, of)
        parts += _trick(board, fold.trick, fold.leader, top)
    else:
        done = sum(fold.tricks)
        title = f"{words.last_trick.format(done, trick_number(fold)[1])} {{{fold.leader}:9}}"
        parts += _trick(board, fold.previous, fold.previous_leader, top)
    parts.append(pieces.text("in b", 12, y + 21, title, 15))
    parts.append(pieces.text("in e", 348, y + 21, _news(board)))
    return "".join(parts)


def _round(board: Eyes) -> str:
    fold, words = board.fold, board.words
    if fold.number > fold.rounds:
        return words.extra_round.format(fold.number - fold.rounds)
    return words.round.format(fold.number, fold.rounds)


def _news(board: Eyes) -> str:
    """Whose turn it is and what is asked for, or how the match ended."""
    fold, words = board.fold, board.words
    if fold.over:
        return board.of(fold.winners[0], words.wins) if len(fold.winners) == 1 else words.shared
    if fold.phase == "scored":
        return words.counted
    if fold.phase == "nobori":
        return board.of(fold.active, words.chooses)
    if fold.trick and len(fold.trick) < fold.seats and is_warrior(fold.trick[0]):
        return words.must_follow
    return board.of(fold.active, words.plays if fold.trick else words.leads)


def _trick(board: Eyes, cards: tuple[int, ...], leader: int, y: float) -> list[str]:
    """The cards of a trick in the order in which they are played, and the places still to come."""
    seats = board.fold.seats
    scale, pitch, first = _TRICK[seats]
    parts = []
    for at in range(seats):
        seat, x = (leader + at) % seats, first + pitch * at
        if at < len(cards):
            parts.append(_laid(board, seat, cards[at], x, y, scale))
        else:
            parts.append(pieces.slot("ln", x, y, scale, f"{{{seat}:7}}"))
        parts.append(pieces.seat_mark(seat, x - 9, y - 9))
    return parts


def _laid(board: Eyes, seat: int, card: int, x: float, y: float, scale: float) -> str:
    """A card of the trick with its frame, seal, gold, number."""
    width, height = 100 * scale, 140 * scale
    drawn = pieces.face(card, x, y, scale, board.lang)
    if seat == board.viewer and board.chosen(f"play-{name_of(card)}"):
        frame = pieces.box("se", x - 4, y - 4, width + 8, height + 13, 10)
        return frame + drawn + pieces.seal(x + width - 18, y + height - 16)
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
    parts = []
    for at in range(fold.seats):
        seat, x = (fold.dealer + 1 + at) % fold.seats, first + pitch * at
        nobori = fold.raised[seat]
        if nobori is not None:
            parts.append(pieces.slot("ln", x, y, scale))
            wide = 48 * scale
            parts.append(pieces.banner(nobori, x + 50 * scale - wide / 2, y + 24, wide, CURRENT))
            if seat == board.viewer and board.scene.chosen:
                parts.append(pieces.seal(x + 100 * scale - 18, y + 140 * scale - 18))
        else:
            parts.append(pieces.slot("ln", x, y, scale, _said(board, seat)))
        parts.append(pieces.seat_mark(seat, x - 9, y - 9))
    return parts


def _said(board: Eyes, seat: int) -> str:
    """What stands in the place of somebody without a Nobori in this round."""
    fold = board.fold
    order = [(fold.dealer + 1 + at) % fold.seats for at in range(fold.seats)]
    if order.index(seat) < order.index(fold.active):
        return board.words.kept
    return "?" if seat == fold.active else board.words.to_come
