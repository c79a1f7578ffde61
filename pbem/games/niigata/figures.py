"""The drawn examples in the rules of Niigata."""

from collections.abc import Sequence

from pbem.games.niigata.facts_tiles import PRINTED, TAKEABLE, count_animals, symbol_of_tile_without_animals
from pbem.games.niigata.rules_ponds import worth_of_pond
from pbem.kit.drawing.figures import cross, figure, panel, verdict, words
from pbem.kit.drawing.grid import Box
from pbem.kit.drawing.svg import box, dashes, moved, number, seal, symbol, text
from pbem.kit.texts import Lang
from pbem.kit.words import T

Point = tuple[float, float]

# Where the animals of each tile lie that is shown, in its own hundredths, as it is turned.
_PLACES: dict[str, Sequence[Point]] = {
    "N01": ((50, 54),),
    "N15": ((36, 34), (62, 62)),
    "N16": ((36, 34), (62, 62)),
    "N33": ((50, 22), (76, 50), (46, 76)),
    "N36": ((50, 20), (20, 50), (80, 50), (50, 80), (50, 50)),
    "N40": ((68, 34),),
}
_EDGE = '<rect class="n sh" width="100" height="100"/>'


def _draw_animal(animal: str, x: float, y: float, length: float) -> str:
    """Draws a carp of this length around the point, or a heron."""
    if animal == "E":
        return symbol("wader", x - length * 0.35, y - length * 0.53, length * 0.7, length * 1.06)
    return symbol(f"carp-{animal.lower()}", x - length / 2, y - length * 0.3, length, length * 0.6)


def _draw_tile_at(name: str, x: float, y: float, side: float) -> str:
    animals = "".join(PRINTED[name][1])
    drawn = symbol(symbol_of_tile_without_animals(name), 0, 0, 100, 100)
    drawn += "".join(
        _draw_animal(one, *at, 36 if len(animals) < 4 else 28) for one, at in zip(animals, _PLACES[name], strict=True)
    )
    return moved(f"{drawn}{_EDGE}", x, y, number(side / 100))


def draw_tiles_to_take(lang: Lang) -> str:
    """Draws which tiles go with the dice (4.2)."""
    good = TAKEABLE["W", 3]
    drawn = symbol("die-w", 4, 4, 48, 48) + symbol("die-3", 58, 4, 48, 48)
    drawn += words(120, 25, T("Au moins une carpe blanche,", "At least one white carp,")[lang], "in b")
    drawn += words(120, 46, T("au plus trois animaux.", "at most three animals.")[lang], "in b")
    cases = (
        ("N15", T("1 blanche", "1 white"), T("2 animaux", "2 animals")),
        ("N16", T("pas de", "no"), T("blanche", "white")),
        ("N33", T("1 blanche", "1 white"), T("3 animaux", "3 animals")),
        ("N36", T("1 blanche,", "1 white,"), T("5 animaux", "5 animals")),
        ("N01", T("un échassier", "a lone"), T("tout seul", "heron")),
        ("N40", T("pas de", "no"), T("blanche", "white")),
    )
    for at, (tile, first, second) in enumerate(cases):
        case = Box(1 + 181 * (at % 2), 64 + 82 * (at // 2), 177, 74)
        drawn += verdict(case, tile in good) + _draw_tile_at(tile, case.x + 6, case.y + 8, 58)
        drawn += words(case.x + 70, case.y + 28, first[lang]) + words(case.x + 70, case.y + 48, second[lang])
    label = T(
        "Les dés disent blanc et 3. Vont avec eux : une blanche et une jaune ; une carpe de chaque couleur ; un "
        "échassier seul. Ne vont pas : des jaunes seules, et cinq animaux.",
        "The dice say white and 3. These go with them: a white and a yellow carp; a carp of each colour; a lone heron. "
        "These do not: yellow carp alone, and five animals.",
    )
    return figure(drawn, 310, label[lang])


def draw_closed_pond(lang: Lang) -> str:
    """Draws an open pond, and the same one closed by a further tile (5.3)."""
    drawn, side = "", 56
    for at, tiles in enumerate((2, 3)):
        x, y = 4 + 184 * at, 32
        drawn += words(x, 20, (T("ouvert", "open") if tiles == 2 else T("clos", "closed"))[lang], "in b")
        for place in range(tiles):
            name, turn = (("a---", 90), ("a-a-", 90), ("a---", 270))[place]
            piece = symbol(f"tile-{name}", 0, 0, 100, 100, more=f' transform="rotate({turn} 50 50)"')
            drawn += moved(f"{piece}{_EDGE}", x + side * place, y, number(side / 100))
        if tiles == 2:
            drawn += box("il", x + side * 2 + 3, y + 3, side - 6, side - 6, 6, dashes(2.5, "6 5"))
        drawn += _draw_animal("W", x + 30, y + 28, 24) + _draw_animal("R", x + side + 28, y + 28, 24)
    drawn += words(4, 110, T("L’eau donne sur", "The water faces")[lang], "i2")
    drawn += words(4, 129, T("une case vide.", "an empty cell.")[lang], "i2")
    drawn += words(188, 110, T("Plus rien d’ouvert :", "No open side left:")[lang], "i2")
    drawn += words(188, 129, T("un éleveur peut venir.", "a breeder may come.")[lang], "i2")
    drawn += symbol("breeder", 188 + side * 2 + 14, 34, 40, 48, "c1") + text("om b m", 188 + side * 2 + 34, 76, "A", 18)
    fr = "Deux tuiles dont l’eau donne encore sur une case vide : bassin ouvert. Une troisième le clôt."
    en = "Two tiles whose water still faces an empty cell: an open pond. A third tile closes it."
    return figure(drawn, 140, T(fr, en)[lang])


def draw_pond_with_heron(lang: Lang) -> str:
    """Draws how a pond is counted: the heron eats, then one colour counts (6.2, 6.3)."""
    pond = "YYYWWRE"
    points = worth_of_pond(count_animals(pond)).points
    drawn = panel(Box(1, 1, 358, 64)) + _draw_animal("E", 32, 34, 44)
    drawn += "".join(_draw_animal(one, 88 + 48 * at, 34, 40) for at, one in enumerate(pond[:-1]))
    drawn += words(2, 92, T("1. L’échassier mange les jaunes,", "1. The heron eats the yellow carp,")[lang], "in b")
    drawn += words(20, 112, T("les plus nombreuses.", "which are the most numerous.")[lang])
    drawn += "".join(cross(80 + 48 * at, 26, 16) for at in range(3))
    drawn += words(2, 144, T("2. Les blanches comptent :", "2. The white carp count:")[lang], "in b")
    drawn += words(20, 164, T("il en reste deux, et une seule rouge.", "two are left, and only one red carp.")[lang])
    drawn += _draw_animal("W", 30, 192, 40) + _draw_animal("W", 78, 192, 40)
    drawn += words(112, 198, f"2 × 2 = {points} {T('points', 'points')[lang]}", "in b", 18) + seal(250, 180, 24)
    label = T(
        f"Un bassin avec trois carpes jaunes, deux blanches, une rouge et un échassier, qui mange les jaunes : "
        f"{points} points.",
        f"A pond with three yellow carp, two white ones, a red one and a heron, which eats the yellow ones: "
        f"{points} points.",
    )
    return figure(drawn, 214, label[lang])


FIGURES = {"take": draw_tiles_to_take, "closed": draw_closed_pond, "wader": draw_pond_with_heron}
