"""The questions and choices of Hexen Rennen, addressed to the player."""

from collections.abc import Iterable
from functools import cache

from pbem.games.hexen_rennen import facts
from pbem.games.hexen_rennen.facts import (
    CLAN_OF,
    CLANS,
    COURSE,
    SYMBOL,
    VALUE_OF,
    Divide,
    Fly,
    Leave,
    Play,
    State,
    evolve,
    points,
)
from pbem.games.hexen_rennen.rules import legal, preview
from pbem.games.hexen_rennen.rules_turn import card_target, flights, tiles_with_witch
from pbem.games.hexen_rennen.words import at, on, place_sign, tile_at, to, why_halted
from pbem.kit.answers import Row, rows_of
from pbem.kit.contract import Ask, Candidate, Cell, Event, Move, Pad, Phrase, Step
from pbem.kit.texts import Lang
from pbem.kit.words import put_in, say, step

# --- what is asked -----------------------------------------------------------------------------------------


def prompt(ask: Ask, fold: State, lang: Lang) -> Phrase:
    """Returns the rules that bind the seat that is asked."""
    match ask.kind:
        case "divide":
            return say(
                lang,
                "Trois nombres par étape, en secret. Ils porteront vos sorcières.",
                "Three numbers into each stage, in secret. They carry your own witches.",
            )
        case "fly":
            return say(
                lang,
                f"Vous avez fait {fold.die} : avancez une de vos sorcières de {fold.die}.",
                f"You rolled {fold.die}: move one of your witches forward by {fold.die}.",
            )
    place, seat = fold.witch or 0, f"{{{fold.active}}}"
    match ask.kind, fold.obliged:
        case "own", False:
            return say(
                lang,
                f"Vous êtes en {place}, sur votre symbole : une carte vous fait avancer.",
                f"You are on {place}, your symbol: a card moves your witch forward.",
            )
        case "own", True:
            return say(
                lang,
                f"Une carte nombre vous a fait reculer en {place} : vous devez jouer une carte.",
                f"A number card sent you back to {place}: you must play a card.",
            )
        case _, False:
            return say(
                lang,
                f"{seat} est en {place}, sur votre symbole : une carte fait reculer sa sorcière.",
                f"{seat}’s witch is on {place}, your symbol: a card sends her back.",
            )
    return say(
        lang,
        f"{seat} a reculé en {place}, sur votre symbole : vous devez jouer une carte.",
        f"{seat} was sent back to {place}, your symbol: you must play a card.",
    )


# --- moves -------------------------------------------------------------------------------------------------


def label(move: Move, fold: State, lang: Lang) -> Phrase:
    """Returns the whole move in a sentence, and what certainly comes of it."""
    match move:
        case Divide(stages):
            one, two, three = (", ".join(map(str, numbers)) for numbers in stages)
            return say(
                lang,
                f"L’étape 1 reçoit {one} ; l’étape 2, {two} ; l’étape 3, {three}.",
                f"Stage 1 gets {one}; stage 2 gets {two}; stage 3 gets {three}.",
            )
        case Fly(origin):
            ahead, _ = _ahead(move, fold, lang)
            start = say(lang, f"de {origin}" if origin else "du départ", f"from {origin or 'the start'}")
            return say(lang, f"Vous avancez {start} {ahead}", f"You fly {start} {ahead}")
        case Play(card):
            (ahead, goes_on), sign = _ahead(move, fold, lang), put_in(f"{CLANS[fold.asked or 0]}{card}")
            if fold.asked == fold.active:
                own = say(lang, f" : vous avancez de {fold.witch} {ahead}", f": you fly from {fold.witch} {ahead}")
                return sign + own
            start = "" if goes_on else say(lang, f" de {fold.witch}", f" from {fold.witch}")
            return sign + say(
                lang,
                f" : {{{fold.active}}} recule{start} {ahead}",
                f": {{{fold.active}}} goes back{start} {ahead}",
            )
    where = at(fold.witch or 0, lang)
    if fold.asked == fold.active:
        return say(lang, f"Vous restez {where} et gardez vos cartes.", f"You stay {where} and keep your cards.")
    return say(
        lang,
        f"Vous laissez la sorcière de {{{fold.active}}} {where} et gardez vos cartes.",
        f"You leave {{{fold.active}}}’s witch {where} and keep your cards.",
    )


# --- what follows ------------------------------------------------------------------------------------------


def _ahead(move: Move, fold: State, lang: Lang) -> tuple[Phrase, bool]:
    """Returns where the witch of a move comes, as far as tiles that lie face up tell, and what follows there.

    Of the places to which tiles and forced cards take her on, the last one is named; True if there is any.
    """
    seat = fold.active if fold.asked is None else fold.asked
    assert seat is not None, "somebody is asked"
    state, follows = fold, ""
    stops: list[int] = []
    for event in preview(fold, seat, move):
        state = evolve(state, event)
        if isinstance(event, facts.Flew | facts.Carried | facts.Played):
            stops.append(event.target)
            follows = ""
        else:
            follows = _follows(event, seat, lang)
    first, last = stops[0], stops[-1]
    follows = follows or _draws(state, lang)
    further = _end(last, lang) if len(stops) > 1 else ""
    way = to(first, lang) + (say(lang, f", puis {further}", f", then {further}") if further else "")
    tile = "" if follows else _tile(fold, last, lang)
    return f"{way}{tile}.{follows or why_halted(state, lang)}", bool(further)


def _end(place: int, lang: Lang) -> str:
    if place <= COURSE:
        return str(place)
    return say(lang, f"à l’arrivée ({points(place)})", f"into the goal ({points(place)})")


def _tile(fold: State, target: int, lang: Lang) -> str:
    """Returns the tile that lies there, to be added to a sentence."""
    if target > COURSE:
        return ""
    return on(fold, target) or say(lang, ", tuile encore cachée", ", a tile still face down")


def _draws(state: State, lang: Lang) -> str:
    """Tells that a neutral clan's card is drawn next; "" if none is."""
    tile = tile_at(state, state.witch or 0)
    if tile is None or VALUE_OF[tile] or CLAN_OF[tile] < state.seats or not state.piles[CLAN_OF[tile]]:
        return ""
    return say(lang, f" Le clan {tile[0]} tirera une carte.", f" Clan {tile[0]} will draw a card.")


def _follows(event: Event, mover: int, lang: Lang) -> str:
    """Tells what certainly follows where the witch has come, in a sentence addressed to the mover."""
    match event:
        case facts.Reached(seat, _, obliged) if seat == mover:
            return say(
                lang,
                f" Vous {'devrez' if obliged else 'pourrez'} jouer une carte.",
                f" You {'must then' if obliged else 'may then'} play a card.",
            )
        case facts.Reached(seat, _, obliged):
            return say(
                lang,
                f" {{{seat}}} {'devra' if obliged else 'pourra'} jouer une carte.",
                f" {{{seat}}} {'must' if obliged else 'may'} play a card.",
            )
        case facts.Powerless(seat) if seat == mover:
            return say(lang, " Vous n’avez pas de carte à jouer.", " You have no card to play.")
        case facts.Powerless(seat):
            return say(lang, f" {{{seat}}} n’a pas de carte à jouer.", f" {{{seat}}} has no card to play.")
        case facts.Exhausted(clan):
            return say(lang, f" Le clan {CLANS[clan]} n’a plus de cartes.", f" Clan {CLANS[clan]} has no cards left.")
        case facts.Finished():
            return say(lang, " La course est finie.", " The race is over.")
    return ""


# --- step by step ------------------------------------------------------------------------------------------


def path(move: Move, fold: State, lang: Lang) -> tuple[Step, ...]:
    """Returns the steps to a move: stage by stage each number, whose order is free, or the one witch or card."""
    match move:
        case Divide(stages):
            return tuple(_place_number(stage, n, lang) for stage, numbers in enumerate(stages, 1) for n in numbers)
        case Fly(origin):
            return (
                step(f"fly-{origin}", _answer(place_sign(origin, lang), flights(fold).get(origin), fold, lang), lang),
            )
        case Play(card):
            sign = put_in(f"{CLANS[fold.asked or 0]}{card}") if card == SYMBOL else card
            target = card_target(fold, fold.asked or 0, card, tiles_with_witch(fold))
            return (step(f"card-{card}", _answer(sign, target, fold, lang), lang),)
    return (step("leave", _nothing(fold, lang), lang),)


def _answer(sign: Phrase, target: int | None, fold: State, lang: Lang) -> Phrase:
    """Returns a witch or a card, and where it leads; the sign alone where it leads nowhere."""
    if target is None:
        return sign
    if target > COURSE:
        return f"{sign} · {place_sign(target, lang)}"
    tile = tile_at(fold, target)
    return f"{sign} · {say(lang, 'en', 'to')} {target}" + (f" · {put_in(tile)}" if tile else "")


def _nothing(fold: State, lang: Lang) -> str:
    """Returns what it is called to play no card: to stay, or to leave another's witch."""
    if fold.asked == fold.active:
        return say(lang, "Ne rien jouer", "Play no card")
    return say(lang, "La laisser", "Leave her there")


def candidates(ask: Ask, fold: State, lang: Lang) -> Iterable[Candidate]:
    """Yields each place where a witch stands; each card of the hand, and playing none."""
    if ask.kind == "fly":
        for place in sorted(set(fold.witches[ask.seat])):
            yield Candidate(place_sign(place, lang), Fly(place))
    elif ask.kind != "divide":
        for card in dict.fromkeys(fold.hands[ask.seat]):
            yield Candidate(put_in(f"{CLANS[ask.seat]}{card}"), Play(card))
        yield Candidate(_nothing(fold, lang), Leave())


@cache
def _place_number(stage: int, n: int, lang: Lang) -> Step:
    """Returns the step that puts a number into a stage. Made once: 1,680 divisions consist of 27 of them."""
    return step(f"{stage}-{n}", say(lang, f"{n} à l’étape {stage}", f"{n} to stage {stage}"), lang)


# --- in short ----------------------------------------------------------------------------------------------


def pad(ask: Ask, fold: State, lang: Lang) -> Pad:
    """Returns the answers in short: one that opens the division; each witch and each card with where it leads."""
    match ask.kind:
        case "divide":
            open_board = Cell(say(lang, "Répartir mes tuiles", "Divide my tiles"), ())
            title = say(lang, "Trois nombres par étape, en secret", "Three numbers for each stage, in secret")
            return Pad(title, ((open_board,),))
        case "fly":
            ways = (
                Cell(f"{place_sign(origin, lang)} → {_goal(target, fold, lang)}", path(Fly(origin), fold, lang))
                for origin, target in flights(fold).items()
            )
            title = say(lang, f"Le dé donne {fold.die}. Faites voler…", f"The die shows {fold.die}. Fly…")
            return Pad(title, rows_of(ways, 2))
    return _cards(ask, fold, lang)


def _cards(ask: Ask, fold: State, lang: Lang) -> Pad:
    cards: list[Cell] = []
    nothing: list[Row] = []
    for move in legal(fold, ask.seat):
        match move:
            case Play(card):
                target = card_target(fold, ask.seat, card, tiles_with_witch(fold)) or 0
                sign = put_in(f"{CLANS[ask.seat]}{card}")
                cards.append(Cell(f"{sign} → {_goal(target, fold, lang)}", path(move, fold, lang)))
            case Leave():
                nothing.append((Cell(_nothing(fold, lang), path(move, fold, lang)),))
    where = at(fold.witch or 0, lang)
    title = (
        say(lang, f"Avancer votre sorcière {where}…", f"Move your witch {where} forward…")
        if ask.kind == "own"
        else say(lang, f"Faire reculer la sorcière {where}…", f"Move the witch {where} back…")
    )
    return Pad(title, (*rows_of(cards, 2), *nothing))


def _goal(place: int, fold: State, lang: Lang) -> str:
    return place_sign(place, lang) + on(fold, place)
