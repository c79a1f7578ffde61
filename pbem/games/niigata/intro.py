"""What the page of Niigata shows newcomers: a turn in pictures, who made it, and how long it takes."""

from pbem.games.niigata.board.pieces import draw_tile, places_of_animals
from pbem.games.niigata.facts_tiles import PRINTED
from pbem.kit.contract import Intro, Length
from pbem.kit.drawing.figures import arrow, cross, picture
from pbem.kit.drawing.svg import box, dashes, seal, symbol, text
from pbem.kit.texts import Lang
from pbem.kit.words import T, turn_picture


def draw_taking_tile(lang: Lang) -> str:
    """Draws the dice, and four tiles of which one that matches them is taken."""
    drawn = symbol("die-w", 16, 18, 84, 84) + symbol("die-3", 16, 122, 84, 84)
    for at, name in enumerate(("N20", "N14", "N36", "N41")):
        x, y = 132 + 114 * (at % 2), 12 + 106 * (at // 2)
        if name == "N14":
            drawn += box("se", x - 6, y - 6, 110, 110, 8)
        drawn += draw_tile(name, 0, x, y, 0.98, known=False)
    drawn += seal(318, 84, 36)
    fr = "Les dés disent blanc et 3. Parmi quatre tuiles, celle aux deux carpes blanches est prise."
    en = "The dice say white and 3. Of four tiles, the one with two white carp is taken."
    return picture(drawn, T(fr, en)[lang])


def draw_laying_tile(lang: Lang) -> str:
    """Draws a map, and a tile that comes to an empty cell of it, rotated."""
    drawn = draw_tile("I", 0, 20, 116, known=False) + draw_tile("N15", 2, 120, 116, known=False)
    drawn += draw_tile("N20", 0, 20, 16, known=False)
    drawn += box("fr il", 124, 20, 92, 92, 6, dashes(4, "9 7"))
    drawn += draw_tile("N14", 2, 248, 62, known=False) + box("sl", 246, 60, 104, 104, 4, ' stroke-width="5"')
    drawn += arrow((242, 84), (206, 66), 0, "sl") + arrow((258, 178), (338, 178), 18, "sl")
    fr = "Une tuile tournée vient se poser dans une case vide, à côté de trois autres."
    en = "A rotated tile comes to an empty cell, beside three others."
    return picture(drawn, T(fr, en)[lang])


def draw_scored_pond(lang: Lang) -> str:
    """Draws a closed pond whose heron eats the yellow carp, and the white ones that score for the breeder."""
    drawn = ""
    for at, (name, rotation) in enumerate((("N06", 1), ("N25", 1), ("N04", 3))):
        x, y, size = 10 + 113 * at, 12, 1.13
        drawn += draw_tile(name, rotation, x, y, size, known=False)
        edges, (animals,) = PRINTED[name]
        for animal, spot in zip(animals, places_of_animals(edges, 0, len(animals), rotation), strict=True):
            if animal == "Y":
                drawn += cross(x + spot[0] * size - 14, y + spot[1] * size - 14, 28)
    drawn += symbol("breeder", 20, 140, 66, 79, "c1") + text("om b m", 53, 209, "A", 28)
    drawn += "".join(symbol("carp-w", 96 + 46 * at, 168, 43, 26) for at in range(3))
    drawn += text("in b", 240, 194, "× 2 =", 28) + text("in b e", 344, 198, "6", 50)
    fr = "Un bassin clos : l’échassier mange les quatre jaunes, les trois blanches comptent 6 points."
    en = "A closed pond: the heron eats the four yellow carp, the three white ones score 6 points."
    return picture(drawn, T(fr, en)[lang])


INTRO = Intro(
    designer="ZeBlate",
    turn=(
        turn_picture(
            draw_taking_tile,
            "Prenez une tuile qui va avec les dés : la couleur, et au plus ce nombre d’animaux.",
            "Take a tile that matches the dice: the colour, and at most this many animals.",
        ),
        turn_picture(
            draw_laying_tile,
            "Posez-la à côté d’une autre, dans le sens que vous voulez.",
            "Lay it beside another, rotated as you like.",
        ),
        turn_picture(
            draw_scored_pond,
            "Placez un éleveur sur un bassin clos ; l’échassier mange la couleur la plus nombreuse.",
            "Place a breeder on a closed pond; a heron eats the colour with the most carp.",
        ),
    ),
    lengths=(
        Length(seats=2, turns=48, days=25),
        Length(seats=3, turns=34, days=27),
        Length(seats=4, turns=26, days=33),
        Length(seats=5, turns=22, days=35),
        Length(seats=6, turns=19, days=37),
    ),
)
