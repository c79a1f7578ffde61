"""The board of Hexen Rennen in words: enough to play from a mail without pictures."""

from pbem.games.hexen_rennen.phrases import CLAN_NAMES, at, joined, staged, standing, symbol
from pbem.games.hexen_rennen.pieces import CLANS, COURSE, STAGES, State, points, stage_of
from pbem.kit.contract import Lang, Phrase, Viewer
from pbem.kit.notation import french, seat_letter


def describe(fold: State, viewer: Viewer, lang: Lang) -> tuple[Phrase, ...]:
    """The position as the viewer knows it, a line each."""
    lines = [
        _now(fold, lang),
        *(_seat(fold, seat, viewer, lang) for seat in _order(fold, viewer)),
        *(_neutral(fold, clan, lang) for clan in range(fold.seats, len(CLANS))),
    ]
    if fold.shown:
        lines += [_stage(fold, stage, lang) for stage in range(STAGES)]
    lines += [_divided(fold, seat, viewer, lang) for seat in _order(fold, viewer)]
    lines += [_under(fold, lang), _legend(lang)]
    said = [line for line in lines if line]
    return tuple(map(french, said)) if lang == "fr" else tuple(said)


def _order(fold: State, viewer: Viewer) -> list[int]:
    """The viewer first, then clockwise."""
    return [((viewer or 0) + step) % fold.seats for step in range(fold.seats)]


def _now(fold: State, lang: Lang) -> str:
    fr = lang == "fr"
    if fold.finisher is not None:
        winners = joined((f"{{{seat}}}" for seat in fold.winners), lang)
        many = len(fold.winners) > 1
        if fr:
            return f"La course est finie, {winners} {'ont' if many else 'a'} gagné."
        return f"The race is over, {winners} won{' together' if many else ''}."
    if not fold.turn or fold.active is None:
        left = " · ".join(f"{{{seat}}}" for seat in range(fold.seats) if not fold.divided[seat])
        if not left:
            return "Toutes les tuiles sont réparties." if fr else "All tiles are divided."
        return f"Doivent encore répartir leurs tuiles : {left}." if fr else f"Still to divide their tiles: {left}."
    text = f"Tour de {{{fold.active}}}, dé : {fold.die}." if fr else f"{{{fold.active}}}’s turn, die: {fold.die}."
    if fold.asked is None:
        return text
    place, sign = at(fold.witch or 0, lang), symbol(fold.asked)
    if fr:
        does = "doit jouer une carte" if fold.obliged else "choisit"
        return f"{text} La sorcière est {place}, sur {sign} : {{{fold.asked}}} {does}."
    does = "must play a card" if fold.obliged else "chooses"
    return f"{text} The witch is {place}, on {sign}: {{{fold.asked}}} {does}."


def _seat(fold: State, seat: int, viewer: Viewer, lang: Lang) -> str:
    fr = lang == "fr"
    place = f"place {seat_letter(seat)}" if fr else f"seat {seat_letter(seat)}"
    you = (", vous" if fr else ", you") if seat == viewer else ""
    witches = standing(fold.witches[seat], lang)
    cards = ", ".join(fold.hands[seat])
    score = sum(map(points, fold.witches[seat]))
    if fr:
        hand = f"cartes {cards}" if cards else "plus de cartes"
        return f"{{{seat}}} ({place}{you}) : sorcières {witches} ; {hand} ; points : {score}."
    hand = f"cards {cards}" if cards else "no cards left"
    return f"{{{seat}}} ({place}{you}): witches {witches}; {hand}; points: {score}."


def _neutral(fold: State, clan: int, lang: Lang) -> str:
    fr = lang == "fr"
    drawn = ", ".join(fold.discards[clan])
    left = len(fold.piles[clan])
    if fr:
        text = f"Clan {CLANS[clan]}, neutre : cartes en pioche : {left}"
        return f"{text} ; tirées : {drawn}." if drawn else f"{text}."
    text = f"Clan {CLANS[clan]}, neutral: cards in its pile: {left}"
    return f"{text}; drawn: {drawn}." if drawn else f"{text}."


def _stage(fold: State, stage: int, lang: Lang) -> str:
    first = stage * 16 + 1
    up = [f"{place} {{{tile}}}" for place, tile in enumerate(fold.shown, 1) if tile and stage_of(place) == stage]
    if lang == "fr":
        found = ", ".join(up) if up else "rien n’est encore retourné"
        return f"Étape {stage + 1} (tuiles {first} à {first + 15}) : {found}."
    found = ", ".join(up) if up else "nothing is turned up yet"
    return f"Stage {stage + 1} (tiles {first} to {first + 15}): {found}."


def _divided(fold: State, seat: int, viewer: Viewer, lang: Lang) -> str:
    """In which stage the seat's numbers lie, where the fold knows it."""
    stages = fold.stages[seat]
    if stages is None or stages[0][0] is None:
        return ""
    numbers = staged(stages, lang)
    if lang == "fr":
        return f"Vos nombres, {numbers}." if seat == viewer else f"Nombres de {{{seat}}}, {numbers}."
    return f"Your numbers, {numbers}." if seat == viewer else f"{{{seat}}}’s numbers, {numbers}."


def _under(fold: State, lang: Lang) -> str:
    """What lies face down, where the fold knows it: in the full log of a match that is over."""
    if not fold.tiles or fold.tiles[0] is None:
        return ""
    known = zip(range(1, COURSE + 1), fold.tiles, fold.shown, strict=True)
    down = ", ".join(f"{place} {{{tile}}}" for place, tile, shown in known if not shown)
    if not down:
        return ""
    return f"Restées cachées : {down}." if lang == "fr" else f"Still face down: {down}."


def _legend(lang: Lang) -> str:
    names = ", ".join(f"{letter} {name}" for letter, name in zip(CLANS, CLAN_NAMES[lang], strict=True))
    if lang == "fr":
        return f"Clans : {names} ; S est le symbole magique. L’arrivée suit la tuile 48, cases 2, 3 et 4."
    return f"Clans: {names}; S is the magic symbol. The goal follows tile 48, squares 2, 3 and 4."
