"""The story of Niigata: every event in the third person, in both languages."""

from pbem.games.niigata.facts import Claimed, Ended, LaidOut, Passed, PickingEnded, Placed, State, Taken, Thrown, Waste
from pbem.games.niigata.notation import cell_in
from pbem.games.niigata.words import DIE, closed_by, closes, points, pond_in, pond_worth, tiles, turned
from pbem.kit.contract import Event, Lang, Phrase
from pbem.kit.words import AND, say, seats_joined


def tell(event: Event, before: State | None, lang: Lang) -> Phrase:
    """Narrates an event, from the fold before it."""
    if isinstance(event, LaidOut):
        return _laid_out(event, lang)
    assert before is not None, "only the first event has nothing before it"
    match event:
        case Thrown(seat, colour, number, display):
            die, shown = DIE[colour][lang], tiles(display, lang)
            return say(
                lang,
                fr=f"{{{seat}}} lance les dés : {die} et {number}. Sur la table : {shown}.",
                en=f"{{{seat}}} throws the dice: {die} and {number}. Displayed: {shown}.",
            )
        case Taken(seat, tile):
            return say(lang, fr=f"{{{seat}}} prend {{{tile}}}.", en=f"{{{seat}}} takes {{{tile}}}.")
        case Passed(seat) if before.phase == "claim":
            return say(lang, fr=f"{{{seat}}} garde ses éleveurs.", en=f"{{{seat}}} puts no breeder down.")
        case Passed(seat):
            return say(lang, fr=f"{{{seat}}} ne prend plus de tuile.", en=f"{{{seat}}} takes no more tiles.")
        case PickingEnded():
            return _picking_ended(event, before, lang)
        case Placed(seat, tile, cell, rotation):
            done, how = closes(closed_by(before, tile, cell, rotation), lang), turned(tile, rotation, lang)
            # A comma closes what a comma opened.
            besides = f"{',' * bool(how)}{AND[lang]}{done}" if done else ""
            verb = say(lang, fr=f"pose {{{tile}}} en", en=f"lays {{{tile}}} at")
            return f"{{{seat}}} {verb} {cell_in(cell, lang)}{how}{besides}."
        case Claimed(seat, pond):
            where, what = pond_in(pond, lang), pond_worth(before, pond, lang)
            return say(
                lang,
                fr=f"{{{seat}}} met un éleveur sur le bassin en {where} : {what}.",
                en=f"{{{seat}}} puts a breeder on the pond at {where}: {what}.",
            )
        case Ended():
            return _ended(event, lang)
    return ""


def _laid_out(event: LaidOut, lang: Lang) -> Phrase:
    in_turn, left = event.picking == "turns", len(event.stock)
    return say(
        lang,
        fr=f"La tuile de départ est posée, {left} tuiles sont dans la pioche ; on choisit "
        f"{'chacun à son tour' if in_turn else 'tous à la fois'}. "
        f"{{{event.thrower}}} fait le plus haut jet et lance les dés.",
        en=f"The start tile lies, {left} tiles are in the stock; tiles are taken "
        f"{'in turn' if in_turn else 'all at once'}. {{{event.thrower}}} rolls highest and throws the dice.",
    )


def _picking_ended(event: PickingEnded, before: State, lang: Lang) -> Phrase:
    left, one = tiles(event.discarded, lang), len(event.discarded) == 1
    gone = say(
        lang,
        fr=f"{left} {'est défaussée' if one else 'sont défaussées'}.",
        en=f"{left} {'is discarded' if one else 'are discarded'}.",
    )
    if not any(before.hands) and not any(before.passed):
        return say(lang, fr="Aucune tuile ne va avec les dés : ", en="No tile goes with the dice: ") + gone
    return " ".join([*(_wasted(waste, lang) for waste in event.wasted), *([gone] if event.discarded else [])])


def _wasted(waste: Waste, lang: Lang) -> str:
    return say(
        lang,
        fr=f"{{{waste.tile}}} ne va pas avec les dés : elle va sur la pile de gâchis de {{{waste.seat}}}.",
        en=f"{{{waste.tile}}} does not go with the dice: it goes on {{{waste.seat}}}’s waste pile.",
    )


def _ended(event: Ended, lang: Lang) -> Phrase:
    each = ", ".join(f"{{{seat}}} {points(number, lang)}" for seat, number in enumerate(event.scores))
    won, alone = seats_joined(event.winners, lang), len(event.winners) == 1
    if event.reason == "breeders":
        why = say(lang, fr="Tous les éleveurs sont placés", en="All breeders are placed")
    else:
        why = say(lang, fr="La pioche est épuisée", en="The stock is used up")
    return say(
        lang,
        fr=f"{why} : {each}. {won} {'gagne' if alone else 'gagnent ensemble'}.",
        en=f"{why}: {each}. {won} {'wins' if alone else 'win together'}.",
    )
