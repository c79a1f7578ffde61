"""What the sentences of Hexen Rennen are made of: places, ways, lists, and why a witch goes no further."""

from collections import Counter
from collections.abc import Iterable

from pbem.games.hexen_rennen.course import occupied
from pbem.games.hexen_rennen.pieces import CLAN_OF, CLANS, COURSE, GOAL, VALUE_OF, State, points
from pbem.kit.contract import Lang

CLAN_NAMES: dict[Lang, tuple[str, ...]] = {
    "fr": ("lune", "champignon", "chat", "chaudron"),
    "en": ("moon", "mushroom", "cat", "cauldron"),
}
AND: dict[Lang, str] = {"fr": " et ", "en": " and "}


def joined(items: Iterable[object], lang: Lang) -> str:
    """The items one after the other, "and" before the last one.

    >>> joined([2, 3, 4], "en")
    '2, 3 and 4'
    """
    texts = [str(item) for item in items]
    return AND[lang].join((", ".join(texts[:-1]), texts[-1])) if len(texts) > 1 else "".join(texts)


def at(place: int, lang: Lang) -> str:
    """Where a witch stands.

    >>> at(12, "fr"), at(0, "en"), at(50, "fr")
    ('en 12', 'at the start', 'à l’arrivée (case 3)')
    """
    fr = lang == "fr"
    if place > COURSE:
        return f"à l’arrivée (case {points(place)})" if fr else f"in the goal (square {points(place)})"
    if place == 0:
        return "au départ" if fr else "at the start"
    return f"en {place}" if fr else f"on {place}"


def standing(three: Iterable[int], lang: Lang) -> str:
    """Where the witches of a seat stand, the foremost first.

    >>> standing((0, 0, 12), "en"), standing((7, 50, 50), "fr")
    ('on 12 and at the start (2)', 'à l’arrivée (case 3) (2) et en 7')
    """
    counted = sorted(Counter(three).items(), reverse=True)
    return joined((at(place, lang) + (f" ({n})" if n > 1 else "") for place, n in counted), lang)


def to(place: int, lang: Lang) -> str:
    """Where a witch goes.

    >>> to(12, "fr"), to(51, "en")
    ('à 12', 'into the goal (square 4)')
    """
    fr = lang == "fr"
    if place > COURSE:
        return f"à l’arrivée (case {points(place)})" if fr else f"into the goal (square {points(place)})"
    return f"à {place}" if fr else f"to {place}"


def way(origin: int, target: int, lang: Lang) -> str:
    """From where to where a witch goes.

    >>> way(10, 13, "fr"), way(0, 4, "en"), way(48, 49, "fr")
    ('de 10 à 13', 'from the start to 4', 'de 48 à l’arrivée (case 2)')
    """
    if lang == "fr":
        return f"{'du départ' if origin == 0 else f'de {origin}'} {to(target, lang)}"
    return f"from {'the start' if origin == 0 else origin} {to(target, lang)}"


def tile_at(fold: State, place: int) -> str | None:
    """The tile that lies face up here."""
    return fold.shown[place - 1] if 1 <= place <= COURSE else None


def on(fold: State, place: int) -> str:
    """The tile that lies face up here, as an addition."""
    tile = tile_at(fold, place)
    return f" ({{{tile}}})" if tile else ""


def symbol(clan: int) -> str:
    """The magic symbol of a clan, as a placeholder.

    >>> symbol(1)
    '{BS}'
    """
    return f"{{{CLANS[clan]}S}}"


def halted(fold: State, lang: Lang) -> str:
    """Why the number of her own clan does not carry the witch on, as a sentence; "" where it does or is none."""
    tile = tile_at(fold, fold.witch or 0)
    if tile is None or fold.witch is None or CLAN_OF[tile] != fold.active or not VALUE_OF[tile]:
        return ""
    target = fold.witch + VALUE_OF[tile]
    if target > (GOAL if fold.goal_by_tile else COURSE):
        if lang == "fr":
            return " Ce nombre mènerait trop loin : la sorcière reste."
        return " This number would lead too far: the witch stays."
    if target not in occupied(fold):
        return ""
    if lang == "fr":
        return f" La tuile {target} est occupée : la sorcière reste."
    return f" Tile {target} is occupied: the witch stays."


def staged(stages: Iterable[Iterable[int | None]], lang: Lang) -> str:
    """The numbers of each stage.

    >>> staged(((2, 3, 4), (5, 6, 7), (8, 9, 10)), "en")
    'stage 1: 2, 3, 4; stage 2: 5, 6, 7; stage 3: 8, 9, 10'
    """
    word, colon, semicolon = ("étape", " : ", " ; ") if lang == "fr" else ("stage", ": ", "; ")
    return semicolon.join(f"{word} {i}{colon}{', '.join(map(str, numbers))}" for i, numbers in enumerate(stages, 1))
