"""Matches that bots play among themselves, without checking the laws: fast, and only counted.

A `Plan` determines them completely: equal plans result in equal matches, whatever process plays them.
"""

from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import msgspec

from pbem.games import find_game
from pbem.kit.bots import RANDOM, bots_of
from pbem.kit.codec import codec_for
from pbem.kit.contract import AnyGame, Bot, PlayerView
from pbem.kit.play import LawBroken, first_to_answer, luck_from_seed
from pbem.kit.replay import evolve_all, see
from pbem.services.lab.ordered import play_with_orders
from pbem.services.lab.paces import Pace, Played

NONE, TYPICAL, PLANNER = "none", "typical", "planner"
ORDERS = (NONE, TYPICAL, PLANNER)
"""What a seat orders: nothing, what the game's typical person does, or that and likely lines."""


class Plan(msgspec.Struct, frozen=True):
    """Which matches to play: the number of seats, the bots and the seed.

    `bots` names the bot of each seat, repeated from the start if there are fewer bots than seats; so does `orders`.
    """

    game: str
    seats: int
    seed: str
    bots: tuple[str, ...] = (RANDOM,)
    options: dict[str, Any] = {}
    orders: tuple[str, ...] = (NONE,)

    def bot_of(self, seat: int) -> str:
        """Returns the name of the bot at this seat.

        >>> [Plan("hogen", 4, "", ("greedy", "random")).bot_of(seat) for seat in range(4)]
        ['greedy', 'random', 'greedy', 'random']
        """
        return self.bots[seat % len(self.bots)]

    def player_of(self, seat: int) -> str:
        """Returns the name under which the seat's victories are counted: its bot, and what it orders if not all do."""
        if len(set(self.orders)) == 1:
            return self.bot_of(seat)
        return f"{self.bot_of(seat)}, orders {self.orders[seat % len(self.orders)]}"


class Chunk(msgspec.Struct, frozen=True):
    """The matches of a plan with numbers from `first` up to but not including `beyond`."""

    plan: Plan
    first: int
    beyond: int


def chunks_of(plan: Plan, matches: int, size: int) -> list[Chunk]:
    """Returns all matches of the plan in order, in chunks of `size`.

    >>> [(c.first, c.beyond) for c in chunks_of(Plan("hogen", 3, ""), 50, 20)]
    [(0, 20), (20, 40), (40, 50)]
    """
    return [Chunk(plan, first, min(first + size, matches)) for first in range(0, matches, size)]


class Tally(msgspec.Struct):
    """The combined results of many matches of one game with one number of seats."""

    seats: int
    decisions: list[int] = msgspec.field(default_factory=list)
    waits: list[int] = msgspec.field(default_factory=list)
    by_order: list[int] = msgspec.field(default_factory=list)
    seconds: list[int] = msgspec.field(default_factory=list)
    """How long each match took where everybody looks once a day."""
    endings: dict[str, int] = msgspec.field(default_factory=Counter)
    wins: dict[int, int] = msgspec.field(default_factory=Counter)
    """Matches won by each seat; a shared victory counts for each of its winners."""
    shares: list[float] = msgspec.field(default_factory=list)
    """The victories of each seat; a shared victory is divided among its winners."""
    unwon: int = 0
    scores: list[tuple[int, ...]] = msgspec.field(default_factory=list)
    winning: list[int] = msgspec.field(default_factory=list)
    """The winner's score in each match that has one; the first winner's if there are several."""
    events: dict[str, int] = msgspec.field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.endings, self.wins, self.events = Counter(self.endings), Counter(self.wins), Counter(self.events)
        self.shares = self.shares or [0.0] * self.seats

    @property
    def matches(self) -> int:
        """Returns the number of matches counted."""
        return len(self.decisions)

    def add(self, played: Played) -> None:
        """Adds a match."""
        outcome = played.outcome
        one = Tally(self.seats, [played.decisions], [played.waits], [played.by_order], [played.seconds])
        one.endings, one.unwon = {outcome.reason: 1}, int(not outcome.winners)
        one.wins = dict.fromkeys(outcome.winners, 1)
        one.events = dict(played.events)
        for seat in outcome.winners:
            one.shares[seat] = 1 / len(outcome.winners)
        if outcome.scores is not None:
            one.scores.append(outcome.scores)
            one.winning += [outcome.scores[seat] for seat in outcome.winners[:1]]
        self.join(one)

    def join(self, later: "Tally") -> None:
        """Adds the matches of another tally after its own."""
        for ours, theirs in ((self.endings, later.endings), (self.events, later.events)):
            for name, count in theirs.items():
                ours[name] += count
        for seat, count in later.wins.items():
            self.wins[seat] += count
        self.shares = [ours + theirs for ours, theirs in zip(self.shares, later.shares, strict=True)]
        self.unwon += later.unwon
        self.decisions += later.decisions
        self.waits += later.waits
        self.by_order += later.by_order
        self.seconds += later.seconds
        self.scores += later.scores
        self.winning += later.winning


class Spread(msgspec.Struct, frozen=True):
    """The distribution of a number over matches; each field is a value that occurred."""

    min: int
    median: int
    p95: int
    max: int


def spread(numbers: Sequence[int]) -> Spread:
    """Returns the minimum, the median, the value that 95 % do not exceed, and the maximum. Raises ValueError if empty.

    >>> spread([5, 1, 4, 2])
    Spread(min=1, median=2, p95=5, max=5)
    """
    if not numbers:
        raise ValueError("nothing to spread")
    ordered, last = sorted(numbers), len(numbers) - 1
    return Spread(ordered[0], ordered[last // 2], ordered[-(-95 * len(numbers) // 100) - 1], ordered[last])


def seed_of(seed: bytes, seats: int, number: int) -> bytes:
    """Returns the seed of one match of a simulation, different for every match number and number of seats."""
    return sha256(b"pbem simulate|%b|%d|%d" % (seed, seats, number)).digest()


def play_out(
    game: AnyGame,
    seats: int,
    options: Any,
    seed: bytes,
    bots: Sequence[str] = (RANDOM,),
    orders: Sequence[str] = (NONE,),
) -> Played:
    """Plays one match of the bots; with random bots and no orders, exactly the one that `random_decisions` plays.

    Raises LawBroken if the match does not end within the game's bound.
    """
    players = _players(game, seats, bots)
    ordered = [orders[seat % len(orders)] for seat in range(seats)]
    if set(ordered) != {NONE}:
        ordering, planning = [one != NONE for one in ordered], [one == PLANNER for one in ordered]
        return play_with_orders(game, seats, options, seed, players, ordering, planning)
    random = [bots[seat % len(bots)] == RANDOM for seat in range(seats)]
    return _play_by_hand(game, options, seed, players, random)


def _play_by_hand(game: AnyGame, options: Any, seed: bytes, players: Sequence[Bot], random: Sequence[bool]) -> Played:
    """Plays a match without orders. If several seats are asked at once, the one to answer first is drawn each time."""
    seats = len(players)
    luck, pace = luck_from_seed(seed, seats), Pace(seed, seats)
    events = list(game.setup(seats, options, luck.rules(1)))
    state = evolve_all(game, None, events)
    # A random bot needs no fold of its own seat: the legal moves are the same on the full state.
    views = {s: PlayerView(None, seats, (), luck.memory(s)) for s in range(seats) if not random[s]}
    views = {seat: see(game, view, events, seat) for seat, view in views.items()}
    asks, waits, now = game.pending(state), 1, 0
    opened = dict.fromkeys(asks, now)
    for decisions in range(game.meta.bound + 1):
        if not asks:
            outcome = game.outcome(state)
            assert outcome is not None, "a match in which nobody is asked has an outcome"
            counted = Counter(type(event).__name__ for event in events)
            return Played(decisions, waits, outcome, counted, seconds=now)
        position = len(events) + 1
        ask = first_to_answer(asks, luck, position)
        now = max(now, pace.next_look(ask.seat, opened[ask]))
        view = views.get(ask.seat) or PlayerView(state, seats)
        move = players[ask.seat](view, ask.seat, luck.bot(position, ask.key, ask.seat))
        new = game.decide(state, ask.seat, move, luck.rules(position, ask.seat))
        events += new
        state = evolve_all(game, state, new)
        views = {seat: see(game, view, new, seat) for seat, view in views.items()}
        asks = game.pending(state)
        waits += any(other.seat != ask.seat and other not in opened for other in asks)
        opened = {other: opened.get(other, now) for other in asks}
    where = f"{game.meta.slug}, {seats} seats, match seed {seed.hex()}"
    raise LawBroken(f"{where}: the match does not end within {game.meta.bound} decisions")


def _players(game: AnyGame, seats: int, bots: Sequence[str]) -> list[Bot]:
    known = bots_of(game)
    return [known[bots[seat % len(bots)]] for seat in range(seats)]


def play_chunk(chunk: Chunk) -> Tally:
    """Plays the matches of the chunk and returns their tally.

    Raises ValueError if the game is not installed, LawBroken if a match does not end.
    """
    plan = chunk.plan
    game = find_game(plan.game)
    if game is None:
        raise ValueError(f"there is no game {plan.game!r}")
    options, seed = codec_for(game).options(plan.options), bytes.fromhex(plan.seed)
    tally = Tally(plan.seats)
    for number in range(chunk.first, chunk.beyond):
        tally.add(play_out(game, plan.seats, options, seed_of(seed, plan.seats, number), plan.bots, plan.orders))
    return tally


def simulate(plan: dict[str, Any], first: int, beyond: int) -> dict[str, Any]:
    """Runs `play_chunk` for a worker: plan and tally are converted from and to JSON values."""
    tally = play_chunk(Chunk(msgspec.convert(plan, Plan), first, beyond))
    return dict(msgspec.to_builtins(tally, str_keys=True))
