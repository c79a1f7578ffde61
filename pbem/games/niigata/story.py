"""The story of Niigata: every event in the third person, in both languages."""

from pbem.games.niigata.facts import Claimed, Ended, LaidOut, Passed, PickingEnded, Placed, State, Taken, Thrown
from pbem.games.niigata.notation import cell_in
from pbem.games.niigata.words import DIE, POINT, closed_by, closes, pond_in, pond_worth, tiles, turned
from pbem.kit.contract import Event, Phrase
from pbem.kit.texts import Lang
from pbem.kit.words import AND, counted, say, seats_joined


def tell(event: Event, before: State | None, lang: Lang) -> Phrase:
    """Narrates an event, given the fold before it."""
    if isinstance(event, LaidOut):
        return _laid_out(event, lang)
    assert before is not None, "only the first event has nothing before it"
    match event:
        case Thrown(seat, colour, number, display):
            die, shown = DIE[colour][lang], tiles(display, lang)
            return say(
                lang,
                f"{{{seat}}} lance les dés : {die} et {number}. Sur la table : {shown}.",
                f"{{{seat}}} rolls the dice: {die} and {number}. On display: {shown}.",
            )
        case Taken(seat, tile):
            return say(lang, f"{{{seat}}} prend {{{tile}}}.", f"{{{seat}}} takes {{{tile}}}.")
        case Passed(seat) if before.phase == "claim":
            return say(lang, f"{{{seat}}} garde ses éleveurs.", f"{{{seat}}} places no breeder.")
        case Passed(seat):
            return say(lang, f"{{{seat}}} ne prend plus de tuile.", f"{{{seat}}} takes no more tiles.")
        case PickingEnded():
            return _picking_ended(event, before, lang)
        case Placed(seat, tile, cell, rotation):
            done, how = closes(closed_by(before, tile, cell, rotation), lang), turned(tile, rotation, lang)
            # A comma closes what a comma opened.
            besides = f"{',' * bool(how)}{AND[lang]}{done}" if done else ""
            verb = say(lang, f"pose {{{tile}}} en", f"lays {{{tile}}} at")
            return f"{{{seat}}} {verb} {cell_in(cell, lang)}{how}{besides}."
        case Claimed(seat, pond):
            where, what = pond_in(pond, lang), pond_worth(before, pond, lang)
            return say(
                lang,
                f"{{{seat}}} place un éleveur sur le bassin en {where} : {what}.",
                f"{{{seat}}} places a breeder on the pond at {where}: {what}.",
            )
        case Ended():
            return _ended(event, lang)
    return ""


def _laid_out(event: LaidOut, lang: Lang) -> Phrase:
    in_turn, left = event.picking == "turns", len(event.stock)
    return say(
        lang,
        f"La tuile de départ est posée ; il reste {left} tuiles, qu’on prend "
        f"{'à tour de rôle' if in_turn else 'tous à la fois'}. "
        f"{{{event.thrower}}} fait le plus haut jet et lance les dés en premier.",
        f"The start tile is placed; {left} tiles remain, taken {'in turn' if in_turn else 'all at once'}. "
        f"{{{event.thrower}}} rolls highest and rolls the dice first.",
    )


def _picking_ended(event: PickingEnded, before: State, lang: Lang) -> Phrase:
    left, one = tiles(event.discarded, lang), len(event.discarded) == 1
    gone = say(
        lang,
        f"{left} {'est défaussée' if one else 'sont défaussées'}.",
        f"{left} {'is discarded' if one else 'are discarded'}.",
    )
    if not any(before.hands) and not any(before.passed):
        return say(lang, "Aucune tuile ne va avec les dés : ", "No tile matches the dice: ") + gone
    wasted = [
        say(
            lang,
            f"{{{waste.tile}}} ne va pas avec les dés : elle va sur la pile de gâchis de {{{waste.seat}}}.",
            f"{{{waste.tile}}} does not match the dice: it goes on {{{waste.seat}}}’s waste pile.",
        )
        for waste in event.wasted
    ]
    return " ".join([*wasted, *([gone] if event.discarded else [])])


def _ended(event: Ended, lang: Lang) -> Phrase:
    each = ", ".join(f"{{{seat}}} {counted(number, POINT, lang)}" for seat, number in enumerate(event.scores))
    won, alone = seats_joined(event.winners, lang), len(event.winners) == 1
    if event.reason == "breeders":
        why = say(lang, "Tous les éleveurs sont placés", "All breeders are placed")
    else:
        why = say(lang, "La pioche est épuisée", "The stock is empty")
    return say(
        lang,
        f"{why} : {each}. {won} {'gagne' if alone else 'gagnent ensemble'}.",
        f"{why}: {each}. {won} {'wins' if alone else 'win together'}.",
    )
