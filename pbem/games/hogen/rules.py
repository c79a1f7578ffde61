"""The rules of Hogen. The numbers in comments are those of RULES.en.md."""

from collections.abc import Sequence
from functools import cache
from math import perm

from pbem.games.hogen import facts
from pbem.games.hogen.facts import Call, ChooseAlly, Declare, Exchange, Guess, State, fits, opponents
from pbem.games.samurai import CARDS, CLANS, RANKS
from pbem.kit.chance import Chance, Luck
from pbem.kit.choices import Choices, Lazy, arrangement
from pbem.kit.contract import Ask, Event, IllegalMove, Move, Options, Outcome

EXCHANGE_CAP = 100  # R11
HAND = {3: 4, 4: 3}


def setup(seats: int, options: Options, luck: Luck) -> list[Event]:
    """Opens the palace and deals the rest."""
    palace, pile = open_palace(luck.named("palace").shuffled(CARDS))
    pile = luck.named("deal").shuffled(pile)
    size = HAND[seats]
    return [facts.Dealt(palace, tuple(pile[i * size : (i + 1) * size] for i in range(seats)))]


def open_palace(pile: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Returns the four palace cards, and the remaining pile with the rejected cards under it.

    >>> open_palace(["M1", "M3", "F1", "F4", "T4", "T3", "B2", "B1"])
    (('M1', 'F4', 'T3', 'B2'), ('B1', 'M3', 'F1', 'T4'))
    """
    kept: list[str] = []
    under: list[str] = []
    for at, card in enumerate(pile):
        if any(card[0] == k[0] or card[1] == k[1] for k in kept):
            under.append(card)
        else:
            kept.append(card)
        if len(kept) == 4:
            return tuple(kept), (*pile[at + 1 :], *under)
    raise ValueError("the pile does not hold four clans of four ranks")


# --- what is legal -----------------------------------------------------------------------------------------


@cache
def calls_with(ally: str) -> tuple[Call, ...]:
    """Returns the twelve calls that a player with this ally may make (R5).

    A single call shares nothing with the ally; a call for one card shares its clan or its rank, not both.
    """
    clan, rank = ally[0], int(ally[1])
    singles = [Call(clan=c) for c in CLANS if c != clan] + [Call(rank=r) for r in RANKS if r != rank]
    return (*singles, *(Call(c, r) for c in CLANS for r in RANKS if (c == clan) != (r == rank)))


def legal(state: State, seat: int) -> Sequence[Move]:
    """Returns all moves that answer the seat's open question, given the full fold or the seat's own."""
    if state.over:
        return ()
    if state.active is None:
        return () if state.chosen[seat] else tuple(ChooseAlly(c) for c in _visible(state.hands[seat]))
    if state.call is not None:
        if seat != state.answering:
            return ()
        gives = (c for c in _visible(state.hands[seat]) if fits(c, state.call))
        return tuple(Exchange(give, take) for give in gives for take in state.palace)
    if seat != state.active:
        return ()
    ally = state.allies[seat]
    calls = tuple(c for c in calls_with(ally) if c not in state.failed) if ally else ()
    return Choices((Call, calls), (Declare, _declarations(state, seat)))


def _visible(cards: facts.Hand) -> tuple[str, ...]:
    return tuple(c for c in cards if c is not None)


def possible_allies(state: State, seat: int) -> tuple[str, ...]:
    """Returns the cards that the seat may name in a declaration: neither its own nor in the palace (R9)."""
    excluded = {*state.palace, *state.hands[seat], state.allies[seat]}
    return tuple(c for c in CARDS if c not in excluded)


def _declarations(state: State, seat: int) -> Lazy[Declare]:
    cards = possible_allies(state, seat)
    others = opponents(state, seat)

    def at(index: int) -> Declare:
        return Declare(tuple(map(Guess, others, arrangement(cards, len(others), index))))

    def has(move: Declare) -> bool:
        return _wrong_declaration(state, seat, move) is None

    return Lazy(perm(len(cards), len(others)), at, has)


def _wrong_declaration(state: State, seat: int, move: Declare) -> IllegalMove | None:
    """Returns why the declaration cannot be made, judged only by what the declarer knows (R9); None if it can be."""
    if tuple(guess.seat for guess in move.allies) != opponents(state, seat):
        return IllegalMove("name_everybody")
    named = [guess.card for guess in move.allies]
    for card in named:
        if card not in CARDS:
            return IllegalMove("no_such_card")
        if card in state.palace:
            return IllegalMove("named_palace", card=card)
        if card in state.hands[seat] or card == state.allies[seat]:
            return IllegalMove("named_own", card=card)
        if named.count(card) > 1:
            return IllegalMove("named_twice", card=card)
    return None


# --- questions ---------------------------------------------------------------------------------------------


def pending(state: State) -> tuple[Ask, ...]:
    """Returns the open questions: at first everybody's ally, then one at a time."""
    if state.over:
        return ()
    if state.active is None:
        return tuple(Ask(s, f"t0.ally{s}", "t0", "ally") for s in range(state.seats) if not state.chosen[s])
    if state.answering is not None:
        turn = f"t{state.turn + 1}"
        return (Ask(state.answering, f"{turn}.answer", turn, "answer"),)
    turn = f"t{state.turn}"
    return (Ask(state.active, f"{turn}.act{len(state.failed)}", turn, "act"),)


def outcome(state: State) -> Outcome | None:
    """Returns who found all allies; nobody if all were wrong or the match was stopped."""
    if state.over is None:
        return None
    return Outcome(state.over, () if state.winner is None else (state.winner,))


# --- decisions ---------------------------------------------------------------------------------------------


def decide(state: State, seat: int, move: Move, luck: Luck) -> list[Event]:
    """Returns the facts that follow from a move, with the passes, which are forced and public."""
    ask = next((a for a in pending(state) if a.seat == seat), None)
    if ask is None:
        raise IllegalMove("not_asked")
    match ask.kind, move:
        case "ally", ChooseAlly(card):
            if card not in state.hands[seat]:
                raise IllegalMove("not_in_hand", card=card)
            chosen = facts.AllyChosen(seat, card)
            if sum(state.chosen) < state.seats - 1:
                return [chosen]
            return [chosen, facts.Began(luck.named("first").below(state.seats))]
        case "act", Call():
            return _call(state, seat, move)
        case "act", Declare():
            return _declare(state, seat, move)
        case "answer", Exchange():
            return _exchange(state, seat, move)
    raise IllegalMove("wrong_kind")


def _call(state: State, seat: int, call: Call) -> list[Event]:
    ally = state.allies[seat]
    assert ally is not None, "the active seat has chosen its ally"
    if call not in calls_with(ally):
        if call.clan is None and call.rank is None:
            raise IllegalMove("empty_call")
        if call.clan not in (None, *CLANS) or call.rank not in (None, *RANKS):
            raise IllegalMove("no_such_card")
        raise IllegalMove("single_shares" if call.clan is None or call.rank is None else "double_shares")
    if call in state.failed:
        raise IllegalMove("already_failed")
    events: list[Event] = [facts.Called(seat, call.clan, call.rank)]
    for step in range(1, state.seats):
        other = (seat + step) % state.seats
        if any(fits(card, call) for card in state.hands[other]):
            break
        events.append(facts.Passed(other))
    return events


def _exchange(state: State, seat: int, move: Exchange) -> list[Event]:
    assert state.call is not None, "somebody is asked to answer a call"
    if move.give not in state.hands[seat]:
        raise IllegalMove("not_in_hand", card=move.give)
    if not fits(move.give, state.call):
        raise IllegalMove("does_not_fit", card=move.give)
    if move.take == move.give:
        raise IllegalMove("take_another", card=move.take)  # R2
    if move.take not in state.palace:
        raise IllegalMove("not_in_palace", card=move.take)
    events: list[Event] = [facts.Exchanged(seat, move.give, move.take)]
    if state.exchanges + 1 == EXCHANGE_CAP:
        events.append(facts.Stopped("cap"))
    return events


def _declare(state: State, seat: int, move: Declare) -> list[Event]:
    wrong = _wrong_declaration(state, seat, move)
    if wrong is not None:
        raise wrong
    events: list[Event] = [facts.Declared(seat, move.allies)]
    if all(state.allies[guess.seat] == guess.card for guess in move.allies):
        return [*events, facts.Unmasked(seat, move.allies)]
    events.append(facts.Refuted(seat, tuple(state.allies[other] for other in opponents(state, seat))))
    if sum(state.out) == state.seats - 1:
        events.append(facts.Stopped("all_wrong"))
    return events


def fallback(fold: State, seat: int, chance: Chance) -> Move:
    """Returns a random ally, call for a clan or a rank (a call for a card reveals more), or exchange.

    Never a declaration, and never "the first one": a fixed order would reveal what the seat does not hold.
    """
    moves = legal(fold, seat)
    if fold.active is None or fold.call is not None:
        return chance.pick(moves)
    return chance.pick([m for m in moves if isinstance(m, Call) and (m.clan is None or m.rank is None)])


def preview(fold: State, seat: int, move: Move) -> list[Event]:
    """Returns the one event of a legal move that the mover can foresee."""
    match move:
        case ChooseAlly(card):
            return [facts.AllyChosen(seat, card)]
        case Call(clan, rank):
            return [facts.Called(seat, clan, rank)]
        case Exchange(give, take):
            return [facts.Exchanged(seat, give, take)]
        case Declare(allies):
            return [facts.Declared(seat, allies)]
    raise IllegalMove("wrong_kind")
