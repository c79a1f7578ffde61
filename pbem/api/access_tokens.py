"""Access tokens, which a player gives to programs in place of links, and what such a program may know of the player."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal

from flask import url_for
from marshmallow import fields, validate
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import asdict

from pbem.answers import about
from pbem.api.protocol.bodies import BoundedInt, RequestSchema, Several, SingleLine
from pbem.api.protocol.callers import ACCOUNT, PLAYER, caller, site
from pbem.api.protocol.endpoints import Endpoints
from pbem.api.protocol.headers import once
from pbem.errors import N_
from pbem.services.access import access_tokens
from pbem.services.access.access_tokens import LONGEST_DAYS, SCOPES, Scope, TokenSheet, check_label
from pbem.services.players import open_matches, players
from pbem.services.players.open_matches import OpenMatches
from pbem.services.views import seats

_SCOPE = validate.OneOf(SCOPES, error=N_("A scope is “read”, “play” or “create”."))

blueprint = Endpoints("tokens", "Tokens that the caller makes for their programs, and who they are.")


class NewToken(RequestSchema):
    """The name, the scopes and the lifetime of a new token."""

    name = SingleLine(200, check_label, required=True, about="For which program: at most 60 letters.")
    scopes = Several(
        fields.String(validate=_SCOPE),
        required=True,
        validate=validate.Length(1, 9, error=N_("A token may do at least one thing.")),
        about="`read`: look at matches as the seat sees them. `play`: answer, talk, resign, change the "
        "calendar. `create`: start matches, invite, call off or leave before the start, logs, webhooks. "
        "None holds another.",
    )
    days = BoundedInt(
        1, LONGEST_DAYS, required=True, allow_none=True,
        about="How many days it holds good; null: until it is revoked."
    )  # fmt: skip


class TokenMade(TokenSheet, frozen=True):
    """A token that was just created. `token` is shown only once; it is null if the same request came before."""

    token: str | None


class Tokens(Struct, frozen=True):
    """The caller's valid tokens, newest first."""

    tokens: list[TokenSheet]


class CallerShown(Struct, frozen=True):
    """How the caller is authenticated: by an account link, which may do everything, or by an access token."""

    kind: Literal["account", "token"]
    scopes: list[Scope]
    expires_at: datetime | None


class Me(Struct, frozen=True):
    """The caller. An access token does not see the address."""

    name: Annotated[str, about("At the table that they came to last; “” without one.")]
    language: str
    zone: str
    caller: CallerShown
    open_matches: OpenMatches
    email: Annotated[str | UnsetType | None, about("With the token of an account link only.")] = UNSET


@blueprint.operation("getMe", "GET /me", who=PLAYER)
def me(player_id: int) -> Me:
    """Returns the caller, and what their token may do."""
    bearer = caller().bearer
    assert bearer is not None, "a player"
    found, by_link = players.read_account(site(), player_id), bearer.token_id is None
    scopes = [scope for scope in SCOPES if scope in bearer.scopes]
    return Me(
        name=seats.latest_name(site(), found),
        language=found.language,
        zone=found.zone,
        caller=CallerShown("account" if by_link else "token", scopes, bearer.expires_at),
        open_matches=open_matches.read_open_matches(site(), player_id),
        email=found.address if by_link else UNSET,
    )


@blueprint.operation("listTokens", "GET /me/tokens", who=ACCOUNT)
def tokens(player_id: int) -> Tokens:
    """Returns the caller's valid tokens."""
    return Tokens(access_tokens.list_tokens(site(), player_id))


@blueprint.operation(
    "makeToken",
    "POST /me/tokens",
    who=ACCOUNT,
    body=NewToken,
    example={"name": "My bot", "scopes": ["read", "play"], "days": 90},
    status=201,
    repeatable=True,
    refuses=(409,),
)
def make(body: Mapping[str, Any], player_id: int) -> tuple[TokenMade, dict[str, str]]:
    """Creates a token. It is shown in this answer only: the site keeps its hash."""
    made, token = access_tokens.make(site(), player_id, body["name"], body["scopes"], body["days"], once=once())
    return TokenMade(**asdict(made), token=token), {"Location": url_for("api-tokens.token", token_id=made.id)}


@blueprint.operation("getToken", "GET /me/tokens/<int:token_id>", who=ACCOUNT)
def token(token_id: int, player_id: int) -> TokenSheet:
    """Returns one of the caller's valid tokens."""
    return access_tokens.read_token(site(), player_id, token_id)


@blueprint.operation(
    "revokeToken",
    "DELETE /me/tokens/<int:token_id>",
    who=ACCOUNT,
    must_match=token,
)
def revoke(token_id: int, player_id: int) -> None:
    """Revokes a token: from now on it is refused. This cannot be undone."""
    access_tokens.revoke(site(), player_id, token_id)
