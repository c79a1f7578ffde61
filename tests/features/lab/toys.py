"""Caravan, a game to be mended: two seats draw one of three goods in turn, ten times each, and the richer one wins.

Every good brings six coins on average, each in its own way. As it is `FAULTY`, four things are wrong with it: seat A
begins with some coins, good G5 brings nothing, G6 brings far more than the others, and the seat that leads gets
something on top. `MENDED` is the same game without these faults.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from pbem.features.lab.course import Played
from pbem.features.lab.plans import NONE, Plan
from pbem.features.lab.simulations import play_match
from pbem.kit.bots import RANDOM
from pbem.kit.chance import Chance, Luck
from pbem.kit.contract import (
    AnyGame,
    Ask,
    AskKind,
    Bot,
    DrawKind,
    Event,
    Mark,
    Move,
    Options,
    Outcome,
    PlayerView,
    Seat,
)
from pbem.kit.texts import Text
from tests.kit.toys import META, Glimpse

GOODS = ("G1", "G2", "G3", "G4", "G5", "G6")
TURNS = 20
HEAD_START, EXTRA, SHARE = 1, 12, 8
"""The faults: the coins of seat A, with one more in every other match, those of G6 on top, and the part of a lead that
its owner gets again each turn."""
TRIPLES = tuple((a, b, c) for a in range(5) for b in range(a + 1, 5) for c in range(b + 1, 5))
RARE = 6
"""In one offer of this many, G6 takes the place of the last good."""


class Load(Move, frozen=True):
    good: str


class Set(Event, frozen=True):
    seed: int
    coins: int


class Loaded(Event, frozen=True):
    seat: Seat
    coins: int


class Caravans(msgspec.Struct, frozen=True):
    seed: int
    coins: tuple[int, int]
    turn: int = 0


def _text(words: str) -> Text:
    return Text(fr=words, en=words)


MOVES = tuple(Load(good) for good in GOODS)
ASKS = tuple((Ask(turn % 2, f"t{turn}.load", f"t{turn}", "load"),) for turn in range(TURNS))
BRINGS = ((6, 6, 6, 6), (0, 4, 8, 12), (3, 5, 7, 9), (12, 8, 4, 0), (9, 7, 5, 3), (3, 9, 3, 9))


def _mix(seed: int, turn: int) -> int:
    mixed = (seed + 0x9E3779B97F4A7C15 * (turn + 1)) & 0xFFFFFFFFFFFFFFFF
    mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
    return mixed ^ (mixed >> 31)


def goods_on_offer(state: Caravans) -> tuple[int, ...]:
    """Returns the goods on offer this turn."""
    mixed = _mix(state.seed, state.turn)
    triple = TRIPLES[mixed % 10]
    return (*triple[:2], 5) if mixed // 10 % RARE == 0 else triple


class Caravan(Glimpse):
    """The game, with these faults."""

    def __init__(self, slug: str, *, head_start: int = 0, dead: bool = False, extra: int = 0, share: int = 0) -> None:
        self.head_start, self.dead, self.extra, self.share = head_start, dead, extra, share
        self.meta = replace(
            META, slug=slug, title=_text("Caravan"), seats=(2,), state=Caravans, moves=(Load,), events=(Set, Loaded),
            asks={"load": AskKind(_text("Load"), (Load,))}, endings={"arrived": _text("all have arrived")},
            draws={"offers": DrawKind(_text("the goods"))}, bound=TURNS, weights={},
            marks={good: Mark("n", "c1") for good in GOODS}, options=Options,
        )  # fmt: skip
        self.bots: Mapping[str, Bot] = {"shrewd": self._shrewd}

    def _shrewd(self, view: PlayerView, seat: int, chance: Chance) -> Move:
        """Returns the good that brings most on average, one of them if several do."""
        goods = goods_on_offer(view.fold)
        means = [self._mean(good) for good in goods]
        best = [good for good, mean in zip(goods, means, strict=True) if mean == max(means)]
        return MOVES[best[chance.below(len(best))] if len(best) > 1 else best[0]]

    def _mean(self, good: int) -> int:
        return 0 if good == 4 and self.dead else 6 + (self.extra if good == 5 else 0)

    def setup(self, seats: int, options: Any, luck: Luck) -> Sequence[Event]:
        seed = luck.named("offers").below(1 << 32)
        return [Set(seed, self.head_start and self.head_start + seed % 2)]

    def decide(self, state: Any, seat: int, move: Move, luck: Luck) -> Sequence[Event]:
        assert isinstance(move, Load)
        good = GOODS.index(move.good)
        fortune = BRINGS[good][_mix(state.seed ^ 0x5DEECE66D, state.turn) % 4]
        brings = 0 if good == 4 and self.dead else fortune + (self.extra if good == 5 else 0)
        lead = state.coins[seat] - state.coins[1 - seat]
        return [Loaded(seat, brings + (lead // self.share if self.share and lead > 0 else 0))]

    def evolve(self, state: Any, event: Event) -> Any:
        if isinstance(event, Set):
            return Caravans(event.seed, (event.coins, 0))
        assert isinstance(event, Loaded)
        first, second = state.coins
        coins = (first + event.coins, second) if event.seat == 0 else (first, second + event.coins)
        return Caravans(state.seed, coins, state.turn + 1)

    def pending(self, state: Any) -> tuple[Ask, ...]:
        return ASKS[state.turn] if state.turn < TURNS else ()

    def legal(self, state: Any, seat: int) -> Sequence[Move]:
        return [MOVES[good] for good in goods_on_offer(state)] if state.turn < TURNS else ()

    def outcome(self, state: Any) -> Outcome | None:
        if state.turn < TURNS:
            return None
        best = max(state.coins)
        return Outcome("arrived", tuple(s for s in (0, 1) if state.coins[s] == best), state.coins)

    def scores(self, fold: Any) -> tuple[int, ...] | None:
        found: tuple[int, ...] = fold.coins
        return found

    def round_of(self, fold: Any) -> int:
        turn: int = fold.turn
        return turn // 2

    def format(self, move: Move) -> str:
        assert isinstance(move, Load)
        return f"load {move.good}"


FAULTY = Caravan("faulty-caravan", head_start=HEAD_START, dead=True, extra=EXTRA, share=SHARE)
MENDED = Caravan("mended-caravan")


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
    return play_match(game, Plan(game.meta.slug, seats, "", tuple(bots), orders=tuple(orders)), 0, options, seed)
