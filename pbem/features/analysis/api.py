"""Where a finished match was decided: what each position was worth to each seat, and what each move cost."""

from typing import Annotated, Literal

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from pbem.answers import about, answer_from
from pbem.api.protocol.answers import schema_reference
from pbem.api.protocol.bodies import Nothing
from pbem.api.protocol.callers import ANYBODY, language, site
from pbem.api.protocol.endpoints import Endpoints
from pbem.errors import N_, NotFound
from pbem.features.analysis import analyses
from pbem.features.analysis.analyses import Analysis
from pbem.features.analysis.course import Advice, TurningPoint
from pbem.features.analysis.limits import ANALYSES
from pbem.features.chances import Chances
from pbem.kit.contract import Viewer
from pbem.kit.logs.fortunes import Fortune
from pbem.limits import Limit
from pbem.render.phrases import phrase_text

AGAIN_S = 5
"""When to come again while it is worked out."""

blueprint = Endpoints("analysis", "Where a finished match was decided.")

PARTS = (blueprint,)
AFTER = "watching"
LIMITS = (Limit("api-analysis.ask", ANALYSES),)


class AnalysedMove(Struct, frozen=True):
    """A move: as one types it, and what it is called in the language of the request."""

    typed: str
    name: str


class MoveAdvice(Struct, frozen=True):
    """The move that was made, and the one that a strong bot would have made by what the seat knew."""

    made: AnalysedMove
    better: AnalysedMove
    cost: Annotated[
        float,
        about(
            "How much more of the victory the bot's move promised; below 0 if it promised less, 0 if it is the same."
        ),
    ]
    error: float
    playouts: int


class AnalysedPosition(Struct, frozen=True):
    """A position, and what was decided in it."""

    entry: Annotated[int, about("The last entry of the log before it.")]
    chances: Annotated[Chances, about("By everything, secrets included.")]
    seat: Annotated[int | None, about("Who decided next, if anybody.")]
    decision: Annotated[int | None, about("The entry of that decision.")]
    eyes: Annotated[Chances | None, about("By what `seat` knew; null in a game that does not imagine what is hidden.")]
    advice: Annotated[MoveAdvice | None, about("Null if there was nothing to choose.")]


class DrawnKind(Struct, frozen=True):
    """A kind of draw: how often, whom it chose, and how lucky the seats were if some results are better."""

    kind: str
    title: str
    times: int
    chosen: tuple[int, ...]
    expected: Annotated[float | None, about("The mean worth of one; null if none is better.")]
    fortunes: tuple[Fortune, ...]


class MatchAnalysis(Struct, frozen=True, kw_only=True):
    """How far the analysis of a match is; with all of it once `state` is `made`."""

    state: Literal["working", "made"]
    version: Annotated[int, about("Raised when an equal match would give other numbers.")]
    done: Annotated[int, about("How many positions have been worked out.")]
    total: Annotated[int, about("Of how many; 0 until work has begun.")]
    positions: list[AnalysedPosition] | UnsetType = UNSET
    turning_points: Annotated[
        tuple[TurningPoint, ...] | UnsetType, about("At most three, none within the error of the chances.")
    ] = UNSET
    luck: list[DrawnKind] | UnsetType = UNSET


@blueprint.operation(
    "askAnalysis",
    "POST /matches/<match_id>/analysis",
    who=ANYBODY,
    scopes=("read",),
    body=Nothing,
    refuses=(409, 429),
)
@blueprint.alt_response(
    202, schema=schema_reference(MatchAnalysis), success=True, description="It is worked out, or will be."
)
def ask(match_id: str, viewer: Viewer) -> tuple[MatchAnalysis, int, dict[str, str]]:
    """Has the match analysed, unless it is or has been, and returns how far that is; 409 `not_over` before its end."""
    return _response_for_analysis(analyses.request_analysis(site(), match_id, viewer))


@blueprint.operation("getAnalysis", "GET /matches/<match_id>/analysis", who=ANYBODY, refuses=(409,))
@blueprint.alt_response(
    202, schema=schema_reference(MatchAnalysis), success=True, description="It is worked out, or will be."
)
def analysis(match_id: str, viewer: Viewer) -> tuple[MatchAnalysis, int, dict[str, str]]:
    """Returns the analysis of the match; 202 with how far it is until it is made, 404 if nobody has asked for it."""
    found = analyses.read_analysis(site(), match_id, viewer)
    if not found.asked:
        raise NotFound(N_("Nobody has asked for this analysis yet, or it failed: send POST to the same address."))
    return _response_for_analysis(found)


def _response_for_analysis(found: Analysis) -> tuple[MatchAnalysis, int, dict[str, str]]:
    far = MatchAnalysis(state="working", version=found.version, done=found.done, total=found.total)
    if found.findings is None:
        return far, 202, {"Retry-After": str(AGAIN_S)}
    whole = replace(
        far, state="made",
        positions=[
            answer_from(AnalysedPosition, one, advice=one.advice and _advice_as_sent(one.advice, found.sheet.names))
            for one in found.findings.moments
        ],
        turning_points=found.findings.turning_points,
        luck=[answer_from(DrawnKind, one, title=one.title[language()]) for one in found.findings.drawn],
    )  # fmt: skip
    return whole, 200, {}


def _advice_as_sent(advice: Advice, names: tuple[str, ...]) -> MoveAdvice:
    made, better = (
        AnalysedMove(move.typed, phrase_text(move.name[language()], names)) for move in (advice.made, advice.better)
    )
    return answer_from(MoveAdvice, advice, made=made, better=better)
