"""The report of a study: every measure of each of its plans, and what is striking in them."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import msgspec

from pbem.features.lab.looks import (
    Finding,
    Look,
    choices_looked_at,
    confidence_for,
    dead_rules,
    findings_in,
    parts_looked_at,
    restriction_looked_at,
    seats_looked_at,
    skill_looked_at,
    tension_looked_at,
    variants_looked_at,
    worth_a_look,
)
from pbem.features.lab.measures.choice import Choice, choice_of
from pbem.features.lab.measures.estimates import Mean, Share, mean_of, numbers_of
from pbem.features.lab.measures.fairness import (
    Fairness,
    Length,
    SlowPlay,
    fairness_of,
    histogram,
    length_of,
    share_of_seat,
    slow_play_of,
)
from pbem.features.lab.measures.parts import Part, all_parts
from pbem.features.lab.measures.sequential import MARGIN, Verdict
from pbem.features.lab.measures.skill import Skill, skill_of
from pbem.features.lab.measures.tension import Tension, tension_of
from pbem.features.lab.measures.variants import Difference, differences
from pbem.features.lab.study import Cell, Study
from pbem.features.lab.tallies import Tally
from pbem.kit.contract import AnyGame

Ran = Sequence[tuple[Cell, Tally]]


class Alike(msgspec.Struct, frozen=True):
    """Matches in which the same bot has all seats. `without`: what not playing something changes in a seat's share."""

    seats: int
    bot: str
    variant: str
    where: str
    matches: int
    endings: dict[str, int]
    scores: tuple[float, float] | None
    """The mean of the winners and that of the others, if the game has scores."""
    scored: tuple[tuple[int, int, int, int], ...]
    """Scores as a histogram: from, to, how many winners had them, and how many others."""
    fairness: Fairness
    length: Length
    choice: Choice
    tension: Tension | None
    parts: tuple[Part, ...]
    slow_play: SlowPlay
    without: Mean | None


class Ladder(msgspec.Struct, frozen=True):
    """Matches in which all bots sat at one table."""

    seats: int
    variant: str
    where: str
    matches: int
    skill: Skill


class Comparison(msgspec.Struct, frozen=True):
    """Two variants beside each other."""

    seats: int
    bot: str
    where: str
    names: tuple[str, str]
    differences: tuple[Difference, ...]


class Report(msgspec.Struct, frozen=True):
    """All that a study found.

    `verdict`: how the comparison ended that it was to decide, if there was one; it told an even chance from one that is
    greater by the `margin`.
    """

    study: Study
    title: str
    matches: int
    alike: tuple[Alike, ...]
    ladders: tuple[Ladder, ...]
    comparisons: tuple[Comparison, ...]
    events: dict[str, int]
    looked_at: int
    confidence: float
    findings: tuple[Finding, ...]
    interrupted: bool
    verdict: tuple[Verdict, int] | None
    margin: float
    idle: tuple[str, ...]
    """The words of `without` that kept no seat from anything."""


def report_of(
    game: AnyGame, study: Study, ran: Ran, *, interrupted: bool = False, verdict: tuple[Verdict, int] | None = None,
    margin: float = MARGIN,
) -> Report:  # fmt: skip
    """Returns the report of the plans that were played, those without any match left out."""
    ran = [(cell, tally) for cell, tally in ran if tally.matches]
    alike = tuple(_alike(game, study, cell, tally, ran) for cell, tally in ran if cell.purpose == "alike")
    ladders = tuple(
        Ladder(cell.plan.seats, cell.variant, _where(study, cell), tally.matches, skill_of(cell.plan, tally))
        for cell, tally in ran
        if cell.purpose == "ladder"
    )
    comparisons = tuple(_comparisons(study, ran))
    looks = [look for one in alike for look in _looks_at(study, one)]
    looks += [look for one in ladders for look in skill_looked_at(one.where, one.skill)]
    looks += [look for one in comparisons for look in variants_looked_at(one.where, one.names, one.differences)]
    looks = worth_a_look(looks)
    matches, events = sum(tally.matches for _, tally in ran), _events(game, ran)
    restrictions = [tally for cell, tally in ran if cell.purpose == "restricted"]
    never = dead_rules(
        game, {name for name, count in events.items() if count}, {name for _, t in ran for name in t.endings},
        {part.name for one in alike for part in one.parts} if alike else None, matches,
    )  # fmt: skip
    return Report(
        study, game.meta.title["en"], matches, alike, ladders, comparisons, events, len(looks),
        confidence_for(len(looks)), (*findings_in(looks), *never), interrupted, verdict, margin,
        tuple(word for word in study.without if restrictions and not any(word in t.barred for t in restrictions)),
    )  # fmt: skip


def _where(study: Study, cell: Cell) -> str:
    parts = [f"{cell.plan.seats} seats", cell.bot or "all bots", cell.variant]
    return ", ".join(part for part in parts if part)


def _partner(ran: Ran, cell: Cell, purpose: str) -> Tally | None:
    """Returns the tally that differs from that of the cell by its purpose alone."""
    return next(
        (
            tally for one, tally in ran
            if (one.purpose, one.bot, one.variant, one.plan.seats)
            == (purpose, cell.bot, cell.variant, cell.plan.seats)
        ),
        None,
    )  # fmt: skip


def _alike(game: AnyGame, study: Study, cell: Cell, tally: Tally, ran: Ran) -> Alike:
    closely, seats = tally.closely, cell.plan.seats
    assert closely is not None, "matches of this purpose are looked at closely"
    restricted = _partner(ran, cell, "restricted")
    return Alike(
        seats, cell.bot, cell.variant, _where(study, cell), tally.matches,
        {reason: tally.endings.get(reason, 0) for reason in game.meta.endings}, _scores(tally), _scored(tally),
        fairness_of(tally), length_of(tally, game.meta.has_rounds), choice_of(closely.choice),
        tension_of(closely.tension), all_parts(closely.parts, seats, tally.matches),
        slow_play_of(tally, _partner(ran, cell, "by_hand")),
        None if restricted is None else _restriction(tally, restricted, seats),
    )  # fmt: skip


def _scores(tally: Tally) -> tuple[float, float] | None:
    """Returns the mean score of winners and of the others, of the matches that have both."""
    won: list[float] = []
    lost: list[float] = []
    for scores, winners in zip(tally.scores, tally.winners, strict=False):
        for seat, score in enumerate(scores):
            (won if seat in winners else lost).append(score)
    if not won or not lost:
        return None
    return round(sum(won) / len(won), 2), round(sum(lost) / len(lost), 2)


def _scored(tally: Tally) -> tuple[tuple[int, int, int, int], ...]:
    pairs = [
        (score, seat in winners)
        for scores, winners in zip(tally.scores, tally.winners, strict=False)
        for seat, score in enumerate(scores)
    ]
    ranges = histogram([score for score, _ in pairs], 12) if pairs else ()
    return tuple(
        (low, high, sum(low <= score <= high and won for score, won in pairs),
         sum(low <= score <= high and not won for score, won in pairs))
        for low, high, _ in ranges
    )  # fmt: skip


def _restriction(free: Tally, restricted: Tally, seats: int) -> Mean | None:
    """Returns by how much the share of the restricted seat differs from its own in the same matches played freely."""
    before, after = ([share_of_seat(tally, seat) for seat in range(seats)] for tally in (free, restricted))
    both = min(free.matches, restricted.matches)
    return mean_of([after[n % seats][n] - before[n % seats][n] for n in range(both)])


def _comparisons(study: Study, ran: Ran) -> Iterator[Comparison]:
    """Yields each variant beside the one before it, for each bot and number of seats."""
    cells = [(cell, tally) for cell, tally in ran if cell.purpose == "alike"]
    for seats in study.seats:
        for bot in study.bots:
            here = [(cell, tally) for cell, tally in cells if (cell.plan.seats, cell.bot) == (seats, bot)]
            for (one, first), (other, second) in pairwise(here):
                names = one.variant, other.variant
                yield Comparison(seats, bot, f"{seats} seats, {bot}", names, differences(first, second))


def _events(game: AnyGame, ran: Ran) -> dict[str, int]:
    return {kind.__name__: sum(t.events.get(kind.__name__, 0) for _, t in ran) for kind in game.meta.events}


def _looks_at(study: Study, one: Alike) -> Iterator[Look]:
    yield from seats_looked_at(one.where, one.fairness)
    yield from choices_looked_at(one.where, one.choice)
    if one.tension is not None:
        yield from tension_looked_at(one.where, one.tension)
    yield from parts_looked_at(one.where, one.parts, one.seats, one.matches)
    if one.without is not None:
        yield from restriction_looked_at(one.where, ", ".join(study.without), one.without, one.seats)


def as_numbers(report: Any) -> Any:
    """Returns the report, or any part of it, as values for JSON: each estimate with its interval of 95 %."""
    match report:
        case Share() | Mean():
            return numbers_of(report)
        case msgspec.Struct():
            return {name: as_numbers(getattr(report, name)) for name in report.__struct_fields__}
        case dict():
            return {str(key): as_numbers(value) for key, value in report.items()}
        case list() | tuple():
            return [as_numbers(value) for value in report]
        case float():
            return round(report, 6)
    return report
