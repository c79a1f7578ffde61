"""Taking a move back: at once while nobody has learned anything from it, else if the others agree."""

from collections.abc import Mapping
from typing import Any, get_args

from marshmallow import fields, validate

from pbem.api.protocol.bodies import BoundedInt, RequestSchema, ResponseSchema, StrictBool
from pbem.api.protocol.callers import SEAT, seat_claim, site
from pbem.api.protocol.endpoints import Endpoints
from pbem.api.protocol.language import language
from pbem.api.views.match_views import MOST
from pbem.clock import iso
from pbem.render.problems import in_language
from pbem.services.play import takeback
from pbem.services.play.reversible import Reason, State
from pbem.services.play.takeback import REASONS, TakenBack

blueprint = Endpoints("takeback", "Taking back a move, and agreeing that others do.")


class Why(ResponseSchema):
    """Why nothing can be taken back, or why the others have to agree."""

    code = fields.String(required=True, validate=validate.OneOf(get_args(Reason)))
    text = fields.String(required=True)


class TakeBack(ResponseSchema):
    """What the caller's seat can take back: what was played after entry `to`, which is its latest move.

    held: at once, and no email goes out before `held_until`. free: at once. consent: if the others agree. asked: they
    are being asked. no: not at all, `why` says it.
    """

    version = fields.Integer(required=True)
    done = fields.Boolean(required=True, metadata={"description": "Whether this request has taken it back."})
    state = fields.String(required=True, validate=validate.OneOf(get_args(State)))
    to = fields.Integer(required=True, allow_none=True, metadata={"description": "Null: there is no move."})
    held_until = fields.String(required=True, allow_none=True, metadata={"format": "date-time"})
    why = fields.Nested(Why, required=True, allow_none=True, metadata={"description": "Null if it is held or free."})
    needed = fields.List(fields.Integer(), required=True, metadata={"description": "The seats that must agree."})
    agreed = fields.List(fields.Integer(), required=True, metadata={"description": "The seats that have agreed."})


class Back(RequestSchema):
    """Where to go back to: `to` of `GET …/takeback`, or the version before the move."""

    to = BoundedInt(0, MOST, required=True)


class Opinion(RequestSchema):
    """Whether the caller agrees to the open request, `takeback` in the match's sheet."""

    to = BoundedInt(0, MOST, required=True, metadata={"description": "That of the request."})
    agree = StrictBool(required=True)


def _json(found: TakenBack) -> dict[str, Any]:
    can = found.reversible
    why = {"code": can.reason, "text": in_language(REASONS[can.reason], language())} if can.reason else None
    return {
        "version": found.version, "done": found.done, "state": can.state, "to": can.to,
        "held_until": can.held_until and iso(can.held_until), "why": why, "needed": can.needed, "agreed": can.agreed,
    }  # fmt: skip


@blueprint.operation("readTakeback", "GET /matches/<match_id>/takeback", who=SEAT, gives=TakeBack, refuses=(409,))
def show(match_id: str) -> dict[str, Any]:
    """Returns what the caller's seat can take back now."""
    return _json(takeback.read_takeback(site(), seat_claim()))


@blueprint.operation(
    "takeBack", "POST /matches/<match_id>/takeback", who=SEAT, body=Back, gives=TakeBack, refuses=(409,)
)
def take_back(body: Mapping[str, Any], match_id: str) -> dict[str, Any]:
    """Takes back the caller's latest move, or asks the others to agree; what was played since goes with it.

    If another move is the latest by now, 409 `stale` has its `to`. If nothing can be taken back, 409 `gone` says `why`.
    """
    return _json(takeback.take_back(site(), seat_claim(), body["to"]))


@blueprint.operation(
    "withdrawTakeback", "DELETE /matches/<match_id>/takeback", who=SEAT, gives=TakeBack, refuses=(409,)
)
def withdraw(match_id: str) -> dict[str, Any]:
    """Ends the caller's own request, if it is open."""
    return _json(takeback.withdraw(site(), seat_claim()))


@blueprint.operation(
    "agreeToTakeback",
    "POST /matches/<match_id>/takeback/consent",
    who=SEAT,
    body=Opinion,
    gives=TakeBack,
    refuses=(409,),
)
def consent(body: Mapping[str, Any], match_id: str) -> dict[str, Any]:
    """Agrees that somebody takes back a move, or declines, which ends the request. With the last consent it is done."""
    return _json(takeback.give_consent(site(), seat_claim(), body["to"], agree=body["agree"]))
