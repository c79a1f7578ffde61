"""What the SQL of a turn mail costs, against the same statements sent by psycopg alone in two batches.

    python -m benchmarks.letters

The outbox is drained in this process, with a transport that keeps nothing, while its CPU time is sampled: a sample
counts if psycopg, SQLAlchemy or the rooms of ours that hand statements to them are on the stack. What was sent is then
sent again to a copy of the database as it was before: for each mail a batch up to the moment at which it left, and one
after it, each between BEGIN and COMMIT. Two ratios are printed: in CPU time of this process, and in round trips.
"""

import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

import psycopg

from benchmarks.service import endless, mails
from benchmarks.service.bare import Tape
from benchmarks.service.machine import Machine, execute, machine
from benchmarks.service.matches import create_match
from pbem.games import all_games
from pbem.services.mail import sender
from pbem.services.site import Site

MATCHES, ROUNDS = 120, 6
AGAIN = (
    "UPDATE outbox SET done_at = NULL, result = NULL, player_id = NULL WHERE result = 'sent'",
    "UPDATE asks SET mailed_at = NULL, acts_at = NULL, remind_at = NULL WHERE closed_at IS NULL",
)
"""Makes the mails due again."""
OURS = ("/pbem/models/prepared.py", "/pbem/models/engine.py", "/pbem/services/site.py")
THEIRS = ("/site-packages/psycopg", "/site-packages/sqlalchemy/", "/site-packages/sqlmodel/")


class Outgoing:
    """A transport that keeps nothing, and calls `note` when a mail leaves."""

    def __init__(self, note: Callable[[], None]) -> None:
        self._note = note

    def __enter__(self) -> "Outgoing":
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def send(self, mail: Any, to: str) -> None:
        """Notes that the mail has left."""
        self._note()


def is_sql(frame: FrameType | None) -> bool:
    """Returns whether the code that runs sends statements or reads their results."""
    while frame is not None:
        path = frame.f_code.co_filename
        if path.endswith(OURS) or any(one in path for one in THEIRS):
            return True
        frame = frame.f_back
    return False


@contextmanager
def sample(counted: Counter[bool]) -> Iterator[None]:
    """Counts the samples of the block: those in SQL as True."""
    signal.signal(signal.SIGPROF, lambda _number, frame: counted.update([is_sql(frame)]))
    signal.setitimer(signal.ITIMER_PROF, 0.001, 0.001)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def fill(ready: Machine, site: Site, name: str) -> None:
    """Leaves the turn mails due of new matches of all games, in the middle of each."""
    slugs = [slug for slug in all_games() if slug != "endless"]
    for one in range(MATCHES):
        create_match(site, slugs[one % len(slugs)], 60_000 + one, most=1, ahead=8 + one % 20)
    execute(ready.libpq(name), mails.TURNS, "UPDATE players SET pictures = false")


def drain(site: Site, transport: Outgoing) -> int:
    """Sends all that is due; returns the number of mails that left."""
    sent = 0
    while left := sender.drain(site, lambda: transport):
        sent += left
    return sent


CLAIM = "UPDATE outbox SET claimed_until"


def batches(tape: Sequence[Any]) -> list[list[Any]]:
    """Returns what was sent, in batches: the statements from each claim until the mail left, and those after it."""
    found: list[list[Any]] = [[]]
    for statement, values, _ in tape:
        if statement == "sent" or statement.startswith(CLAIM):
            found.append([])
        if statement not in ("sent", "commit", "rollback"):
            found[-1].append((statement, values))
    return found[1:]


def replay(address: str, sent: Sequence[Sequence[Any]]) -> float:
    """Sends the batches; returns the CPU seconds of this process."""
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("SET TIME ZONE 'UTC'")
        start = time.process_time()
        for batch in sent:
            with connection.pipeline():
                cursors = [connection.execute("BEGIN"), *(connection.execute(*one) for one in batch)]
                connection.execute("COMMIT")
            for cursor in cursors:
                if cursor.description is not None:
                    cursor.fetchall()
        return time.process_time() - start


def measure(ready: Machine) -> tuple[float, float]:
    """Returns the CPU milliseconds of a mail's SQL, and of the same by psycopg in two batches."""
    name = ready.empty()
    site = ready.site(name)
    fill(ready, site, name)
    drain(site, Outgoing(lambda: None))
    execute(ready.libpq(name), *AGAIN)
    site.engine.dispose()
    copy, counted, spent, sent = ready.database.create(name), Counter[bool](), 0.0, 0
    tape = Tape(site.engine)
    transport = Outgoing(lambda: tape.sent.append(("sent", None, False)))
    for _ in range(ROUNDS):
        tape.sent.clear()
        start = time.process_time()
        with sample(counted):
            sent += drain(site, transport)
        spent += time.process_time() - start
        execute(ready.libpq(name), *AGAIN, "VACUUM outbox")
    site.engine.dispose()
    replay(ready.libpq(copy), batches(tape.sent))
    execute(ready.libpq(copy), *AGAIN, "VACUUM outbox")
    bare = replay(ready.libpq(copy), batches(tape.sent))
    ours = spent / sent * counted[True] / counted.total()
    return ours * 1000, bare / sent * ROUNDS * 1000


def main() -> None:
    """Prints the ratio."""
    with endless.make_known(), machine() as ready:
        ours, bare = measure(ready)
    sys.stdout.write(f"SQL of a mail {ours:.2f} ms, by psycopg in two batches {bare:.2f} ms: {ours / bare:.2f}\n")


if __name__ == "__main__":
    main()
