"""Where a finished match was decided: what each position was worth to each seat, and what each move cost.

Each position is worked out by itself, from the course of the match and its number, so that the work can be interrupted
anywhere and taken up by somebody else: the numbers are the same (see `pbem.features.chances`).
"""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from math import fsum, sqrt
from typing import Any

import msgspec

from pbem.features.chances import BATCH, DIGITS, WELL, Chances, chances_by_playouts, mean_and_error
from pbem.kit.bots import (
    STRONG,
    QuickChance,
    apply,
    think_on_level,
    version_of,
    worth_by_playout,
    worth_by_seat_if_over,
)
from pbem.kit.chance import Chance, KeyLuck
from pbem.kit.codec import encode
from pbem.kit.contract import AnyGame, Ask, Move, PlayerView, ask_of
from pbem.kit.logs.logfile import Log
from pbem.kit.logs.repetition import Decision, Draw, Repetition
from pbem.kit.replay import AnyEntry, TableEvent, entries_not_taken_back, evolve_all, key_without_takebacks, view_after
from pbem.kit.texts import LANGS, Text


def chances_in_state(game: AnyGame, seats: int, state: Any, chance: Chance, most: int) -> Chances:
    """Returns what this state is worth: what it has brought if its match is over, else as `chances_by_playouts`."""
    ended = worth_by_seat_if_over(game, seats, state)
    if ended is not None:
        return Chances(tuple(round(one, DIGITS) for one in ended), (0.0,) * seats, 0)
    return chances_by_playouts(game, seats, lambda _: state, chance, most)


# --- positions -----------------------------------------------------------------------------------------------


class Played(msgspec.Struct, frozen=True):
    """A decision: the question, the answer, and what the seat knew when it was asked.

    `first` is the number of its first entry. `move` is None if the rules of today do not lead to its entries.
    `by_clock`: nobody chose it.
    """

    ask: Ask
    first: int
    move: Move | None
    view: PlayerView
    by_clock: bool


class Position(msgspec.Struct, frozen=True):
    """A position that the match was in, after the entry `entry`, and the decision made there.

    `played` is None after the last entry.
    """

    entry: int
    state: Any
    played: Played | None


class Course(msgspec.Struct, frozen=True):
    """A match with nothing hidden: its positions in order, what was drawn on the way, and luck for thinking about it.

    What was taken back is in none of them. `luck` follows from the facts of the match alone: an equal match gives equal
    luck, which has nothing to do with its own.
    """

    log: Log
    positions: tuple[Position, ...]
    draws: tuple[Draw, ...]
    luck: KeyLuck


def course_of_finished_match(log: Log) -> Course:
    """Returns the course of a match that is over. Only for a full log with its seed."""
    events = [entry.event for entry in entries_not_taken_back(log.entries) if not isinstance(entry.event, TableEvent)]
    luck = KeyLuck(sha256(encode([log.game.meta.slug, log.seats, log.options, events])).digest())
    decisions = [*Repetition(log, bots=False).decisions()]
    draws = tuple(draw for decision in decisions for draw in decision.draws)
    return Course(log, tuple(_positions(log, luck, decisions)), draws, luck)


def _positions(log: Log, luck: KeyLuck, decisions: Sequence[Decision]) -> Iterator[Position]:
    game, kept = log.game, {entry.n for entry in entries_not_taken_back(log.entries)}
    state, entry = None, 0
    eyes = _Eyes(log, luck)
    for decision in decisions:
        group = [one for one in decision.entries if one.n in kept]
        if not group:
            continue
        if state is not None:
            eyes.note_views_at_questions(game.pending(state))
            first, played = group[0], None
            ask = None if first.seat_answered_for is None else ask_of(game, state, first.seat_answered_for)
            # An old log may answer a question that is not put any more.
            if ask is not None and first.key is not None and key_without_takebacks(first.key) == ask.key:
                played = Played(ask, first.n, decision.move, eyes.view_of_asked_seat(ask), first.by.clock is not None)
            yield Position(entry, state, played)
        state, entry = evolve_all(game, state, (one.event for one in group)), group[-1].n
        eyes.apply_entries(group)
    assert state is not None, "a log begins with what the rules have set up"
    yield Position(entry, state, None)


class _Eyes:
    """What each seat knows as the match goes on.

    A seat that answers in a silent window has not seen the answers of the others, although the log holds them one after
    the other: they knew what they knew when the window opened.
    """

    def __init__(self, log: Log, luck: KeyLuck) -> None:
        self._game, self._silent = log.game, log.game.meta.hides_in_windows(log.options)
        self._views = [PlayerView(None, log.seats, (), luck.memory(seat)) for seat in range(log.seats)]
        self._at_opening: dict[str, PlayerView] = {}

    def note_views_at_questions(self, asks: Sequence[Ask]) -> None:
        """Notes what the seats know when these questions of windows are put; those put before do not change."""
        silent = [ask for ask in asks if self._silent and self._game.meta.asks[ask.kind].window]
        self._at_opening = {
            _key_of_ask_with_seat(ask): self._at_opening.get(_key_of_ask_with_seat(ask),
            self._views[ask.seat]) for ask in silent
        }  # fmt: skip

    def view_of_asked_seat(self, ask: Ask) -> PlayerView:
        """Returns what the seat knew when it answered this question."""
        return self._at_opening.get(_key_of_ask_with_seat(ask), self._views[ask.seat])

    def apply_entries(self, entries: Sequence[AnyEntry]) -> None:
        """Brings each seat's view up to date with these entries."""
        events = [entry.event for entry in entries]
        self._views = [view_after(self._game, view, events, seat) for seat, view in enumerate(self._views)]


def _key_of_ask_with_seat(ask: Ask) -> str:
    return f"{ask.key}:s{ask.seat}"


# --- advice --------------------------------------------------------------------------------------------------


class Answer(msgspec.Struct, frozen=True):
    """A move: as it is typed, and what it is called."""

    typed: str
    name: Text


class Advice(msgspec.Struct, frozen=True):
    """The move that was made and the one that a strong bot would have made by what the seat knew.

    `cost`: how much more the seat could have expected of the bot's move, as a share of the victory, with its standard
    error; below 0 if the move that was made is better by these playouts. Both are 0 if it is the same one.
    """

    made: Answer
    better: Answer
    cost: float
    error: float
    playouts: int

    @property
    def is_same_move(self) -> bool:
        """True if the bot would have made the same move."""
        return self.made.typed == self.better.typed


def advice_for_decision(game: AnyGame, played: Played, luck: KeyLuck, most: int) -> Advice | None:
    """Returns the advice for a decision; None for one that was forced, or that nobody made.

    Only for a game that imagines.
    """
    ask, view, move = played.ask, played.view, played.move
    if move is None or played.by_clock or len(game.legal(view.fold, ask.seat)) < 2:
        return None
    better = think_on_level(game, view, ask.seat, luck.bot(0, f"{ask.key}:strong", ask.seat), STRONG).move
    made, best = _answer_typed_and_named(game, move), _answer_typed_and_named(game, better)
    if better == move:
        return Advice(made, best, 0.0, 0.0, 0)
    cost, error, count = cost_of_move(game, played, better, luck.bot(0, f"{ask.key}:cost", ask.seat), most)
    return Advice(made, best, cost, error, count)


def cost_of_move(game: AnyGame, played: Played, better: Move, chance: Chance, most: int) -> tuple[float, float, int]:
    """Returns what the move cost beside the better one, the standard error of that, and by how many pairs of playouts.

    Both are tried in the same imagined states and with the same luck afterwards. So they are compared by what they
    lead to, and not by what the search that chose the one has seen of it, which flatters its choice.
    """
    assert game.imagine is not None, "a game that bots can think about imagines"
    assert played.move is not None, "the move is known"
    quick, seat, lost = QuickChance(chance), played.ask.seat, list[float]()
    while True:
        for _ in range(min(BATCH, most - len(lost))):
            state, after = game.imagine(played.view, seat, quick), QuickChance(quick)
            won, had = (_chance_after_move(game, played, state, move, after.copy()) for move in (better, played.move))
            lost.append(fsum([won, -had]))
        cost, error = mean_and_error(lost)
        if len(lost) >= most or error <= WELL:
            return cost, error, len(lost)


def _chance_after_move(game: AnyGame, played: Played, state: Any, move: Move, luck: QuickChance) -> float:
    """Returns what the seat has of a match that goes on from this state by this move, with this luck."""
    seats = played.view.seats
    after = apply(game, state, played.ask.seat, move, luck)
    return (worth_by_seat_if_over(game, seats, after) or worth_by_playout(game, seats, after, luck, seats))[
        played.ask.seat
    ]


def _answer_typed_and_named(game: AnyGame, move: Move) -> Answer:
    texts: dict[str, Any] = {lang: game.name(move, lang) or game.format(move) for lang in LANGS}
    return Answer(game.format(move), Text(**texts))


# --- the report ----------------------------------------------------------------------------------------------

GENERATION = 2
"""Incremented whenever an equal match gives other numbers although its bots are the same."""
MOST, LEAST = 280, 2 * BATCH
"""With 280 playouts the standard error of a chance is at most 3 points of a hundred, with 80 at most 6."""
LONG = 120
"""In a match of more decisions each gets fewer playouts: then all positions together get as many as in one of this
many.

What a seat knew and what a move cost take half as many each, and what a strong bot thinks about a decision its budget.
"""
TURNING_POINTS = 3
SURE = 3.0
"""A chance has moved if it has by more than three standard errors: of a hundred that have not, none or one seems to."""


def version_of_analyses(game: AnyGame) -> int:
    """Returns the version of the game's analyses: under the same one an equal match gives equal numbers."""
    return GENERATION * 1_000_000 + version_of(game, STRONG.name)


class Moment(msgspec.Struct, frozen=True):
    """A position: what it was worth, and what was decided in it.

    It stands after entry `entry` of the log. `chances` are by everything, what was secret included. `seat` decided next
    with entry `decision`, and `eyes` are the chances by what that seat knew; None where nobody decides, and `eyes` in
    a game that does not imagine, too.
    """

    entry: int
    chances: Chances
    seat: int | None = None
    decision: int | None = None
    eyes: Chances | None = None
    advice: Advice | None = None


class TurningPoint(msgspec.Struct, frozen=True):
    """A decision after which the chances were others: that of moment `at`, which seat's moved most, and how far.

    What was drawn by luck or shown on the way counts, too.
    """

    at: int
    seat: int
    change: float
    error: float


def analyse_position(course: Course, at: int) -> Moment:
    """Returns the analysis of one position; equal courses give equal ones, to the bit."""
    log, position, luck = course.log, course.positions[at], course.luck
    game, seats, most = log.game, log.seats, most_playouts_per_position(len(course.positions))
    chances = chances_in_state(game, seats, position.state, luck.bot(0, f"position{at}", 0), most)
    played = position.played
    if played is None:
        return Moment(position.entry, chances)
    seat, imagine = played.ask.seat, game.imagine
    eyes = advice = None
    if imagine is not None:
        chance = luck.bot(0, f"position{at}:eyes", seat)
        eyes = chances_by_playouts(game, seats, lambda quick: imagine(played.view, seat, quick), chance, most // 2)
        advice = advice_for_decision(game, played, luck, most // 2)
    return Moment(position.entry, chances, seat, played.first, eyes, advice)


def most_playouts_per_position(positions: int) -> int:
    """Returns the most playouts for a position of a match with this many.

    >>> most_playouts_per_position(20), most_playouts_per_position(200), most_playouts_per_position(2000)
    (280, 168, 80)
    """
    return max(LEAST, min(MOST, LONG * MOST // positions))


def turning_points(moments: Sequence[Moment]) -> tuple[TurningPoint, ...]:
    """Returns the decisions after which the chances had moved most, in the order of the match; at most three."""
    changes = [_turning_point_between(at, moments[at], moments[at + 1]) for at in range(len(moments) - 1)]
    sure = [one for one in changes if abs(one.change) > SURE * one.error]
    most = sorted(sure, key=lambda one: -abs(one.change))[:TURNING_POINTS]
    return tuple(sorted(most, key=lambda one: one.at))


def _turning_point_between(at: int, before: Moment, after: Moment) -> TurningPoint:
    """Returns by how much the chances of the seat moved for which they moved most."""
    a, b = before.chances, after.chances
    changes = [round(new - old, DIGITS) for old, new in zip(a.worth, b.worth, strict=True)]
    seat = max(range(len(changes)), key=lambda one: abs(changes[one]))
    return TurningPoint(
        at, seat, changes[seat], round(sqrt(a.error[seat] * a.error[seat] + b.error[seat] * b.error[seat]), DIGITS)
    )
