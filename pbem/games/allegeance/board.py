"""The drawn board of Allégeance, 360 units wide: one viewer's fold in one language.

Above are the other seats, clockwise from the viewer's left; Door, announcement and Palace stand in the middle;
below lie the viewer's own cards and, where he may touch them, the sixteen samurai to announce. Without a seat
everybody stands above. Only cards that the fold knows lie face up.
"""

from dataclasses import dataclass

from pbem.games.allegeance import pieces
from pbem.games.allegeance.board_words import BoardWords, words_for
from pbem.games.allegeance.cards import (
    CARDS,
    Announced,
    Caught,
    Given,
    Hit,
    Missed,
    Mistaken,
    RoundBegan,
    RoundEnded,
    State,
)
from pbem.rules.contract import Event, Lang, Link, Scene, Viewer
from pbem.rules.notation import french, seat_letter

MIDDLE = 112
"""Where Door, announcement and Palace begin; they are 182 units high."""


@dataclass(frozen=True)
class _Board:
    """What every part of the drawing needs to know."""

    fold: State
    viewer: Viewer
    words: BoardWords
    scene: Scene
    spots: dict[str, int]
    """Place -> the number of the line that tells what came there last."""

    def link(self, step: str) -> Link | None:
        return self.scene.links.get(step)

    def chosen(self, step: str) -> bool:
        return step in self.scene.chosen

    def spot(self, place: str, x: float, y: float) -> str:
        number = self.spots.get(place)
        if number is None:
            return ""
        newest = not self.scene.chosen and number == self.scene.recent[-1][0]
        return pieces.spot(number, x, y, newest)


def draw(fold: State, viewer: Viewer, lang: Lang, scene: Scene) -> str:
    """The board as the viewer sees it."""
    words = words_for(lang)
    board = _Board(fold, viewer, words, scene, _spots(scene.recent))
    parts = [_others(board), _middle(board)]
    bottom: float = MIDDLE + 182
    for part in (_below, _own, _choices):
        drawn, bottom = part(board, bottom)
        parts.append(drawn)
    inside, height = "".join(parts), pieces.units(bottom + 22)
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


def _spots(recent: tuple[tuple[int, Event], ...]) -> dict[str, int]:
    """Where the numbers of the newest lines belong; what has moved on since has none."""
    spots: dict[str, int] = {}
    for number, event in recent:
        match event:
            case RoundBegan():
                spots = {place: n for place, n in spots.items() if place.startswith("tokens")}
            case Announced():
                spots["announced"] = number
            case Missed():
                spots["palace"] = number
            case Hit():
                spots["door"] = number
            case Given():
                spots.pop("door", None)
                spots[f"hand{event.to}"] = number
            case Caught() | Mistaken():
                spots.pop("palace", None)
                spots[f"hand{event.seat}"] = number
            case RoundEnded():
                spots |= {f"tokens{seat}": number for seat in event.winners}
    return spots


# --- the seats above --------------------------------------------------------------------------------------


def _others(board: _Board) -> str:
    seats = board.fold.seats
    first = 0 if board.viewer is None else board.viewer + 1
    shown = [(first + i) % seats for i in range(seats if board.viewer is None else seats - 1)]
    width = 360 / len(shown)
    return "".join(_panel(board, seat, width * i, width) for i, seat in enumerate(shown))


def _panel(board: _Board, seat: int, x: float, width: float) -> str:
    """A seat's name, tokens and hand; it can be touched to give it a card."""
    fold, step = board.fold, f"give-{seat_letter(seat)}"
    hand = sorted(fold.hands[seat], key=lambda card: card is None)
    parts = [
        pieces.seat_mark(seat, x + 4, 2, 22),
        pieces.text("in b", x + 31, 19, f"{{{seat}:{int((width - 34) / 8.2)}}}", 15),
        _tokens(board, seat, x + 4, 29, 16 if width < 110 else 18),
    ]
    if hand and hand[0] is not None:
        parts.append(pieces.row(hand, x + 5, 53, 26, width - 40))
        parts.append(pieces.text("in b e", x + width - 8, 78, str(len(hand)), 15))
    else:
        back = pieces.use("back", x + 5, 53, 26, 36.4)
        parts.append(back if hand else pieces.box("ln", x + 5.5, 53.5, 25, 35, 4, dashes="3 3"))
        parts.append(pieces.text("in b", x + 48, 78, str(len(hand)), 15))
    parts.append(board.spot(f"hand{seat}", x + 22, 74))
    drawn = "".join(parts)
    if board.chosen(step):
        frame = pieces.box("se", x, -4, width - 3, 104, 9) + pieces.box("pa", x + 3, -1, width - 9, 98, 7)
        return frame + drawn + pieces.seal(x + width - 34, 68)
    paper = pieces.box("pa", x + 1, -2, width - 5, 96, 7) if board.link(step) else ""
    return pieces.touchable(paper + drawn, x + 1, -2, width - 5, 96, board.link(step))


def _tokens(board: _Board, seat: int, x: float, y: float, size: float) -> str:
    """The tokens won, and an empty ring for each that is still needed."""
    won, target = board.fold.tokens[seat], board.fold.target
    radius = size / 2 - 1
    parts = [
        pieces.use("token", x + (size + 1) * i, y, size, size, "c4")
        if i < won
        else f'<circle class="ln" cx="{pieces.units(x + (size + 1) * i + size / 2)}" '
        f'cy="{pieces.units(y + size / 2)}" r="{pieces.units(radius)}" stroke-dasharray="3 3"/>'
        for i in range(target)
    ]
    return "".join(parts) + board.spot(f"tokens{seat}", x + (size + 1) * max(won, 1) - 6, y - 6)


# --- Door, announcement, Palace ---------------------------------------------------------------------------


def _middle(board: _Board) -> str:
    y, words = MIDDLE, board.words
    return (
        pieces.box("pa", 0, y, 360, 182, 8)
        + pieces.box("ln", 0.5, y + 0.5, 359, 181, 8)
        + pieces.text("in b m", 58, y + 24, words.door, 15)
        + pieces.text("in b m", 180, y + 24, words.announcement, 15)
        + pieces.text("in b m", 302, y + 24, words.palace, 15)
        + _door(board, y + 38)
        + _announcement(board, y + 36)
        + _palace(board, y + 38)
    )


def _door(board: _Board, y: float) -> str:
    """A pile of backs, and on it the card that was hit until it is given away."""
    fold, words = board.fold, board.words
    left = len(fold.door)
    parts = [pieces.use("back", 28 - 3 * i, y + 3 * i, 72, 100.8) for i in range(min(left, 3))]
    if not left and fold.drawn is None:
        parts.append(pieces.box("ln", 22.5, y + 6.5, 71, 100, 6, dashes="5 4"))
    if fold.drawn is not None:
        parts += [pieces.gold(17, y + 1, 82, 111), pieces.face(fold.drawn, 22, y + 6, 0.72)]
        parts.append(board.spot("door", 12, y - 4))
    count = words.left.format(left) if left else words.empty
    return "".join(parts) + pieces.text("i2 m", 58, y + 130, count)


def _announcement(board: _Board, y: float) -> str:
    """What was announced, as a speech cartouche; before that whose turn it is and what is not allowed."""
    fold, words = board.fold, board.words
    if fold.announced is None:
        return _waiting(board, y)
    clan = fold.announced[0]
    colour = pieces.COLOUR[clan]
    shape = (
        f'<path class="pa ol" d="M150,{y + 6} H210 C214,{y + 6} 216,{y + 8} 216,{y + 12} V{y + 96} '
        f"C216,{y + 101} 214,{y + 104} 210,{y + 104} H188 L180,{y + 116} L172,{y + 104} H150 "
        f'C146,{y + 104} 144,{y + 101} 144,{y + 96} V{y + 12} C144,{y + 8} 146,{y + 6} 150,{y + 6} Z" '
        'stroke-width="1.8"/>'
    )
    said = (
        shape
        + pieces.use(f"mon-{clan.lower()}", 154, y + 42, 52, 52, colour)
        + f'<g class="{colour}">{pieces.text("cu b m", 180, y + 34, fold.announced, 26)}</g>'
    )
    chosen = board.chosen("challenge") or board.chosen(f"announce-{fold.announced}")
    link = None if chosen else board.link("challenge")
    marked = pieces.gold(138, y, 84, 110) if "announced" in board.spots and not (link or chosen) else ""
    drawn = marked + pieces.touchable(said, 144, y + 4, 72, 102, link) + board.spot("announced", 134, y - 4)
    if chosen:
        drawn += pieces.seal(200, y + 82)
    by = words.by.format(f"{{{fold.active}:9}}")
    right = "" if fold.drawn is None else pieces.text("in b m", 180, y + 146, words.right)
    return drawn + pieces.text("i2 m", 180, y + 130, by) + right


def _waiting(board: _Board, y: float) -> str:
    fold, words = board.fold, board.words
    if fold.phase == "over":
        names = [pieces.text("in b m", 180, y + 40 + 20 * i, f"{{{s}:10}}", 15) for i, s in enumerate(fold.winners)]
        return "".join(names) + pieces.text("i2 m", 180, y + 42 + 20 * len(names), words.wins)
    if fold.phase not in ("announce", "turn", "round"):  # an announcement that has faded
        return pieces.text("i2 m", 180, y + 130, words.by.format(f"{{{fold.active}:9}}"))
    mine = fold.active == board.viewer
    whose = words.your_turn if mine else words.turn_of.format(f"{{{fold.active}:9}}")
    parts = [pieces.text("in b m", 180, y + 24, whose, 15)]
    cards = [card for card in fold.banned if card is not None]
    if cards:
        parts.append(pieces.text("i2 m", 180, y + 56, words.banned))
        left = 180 - (34 * len(cards) - 4) / 2
        parts += [pieces.small(card, left + 34 * i, y + 64, 30, piece=False) for i, card in enumerate(cards)]
    return "".join(parts)


def _palace(board: _Board, y: float) -> str:
    """The pile, of which the top card lies open."""
    fold, words = board.fold, board.words
    height = len(fold.palace)
    if not height:
        dashed = pieces.box("ln", 266.5, y + 6.5, 71, 100, 6, dashes="5 4")
        return dashed + pieces.text("i2 m", 302, y + 130, words.empty)
    parts = []
    for i in range(min(height, 3) - 1, 0, -1):
        x, above = 266 + 3 * i, y + 6 - 3 * i
        parts += [pieces.box("pa", x, above, 72, 100, 6), pieces.box("li", x, above, 72, 100, 6)]
    if "palace" in board.spots:
        parts.append(pieces.gold(261, y + 1, 82, 111))
    parts.append(pieces.face(fold.palace[-1], 266, y + 6, 0.72))
    parts.append(board.spot("palace", 256, y - 4))
    return "".join(parts) + pieces.text("i2 m", 302, y + 130, words.count(height))


def _below(board: _Board, y: float) -> tuple[str, float]:
    """What lies under the top of the Palace, where the fold knows it: with open memory, and after the end."""
    under = [card for card in reversed(board.fold.palace[:-1]) if card is not None]
    if not under:
        return "", y
    return pieces.text("i2", 4, y + 20, board.words.below) + pieces.row([*under], 4, y + 28, 26, 352), y + 66


# --- one's own --------------------------------------------------------------------------------------------


def _own(board: _Board, y: float) -> tuple[str, float]:
    """The viewer's own cards, face up, and his tokens."""
    fold, words, seat = board.fold, board.words, board.viewer
    if seat is None:
        return "", y
    hand = fold.hands[seat]
    size = 20
    parts = [
        pieces.seat_mark(seat, 0, y + 12, 24),
        pieces.text("in b", 31, y + 30, words.your_hand, 15),
        _tokens(board, seat, 356 - (size + 1) * fold.target, y + 14, size),
    ]
    if not hand:
        parts.append(pieces.text("i2", 130, y + 30, words.no_cards, 15))
        return "".join(parts), y + 42
    pitch = min(56.0, (360 - 50) / max(1, len(hand) - 1))
    parts += [pieces.face(card, pitch * i, y + 46, 0.5) for i, card in enumerate(hand)]
    parts.append(board.spot(f"hand{seat}", pitch * (len(hand) - 1) - 6, y + 102))
    return "".join(parts), y + 126


def _choices(board: _Board, y: float) -> tuple[str, float]:
    """The samurai that may be announced, to be touched; others lie flat."""
    steps = [f"announce-{card}" for card in CARDS]
    if not any(step in board.scene.links for step in steps):
        return "", y
    heading = french(board.words.to_announce)
    parts = [pieces.text("in b", 4, y + 24, heading, 15)]
    for i, (card, step) in enumerate(zip(CARDS, steps, strict=True)):
        x, top = 3 + 45.2 * (i % 8), y + 36 + 70 * (i // 8)
        drawn = pieces.small(card, x, top, 38, piece=False)
        if board.chosen(step):
            drawn = pieces.box("se", x - 4, top - 4, 46, 64, 8) + drawn + pieces.seal(x + 18, top + 34)
            parts.append(drawn)
        else:
            parts.append(pieces.touchable(drawn, x, top, 38, 53, board.link(step)))
    return "".join(parts), y + 174
