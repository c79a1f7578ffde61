"""The story of Hexen Rennen: every event in the third person, and the board in words."""

from pbem.games.hexen_rennen import facts
from pbem.games.hexen_rennen.facts import CLANS, COURSE, STAGES, State, evolve, points, stage_of
from pbem.games.hexen_rennen.words import (
    CLAN_NAMES,
    at,
    list_stages,
    on,
    short_stages,
    standing,
    symbol,
    to,
    way,
    why_halted,
)
from pbem.kit.contract import Event, Phrase, Viewer
from pbem.kit.texts import Lang
from pbem.kit.words import joined, say, seat_and_place, seats_joined, seats_waited_for, seen_from


def tell(event: Event, before: State | None, lang: Lang) -> Phrase:
    """Narrates a redacted event, given the fold before it. The die is told together with its effect."""
    if isinstance(event, facts.Opened):
        return _tell_opening(event, lang)
    assert before is not None, "only the opening has nothing before it"
    match event:
        case facts.Divided(seat, stages):
            if stages[0][0] is None:
                return say(lang, f"{{{seat}}} a réparti ses tuiles.", f"{{{seat}}} has divided their tiles.")
            known = short_stages(stages)
            return say(lang, f"{{{seat}}} a réparti : {known}.", f"{{{seat}}} has divided: {known}.")
        case facts.Laid(_, first):
            return say(
                lang,
                f"Tuiles posées. Le sort désigne {{{first}}} pour commencer.",
                f"The tiles are placed. {{{first}}} is drawn at random to begin.",
            )
        case facts.Finished(_, scores, winners):
            who, many, best = seats_joined(winners, lang), len(winners) > 1, max(scores)
            return say(
                lang,
                f"La course est finie. {who} {'gagnent' if many else 'gagne'} avec {best} points.",
                f"The race is over. {who} {'win' if many else 'wins'} with {best} points.",
            )
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
            return _tell_move(event, before, lang)
        case facts.Exhausted(clan):
            return say(
                lang,
                f"Le clan {CLANS[clan]} n’a plus de cartes : rien ne se passe.",
                f"Clan {CLANS[clan]} has no cards left: nothing happens.",
            )
        case _:
            return ""
    return text + why_halted(evolve(before, event), lang)


def _tell_opening(event: facts.Opened, lang: Lang) -> Phrase:
    neutral, letters = CLANS[event.seats :], joined(CLANS[event.seats :], lang)
    text = say(lang, "Trois sorcières et douze cartes chacun.", "Three witches and twelve cards each.")
    if len(neutral) > 1:
        return text + say(lang, f" {letters} sont neutres.", f" {letters} are neutral.")
    return text + (say(lang, f" {letters} est neutre.", f" {letters} is neutral.") if neutral else "")


def _tell_move(event: facts.Flew | facts.Carried | facts.Played | facts.Drawn, before: State, lang: Lang) -> Phrase:
    """Tells how a witch got from one place to another, and why her own clan's number does not carry her on."""
    halted, tile = why_halted(evolve(before, event), lang), on(before, event.target)
    path = (to(event.target, lang) if halted else way(event.origin, event.target, lang)) + tile
    whose = f"{{{before.active}}}"
    match event:
        case facts.Flew(seat):
            die = before.die
            text = say(lang, f"{{{seat}}} fait {die} et vole {path}.", f"{{{seat}}} rolls {die} and flies {path}.")
        case facts.Carried(seat, origin):
            carrier = f"{{{before.shown[origin - 1]}}}"
            text = say(lang, f"{carrier} porte {{{seat}}} {path}.", f"{carrier} carries {{{seat}}} {path}.")
        case facts.Played(seat, card):
            card = f"{{{CLANS[seat]}{card}}}"
            text = say(lang, f"{{{seat}}} joue {card} : ", f"{{{seat}}} plays {card}: ")
            own = seat == before.active
            text += f"{path}." if own else say(lang, f"{whose} recule {path}.", f"{whose} back {path}.")
        case facts.Drawn(clan, card, origin, target):
            sign = f"{{{CLANS[clan]}{card}}}"
            text = say(lang, f"Le clan {CLANS[clan]} tire {sign}", f"Clan {CLANS[clan]} draws {sign}")
            if target == origin:
                return text + say(lang, ", sans effet.", ", without effect.")
            text += say(lang, f" : {whose} recule {path}.", f": {whose} back {path}.")
    return text + halted


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
        case facts.Powerless():
            return say(
                lang,
                f"Sur {sign}, {{{seat}}} ne peut jouer aucune carte.",
                f"On {sign}, {{{seat}}} cannot play any card.",
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


# --- the board in words --------------------------------------------------------------------------------------


def describe(fold: State, viewer: Viewer, lang: Lang, *, over: bool) -> list[Phrase]:
    """Returns the position as the viewer knows it, line by line."""
    seats = seen_from(viewer, fold.seats)
    clans = ", ".join(f"{letter} {name[lang]}" for letter, name in zip(CLANS, CLAN_NAMES, strict=True))
    return [
        _now(fold, lang, over=over),
        *(_seat(fold, seat, viewer, lang) for seat in seats),
        *(_neutral(fold, clan, lang) for clan in range(fold.seats, len(CLANS))),
        *(_stage(fold, stage, lang) for stage in range(STAGES) if fold.shown),
        *(_stages_of(fold, seat, viewer, lang) for seat in seats),
        _under(fold, lang),
        say(
            lang,
            f"Clans : {clans} ; S est le symbole magique. L’arrivée suit la tuile 48, cases 2, 3 et 4.",
            f"Clans: {clans}; S is the magic symbol. The goal follows tile 48, squares 2, 3 and 4.",
        ),
    ]


def _now(fold: State, lang: Lang, *, over: bool) -> str:
    """Describes what the table waits for, or who has won; "" if the match is over without a winner of its rules."""
    if fold.finisher is not None:
        winners, many = seats_joined(fold.winners, lang), len(fold.winners) > 1
        return say(
            lang,
            f"La course est finie, {winners} {'ont' if many else 'a'} gagné.",
            f"The race is over, {winners} won{' together' if many else ''}.",
        )
    if over:
        return ""
    if not fold.turn or fold.active is None:
        left = seats_waited_for(seat for seat in range(fold.seats) if not fold.divided[seat])
        if not left:
            return say(lang, "Toutes les tuiles sont réparties.", "All tiles are divided.")
        return say(lang, f"Doivent encore répartir leurs tuiles : {left}.", f"Still to divide their tiles: {left}.")
    text = say(lang, f"Tour de {{{fold.active}}}, dé : {fold.die}.", f"{{{fold.active}}}’s turn, die: {fold.die}.")
    if fold.asked is None:
        return text
    place, sign = at(fold.witch or 0, lang), symbol(fold.asked)
    return text + say(
        lang,
        f" La sorcière est {place}, sur {sign} : {{{fold.asked}}} "
        f"{'doit jouer une carte' if fold.obliged else 'choisit'}.",
        f" The witch is {place}, on {sign}: {{{fold.asked}}} {'must play a card' if fold.obliged else 'chooses'}.",
    )


def _seat(fold: State, seat: int, viewer: Viewer, lang: Lang) -> str:
    who, witches = seat_and_place(seat, viewer, lang), standing(fold.witches[seat], lang)
    cards, score = ", ".join(fold.hands[seat]), sum(map(points, fold.witches[seat]))
    return say(
        lang,
        f"{who} : sorcières {witches} ; {f'cartes {cards}' if cards else 'plus de cartes'} ; points : {score}.",
        f"{who}: witches {witches}; {f'cards {cards}' if cards else 'no cards left'}; points: {score}.",
    )


def _neutral(fold: State, clan: int, lang: Lang) -> str:
    drawn, left = ", ".join(fold.discards[clan]), len(fold.piles[clan])
    return say(
        lang,
        f"Clan {CLANS[clan]}, neutre : cartes en pioche : {left}{f' ; tirées : {drawn}' if drawn else ''}.",
        f"Clan {CLANS[clan]}, neutral: cards in its pile: {left}{f'; drawn: {drawn}' if drawn else ''}.",
    )


def _stage(fold: State, stage: int, lang: Lang) -> str:
    first = stage * 16 + 1
    up = ", ".join(
        f"{place} {{{tile}}}" for place, tile in enumerate(fold.shown, 1) if tile and stage_of(place) == stage
    )
    return say(
        lang,
        f"Étape {stage + 1} (tuiles {first} à {first + 15}) : {up or 'rien n’est encore retourné'}.",
        f"Stage {stage + 1} (tiles {first} to {first + 15}): {up or 'nothing is turned up yet'}.",
    )


def _stages_of(fold: State, seat: int, viewer: Viewer, lang: Lang) -> str:
    """Describes the stages of the seat's numbers, if the fold knows them."""
    stages = fold.stages[seat]
    if stages is None or stages[0][0] is None:
        return ""
    if seat == viewer:
        whose = say(lang, "Vos nombres", "Your numbers")
    else:
        whose = say(lang, f"Nombres de {{{seat}}}", f"{{{seat}}}’s numbers")
    return f"{whose}, {list_stages(stages, lang)}."


def _under(fold: State, lang: Lang) -> str:
    """Describes what lies face down, if the fold knows it: in the full log of a match that is over."""
    if not fold.tiles or fold.tiles[0] is None:
        return ""
    known = zip(range(1, COURSE + 1), fold.tiles, fold.shown, strict=True)
    down = ", ".join(f"{place} {{{tile}}}" for place, tile, shown in known if not shown)
    return say(lang, f"Restées cachées : {down}.", f"Still face down: {down}.") if down else ""
