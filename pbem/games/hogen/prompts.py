"""The questions and choices of Hogen, addressed to the player."""

from collections.abc import Iterable
from functools import cache, lru_cache

from pbem.games.hogen.facts import Call, ChooseAlly, Declare, Exchange, Exchanged, Guess, State, evolve, fits, unseen
from pbem.games.hogen.rules import calls_with
from pbem.games.hogen.words import lead, name_allies, what_it_asks
from pbem.games.samurai import CLANS, RANKS
from pbem.kit.answers import BLANK, Row, rows_of
from pbem.kit.contract import Ask, Candidate, Cell, Move, Pad, Phrase, Step
from pbem.kit.notation import seat_letter
from pbem.kit.texts import Lang
from pbem.kit.words import put_in, say, step

# --- what is asked -----------------------------------------------------------------------------------------


def prompt(ask: Ask, fold: State, lang: Lang) -> Phrase:
    """Returns what the seat is asked, in a sentence."""
    match ask.kind:
        case "ally":
            return say(
                lang,
                "Cachez une carte jusqu’à la fin. Les autres chercheront à la nommer.",
                "Hide one card until the end. The others will try to name it.",
            )
        case "answer":
            return _what_answers(ask, fold, lang)
    return say(
        lang,
        "Appelez un clan, un rang ou une carte, ou déclarez les alliées.",
        "Call for a clan, a rank or a card, or declare everyone’s ally.",
    )


def _what_answers(ask: Ask, fold: State, lang: Lang) -> Phrase:
    """Names the call and the card that answers it; a player who is out is told that they still answer."""
    assert fold.call is not None, "an answer follows a call"
    calls = say(lang, f"{{{fold.active}}} appelle ", f"{{{fold.active}}} calls for ") + what_it_asks(fold.call, lang)
    fitting = [put_in(card) for card in fold.hands[ask.seat] if fits(card, fold.call)]
    card = fitting[0] if len(fitting) == 1 else say(lang, "une carte", "a card")
    if fold.out[ask.seat]:
        return calls + say(lang, f". Même hors jeu, vous posez {card}.", f". You are out, but you still lay {card}.")
    take = "prenez une carte" if len(fitting) == 1 else "prenez-en une"
    return calls + say(lang, f" : posez {card}, {take} au palais.", f": lay {card}, take one from the palace.")


# --- moves -------------------------------------------------------------------------------------------------


def label(move: Move, fold: State, lang: Lang) -> Phrase:
    """Returns the whole move in a sentence, and its certain consequences."""
    match move:
        case ChooseAlly(card):
            return say(
                lang,
                f"Vous cachez {{{card}}} jusqu’à la fin : c’est votre alliée.",
                f"You hide {{{card}}} until the end: it is your ally.",
            )
        case Call():
            what, then = what_it_asks(move, lang), _who_answers(move, fold, lang)
            return say(lang, f"Vous appelez {what}. {then}", f"You call for {what}. {then}")
        case Exchange(give, take):
            then = ""
            if fold.answering is not None:
                exchanged = Exchanged(fold.answering, give, take)
                then = lead(exchanged, fold, lang)
                if evolve(fold, exchanged).active == fold.answering:
                    then = say(lang, " Ensuite, à vous d’appeler.", " Then it is your turn to call.")
            return say(
                lang,
                f"Vous posez {{{give}}} et prenez {{{take}}}.{then}",
                f"You lay {{{give}}} and take {{{take}}}.{then}",
            )
        case Declare(allies):
            named = name_allies(allies)
            return say(
                lang,
                f"Vous déclarez {named} : gagné ou hors jeu.",
                f"You declare {named}: you win or are out.",
            )
    raise TypeError(f"{move} is no move of Hogen")


def _who_answers(call: Call, fold: State, lang: Lang) -> str:
    """Tells who will answer, as far as the caller can know."""
    if fold.active is None:
        return ""
    hidden = any(fits(card, call) for card in unseen(fold))
    for at in range(1, fold.seats):
        seat = (fold.active + at) % fold.seats
        if any(fits(card, call) for card in fold.hands[seat]):
            return say(lang, f"{{{seat}}} devra répondre.", f"{{{seat}}} must answer.")
        if hidden and None in fold.hands[seat]:
            return say(
                lang,
                f"{{{seat}}} répond, ou à défaut le suivant.",
                f"{{{seat}}} answers, or the next player who can.",
            )
    return say(lang, "Personne ne peut répondre : vous rejouerez.", "No one can answer, so you will go again.")


# --- step by step ------------------------------------------------------------------------------------------


def path(move: Move, fold: State, lang: Lang) -> tuple[Step, ...]:
    """Returns the steps to a move. If a question has only one kind of answer, they begin with the answer itself."""
    return _steps(move, lang)


@lru_cache(4096)
def _steps(move: Move, lang: Lang) -> tuple[Step, ...]:
    match move:
        case ChooseAlly(card):
            return (step(f"ally-{card}", say(lang, f"Cacher {{{card}}}", f"Hide {{{card}}}"), lang),)
        case Call():
            what = what_it_asks(move, lang)
            return (step(f"call-{move.typing}", say(lang, f"Appeler {what}", f"Call for {what}"), lang),)
        case Exchange(give, take):
            return (
                step(f"give-{give}", say(lang, f"Poser {{{give}}}", f"Lay {{{give}}}"), lang),
                step(f"take-{take}", say(lang, f"Prendre {{{take}}}", f"Take {{{take}}}"), lang),
            )
        case Declare(allies):
            return (_declare(lang), *(_name_ally(guess, lang) for guess in allies))
    raise TypeError(f"{move} is no move of Hogen")


@cache
def _declare(lang: Lang) -> Step:
    return step("declare", say(lang, "Déclarer", "Declare"), lang)


@cache
def _name_ally(guess: Guess, lang: Lang) -> Step:
    said = say(lang, f"{{{guess.seat}}} : {{{guess.card}}}", f"{{{guess.seat}}}: {{{guess.card}}}")
    return step(f"{seat_letter(guess.seat)}={guess.card}", said, lang)


def candidates(ask: Ask, fold: State, lang: Lang) -> Iterable[Candidate]:
    """Yields every call; for an answer, every card of the hand, and taking back the one that was laid."""
    if ask.kind == "act":
        for clan in CLANS:
            yield Candidate(put_in(clan), Call(clan=clan))
        for rank in RANKS:
            yield Candidate(say(lang, f"rang {rank}", f"rank {rank}"), Call(rank=rank))
        for clan in CLANS:
            for rank in RANKS:
                yield Candidate(put_in(f"{clan}{rank}"), Call(clan, rank))
    if ask.kind == "answer" and fold.call is not None:
        for card in fold.hands[ask.seat]:
            if card is None:
                continue
            if fits(card, fold.call):
                yield Candidate(say(lang, f"reprendre {{{card}}}", f"take {{{card}}} back"), Exchange(card, card))
            else:
                yield Candidate(put_in(card), Exchange(card, fold.palace[0]))


# --- in short ----------------------------------------------------------------------------------------------


def pad(ask: Ask, fold: State, lang: Lang) -> Pad:
    """Returns the answers in short: cards; the calls as clans by ranks; what can be given and taken."""
    match ask.kind:
        case "ally":
            cards = (Cell(put_in(card), path(ChooseAlly(card), fold, lang)) for card in fold.hands[ask.seat] if card)
            return Pad(say(lang, "Cachez…", "Hide…"), rows_of(cards, 4))
        case "answer":
            assert fold.call is not None, "an answer follows a call"
            rows: list[Row] = []
            given = [card for card in fold.hands[ask.seat] if card and fits(card, fold.call)]
            for give in given:  # if there are several, what can be taken for each is below it
                takes = (Cell(put_in(take), path(Exchange(give, take), fold, lang)) for take in fold.palace)
                heading = (Cell(_give_and_take(give, lang)),)
                rows += [heading, *rows_of(takes, 4)] if len(given) > 1 else rows_of(takes, 4)
            title = say(lang, "Votre réponse", "Your answer") if len(given) > 1 else _give_and_take(given[0], lang)
            return Pad(title, tuple(rows))
    # The calls, a row a clan and a column a rank, each after the call for all of it; then the declaration.
    ally = fold.allies[ask.seat]
    allowed = {call: path(call, fold, lang) for call in calls_with(ally) if call not in fold.failed} if ally else {}
    ranks = (BLANK, *(Cell(str(rank), allowed.get(Call(rank=rank))) for rank in RANKS))
    clans = tuple(
        (
            Cell(put_in(clan), allowed.get(Call(clan=clan))),
            *(Cell(put_in(f"{clan}{rank}"), allowed.get(Call(clan, rank))) for rank in RANKS),
        )
        for clan in CLANS
    )
    last = Cell(say(lang, "Déclarer l’alliée de chacun", "Declare everyone’s ally"), (_declare(lang),))
    note = say(
        lang, f"Non proposé : ce qu’interdit votre alliée {{{ally}}}", f"Not offered: what your ally {{{ally}}} forbids"
    )
    if fold.failed:
        note += say(lang, ", et les appels restés sans réponse", ", and calls that no one answered")
    return Pad(say(lang, "Appelez…", "Call for…"), (ranks, *clans, (last,)), f"{note}.")


def _give_and_take(card: str, lang: Lang) -> str:
    return say(lang, f"Posez {{{card}}} et prenez…", f"Lay {{{card}}} and take…")
