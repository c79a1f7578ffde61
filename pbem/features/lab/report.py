"""The report of a study: every measure of each of its plans, and what is striking in them.

A number is striking if its whole interval lies outside the tolerated range. Since many are looked at, each interval is
as wide as Bonferroni asks: of m numbers, each has a confidence of 1 - 0.05 / m, so that with a chance of 95 % all of
them hold at once.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import msgspec

from pbem.features.lab.deciding import MARGIN, Verdict
from pbem.features.lab.measures.choice import Choice, measure_choice
from pbem.features.lab.measures.estimates import Estimate, Mean, Share, estimate_as_json, estimate_mean
from pbem.features.lab.measures.fairness import (
    Difference,
    Fairness,
    Length,
    SlowPlay,
    count_in_ranges,
    differences_of_tallies,
    measure_fairness,
    measure_length,
    measure_waits_and_mails,
    victory_shares_of_seat_by_match,
)
from pbem.features.lab.measures.parts import Part, measure_all_parts
from pbem.features.lab.measures.skill import Skill, measure_skill
from pbem.features.lab.measures.tension import Tension, measure_tension
from pbem.features.lab.plans import Cell, Study
from pbem.features.lab.tallies import Tally
from pbem.kit.contract import AnyGame
from pbem.kit.notation import seat_letter

DOUBT = 0.05
"""The chance that any interval of a report misses its number."""
SEAT, UNWON, FORCED, EARLY, SNOWBALL, WORTH = 0.03, 0.2, 0.5, 0.25, 0.2, 0.2
"""What is tolerated: a seat's victories within this many parts of an even share; matches nobody wins; forced decisions;
a winner known for good before so much of the match; how much of a lead is gained again; and how much a use of a part
brings, in parts of an even share."""
DEAD, SURE = 0.1, 0.95
"""A part is dead if it is chosen less often than this part of an even share, and a sure choice above the other."""
LEAST_OFFERED = 100
LEAST_FREEDOM = 28
"""A mean, a difference or a slope with fewer degrees of freedom, so of fewer than some 30 matches, is not looked at:
its error is known too badly, and is 0 where the few happen to be alike."""
LEAST_PLAYED = 30
"""In fewer matches than this many, what is chosen is not looked at: the decisions of a match depend on each other."""
LEAST_MATCHES = 100
"""In fewer matches than this many, that something never occurred says nothing."""


class Look(msgspec.Struct, frozen=True):
    """A number that is looked at: of what it is, where, and between what it may lie.

    `percent`: it is said as a percentage. `says` is a sentence up to the number, `then` what follows it.
    """

    kind: str
    subject: str
    where: str
    estimate: Estimate
    low: float
    high: float
    says: str
    then: str = ""
    percent: bool = True

    def number_in_words(self, value: float) -> str:
        """Returns the number as it is said."""
        return f"{100 * value:.1f} %" if self.percent else f"{value:.2f}"


class Finding(msgspec.Struct, frozen=True):
    """A striking number with its interval, of the confidence that the report names, and in words."""

    kind: str
    subject: str
    where: str
    value: float
    low: float
    high: float
    words: str


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

    `verdict` says how the comparison ended that the study was to decide, None if there was none to decide; it told an
    even chance from one that is greater by the `margin`.
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


def make_report(
    game: AnyGame, study: Study, ran: Ran, *, interrupted: bool = False, verdict: tuple[Verdict, int] | None = None,
    margin: float = MARGIN,
) -> Report:  # fmt: skip
    """Returns the report of the plans that were played, those without any match left out."""
    ran = [(cell, tally) for cell, tally in ran if tally.matches]
    alike = tuple(_measures_of_cell(game, study, cell, tally, ran) for cell, tally in ran if cell.purpose == "alike")
    ladders = tuple(
        Ladder(cell.plan.seats, cell.variant, _cell_in_words(cell), tally.matches, measure_skill(cell.plan, tally))
        for cell, tally in ran
        if cell.purpose == "ladder"
    )
    comparisons = tuple(_comparisons_of_successive_variants(study, ran))
    looks = [look for one in alike for look in _looks_at_measures_of_cell(study, one)]
    looks += [look for one in ladders for look in looks_at_skill(one.where, one.skill)]
    looks += [look for one in comparisons for look in looks_at_variants(one.where, one.names, one.differences)]
    looks = looks_with_enough_matches(looks)
    matches = sum(tally.matches for _, tally in ran)
    events = {kind.__name__: sum(t.events.get(kind.__name__, 0) for _, t in ran) for kind in game.meta.events}
    restrictions = [tally for cell, tally in ran if cell.purpose == "restricted"]
    never = rules_that_never_occurred(
        game, {name for name, count in events.items() if count}, {name for _, t in ran for name in t.endings},
        {part.name for one in alike for part in one.parts} if alike else None, matches,
    )  # fmt: skip
    return Report(
        study, game.meta.title["en"], matches, alike, ladders, comparisons, events, len(looks),
        confidence_for_looks(len(looks)), (*findings_in_looks(looks), *never), interrupted, verdict, margin,
        tuple(word for word in study.without if restrictions and not any(word in t.barred for t in restrictions)),
    )  # fmt: skip


def _cell_in_words(cell: Cell) -> str:
    parts = [f"{cell.plan.seats} seats", cell.bot or "all bots", cell.variant]
    return ", ".join(part for part in parts if part)


def _tally_with_other_purpose(ran: Ran, cell: Cell, purpose: str) -> Tally | None:
    """Returns the tally that differs from that of the cell by its purpose alone."""
    wanted = (purpose, cell.bot, cell.variant, cell.plan.seats)
    return next((tally for one, tally in ran if (one.purpose, one.bot, one.variant, one.plan.seats) == wanted), None)


def _measures_of_cell(game: AnyGame, study: Study, cell: Cell, tally: Tally, ran: Ran) -> Alike:
    closely, seats = tally.closely, cell.plan.seats
    assert closely is not None, "matches of this purpose are looked at closely"
    restricted, without = _tally_with_other_purpose(ran, cell, "restricted"), None
    if restricted is not None:  # in the same matches
        before, after = (
            [victory_shares_of_seat_by_match(one, seat) for seat in range(seats)] for one in (tally, restricted)
        )
        both = min(tally.matches, restricted.matches)
        without = estimate_mean([after[n % seats][n] - before[n % seats][n] for n in range(both)])
    scores = [
        (score, seat in winners)
        for scores, winners in zip(tally.scores, tally.winners, strict=False)
        for seat, score in enumerate(scores)
    ]
    scored = tuple(
        (low, high, sum(low <= score <= high and wins for score, wins in scores),
         sum(low <= score <= high and not wins for score, wins in scores))
        for low, high, _ in (count_in_ranges([score for score, _ in scores], 12) if scores else ())
    )  # fmt: skip
    return Alike(
        seats, cell.bot, cell.variant, _cell_in_words(cell), tally.matches,
        {reason: tally.endings.get(reason, 0) for reason in game.meta.endings},
        _mean_scores_of_winners_and_others(scores), scored,
        measure_fairness(tally), measure_length(tally, game.meta.has_rounds), measure_choice(closely.choice),
        measure_tension(closely.tension), measure_all_parts(closely.parts, seats, tally.matches),
        measure_waits_and_mails(tally, _tally_with_other_purpose(ran, cell, "by_hand")),
        without,
    )  # fmt: skip


def _mean_scores_of_winners_and_others(pairs: Sequence[tuple[int, bool]]) -> tuple[float, float] | None:
    """Returns the mean score of winners and of the others, of the matches that have both."""
    won, lost = ([score for score, wins in pairs if wins is side] for side in (True, False))
    return (round(sum(won) / len(won), 2), round(sum(lost) / len(lost), 2)) if won and lost else None


def _comparisons_of_successive_variants(study: Study, ran: Ran) -> Iterator[Comparison]:
    """Yields each variant beside the one before it, for each bot and number of seats."""
    cells = [(cell, tally) for cell, tally in ran if cell.purpose == "alike"]
    for seats in study.seats:
        for bot in study.bots:
            here = [(cell, tally) for cell, tally in cells if (cell.plan.seats, cell.bot) == (seats, bot)]
            for (one, first), (other, second) in pairwise(here):
                names = one.variant, other.variant
                yield Comparison(seats, bot, f"{seats} seats, {bot}", names, differences_of_tallies(first, second))


def _looks_at_measures_of_cell(study: Study, one: Alike) -> Iterator[Look]:
    yield from looks_at_seats(one.where, one.fairness)
    if one.choice.forced is not None:
        says, then = "There is only one legal move in", " of the decisions of a match"
        yield Look("forced", "forced decisions", one.where, one.choice.forced, 0, FORCED, says, then)
    if one.tension is not None:
        yield from looks_at_tension(one.where, one.tension)
    yield from looks_at_parts(one.where, one.parts, one.seats, one.matches)
    if one.without is not None:
        words, most = ", ".join(study.without), WORTH / one.seats / 4
        says, then = f"A seat that plays without {words} changes its share of the victories by", " of all matches"
        yield Look("restricted", words, one.where, one.without, -most, most, says, then)


def report_as_json(report: Any) -> Any:
    """Returns the report, or any part of it, as values for JSON: each estimate with its interval of 95 %."""
    match report:
        case Share() | Mean():
            return estimate_as_json(report)
        case msgspec.Struct():
            return {name: report_as_json(getattr(report, name)) for name in report.__struct_fields__}
        case dict():
            return {str(key): report_as_json(value) for key, value in report.items()}
        case list() | tuple():
            return [report_as_json(value) for value in report]
        case float():
            return round(report, 6)
    return report


def confidence_for_looks(looks: int) -> float:
    """Returns the confidence of each interval if this many numbers are looked at.

    >>> confidence_for_looks(10)
    0.995
    """
    return 1 - DOUBT / max(1, looks)


def looks_with_enough_matches(looks: Iterable[Look]) -> list[Look]:
    """Returns the numbers that enough matches were played for."""
    return [one for one in looks if isinstance(one.estimate, Share) or one.estimate.freedom >= LEAST_FREEDOM]


def findings_in_looks(looks: Sequence[Look]) -> tuple[Finding, ...]:
    """Returns what is striking, the farthest outside of what is tolerated first within each kind.

    What holds for a kind of move is not said again of each thing that it names, unless it holds there more or less.
    """
    confidence = confidence_for_looks(len(looks))
    found = []
    for look in looks:
        low, high = look.estimate.interval(confidence)
        if low > look.high or high < look.low:
            value = look.estimate.value
            between = f"{look.number_in_words(low)} to {look.number_in_words(high)}"
            words = f"{look.says} {look.number_in_words(value)} ({between}){look.then}."
            one = Finding(look.kind, look.subject, look.where, round(value, 4), round(low, 4), round(high, 4), words)
            found.append((max(value - look.high, look.low - value), one))
    kinds, all_found = list(dict.fromkeys(look.kind for look in looks)), [one for _, one in found]
    said = [(distance, one) for distance, one in found if not any(_finding_covers(wide, one) for wide in all_found)]
    return tuple(one for _, one in sorted(said, key=lambda pair: (kinds.index(pair[1].kind), -pair[0])))


def _finding_covers(wide: Finding, narrow: Finding) -> bool:
    same = (wide.kind, wide.where) == (narrow.kind, narrow.where) and narrow.subject.startswith(f"{wide.subject} ")
    return same and narrow.low <= wide.high and narrow.high >= wide.low


# --- what is looked at ---------------------------------------------------------------------------------------


def looks_at_seats(where: str, fairness: Fairness) -> Iterator[Look]:
    """Yields each seat's victories, and how many matches nobody wins."""
    even = 1 / len(fairness.seats)
    if fairness.seats[0].of:
        for seat, share in enumerate(fairness.seats):
            name = f"seat {seat_letter(seat)}"
            says = f"{name[0].upper()}{name[1:]} wins"
            then = f", where an even share is {100 * even:.1f} %"
            yield Look("seat", name, where, share, even * (1 - SEAT), even * (1 + SEAT), says, then)
    yield Look("unwon", "no winner", where, fairness.unwon, 0, UNWON, "Nobody wins", " of the matches")


def looks_at_tension(where: str, tension: Tension) -> Iterator[Look]:
    """Yields when the winner is known, and whether a lead feeds itself."""
    if tension.settled is not None:
        says, then = "The winner leads for good after", " of the match on average"
        yield Look("early", "decided early", where, tension.settled, EARLY, 1, says, then)
    if tension.snowball is not None:
        says = "Of each point of lead at half-time, the second half brings again"
        then = ": a lead feeds itself" if tension.snowball.value > 0 else ": those behind catch up"
        yield Look("snowball", "lead", where, tension.snowball, -SNOWBALL, SNOWBALL, says, then, percent=False)


def looks_at_parts(where: str, parts: Sequence[Part], seats: int, matches: int) -> Iterator[Look]:
    """Yields for each part how often it is chosen when it is offered, and what it is worth."""
    for part in parts:
        offered = 0 if part.taken is None or matches < LEAST_PLAYED else part.taken.of
        if part.taken is not None and offered >= LEAST_OFFERED and 0 < part.even < 1:
            then = f" of the times that it is one of several answers; evenly it would be {100 * part.even:.1f} %"
            kind, low, high = ("dead", part.even * DEAD, 1.0) if part.taken.value < part.even else ("sure", 0.0, SURE)
            yield Look(kind, part.name, where, part.taken, low, high, f"{part.name} is chosen", then)
        if part.worth is not None:
            then = (
                f" in the chance to win, for each use more than the others; whoever uses it wins "
                f"{100 * part.won_with.value:.1f} %, whoever does not {100 * part.won_without.value:.1f} %"
            )
            says, most = f"{part.name} brings", WORTH / seats
            yield Look("worth", part.name, where, part.worth, -most, most, says, then)


def looks_at_skill(where: str, skill: Skill) -> Iterator[Look]:
    """Yields for each pair of bots how often the better one is ahead."""
    for duel in skill.duels:
        says = f"{duel.better} is ahead of {duel.other} in"
        then = f" of the matches that one of them wins, so luck decides {100 * duel.share_won_by_weaker_bot:.1f} %"
        yield Look("skill", f"{duel.better} and {duel.other}", where, duel.ahead, 0.48, 0.52, says, then)


def looks_at_variants(where: str, names: tuple[str, str], found: Sequence[Difference]) -> Iterator[Look]:
    """Yields by how much the second variant differs from the first."""
    for one in found:
        says = f"With {names[1]} instead of {names[0]}, {one.what} (there {one.first:.3g}) change by"
        yield Look(
            "variant", one.what, where, one.difference, -one.tolerance, one.tolerance, says, percent=False
        )  # fmt: skip


def rules_that_never_occurred(
    game: AnyGame, events: set[str], endings: set[str], moves: set[str] | None, matches: int
) -> list[Finding]:
    """Returns the events, endings and kinds of moves that occurred in none of this many matches."""
    if matches < LEAST_MATCHES:
        return []
    high = Share(0, matches).interval(1 - DOUBT)[1]
    never = [("event", event.__name__) for event in game.meta.events if event.__name__ not in events]
    never += [("ending", ending) for ending in game.meta.endings if ending not in endings]
    if moves is not None:
        never += [("kind of move", kind.__name__) for kind in game.meta.moves if kind.__name__ not in moves]
    return [
        Finding(
            "never", name, "all matches", 0.0, 0.0, round(high, 4),
            f"The {what} {name} never occurs in {matches} matches, so in at most {100 * high:.2f} % of all.",
        )
        for what, name in never
    ]  # fmt: skip
