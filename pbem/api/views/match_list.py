"""The matches of a player, for programs."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import marshmallow as ma
from flask import request
from marshmallow import fields, validate

from pbem.api.protocol.bodies import BoundedInt, Query, ResponseSchema, SingleLine
from pbem.api.protocol.callers import PLAYER, site
from pbem.api.protocol.endpoints import Endpoints
from pbem.api.protocol.problems import with_fields
from pbem.api.views.sheets import STATUSES, Outcome
from pbem.clock import iso
from pbem.errors import N_, Invalid
from pbem.services.views import match_list

PAGE, LARGEST_PAGE = 20, 100
SEAT_STATUSES = ("open", "invited", "accepted", "declined")

blueprint = Endpoints("mine", "The caller's matches.")


class Words(fields.String):
    """A comma-separated list of some of these words."""

    def __init__(self, known: tuple[str, ...], refusal: str, **more: Any) -> None:
        listed = "|".join(known)
        about = "Only those with one of these, with commas between."
        super().__init__(metadata={"pattern": f"^({listed})(,({listed}))*$", "description": about}, **more)
        self._known, self._refusal = known, refusal

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **more: Any) -> Any:
        said = super()._deserialize(value, attr, data, **more)
        words = str(said).split(",")
        if not set(words) <= set(self._known):
            raise ma.ValidationError(self._refusal)
        return words


class Flag(fields.Boolean):
    """`true` or `false` in an address."""

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **more: Any) -> Any:
        if value not in ("true", "false"):
            raise self.make_error("invalid", input=value)
        return value == "true"


class Which(Query):
    """Selects some of the caller's matches."""

    status = Words(STATUSES, N_("Each value is one of unconfirmed, inviting, running, paused, over, cancelled."))
    game = SingleLine(40, metadata={"description": "Only matches of the game with this slug."})
    turn = Flag(metadata={"description": "Only those where the caller is asked something, or only those where not."})
    seat = fields.String(
        validate=validate.OneOf(match_list.SEATED, error=N_("The seat is “accepted” or “invited”.")),
        metadata={"description": "Only those where the caller sits, or only those to which they are invited."},
    )
    after = SingleLine(200, metadata={"description": "`next` of the page before."})
    limit = BoundedInt(1, LARGEST_PAGE, digits=True, load_default=PAGE)


class BriefPlayer(ResponseSchema):
    """The player, or invited player, of a seat."""

    seat = fields.Integer(required=True)
    name = fields.String(required=True)
    bot = fields.String(required=True, allow_none=True)
    status = fields.String(required=True, validate=validate.OneOf(SEAT_STATUSES))


def _moment(about: str | None = None) -> fields.String:
    said = {"description": about} if about else {}
    return fields.String(required=True, allow_none=True, metadata={"format": "date-time", **said})


class MatchBrief(ResponseSchema):
    """A match in the caller's list; GET /matches/<id> says more."""

    id = fields.String(required=True)
    game = fields.String(required=True)
    status = fields.String(required=True, validate=validate.OneOf(STATUSES))
    version = fields.Integer(required=True)
    seat = fields.Integer(required=True, metadata={"description": "The caller's."})
    seat_status = fields.String(required=True, validate=validate.OneOf(match_list.SEATED))
    asked = fields.Boolean(required=True, metadata={"description": "Whether the caller is asked something."})
    deadline = _moment("Until when the caller is asked; null where they are not, or the match has no deadlines.")
    players = fields.List(fields.Nested(BriefPlayer), required=True)
    outcome = fields.Nested(Outcome, required=True, allow_none=True)
    cancelled = fields.String(required=True, allow_none=True)
    rematch_of = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "The match that this one plays again, where the caller sat there."},
    )
    created_at = fields.String(required=True, metadata={"format": "date-time"})
    started_at = _moment()
    ended_at = _moment()


class MyMatches(ResponseSchema):
    """A page of the caller's matches, newest first; send `next` as `after` for the following page."""

    matches = fields.List(fields.Nested(MatchBrief), required=True)
    next = fields.String(required=True, allow_none=True, metadata={"description": "Null on the last page."})


def _brief(one: match_list.Mine) -> dict[str, Any]:
    match = one.match
    return {
        "id": match.id, "game": match.game, "status": match.status, "version": match.version,
        "seat": one.own.seat, "seat_status": one.own.status,
        "asked": one.asked, "deadline": one.deadline and iso(one.deadline),
        "players": one.seats, "outcome": one.outcome, "cancelled": one.cancelled, "rematch_of": one.former,
        "created_at": iso(match.created_at), "started_at": match.started_at and iso(match.started_at),
        "ended_at": match.ended_at and iso(match.ended_at),
    }  # fmt: skip


def _link(cursor: str) -> str:
    """Returns the Link header to the next page of the same query."""
    asked = {**request.args.to_dict(), "after": cursor}
    return f'<{site().url(f"{request.path}?{urlencode(asked)}")}>; rel="next"'


@blueprint.operation("listMyMatches", "GET /me/matches", who=PLAYER, scopes=("read",), query=Which)
@blueprint.response(
    200,
    MyMatches,
    headers={"Link": {"schema": {"type": "string"}, "description": "The next page, where there is one: rel=next."}},
)
def matches(
    player_id: int, status: Sequence[str] = (), seat: str | None = None, **more: Any
) -> tuple[dict[str, Any], dict[str, str]]:
    """Returns the matches that the caller plays or is invited to, newest first."""
    seats = match_list.SEATED if seat is None else (seat,)
    wanted = match_list.Wanted(statuses=status, seats=seats, **more)
    try:
        found, cursor = match_list.page(site(), player_id, wanted)
    except Invalid as problem:
        raise with_fields(problem, "after") from None
    headers = {"Link": _link(cursor)} if cursor is not None else {}
    return {"matches": [_brief(one) for one in found], "next": cursor}, headers
