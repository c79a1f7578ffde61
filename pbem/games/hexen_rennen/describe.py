"""The board of Hexen Rennen in words."""

from pbem.games.hexen_rennen import facts_race as race
from pbem.games.hexen_rennen import words
from pbem.kit.contract import Phrase, Viewer
from pbem.kit.texts import Lang
from pbem.kit.words import say, seat_and_place, seats_joined, seats_waited_for, seen_from


def describe(fold: race.State, viewer: Viewer, lang: Lang, *, over: bool) -> list[Phrase]:
    """Returns the position as the viewer knows it, line by line."""
    seats = seen_from(viewer, fold.seats)
    clans = ", ".join(words.clan_name(clan, lang) for clan in range(len(race.CLANS)))
    return [
        _turn_or_winner_in_words(fold, lang, over=over),
        *(_seat_in_words(fold, seat, viewer, lang) for seat in seats),
        *(
            _neutral_clan_in_words(fold, clan, lang)
            for clan in range(fold.seats, len(race.CLANS))
            if None not in fold.clans
        ),
        *(_stage_in_words(fold, stage, lang) for stage in range(race.STAGES) if fold.shown),
        *(_numbers_by_stage_in_words(fold, seat, viewer, lang) for seat in seats),
        _tiles_face_down_in_words(fold, lang),
        say(
            lang,
            f"Clans : {clans} ; S est le symbole magique. L’arrivée suit la tuile 48, cases 2, 3 et 4.",
            f"Clans: {clans}; S is the magic symbol. The goal follows tile 48, squares 2, 3 and 4.",
        ),
    ]


def _turn_or_winner_in_words(fold: race.State, lang: Lang, *, over: bool) -> str:
    """Describes what the table waits for, or who has won; "" if the match is over without a winner of its rules."""
    if fold.finisher is not None:
        winners, many = seats_joined(fold.winners, lang), len(fold.winners) > 1
        fr = f"La course est finie, {winners} {'ont' if many else 'a'} gagné."
        return say(lang, fr, f"The race is over, {winners} won{' together' if many else ''}.")
    if over:
        return ""
    if not fold.turn or fold.active is None:
        choosing = seats_waited_for(seat for seat, clan in enumerate(fold.clans) if clan is None)
        if choosing:
            free = ", ".join(words.clan_name(clan, lang) for clan in race.free_clans(fold))
            fr = f"Doivent encore choisir un clan : {choosing}. Clans libres : {free}."
            return say(lang, fr, f"Still to choose a clan: {choosing}. Clans left: {free}.")
        left = seats_waited_for(seat for seat in range(fold.seats) if not fold.divided[seat])
        if not left:
            return say(lang, "Toutes les tuiles sont réparties.", "All tiles are divided.")
        return say(lang, f"Doivent encore répartir leurs tuiles : {left}.", f"Still to divide their tiles: {left}.")
    text = say(lang, f"Tour de {{{fold.active}}}, dé : {fold.die}.", f"{{{fold.active}}}’s turn, die: {fold.die}.")
    if fold.asked is None:
        return text
    place, sign = words.place_in_words(fold.witch or 0, lang), words.symbol_of_clan(fold, fold.asked)
    return text + say(
        lang,
        f" La sorcière est {place}, sur {sign} : {{{fold.asked}}} "
        f"{'doit jouer une carte' if fold.obliged else 'choisit'}.",
        f" The witch is {place}, on {sign}: {{{fold.asked}}} {'must play a card' if fold.obliged else 'chooses'}.",
    )


def _seat_in_words(fold: race.State, seat: int, viewer: Viewer, lang: Lang) -> str:
    clan = fold.clans[seat]
    more = (
        f", clan {words.clan_name(clan, lang)}" if clan is not None and words.are_clans_out_of_seat_order(fold) else ""
    )
    who, witches = seat_and_place(seat, viewer, lang, more), words.places_of_witches(fold.witches[seat], lang)
    cards, score = ", ".join(fold.hands[seat]), sum(map(race.points_at_place, fold.witches[seat]))
    fr = f"{who} : sorcières {witches} ; {f'cartes {cards}' if cards else 'plus de cartes'} ; points : {score}."
    en = f"{who}: witches {witches}; {f'cards {cards}' if cards else 'no cards left'}; points: {score}."
    return say(lang, fr, en)


def _neutral_clan_in_words(fold: race.State, clan: int, lang: Lang) -> str:
    drawn, left, letter = ", ".join(fold.discards[clan]), len(fold.piles[clan]), race.letter_of_clan(fold, clan)
    fr = f"Clan {letter}, neutre : cartes en pioche : {left}{f' ; tirées : {drawn}' if drawn else ''}."
    return say(lang, fr, f"Clan {letter}, neutral: cards in its pile: {left}{f'; drawn: {drawn}' if drawn else ''}.")


def _stage_in_words(fold: race.State, stage: int, lang: Lang) -> str:
    first = stage * 16 + 1
    up = ", ".join(
        f"{place} {{{tile}}}"
        for place, tile in enumerate(fold.shown, 1)
        if tile and race.stage_of_place(place) == stage
    )
    fr = f"Étape {stage + 1} (tuiles {first} à {first + 15}) : {up or 'rien n’est encore retourné'}."
    return say(lang, fr, f"Stage {stage + 1} (tiles {first} to {first + 15}): {up or 'nothing is turned up yet'}.")


def _numbers_by_stage_in_words(fold: race.State, seat: int, viewer: Viewer, lang: Lang) -> str:
    """Describes the stages of the seat's numbers, if the fold knows them."""
    stages = fold.stages[seat]
    if stages is None or stages[0][0] is None:
        return ""
    if seat == viewer:
        whose = say(lang, "Vos nombres", "Your numbers")
    else:
        whose = say(lang, f"Nombres de {{{seat}}}", f"{{{seat}}}’s numbers")
    return f"{whose}, {words.stages_in_words(stages, lang)}."


def _tiles_face_down_in_words(fold: race.State, lang: Lang) -> str:
    """Describes what lies face down, if the fold knows it: in the full log of a match that is over."""
    if not fold.tiles or fold.tiles[0] is None:
        return ""
    known = zip(range(1, race.COURSE + 1), fold.tiles, fold.shown, strict=True)
    down = ", ".join(f"{place} {{{tile}}}" for place, tile, shown in known if not shown)
    return say(lang, f"Restées cachées : {down}.", f"Still face down: {down}.") if down else ""
