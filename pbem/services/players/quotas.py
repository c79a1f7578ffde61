"""Quotas: how much of what strangers can cause is done within a day, counted for all processes in one table.

A window begins with the first use and lasts a day; an UPDATE that finds only what is below the quota takes one more, so
two at once never take the last one twice. A quota is taken after the locks of matches and players, never before them.

Mails are counted when they are about to leave, once for each row of the outbox:

    to an address that nobody has shown to read   for its mailbox, sign-in links apart, and for the whole site
    to a verified address: who confirms a match   apart, so that strangers who name it as organiser use up nothing else
    other mails that somebody else's click causes all kinds together
    links that sign in                            no quota here: `players.queue_links` bounds them and always answers
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import structlog
from sqlalchemy import case, delete, or_, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Session

from pbem.mail.kinds import all_kinds
from pbem.models.quotas import QuotaRow
from pbem.models.tables import OutboxRow, Player, table
from pbem.services.counters import Mark
from pbem.services.site import Site

DAY = timedelta(days=1)
CONFIRM = "confirm:"
"""How the names of the quotas begin that hold back mails by which a verified organiser confirms a match."""
OWNER = "own"
"""In the key of a row: its player has asked for it on a browser, or by a link, that is known to be theirs."""
LINKS = 2
"""So many of an unverified address's mails a day are for sign-in links: nothing that strangers start uses them up."""
SITE = "unverified"
"""The quota of the whole site for mail to addresses that nobody has shown to read."""
SAME_DOMAIN = {"googlemail.com": "gmail.com"}

_kept = table(QuotaRow)
log = structlog.get_logger()


@dataclass(frozen=True)
class Quota:
    """So many within a day, under this name."""

    name: str
    most: int


class Spent(Exception):
    """A quota is used up until then; whatever the transaction has done so far must not be kept."""

    def __init__(self, quota: Quota, until: datetime) -> None:
        super().__init__(quota.name)
        self.quota, self.until = quota, until

    def wait_s(self, now: datetime) -> int:
        """The seconds until its window ends, at least one."""
        return max(1, int((self.until - now).total_seconds()) + 1)


def take(session: Session, quota: Quota, now: datetime) -> None:
    """Uses the quota once. Raises Spent."""
    insert: Any = postgresql.insert if session.connection().dialect.name == "postgresql" else sqlite.insert
    old = _kept.c.until <= now
    fresh = insert(_kept).values(name=quota.name, used=1, until=now + DAY)
    taking = fresh.on_conflict_do_update(
        index_elements=[_kept.c.name],
        set_={
            "used": case((old, 1), else_=_kept.c.used + 1),
            "until": case((old, fresh.excluded.until), else_=_kept.c.until),
        },
        where=or_(old, _kept.c.used < quota.most),
    ).returning(_kept.c.used)
    if session.execute(taking).first() is None:
        until = session.execute(select(_kept.c.until).where(_kept.c.name == quota.name)).scalar()
        raise Spent(quota, until or now)  # it has gone where another process's clock is ahead


def forget_old(session: Session, now: datetime, most: int) -> int:
    """Throws away the quotas whose window has ended, so many at most; returns how many."""
    old = select(_kept.c.name).where(_kept.c.until <= now).limit(most)
    return int(session.connection().execute(delete(_kept).where(_kept.c.name.in_(old))).rowcount)


# --- mail ----------------------------------------------------------------------------------------------------


def mailbox(canonical: str) -> str:
    """The mailbox that the address leads to, as quotas count it: without what follows a plus, and without dots.

    At some providers two people may share such a key. They then share a quota, and nothing else: nobody is ever
    recognised by it.

    >>> mailbox("a.lice+games@example.org"), mailbox("alice@googlemail.com"), mailbox("+x@example.org")
    ('alice@example.org', 'alice@gmail.com', '+x@example.org')
    """
    local, _, domain = canonical.rpartition("@")
    base = local.partition("+")[0].replace(".", "") or local
    return f"{base}@{SAME_DOMAIN.get(domain, domain)}"


def unverified(site: Site, canonical: str, *, links: bool = False) -> tuple[Quota, ...]:
    """The quotas of a mail to an address that nobody has shown to read.

    Sign-in links have LINKS of its mails for themselves, and other mails the rest; each have one at least.
    """
    config = site.config
    most = min(config.unverified_mails_per_address_day, config.mails_per_address_day)
    digest = site.tokens.mailbox_digest(mailbox(canonical))
    own = Quota(f"links:{digest}", min(LINKS, most)) if links else Quota(f"mailbox:{digest}", max(1, most - LINKS))
    return own, Quota(SITE, config.unverified_mails_per_day)


def of_mail(site: Site, row: OutboxRow, player: Player) -> tuple[Quota, ...]:
    """The quotas that this mail to the player is counted against, in the order in which they are taken."""
    if not site.config.capped or not all_kinds()[row.kind].capped:
        return ()
    if player.verified_at is None:
        return unverified(site, player.canonical, links=row.kind == "links")
    if row.kind == "links" or row.key == OWNER:
        return ()
    if row.kind == "confirm":
        return (Quota(f"{CONFIRM}{player.id}", site.config.matches_per_address_day),)
    return (Quota(f"caused:{player.id}", site.config.mails_per_address_day),)


def count_mail(site: Site, row_id: int, quotas: tuple[Quota, ...]) -> Spent | None:
    """Counts a mail that is about to leave, unless it has been counted before; returns the quota that holds it back."""
    if not quotas:
        return None
    try:
        with site.writing() as work:
            row = work.get_one(OutboxRow, row_id)
            if row.counted_at is None:
                for quota in quotas:
                    take(work, quota, site.now())
                row.counted_at = site.now()
                work.add(row)
    except Spent as spent:
        site_wide = spent.quota.name == SITE
        log.info("mail.held_back", row=row_id, site_wide=site_wide)
        site.tally.add([Mark("mail", (row.kind, "held_back"))])
        return spent
    return None


def too_old(row: OutboxRow, now: datetime) -> bool:
    """Whether a mail that is held back has waited for so long that it is dropped."""
    return all_kinds()[row.kind].on_request and row.created_at <= now - DAY
