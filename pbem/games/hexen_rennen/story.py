"""The story of Hexen Rennen: every event in the third person, in both languages."""

from pbem.games.hexen_rennen import facts
from pbem.games.hexen_rennen.facts import CLANS, State
from pbem.games.hexen_rennen.history import evolve
from pbem.games.hexen_rennen.words import halted, on, staged, symbol, way
from pbem.kit.contract import Event, Phrase
from pbem.kit.texts import Lang
from pbem.kit.words import joined, say, seats_joined


def tell(event: Event, before: State | None, lang: Lang) -> Phrase:
    """Narrates a redacted event, given the fold before it. The die is told together with its effect."""
    if isinstance(event, facts.Opened):
        return _opened(event, lang)
    assert before is not None, "only the opening has nothing before it"
    match event:
        case facts.Divided() | facts.Laid() | facts.Finished():
            return _race(event, lang)
        case facts.Reached() | facts.Powerless() | facts.Spared():
            return _symbol(event, before, lang)
        case facts.Stuck(seat):
            return say(
                lang,
                f"{{{seat}}} fait {before.die} et ne peut déplacer aucune sorcière.",
                f"{{{seat}}} rolls {before.die} and cannot move any witch.",
            )
        case facts.Turned(place, tile):
            text = say(lang, f"La tuile {place} est retournée : {{{tile}}}.", f"Tile {place} is turned up: {{{tile}}}.")
        case facts.Flew() | facts.Carried() | facts.Played() | facts.Drawn():
            text = _moved(event, before, lang)
        case facts.Exhausted(clan, place):
            return say(
                lang,
                f"Le clan neutre {CLANS[clan]} n’a plus de cartes : la sorcière reste en {place}.",
                f"The neutral clan {CLANS[clan]} has no cards left: the witch stays on {place}.",
            )
        case _:
            return ""
    return text + halted(evolve(before, event), lang)


def _opened(event: facts.Opened, lang: Lang) -> Phrase:
    neutral, letters = CLANS[event.seats :], joined(CLANS[event.seats :], lang)
    text = say(
        lang,
        "La course s’ouvre : chaque clan a trois sorcières et douze cartes.",
        "The race opens: every clan has three witches and twelve cards.",
    )
    if len(neutral) > 1:
        return text + say(lang, f" Les clans {letters} sont neutres.", f" Clans {letters} are neutral.")
    return text + (say(lang, f" Le clan {letters} est neutre.", f" Clan {letters} is neutral.") if neutral else "")


def _race(event: facts.Divided | facts.Laid | facts.Finished, lang: Lang) -> Phrase:
    """Tells how the race is prepared, and how it ends."""
    match event:
        case facts.Divided(seat, stages):
            text = say(lang, f"{{{seat}}} a réparti ses tuiles", f"{{{seat}}} has divided their tiles")
            known = staged(stages, lang) if stages[0][0] else ""
            return text + (say(lang, f" : {known}.", f": {known}.") if known else ".")
        case facts.Laid(_, first):
            return say(
                lang,
                f"Les quarante-huit tuiles sont posées face cachée. {{{first}}} commence, par tirage au sort.",
                f"The forty-eight tiles are placed face down. {{{first}}} is drawn to begin.",
            )
        case facts.Finished(seat, scores, winners):
            each = ", ".join(f"{{{s}}} {score}" for s, score in enumerate(scores))
            who, many = seats_joined(winners, lang), len(winners) > 1
            return say(
                lang,
                f"Les trois sorcières de {{{seat}}} sont arrivées. Points : {each}. "
                f"{who} {'gagnent' if many else 'gagne'}.",
                f"{{{seat}}}’s three witches have arrived. Points: {each}. {who} {'win together' if many else 'wins'}.",
            )


def _moved(event: facts.Flew | facts.Carried | facts.Played | facts.Drawn, before: State, lang: Lang) -> Phrase:
    """Tells how a witch got from one place to another."""
    path = way(event.origin, event.target, lang) + on(before, event.target)
    match event:
        case facts.Flew(seat):
            return say(
                lang,
                f"{{{seat}}} fait {before.die} et vole {path}.",
                f"{{{seat}}} rolls {before.die} and flies {path}.",
            )
        case facts.Carried(seat, origin):
            carrier = f"{{{before.shown[origin - 1]}}}"
            return say(
                lang,
                f"{carrier} porte la sorcière de {{{seat}}} {path}.",
                f"{carrier} carries {{{seat}}}’s witch {path}.",
            )
        case facts.Played(seat, card, origin, target):
            card, whose = f"{{{CLANS[seat]}{card}}}", f"{{{before.active}}}"
            if target > origin:
                return say(
                    lang,
                    f"{{{seat}}} joue {card} : sa sorcière vole {path}.",
                    f"{{{seat}}} plays {card}: their witch flies {path}.",
                )
            return say(
                lang,
                f"{{{seat}}} joue {card} contre {whose} : la sorcière recule {path}.",
                f"{{{seat}}} plays {card} against {whose}: the witch goes back {path}.",
            )
        case facts.Drawn(clan, card, origin, target):
            return _drawn(CLANS[clan], card, "" if origin == target else path, origin, lang)


def _drawn(clan: str, card: str, path: str, origin: int, lang: Lang) -> Phrase:
    text = say(
        lang,
        f"Pour le clan neutre {clan}, on tire {{{clan}{card}}}",
        f"For the neutral clan {clan}, {{{clan}{card}}} is drawn",
    )
    if path:
        return text + say(lang, f" : la sorcière recule {path}.", f": the witch goes back {path}.")
    return text + say(
        lang, f", sans effet : la sorcière reste en {origin}.", f", without effect: the witch stays on {origin}."
    )


def _symbol(event: facts.Reached | facts.Powerless | facts.Spared, before: State, lang: Lang) -> Phrase:
    """Tells what happens on the symbol of a seat when no card is played: its own witch stands there, or another's."""
    seat, own, sign, whose = event.seat, event.seat == before.active, symbol(event.seat), f"{{{before.active}}}"
    match event:
        case facts.Reached(_, _, obliged):
            against = "" if own else say(lang, f" contre {whose}", f" against {whose}")
            return say(
                lang,
                f"Sur {sign}, {{{seat}}} {'doit' if obliged else 'peut'} jouer une carte{against}.",
                f"On {sign}, {{{seat}}} {'must' if obliged else 'may'} play a card{against}.",
            )
        case facts.Powerless(_, place):
            return say(
                lang,
                f"Sur {sign}, {{{seat}}} ne peut jouer aucune carte : la sorcière reste en {place}.",
                f"On {sign}, {{{seat}}} cannot play any card: the witch stays on {place}.",
            )
        case facts.Spared(_, place) if own:
            return say(
                lang,
                f"{{{seat}}} reste en {place} et garde ses cartes.",
                f"{{{seat}}} stays on {place} and keeps their cards.",
            )
        case facts.Spared(_, place):
            return say(
                lang,
                f"{{{seat}}} laisse en {place} la sorcière de {whose}.",
                f"{{{seat}}} leaves {whose}’s witch on {place}.",
            )
