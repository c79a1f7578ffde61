"""The seats on a drawn board of Allégeance, the viewer's own cards, and the pad: announcements, or the two answers.

On the pad the sixteen samurai have the same places every turn, a row a clan. What may not be announced lies flat among
them, and says why when it is touched.
"""

from collections.abc import Sequence

from pbem.games.allegeance import words
from pbem.games.allegeance.board.view import View
from pbem.games.samurai import (
    CARDS,
    CLANS,
    RANKS,
    draw_card_of_fan,
    draw_card_or_back,
    draw_rank_and_clan_letter,
    draw_small_cards,
)
from pbem.kit.drawing import svg
from pbem.kit.drawing.board import framed, head, panel
from pbem.kit.drawing.grid import Box
from pbem.kit.drawing.svg import box, dashes, linked, number, seat_mark, symbol, text
from pbem.kit.notation import seat_letter
from pbem.kit.texts import Text
from pbem.kit.words import WON, YOU, YOUR_HAND, counted

_LEAST = 110
"""A panel beside others is never narrower."""
_TALLEST = 0.8
"""A panel below others is never taller than this part of its width."""
_HEAD = 61
"""The height of a panel in portrait without a row of open cards, which a hidden hand has room for, too."""
_FREE = 0.56
"""The part of a miniature card that the next one leaves free, at least."""


def draw_seats(view: View, at: Box, shown: Sequence[int]) -> str:
    """Draws a panel for each of these seats; touching it gives the seat a card."""
    gap = _panel_gap(view)
    if at.tall:  # few seats leave the ground free
        at = Box(at.x, at.y, at.width, min(at.height, len(shown) * (at.width * _TALLEST + gap) - gap))
        places = at.rows(len(shown), gap)
    else:
        places = at.places(len(shown), gap, _LEAST)
    return "".join(_draw_seat_panel(view, seat, place) for seat, place in zip(shown, places, strict=True))


def height_of_seats_in_portrait(view: View, shown: Sequence[int]) -> float:
    """Returns the height of the seats in portrait: open cards need rows of their own."""
    gap = _panel_gap(view)
    across = next(n for n in (len(shown), 2) if (366 - gap * (n - 1)) / n >= _LEAST)
    wide = (366 - gap * (across - 1)) / across - view.sizes.inset
    opened = (len(view.fold.hands[seat]) for seat in shown if view.has_open_cards(seat))
    rows = -(-len(shown) // across)
    high = _HEAD + max(
        (_number_of_rows_in_portrait(view, count, wide) for count in opened), default=1
    ) * _least_row_height(view)
    return high * rows + gap * (rows - 1)


def draw_own_seat(view: View, at: Box, seat: int) -> str:
    """Draws the viewer's own seat: tokens, cards, and how many tokens are still to be won."""
    sizes, fold = view.sizes, view.fold
    x, y = at.x + sizes.inset / 2, at.y + sizes.inset / 3
    drawn = panel(at, asked=view.is_asked(seat)) + seat_mark(seat, x, y, sizes.mark)
    drawn += text("in b", x + sizes.mark * 1.25, y + sizes.mark * 0.73, YOU[view.lang], sizes.name)
    y += sizes.mark + sizes.gap * 1.5
    drawn += draw_tokens(view, seat, x, y, min(sizes.mark, (at.width - sizes.inset) / max(5, fold.target) - 2))
    left = fold.target - fold.tokens[seat]
    lines = [counted(len(fold.hands[seat]), words.CARD, view.lang)]
    lines.append(words.TO_GO[view.lang].format(counted(left, words.TOKEN, view.lang)) if left > 0 else "")
    y += sizes.mark + sizes.text * 1.7
    said = (text("i2", x, y + n * sizes.text * 1.35, line, sizes.text) for n, line in enumerate(lines) if line)
    return drawn + "".join(said)


def draw_tokens(view: View, seat: int, x: float, y: float, size: float) -> str:
    """Draws the tokens won, and an empty ring for each one still needed."""
    won, parts = view.fold.tokens[seat], []
    for i in range(max(won, view.fold.target)):
        left = x + (size + 1) * i
        if i < won:
            parts.append(svg.token(symbol("token", left, y, size, size, "c4"), f"token-{seat}-{i}"))
        else:
            at = f'cx="{number(left + size / 2)}" cy="{number(y + size / 2)}"'
            parts.append(f'<circle class="ln" {at} r="{number(size / 2 - 1.5)}" stroke-dasharray="3 3"/>')
    spot = view.sizes.spot
    # A wide number grows to the left and upwards: below on the right is how many cards the seat holds.
    grown = svg.spot_width(view.latest_story_by_place.get(f"tokens{seat}", 0), spot) - spot
    left = x + (size + 1) * max(won, 1) - spot * 0.45
    return "".join(parts) + view.ink_spot_of_place(f"tokens{seat}", left - grown, y - view.sizes.gap + 1)


# --- one seat ----------------------------------------------------------------------------------------------


def _panel_gap(view: View) -> float:
    """Returns the gap between two panels: their frames do not touch."""
    return view.sizes.gap * 1.5


def _draw_seat_panel(view: View, seat: int, place: Box) -> str:
    """Draws a seat's name, its tokens, and its hand: the known cards, or one back with their number."""
    sizes, step = view.sizes, f"give-{seat_letter(seat)}"
    touched = view.link(step) is not None or view.chosen(step)
    # The content keeps its place whether the panel can be touched or not.
    at = place.in_frame(sizes.frame, sizes.foot)
    asked = view.is_asked(seat)
    drawn = box("pa", *at.frame, 7) if touched else panel(place, asked=asked)
    x, y = at.x + sizes.inset / 3, at.y + sizes.mark + sizes.gap * 1.5
    room, opened = at.width - sizes.inset / 1.5, view.has_open_cards(seat)
    if opened and at.bottom - y - sizes.mark * 0.9 < _least_row_height(view):  # there is no height for a row of tokens
        most = max(view.fold.tokens[seat], view.fold.target)
        size = min(sizes.mark * 0.6, room * 0.6 / most - 1)
        beside = most * (size + 1)
        drawn += head(view, seat, Box(x, at.y + sizes.gap / 2, room - beside, sizes.mark), asked=asked)
        drawn += draw_tokens(view, seat, at.right - sizes.inset / 3 - beside, at.y + sizes.mark * 0.3, size)
        drawn += _draw_open_hand(view, seat, Box(x, y, room, at.bottom - y))
        return framed(sizes, drawn, at, view.link(step), view.chosen(step)) if touched else drawn
    backs = 0 if opened else min(at.width * 0.26, (at.bottom - y) * 0.55)
    size = min(sizes.mark * 0.9, (room - backs) / view.fold.target - 1)
    drawn += head(view, seat, Box(x, at.y + sizes.gap / 2, room, sizes.mark), asked=asked)
    if opened:
        below = y + size + sizes.gap
        drawn += _draw_open_hand(view, seat, Box(x, below, room, at.bottom - below - sizes.gap / 2))
    else:
        drawn += _draw_back_with_count_and_status(view, seat, Box(x, y, room, at.bottom - y - sizes.gap / 2), backs)
    drawn += draw_tokens(view, seat, x, y, size)
    return framed(sizes, drawn, at, view.link(step), view.chosen(step)) if touched else drawn


def _draw_back_with_count_and_status(view: View, seat: int, at: Box, width: float) -> str:
    """Draws one back with the number of cards beside it, and what the seat does."""
    sizes, count = view.sizes, len(view.fold.hands[seat])
    high, size = width * 1.4, sizes.name * 1.35
    x, y = at.right - width, at.bottom - high
    if count:
        drawn = "".join(symbol("back", x - n * 2, y + n * 2 - 2, width, high) for n in range(min(count, 2)))
    else:
        drawn = box("ln", x + 1, y + 1, width - 2, high - 2, 4, dashes(1.5, "4 3"))
    base = y + high / 2 + size * 0.3
    if (story := view.latest_story_by_place.get(f"tokens{seat}")) is not None:  # clear of the number at the tokens
        base = max(base, at.y - sizes.gap + svg.spot_width(story, sizes.spot) + size * 0.9)
    drawn += text("in b e", x - sizes.gap * 1.5, base, str(count), size)
    classes, said = _status_words(view, seat)
    drawn += text(classes, at.x, at.bottom - sizes.text * 0.15, said, sizes.text) if said else ""
    return drawn + _draw_story_number_at_hand(view, seat, at.right, at.bottom)


def _draw_story_number_at_hand(view: View, seat: int, right: float, bottom: float) -> str:
    """Draws the number of what has just come into a hand, above the seal of a seat that was chosen."""
    size = view.sizes.spot
    lifted = view.sizes.seal if view.chosen(f"give-{seat_letter(seat)}") else 0
    return view.ink_spot_of_place(f"hand{seat}", right - size, bottom - size * 0.75 - lifted)


def _status_words(view: View, seat: int) -> tuple[str, str]:
    """Returns the class and the words for what a seat does or did; "" if it has nothing to do."""
    fold, lang = view.fold, view.lang
    if fold.phase == "over":
        return "in b", WON[lang] if seat in fold.winners else ""
    if view.is_asked(seat):
        return "in b", {"announce": words.ANNOUNCING, "give": words.GIVING}.get(fold.phase, words.ANSWERING)[lang]
    if fold.phase == "window" and fold.answered[seat]:
        return "i2", words.ANSWERED[lang]
    said = fold.phase in ("reveal", "give", "window") and seat == fold.active
    return "i2", words.HAS_ANNOUNCED[lang] if said else ""


# --- open cards --------------------------------------------------------------------------------------------


def _draw_open_hand(view: View, seat: int, at: Box) -> str:
    """Draws the known cards of a hand in as few rows as leave every rank and letter free, then a back for the rest."""
    sizes = view.sizes
    known = [card for card in view.fold.hands[seat] if card is not None]
    hidden = len(view.fold.hands[seat]) - len(known)
    digits = sizes.name * 1.3 if hidden > 1 else 0
    beside = digits + (sizes.spot if f"hand{seat}" in view.latest_story_by_place else 0)  # a spot covers no letter
    shown = [*known, None] if hidden else known
    rows, width = _row_count_and_card_width(view, len(shown), Box(at.x, at.y, at.width - beside, at.height))
    across, high = -(-len(shown) // rows), width * 1.4
    drawn, y = "", at.y
    for n in range(rows):
        y = at.y + n * (high + sizes.gap)
        row = shown[n * across : (n + 1) * across]
        drawn += draw_small_cards(row, at.x, y, width, at.width - beside, sizes.gap)
    if digits:
        drawn += text("in b e", at.right, y + high / 2 + sizes.name * 0.35, str(hidden), sizes.name)
    return drawn + _draw_story_number_at_hand(view, seat, at.right - digits, y + high)


def _row_count_and_card_width(view: View, count: int, at: Box) -> tuple[int, float]:
    """Returns in how many rows this many cards lie, and how wide they are: no narrower than their letters bear."""
    most, rows = view.sizes.mark * 1.2, max(1, int((at.height + view.sizes.gap) / _least_row_height(view)))
    for fewer in range(1, rows + 1):
        width = min(most, ((at.height + view.sizes.gap) / fewer - view.sizes.gap) / 1.4)
        if _cards_per_row(width, at.width) * fewer >= count:
            return fewer, width
    in_row = -(-count // rows)
    return rows, min(_least_card_width(view), at.width / (1 + _FREE * (in_row - 1)))


def _cards_per_row(width: float, room: float) -> int:
    """Returns how many overlapping cards there are room for."""
    return 1 + int((room - width) / (width * _FREE))


def _least_card_width(view: View) -> float:
    """Returns the width of the smallest card whose letter can be read."""
    return view.sizes.mark * 1.03


def _least_row_height(view: View) -> float:
    """Returns the least height of a row of open cards."""
    return _least_card_width(view) * 1.4 + view.sizes.gap


def _number_of_rows_in_portrait(view: View, count: int, room: float) -> int:
    """Returns in how many rows this many cards lie in portrait: no more than two, which leave room for the pad."""
    return min(2, -(-count // _cards_per_row(_least_card_width(view), room)))


# --- the viewer's own cards ----------------------------------------------------------------------------------

_APART = 6
"""This many cards lie side by side; more of them overlap, rank and letter staying free."""
_CARD_FREE = 0.48
"""The part of a card that another one never covers."""
_LEAST_CARD = 56
"""Cards that are lower than this are drawn as miniatures."""


def draw_own_cards(view: View, seat: int, at: Box, *, marked: bool) -> str:
    """Draws the viewer's hand, face up; `marked` with their mark and tokens, where their seat has no row.

    Touching it while a card is to be given says why it cannot be given to oneself.
    """
    sizes, hand = view.sizes, view.fold.hands[seat]
    x, room = at.x + sizes.inset, at.width - 2 * sizes.inset
    drawn = panel(at, asked=marked and view.is_asked(seat))
    y, high = at.y + sizes.inset, at.height - 2 * sizes.inset
    if marked:
        top = at.y + sizes.inset / 2
        drawn += seat_mark(seat, x, top, sizes.mark)
        heading = f"{YOUR_HAND[view.lang]}\u00a0: {len(hand)}" if view.lang == "fr" else f"{YOUR_HAND.en}: {len(hand)}"
        drawn += text("in b", x + sizes.mark * 1.25, top + sizes.mark * 0.73, heading, sizes.name)
        wide = view.fold.target * (sizes.mark * 0.9 + 1) - 1
        drawn += draw_tokens(view, seat, at.right - sizes.inset - wide, top + 1, sizes.mark * 0.9)
        y = top + sizes.mark + sizes.gap * 1.25
        high = at.bottom - y - sizes.gap * 1.25
    elif len(hand) < _APART - 1 and not (view.scene.over or view.fold.phase == "over"):
        lines = enumerate(words.AIM[view.lang].splitlines())
        end = at.right - sizes.inset
        drawn += "".join(text("i2 e", end, y + sizes.text * (1 + 1.35 * n), said, sizes.text) for n, said in lines)
    drawn += _draw_hand(view, seat, Box(x, y, room, high))
    return linked(drawn, view.refusal(f"give-{seat_letter(seat)}"))


def _draw_hand(view: View, seat: int, at: Box) -> str:
    """Draws the cards as large as the box allows."""
    sizes, hand = view.sizes, view.fold.hands[seat]
    count, width = len(hand), at.height / 1.4
    if not hand:
        empty = box("ln", at.x + 0.5, at.y + 0.5, width - 1, at.height - 1, 5, dashes(1.5, "5 4"))
        words_at = at.x + width + sizes.inset
        return empty + text("i2", words_at, at.y + at.height / 2 + 5, words.NO_CARDS[view.lang], sizes.text)
    if count <= _APART:
        width = min(width, (at.width - sizes.gap * (count - 1)) / count)
    else:
        width = min(width, at.width / (1 + _CARD_FREE * (count - 1)))
    pitch = min(width + sizes.gap * 2, (at.width - width) / max(1, count - 1))
    y = at.y + (at.height - width * 1.4) / 2
    if at.height < _LEAST_CARD:
        drawn = draw_small_cards(hand, at.x, y, width, at.width, sizes.gap * 2)
    else:
        card = draw_card_or_back if count <= _APART else draw_card_of_fan
        drawn = "".join(card(name, at.x + pitch * n, y, width / 100) for n, name in enumerate(hand) if name)
    last = at.x + pitch * (count - 1)
    return drawn + view.ink_spot_of_place(f"hand{seat}", last - sizes.spot * 0.3, y + width * 1.4 - sizes.spot * 0.7)


# --- the pad -------------------------------------------------------------------------------------------------

_ANSWERS = (("challenge", words.CHALLENGE), ("pass", words.LEAVE_BE))


def number_of_pad_rows(view: View) -> int:
    """Returns how many rows the pad has: none if there is nothing to announce or answer.

    The two answers are on the pad in portrait alone; else the page lists them.
    """
    if _is_announcing(view):
        return len(CLANS)
    offered = any(view.link(step) or view.chosen(step) for step, _ in _ANSWERS)
    return int(offered and view.scene.shape == "portrait")


def draw_pad(view: View, at: Box) -> str:
    """Draws the samurai that may be announced, or the answers to an announcement."""
    between = view.sizes.between
    if not _is_announcing(view):
        cells = at.columns(2, between)
        return "".join(_draw_answer_field(view, *answer, cell) for answer, cell in zip(_ANSWERS, cells, strict=True))
    cells = [cell for row in at.rows(len(CLANS), between) for cell in row.columns(len(RANKS), between)]
    return "".join(_draw_card_to_announce(view, card, cell) for card, cell in zip(CARDS, cells, strict=True))


def _is_announcing(view: View) -> bool:
    return view.choice("announce") is not None or bool(view.offered("announce"))


def _box_inside_frame_of_cell(view: View, cell: Box, *, chosen: bool) -> Box:
    """Returns the box of what lies in the frame of a cell; the frame of a chosen one is thicker, and bears a seal."""
    return cell.inside(2 if chosen else 0).in_frame(view.sizes.frame, view.sizes.foot)


def _draw_card_to_announce(view: View, card: str, at: Box) -> str:
    """Draws a card that can be announced, bears the seal, or lies flat."""
    step = f"announce-{card}"
    link, chosen = view.link(step), view.chosen(step)
    inner = _box_inside_frame_of_cell(view, at, chosen=chosen)
    if link is None and not chosen:
        flat = box("sk", *at.frame, 6) + draw_rank_and_clan_letter(card, inner)
        return linked(flat, view.refusal(step), "", card)
    drawn = box("pa", *inner.frame, 5) + draw_rank_and_clan_letter(card, inner)
    return framed(view.sizes, drawn, inner, link, chosen, card)


def _draw_answer_field(view: View, step: str, said: Text, at: Box) -> str:
    size, link, chosen = view.sizes.name, view.link(step), view.chosen(step)
    inner = _box_inside_frame_of_cell(view, at, chosen=chosen)
    middle = inner.x + inner.width / 2
    drawn = box("pa", *inner.frame, 5)
    drawn += text("in b m", middle, inner.y + inner.height / 2 + size * 0.34, said[view.lang], size)
    return framed(view.sizes, drawn, inner, link, chosen)
