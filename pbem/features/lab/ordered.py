"""Matches of scripted people who leave orders: see docs/orders.md.

Everybody who leaves orders looks once a day, asked or not. They answer what they are asked, as their bot does, as long
as they are asked; before they go, they leave the orders of the game's typical person. Others look only when asked.
A stop is where somebody has to be asked who is not looking at that moment. Windows are silent, as in the service.
Who plans leaves lines as well, from what their seat sees.
"""

import heapq
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pbem.features.lab.course import DAY_S, Course, Listener, Played
from pbem.features.lines import orders_from_line
from pbem.kit.chance import Chance, MatchLuck
from pbem.kit.contract import AnyGame, Ask, Bot, Move, PlayerView
from pbem.kit.orders.following import Standing, after_answer, follow, stage_of_line, standing_from_now_on, still_stands
from pbem.kit.orders.shapes import Line, kinds_of_asks, refusal_of_order
from pbem.kit.plans import MOST_PLIES, Walk, empty_line, go_on
from pbem.kit.windows import floor_s

MOST_THOUGHTS = 12
"""Of this many positions they think at a time."""
MOST_LINES = 8
"""This many answers they leave at most, the likeliest first."""
MOST_FACES = 6
"""Of more facts, each of which may come, they do not think: a tile of forty, a card of twenty."""

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
    watch: Callable[[Window], None] = lambda window: None, listeners: Sequence[Listener] = (),
) -> Played:  # fmt: skip
    """Plays one match of these bots, of whom those in `ordering` leave orders, and those in `planning` lines besides.

    All are in seat order; a bot that plans leaves orders, too. `watch` is told of each silent window. Raises LawBroken
    if the match does not end within the game's bound, or a script leaves an order that cannot be saved.
    """
    course = Course(game, seats, options, seed, range(seats), listeners)
    match = _Match(course, options, players, ordering, planning or [False] * seats)
    match.thinking, match.watch = thinking, watch
    while course.asks:
        if not (match.answer_one_by_order() or match.answer_one_by_hand()):
            match.pass_to_next_look()
    return course.end_and_sum_up()


class _Match:
    """A match in progress, and who is looking at it."""

    def __init__(
        self, course: Course, options: Any, players: Sequence[Bot], ordering: Sequence[bool], planning: Sequence[bool]
    ) -> None:
        self.course, self.game, self.players = course, course.game, players
        self.ordering, self.planning = ordering, planning
        self.standing: list[dict[str, Standing]] = [{} for _ in players]
        self.lines: list[tuple[int, tuple[AnyLine, ...]]] = [(0, ()) for _ in players]
        """The lines of each seat, and how many events there were when it left them."""
        self.looking: int | None = None
        self.waited: set[str] = set()
        self.thinking: Thinking
        self.watch: Callable[[Window], None]
        self.hides = self.game.meta.hides_in_windows(options)
        self.sealed: dict[int, Move] = {}
        self.opened = self.floor = 0
        self._draw_floor_of_silent_window()

    def _draw_floor_of_silent_window(self) -> None:
        """Draws the floor of the window that opens, if one does."""
        for first in self.asks_of_silent_window()[:1]:
            luck, now = self.course.luck.window(first.key, first.seat), self.course.now
            self.opened, self.floor = now, now + floor_s(luck, DAY_S, DAY_S)

    def asks_of_silent_window(self) -> list[Ask]:
        """Returns the questions of the open silent window; none if there is none."""
        return [ask for ask in self.course.asks if self.hides and self.game.meta.asks[ask.kind].window]

    def asks_without_sealed_answer(self) -> list[Ask]:
        """Returns the open questions without those whose answer is sealed."""
        return [ask for ask in self.course.asks if ask.seat not in self.sealed]

    # --- decisions -----------------------------------------------------------------------------------------

    def answer_one_by_order(self) -> bool:
        """Lets an order answer an open question; returns whether there was one."""
        for ask in self.asks_without_sealed_answer():
            move = self._move_by_line_or_order(ask)
            if move is not None:
                self.course.by_order += 1
                self._play_or_seal_move(ask, move)
                return True
        return False

    def answer_one_by_hand(self) -> bool:
        """Lets anyone who is looking answer by hand; returns whether they are asked anything."""
        for ask in self.asks_without_sealed_answer():
            if ask.seat == self.looking:
                view, draws = self.course.views[ask.seat], self.course.luck
                self.course.now += self.thinking(view.fold, ask, draws.bot(0, f"{ask.key}:thinks", ask.seat))
                luck = draws.bot(self.course.next_entry_number, ask.key, ask.seat)
                self._play_or_seal_move(ask, self.players[ask.seat](view, ask.seat, luck))
                return True
        return False

    def _move_by_line_or_order(self, ask: Ask) -> Move | None:
        """Returns the answer of a line whose facts have all come, exactly; else that of the order for the question."""
        fold, standing = self.course.views[ask.seat].fold, self.standing[ask.seat].get(ask.kind)
        since, lines = self.lines[ask.seat]
        legal, gone = self.game.legal(fold, ask.seat), self.course.events[since:]
        come = (one.move for one in lines if one.kind == ask.kind and stage_of_line(one.after, gone) == "come")
        planned: Move | None = next((move for move in come if move in legal), None)
        if planned is not None:
            return planned
        if standing is None or not still_stands(standing, self.game, fold, ask):
            return None
        luck = self.course.luck.bot(self.course.next_entry_number, f"{ask.key}:order", ask.seat)
        return follow(standing.order, self.game, fold, ask, luck)

    def _play_or_seal_move(self, ask: Ask, move: Move) -> None:
        self.course.count_decision(ask.seat)
        standing = self.standing[ask.seat]
        if ask.kind in standing:
            standing[ask.kind] = after_answer(standing[ask.kind], ask)
        if ask not in self.asks_of_silent_window():
            self._play_and_open_window(ask, move)
            return
        self.sealed[ask.seat] = move
        if len(self.sealed) == len(self.asks_of_silent_window()):
            self._close_window()

    def _play_and_open_window(self, ask: Ask, move: Move) -> None:
        self.course.play(ask, move)
        if not self.sealed:  # else the answers of a window are being played
            self._draw_floor_of_silent_window()

    def _close_window(self) -> None:
        """Closes the window, once its floor is past; the one who answered it has stopped looking by then."""
        course = self.course
        if self.floor > course.now:
            self._leave_with_orders()
            course.now = self.floor
        folds = tuple(course.views[seat].fold for seat in range(course.seats))
        self.watch(Window(self.opened, course.now, dict(self.sealed), folds))
        asks, answers = self.asks_of_silent_window(), dict(self.sealed)
        for ask in asks:
            if ask in course.asks:
                self._play_and_open_window(ask, answers[ask.seat])
        self.sealed.clear()
        self._draw_floor_of_silent_window()

    # --- time ----------------------------------------------------------------------------------------------

    def pass_to_next_look(self) -> None:
        """Passes to the next time that somebody looks; a stop, if anybody is asked for the first time."""
        new = {ask.key for ask in self.asks_without_sealed_answer()} - self.waited
        self.course.count_wait_and_mails(len(new))
        self.waited |= new
        self._leave_with_orders()
        asked = {ask.seat for ask in self.asks_without_sealed_answer()}
        course = self.course
        coming = [seat for seat in range(course.seats) if self.ordering[seat] or seat in asked]
        looks = {course.pace.next_look_of_seat(seat, course.now + 1): seat for seat in coming}
        course.now = min(looks)
        self.looking = looks[course.now]

    def _leave_with_orders(self) -> None:
        seat, self.looking = self.looking, None
        if seat is None or not self.ordering[seat]:
            return
        course = self.course
        fold = course.views[seat].fold
        luck = course.luck.bot(course.next_entry_number, f"orders:s{seat}", seat)
        for order in self.game.typical(course.views[seat], seat, luck):
            refused = refusal_of_order(order, self.game, fold, seat)
            if refused is not None:
                raise course.error_of_match(f"the typical person leaves {order}, which is refused: {refused}")
            kinds = kinds_of_asks(self.game.meta, order)
            self.standing[seat] |= dict.fromkeys(kinds, standing_from_now_on(order, self.game, fold))
        if self.planning[seat]:
            lines = orders_in_likeliest_lines(
                self.game, course.views[seat], seat, self.players[seat], course.luck, course.next_entry_number
            )  # fmt: skip
            self.lines[seat] = (len(course.events), lines)


def orders_in_likeliest_lines(
    game: AnyGame, view: PlayerView, seat: int, bot: Bot, luck: MatchLuck, position: int
) -> tuple[Line[Any, Any], ...]:  # fmt: skip
    """Returns the orders in the likeliest lines of the seat, without those that would be refused.

    They answer what they are asked as their bot does, take the others for people who play as well, and all results of a
    die for equally likely. Where another's hidden cards decide, they think no further. `luck` gives that of the bot, at
    this position.
    """
    found: dict[Line[Any, Any], None] = {}
    for line in _walks_likeliest_first(game, view, seat, bot, luck, position):
        found |= dict.fromkeys(orders_from_line(line.plies, seat))
        if len(found) >= MOST_LINES:
            break
    return tuple(order for order in list(found)[:MOST_LINES] if refusal_of_order(order, game, view.fold, seat) is None)


def _walks_likeliest_first(
    game: AnyGame, view: PlayerView, seat: int, bot: Bot, luck: MatchLuck, position: int
) -> Iterator[Walk]:  # fmt: skip
    """Yields lines from the likeliest on; each but the first goes on from one before it."""
    open_lines = [(-1.0, 0, empty_line(game, view.fold, seat))]
    number = 0
    for thought in range(MOST_THOUGHTS):
        if not open_lines:
            return
        chance, _, line = heapq.heappop(open_lines)
        yield line
        said = _likely_next_plies(game, line, view, bot, luck, position, thought)
        for one in said:
            number += 1
            heapq.heappush(open_lines, (chance / len(said), number, go_on(game, line, one)))


def _likely_next_plies(
    game: AnyGame, line: Walk, view: PlayerView, bot: Bot, luck: MatchLuck, position: int, thought: int
) -> list[str]:  # fmt: skip
    """Returns the plies with which the line may go on, each as likely; none if it ends here."""
    coming = line.coming
    if len(line.plies) == MOST_PLIES:
        return []
    if coming.facts:
        chosen = any(ask.seat != line.viewer for ask in game.pending(line.fold))
        return [f"~{n}" for n in range(len(coming.facts))] if len(coming.facts) <= MOST_FACES and not chosen else []
    if coming.ask is None or not coming.moves:  # it would be played from a hand that its owner has not seen yet
        return []
    asked = coming.ask.seat
    supposed = PlayerView(line.fold, view.seats, (*view.seen, *line.events), view.memory)
    move = bot(supposed, asked, luck.bot(position, f"plan{thought}:{coming.ask.key}", asked))
    return [game.format(move)]
