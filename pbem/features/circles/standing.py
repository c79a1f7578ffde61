"""Standing tables: a circle's members meet again every week, on a day and an hour of a time zone.

`ASK_BEFORE` its hour the members are asked, by mail and on the circle's page; those who have said yes by then are
seated at once, for saying yes is the agreement. See `occasions` for the sweep.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from sqlmodel import Session, col, select

from pbem.errors import N_, Forbidden, Gone, Invalid, NotFound
from pbem.features.circles.claims import MemberClaim
from pbem.features.circles.rows import MEMBER, lock_member, membership_of_claim
from pbem.features.circles.tables import CircleMember, Occasion, OccasionAnswer, StandingTable
from pbem.models.prepared import insert_function_of_dialect
from pbem.models.tables import table
from pbem.services.access import idempotency
from pbem.services.access.idempotency import IdempotencyKey
from pbem.services.lobby.match_request import NewMatch, Terms, require_game, terms_and_lucky_word_of_request
from pbem.services.log import locks, outbox
from pbem.services.players.players import check_zone
from pbem.services.site import Site

ASK_BEFORE = timedelta(days=4)
SHORTEST = timedelta(days=1)
"""Between setting up a table and its first match there is at least this much time to say yes."""
TABLES_MOST = 5
"""How many standing tables a circle may have."""
OF_THE_TABLE = ("game", "organiser_id", "rematch_of")
"""The terms of a match that are not stored with those of a table."""


@dataclass(frozen=True)
class Weekly:
    """A day of the week, 0 (Monday) to 6, and an hour in a time zone."""

    weekday: int
    hour: int
    zone: str

    def next_after(self, after: datetime) -> datetime:
        """Returns the first such moment after this one.

        An hour skipped by a clock change counts as the moment after it, a repeated hour as its first occurrence.
        """
        zone = ZoneInfo(self.zone)
        day = after.astimezone(zone).date()
        day += timedelta(days=(self.weekday - day.weekday()) % 7)
        at = self._moment_on(day, zone)
        return at if at > after else self._moment_on(day + timedelta(days=7), zone)

    def _moment_on(self, day: Any, zone: ZoneInfo) -> datetime:
        return datetime.combine(day, time(self.hour), zone).astimezone(UTC)


def parse_weekly(weekday: int, hour: int, zone: str) -> Weekly:
    """Returns the day and hour. Raises Invalid."""
    if not (0 <= weekday <= 6 and 0 <= hour <= 23):
        raise Invalid(
            N_("Choose a day of the week, 0 (Monday) to 6, and an hour, 0 to 23."), fields=("weekday", "hour")
        )
    return Weekly(weekday, hour, check_zone(zone))


def weekly_hour_of_table(row: StandingTable) -> Weekly:
    """Returns when the table meets."""
    return Weekly(row.weekday, row.hour, row.zone)


def terms_of_table(row: StandingTable, organiser_id: int | None) -> Terms:
    """Returns the terms of the table's matches, with this organiser."""
    return Terms(game=row.game, organiser_id=organiser_id, **json.loads(row.terms))


def set_up_table(
    site: Site, claim: MemberClaim, wanted: NewMatch, weekly: Weekly, *, once: IdempotencyKey | None = None
) -> int:
    """Sets up a standing table with the terms of this match, whose seats and word do not count; returns its id.

    Raises Unauthorized, NotFound, Gone, Invalid, KeyReused.
    """
    game = require_game(wanted.game)
    terms, _ = terms_and_lucky_word_of_request(site.config, wanted, game)
    kept = {name: value for name, value in asdict(terms).items() if name not in OF_THE_TABLE}
    with site.writing() as work:
        locks.hold_players(work, [membership_of_claim(work, claim).player_id])
        if (made := idempotency.claim_key(work, once, site.now())) is not None:
            return int(made)
        circle, me = lock_member(work, claim)
        if len(running_tables(work, circle.id)) >= TABLES_MOST:
            raise Invalid(N_("This circle has as many standing tables as it may have. Stop one first."))
        first = weekly.next_after(site.now() + SHORTEST)
        row = StandingTable(
            circle_id=circle.id, by_id=me.player_id, game=game.meta.slug, terms=json.dumps(kept, sort_keys=True),
            weekday=weekly.weekday, hour=weekly.hour, zone=weekly.zone, next_at=max(first - ASK_BEFORE, site.now()),
            created_at=site.now(),
        )  # fmt: skip
        work.put(row)
        idempotency.store_answer(work, once, str(row.id))
        return row.id


def running_tables(session: Session, circle_id: str) -> list[StandingTable]:
    """Returns the circle's standing tables that go on, oldest first."""
    found = select(StandingTable).where(
        col(StandingTable.circle_id) == circle_id, col(StandingTable.stopped_at).is_(None)
    )
    return list(session.exec(found.order_by(col(StandingTable.id))))


def stop_table(site: Site, claim: MemberClaim, table_id: int) -> None:
    """Stops a standing table, for the member who set it up and for the founder; its matches go on. Idempotent.

    Raises Unauthorized, Gone, NotFound, Forbidden.
    """
    with site.writing() as work:
        circle, me = lock_member(work, claim)
        row = work.get(StandingTable, table_id) if table_id < 2**31 else None
        if row is None or row.circle_id != circle.id:
            raise no_table_error()
        if me.player_id not in (row.by_id, circle.founder_id):
            raise Forbidden(N_("Only the founder, or whoever set the table up, can stop it."))
        row.stopped_at = row.stopped_at or site.now()


# --- saying yes or no ----------------------------------------------------------------------------------------


def answer_occasion(site: Site, claim: MemberClaim, occasion_id: int, yes: bool) -> None:
    """Stores whether the member plays on this occasion; they may change it until its hour.

    Raises Unauthorized, NotFound, and Gone if it is too late.
    """
    with site.writing() as work:
        circle, me = lock_member(work, claim)
        occasion = work.get(Occasion, occasion_id) if occasion_id < 2**31 else None
        row = work.get(StandingTable, occasion.standing_id) if occasion else None
        if occasion is None or row is None or row.circle_id != circle.id:
            raise no_table_error()
        if row.stopped_at is not None:
            raise Gone(N_("This standing table has been stopped."))
        if occasion.done_at is not None or occasion.starts_at <= site.now():
            raise Gone(N_("It is too late for this week: the hour has come."))
        _store_answer(work, occasion_id, me, yes, site.now())


def answer_next_occasion(site: Site, claim: MemberClaim, table_id: int, yes: bool) -> None:
    """Stores the same for the table's next occasion. Raises as `answer_occasion`, and Gone while nobody is asked."""
    with site.reading() as session:
        row = session.get(StandingTable, table_id) if table_id < 2**31 else None
        if row is None or row.circle_id != membership_of_claim(session, claim).circle_id:
            raise no_table_error()
        occasion = current_occasion(session, table_id)
        if occasion is None or occasion.id is None:
            raise Gone(N_("Nobody is asked yet: the members can answer from four days before the hour."))
    answer_occasion(site, claim, occasion.id, yes)


def no_table_error() -> NotFound:
    """Returns the error for a standing table that the circle does not have."""
    return NotFound(N_("There is no such standing table."))


def _store_answer(session: Session, occasion_id: int, me: CircleMember, yes: bool, now: datetime) -> None:
    """Stores the answer in place of an earlier one; the same answer again keeps its moment: it says who came first."""
    t = table(OccasionAnswer)
    new = insert_function_of_dialect(outbox.dialect_name(session))(t).values(
        occasion_id=occasion_id, member_id=me.id, yes=yes, at=now
    )
    session.execute(
        new.on_conflict_do_update(
            index_elements=[t.c.occasion_id, t.c.member_id],
            set_={"yes": new.excluded.yes, "at": new.excluded.at},
            where=t.c.yes != new.excluded.yes,
        )
    )


def current_occasion(session: Session, table_id: int | None) -> Occasion | None:
    """Returns the occasion of the table for which members are asked now; None between two."""
    found = select(Occasion).where(col(Occasion.standing_id) == table_id, col(Occasion.done_at).is_(None))
    return session.exec(found.order_by(col(Occasion.starts_at).desc()).limit(1)).first()


def answers_to_occasion(session: Session, occasion_id: int | None) -> Sequence[tuple[CircleMember, bool]]:
    """Returns the members who have answered, first come first, and whether they play."""
    found = (
        select(CircleMember, OccasionAnswer.yes)
        .join(OccasionAnswer, col(OccasionAnswer.member_id) == col(CircleMember.id))
        .where(col(OccasionAnswer.occasion_id) == occasion_id, col(CircleMember.status) == MEMBER)
        .order_by(col(OccasionAnswer.at), col(CircleMember.id))
    )
    return session.exec(found).all()


def silent_members(session: Session, table_id: int | None) -> set[int]:
    """Returns the members who are not asked by mail any more: they did not answer the last SILENT times they could.

    Any answer, on the page too, ends that.
    """
    past = select(Occasion.id, Occasion.starts_at).where(
        col(Occasion.standing_id) == table_id, col(Occasion.done_at).is_not(None)
    )
    last = session.exec(past.order_by(col(Occasion.starts_at).desc()).limit(SILENT)).all()
    if len(last) < SILENT:
        return set()
    answered = select(OccasionAnswer.member_id).where(col(OccasionAnswer.occasion_id).in_([one for one, _ in last]))
    row = session.get_one(StandingTable, table_id)
    asked_at = max(last[-1][1] - ASK_BEFORE, row.created_at)
    quiet = select(CircleMember.id).where(
        col(CircleMember.circle_id) == row.circle_id,
        col(CircleMember.at) <= asked_at,
        col(CircleMember.id).not_in(answered),
    )
    return {*session.exec(quiet)}


SILENT = 3
"""A member who does not answer this many times is not asked by mail any more, until they answer on the page."""
