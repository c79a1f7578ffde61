"""The questions and choices of Niigata, addressed to the player."""

from collections.abc import Iterable, Sequence

from pbem.games.niigata.facts import Claim, Pass, Place, State, Take
from pbem.games.niigata.facts_tiles import SAME, Tile, animals_on, cell_name, piece_order, reading
from pbem.games.niigata.notation import cell_in
from pbem.games.niigata.rules import legal, takeable
from pbem.games.niigata.rules_ponds import pond_at, worth
from pbem.games.niigata.words import (
    NO_BREEDER,
    NO_MORE,
    POINT,
    TURNED,
    animals_in,
    closes,
    dice,
    pond_in,
    ponds_to_close,
    say_rotation,
    you_close,
)
from pbem.kit.answers import BLANK, MARKED, MOST_PLACES, TAKEN, Row, rows_of
from pbem.kit.contract import Ask, Candidate, Cell, Move, Pad, Phrase, Step
from pbem.kit.texts import Lang
from pbem.kit.words import OR, T, counted, joined, put_in, say, step


def prompt(ask: Ask, fold: State, lang: Lang) -> Phrase:
    """Returns the rules that bind the seat that is asked."""
    match ask.kind:
        case "pick":
            return say(
                lang,
                f"Prenez une tuile qui va avec les dés ({dice(fold, lang)}), ou passez.",
                f"Take a tile that matches the dice ({dice(fold, lang)}), or pass.",
            )
        case "grab":
            second = bool(fold.hands[ask.seat])
            return say(
                lang,
                f"Dés : {dice(fold, lang)}. Prenez {'encore ' * second}une tuile, ou arrêtez-vous.",
                f"Dice: {dice(fold, lang)}. Grab {'another' if second else 'a'} tile, or stop.",
            )
        case "place":
            hand = joined(map(put_in, fold.hands[ask.seat]), lang, OR)
            return say(
                lang,
                f"Posez {hand} à côté d’une tuile, tournée comme vous voulez.",
                f"Lay {hand} beside a tile, rotated as you like.",
            )
    left = fold.breeders[ask.seat]
    return say(
        lang,
        f"Placez {'votre dernier éleveur' if left == 1 else f'un de vos {left} éleveurs'} sur un bassin clos, "
        "ou gardez-le.",
        f"Place {'your last breeder' if left == 1 else f'one of your {left} breeders'} on a closed pond, or keep it.",
    )


def label(move: Move, fold: State, lang: Lang) -> Phrase:
    """Returns the whole move in a sentence, and its certain consequences."""
    match move:
        case Take(tile):
            what = _COSTS[lang] if _costs(tile, fold) else animals_in(animals_on(tile), lang)
            return say(lang, f"Vous prenez {{{tile}}} : {what}.", f"You take {{{tile}}}: {what}.")
        case Place(tile, cell):
            rotation = SAME[tile][move.rotation]
            done, where = you_close(ponds_to_close(fold, tile, cell, rotation), lang), cell_in(cell, lang)
            if done:  # then there is less room for how it lies, which the board shows
                where += f" ({90 * rotation}°)" * bool(rotation)
            else:
                where += say_rotation(tile, rotation, lang)
            return say(lang, f"Vous posez {{{tile}}} en {where}{done}.", f"You lay {{{tile}}} at {where}{done}.")
        case Claim(piece):
            where, what = _pond(piece, fold, lang)
            return say(
                lang,
                f"Vous placez un éleveur sur le bassin en {where} : {what}.",
                f"You place a breeder on the pond at {where}: {what}.",
            )
    if fold.phase == "claim":
        return say(lang, "Vous gardez vos éleveurs.", "You keep your breeders.")
    return say(lang, "Vous ne prenez plus de tuile ce tour-ci.", "You take no more tiles this round.")


_COSTS = T("elle ne va pas avec les dés et coûte un point", "it does not match the dice and costs a point")


def _costs(tile: str, fold: State) -> bool:
    """Returns whether the tile may be grabbed, but costs a point."""
    return fold.picking == "grab" and fold.phase == "pick" and tile not in takeable(fold)


def _pond(piece: str, fold: State, lang: Lang) -> tuple[str, str]:
    """Returns the place of this piece's pond, and its worth."""
    name = pond_at(fold, piece) or piece
    return pond_in(name, lang), _worth(name, fold, lang)


def _worth(name: str, fold: State, lang: Lang) -> str:
    return counted(worth(fold.ponds[name].animals).points, POINT, lang)


def path(move: Move, fold: State, lang: Lang) -> tuple[Step, ...]:
    """Returns the steps to a move: tile, cell, rotation."""
    match move:
        case Take(tile):
            costs = " (−1)" if _costs(tile, fold) else ""
            text = say(lang, f"Prendre {{{tile}}}{costs}", f"Take {{{tile}}}{costs}")
            return (step(f"take-{tile}", text, lang),)
        case Place(tile, cell):
            rotation = SAME[tile][move.rotation]
            done, turn = closes(ponds_to_close(fold, tile, cell, rotation), lang), TURNED[rotation][lang].capitalize()
            return (
                _lay(tile, lang),
                step(f"at-{cell}", f"{say(lang, 'En', 'At')} {cell_in(cell, lang)}", lang),
                step(f"turn-{rotation}", turn + (say(lang, f" : {done}", f": {done}") if done else ""), lang),
            )
        case Claim(piece):
            name = pond_at(fold, piece) or piece
            where, what = pond_in(name, lang, short=True), _worth(name, fold, lang)
            text = say(lang, f"Bassin {where} : {what}", f"Pond {where}: {what}")
            return (step(f"claim-{name}", text, lang),)
    if fold.phase == "claim":
        return (step("pass", NO_BREEDER[lang], lang),)
    return (step("pass", NO_MORE[lang], lang),)


def _lay(tile: str, lang: Lang) -> Step:
    return step(f"lay-{tile}", say(lang, f"Poser {{{tile}}}", f"Lay {{{tile}}}"), lang)


def candidates(ask: Ask, fold: State, lang: Lang) -> Iterable[Candidate]:
    """Yields the tiles on display, or every pond with animals."""
    if ask.kind in ("pick", "grab"):
        for tile in fold.display:
            yield Candidate(put_in(tile), Take(tile))
    if ask.kind == "claim":
        for name in sorted(fold.ponds, key=piece_order):
            if any(fold.ponds[name].animals):
                yield Candidate(pond_in(name, lang), Claim(name))


# --- in short ----------------------------------------------------------------------------------------------


def pad(ask: Ask, fold: State, lang: Lang) -> Pad:
    """Returns the answers in short: the tiles to take, or to lay; the free ponds."""
    match ask.kind:
        case "place":
            return _pad_of_places(fold.hands[ask.seat], fold, lang)
        case "claim":
            ponds: list[Row] = []
            for move in legal(fold, ask.seat):
                said = say(lang, "Nulle part", "Nowhere")
                if isinstance(move, Claim):
                    where, what = _pond(move.pond, fold, lang)
                    said = say(lang, f"{where} : {what}", f"{where}: {what}")
                ponds.append((Cell(said, path(move, fold, lang)),))
            return Pad(say(lang, "Placez un éleveur en…", "Place a breeder at…"), tuple(ponds))
    may = {move.tile for move in legal(fold, ask.seat) if isinstance(move, Take)}
    tiles = (Cell(_tile(tile, lang), path(Take(tile), fold, lang) if tile in may else None) for tile in fold.display)
    stop = Cell(NO_MORE[lang], path(Pass(), fold, lang))
    said = dice(fold, lang)
    title = say(lang, f"Les dés disent {said}. Prenez…", f"The dice say {said}. Take…")
    return Pad(title, (*rows_of(tiles, 2), (stop,)))


def _pad_of_places(hand: Sequence[Tile], fold: State, lang: Lang) -> Pad:
    """Returns a map on which the first tile can be laid, and the other tile; of a large map, just the tiles."""
    first, *others = hand
    tiles = (Cell(_tile(tile, lang), (_lay(tile, lang),)) for tile in hand)
    if len(fold.frontier) > MOST_PLACES:
        return Pad(say(lang, "Posez…", "Lay…"), rows_of(tiles, 2))
    on_board = say(lang, ", sur le plateau", ", on the board")
    rows = [
        (Cell(_tile(first, lang)),),
        *((Cell(_tile(tile, lang) + on_board, (_lay(tile, lang),)),) for tile in others),
    ]
    note = say(
        lang,
        "■ une tuile, + une case libre, ● une où un bassin peut se fermer.",
        "■ a tile, + a free cell, ● one where a pond can close.",
    )
    return Pad(say(lang, "Posez…", "Lay…"), tuple(rows), note, _map(first, fold, lang))


def _map(tile: Tile, fold: State, lang: Lang) -> tuple[Row, ...]:
    """Returns the map, each free cell a field, between rulers that name its columns and rows."""
    cells = [reading(cell) for cell in (*fold.laid, *fold.frontier)]
    columns = range(min(x for _, x in cells), max(x for _, x in cells) + 1)
    lines: list[Row] = [(BLANK, *(Cell(cell_in(cell_name(x, 0), lang)) for x in columns))]
    for y in range(min(y for y, _ in cells), max(y for y, _ in cells) + 1):
        fields = [Cell(cell_in(cell_name(0, y), lang))]
        for cell in (cell_name(x, y) for x in columns):
            if cell in fold.frontier:
                closes_ = any(ponds_to_close(fold, tile, cell, rotation) for rotation in set(SAME[tile]))
                fields.append(Cell(MARKED if closes_ else "+", path(Place(tile, cell, 0), fold, lang)[:2]))
            else:
                fields.append(TAKEN if cell in fold.laid else BLANK)
        lines.append(tuple(fields))
    return tuple(lines)


def _tile(tile: str, lang: Lang) -> str:
    return f"{{{tile}}} {animals_in(animals_on(tile), lang)}"
