"""The rules of Hagakure: questions, choices, decisions. The numbers in comments are those of RULES.en.md."""

from collections.abc import Sequence
from functools import cache

from pbem.games.hagakure import facts
from pbem.games.hagakure.facts import FOOL, Keep, Look, Nobori, Play, Raise, State, Swap, evolve, is_warrior, next_seat
from pbem.kit.chance import Chance, Luck
from pbem.kit.choices import Choices
from pbem.kit.contract import Ask, Event, IllegalMove, Move, Outcome
from pbem.kit.replay import Course

ROUNDS = {3: 9, 4: 8, 5: 5}  # R2

_KEEP = Keep()
_SWAP = Swap()
_PLAYS = tuple(Play(card) for card in range(28))
_NO_MOVES: tuple[Move, ...] = ()


def setup(seats: int, options: facts.Terms, luck: Luck) -> list[Event]:
    """Returns the first deal; the dealer is drawn by lot (2.1)."""
    rounds = options.rounds or ROUNDS[seats]
    dealer = luck.named("dealer").below(seats)
    return [_deal(seats, 1, rounds, rounds + options.extra_rounds, dealer, luck)]


def _deal(seats: int, number: int, rounds: int, last: int, dealer: int, luck: Luck) -> facts.Dealt:
    cards = luck.named(f"deal:r{number}").shuffled(facts.deck(seats))
    size = facts.hand_size(seats)
    hands = tuple(cards[at : at + size] for at in range(0, seats * size, size))
    return facts.Dealt(number, rounds, last, dealer, hands, cards[seats * size : (seats + 1) * size])


# --- questions ---------------------------------------------------------------------------------------------


def pending(state: State) -> tuple[Ask, ...]:
    """Returns the open question, one at a time: a Nobori or none, or a card.

    A key ends in the round, and for a card in the trick; it begins with the stretch of questions that one seat
    answers in a row.
    """
    if state.phase == "nobori":
        kind, what = "nobori", f"nobori{state.number}"
    elif state.phase == "play":
        kind, what = "card", f"card{state.number}-{sum(state.tricks) + 1}"
    else:
        return ()
    turn = f"t{state.stretch + (state.active != state.answered)}"
    return (Ask(state.active, f"{turn}.{what}", turn, kind),)


def legal(state: State, seat: int) -> Sequence[Move]:
    """Returns all moves that answer the seat's open question, given the full fold or the seat's own."""
    if seat != state.active:
        return _NO_MOVES
    if state.phase == "play":
        return Choices((Play, tuple(_PLAYS[card] for card in playable(state, seat))))
    return nobori_moves(state.seats, seat, state.nobori[seat]) if state.phase == "nobori" else _NO_MOVES


@cache
def nobori_moves(seats: int, seat: int, left: tuple[Nobori, ...]) -> Choices[Move]:
    """Returns what a seat with these Nobori may do: nothing, or play one of them (2.2)."""
    looks = (Look(None), *(Look(other) for other in range(seats) if other != seat)) if "look" in left else ()
    return Choices(
        (Keep, (_KEEP,)),
        (Raise, tuple(Raise(nobori) for nobori in left if nobori != "swap" and nobori != "look")),
        (Swap, (_SWAP,) if "swap" in left else ()),
        (Look, looks),
    )


def playable(state: State, seat: int) -> list[int]:
    """Returns the cards that the seat may play, each kind once, in order: samurai and fools follow a samurai (3.3)."""
    cards = sorted({card for card in state.hands[seat] if card is not None})
    if state.trick and is_warrior(state.trick[0]):
        return [card for card in cards if is_warrior(card)] or cards
    return cards


# --- decisions ---------------------------------------------------------------------------------------------


def decide(state: State, seat: int, move: Move, luck: Luck) -> list[Event]:
    """Returns the facts that follow from a move, with the forced steps that everybody could foresee."""
    if seat != state.active or state.over:
        raise IllegalMove("not_asked")
    if state.phase == "play":
        if not isinstance(move, Play):
            raise IllegalMove("wrong_kind")
        card = facts.name_of(move.card)
        if move.card not in state.hands[seat]:
            raise IllegalMove("not_in_hand", card=card)
        if move.card not in playable(state, seat):
            raise IllegalMove("must_follow", card=card, led=facts.name_of(state.trick[0]))
        played = facts.Played(seat, move.card)
        # The next seat has a choice: only the last card of a hand is forced, and with it the whole trick.
        return [played] if len(state.trick) + 1 < state.seats else _with_forced(state, played, luck)
    return _with_forced(state, _nobori_event(state, seat, move), luck)


def _nobori_event(state: State, seat: int, move: Move) -> Event:
    match move:
        case Keep():
            return facts.Kept(seat)
        case Raise(nobori):
            if nobori not in facts.SIGNS:
                raise IllegalMove("other_nobori")
            _check_unused(state, seat, nobori)
            return facts.Raised(seat, nobori)
        case Swap():
            _check_unused(state, seat, "swap")
            return facts.Swapped(seat, state.yomi)
        case Look(target):
            _check_unused(state, seat, "look")
            if target == seat:
                raise IllegalMove("own_hand")
            if target is not None and not 0 <= target < state.seats:
                raise IllegalMove("no_such_seat")
            return facts.Looked(seat, target, state.yomi if target is None else state.hands[target])
    raise IllegalMove("wrong_kind")


def _check_unused(state: State, seat: int, nobori: Nobori) -> None:
    if nobori not in state.nobori[seat]:
        raise IllegalMove("used_" + nobori)


# --- what follows ------------------------------------------------------------------------------------------


def _with_forced(state: State, first: Event, luck: Luck) -> list[Event]:
    """Returns the event and all that follows from it without anybody's choice."""
    course = Course(evolve, state)
    event: Event | None = first
    while event is not None:
        course.add(event)
        event = _force(course.state, luck)
    return course.events


def _force(state: State, luck: Luck) -> Event | None:
    """Returns the forced events: a seat without Nobori, a complete trick, the last cards, the score, the next deal."""
    seat = state.active
    if state.phase == "nobori":
        return None if state.nobori[seat] else facts.Skipped(seat)  # 2.6
    if state.phase == "play":
        if len(state.trick) == state.seats:
            return facts.TrickWon(winner_of(state.trick, state.leader))  # 3.4
        hand = state.hands[seat]
        if len(hand) > 1:
            return None
        if not hand:
            return facts.Scored(points(state))
        card = hand[0]
        assert card is not None, "decisions are made on the full fold"
        return facts.Played(seat, card)  # 3.5
    if state.phase == "over":
        return None
    dealer = next_seat(state.dealer, state.seats)
    return ending(state) or _deal(state.seats, state.number + 1, state.rounds, state.last, dealer, luck)


# --- tricks and points -------------------------------------------------------------------------------------


def winner_of(trick: Sequence[facts.Card], leader: int) -> int:
    """Returns the seat that takes the trick (3.4).

    >>> winner_of((9, 21, 17, FOOL), 0), winner_of((FOOL, 22, FOOL, 21), 0), winner_of((FOOL, FOOL, 22), 2)
    (1, 2, 0)
    """
    if trick.count(FOOL) > 1:
        at = max(place for place, card in enumerate(trick) if card == FOOL)
    else:
        at = trick.index(max(trick))
    return (leader + at) % len(trick)


def points(state: State) -> tuple[int, ...]:
    """Returns the points of the round for each seat."""
    return tuple(
        score(tricks, won, raised, state.seats)
        for tricks, won, raised in zip(state.tricks, state.won, state.raised, strict=True)
    )


def score(tricks: int, won: Sequence[facts.Card], raised: Nobori | None, seats: int) -> int:
    """Returns the points for these tricks and their cards, under the Nobori of the round (4).

    >>> won = (18, 6, 7, 8, 19, 9, 10, FOOL)
    >>> [score(2, won, raised, 4) for raised in (None, "double", "zero", "villagers")]
    [3, 6, 0, 5]
    """
    if raised == "zero":
        return 0
    base = tricks + (facts.BONUS in won) if tricks else -2  # 4.1, 4.2
    if raised == "double":
        return 2 * base
    if raised == "villagers" and sum(not is_warrior(card) for card in won) >= facts.villagers_wanted(seats):
        return base + 2
    return base


# --- the end -----------------------------------------------------------------------------------------------


def ending(state: State) -> facts.Ended | None:
    """Returns the end after a round; None if there is another: while several lead, an extra one if any is left (5)."""
    if state.number < state.rounds:
        return None
    best = max(state.totals)
    leaders = tuple(seat for seat, total in enumerate(state.totals) if total == best)
    if len(leaders) == 1:
        return facts.Ended("points", leaders)
    return facts.Ended("shared", leaders) if state.number >= state.last else None


def outcome(state: State) -> Outcome | None:
    """Returns who has most points; several if the rounds to break the tie are used up (R16)."""
    return Outcome(state.over, state.winners, scores(state)) if state.over else None


def scores(fold: State) -> tuple[int, ...]:
    """Returns the points of each seat after the rounds that are over."""
    return fold.totals


# --- for the seat that is asked ----------------------------------------------------------------------------


def fallback(fold: State, seat: int, chance: Chance) -> Move:
    """Returns no Nobori, or any playable card, each as likely: a fixed order would reveal what the seat lacks."""
    return _KEEP if fold.phase == "nobori" else _PLAYS[chance.pick(playable(fold, seat))]


def preview(fold: State, seat: int, move: Move) -> list[Event]:
    """Returns the one event that the mover can foresee, with what they have not seen yet hidden."""
    if isinstance(move, Play):
        return [facts.Played(seat, move.card)]
    return [_nobori_event(fold, seat, move)]
