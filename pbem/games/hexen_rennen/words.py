"""The questions and choices of Hexen Rennen, said to the player."""

from functools import cache

from pbem.games.hexen_rennen.course import card_target, flights, occupied
from pbem.games.hexen_rennen.history import evolve
from pbem.games.hexen_rennen.phrases import at, halted, on, staged, symbol, tile_at, to, way
from pbem.games.hexen_rennen.pieces import (
    CLAN_OF,
    CLANS,
    COURSE,
    VALUE_OF,
    Carried,
    Divide,
    Exhausted,
    Finished,
    Flew,
    Fly,
    Leave,
    Play,
    Played,
    Powerless,
    Reached,
    State,
)
from pbem.games.hexen_rennen.rules import preview
from pbem.kit.contract import Ask, Event, Lang, Move, Phrase, Step
from pbem.kit.notation import french

# --- what is asked -----------------------------------------------------------------------------------------


def prompt(ask: Ask, fold: State, lang: Lang) -> Phrase:
    """What binds the seat that is asked."""
    fr = lang == "fr"
    if ask.kind == "divide":
        return _DIVIDE_FR if fr else _DIVIDE_EN
    if ask.kind == "fly":
        text = (
            f"Le dé montre {fold.die} : une de vos sorcières avance de {fold.die}."
            if fr
            else f"The die shows {fold.die}: one of your witches moves on by {fold.die}."
        )
    else:
        text = _prompt_own(fold, lang) if ask.kind == "own" else _prompt_foreign(ask.seat, fold, lang)
        text += _binding(fold.obliged, lang)
    return french(text) if fr else text


_DIVIDE_FR = french(
    "Mettez trois de vos neuf nombres dans chaque étape, en secret ; un de vos symboles s’y ajoute. Nommez d’abord le "
    "plus petit nombre d’une étape. Vos nombres portent vos propres sorcières en avant ; chaque étape est ensuite "
    "mélangée."
)
_DIVIDE_EN = (
    "Put three of your nine numbers into each stage, in secret; one of your symbols joins them. Name a stage’s "
    "smallest number first. Your numbers carry your own witches on; each stage is shuffled afterwards."
)


def _prompt_own(fold: State, lang: Lang) -> str:
    place, sign = fold.witch or 0, symbol(fold.active or 0)
    if lang == "fr":
        return f"Votre sorcière est {at(place, lang)}, sur votre symbole {sign}. Une carte la fait avancer."
    return f"Your witch is {at(place, lang)}, on your symbol {sign}. A card moves her on."


def _prompt_foreign(seat: int, fold: State, lang: Lang) -> str:
    place, sign = fold.witch or 0, symbol(seat)
    if lang == "fr":
        text = f"Une sorcière de {{{fold.active}}} est {at(place, lang)}, sur votre symbole {sign}."
        return f"{text} Une carte la fait reculer."
    return f"A witch of {{{fold.active}}} is {at(place, lang)}, on your symbol {sign}. A card moves her back."


def _binding(obliged: bool, lang: Lang) -> str:
    if lang == "fr":
        if obliged:
            return " Une carte nombre l’a fait reculer jusqu’ici : vous devez jouer une carte."
        return " Vous pouvez aussi ne rien jouer."
    if obliged:
        return " A number card moved her back to this place: you must play a card."
    return " You may also play nothing."


# --- what one does -----------------------------------------------------------------------------------------


def label(move: Move, fold: State, lang: Lang) -> Phrase:
    """The whole move in a sentence, and what follows from it for certain."""
    text = (_label_fr if lang == "fr" else _label_en)(move, fold)
    if not isinstance(move, Divide | Leave):
        text += _foreseen(move, fold, lang)
    return french(text) if lang == "fr" else text


def _foreseen(move: Move, fold: State, lang: Lang) -> str:
    """All that follows for certain, and why it goes no further where that can be seen."""
    seat = fold.active if fold.asked is None else fold.asked
    assert seat is not None, "somebody is asked"
    text, state = "", fold
    for n, event in enumerate(preview(fold, seat, move)):
        state = evolve(state, event)
        text += _follows(event, fold, seat, lang) if n else ""
        text += halted(state, lang) if isinstance(event, Flew | Carried | Played) else ""
    return text + _draws(state, lang)


def _draws(state: State, lang: Lang) -> str:
    """That the card of a neutral clan comes next, as a sentence; "" where none does."""
    tile = tile_at(state, state.witch or 0)
    if tile is None or VALUE_OF[tile] or CLAN_OF[tile] < state.seats or not state.piles[CLAN_OF[tile]]:
        return ""
    if lang == "fr":
        return f" Une carte du clan neutre {tile[0]} sera tirée."
    return f" A card of the neutral clan {tile[0]} will be drawn."


def _label_fr(move: Move, fold: State) -> str:
    match move:
        case Divide(stages):
            return f"Vous répartissez vos nombres. {staged(stages, 'fr').capitalize()}."
        case Fly(origin):
            target = _flight(fold, origin)
            return f"Vous faites voler une sorcière {way(origin, target, 'fr')}{_tile(fold, target, 'fr')}."
        case Play(card):
            target = _card_target(fold, card)
            what = f"Vous jouez {{{CLANS[fold.asked or 0]}{card}}}"
            path = f"{way(fold.witch or 0, target, 'fr')}{_tile(fold, target, 'fr')}"
            if fold.asked == fold.active:
                return f"{what} : votre sorcière vole {path}."
            return f"{what} : la sorcière de {{{fold.active}}} recule {path}."
        case Leave():
            if fold.asked == fold.active:
                return f"Vous restez {at(fold.witch or 0, 'fr')} et gardez vos cartes."
            return f"Vous laissez la sorcière de {{{fold.active}}} {at(fold.witch or 0, 'fr')} et gardez vos cartes."
    raise TypeError(f"{move} is no move of Hexen Rennen")


def _label_en(move: Move, fold: State) -> str:
    match move:
        case Divide(stages):
            return f"You divide your numbers. {staged(stages, 'en').capitalize()}."
        case Fly(origin):
            target = _flight(fold, origin)
            return f"You fly a witch {way(origin, target, 'en')}{_tile(fold, target, 'en')}."
        case Play(card):
            target = _card_target(fold, card)
            what = f"You play {{{CLANS[fold.asked or 0]}{card}}}"
            path = f"{way(fold.witch or 0, target, 'en')}{_tile(fold, target, 'en')}"
            if fold.asked == fold.active:
                return f"{what}: your witch flies {path}."
            return f"{what}: {{{fold.active}}}’s witch goes back {path}."
        case Leave():
            if fold.asked == fold.active:
                return f"You stay {at(fold.witch or 0, 'en')} and keep your cards."
            return f"You leave {{{fold.active}}}’s witch {at(fold.witch or 0, 'en')} and keep your cards."
    raise TypeError(f"{move} is no move of Hexen Rennen")


def _flight(fold: State, origin: int) -> int:
    return flights(fold)[origin]


def _card_target(fold: State, card: str) -> int:
    assert fold.asked is not None, "a card is played where one is asked for"
    target = card_target(fold, fold.asked, card, occupied(fold))
    assert target is not None, "the card can be played"
    return target


def _tile(fold: State, target: int, lang: Lang) -> str:
    """What lies there, as an addition."""
    if target > COURSE:
        return ""
    if tile_at(fold, target):
        return on(fold, target)
    return ", tuile encore cachée" if lang == "fr" else ", a tile still face down"


def _follows(event: Event, fold: State, mover: int, lang: Lang) -> str:
    """What follows for certain, in a sentence said to the mover."""
    fr = lang == "fr"
    match event:
        case Carried(_, origin, target):
            tile = tile_at(fold, origin)
            more = f"{to(target, lang)}{_tile(fold, target, lang)}."
            return f" {{{tile}}} la porte {more}" if fr else f" {{{tile}}} carries her {more}"
        case Reached(seat, _, obliged):
            return _may_play(seat, obliged, seat == mover, lang)
        case Powerless(seat) if seat == mover:
            return " Vous n’avez pas de carte à jouer." if fr else " You have no card to play."
        case Powerless(seat):
            return f" {{{seat}}} n’a pas de carte à jouer." if fr else f" {{{seat}}} has no card to play."
        case Played(seat, card, _, target):
            card = f"{{{CLANS[seat]}{card}}}"
            return f" C’est {card}, jusqu’{to(target, lang)}." if fr else f" It is {card}, {to(target, lang)}."
        case Exhausted():
            return " La pioche neutre est vide." if fr else " The neutral pile is empty."
        case Finished():
            return " La course est finie." if fr else " The race is over."
    return ""


def _may_play(seat: int, obliged: bool, mine: bool, lang: Lang) -> str:
    if lang == "fr":
        if mine:
            return f" Vous {'devrez' if obliged else 'pourrez'} jouer une carte."
        return f" {{{seat}}} {'devra' if obliged else 'pourra'} jouer une carte."
    who = "You" if mine else f"{{{seat}}}"
    return f" {who} {'must then' if obliged else 'may then'} play a card."


# --- step by step ------------------------------------------------------------------------------------------


def path(move: Move, fold: State, lang: Lang) -> tuple[Step, ...]:
    """The steps to a move: number by number and stage by stage, or the one witch or card."""
    fr = lang == "fr"
    match move:
        case Divide(stages):
            return tuple(_placed(stage, n, lang) for stage, numbers in enumerate(stages, 1) for n in numbers)
        case Fly(origin):
            target = flights(fold).get(origin, origin)
            who = f"Sorcière {at(origin, lang)} : aller" if fr else f"Witch {at(origin, lang)}: go"
            return (Step(f"fly-{origin}", _set(f"{who} {to(target, lang)}{on(fold, target)}", lang)),)
        case Play(card):
            target = card_target(fold, fold.asked or 0, card, occupied(fold)) or 0
            own = fold.asked == fold.active
            verb = ("avancer" if own else "reculer") if fr else ("on" if own else "back")
            text = f"Carte {card} : {verb}" if fr else f"Card {card}: {verb}"
            return (Step(f"card-{card}", _set(f"{text} {to(target, lang)}{on(fold, target)}", lang)),)
        case Leave():
            return (Step("leave", "Ne rien jouer" if fr else "Play nothing"),)
    raise TypeError(f"{move} is no move of Hexen Rennen")


def _set(text: str, lang: Lang) -> str:
    return french(text) if lang == "fr" else text


@cache
def _placed(stage: int, number: int, lang: Lang) -> Step:
    text = f"Étape {stage} : {number}" if lang == "fr" else f"Stage {stage}: {number}"
    return Step(f"{stage}-{number}", _set(text, lang))
