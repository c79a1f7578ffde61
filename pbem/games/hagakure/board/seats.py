"""The players on a drawn board of Hagakure, and what the viewer alone has.

The players have names, points, cards, Nobori and what they have taken; the viewer their own hand and Nobori, and the
Yomi.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from pbem.games.hagakure import words
from pbem.games.hagakure.board import sheet
from pbem.games.hagakure.board.view import (
    CURRENT,
    LEFT,
    View,
    card_box_at,
    draw_all_nobori_of_seat,
    draw_card_back,
    draw_card_face,
    draw_cards_in_line,
    draw_empty_slot,
    draw_no_samurai_sign,
    draw_nobori,
    draw_one_nobori_of_seat,
    width_of_cards_in_line,
)
from pbem.games.hagakure.facts_cards import FOOL, NOBORI, Nobori, card_in_notation, hand_size, visible_cards
from pbem.games.hagakure.facts_state import playable_cards
from pbem.kit.drawing.board import framed, hourglass, panel
from pbem.kit.drawing.grid import Box, fitted
from pbem.kit.drawing.svg import box, dashes, linked, seal, seat_mark, text
from pbem.kit.notation import seat_letter
from pbem.kit.words import AND, YOU, YOUR_HAND, signed

LEAST_LETTERS = 4
_TOUCHED = ' pointer-events="all"'
"""Of a box without colour that can be touched."""


def draw_seats(view: View, at: Box, shown: list[int]) -> str:
    """Draws a panel for each of these seats."""
    places = at.places(len(shown), view.sizes.gap * 1.5, view.sizes.text * 8)
    return "".join(_draw_seat_panel(view, seat, place) for seat, place in zip(shown, places, strict=True))


def draw_own_seat(view: View, at: Box, seat: int) -> str:
    """Draws the viewer's own seat: what the table waits for, what they have taken, and their Nobori."""
    sizes, fold = view.sizes, view.fold
    left, right, top = at.x + sizes.inset / 2, at.right - sizes.inset / 2, at.y + sizes.inset / 3
    drawn = panel(at, asked=view.is_asked(seat)) + _draw_seat_head(view, seat, at, YOU[view.lang])
    line = top + sizes.mark + sizes.text * 1.5
    if view.is_asked(seat):
        drawn += text("i2", left, line, sheet.turn_or_end_in_words(view), sizes.text)
    elif raised := fold.raised[seat]:
        drawn += text("i2", left, line, words.NOBORI_NAMES[raised][view.lang], sizes.text)
    if view.is_nobori_phase:  # The Nobori are with the hand then, large enough to be touched.
        return drawn
    drawn += sheet.draw_parts_in_line(
        view, sheet.trick_and_villager_count_parts(view, seat, right - left), left, line + sizes.text * 1.6
    )
    width = fitted(len(NOBORI), right - left, sizes.gap, sizes.mark * 1.15)
    return drawn + draw_all_nobori_of_seat(
        view, seat, left, at.bottom - sizes.gap * 1.5 - width / 0.6, width, sizes.gap
    )


# --- one seat ----------------------------------------------------------------------------------------------


def _draw_seat_head(view: View, seat: int, at: Box, name: str = "", *, pile: bool = False, glass: bool = False) -> str:
    """Draws a seat's mark, name and points; with a `glass` that the table waits for it, with a `pile` its tricks."""
    sizes, fold = view.sizes, view.fold
    x, y, end = at.x + sizes.inset / 2, at.y + sizes.inset / 3, at.right - sizes.inset / 2
    line, points = y + sizes.mark * 0.73, signed(fold.totals[seat])
    drawn = seat_mark(seat, x, y, sizes.mark) + text("in b e", end, line, points, sizes.name)
    end -= sizes.name * 0.6 * len(points) + sizes.gap * 1.5
    if glass:
        end -= sizes.mark * 0.8
        drawn += hourglass(end, y + sizes.mark * 0.12, sizes.mark * 0.8)
        end -= sizes.gap
    if pile and (
        parts := sheet.trick_and_villager_count_parts(view, seat, 0)
        if fold.tricks[seat]
        else sheet.villager_count_parts(view, seat)
    ):
        end -= sheet.width_of_parts_in_line(view, parts)
        drawn += sheet.draw_parts_in_line(view, parts, end, line)
        end -= sizes.gap
    first = x + sizes.mark * 1.22
    letters = sizes.letters(end - first)
    if name:
        return drawn + text("in b", first, line, name, sizes.name)
    # Of fewer letters the mark says more.
    return drawn + (view.name("in b", seat, first, line, end - first) if letters >= LEAST_LETTERS else "")


def _draw_seat_panel(view: View, seat: int, at: Box) -> str:
    """Draws a seat's name, its cards, its Nobori and what it has taken."""
    sizes, cards = view.sizes, view.fold.hands[seat]
    top = at.y + sizes.inset / 3 + sizes.mark + sizes.gap / 2
    inner = Box(at.x + sizes.inset / 2, top, at.width - sizes.inset, at.bottom - sizes.foot - top)
    above = Box(inner.x, inner.y, inner.width, inner.height - sizes.text * 1.3)
    low, open_ = inner.height < sizes.text * 3, bool(cards) and None not in cards
    narrow = inner.width < sizes.text * 10
    waits = view.is_asked(seat)
    if narrow or above.height > sizes.mark * 3.6:
        drawn = _draw_cards_with_nobori_below(view, seat, above) + _draw_tally_at_panel_foot(view, seat, inner)
    elif open_ and not low:
        drawn = _draw_cards_with_nobori_below(view, seat, inner, tallied=True)
    else:
        drawn = (
            _draw_cards_with_nobori_at_right(view, seat, inner)
            if low
            else _draw_cards_with_nobori_at_right(view, seat, above) + _draw_tally_at_panel_foot(view, seat, inner)
        )
    if waits and narrow and not open_:  # In a narrow panel the name takes the first line.
        drawn += hourglass(inner.right - sizes.mark * 0.8, inner.y + sizes.gap, sizes.mark * 0.8)
    # In a low panel the name needs the line; its frame says that the table waits.
    drawn = (
        _draw_panel_ground_or_look_link(view, seat, at)
        + _draw_seat_head(view, seat, at, pile=low, glass=waits and not (narrow or low))
        + drawn
    )
    size = sizes.seal
    return drawn + (seal(at.right - size, at.bottom - size, size) if _has_viewer_chosen_to_look_at(view, seat) else "")


def _draw_cards_with_nobori_at_right(view: View, seat: int, at: Box) -> str:
    """Draws a seat's cards, and its Nobori at their right."""
    sizes = view.sizes
    used, between = sizes.mark * 2.2, sizes.gap * 0.6
    high = min(at.height, (used - sizes.mark) * 1.4)
    flags = fitted(len(NOBORI), at.width - used - sizes.spot * 0.1, between, min(at.height * 0.6, sizes.mark * 1.1))
    cards = draw_cards_in_line(view, view.fold.hands[seat], Box(at.x, at.y + (at.height - high) / 2, used, high))
    return cards + draw_all_nobori_of_seat(
        view, seat, at.x + used, at.y + (at.height - flags / 0.6) / 2, flags, between
    )


def _draw_cards_with_nobori_below(view: View, seat: int, at: Box, *, tallied: bool = False) -> str:
    """Draws a seat's cards, and its Nobori below them; `tallied` with what the seat has taken at their right."""
    sizes = view.sizes
    between = sizes.gap / 2
    won: sheet.Parts = sheet.villager_count_parts(view, seat) if tallied else []
    wide = sheet.width_of_parts_in_line(view, won)
    room = at.width - wide - (sizes.gap if won else 0)
    cards = Box(at.x, at.y, room, min((at.height - between) * 0.46, sizes.mark * 1.9))
    rest = at.width - (sizes.text * 1.7 if tallied else 0) - sizes.spot * 0.1
    flags = fitted(len(NOBORI), rest, between, min((at.height - between - cards.height) * 0.6, sizes.mark * 1.4))
    y = at.bottom - flags / 0.6
    drawn = draw_cards_in_line(view, view.fold.hands[seat], cards) + draw_all_nobori_of_seat(
        view, seat, at.x, y, flags, between
    )
    if not tallied:
        return drawn
    drawn += sheet.draw_parts_in_line(view, won, at.right - wide, cards.y + cards.height / 2 + sizes.text * 0.35)
    parts = sheet.trick_count_parts(view, seat, at.width - (flags + between) * len(NOBORI))
    return drawn + sheet.draw_parts_in_line(
        view, parts, at.right - sheet.width_of_parts_in_line(view, parts), y + flags / 1.2 + sizes.text * 0.35
    )


def _draw_tally_at_panel_foot(view: View, seat: int, at: Box) -> str:
    """Draws at the foot of a panel what a seat has taken, and that it has shown to hold no samurai."""
    sizes, fold = view.sizes, view.fold
    line, room = at.bottom - sizes.text * 0.15, at.width
    drawn = ""
    if fold.bare[seat] and None in fold.hands[seat]:
        size = sizes.text * 1.3
        room -= size * 1.2
        drawn = draw_no_samurai_sign(at.right - size, line - size * 0.85, size)
    return drawn + sheet.draw_parts_in_line(view, sheet.trick_and_villager_count_parts(view, seat, room), at.x, line)


def _draw_panel_ground_or_look_link(view: View, seat: int, at: Box) -> str:
    """Draws the paper of a seat's panel: a button if the viewer may look at its hand, framed if they chose to."""
    paper = box("pa", *at.in_frame(view.sizes.frame, view.sizes.foot).frame, 6)
    if _has_viewer_chosen_to_look_at(view, seat):
        return box("se", *at.frame, 8) + paper
    link = view.link(f"look-{seat_letter(seat)}")
    if link is None:
        return panel(at, asked=view.is_asked(seat))
    return linked(paper, link, box("ib", *at.frame, 8))


def _has_viewer_chosen_to_look_at(view: View, seat: int) -> bool:
    return view.chosen(f"look-{seat_letter(seat)}")


# --- the viewer's own cards ----------------------------------------------------------------------------------


def draw_own_cards(view: View, seat: int, at: Box, *, marked: bool) -> str:
    """Draws the viewer's hand, face up; `marked` with their mark, Nobori and the Yomi, where their seat has no row."""
    sizes = view.sizes
    inner = Box(at.x + sizes.inset, at.y + sizes.gap * 1.5, at.width - 2 * sizes.inset, at.height - sizes.gap * 3)
    drawn = panel(at, asked=marked and view.is_asked(seat))
    if not marked:
        if not view.is_nobori_phase:
            return drawn + _draw_own_hand(view, seat, inner)
        left = inner.width * 0.56
        cards = Box(inner.x, inner.y, left, inner.height)
        flags = Box(inner.x + left + sizes.inset, inner.y, inner.width - left - sizes.inset, inner.height)
        return drawn + _draw_own_hand(view, seat, cards) + _draw_nobori_choices(view, seat, flags)
    head = sizes.mark + sizes.gap * 1.5
    row = min(sizes.mark * 3.75, inner.height * 0.42) if view.is_nobori_phase else sizes.mark * 2.2
    cards = Box(inner.x, inner.y + head, inner.width, inner.height - head - row - sizes.gap)
    below = Box(inner.x, inner.bottom - row, inner.width, row)
    return (
        drawn
        + _draw_own_head(view, seat, inner)
        + _draw_own_hand(view, seat, cards)
        + _draw_own_nobori_and_yomi(view, seat, below)
    )


def _draw_own_head(view: View, seat: int, at: Box) -> str:
    """Draws whose hand it is, and at the right their points and what they have taken."""
    sizes, fold = view.sizes, view.fold
    line = at.y + sizes.mark * 0.73
    drawn = seat_mark(seat, at.x, at.y, sizes.mark)
    drawn += text("in b", at.x + sizes.mark * 1.25, line, YOUR_HAND[view.lang], sizes.name)
    said = words.points_in_words(fold.totals[seat], view.lang)
    drawn += text("in b e", at.right, line, said, sizes.text)
    parts = sheet.trick_and_villager_count_parts(view, seat, at.width)
    start = at.right - sizes.text * (0.56 * len(said) + 0.8) - sheet.width_of_parts_in_line(view, parts)
    return drawn + sheet.draw_parts_in_line(view, parts, start, line)


# --- the hand ----------------------------------------------------------------------------------------------


def _draw_own_hand(view: View, seat: int, at: Box) -> str:
    """Draws the viewer's cards, and below those that they may not play that it is so."""
    sizes = view.sizes
    if seat not in view.fold.players:
        return _draw_that_viewer_sits_out(view, at)
    below = sizes.frame if view.is_nobori_phase else sizes.text * 1.1
    most = (at.height - sizes.frame - below) / 1.4
    width = fitted(hand_size(view.fold.seats), at.width - 2 * sizes.frame, sizes.gap * 2.2, most)
    y = at.y + sizes.frame + (most - width) * 0.7
    drawn, flat = "", []
    places, may = _hand_in_order_with_chosen_card(view, seat), playable_cards(view.fold, seat)
    for n, card in enumerate(places):
        place = card_box_at(at.x + sizes.frame + n * (width + sizes.gap * 2.2), y, width)
        if card is None:
            drawn += draw_card_back(place.x, place.y, width)
        elif isinstance(card, str):
            middle, line, size = place.x + place.width / 2, place.y + place.height / 2, sizes.text
            drawn += draw_empty_slot("sl", place) + text("in b m", middle, line, card, size)
            drawn += text("i2 m", middle, line + size * 1.3, words.IS_PLAYED[view.lang], size)
        else:
            step = f"play-{card_in_notation(card)}"
            link, shown = view.link(step), linked(draw_card_face(view, card, place), view.refusal(step))
            if link is not None and places[:n].count(card):  # the keyboard reaches one Old Fool of several
                link = replace(link, in_tab_order=False)
            drawn += framed(view.sizes, shown, place, link, chosen=False)
            if link is None and view.offered("play") and (view.refusal(step) or card not in may):
                flat.append(place)
    said, under = words.NOT_ALLOWED[view.lang], sizes.text * 1.05
    lines = (
        text("i2 m", run.x + run.width / 2, run.bottom + under, said, sizes.text)
        for run in _boxes_around_adjacent_cards(flat)
    )
    return drawn + "".join(lines)


def _draw_that_viewer_sits_out(view: View, at: Box) -> str:
    """Draws in place of a hand that the viewer has none in this round, and between whom it breaks a tie (6.4)."""
    size, middle, line = view.sizes.text, at.x + at.width / 2, at.y + at.height / 2
    said = words.BREAK_TIE[view.lang]
    letters = (view.sizes.letters(at.width, size) - len(said) - len(AND[view.lang])) // 2
    who = f"{words.names_in_tie_break(view.fold.players, view.lang, max(LEAST_LETTERS, letters))} {said}"
    drawn = text("in b m", middle, line - size * 0.3, words.YOU_SIT_OUT[view.lang], size)
    return drawn + text("i2 m", middle, line + size * 1.2, who, size)


def _boxes_around_adjacent_cards(places: list[Box]) -> Iterator[Box]:
    """Returns a box around each row of neighbours among these places of a hand."""
    runs: list[list[Box]] = []
    for place in places:
        if runs and place.x - runs[-1][-1].right < place.width / 2:
            runs[-1].append(place)
        else:
            runs.append([place])
    return (Box(run[0].x, run[0].y, run[-1].right - run[0].x, run[0].height) for run in runs)


def _hand_in_order_with_chosen_card(view: View, seat: int) -> list[int | str | None]:
    """Returns the cards of the hand in order; the chosen one, which has left it, is given by its name."""
    seen = visible_cards(view.fold.hands[seat])
    places: list[int | str | None] = [*seen, *([None] * view.fold.hands[seat].count(None))]
    if played := view.choice("play"):
        places.insert(sum(card < int(played[1:] or FOOL) for card in seen), played)
    return places


# --- Nobori ------------------------------------------------------------------------------------------------


def _draw_own_nobori_and_yomi(view: View, seat: int, at: Box) -> str:
    """Draws the viewer's Nobori, large enough to be touched while they are chosen, and the Yomi."""
    sizes = view.sizes
    if view.is_nobori_phase:
        flags = at.width - sizes.text * (7.2 if _is_yomi_name_beside(view, at) else 6.3)
        drawn = _draw_nobori_choices(view, seat, Box(at.x, at.y, flags, at.height))
        return drawn + draw_yomi(view, Box(at.x + flags + sizes.gap, at.y, at.width - flags - sizes.gap, at.height))
    width, gap = at.height * 0.6, sizes.gap
    drawn = draw_all_nobori_of_seat(view, seat, at.x, at.y, width, gap)
    used = len(NOBORI) * (width + gap)
    room = sizes.text * 7.2
    if raised := view.fold.raised[seat]:
        line = at.y + at.height / 2 + sizes.text * 0.35
        drawn += text("in b", at.x + used + gap, line, words.NOBORI_NAMES[raised][view.lang], sizes.text)
    return drawn + draw_yomi(view, Box(at.right - room, at.y, room, at.height))


def _draw_nobori_choices(view: View, seat: int, at: Box) -> str:
    """Draws the viewer's Nobori while they are chosen."""
    frame, foot = view.sizes.frame, view.sizes.foot
    pitch = at.width / len(NOBORI)
    width = min(pitch - 2 * frame - view.sizes.gap, (at.height - frame - foot) * 0.6)
    high = width / 0.6
    y = at.y + frame + max(0, (at.height - frame - foot - high) / 2)
    places = (Box(at.x + frame + pitch * n, y, width, high) for n in range(len(NOBORI)))
    return "".join(_draw_nobori_choice(view, seat, nobori, place) for nobori, place in zip(NOBORI, places, strict=True))


def _draw_nobori_choice(view: View, seat: int, nobori: Nobori, at: Box) -> str:
    """Draws one of the viewer's Nobori while they are chosen; touching the place of the chosen one puts it back."""
    left, chosen = nobori in view.fold.nobori[seat], view.chosen(nobori)
    if not left:
        place = box("n", *at.around(view.sizes.frame), 6, _TOUCHED)
        if view.fold.raised[seat] != nobori:
            return linked(draw_nobori("used", at.x, at.y, at.width, LEFT), view.refusal(nobori), place)
        flag = draw_one_nobori_of_seat(seat, nobori, at.x, at.y, at.width, CURRENT)
        if not chosen:
            return flag
        flag += box("sl", at.x - 1, at.y - 1, at.width + 2, at.height + 2, 6, dashes(2, "6 4"))
        return linked(flag, view.link("none"), place)
    link = view.link(nobori)
    flag = draw_one_nobori_of_seat(seat, nobori, at.x, at.y, at.width, CURRENT if chosen else LEFT)
    if link is None and not chosen:
        return flag
    return framed(view.sizes, box("pa", *at.frame, 4) + flag, at, link, chosen)


def _is_yomi_name_beside(view: View, at: Box) -> bool:
    """True if the name of the Yomi is right of its back: there is no room for it above."""
    return at.height < view.sizes.mark * 3.5


# --- the Yomi ----------------------------------------------------------------------------------------------


def draw_yomi(view: View, at: Box) -> str:
    """Draws the Yomi, face down, or the cards that the viewer knows to be in it; touching it, they look at it."""
    sizes, cards = view.sizes, view.fold.yomi
    beside = None in cards and _is_yomi_name_beside(view, at)
    top = at.y + sizes.frame + (0 if beside else sizes.text * 1.3)
    high = min(at.bottom - sizes.foot - top, sizes.mark * 3)
    row = Box(at.x + sizes.frame, top, at.width - 2 * sizes.frame, high)
    place = Box(row.x, row.y, high / 1.4 if beside else width_of_cards_in_line(view, cards, row), high)
    link, chosen = view.link("look-yomi"), view.chosen("look-yomi")
    if beside:
        x, line = place.right + sizes.frame + sizes.gap, top + high / 2
        drawn = draw_card_back(place.x, top, place.width)
        said = text("in b", x, line, "Yomi", sizes.text)
        said += text("in", x, line + sizes.text * 1.3, str(len(cards)), sizes.text)
    else:
        drawn = draw_cards_in_line(view, cards, row)
        said = text("in b", at.x + sizes.frame, at.y + sizes.text * 0.85, "Yomi", sizes.text)
    if not (link or chosen):
        return said + drawn
    return said + framed(view.sizes, box("pa", place.x, top, place.width, high, 5) + drawn, place, link, chosen)
