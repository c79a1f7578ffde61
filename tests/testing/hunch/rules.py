"""The rules of Hunch. The numbers in comments are those of RULES.en.md."""

from collections.abc import Sequence

from pbem.kit.chance import Chance, Luck
from pbem.kit.contract import Ask, Event, IllegalMove, Move, Outcome, PlayerView

from .facts import Began, Guess, Guessed, Rolled, State, Terms, Wait, Waited

FACES = (1, 2, 3, 4, 5, 6)


def setup(seats: int, options: Terms, luck: Luck) -> list[Event]:
    """Everybody rolls."""
    dice = tuple(luck.named(f"die:s{seat}:0").roll(FACES) for seat in range(seats))
    return [Began(2 if options.length == "short" else 4, dice)]


def active(state: State) -> int:
    """The seat whose turn it is."""
    return state.turn % len(state.scores)


def is_over(state: State) -> bool:
    """Whether everybody has had their turns."""
    return state.turn >= state.rounds * len(state.scores)


def pending(state: State) -> tuple[Ask, ...]:
    """One question at a time."""
    turn = f"t{state.turn}"
    return () if is_over(state) else (Ask(active(state), f"{turn}.guess", turn, "guess"),)


def legal(state: State, seat: int) -> list[Move]:
    """Any face under the cup of any other seat, or nothing."""
    if is_over(state) or seat != active(state):
        return []
    return [Wait(), *(Guess(cup, die) for cup in range(len(state.scores)) if cup != seat for die in FACES)]


def check(state: State, seat: int, move: Move) -> None:
    """Raises IllegalMove."""
    if is_over(state) or seat != active(state):
        raise IllegalMove("not_asked")
    if isinstance(move, Guess):
        if move.cup == seat or move.cup not in range(len(state.scores)):
            raise IllegalMove("cup")  # 2
        if move.die not in FACES:
            raise IllegalMove("face", die=move.die)
    elif not isinstance(move, Wait):
        raise IllegalMove("wrong_kind")


def decide(state: State, seat: int, move: Move, luck: Luck) -> list[Event]:
    """The facts that follow from a move."""
    check(state, seat, move)
    if not isinstance(move, Guess):
        return [Waited(seat)]
    right = state.dice[move.cup] == move.die
    events: list[Event] = [Guessed(seat, move.cup, move.die, right)]
    if right:
        events.append(Rolled(move.cup, luck.named(f"die:s{move.cup}:{state.turn + 1}").roll(FACES)))
    return events


def preview(fold: State, seat: int, move: Move) -> list[Event]:
    """What the seat foresees."""
    check(fold, seat, move)
    return [Waited(seat)] if isinstance(move, Wait) else []


def supposable(fold: State, viewer: int, since: Sequence[Event]) -> Sequence[Event] | None:
    """Nobody can name the die that is rolled after a right guess."""
    return None if since and isinstance(since[-1], Guessed) and since[-1].right else ()


def fallback(fold: State, seat: int, chance: Chance) -> Move:
    """Nothing."""
    return Wait()


def outcome(state: State) -> Outcome | None:
    """Those who guessed most have won."""
    if not is_over(state):
        return None
    best = max(state.scores)
    return Outcome("turns", tuple(seat for seat, score in enumerate(state.scores) if score == best), state.scores)


def scores(state: State) -> tuple[int, ...]:
    """How many each has guessed."""
    return state.scores


def bold(view: PlayerView, seat: int, chance: Chance) -> Move:
    """A bot that always guesses."""
    return chance.pick(legal(view.fold, seat)[1:])
