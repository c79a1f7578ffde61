"""A game that scores, played along a course."""

from __future__ import annotations

from typing import Any, cast

from pbem.features.course import results
from pbem.features.course.results import Course
from pbem.kit.contract import AnyGame, Event
from pbem.kit.replay import AnyEntry, By, Entry


class Scored(Event, frozen=True):
    """These are the scores from now on; told unless it is quiet."""

    scores: tuple[int, ...]
    quiet: bool = False


class Tally:
    """A game whose state is the scores."""

    def evolve(self, state: Any, event: Scored) -> tuple[int, ...]:
        return event.scores

    def tell(self, event: Scored, before: Any, lang: str) -> str:
        return "" if event.quiet else f"{lang}: {event.scores}"

    def scores(self, fold: tuple[int, ...]) -> tuple[int, ...] | None:
        return fold


def course_of_scores(*scored: tuple[str, tuple[int, ...]], game: Tally | None = None) -> Course | None:
    """Returns the course of a log with these keys and scores; it begins at nought."""
    seats = len(scored[0][1]) if scored else 2
    log: list[AnyEntry] = [Entry(1, "2026-01-01T00:00:00Z", By(table=True), None, Scored((0,) * seats))]
    for n, (key, scores) in enumerate(scored, 2):
        log.append(Entry(n, "2026-01-01T00:00:00Z", By(seat=n % seats), key, Scored(scores)))
    return results.course_of_scores(cast(AnyGame, game or Tally()), log, "en")
