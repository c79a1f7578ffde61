"""A tree over what may come, from what one seat knows: information-set Monte Carlo tree search.

Single-observer search with availability counts (Cowling, Powley and Whitehouse 2012, *Information Set Monte Carlo Tree
Search*): each iteration imagines the whole state anew, walks down the tree by the answers that are legal in it, adds
one, plays the match on from there, and tells all answers on its way what it was worth to whoever gave them (max^n).
Luck is drawn on the way and makes no nodes. Answers are chosen by PUCT (Rosin 2011), with the game's own bot as prior,
and are added one by one as a node is visited more often (progressive widening), since a game may offer thousands.

Only additions, products, quotients and square roots are computed, which IEEE 754 defines to the bit: equal view, luck
and budget give an equal answer on every machine.
"""

from collections.abc import Callable
from math import sqrt
from typing import Any

import msgspec

from pbem.kit.chance import Chance
from pbem.kit.choices import draw
from pbem.kit.contract import AnyGame, Ask, Imagine, Move, PlayerView
from pbem.kit.thinking.playouts import Worth, apply, next_ask, play_on, seen_by, worth_of
from pbem.kit.thinking.quick import QuickChance

CURIOSITY = 0.8
"""The weight of what has been tried seldom against what was worth most."""
ADVISED = 4.0
"""How much likelier than another the answer is that the game's bot would give."""
FIRST, GROWTH = 3, 1.5
"""A node visited n times tries at most FIRST + GROWTH * sqrt(n) answers."""
DOUBT = 1.5
"""An answer replaces the advised one if it is worth more by this many standard errors of the difference."""
DEEPEST = 24
"""So many decisions of a match are in the tree at most."""


class Considered(msgspec.Struct, frozen=True):
    """An answer that was tried: how often, and what it was worth to the seat on average, with its standard error."""

    move: Move
    visits: int
    worth: float
    error: float


class Thought(msgspec.Struct, frozen=True):
    """What came of thinking: the answer, all that were tried with the most visited first, and what each seat wins."""

    move: Move
    considered: tuple[Considered, ...]
    worth: Worth


class _Edge:
    """An answer in the tree. `total`: of what it was worth to whoever gave it."""

    __slots__ = ("available", "node", "total", "visits", "weight")

    def __init__(self, weight: float) -> None:
        self.weight = weight
        self.visits = self.available = 0
        self.total = 0.0
        self.node = _Node()

    @property
    def worth(self) -> float:
        return self.total / self.visits

    @property
    def error(self) -> float:
        """The standard error of `worth` were it of matches won or lost, with half a win more of one, so never 0."""
        mean = (self.total + 0.5) / (self.visits + 1)
        return sqrt(mean * (1 - mean) / self.visits)


class _Node:
    __slots__ = ("edges", "visits")

    def __init__(self) -> None:
        self.edges: dict[Move, _Edge] = {}
        self.visits = 0


class Search:
    """A search for one question; `advise` is what the game's own bot would answer, at the root and in the tree."""

    def __init__(
        self, game: AnyGame, view: PlayerView, seat: int, chance: Chance, *, advice: Move | None,
        advise: Callable[[PlayerView, int, Chance], Move] | None,
    ) -> None:  # fmt: skip
        assert game.imagine is not None, "a game that bots can think about imagines"
        self._game, self._view, self._seat, self._advise = game, view, seat, advise
        self._imagine: Imagine = game.imagine
        self._chance = QuickChance(chance)
        self._advice = advice
        self._root = _Node()
        self._sums = [0.0] * view.seats
        self._iterations = 0
        if advice is not None:
            self._root.edges[advice] = _Edge(ADVISED)

    def run(self, iterations: int) -> Thought:
        """Returns what so many iterations show, with those of earlier calls."""
        for _ in range(iterations):
            self._iterate()
        considered = sorted(
            (Considered(m, e.visits, e.worth, e.error) for m, e in self._root.edges.items() if e.visits),
            key=lambda one: -one.visits,
        )
        worth = tuple(total / self._iterations for total in self._sums)
        return Thought(self._best(considered), tuple(considered), worth)

    def _best(self, considered: list[Considered]) -> Move:
        """Returns the advised answer, unless another is better beyond doubt; without advice the most visited one."""
        advised = next((one for one in considered if one.move == self._advice), None)
        if advised is None:
            return considered[0].move
        best = max(considered, key=lambda one: one.worth - DOUBT * one.error)
        doubt = DOUBT * sqrt(best.error**2 + advised.error**2)
        return best.move if best.worth - doubt > advised.worth else advised.move

    def _iterate(self) -> None:
        game, seats, chance = self._game, self._view.seats, self._chance
        state = self._imagine(self._view, self._seat, chance)
        node, path = self._root, list[tuple[_Edge, int]]()
        while len(path) < DEEPEST and (asks := game.pending(state)):
            ask = self._next(asks) if node is self._root else next_ask(game, asks, chance)
            move, edge, new = self._step(node, state, ask)
            state = apply(game, state, ask.seat, move, chance)
            path.append((edge, ask.seat))
            node = edge.node
            if new:
                break
        worth = worth_of(game, seats, state) or play_on(game, seats, state, chance)
        for edge, seat in path:
            edge.visits += 1
            edge.total += worth[seat]
        self._sums = [total + one for total, one in zip(self._sums, worth, strict=True)]
        self._iterations += 1

    def _next(self, asks: tuple[Ask, ...]) -> Ask:
        return next(ask for ask in asks if ask.seat == self._seat)

    def _step(self, node: _Node, state: Any, ask: Ask) -> tuple[Move, _Edge, bool]:
        """Returns an answer to go on with, its edge, and whether it is new to the tree."""
        legal = self._game.legal(state, ask.seat)
        node.visits += 1
        open_edges = [(move, edge) for move, edge in node.edges.items() if move in legal]
        for _, edge in open_edges:
            edge.available += 1
        if len(open_edges) < len(legal) and len(open_edges) < FIRST + GROWTH * sqrt(node.visits):
            move, weight = self._new_answer(node, state, ask, legal)
            if move not in node.edges:
                node.edges[move] = edge = _Edge(weight)
                edge.available = 1
                return move, edge, True
        move, edge = self._choose(open_edges)
        return move, edge, edge.visits == 0

    def _new_answer(self, node: _Node, state: Any, ask: Ask, legal: Any) -> tuple[Move, float]:
        """Returns the answer that the game's bot gives here, else one drawn at random; it may be one already tried."""
        if self._advise is not None and node is not self._root and not node.edges:
            return self._advise(seen_by(state, self._view.seats, ask.seat), ask.seat, self._chance), ADVISED
        return draw(legal, self._game.meta.weights, self._chance), 1.0

    def _choose(self, edges: list[tuple[Move, _Edge]]) -> tuple[Move, _Edge]:
        weights = sum(edge.weight for _, edge in edges)
        known = sum(edge.visits for _, edge in edges)
        mean = sum(edge.total for _, edge in edges) / known if known else 0.5

        def score(edge: _Edge) -> float:
            worth = edge.total / edge.visits if edge.visits else mean
            return worth + CURIOSITY * edge.weight / weights * sqrt(edge.available) / (1 + edge.visits)

        best, best_score = edges[0], score(edges[0][1])
        for one in edges[1:]:
            if (found := score(one[1])) > best_score:
                best, best_score = one, found
        return best
