"""What only the viewer has on a drawn board of Hogen: their cards, and the pad of calls and hidden cards.

The pad is one matrix, the same every turn: clans down, ranks across, their heads calls of their own. What is not
allowed lies flat in its place. A declaration has it, too: whose ally is named above, the cards below.
"""

from pbem.games import samurai
from pbem.games.hogen import words
from pbem.games.hogen.board.view import View, draw_card, draw_story_number_on_card
from pbem.games.samurai import CLANS, RANKS, draw_clan_letters, draw_clan_sign, draw_rank_and_clan_letter
from pbem.kit.drawing.board import framed, panel
from pbem.kit.drawing.grid import Box, fitted
from pbem.kit.drawing.svg import box, coloured, dashes, linked, seat_mark, symbol, text
from pbem.kit.notation import seat_letter
from pbem.kit.words import YOUR_HAND


def draw_own_cards(view: View, seat: int, at: Box, *, marked: bool) -> str:
    """Draws the viewer's hand and ally, face up; `marked` with their own mark, where their seat has no row."""
    sizes = view.sizes
    hand: list[str | None] = [*view.fold.hands[seat]]
    before = view.offered("ally")
    left = before.keys() - hand
    if len(left) == 1 and left <= view.cards_picked:  # the ally that they would put down keeps its place
        hand = [*before]
    head = sizes.inset / 3 + sizes.mark + sizes.gap * 2
    gap, apart = sizes.gap * 3.5, sizes.gap * 6
    beside = sizes.gap * 2.5 + sizes.text * 4.2
    room = at.width - 2 * sizes.inset - apart - beside + gap
    width = fitted(len(hand) + 1, room, gap, (at.height - head - sizes.foot - sizes.gap * 1.5) / 1.4)
    x, y = at.x + sizes.inset, at.y + head
    ally = at.right - sizes.inset - beside - width
    line = sizes.inset / 3 + sizes.mark * 0.73
    heading = words.YOUR_HAND_OUT if view.fold.out[seat] else YOUR_HAND
    parts = [panel(at, asked=marked and seat in view.seats_to_act)]
    if marked:
        parts.append(seat_mark(seat, x, at.y + sizes.inset / 2, sizes.mark))
    parts += [
        text("in b", x + (sizes.mark * 1.25 if marked else 0), at.y + line, heading[view.lang], sizes.name),
        text("in b", ally, at.y + line, words.YOUR_ALLY[view.lang], sizes.name),
        f'<path class="ln" d="M{ally - apart / 2:.1f},{at.y + sizes.gap * 2} v{at.height - sizes.gap * 4}"'
        ' stroke-dasharray="3 5"/>',
    ]
    spots = []
    for n, name in enumerate(hand):
        at_x = x + n * (width + gap)
        if (seat, name) in view.story_number_by_place_and_card:
            spots.append(draw_story_number_on_card(view, seat, name, at_x, y, width))
        gone = name not in view.fold.hands[seat]
        parts.append(
            _draw_place_of_missing_card("sl", at_x, y, width) if gone else draw_card(view, seat, name, at_x, y, width)
        )
    return "".join([*parts, _draw_own_ally(view, seat, ally, y, width), *spots])


def _draw_place_of_missing_card(classes: str, x: float, y: float, width: float) -> str:
    """Draws the dashed place of a card that has left, or is still to come."""
    return box(classes, x + 1, y + 1, width - 2, width * 1.4 - 2, 6, dashes(2, "6 5"))


def _draw_own_ally(view: View, seat: int, x: float, y: float, width: float) -> str:
    """Draws the viewer's ally, and who knows it."""
    sizes = view.sizes
    beside = x + width + sizes.gap * 2.5
    line = y + sizes.text * 1.2
    if view.fold.chosen[seat] and view.scene.over and not view.fold.over:
        # The board cannot tell whether the match is over, and its log open to all, or was called off.
        return draw_card(view, seat, view.fold.allies[seat], x, y, width)
    if view.fold.chosen[seat]:
        revealed = view.fold.over is not None  # once the match is over, everybody can read the whole log
        eye, words_below = ("eye", words.REVEALED) if revealed else ("eye-shut", words.HIDDEN)
        drawn = draw_card(view, seat, view.fold.allies[seat], x, y, width)
        wide = sizes.text * 1.6
        drawn += coloured(symbol(eye, beside, y, wide, wide * 22 / 26), "c6")
        line += wide
    else:
        drawn, words_below = (
            _draw_place_of_missing_card("ln", x, y, width),
            words.NEVER_CHOSEN if view.scene.over else words.TO_CHOOSE,
        )
    for n, said in enumerate(words_below[view.lang].splitlines()):
        drawn += text("i2", beside, line + sizes.text * 1.2 * n, said, sizes.text)
    return drawn


# --- the pad -------------------------------------------------------------------------------------------------


_SMALL = 14
"""The size of words in a field."""


def number_of_pad_rows(view: View) -> int:
    """Returns how many rows the pad has: none if there is nothing to call or to name."""
    return 5 if view.offered("call") or view.seat_whose_ally_is_named is not None else 0


def draw_pad(view: View, at: Box) -> str:
    """Draws the calls, or the cards that may be somebody's ally."""
    between = view.sizes.between
    above, *below = at.rows(5, between)
    if view.seat_whose_ally_is_named is not None:
        others = [seat for seat in range(view.fold.seats) if seat != view.viewer]
        fields = zip(others, above.columns(len(others), between), strict=True)
        drawn = "".join(_draw_ally_to_name(view, seat, field) for seat, field in fields)
        rows_of_cards = [row.columns(4, between) for row in below]
    else:
        wide = at.width * 0.2
        heads = [Box(row.x, row.y, wide, row.height) for row in (above, *below)]
        after = wide + between
        of_ranks, *rows_of_cards = (
            Box(row.x + after, row.y, row.width - after, row.height).columns(4, between) for row in (above, *below)
        )
        drawn = _draw_declare_field(view, heads[0])
        drawn += "".join(_draw_pad_cell(view, str(rank), field) for rank, field in zip(RANKS, of_ranks, strict=True))
        drawn += "".join(_draw_pad_cell(view, clan, head) for clan, head in zip(CLANS, heads[1:], strict=True))
    for clan, row in zip(CLANS, rows_of_cards, strict=True):
        drawn += "".join(_draw_pad_cell(view, f"{clan}{rank}", field) for rank, field in zip(RANKS, row, strict=True))
    return drawn


def _draw_declare_field(view: View, at: Box) -> str:
    """Draws the field that begins a declaration."""
    link = view.link("declare")
    if link is None:
        return ""
    inner = at.in_frame(view.sizes.frame, view.sizes.foot)
    middle, size, high = inner.x + inner.width / 2, min(view.sizes.text, _SMALL), inner.height * 0.5
    drawn = box("pa", *inner.frame, 5)
    drawn += coloured(symbol("eye", middle - high * 0.65, inner.y + inner.height * 0.06, high * 1.3, high * 1.1), "c6")
    drawn += text("in m", middle, inner.bottom - inner.height * 0.12, words.DECLARE[view.lang], size)
    return framed(view.sizes, drawn, inner, link, False, "D")


def _draw_ally_to_name(view: View, seat: int, at: Box) -> str:
    """Draws whose ally is being named, or has been or will be, and as what; touching it asks for that one again."""
    sizes, inner, guess = view.sizes, at.in_frame(view.sizes.frame, view.sizes.foot), view.guesses.get(seat)
    mark, wide, size = inner.height * 0.62, inner.height * 0.66, min(sizes.text, _SMALL)
    word, gap = size * 3.1, 4
    x, line = inner.x + (inner.width - mark - word - wide - 2 * gap) / 2, inner.y + (inner.height - mark) / 2
    drawn = box("pa", *inner.frame, 5) + seat_mark(seat, x, line, mark)
    x += mark + gap
    drawn += text("in b m", x + word / 2, line + mark * 0.72, words.HIDES[view.lang], size)
    drawn += samurai.draw_small_card(
        guess, x + word + gap, inner.y + (inner.height - wide * 1.4) / 2, wide, piece=False
    )
    if seat == view.seat_whose_ally_is_named:
        around = inner.inside(-1)
        return drawn + box("il", *around.frame, 6, dashes(2.5, "6 4"))
    return framed(sizes, drawn, inner, view.link_to_name_ally_again(seat), False)


def _draw_pad_cell(view: View, what: str, at: Box) -> str:
    """Draws a sign that can be pressed, bears the seal, or lies flat; touching that may tell why."""
    inner = at.in_frame(view.sizes.frame, view.sizes.foot)
    step = (
        f"call-{what}"
        if view.seat_whose_ally_is_named is None
        else f"{seat_letter(view.seat_whose_ally_is_named)}={what}"
    )
    link, chosen = view.link(step), view.chosen(step)
    if link is None and not chosen:
        drawn = box("sk", *at.frame, 6)
        if view.seat_whose_ally_is_named is not None:
            return drawn + _draw_impossible_ally(view, what, at)
        return linked(drawn + _draw_uncallable(view, what, inner), view.refusal(step))
    drawn = box("pa", *inner.frame, 5) + _draw_card_clan_or_rank(what, inner)
    return framed(view.sizes, drawn, inner, link, chosen, what)


def _draw_impossible_ally(view: View, name: str, at: Box) -> str:
    """Draws a card that cannot be the ally that is being named, and where it is."""
    fold, size, where = view.fold, min(view.sizes.text, _SMALL), ""
    named = next((seat for seat, guess in view.guesses.items() if guess == name), None)
    if name in fold.palace:
        where = words.IN_PALACE[view.lang]
    elif view.viewer is not None and name in (*fold.hands[view.viewer], fold.allies[view.viewer]):
        where = words.YOURS[view.lang]
    elif named is not None:
        said = words.GUESSED[view.lang]
        where = said.replace("*", f"{{{named}:{view.sizes.letters(at.width, size) - len(said)}}}")
    drawn = _draw_card_clan_or_rank(name, Box(at.x, at.y + at.height * 0.07, at.width, at.height * 0.5))
    return drawn + text("i2 m", at.x + at.width / 2, at.y + at.height * 0.86, where, size)


def _draw_uncallable(view: View, what: str, at: Box) -> str:
    """Draws what cannot be called: a head, a call that nobody answered, the viewer's own ally, else a dot."""
    ally = None if view.viewer is None else view.fold.allies[view.viewer]
    if what == ally:
        high = at.height * 0.75
        return symbol("eye-shut", at.x + at.width / 2 - high * 0.6, at.y + at.height * 0.12, high * 1.2, high, "c6")
    if len(what) == 1 or any(call.clan_rank_or_card == what for call in view.fold.failed):
        return _draw_card_clan_or_rank(what, at)
    return f'<circle class="i2" cx="{at.x + at.width / 2:.1f}" cy="{at.y + at.height / 2:.1f}" r="2.5"/>'


def _draw_card_clan_or_rank(what: str, at: Box) -> str:
    """Draws a card, a clan or a rank."""
    middle, high = at.x + at.width / 2, at.height
    if len(what) == 2:
        high = min(high, at.width * 0.64)
        return draw_rank_and_clan_letter(what, Box(at.x, at.y + (at.height - high) / 2, at.width, high))
    if what in CLANS:
        size = high * 0.68
        drawn = draw_clan_sign(what, middle - size * 1.05, at.y + (high - size) / 2, size)
        return drawn + draw_clan_letters(what, middle + high * 0.34, at.y + high * 0.7, high * 0.56)
    strokes = symbol(f"rank-{what}", middle - high * 0.1, at.y + high * 0.23, high * 0.9, high * 0.54, "c6")
    return text("in b m", middle - high * 0.44, at.y + high * 0.72, what, high * 0.62) + strokes
