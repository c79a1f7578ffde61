"""Access tokens, which a player gives to programs in place of links, and what such a program may know of the player."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from flask import Response, g, url_for
from marshmallow import fields, validate

from pbem.api.protocol.bodies import BoundedInt, RequestSchema, ResponseSchema, SingleLine
from pbem.api.protocol.callers import ACCOUNT, PLAYER, Bearer, site
from pbem.api.protocol.endpoints import Endpoints, no_content
from pbem.api.protocol.idempotency import once
from pbem.clock import iso
from pbem.errors import N_
from pbem.services.access import access_tokens
from pbem.services.access.access_tokens import LONGEST_DAYS, SCOPES, Personal, checked_label
from pbem.services.players import open_matches, players
from pbem.services.views import seats

_SCOPE = validate.OneOf(SCOPES, error=N_("A scope is “read”, “play” or “create”."))

blueprint = Endpoints("tokens", "Tokens that the caller makes for their programs, and who they are.")


class NewToken(RequestSchema):
    """The name, the scopes and the lifetime of a new token."""

    name = SingleLine(
        200, checked_label, required=True, metadata={"description": "For which program: at most 60 letters."}
    )
    scopes = fields.List(
        fields.String(validate=_SCOPE),
        required=True,
        validate=validate.Length(1, 9, error=N_("A token may do at least one thing.")),
        metadata={
            "description": "`read`: look at matches as the seat sees them. `play`: answer, talk, resign, change the "
            "calendar. `create`: start matches, invite, call off or leave before the start, logs, webhooks. "
            "None holds another."
        },
    )
    days = BoundedInt(
        1, LONGEST_DAYS, required=True, allow_none=True,
        metadata={"description": "How many days it holds good; null: until it is revoked."},
    )  # fmt: skip


class TokenSheet(ResponseSchema):
    """A token as its owner sees it after it was created: `hint` is its last letters."""

    id = fields.Integer(required=True)
    name = fields.String(required=True)
    hint = fields.String(required=True)
    scopes = fields.List(fields.String(), required=True)
    created_at = fields.String(required=True, metadata={"format": "date-time"})
    expires_at = fields.String(required=True, allow_none=True, metadata={"format": "date-time"})
    used_at = fields.String(
        required=True, allow_none=True,
        metadata={"format": "date-time", "description": "When it was last used, give or take ten minutes."},
    )  # fmt: skip


class TokenMade(TokenSheet):
    """A token that was just created. `token` is shown only once; it is null if the same request came before."""

    token = fields.String(required=True, allow_none=True)


class Tokens(ResponseSchema):
    """The caller's valid tokens, newest first."""

    tokens = fields.List(fields.Nested(TokenSheet), required=True)


class CallerShown(ResponseSchema):
    """How the caller is authenticated: by an account link, which may do everything, or by an access token."""

    kind = fields.String(required=True, validate=validate.OneOf(("account", "token")))
    scopes = fields.List(fields.String(), required=True)
    expires_at = fields.String(required=True, allow_none=True, metadata={"format": "date-time"})


class OpenMatchesShown(ResponseSchema):
    """How many matches the caller has open, and how many they may have when they start another."""

    count = fields.Integer(required=True)
    most = fields.Integer(required=True, allow_none=True, metadata={"description": "Null where the site has no caps."})
    absences = fields.Integer(
        required=True, metadata={"description": "How often the caller was absent; each leaves three fewer."}
    )


class Me(ResponseSchema):
    """The caller. An access token does not see the address."""

    name = fields.String(
        required=True, metadata={"description": "At the table that they came to last; “” without one."}
    )
    language = fields.String(required=True)
    zone = fields.String(required=True)
    caller = fields.Nested(CallerShown, required=True)
    open_matches = fields.Nested(OpenMatchesShown, required=True)
    email = fields.String(metadata={"description": "With the token of an account link only."})


def _token_json(token: Personal) -> dict[str, Any]:
    return {
        "id": token.id, "name": token.name, "hint": token.hint, "scopes": list(token.scopes),
        "created_at": iso(token.created_at),
        "expires_at": iso(token.expires_at) if token.expires_at else None,
        "used_at": iso(token.used_at) if token.used_at else None,
    }  # fmt: skip


@blueprint.operation("getMe", "GET /me", who=PLAYER, gives=Me)
def me(player_id: int) -> dict[str, Any]:
    """Returns the caller, and what their token may do."""
    bearer: Bearer = g.bearer
    found = players.read_account(site(), player_id)
    caller = {
        "kind": "account" if bearer.token_id is None else "token",
        "scopes": [scope for scope in SCOPES if scope in bearer.scopes],
        "expires_at": iso(bearer.expires_at) if bearer.expires_at else None,
    }
    told = {
        "name": seats.latest_name(site(), found), "language": found.language, "zone": found.zone, "caller": caller,
        "open_matches": asdict(open_matches.read_open_matches(site(), player_id)),
    }  # fmt: skip
    return told if bearer.token_id is not None else {**told, "email": found.address}


@blueprint.operation("listTokens", "GET /me/tokens", who=ACCOUNT, gives=Tokens)
def tokens(player_id: int) -> dict[str, Any]:
    """Returns the caller's valid tokens."""
    return {"tokens": [_token_json(token) for token in access_tokens.list_tokens(site(), player_id)]}


@blueprint.operation(
    "makeToken",
    "POST /me/tokens",
    who=ACCOUNT,
    body=NewToken,
    example={"name": "My bot", "scopes": ["read", "play"], "days": 90},
    gives=(201, TokenMade),
    repeatable=True,
    refuses=(409,),
)
def make(body: Mapping[str, Any], player_id: int) -> tuple[dict[str, Any], dict[str, str]]:
    """Creates a token. It is shown in this answer only: the site keeps its hash."""
    made, token = access_tokens.make(site(), player_id, body["name"], body["scopes"], body["days"], once=once())
    return {**_token_json(made), "token": token}, {"Location": url_for("api-tokens.token", token_id=made.id)}


@blueprint.operation("getToken", "GET /me/tokens/<int:token_id>", who=ACCOUNT, gives=TokenSheet)
def token(token_id: int, player_id: int) -> dict[str, Any]:
    """Returns one of the caller's valid tokens."""
    return _token_json(access_tokens.read_token(site(), player_id, token_id))


@blueprint.operation(
    "revokeToken",
    "DELETE /me/tokens/<int:token_id>",
    who=ACCOUNT,
    gives=(204, None),
    if_match=token,
    if_match_required=True,
)
def revoke(token_id: int, player_id: int) -> Response:
    """Revokes a token: from now on it is refused. This cannot be undone."""
    access_tokens.revoke(site(), player_id, token_id)
    return no_content()
