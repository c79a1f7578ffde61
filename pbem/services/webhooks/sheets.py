"""Webhooks and their calls as their owner sees them, without what may be a secret."""

from dataclasses import dataclass
from datetime import datetime

from pbem.clock import iso
from pbem.models.hooks import Delivery, Webhook
from pbem.services.webhooks.safe_http import redacted_url


@dataclass(frozen=True)
class Hook:
    """A webhook as its owner sees it: of its address only where it leads, for the rest may be a secret."""

    id: int
    url: str
    kinds: tuple[str, ...]
    match: str | None
    preset: str
    language: str
    state: str
    """active, failing or disabled"""
    why: str | None
    created_at: datetime
    failing_since: datetime | None
    disabled_at: datetime | None
    rotated: int
    """How often its secret was made anew."""

    @property
    def will(self) -> tuple[object, ...]:
        """What its owner has decided about it, or is to: calls that fail or arrive change nothing of that."""
        disabled = iso(self.disabled_at) if self.disabled_at else None
        return self.kinds, self.rotated, disabled


@dataclass(frozen=True)
class Made:
    """A call that was made or is to be, as the webhook's owner sees it."""

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


def shown(hook: Webhook) -> Hook:
    """The webhook as its owner sees it."""
    assert hook.id is not None, "a stored webhook has an id"
    state = "disabled" if hook.disabled_at else "failing" if hook.failing_since else "active"
    return Hook(
        hook.id, redacted_url(hook.url), tuple(hook.kinds.split()), hook.match_id, hook.preset, hook.language, state,
        hook.why, hook.created_at, hook.failing_since, hook.disabled_at, hook.epoch,
    )  # fmt: skip


def called(row: Delivery) -> Made:
    """The call as its webhook's owner sees it."""
    assert row.id is not None, "a stored call has an id"
    return Made(
        row.id, row.kind, row.match_id, row.n, row.created_at, row.due_at, row.done_at, row.attempts, row.result,
        row.status, row.error,
    )  # fmt: skip
