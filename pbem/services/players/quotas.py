"""Quotas: how much strangers can cause within a day, counted for all processes in one table.

How many requests a network may send is decided in `pbem.limits`.

A window begins with the first use and lasts a day; a conditional UPDATE that only matches below the quota uses it once,
so two at once never take the last one twice. A quota is taken after the locks of matches and players, never before
them.

Mails are counted when they are about to leave, once for each row of the outbox:

    to an unverified address                      per mailbox, sign-in links separately, and for the whole site
    to a verified address: confirming a match     separately, so that strangers who name it as organiser use up no more
    other mails caused by somebody else's click   all kinds together
    sign-in links                                 no quota here: `players.queue_links` limits them and always answers
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog
from sqlalchemy import case, or_, select
from sqlmodel import Session

from pbem.errors import TooMany
from pbem.models.accounts import QuotaRow
from pbem.models.prepared import insert_function_of_dialect
from pbem.models.tables import OutboxRow, Player, table
from pbem.services.counters import Mark
from pbem.services.kinds import all_kinds_of_mail
from pbem.services.players.mailboxes import mailbox_of
from pbem.services.site import Site
from pbem.services.statements import sweep_of_table

DAY = timedelta(days=1)
CONFIRM = "confirm:"
"""The prefix of the quotas for mails with which a verified organiser confirms a match."""
OWNER = "own"
"""In the key of a row: the player requested it on a browser, or with a link, that is known to be theirs."""
LINKS = 2
"""How many of an unverified address's mails a day are reserved for sign-in links; no other mail uses them up."""
SITE = "unverified"
"""The site-wide quota for mail to unverified addresses."""

_kept = table(QuotaRow)
log = structlog.get_logger()


@dataclass(frozen=True)
class Quota:
    """A limit per day, with its name."""

    name: str
    most: int


class Spent(Exception):
    """Raised when a quota is used up until then; the transaction must be rolled back."""

    def __init__(self, quota: Quota, until: datetime) -> None:
        super().__init__(quota.name)
        self.quota, self.until = quota, until

    def wait_s(self, now: datetime) -> int:
        """Returns the seconds until its window ends, at least one."""
        return max(1, int((self.until - now).total_seconds()) + 1)


def take_from_quota_or_raise(session: Session, quota: Quota, now: datetime) -> None:
    """Uses the quota once. Raises Spent."""
    old = _kept.c.until <= now
    fresh = insert_function_of_dialect(session.connection().dialect.name)(_kept).values(
        name=quota.name, used=1, until=now + DAY
    )
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
        raise Spent(quota, until or now)  # None if a process whose clock is ahead has deleted it


def count_action(site: Site, session: Session, quota: Quota, refusal: str, times: int = 1) -> None:
    """Counts something that a player does; a site without caps does not. Raises TooMany with this sentence."""
    if not site.config.has_caps:
        return
    try:
        for _ in range(times):
            take_from_quota_or_raise(session, quota, site.now())
    except Spent as spent:
        raise TooMany(refusal, retry_after=spent.wait_s(site.now())) from None


forget_old = sweep_of_table(QuotaRow, lambda c, now: c.until <= now)


def mailbox_for_quotas(canonical: str) -> str:
    """Returns the mailbox that the address leads to, as quotas count it: without dots, whatever its provider.

    At some providers two people may share such a key. They then share a quota and nothing else: nobody is ever
    identified by it.

    >>> [mailbox_for_quotas("a.lice+games@example.org"), mailbox_for_quotas("alice@googlemail.com"),
    ...  mailbox_for_quotas("+x@example.org")]
    ['alice@example.org', 'alice@gmail.com', '+x@example.org']
    """
    local, _, domain = mailbox_of(canonical).rpartition("@")
    return f"{local.replace('.', '') or local}@{domain}"


def quotas_of_unverified(site: Site, canonical: str, *, links: bool = False) -> tuple[Quota, ...]:
    """Returns the quotas of a mail to an unverified address.

    LINKS of a mailbox's mails a day are reserved for sign-in links, the rest is for other mails; each have at least
    one.
    """
    config = site.config
    most = min(config.unverified_mails_per_address_day, config.mails_per_address_day)
    digest = site.tokens.mailbox_digest(mailbox_for_quotas(canonical))
    own = Quota(f"links:{digest}", min(LINKS, most)) if links else Quota(f"mailbox:{digest}", max(1, most - LINKS))
    return own, Quota(SITE, config.unverified_mails_per_day)


def quotas_of_mail(site: Site, session: Session, row: OutboxRow, player: Player) -> tuple[Quota, ...]:
    """Returns the quotas that this mail to the player counts against, in the order in which they are taken."""
    kind = all_kinds_of_mail()[row.kind]
    if kind.quotas_of is not None:
        return tuple(kind.quotas_of(site, session, row))
    if not site.config.has_caps or not kind.capped:
        return ()
    assert player.canonical is not None, "no mail is queued for a guest"
    if player.verified_at is None:
        return quotas_of_unverified(site, player.canonical, links=row.kind == "links")
    if row.kind == "links" or row.key == OWNER:
        return ()
    if row.kind == "confirm":
        return (Quota(f"{CONFIRM}{player.id}", site.config.matches_per_address_day),)
    return (Quota(f"caused:{player.id}", site.config.mails_per_address_day),)


def count_mail(site: Site, row_id: int, quotas: tuple[Quota, ...]) -> Spent | None:
    """Counts a mail that is about to leave, once; returns the Spent quota that holds it back, or None."""
    if not quotas:
        return None
    try:
        with site.writing() as work:
            row = work.get_one(OutboxRow, row_id)
            if row.counted_at is None:
                for quota in quotas:
                    take_from_quota_or_raise(work, quota, site.now())
                row.counted_at = site.now()
    except Spent as spent:
        site_wide = spent.quota.name == SITE
        log.info("mail.held_back", row=row_id, site_wide=site_wide)
        site.counters.add([Mark("mail", (row.kind, "held_back"))])
        return spent
    return None


def is_too_old(row: OutboxRow, now: datetime) -> bool:
    """True if a mail that is held back has waited for so long that it is dropped."""
    return all_kinds_of_mail()[row.kind].on_request and row.created_at <= now - DAY
