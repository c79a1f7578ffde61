"""Webhooks and their calls as their owner sees them, without anything that may be a secret."""

from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit

from pbem.clock import iso
from pbem.features.webhooks.tables import Delivery, Webhook


@dataclass(frozen=True)
class Hook:
    """A webhook as its owner sees it; its URL is redacted, because the path may be a secret."""

    id: int
    url: str
    kinds: tuple[str, ...]
    match: str | None
    about: str | None
    preset: str
    language: str
    state: str
    """One of "active", "failing" or "disabled"."""
    why: str | None
    created_at: datetime
    failing_since: datetime | None
    disabled_at: datetime | None
    rotated: int
    """How often its secret was rotated."""

    @property
    def will(self) -> tuple[object, ...]:
        """Returns the owner's settings, for detecting changes; unaffected by calls that fail or succeed."""
        disabled = iso(self.disabled_at) if self.disabled_at else None
        return self.kinds, self.rotated, disabled


@dataclass(frozen=True)
class Made:
    """A call, made or pending, as the webhook's owner sees it."""

    id: int
    kind: str
    match: str | None
    n: int
    created_at: datetime
    due_at: datetime
    done_at: datetime | None
    attempts: int
    result: str | None
    status: int | None
    error: str | None


def redacted_url(url: str) -> str:
    """Returns the URL without the part that may be a secret.

    >>> redacted_url("https://example.org:8443/hook?key=1")
    'https://example.org:8443/…'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}/…"


def webhook_sheet(hook: Webhook) -> Hook:
    """Returns the webhook as its owner sees it."""
    assert hook.id is not None, "a stored webhook has an id"
    state = "disabled" if hook.disabled_at else "failing" if hook.failing_since else "active"
    return Hook(
        hook.id, redacted_url(hook.url), tuple(hook.kinds.split()), hook.match_id, hook.about, hook.preset,
        hook.language, state, hook.why, hook.created_at, hook.failing_since, hook.disabled_at, hook.epoch,
    )  # fmt: skip


def call_sheet(row: Delivery) -> Made:
    """Returns the call as its webhook's owner sees it."""
    assert row.id is not None, "a stored call has an id"
    return Made(
        row.id, row.kind, row.match_id, row.n, row.created_at, row.due_at, row.done_at, row.attempts, row.result,
        row.status, row.error,
    )  # fmt: skip
