"""The alarms that go off when mails wait too long or cannot be rendered: a line in the log where one begins, and one
where it ends.

What it looks at is the age of the oldest mail that should have left, not whether some process is up: so it notices a
mail server that is away or refuses us as well as workers that do not keep up. A mail that one recipient's server has
put off is due again later, and no matter for the host. A mail that cannot be rendered raises an alarm of its own at
once: that is a fault of this program, and the one who waits for the mail is not told. Where no worker runs at all,
nobody sweeps: that is seen from outside, by `pbem doctor`, by `/readyz` and by the metrics.
"""

from collections.abc import Mapping
from datetime import datetime

import structlog
from sqlalchemy import delete

from pbem.models.clocks import Pulse
from pbem.models.tables import table
from pbem.services.log import outbox
from pbem.services.monitoring import health
from pbem.services.site import Site

LATE, UNRENDERED, SPENT = "late mail", "unrendered", "site quota"
"""The rows that stand while their alarms do: whoever makes one, or takes it away, says so."""

log = structlog.get_logger()


def watch(site: Site) -> int:
    """Says once when mails begin to wait too long, or cannot be rendered, and once when that is over; returns how many
    wait too long.

    Safe to run twice or in two places.
    """
    now = site.now()
    with site.reading() as session:
        kinds = health.mails_due(session.connection(), now)
        broken = health.unrendered(session.connection(), now)
        spent = health.site_spent(session.connection(), now, site.config)
        standing = {name: found.at for name in (LATE, UNRENDERED, SPENT) if (found := session.get(Pulse, name))}
    due = health.oldest(kinds)
    late = due.age_s > site.config.mail_late_s
    counts = {kind: waiting.count for kind, waiting in sorted(kinds.items())}
    if late and _raise(site, LATE, standing, now):
        log.error("outbox.ages", seconds=round(due.age_s), mails=due.count, kinds=counts)
    if not late and (after_s := _end(site, LATE, standing, now)) is not None:
        log.warning("outbox.caught_up", after_s=after_s)
    if broken.count and _raise(site, UNRENDERED, standing, now):
        log.error("outbox.unrendered", seconds=round(broken.age_s), mails=broken.count)
    if not broken.count and (after_s := _end(site, UNRENDERED, standing, now)) is not None:
        log.warning("outbox.rendered", after_s=after_s)
    if spent and _raise(site, SPENT, standing, now):
        log.error("mail.site_quota_spent", most=site.config.unverified_mails_per_day)
    if not spent:
        _end(site, SPENT, standing, now)
    return due.count if late else 0


def _raise(site: Site, name: str, standing: Mapping[str, datetime], now: datetime) -> bool:
    """Raises the alarm; True if it did not stand yet and nobody else was quicker."""
    if name in standing:
        return False
    with site.writing() as work:
        return outbox.insert_once(work, Pulse, {"name": name, "at": now})


def _end(site: Site, name: str, standing: Mapping[str, datetime], now: datetime) -> int | None:
    """Ends the alarm; the seconds for which it stood, or None if it did not or somebody else was quicker."""
    if name not in standing:
        return None
    t, since = table(Pulse), standing[name]
    with site.writing() as work:
        ended = work.connection().execute(delete(t).where(t.c.name == name, t.c.at == since))
    return round((now - since).total_seconds()) if ended.rowcount == 1 else None
