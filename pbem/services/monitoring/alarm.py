"""Alarms for mails that wait too long or cannot be rendered: one log line when an alarm begins, one when it ends.

The sender raises the alarm for mails that were given up for a fault of ours; it ends here after a quiet day. The sender
also raises the alarm for mails that leave without their picture; it ends here if no mail ends it.

The alarm depends on the age of the oldest mail that should have left, not on whether some process is up, so it notices
a mail server that is down or refuses us as well as workers that do not keep up. A mail deferred by one recipient's
server is due later and does not concern the host. A mail that cannot be rendered raises its own alarm at once: it is a
bug in this program, and the recipient does not know. If no worker runs at all, nobody sweeps: that is visible from
outside, to `pbem doctor`, `/readyz` and the metrics.
"""

import structlog
from sqlmodel import col, select

from pbem.models.clocks import Heartbeat
from pbem.services.log import outbox
from pbem.services.mail import alarms
from pbem.services.monitoring import backlog, health, probes
from pbem.services.site import Site

log = structlog.get_logger()


def watch_mails(site: Site) -> int:
    """Logs once when mails begin to wait too long or cannot be rendered, and once when that is over.

    Returns how many wait too long. Safe to run twice or in two places.
    """
    now = site.now()
    mark = probes.row_name_of_secret(site.config.secret)
    with site.reading() as session:
        kinds = backlog.mails_due_by_kind(session.connection(), now)
        broken = backlog.count_mails_unrendered(session.connection(), now)
        spent = health.is_unverified_mail_quota_spent(session.connection(), now, site.config)
        standing = alarms.standing_alarms(session.connection())
        used = session.exec(select(Heartbeat.name).where(col(Heartbeat.name).startswith(probes.SECRET_MARK))).all()
    if mark not in used:
        with site.writing() as work:
            if outbox.insert_row_unless_key_exists(work, Heartbeat, {"name": mark, "at": site.now()}) and used:
                log.error("secret.changed")  # `pbem doctor` says what follows
    due = backlog.combine_due_of_kinds(kinds)
    late = due.age_s > site.config.mail_late_s
    counts = {kind: waiting.count for kind, waiting in sorted(kinds.items())}
    for name, fires in ((alarms.LATE, late), (alarms.UNRENDERED, broken.count > 0), (alarms.SPENT, spent)):
        if fires == (name in standing):
            continue
        if not (alarms.raise_alarm(site, name, now) if fires else alarms.end_alarms(site, (name,))):
            continue  # another process has, and logs it
        after_s = round((now - standing.get(name, now)).total_seconds())
        match name, fires:
            case alarms.LATE, True:
                log.error("outbox.ages", seconds=round(due.age_s), mails=due.count, kinds=counts)
            case alarms.LATE, False:
                log.warning("outbox.caught_up", after_s=after_s)
            case alarms.UNRENDERED, True:
                log.error("outbox.unrendered", seconds=round(broken.age_s), mails=broken.count)
            case alarms.UNRENDERED, False:
                log.warning("outbox.rendered", after_s=after_s)
            case alarms.SPENT, True:
                log.error("mail.site_quota_spent", most=site.config.unverified_mails_per_day)
    if now - standing.get(alarms.UNSENT, now) > alarms.QUIET and alarms.end_alarms(site, (alarms.UNSENT,)):
        log.warning("mail.none_unsent")
    alarms.end_picture_alarms_without_reason(site, standing)
    return due.count if late else 0
