"""The answers of Niigata in short, as mails list them: the tiles to take, or to lay; the free ponds."""

from collections.abc import Sequence

from pbem.games.niigata import words
from pbem.games.niigata.facts import PASS, Claim, Place, Take, lay_step
from pbem.games.niigata.facts_state import State, is_taking_compulsory
from pbem.games.niigata.facts_tiles import SAME, Tile, animals_on_tile, cell_in_language, cell_name, reading_order_key
from pbem.kit.answers import BLANK, MARKED, MOST_PLACES, TAKEN, Row, rows_of
from pbem.kit.contract import Ask, Cell, Pad
from pbem.kit.texts import Lang
from pbem.kit.words import say


def pad(ask: Ask, fold: State, lang: Lang) -> Pad:
    """Returns the answers in short: the tiles to take, or to lay; the free ponds."""
    match ask.kind:
        case "place":
            return _pad_for_laying_tiles(fold.hands[ask.seat], fold, lang)
        case "claim":
            title = say(lang, "Placez un éleveur en…", "Place a breeder at…")
            nowhere = Cell(say(lang, "Nulle part", "Nowhere"), PASS.path(fold, lang))
            return Pad(
                title, (*((_pad_cell_of_pond(move, fold, lang),) for move in Claim.every(fold, ask.seat)), (nowhere,))
            )
    may = Take.legal(fold, ask.seat)
    tiles = (
        Cell(_tile_in_words(move.tile, lang), move.path(fold, lang) if move in may else None)
        for move in Take.every(fold, ask.seat)
    )
    said = words.dice_in_words(fold, lang)
    stop = () if is_taking_compulsory(fold) else ((Cell(words.NO_MORE[lang], PASS.path(fold, lang)),),)
    title = say(lang, f"Les dés disent {said}. Prenez…", f"The dice say {said}. Take…")
    return Pad(title, (*rows_of(tiles, 2), *stop))


def _pad_cell_of_pond(move: Claim, fold: State, lang: Lang) -> Cell:
    where, what = (
        words.place_of_pond_in_words(move.name_of_claimed_pond(fold), lang),
        words.worth_in_words(fold, move.name_of_claimed_pond(fold), lang),
    )
    return Cell(say(lang, f"{where} : {what}", f"{where}: {what}"), move.path(fold, lang))


def _tile_in_words(tile: str, lang: Lang) -> str:
    return f"{{{tile}}} {words.animals_in_words(animals_on_tile(tile), lang)}"


def _pad_for_laying_tiles(hand: Sequence[Tile], fold: State, lang: Lang) -> Pad:
    """Returns a map on which the first tile can be laid, and the other tile; of a large map, just the tiles."""
    title, (first, *others) = say(lang, "Posez…", "Lay…"), hand
    if len(fold.frontier) > MOST_PLACES:
        return Pad(title, rows_of((Cell(_tile_in_words(tile, lang), (lay_step(tile, lang),)) for tile in hand), 2))
    on_board = say(lang, ", sur le plateau", ", on the board")
    rows = ((Cell(_tile_in_words(tile, lang) + on_board, (lay_step(tile, lang),)),) for tile in others)
    fr = "■ une tuile, + une case libre, ● une où un bassin peut se fermer."
    note = say(lang, fr, "■ a tile, + a free cell, ● one where a pond can close.")
    return Pad(title, ((Cell(_tile_in_words(first, lang)),), *rows), note, _rows_of_map(first, fold, lang))


def _rows_of_map(tile: Tile, fold: State, lang: Lang) -> tuple[Row, ...]:
    """Returns the map, each free cell a field, between rulers that name its columns and rows."""
    cells = [reading_order_key(cell) for cell in (*fold.laid, *fold.frontier)]
    columns = range(min(x for _, x in cells), max(x for _, x in cells) + 1)
    lines: list[Row] = [(BLANK, *(Cell(cell_in_language(cell_name(x, 0), lang)) for x in columns))]
    for y in range(min(y for y, _ in cells), max(y for y, _ in cells) + 1):
        fields = [Cell(cell_in_language(cell_name(0, y), lang))]
        for cell in (cell_name(x, y) for x in columns):
            if cell in fold.frontier:
                closes = any(
                    words.animals_of_ponds_to_close(fold, tile, cell, rotation) for rotation in set(SAME[tile])
                )
                fields.append(Cell(MARKED if closes else "+", Place(tile, cell).path(fold, lang)[:2]))
            else:
                fields.append(TAKEN if cell in fold.laid else BLANK)
        lines.append(tuple(fields))
    return tuple(lines)
