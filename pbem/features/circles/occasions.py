"""The weeks of the standing tables: the sweep that asks the members, and starts the matches.

For each table whose `next_at` is past:

1. Claim it by a conditional UPDATE that moves `next_at` on. All else is in the same transaction, so after a crash it is
   due again, and of two workers one does it.
2. If the hour of its open occasion has come: seat those who said yes at as few tables as possible, as evenly as the
   game allows, in an order drawn by lot. A member who finds no seat is told: the last to say yes, if not all fit.
3. Otherwise open the next occasion, and ask the members, except those who want no mail or have been silent for long.
"""

import random
from collections.abc import Sequence
from datetime import datetime, timedelta

import structlog
from sqlalchemy import update
from sqlmodel import select

from pbem.errors import Busy, GameUnavailable
from pbem.features.circles.rows import check_players_locked, lock_circle, lock_players_of_members, members_of
from pbem.features.circles.standing import (
    ASK_BEFORE,
    answers_to_occasion,
    current_occasion,
    silent_members,
    terms_of_table,
    weekly_hour_of_table,
)
from pbem.features.circles.starting import create_circle_match
from pbem.features.circles.tables import CircleMember, Occasion, StandingTable
from pbem.kit.contract import AnyGame
from pbem.models.tables import table
from pbem.services.lobby.seating import Place, start_if_full
from pbem.services.log import outbox
from pbem.services.log.store import GAME_RETRY_S, game_by_slug
from pbem.services.log.table import table_of
from pbem.services.players.mailboxes import has_same_mailbox_as_other
from pbem.services.site import Site, Work

BATCH = 200
"""How many tables one run takes."""
BACK_OFF = timedelta(hours=1)
"""When a table for which something has failed is tried again."""
GAME_WAIT = timedelta(seconds=GAME_RETRY_S)
"""When a table is looked at again whose game is unavailable: nobody is asked or told that too few come meanwhile."""

log = structlog.get_logger()


def run_standing_tables(site: Site) -> int:
    """Does what is due for the standing tables; returns the number of tables for which something was done."""
    t = table(StandingTable)
    due = select(t.c.id).where(t.c.stopped_at.is_(None), t.c.next_at <= site.now()).order_by(t.c.next_at, t.c.id)
    with site.reading() as session:
        found = session.execute(due.limit(BATCH)).scalars().all()
    return sum(_run_table(site, one) for one in found if not site.stopping())


def _run_table(site: Site, table_id: int) -> bool:
    try:
        with site.writing() as work:
            return _do_what_is_due(site, work, table_id)
    except Busy:
        log.info("circles.busy", table=table_id)  # the next sweep tries again
    except GameUnavailable:
        _postpone_table(site, table_id, GAME_WAIT)
    except Exception:
        # A table whose matches cannot be started must not hold up the others, neither in this sweep nor in the next.
        log.exception("circles.failed", table=table_id)
        _postpone_table(site, table_id, BACK_OFF)
    return False


def _postpone_table(site: Site, table_id: int, wait: timedelta) -> None:
    t = table(StandingTable)
    with site.writing() as work:
        work.connection().execute(update(t).where(t.c.id == table_id).values(next_at=site.now() + wait))


def _do_what_is_due(site: Site, work: Work, table_id: int) -> bool:
    """Returns whether something was. Raises Busy, GameUnavailable."""
    row = work.get_one(StandingTable, table_id)
    game = game_by_slug(row.game)
    occasion = current_occasion(work, table_id)
    starts = occasion is not None and occasion.starts_at <= site.now()
    held = lock_players_of_members(work, row.circle_id)
    lock_circle(work, row.circle_id)
    upcoming = weekly_hour_of_table(row).next_after(
        max(site.now(), occasion.starts_at) if occasion is not None else site.now()
    )
    if occasion is None:
        if upcoming - ASK_BEFORE > site.now():  # the clock was wrong when this moment was noted
            _claim_table(work, row, upcoming - ASK_BEFORE)
            return False
        occasion = Occasion(standing_id=table_id, starts_at=upcoming)
    then = upcoming - ASK_BEFORE if starts else occasion.starts_at
    if not _claim_table(work, row, then):
        return False
    if starts:
        _start_matches_and_tell_left_out(site, work, row, game, occasion, held)
    elif occasion.id is None:
        work.put(occasion)
        _ask_members(site, work, row, occasion, held)
    return True


def _claim_table(work: Work, row: StandingTable, then: datetime) -> bool:
    """Moves on what is due for the table; returns False if another worker has done so, or it was stopped."""
    t = table(StandingTable)
    same = (t.c.id == row.id, t.c.next_at == row.next_at, t.c.stopped_at.is_(None))
    return work.connection().execute(update(t).where(*same).values(next_at=then)).rowcount == 1


# --- asking --------------------------------------------------------------------------------------------------


def _ask_members(site: Site, work: Work, row: StandingTable, occasion: Occasion, held: set[int | None]) -> None:
    silent = silent_members(work, row.id)
    members = members_of(work, row.circle_id)
    asked = [member for member in members if not member.muted and member.id not in silent]
    check_players_locked(asked, held)
    _queue_occasion_mails(site, work, "occasion", occasion, asked)


def _queue_occasion_mails(
    site: Site, work: Work, kind: str, occasion: Occasion, members: Sequence[CircleMember]
) -> None:
    mails = [
        {
            "dedupe": f"{kind}:{occasion.id}:{member.id}", "kind": kind, "player_id": member.player_id,
            "key": f"{occasion.id}.{member.id}",
        }
        for member in members
    ]  # fmt: skip
    outbox.enqueue_many(work, mails, site.now())


# --- starting ------------------------------------------------------------------------------------------------


def _start_matches_and_tell_left_out(
    site: Site, work: Work, row: StandingTable, game: AnyGame, occasion: Occasion, held: set[int | None]
) -> None:
    """Starts matches of those who said yes, and tells the ones for whom there is no place. Raises Busy."""
    occasion.done_at = site.now()
    work.flush()
    said: list[CircleMember] = []
    for member, plays in answers_to_occasion(work, occasion.id):  # each mailbox once, however written
        if plays and not has_same_mailbox_as_other(work, member.player_id, [one.player_id for one in said]):
            said.append(member)
    check_players_locked(said, held)
    sizes = sizes_of_tables(len(said), sorted(game.meta.seats))
    seated, left = said[: sum(sizes)], said[sum(sizes) :]
    random.Random(site.entropy(32)).shuffle(seated)  # it has no part in the luck of any match
    for size in sizes:
        here, seated = seated[:size], seated[size:]
        places = [Place("accepted", member.name, member.player_id) for member in here]
        terms = terms_of_table(row, here[0].player_id)
        match = create_circle_match(site, work, row.circle_id, terms, places, occasion_id=occasion.id)
        match.status = "inviting"
        start_if_full(table_of(work, match))
    _queue_occasion_mails(site, work, "toofew", occasion, [member for member in left if not member.muted])


def sizes_of_tables(people: int, sizes: Sequence[int]) -> list[int]:
    """Returns the sizes of the tables, largest first, that seat as many of the people as the game allows.

    There are as few tables as possible, with seats as even as possible; [] if nobody can be seated.

    >>> [sizes_of_tables(7, (2, 3, 4)), sizes_of_tables(9, (2, 3, 4)),
    ...  sizes_of_tables(5, (2,)), sizes_of_tables(1, (2, 3))]
    [[4, 3], [3, 3, 3], [2, 2], []]
    """
    best: list[tuple[int, int, list[int]] | None] = [(0, 0, [])]
    for count in range(1, people + 1):
        found = [
            (fewer[0] + 1, fewer[1] + size * size, [*fewer[2], size])
            for size in sizes
            if size <= count and (fewer := best[count - size]) is not None
        ]
        best.append(min(found, default=None))  # of equally many tables, the lowest sum of squares is the most even
    seated = next(found for found in reversed(best) if found is not None)
    return sorted(seated[2], reverse=True)
