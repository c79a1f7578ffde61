"""Circles, their members and their standing tables as members see them. No address is ever told."""

from typing import Any

from marshmallow import fields

from pbem.api.protocol.bodies import ResponseSchema
from pbem.api.protocol.callers import site
from pbem.clock import iso
from pbem.features.circles import sheets
from pbem.features.circles.claims import MemberClaim
from pbem.features.circles.sheets import TableSheet

ITS_NAME = "What the others of the circle call the player: at most 24 letters."


class CircleMember(ResponseSchema):
    """A member of a circle."""

    id = fields.Integer(required=True)
    name = fields.String(required=True)
    founder = fields.Boolean(required=True)


class StandingTable(ResponseSchema):
    """A table that meets every week. `starts_at` is the next time."""

    id = fields.Integer(required=True)
    game = fields.String(required=True)
    weekday = fields.Integer(required=True, metadata={"description": "0 is Monday."})
    hour = fields.Integer(required=True)
    zone = fields.String(required=True)
    starts_at = fields.String(required=True, metadata={"format": "date-time"})
    asking = fields.Boolean(required=True, metadata={"description": "Whether members can say yes or no now."})
    yes = fields.List(fields.String(), required=True, metadata={"description": "The names of those who have said yes."})
    no = fields.List(fields.String(), required=True)
    yours = fields.Boolean(
        required=True, allow_none=True, metadata={"description": "Null: the caller has not answered."}
    )


class CircleShown(ResponseSchema):
    """A circle as one of its members sees it; to somebody who is invited, members and tables are empty."""

    id = fields.String(required=True)
    title = fields.String(required=True)
    status = fields.String(required=True, metadata={"description": "The caller's: invited or member."})
    name = fields.String(required=True, metadata={"description": "What the caller is called there."})
    member = fields.Integer(required=True, metadata={"description": "The caller's id as a member."})
    founder = fields.Boolean(required=True, metadata={"description": "Whether the caller is the founder."})
    open = fields.Boolean(required=True)
    muted = fields.Boolean(required=True)
    listed = fields.Boolean(required=True)
    size = fields.Integer(required=True)
    members = fields.List(fields.Nested(CircleMember), required=True)
    tables = fields.List(fields.Nested(StandingTable), required=True)
    matches = fields.List(fields.String(), required=True, metadata={"description": "Those that go on, newest first."})
    join_url = fields.String(
        required=True, allow_none=True, metadata={"description": "Whoever has it can join; null for the invited."}
    )


# --- reading -------------------------------------------------------------------------------------------------


def claim_of(player_id: int, circle_id: str) -> MemberClaim:
    """Returns the player's claim to act in the circle, as a member or invited. Raises NotFound."""
    return sheets.own_claim(site(), player_id, circle_id)


def circle_json(player_id: int, circle_id: str) -> dict[str, Any]:
    """Returns a circle of the player's as JSON. Raises NotFound."""
    sheet = sheets.read_circle(site(), claim_of(player_id, circle_id))
    token = sheet.join_token
    return {
        "id": sheet.id, "title": sheet.name, "status": sheet.you.status, "name": sheet.you.name,
        "member": sheet.you.id, "founder": sheet.founder, "open": sheet.open, "muted": sheet.you.muted,
        "listed": sheet.you.listed, "size": sheet.size,
        "members": [{"id": one.id, "name": one.name, "founder": one.founder} for one in sheet.members],
        "tables": [table_json(one) for one in sheet.tables], "matches": [one.id for one in sheet.matches],
        "join_url": site().url(f"/circle/join/{token}") if token is not None else None,
    }  # fmt: skip


def table_json(one: TableSheet) -> dict[str, Any]:
    """Returns a standing table as JSON."""
    return {
        "id": one.id, "game": one.game.meta.slug, "weekday": one.weekday, "hour": one.hour, "zone": one.zone,
        "starts_at": iso(one.starts_at), "asking": one.occasion_id is not None, "yes": list(one.yes),
        "no": list(one.no), "yours": one.yours,
    }  # fmt: skip
