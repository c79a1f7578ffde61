"""Programs that fill seats. A bot sees what a player in its seat sees, and no more.

Bots that think imagine what their seat does not see, and play on from there to find out what is good: information-set
Monte Carlo tree search, with one of the named budgets (`LEVELS`), whose strength docs/bots.md says.

At the root, sequential halving: the answers that are worth a try begin with equal shares of the budget, and the worse
half of them is dropped again and again (Karnin, Koren and Somekh 2013; at the root of a tree Pepels, Cazenave, Winands
and Lanctot 2014, *Minimizing Simple and Cumulative Regret in Monte-Carlo Tree Search*). In each round the whole state
is newly imagined, and every answer that is left is tried in this same state and with the same luck afterwards. So
answers are compared in pairs: by what they change, and not by how the cards happened to lie.

Below it, single-observer search with availability counts (Cowling, Powley and Whitehouse 2012, *Information Set Monte
Carlo Tree Search*): a playout walks down the tree by the answers that are legal in its state, adds one, plays the match
on from there, and tells all answers on its way what it was worth to the seat that gave them (max^n). Luck is drawn on
the way and makes no nodes. Answers are chosen by PUCT (Rosin 2011), where the first one that the game's quick bot gave
weighs more, and are added one by one as a node is visited more often (progressive widening), since a game may offer
thousands.

Only additions, products, quotients and square roots are computed, which IEEE 754 defines to the bit, and sums by
`fsum`: that of `sum` changes between versions of Python. Equal view, luck and budget give an equal answer everywhere.
"""

from collections.abc import Mapping, Sequence
from functools import cache, partial
from math import fsum, sqrt
from types import MappingProxyType
from typing import Any

import msgspec

from pbem.kit.chance import WORDS, Chance, UnnamedChance
from pbem.kit.choices import draw_random_move
from pbem.kit.contract import AnyGame, Ask, Bot, BotView, Imagine, Move, PackagedBot, PlayerView, ask_of
from pbem.kit.secrecy import redact

RANDOM = "random"


def bots_of(game: AnyGame) -> Mapping[str, Bot]:
    """Returns every bot that can play the game, by name, roughly from the weakest to the strongest.

    `random` comes first. Next are, if the game imagines, the easy one of those that think, then the game's own, and the
    stronger ones that think. Those of packages come last.
    """

    def at_random(view: PlayerView, seat: int, chance: Chance) -> Any:
        return draw_random_move(game.legal(view.fold, seat), game.meta.weights, chance)

    thinkers = thinking_bots_of(game)
    easy = {name: bot for name, bot in thinkers.items() if name == EASY.name}
    packaged = {name: partial(_choose_by_packaged_bot, game, bot) for name, bot in extra_bots(game).items()}
    stronger = {name: bot for name, bot in thinkers.items() if name not in easy}
    return {RANDOM: at_random, **easy, **game.bots, **stronger, **packaged}


def extra_bots(game: AnyGame) -> Mapping[str, PackagedBot]:
    """Returns the bots that packages offer for the game, by name: discovery has put them there (see `pbem.games`)."""
    found: Mapping[str, PackagedBot] = getattr(game, "packaged", {})
    return found


def _choose_by_packaged_bot(game: AnyGame, bot: PackagedBot, view: PlayerView, seat: int, chance: Chance) -> Any:
    return bot.choose(view_with_legal_moves(game, view, seat), seat, chance)


def view_with_legal_moves(game: AnyGame, view: PlayerView, seat: int) -> BotView:
    """Returns the view as a bot of a package is given it: from its legal moves nothing leads to the game."""
    return BotView(view.fold, view.seats, view.seen, view.memory, tuple(game.legal(view.fold, seat)))


def usual_bot(game: AnyGame) -> str:
    """Returns the bot that sits at a table where nobody has chosen another: the game's own, which answers at once."""
    return next(reversed([RANDOM, *game.bots]))


def is_thinking_bot(bot: str) -> bool:
    """Returns whether the bot of this name is one of those that think for a while."""
    return bot in LEVELS


def version_of(game: AnyGame, bot: str) -> int:
    """Returns the version under which the bot chooses as it does: it repeats its choices under the same one.

    Bots that think rest on the game's own, so theirs tells both versions.
    """
    if bot in extra_bots(game):
        return extra_bots(game)[bot].version
    return VERSION * 1000 + game.meta.bot_version if is_thinking_bot(bot) else game.meta.bot_version


_MASK = (1 << 64) - 1


class QuickChance(UnnamedChance):
    """A stream of SplitMix64 (Steele, Lea and Flood 2014), of which each draw takes the upper 32 bits of a step.

    Nothing that players see is drawn from it. It begins where another stream stands, so it repeats with that one.

    >>> from pbem.kit.chance import SeedChance
    >>> chance = QuickChance(SeedChance(bytes(32), position=1, purpose="bot", seat=0))
    >>> again = QuickChance(SeedChance(bytes(32), position=1, purpose="bot", seat=0))
    >>> [chance.below(6) for _ in range(20)] == [again.below(6) for _ in range(20)]
    True
    """

    __slots__ = ("_state",)

    def __init__(self, start: Chance) -> None:
        self._state = start.below(WORDS) << 32 | start.below(WORDS)

    def copy(self) -> "QuickChance":
        """Returns a stream that draws what this one would draw next."""
        twin = QuickChance.__new__(QuickChance)
        twin._state = self._state
        return twin

    def below(self, n: int) -> int:
        """Returns an integer in 0..n-1; at most n / 2^32 likelier or less likely than even."""
        self._state = state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & _MASK
        return ((state ^ (state >> 31)) >> 32) * n >> 32


# --- playouts ------------------------------------------------------------------------------------------------

Worth = tuple[float, ...]
"""Each seat's share of the victory, in seat order, together at most 1."""

WHIM = 8
"""One in this many moves of a playout is drawn at random, so that it does not always go the same way."""


def worth_by_seat_if_over(game: AnyGame, seats: int, state: Any) -> Worth | None:
    """Returns what a match that is over has brought each seat; None while it runs."""
    outcome = game.outcome(state)
    if outcome is None:
        return None
    share = 1 / len(outcome.winners) if outcome.winners else 0.0
    return tuple(share if seat in outcome.winners else 0.0 for seat in range(seats))


def next_ask(game: AnyGame, asks: Sequence[Ask], chance: Chance) -> Ask:
    """Returns who answers next in an imagined match: in a race anybody, else the first in the order of the rules."""
    first = asks[0]
    return chance.pick(asks) if len(asks) > 1 and game.meta.asks[first.kind].race else first


def apply(game: AnyGame, state: Any, seat: int, move: Move, luck: UnnamedChance) -> Any:
    """Returns the state after a legal move."""
    evolve = game.evolve
    for event in game.decide(state, seat, move, luck):
        state = evolve(state, event)
    return state


def view_for(state: Any, seats: int, seat: int) -> PlayerView:
    """Returns what a seat of an imagined match knows: all but what the marks of the state hide."""
    return PlayerView(redact(state, seat), seats)


def quick_move(game: AnyGame, seats: int, state: Any, ask: Ask, chance: QuickChance) -> Move:
    """Returns a move of a playout: the quick bot's, or now and then one drawn at random."""
    if game.playout is None or chance.below(WHIM) == 0:
        move: Move = draw_random_move(game.legal(state, ask.seat), game.meta.weights, chance)
        return move
    choice: Move = game.playout(view_for(state, seats, ask.seat), ask.seat, chance)
    return choice


def worth_by_playout(game: AnyGame, seats: int, state: Any, chance: QuickChance, least: int = 0) -> Worth:
    """Returns what the position is worth by one playout.

    It ends where the game can estimate, but not before `least` decisions: an estimate need not know of what lies in
    hands, which shows when that is played.
    """
    pending, estimate = game.pending, game.estimate
    for made in range(game.meta.bound):
        asks = pending(state)
        if not asks:
            break
        if estimate is not None and made >= least and (told := estimate(state)) is not None:
            return tuple(told)
        ask = next_ask(game, asks, chance)
        state = apply(game, state, ask.seat, quick_move(game, seats, state, ask, chance), chance)
    worth = worth_by_seat_if_over(game, seats, state)
    assert worth is not None, "a match ends within the bound of its game"
    return worth


def chances_by_expected_points(points: Sequence[float], spread: float) -> Worth:
    """Returns each seat's chance to end with most points, given those expected; for the estimates of games.

    >>> [round(chance, 3) for chance in chances_by_expected_points((4.0, 2.0, 2.0), 2.0)]
    [0.577, 0.212, 0.212]
    """
    most = max(points)
    weights = [_portable_exp((one - most) / spread) for one in points]
    total = fsum(weights)
    return tuple([weight / total for weight in weights])


def _portable_exp(x: float) -> float:
    """Returns about e to the power of x, for x up to 0, the same to the bit on every machine: by products alone.

    >>> round(_portable_exp(0.0), 3), round(_portable_exp(-1.0), 3), round(_portable_exp(-300.0), 3)
    (1.0, 0.367, 0.0)
    """
    power = max(0.0, 1 + x / 256)
    for _ in range(8):
        power *= power
    return power


# --- the search ----------------------------------------------------------------------------------------------

CURIOSITY = 0.8
"""The weight of what has been tried seldom against what was worth most."""
ADVISED = 4.0
"""How much likelier than another the answer is that the game's quick bot would give."""
WIDTH = 3.0, 1.5
"""A node visited n times tries at most a + b * sqrt(n) answers, where nothing but chance proposes them."""
ADVISED_WIDTH = 1.0, 0.2
"""The same where the game's quick bot proposes the first: others are tried once that one is well known."""
DOUBT = 0.5
"""An answer replaces the advised one if it is worth more by this many standard errors of the difference."""
UNSEEN = 0.1
"""The sum of squares that a difference has beside those seen: so a few equal pairs are not taken for certainty."""
DEEPEST = 24
"""This many decisions of a match are in the tree at most."""


class Considered(msgspec.Struct, frozen=True):
    """An answer that was tried: how often, and what it was worth to the seat on average, with its standard error."""

    move: Move
    visits: int
    worth: float
    error: float


class Thought(msgspec.Struct, frozen=True):
    """What came of thinking: the answer, all that were tried with the best first, and what each seat wins by it."""

    move: Move
    considered: tuple[Considered, ...]
    worth: Worth


class _Node(msgspec.Struct, eq=False):
    edges: dict[Move, "_Edge"] = msgspec.field(default_factory=dict)
    visits: int = 0


class _Edge(msgspec.Struct, eq=False):
    """An answer in the tree. `total`: of what it was worth to the seat that gave it."""

    weight: float
    visits: int = 0
    available: int = 0
    total: float = 0.0
    node: _Node = msgspec.field(default_factory=_Node)


class _Candidate(msgspec.Struct, eq=False):
    """An answer at the root. `worths`: what it was worth to each seat, round by round."""

    move: Move
    node: _Node = msgspec.field(default_factory=_Node)
    worths: list[Worth] = msgspec.field(default_factory=list)
    total: float = 0.0


def think_by_playouts(
    game: AnyGame, view: PlayerView, seat: int, chance: Chance, iterations: int, advice: Move | None = None
) -> Thought:  # fmt: skip
    """Returns what about this many playouts show of the question that the seat is asked.

    `advice` is what the game's own bot would answer: it is tried with the others, and stands unless one of them is
    clearly better.
    """
    return _Search(game, view, seat, chance).run(iterations, advice)


class _Search:
    def __init__(self, game: AnyGame, view: PlayerView, seat: int, chance: Chance) -> None:
        assert game.imagine is not None, "a game that bots can think about imagines"
        self._game, self._view, self._seat = game, view, seat
        self._imagine: Imagine = game.imagine
        self._chance = QuickChance(chance)
        self._width = WIDTH if game.playout is None else ADVISED_WIDTH

    def run(self, iterations: int, advice: Move | None) -> Thought:
        tried = left = [_Candidate(move) for move in self._candidates(iterations, advice)]
        advised = tried[0] if advice is not None else None
        budget, halvings = iterations, max(1, (len(tried) - 1).bit_length())
        for halving in range(halvings):
            rounds = max(1, budget // (halvings - halving) // len(left))
            for _ in range(rounds):
                self._play_round(left)
            budget -= rounds * len(left)
            left = sorted(left, key=lambda one: -one.total)
            left = left[: max(2, (len(left) + 1) // 2)]
            if advised is not None and advised not in left:
                left.append(advised)
        best = _best_or_advised_in_doubt(left, advised, self._seat)
        order = sorted(tried, key=lambda one: (one is not best, -len(one.worths), -one.total))
        return Thought(
            best.move, tuple(_summarise_candidate(one, self._seat) for one in order), _mean_worth(best.worths)
        )

    def _candidates(self, iterations: int, advice: Move | None) -> list[Move]:
        """Returns the answers to try: all if they are few, else those that bots propose, and some drawn at random."""
        game, view, seat = self._game, self._view, self._seat
        legal = game.legal(view.fold, seat)
        most = max(2, round(sqrt(iterations)))
        found = {} if advice is None else {advice: None}
        if len(legal) <= most:
            return list(found | dict.fromkeys(legal))
        if game.playout is not None:
            for _ in range(most):
                found[game.playout(view, seat, self._chance)] = None
                if len(found) > most // 2:
                    break
        for _ in range(4 * most):
            if len(found) >= most:
                break
            found[draw_random_move(legal, game.meta.weights, self._chance)] = None
        return list(found)

    def _play_round(self, candidates: Sequence[_Candidate]) -> None:
        """Tries these answers in one imagined state, with the same luck."""
        state = self._imagine(self._view, self._seat, self._chance)
        luck = QuickChance(self._chance)
        for one in candidates:
            worth = self._play_out_answer(state, one, luck.copy())
            one.worths.append(worth)
            one.total += worth[self._seat]

    def _play_out_answer(self, state: Any, candidate: _Candidate, chance: QuickChance) -> Worth:
        game, seats = self._game, self._view.seats
        blind = self._keys_asked_together(game.pending(state))
        state = apply(game, state, self._seat, candidate.move, chance)
        node, path = candidate.node, list[tuple[_Edge, int]]()
        while len(path) < DEEPEST and (asks := game.pending(state)):
            ask = self._next_to_answer(asks, chance)
            if ask.key in blind:
                state = apply(game, state, ask.seat, quick_move(game, seats, state, ask, chance), chance)
                continue
            blind |= self._keys_asked_together(asks)
            move, edge, new = self._choose_edge(node, state, ask, chance)
            state = apply(game, state, ask.seat, move, chance)
            path.append((edge, ask.seat))
            node = edge.node
            if new:
                break
        worth = worth_by_seat_if_over(game, seats, state) or worth_by_playout(game, seats, state, chance)
        for edge, seat in path:
            edge.visits += 1
            edge.total += worth[seat]
        return worth

    def _next_to_answer(self, asks: Sequence[Ask], chance: QuickChance) -> Ask:
        """Returns who answers next: of those asked at the same time the seat that thinks, then the others."""
        first = next_ask(self._game, asks, chance)
        if self._game.meta.asks[first.kind].race:
            return first
        return next((ask for ask in asks if ask.seat == self._seat), first)

    def _keys_asked_together(self, asks: Sequence[Ask]) -> frozenset[str]:
        """Returns the keys of questions asked at the same time: what one answers must tell the others nothing.

        So a seat that answers after the first has no node below the first one's answer.
        """
        if len(asks) < 2 or self._game.meta.asks[asks[0].kind].race:
            return frozenset()
        return frozenset(ask.key for ask in asks)

    def _choose_edge(self, node: _Node, state: Any, ask: Ask, chance: QuickChance) -> tuple[Move, _Edge, bool]:
        """Returns an answer to go on with, its edge, and whether it is new to the tree."""
        legal = self._game.legal(state, ask.seat)
        node.visits += 1
        open_edges = [(move, edge) for move, edge in node.edges.items() if move in legal]
        for _, edge in open_edges:
            edge.available += 1
        fewest, growth = self._width
        if len(open_edges) < len(legal) and len(open_edges) < fewest + growth * sqrt(node.visits):
            move, weight = self._answer_advised_or_drawn(node, state, ask, legal, chance)
            if move not in node.edges:
                node.edges[move] = edge = _Edge(weight)
                edge.available = 1
                return move, edge, True
        move, edge = self._choose(open_edges)
        return move, edge, edge.visits == 0

    def _answer_advised_or_drawn(
        self, node: _Node, state: Any, ask: Ask, legal: Any, chance: QuickChance
    ) -> tuple[Move, float]:  # fmt: skip
        """Returns the answer that the quick bot gives here, else one drawn at random; it may be one already tried."""
        game = self._game
        if game.playout is not None and not node.edges:
            return game.playout(view_for(state, self._view.seats, ask.seat), ask.seat, chance), ADVISED
        return draw_random_move(legal, game.meta.weights, chance), 1.0

    def _choose(self, edges: list[tuple[Move, _Edge]]) -> tuple[Move, _Edge]:
        weights = fsum(edge.weight for _, edge in edges)
        known = fsum(edge.visits for _, edge in edges)
        mean = fsum(edge.total for _, edge in edges) / known if known else 0.5

        def score(edge: _Edge) -> float:
            worth = edge.total / edge.visits if edge.visits else mean
            return worth + CURIOSITY * edge.weight / weights * sqrt(edge.available) / (1 + edge.visits)

        best, best_score = edges[0], score(edges[0][1])
        for one in edges[1:]:
            if (found := score(one[1])) > best_score:
                best, best_score = one, found
        return best


def _best_or_advised_in_doubt(left: Sequence[_Candidate], advised: _Candidate | None, seat: int) -> _Candidate:
    """Returns the best answer; where one is advised, that one unless the best is better beyond doubt."""
    best = left[0]
    if advised is None or best is advised:
        return best
    gains = [one[seat] - other[seat] for one, other in zip(best.worths, advised.worths, strict=True)]
    gain = fsum(gains) / len(gains)
    error = sqrt(UNSEEN + fsum((one - gain) * (one - gain) for one in gains)) / len(gains)
    return best if gain > DOUBT * error else advised


def _summarise_candidate(one: _Candidate, seat: int) -> Considered:
    """Returns an answer as it is told; half a win more in its error keeps equal results from looking certain."""
    visits = len(one.worths)
    mean = (one.total + 0.5) / (visits + 1)
    return Considered(one.move, visits, one.total / visits, sqrt(mean * (1 - mean) / visits))


def _mean_worth(worths: Sequence[Worth]) -> Worth:
    return tuple(fsum(column) / len(worths) for column in zip(*worths, strict=True))


# --- levels --------------------------------------------------------------------------------------------------

VERSION = 4
"""Incremented whenever a bot that thinks chooses differently: only the same version can repeat its choices."""


class Level(msgspec.Struct, frozen=True):
    """How long a bot thinks about a decision, in iterations, and whether it knows what the game's own bot would do."""

    name: str
    iterations: int
    advised: bool = True


EASY, FAIR, STRONG = Level("easy", 8, advised=False), Level("fair", 100), Level("strong", 400)
LEVELS: Mapping[str, Level] = MappingProxyType({level.name: level for level in (EASY, FAIR, STRONG)})


@cache
def thinking_bots_of(game: AnyGame) -> Mapping[str, Bot]:
    """Returns a bot for each level, by its name; none for a game that does not imagine."""
    if game.imagine is None:
        return {}
    return {name: partial(_choose_by_thinking, game, level) for name, level in LEVELS.items()}


def _choose_by_thinking(game: AnyGame, level: Level, view: PlayerView, seat: int, chance: Chance) -> Move:
    legal: Sequence[Move] = game.legal(view.fold, seat)
    return legal[0] if len(legal) == 1 else think_on_level(game, view, seat, chance, level).move


def think_on_level(game: AnyGame, view: PlayerView, seat: int, chance: Chance, level: Level) -> Thought:
    """Returns what a bot of this level thinks about the question that its seat is asked."""
    assert ask_of(game, view.fold, seat) is not None, "the seat is asked something"
    own = next(reversed([*game.bots.values()]), None) if level.advised else None
    advice = None if own is None else own(view, seat, chance)
    return think_by_playouts(game, view, seat, chance, level.iterations, advice)
