"""The story of Allégeance: every event in the third person, and the board in words.

Faded events are told without their cards.
"""

from collections.abc import Sequence

from pbem.games.allegeance import facts, words
from pbem.games.allegeance.facts import State
from pbem.games.samurai import cards_joined, legend
from pbem.kit.contract import Event, Phrase, Viewer
from pbem.kit.texts import Lang
from pbem.kit.words import counted, put_in, say, seat_and_place, seats_joined, seats_waited_for, seen_from


def tell(event: Event, before: State | None, lang: Lang) -> Phrase:
    """Narrates a redacted event, given the fold before it."""
    match event:
        case facts.TurnBegan() | facts.Answered(_, None):
            return ""
        case facts.MatchBegan(_, target, opened):
            tokens = counted(target, words.TOKEN, lang)
            win = say(lang, f"{tokens} pour gagner.", f"{tokens} to win.")
            return f"{win} {words.MEMORY[opened][lang]}"
        case facts.Announced(seat, _, None):
            return say(lang, f"{{{seat}}} fait une annonce.", f"{{{seat}}} makes an announcement.")
        case facts.Announced(seat, _, card):
            return say(lang, f"{{{seat}}} annonce {{{card}}}.", f"{{{seat}}} announces {{{card}}}.")
        case facts.Hit(_, None):
            return say(lang, "L’annonce est juste.", "The announcement is right.")
        case facts.Hit(_, card):
            return say(lang, f"La Porte livre {{{card}}} : c’est juste.", f"The Door reveals {{{card}}}: right.")
        case facts.Missed(_, None):
            return say(lang, "L’annonce est fausse.", "The announcement is wrong.")
        case facts.Missed(_, card):
            return say(lang, f"La Porte livre {{{card}}} : c’est faux.", f"The Door reveals {{{card}}}: wrong.")
        case facts.Answered(seat, True):
            return say(lang, f"{{{seat}}} veut contester.", f"{{{seat}}} wants to challenge.")
        case facts.Answered(seat):
            return say(lang, f"{{{seat}}} laisse passer.", f"{{{seat}}} lets it pass.")
        case facts.Unchallenged():
            return say(lang, "Personne ne conteste.", "No one challenges.")
    assert before is not None, "only the match has nothing before it"
    match event:
        case facts.Given(seat, receiver, _, card):
            given = words.name_card(card or before.drawn, words.THE_CARD, lang)
            return say(
                lang, f"{{{seat}}} donne {given} à {{{receiver}}}.", f"{{{seat}}} gives {given} to {{{receiver}}}."
            )
        case facts.Mistaken():
            return _tell_mistake(event, before, lang)
        case facts.Caught():
            return _tell_catch(event, before, lang)
        case facts.RoundBegan() | facts.RoundEnded() | facts.MatchWon():
            return _round(event, before, lang)
    raise TypeError(f"{event} is no event of Allégeance")


def _tell_mistake(event: facts.Mistaken, before: State, lang: Lang) -> str:
    seat, revealed = f"{{{event.seat}}}", words.name_card(event.revealed or _top(before), words.THE_REVEALED, lang)
    if before.announced is None:
        return say(
            lang, f"{seat} conteste à tort et prend {revealed}.", f"{seat} challenges wrongly and takes {revealed}."
        )
    card = f"{{{before.announced}}}"
    return say(
        lang,
        f"{seat} conteste {card} à tort et prend {revealed}.",
        f"{seat} challenges {card} wrongly and takes {revealed}.",
    )


def _tell_catch(event: facts.Caught, before: State, lang: Lang) -> str:
    """Tells what the announcer takes, and where the announced card was."""
    known, top, seat = event.card or before.announced, event.revealed or _top(before), f"{{{event.seat}}}"
    card, revealed = put_in(known), words.name_card(top, words.THE_REVEALED, lang)
    challenges = say(lang, f"{{{event.challenger}}} conteste : {seat} ", f"{{{event.challenger}}} challenges: {seat} ")
    if event.holder == event.seat:
        had = say(lang, f"a déjà {card} et ", f"already has {card} and ") if known else ""
        return challenges + had + say(lang, f"prend {revealed}.", f"takes {revealed}.")
    holder = None if event.holder is None else f"{{{event.holder}}}"
    if known and top:
        where = say(lang, f"à {holder}", f"from {holder}") if holder else say(lang, "au Palais", "from the Palace")
        return challenges + say(lang, f"prend {card} {where} et {revealed}.", f"takes {card} {where} and {revealed}.")
    if holder:
        return challenges + say(
            lang, f"prend deux cartes, dont une à {holder}.", f"takes two cards, one from {holder}."
        )
    return challenges + say(lang, "prend deux cartes au Palais.", "takes two cards from the Palace.")


def _top(before: State) -> str | None:
    return before.palace[-1] if before.palace else None


def _round(event: facts.RoundBegan | facts.RoundEnded | facts.MatchWon, before: State, lang: Lang) -> str:
    """Tells who begins a round, and who wins it or the match."""
    if isinstance(event, facts.RoundBegan):
        return say(
            lang,
            f"Manche {before.round + 1} : {{{event.first}}} commence, seize samouraïs attendent.",
            f"Round {before.round + 1}: {{{event.first}}} begins. Sixteen samurai are waiting.",
        )
    who, many = seats_joined(event.winners, lang), len(event.winners) > 1
    if isinstance(event, facts.MatchWon):
        return say(
            lang,
            f"{who} gagnent la partie ensemble." if many else f"{who} gagne la partie.",
            f"{who} win the match together." if many else f"{who} wins the match.",
        )
    return _round_over(before.round, event.winners, before.seats, lang)


def _round_over(number: int, winners: Sequence[int], seats: int, lang: Lang) -> str:
    """Returns who gets a token for the fewest cards."""
    if len(winners) == seats:
        return say(
            lang,
            f"Manche {number} finie : un jeton pour tout le monde.",
            f"Round {number} is over: a token for everyone.",
        )
    who = seats_joined(winners, lang)
    return say(lang, f"Manche {number} finie : un jeton pour {who}.", f"Round {number} is over: a token for {who}.")


# --- the board in words --------------------------------------------------------------------------------------


def describe(fold: State, viewer: Viewer, lang: Lang, *, over: bool) -> list[Phrase]:
    """Returns the position as the viewer knows it, line by line; never a card that the fold does not know."""
    door = counted(len(fold.door), words.CARD, lang) if fold.door else words.EMPTY[lang]
    banned = "" if over or fold.phase != "announce" else cards_joined(fold.banned, lang)
    return [
        _now(fold, lang, over=over),
        say(lang, f"Porte : {door}.", f"Door: {door}."),
        _palace(fold, lang),
        words.NOT_NOW[lang].format(banned) if banned else "",
        *(_seat(fold, seat, viewer, lang) for seat in seen_from(viewer, fold.seats)),
        legend(lang),
    ]


# --- what the table waits for ------------------------------------------------------------------------------


def _now(fold: State, lang: Lang, *, over: bool) -> str:
    """Describes the turn and what the table waits for, if the match is not over.

    A replay stops between turns and rounds, too.
    """
    if fold.phase == "over":
        who, many = seats_joined(fold.winners, lang), len(fold.winners) > 1
        return say(
            lang,
            f"La partie est finie, {who} {'ont gagné ensemble' if many else 'a gagné'}.",
            f"The match is over, {who} won{' together' if many else ''}.",
        )
    if fold.phase == "round":
        if not fold.round:
            return say(lang, "La partie commence.", "The match begins.")
        return _round_over(fold.round, fold.leaders, fold.seats, lang)
    if fold.phase == "turn" and len(fold.door) == 16:
        first = f"{{{fold.first}}}"
        return say(lang, f"Manche {fold.round}, {first} commence.", f"Round {fold.round}, {first} begins.")
    turn = _whose_turn(fold, lang, over=over)
    return say(
        lang,
        f"Manche {fold.round}, tour {fold.turn} sur 16. {turn}".rstrip(),
        f"Round {fold.round}, turn {fold.turn} of 16. {turn}".rstrip(),
    )


def _whose_turn(fold: State, lang: Lang, *, over: bool) -> str:
    who = f"{{{fold.active}}}"
    if fold.announced is None:
        if fold.phase == "announce" and over:
            return ""
        if fold.phase == "announce":
            return say(lang, f"{who} doit annoncer.", f"{who} is to announce.")
        return say(lang, f"{who} a fait une annonce.", f"{who} has announced.")
    announcement = say(lang, f"{who} annonce {{{fold.announced}}}", f"{who} announces {{{fold.announced}}}")
    if fold.phase == "give":
        return announcement + say(lang, " : c’est juste.", ": that is right.")
    if fold.phase != "window":
        return f"{announcement}."
    waiting = seats_waited_for(s for s in range(fold.seats) if s != fold.active and not fold.answered[s])
    missed = announcement + say(lang, " : c’est faux.", ": that is wrong.")
    if over or not waiting:
        return missed
    return missed + say(
        lang, f" Contester ou laisser passer : on attend {waiting}.", f" Challenge or pass: waiting for {waiting}."
    )


# --- what lies where ---------------------------------------------------------------------------------------


def _palace(fold: State, lang: Lang) -> str:
    count = counted(len(fold.palace), words.CARD, lang) if fold.palace else words.EMPTY[lang]
    text = say(lang, f"Palais : {count}", f"Palace: {count}")
    if len(fold.palace) > 1 and None not in fold.palace:
        cards = cards_joined(reversed(fold.palace), lang)
        return text + say(lang, f" ; de haut en bas {cards}.", f"; from the top {cards}.")
    if not fold.palace or fold.palace[-1] is None:
        return f"{text}."
    return text + say(lang, f" ; sur le dessus {{{fold.palace[-1]}}}.", f"; on top {{{fold.palace[-1]}}}.")


def _seat(fold: State, seat: int, viewer: Viewer, lang: Lang) -> str:
    who, cards, won = seat_and_place(seat, viewer, lang), fold.hands[seat], fold.tokens[seat]
    hand = say(lang, "aucune carte en main", "no card in hand")
    if cards:
        count, known = counted(len(cards), words.CARD, lang), cards_joined(cards, lang)
        hand = say(lang, f"{count} en main", f"{count} in hand")
        hand += known and say(lang, f" : {known}", f": {known}")
    return say(
        lang,
        f"{who} : {counted(won, words.TOKEN, 'fr')} sur {fold.target} ; {hand}.",
        f"{who}: {won} of {counted(fold.target, words.TOKEN, 'en')}; {hand}.",
    )
