"""The calls that should have been made by now."""

from datetime import datetime

from sqlalchemy import Connection, func, select

from pbem.features.webhooks.tables import Delivery, Webhook
from pbem.models.tables import table
from pbem.services.findings import Due, due_since


def calls_due(connection: Connection, now: datetime) -> Due:
    """Returns the calls of webhooks that should have been made by now."""
    t, h = table(Delivery), table(Webhook)
    late = (t.c.done_at.is_(None), t.c.due_at <= now, h.c.disabled_at.is_(None))
    found = select(func.count(), func.min(t.c.due_at)).select_from(t.join(h, t.c.webhook_id == h.c.id)).where(*late)
    count, oldest = connection.execute(found).one()
    return due_since(count, oldest, now)
