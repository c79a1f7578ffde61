"""A player's change of address, and erasure."""

from collections.abc import Mapping
from typing import Any

from flask import Response
from marshmallow import fields, validate

from pbem.api.access_tokens import me
from pbem.api.protocol.bodies import Nothing, RequestSchema, ResponseSchema, SingleLine, StrictBool
from pbem.api.protocol.callers import ACCOUNT, LINK, site
from pbem.api.protocol.endpoints import Endpoints, no_content
from pbem.api.protocol.problems import with_fields
from pbem.errors import N_, Gone, Invalid
from pbem.services.players.players import checked_address
from pbem.services.privacy import address_change, erasure
from pbem.services.privacy.address_change import Pending
from pbem.services.tokens import ChangeClaim

blueprint = Endpoints("privacy", "The caller's address, and erasing what is kept of them.")


class NewAddress(RequestSchema):
    """The caller's new address. Both this address and the present one must confirm."""

    email = SingleLine(254, checked_address, required=True)


class Farewell(RequestSchema):
    """A request for erasure. With `never`, nothing is ever sent to the address again, even if somebody enters it."""

    confirm = fields.String(
        required=True,
        validate=validate.Equal("erase", error=N_("Send “erase” to confirm.")),
        metadata={"description": "The word “erase”."},
    )
    never = StrictBool(load_default=False)


class AddressChangeShown(ResponseSchema):
    """The pending change of address, if any, and which mailboxes have confirmed it."""

    state = fields.String(required=True, validate=validate.OneOf(("none", "pending")))
    email = fields.String(required=True, allow_none=True, metadata={"description": "The address that is wanted."})
    until = fields.AwareDateTime(required=True, allow_none=True)
    old = fields.Boolean(required=True, metadata={"description": "Whether the present mailbox has said yes."})
    new = fields.Boolean(required=True, metadata={"description": "Whether the new mailbox has said yes."})


class AddressAsked(ResponseSchema):
    """Whether the other mailbox has yet to confirm."""

    state = fields.String(required=True, validate=validate.OneOf(("waiting", "done")))


def _change_json(found: Pending | None) -> dict[str, Any]:
    if found is None:
        return {"state": "none", "email": None, "until": None, "old": False, "new": False}
    return {"state": "pending", "email": found.address, "until": found.until, "old": found.old, "new": found.new}


@blueprint.operation("getAddressChange", "GET /me/address", who=ACCOUNT, gives=AddressChangeShown)
def change(player_id: int) -> dict[str, Any]:
    """Returns the caller's pending change of address."""
    return _change_json(address_change.pending(site(), player_id))


@blueprint.operation(
    "askAddressChange",
    "POST /me/address",
    who=ACCOUNT,
    body=NewAddress,
    gives=(202, AddressChangeShown),
    if_match=change,
    refuses=(429,),
)
def ask_change(body: Mapping[str, str], player_id: int) -> dict[str, Any]:
    """Requests a change of address: both mailboxes get a mail, and both must confirm.

    The answer does not tell whether the address is known here. An earlier request becomes void.
    """
    try:
        return _change_json(address_change.ask(site(), player_id, body["email"]))
    except Invalid as problem:
        raise with_fields(problem, "email") from None


@blueprint.operation("withdrawAddressChange", "DELETE /me/address", who=ACCOUNT, gives=(204, None), if_match=change)
def withdraw_change(player_id: int) -> Response:
    """Withdraws the pending change of address, if any."""
    address_change.withdraw(site(), player_id)
    return no_content()


@blueprint.operation(
    "confirmAddressChange", "POST /address/<token>", who=LINK, body=Nothing, body_required=False, gives=AddressAsked
)
def confirm_change(token: str) -> dict[str, Any]:
    """Confirms a change for one of the two mailboxes; the token is the last segment of its mail's link. Idempotent."""
    state = address_change.confirm(site(), site().tokens.read(ChangeClaim, token))
    if state not in ("waiting", "done"):
        raise Gone(address_change.why_closed(state))
    return {"state": state}


@blueprint.operation(
    "eraseMe", "DELETE /me", who=ACCOUNT, body=Farewell, gives=(204, None), if_match=me, if_match_required=True
)
def erase_me(body: Mapping[str, Any], player_id: int) -> Response:
    """Erases the caller: address, names, words and tokens. The logs of their matches stay; they name seats only.

    The caller resigns from running matches; those they organise that have not begun are cancelled. It cannot be undone.
    """
    erasure.erase(site(), player_id, never=body["never"])
    return no_content()
