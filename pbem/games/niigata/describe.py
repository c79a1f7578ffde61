"""The board of Niigata in words: enough to play from a mail without pictures."""

from pbem.games.niigata.cells import SIDES, piece_order, reading
from pbem.games.niigata.facts import State
from pbem.games.niigata.notation import cell_in
from pbem.games.niigata.ponds import in_order, points_of
from pbem.games.niigata.rules import takeable
from pbem.games.niigata.tiles import PRINTED, count
from pbem.games.niigata.words import (
    AND,
    animals_in,
    dice,
    joined,
    points,
    pond_in,
    pond_worth,
)
from pbem.kit.contract import Lang, Phrase, Viewer
from pbem.kit.notation import french, seat_letter


def describe(fold: State, viewer: Viewer, lang: Lang) -> tuple[Phrase, ...]:
    """The position, a line each: this round, everybody, the tiles, the ponds."""
    order = [((viewer or 0) + step) % fold.seats for step in range(fold.seats)]
    lines = [
        *_round(fold, lang),
        _whose_turn(fold, lang),
        *(_seat(fold, seat, viewer, lang) for seat in order),
        *_map(fold, lang),
        *_closed(fold, lang),
        *_open(fold, lang),
    ]
    return tuple(map(french, lines)) if lang == "fr" else tuple(lines)


def _round(fold: State, lang: Lang) -> list[str]:
    fr = lang == "fr"
    left = len(fold.stock)
    stock = f"Pioche : {left}." if fr else f"Stock: {left}."
    if not fold.round or fold.over:
        return [stock]
    lines = [
        f"Tour {fold.round} : {{{fold.thrower}}} a lancé les dés, {dice(fold, lang)}. {stock}"
        if fr
        else f"Round {fold.round}: {{{fold.thrower}}} threw the dice, {dice(fold, lang)}. {stock}"
    ]
    good = takeable(fold)
    for tile in fold.display:
        what = f"{{{tile}}} ({waters(tile, lang)})"
        if fr:
            lines.append(f"À prendre : {what}{'' if tile in good else ' ; ne va pas avec les dés'}.")
        else:
            lines.append(f"On display: {what}{'' if tile in good else '; does not go with the dice'}.")
    return lines


def waters(tile: str, lang: Lang) -> str:
    """Each water of a tile that is not turned: the sides that it reaches and what lives in it. The rest is border.

    >>> waters("N70", "en"), waters("N01", "fr")
    ('water N+E: 1 white and 1 yellow; S: 1 yellow and 1 wader', 'eau N : 1 échassier')
    """
    edges, living = PRINTED[tile]
    said = []
    for letter, animals in zip(sorted({*edges} - {"."}), living, strict=True):
        sides = "+".join(side for side, edge in zip(SIDES, edges, strict=True) if edge == letter)
        said.append(f"{cell_in(sides, lang)}{' : ' if lang == 'fr' else ': '}{animals_in(count(animals), lang)}")
    return f"eau {' ; '.join(said)}" if lang == "fr" else f"water {'; '.join(said)}"


def _whose_turn(fold: State, lang: Lang) -> str:
    fr = lang == "fr"
    if fold.over:
        won = joined((f"{{{seat}}}" for seat in fold.winners), AND[lang])
        if fr:
            return f"La partie est finie, {won} {'a' if len(fold.winners) == 1 else 'ont'} gagné."
        return f"The match is over, {won} won."
    if fold.active is None:
        if fold.phase == "pick":
            return "Tous prennent des tuiles à la fois." if fr else "Everybody grabs tiles at once."
        return "Le tour est fini." if fr else "The round is over."
    who = f"{{{fold.active}}}"
    if fr:
        said = {"pick": f"À {who} de prendre une tuile.", "place": f"À {who} de poser une tuile."}
        return said.get(fold.phase, f"{who} peut mettre un éleveur.")
    said = {"pick": f"{who} is to take a tile.", "place": f"{who} is to lay a tile."}
    return said.get(fold.phase, f"{who} may put down a breeder.")


def _seat(fold: State, seat: int, viewer: Viewer, lang: Lang) -> str:
    fr = lang == "fr"
    letter, you = seat_letter(seat), seat == viewer
    left, total = fold.breeders[seat], points(points_of(fold, seat), lang)
    hand = "".join(f", {{{tile}}} ({waters(tile, lang)})" for tile in fold.hands[seat])
    if fold.phase == "pick" and fold.passed[seat]:
        hand += ", ne prend plus de tuile" if fr else ", takes no more tiles"
    wasted = fold.wasted[seat]
    if fr:
        who = f"{{{seat}}} (place {letter}{', vous' * you})"
        lost = f", {wasted} tuile{'s' * (wasted > 1)} gâchée{'s' * (wasted > 1)}" * bool(wasted)
        return f"{who} : {total}, {left} éleveur{'s' * (left > 1)} à placer{lost}{hand}."
    who = f"{{{seat}}} (seat {letter}{', you' * you})"
    lost = f", {wasted} tile{'s' * (wasted != 1)} wasted" * bool(wasted)
    return f"{who}: {total}, {left} breeder{'s' * (left != 1)} left{lost}{hand}."


def _map(fold: State, lang: Lang) -> list[str]:
    """The tiles row by row from the north, each with its quarter turns."""
    rows: dict[int, list[str]] = {}
    for cell in in_order(fold.laid):
        laid = fold.laid[cell]
        turn = f" r{laid.rotation}" if laid.rotation else ""
        rows.setdefault(reading(cell)[0], []).append(f"{cell_in(cell, lang)} {{{laid.tile}}}{turn}")
    start = "Rangée : " if lang == "fr" else "Row: "
    return [f"{start}{', '.join(row)}." for row in rows.values()]


def _closed(fold: State, lang: Lang) -> list[str]:
    """The closed ponds, the free ones first."""
    fr = lang == "fr"
    lines = []
    for name in sorted(fold.free, key=piece_order):
        where, what = pond_in(fold, name, lang), pond_worth(fold, name, lang)
        lines.append(f"Bassin clos et libre en {where} : {what}." if fr else f"Free closed pond at {where}: {what}.")
    for name in sorted((n for n, p in fold.ponds.items() if p.owner is not None), key=piece_order):
        where, what, owner = pond_in(fold, name, lang), pond_worth(fold, name, lang), fold.ponds[name].owner
        lines.append(f"Bassin de {{{owner}}} en {where} : {what}." if fr else f"{{{owner}}}’s pond at {where}: {what}.")
    return lines


def _open(fold: State, lang: Lang) -> list[str]:
    """The open ponds with the empty cells that they open on."""
    fr = lang == "fr"
    mouths: dict[str, list[str]] = {}
    for cell in in_order(fold.frontier):
        for side, name in enumerate(fold.frontier[cell]):
            if name in fold.ponds:
                mouths.setdefault(name, []).append(_mouth(cell, side, lang))
    lines = []
    for name in sorted(mouths, key=piece_order):
        what, to = pond_worth(fold, name, lang), ", ".join(mouths[name])
        lines.append(f"Bassin ouvert : {what} ; il donne sur {to}." if fr else f"Open pond: {what}; it opens on {to}.")
    return lines or ["Aucun bassin ouvert." if fr else "No open pond."]


_MOUTHS = {
    "fr": ("eau au nord", "eau à l’est", "eau au sud", "eau à l’ouest"),
    "en": ("water to the north", "water to the east", "water to the south", "water to the west"),
}


def _mouth(cell: str, side: int, lang: Lang) -> str:
    """An empty cell, and the side of it where the water is."""
    return f"{cell_in(cell, lang)} ({_MOUTHS[lang][side]})"
