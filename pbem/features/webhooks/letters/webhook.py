"""Your webhook has been disabled. The row's key names it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from pbem.features.webhooks.sheets import redact_url
from pbem.features.webhooks.tables import Webhook
from pbem.mail.letters import Kind, Letter
from pbem.services.mail.letter_context import LetterContext


@dataclass(frozen=True, kw_only=True)
class WebhookOff(Letter):
    """The reader's webhook at `place` has been disabled: it has failed since `since`, or it has answered `gone`.

    It can be enabled again on `page_url`.
    """

    place: str
    gone: bool
    since: datetime | None
    page_url: str


def build(context: LetterContext) -> WebhookOff | str:
    """Returns the letter; stale once the webhook is enabled again."""
    hook = context.session.get(Webhook, int(context.row.key or 0))
    if hook is None or hook.disabled_at is None or hook.player_id != context.reader.player.id:
        return "stale"
    return WebhookOff(
        **context.envelope(),
        place=redact_url(hook.url),
        gone=hook.why == "gone",
        since=hook.failing_since,
        page_url=context.site.url(f"/me/webhooks/{hook.id}"),
    )


KIND = Kind(WebhookOff, build)
