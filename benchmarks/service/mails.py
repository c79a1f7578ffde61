"""Rows about mail: how fast the Procfile's worker, two processes, sends the outbox to a mail server that takes all."""

import time
from collections.abc import Callable, Iterator

import psycopg

from benchmarks.service.effort import Effort
from benchmarks.service.machine import Machine, execute, free_port
from benchmarks.service.matches import create_match
from benchmarks.service.report import Row
from pbem.games import all_games
from pbem.services.wakeup import wakeup_for

FRESH, PLAIN = 384, 2
"""The number of matches, each with a mail that has its own picture; and of other mails for each of their players."""
WARM = 0.25
"""This share of the mails leaves before anything is measured: processes draw their first symbols, and open lines."""
TURNS = """
UPDATE outbox SET done_at = now(), result = 'stale' WHERE kind <> 'turn' OR NOT EXISTS (
    SELECT 1 FROM asks a WHERE a.match_id = outbox.match_id AND a.origin = outbox.key AND a.closed_at IS NULL)"""
LINKS = """
INSERT INTO outbox (dedupe, kind, player_id, created_at, due_at, attempts)
SELECT 'links:' || i || ':' || id, 'links', id, now(), now(), 0 FROM players, generate_series(1, %d) i"""
LONGEST_S = 120.0


def _measure_draining(machine: Machine, name: str, wake: Callable[[], None], effort: Effort) -> tuple[float, str]:
    """Waits until nothing is due; returns the mails a second since the outbox was warm, and what each mail took."""
    end = time.monotonic() + LONGEST_S
    with psycopg.connect(machine.libpq(name), autocommit=True) as connection:
        while connection.execute("SELECT 1 FROM outbox WHERE done_at IS NULL LIMIT 1").fetchone():
            if time.monotonic() > end:
                raise RuntimeError("mails have not left; the worker's log may say why")
            wake()
            time.sleep(0.5)
        sent = connection.execute("SELECT done_at FROM outbox WHERE result = 'sent' ORDER BY done_at").fetchall()
        connection.execute("UPDATE outbox SET result = 'counted' WHERE result = 'sent'")
    measured = [at for (at,) in sent[int(len(sent) * WARM) :]]
    rate = (len(measured) - 1) / (measured[-1] - measured[0]).total_seconds()
    return rate, f"{len(sent)} mails, {effort.each(len(sent))}"


def measure_mails(machine: Machine, seconds: float) -> Iterator[Row]:
    """Measures turn mails of all games in the middle of a match, each with its own board; then mails without one."""
    name = machine.empty()
    site, slugs = machine.site(name), [slug for slug in all_games() if slug != "endless"]
    for number in range(FRESH):
        create_match(site, slugs[number % len(slugs)], 30_000 + number, most=1, ahead=8 + number % 20)
    wake = wakeup_for(site.config)
    site.engine.dispose()
    execute(machine.libpq(name), TURNS)
    with machine.worker(machine.environ(name, free_port())) as worker:
        for what, bar, more in (
            ("turn mails, each with a fresh picture", 70, ()),
            ("mails without a picture", 400, (LINKS % PLAIN,)),
        ):
            execute(machine.libpq(name), *more)
            rate, note = _measure_draining(
                machine, name, wake, Effort({"worker": worker, "PostgreSQL": machine.postmaster})
            )
            yield Row(f"outbox, {what}", rate, bar, "/s", ">=", note)
