"""The questions and choices of Hexen Rennen, addressed to the player."""

from collections.abc import Iterable
from functools import cache

from pbem.games.hexen_rennen import facts
from pbem.games.hexen_rennen.facts import CLAN_OF, CLANS, COURSE, VALUE_OF, Divide, Fly, Leave, Play, State, evolve
from pbem.games.hexen_rennen.rules import legal, preview
from pbem.games.hexen_rennen.rules_turn import card_target, flights, tiles_with_witch
from pbem.games.hexen_rennen.words import at, list_stages, on, place_sign, symbol, tile_at, to, way, why_halted
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
                "Mettez trois de vos neuf nombres dans chaque étape, en secret, dans l’ordre que vous voulez ; un de "
                "vos symboles s’y ajoute. Vos nombres portent vos propres sorcières en avant ; chaque étape est "
                "ensuite mélangée.",
                "Put three of your nine numbers into each stage, in secret and in any order; one of your symbols is "
                "added. Your numbers carry your own witches forward; each stage is then shuffled.",
            )
        case "fly":
            return say(
                lang,
                f"Le dé donne {fold.die} : faites avancer une de vos sorcières de {fold.die}.",
                f"The die shows {fold.die}: move one of your witches forward by {fold.die}.",
            )
    return _witch_on_symbol(ask, fold, lang) + say(
        lang,
        " Une carte nombre l’a fait reculer jusqu’ici : vous devez jouer une carte."
        if fold.obliged
        else " Vous pouvez aussi ne rien jouer.",
        " A number card moved her back to this tile: you must play a card."
        if fold.obliged
        else " You may also play nothing.",
    )


def _witch_on_symbol(ask: Ask, fold: State, lang: Lang) -> str:
    where, sign = at(fold.witch or 0, lang), symbol(ask.seat)
    if ask.kind == "own":
        return say(
            lang,
            f"Votre sorcière est {where}, sur votre symbole {sign}. Une carte la fait avancer.",
            f"Your witch is {where}, on your symbol {sign}. A card moves her forward.",
        )
    return say(
        lang,
        f"Une sorcière de {{{fold.active}}} a atteint la tuile {fold.witch}, votre symbole {sign}. "
        "Une carte la fait reculer.",
        f"One of {{{fold.active}}}’s witches reached tile {fold.witch}, your symbol {sign}. A card moves her back.",
    )


# --- moves -------------------------------------------------------------------------------------------------


def label(move: Move, fold: State, lang: Lang) -> Phrase:
    """Returns the whole move in a sentence, and its certain consequences."""
    match move:
        case Divide(stages):
            numbers = list_stages(stages, lang).capitalize()
            return say(lang, f"Vous répartissez vos nombres. {numbers}.", f"You divide your numbers. {numbers}.")
        case Fly(origin):
            text = say(lang, "Vous faites voler une sorcière", "You fly a witch")
            return f"{text} {_path(origin, flights(fold)[origin], fold, lang)}.{_consequences(move, fold, lang)}"
        case Play(card):
            return _label_of_card(card, fold, lang) + _consequences(move, fold, lang)
    where = at(fold.witch or 0, lang)
    if fold.asked == fold.active:
        return say(lang, f"Vous restez {where} et gardez vos cartes.", f"You stay {where} and keep your cards.")
    return say(
        lang,
        f"Vous laissez la sorcière de {{{fold.active}}} {where} et gardez vos cartes.",
        f"You leave {{{fold.active}}}’s witch {where} and keep your cards.",
    )


def _label_of_card(card: str, fold: State, lang: Lang) -> str:
    assert fold.asked is not None, "a card is played where one is asked for"
    target = card_target(fold, fold.asked, card, tiles_with_witch(fold))
    assert target is not None, "the card can be played"
    path, card = _path(fold.witch or 0, target, fold, lang), f"{{{CLANS[fold.asked]}{card}}}"
    if fold.asked == fold.active:
        return say(
            lang, f"Vous jouez {card} : votre sorcière vole {path}.", f"You play {card}: your witch flies {path}."
        )
    return say(
        lang,
        f"Vous jouez {card} : la sorcière de {{{fold.active}}} recule {path}.",
        f"You play {card}: {{{fold.active}}}’s witch goes back {path}.",
    )


def _path(origin: int, target: int, fold: State, lang: Lang) -> str:
    return way(origin, target, lang) + _tile(fold, target, lang)


def _tile(fold: State, target: int, lang: Lang) -> str:
    """Returns the tile that lies there, to be added to a sentence."""
    if target > COURSE:
        return ""
    return on(fold, target) or say(lang, ", tuile encore cachée", ", a tile still face down")


# --- what follows ------------------------------------------------------------------------------------------


def _consequences(move: Move, fold: State, lang: Lang) -> str:
    """Tells all certain consequences, and why they end there if that is visible."""
    seat = fold.active if fold.asked is None else fold.asked
    assert seat is not None, "somebody is asked"
    text, state = "", fold
    for n, event in enumerate(preview(fold, seat, move)):
        state = evolve(state, event)
        text += _follows(event, fold, seat, lang) if n else ""
        text += why_halted(state, lang) if isinstance(event, facts.Flew | facts.Carried | facts.Played) else ""
    return text + _draws(state, lang)


def _draws(state: State, lang: Lang) -> str:
    """Tells that a neutral clan's card is drawn next; "" if none is."""
    tile = tile_at(state, state.witch or 0)
    if tile is None or VALUE_OF[tile] or CLAN_OF[tile] < state.seats or not state.piles[CLAN_OF[tile]]:
        return ""
    return say(
        lang,
        f" Une carte du clan neutre {tile[0]} sera tirée.",
        f" A card of the neutral clan {tile[0]} will be drawn.",
    )


def _follows(event: Event, fold: State, mover: int, lang: Lang) -> str:
    """Tells the certain consequences, in a sentence addressed to the mover."""
    match event:
        case facts.Carried(_, origin, target):
            tile, more = f"{{{tile_at(fold, origin)}}}", f"{to(target, lang)}{_tile(fold, target, lang)}"
            return say(lang, f" {tile} la porte {more}.", f" {tile} carries her {more}.")
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
                f" {{{seat}}} {'must then' if obliged else 'may then'} play a card.",
            )
        case facts.Powerless(seat) if seat == mover:
            return say(lang, " Vous n’avez pas de carte à jouer.", " You have no card to play.")
        case facts.Powerless(seat):
            return say(lang, f" {{{seat}}} n’a pas de carte à jouer.", f" {{{seat}}} has no card to play.")
        case facts.Played(seat, card, _, target):
            card, end = f"{{{CLANS[seat]}{card}}}", to(target, lang)
            return say(lang, f" C’est {card}, jusqu’{end}.", f" It is {card}, {end}.")
        case facts.Exhausted():
            return say(lang, " La pioche neutre est vide.", " The neutral pile is empty.")
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
            target, where = flights(fold).get(origin, origin), at(origin, lang)
            who = say(lang, f"Sorcière {where} : aller", f"Witch {where}: go")
            return (step(f"fly-{origin}", f"{who} {to(target, lang)}{on(fold, target)}", lang),)
        case Play(card):
            target = card_target(fold, fold.asked or 0, card, tiles_with_witch(fold)) or 0
            way_fr, way_en = ("avancer", "forward") if fold.asked == fold.active else ("reculer", "back")
            what = say(lang, f"Carte {card} : {way_fr}", f"Card {card}: {way_en}")
            return (step(f"card-{card}", f"{what} {to(target, lang)}{on(fold, target)}", lang),)
    return (step("leave", say(lang, "Ne rien jouer", "Play nothing"), lang),)


def candidates(ask: Ask, fold: State, lang: Lang) -> Iterable[Candidate]:
    """Yields each place where a witch stands; each card of the hand, and playing none."""
    if ask.kind == "fly":
        for place in sorted(set(fold.witches[ask.seat])):
            yield Candidate(place_sign(place, lang), Fly(place))
    elif ask.kind != "divide":
        for card in dict.fromkeys(fold.hands[ask.seat]):
            yield Candidate(put_in(f"{CLANS[ask.seat]}{card}"), Play(card))
        yield Candidate(say(lang, "ne rien jouer", "play nothing"), Leave())


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
                nothing.append((Cell(say(lang, "Ne rien jouer", "Play nothing"), path(move, fold, lang)),))
    where = at(fold.witch or 0, lang)
    title = (
        say(lang, f"Avancer votre sorcière {where}…", f"Move your witch {where} forward…")
        if ask.kind == "own"
        else say(lang, f"Faire reculer la sorcière {where}…", f"Move the witch {where} back…")
    )
    return Pad(title, (*rows_of(cards, 2), *nothing))


def _goal(place: int, fold: State, lang: Lang) -> str:
    return place_sign(place, lang) + on(fold, place)
