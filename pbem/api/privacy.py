"""A player's change of address, and erasure."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from marshmallow import validate
from msgspec import Meta, Struct

from pbem.answers import about, one_of
from pbem.api.preferences import me
from pbem.api.protocol.bodies import Nothing, RequestSchema, SingleLine, StrictBool, Text
from pbem.api.protocol.callers import ACCOUNT, LINK, site
from pbem.api.protocol.endpoints import Endpoints
from pbem.errors import N_, Gone
from pbem.services.players.players import check_address
from pbem.services.privacy import address_change, erasure
from pbem.services.privacy.address_change import Pending
from pbem.services.tokens import ChangeClaim

blueprint = Endpoints("privacy", "The caller's address, and erasing what is kept of them.", who=ACCOUNT)


class NewAddress(RequestSchema):
    """The caller's new address. Both this address and the present one must confirm."""

    email = SingleLine(254, check_address, required=True)


class Farewell(RequestSchema):
    """A request for erasure. With `never`, nothing is ever sent to the address again, even if somebody enters it."""

    confirm = Text(
        required=True, validate=validate.Equal("erase", error=N_("Send “erase” to confirm.")), about="The word “erase”."
    )
    never = StrictBool(load_default=False)


class AddressChange(Struct, frozen=True):
    """The pending change of address, if any, and which mailboxes have confirmed it."""

    state: Literal["none", "pending"] = "none"
    email: Annotated[str | None, about("The address that is wanted.")] = None
    until: Annotated[str | None, Meta(extra_json_schema={"format": "date-time"})] = None
    old: Annotated[bool, about("Whether the present mailbox has said yes.")] = False
    new: Annotated[bool, about("Whether the new mailbox has said yes.")] = False


class AddressAsked(Struct, frozen=True):
    """Whether the other mailbox has yet to confirm."""

    state: Annotated[str, one_of(("waiting", "done"))]


def _address_change(found: Pending | None) -> AddressChange:
    if found is None:
        return AddressChange()
    return AddressChange("pending", found.address, found.until.isoformat(), found.old, found.new)


@blueprint.operation("getAddressChange", "GET /me/address")
def pending_address_change(player_id: int) -> AddressChange:
    """Returns the caller's pending change of address."""
    return _address_change(address_change.pending_change(site(), player_id))


@blueprint.operation(
    "askAddressChange", "POST /me/address", body=NewAddress, status=202, if_match=pending_address_change, refuses=(429,)
)
def ask_address_change(body: Mapping[str, str], player_id: int) -> AddressChange:
    """Requests a change of address: both mailboxes get a mail, and both must confirm.

    The answer does not tell whether the address is known here. An earlier request becomes void.
    """
    return _address_change(address_change.request_change(site(), player_id, body["email"]))


@blueprint.operation("withdrawAddressChange", "DELETE /me/address", if_match=pending_address_change)
def cancel_address_change(player_id: int) -> None:
    """Withdraws the pending change of address, if any."""
    address_change.withdraw_change(site(), player_id)


@blueprint.operation("confirmAddressChange", "POST /address/<token>", who=LINK, body=Nothing)
def confirm_address_change(token: str) -> AddressAsked:
    """Confirms a change for one of the two mailboxes; the token is the last segment of its mail's link. Idempotent."""
    state = address_change.agree_to_change(site(), site().tokens.read(ChangeClaim, token))
    if state not in ("waiting", "done"):
        raise Gone(address_change.why_change_is_closed(state))
    return AddressAsked(state)


@blueprint.operation("eraseMe", "DELETE /me", body=Farewell, must_match=me)
def erase_me(body: Mapping[str, Any], player_id: int) -> None:
    """Erases the caller: address, names, words and tokens. The logs of their matches stay; they name seats only.

    The caller resigns from running matches; those they organise that have not begun are cancelled. It cannot be undone.
    """
    erasure.erase_player(site(), player_id, never=body["never"])
