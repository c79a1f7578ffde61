"""A player's webhooks: addresses of programs or chats that are called when something happens in their matches."""

from collections.abc import Mapping
from typing import Any

from flask import url_for
from marshmallow import fields, validate
from msgspec import Struct
from msgspec.structs import asdict

from pbem.api.protocol.bodies import BoundedInt, Nothing, Query, RequestSchema, SingleLine, StrictBool, Text, Word
from pbem.api.protocol.callers import PLAYER, site
from pbem.api.protocol.endpoints import Endpoints
from pbem.api.protocol.headers import idempotency_key, state_seen
from pbem.errors import N_
from pbem.features.safe_http import URL_LENGTH
from pbem.features.webhooks import registry
from pbem.features.webhooks.chats import PRESETS
from pbem.features.webhooks.payloads import MatchCall, PingCall
from pbem.features.webhooks.sheets import OTHER, DeliverySheet, WebhookSheet
from pbem.features.webhooks.subjects import all_kinds
from pbem.kit.texts import LANGS

_MOST_ID = 2**31 - 1

_where = f", {OTHER.told_where}" if OTHER is not None else ""
blueprint = Endpoints(
    "webhooks",
    f"Addresses that are called when something happens in the caller's matches, with what they may see of it{_where}. "
    "Calls are signed as Standard Webhooks says, and come again until they arrive.",
    who=PLAYER,
)

PARTS = (blueprint,)
blueprint.call("matchCall", "Something happened in a match of the caller.", MatchCall)
for called in OTHER.calls if OTHER is not None else ():
    blueprint.call(*called)
blueprint.call("pingCall", "The caller, or the host, tests the webhook.", PingCall)
AFTER = "imports"


def _kinds_field(**more: Any) -> fields.List[str]:
    wrong = N_("A webhook can subscribe to “your_turn”, “moved” and “over”.")
    wrong = OTHER.wrong_kind if OTHER is not None else wrong
    return fields.List(
        Word(all_kinds(), wrong),
        validate=validate.Length(1, 9, error=N_("Choose at least one event for the webhook.")),
        **more,
    )


class NewWebhook(RequestSchema):
    """A new webhook: its address and its events."""

    url = SingleLine(
        URL_LENGTH, required=True,
        about="https, on a server of the public internet, port 443 or from 1024 on."
    )  # fmt: skip
    kinds = _kinds_field(
        required=True,
        metadata={
            "description": "`your_turn`: the player is asked something. `moved`: the match has new entries. "
            "`over`: it has ended, or was called off." + (f" {OTHER.told_kinds}" if OTHER is not None else "")
        },
    )
    match = SingleLine(32, load_default=None, allow_none=True, about="Null: all their matches.")
    if OTHER is not None:
        vars()[OTHER.name] = SingleLine(
            32, load_default=None, allow_none=True, about=OTHER.told_which
        )  # fmt: skip
    preset = Text(
        load_default="standard",
        validate=validate.OneOf(PRESETS, error=N_("A webhook is “standard”, “discord” or “slack”.")),
        about="`standard`: signed JSON for a program. `discord`, `slack`: a message in words to a "
        "channel, of what everybody at the table may know; the address is that of the channel's own webhook.",
    )
    language = Text(
        load_default=None,
        allow_none=True,
        validate=validate.OneOf(LANGS, error=N_("The language must be “fr” or “en”.")),
        about="That of messages to a chat; null: the player's.",
    )


class WebhookChange(RequestSchema):
    """A change of a webhook; a missing field stays as it is."""

    kinds = _kinds_field()
    active = StrictBool(
        validate=validate.Equal(True, error=N_("Send true to enable a webhook; delete one that you no longer need.")),
        about="true: call it again. What happened meanwhile is not told.",
    )
    rotate = StrictBool(about="true: make another secret; the old one signs nothing from now on.")


class Deliver(Query):
    """Selects calls."""

    after = BoundedInt(0, _MOST_ID, digits=True, load_default=0, about="The `next` of the page before.")


class WebhookMade(WebhookSheet, frozen=True, kw_only=True):
    """A webhook that was just created or changed. `secret` is shown when it is created, and never again.

    It is null if no secret was created: for a chat, a change without rotation, or a repeated request.
    """

    secret: str | None


class Webhooks(Struct, frozen=True):
    """The caller's webhooks, oldest first."""

    webhooks: list[WebhookSheet]


class Deliveries(Struct, frozen=True):
    """Calls of a webhook, newest first; `next` is the `after` of the following page, null at the end."""

    deliveries: list[DeliverySheet]
    next: int | None


@blueprint.operation("listWebhooks", "GET /me/webhooks")
def hooks(player_id: int) -> Webhooks:
    """Returns the caller's webhooks."""
    return Webhooks(registry.list_webhooks(site(), player_id))


@blueprint.operation(
    "makeWebhook",
    "POST /me/webhooks",
    scopes=("create", "read"),
    body=NewWebhook,
    example={"url": "https://example.org/hook", "kinds": ["your_turn", "over"]},
    status=201,
    repeatable=True,
    refuses=(404, 409),
)
def make(body: Mapping[str, Any], player_id: int) -> tuple[WebhookMade, dict[str, str]]:
    """Creates a webhook. Its secret is shown in this answer only. It is not called for past events."""
    hook, secret = registry.add_webhook(
        site(), player_id, body["url"], body["kinds"], body["preset"], body["match"], body["language"],
        body[OTHER.name] if OTHER is not None else None, once=idempotency_key(),
    )  # fmt: skip
    return WebhookMade(**asdict(hook), secret=secret), {"Location": url_for("api-webhooks.hook", hook_id=hook.id)}


@blueprint.operation("getWebhook", "GET /me/webhooks/<int:hook_id>")
def hook(hook_id: int, player_id: int) -> WebhookSheet:
    """Returns one of the caller's webhooks."""
    return registry.read_webhook(site(), player_id, hook_id)


@blueprint.operation(
    "changeWebhook",
    "PATCH /me/webhooks/<int:hook_id>",
    scopes=("create", "read"),
    body=WebhookChange,
    example={"rotate": True},
    must_match=hook,
)
def change(body: Mapping[str, Any], hook_id: int, player_id: int) -> WebhookMade:
    """Changes the webhook's events, enables it again, or rotates its secret, which is shown in this answer only."""
    was: Mapping[str, Any] | None = state_seen()
    will = (tuple(was["kinds"]), was["rotated"], was["disabled_at"]) if was is not None else None
    hook, secret = registry.change_webhook(site(), player_id, hook_id, **body, was=will)
    return WebhookMade(**asdict(hook), secret=secret)


@blueprint.operation("deleteWebhook", "DELETE /me/webhooks/<int:hook_id>", scopes=("create",), must_match=hook)
def delete(hook_id: int, player_id: int) -> None:
    """Deletes the webhook and the record of its calls. A call that is being made still arrives."""
    registry.remove_webhook(site(), player_id, hook_id)


@blueprint.operation(
    "pingWebhook",
    "POST /me/webhooks/<int:hook_id>/ping",
    scopes=("create",),
    body=Nothing,
    status=202,
    repeatable=True,
    refuses=(409, 429),
)
def ping(hook_id: int, player_id: int) -> DeliverySheet:
    """Sends a test call without content; at most one every ten seconds."""
    return registry.send_test_call(site(), player_id, hook_id, idempotency_key())


@blueprint.operation("listDeliveries", "GET /me/webhooks/<int:hook_id>/deliveries", query=Deliver)
def deliveries(hook_id: int, player_id: int, after: int) -> Deliveries:
    """Returns the webhook's calls of the last thirty days."""
    return Deliveries(*registry.list_calls(site(), player_id, hook_id, after))


@blueprint.operation(
    "redeliver",
    "POST /me/webhooks/<int:hook_id>/deliveries/<int:delivery_id>/redeliver",
    scopes=("create", "read"),
    body=Nothing,
    status=202,
    repeatable=True,
    refuses=(409, 429),
)
def redeliver(hook_id: int, delivery_id: int, player_id: int) -> DeliverySheet:
    """Repeats a call under its old id, with its present content; at most one every ten seconds."""
    return registry.redeliver_call(site(), player_id, hook_id, delivery_id, idempotency_key())
