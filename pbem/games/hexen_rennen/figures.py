"""The drawn examples in the rules of Hexen Rennen."""

from pbem.games.hexen_rennen.board.tiles import draw_clan_sign
from pbem.games.hexen_rennen.facts_race import CLAN_OF, CLANS, COLOURS, VALUE_OF, target_of_flight
from pbem.kit.drawing.figures import LEAST, arrow, figure, words
from pbem.kit.drawing.svg import box, coloured, dashes, number, symbol, text
from pbem.kit.texts import Lang
from pbem.kit.words import T

_SIDE = 44
_PITCH = 45


def _draw_tile_face_down(place: int, x: float, y: float, *, empty: bool) -> str:
    """Draws a tile face down, with its position unless a witch stands on it."""
    return symbol("hx-back", x, y, _SIDE, _SIDE) + (text("nt m", x + 22, y + 28, str(place), 16) if empty else "")


def _draw_tile_face_up(tile: str, x: float, y: float) -> str:
    """Draws a tile face up: the clan's symbol alone, or with its number."""
    clan, value = CLAN_OF[tile], VALUE_OF[tile]
    drawn = symbol("hx-tile", x, y, _SIDE, _SIDE, COLOURS[clan])
    if not value:
        return drawn + draw_clan_sign(clan, x + 8, y + 8, 28)
    digit = text("cu b m", x + 29, y + 36, str(value), 25)
    return drawn + draw_clan_sign(clan, x + 5, y + 5, 16) + coloured(digit, COLOURS[clan])


def _draw_witch_at(clan: int, x: float, y: float) -> str:
    width = _SIDE * 48 / 56
    letter = text("om b m", x + width / 2, y + _SIDE * 0.86, CLANS[clan], _SIDE * 0.36)
    return symbol("witch", x, y, width, _SIDE, COLOURS[clan]) + letter


def _draw_place_witch_left(x: float, y: float) -> str:
    """Draws the dashed frame around the place that a witch has left."""
    return box("n ow", x - 1, y - 1, _SIDE + 2, _SIDE + 2, 8, dashes(2.5, "5 4"))


def draw_witch_setting_off(lang: Lang) -> str:
    """Draws how a witch sets off: occupied tiles are not counted (3.3)."""
    die, busy, y = 3, {2}, 112
    target = target_of_flight(0, die, busy) or 0
    drawn = symbol(f"die-{die}", 8, 8, 48, 48) + words(68, 38, T("Le dé montre 3.", "The die shows 3.")[lang], "nt b")
    drawn += _draw_witch_at(0, 10, y) + words(29, y + 66, T("départ", "start")[lang], "nt m", LEAST)
    counted = 0
    for place in range(1, 7):
        x = 40 + _PITCH * place
        drawn += _draw_tile_face_down(place, x, y, empty=place not in busy)
        if place in busy:
            drawn += _draw_witch_at(2, x + 4, y - 1)
        elif place <= target:
            counted += 1
            drawn += f'<circle class="fh" cx="{number(x + 22)}" cy="{number(y - 18)}" r="12"/>'
            drawn += text("tgx b m", x + 22, y - 12.5, str(counted), 16)
    drawn += _draw_target_frame(40 + _PITCH * target, y)
    fr = "Le dé montre 3. La tuile 2 est occupée : on compte 1, 3 et 4, et la sorcière A va en 4."
    en = "The die shows 3. Tile 2 is occupied: 1, 3 and 4 are counted, and witch A goes to 4."
    return figure(drawn, 190, T(fr, en)[lang], night=True)


def _draw_target_frame(x: float, y: float) -> str:
    """Draws the frame of the place where she arrives."""
    return box("gs", x - 2, y - 2, _SIDE + 4, _SIDE + 4, 8, ' stroke-width="3.5"')


def draw_number_carrying_witch(lang: Lang) -> str:
    """Draws what a number does: it carries a witch of its own clan, and no other (5.1)."""
    drawn = ""
    for row, (tile, said) in enumerate(
        (
            ("A4", T("Son propre nombre porte la sorcière A.", "Her own number carries witch A on.")),
            ("B4", T("Celui d’un autre clan ne fait rien.", "That of another clan does nothing.")),
        )
    ):
        y = 72 + 124 * row
        own = CLAN_OF[tile] == 0
        drawn += words(8, y - 48, said[lang], "nt b")
        drawn += _draw_tile_face_up(tile, 8, y) + "".join(
            _draw_tile_face_down(10 + at, 8 + _PITCH * at, y, empty=not own or at != 4) for at in range(1, 7)
        )
        if own:
            drawn += (
                _draw_place_witch_left(8, y)
                + _draw_target_frame(8 + _PITCH * 4, y)
                + _draw_witch_at(0, 12 + _PITCH * 4, y - 1)
            )
            drawn += arrow((32, y - 6), (26 + _PITCH * 4, y - 6), -9, "gs")
        else:
            drawn += _draw_witch_at(0, 18, y - 34)
    fr = "La sorcière A se pose sur A4 : elle est portée de 4. Sur B4, elle reste."
    en = "Witch A arrives on A4: she is carried on by 4. On B4 she stays."
    return figure(drawn, 260, T(fr, en)[lang], night=True)


def draw_card_played(lang: Lang) -> str:
    """Draws the card that the owner of a symbol plays: their own witch forward, another's back (5.3, 5.4)."""
    drawn = ""
    for row, (clan, said) in enumerate(
        (
            (0, T("A joue 3 : sa sorcière avance.", "A plays 3: their own witch goes on.")),
            (1, T("A joue 3 : la sorcière B recule.", "A plays 3: witch B goes back.")),
        )
    ):
        y, own = 78 + 142 * row, clan == 0
        on = 1 if own else 5
        end = on + 3 if own else on - 3
        drawn += _draw_tile_face_up("A3", 8, y - 66) + words(62, y - 38, said[lang], "nt b")
        for at in range(1, 8):
            x = 8 + _PITCH * (at - 1)
            drawn += (
                _draw_tile_face_up("AS", x, y) if at == on else _draw_tile_face_down(20 + at, x, y, empty=at != end)
            )
        drawn += _draw_place_witch_left(8 + _PITCH * (on - 1), y) + _draw_target_frame(8 + _PITCH * (end - 1), y)
        drawn += _draw_witch_at(clan, 12 + _PITCH * (end - 1), y - 1)
        middle = 30 + _PITCH * (on - 1), 30 + _PITCH * (end - 1)
        drawn += arrow((middle[0], y + 52), (middle[1], y + 52), 8 if own else -8, "gs")
    fr = "Sur le symbole de A, A joue la carte 3 : sa propre sorcière avance de 3, celle de B recule de 3."
    en = "On A’s symbol, A plays the card 3: their own witch goes on by 3, B’s goes back by 3."
    return figure(drawn, 292, T(fr, en)[lang], night=True)


def draw_goal(lang: Lang) -> str:
    """Draws the goal: its squares are reached with the exact number (6.1, 6.2)."""
    y, drawn = 44, ""
    for at in range(4):
        drawn += _draw_tile_face_down(45 + at, 8 + _PITCH * at, y, empty=at != 2)
    for at, value in enumerate((2, 3, 4)):
        x = 204 + 50 * at
        drawn += box("st", x, y - 2, 46, 48, 4) + text("sx b m", x + 23, y + 32, str(value), 26)
    drawn += _draw_witch_at(2, 8 + _PITCH * 2 + 4, y - 1) + words(277, 26, T("arrivée", "goal")[lang], "nt b m")
    for steps, said in ((2, "2"), (3, "3"), (4, "4")):
        x = 227 + 50 * (steps - 2)
        drawn += symbol(f"die-{said}", x - 17, y + 56, 34, 34)
    drawn += words(8, y + 79, T("Du 47, il faut :", "From 47 it takes:")[lang], "nt b")
    fr = "La sorcière C est en 47. Avec un 2 elle arrive en case 2, avec un 3 en case 3, avec un 4 en case 4."
    en = "Witch C is on 47. A 2 takes her to square 2, a 3 to square 3, a 4 to square 4."
    return figure(drawn, 148, T(fr, en)[lang], night=True)


FIGURES = {
    "start": draw_witch_setting_off,
    "carried": draw_number_carrying_witch,
    "cards": draw_card_played,
    "goal": draw_goal,
}
