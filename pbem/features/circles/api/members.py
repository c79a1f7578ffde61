"""Inviting to a circle, joining it, leaving it; how a member is mailed and listed."""

from collections.abc import Mapping
from typing import Any

from flask import Blueprint

from pbem.api.protocol.bodies import Nothing, RequestSchema, SingleLine, StrictBool
from pbem.api.protocol.callers import PLAYER, language, site
from pbem.features.circles import claims, joining, sheets
from pbem.features.circles.api.circles import blueprint, circle
from pbem.features.circles.api.sheets import ITS_NAME, CircleShown, circle_answer, claim_of
from pbem.services.players.players import check_address, normalise_name


class CircleName(RequestSchema):
    """What the caller is called in the circle."""

    name = SingleLine(200, normalise_name, required=True, metadata={"description": ITS_NAME})


class CircleGuest(RequestSchema):
    """Somebody to invite; without a name they choose their own."""

    name = SingleLine(200, normalise_name)
    email = SingleLine(254, check_address, required=True)


class MembershipChange(RequestSchema):
    """A change of the caller's membership; a missing field stays as it is."""

    muted = StrictBool(metadata={"description": "Whether they get no mails of the circle."})
    listed = StrictBool(metadata={"description": "Whether strangers see their name while the page is open."})


@blueprint.operation(
    "inviteToCircle",
    "POST /circles/<circle_id>/invitations",
    who=PLAYER,
    scopes=("create",),
    body=CircleGuest,
    example={"email": "carol@example.org"},
    status=204,
    refuses=(409, 429),
)
def invite(body: Mapping[str, Any], circle_id: str, player_id: int) -> None:
    """Invites somebody by mail. The answer does not tell whether they are known, or members already.

    Sent again, it invites nobody twice.
    """
    claim = claim_of(player_id, circle_id)
    joining.invite(site(), claim, body.get("name", ""), body["email"], language())


@blueprint.operation(
    "joinCircle",
    "POST /circle-links/<token>",
    who=PLAYER,
    scopes=("play", "read"),
    body=CircleName,
    example={"name": "Carol"},
    refuses=(404, 429),
)
def join(body: Mapping[str, Any], token: str, player_id: int) -> CircleShown:
    """Joins the circle of an invitation link, whose last segment is the token. A member stays one."""
    claim = site().tokens.read(claims.CircleClaim, token)
    return circle_answer(player_id, joining.join_at_once(site(), claim, player_id, body["name"]))


# Where programs have sent it before; one cannot tell this address from that of a circle called “join”.
Blueprint.add_url_rule(blueprint, "/circles/join/<token>", "join_before", join, methods=["POST"])


@blueprint.operation(
    "acceptCircle",
    "POST /circles/<circle_id>/accept",
    who=PLAYER,
    scopes=("play", "read"),
    body=CircleName,
    example={"name": "Carol"},
    refuses=(409, 429),
)
def accept(body: Mapping[str, Any], circle_id: str, player_id: int) -> CircleShown:
    """Accepts an invitation to a circle. A member stays one."""
    claim = claim_of(player_id, circle_id)
    sheet = sheets.read_member(site(), claim)
    joining.accept(site(), claim, sheet.language, sheet.zone, body["name"])
    return circle_answer(player_id, circle_id)


@blueprint.operation(
    "declineCircle",
    "POST /circles/<circle_id>/decline",
    who=PLAYER,
    body=Nothing,
    body_required=False,
    status=204,
    refuses=(409,),
)
def decline(circle_id: str, player_id: int) -> None:
    """Declines an invitation to a circle."""
    joining.decline(site(), claim_of(player_id, circle_id))


@blueprint.operation(
    "changeMembership",
    "PATCH /circles/<circle_id>/me",
    who=PLAYER,
    scopes=("play", "read"),
    body=MembershipChange,
    example={"muted": True},
    if_match=circle,
    refuses=(409,),
)
def change_membership(body: Mapping[str, Any], circle_id: str, player_id: int) -> CircleShown:
    """Stops the circle's mails to the caller, or hides their name from strangers."""
    claim = claim_of(player_id, circle_id)
    if "muted" in body:
        joining.set_muted(site(), claim, body["muted"])
    if "listed" in body:
        joining.set_listed(site(), claim, body["listed"])
    return circle_answer(player_id, circle_id)


@blueprint.operation(
    "removeMember",
    "DELETE /circles/<circle_id>/members/<int:member_id>",
    who=PLAYER,
    status=204,
    refuses=(403, 409),
)
def remove(circle_id: str, member_id: int, player_id: int) -> None:
    """Leaves the circle, if the member is the caller; else removes the member, for the founder.

    If the founder leaves, the longest member follows them; the last member's leaving dissolves the circle.
    """
    claim = claim_of(player_id, circle_id)
    if member_id == claim.member_id:
        joining.leave(site(), claim)
    else:
        joining.remove(site(), claim, member_id)
