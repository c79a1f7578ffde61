"""The story of Hexen Rennen: every event in the third person, in both languages."""

from pbem.games.hexen_rennen.history import evolve
from pbem.games.hexen_rennen.phrases import halted, joined, on, staged, symbol, way
from pbem.games.hexen_rennen.pieces import (
    CLANS,
    Carried,
    Divided,
    Drawn,
    Exhausted,
    Finished,
    Flew,
    Laid,
    Opened,
    Played,
    Powerless,
    Reached,
    Spared,
    State,
    Stuck,
    Turned,
)
from pbem.kit.contract import Event, Lang, Phrase
from pbem.kit.notation import french


def tell(event: Event, before: State | None, lang: Lang) -> Phrase:
    """Narrates a redacted event, from the fold before it. The die is told with what it does."""
    if isinstance(event, Opened):
        return _opened(event, lang)
    assert before is not None, "only the opening has nothing before it"
    text = (_tell_fr if lang == "fr" else _tell_en)(event, before)
    if isinstance(event, Flew | Turned | Carried | Played | Drawn):
        text += halted(evolve(before, event), lang)
    return french(text) if lang == "fr" else text


def _opened(event: Opened, lang: Lang) -> Phrase:
    letters = joined(CLANS[event.seats :], lang)
    several = len(CLANS) - event.seats > 1
    if lang == "fr":
        neutral = f" {'Les clans' if several else 'Le clan'} {letters} {'sont neutres' if several else 'est neutre'}."
        text = "La course s’ouvre : chaque clan a trois sorcières et douze cartes."
        return french(text + (neutral if letters else ""))
    neutral = f" {'Clans' if several else 'Clan'} {letters} {'are' if several else 'is'} neutral."
    return f"The race opens: every clan has three witches and twelve cards.{neutral if letters else ''}"


def _tell_fr(event: Event, before: State) -> Phrase:
    match event:
        case Divided(seat, stages):
            return f"{{{seat}}} a réparti ses tuiles" + (f" : {staged(stages, 'fr')}." if stages[0][0] else ".")
        case Laid(_, first):
            return f"Les quarante-huit tuiles sont posées face cachée. Le sort désigne {{{first}}} pour commencer."
        case Stuck(seat):
            return f"{{{seat}}} fait {before.die} et ne peut déplacer aucune sorcière."
        case Flew(seat, origin, target):
            return f"{{{seat}}} fait {before.die} et vole {way(origin, target, 'fr')}{on(before, target)}."
        case Turned(place, tile):
            return f"La tuile {place} est retournée : {{{tile}}}."
        case Carried(seat, origin, target):
            carrier = f"{{{before.shown[origin - 1]}}}"
            return f"{carrier} porte la sorcière de {{{seat}}} {way(origin, target, 'fr')}{on(before, target)}."
        case Drawn(clan, card, origin, target):
            drawn = f"Pour le clan neutre {CLANS[clan]}, on tire {{{CLANS[clan]}{card}}}"
            if origin == target:
                return f"{drawn}, sans effet : la sorcière reste en {origin}."
            return f"{drawn} : la sorcière recule {way(origin, target, 'fr')}{on(before, target)}."
        case Exhausted(clan, place):
            return f"Le clan neutre {CLANS[clan]} n’a plus de cartes : la sorcière reste en {place}."
        case Finished(seat, scores, winners):
            each = ", ".join(f"{{{s}}} {score}" for s, score in enumerate(scores))
            wins = joined((f"{{{s}}}" for s in winners), "fr") + (" gagnent." if len(winners) > 1 else " gagne.")
            return f"Les trois sorcières de {{{seat}}} sont arrivées. Points : {each}. {wins}"
    return _card_fr(event, before)


def _card_fr(event: Event, before: State) -> Phrase:
    match event:
        case Reached(seat, _, obliged) if seat == before.active:
            return f"Sur {symbol(seat)}, {{{seat}}} {'doit' if obliged else 'peut'} jouer une carte."
        case Reached(seat, _, obliged):
            verb = "doit" if obliged else "peut"
            return f"Sur {symbol(seat)}, {{{seat}}} {verb} jouer une carte contre {{{before.active}}}."
        case Powerless(seat, place):
            return f"Sur {symbol(seat)}, {{{seat}}} ne peut jouer aucune carte : la sorcière reste en {place}."
        case Played(seat, card, origin, target):
            path = f"{way(origin, target, 'fr')}{on(before, target)}"
            if target > origin:
                return f"{{{seat}}} joue {{{CLANS[seat]}{card}}} : sa sorcière vole {path}."
            whose = f"contre {{{before.active}}} : la sorcière"
            return f"{{{seat}}} joue {{{CLANS[seat]}{card}}} {whose} recule {path}."
        case Spared(seat, place) if seat == before.active:
            return f"{{{seat}}} reste en {place} et garde ses cartes."
        case Spared(seat, place):
            return f"{{{seat}}} laisse en {place} la sorcière de {{{before.active}}}."
    return ""


def _tell_en(event: Event, before: State) -> Phrase:
    match event:
        case Divided(seat, stages):
            return f"{{{seat}}} has divided the tiles" + (f": {staged(stages, 'en')}." if stages[0][0] else ".")
        case Laid(_, first):
            return f"The forty-eight tiles lie face down. The lot falls on {{{first}}} to begin."
        case Stuck(seat):
            return f"{{{seat}}} rolls {before.die} and cannot move any witch."
        case Flew(seat, origin, target):
            return f"{{{seat}}} rolls {before.die} and flies {way(origin, target, 'en')}{on(before, target)}."
        case Turned(place, tile):
            return f"Tile {place} is turned up: {{{tile}}}."
        case Carried(seat, origin, target):
            carrier = f"{{{before.shown[origin - 1]}}}"
            return f"{carrier} carries {{{seat}}}’s witch {way(origin, target, 'en')}{on(before, target)}."
        case Drawn(clan, card, origin, target):
            drawn = f"For the neutral clan {CLANS[clan]}, {{{CLANS[clan]}{card}}} is drawn"
            if origin == target:
                return f"{drawn}, to no effect: the witch stays on {origin}."
            return f"{drawn}: the witch goes back {way(origin, target, 'en')}{on(before, target)}."
        case Exhausted(clan, place):
            return f"The neutral clan {CLANS[clan]} has no cards left: the witch stays on {place}."
        case Finished(seat, scores, winners):
            each = ", ".join(f"{{{s}}} {score}" for s, score in enumerate(scores))
            wins = joined((f"{{{s}}}" for s in winners), "en") + (" win together." if len(winners) > 1 else " wins.")
            return f"The three witches of {{{seat}}} have arrived. Points: {each}. {wins}"
    return _card_en(event, before)


def _card_en(event: Event, before: State) -> Phrase:
    match event:
        case Reached(seat, _, obliged) if seat == before.active:
            return f"On {symbol(seat)}, {{{seat}}} {'must' if obliged else 'may'} play a card."
        case Reached(seat, _, obliged):
            verb = "must" if obliged else "may"
            return f"On {symbol(seat)}, {{{seat}}} {verb} play a card against {{{before.active}}}."
        case Powerless(seat, place):
            return f"On {symbol(seat)}, {{{seat}}} cannot play any card: the witch stays on {place}."
        case Played(seat, card, origin, target):
            path = f"{way(origin, target, 'en')}{on(before, target)}"
            if target > origin:
                return f"{{{seat}}} plays {{{CLANS[seat]}{card}}}: the witch flies {path}."
            against = f"against {{{before.active}}}"
            return f"{{{seat}}} plays {{{CLANS[seat]}{card}}} {against}: the witch goes back {path}."
        case Spared(seat, place) if seat == before.active:
            return f"{{{seat}}} stays on {place} and keeps the cards."
        case Spared(seat, place):
            return f"{{{seat}}} leaves {{{before.active}}}’s witch on {place}."
    return ""
