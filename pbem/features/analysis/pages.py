"""Where a finished match was decided, on the page of its replay: asking for it, how far it is, and all of it.

Asking needs no token against forgery: it does nothing in anybody's name, and other sites may not post here.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, cast

from flask import Blueprint, Response, jsonify, redirect, url_for
from markupsafe import Markup

from pbem.features import curve
from pbem.features.analysis import analyses
from pbem.features.analysis.analyses import Analysis, Findings
from pbem.features.analysis.course import Advice, Answer, Moment
from pbem.features.analysis.limits import ANALYSES
from pbem.features.chances import Chances
from pbem.limits import Limit
from pbem.render import phrases
from pbem.services.views.replays import MatchReplay, Step
from pbem.web.features import Parts, ReplayPage, rendered
from pbem.web.protocol.language import _, page_language
from pbem.web.protocol.page import site
from pbem.web.protocol.security import keep_private
from pbem.web.views import viewer
from pbem.web.views.luck import Draws, draws_in_words

bp = Blueprint("analysis", __name__)

TEMPLATE = "features/analysis/replay_page.html"
SCRIPT = "features/analysis/analysis.js"
PARTS = (bp,)
LIMITS = (Limit("analysis.ask", ANALYSES),)

SURE = 2.0
"""A move cost something if it did by more than two standard errors."""
MOST_COSTLY = 5
"""This many costly decisions are listed of the whole table; a seat's other ones are folded up."""


# --- asking ----------------------------------------------------------------------------------------------------


@bp.post("/replay/<match_id>/analysis")
@bp.post("/play/<token>/replay/analysis")
def ask(match_id: str | None = None, token: str | None = None) -> Response:
    """Has the match analysed, and leads back to the replay."""
    analyses.request_analysis(site(), *viewer.match_and_reader(match_id, token))
    replay = url_for("watch.show_replay", **viewer.match_id_or_token(match_id, token))
    return cast(Response, redirect(f"{replay}#analysis", 303))


@bp.get("/replay/<match_id>/analysis.json")
@bp.get("/play/<token>/replay/analysis.json")
def progress(match_id: str | None = None, token: str | None = None) -> Response:
    """Says how far the analysis is, for the script."""
    found = analyses.read_analysis(site(), *viewer.match_and_reader(match_id, token))
    keep_private()
    return jsonify(
        {"going": found.is_in_progress, "done": found.done, "total": found.total, "says": describe_progress(found)}
    )


def describe_progress(found: Analysis) -> str:
    """Returns how far an analysis is that has been asked for."""
    if not found.total:
        return _("Waiting for its turn.")
    return _("%(done)s of %(total)s positions.", done=found.done, total=found.total)


# --- showing ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Spot:
    """A decision that stands out: its step of the replay, its line of the story, and what to say of it.

    `n` is its number on the curve, `seat` the seat that made it.
    """

    step: int
    line: Markup
    says: str
    seat: int | None = None
    n: int | None = None


@dataclass(frozen=True)
class Shown:
    """The analysis on the page of a replay at the step `at`, by what the seat `eyes` knew, or knowing everything.

    `own`: the seat of the reader, None on the page that anyone may open.
    """

    analysis: Analysis
    seen: MatchReplay
    at: int
    eyes: int | None
    own: int | None = None
    most: ClassVar[int] = MOST_COSTLY

    @property
    def progress_in_words(self) -> str:
        """How far it is, in words."""
        return describe_progress(self.analysis)

    @cached_property
    def chances_by_moment_on_curve(self) -> tuple[tuple[int, Chances], ...]:
        """The moments that the curve shows, each by its number, with the chances there.

        A seat's eyes see the match when it is asked; what came of it in the end everybody sees.
        """
        moments = self._findings.moments
        if self.eyes is None:
            return tuple((at, one.chances) for at, one in enumerate(moments))
        own = [(at, one.eyes) for at, one in enumerate(moments) if one.seat == self.eyes and one.eyes is not None]
        return (*own, (len(moments) - 1, moments[-1].chances))

    @property
    def has_views_of_seats(self) -> bool:
        """True if the match was also looked at from the seats' own eyes."""
        return any(one.eyes is not None for one in self._findings.moments)

    @property
    def bases_of_chances_to_choose(self) -> list[tuple[str | None, str, bool]]:
        """What the chances can rest on: the word in the address, in words, and whether it is the current one."""
        named = [
            (str(seat), _("what %(name)s knew", name=name), seat == self.eyes)
            for seat, name in enumerate(self.seen.names)
        ]
        return [(None, _("everything, even what was hidden"), self.eyes is None), *named]

    @property
    def curve_of_chances_svg(self) -> Markup:
        """The curve of the chances, as SVG."""
        spots = [(one.at + 1, one.seat) for one in self._findings.turning_points] if self.eyes is None else []
        drawn = curve.Curve(
            self.seen.game.meta.seat_marks, [(at, as_percents(chances)) for at,
            chances in self.chances_by_moment_on_curve], spots,
            winners=self.seen.sheet.outcome.winners if self.seen.sheet.outcome else (), axis=_("Moves"),
            label=_("The chances to win, in percent, move by move"), now=self.moment_number_at_step,
        )  # fmt: skip
        return drawn.svg(self.seen.names)

    @property
    def moment_number_at_step(self) -> int:
        """The number of the moment that the step shows."""
        entry = self.seen.steps[self.at - 1].entry
        return max((at for at, one in enumerate(self._findings.moments) if one.entry <= entry), default=0)

    @property
    def moments_for_script(self) -> list[tuple[int, int, list[int]]]:
        """For the script: each moment's step, its number, and the chances of the seats in percent."""
        steps = [step_showing_entry(self.seen.steps, one.entry) for one in self._findings.moments]
        return [(steps[at], at, as_percents(chances)) for at, chances in self.chances_by_moment_on_curve]

    @property
    def chances_at_step(self) -> list[tuple[int, str, int]]:
        """Each seat's chance at the step: seat, name, percent."""
        before = [chances for at, chances in self.chances_by_moment_on_curve if at <= self.moment_number_at_step] or [
            self.chances_by_moment_on_curve[0][1]
        ]
        return [(seat, self.seen.names[seat], worth) for seat, worth in enumerate(as_percents(before[-1]))]

    @property
    def turning_points(self) -> Iterator[Spot]:
        """Yields the decisions at which the chances moved most."""
        for n, one in enumerate(self._findings.turning_points, 1):
            before, after = (
                round(100 * self._findings.moments[at].chances.worth[one.seat]) for at in (one.at, one.at + 1)
            )
            says = _(
                "%(name)s: from %(before)s to %(after)s %%", name=self.seen.names[one.seat], before=before, after=after
            )
            yield self._spot_for_moment(self._findings.moments[one.at], says, n)

    @property
    def seat_whose_decisions_are_listed(self) -> int | None:
        """The seat whose decisions are listed: the chosen one, else the reader's own; None if there is neither."""
        return self.own if self.eyes is None else self.eyes

    @property
    def decisions_of_listed_seat(self) -> Iterator[Spot]:
        """Yields the decisions of that seat, and what a strong bot would have done: the costliest first."""
        mine = [
            (one, advice)
            for one, advice in self._moments_with_advice
            if one.seat == self.seat_whose_decisions_are_listed
        ]
        for one, advice in sorted(mine, key=lambda pair: -pair[1].cost):
            yield self._spot_for_moment(one, self._advice_in_words(advice))

    @property
    def costliest_decisions_of_table(self) -> Iterator[Spot]:
        """Yields the costliest decisions of the whole table, in the order of the match."""
        costly = [(one, advice) for one, advice in self._moments_with_advice if is_costly_beyond_doubt(advice)]
        most = sorted(costly, key=lambda pair: -pair[1].cost)[:MOST_COSTLY]
        for one, advice in sorted(most, key=lambda pair: pair[0].entry):
            yield self._spot_for_moment(one, self._advice_in_words(advice))

    @property
    def luck_by_kind_of_draw(self) -> list[Draws]:
        """The draws by which seats can have better or worse luck, by kind, with each seat's lots."""
        return [one for one in draws_in_words(self.seen.game, self._findings.drawn, self.seen.names) if one.lots]

    @property
    def _findings(self) -> Findings:
        return self.analysis.findings or Findings()

    @property
    def _moments_with_advice(self) -> list[tuple[Moment, Advice]]:
        return [(one, one.advice) for one in self._findings.moments if one.advice is not None]

    def _spot_for_moment(self, moment: Moment, says: str, n: int | None = None) -> Spot:
        step = step_showing_entry(self.seen.steps, moment.decision or moment.entry)
        return Spot(step, self.seen.line(self.seen.steps[step - 1]), says, moment.seat, n)

    def _advice_in_words(self, advice: Advice) -> str:
        made, better = (self._name_of_answer(one) for one in (advice.made, advice.better))
        if advice.is_same_move:
            return _("A strong bot would have done the same: %(made)s.", made=made)
        cost, error = round(100 * advice.cost), max(1, round(100 * advice.error))
        if is_costly_beyond_doubt(advice):
            return _(
                "Instead of %(made)s, a strong bot would have chosen %(better)s. That cost %(cost)s of 100 chances"
                " to win (± %(error)s).", made=made, better=better, cost=cost, error=error,
            )  # fmt: skip
        if advice.cost < -SURE * advice.error:
            return _(
                "%(made)s was better than what a strong bot would have chosen, %(better)s: by %(cost)s of 100 chances"
                " to win (± %(error)s).", made=made, better=better, cost=-cost, error=error,
            )  # fmt: skip
        return _("%(made)s: about as good as %(better)s, a strong bot’s choice.", made=made, better=better)

    def _name_of_answer(self, answer: Answer) -> str:
        return phrases.phrase_text(answer.name[page_language()], self.seen.names)


def is_costly_beyond_doubt(advice: Advice) -> bool:
    """Returns whether the move cost something beyond doubt."""
    return not advice.is_same_move and advice.cost > SURE * advice.error


def as_percents(chances: Chances) -> list[int]:
    """Returns the chances in whole percent."""
    return [round(100 * one) for one in chances.worth]


def step_showing_entry(steps: Sequence[Step], entry: int) -> int:
    """Returns the number of the step that shows this entry; of the one before it if it has no line of its own."""
    return max((step.n for step in steps if step.entry <= entry), default=1)


def replay_page(replay: ReplayPage) -> Parts:
    """Returns the panel under the board, once the match is open."""
    seen, seat = replay.seen, replay.seat
    if not seen.sheet.open or not seen.steps:
        return Parts()
    found = analyses.read_analysis(site(), seen.sheet.id, seat)
    shown = Shown(found, seen, replay.at, None, seat)
    asked = replay.said.get("chances", "")
    if shown.has_views_of_seats and asked.isascii() and asked.isdecimal() and int(asked) < len(seen.names):
        shown = Shown(found, seen, replay.at, int(asked), seat)
    words = viewer.match_id_or_token(seen.sheet.id, replay.token)
    ask, progress = (url_for(f"analysis.{view}", **words) for view in ("ask", "progress"))
    panel = rendered(TEMPLATE, game=seen.game, analysis=shown, ask=ask, progress=progress)
    return Parts(under_board=panel, scripts=(SCRIPT,))
