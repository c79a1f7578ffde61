"""Matches of scripted people who leave orders: see docs/orders.md.

Everybody who leaves orders looks once a day, asked or not. They answer what they are asked, as their bot does, as long
as they are asked; before they go, they leave the orders of the game's typical person. Others look only when asked.
A stop is where somebody has to be asked who is not looking at that moment.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from pbem.kit.contract import AnyGame, Ask, Bot, Move, Order
from pbem.kit.orders.following import follow, progress
from pbem.kit.orders.refusals import refusal
from pbem.kit.orders.scopes import Standing, answered, lasts, stand
from pbem.kit.orders.shapes import Line, kinds_of_asks
from pbem.kit.play import LawBroken, luck_from_seed
from pbem.kit.replay import evolve_all
from pbem.kit.secrecy import redact
from pbem.services.lab.paces import Pace, Played
from pbem.services.lab.planners import likely_lines

AnyLine = Line[Any, Any]


def play_with_orders(
    game: AnyGame,
    seats: int,
    options: Any,
    seed: bytes,
    players: Sequence[Bot],
    ordering: Sequence[bool],
    planning: Sequence[bool] | None = None,
) -> Played:
    """Plays one match of these bots, of whom those in `ordering` leave orders, and those in `planning` lines besides.

    All are in seat order; who plans leaves orders, too.

    Raises LawBroken if the match does not end within the game's bound, or a script leaves what cannot be saved.
    """
    match = _Match(game, seats, options, seed, players, ordering, planning or [False] * seats)
    while match.asks:
        if match.decisions > game.meta.bound:
            raise match.broken(f"the match does not end within {game.meta.bound} decisions")
        if not (match.follow_one() or match.answer_one()):
            match.wait()
    return match.played()


class _Match:
    """A match in progress, and who is looking at it."""

    def __init__(
        self, game: AnyGame, seats: int, options: Any, seed: bytes, players: Sequence[Bot], ordering: Sequence[bool],
        planning: Sequence[bool],
    ) -> None:  # fmt: skip
        self.game, self.seats, self.players, self.ordering, self._seed = game, seats, players, ordering, seed
        self.planning = planning
        self.luck, self.pace = luck_from_seed(seed, seats), Pace(seed, seats)
        self.events: list[Any] = []
        self.state: Any = None
        self.folds: list[Any] = [None] * seats
        self.standing: list[dict[str, Standing]] = [{} for _ in range(seats)]
        self.lines: list[tuple[int, tuple[AnyLine, ...]]] = [(0, ())] * seats
        """The lines of each seat, and how many events there were when it left them."""
        self.now = 0
        self.looking: int | None = None
        self.waits = self.by_order = self.decisions = 0
        self.waited: set[str] = set()
        self.opened: dict[str, int] = {}
        self.asks: tuple[Ask, ...] = ()
        self._add(game.setup(seats, options, self.luck.rules(1)))

    def _add(self, events: Sequence[Any]) -> None:
        self.events += events
        self.state = evolve_all(self.game, self.state, events)
        for seat in range(self.seats):
            self.folds[seat] = evolve_all(self.game, self.folds[seat], (redact(event, seat) for event in events))
        self.asks = self.game.pending(self.state)
        for ask in self.asks:
            self.opened.setdefault(self._window(ask), self.now)

    def _window(self, ask: Ask) -> str:
        return f"{ask.turn}.{ask.kind}"

    # --- decisions -----------------------------------------------------------------------------------------

    def follow_one(self) -> bool:
        """Lets an order answer an open question; returns whether there was one."""
        for ask in self.asks:
            move = self._ordered(ask)
            if move is not None:
                self.by_order += 1
                self._play(ask, move)
                return True
        return False

    def answer_one(self) -> bool:
        """Lets whoever is looking answer by hand; returns whether they are asked anything."""
        for ask in self.asks:
            if ask.seat == self.looking:
                luck = self.luck.bot(len(self.events) + 1, ask.key, ask.seat)
                self._play(ask, self.players[ask.seat](self.folds[ask.seat], ask.seat, luck))
                return True
        return False

    def _ordered(self, ask: Ask) -> Move | None:
        fold, standing = self.folds[ask.seat], self.standing[ask.seat].get(ask.kind)
        if (planned := self._planned(ask)) is not None:
            return planned
        if standing is None or not lasts(standing, self.game, fold, ask):
            return None
        luck = self.luck.bot(len(self.events) + 1, f"{ask.key}:order", ask.seat)
        return follow(standing.order, self.game, fold, ask, luck)

    def _planned(self, ask: Ask) -> Move | None:
        """Returns the answer of a line whose facts have all come, exactly; they come before other orders."""
        since, lines = self.lines[ask.seat]
        legal, gone = self.game.legal(self.folds[ask.seat], ask.seat), self.events[since:]
        due = (one.move for one in lines if one.kind == ask.kind and progress(one.after, gone) == "come")
        return next((move for move in due if move in legal), None)

    def _play(self, ask: Ask, move: Move) -> None:
        self.decisions += 1
        standing = self.standing[ask.seat]
        if ask.kind in standing:
            standing[ask.kind] = answered(standing[ask.kind], ask)
        new = self.game.decide(self.state, ask.seat, move, self.luck.rules(len(self.events) + 1, ask.seat))
        window = self._window(ask) if self.game.meta.asks[ask.kind].window else None
        still_open = {self._window(other) for other in self.game.pending(evolve_all(self.game, self.state, new))}
        if window is not None and window not in still_open:
            self._close(window)
        self._add(new)

    def _close(self, window: str) -> None:
        """Lets the floor of a window pass; whoever answered it has stopped looking by then."""
        floor = self.opened[window] + self.pace.floor(window)
        if floor > self.now:
            self._leave()
            self.now = floor

    # --- time ----------------------------------------------------------------------------------------------

    def wait(self) -> None:
        """Passes to the next time that somebody looks; a stop, if anybody is asked for the first time."""
        new = {ask.key for ask in self.asks} - self.waited
        self.waits += bool(new)
        self.waited |= new
        self._leave()
        asked = {ask.seat for ask in self.asks}
        coming = [seat for seat in range(self.seats) if self.ordering[seat] or seat in asked]
        looks = {self.pace.next_look(seat, self.now + 1): seat for seat in coming}
        self.now = min(looks)
        self.looking = looks[self.now]

    def _leave(self) -> None:
        """Whoever is looking leaves their orders and goes."""
        seat, self.looking = self.looking, None
        if seat is None or not self.ordering[seat]:
            return
        fold = self.folds[seat]
        luck = self.luck.bot(len(self.events) + 1, f"orders:s{seat}", seat)
        for order in self.game.typical(fold, seat, luck):
            self._save(order, fold, seat)
        if self.planning[seat]:
            position = len(self.events) + 1
            lines = likely_lines(self.game, fold, seat, self.players[seat], self.luck, position)
            self.lines[seat] = (len(self.events), lines)

    def _save(self, order: Order, fold: Any, seat: int) -> None:
        refused = refusal(order, self.game, fold, seat)
        if refused is not None:
            raise self.broken(f"the typical person leaves {order}, which is refused: {refused}")
        standing = stand(order, self.game, fold)
        self.standing[seat] |= dict.fromkeys(kinds_of_asks(self.game.meta, order), standing)

    # --- the end -------------------------------------------------------------------------------------------

    def broken(self, what: str) -> LawBroken:
        """Returns the error for this match."""
        return LawBroken(f"{self.game.meta.slug}, {self.seats} seats, match seed {self._seed.hex()}: {what}")

    def played(self) -> Played:
        """Returns what the match took."""
        outcome = self.game.outcome(self.state)
        assert outcome is not None, "a match in which nobody is asked has an outcome"
        counted = Counter(type(event).__name__ for event in self.events)
        return Played(self.decisions, self.waits, outcome, counted, self.by_order, self.now)
