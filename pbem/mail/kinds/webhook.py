"""Your webhook has been disabled."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from pbem.mail.letters import Kind, Letter


@dataclass(frozen=True, kw_only=True)
class WebhookOff(Letter):
    """The reader's webhook at `place` has been disabled: it has failed since `since`, or it has answered `gone`.

    It can be enabled again on `page_url`.
    """

    kind = "webhook"

    place: str
    gone: bool
    since: datetime | None
    page_url: str


KIND = Kind(WebhookOff)
