"""What the page of Hexen Rennen shows newcomers: a turn in pictures, who made it, and how long it takes."""

from pbem.games.hexen_rennen.board import tiles
from pbem.kit.contract import Intro, Length
from pbem.kit.drawing.figures import arrow, picture, words
from pbem.kit.drawing.grid import Box
from pbem.kit.drawing.svg import box, seal, symbol, text
from pbem.kit.texts import Lang
from pbem.kit.words import T, turn_picture

_SIDE = 66
_PITCH = 70


def _box_of_tile_in_row(at: int, y: float) -> Box:
    """Returns the place of one of five tiles in a row."""
    return Box(7 + _PITCH * at, y, _SIDE, _SIDE)


def _draw_tile_back(at: Box, place: int) -> str:
    return tiles.draw_tile_face_down(at, place, 16, None, occupied=False)


def _witch_on(at: Box) -> str:
    """Draws a tile face down with a large witch on it."""
    return symbol("hx-back", *at.frame) + tiles.draw_witch(0, at.x + 12, at.y + 8, 42)


def draw_choosing_witch(lang: Lang) -> str:
    """Draws a die, two witches of a clan, and where the chosen one flies."""
    y = 132
    first, chosen, end = (_box_of_tile_in_row(at, y) for at in (0, 1, 4))
    drawn = tiles.draw_die(3, 147, 20, 66)
    for at in (2, 3, 4):
        drawn += _draw_tile_back(_box_of_tile_in_row(at, y), 20 + at)
    drawn += _witch_on(first)
    drawn += box("se", chosen.x - 4, chosen.y - 4, _SIDE + 8, _SIDE + 12, 9) + _witch_on(chosen)
    drawn += seal(chosen.right - 16, chosen.bottom - 14, 26) + box("ml", *end.frame, 8, ' stroke-width="3.5"')
    drawn += arrow((chosen.x + 40, y - 8), (end.x + 33, y - 8), -17, "gs")
    fr = "Le dé montre 3. Deux sorcières A sont en 20 et 21 ; celle du 21 vole en 24."
    en = "The die shows 3. Two witches A are on 20 and 21; the one on 21 flies to 24."
    return picture(drawn, T(fr, en)[lang], night=True)


def draw_tile_effects(lang: Lang) -> str:
    """Draws a number that carries its own witch on, and a symbol whose owner sends her back."""
    drawn = ""
    for y, name, begin, end in ((42, "A3", 0, 3), (150, "BS", 4, 2)):
        start, target = _box_of_tile_in_row(begin, y), _box_of_tile_in_row(end, y)
        for at in range(5):
            if at not in (begin, end):
                drawn += _draw_tile_back(_box_of_tile_in_row(at, y), 20 + at)
        drawn += tiles.draw_tile(name, start, 16) + tiles.draw_dashed_frame("gs", start.inside(-2))
        drawn += _witch_on(target) + box("ml", *target.frame, 8, ' stroke-width="3.5"')
        drawn += arrow((start.x + 33, y - 6), (target.x + 33, y - 6), -12 if end > begin else 12, "gs")
    drawn += tiles.draw_small_card(1, "2", Box(258, 118, 30, 36), 19)
    fr = "Le nombre A3 porte la sorcière A de trois tuiles. Sur le symbole de B, la carte 2 de B la fait reculer."
    en = "The number A3 carries witch A three tiles on. On the symbol of B, the card 2 of B sends her back."
    return picture(drawn, T(fr, en)[lang], night=True)


def draw_goal(lang: Lang) -> str:
    """Draws the three squares of the goal with the witches of a clan."""
    drawn = words(180, 34, T("Arrivée", "Goal")[lang], "nt b m", 20)
    for at, value in enumerate((2, 3, 4)):
        house = Box(8 + 116 * at, 50, 112, 166)
        drawn += tiles.draw_straw_house(house) + text("sx b m", house.x + 56, house.y + 84, str(value), 46)
        drawn += tiles.draw_witch(0, house.x + 34, house.y + 102, 46)
    label = T("Trois sorcières A dans les cases 2, 3 et 4.", "Three witches A on squares 2, 3 and 4.")
    return picture(drawn, label[lang], night=True)


INTRO = Intro(
    designer="Wolfgang Panning",
    year=2001,
    turn=(
        turn_picture(
            draw_choosing_witch,
            "Choisissez la sorcière qui vole du nombre du dé.",
            "Choose the witch that flies by the number of the die.",
        ),
        turn_picture(
            draw_tile_effects,
            "Lisez la tuile : votre nombre porte la sorcière, un symbole adverse peut la renvoyer.",
            "Follow the tile: your own number carries her on, a rival’s symbol may send her back.",
        ),
        turn_picture(
            draw_goal,
            "Ramenez vos sorcières pour 2, 3 ou 4 points ; la troisième termine la course.",
            "Bring your witches home for 2, 3 or 4 points; the third one ends the race.",
        ),
    ),
    lengths=(
        Length(seats=2, turns=28, days=20),
        Length(seats=3, turns=28, days=29),
        Length(seats=4, turns=28, days=44),
    ),
)
