"""The drawn board of Allégeance: one viewer's fold in one language, in any shape.

A seated viewer has the others in clockwise order from their left; Door, announcement and Palace; their own cards; and
what they may announce or answer. For a spectator everybody has a panel. Only cards that the fold knows lie face up.
"""

from collections.abc import Sequence

from pbem.games.allegeance import words
from pbem.games.allegeance.board import seats
from pbem.games.allegeance.board.view import View
from pbem.games.allegeance.facts_state import State
from pbem.games.samurai import draw_card_or_back, draw_clan_letters, draw_clan_sign, draw_small_card, draw_small_cards
from pbem.kit.contract import Scene, Viewer
from pbem.kit.drawing import board
from pbem.kit.drawing.board import framed, panel
from pbem.kit.drawing.grid import Box, Heights, grid, pad_alone
from pbem.kit.drawing.svg import box, dashes, drawing, number, spot_width, symbol, text, wash
from pbem.kit.texts import Lang
from pbem.kit.words import counted, seen_from

_PILES, _COVERED = 226, 38
"""The height of the table, and of the row of cards that are known to lie under the Palace's top, for a spectator in
portrait."""
_ROW = 48
"""The height of a row of the pad in portrait: as high as a thumb needs it."""
_TABLE, _ABOVE_PAD = 192, 393
"""The height of the table in portrait for a player, and that of the seats, the table and their own cards together: the
sixteen announcements below them end at 654, with the smallest phone."""


def draw(fold: State, viewer: Viewer, lang: Lang, scene: Scene) -> str:
    """Returns the board as the viewer sees it; cards that the fold does not know lie face down."""
    view = View(fold, viewer, lang, scene)
    if scene.shape == "pad":
        alone = pad_alone(seats.number_of_pad_rows(view))
        return (
            drawing(seats.draw_pad(view, alone), alone.frame, words.PAD[lang], ' class="pad"') if alone.height else ""
        )
    seated = viewer is not None
    shown = seen_from(viewer, fold.seats)[seated:]
    places = grid(scene.shape, _heights_of_regions(view, shown), seats.number_of_pad_rows(view))
    parts = [seats.draw_seats(view, places.seats, shown), draw_table(view, places.table)]
    if viewer is not None and places.mine:
        parts.append(seats.draw_own_cards(view, viewer, places.mine, marked=places.you is None))
    if viewer is not None and places.you:
        parts.append(seats.draw_own_seat(view, places.you, viewer))
    if places.pad:
        parts.append(seats.draw_pad(view, places.pad))
    hidden = any(None in hand for hand in fold.hands)
    called = board.label(view, words.SEEN_BY, words.SEEN_BY_PUBLIC if hidden else words.SEEN_BY_ALL)
    return board.finished(view, parts, places, called)


def _heights_of_regions(view: View, shown: Sequence[int]) -> Heights:
    """Returns how high the regions are; in portrait the seats of open hands take room from the player's own cards."""
    above = seats.height_of_seats_in_portrait(view, shown)
    if view.viewer is None:
        return Heights(
            above, _PILES + (_COVERED if palace_cards_known_under_top(view) else 0), mine=0, landscape=0, low=0
        )
    return Heights(above, _TABLE, mine=_ABOVE_PAD - above - _TABLE, landscape=212, low=128, row=_ROW)


# --- the table -----------------------------------------------------------------------------------------------


def draw_table(view: View, at: Box) -> str:
    """Draws the three piles, and above them the turn and what the table waits for."""
    sizes = view.sizes
    line, x, end = at.y + sizes.mark * 0.85, at.x + sizes.inset, at.right - sizes.inset
    left, right, bold = _round_turn_and_wait_words(view)
    parts = [panel(at), text("in b", x, line, left, sizes.name)]
    if right:
        parts.append(text("in b e" if bold else "i2 e", end, line, right, sizes.name if bold else sizes.text))
    under = palace_cards_known_under_top(view)
    foot = sizes.mark * 1.44 + sizes.gap if under else 0
    most = at.width / 3 * 0.82
    top, caption = at.y + sizes.mark * 1.1, sizes.text * 1.4 + most * 0.06
    room = at.bottom - top - caption - sizes.text * 2.5 - most * 0.06 - foot
    width = min(room / 1.4, most)
    y = top + caption + (room - width * 1.4) / 2
    columns = Box(at.x, y, at.width, width * 1.4).columns(3, 0)
    piles = [Box(column.x + (column.width - width) / 2, y, width, width * 1.4) for column in columns]
    parts += [_draw_door_pile(view, piles[0]), _draw_announcement(view, piles[1]), _draw_palace(view, piles[2])]
    if under:
        size, top, high, said = sizes.text, at.bottom - foot, foot - sizes.gap, words.UNDER[view.lang]
        beside = size * 0.56 * len(said)
        parts.append(text("i2", x, top + high / 2 + size * 0.35, said, size))
        parts.append(draw_small_cards(under, x + beside, top, high / 1.4, end - x - beside, sizes.gap))
    return "".join(parts)


def palace_cards_known_under_top(view: View) -> list[str]:
    """Returns the cards under the top of the Palace that the fold knows: with open memory, or after the end."""
    return [card for card in reversed(view.fold.palace[:-1]) if card is not None]


def _round_turn_and_wait_words(view: View) -> tuple[str, str, bool]:
    """Returns round and turn, what the table waits for, and whether that is the viewer or a winner."""
    fold, lang, me = view.fold, view.lang, view.viewer
    if fold.phase == "over":
        return words.ENDED[lang], words.winner_in_words(fold.winners, me, lang), True
    me = None if view.scene.resigned else me
    if fold.phase == "round":
        return (words.ROUND_ENDED if fold.round else words.MATCH_BEGINS)[lang].format(fold.round), "", False
    if view.is_before_first_turn_of_round:
        return words.ROUND[lang].format(fold.round), view.to(words.BEGINS, fold.first, 9), fold.first == me
    turn = words.TURN[lang].format(fold.round, fold.turn)
    if view.scene.over:
        return turn, "", False
    if fold.phase in ("announce", "give"):
        said = words.ANNOUNCES if fold.phase == "announce" else words.GIVES
        return turn, view.to(said, fold.active, 9), fold.active == me
    if fold.phase != "window":
        return turn, "", False
    if me is None or fold.active == me:
        return turn, words.OTHERS_ANSWER[lang], False
    if fold.answered[me]:
        said_by_me = {None: words.HAS_ANSWERED, True: words.HAS_CHALLENGED, False: words.HAS_PASSED}
        return turn, said_by_me[fold.wishes[me]][lang], False
    return turn, words.CHALLENGE_OR_NOT[lang], True


def _draw_captions_of_pile(view: View, at: Box, above: str, *below: str) -> str:
    """Draws the name of a pile over it, and up to two lines of words under it."""
    size, middle = view.sizes.text, at.x + at.width / 2
    drawn = text("in b m", middle, at.y - size * 0.5 - at.width * 0.06, above, size)
    first = at.bottom + size * 0.9 + at.width * 0.06
    lines = (text("i2 m", middle, first + size * 1.2 * n, said, size) for n, said in enumerate(below))
    return drawn + "".join(lines)


def _draw_ink_spot_of_pile(view: View, place: str, at: Box) -> str:
    """Draws the ink spot of a pile at the lower left of it."""
    size = view.sizes.spot
    return view.ink_spot_of_place(
        place, at.x - size * 0.45, at.bottom - spot_width(view.latest_story_by_place.get(place, 0), size)
    )


def _draw_gold_wash(at: Box) -> str:
    return wash(*at.frame, max(3, at.width * 6 / 130))


def _draw_empty_place(at: Box, classes: str = "ln") -> str:
    """Draws the dashed place of a pile that has no card, or of a card that has left."""
    return box(classes, at.x + 1, at.y + 1, at.width - 2, at.height - 2, at.width * 0.09, dashes(1.8, "6 5"))


# --- the three piles ---------------------------------------------------------------------------------------


def _draw_door_pile(view: View, at: Box) -> str:
    """Draws a pile of card backs, and on it the card that was hit, until it is given away."""
    fold, step = view.fold, at.width / 25
    left = len(fold.door)
    layers = range(min(left, 3) - 1, -1, -1)
    parts = [symbol("back", at.x + step * n, at.y - step * 0.7 * n, at.width, at.height) for n in layers]
    if fold.drawn is not None:
        parts += [
            _draw_gold_wash(at),
            draw_card_or_back(fold.drawn, at.x, at.y, at.width / 100),
            _draw_ink_spot_of_pile(view, "door", at),
        ]
    elif view.choice("give"):
        parts.append(_draw_empty_place(at, "sl"))  # the place that the card has left
    elif not left:
        parts.append(_draw_empty_place(at))
    said = words.REMAINING[view.lang].format(left) if left else words.EMPTY[view.lang]
    return "".join(parts) + _draw_captions_of_pile(view, at, words.DOOR[view.lang], said)


def _draw_announcement(view: View, at: Box) -> str:
    """Draws the announcement as a speech bubble, and whose it is; before that, what may not be announced."""
    fold, lang = view.fold, view.lang
    if fold.announced is None:
        return _draw_no_announcement(view, at)
    body = Box(at.x, at.y, at.width, at.height * 0.91)
    unit, middle, card = at.width / 100, at.x + at.width / 2, fold.announced
    bubble = _draw_speech_bubble_outline("pa ol", body, at.bottom)
    bubble += draw_clan_letters(card, middle, at.y + 42 * unit, 36 * unit) + draw_clan_sign(
        card[0], middle - 30 * unit, at.y + 54 * unit, 60 * unit
    )
    chosen = view.chosen("challenge") or view.chosen(f"announce-{card}")
    link = None if chosen else view.link("challenge")
    if chosen or link:
        bubble = framed(view.sizes, bubble, body, link, chosen)
    elif "announced" in view.latest_story_by_place:
        bubble = _draw_gold_wash(at) + bubble
    below = [_announcer_words(view, at)]
    if fold.drawn is not None:
        below.append(words.RIGHT[lang])
    elif fold.phase == "window":
        below.append(words.MISSED[lang])
    spot = "" if chosen else _draw_ink_spot_of_pile(view, "announced", body)
    return bubble + spot + _draw_captions_of_pile(view, at, words.ANNOUNCEMENT[lang], *below)


def _announcer_words(view: View, at: Box) -> str:
    """Returns whose the announcement is, in words about as wide as a pile and the gap beside it."""
    return view.to(words.BY, view.fold.active, view.sizes.letters(at.width * 1.2) - 2)


def _draw_no_announcement(view: View, at: Box) -> str:
    """Draws the empty place of the announcement, and what may not be announced."""
    fold, lang = view.fold, view.lang
    drawn = _draw_speech_bubble_outline(
        "ln", Box(at.x, at.y, at.width, at.height * 0.91), at.bottom, ' stroke-dasharray="6 5"'
    )
    if fold.phase in ("reveal", "give", "window") or (fold.phase == "turn" and not view.is_before_first_turn_of_round):
        # an announcement that has faded
        return drawn + _draw_captions_of_pile(view, at, words.ANNOUNCEMENT[lang], _announcer_words(view, at))
    announcing = fold.phase == "announce" and not view.scene.over
    banned = [card for card in fold.banned if card is not None] if announcing else []
    if not banned:
        return drawn + _draw_captions_of_pile(view, at, words.ANNOUNCEMENT[lang])
    wide, gap = max(at.width * 0.38, view.sizes.mark), at.width * 0.06
    left = at.x + (at.width - wide * len(banned) - gap * (len(banned) - 1)) / 2
    y = at.y + (at.height * 0.91 - wide * 1.4) / 2
    drawn += "".join(
        draw_small_card(card, left + (wide + gap) * n, y, wide, piece=False) for n, card in enumerate(banned)
    )
    return drawn + _draw_captions_of_pile(view, at, words.ANNOUNCEMENT[lang], words.BANNED[lang], words.JUST_SAID[lang])


def _draw_speech_bubble_outline(classes: str, at: Box, tip: float, more: str = "") -> str:
    """Draws the outline of a speech bubble: a box whose tongue points down to the tip."""
    left, top, right, bottom = map(number, (at.x, at.y, at.right, at.bottom))
    round_, half = at.width * 0.09, at.width * 0.1
    inner = at.inside(round_)
    inner_left, inner_top, inner_right, inner_bottom = map(number, (inner.x, inner.y, inner.right, inner.bottom))
    middle = at.x + at.width / 2
    points = (
        f"M{inner_left},{top} H{inner_right} Q{right},{top} {right},{inner_top} "
        f"V{inner_bottom} Q{right},{bottom} {inner_right},{bottom} "
        f"H{number(middle + half)} L{number(middle)},{number(tip)} L{number(middle - half)},{bottom} "
        f"H{inner_left} Q{left},{bottom} {left},{inner_bottom} V{inner_top} Q{left},{top} {inner_left},{top} Z"
    )
    return f'<path class="{classes}" d="{points}" stroke-width="2"{more}/>'


def _draw_palace(view: View, at: Box) -> str:
    """Draws the pile, its top card face up."""
    height, step = len(view.fold.palace), at.width / 25
    if not height:
        return _draw_empty_place(at) + _draw_captions_of_pile(view, at, words.PALACE[view.lang], words.EMPTY[view.lang])
    parts = []
    for n in range(min(height, 3) - 1, 0, -1):
        layer = (at.x + step * n, at.y - step * 0.7 * n, at.width, at.height, at.width * 0.09)
        parts += [box("pa", *layer), box("li", *layer)]
    if "palace" in view.latest_story_by_place:
        parts.append(_draw_gold_wash(at))
    parts += [
        draw_card_or_back(view.fold.palace[-1], at.x, at.y, at.width / 100),
        _draw_ink_spot_of_pile(view, "palace", at),
    ]
    below = counted(height, words.CARD, view.lang)
    return "".join(parts) + _draw_captions_of_pile(view, at, words.PALACE[view.lang], below)
