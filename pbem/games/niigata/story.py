"""The story of Niigata: every event in the third person, in both languages."""

from pbem.games.niigata.facts import (
    Claimed,
    Ended,
    LaidOut,
    Passed,
    PickingEnded,
    Placed,
    State,
    Taken,
    Thrown,
    Waste,
)
from pbem.games.niigata.notation import cell_in
from pbem.games.niigata.words import AND, DIE, closed_by, closes, joined, points, pond_in, pond_worth, tiles, turned
from pbem.kit.contract import Event, Lang, Phrase
from pbem.kit.notation import french


def tell(event: Event, before: State | None, lang: Lang) -> Phrase:
    """Narrates an event, from the fold before it."""
    return french(_tell_fr(event, before)) if lang == "fr" else _tell_en(event, before)


def _tell_fr(event: Event, before: State | None) -> Phrase:
    match event:
        case LaidOut(_, picking, thrower, stock):
            how = "chacun à son tour" if picking == "turns" else "tous à la fois"
            return (
                f"La tuile de départ est posée, {len(stock)} tuiles sont dans la pioche ; on choisit {how}. "
                f"{{{thrower}}} fait le plus haut jet et lance les dés."
            )
        case Thrown(seat, colour, number, display):
            shown = f"Sur la table : {tiles(display, 'fr')}."
            return f"{{{seat}}} lance les dés : {DIE['fr'][colour]} et {number}. {shown}"
        case Taken(seat, tile):
            return f"{{{seat}}} prend {{{tile}}}."
        case Passed(seat):
            if before and before.phase == "claim":
                return f"{{{seat}}} garde ses éleveurs."
            return f"{{{seat}}} ne prend plus de tuile."
        case PickingEnded():
            return _picking_ended_fr(event, before)
        case Placed(seat, tile, cell, rotation):
            done = closes(closed_by(before, tile, cell, rotation), "fr") if before else ""
            how = turned(tile, rotation, "fr")
            return f"{{{seat}}} pose {{{tile}}} en {cell_in(cell, 'fr')}{how}{_and(how, done, 'fr')}."
        case Claimed(seat, pond):
            what = f" : {pond_worth(before, pond, 'fr')}" if before else ""
            where = pond_in(before, pond, "fr") if before else ""
            return f"{{{seat}}} met un éleveur sur le bassin en {where}{what}."
        case Ended(reason, scores, winners):
            why = "Tous les éleveurs sont placés" if reason == "breeders" else "La pioche est épuisée"
            all_points = ", ".join(f"{{{seat}}} {points(number, 'fr')}" for seat, number in enumerate(scores))
            won = joined((f"{{{seat}}}" for seat in winners), AND["fr"])
            return f"{why} : {all_points}. {won} {'gagne' if len(winners) == 1 else 'gagnent ensemble'}."
    return ""


def _and(how: str, done: str, lang: Lang) -> str:
    """What is done besides; a comma closes what a comma opened."""
    return f"{',' * bool(how)}{AND[lang]}{done}" if done else ""


def _picking_ended_fr(event: PickingEnded, before: State | None) -> str:
    left = tiles(event.discarded, "fr")
    if before and not any(before.hands) and not any(before.passed):
        return f"Aucune tuile ne va avec les dés : {left} {_away_fr(event)}."
    said = [_wasted(waste, "fr") for waste in event.wasted]
    if event.discarded:
        said.append(f"{left} {_away_fr(event)}.")
    return " ".join(said)


def _away_fr(event: PickingEnded) -> str:
    return "est défaussée" if len(event.discarded) == 1 else "sont défaussées"


def _wasted(waste: Waste, lang: Lang) -> str:
    if lang == "fr":
        return f"{{{waste.tile}}} ne va pas avec les dés : elle va sur la pile de gâchis de {{{waste.seat}}}."
    return f"{{{waste.tile}}} does not go with the dice: it goes on {{{waste.seat}}}’s waste pile."


def _tell_en(event: Event, before: State | None) -> Phrase:
    match event:
        case LaidOut(_, picking, thrower, stock):
            how = "in turn" if picking == "turns" else "all at once"
            return (
                f"The start tile lies, {len(stock)} tiles are in the stock; tiles are taken {how}. "
                f"{{{thrower}}} rolls highest and throws the dice."
            )
        case Thrown(seat, colour, number, display):
            return f"{{{seat}}} throws the dice: {DIE['en'][colour]} and {number}. Displayed: {tiles(display, 'en')}."
        case Taken(seat, tile):
            return f"{{{seat}}} takes {{{tile}}}."
        case Passed(seat):
            if before and before.phase == "claim":
                return f"{{{seat}}} puts no breeder down."
            return f"{{{seat}}} takes no more tiles."
        case PickingEnded():
            return _picking_ended_en(event, before)
        case Placed(seat, tile, cell, rotation):
            done = closes(closed_by(before, tile, cell, rotation), "en") if before else ""
            how = turned(tile, rotation, "en")
            return f"{{{seat}}} lays {{{tile}}} at {cell}{how}{_and(how, done, 'en')}."
        case Claimed(seat, pond):
            what = f": {pond_worth(before, pond, 'en')}" if before else ""
            where = pond_in(before, pond, "en") if before else ""
            return f"{{{seat}}} puts a breeder on the pond at {where}{what}."
        case Ended(reason, scores, winners):
            why = "All breeders are placed" if reason == "breeders" else "The stock is used up"
            all_points = ", ".join(f"{{{seat}}} {points(number, 'en')}" for seat, number in enumerate(scores))
            won = joined((f"{{{seat}}}" for seat in winners), AND["en"])
            return f"{why}: {all_points}. {won} {'wins' if len(winners) == 1 else 'win together'}."
    return ""


def _picking_ended_en(event: PickingEnded, before: State | None) -> str:
    left = tiles(event.discarded, "en")
    away = "is discarded" if len(event.discarded) == 1 else "are discarded"
    if before and not any(before.hands) and not any(before.passed):
        return f"No tile goes with the dice: {left} {away}."
    said = [_wasted(waste, "en") for waste in event.wasted]
    if event.discarded:
        said.append(f"{left} {away}.")
    return " ".join(said)
