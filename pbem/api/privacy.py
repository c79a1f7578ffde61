"""A player's change of address, and erasure."""

from collections.abc import Mapping
from typing import Any

from flask import Response
from marshmallow import fields, validate

from pbem.api.access_tokens import me
from pbem.api.protocol.bodies import Line, Nothing, Query, Shown, Strict, Truth
from pbem.api.protocol.callers import ACCOUNT, account, site
from pbem.api.protocol.document import Endpoints
from pbem.api.protocol.preconditions import if_match
from pbem.api.protocol.problems import located
from pbem.errors import N_, Gone, Invalid
from pbem.services.players.players import checked_address
from pbem.services.privacy import address_change, erasure
from pbem.services.privacy.address_change import Pending

blueprint = Endpoints("privacy", "The caller's address, and erasing what is kept of him.")


class NewAddress(Strict):
    """The caller's new address. Both this address and the present one must confirm."""

    email = Line(254, checked_address, required=True)


class Farewell(Strict):
    """A request for erasure. With `never`, nothing is ever sent to the address again, even if somebody enters it."""

    confirm = fields.String(
        required=True,
        validate=validate.Equal("erase", error=N_("Send “erase” to confirm.")),
        metadata={"description": "The word “erase”."},
    )
    never = Truth(load_default=False)


class AddressChangeShown(Shown):
    """The pending change of address, if any, and which mailboxes have confirmed it."""

    state = fields.String(required=True, validate=validate.OneOf(("none", "pending")))
    email = fields.String(required=True, allow_none=True, metadata={"description": "The address that is wanted."})
    until = fields.AwareDateTime(required=True, allow_none=True)
    old = fields.Boolean(required=True, metadata={"description": "Whether the present mailbox has said yes."})
    new = fields.Boolean(required=True, metadata={"description": "Whether the new mailbox has said yes."})


class AddressAsked(Shown):
    """Whether the other mailbox has yet to confirm."""

    state = fields.String(required=True, validate=validate.OneOf(("waiting", "done")))


def _shown(found: Pending | None) -> dict[str, Any]:
    if found is None:
        return {"state": "none", "email": None, "until": None, "old": False, "new": False}
    return {"state": "pending", "email": found.address, "until": found.until, "old": found.old, "new": found.new}


def _nothing() -> Response:
    gone = Response(status=204)
    del gone.headers["Content-Type"]
    return gone


@blueprint.route("/me/address")
@blueprint.doc(operationId="getAddressChange", security=ACCOUNT)
@blueprint.refuses(401, 403)
@account
@blueprint.arguments(Query, location="query")
@blueprint.response(200, AddressChangeShown)
def change(query: Mapping[str, Any], player_id: int) -> dict[str, Any]:
    """Returns the caller's pending change of address."""
    return _shown(address_change.pending(site(), player_id))


@blueprint.route("/me/address", methods=["POST"])
@blueprint.doc(operationId="askAddressChange", security=ACCOUNT)
@blueprint.refuses(400, 401, 403, 412, 413, 415, 429, 503)
@account
@blueprint.arguments(Query, location="query")
@blueprint.arguments(NewAddress)
@blueprint.response(202, AddressChangeShown)
@if_match(change)
def ask_change(query: Mapping[str, Any], body: Mapping[str, str], player_id: int) -> dict[str, Any]:
    """Requests a change of address: both mailboxes get a mail, and both must confirm.

    The answer does not tell whether the address is known here. An earlier request becomes void.
    """
    try:
        return _shown(address_change.ask(site(), player_id, body["email"]))
    except Invalid as problem:
        raise located(problem, "email") from None


@blueprint.route("/me/address", methods=["DELETE"])
@blueprint.doc(operationId="withdrawAddressChange", security=ACCOUNT)
@blueprint.refuses(401, 403, 412, 503)
@account
@blueprint.arguments(Query, location="query")
@blueprint.response(204)
@if_match(change)
def withdraw_change(query: Mapping[str, Any], player_id: int) -> Response:
    """Withdraws the pending change of address, if any."""
    address_change.withdraw(site(), player_id)
    return _nothing()


@blueprint.route("/address/<token>", methods=["POST"])
@blueprint.doc(operationId="confirmAddressChange")
@blueprint.refuses(400, 401, 409, 413, 415, 503)
@blueprint.arguments(Query, location="query")
@blueprint.arguments(Nothing, required=False)
@blueprint.response(200, AddressAsked)
def confirm_change(query: Mapping[str, Any], body: Mapping[str, Any], token: str) -> dict[str, Any]:
    """Confirms a change for one of the two mailboxes; the token is the last segment of its mail's link. Idempotent."""
    state = address_change.confirm(site(), site().tokens.read_change(token))
    if state not in ("waiting", "done"):
        raise Gone(address_change.why(state))
    return {"state": state}


@blueprint.route("/me", methods=["DELETE"])
@blueprint.doc(operationId="eraseMe", security=ACCOUNT)
@blueprint.refuses(400, 401, 403, 412, 413, 415, 428, 503)
@account
@blueprint.arguments(Query, location="query")
@blueprint.arguments(Farewell)
@blueprint.response(204)
@if_match(me, required=True)
def erase_me(query: Mapping[str, Any], body: Mapping[str, Any], player_id: int) -> Response:
    """Erases the caller: address, names, words and tokens. The logs of their matches stay; they name seats only.

    The caller resigns from running matches; those they organise that have not begun are cancelled. It cannot be undone.
    """
    erasure.erase(site(), player_id, never=body["never"])
    return _nothing()
