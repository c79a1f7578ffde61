"""What counts as late: mails, questions and matches, to the second."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection
from sqlmodel import update

from pbem.models.tables import AskRow, Match, OutboxRow, table
from pbem.services.findings import Due
from pbem.services.monitoring import backlog
from tests.table import House

SECOND, DAY = timedelta(seconds=1), timedelta(days=1)
NONE = Due(0, 0.0)


@contextmanager
def connection(house: House) -> Iterator[Connection]:
    """Opens a connection of the house."""
    with house.site.reading() as session:
        yield session.connection()


def change_rows(house: House, kind: type[Match] | type[AskRow], match_id: str, **values: Any) -> None:
    """Changes the rows of the match of this kind."""
    t = table(kind)
    with house.site.writing() as work:
        work.execute(update(t).where((t.c.id if kind is Match else t.c.match_id) == match_id).values(**values))


def test_mails_due_refused_and_unrendered_are_counted_apart(house: House) -> None:
    now = house.clock()

    def mail(number: int, due: datetime, **more: Any) -> OutboxRow:
        return OutboxRow(dedupe=str(number), kind="turn", created_at=now - DAY, due_at=due, **more)

    hour_ago = now - timedelta(hours=1)
    with house.site.writing() as work:
        work.add_all([
            mail(1, now, answer="451"),
            mail(2, now + SECOND, answer="451"),
            mail(3, now - 30 * SECOND),
            mail(4, hour_ago, result="rejected", answer="550", done_at=hour_ago),
            mail(5, hour_ago, result="rejected", answer="550", done_at=now - DAY),
            mail(6, hour_ago, result="unsendable", done_at=hour_ago, unrendered_since=hour_ago),
            mail(7, hour_ago, result="refused", answer="550", done_at=hour_ago),
            mail(8, hour_ago, result="sent", answer="421", done_at=hour_ago),
            mail(9, now + SECOND, unrendered_since=now - 45 * SECOND),
        ])  # fmt: skip
    with connection(house) as there:
        assert backlog.count_mails_refused(there, now) == {"451": 1, "550": 1, "-": 1}
        assert backlog.mails_due_by_kind(there, now) == {"turn": Due(2, 30.0)}
        assert backlog.count_mails_unrendered(there, now) == Due(1, 45.0)
    assert backlog.combine_due_of_kinds({"turn": Due(2, 30.0), "links": Due(3, 20.0)}) == Due(5, 30.0)
    assert backlog.combine_due_of_kinds({}) == NONE


def test_matches_awaiting_lapse_tally_archive_or_their_game_are_counted(house: House) -> None:
    now = house.clock()
    running, lapsed, over, old, lost = house.begin(), *(house.create() for _ in range(4))
    change_rows(house, Match, running, started_at=now - 3 * DAY)
    change_rows(house, Match, lapsed, lapses_at=now)
    change_rows(house, Match, over, status="over", ended_at=now, lapses_at=None)
    change_rows(house, Match, old, status="over", ended_at=now - 8 * DAY, lapses_at=None, tallied_at=now)
    change_rows(house, Match, lost, game="forgotten", lapses_at=now)
    with connection(house) as there:
        assert backlog.lapses_due(there, now) == Due(1, 0.0)
        assert backlog.lapses_due(there, now - SECOND) == NONE
        assert backlog.tallies_due(there, now) == Due(1, 0.0)
        assert backlog.tallies_due(there, now - SECOND) == NONE
        assert backlog.archives_due(there, now) == Due(1, 86_400.0)
        assert backlog.archives_due(there, now - SECOND) == NONE
        assert backlog.count_matches_held(there) == {"forgotten": 1}
        assert backlog.live_counts_by_game_status(there) == {
            ("hogen", "running"): 1, ("hogen", "unconfirmed"): 1, ("forgotten", "unconfirmed"): 1,
        }  # fmt: skip


def test_a_question_is_late_once_its_clock_should_have_answered_it(house: House) -> None:
    match_id = house.begin()
    now = house.clock()  # all three are asked

    def late(**values: Any) -> tuple[Due, Due]:
        fresh = {"acts_at": None, "closes_at": None, "follow_at": None, "sealed_at": None, "bot": None}
        change_rows(
            house, AskRow, match_id, **{**fresh, "claimed_until": None, "opened_at": now - 90 * SECOND, **values}
        )
        with connection(house) as there:
            return backlog.asks_due(there, now), backlog.bot_asks_due(there, now)

    assert late() == (NONE, NONE)
    assert late(acts_at=now) == (Due(3, 0.0), NONE)
    assert late(acts_at=now - 5 * SECOND) == (Due(3, 5.0), NONE)
    assert late(acts_at=now + SECOND) == (NONE, NONE)
    assert late(acts_at=now, sealed_at=now) == (NONE, NONE)
    assert late(closes_at=now - 7 * SECOND, acts_at=now + DAY, sealed_at=now) == (Due(3, 7.0), NONE)
    assert late(closes_at=now + SECOND, sealed_at=now) == (NONE, NONE)
    assert late(bot="random") == (NONE, Due(3, 90.0))
    assert late(bot="random", claimed_until=now) == (NONE, NONE)
    assert late(bot="random", sealed_at=now) == (NONE, NONE)
    change_rows(house, Match, match_id, status="paused")
    assert late(acts_at=now, bot="random") == (NONE, NONE)
