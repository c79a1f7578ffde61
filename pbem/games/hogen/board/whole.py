"""The drawn board of Hogen: one viewer's fold in one language, in any shape.

A seated viewer has the others in clockwise order from their left, the palace, their own cards, and what they may call
or name. For a spectator everybody has a panel. Both show only the cards that the fold knows.
"""

from itertools import chain

from msgspec.structs import replace

from pbem.games import samurai
from pbem.games.hogen import words
from pbem.games.hogen.board.mine import draw_own_cards, draw_pad, number_of_pad_rows
from pbem.games.hogen.board.view import (
    View,
    draw_card,
    draw_small_card,
    draw_story_number_on_card,
    draw_story_number_on_small_card,
)
from pbem.games.hogen.facts import State
from pbem.games.samurai import CARDS, CLANS, COLOURS, draw_clan_letters, draw_clan_sign, draw_digit_on_dark
from pbem.kit.contract import Scene, Viewer
from pbem.kit.drawing import board
from pbem.kit.drawing.board import framed, head, panel
from pbem.kit.drawing.grid import Box, Heights, fitted, grid, pad_alone, spread
from pbem.kit.drawing.svg import box, dashes, drawing, seal, seat_mark, spot_width, text
from pbem.kit.texts import Lang, Text
from pbem.kit.words import PLAYS, WINS, WON, YOU, seen_from

# On a phone of 360 by 740 pixels all 654 units that are seen at once, with rows of the pad that are 44 pixels high.
_SEATED = Heights(seats=98, table=138, mine=115, landscape=280, low=160, row=48)
_WATCHED = Heights(seats=226, table=162, mine=0, landscape=0, low=0)


def draw(fold: State, viewer: Viewer, lang: Lang, scene: Scene) -> str:
    """Returns the board as the viewer sees it; cards that the fold does not know lie face down."""
    view = View(fold, viewer, lang, scene)
    rows = number_of_pad_rows(view)
    if scene.shape == "pad":
        if not rows:
            return ""
        alone = pad_alone(rows)
        return drawing(draw_pad(view, alone), alone.frame, words.PAD[lang], ' class="pad"')
    places = grid(scene.shape, _SEATED if viewer is not None else _WATCHED, rows)
    shown = seen_from(viewer, fold.seats)
    parts = [
        draw_seats(view, places.seats, shown[1:] if viewer is not None else shown),
        draw_palace(view, places.table),
    ]
    if viewer is not None and places.mine:
        parts.append(draw_own_cards(view, viewer, places.mine, marked=places.you is None))
    if viewer is not None and places.you:
        parts.append(draw_own_seat(view, places.you, viewer))
    if places.pad:
        parts.append(draw_pad(view, places.pad))
    hidden = None in chain(*fold.hands) or (None, True) in zip(fold.allies, fold.chosen, strict=True)
    called = board.label(view, words.SEEN_BY, words.SEEN_BY_PUBLIC if hidden else words.SEEN_BY_ALL)
    return board.finished(view, parts, places, called)


# --- the palace ----------------------------------------------------------------------------------------------


def draw_palace(view: View, at: Box) -> str:
    """Draws the four open cards, and above them what the table waits for."""
    sizes, cards = view.sizes, _palace_cards_in_place(view)
    low = at.width > at.height * 2.5  # the heading has just one line, so that the cards are larger
    head = sizes.mark * (1.25 if low else 2.1)
    place = Box(
        at.x + sizes.inset, at.y + head, at.width - 2 * sizes.inset, at.height - head - sizes.foot - sizes.gap * 2
    )
    # Where the table is about as high as wide, the cards lie two by two.
    rows = 2 if place.height > place.width * 0.8 else 1
    across, between = len(cards) // rows, sizes.gap * 4
    width = fitted(across, place.width, sizes.gap * 2.6, (place.height - between * (rows - 1)) / rows / 1.4)
    high = width * 1.4
    top = place.y + max(0, (place.height - high * rows - between * (rows - 1)) / 2)
    parts, spots = [panel(at), _draw_palace_heading(view, at, low=low)], []
    lefts = spread(across, place.width, width, sizes.gap * 6)
    for n, name in enumerate(cards):
        x = place.x + lefts[n % across]
        y = top + n // across * (high + between)
        parts.append(draw_card(view, None, name, x, y, width))
        if (None, name) in view.story_number_by_place_and_card:
            spots.append(draw_story_number_on_card(view, None, name, x, y, width))
    return "".join([*parts, *spots])


def _draw_palace_heading(view: View, at: Box, *, low: bool) -> str:
    """Draws the name of the palace, and at the right who calls for what and who must answer, or what nobody answered.

    These are two lines and the sign of the call. A low table has the first one alone, and what nobody answered instead
    of whose turn it is.
    """
    sizes = view.sizes
    above, below = at.y + sizes.mark * 0.85, at.y + sizes.mark * (0.85 if low else 1.7)
    parts = [text("in b", at.x + sizes.inset, above, words.PALACE[view.lang], sizes.name)]
    end = at.right - sizes.inset
    if view.fold.call is not None and not low:
        sign = sizes.mark * 1.55
        parts.append(
            _draw_open_call(
                view, view.fold.call.clan_rank_or_card, Box(end - sign, at.y + sizes.mark * 0.28, sign, sign)
            )
        )
        end -= sign + sizes.spot * 1.25
    elif view.fold.call is not None and view.call_story is not None and not view.has_chosen_call:
        end -= spot_width(view.call_story, sizes.spot)
        parts.append(view.spot(view.call_story, end, at.y + sizes.gap, sizes.spot))
        end -= sizes.gap
    first, second = _call_and_turn_in_words(view, end - at.x - sizes.inset)
    failed = (view.fold.failed if view.fold.call is None and not view.fold.over else ())[-6:]
    if not (low and failed):
        called = view.fold.call is not None
        parts.append(text("in e" if called else "in b e", end, above, first, sizes.text if called else sizes.name))
    if second and not low:
        parts.append(text("in b e", end, below, second, sizes.text))
    size = sizes.mark * 1.2
    for n, call in enumerate(reversed(failed)):
        parts.append(_draw_call_in_line(call.clan_rank_or_card, end - size * (n + 1), below, size))
    if failed:
        unanswered = words.UNANSWERED[view.lang]
        parts.append(text("i2 e", end - size * len(failed) - sizes.gap, below, unanswered, sizes.text))
    return "".join(parts)


def _palace_cards_in_place(view: View) -> list[str | None]:
    """Returns the open cards; after a chosen exchange the given one lies where the taken one lay."""
    cards, before = list(view.fold.palace), view.offered("take")
    given = {*cards} - before.keys()
    if len(before) != len(cards) or len(given) != 1:
        return cards
    (card,) = given
    return [name if name in cards else card for name in before]


def _call_and_turn_in_words(view: View, width: float) -> tuple[str, str]:
    """Returns who calls for what, and whose turn it is; or how the match ended, for lines of this width."""
    fold, sizes = view.fold, view.sizes
    first = width - sizes.name * 0.6 * (len(words.PALACE[view.lang]) + 1)  # beside the name of the palace
    if fold.over:
        if fold.winner is None:
            return words.NOBODY_WINS[view.lang], ""
        return view.fitted(WINS, fold.winner, first, sizes.name), ""
    if view.scene.over and fold.call is None:
        return "", ""
    if fold.active is None:
        return words.ALL_CHOOSE[view.lang], ""
    if fold.call is None:
        return view.fitted(PLAYS, fold.active, first, sizes.name), ""
    called = fold.call.in_words(view.lang)
    calls = view.fitted(words.CALLS, fold.active, first - sizes.text * 0.6 * len(called), sizes.text)
    calls = calls.replace("…", called)
    if view.scene.over or view.has_chosen_call or fold.answering is None:
        return calls, ""
    return calls, view.fitted(words.ANSWERS, fold.answering, width, sizes.text, 13)


# --- what is called ----------------------------------------------------------------------------------------


def _draw_open_call(view: View, what: str, at: Box) -> str:
    """Draws the open call as a sign: with a seal while the viewer is making it, with its story number afterwards."""
    sizes = view.sizes
    drawn = box("sk", *at.frame, 5) + box("ln", *at.frame, 5)
    drawn += _draw_call_sign(what, at)
    if view.has_chosen_call:
        size = sizes.seal * 0.8
        return drawn + seal(at.right - size * 0.6, at.bottom - size * 0.5, size)
    return drawn + view.spot(view.call_story, at.x - sizes.spot * 1.15, at.bottom - sizes.spot * 0.85, sizes.spot)


def _draw_call_sign(what: str, at: Box) -> str:
    """Draws the mon of a clan, the digit of a rank, or both for a card: a sign, not a piece on the table."""
    unit = at.width / 34
    if what in CARDS:
        digit = draw_digit_on_dark(what[1], at.x + 3 * unit, at.y + 4 * unit, 15 * unit, 20 * unit, COLOURS[what[0]])
        return digit + draw_clan_letters(what[0], at.x + 26 * unit, at.y + 20 * unit, 16 * unit)
    if what in CLANS:
        return draw_clan_sign(what, at.x + 5 * unit, at.y + 3 * unit, 26 * unit)
    return draw_digit_on_dark(what, at.x + 8 * unit, at.y + 4 * unit, 20 * unit, 24 * unit)


def _draw_call_in_line(what: str, x: float, line: float, size: float) -> str:
    """Draws a miniature call, on a line of text."""
    unit = size / 28
    if what in CARDS:
        return draw_clan_letters(what, x + 14 * unit, line, 17 * unit)
    if what in CLANS:
        return draw_clan_sign(what, x + 3 * unit, line - 16 * unit, 21 * unit)
    return draw_digit_on_dark(what, x + 5 * unit, line - 15 * unit, 18 * unit, 19 * unit)


# --- the seats -----------------------------------------------------------------------------------------------


def draw_seats(view: View, at: Box, shown: list[int]) -> str:
    """Draws a panel for each of these seats."""
    sizes = view.sizes
    cards = 4 if view.fold.seats == 3 else 3
    least = sizes.inset + cards * (sizes.mark * 1.2 + sizes.gap) + sizes.gap
    drawn = ""
    for seat, place in zip(shown, at.places(len(shown), sizes.gap * 1.5, least), strict=True):
        drawn += _draw_seat_panel(view, seat, place)
    return drawn


def draw_own_seat(view: View, at: Box, seat: int) -> str:
    """Draws the viewer's own seat: what the table waits for from them, or how they fared."""
    sizes, fold = view.sizes, view.fold
    x, y = at.x + sizes.inset / 2, at.y + sizes.inset / 3
    drawn = panel(at, asked=seat in view.seats_to_act) + seat_mark(seat, x, y, sizes.mark)
    drawn += text("in b", x + sizes.mark * 1.25, y + sizes.mark * 0.73, YOU[view.lang], sizes.name)
    said, more = _what_is_asked(view, seat)
    below = y + sizes.mark * 2
    if said:
        drawn += text("in b", x, below, said, sizes.text)
        below += sizes.text * 1.6
    out = words.YOU_ARE_OUT[view.lang] if fold.out[seat] else ""
    for n, line in enumerate(filter(None, (*more.splitlines(), out))):
        drawn += text("i2", x, below + n * sizes.text * 1.4, line, sizes.text)
    return drawn


def _what_is_asked(view: View, seat: int) -> tuple[str, str]:
    """Returns what the table waits for from the viewer, and how they do it; or that they have won."""
    fold, lang = view.fold, view.lang
    if fold.over:
        return (view.to(WINS, seat) if fold.winner == seat else ""), ""
    if seat not in view.seats_to_act:
        return "", ""
    if fold.active is None:
        return words.YOU_CHOOSE[lang], ""
    if fold.call is None:
        return view.to(PLAYS, seat), words.YOU_CALL[lang]
    return view.to(words.ANSWERS, seat), words.YOU_ANSWER[lang]


# --- one seat ----------------------------------------------------------------------------------------------


def _draw_seat_panel(view: View, seat: int, at: Box) -> str:
    """Draws a seat's name and below it, in miniature, its hand and its ally on a paper mat."""
    sizes, fold = view.sizes, view.fold
    # Known cards come first, and of these the ones with a number, which would hide a letter of the card before.
    hand = sorted(
        fold.hands[seat], key=lambda name: (name is None, (seat, name) not in view.story_number_by_place_and_card)
    )
    mat, beside, side = sizes.gap, sizes.gap * 1.4, sizes.inset / 2
    top = at.y + sizes.inset / 3 + sizes.mark + sizes.gap / 2 + mat
    under = at.bottom - sizes.text * 0.38
    # Left of every card of a hand there is room for the number of the line that says how it came there.
    ally = fold.chosen[seat]
    gap, first = (sizes.gap * 2, sizes.spot * 0.4) if ally else (sizes.gap, 0)
    room = at.width - 2 * side - first - (2 * beside + gap * 0.5 if ally else 0)
    width = fitted(len(hand) + ally, room + (gap * 0.5 if ally else 0), gap, sizes.mark * 1.7)
    most = (under - sizes.text * 0.9 - sizes.foot - mat - top) / 1.4
    says = min(width, most) * 0.55 > sizes.text * 0.98  # the words give way before the values are too small
    if not says:
        most = (at.bottom - sizes.foot - mat - top) / 1.4
    width = min(width, most)
    wide, least = width + 2 * beside, sizes.touch * 1.1 - 2 * sizes.frame  # a finger needs that much
    if ally and wide < least:
        wide, gap = least, sizes.gap
        width = fitted(len(hand), at.width - 2 * side - first - wide - gap, gap, width)
    y = top + max(0, (most - width) * 0.7)
    under = min(under, y + width * 1.4 + mat + sizes.foot + sizes.text)
    x = at.x + side + first
    line = Box(at.x + side, at.y + sizes.inset / 3, at.width - 2 * side, sizes.mark)
    asked = seat in view.seats_to_act
    drawn = panel(at, asked=asked) + head(view, seat, line, asked=asked)
    spots = ""
    for n, name in enumerate(hand):
        left = x + n * (width + gap)
        drawn += draw_small_card(view, seat, name, left, y, width)
        if (
            (
                seat,
                name,
            )
            in view.story_number_by_place_and_card
        ):  # a number to the left of the second card would hide the letter of the first
            spots += draw_story_number_on_small_card(view, seat, name, left, y, width, right=n == 1)
    if says:
        classes, said = _class_and_words_below_hand(view, seat)
        middle = x + (len(hand) * (width + gap) - gap) / 2
        drawn += text(classes, middle, under, said[view.lang], sizes.text)
    if ally:
        left = min(at.right - side - wide, x + len(hand) * (width + gap) + sizes.gap * 4)
        place = Box(left, y - mat, wide, width * 1.4 + 2 * mat)
        drawn += _draw_ally_mat(view, seat, place, width, under if says else None)
    return drawn + spots


def _draw_ally_mat(view: View, seat: int, at: Box, width: float, under: float | None) -> str:
    """Draws a player's ally on its paper mat; touching it declares it, and it shows what it was declared to be."""
    x, y = at.x + (at.width - width) / 2, at.y + (at.height - width * 1.4) / 2
    guess = view.guesses.get(seat)
    drawn = box("sk", *at.frame, 4)
    if guess is not None:
        drawn += samurai.draw_small_card(guess, x, y, width, piece=False)
    else:
        drawn += draw_small_card(view, seat, view.fold.allies[seat], x, y, width)
        if view.seat_whose_ally_is_named == seat:
            around = at.inside(-3)
            drawn += box("il", *around.frame, 6, dashes(2.5, "6 4"))
    link = view.scene.links.get("declare")  # the keyboard reaches it in the matrix of calls
    drawn = framed(view.sizes, drawn, at, link and replace(link, in_tab_order=False), guess is not None)
    if under is None:
        return drawn
    said = (words.ALLY if guess is None else words.GUESSED)[view.lang].replace("*", guess or "")
    classes = "i2 m" if guess is None else "in b m"
    return drawn + text(classes, at.x + at.width / 2, under, said, view.sizes.text)


def _class_and_words_below_hand(view: View, seat: int) -> tuple[str, Text]:
    """Returns the class and the words under a hand: what its seat does or did, else "hand"."""
    fold = view.fold
    if fold.winner == seat:
        return "in b m", WON
    if fold.out[seat]:
        return "in b m", words.OUT
    if not fold.chosen[seat] and not view.scene.over:
        return "i2 m", words.CHOOSING
    if seat in view.seats_without_card_for_call:
        return "in m", words.PASSES
    if seat in view.seats_to_act:
        return "in b m", words.IS_ASKED if fold.call is None else words.IS_ANSWERING
    return "i2 m", words.CALLING if fold.call is not None and fold.active == seat else words.HAND
