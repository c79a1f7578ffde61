"""Circles, and who belongs to them: founding, reading, what the founder changes; inviting, joining, leaving."""

from collections.abc import Mapping
from dataclasses import replace
from functools import wraps
from typing import Annotated, Any

from flask import Blueprint, request, url_for
from msgspec import Struct, convert

from pbem.answers import about
from pbem.api.protocol.bodies import Nothing, RequestSchema, SingleLine, StrictBool
from pbem.api.protocol.callers import PLAYER, language, site
from pbem.api.protocol.endpoints import Endpoints
from pbem.api.protocol.headers import idempotency_key, state_seen
from pbem.features.circles import founding, joining, scores, sheets
from pbem.features.circles.claims import CircleClaim, MemberClaim
from pbem.features.circles.rows import TITLE_LENGTH, check_circle_name
from pbem.features.circles.scores import GameScores
from pbem.features.circles.sheets import CircleLine, CircleMember, StandingTable
from pbem.services.players.players import check_address, normalise_name

ITS_NAME = "What the others of the circle call the player: at most 24 letters."


def _authenticate_and_pass_claim(view: Any) -> Any:
    @wraps(view)
    def wrapper(*args: Any, player_id: int, **kwargs: Any) -> Any:
        circle_id = (request.view_args or {}).get("circle_id")
        if circle_id is None:
            return view(*args, player_id=player_id, **kwargs)
        kwargs.pop("circle_id", None)
        return view(*args, claim=sheets.claim_of_player(site(), player_id, circle_id), **kwargs)

    return PLAYER.admit(wrapper)


blueprint = Endpoints(
    "circles",
    "Named groups of players who start matches with each other by names, and whose tables can meet every week.",
    who=replace(PLAYER, admit=_authenticate_and_pass_claim),
)
"""A player, as a member or invited: at the address of a circle, the view gets `claim` in place of who and where."""


class NewCircle(RequestSchema):
    """A new circle, and what its founder is called there."""

    title = SingleLine(200, check_circle_name, required=True, about=f"At most {TITLE_LENGTH} letters.")
    name = SingleLine(200, normalise_name, required=True, about=ITS_NAME)


class CircleChange(RequestSchema):
    """A change by the founder; a missing field stays as it is."""

    title = SingleLine(200, check_circle_name)
    open = StrictBool(
        about="Whether strangers see its page: its name, its standings, and the names of those who agree."
    )


class CircleName(RequestSchema):
    """What the caller is called in the circle."""

    name = SingleLine(200, normalise_name, required=True, about=ITS_NAME)


class CircleGuest(RequestSchema):
    """Somebody to invite; without a name they choose their own."""

    name = SingleLine(200, normalise_name)
    email = SingleLine(254, check_address, required=True)


class MembershipChange(RequestSchema):
    """A change of the caller's membership; a missing field stays as it is."""

    muted = StrictBool(about="Whether they get no mails of the circle.")
    listed = StrictBool(about="Whether strangers see their name while the page is open.")


class CircleShown(Struct, frozen=True):
    """A circle as one of its members sees it; to somebody who is invited, members and tables are empty."""

    id: str
    title: str
    status: Annotated[str, about("The caller's: invited or member.")]
    name: Annotated[str, about("What the caller is called there.")]
    member: Annotated[int, about("The caller's id as a member.")]
    founder: Annotated[bool, about("Whether the caller is the founder.")]
    open: bool
    muted: bool
    listed: bool
    size: int
    members: tuple[CircleMember, ...]
    tables: list[StandingTable]
    matches: Annotated[list[str], about("Those that go on, newest first.")]
    join_url: Annotated[str | None, about("Everybody who has it can join; null for the invited.")]


class Circles(Struct, frozen=True):
    """The caller's circles, and those that invite them."""

    circles: tuple[CircleLine, ...]


class CircleStandings(Struct, frozen=True):
    """The standings of a circle, game by game; only matches that were started in it count."""

    games: tuple[GameScores, ...]


def _circle_as_sent(claim: MemberClaim) -> CircleShown:
    sheet = sheets.read_circle(site(), claim)
    you, token = sheet.you, sheet.join_token
    return CircleShown(
        sheet.id, sheet.name, you.status, you.name, claim.member_id, sheet.founder, sheet.open, you.muted, you.listed,
        sheet.size, sheet.members, [convert(one, StandingTable, from_attributes=True) for one in sheet.tables],
        [one.id for one in sheet.matches], site().url(f"/circle/join/{token}") if token is not None else None,
    )  # fmt: skip


@blueprint.operation("listCircles", "GET /circles")
def circles(player_id: int) -> Circles:
    """Returns the caller's circles, and those that invite them."""
    return Circles(sheets.read_circles_of_player(site(), player_id))


@blueprint.operation("getCircle", "GET /circles/<circle_id>")
def circle(claim: MemberClaim) -> CircleShown:
    """Returns a circle of the caller's. One of others is not found, whether it exists or not."""
    return _circle_as_sent(claim)


@blueprint.operation("getCircleStandings", "GET /circles/<circle_id>/standings")
def standings(claim: MemberClaim) -> CircleStandings:
    """Returns the standings of a circle of the caller's."""
    sheet = sheets.read_circle_briefly(site(), claim)
    found = scores.read_scores(site(), claim) if sheet.you.status == "member" else ()
    return CircleStandings(found)


@blueprint.operation(
    "foundCircle",
    "POST /circles",
    scopes=("create", "read"),
    body=NewCircle,
    example={"title": "Les Lacs", "name": "Alice"},
    status=201,
    repeatable=True,
    refuses=(429,),
)
def found(body: Mapping[str, Any], player_id: int) -> tuple[CircleShown, dict[str, str]]:
    """Founds a circle with the caller as its founder and only member."""
    made = founding.found_circle(site(), player_id, body["title"], body["name"], once=idempotency_key())
    return _circle_as_sent(sheets.claim_of_player(site(), player_id, made)), {
        "Location": url_for("api-circles.circle", circle_id=made)
    }


@blueprint.operation(
    "changeCircle",
    "PATCH /circles/<circle_id>",
    scopes=("create", "read"),
    body=CircleChange,
    example={"title": "Les Lacs"},
    if_match=circle,
    refuses=(403, 409, 429),
)
def change(body: Mapping[str, Any], claim: MemberClaim) -> CircleShown:
    """Renames the circle, or opens or closes its page, for its founder. An opening is announced by mail."""
    seen = state_seen()
    was = seen["title"] if seen is not None else None
    founding.change_circle(site(), claim, title=body.get("title"), opened=body.get("open"), was=was)
    return _circle_as_sent(claim)


@blueprint.operation(
    "renewCircleLink",
    "POST /circles/<circle_id>/link",
    scopes=("create", "read"),
    body=Nothing,
    if_match=circle,
    refuses=(403, 409),
)
def renew_link(claim: MemberClaim) -> CircleShown:
    """Replaces the invitation link, for the founder: the old one ends."""
    founding.renew_link(site(), claim)
    return _circle_as_sent(claim)


# --- members ------------------------------------------------------------------------------------------------------


@blueprint.operation(
    "inviteToCircle",
    "POST /circles/<circle_id>/invitations",
    scopes=("create",),
    body=CircleGuest,
    example={"email": "carol@example.org"},
    refuses=(409, 429),
)
def invite(body: Mapping[str, Any], claim: MemberClaim) -> None:
    """Invites somebody by mail. The answer does not tell whether they are known, or members already.

    Sent again, it invites nobody twice.
    """
    joining.invite_address(site(), claim, body.get("name", ""), body["email"], language())


@blueprint.operation(
    "joinCircle",
    "POST /circle-links/<token>",
    scopes=("play", "read"),
    body=CircleName,
    example={"name": "Carol"},
    refuses=(404, 429),
)
def join(body: Mapping[str, Any], token: str, player_id: int) -> CircleShown:
    """Joins the circle of an invitation link, whose last segment is the token. A member stays one."""
    circle_id = joining.join_signed_in(site(), site().tokens.read(CircleClaim, token), player_id, body["name"])
    return _circle_as_sent(sheets.claim_of_player(site(), player_id, circle_id))


# Where programs have sent it before; one cannot tell this address from that of a circle called “join”.
Blueprint.add_url_rule(blueprint, "/circles/join/<token>", "join_before", join, methods=["POST"])


@blueprint.operation(
    "acceptCircle",
    "POST /circles/<circle_id>/accept",
    scopes=("play", "read"),
    body=CircleName,
    example={"name": "Carol"},
    refuses=(409, 429),
)
def accept(body: Mapping[str, Any], claim: MemberClaim) -> CircleShown:
    """Accepts an invitation to a circle. A member stays one."""
    sheet = sheets.read_circle_briefly(site(), claim)
    joining.accept_invitation(site(), claim, sheet.language, sheet.zone, body["name"])
    return _circle_as_sent(claim)


@blueprint.operation("declineCircle", "POST /circles/<circle_id>/decline", body=Nothing, refuses=(409,))
def decline(claim: MemberClaim) -> None:
    """Declines an invitation to a circle."""
    joining.decline_invitation(site(), claim)


@blueprint.operation(
    "changeMembership",
    "PATCH /circles/<circle_id>/me",
    scopes=("play", "read"),
    body=MembershipChange,
    example={"muted": True},
    if_match=circle,
    refuses=(409,),
)
def change_membership(body: Mapping[str, Any], claim: MemberClaim) -> CircleShown:
    """Stops the circle's mails to the caller, or hides their name from strangers."""
    joining.set_member_muted_or_listed(site(), claim, **body)
    return _circle_as_sent(claim)


@blueprint.operation("removeMember", "DELETE /circles/<circle_id>/members/<int:member_id>", refuses=(403, 409))
def remove(member_id: int, claim: MemberClaim) -> None:
    """Leaves the circle, if the member is the caller; else removes the member, for the founder.

    If the founder leaves, the longest member follows them; the last member's leaving dissolves the circle.
    """
    if member_id == claim.member_id:
        joining.leave_circle(site(), claim)
    else:
        joining.remove_member(site(), claim, member_id)
