"""The viewer's own cards and numbers on a drawn board of Hexen Rennen."""

from pbem.games.hexen_rennen import words
from pbem.games.hexen_rennen.board.seats import cards
from pbem.games.hexen_rennen.board.tiles import chip, clan_mark, clan_sign, gable, panel
from pbem.games.hexen_rennen.board.view import View
from pbem.games.hexen_rennen.facts import CARDS, CLANS, SYMBOL, points
from pbem.kit.drawing.grid import Box
from pbem.kit.drawing.svg import box, linked, seal, text


def mine(view: View, seat: int, at: Box, *, marked: bool) -> str:
    """Draws the viewer's cards and numbers; `marked` with their own mark, where their seat has no row.

    Cards are large while one is asked for.
    """
    sizes = view.sizes
    drawn = panel(at, acting=marked and seat == view.acting)
    inner = at.inside(sizes.inset * 0.66)
    head = sizes.mark * (1.15 if marked else 0.85)
    if marked:
        drawn += _own_mark(view, seat, Box(inner.x, inner.y - sizes.gap * 0.5, inner.width, sizes.mark))
    below = Box(inner.x, inner.y + head, inner.width, inner.height - head)
    if view.plays_card:
        heading = words.YOUR_HAND[view.lang]
        drawn += text(
            "nt b e" if marked else "nt b",
            inner.right if marked else inner.x,
            inner.y + sizes.name * 0.8,
            heading,
            sizes.name,
        )
        return drawn + hand(view, seat, below)
    high = sizes.text * 1.6
    if marked:
        room = Box(below.x, below.y + sizes.gap * 0.5, below.width, below.height - high - sizes.gap * 2.5)
        drawn += cards(view, seat, room.columns(12, sizes.gap * 0.9), sizes.text * 1.2)
        return drawn + _numbers(view, seat, Box(inner.x, inner.bottom - high, inner.width, high))
    wide = inner.width * 0.66
    drawn += text("nt b", inner.x, inner.y + sizes.name * 0.8, words.YOUR_CARDS[view.lang], sizes.name)
    drawn += cards(view, seat, Box(below.x, below.y, wide, below.height).columns(12, sizes.gap * 0.7), sizes.text * 1.2)
    return drawn + _numbers(
        view, seat, Box(inner.x + wide + sizes.inset, inner.y, inner.width - wide - sizes.inset, inner.height)
    )


def _own_mark(view: View, seat: int, at: Box) -> str:
    sizes, high = view.sizes, at.height
    drawn = clan_mark(seat, at.x, at.y, high)
    drawn += text("nt b", at.x + high * 1.5 + sizes.gap * 1.3, at.y + high * 0.74, words.YOU[view.lang], sizes.name)
    score = sum(map(points, view.fold.witches[seat]))
    return drawn + gable(Box(at.x + high * 3.9, at.y, high * 1.1, high), score, sizes.text * 1.1)


# --- the hand while a card is asked for --------------------------------------------------------------------


def hand(view: View, seat: int, at: Box) -> str:
    """Draws one of each of the viewer's cards, and a place to play none; in two rows if one is too narrow."""
    sizes = view.sizes
    held = [*view.fold.hands[seat], view.choice("card")]
    kinds = [card for card in CARDS if card in held]
    offers = len(kinds) + 1.6 * (view.link("leave") is not None or view.stays)
    gap, foot, edge = sizes.gap * 1.3, sizes.foot * 0.75, sizes.frame * 0.8
    lines = 1 if (at.width + gap) / offers - gap >= sizes.touch - 2 * edge else 2
    columns = -(-len(kinds) // lines) if lines > 1 else len(kinds)
    per = max(columns, offers - columns) if lines > 1 else offers
    wide = min((at.width + gap) / per - gap, sizes.touch * 1.4)
    rows = at.rows(lines, sizes.gap * 0.6)
    drawn = ""
    for n, card in enumerate(kinds):
        row = rows[n // columns]
        place = Box(row.x + edge + (n % columns) * (wide + gap), row.y + edge, wide, row.height - edge - foot)
        drawn += _card(view, seat, card, held.count(card), place)
    last = rows[-1]
    x = last.x + edge + (len(kinds) - columns * (lines - 1)) * (wide + gap)
    return drawn + _none(view, Box(x, last.y + edge, wide * 1.6 + gap * 0.6, last.height - edge - foot))


def _framed(view: View, drawn: str, at: Box, step: str, *, chosen: bool) -> str:
    """Frames what can be touched, or bears the seal."""
    edge, sizes = view.sizes.frame * 0.8, view.sizes
    frame = (at.x - edge, at.y - edge, at.width + 2 * edge, at.height + edge + sizes.foot * 0.75, 7)
    if chosen:
        size = min(sizes.seal, at.height * 0.5)
        return box("se", *frame) + drawn + seal(at.right - size * 0.6, at.bottom - size * 0.5, size)
    return linked(drawn, view.link(step), box("tg", *frame))


def _card(view: View, seat: int, card: str, count: int, at: Box) -> str:
    size = view.sizes.text * 1.3
    if card != SYMBOL or count < 2:
        face = chip(seat, card, at, size)
    else:
        sign = min(at.width * 0.46, at.height * 0.8)
        face = box("pa", at.x, at.y, at.width, at.height, 3)
        face += clan_sign(seat, at.x + at.width * 0.04, at.y + (at.height - sign) / 2, sign)
        line = at.y + at.height / 2 + view.sizes.text * 0.35
        face += text("in b e", at.right - at.width * 0.05, line, f"×{count}", view.sizes.text)
    return _framed(view, face, at, f"card-{card}", chosen=card == view.choice("card"))


def _none(view: View, at: Box) -> str:
    """Draws the place to touch for playing no card."""
    if view.link("leave") is None and not view.stays:
        return ""
    line = at.y + at.height / 2 + view.sizes.text * 0.35
    x, said = (at.x + view.sizes.gap, "nt b") if view.stays else (at.x + at.width / 2, "nt b m")
    inside = box("hb", at.x, at.y, at.width, at.height, 5) + text(
        said, x, line, words.NO_CARD[view.lang], view.sizes.text
    )
    return _framed(view, inside, at, "leave", chosen=view.stays)


# --- numbers -----------------------------------------------------------------------------------------------


def _numbers(view: View, seat: int, at: Box) -> str:
    """Draws the viewer's numbers by stage: pale while they lie face down, hollow once they are turned up."""
    sizes, stages = view.sizes, view.fold.stages[seat]
    if stages is None or stages[0][0] is None:
        return ""
    up = {tile for tile in view.fold.shown if tile}
    heading = words.YOUR_NUMBERS[view.lang]
    if at.width > at.height * 5:  # one line
        first = at.x + sizes.text * 7.3
        drawn = text("nt", at.x, at.y + at.height / 2 + sizes.text * 0.35, heading, sizes.text)
        groups = Box(first, at.y, at.right - first, at.height).columns(3, sizes.gap * 1.5)
        for stage, (numbers, group) in enumerate(zip(stages, groups, strict=True), 1):
            drawn += text("nt", group.x, at.y + at.height / 2 + sizes.text * 0.35, f"{stage}.", sizes.text)
            room = sizes.text * 1
            places = Box(group.x + room, group.y, group.width - room, group.height).columns(3, sizes.gap * 0.5)
            drawn += _of_stage(view, seat, numbers, places, up)
        return drawn
    drawn = text("nt b", at.x, at.y + sizes.name * 0.8, heading, sizes.name)
    groups = Box(at.x, at.y, at.width, at.height).columns(3, sizes.gap * 1.4)
    for stage, (numbers, group) in enumerate(zip(stages, groups, strict=True)):
        span = f"{16 * stage + 1}–{16 * stage + 16}"
        drawn += text("nt m", group.x + group.width / 2, at.y + sizes.name + sizes.text * 1.25, span, sizes.text)
        top = at.y + sizes.name + sizes.text * 1.7
        places = Box(group.x, top, group.width, at.bottom - top).columns(3, sizes.gap * 0.2)
        drawn += _of_stage(view, seat, numbers, places, up)
    return drawn


def _of_stage(view: View, seat: int, numbers: tuple[int | None, ...], places: list[Box], up: set[str]) -> str:
    drawn, size = "", view.sizes.text
    for n, at in zip(numbers, places, strict=True):
        if f"{CLANS[seat]}{n}" in up:
            inner, middle = at.inside(0.75), at.y + at.height / 2 + size * 0.35
            drawn += box("hl", inner.x, inner.y, inner.width, inner.height, 3)
            drawn += text("nt m", at.x + at.width / 2, middle, str(n), size)
        else:
            drawn += chip(seat, str(n), at, size)
    return drawn
