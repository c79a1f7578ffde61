"""The rules of Hexen Rennen: questions and decisions. The numbers in comments are those of RULES.en.md."""

from collections.abc import Sequence
from functools import cache
from itertools import combinations

from pbem.games.hexen_rennen import facts
from pbem.games.hexen_rennen.facts import CLANS, COURSE, GOAL, NUMBERS, STAGES, SYMBOL, Divide, Fly, Leave, Play, State
from pbem.games.hexen_rennen.rules_turn import Run, card_target, flights, plays, tiles_with_witch
from pbem.kit.chance import Chance, Luck
from pbem.kit.choices import Choices, Lazy
from pbem.kit.contract import Ask, Event, IllegalMove, Move, Outcome


def setup(seats: int, options: facts.HexenOptions, luck: Luck) -> list[Event]:
    """Opens the race and shuffles the cards of neutral clans. Their tiles are divided later, with the others'."""
    piles = tuple(luck.named(f"pile:{clan}").shuffled(facts.DECK) for clan in CLANS[seats:])
    return [facts.Opened(seats, options.goal_by_tile, piles)]


# --- what is legal -----------------------------------------------------------------------------------------

_FIRST = tuple(combinations(range(9), 3))
_SECOND = tuple(combinations(range(6), 3))


def division(index: int) -> Divide:
    """Returns the index-th of the 1,680 ways to divide the nine numbers.

    >>> division(0).stages, division(1679).stages
    (((2, 3, 4), (5, 6, 7), (8, 9, 10)), ((8, 9, 10), (5, 6, 7), (2, 3, 4)))
    """
    first, second = divmod(index, len(_SECOND))
    chosen = _FIRST[first]
    rest = [n for i, n in enumerate(NUMBERS) if i not in chosen]
    a, b, c = chosen
    d, e, f = _SECOND[second]
    last = [n for i, n in enumerate(rest) if i not in (d, e, f)]
    return Divide(((NUMBERS[a], NUMBERS[b], NUMBERS[c]), (rest[d], rest[e], rest[f]), (last[0], last[1], last[2])))


def _wrong_division(move: Divide) -> IllegalMove | None:
    for stage, numbers in enumerate(move.stages, 1):
        if len(numbers) != 3:
            return IllegalMove("three_each", stage=stage, count=len(numbers))
    every = [n for numbers in move.stages for n in numbers]
    twice = next((n for n in every if every.count(n) > 1), None)
    if twice is not None:
        return IllegalMove("number_twice", number=twice)
    return None if sorted(every) == [*NUMBERS] else IllegalMove("other_numbers")


DIVISIONS: Choices[Move] = Choices(
    (Divide, Lazy[Divide](len(_FIRST) * len(_SECOND), division, lambda move: _wrong_division(move) is None))
)


# Moves are made once: the same ones are legal again and again.
_fly = cache(Fly)
_play = cache(Play)
_LEAVE = (Leave(),)


def legal(state: State, seat: int) -> Sequence[Move]:
    """Returns all moves that answer the seat's open question, given the full fold or the seat's own."""
    if state.finisher is not None:
        return ()
    if not state.turn:
        return () if state.divided[seat] else DIVISIONS
    if state.asked is not None:
        if seat != state.asked:
            return ()
        cards = tuple(_play(card) for card in plays(state, seat))
        return Choices((Play, cards), (Leave, () if state.obliged else _LEAVE))
    if seat != state.active or state.witch is not None:
        return ()
    return tuple(_fly(origin) for origin in flights(state))


# --- questions ---------------------------------------------------------------------------------------------


def pending(state: State) -> tuple[Ask, ...]:
    """Returns the open questions: at first everybody's division, then one at a time."""
    if state.finisher is not None:
        return ()
    if not state.turn:
        return tuple(Ask(s, f"t0.divide{s}", "t0", "divide") for s in range(state.seats) if not state.divided[s])
    turn = f"t{state.turn}"
    if state.asked is not None:
        kind = "own" if state.asked == state.active else "foreign"
        return (Ask(state.asked, f"{turn}.symbol{state.symbols}", turn, kind),)
    if state.active is None or state.witch is not None:
        return ()
    return (Ask(state.active, f"{turn}.fly", turn, "fly"),)


def outcome(state: State) -> Outcome | None:
    """Returns who has most points, once a seat's three witches are in the goal."""
    if state.finisher is None:
        return None
    return Outcome("arrived" if len(state.winners) == 1 else "shared", state.winners, state.scores)


def scores(fold: State) -> tuple[int, ...]:
    """Returns what the witches of each seat in the goal are worth (7.2)."""
    return tuple(sum(map(facts.points, three)) for three in fold.witches)


# --- decisions ---------------------------------------------------------------------------------------------


def decide(state: State, seat: int, move: Move, luck: Luck) -> list[Event]:
    """Returns the facts that follow from a move, with all that is forced and public (8.2)."""
    ask = next((a for a in pending(state) if a.seat == seat), None)
    if ask is None:
        raise IllegalMove("not_asked")
    match ask.kind, move:
        case ("divide", Divide()) | ("fly", Fly()) | ("own" | "foreign", Play() | Leave()):
            return _events(Run(state, luck), seat, move)
    raise IllegalMove("wrong_kind")


def preview(fold: State, seat: int, move: Move) -> list[Event]:
    """Returns what the mover can foresee: the witch's way as far as it leads over tiles that lie face up."""
    return _events(Run(fold, None), seat, move)


def _events(run: Run, seat: int, move: Move) -> list[Event]:
    """Returns the events of a move, as far as the run can tell."""
    match move:
        case Divide():
            _divide(run, seat, move)
        case Fly():
            _take_off(run, seat, move)
            run.play_on(back=False)
        case Play():
            _use(run, seat, move)
            if move.card == SYMBOL:
                run.begin_next()  # R11
            else:
                run.play_on(back=seat != run.state.active)
        case Leave():
            if run.state.obliged:
                raise IllegalMove("obliged")
            assert run.state.witch is not None, "a witch stands on the symbol"
            run.add(facts.Spared(seat, run.state.witch))
            run.begin_next()
        case _:
            raise IllegalMove("wrong_kind")
    return run.events


def _divide(run: Run, seat: int, move: Divide) -> None:
    wrong = _wrong_division(move)
    if wrong is not None:
        raise wrong
    run.add(facts.Divided(seat, move.stages))
    if run.luck is None or not all(run.state.divided):
        return
    course = _course(run.state, run.luck)
    first = run.luck.named("first").below(run.state.seats)
    run.add(facts.Laid(course, first))
    if run.begin(first, run.luck):
        run.begin_next()


def _course(state: State, luck: Luck) -> tuple[str, ...]:
    """Returns the 48 tiles as they are laid: each stage shuffled, neutral clans divided by lot (2.3, 2.4)."""
    divided = [chosen for chosen in state.stages if chosen is not None]
    for clan in CLANS[state.seats :]:
        divided.append(division(luck.named(f"division:{clan}").below(len(DIVISIONS))).stages)
    tiles: list[str] = []
    for stage in range(STAGES):
        of_stage = (
            f"{clan}{value}" for clan, chosen in zip(CLANS, divided, strict=True) for value in (*chosen[stage], SYMBOL)
        )
        tiles += luck.named(f"stage:{stage + 1}").shuffled(of_stage)
    return tuple(tiles)


def _take_off(run: Run, seat: int, move: Fly) -> None:
    state = run.state
    target = flights(state).get(move.origin) if move.origin in state.witches[seat] else None
    if target is not None:
        run.add(facts.Flew(seat, move.origin, target))
        return
    if move.origin not in state.witches[seat]:
        raise IllegalMove("no_witch", place=move.origin)
    if move.origin > COURSE:
        raise IllegalMove("in_goal")
    assert state.die is not None, "the die was rolled"
    wanted = move.origin + state.die
    raise IllegalMove("too_far") if wanted > GOAL else IllegalMove("occupied", place=wanted)


def _use(run: Run, seat: int, move: Play) -> None:
    state, card = run.state, move.card
    assert state.witch is not None, "a witch stands on the symbol"
    if card not in state.hands[seat]:
        raise IllegalMove("not_in_hand", card=card)
    target = card_target(state, seat, card, tiles_with_witch(state))
    if target is not None:
        run.add(facts.Played(seat, card, state.witch, target))
        return
    own = seat == state.active
    if card == SYMBOL:
        raise IllegalMove("no_symbol_ahead" if own else "no_symbol_behind")
    wanted = state.witch + facts.STEPS_OF[card] * (1 if own else -1)
    if wanted > GOAL:
        raise IllegalMove("too_far")
    raise IllegalMove("before_the_first") if wanted < 1 else IllegalMove("occupied", place=wanted)


def fallback(fold: State, seat: int, chance: Chance) -> Move:
    """Returns a random division; the rearmost witch that can move; no card, or if obliged the lowest number, else S."""
    if not fold.turn:
        return chance.pick(DIVISIONS)
    if fold.asked is None:
        return Fly(min(flights(fold)))
    if not fold.obliged:
        return Leave()
    return Play(min(plays(fold, seat), key=lambda card: facts.STEPS_OF[card] or GOAL))
