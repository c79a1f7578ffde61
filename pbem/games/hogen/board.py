"""The drawn board of Hogen, 360 units wide: one viewer's fold in one language.

A seated viewer has the others on top, in clockwise order from his left, the palace in the middle and his
own cards below. Without a seat everybody has a panel. Either shows just the cards that the fold knows.
"""

from dataclasses import dataclass
from typing import TypeAlias

from pbem.games.hogen import pieces
from pbem.games.hogen.board_words import BoardWords, words_for
from pbem.games.hogen.cards import Call, Called, Exchanged, State
from pbem.rules.contract import Event, Lang, Link, Scene, Viewer

Spots: TypeAlias = dict[tuple[int | None, str], int]
"""The story number of what brought a card where it lies: (seat, or None for the palace, card) -> number."""

# By the number of cards in one's own hand: scale, distance, the first one's x, the dotted line's, the ally's.
_OWN = {2: (0.66, 92, 12, 208, 226), 3: (0.62, 72, 10, 229, 240), 4: (0.52, 59, 8, 243, 253)}
_PANEL = (174, 124)


@dataclass(frozen=True)
class _Board:
    """What every part of the drawing needs to know."""

    fold: State
    viewer: Viewer
    words: BoardWords
    scene: Scene
    spots: Spots
    chosen: frozenset[str]
    """The cards among the steps chosen so far."""

    @property
    def newest(self) -> int | None:
        """The story number that may fade in; none on a board that answers a click."""
        return None if self.scene.chosen or not self.scene.recent else self.scene.recent[-1][0]

    def link(self, place: int | None, card: str) -> Link | None:
        """Where touching the card leads: from the palace one takes, from the hand one gives or chooses."""
        if place is not None and place != self.viewer:
            return None
        kinds = ("take",) if place is None else ("give", "ally")
        found = (self.scene.links.get(f"{kind}-{card}") for kind in kinds)
        return next((link for link in found if link is not None), None)

    def spot(self, place: int | None, card: str | None, x: float, y: float, size: float) -> str:
        """The ink spot of the card at this place, if it has one."""
        story = None if card is None else self.spots.get((place, card))
        return "" if story is None else pieces.spot(story, x, y, size, story == self.newest)


def draw(fold: State, viewer: Viewer, lang: Lang, scene: Scene) -> str:
    """The board as the viewer sees it; cards that the fold does not know lie face down."""
    steps = (step.partition("-") for step in scene.chosen)
    chosen = frozenset(card for kind, _, card in steps if kind in ("give", "take", "ally"))
    board = _Board(fold, viewer, words_for(lang), scene, _spots(scene.recent), chosen)
    inside, height = _table(board) if viewer is None else _seated(board, viewer)
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


def _spots(recent: tuple[tuple[int, Event], ...]) -> Spots:
    """Where the numbers of the newest events belong; a card that moved on has lost its number."""
    spots: Spots = {}
    for story, event in recent:
        if isinstance(event, Exchanged):
            spots.pop((event.seat, event.given), None)
            spots.pop((None, event.taken), None)
            spots[event.seat, event.taken] = spots[None, event.given] = story
    return spots


def _knows_everything(fold: State) -> bool:
    hidden = any(None in hand for hand in fold.hands)
    return not hidden and all(a is not None or not c for a, c in zip(fold.allies, fold.chosen, strict=True))


def _shown_first(hand: tuple[str | None, ...]) -> list[str | None]:
    return sorted(hand, key=lambda card: card is None)


def _card(board: _Board, place: int | None, card: str | None, x: float, y: float, scale: float) -> str:
    """A card of full size with whatever marks it: frame, seal, gold, number."""
    width, height = 100 * scale, 140 * scale
    if card is None:
        return pieces.symbol("back", x, y, width, height)
    link, chosen = board.link(place, card), card in board.chosen
    drawn = pieces.face(card, x, y, scale) + board.spot(place, card, x - 6, y + height - 17, 21)
    if link is None and not chosen and (place, card) in board.spots:
        drawn = pieces.wash(x, y, width, height, 5 if scale > 0.5 else 3) + drawn
    return pieces.framed(drawn, x, y, scale, link, chosen)


def _small_card(board: _Board, place: int, card: str | None, x: float, y: float, width: float) -> str:
    drawn = pieces.small(card, x, y, width)
    if card is None or (place, card) not in board.spots:
        return drawn
    gold = pieces.wash(x, y, width, width * 1.4, 3)
    return gold + drawn + board.spot(place, card, x - 8, y + width * 1.4 - 12, 18)


# --- the palace -----------------------------------------------------------------------------------


def _palace(board: _Board, y: float) -> str:
    """The four open cards, and above them what the table is waiting for."""
    parts = [
        pieces.box("pa", 0, y, 360, 150, 8),
        pieces.box("ln", 0.5, y + 0.5, 359, 149, 8),
        pieces.text("in b", 12, y + 21, board.words.palace, 15),
    ]
    mark = _call_mark(board, y)
    parts.append(pieces.text("in e", 322 if mark else 348, y + 21, _news(board)))
    parts.append(mark)
    parts += [_card(board, None, c, 15 + 86 * i, y + 33, 0.72) for i, c in enumerate(board.fold.palace)]
    return "".join(parts)


def _call_mark(board: _Board, y: float) -> str:
    """The seal beside a call that is about to be made, the number of one that was."""
    call = board.fold.call
    if call is None:
        return ""
    if any(step.startswith("call-") for step in board.scene.chosen):
        return pieces.seal(328, y + 5, 21)
    for story, event in reversed(board.scene.recent):
        if isinstance(event, Called) and Call(event.clan, event.rank) == call:
            return pieces.spot(story, 328, y + 5, 21, story == board.newest)
    return ""


def _news(board: _Board) -> str:
    """Who calls for what, whose turn it is, or how the match ended."""
    fold, words = board.fold, board.words
    if fold.over:
        return words.nobody_wins if fold.winner is None else _of(board, fold.winner, words.wins)
    if fold.active is None:
        return words.all_choose
    if fold.call is None:
        return _of(board, fold.active, words.plays)
    return _of(board, fold.active, words.calls).replace("…", words.wanted(fold.call))


def _of(board: _Board, seat: int, forms: tuple[str, str]) -> str:
    """The form for the viewer himself or for somebody else, whose name has room for eleven letters."""
    mine, others = forms
    return mine if seat == board.viewer else others.replace("*", f"{{{seat}:11}}")


# --- seen from a seat -----------------------------------------------------------------------------


def _seated(board: _Board, viewer: int) -> tuple[str, int]:
    seats = board.fold.seats
    pitch = {3: 184, 4: 122}[seats]
    others = [_other(board, (viewer + 1 + i) % seats, i * pitch, pitch) for i in range(seats - 1)]
    return "".join([*others, _palace(board, 112), _own(board, viewer)]), 438


def _hand_label(board: _Board, seat: int) -> tuple[str, str]:
    """The class and words under somebody's hand."""
    if board.fold.out[seat]:
        return "in b m", board.words.out
    if not board.fold.chosen[seat]:
        return "i2 m", board.words.choosing
    return "i2 m", board.words.hand


def _other(board: _Board, seat: int, x: float, pitch: float) -> str:
    """Another's name, hand and ally, in little."""
    hand = _shown_first(board.fold.hands[seat])
    classes, label = _hand_label(board, seat)
    parts = [
        pieces.seat_mark(seat, x + 1, 6),
        pieces.text("in b", x + 28, 23, f"{{{seat}:{9 if pitch < 150 else 15}}}", 15),
    ]
    parts += [_small_card(board, seat, card, x + 3 + 34 * i, 38, 30) for i, card in enumerate(hand)]
    parts.append(pieces.text(classes, x + 1 + 17 * len(hand), 101, label))
    if board.fold.chosen[seat]:
        mat = x + 4 + 34 * len(hand)
        parts += [pieces.box("pa", mat, 33, 40, 52, 4), pieces.box("ln", mat, 33, 40, 52, 4)]
        parts.append(pieces.small(board.fold.allies[seat], mat + 5, 38, 30))
        parts.append(pieces.text("i2 m", mat + 20, 101, board.words.ally))
    return "".join(parts)


def _own(board: _Board, seat: int) -> str:
    """One's own hand and ally, face up."""
    fold, words = board.fold, board.words
    hand = fold.hands[seat]
    scale, pitch, first, line, ally = _OWN[len(hand)]
    width, top = 100 * scale, 316
    beside = ally + width + 11
    heading = words.your_hand_out if fold.out[seat] else words.your_hand
    parts = [
        pieces.seat_mark(seat, 0, 282, 24),
        pieces.text("in b", 31, 300, heading, 15),
        pieces.text("in b m", (line + 372) / 2 - 6, 300, words.your_ally, 15),
        f'<path class="ln" d="M{line},286 V408" stroke-dasharray="2 4"/>',
    ]
    parts += [_card(board, seat, card, first + pitch * i, top, scale) for i, card in enumerate(hand)]
    if fold.chosen[seat]:
        parts.append(_card(board, seat, fold.allies[seat], ally, top, scale))
        revealed = fold.over is not None  # the log is open to everybody once the match is over
        eye, lines = ("eye", words.revealed) if revealed else ("eye-shut", words.hidden)
        parts.append(f'<g class="c6">{pieces.symbol(eye, beside, 320, 26, 22)}</g>')
    else:
        dashes = ' stroke-width="2" stroke-dasharray="6 5"'
        parts.append(pieces.box("ln", ally + 1, top + 1, width - 2, 140 * scale - 2, 6, dashes))
        lines = words.to_choose
    parts += [pieces.text("i2", beside, 360 + 17 * i, part) for i, part in enumerate(lines)]
    return "".join(parts)


# --- seen from beside the table -------------------------------------------------------------------


def _table(board: _Board) -> tuple[str, int]:
    """A panel for everybody, clockwise around the palace."""
    width, height = _PANEL
    below = height + 12 + 150 + 12
    right = 360 - width
    corners = {
        3: [(0, 0), (right, 0), (right // 2, below)],
        4: [(0, 0), (right, 0), (right, below), (0, below)],
    }[board.fold.seats]
    panels = [_panel(board, seat, x, y) for seat, (x, y) in enumerate(corners)]
    return "".join([*panels, _palace(board, height + 12)]), below + height + 20


def _panel(board: _Board, seat: int, x: float, y: float) -> str:
    """One seat's name, hand and ally."""
    width, height = _PANEL
    hand = _shown_first(board.fold.hands[seat])
    classes, label = _hand_label(board, seat)
    parts = [
        pieces.box("pa", x, y, width, height, 6),
        pieces.box("ln", x, y, width, height, 6),
        pieces.seat_mark(seat, x + 6, y + 6),
        pieces.text("in b", x + 34, y + 23, f"{{{seat}:14}}", 15),
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
        parts += [_card(board, seat, card, place, top, 0.48) for card, place in zip(hand, at, strict=False)]
    else:
        parts += [_small_card(board, seat, c, place, top, 36) for c, place in zip(hand, at, strict=False)]
    return "".join(parts)
