"""Founding a circle, and what its founder sets: its name, whether its page is open, its invitation link."""

from sqlmodel import col, func, select

from pbem.errors import CHANGED, N_, Changed, Invalid, TooMany
from pbem.features.circles import rows
from pbem.features.circles.claims import MemberClaim
from pbem.features.circles.tables import Circle, CircleMember
from pbem.services import versions
from pbem.services.access import idempotency
from pbem.services.access.idempotency import IdempotencyKey
from pbem.services.log import locks, outbox
from pbem.services.players import quotas
from pbem.services.players.players import normalise_name
from pbem.services.site import Site, Work

FOUNDED_MOST = 20
"""How many circles one player may be the founder of."""
OPENINGS = 2
"""How often a day a circle's page can be opened: each time all members get a mail."""


def found_circle(site: Site, player_id: int, title: str, name: str, *, once: IdempotencyKey | None = None) -> str:
    """Founds a circle whose only member is its founder, called `name` there; returns its id.

    Raises Invalid, KeyReused, and Forbidden for a guest.
    """
    title, name = rows.check_circle_name(title), normalise_name(name)
    with site.writing() as work:
        locks.lock_player(work, player_id)
        if (made := idempotency.claim_key(work, once, site.now())) is not None:
            return made
        mine = (col(Circle.founder_id) == player_id, col(Circle.dissolved_at).is_(None))
        if work.exec(select(func.count()).select_from(Circle).where(*mine)).one() >= FOUNDED_MOST:
            raise Invalid(N_("You are the founder of many circles already. Leave one first."))
        circle = Circle(id=site.entropy(12).hex(), name=title, founder_id=player_id, created_at=site.now())
        work.put(circle)
        row = CircleMember(circle_id=circle.id, player_id=player_id, name=name, status=rows.MEMBER, at=site.now())
        work.add(row)
        return idempotency.store_answer(work, once, circle.id)


def change_circle(
    site: Site, claim: MemberClaim, *, title: str | None = None, opened: bool | None = None, was: str | None = None,
    version: str | None = None,
) -> None:  # fmt: skip
    """Renames the circle, or opens or closes its page, for its founder; None changes nothing.

    If `was` is given, it must still be the circle's name; `version` is that of the form. An opening is announced to the
    other members by mail. Raises Unauthorized, Forbidden, Gone, Invalid, Changed, TooMany, Busy.
    """
    title = rows.check_circle_name(title) if title is not None else None
    with site.writing() as work:
        held = rows.lock_players_of_members(work, rows.membership_of_claim(work, claim).circle_id) if opened else set()
        circle, founder = rows.lock_founder(work, claim)
        if title is not None:
            if was is not None and was != circle.name:
                raise Changed(CHANGED, etag="")
            (circle.name,) = versions.merge_or_raise_changed(version, (circle.name,), (title,))
        if opened and not circle.open:
            _announce_opening(site, work, circle, founder, held)
        circle.open = circle.open if opened is None else opened


def _announce_opening(site: Site, work: Work, circle: Circle, founder: CircleMember, held: set[int | None]) -> None:
    now = site.now()
    try:
        quotas.take_from_quota_or_raise(work, quotas.Quota(f"circle-open:{circle.id}", OPENINGS), now)
    except quotas.Spent as spent:
        message = N_("The page was opened several times today. Please wait until tomorrow.")
        raise TooMany(message, retry_after=spent.wait_s(now)) from None
    others = [row for row in rows.members_of(work, circle.id) if row.id != founder.id and not row.muted]
    rows.check_players_locked(others, held)
    queue_circle_event_mails(work, others, "opened", f"{int(now.timestamp())}", site)


def queue_circle_event_mails(work: Work, members: list[CircleMember], what: str, when: str, site: Site) -> None:
    """Queues a mail to each of these members that tells `what` happened to the circle."""
    mails = [
        {
            "dedupe": f"circlenews:{row.id}:{what}:{when}", "kind": "circlenews", "player_id": row.player_id,
            "key": f"{row.id}.{what}",
        }
        for row in members
    ]  # fmt: skip
    outbox.enqueue_many(work, mails, site.now())


def renew_link(site: Site, claim: MemberClaim) -> None:
    """Replaces the invitation link, for the founder: the old one ends. Raises Unauthorized, Forbidden, Gone."""
    with site.writing() as work:
        circle, _ = rows.lock_founder(work, claim)
        circle.epoch += 1
