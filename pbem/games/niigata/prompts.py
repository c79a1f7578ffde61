"""The questions and choices of Niigata, said to the player."""

from collections.abc import Iterable

from pbem.games.niigata.facts import Claim, Pass, Place, State, Take
from pbem.games.niigata.facts_tiles import SAME, shown
from pbem.games.niigata.notation import cell_in
from pbem.games.niigata.rules import takeable
from pbem.games.niigata.rules_ponds import pond_at
from pbem.games.niigata.words import animals_in, closed_by, closes, dice, pond_in, pond_worth, turned
from pbem.kit.contract import Ask, Lang, Move, Phrase, Step
from pbem.kit.words import OR, T, joined, put_in, say, step

_TURN_STEPS = (
    T("Sans tourner", "Not turned"),
    T("Un quart de tour", "A quarter turn"),
    T("Un demi-tour", "A half turn"),
    T("Trois quarts de tour", "Three quarter turns"),
)


def prompt(ask: Ask, fold: State, lang: Lang) -> Phrase:
    """What binds the seat that is asked."""
    match ask.kind:
        case "pick":
            good = _or((tile for tile in fold.display if tile in takeable(fold)), lang)
            return say(
                lang,
                fr=f"Les dés disent {dice(fold, lang)}. Prenez {good}, ou passez jusqu’au prochain tour.",
                en=f"The dice say {dice(fold, lang)}. Take {good}, or pass until the next round.",
            )
        case "grab":
            second = bool(fold.hands[ask.seat])
            return say(
                lang,
                fr=f"Les dés disent {dice(fold, lang)}. Prenez {'encore ' * second}une tuile avant les autres, ou "
                "arrêtez-vous. Une tuile qui ne va pas avec les dés coûte un point.",
                en=f"The dice say {dice(fold, lang)}. Grab {'another' if second else 'a'} tile before the others do, "
                "or stop. A tile that does not go with the dice costs a point.",
            )
        case "place":
            hand = _or(fold.hands[ask.seat], lang)
            return say(
                lang,
                fr=f"Posez {hand} dans une case vide qui touche une tuile, tournée comme vous voulez.",
                en=f"Lay {hand} into an empty cell that touches a tile, turned as you like.",
            )
    return _prompt_claim(fold.breeders[ask.seat], len(fold.free), lang)


def _prompt_claim(left: int, free: int, lang: Lang) -> str:
    breeders = say(
        lang,
        fr="Il vous reste un éleveur" if left == 1 else f"Il vous reste {left} éleveurs",
        en="You have one breeder left" if left == 1 else f"You have {left} breeders left",
    )
    ponds = say(
        lang,
        fr="un bassin clos est libre" if free == 1 else f"{free} bassins clos sont libres",
        en="one closed pond is free" if free == 1 else f"{free} closed ponds are free",
    )
    return say(
        lang,
        fr=f"{breeders} et {ponds} : mettez-y un éleveur, ou gardez-le pour un meilleur bassin.",
        en=f"{breeders} and {ponds}: put a breeder there, or keep it for a better pond.",
    )


def _or(names: Iterable[str], lang: Lang) -> str:
    return joined(map(put_in, names), lang, OR)


def label(move: Move, fold: State, lang: Lang) -> Phrase:
    """The whole move in a sentence, and what follows from it for certain."""
    match move:
        case Take(tile):
            what = animals_in(shown(tile), lang)
            text = say(lang, fr=f"Vous prenez {{{tile}}} : {what}.", en=f"You take {{{tile}}}: {what}.")
            return text + _costs(tile, fold, lang)
        case Pass() if fold.phase == "claim":
            return say(lang, fr="Vous gardez vos éleveurs.", en="You keep your breeders.")
        case Pass():
            return say(lang, fr="Vous ne prenez plus de tuile ce tour-ci.", en="You take no more tiles this round.")
        case Place(tile, cell):
            rotation = SAME[tile][move.rotation]
            done = closes(closed_by(fold, tile, cell, rotation), lang)
            where = cell_in(cell, lang) + turned(tile, rotation, lang)
            text = say(lang, fr=f"Vous posez {{{tile}}} en {where}.", en=f"You lay {{{tile}}} at {where}.")
            return text + (say(lang, fr=f" Elle {done}.", en=f" It {done}.") if done else "")
        case Claim(piece):
            where, what = _pond(piece, fold, lang)
            return say(
                lang,
                fr=f"Vous mettez un éleveur sur le bassin en {where} : {what}.",
                en=f"You put a breeder on the pond at {where}: {what}.",
            )
    raise TypeError(f"{move} is no move of Niigata")


def _costs(tile: str, fold: State, lang: Lang) -> str:
    if fold.phase != "pick" or tile in takeable(fold):
        return ""
    return say(
        lang,
        fr=" Elle ne va pas avec les dés : un point de moins.",
        en=" It does not go with the dice: one point less.",
    )


def _pond(piece: str, fold: State, lang: Lang) -> tuple[str, str]:
    """Where the pond of this piece lies, and what lives in it."""
    name = pond_at(fold, piece) or piece
    return pond_in(name, lang), pond_worth(fold, name, lang)


def path(move: Move, fold: State, lang: Lang) -> tuple[Step, ...]:
    """The steps to a move: tile, cell, rotation."""
    match move:
        case Take(tile):
            what = animals_in(shown(tile), lang)
            if _costs(tile, fold, lang):
                what += say(lang, fr=" ; coûte un point", en="; costs a point")
            text = say(lang, fr=f"Prendre {{{tile}}} : {what}", en=f"Take {{{tile}}}: {what}")
            return (step(f"take-{tile}", text, lang),)
        case Pass() if fold.phase == "claim":
            return (step("pass", say(lang, fr="Pas d’éleveur", en="No breeder"), lang),)
        case Pass():
            return (step("pass", say(lang, fr="Ne plus prendre de tuile", en="Take no more tiles"), lang),)
        case Place(tile, cell):
            rotation = SAME[tile][move.rotation]
            done, turn = closes(closed_by(fold, tile, cell, rotation), lang), _TURN_STEPS[rotation][lang]
            return (
                step(f"lay-{tile}", say(lang, fr=f"Poser {{{tile}}}", en=f"Lay {{{tile}}}"), lang),
                step(f"at-{cell}", f"{say(lang, fr='En', en='At')} {cell_in(cell, lang)}", lang),
                step(f"turn-{rotation}", turn + (say(lang, fr=f" : {done}", en=f": {done}") if done else ""), lang),
            )
        case Claim(piece):
            where, what = _pond(piece, fold, lang)
            text = say(lang, fr=f"Éleveur en {where} : {what}", en=f"Breeder at {where}: {what}")
            return (step(f"claim-{pond_at(fold, piece) or piece}", text, lang),)
    raise TypeError(f"{move} is no move of Niigata")
