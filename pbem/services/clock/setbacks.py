"""What follows when the clock was set back: nothing stored may wait for a moment that only a wrong clock has named.

`outages` records that it was and moves the deadlines of each match. Here is all else: every stored moment is in one of
the tables below or in those of a feature's hooks, and a test looks for those that are in none.

It is a wrong clock that was set right if an outage is recorded from before the present to a moment after it: so much
was skipped, and did not happen. Then moments that were noted meanwhile become the present. Without such an outage the
clock may as well be behind now, and what has happened stays as it was noted. What only waits is tried at once in both
cases: no claim lasts an hour, and no retry is put off for more than a day, so it does no harm.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta

from sqlalchemy import case, literal, or_, update
from sqlmodel import Session, SQLModel

from pbem.models.clocks import Outage
from pbem.models.tables import AskRow
from pbem.services.calendar import heartbeats
from pbem.services.calendar.deadlines import Silence
from pbem.services.hooks import Moments, all_hooks
from pbem.services.site import Site

CLAIM, RETRY = timedelta(hours=1), timedelta(days=2)
"""No claim of a worker lasts so long, and no retry is put off for so long."""

WAITING: dict[str, dict[str, timedelta]] = {
    "outbox": {"claimed_until": CLAIM, "due_at": RETRY},
    "quotas": {"until": RETRY},
}
"""The columns whose moment something waits for, and how far ahead it may be."""

HAPPENED = {
    "address_changes": ("at", "old_ok_at", "new_ok_at", "done_at"),
    "deals": ("created_at", "opened_at"),
    "idempotency": ("at",),
    "link_requests": ("at",),
    "matches": ("ended_at", "tallied_at", "archived_at", "held_since"),
    "messages": ("at",),
    "outbox": ("created_at", "done_at", "counted_at", "unrendered_since", "pushed_at", "opened_at"),
    "personal_tokens": ("created_at", "used_at", "revoked_at"),
    "players": ("verified_at", "bounced_at", "visited_at", "created_at"),
    "pulse": ("at",),
    "ratings": ("at",),
    "results": ("ended_at",),
    "substitutes": ("at",),
    "suppressions": ("at",),
    "task_failures": ("since", "last_at"),
}
"""The columns whose moment is that of something that has happened."""

LEFT = {
    "address_changes": {"until": "the links of a change work for longer; either address may withdraw it"},
    "asks": {"closed_at": "of interest to statistics only", "told_at": "of interest to nobody once it is there"},
    "entries": {"at": "the log is chained: what it says does not change"},
    "matches": {
        "created_at": "says which outages it was adjusted for; shown only",
        "started_at": "says which outages it was adjusted for; shown only",
    },
    "notes": {"at": "shown to its writer only"},
    "outages": {"since": "void as far as it lies ahead", "until": "void as far as it lies ahead", "noted_at": "shown"},
    "personal_tokens": {"expires_at": "its owner sees the date, and may revoke it"},
    "votes": {"at": "votes are counted, not timed"},
}  # fmt: skip
"""The columns that are left as they are, and why."""


def moment_columns() -> Moments:
    """Returns the moments of these tables and of those of features, be they on or off."""
    every = [Moments(WAITING, HAPPENED, LEFT), *(one.moments for one in all_hooks())]
    return Moments(
        waiting={name: told for one in every for name, told in one.waiting.items()},
        happened={name: told for one in every for name, told in one.happened.items()},
        left={name: told for one in every for name, told in one.left.items()},
    )


def outage_by_wrong_clock(session: Session, outages: Iterable[Outage]) -> Silence | None:
    """Returns the outage that did not happen, if one of these is a wrong clock that was set right; else None."""
    back = [outage for outage in outages if outage.until < outage.since]
    found = [false for one in back if (false := heartbeats.outage_by_wrong_clock(session, one)) is not None]
    return (found[-1].since, found[-1].until) if found else None


def moment_after_silence(moment: datetime, since: datetime, until: datetime) -> datetime:
    """Returns the moment that is as far away after this silence as it was before."""
    if moment > min(since, until):
        return max(moment + (until - since), min(since, until))
    return moment


def lapse_after_silences(at: datetime, silences: Iterable[Silence], begun: datetime, false: Silence | None) -> datetime:
    """Returns the last day of a match that began then, after these silences."""
    for since, until in silences:
        if since < until:
            at = moment_after_silence(at, min(max(since, begun), until), until)
        elif false is None or at >= false[1]:
            at = moment_after_silence(at, since, until)
    return at


def ensure_ask_begun(ask: AskRow, now: datetime, acts: bool) -> None:
    """Guarantees that the ask has opened and was mailed by now, though the clock was ahead then.

    With `acts` its clock acts at once, because its player is away.
    """
    early = ask.opened_at - now
    if ask.vote_since is not None and ask.vote_since > now:
        ask.acts_at = ask.acts_at and ask.acts_at - (ask.vote_since - now)
        ask.vote_since = now
    if acts and ask.acts_at is not None:
        ask.acts_at = min(ask.acts_at, now)
    if ask.claimed_until is not None and ask.claimed_until > now + CLAIM:
        ask.claimed_until = now
    if ask.sealed_at is not None:
        ask.sealed_at = min(ask.sealed_at, now)
    if ask.follow_at is not None:
        ask.follow_at = min(ask.follow_at, now)
    if early > timedelta():
        ask.opened_at = now
        if ask.floor_at is not None:
            ask.floor_at -= early


def correct_future_times(site: Site, false: Outage | None, now: datetime) -> None:
    """Guarantees that nothing waits for a moment that the clock said before it was set back. Safe to run twice.

    `false` is the result of `outage_by_wrong_clock`. The heartbeats in `pulse` are left to the caller, who records the
    setback.
    """
    every = moment_columns()
    for name in sorted({*every.waiting, *every.happened} - {"pulse"}):
        t = SQLModel.metadata.tables[name]
        late = {column: t.c[column] > now + most for column, most in every.waiting.get(name, {}).items()}
        if false is not None:
            late |= {column: t.c[column] > now for column in every.happened.get(name, ())}
        if late:
            present = literal(now, t.c[next(iter(late))].type)
            values = {column: case((wrong, present), else_=t.c[column]) for column, wrong in late.items()}
            with site.writing() as work:
                work.connection().execute(update(t).where(or_(*late.values())).values(values))
