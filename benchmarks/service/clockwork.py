"""The row about the clock: a deadline sweep with a million open questions, against one with few.

Both are in databases of one server, and swept in turn. Each late match is a commit that waits for the disk. How long
that takes changes from minute to minute, not least after a million rows were written: that must meet both alike.
"""

import time
from collections.abc import Iterator
from statistics import median

from benchmarks.service.machine import Machine, execute
from benchmarks.service.matches import create_match
from benchmarks.service.report import Row
from pbem.services.play.timeouts import sweep_deadlines
from pbem.services.site import Site

DUE, FEW, MANY, ROUNDS = 100, 10_000, 1_000_000, 5
PER_MATCH = 100

_MATCHES = """
INSERT INTO matches (id, game, options, status, version, seed, commitment, turn_s, window_s, spectators, created_at)
SELECT 'a' || lpad(to_hex(i), 23, '0'), 'endless', '{{}}', 'running', 1, '', '', 1, 1, true, now()
FROM generate_series(1, {matches}) i"""
_ASKS = """
INSERT INTO asks (match_id, key, seat, turn, kind, origin, opened_at, opened_n, mailed_at, allowed_s, deadline, acts_at)
SELECT 'a' || lpad(to_hex(i), 23, '0'), 't' || k || '.tick', 0, 't' || k, 'tick', '', now(), 1, now(), 86400,
       now() + interval '1 day' + i * interval '1 second', now() + interval '1.1 days' + i * interval '1 second'
FROM generate_series(1, {matches}) i, generate_series(1, {each}) k"""

_LATE = """
UPDATE asks SET mailed_at = now() - interval '1 day', deadline = now() - interval '3 hours',
       acts_at = now() - interval '1 hour'
WHERE closed_at IS NULL AND match_id IN ({listed})"""
_THERE = "UPDATE seats SET misses = 0 WHERE match_id IN ({listed})"
"""Nobody becomes absent: the clock answers one question per round."""


def _database_with_open_questions(machine: Machine, asks: int) -> tuple[Site, str, list[str]]:
    """Returns a database with this many open questions, as many per match as fit, and the matches that will be late."""
    name = machine.empty()
    site = machine.site(name)
    ids = [create_match(site, "endless", 20_000 + i, scripted=False).id for i in range(DUE)]
    filled = {"matches": asks // PER_MATCH, "each": PER_MATCH}
    execute(machine.libpq(name), _MATCHES.format(**filled), _ASKS.format(**filled), "VACUUM ANALYZE", "CHECKPOINT")
    return site, name, ids


def time_sweep(site: Site, machine: Machine, name: str, ids: list[str], *, rounds: int | None = None) -> float:
    """Returns how long a sweep takes that finds the questions of these matches due, in milliseconds."""
    listed = ", ".join(f"'{match_id}'" for match_id in ids)
    late = _LATE.format(listed=listed)
    there = _THERE.format(listed=listed)
    took = []
    for _ in range(rounds or ROUNDS):
        execute(machine.libpq(name), late, there)
        start = time.perf_counter()
        done = 0
        while done < len(ids):
            swept = sweep_deadlines(site)
            if not swept:
                raise RuntimeError(f"only {done} of {len(ids)} questions were found due")
            done += swept
        took.append((time.perf_counter() - start) * 1e3)
    return median(took)


def measure_sweeps(machine: Machine, seconds: float) -> Iterator[Row]:
    """Measures both in turn, a hundred late matches in each."""
    places = [_database_with_open_questions(machine, asks) for asks in (FEW, MANY)]
    took = [[time_sweep(site, machine, name, ids, rounds=1) for site, name, ids in places] for _ in range(ROUNDS + 1)]
    few, many = (median(times) for times in zip(*took[1:], strict=True))  # what is compiled once counts for neither
    for site, _, _ in places:
        site.engine.dispose()
    note = f"{many:.0f} ms against {few:.0f} ms"
    yield Row("deadline sweep, 1,000,000 open asks against 10,000", many / few, 1.2, "x", "<=", note)
