"""The story of Allégeance: every event in the third person. What has faded is told without its cards."""

from pbem.games.allegeance.cards import (
    Announced,
    Answered,
    Caught,
    Given,
    Hit,
    MatchBegan,
    MatchWon,
    Missed,
    Mistaken,
    RoundBegan,
    RoundEnded,
    State,
    TurnBegan,
    Unchallenged,
)
from pbem.games.allegeance.history import evolve
from pbem.games.allegeance.words import AND, counted, joined
from pbem.kit.contract import Event, Lang, Phrase
from pbem.kit.notation import french


def tell(event: Event, before: State | None, lang: Lang) -> Phrase:
    """Narrates a redacted event, from the fold before it."""
    if isinstance(event, TurnBegan) or (isinstance(event, Answered) and event.challenge is None):
        return ""
    if isinstance(event, MatchBegan):
        return french(_began_fr(event)) if lang == "fr" else _began_en(event)
    if before is None:
        return ""
    return french(_tell_fr(event, before)) if lang == "fr" else _tell_en(event, before)


def _began_fr(event: MatchBegan) -> str:
    memory = "Mémoire ouverte : tout peut être relu." if event.open else "Mémoire fermée : retenez ce que vous voyez."
    return f"La partie va à {counted(event.target, 'jeton', 'jetons')} Satisfaction. {memory}"


def _began_en(event: MatchBegan) -> str:
    memory = "Open memory: all can be read again." if event.open else "Closed memory: remember what you see."
    return f"The match is played to {counted(event.target, 'Satisfaction token', 'Satisfaction tokens')}. {memory}"


def _tell_fr(event: Event, before: State) -> str:
    match event:
        case RoundBegan(first):
            return f"Manche {before.round + 1} : seize samouraïs attendent derrière la Porte, {{{first}}} commence."
        case Announced(seat, _, card):
            return f"{{{seat}}} annonce {{{card}}}." if card else f"{{{seat}}} fait une annonce."
        case Hit(_, card):
            return f"La Porte livre {{{card}}} : c’est juste." if card else "L’annonce est juste."
        case Missed(_, card):
            return f"La Porte livre {{{card}}} : manqué." if card else "L’annonce est manquée."
        case Given(seat, receiver, _, card):
            return f"{{{seat}}} donne {_named(card or before.drawn, 'la carte')} à {{{receiver}}}."
        case Answered(seat, challenge):
            return f"{{{seat}}} veut contester." if challenge else f"{{{seat}}} laisse passer."
        case Unchallenged():
            return "Personne ne conteste."
        case Caught():
            return _caught_fr(event, before)
        case Mistaken(seat, _, revealed):
            still = f" : {{{before.announced}}} est encore derrière la Porte. {{{seat}}}" if before.announced else " et"
            return f"{{{seat}}} conteste à tort{still} prend {_named(revealed or _top(before), 'la carte révélée')}."
        case RoundEnded(winners):
            has = "a le moins de cartes et gagne" if len(winners) == 1 else "ont le moins de cartes et gagnent"
            each = "un jeton" if len(winners) == 1 else "un jeton chacun"
            text = f"La manche {before.round} est finie : {joined(winners, AND['fr'])} {has} {each}."
            return f"{text} Jetons : {_score(event, before)}."
        case MatchWon(winners):
            who = joined(winners, AND["fr"])
            return f"{who} gagne la partie." if len(winners) == 1 else f"{who} gagnent la partie ensemble."
    raise TypeError(f"{event} is no event of Allégeance")


def _tell_en(event: Event, before: State) -> str:
    match event:
        case RoundBegan(first):
            return f"Round {before.round + 1}: sixteen samurai wait behind the Door, {{{first}}} begins."
        case Announced(seat, _, card):
            return f"{{{seat}}} announces {{{card}}}." if card else f"{{{seat}}} makes an announcement."
        case Hit(_, card):
            return f"The Door gives {{{card}}}: that is right." if card else "The announcement is right."
        case Missed(_, card):
            return f"The Door gives {{{card}}}: missed." if card else "The announcement misses."
        case Given(seat, receiver, _, card):
            return f"{{{seat}}} gives {_named(card or before.drawn, 'the card')} to {{{receiver}}}."
        case Answered(seat, challenge):
            return f"{{{seat}}} wants to challenge." if challenge else f"{{{seat}}} lets it pass."
        case Unchallenged():
            return "Nobody challenges."
        case Caught():
            return _caught_en(event, before)
        case Mistaken(seat, _, revealed):
            still = f": {{{before.announced}}} is still behind the Door. {{{seat}}}" if before.announced else " and"
            taken = _named(revealed or _top(before), "the revealed card")
            return f"{{{seat}}} challenges wrongly{still} takes {taken}."
        case RoundEnded(winners):
            has = "has the fewest cards and gets" if len(winners) == 1 else "have the fewest cards and get"
            each = "a token" if len(winners) == 1 else "a token each"
            text = f"Round {before.round} is over: {joined(winners, AND['en'])} {has} {each}."
            return f"{text} Tokens: {_score(event, before)}."
        case MatchWon(winners):
            who = joined(winners, AND["en"])
            return f"{who} wins the match." if len(winners) == 1 else f"{who} win the match together."
    raise TypeError(f"{event} is no event of Allégeance")


def _caught_fr(event: Caught, before: State) -> str:
    card = _named(event.card or before.announced, "la carte annoncée")
    revealed = _named(event.revealed or _top(before), "la carte révélée")
    right = f"{{{event.challenger}}} conteste avec raison : "
    if event.holder == event.seat:
        return f"{right}{card} est dans la main de {{{event.seat}}}, qui prend aussi {revealed}."
    where = "au Palais" if event.holder is None else f"dans la main de {{{event.holder}}}"
    return f"{right}{card} était {where}. {{{event.seat}}} prend les deux cartes, {card} et {revealed}."


def _caught_en(event: Caught, before: State) -> str:
    card = _named(event.card or before.announced, "the announced card")
    revealed = _named(event.revealed or _top(before), "the revealed card")
    right = f"{{{event.challenger}}} challenges rightly: "
    if event.holder == event.seat:
        return f"{right}{card} is in the hand of {{{event.seat}}}, who takes {revealed}, too."
    where = "in the Palace" if event.holder is None else f"in the hand of {{{event.holder}}}"
    return f"{right}{card} was {where}. {{{event.seat}}} takes both cards, {card} and {revealed}."


def _named(card: str | None, otherwise: str) -> str:
    return f"{{{card}}}" if card else otherwise


def _top(before: State) -> str | None:
    return before.palace[-1] if before.palace else None


def _score(event: RoundEnded, before: State) -> str:
    return ", ".join(f"{{{seat}}} {tokens}" for seat, tokens in enumerate(evolve(before, event).tokens))
