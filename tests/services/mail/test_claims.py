"""A turn mail takes two round trips; what changes between them is not lost, and a claim holds as long as its lease."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from itertools import pairwise
from typing import Any, NoReturn

import psycopg
import pytest
from sqlalchemy import Connection, func, select, text
from structlog.testing import capture_logs

from pbem.errors import Unavailable
from pbem.mail.send import Transport
from pbem.models.prepared import objects_of_join
from pbem.models.tables import OutboxRow, table
from pbem.services.log import folds
from pbem.services.mail import claims, sender
from pbem.services.mail.letter_context import LetterContext
from pbem.services.players import players
from pbem.services.site import Site
from tests.harness.cases import cases
from tests.harness.waiting import wait_until
from tests.table import CAST, House, address_of

pytestmark = pytest.mark.on_postgresql
TRIPS = ("_execute_gen", "_exit_gen", "_commit_gen")
_t = table(OutboxRow)


def require_server(house: House) -> None:
    """Guarantees that the house is on PostgreSQL: on SQLite there are no batches."""
    if house.site.engine.dialect.name != "postgresql":
        pytest.skip("a mail is claimed in a batch on PostgreSQL alone")


class Meddler:
    """A transport that hands each mail on, and then does something before its row is closed."""

    def __init__(self, house: House, meddle: Callable[[], object]) -> None:
        self._house, self._meddle = house, meddle

    def __enter__(self) -> Transport:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def send(self, mail: Any, to: str) -> None:
        """Hands the mail on."""
        self._house.mail.send(mail, to)
        self._meddle()


@contextmanager
def count_trips(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Yields the round trips to PostgreSQL so far: what a connection waits for outside a batch, and the end of one."""
    trips, wait = list[str](), psycopg.Connection.wait

    def note(self: Any, generator: Any, *args: Any, **named: Any) -> Any:
        if generator.__name__ in TRIPS and not (generator.__name__ == "_execute_gen" and self._pipeline):
            trips.append(generator.__name__)
        return wait(self, generator, *args, **named)

    with monkeypatch.context() as patched:
        patched.setattr(psycopg.Connection, "wait", note)
        yield trips


def test_a_turn_mail_takes_one_batch_to_claim_and_one_to_close(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    require_server(house)
    begin_with_due_mails(house)
    before = len(house.mail.all_sent)
    with count_trips(monkeypatch) as trips:
        seen: list[int] = []
        sender.drain(house.site, lambda: Meddler(house, lambda: seen.append(len(trips))))
    assert len(house.mail.all_sent) - before == 3
    assert [later - earlier for earlier, later in pairwise(seen)] == [2, 2]
    assert trips[seen[0] - 1 :][:3] == ["_exit_gen"] * 3


def test_sending_a_turn_mail_asks_to_store_the_folds_its_match_lacks(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folds, "EVERY", 1)
    begin_with_due_mails(house)
    run_statements(house, ("DELETE FROM folds",))
    asked: list[str] = []
    sender.drain(
        Site(house.site.config, house.site.engine, now=house.clock, keep_folds=asked.append),
        lambda: nullcontext(house.mail),
    )
    assert asked


def test_statements_that_claim_a_mail_use_a_generic_plan(house: House) -> None:
    """Whatever the mail: the statements take the match from what the claim has noted, so no plan can know it."""
    require_server(house)
    begin_with_due_mails(house)
    sender.drain(house.site, lambda: Meddler(house, lambda: None))
    with house.site.engine.connect() as connection:
        prepared = connection.execute(text("SELECT statement, generic_plans, custom_plans FROM pg_prepared_statements"))
        plans = [row[1:] for row in prepared if row[0].startswith("SELECT") and "'pbem.match'" in row[0]]
    assert len(plans) == 6
    assert all(generic >= 3 and not custom for generic, custom in plans)


CHANGES = {
    "nothing": (),
    "quiet hours": ("UPDATE players SET quiet_from = 8, quiet_to = 20",),
    "another zone": ("UPDATE players SET zone = 'Asia/Tokyo', quiet_from = 8, quiet_to = 20",),
    "weekends off": ("UPDATE players SET weekends_off = true",),
    "holidays": ("INSERT INTO vacations (player_id, first, last) SELECT id, '2026-03-15', '2026-03-15' FROM players",),
    "a later deadline": ("UPDATE asks SET deadline = '2026-04-01 00:00:00.000000'",),
    "a later end": ("UPDATE asks SET runs_out = '2026-04-01 00:00:00.000000'",),
    "a bounce": ("UPDATE players SET bounced_at = created_at, bounced_why = '550'",),
    "its clock runs": ("UPDATE asks SET mailed_at = opened_at, acts_at = deadline",),
    "it is answered": ("UPDATE asks SET closed_at = opened_at, closed_by = 'seat'",),
    "the row is closed": ("UPDATE outbox SET done_at = created_at, result = 'stale'",),
}
"""What may change between the moment at which a mail leaves and the end of its row."""
AS_BEFORE = (
    "UPDATE players SET quiet_from = NULL, quiet_to = NULL, zone = 'UTC', weekends_off = false, bounced_at = NULL, "
    "bounced_why = NULL",
    "DELETE FROM vacations",
)


def run_statements(house: House, statements: Sequence[str]) -> None:
    """Makes these changes."""
    with house.site.engine.begin() as connection:
        for one in statements:
            connection.execute(text(one))


def begin_with_due_mails(house: House) -> str:
    """Begins a match in which three mails are due, which ask for a turn; returns its id."""
    match_id = house.begin()
    run_statements(
        house, ("UPDATE outbox SET done_at = created_at, result = 'sent' WHERE done_at IS NULL AND kind <> 'turn'",)
    )
    run_statements(house, AS_BEFORE)
    return match_id


def left_behind(house: House, match_id: str, what: str) -> list[Any]:
    """Sends the mails of a match that has begun, with this change before each row is closed; returns what follows."""
    sender.drain(house.site, lambda: Meddler(house, lambda: run_statements(house, CHANGES[what])))
    asks = "SELECT seat, mailed_at, acts_at, remind_at, deadline, runs_out FROM asks WHERE match_id = :id ORDER BY seat"
    rows = "SELECT kind, seat, result, attempts, claimed_until, player_id IS NULL FROM outbox WHERE match_id = :id"
    log = "SELECT n, event FROM entries WHERE match_id = :id AND event LIKE '%Extended%' ORDER BY n"
    with house.site.engine.connect() as connection:
        found = [sorted(map(str, connection.execute(text(sql), {"id": match_id}))) for sql in (asks, rows, log)]
    run_statements(house, AS_BEFORE)
    return found


@cases("what", CHANGES)
def test_closing_a_mail_in_one_batch_leaves_the_same_rows_as_under_a_lock(
    house: House, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    at_once = left_behind(house, begin_with_due_mails(house), what)
    with monkeypatch.context() as patched:
        patched.setattr(sender, "values_to_start_clock", lambda *_: None)
        under_lock = left_behind(house, begin_with_due_mails(house), what)
    assert at_once == under_lock


def test_turn_mails_of_unchanged_matches_are_closed_in_their_one_batch(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    require_server(house)
    match_id = begin_with_due_mails(house)
    monkeypatch.setattr(Site, "writing", None)
    assert house.drain() == 3
    assert all(ask.acts_at is not None for ask in house.asks(match_id))


def _blocks_another(connection: Connection) -> bool:
    """True if somebody waits for a lock that this connection has."""
    asked = "SELECT count(*) FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))"
    return bool(connection.execute(text(asked)).scalar_one())


def test_a_match_that_changes_while_it_is_read_is_read_again(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """One of the last statements of the claim waits for a lock."""
    require_server(house)
    match_id = begin_with_due_mails(house)
    tables: list[Any] = []
    real = claims.claim_and_read

    def note(*args: Any) -> Any:
        taken = real(*args)
        if taken is None:
            return None
        claimed = taken.read()
        tables.append(claimed.table)
        return taken._replace(read=lambda: claimed)

    monkeypatch.setattr(claims, "claim_and_read", note)
    with ThreadPoolExecutor(1) as pool:
        with house.site.engine.begin() as connection:
            connection.execute(text("LOCK TABLE orders"))
            sending = pool.submit(house.drain)
            wait_until(lambda: _blocks_another(connection), "the claim waits for the lock")
            connection.execute(text("UPDATE matches SET touched = touched + 1 WHERE id = :id"), {"id": match_id})
        assert sending.result() == 3
    assert tables[0] is None
    assert all(one is not None for one in tables[1:])


@pytest.mark.parametrize("others", [0, 4 * claims.FEW])
def test_a_player_who_unsubscribed_during_a_run_gets_no_mail_of_it(house: House, others: int) -> None:
    begin_with_due_mails(house)
    house.mail.clear()
    for number in range(others):
        players.block_address(house.site, f"charlie{number}@example.org")

    def block() -> None:
        for name in CAST[1:3]:
            players.block_address(house.site, address_of(name))

    sender.drain(house.site, lambda: Meddler(house, block))
    assert [to for to, _ in house.mail.all_sent][-1:] == [address_of(CAST[0])]


def test_after_a_crash_a_claimed_mail_is_sent_once_its_lease_ends(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = begin_with_due_mails(house)

    def crash(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(sender, "letter_for", crash)
        with pytest.raises(KeyboardInterrupt):
            house.drain()
    assert house.drain() == 2
    house.clock.forward(seconds=claims.LEASE.total_seconds() + 1)
    assert house.drain() == 1
    assert all(ask.acts_at is not None for ask in house.asks(match_id))


def test_a_mail_row_that_cannot_be_read_delays_no_other_mail(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    match_id = begin_with_due_mails(house)
    failed = list[str]()

    def fail_once(*args: Any, **named: Any) -> Any:
        if not failed:
            failed.append("once")
            raise ValueError("what the row holds cannot be read")
        return objects_of_join(*args, **named)

    monkeypatch.setattr("pbem.services.mail.claims.objects_of_join", fail_once)
    assert house.drain() == 2
    rows = "SELECT result, unrendered_since IS NULL FROM outbox WHERE match_id = :id AND kind = 'turn' ORDER BY id"
    with house.site.engine.connect() as connection:
        left = connection.execute(text(rows), {"id": match_id}).all()
    assert sorted((str(result), bool(rendered)) for result, rendered in left) == [
        ("None", False), ("sent", True), ("sent", True),
    ]  # fmt: skip
    house.clock.forward(seconds=sender.RENDER_RETRY_S + 1)
    assert house.drain() == 1


BREAK = (
    "ALTER TABLE entries RENAME TO whole",
    "CREATE VIEW entries AS SELECT match_id, at, by, key, event, sealed, head,"
    " n / (match_id <> '{}')::int AS n FROM whole",
)
MEND = ("DROP VIEW entries", "ALTER TABLE whole RENAME TO entries")


def test_a_mail_row_failing_in_postgresql_delays_no_other_mail(house: House) -> None:
    require_server(house)
    broken, sound = begin_with_due_mails(house), begin_with_due_mails(house)
    run_statements(house, [one.format(broken) for one in BREAK])
    assert house.drain() == 3
    rows = "SELECT count(*) FROM outbox WHERE match_id = :id AND kind = 'turn' AND unrendered_since IS NULL"
    with house.site.engine.connect() as connection:
        assert [connection.execute(text(rows), {"id": one}).scalar() for one in (broken, sound)] == [0, 3]
    run_statements(house, MEND)
    house.clock.forward(seconds=sender.RENDER_RETRY_S + 1)
    assert house.drain() == 3


def test_a_mail_row_failing_once_in_postgresql_is_sent_once(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    require_server(house)
    match_id, real, failed = begin_with_due_mails(house), claims.claim_and_read, list[str]()

    def fail_once(*args: Any) -> Any:
        if failed:
            return real(*args)
        failed.append("once")
        run_statements(house, [one.format(match_id) for one in BREAK])
        try:
            return real(*args)
        finally:
            run_statements(house, MEND)

    monkeypatch.setattr(claims, "claim_and_read", fail_once)
    assert house.drain() == 3
    house.clock.forward(seconds=claims.LEASE.total_seconds() + 1)
    assert house.drain() == 0


def test_many_simultaneous_senders_send_each_mail_once(house: House) -> None:
    require_server(house)
    for _ in range(5):
        begin_with_due_mails(house)
    before = len(house.mail.all_sent)
    with ThreadPoolExecutor(4) as pool:
        sent = sum(pool.map(lambda _: sender.drain(house.site, lambda: house.mail), range(4)))
    ids = [mail["Message-ID"] for _, mail in house.mail.all_sent[before:]]
    assert len(ids) == len({*ids}) == sent
    assert house.drain() == 0
    with house.site.reading() as session:
        assert session.execute(select(func.count()).where(_t.c.done_at.is_(None))).scalar() == 0


def test_a_delivered_mail_clears_a_bounce_recorded_during_its_sending(house: House) -> None:
    house.create()
    sender.drain(house.site, lambda: Meddler(house, lambda: run_statements(house, CHANGES["a bounce"])))
    with house.site.engine.connect() as connection:
        bounced = connection.execute(text("SELECT count(*) FROM players WHERE bounced_at IS NOT NULL AND id = 1"))
        assert bounced.scalar() == 0


def test_a_mail_is_sent_later_if_the_database_dies_while_it_is_written(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    require_server(house)
    begin_with_due_mails(house)

    def end_server_process(context: LetterContext) -> NoReturn:
        context.session.execute(text("SELECT pg_terminate_backend(pg_backend_pid())"))
        raise AssertionError("it lives")

    with monkeypatch.context() as patched, capture_logs() as logs:
        patched.setattr(sender, "letter_for", end_server_process)
        with pytest.raises(Unavailable):
            sender.drain(house.site, lambda: nullcontext(house.mail))
    assert {line["event"] for line in logs} == {"database.away"}
    run_statements(house, ("UPDATE outbox SET claimed_until = NULL WHERE done_at IS NULL",))
    assert house.drain() == 3
