"""The story of Hexen Rennen: every event in the third person, in both languages."""

from pbem.games.hexen_rennen import facts
from pbem.games.hexen_rennen.facts import CLANS, State
from pbem.games.hexen_rennen.history import evolve
from pbem.games.hexen_rennen.words import halted, on, staged, symbol, way
from pbem.kit.contract import Event, Lang, Phrase
from pbem.kit.words import joined, say, seats_joined


def tell(event: Event, before: State | None, lang: Lang) -> Phrase:
    """Narrates a redacted event, from the fold before it. The die is told with what it does."""
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
                fr=f"{{{seat}}} fait {before.die} et ne peut déplacer aucune sorcière.",
                en=f"{{{seat}}} rolls {before.die} and cannot move any witch.",
            )
        case facts.Turned(place, tile):
            text = say(
                lang, fr=f"La tuile {place} est retournée : {{{tile}}}.", en=f"Tile {place} is turned up: {{{tile}}}."
            )
        case facts.Flew() | facts.Carried() | facts.Played() | facts.Drawn():
            text = _moved(event, before, lang)
        case facts.Exhausted(clan, place):
            return say(
                lang,
                fr=f"Le clan neutre {CLANS[clan]} n’a plus de cartes : la sorcière reste en {place}.",
                en=f"The neutral clan {CLANS[clan]} has no cards left: the witch stays on {place}.",
            )
        case _:
            return ""
    return text + halted(evolve(before, event), lang)


def _opened(event: facts.Opened, lang: Lang) -> Phrase:
    neutral, letters = CLANS[event.seats :], joined(CLANS[event.seats :], lang)
    text = say(
        lang,
        fr="La course s’ouvre : chaque clan a trois sorcières et douze cartes.",
        en="The race opens: every clan has three witches and twelve cards.",
    )
    if len(neutral) > 1:
        return text + say(lang, fr=f" Les clans {letters} sont neutres.", en=f" Clans {letters} are neutral.")
    return text + (
        say(lang, fr=f" Le clan {letters} est neutre.", en=f" Clan {letters} is neutral.") if neutral else ""
    )


def _race(event: facts.Divided | facts.Laid | facts.Finished, lang: Lang) -> Phrase:
    """How the race is prepared, and how it ends."""
    match event:
        case facts.Divided(seat, stages):
            text = say(lang, fr=f"{{{seat}}} a réparti ses tuiles", en=f"{{{seat}}} has divided the tiles")
            known = staged(stages, lang) if stages[0][0] else ""
            return text + (say(lang, fr=f" : {known}.", en=f": {known}.") if known else ".")
        case facts.Laid(_, first):
            return say(
                lang,
                fr=f"Les quarante-huit tuiles sont posées face cachée. Le sort désigne {{{first}}} pour commencer.",
                en=f"The forty-eight tiles lie face down. The lot falls on {{{first}}} to begin.",
            )
        case facts.Finished(seat, scores, winners):
            each = ", ".join(f"{{{s}}} {score}" for s, score in enumerate(scores))
            who, many = seats_joined(winners, lang), len(winners) > 1
            return say(
                lang,
                fr=f"Les trois sorcières de {{{seat}}} sont arrivées. Points : {each}. "
                f"{who} {'gagnent' if many else 'gagne'}.",
                en=f"The three witches of {{{seat}}} have arrived. Points: {each}. "
                f"{who} {'win together' if many else 'wins'}.",
            )


def _moved(event: facts.Flew | facts.Carried | facts.Played | facts.Drawn, before: State, lang: Lang) -> Phrase:
    """How a witch got from one place to another."""
    path = way(event.origin, event.target, lang) + on(before, event.target)
    match event:
        case facts.Flew(seat):
            return say(
                lang,
                fr=f"{{{seat}}} fait {before.die} et vole {path}.",
                en=f"{{{seat}}} rolls {before.die} and flies {path}.",
            )
        case facts.Carried(seat, origin):
            carrier = f"{{{before.shown[origin - 1]}}}"
            return say(
                lang,
                fr=f"{carrier} porte la sorcière de {{{seat}}} {path}.",
                en=f"{carrier} carries {{{seat}}}’s witch {path}.",
            )
        case facts.Played(seat, card, origin, target):
            card, whose = f"{{{CLANS[seat]}{card}}}", f"{{{before.active}}}"
            if target > origin:
                return say(
                    lang,
                    fr=f"{{{seat}}} joue {card} : sa sorcière vole {path}.",
                    en=f"{{{seat}}} plays {card}: the witch flies {path}.",
                )
            return say(
                lang,
                fr=f"{{{seat}}} joue {card} contre {whose} : la sorcière recule {path}.",
                en=f"{{{seat}}} plays {card} against {whose}: the witch goes back {path}.",
            )
        case facts.Drawn(clan, card, origin, target):
            return _drawn(CLANS[clan], card, "" if origin == target else path, origin, lang)


def _drawn(clan: str, card: str, path: str, origin: int, lang: Lang) -> Phrase:
    text = say(
        lang,
        fr=f"Pour le clan neutre {clan}, on tire {{{clan}{card}}}",
        en=f"For the neutral clan {clan}, {{{clan}{card}}} is drawn",
    )
    if path:
        return text + say(lang, fr=f" : la sorcière recule {path}.", en=f": the witch goes back {path}.")
    return text + say(
        lang, fr=f", sans effet : la sorcière reste en {origin}.", en=f", to no effect: the witch stays on {origin}."
    )


def _symbol(event: facts.Reached | facts.Powerless | facts.Spared, before: State, lang: Lang) -> Phrase:
    """What happens on the symbol of a seat besides a card: the seat's own witch stands there, or another's."""
    seat, own, sign, whose = event.seat, event.seat == before.active, symbol(event.seat), f"{{{before.active}}}"
    match event:
        case facts.Reached(_, _, obliged):
            against = "" if own else say(lang, fr=f" contre {whose}", en=f" against {whose}")
            return say(
                lang,
                fr=f"Sur {sign}, {{{seat}}} {'doit' if obliged else 'peut'} jouer une carte{against}.",
                en=f"On {sign}, {{{seat}}} {'must' if obliged else 'may'} play a card{against}.",
            )
        case facts.Powerless(_, place):
            return say(
                lang,
                fr=f"Sur {sign}, {{{seat}}} ne peut jouer aucune carte : la sorcière reste en {place}.",
                en=f"On {sign}, {{{seat}}} cannot play any card: the witch stays on {place}.",
            )
        case facts.Spared(_, place) if own:
            return say(
                lang,
                fr=f"{{{seat}}} reste en {place} et garde ses cartes.",
                en=f"{{{seat}}} stays on {place} and keeps the cards.",
            )
        case facts.Spared(_, place):
            return say(
                lang,
                fr=f"{{{seat}}} laisse en {place} la sorcière de {whose}.",
                en=f"{{{seat}}} leaves {whose}’s witch on {place}.",
            )
