"""The rules of Allégeance. The numbers in comments are those of RULES.en.md."""

from collections.abc import Sequence
from functools import cache

from pbem.games.allegeance import facts
from pbem.games.allegeance.facts import USUAL_TARGET, Announce, Challenge, Give, LetPass, State, Table, evolve, others
from pbem.games.samurai import CARDS
from pbem.kit.chance import Chance, Luck
from pbem.kit.contract import Ask, Event, IllegalMove, Move, Outcome
from pbem.kit.replay import Course

ANSWERS: tuple[Move, ...] = (Challenge(), LetPass())


def setup(seats: int, options: Table, luck: Luck) -> list[Event]:
    """Returns the first round; the lot says who begins (2.3)."""
    began = facts.MatchBegan(seats, options.target or USUAL_TARGET[seats], options.memory == "open")
    course = Course(evolve, evolve(None, began))
    _begin_round(course, luck.named("first").below(seats), luck)
    return [began, *course.events]


# --- questions ---------------------------------------------------------------------------------------------


def pending(state: State) -> tuple[Ask, ...]:
    """Returns the question to the active seat; in a window, those to all others who have not answered (5.2)."""
    phase = state.phase
    turn = f"r{state.round}.t{state.turn}"
    if phase == "window":
        return tuple(Ask(s, f"{turn}.answer{s}", turn, "answer") for s in others(state) if not state.answered[s])
    if phase == "announce" or phase == "give":
        return (Ask(state.active, f"{turn}.{phase}", turn, phase),)
    return ()


def legal(state: State, seat: int) -> Sequence[Move]:
    """Returns all moves that answer the seat's open question, given the full fold or the seat's own."""
    if state.phase == "window":
        return ANSWERS if seat in others(state) and not state.answered[seat] else ()
    if seat != state.active:
        return ()
    if state.phase == "announce":
        return _announcements(state.banned)
    return _gifts(state.seats, seat) if state.phase == "give" else ()


@cache
def _announcements(banned: tuple[str | None, ...]) -> tuple[Announce, ...]:
    return tuple(Announce(card) for card in CARDS if card not in banned)


@cache
def _gifts(seats: int, giver: int) -> tuple[Give, ...]:
    return tuple(Give(seat) for seat in range(seats) if seat != giver)


def outcome(state: State) -> Outcome | None:
    """Returns who has the tokens to win; several at once share the victory (R8)."""
    if state.phase != "over":
        return None
    return Outcome("won" if len(state.winners) == 1 else "shared", state.winners, scores(state))


def scores(fold: State) -> tuple[int, ...]:
    """Returns the tokens of each seat."""
    return fold.tokens


# --- decisions ---------------------------------------------------------------------------------------------


def decide(state: State, seat: int, move: Move, luck: Luck) -> list[Event]:
    """Returns the facts that follow from a move, up to somebody's next choice."""
    if not legal(state, seat):
        raise IllegalMove("not_asked")
    course = Course(evolve, state)
    match state.phase, move:
        case "announce", Announce(card):
            _announce(course, card, luck)
        case "give", Give(receiver):
            if receiver == seat:
                raise IllegalMove("give_self")  # R1
            if not 0 <= receiver < state.seats:
                raise IllegalMove("no_such_seat")
            _give(course, receiver, luck)
        case "window", Challenge() | LetPass():
            course.add(facts.Answered(seat, isinstance(move, Challenge)))
            _close(course, luck)
        case _:
            raise IllegalMove("wrong_kind")
    return course.events


def _announce(course: Course[State], card: str, luck: Luck) -> None:
    state = course.state
    if card not in CARDS:
        raise IllegalMove("no_such_card")
    if card in state.banned:
        raise IllegalMove("banned", card=card)
    drawn = state.door[0]
    course.add(facts.Announced(state.active, state.open, card))
    if drawn == card:
        course.add(facts.Hit(state.open, drawn))
        if state.seats == 2:  # 4.2: there is no choice of seat
            _give(course, 1 - state.active, luck)
        return
    course.add(facts.Missed(state.open, drawn, state.palace[-1:]))
    if course.state.phase == "turn":  # 5.7: no window after the last card
        _go_on(course, luck)


def _give(course: Course[State], receiver: int, luck: Luck) -> None:
    state = course.state
    course.add(facts.Given(state.active, receiver, state.open, state.drawn))
    _go_on(course, luck)


def _close(course: Course[State], luck: Luck) -> None:
    """Closes the window as soon as it is certain who challenges: the nearest seat clockwise, or nobody (R5)."""
    state = course.state
    for seat in others(state):
        if not state.answered[seat]:
            return
        if state.wishes[seat]:
            # The announced card is out if it is in the Palace or in any hand (R3).
            card, revealed = state.announced, state.palace[-1]
            holder = next((other for other in range(state.seats) if card in state.hands[other]), None)
            if holder is None and card not in state.palace:
                course.add(facts.Mistaken(seat, state.open, revealed))
            else:
                course.add(facts.Caught(state.active, seat, holder, state.open, card, revealed))  # R4
            break
    else:
        course.add(facts.Unchallenged())
    _go_on(course, luck)


def _go_on(course: Course[State], luck: Luck) -> None:
    state = course.state
    if state.door:
        announced = (*state.banned, state.announced) if state.seats == 2 else (state.announced,)
        _begin_turn(course, (state.active + 1) % state.seats, announced[-2:])
        return
    fewest = min(map(len, state.hands))
    course.add(facts.RoundEnded(tuple(seat for seat, hand in enumerate(state.hands) if len(hand) == fewest)))
    won = tuple(seat for seat, tokens in enumerate(course.state.tokens) if tokens >= state.target)
    if won:
        course.add(facts.MatchWon(won))
    else:
        _begin_round(course, (state.first + 1) % state.seats, luck)  # R6


def _begin_round(course: Course[State], first: int, luck: Luck) -> None:
    door = luck.named(f"door:r{course.state.round + 1}").shuffled(CARDS)
    course.add(facts.RoundBegan(first, door))
    _begin_turn(course, first, ())  # R11


def _begin_turn(course: Course[State], seat: int, banned: tuple[str | None, ...]) -> None:
    state = course.state
    course.add(facts.TurnBegan(seat, state.open, state.palace[-1:], banned, state.hands))


# --- for a seat, from its own fold -------------------------------------------------------------------------


def fallback(fold: State, seat: int, chance: Chance) -> Move:
    """Returns an announcement of a card not seen to be out, a gift to a seat with the fewest cards, or a pass (R17)."""
    if fold.phase == "window":
        return LetPass()
    if fold.phase == "give":
        return chance.pick(poorest(fold, seat))
    return chance.pick(unseen(fold, seat))


def unseen(fold: State, seat: int) -> Sequence[Announce]:
    """Returns announcements of cards neither in the seat's hand nor on top of the Palace; all, if there are none."""
    allowed = _announcements(fold.banned)
    seen = {*fold.hands[seat], *fold.palace[-1:]}
    return [move for move in allowed if move.card not in seen] or allowed


def poorest(fold: State, seat: int) -> Sequence[Give]:
    """Returns the gifts to the other seats with the fewest cards."""
    gifts = _gifts(fold.seats, seat)
    fewest = min(len(fold.hands[gift.seat]) for gift in gifts)
    return [gift for gift in gifts if len(fold.hands[gift.seat]) == fewest]


def preview(fold: State, seat: int, move: Move) -> list[Event]:
    """Returns the one event of a legal move that the mover can foresee."""
    match move:
        case Announce(card):
            return [facts.Announced(seat, fold.open, card)]
        case Give(receiver):
            return [facts.Given(seat, receiver, fold.open, fold.drawn)]
        case Challenge() | LetPass():
            return [facts.Answered(seat, isinstance(move, Challenge))]
    raise IllegalMove("wrong_kind")
