"""The questions and choices of Niigata, addressed to the player."""

from collections.abc import Iterable, Sequence

from pbem.games.niigata.facts import Claim, Pass, Place, State, Take
from pbem.games.niigata.facts_tiles import SAME, Tile, animals_on, cell_name, piece_order, reading
from pbem.games.niigata.notation import cell_in
from pbem.games.niigata.rules import legal, takeable
from pbem.games.niigata.rules_ponds import pond_at
from pbem.games.niigata.words import TURNED, animals_in, closes, dice, pond_in, pond_worth, ponds_to_close, say_rotation
from pbem.kit.answers import BLANK, MARKED, MOST_PLACES, TAKEN, Row, rows_of
from pbem.kit.contract import Ask, Candidate, Cell, Move, Pad, Phrase, Step
from pbem.kit.texts import Lang
from pbem.kit.words import OR, joined, put_in, say, step


def prompt(ask: Ask, fold: State, lang: Lang) -> Phrase:
    """Returns the rules that bind the seat that is asked."""
    match ask.kind:
        case "pick":
            return say(
                lang,
                f"Prenez une tuile qui va avec les dés ({dice(fold, lang)}), ou passez jusqu’au prochain tour.",
                f"Take a tile that matches the dice ({dice(fold, lang)}), or pass until the next round.",
            )
        case "grab":
            second = bool(fold.hands[ask.seat])
            return say(
                lang,
                f"Les dés disent {dice(fold, lang)}. Prenez {'encore ' * second}une tuile avant les autres, ou "
                "arrêtez-vous. Une tuile qui ne va pas avec les dés coûte un point.",
                f"The dice say {dice(fold, lang)}. Grab {'another' if second else 'a'} tile before the others do, "
                "or stop. A tile that does not match the dice costs a point.",
            )
        case "place":
            hand = joined(map(put_in, fold.hands[ask.seat]), lang, OR)
            return say(
                lang,
                f"Posez {hand} dans une case vide qui touche une tuile, tournée comme vous voulez.",
                f"Lay {hand} into an empty cell that touches a tile, rotated as you like.",
            )
    return _prompt_claim(fold.breeders[ask.seat], len(fold.free), lang)


def _prompt_claim(left: int, free: int, lang: Lang) -> str:
    breeders = say(
        lang,
        "Il vous reste un éleveur" if left == 1 else f"Il vous reste {left} éleveurs",
        "You have one breeder left" if left == 1 else f"You have {left} breeders left",
    )
    ponds = say(
        lang,
        "un bassin clos est libre" if free == 1 else f"{free} bassins clos sont libres",
        "one closed pond is free" if free == 1 else f"{free} closed ponds are free",
    )
    return say(
        lang,
        f"{breeders} et {ponds} : placez-y un éleveur, ou gardez-le pour un meilleur bassin.",
        f"{breeders} and {ponds}: place a breeder there, or keep it for a better pond.",
    )


def label(move: Move, fold: State, lang: Lang) -> Phrase:
    """Returns the whole move in a sentence, and its certain consequences."""
    match move:
        case Take(tile):
            what = animals_in(animals_on(tile), lang)
            text = say(lang, f"Vous prenez {{{tile}}} : {what}.", f"You take {{{tile}}}: {what}.")
            return text + _costs(tile, fold, lang)
        case Place(tile, cell):
            rotation = SAME[tile][move.rotation]
            done = closes(ponds_to_close(fold, tile, cell, rotation), lang)
            where = cell_in(cell, lang) + say_rotation(tile, rotation, lang)
            text = say(lang, f"Vous posez {{{tile}}} en {where}.", f"You lay {{{tile}}} at {where}.")
            return text + (say(lang, f" Elle {done}.", f" It {done}.") if done else "")
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


def _costs(tile: str, fold: State, lang: Lang) -> str:
    if fold.phase != "pick" or tile in takeable(fold):
        return ""
    return say(
        lang, " Elle ne va pas avec les dés : un point de moins.", " It does not match the dice: one point less."
    )


def _pond(piece: str, fold: State, lang: Lang) -> tuple[str, str]:
    """Returns the place of this piece's pond, and the animals in it."""
    name = pond_at(fold, piece) or piece
    return pond_in(name, lang), pond_worth(fold, name, lang)


def path(move: Move, fold: State, lang: Lang) -> tuple[Step, ...]:
    """Returns the steps to a move: tile, cell, rotation."""
    match move:
        case Take(tile):
            what = animals_in(animals_on(tile), lang)
            if _costs(tile, fold, lang):
                what += say(lang, " ; coûte un point", "; costs a point")
            text = say(lang, f"Prendre {{{tile}}} : {what}", f"Take {{{tile}}}: {what}")
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
            where, what = _pond(piece, fold, lang)
            text = say(lang, f"Éleveur en {where} : {what}", f"Breeder at {where}: {what}")
            return (step(f"claim-{pond_at(fold, piece) or piece}", text, lang),)
    if fold.phase == "claim":
        return (step("pass", say(lang, "Pas d’éleveur", "No breeder"), lang),)
    return (step("pass", say(lang, "Ne plus prendre de tuile", "Take no more tiles"), lang),)


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
    stop = Cell(say(lang, "Ne plus prendre de tuile", "Take no more tiles"), path(Pass(), fold, lang))
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
