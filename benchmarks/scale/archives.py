"""What a finished match takes once it is archived, and how long that and a replay from it take."""

import time
from collections.abc import Iterator
from datetime import timedelta

import psycopg

from benchmarks.service.effort import Effort
from benchmarks.service.machine import Machine
from benchmarks.service.matches import create_match
from benchmarks.service.report import Row, percentile
from pbem.clock import now
from pbem.games import all_games
from pbem.services.log import archiving
from pbem.services.views import match_views, replays

EACH_GAME = 8
MOST = 5000
_SPREAD = """
INSERT INTO archives (match_id, form, waits, packed)
SELECT substr(md5(i::text), 1, 24), a.form, a.waits, a.packed
FROM generate_series(1, 2000) i
JOIN (SELECT *, row_number() OVER (ORDER BY match_id) AS nth FROM archives) a
  ON a.nth = 1 + i % (SELECT count(*) FROM archives)"""


def measure_archives(machine: Machine) -> Iterator[Row]:
    """Archives matches of random moves, which are longer than those of people."""
    name = machine.empty()
    site = machine.site(name)
    games = [game for slug, game in all_games().items() if slug != "endless"] * EACH_GAME
    ids = [
        create_match(
            site, game.meta.slug, 300_000 + number, most=1, ahead=MOST,
            seats=game.meta.seats[number // 5 % len(game.meta.seats)],
        ).id
        for number, game in enumerate(games)
    ]  # fmt: skip
    later = machine.site(name, now=lambda: now() + archiving.AFTER + timedelta(hours=1))
    effort, start = Effort({"PostgreSQL": machine.postmaster}), time.perf_counter()
    done = sum(iter(lambda: archiving.archive_matches(later), 0))  # a run may end before all are done
    took, cpu = (time.perf_counter() - start) * 1e3 / len(ids), effort.shares(len(ids))
    if done != len(ids):
        raise RuntimeError(f"{done} of {len(ids)} matches were archived")
    read = [_cpu_ms_to_replay(machine, name, match_id) for match_id in ids]
    note = f"{cpu['client']:.0f} + {cpu['PostgreSQL']:.0f} ms of CPU each, {took:.0f} ms by the clock; {done} archived"
    minutes = sum(cpu.values()) * 100_000 / 60_000
    yield Row("CPU to archive 100,000 finished matches, on that line", minutes, 60, "min", "<=", note)
    size, count = _size_of_archives(machine, name)
    note = f"{size / count / 1e3:.2f} KB each with its index, {count:,} rows"
    yield Row("archive of 1,000,000 finished matches, on that line", size / count * 1e6 / 1e9, 5, "GB", "<=", note)
    yield Row(
        "CPU of a replay from the archive, read and told: p50",
        percentile(0.5, read),
        50,
        "ms",
        "<=",
        f"slowest {max(read):.0f} ms",
    )
    for one in (site, later):
        one.engine.dispose()


def _cpu_ms_to_replay(machine: Machine, name: str, match_id: str) -> float:
    """Returns the milliseconds of CPU in which a site that knows nothing has read the match and told all its steps."""
    site = machine.site(name)
    try:
        match_views.read_sheet(site, match_id, None)  # connects
        start = time.process_time()
        told = replays.read_replay(site, match_id, None, "en")
        took = (time.process_time() - start) * 1e3
        if match_views.read_log(site, match_id, None).entries[-1].n < told.steps[-1].entry:
            raise RuntimeError("the log is shorter than its replay")
        return took
    finally:
        site.engine.dispose()


def _size_of_archives(machine: Machine, name: str) -> tuple[int, int]:
    """Returns the bytes and the number of many archives: those that there are, and copies of them."""
    with psycopg.connect(machine.libpq(name), autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")  # of no matches
        connection.execute(_SPREAD)
        connection.execute("VACUUM ANALYZE archives")
        row = connection.execute("SELECT pg_total_relation_size('archives'), count(*) FROM archives").fetchone()
    assert row is not None
    return int(row[0]), int(row[1])
