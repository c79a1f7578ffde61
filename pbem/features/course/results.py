"""How a match that is over went: a few numbers of its log, the scores in its course, and its turning points.

Every viewer's fold gives the same scores. They come from the fold of the whole log where nothing is secret any more,
and from the viewer's own where other tables still play the same deal: its steps are those of their replay.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pbem.kit.contract import AnyGame, Phrase
from pbem.kit.replay import AnyEntry, Undone, entries_not_taken_back
from pbem.kit.texts import Lang
from pbem.services.log import store
from pbem.services.site import Site
from pbem.services.views import match_views
from pbem.services.views.match_views import View
from pbem.services.views.replays import Step, round_in_key, steps_of

MOST_POINTS = 60
"""A curve of more points is thinned."""
MOST_TURNING_POINTS = 3


@dataclass(frozen=True)
class Point:
    """The scores after round `at`, or after this many moves in a game without rounds."""

    at: int
    scores: tuple[int, ...]


@dataclass(frozen=True)
class TurningPoint:
    """A step of the replay in which everything is shown, told by its line, with the point of the curve it belongs to.

    `leader` is a seat that leads after it.
    """

    step: int
    at: int
    leader: int
    text: Phrase


@dataclass(frozen=True)
class Course:
    """The scores from the beginning to the end, by rounds or by moves; the turning points are in their order."""

    by_round: bool
    points: tuple[Point, ...]
    turning_points: tuple[TurningPoint, ...]
    lead_changes: int
    """How often a seat took the lead from another one, alone."""


@dataclass(frozen=True)
class Result:
    """What the log tells about a match that is over. Without scores, or if they changed only once, it has no course."""

    moves: int
    rounds: int | None
    course: Course | None


def read_result(site: Site, view: View, lang: Lang) -> Result:
    """Returns what the log tells about this match, which must be over; told in one language.

    The first time in a process it reads and folds the whole log; afterwards it comes from the cache.
    """
    sheet = view.sheet
    assert sheet.outcome is not None, "the match is over"
    key = (sheet.id, sheet.version, lang, *(() if sheet.open else ("own", view.viewer)))
    found: Result | None = site.results.find(key)
    if found is None:
        seen = match_views.read_whole(site, view)
        counting = entries_not_taken_back(seen.entries)
        # A move may cause several entries, and clock and bots answer asks, too.
        moves = len({(entry.seat_answered_for, entry.key) for entry in counting if entry.seat_answered_for is not None})
        rounds = max((at for entry in counting if (at := round_in_key(entry.key or "")) is not None), default=None)
        course = None
        if sheet.outcome.scores is not None:
            entries: Sequence[AnyEntry] = seen.entries
            if sheet.open:
                with site.reading() as session:
                    entries = store.load_entries(session, sheet.id, sheet.game)
            course = course_of_scores(sheet.game, entries, lang)
        found = Result(moves, rounds, course)
        site.results.keep(key, found)
    return found


# --- the course ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Change:
    """A step after which the scores differ from `before`; `made` moves were made up to it."""

    step: Step
    made: int
    before: tuple[int, ...]
    after: tuple[int, ...]


def course_of_scores(game: AnyGame, entries: Sequence[AnyEntry], lang: Lang) -> Course | None:
    """Returns the course of the scores in this log; None if they changed at most once: there is nothing to compare.

    What was taken back is no part of it.
    """
    made = _moves_made_by_entry(entries)
    begin: tuple[int, ...] | None = None
    last: Step | None = None
    changes: list[_Change] = []
    for last in steps_of(game, entries, lang):
        scores = game.scores(last.fold)
        if scores is None:
            return None
        if isinstance(last.event, Undone):
            changes = [change for change in changes if change.step.entry <= last.event.to]
            continue
        before = changes[-1].after if changes else begin
        if before is not None and scores != before:
            changes.append(_Change(last, made[last.entry], before, scores))
        begin = begin or scores
    if begin is None or last is None or len(changes) < 2:
        return None
    rounds = round_in_key(last.turn) or 1
    by_round = rounds > 1
    points = _points_of_curve(begin, changes, rounds if by_round else None, made[last.entry])
    spots = tuple(
        TurningPoint(
            change.step.n, _place_on_axis(change, by_round), change.after.index(max(change.after)), change.step.text
        )
        for change in sorted(_largest_swings(changes), key=lambda change: change.step.n)
    )
    leaders = [leader for change in changes if (leader := _seat_in_sole_lead(change.after)) is not None]
    lead_changes = sum(one != other for one, other in pairwise(leaders))
    return Course(by_round, _thin_out_points(points, {spot.at for spot in spots}), spots, lead_changes)


def _moves_made_by_entry(entries: Iterable[AnyEntry]) -> dict[int, int]:
    """Returns for each entry how many asks were answered up to it, itself included, and not taken back by then."""
    answered: dict[tuple[int, str | None], int] = {}
    made = {}
    for entry in entries:
        if isinstance(entry.event, Undone):
            answered = {one: n for one, n in answered.items() if n <= entry.event.to}
        elif entry.seat_answered_for is not None:
            answered.setdefault((entry.seat_answered_for, entry.key), entry.n)
        made[entry.n] = len(answered)
    return made


def _place_on_axis(change: _Change, by_round: bool) -> int:
    return (round_in_key(change.step.turn) or 0) if by_round else change.made


def _points_of_curve(begin: tuple[int, ...], changes: Sequence[_Change], rounds: int | None, moves: int) -> list[Point]:
    """Returns the scores at the beginning and after each round; without rounds, where they change, and at the end."""
    after = {_place_on_axis(change, rounds is not None): change.after for change in changes}
    if rounds is None:
        return [Point(at, scores) for at, scores in {0: begin, **after, moves: changes[-1].after}.items()]
    points = [Point(0, begin)]
    for at in range(1, rounds + 1):
        points.append(Point(at, after.get(at, points[-1].scores)))
    return points


def _thin_out_points(points: Sequence[Point], kept: set[int]) -> tuple[Point, ...]:
    """Returns the points, or if there are too many, evenly chosen ones with the last one and those to be kept."""
    every = -(-len(points) // MOST_POINTS)
    last = len(points) - 1
    return tuple(point for i, point in enumerate(points) if i % every == 0 or i == last or point.at in kept)


# --- who leads -------------------------------------------------------------------------------------------------


def _seat_in_sole_lead(scores: Sequence[int]) -> int | None:
    """Returns the seat that leads alone; None if several lead."""
    best = max(scores)
    return scores.index(best) if scores.count(best) == 1 else None


def _margin_of_seat(scores: Sequence[int], seat: int) -> int:
    """Returns how far the seat is ahead of the best of the others; negative if it is behind."""
    return scores[seat] - max((score for other, score in enumerate(scores) if other != seat), default=0)


def _swing_of_lead(change: _Change) -> int:
    """Returns by how much the margin of who led alone before, or leads alone now, has changed; the larger of both."""
    seats = {_seat_in_sole_lead(change.before), _seat_in_sole_lead(change.after)} - {None}
    return max(
        (abs(_margin_of_seat(change.after, s) - _margin_of_seat(change.before, s)) for s in seats if s is not None),
        default=0,
    )


def _largest_swings(changes: Iterable[_Change]) -> list[_Change]:
    """Returns the largest swings, at most three; of equal ones first those that give somebody else the lead, then
    later ones."""

    def weight(change: _Change) -> tuple[int, bool, int]:
        return (
            _swing_of_lead(change),
            _seat_in_sole_lead(change.before) != _seat_in_sole_lead(change.after),
            change.step.n,
        )

    return sorted((change for change in changes if _swing_of_lead(change)), key=weight, reverse=True)[
        :MOST_TURNING_POINTS
    ]
