"""How moves of Niigata are typed: `take N20`, `pass`, `place N20 3W1S r1`, `claim 3W1S N`.

A cell is named by its offset from the start tile, "0"; a pond by a cell and a side of it that shows the pond's water.
"""

import re

from pbem.games.niigata.facts import Claim, Pass, Place, Take
from pbem.games.niigata.facts_tiles import SIDES, TILES, Tile, cell_name, reading
from pbem.kit.contract import Move
from pbem.kit.notation import plain_text, spelled, understand, words
from pbem.kit.texts import Lang
from pbem.kit.words import T

FARTHEST = 99

HINT = T(
    "Écrivez par exemple : prends N20 (une tuile) · passe · pose N20 3O1S r1 (tuile, case, quarts de tour) · "
    "éleveur 3O1S N (un bassin : case et côté). Case : 3O1S est à 3 à l’ouest et 1 au sud de la tuile de "
    "départ, qui est 0.",
    "Write for example: take N20 (a tile) · pass · place N20 3W1S r1 (tile, cell, quarter turns) · "
    "claim 3W1S N (a pond: cell and side). A cell: 3W1S is 3 to the west and 1 to the south of the start tile, "
    "which is 0.",
)

VERBS = spelled(
    {
        "take": "take takes grab grabs prend prends prendre prenez pioche piocher choisis choisir attrape",
        "place": "place places placez lay lays put pose poser posez placer mets met mettre mettez",
        "claim": "claim claims breeder breeders eleveur eleveurs bassin pond reclame reclamer revendique",
        "pass": "pass passe passer passes passez stop stops stoppe arrete arreter rien aucun aucune non no none "
        "nothing skip garde garder gardez keep plus done fini enough assez",
        "not": "not pas don dont",
        "rotation": "r rot rotation",
        "turn": "turn turns turned quart quarts quarter quarters tour tours tourne tournee tourner tournez rotated",
        "half": "demi half demi-tour",
        "n": "n north nord",
        "e": "e east est",
        "s": "s south sud",
        "w": "w west o ouest",
        "start": "start depart",
        "zero": "sans without zero",
    }
)
FILLERS = frozenset(
    words(
        "a and at au aux avec by case ce cell ci clockwise cote d de degrees degres do droite du en et horaire i in it "
        "j je l la le les ll m ma me merci mes mon more my ne of on par please right sens side sur svp t thank thanks "
        "that the this tile tiles to tuile tuiles un une vers vos vous want with veux you your round"
    )
)
_TOKEN = re.compile(r"demi-tour|[a-z]+|-?[0-9]+")
_NO_SPACE = (
    # "1nn", "3w1sn", "1nr1": a side or a rotation right behind a cell, but not the French word in "20en 1n".
    (re.compile(r"(?<=[0-9])([nesow])(?!(?<=e)n *[0-9])([nesowr])(?![a-z])"), r"\1 \2"),
    # "taken20", "posen20"
    (re.compile(r"\b(take|grab|prends?|prendre|place|lay|put|pose|poser|mets)n(?=[0-9])"), r"\1 n"),
)
_SPOKEN = {"one": "1", "two": "2", "three": "3", "deux": "2", "trois": "3"}
_MINUS = str.maketrans({"−": "-", "–": "-", "‐": "-", "‑": "-"})


def parse(text: str, seat: int | None = None) -> Move:
    """Returns the move that the text means; the seat does not matter. Raises Unreadable with a hint."""
    return understand(text, lambda typed: _read(_tokens(typed)), HINT)


def format(move: Move) -> str:
    """Returns the move in short notation.

    >>> format(Place("N20", "3W1S", 1)), format(Claim("2N.E"))
    ('place N20 3W1S r1', 'claim 2N E')
    """
    match move:
        case Take(tile):
            return f"take {tile}"
        case Place(tile, cell, rotation):
            return f"place {tile} {cell} r{rotation}"
        case Claim(pond):
            return f"claim {pond.replace('.', ' ')}"
    return "pass"


def cell_in(cell: str, lang: Lang) -> str:
    """Returns the cell in this language: west is O in French.

    >>> cell_in("3W1S", "fr"), cell_in("0", "en")
    ('3O1S', '0')
    """
    return cell.replace("W", "O") if lang == "fr" else cell


def _tokens(text: str) -> list[str]:
    """Returns verbs and sides in one spelling, with letters and numbers separated.

    >>> _tokens("Je pose la tuile N20 en 3 ouest 1 sud"), _tokens("take n20")
    (['place', 'n', '20', '3', 'w', '1', 's'], ['take', 'n', '20'])
    """
    plain = plain_text(text.translate(_MINUS))
    for glued, apart in _NO_SPACE:
        plain = glued.sub(apart, plain)
    found = _TOKEN.findall(plain)
    spoken = (_SPOKEN.get(word, word) for word in found)
    return [VERBS.get(word, word) for word in spoken if word not in FILLERS or word in VERBS]


def _read(tokens: list[str]) -> Move | None:
    typed = {*tokens} - {"claim", "take", "place"}
    if "pass" in typed or typed == {"not"}:
        return Pass() if typed <= {"pass", "turn"} or typed == {"not"} else None
    match tokens:
        case ["take", "claim", *rest] | ["place", "claim", *rest] | ["claim", *rest]:
            return _claim(rest)
        case ["take", *rest]:
            return _take(rest)
        case ["place", *rest]:
            return _place(rest)
        case ["n", _, cell, *_] if cell == "start" or _number(cell):
            return _place(tokens)  # not "N3W1": that may be a cell alone
    return _take(tokens)


def _tile(tokens: list[str]) -> tuple[Tile | None, list[str]]:
    """Returns the tile at the beginning, and what follows it."""
    rest = tokens[1:] if tokens[:1] == ["n"] else tokens
    name = f"N{int(rest[0]):02}" if rest and rest[0].isdigit() else ""
    return (name, rest[1:]) if name in TILES else (None, tokens)


def _take(tokens: list[str]) -> Take | None:
    tile, rest = _tile(tokens)
    return Take(tile) if tile and not rest else None


def _place(tokens: list[str]) -> Place | None:
    tile, rest = _tile(tokens)
    cell, rest = _cell(rest)
    rotation = _rotation(rest)
    return None if tile is None or cell is None or rotation is None else Place(tile, cell, rotation)


def _claim(tokens: list[str]) -> Claim | None:
    cell, rest = _cell([t for t in tokens if t != "claim"])
    side = rest[0].upper() if len(rest) == 1 else ""
    return Claim(f"{cell}.{side}") if cell and side and side in SIDES else None


def _cell(tokens: list[str]) -> tuple[str | None, list[str]]:
    """Returns the cell at the beginning, by its offset or as x and y, and what follows it."""
    match tokens:
        case ["start", *rest]:
            return "0", rest
        case [a, "e" | "w" as across, b, "n" | "s" as along, *rest] if _far(a) and _far(b):
            return _normalise(f"{a}{across}{b}{along}", rest)
        case [a, "n" | "s" as along, b, "e" | "w" as across, *rest] if _far(a) and _far(b):
            return _normalise(f"{b}{across}{a}{along}", rest)
        case [a, "n" | "e" | "s" | "w" as side, *rest] if _far(a):
            return _normalise(f"{a}{side}", rest)
        case ["e" | "w" as across, a, "n" | "s" as along, b, *rest] if _far(a) and _far(b):
            return _normalise(f"{a}{across}{b}{along}", rest)
        case ["n" | "s" as along, a, "e" | "w" as across, b, *rest] if _far(a) and _far(b):
            return _normalise(f"{b}{across}{a}{along}", rest)
        case ["n" | "e" | "s" | "w" as side, a, *rest] if _far(a):
            return _normalise(f"{a}{side}", rest)
        case [x, y, *rest] if _number(x) and _number(y):
            return cell_name(int(x), int(y)), rest
        case ["0", *rest]:
            return "0", rest
    return None, tokens


def _normalise(way: str, rest: list[str]) -> tuple[str, list[str]]:
    y, x = reading(way.upper())
    return cell_name(x, y), rest


def _far(token: str) -> bool:
    return token.isdigit() and 1 <= int(token) <= FARTHEST


def _number(token: str) -> bool:
    return token.lstrip("-").isdigit() and abs(int(token)) <= FARTHEST


_ROTATIONS = {"0": 0, "1": 1, "2": 2, "3": 3, "90": 1, "180": 2, "270": 3}


def _rotation(tokens: list[str]) -> int | None:
    """Returns the quarter turns; none if the text names none."""
    said = [t for t in tokens if t not in ("turn", "rotation")]
    if said in (["half"], ["zero"], ["not"]):
        return 2 if said == ["half"] else 0
    if not said and "rotation" not in tokens:
        return 1 if tokens else 0
    return _ROTATIONS.get(said[0]) if len(said) == 1 else None
