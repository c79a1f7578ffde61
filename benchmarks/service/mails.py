"""Rows about mail: how fast one process sends the outbox to a mail server that takes everything."""

import time
from collections.abc import Iterator

from benchmarks.service.machine import Machine, execute
from benchmarks.service.matches import create_match
from benchmarks.service.report import Row
from pbem.mail import compose
from pbem.services.mail import sender
from pbem.services.site import Site

FRESH = 64
LEFT_OUT = """
UPDATE outbox SET done_at = now(), result = 'stale' WHERE kind <> 'turn' OR NOT EXISTS (
    SELECT 1 FROM asks a WHERE a.match_id = outbox.match_id AND a.origin = outbox.key AND a.closed_at IS NULL)"""
AGAIN = "UPDATE outbox SET done_at = NULL, result = NULL, claimed_until = NULL, due_at = now() WHERE result = 'sent'"
BARE = """
INSERT INTO outbox (dedupe, kind, player_id, created_at, due_at, attempts)
SELECT 'links:' || i || ':' || id, 'links', id, now(), now(), 0 FROM players, generate_series(1, 2) i"""


def _rate(site: Site) -> float:
    """Sends until nothing is due; returns the mails per second."""
    sent, start = 0, time.perf_counter()
    while now := sender.drain(site):
        sent += now
    if not sent:
        raise RuntimeError("no mail was due")
    return sent / (time.perf_counter() - start)


def rows(machine: Machine, seconds: float) -> Iterator[Row]:
    """Measures turn mails of matches in the middle, each with its own board; the same again; then mails without one."""
    name = machine.empty()
    site = machine.site(name)
    for number in range(1, FRESH + 1):
        create_match(site, "hogen", 30_000 + number, most=1, ahead=8 + number % 20)
    execute(machine.libpq(name), LEFT_OUT)
    wide = f"{compose.PICTURE_WIDTH} px"
    yield Row("outbox drain, turn mails with a fresh picture", _rate(site), 70, "/s", ">=", wide)
    execute(machine.libpq(name), AGAIN)
    yield Row("outbox drain, turn mails with a cached picture", _rate(site), 100, "/s", ">=")
    execute(machine.libpq(name), "UPDATE outbox SET done_at = now()", BARE)
    yield Row("outbox drain, mails without a picture", _rate(site), 400, "/s", ">=")
    compose.draw_board.cache_clear()
    site.engine.dispose()
