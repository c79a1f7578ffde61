"""How a match that is over went, on its page: the scores drawn and as a table, turning points, and numbers."""

from collections.abc import Callable
from dataclasses import dataclass

from markupsafe import Markup

from pbem.features import curve
from pbem.features.course import results
from pbem.features.course.results import Course
from pbem.kit.contract import Outcome
from pbem.kit.words import signed
from pbem.render import phrases
from pbem.render.i18n import join_and, message_catalogue, time_left
from pbem.render.phrases import isolate_direction
from pbem.services.views.match_views import Sheet, View
from pbem.web.features import Parts, rendered
from pbem.web.protocol.language import _, page_language
from pbem.web.protocol.page import site


@dataclass(frozen=True)
class Scores:
    """The scores in the course of the match: drawn, and as a table for who cannot see the drawing."""

    picture: Markup
    by_round: bool
    rows: list[tuple[int, list[str]]]


def result_page(view: View, step_href: Callable[[int], str]) -> Parts:
    """Returns how the match went."""
    sheet, outcome = view.sheet, view.sheet.outcome
    assert outcome is not None, "the match is over"
    told = results.read_result(site(), view, page_language())
    course = told.course if told.course is not None and len(sheet.seats) <= curve.MOST_SEATS else None
    shown = rendered(
        "features/course/result_page.html", sheet=sheet, numbers=_length_of_match_in_words(sheet, told),
        scores=_scores_as_curve_and_table(sheet, outcome, course) if course is not None else None,
        turns=[
            (phrases.phrase_html(turn.text, sheet.names, sheet.game.meta), step_href(turn.step))
            for turn in (course.turning_points if course is not None else ())
        ],
    )  # fmt: skip
    return Parts(sections=shown)


def _length_of_match_in_words(sheet: Sheet, told: results.Result) -> list[str]:
    """Returns how long the match was, by moves, rounds and time, and how often the lead changed."""
    ngettext, leads = (
        message_catalogue(page_language()).ngettext,
        told.course.lead_changes if told.course is not None else 0,
    )
    found = [ngettext("%(num)s move", "%(num)s moves", told.moves) % {"num": told.moves}]
    if told.rounds:
        found.append(ngettext("%(num)s round", "%(num)s rounds", told.rounds) % {"num": told.rounds})
    if leads:
        found.append(ngettext("%(num)s change of the lead", "%(num)s changes of the lead", leads) % {"num": leads})
    if sheet.ended_at and sheet.started_at:
        found.append(time_left(sheet.ended_at - sheet.started_at, page_language()))
    return found


def _scores_as_curve_and_table(sheet: Sheet, outcome: Outcome, course: Course) -> Scores:
    points = [(point.at, point.scores) for point in course.points]
    final = join_and(
        [f"{isolate_direction(name)} {signed(n)}" for name, n in zip(sheet.names, points[-1][1], strict=True)],
        page_language(),
    )
    label = _("Score after each round; at the end: %(final)s") if course.by_round else _("Score; at the end: %(final)s")
    drawn = curve.Curve(
        sheet.game.meta.seat_marks,
        points,
        spots=[(turn.at, turn.leader) for turn in course.turning_points],
        winners=outcome.winners,
        axis=_("round") if course.by_round else _("moves"),
        label=label % {"final": final},
        steps=not course.by_round,
    )
    rows = [(at, [signed(score) for score in scores]) for at, scores in points]
    return Scores(drawn.svg(sheet.names), course.by_round, rows)
