"""Taking a move back: at once while nobody has learned anything from it, else if the others agree."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

from msgspec import Struct

from pbem.answers import about, answer_from
from pbem.api.protocol.bodies import BoundedInt, RequestSchema, StrictBool
from pbem.api.protocol.callers import SEAT, language, seat_claim, site
from pbem.api.protocol.endpoints import Endpoints
from pbem.api.views.match_views import MOST
from pbem.render.problems import in_language
from pbem.services.play import takeback
from pbem.services.play.takeback import REASONS, Reason, State, TakenBack

blueprint = Endpoints("takeback", "Taking back a move, and agreeing that others do.")


class Why(Struct, frozen=True):
    """Why nothing can be taken back, or why the others have to agree."""

    code: Reason
    text: str


class TakeBack(Struct, frozen=True):
    """What the caller's seat can take back: what was played after entry `to`, which is its latest move.

    held: at once, and no email goes out before `held_until`. free: at once. consent: if the others agree. asked: they
    are being asked. no: not at all, `why` says it.
    """

    version: int
    done: Annotated[bool, about("Whether this request has taken it back.")]
    state: State
    to: Annotated[int | None, about("Null: there is no move.")]
    held_until: datetime | None
    why: Annotated[Why | None, about("Null if it is held or free.")]
    needed: Annotated[Sequence[int], about("The seats that must agree.")]
    agreed: Annotated[Sequence[int], about("The seats that have agreed.")]


class Back(RequestSchema):
    """Where to go back to: `to` of `GET …/takeback`, or the version before the move."""

    to = BoundedInt(0, MOST, required=True)


class Opinion(RequestSchema):
    """Whether the caller agrees to the open request, `takeback` in the match's sheet."""

    to = BoundedInt(0, MOST, required=True, about="That of the request.")
    agree = StrictBool(required=True)


def _answer(found: TakenBack) -> TakeBack:
    can = found.reversible
    why = Why(can.reason, in_language(REASONS[can.reason], language())) if can.reason else None
    return answer_from(TakeBack, can, version=found.version, done=found.done, why=why)


@blueprint.operation("readTakeback", "GET /matches/<match_id>/takeback", who=SEAT, refuses=(409,))
def show(match_id: str) -> TakeBack:
    """Returns what the caller's seat can take back now."""
    return _answer(takeback.read_takeback(site(), seat_claim()))


@blueprint.operation("takeBack", "POST /matches/<match_id>/takeback", who=SEAT, body=Back, refuses=(409,))
def take_back(body: Mapping[str, Any], match_id: str) -> TakeBack:
    """Takes back the caller's latest move, or asks the others to agree; what was played since goes with it.

    If another move is the latest by now, 409 `stale` has its `to`. If nothing can be taken back, 409 `gone` says `why`.
    """
    return _answer(takeback.take_back(site(), seat_claim(), body["to"]))


@blueprint.operation("withdrawTakeback", "DELETE /matches/<match_id>/takeback", who=SEAT, refuses=(409,))
def withdraw(match_id: str) -> TakeBack:
    """Ends the caller's own request, if it is open."""
    return _answer(takeback.withdraw(site(), seat_claim()))


@blueprint.operation(
    "agreeToTakeback", "POST /matches/<match_id>/takeback/consent", who=SEAT, body=Opinion, refuses=(409,)
)
def consent(body: Mapping[str, Any], match_id: str) -> TakeBack:
    """Agrees that somebody takes back a move, or declines, which ends the request. With the last consent it is done."""
    return _answer(takeback.give_consent(site(), seat_claim(), body["to"], agree=body["agree"]))
