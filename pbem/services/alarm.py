"""The alarm that goes off when mails wait too long: a line in the log where it begins, and one where it ends.

What it looks at is the age of the oldest mail that should have left, not whether some process is up: so it notices a
mail server that is away or refuses us as well as workers that do not keep up. A mail that one recipient's server has
put off is due again later, and no matter for the host. Where no worker runs at all, nobody sweeps: that is seen from
outside, by `pbem doctor`, by `/readyz` and by the metrics.
"""

import structlog
from sqlalchemy import delete

from pbem.models.clocks import Pulse
from pbem.models.tables import table
from pbem.services import health, store
from pbem.services.site import Site

LATE = "late mail"
"""The row that stands while the alarm does: whoever makes it, or takes it away, says so."""

log = structlog.get_logger()


def watch(site: Site) -> int:
    """Says once when mails begin to wait too long, and once when they do no more; gives how many wait.

    Safe to run twice or in two places.
    """
    now = site.now()
    with site.reading() as session:
        kinds = health.mails_due(session.connection(), now)
        standing = session.get(Pulse, LATE)
        since = standing.at if standing else None
    due = health.oldest(kinds)
    late = due.age_s > site.config.mail_late_s
    if late and since is None:
        with site.writing() as session:
            if store.insert_once(session, Pulse, {"name": LATE, "at": now}):
                counts = {kind: waiting.count for kind, waiting in sorted(kinds.items())}
                log.error("outbox.ages", seconds=round(due.age_s), mails=due.count, kinds=counts)
    elif since is not None and not late:
        t = table(Pulse)
        with site.writing() as session:
            ended = session.connection().execute(delete(t).where(t.c.name == LATE, t.c.at == since))
            if ended.rowcount == 1:
                log.warning("outbox.caught_up", after_s=round((now - since).total_seconds()))
    return due.count if late else 0
