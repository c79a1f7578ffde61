"""Alarms for mails that wait too long or cannot be rendered: one log line when an alarm begins, one when it ends.

That for mails that leave without their picture is raised by who sends them, and ends here where no mail ends it.

The alarm depends on the age of the oldest mail that should have left, not on whether some process is up, so it notices
a mail server that is down or refuses us as well as workers that do not keep up. A mail deferred by one recipient's
server is due later and does not concern the host. A mail that cannot be rendered raises its own alarm at once: it is a
bug in this program, and the recipient does not know. If no worker runs at all, nobody sweeps: that is visible from
outside, to `pbem doctor`, `/readyz` and the metrics.
"""

from collections.abc import Mapping
from datetime import datetime

import structlog
from sqlalchemy import delete
from sqlmodel import col, select

from pbem.models.clocks import Heartbeat
from pbem.models.tables import table
from pbem.services.log import outbox
from pbem.services.mail import undrawn
from pbem.services.monitoring import backlog, health, storage
from pbem.services.site import Site

LATE, UNRENDERED, SPENT = "late mail", "unrendered", "site quota"
"""The names of the rows that exist while an alarm is raised; the process that inserts or deletes one logs it."""

log = structlog.get_logger()


def watch(site: Site) -> int:
    """Logs once when mails begin to wait too long or cannot be rendered, and once when that is over.

    Returns the number that wait too long. Safe to run twice or in two places.
    """
    now = site.now()
    _note_secret(site)
    with site.reading() as session:
        kinds = backlog.mails_due(session.connection(), now)
        broken = backlog.mails_unrendered(session.connection(), now)
        spent = health.is_site_quota_spent(session.connection(), now, site.config)
        standing = {name: found.at for name in (LATE, UNRENDERED, SPENT) if (found := session.get(Heartbeat, name))}
    due = backlog.oldest(kinds)
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
    undrawn.end_alarms(site)
    return due.count if late else 0


def _note_secret(site: Site) -> None:
    """Notes since when the secret has been used; logs it once if another one was used before."""
    mark = storage.mark_of_secret(site.config.secret)
    with site.reading() as session:
        used = session.exec(select(Heartbeat.name).where(col(Heartbeat.name).startswith(storage.SECRET_MARK))).all()
    if mark in used:
        return
    with site.writing() as work:
        if outbox.insert_once(work, Heartbeat, {"name": mark, "at": site.now()}) and used:
            log.error("secret.changed")  # `pbem doctor` says what follows


def _raise(site: Site, name: str, standing: Mapping[str, datetime], now: datetime) -> bool:
    """Raises the alarm; returns True if it was not raised before, here or by another process."""
    if name in standing:
        return False
    with site.writing() as work:
        return outbox.insert_once(work, Heartbeat, {"name": name, "at": now})


def _end(site: Site, name: str, standing: Mapping[str, datetime], now: datetime) -> int | None:
    """Ends the alarm; returns how many seconds it lasted, None if it was not raised or another process ended it."""
    if name not in standing:
        return None
    t, since = table(Heartbeat), standing[name]
    with site.writing() as work:
        ended = work.connection().execute(delete(t).where(t.c.name == name, t.c.at == since))
    return round((now - since).total_seconds()) if ended.rowcount == 1 else None
