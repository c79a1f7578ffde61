"""The questions and choices of Hogen, said to the player, and what its sentences are made of."""

from collections.abc import Iterable

from pbem.games.hogen.cards import (
    CARDS,
    Call,
    ChooseAlly,
    Declare,
    Exchange,
    Exchanged,
    Guess,
    Hand,
    Refuted,
    State,
    fits,
)
from pbem.games.hogen.history import evolve
from pbem.games.hogen.notation import format
from pbem.kit.contract import Ask, Lang, Move, Phrase, Step
from pbem.kit.notation import french, seat_letter

CLAN_NAMES = {"F": "Fujiwara", "M": "Minamoto", "T": "Taira", "B": "Tachibana"}
AND = {"fr": " et ", "en": " and "}
OR = {"fr": " ou ", "en": " or "}


# --- pieces of sentences -----------------------------------------------------------------------------------


def wanted(call: Call, lang: Lang) -> str:
    """What a call asks for.

    >>> wanted(Call(clan="M"), "fr"), wanted(Call(rank=4), "en"), wanted(Call("M", 1), "en")
    ('un Minamoto', 'a rank 4', '{M1}')
    """
    if call.clan and call.rank:
        return f"{{{call.clan}{call.rank}}}"
    one = "un" if lang == "fr" else "a"
    return f"{one} {CLAN_NAMES[call.clan]}" if call.clan else f"{one} {'rang' if lang == 'fr' else 'rank'} {call.rank}"


def to_call(call: Call) -> str:
    """What a call asks for, after "répond".

    >>> to_call(Call(clan="M")), to_call(Call(rank=4)), to_call(Call("M", 1))
    ('à l’appel d’un Minamoto', 'au rang 4', 'à l’appel de {M1}')
    """
    if call.clan and call.rank:
        return f"à l’appel de {wanted(call, 'fr')}"
    return f"à l’appel d’{wanted(call, 'fr')}" if call.clan else f"au rang {call.rank}"


def joined(cards: Iterable[str | None], last: str) -> str:
    """The cards one after the other, `last` before the last one.

    >>> joined(["F1", "M2", "T3"], " and ")
    '{F1}, {M2} and {T3}'
    """
    items = [f"{{{card}}}" for card in cards if card]
    return last.join((", ".join(items[:-1]), items[-1])) if len(items) > 1 else "".join(items)


def hides(allies: Iterable[Guess], lang: Lang) -> str:
    """Who is said to hide what."""
    verb = "cache" if lang == "fr" else "hides"
    return ", ".join(f"{{{guess.seat}}} {verb} {{{guess.card}}}" for guess in allies)


def lead(event: Exchanged | Refuted, before: State | None, lang: Lang) -> str:
    """Who acts next, where it is not the seat itself."""
    active = evolve(before, event).active if before else None
    if active is None or active == event.seat:
        return ""
    return f" {{{active}}} devient le joueur actif." if lang == "fr" else f" {{{active}}} becomes the active player."


# --- questions and choices ---------------------------------------------------------------------------------


def prompt(ask: Ask, fold: State, lang: Lang) -> Phrase:
    """What binds the seat that is asked."""
    fr = lang == "fr"
    if ask.kind == "ally":
        return _PROMPT_ALLY_FR if fr else _PROMPT_ALLY_EN
    text = _prompt_answer(ask.seat, fold, lang) if ask.kind == "answer" else _prompt_act(ask.seat, fold, lang)
    return french(text) if fr else text


_PROMPT_ALLY_FR = french(
    "Choisissez la carte que vous cachez devant vous jusqu’à la fin. Les autres chercheront à la nommer ; "
    "elle ne répond à aucun appel, et elle décide de ce que vous pourrez appeler."
)
_PROMPT_ALLY_EN = (
    "Choose the card that you hide in front of you until the end. The others will try to name it; "
    "it never answers a call, and it decides what you may call for."
)


def _prompt_act(seat: int, fold: State, lang: Lang) -> str:
    ally = fold.allies[seat] or ""
    clan, rank = CLAN_NAMES.get(ally[:1], ""), ally[1:]
    failed = ", ".join(wanted(call, lang) for call in fold.failed)
    if lang == "fr":
        text = (
            f"Appelez un clan ou un rang que votre alliée {{{ally}}} n’a pas, ou une carte qui a soit le clan "
            f"{clan}, soit le rang {rank}, mais pas les deux. Ou bien déclarez l’alliée de chacun."
        )
        return text + (f" Déjà sans réponse : {failed}." if failed else "")
    text = (
        f"Call for a clan or a rank that your ally {{{ally}}} does not have, or for a card that has either the clan "
        f"{clan} or the rank {rank}, not both. Or declare everybody’s ally."
    )
    return text + (f" Already unanswered: {failed}." if failed else "")


def _prompt_answer(seat: int, fold: State, lang: Lang) -> str:
    assert fold.call is not None, "an answer follows a call"
    cards = [card for card in fold.hands[seat] if fits(card, fold.call)]
    call = wanted(fold.call, lang)
    if lang == "fr":
        text = f"{{{fold.active}}} appelle {call} : donnez {joined(cards, OR['fr'])} contre une carte du palais."
        return text + (" Vous êtes hors jeu, mais vous répondez encore." if fold.out[seat] else "")
    text = f"{{{fold.active}}} calls for {call}: you must give {joined(cards, OR['en'])} for a card of the palace."
    return text + (" You are out, but you still answer." if fold.out[seat] else "")


def label(move: Move, fold: State, lang: Lang) -> Phrase:
    """The whole move in a sentence, and what follows from it for certain."""
    fr = lang == "fr"
    match move:
        case ChooseAlly(card):
            text = f"Vous cachez {{{card}}} : c’est votre alliée." if fr else f"You hide {{{card}}}: it is your ally."
        case Call():
            verb = "Vous appelez" if fr else "You call for"
            text = f"{verb} {wanted(move, lang)}. {_who_answers(move, fold, lang)}"
        case Exchange(give, take):
            text = (
                f"Vous donnez {{{give}}} et prenez {{{take}}}." if fr else f"You give {{{give}}} and take {{{take}}}."
            )
            text += _after_answer(move, fold, lang)
        case Declare(allies):
            text = f"{'Vous déclarez : ' if fr else 'You declare: '}{hides(allies, lang)}. "
            text += (
                "Si tout est juste, vous gagnez ; sinon vous êtes hors jeu."
                if fr
                else "If all of it is right you win; if not you are out."
            )
        case _:
            raise TypeError(f"{move} is no move of Hogen")
    return french(text) if fr else text


def _after_answer(move: Exchange, fold: State, lang: Lang) -> str:
    seat = fold.answering
    if seat is None:
        return ""
    active = evolve(fold, Exchanged(seat, move.give, move.take)).active
    if active == seat:
        return " Ensuite, à vous d’appeler." if lang == "fr" else " Then it is your turn to call."
    return lead(Exchanged(seat, move.give, move.take), fold, lang)


def _who_answers(call: Call, fold: State, lang: Lang) -> str:
    """Who will answer, as far as the caller can know."""
    if fold.active is None:
        return ""
    hidden = [card for card in unseen(fold) if fits(card, call)]
    for step in range(1, fold.seats):
        seat = (fold.active + step) % fold.seats
        if any(fits(card, call) for card in fold.hands[seat]):
            return f"{{{seat}}} devra répondre." if lang == "fr" else f"{{{seat}}} will have to answer."
        if hidden and None in fold.hands[seat]:
            first = f"Qui peut répondre le doit, {{{seat}}} en premier."
            return first if lang == "fr" else f"Whoever can answer must, {{{seat}}} first."
    if lang == "fr":
        return "Personne ne pourra répondre : vous appellerez de nouveau."
    return "Nobody will be able to answer: you will call again."


def unseen(fold: State) -> tuple[str, ...]:
    """The cards of which the fold does not know where they are."""
    hands: tuple[Hand, ...] = fold.hands
    seen = {*fold.palace, *fold.allies, *(card for hand in hands for card in hand)}
    return tuple(card for card in CARDS if card not in seen)


def path(move: Move, fold: State, lang: Lang) -> tuple[Step, ...]:
    """The steps to a move. A question that has one kind of answer begins with the answer itself."""
    fr = lang == "fr"
    match move:
        case ChooseAlly(card):
            return (Step(f"ally-{card}", f"Cacher {{{card}}}" if fr else f"Hide {{{card}}}"),)
        case Call():
            what = format(move).removeprefix("call ")
            text = f"Appeler {wanted(move, lang)}" if fr else f"Call for {wanted(move, lang)}"
            return (Step(f"call-{what}", text),)
        case Exchange(give, take):
            return (
                Step(f"give-{give}", f"Donner {{{give}}}" if fr else f"Give {{{give}}}"),
                Step(f"take-{take}", f"Prendre {{{take}}}" if fr else f"Take {{{take}}}"),
            )
        case Declare(allies):
            return (Step("declare", "Déclarer" if fr else "Declare"), *(_guess_step(g, lang) for g in allies))
    raise TypeError(f"{move} is no move of Hogen")


def _guess_step(guess: Guess, lang: Lang) -> Step:
    text = f"{{{guess.seat}}} : {{{guess.card}}}"
    return Step(f"{seat_letter(guess.seat)}={guess.card}", french(text) if lang == "fr" else text.replace(" :", ":"))
