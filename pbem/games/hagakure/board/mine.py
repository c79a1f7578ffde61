"""The viewer's own hand and Nobori on a drawn board of Hagakure, and the Yomi."""

from collections.abc import Iterator

from pbem.games.hagakure import words
from pbem.games.hagakure.board.cards import (
    CURRENT,
    LEFT,
    back,
    banner,
    banners,
    card_at,
    face,
    hand,
    hand_width,
    owned,
    slot,
)
from pbem.games.hagakure.board.sheet import in_line, in_line_width, tally
from pbem.games.hagakure.board.view import View
from pbem.games.hagakure.facts import FOOL, NOBORI, Nobori, hand_size, known, name_of
from pbem.kit.drawing.grid import Box, fitted
from pbem.kit.drawing.panels import framed, panel
from pbem.kit.drawing.svg import box, dashes, seat_mark, text
from pbem.kit.words import YOUR_HAND


def mine(view: View, seat: int, at: Box, *, marked: bool) -> str:
    """Draws the viewer's hand, face up; `marked` with their mark, Nobori and the Yomi, where their seat has no row."""
    sizes = view.sizes
    inner = Box(at.x + sizes.inset, at.y + sizes.gap * 1.5, at.width - 2 * sizes.inset, at.height - sizes.gap * 3)
    drawn = panel(at, asked=marked and view.to_act(seat))
    choosing = view.fold.phase == "nobori"
    if not marked:
        if not choosing:
            return drawn + _hand(view, seat, inner)
        cards, flags = _beside(inner, sizes.inset)
        return drawn + _hand(view, seat, cards) + _choices(view, seat, flags)
    head = sizes.mark + sizes.gap * 1.5
    row = min(sizes.mark * 3.3, inner.height * 0.42) if choosing else sizes.mark * 2.2
    cards = Box(inner.x, inner.y + head, inner.width, inner.height - head - row - sizes.gap)
    below = Box(inner.x, inner.bottom - row, inner.width, row)
    return drawn + _head(view, seat, inner) + _hand(view, seat, cards) + _nobori(view, seat, below)


def _beside(at: Box, gap: float) -> tuple[Box, Box]:
    """Returns the left and the right part of a wide box."""
    left = at.width * 0.56
    return Box(at.x, at.y, left, at.height), Box(at.x + left + gap, at.y, at.width - left - gap, at.height)


def _head(view: View, seat: int, at: Box) -> str:
    """Draws whose hand it is, and at the right their points and what they have taken."""
    sizes, fold = view.sizes, view.fold
    line = at.y + sizes.mark * 0.73
    drawn = seat_mark(seat, at.x, at.y, sizes.mark)
    drawn += text("in b", at.x + sizes.mark * 1.25, line, YOUR_HAND[view.lang], sizes.name)
    said = words.points(fold.totals[seat], view.lang)
    drawn += text("in b e", at.right, line, said, sizes.text)
    parts = tally(view, seat, at.width)
    start = at.right - sizes.text * (0.56 * len(said) + 0.8) - in_line_width(view, parts)
    return drawn + in_line(view, parts, start, line)


# --- the hand ----------------------------------------------------------------------------------------------


def _hand(view: View, seat: int, at: Box) -> str:
    """Draws the viewer's cards, and below those that they may not play that it is so."""
    sizes = view.sizes
    below = sizes.frame if view.fold.phase == "nobori" else sizes.text * 1.1
    most = (at.height - sizes.frame - below) / 1.4
    width = fitted(hand_size(view.fold.seats), at.width - 2 * sizes.frame, sizes.gap * 2.2, most)
    y = at.y + sizes.frame + (most - width) * 0.7
    drawn, flat = "", []
    for n, card in enumerate(_places(view, seat)):
        place = card_at(at.x + sizes.frame + n * (width + sizes.gap * 2.2), y, width)
        if card is None:
            drawn += back(place.x, place.y, width)
        elif isinstance(card, str):
            drawn += _gone(view, card, place)
        else:
            link = view.link(f"play-{name_of(card)}")
            drawn += framed(view.sizes, face(view, card, place), place, link, chosen=False)
            if link is None and view.offered("play"):
                flat.append(place)
    said, under = words.NOT_ALLOWED[view.lang], sizes.text * 1.05
    lines = (text("i2 m", run.x + run.width / 2, run.bottom + under, said, sizes.text) for run in _runs(flat))
    return drawn + "".join(lines)


def _runs(places: list[Box]) -> Iterator[Box]:
    """Returns a box around each row of neighbours among these places of a hand."""
    runs: list[list[Box]] = []
    for place in places:
        if runs and place.x - runs[-1][-1].right < place.width / 2:
            runs[-1].append(place)
        else:
            runs.append([place])
    return (Box(run[0].x, run[0].y, run[-1].right - run[0].x, run[0].height) for run in runs)


def _places(view: View, seat: int) -> list[int | str | None]:
    """Returns the cards of the hand in order; the chosen one, which has left it, is given by its name."""
    seen = known(view.fold.hands[seat])
    places: list[int | str | None] = [*seen, *([None] * view.fold.hands[seat].count(None))]
    if played := view.choice("play"):
        places.insert(sum(card < int(played[1:] or FOOL) for card in seen), played)
    return places


def _gone(view: View, card: str, at: Box) -> str:
    """Draws the place of the card that was chosen."""
    middle, line, size = at.x + at.width / 2, at.y + at.height / 2, view.sizes.text
    drawn = slot("sl", at) + text("in b m", middle, line, card, size)
    return drawn + text("i2 m", middle, line + size * 1.3, words.IS_PLAYED[view.lang], size)


# --- Nobori ------------------------------------------------------------------------------------------------


def _nobori(view: View, seat: int, at: Box) -> str:
    """Draws the viewer's Nobori, large enough to be touched while they are chosen, and the Yomi."""
    sizes = view.sizes
    if view.fold.phase == "nobori":
        flags = at.width - sizes.text * 7.2
        drawn = _choices(view, seat, Box(at.x, at.y, flags, at.height))
        return drawn + yomi(view, Box(at.x + flags + sizes.gap, at.y, at.width - flags - sizes.gap, at.height))
    width, gap = at.height * 0.6, sizes.gap
    drawn = banners(view, seat, at.x, at.y, width, gap)
    used = len(NOBORI) * (width + gap)
    room = sizes.text * 7.2
    if raised := view.fold.raised[seat]:
        line = at.y + at.height / 2 + sizes.text * 0.35
        drawn += text("in b", at.x + used + gap, line, words.NOBORI_NAMES[raised][view.lang], sizes.text)
    return drawn + yomi(view, Box(at.right - room, at.y, room, at.height))


def _choices(view: View, seat: int, at: Box) -> str:
    """Draws the viewer's Nobori while they are chosen."""
    frame, foot = view.sizes.frame, view.sizes.foot
    pitch = at.width / len(NOBORI)
    width = min(pitch - 2 * frame - view.sizes.gap, (at.height - frame - foot) * 0.6)
    high = width / 0.6
    y = at.y + frame + max(0, (at.height - frame - foot - high) / 2)
    places = (Box(at.x + frame + pitch * n, y, width, high) for n in range(len(NOBORI)))
    return "".join(_choice(view, seat, nobori, place) for nobori, place in zip(NOBORI, places, strict=True))


def _choice(view: View, seat: int, nobori: Nobori, at: Box) -> str:
    """Draws one of the viewer's Nobori while they are chosen; the place of one that has left is dashed."""
    left, chosen = nobori in view.fold.nobori[seat], view.chosen(nobori)
    if not left:
        if view.fold.raised[seat] != nobori:
            return banner("used", at.x, at.y, at.width, LEFT)
        flag = owned(seat, nobori, at.x, at.y, at.width, CURRENT)
        return flag + (
            box("sl", at.x - 1, at.y - 1, at.width + 2, at.height + 2, 6, dashes(2, "6 4")) if chosen else ""
        )
    link = view.link(nobori)
    flag = owned(seat, nobori, at.x, at.y, at.width, CURRENT if chosen else LEFT)
    if link is None and not chosen:
        return flag
    return framed(view.sizes, box("pa", at.x, at.y, at.width, at.height, 4) + flag, at, link, chosen)


# --- the Yomi ----------------------------------------------------------------------------------------------


def yomi(view: View, at: Box) -> str:
    """Draws the Yomi, face down, or the cards that the viewer knows to be in it; touching it, they look at it."""
    sizes, cards = view.sizes, view.fold.yomi
    beside = None in cards and at.height < sizes.mark * 3.5  # There the name is right of the back, else above it.
    top = at.y + sizes.frame + (0 if beside else sizes.text * 1.3)
    high = min(at.bottom - sizes.foot - top, sizes.mark * 3)
    row = Box(at.x + sizes.frame, top, at.width - 2 * sizes.frame, high)
    place = Box(row.x, row.y, high / 1.4 if beside else hand_width(view, cards, row), high)
    link, chosen = view.link("look-yomi"), view.chosen("look-yomi")
    if beside:
        x, line = place.right + sizes.frame + sizes.gap, top + high / 2
        drawn = back(place.x, top, place.width)
        said = text("in b", x, line, "Yomi", sizes.text)
        said += text("in", x, line + sizes.text * 1.3, str(len(cards)), sizes.text)
    else:
        drawn = hand(view, cards, row)
        said = text("in b", at.x + sizes.frame, at.y + sizes.text * 0.85, "Yomi", sizes.text)
    if not (link or chosen):
        return said + drawn
    return said + framed(view.sizes, box("pa", place.x, top, place.width, high, 5) + drawn, place, link, chosen)
