"""The words of Niigata: on the board, short enough for their places, and as parts of sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pbem.games.niigata.facts_tiles import FACES, ROTATIONS, SIDES, Animals, cell_in_language
from pbem.games.niigata.rules_ponds import join_ponds, worth_of_pond
from pbem.kit.texts import Lang
from pbem.kit.words import T, counted, joined, say

if TYPE_CHECKING:
    from pbem.games.niigata.facts_state import State

# --- on the board ------------------------------------------------------------------------------------------

SEEN_BY = T("Carte des bassins vue par *", "Map of the ponds as * sees it")
SEEN_BY_ALL = T("Carte des bassins", "Map of the ponds")
EAST = (T("O", "W"), T("E", "E"))
"""The letters after a distance to the west and to the east."""
SOUTH = (T("N", "N"), T("S", "S"))
WHOLE = T("Voir toute la carte", "See the whole map")
PART = T("Agrandir la carte", "Enlarge the map")
MAP = T("Carte : les flèches la déplacent", "Map: the arrow keys move it")
"""The name of the map when it has the focus."""
WASTED = T("gâchis : {}", "waste: {}")
NONE_LEFT = T("plus d’éleveur", "no breeder left")
STOPPED = T("a fini", "is done")
ROUND = T("tour {}", "round {}")
MOST = T("{} animaux au plus", "{} animals at most")
PAD = T("Tourner la tuile", "Rotate the tile")
PASS = T("passer", "pass")
NONE = T("aucun", "none")
"""No breeder."""
NO_MORE = T("Ne plus prendre", "Take no more")
NO_BREEDER = T("Pas d’éleveur", "No breeder")
TURNING = T("Dans quel sens poser {} ?", "Which way round is {}?")

# What is said to the viewer, and what is said about somebody else, whose name replaces the *.
TURN = {
    "pick": (T("prenez une tuile", "take a tile"), T("à * de prendre", "* to take")),
    "place": (T("posez une tuile", "lay a tile"), T("à * de poser", "* to lay")),
    "claim": (T("un éleveur ?", "a breeder?"), T("un éleveur de * ?", "*’s breeder?")),
}
GRAB = T("tous prennent à la fois", "everyone grabs at once")
SEVERAL = T("victoire partagée", "a shared victory")
WAITING = T("le tour est fini", "the round is over")

# --- in sentences ------------------------------------------------------------------------------------------

DIE = {"R": T("carpe rouge", "red carp"), "W": T("carpe blanche", "white carp"), "Y": T("carpe jaune", "yellow carp")}
_SIDES = (T("nord", "north"), T("est", "east"), T("sud", "south"), T("ouest", "west"))
_ANIMALS = (
    (T("rouge", "red"), T("rouges", "red")),
    (T("blanche", "white"), T("blanches", "white")),
    (T("jaune", "yellow"), T("jaunes", "yellow")),
    (T("échassier", "heron"), T("échassiers", "herons")),
)
POINT = (T("point", "point"), T("points", "points"))
TILE = (T("tuile", "tile"), T("tuiles", "tiles"))
TURNED = (
    T("sans la tourner", "not rotated"),
    T("tournée de 90°", "rotated 90°"),
    T("tournée de 180°", "rotated 180°"),
    T("tournée de 270°", "rotated 270°"),
)
CLOSES, CLOSE = T("ferme", "closes"), T("fermez", "close")
"""What a tile does, and what "you" do."""
_CLOSED = (
    T("un bassin", "a pond"),
    T("deux bassins", "two ponds"),
    T("trois bassins", "three ponds"),
    T("quatre bassins", "four ponds"),
)


def animals_in_words(animals: Animals, lang: Lang) -> str:
    """Returns the animals in words.

    >>> animals_in_words((0, 1, 2, 1), "fr"), animals_in_words((0, 0, 0, 0), "en")
    ('1 blanche, 2 jaunes et 1 échassier', 'no animals')
    """
    said = [counted(number, noun, lang) for number, noun in zip(animals, _ANIMALS, strict=True) if number]
    return joined(said, lang) or say(lang, "aucun animal", "no animals")


def place_of_pond_in_words(name: str, lang: Lang, *, short: bool = False) -> str:
    """Returns where a pond lies.

    >>> place_of_pond_in_words("0.N", "fr"), place_of_pond_in_words("0.N", "fr", short=True)
    ('0, côté nord', '0 nord')
    """
    cell, _, letter = name.partition(".")
    side = _SIDES[SIDES.index(letter)][lang]
    if short:
        return f"{cell_in_language(cell, lang)} {side}"
    return f"{cell_in_language(cell, lang)}, {say(lang, f'côté {side}', f'{side} side')}"


def animals_and_worth_in_words(state: State, name: str, lang: Lang) -> str:
    """Returns the animals in a pond and their worth."""
    animals = state.ponds[name].animals
    return f"{animals_in_words(animals, lang)} ({worth_in_words(state, name, lang)})"


def worth_in_words(state: State, name: str, lang: Lang) -> str:
    """Returns the worth of a pond, such as "2 points"."""
    return counted(worth_of_pond(state.ponds[name].animals).points, POINT, lang)


def dice_in_words(state: State, lang: Lang) -> str:
    """Returns the dice in words."""
    return joined((DIE[state.colour or "Y"][lang], state.number), lang)


def animals_of_ponds_to_close(fold: State, tile: str, cell: str, rotation: int) -> list[Animals]:
    """Returns the animals of each pond that the tile would close there; none if the cell is not empty."""
    facing = fold.frontier.get(cell)
    if facing is None:
        return []
    after = join_ponds(fold.ponds, facing, cell, FACES[tile][rotation]).ponds
    return sorted((pond.animals for pond in after.values() if not pond.open), reverse=True)


def ponds_closed_in_words(closed: Sequence[Animals], lang: Lang) -> str:
    """Returns how many ponds are closed, and their worth; "" if none are.

    >>> [ponds_closed_in_words([(0, 0, 2, 0)], "fr"), ponds_closed_in_words([(0, 0, 0, 0), (1, 0, 0, 0)], "en"),
    ...  ponds_closed_in_words([], "fr")]
    ['un bassin (2 points)', 'two ponds (0 and 3)', '']
    """
    if not closed:
        return ""
    worths = [worth_of_pond(animals).points for animals in closed]
    said = counted(worths[0], POINT, lang) if len(worths) == 1 else joined(worths, lang)
    return f"{_CLOSED[len(closed) - 1][lang]} ({said})"


def rotation_in_words(tile: str, rotation: int, lang: Lang) -> str:
    """Returns how a tile lies; "" if all its rotations look the same."""
    return f", {TURNED[rotation][lang]}" if len(ROTATIONS[tile]) > 1 else ""
