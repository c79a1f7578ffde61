"""Matches of scripted people who leave orders: see docs/orders.md.

Everybody who leaves orders looks once a day, asked or not. They answer what they are asked, as their bot does, as long
as they are asked; before they go, they leave the orders of the game's typical person. Others look only when asked.
A stop is where somebody has to be asked who is not looking at that moment. Windows are silent, as in the service.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pbem.kit.chance import Chance
from pbem.kit.contract import AnyGame, Ask, Bot, Move, Order, PlayerView
from pbem.kit.orders.following import follow, progress
from pbem.kit.orders.refusals import refusal
from pbem.kit.orders.scopes import Standing, answered, lasts, stand
from pbem.kit.orders.shapes import Line, kinds_of_asks
from pbem.kit.play import LawBroken, luck_from_seed
from pbem.kit.replay import evolve_all, see
from pbem.kit.windows import floor_s
from pbem.services.lab.paces import DAY_S, Pace, Played
from pbem.services.lab.planners import likely_lines

AnyLine = Line[Any, Any]


@dataclass(frozen=True)
class Window:
    """A silent window that closes: when it opened and closes, in seconds since the beginning, and the answers."""

    opened: int
    closed: int
    answers: Mapping[int, Move]
    """In the order in which they were given."""
    folds: Sequence[Any]
    """What each seat knows before the answers are told."""


Thinking = Callable[[Any, Ask, Chance], int]
"""Returns how many seconds a person needs for an answer by hand, from their own fold."""


def play_with_orders(
    game: AnyGame, seats: int, options: Any, seed: bytes, players: Sequence[Bot], ordering: Sequence[bool],
    planning: Sequence[bool] | None = None, *, thinking: Thinking = lambda fold, ask, chance: 0,
    watch: Callable[[Window], None] = lambda window: None,
) -> Played:  # fmt: skip
    """Plays one match of these bots, of whom those in `ordering` leave orders, and those in `planning` lines besides.

    All are in seat order; who plans leaves orders, too.

    `watch` is told of each silent window. Raises LawBroken if the match does not end within the game's bound, or a
    script leaves what cannot be saved.
    """
    match = _Match(game, seats, options, seed, players, ordering, planning or [False] * seats)
    match.thinking, match.watch = thinking, watch
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
        self.views = [PlayerView(None, seats, (), self.luck.memory(seat)) for seat in range(seats)]
        self.standing: list[dict[str, Standing]] = [{} for _ in range(seats)]
        self.lines: list[tuple[int, tuple[AnyLine, ...]]] = [(0, ())] * seats
        """The lines of each seat, and how many events there were when it left them."""
        self.now = 0
        self.looking: int | None = None
        self.waits = self.by_order = self.decisions = 0
        self.waited: set[str] = set()
        self.thinking: Thinking
        self.watch: Callable[[Window], None]
        self.hides = game.meta.hides_in_windows(options)
        self.sealed: dict[int, Move] = {}
        self.opened = self.floor = 0
        self.asks: tuple[Ask, ...] = ()
        self._add(game.setup(seats, options, self.luck.rules(1)))

    def _add(self, events: Sequence[Any]) -> None:
        self.events += events
        self.state = evolve_all(self.game, self.state, events)
        for seat in range(self.seats):
            self.views[seat] = see(self.game, self.views[seat], events, seat)
        self.asks = self.game.pending(self.state)
        if not self.sealed:  # else the answers of a window are being played
            self._open()

    def _open(self) -> None:
        """Draws the floor of the window that opens, if one does."""
        for first in self.window()[:1]:
            luck = self.luck.window(first.key, first.seat)
            self.opened, self.floor = self.now, self.now + floor_s(luck, DAY_S, DAY_S)

    def window(self) -> list[Ask]:
        """Returns the questions of the open silent window; none if there is none."""
        return [ask for ask in self.asks if self.hides and self.game.meta.asks[ask.kind].window]

    def unanswered(self) -> list[Ask]:
        """Returns the open questions without those whose answer is sealed."""
        return [ask for ask in self.asks if ask.seat not in self.sealed]

    # --- decisions -----------------------------------------------------------------------------------------

    def follow_one(self) -> bool:
        """Lets an order answer an open question; returns whether there was one."""
        for ask in self.unanswered():
            move = self._ordered(ask)
            if move is not None:
                self.by_order += 1
                self._play(ask, move)
                return True
        return False

    def answer_one(self) -> bool:
        """Lets whoever is looking answer by hand; returns whether they are asked anything."""
        for ask in self.unanswered():
            if ask.seat == self.looking:
                view = self.views[ask.seat]
                self.now += self.thinking(view.fold, ask, self.luck.bot(0, f"{ask.key}:thinks", ask.seat))
                luck = self.luck.bot(len(self.events) + 1, ask.key, ask.seat)
                self._play(ask, self.players[ask.seat](view, ask.seat, luck))
                return True
        return False

    def _ordered(self, ask: Ask) -> Move | None:
        fold, standing = self.views[ask.seat].fold, self.standing[ask.seat].get(ask.kind)
        if (planned := self._planned(ask)) is not None:
            return planned
        if standing is None or not lasts(standing, self.game, fold, ask):
            return None
        luck = self.luck.bot(len(self.events) + 1, f"{ask.key}:order", ask.seat)
        return follow(standing.order, self.game, fold, ask, luck)

    def _planned(self, ask: Ask) -> Move | None:
        """Returns the answer of a line whose facts have all come, exactly; they come before other orders."""
        since, lines = self.lines[ask.seat]
        legal, gone = self.game.legal(self.views[ask.seat].fold, ask.seat), self.events[since:]
        due = (one.move for one in lines if one.kind == ask.kind and progress(one.after, gone) == "come")
        return next((move for move in due if move in legal), None)

    def _play(self, ask: Ask, move: Move) -> None:
        self.decisions += 1
        standing = self.standing[ask.seat]
        if ask.kind in standing:
            standing[ask.kind] = answered(standing[ask.kind], ask)
        if ask not in self.window():
            self._decide(ask, move)
            return
        self.sealed[ask.seat] = move
        if len(self.sealed) == len(self.window()):
            self._close()

    def _decide(self, ask: Ask, move: Move) -> None:
        self._add(self.game.decide(self.state, ask.seat, move, self.luck.rules(len(self.events) + 1, ask.seat)))

    def _close(self) -> None:
        """Closes the window, once its floor is past; whoever answered it has stopped looking by then."""
        if self.floor > self.now:
            self._leave()
            self.now = self.floor
        self.watch(Window(self.opened, self.now, dict(self.sealed), tuple(view.fold for view in self.views)))
        asks, answers = self.window(), dict(self.sealed)
        for ask in asks:
            if ask in self.asks:
                self._decide(ask, answers[ask.seat])
        self.sealed.clear()
        self._open()

    # --- time ----------------------------------------------------------------------------------------------

    def wait(self) -> None:
        """Passes to the next time that somebody looks; a stop, if anybody is asked for the first time."""
        new = {ask.key for ask in self.unanswered()} - self.waited
        self.waits += bool(new)
        self.waited |= new
        self._leave()
        asked = {ask.seat for ask in self.unanswered()}
        coming = [seat for seat in range(self.seats) if self.ordering[seat] or seat in asked]
        looks = {self.pace.next_look(seat, self.now + 1): seat for seat in coming}
        self.now = min(looks)
        self.looking = looks[self.now]

    def _leave(self) -> None:
        """Whoever is looking leaves their orders and goes."""
        seat, self.looking = self.looking, None
        if seat is None or not self.ordering[seat]:
            return
        fold = self.views[seat].fold
        luck = self.luck.bot(len(self.events) + 1, f"orders:s{seat}", seat)
        for order in self.game.typical(fold, seat, luck):
            self._save(order, fold, seat)
        if self.planning[seat]:
            position = len(self.events) + 1
            lines = likely_lines(self.game, self.views[seat], seat, self.players[seat], self.luck, position)
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
