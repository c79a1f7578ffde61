"""A player's webhooks: addresses of programs or chats that are called when something happens in their matches."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from flask import Response, url_for
from marshmallow import fields, validate

from pbem.api.protocol.bodies import BoundedInt, Nothing, Query, RequestSchema, ResponseSchema, SingleLine, StrictBool
from pbem.api.protocol.callers import PLAYER, site
from pbem.api.protocol.endpoints import Endpoints, no_content
from pbem.api.protocol.idempotency import once
from pbem.api.protocol.preconditions import seen_state
from pbem.clock import iso
from pbem.errors import N_
from pbem.features.webhooks import registry
from pbem.features.webhooks.chats import PRESETS
from pbem.features.webhooks.sheets import Hook, Made
from pbem.features.webhooks.subjects import all_kinds, known_subject
from pbem.kit.texts import LANGS
from pbem.services.safe_http import URL_LENGTH

_MOST_ID = 2**31 - 1
OTHER = known_subject()
"""What webhooks may be about in place of matches, whether its feature is on or off."""

_where = f", {OTHER.described.where}" if OTHER is not None else ""
blueprint = Endpoints(
    "webhooks",
    f"Addresses that are called when something happens in the caller's matches, with what they may see of it{_where}. "
    "Calls are signed as Standard Webhooks says, and come again until they arrive.",
)

PARTS = (blueprint,)
AFTER = "imports"


def _kinds(**more: Any) -> fields.List[str]:
    wrong = N_("A webhook can subscribe to “your_turn”, “moved” and “over”.")
    wrong = OTHER.described.wrong_kind if OTHER is not None else wrong
    return fields.List(
        fields.String(validate=validate.OneOf(all_kinds(), error=wrong)),
        validate=validate.Length(1, 9, error=N_("Choose at least one event for the webhook.")),
        **more,
    )


class NewWebhook(RequestSchema):
    """A new webhook: its address and its events."""

    url = SingleLine(
        URL_LENGTH, required=True,
        metadata={"description": "https, on a server of the public internet, port 443 or from 1024 on."},
    )  # fmt: skip
    kinds = _kinds(
        required=True,
        metadata={
            "description": "`your_turn`: the player is asked something. `moved`: the match has new entries. "
            "`over`: it has ended, or was called off." + (f" {OTHER.described.kinds}" if OTHER is not None else "")
        },
    )
    match = SingleLine(32, load_default=None, allow_none=True, metadata={"description": "Null: all their matches."})
    if OTHER is not None:
        vars()[OTHER.name] = SingleLine(
            32, load_default=None, allow_none=True, metadata={"description": OTHER.described.which}
        )  # fmt: skip
    preset = fields.String(
        load_default="standard",
        validate=validate.OneOf(PRESETS, error=N_("A webhook is “standard”, “discord” or “slack”.")),
        metadata={
            "description": "`standard`: signed JSON for a program. `discord`, `slack`: a message in words to a "
            "channel, of what everybody at the table may know; the address is that of the channel's own webhook."
        },
    )
    language = fields.String(
        load_default=None,
        allow_none=True,
        validate=validate.OneOf(LANGS, error=N_("The language must be “fr” or “en”.")),
        metadata={"description": "That of messages to a chat; null: the player's."},
    )


class WebhookChange(RequestSchema):
    """A change of a webhook; a missing field stays as it is."""

    kinds = _kinds()
    active = StrictBool(
        validate=validate.Equal(True, error=N_("Send true to enable a webhook; delete one that you no longer need.")),
        metadata={"description": "true: call it again. What happened meanwhile is not told."},
    )
    rotate = StrictBool(metadata={"description": "true: make another secret; the old one signs nothing from now on."})


class Deliver(Query):
    """Selects calls."""

    after = BoundedInt(
        0, _MOST_ID, digits=True, load_default=0, metadata={"description": "The `next` of the page before."}
    )


def _moment(**more: Any) -> fields.String:
    return fields.String(required=True, allow_none=True, metadata={"format": "date-time", **more})


class WebhookSheet(ResponseSchema):
    """A webhook as its owner sees it after it was created. `url` hides the parts of the address that may be secret."""

    id = fields.Integer(required=True)
    url = fields.String(required=True)
    kinds = fields.List(fields.String(), required=True)
    match = fields.String(required=True, allow_none=True)
    if OTHER is not None:
        vars()[OTHER.name] = fields.String(required=True, allow_none=True)
    preset = fields.String(required=True, validate=validate.OneOf(PRESETS))
    language = fields.String(required=True)
    state = fields.String(required=True, validate=validate.OneOf(("active", "failing", "disabled")))
    why = fields.String(
        required=True, allow_none=True,
        metadata={"description": "Why it is disabled: failed for a day, gone (the server said 410), host."},
    )  # fmt: skip
    created_at = fields.String(required=True, metadata={"format": "date-time"})
    failing_since = _moment(description="Since when no call has arrived.")
    disabled_at = _moment()
    rotated = fields.Integer(required=True, metadata={"description": "How often its secret was replaced."})


class WebhookMade(WebhookSheet):
    """A webhook that was just created or changed. `secret` is shown when it is created, and never again.

    It is null if no secret was created: for a chat, a change without rotation, or a repeated request.
    """

    secret = fields.String(required=True, allow_none=True)


class Webhooks(ResponseSchema):
    """The caller's webhooks, oldest first."""

    webhooks = fields.List(fields.Nested(WebhookSheet), required=True)


class DeliverySheet(ResponseSchema):
    """A call: its content and its result."""

    id = fields.Integer(required=True)
    kind = fields.String(required=True, validate=validate.OneOf((*all_kinds(), "ping")))
    match = fields.String(required=True, allow_none=True)
    n = fields.Integer(
        required=True,
        metadata={
            "description": "The version of the match that it tells"
            + (f"; {OTHER.described.number}." if OTHER is not None else ".")
        },
    )
    created_at = fields.String(required=True, metadata={"format": "date-time"})
    due_at = fields.String(required=True, metadata={"format": "date-time"})
    done_at = _moment(description="Null: it is still to be made.")
    attempts = fields.Integer(required=True)
    result = fields.String(
        required=True, allow_none=True,
        metadata={
            "description": "delivered; stale: there was nothing to tell any more; gone: the server said 410; dropped: "
            "the webhook was disabled, or for a day the server here could not say it."
        },
    )  # fmt: skip
    status = fields.Integer(
        required=True, allow_none=True, metadata={"description": "What the server answered last; null: nothing."}
    )
    error = fields.String(
        required=True, allow_none=True,
        metadata={
            "description": "Why there was no answer: address (its name leads nowhere, or not to a public server), "
            "connect, tls, timeout, answer (it was no HTTP)."
        },
    )  # fmt: skip


class Deliveries(ResponseSchema):
    """Calls of a webhook, newest first; `next` is the `after` of the following page, null at the end."""

    deliveries = fields.List(fields.Nested(DeliverySheet), required=True)
    next = fields.Integer(required=True, allow_none=True)


def _hook_json(hook: Hook) -> dict[str, Any]:
    moments = ("created_at", "failing_since", "disabled_at")
    said = asdict(hook) | {"kinds": list(hook.kinds)} | {name: _at(getattr(hook, name)) for name in moments}
    about = said.pop("about")
    return said if OTHER is None else said | {OTHER.name: about}


def _delivery_json(made: Made) -> dict[str, Any]:
    return asdict(made) | {name: _at(getattr(made, name)) for name in ("created_at", "due_at", "done_at")}


def _at(moment: Any) -> str | None:
    return iso(moment) if moment is not None else None


@blueprint.operation("listWebhooks", "GET /me/webhooks", who=PLAYER, gives=Webhooks)
def hooks(player_id: int) -> dict[str, Any]:
    """Returns the caller's webhooks."""
    return {"webhooks": [_hook_json(hook) for hook in registry.list_webhooks(site(), player_id)]}


@blueprint.operation(
    "makeWebhook",
    "POST /me/webhooks",
    who=PLAYER,
    scopes=("create", "read"),
    body=NewWebhook,
    example={"url": "https://example.org/hook", "kinds": ["your_turn", "over"]},
    gives=(201, WebhookMade),
    repeatable=True,
    refuses=(404, 409),
)
def make(body: Mapping[str, Any], player_id: int) -> tuple[dict[str, Any], dict[str, str]]:
    """Creates a webhook. Its secret is shown in this answer only. It is not called for past events."""
    hook, secret = registry.add(
        site(), player_id, body["url"], body["kinds"], body["preset"], body["match"], body["language"],
        body[OTHER.name] if OTHER is not None else None, once=once(),
    )  # fmt: skip
    return {**_hook_json(hook), "secret": secret}, {"Location": url_for("api-webhooks.hook", hook_id=hook.id)}


@blueprint.operation("getWebhook", "GET /me/webhooks/<int:hook_id>", who=PLAYER, gives=WebhookSheet)
def hook(hook_id: int, player_id: int) -> dict[str, Any]:
    """Returns one of the caller's webhooks."""
    return _hook_json(registry.read(site(), player_id, hook_id))


@blueprint.operation(
    "changeWebhook",
    "PATCH /me/webhooks/<int:hook_id>",
    who=PLAYER,
    scopes=("create", "read"),
    body=WebhookChange,
    example={"rotate": True},
    gives=WebhookMade,
    if_match=hook,
    if_match_required=True,
)
def change(body: Mapping[str, Any], hook_id: int, player_id: int) -> dict[str, Any]:
    """Changes the webhook's events, enables it again, or rotates its secret, which is shown in this answer only."""
    was: Mapping[str, Any] | None = seen_state()
    will = (tuple(was["kinds"]), was["rotated"], was["disabled_at"]) if was is not None else None
    hook, secret = registry.change(site(), player_id, hook_id, **body, was=will)
    return {**_hook_json(hook), "secret": secret}


@blueprint.operation(
    "deleteWebhook",
    "DELETE /me/webhooks/<int:hook_id>",
    who=PLAYER,
    scopes=("create",),
    gives=(204, None),
    if_match=hook,
    if_match_required=True,
)
def delete(hook_id: int, player_id: int) -> Response:
    """Deletes the webhook and the record of its calls. A call that is being made still arrives."""
    registry.remove(site(), player_id, hook_id)
    return no_content()


@blueprint.operation(
    "pingWebhook",
    "POST /me/webhooks/<int:hook_id>/ping",
    who=PLAYER,
    scopes=("create",),
    body=Nothing,
    body_required=False,
    gives=(202, DeliverySheet),
    repeatable=True,
    refuses=(409, 429),
)
def ping(hook_id: int, player_id: int) -> dict[str, Any]:
    """Sends a test call without content; at most one every ten seconds."""
    return _delivery_json(registry.ping(site(), player_id, hook_id, once()))


@blueprint.operation(
    "listDeliveries", "GET /me/webhooks/<int:hook_id>/deliveries", who=PLAYER, query=Deliver, gives=Deliveries
)
def deliveries(hook_id: int, player_id: int, after: int) -> dict[str, Any]:
    """Returns the webhook's calls of the last thirty days."""
    made, following = registry.deliveries(site(), player_id, hook_id, after)
    return {"deliveries": [_delivery_json(one) for one in made], "next": following}


@blueprint.operation(
    "redeliver",
    "POST /me/webhooks/<int:hook_id>/deliveries/<int:delivery_id>/redeliver",
    who=PLAYER,
    scopes=("create", "read"),
    body=Nothing,
    body_required=False,
    gives=(202, DeliverySheet),
    repeatable=True,
    refuses=(409, 429),
)
def redeliver(hook_id: int, delivery_id: int, player_id: int) -> dict[str, Any]:
    """Repeats a call under its old id, with its present content; at most one every ten seconds."""
    return _delivery_json(registry.redeliver(site(), player_id, hook_id, delivery_id, once()))
