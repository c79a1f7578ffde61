"""The board of Niigata in words."""

from collections.abc import Iterator

from pbem.games.niigata import facts_tiles as tiles
from pbem.games.niigata import words
from pbem.games.niigata.facts_state import State, tiles_matching_dice
from pbem.games.niigata.rules_ponds import cells_in_reading_order, points_of_seat
from pbem.games.niigata.words import POINT, animals_and_worth_in_words, animals_in_words, place_of_pond_in_words
from pbem.kit.contract import Phrase, Viewer
from pbem.kit.texts import Lang
from pbem.kit.words import T, counted, say, seat_and_place, seats_joined, seen_from


def describe(fold: State, viewer: Viewer, lang: Lang, *, over: bool) -> list[Phrase]:
    """Returns the position, line by line: this round, everybody, the tiles, the ponds."""
    return [
        *_round_and_display_in_words(fold, lang, over=over),
        _turn_or_winner_in_words(fold, lang, over=over),
        *(_seat_in_words(fold, seat, viewer, lang, over=over) for seat in seen_from(viewer, fold.seats)),
        *_map_in_words(fold, lang),
        *_all_closed_ponds_in_words(fold, lang),
        *_open_ponds_in_words(fold, lang),
    ]


def _round_and_display_in_words(fold: State, lang: Lang, *, over: bool) -> Iterator[str]:
    left = len(fold.stock)
    stock = say(lang, f"Pioche : {left}.", f"Stock: {left}.")
    if not fold.round or fold.over or over:
        yield stock
        return
    fr = f"Tour {fold.round} : {{{fold.thrower}}} a lancé les dés, {words.dice_in_words(fold, lang)}. {stock}"
    yield say(
        lang, fr, f"Round {fold.round}: {{{fold.thrower}}} rolled the dice, {words.dice_in_words(fold, lang)}. {stock}"
    )
    good = tiles_matching_dice(fold)
    for tile in fold.display:
        what = f"{{{tile}}} ({waters_of_tile_in_words(tile, lang)})"
        fr = f"À prendre : {what}{'' if tile in good else ' ; ne va pas avec les dés'}."
        yield say(lang, fr, f"On display: {what}{'' if tile in good else '; does not match the dice'}.")


def waters_of_tile_in_words(tile: str, lang: Lang) -> str:
    """Returns the waters of an unrotated tile: the sides each reaches and the animals in it. The rest is border.

    >>> waters_of_tile_in_words("N70", "en"), waters_of_tile_in_words("N01", "fr")
    ('water N+E: 1 white and 1 yellow; S: 1 yellow and 1 heron', 'eau N : 1 échassier')
    """
    edges, living = tiles.PRINTED[tile]
    parts = []
    for letter, animals in zip(sorted({*edges} - {"."}), living, strict=True):
        sides = "+".join(side for side, edge in zip(tiles.SIDES, edges, strict=True) if edge == letter)
        parts.append((tiles.cell_in_language(sides, lang), animals_in_words(tiles.count_animals(animals), lang)))
    fr = "eau " + " ; ".join(f"{sides} : {animals}" for sides, animals in parts)
    return say(lang, fr, "water " + "; ".join(f"{sides}: {animals}" for sides, animals in parts))


def _turn_or_winner_in_words(fold: State, lang: Lang, *, over: bool) -> str:
    if fold.over:
        won, alone = seats_joined(fold.winners, lang), len(fold.winners) == 1
        return say(
            lang, f"La partie est finie, {won} {'a' if alone else 'ont'} gagné.", f"The match is over, {won} won."
        )
    if over:
        return ""
    if fold.active is None:
        if fold.phase == "pick":
            return say(lang, "Tous prennent des tuiles à la fois.", "Everyone grabs tiles at once.")
        return say(lang, "Le tour est fini.", "The round is over.")
    who = f"{{{fold.active}}}"
    match fold.phase:
        case "pick":
            return say(lang, f"À {who} de prendre une tuile.", f"{who} is to take a tile.")
        case "place":
            return say(lang, f"À {who} de poser une tuile.", f"{who} is to lay a tile.")
    return say(lang, f"{who} peut placer un éleveur.", f"{who} may place a breeder.")


_BREEDER = (T("éleveur à placer", "breeder left"), T("éleveurs à placer", "breeders left"))
_WASTED = (T("tuile gâchée", "tile wasted"), T("tuiles gâchées", "tiles wasted"))


def _seat_in_words(fold: State, seat: int, viewer: Viewer, lang: Lang, *, over: bool) -> str:
    who, total = seat_and_place(seat, viewer, lang), counted(points_of_seat(fold, seat), POINT, lang)
    left, wasted = fold.breeders[seat], fold.wasted[seat]
    breeders, lost = counted(left, _BREEDER, lang), f", {counted(wasted, _WASTED, lang)}"
    hand = "".join(f", {{{tile}}} ({waters_of_tile_in_words(tile, lang)})" for tile in fold.hands[seat])
    if fold.phase == "pick" and fold.passed[seat] and not over:
        hand += say(lang, ", ne prend plus de tuile", ", takes no more tiles")
    return f"{who}{say(lang, ' :', ':')} {total}, {breeders}{lost * bool(wasted)}{hand}."


def _map_in_words(fold: State, lang: Lang) -> list[str]:
    """Lists the tiles row by row from the north, each with its quarter turns."""
    rows: dict[int, list[str]] = {}
    for cell in cells_in_reading_order(fold.laid):
        laid = fold.laid[cell]
        turn = f" r{laid.rotation}" if laid.rotation else ""
        rows.setdefault(tiles.reading_order_key(cell)[0], []).append(
            f"{tiles.cell_in_language(cell, lang)} {{{laid.tile}}}{turn}"
        )
    return [f"{say(lang, 'Rangée :', 'Row:')} {', '.join(row)}." for row in rows.values()]


def _all_closed_ponds_in_words(fold: State, lang: Lang) -> Iterator[str]:
    """Lists the closed ponds, the free ones first."""
    owned = (name for name, pond in fold.ponds.items() if pond.owner is not None)
    for name in (*sorted(fold.free, key=tiles.piece_order_key), *sorted(owned, key=tiles.piece_order_key)):
        where, what, owner = (
            place_of_pond_in_words(name, lang),
            animals_and_worth_in_words(fold, name, lang),
            fold.ponds[name].owner,
        )
        if owner is None:
            yield say(lang, f"Bassin clos et libre en {where} : {what}.", f"Free closed pond at {where}: {what}.")
        else:
            yield say(lang, f"Bassin de {{{owner}}} en {where} : {what}.", f"{{{owner}}}’s pond at {where}: {what}.")


_MOUTHS = (
    T("eau au nord", "water to the north"),
    T("eau à l’est", "water to the east"),
    T("eau au sud", "water to the south"),
    T("eau à l’ouest", "water to the west"),
)


def _open_ponds_in_words(fold: State, lang: Lang) -> list[str]:
    """Lists the open ponds with the empty cells next to them, and the side of each cell where the water is."""
    mouths: dict[str, list[str]] = {}
    for cell in cells_in_reading_order(fold.frontier):
        for side, name in enumerate(fold.frontier[cell]):
            if name in fold.ponds:
                mouths.setdefault(name, []).append(f"{tiles.cell_in_language(cell, lang)} ({_MOUTHS[side][lang]})")
    lines = []
    for name in sorted(mouths, key=tiles.piece_order_key):
        what, to = animals_and_worth_in_words(fold, name, lang), ", ".join(mouths[name])
        lines.append(say(lang, f"Bassin ouvert : {what} ; il donne sur {to}.", f"Open pond: {what}; it opens on {to}."))
    return lines or [say(lang, "Aucun bassin ouvert.", "No open pond.")]
