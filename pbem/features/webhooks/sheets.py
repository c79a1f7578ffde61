"""Webhooks and their calls as their owner sees them, without anything that may be a secret."""

from datetime import datetime
from typing import Annotated, Any, Literal, cast
from urllib.parse import urlsplit

from msgspec import NODEFAULT, UNSET, Struct, UnsetType

from pbem import answers
from pbem.answers import one_of
from pbem.clock import iso_format
from pbem.features.webhooks.chats import PRESETS
from pbem.features.webhooks.subjects import all_kinds, subject_of_all_features
from pbem.features.webhooks.tables import Delivery, Webhook

State = Literal["active", "failing", "disabled"]
OTHER = subject_of_all_features()
"""What webhooks may be about in place of matches, whether its feature is on or off."""


class WebhookSheet(Struct, frozen=True, rename={"about": OTHER.name} if OTHER is not None else None):
    """A webhook as its owner sees it after it was created. `url` hides the parts of the address that may be secret."""

    id: int
    url: str
    kinds: tuple[str, ...]
    match: str | None
    preset: Annotated[str, one_of(PRESETS)]
    language: str
    state: State
    why: Annotated[str | None, answers.about("Why it is disabled: failed for a day, gone (the server said 410), host.")]
    created_at: datetime
    failing_since: Annotated[datetime | None, answers.about("Since when no call has arrived.")]
    disabled_at: datetime | None
    rotated: Annotated[int, answers.about("How often its secret was replaced.")]
    about: str | UnsetType | None = cast(Any, UNSET if OTHER is None else NODEFAULT)

    @property
    def owner_settings(self) -> tuple[object, ...]:
        """Returns the owner's settings, for detecting changes; unaffected by calls that fail or succeed."""
        disabled = iso_format(self.disabled_at) if self.disabled_at else None
        return self.kinds, self.rotated, disabled


class DeliverySheet(Struct, frozen=True):
    """A call: its content and its result."""

    id: int
    kind: Annotated[str, one_of((*all_kinds(), "ping"))]
    match: str | None
    n: Annotated[
        int,
        answers.about(
            "The version of the match that it tells" + (f"; {OTHER.told_number}." if OTHER is not None else ".")
        ),
    ]
    created_at: datetime
    due_at: datetime
    done_at: Annotated[datetime | None, answers.about("Null: it is still to be made.")]
    attempts: int
    result: Annotated[
        str | None,
        answers.about(
            "delivered; stale: there was nothing to tell any more; gone: the server said 410; dropped: "
            "the webhook was disabled, or for a day the server here could not say it."
        ),
    ]
    status: Annotated[int | None, answers.about("What the server answered last; null: nothing.")]
    error: Annotated[
        str | None,
        answers.about(
            "Why there was no answer: address (its name leads nowhere, or not to a public server), "
            "connect, tls, timeout, answer (it was no HTTP)."
        ),
    ]


def redact_url(url: str) -> str:
    """Returns the URL without the part that may be a secret.

    >>> redact_url("https://example.org:8443/hook?key=1")
    'https://example.org:8443/…'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}/…"


def webhook_sheet(hook: Webhook) -> WebhookSheet:
    """Returns the webhook as its owner sees it."""
    state: State = "disabled" if hook.disabled_at else "failing" if hook.failing_since else "active"
    return answers.answer_from(
        WebhookSheet, hook, url=redact_url(hook.url), kinds=tuple(hook.kinds.split()), match=hook.match_id, state=state,
        rotated=hook.epoch, about=UNSET if OTHER is None else hook.about,
    )  # fmt: skip


def call_sheet(row: Delivery) -> DeliverySheet:
    """Returns the call as its webhook's owner sees it."""
    return answers.answer_from(DeliverySheet, row, match=row.match_id)
