"""What the SQL of a turn mail costs, against the same statements sent by psycopg alone in two batches.

    python -m benchmarks.letters

The outbox is drained in this process, with a transport that keeps nothing. What a mail's SQL costs is all that this
takes but for writing the letters and composing the mails, in CPU time. What was sent is then sent again to a copy of
the database as it was before: for each mail a batch up to the moment at which it left, and one after it, each between
BEGIN and COMMIT. Both are done in turn.
"""

import sys
import time
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any
from unittest.mock import patch

import psycopg

from benchmarks.service import endless, mails
from benchmarks.service.bare import Tape
from benchmarks.service.machine import Machine, execute, machine
from benchmarks.service.matches import create_match
from pbem.games import all_games
from pbem.services.mail import sender
from pbem.services.site import Site

MATCHES, ROUNDS = 120, 9
AGAIN = (
    "UPDATE outbox SET done_at = NULL, result = NULL, player_id = NULL WHERE result = 'sent'",
    "UPDATE asks SET mailed_at = NULL, acts_at = NULL, remind_at = NULL WHERE closed_at IS NULL",
)
"""Makes the mails due again."""
CLAIM = "UPDATE outbox SET claimed_until"


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


class Apart:
    """Measures the CPU time of functions of the sender."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def replacement_of(self, name: str) -> Any:
        """Returns what replaces this function of the sender while it is measured."""
        real = getattr(sender, name)

        def run(*args: Any, **named: Any) -> Any:
            start = time.process_time()
            try:
                return real(*args, **named)
            finally:
                self.seconds += time.process_time() - start

        return patch.object(sender, name, run)


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


def measure(ready: Machine) -> list[tuple[float, float]]:
    """Returns, for each round, the CPU milliseconds of a mail's SQL, and of the same by psycopg in two batches."""
    name = ready.empty()
    site = ready.site(name)
    fill(ready, site, name)
    drain(site, Outgoing(lambda: None))
    execute(ready.libpq(name), *AGAIN)
    site.engine.dispose()
    copy, tape, found = ready.database.create(name), Tape(site.engine), []
    transport = Outgoing(lambda: tape.sent.append(("sent", None, False)))
    for _ in range(ROUNDS):
        tape.sent.clear()
        apart = Apart()
        with apart.replacement_of("letter_for"), apart.replacement_of("compose"):
            start = time.process_time()
            sent = drain(site, transport)
            spent = time.process_time() - start - apart.seconds
        bare = replay(ready.libpq(copy), batches(tape.sent))
        found.append((spent / sent * 1000, bare / sent * 1000))
        for one in (name, copy):
            execute(ready.libpq(one), *AGAIN, "VACUUM outbox")
    site.engine.dispose()
    return found


def main() -> None:
    """Prints the medians."""
    with endless.make_known(), machine() as ready:
        found = measure(ready)
    ours, bare = (median(one) for one in zip(*found, strict=True))
    ratio = median(ours / bare for ours, bare in found)
    sys.stdout.write(f"SQL of a mail {ours:.2f} ms, by psycopg in two batches {bare:.2f} ms: {ratio:.2f}\n")


if __name__ == "__main__":
    main()
