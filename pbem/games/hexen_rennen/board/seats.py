"""The clans on a drawn board of Hexen Rennen: whose they are, their points, and their cards; the viewer's own."""

from pbem.games.hexen_rennen import facts_race as race
from pbem.games.hexen_rennen import words
from pbem.games.hexen_rennen.board import tiles
from pbem.games.hexen_rennen.board.view import View
from pbem.kit.drawing.board import hourglass
from pbem.kit.drawing.grid import Box
from pbem.kit.drawing.svg import bot_sign, box, linked, seal, text
from pbem.kit.words import YOU, counted, seen_from

_LINES = len(race.CLANS) - 1
"""How many there are at least beside the viewer's own clan, once all are known."""


def clans_seen_from(view: View) -> list[int]:
    """Returns the clans by owner as they stand around the table, from the viewer on; those of nobody last.

    Which these are is not known while anybody chooses.
    """
    neutral = () if None in view.fold.clans else range(view.fold.seats, len(race.CLANS))
    return [*seen_from(view.viewer, view.fold.seats), *neutral]


def draw_clans(view: View, at: Box, shown: list[int]) -> str:
    """Draws a panel for each of these clans, or a line where there is no more room."""
    tall = at.tall
    if tall and not view.fold.shown:  # without cards
        at = Box(at.x, at.y, at.width, len(shown) * view.sizes.touch * 2)
    elif not tall and len(shown) < _LINES:
        at = Box(at.x, at.y, at.width, at.height * len(shown) / _LINES)
    places = at.rows(len(shown), view.sizes.gap * (1.5 if tall else 0.8))
    one = _draw_clan_panel if tall else _draw_clan_line
    return "".join(one(view, clan, place) for clan, place in zip(shown, places, strict=True))


def draw_clan_heads(view: View, at: Box, shown: list[int]) -> str:
    """Draws these clans side by side: mark and name, below them points, and how many cards are left."""
    sizes, drawn = view.sizes, ""
    for clan, place in zip(shown, at.columns(len(shown), sizes.gap * 2), strict=True):
        high = sizes.mark
        first, second = place.x + high * 1.5 + sizes.gap * 1.2, place.y + high + sizes.gap * 0.5
        if clan == view.acting_seat:
            drawn += box("hb", place.x - 5, place.y - 4, place.width + 8, place.height + 7, 6)
            drawn += box("gs", place.x - 5, place.y - 4, place.width + 8, place.height + 7, 6, ' stroke-width="2.4"')
        drawn += tiles.draw_clan_mark(view.clan(clan), place.x, place.y, high)
        drawn += _draw_name_of_clan_player(view, clan, first, place.y + high * 0.74, place.right - first)
        if clan < view.fold.seats:
            drawn += _draw_points_or_hourglass(
                view, clan, Box(place.x + high * 0.25, second, high, place.bottom - second)
            )
        left = counted(len(cards_left_of_clan(view, clan)), words.CARDS, view.lang)
        drawn += text("nt", first, place.bottom - sizes.gap, left, sizes.text)
    return drawn


def draw_cards_of_clans(view: View, at: Box, shown: list[int]) -> str:
    """Draws the cards that each of these clans has left, in a line for each, for those who look them up."""
    places = at.rows(len(shown), view.sizes.gap * 1.5)
    return "".join(_draw_clan_and_cards_in_line(view, clan, place) for clan, place in zip(shown, places, strict=True))


def draw_clans_in_line(view: View, at: Box) -> str:
    """Draws all clans side by side, each with its points and how many cards it has left; at the end the die."""
    fold, sizes = view.fold, view.sizes
    side = at.height
    drawn = ""
    places = Box(at.x, at.y, at.width - side - sizes.gap, at.height).columns(len(race.CLANS), sizes.gap * 2)
    for clan, place in zip(clans_seen_from(view), places, strict=False):
        high = min(place.height - sizes.gap * 2, sizes.mark)
        y = place.y + (place.height - high) / 2
        drawn += tiles.draw_region_ground(place, acting=clan == view.acting_seat) + tiles.draw_clan_mark(
            view.clan(clan), place.x + sizes.gap, y, high
        )
        x = place.x + sizes.gap * 2.5 + high * 1.5
        if clan < fold.seats:
            drawn += _draw_points_or_hourglass(
                view, clan, Box(x, y - sizes.gap * 0.25, high * 1.08, high + sizes.gap * 0.5)
            )
        if clan in view.scene.bots:
            size = sizes.mark * 0.72
            drawn += bot_sign(x + high * 1.25, place.y + (place.height - size) / 2, size, view.lang, night=True)
        if fold.shown:
            card = Box(place.right - sizes.gap - high * 0.9, y, high * 0.9, high)
            left = str(len(cards_left_of_clan(view, clan)))
            drawn += tiles.draw_small_card(view.clan(clan), left, card, sizes.text, dark=clan >= fold.seats)
    if fold.die is not None and fold.finisher is None:
        drawn += tiles.draw_die(fold.die, at.right - side, at.y, side)
    return drawn


def _draw_points_or_hourglass(view: View, seat: int, at: Box) -> str:
    """Draws a seat's points; before the race an hourglass while it divides."""
    if view.fold.shown:
        return tiles.draw_points_in_goal(
            at, sum(map(race.points_at_place, view.fold.witches[seat])), view.sizes.text * 1.1
        )
    if view.fold.divided[seat] or view.scene.over:
        return ""
    size = at.height * 0.7
    x, y = at.x, at.y + (at.height - size) / 2
    return box("pa", x - size * 0.2, y - size * 0.2, size * 1.4, size * 1.4, 4) + hourglass(x, y, size)


# --- cards -------------------------------------------------------------------------------------------------


def cards_left_of_clan(view: View, clan: int) -> list[str]:
    """Returns the cards that a clan has left; of a neutral clan's pile every card not drawn, in no order."""
    fold = view.fold
    return [*(fold.hands[clan] if clan < fold.seats else race.cards_of_clan_without(fold.discards[clan]))]


def draw_cards_left_to_clan(view: View, clan: int, places: list[Box], size: float) -> str:
    """Draws the cards that a clan has left, each at its own place, and empty places for the others."""
    left, drawn = cards_left_of_clan(view, clan), ""
    for card, place in zip(race.DECK, places, strict=True):
        if card in left:
            left.remove(card)
            drawn += tiles.draw_small_card(view.clan(clan), card, place, size, dark=clan >= view.fold.seats)
        else:
            drawn += tiles.draw_place_of_played_card(place)
    return drawn


def draw_own_cards_left_in_two_rows(view: View, seat: int, at: Box) -> str:
    """Draws the cards that the viewer's seat has left, in two rows below their heading."""
    sizes = view.sizes
    head = sizes.text * 1.25
    below = Box(at.x, at.y + head, at.width, min(at.height - head, sizes.text * 3.3))
    places = [place for row in below.rows(2, sizes.gap * 0.5) for place in row.columns(6, sizes.gap * 0.4)]
    heading = text("nt", at.x, at.y + sizes.text * 0.9, words.YOUR_CARDS[view.lang], sizes.text)
    return heading + draw_cards_left_to_clan(view, seat, places, sizes.text)


# --- one clan ----------------------------------------------------------------------------------------------


def _draw_name_of_clan_player(view: View, clan: int, x: float, line_: float, room: float) -> str:
    """Writes the name of a clan's player, or that it has none."""
    if clan >= view.fold.seats:
        return text("nt", x, line_, words.NEUTRAL[view.lang], view.sizes.text)
    return view.name("nt b", clan, x, line_, room, night=True)


def _draw_clan_line(view: View, clan: int, at: Box) -> str:
    """Draws a clan in one line: mark, name, points, cards."""
    fold, sizes = view.fold, view.sizes
    high = at.height - sizes.gap * 0.8
    middle = at.y + at.height / 2
    drawn = ""
    if clan == view.acting_seat:
        around = Box(at.x - sizes.gap, at.y - sizes.gap * 0.3, at.width + 2 * sizes.gap, at.height + sizes.gap * 0.6)
        drawn += box("hb", *around.frame, 6)
        drawn += box("gs", *around.frame, 6, ' stroke-width="2.4"')
    begin = at.x + high * 1.5 + sizes.gap * 1.2
    if not fold.shown:
        drawn += tiles.draw_clan_mark(view.clan(clan), at.x, middle - high / 2, high)
        room = at.width * 0.55 if clan < fold.seats else at.width
        drawn += _draw_name_of_clan_player(view, clan, begin, middle + sizes.name * 0.35, room)
        said = view.what_seat_does_in_words(clan) if clan < fold.seats else ""
        return drawn + text("nt e", at.right, middle + sizes.text * 0.35, said, sizes.text)
    if clan >= fold.seats:
        return drawn + _draw_clan_and_cards_in_line(view, clan, at)
    first = _first_card_x(view, at)
    roof = Box(first - sizes.gap * 1.5 - high * 1.08, middle - high / 2, high * 1.08, high)
    return (
        drawn
        + _draw_clan_and_cards_in_line(view, clan, at, roof.x - sizes.gap * 0.5)
        + _draw_points_or_hourglass(view, clan, roof)
    )


def _first_card_x(view: View, at: Box) -> float:
    """Returns where the cards of a line begin."""
    return at.right - 12 * view.sizes.text * 1.32 - 11 * view.sizes.gap * 0.2


def _draw_clan_and_cards_in_line(view: View, clan: int, at: Box, end: float = 0) -> str:
    """Draws a clan's mark, its name, which ends before `end` or its cards, and the cards that it has left."""
    sizes, first = view.sizes, _first_card_x(view, at)
    high, middle = at.height - sizes.gap * 0.8, at.y + at.height / 2
    begin = at.x + high * 1.5 + sizes.gap * 1.2
    drawn = tiles.draw_clan_mark(view.clan(clan), at.x, middle - high / 2, high)
    drawn += _draw_name_of_clan_player(
        view, clan, begin, middle + sizes.name * 0.35, (end or first - sizes.gap) - begin
    )
    places = Box(first, middle - high / 2, at.right - first, high).columns(12, sizes.gap * 0.2)
    return drawn + draw_cards_left_to_clan(view, clan, places, sizes.text)


def _draw_clan_panel(view: View, clan: int, at: Box) -> str:
    """Draws a clan with its points, what its player does, and its cards in two rows."""
    fold, sizes = view.fold, view.sizes
    x, y, high = at.x + sizes.inset / 2, at.y + sizes.inset / 2, sizes.mark * 1.06
    inner = at.width - sizes.inset
    drawn = tiles.draw_region_ground(at, acting=clan == view.acting_seat) + tiles.draw_clan_mark(
        view.clan(clan), x, y, high
    )
    begin = x + high * 1.5 + sizes.gap * 1.3
    drawn += _draw_name_of_clan_player(view, clan, begin, y + high * 0.74, x + inner - begin)
    second = y + high + sizes.text * 1.45
    said = view.what_seat_does_in_words(clan) if clan < fold.seats else ""
    if not fold.shown:
        return drawn + text("nt", x, second, said, sizes.text)
    drawn += text("nt", x, second, said or words.CARDS_LEFT[view.lang], sizes.text)
    if clan < fold.seats:
        wide = sizes.mark * 1.12
        house = Box(x + inner - wide, y + high + sizes.gap * 0.4, wide, sizes.text * 1.6)
        drawn += _draw_points_or_hourglass(view, clan, house)
    top = second + sizes.text * 0.55
    rows = Box(x, top, inner, min(at.bottom - sizes.inset / 2 - top, sizes.touch * 1.75)).rows(2, sizes.gap * 0.6)
    places = [place for row in rows for place in row.columns(6, sizes.gap * 0.6)]
    return drawn + draw_cards_left_to_clan(view, clan, places, sizes.text)


def draw_own_clan(view: View, seat: int, at: Box) -> str:
    """Draws the viewer's own clan beside their cards."""
    sizes = view.sizes
    x, y, high = at.x + sizes.inset / 2, at.y + sizes.inset / 2, sizes.mark * 1.06
    drawn = tiles.draw_region_ground(at, acting=seat == view.acting_seat) + tiles.draw_clan_mark(
        view.clan(seat), x, y, high
    )
    drawn += text("nt b", x + high * 1.5 + sizes.gap * 1.3, y + high * 0.74, YOU[view.lang], sizes.name)
    wide = sizes.mark * 1.12
    drawn += _draw_points_or_hourglass(view, seat, Box(at.right - sizes.inset / 2 - wide, y, wide, high))
    said = view.what_seat_does_in_words(seat)
    return drawn + text("nt", x, y + high + sizes.text * 1.7, said, sizes.text)


# --- the viewer's own cards ----------------------------------------------------------------------------------


def draw_own_cards(view: View, seat: int, at: Box, *, marked: bool) -> str:
    """Draws the viewer's cards and numbers; `marked` with their own mark, where their seat has no row.

    Cards are large while one is asked for.
    """
    sizes = view.sizes
    drawn = tiles.draw_region_ground(at, acting=marked and seat == view.acting_seat)
    inner = at.inside(sizes.inset * 0.66)
    head = sizes.mark * (1.15 if marked else 0.85)
    if marked:
        y, high, score = inner.y - sizes.gap * 0.5, sizes.mark, sum(map(race.points_at_place, view.fold.witches[seat]))
        begin = inner.x + high * 1.5 + sizes.gap * 1.3
        drawn += tiles.draw_clan_mark(view.clan(seat), inner.x, y, high)
        drawn += text("nt b", begin, y + high * 0.74, YOU[view.lang], sizes.name)
        drawn += tiles.draw_points_in_goal(Box(inner.x + high * 3.9, y, high * 1.1, high), score, sizes.text * 1.1)
    below = Box(inner.x, inner.y + head, inner.width, inner.height - head)
    if view.plays_card:
        classes, x = ("nt b e", inner.right) if marked else ("nt b", inner.x)
        drawn += text(classes, x, inner.y + sizes.name * 0.8, words.YOUR_HAND[view.lang], sizes.name)
        return drawn + draw_own_hand(view, seat, below)
    high = sizes.text * 1.8
    if marked:
        room = Box(below.x, below.y + sizes.gap, below.width, below.height - high - sizes.gap * 4)
        drawn += draw_cards_left_to_clan(view, seat, room.columns(12, sizes.gap * 0.9), sizes.text * 1.2)
        return drawn + _draw_own_numbers_by_stage(view, seat, Box(inner.x, inner.bottom - high, inner.width, high))
    wide = inner.width * 0.66
    drawn += text("nt b", inner.x, inner.y + sizes.name * 0.8, words.YOUR_CARDS[view.lang], sizes.name)
    drawn += draw_cards_left_to_clan(
        view, seat, Box(below.x, below.y, wide, below.height).columns(12, sizes.gap * 0.7), sizes.text * 1.2
    )
    return drawn + _draw_own_numbers_by_stage(
        view, seat, Box(inner.x + wide + sizes.inset, inner.y, inner.width - wide - sizes.inset, inner.height)
    )


# --- the hand while a card is asked for --------------------------------------------------------------------

_TOUCH = 48
"""The least height and width of what is touched: 44 pixels on a phone that is 360 wide."""


def draw_own_hand(view: View, seat: int, at: Box) -> str:
    """Draws one of each of the viewer's cards, and a place to play none; in two rows if there is room and need."""
    sizes = view.sizes
    held = [*view.fold.hands[seat], view.choice("card")]
    kinds = [card for card in race.CARDS if card in held]
    offers = len(kinds) + 1.6 * _has_place_for_no_card(view)
    gap, foot, edge = sizes.gap * 1.3, sizes.foot * 0.75, sizes.frame * 0.8
    narrow = (at.width + gap) / offers - gap < _TOUCH - 2 * edge
    lines = 2 if narrow and at.height > 2 * _TOUCH else 1
    columns = -(-len(kinds) // lines) if lines > 1 else len(kinds)
    per = max(columns, offers - columns) if lines > 1 else offers
    wide = min((at.width + gap) / per - gap, sizes.touch * 1.4)
    rows = at.rows(lines, sizes.gap * 0.6)
    drawn = ""
    for n, card in enumerate(kinds):
        row = rows[n // columns]
        place = Box(row.x + edge + (n % columns) * (wide + gap), row.y + edge, wide, row.height - edge - foot)
        drawn += _draw_own_card(view, seat, card, held.count(card), place)
    last = rows[-1]
    x = last.x + edge + (len(kinds) - columns * (lines - 1)) * (wide + gap)
    return drawn + _draw_button_to_play_no_card(
        view, Box(x, last.y + edge, wide * 1.6 + gap * 0.6, last.height - edge - foot)
    )


def draw_frame_or_seal(view: View, drawn: str, at: Box, step: str, *, chosen: bool) -> str:
    """Frames what can be touched, or bears the seal; what is refused leads to the reason, without a frame."""
    edge, sizes = view.sizes.frame * 0.8, view.sizes
    around = (*at.around(edge, sizes.foot * 0.75), 7)
    if chosen:
        size = min(sizes.seal, at.height * 0.5)
        return box("se", *around) + drawn + seal(at.right - size * 0.6, at.bottom - size * 0.5, size)
    if view.link(step) is None:
        return linked(drawn, view.refusal(step), box("ng", *around, ' fill-opacity="0"'))
    return linked(drawn, view.link(step), box("tg", *around))


def _draw_own_card(view: View, seat: int, card: str, count: int, at: Box) -> str:
    size = view.sizes.text * 1.3
    if card != race.SYMBOL or count < 2:
        face = tiles.draw_small_card(view.clan(seat), card, at, size)
    else:
        sign = min(at.width * 0.46, at.height * 0.8)
        face = box("pa", *at.frame, 3)
        face += tiles.draw_clan_sign(view.clan(seat), at.x + at.width * 0.04, at.y + (at.height - sign) / 2, sign)
        line = at.y + at.height / 2 + view.sizes.text * 0.35
        face += text("in b e", at.right - at.width * 0.05, line, f"×{count}", view.sizes.text)
    return draw_frame_or_seal(view, face, at, f"card-{card}", chosen=card == view.choice("card"))


def _has_place_for_no_card(view: View) -> bool:
    """True if there is a place for playing no card, also where that is refused."""
    return view.has_chosen_to_play_no_card or view.link("leave") is not None or view.refusal("leave") is not None


def _draw_button_to_play_no_card(view: View, at: Box) -> str:
    """Draws the place to touch for playing no card."""
    if not _has_place_for_no_card(view):
        return ""
    line = at.y + at.height / 2 + view.sizes.text * 0.35
    x, said = (at.x + view.sizes.gap, "nt b") if view.has_chosen_to_play_no_card else (at.x + at.width / 2, "nt b m")
    if not view.has_chosen_to_play_no_card and view.link("leave") is None:
        said = "nt m"
    inside = box("hb", *at.frame, 5) + text(said, x, line, words.NO_CARD[view.lang], view.sizes.text)
    return draw_frame_or_seal(view, inside, at, "leave", chosen=view.has_chosen_to_play_no_card)


# --- numbers -----------------------------------------------------------------------------------------------


def _draw_own_numbers_by_stage(view: View, seat: int, at: Box) -> str:
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
            drawn += _draw_own_numbers_of_stage(view, seat, numbers, places, up)
        return drawn
    drawn = text("nt b", at.x, at.y + sizes.name * 0.8, heading, sizes.name)
    groups = at.columns(3, sizes.gap * 1.4)
    for stage, (numbers, group) in enumerate(zip(stages, groups, strict=True)):
        span = f"{16 * stage + 1}–{16 * stage + 16}"
        drawn += text("nt m", group.x + group.width / 2, at.y + sizes.name + sizes.text * 1.25, span, sizes.text)
        top = at.y + sizes.name + sizes.text * 1.7
        places = Box(group.x, top, group.width, at.bottom - top).columns(3, sizes.gap * 0.2)
        drawn += _draw_own_numbers_of_stage(view, seat, numbers, places, up)
    return drawn


def _draw_own_numbers_of_stage(
    view: View, seat: int, numbers: tuple[int | None, ...], places: list[Box], up: set[str]
) -> str:
    drawn, size = "", view.sizes.text
    for n, at in zip(numbers, places, strict=True):
        if f"{race.letter_of_clan(view.fold, seat)}{n}" in up:
            inner, middle = at.inside(0.75), at.y + at.height / 2 + size * 0.35
            drawn += box("hl", *inner.frame, 3)
            drawn += text("nt m", at.x + at.width / 2, middle, str(n), size)
        else:
            drawn += tiles.draw_small_card(view.clan(seat), str(n), at, size)
    return drawn
