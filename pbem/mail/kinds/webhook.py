"""Your webhook is called no more."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from pbem.mail.letters import Kind, Letter


@dataclass(frozen=True, kw_only=True)
class WebhookOff(Letter):
    """The reader's webhook that leads to `place` is called no more: since `since` it failed, or it has said `gone`.

    `page_url` is where it can be enabled again.
    """

    kind = "webhook"

    place: str
    gone: bool
    since: datetime | None
    page_url: str


KIND = Kind(WebhookOff)
