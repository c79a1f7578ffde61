"""The mail that tells a player that their webhook was disabled. The row's key names it."""

from pbem.mail.kinds.webhook import WebhookOff
from pbem.models.hooks import Webhook
from pbem.services.mail.letter_context import LetterContext
from pbem.services.safe_http import redacted_url


def build(context: LetterContext) -> WebhookOff | str:
    """Returns the letter; stale once the webhook is enabled again."""
    hook = context.session.get(Webhook, int(context.row.key or 0))
    if hook is None or hook.disabled_at is None or hook.player_id != context.reader.player.id:
        return "stale"
    return WebhookOff(
        **context.envelope(),
        place=redacted_url(hook.url),
        gone=hook.why == "gone",
        since=hook.failing_since,
        page_url=context.site.url(f"/me/webhooks/{hook.id}"),
    )
