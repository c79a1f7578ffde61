"""Where a finished match was decided: what each position was worth to each seat, and what each move cost."""

from typing import Any

from marshmallow import fields, validate

from pbem.api.protocol.bodies import Nothing, ResponseSchema
from pbem.api.protocol.callers import ANYBODY, site, viewer
from pbem.api.protocol.endpoints import Endpoints
from pbem.api.protocol.language import language
from pbem.errors import N_, NotFound
from pbem.features.analysis import analyses
from pbem.features.analysis.analyses import Analysis, Findings
from pbem.features.analysis.limits import ANALYSES
from pbem.kit.analysis import Advice, Answer, Chances, Moment
from pbem.kit.codec import plain
from pbem.kit.logs.fortunes import Drawn
from pbem.limits import Limit
from pbem.render.phrases import text

AGAIN_S = 5
"""When to come again while it is worked out."""

blueprint = Endpoints("analysis", "Where a finished match was decided.")

PARTS = (blueprint,)
AFTER = "watching"
LIMITS = (Limit("api-analysis.ask", ANALYSES),)


def _worths(description: str) -> "fields.List[Any]":
    return fields.List(fields.Float(), required=True, metadata={"description": description})


class WinChances(ResponseSchema):
    """What a position is worth to each seat."""

    worth = _worths("Each seat's share of the victory to be expected, from 0 to 1, in seat order.")
    error = _worths("The standard error of each; 0 where it is known.")
    playouts = fields.Integer(
        required=True, metadata={"description": "By how many matches played on; 0 if the rules had ended it."}
    )


class AnalysedMove(ResponseSchema):
    """A move: as one types it, and what it is called in the language of the request."""

    typed = fields.String(required=True)
    name = fields.String(required=True)


class MoveAdvice(ResponseSchema):
    """The move that was made, and the one that a strong bot would have made by what the seat knew."""

    made = fields.Nested(AnalysedMove, required=True)
    better = fields.Nested(AnalysedMove, required=True)
    cost = fields.Float(
        required=True,
        metadata={
            "description": "How much more of the victory the bot's move promised; below 0 if it promised less, 0 if "
            "it is the same."
        },
    )
    error = fields.Float(required=True)
    playouts = fields.Integer(required=True)


class AnalysedPosition(ResponseSchema):
    """A position, and what was decided in it."""

    entry = fields.Integer(required=True, metadata={"description": "The last entry of the log before it."})
    chances = fields.Nested(WinChances, required=True, metadata={"description": "By everything, secrets included."})
    seat = fields.Integer(required=True, allow_none=True, metadata={"description": "Who decided next, if anybody."})
    decision = fields.Integer(required=True, allow_none=True, metadata={"description": "The entry of that decision."})
    eyes = fields.Nested(
        WinChances,
        required=True,
        allow_none=True,
        metadata={"description": "By what `seat` knew; null in a game that does not imagine what is hidden."},
    )
    advice = fields.Nested(
        MoveAdvice, required=True, allow_none=True, metadata={"description": "Null if there was nothing to choose."}
    )


class TurningPoint(ResponseSchema):
    """A decision after which the chances were others."""

    at = fields.Integer(required=True, metadata={"description": "The position it was made in, counted from 0."})
    seat = fields.Integer(required=True, metadata={"description": "The seat whose chance changed most."})
    change = fields.Float(required=True)
    error = fields.Float(required=True)


class SeatFortune(ResponseSchema):
    """What a seat drew: how much, its worth in all, and the shares of equally likely results that reach it or not."""

    seat = fields.Integer(required=True)
    count = fields.Integer(required=True)
    total = fields.Integer(required=True)
    at_least = fields.Float(required=True)
    at_most = fields.Float(required=True)


class DrawnKind(ResponseSchema):
    """A kind of draw: how often, whom it chose, and how lucky the seats were if some results are better."""

    kind = fields.String(required=True)
    title = fields.String(required=True)
    times = fields.Integer(required=True)
    chosen = fields.List(fields.Integer(), required=True)
    expected = fields.Float(
        required=True, allow_none=True, metadata={"description": "The mean worth of one; null if none is better."}
    )
    fortunes = fields.List(fields.Nested(SeatFortune), required=True)


class MatchAnalysis(ResponseSchema):
    """How far the analysis of a match is; with all of it once `state` is `made`."""

    state = fields.String(required=True, validate=validate.OneOf(("working", "made")))
    version = fields.Integer(
        required=True, metadata={"description": "Raised when an equal match would give other numbers."}
    )
    done = fields.Integer(required=True, metadata={"description": "How many positions have been worked out."})
    total = fields.Integer(required=True, metadata={"description": "Of how many; 0 until work has begun."})
    positions = fields.List(fields.Nested(AnalysedPosition))
    turning_points = fields.List(
        fields.Nested(TurningPoint), metadata={"description": "At most three, none within the error of the chances."}
    )
    luck = fields.List(fields.Nested(DrawnKind))


@blueprint.operation(
    "askAnalysis",
    "POST /matches/<match_id>/analysis",
    who=ANYBODY,
    scopes=("read",),
    body=Nothing,
    body_required=False,
    gives=MatchAnalysis,
    refuses=(409, 429),
)
@blueprint.alt_response(202, schema=MatchAnalysis, success=True, description="It is worked out, or will be.")
def ask(match_id: str) -> tuple[dict[str, Any], int, dict[str, str]]:
    """Has the match analysed, unless it is or has been, and returns how far that is; 409 `not_over` before its end."""
    return _answer(analyses.request_analysis(site(), match_id, viewer()))


@blueprint.operation(
    "getAnalysis", "GET /matches/<match_id>/analysis", who=ANYBODY, gives=MatchAnalysis, refuses=(409,)
)
@blueprint.alt_response(202, schema=MatchAnalysis, success=True, description="It is worked out, or will be.")
def analysis(match_id: str) -> tuple[dict[str, Any], int, dict[str, str]]:
    """Returns the analysis of the match; 202 with how far it is until it is made, 404 if nobody has asked for it."""
    found = analyses.read_analysis(site(), match_id, viewer())
    if not found.asked:
        raise NotFound(N_("Nobody has asked for this analysis yet, or it failed: send POST to the same address."))
    return _answer(found)


def _answer(found: Analysis) -> tuple[dict[str, Any], int, dict[str, str]]:
    told: dict[str, Any] = {"version": found.version, "done": found.done, "total": found.total}
    if found.findings is None:
        return {"state": "working", **told}, 202, {"Retry-After": str(AGAIN_S)}
    return {"state": "made", **told, **_findings(found.findings, found.sheet.names)}, 200, {}


def _findings(findings: Findings, names: tuple[str, ...]) -> dict[str, Any]:
    return {
        "positions": [_position(one, names) for one in findings.moments],
        "turning_points": plain(findings.turning_points),
        "luck": [_drawn(one) for one in findings.drawn],
    }


def _position(moment: Moment, names: tuple[str, ...]) -> dict[str, Any]:
    return {
        "entry": moment.entry, "chances": plain(moment.chances), "seat": moment.seat, "decision": moment.decision,
        "eyes": _chances(moment.eyes), "advice": None if moment.advice is None else _advice(moment.advice, names),
    }  # fmt: skip


def _chances(chances: Chances | None) -> Any:
    return None if chances is None else plain(chances)


def _advice(advice: Advice, names: tuple[str, ...]) -> dict[str, Any]:
    made, better = (_move(one, names) for one in (advice.made, advice.better))
    return {
        "made": made, "better": better, "cost": advice.cost, "error": advice.error, "playouts": advice.playouts,
    }  # fmt: skip


def _move(answer: Answer, names: tuple[str, ...]) -> dict[str, str]:
    return {"typed": answer.typed, "name": text(answer.name[language()], names)}


def _drawn(drawn: Drawn) -> dict[str, Any]:
    return {**plain(drawn), "title": drawn.title[language()]}
