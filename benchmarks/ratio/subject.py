"""Does the work of one row in one tree, as often as it is told: `python subject.py WORK`.

It runs with the pbem and the benchmarks of any tree since 11c4cf5b, whose folder is in PYTHONPATH, so it uses nothing
of them but what these trees have in common. Each line that comes in is the arguments of one round, as JSON; each line
that goes out is what was measured in it, the first one when everything is ready. It has servers of its own, which do
nothing while the other tree has its turn.

Times are CPU milliseconds of this process, except where a name says otherwise; `additions` is what a hundred thousand
additions in Python took right after, which a busy machine slows down as it slows the rest.
"""

from __future__ import annotations

import email
import email.policy
import io
import json
import os
import re
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from itertools import count
from pathlib import Path
from statistics import median
from tempfile import mkdtemp
from threading import Barrier, Thread
from typing import Any

import psycopg
from psycopg.rows import tuple_row

from benchmarks.service import bare, embedded, mails, turns
from benchmarks.service.clients import answer, at_once
from benchmarks.service.effort import Effort
from benchmarks.service.machine import Machine, execute, free_port, machine
from benchmarks.service.matches import create_match
from benchmarks.service.pages import create_forgetful_app
from benchmarks.service.where import part_of
from pbem.games import all_games
from pbem.kit.play import Table, random_decisions
from pbem.services.mail import sender
from pbem.services.site import Site

Round = Callable[..., Mapping[str, Any]]
ADDITIONS, ADDED = 100_000, 5
GAME, SEATS, FIRST = "allegeance", 2, 40_000
AT_ONCE, WARM_S, FASTEST = 16, 1.0, 900
"""No web plays more moves a second than this."""
BARE_MOVES, MAILS = 60, 60
HELD = "UPDATE outbox SET due_at = 'infinity' WHERE done_at IS NULL"
LET = """
UPDATE outbox SET due_at = now() - interval '1 minute' WHERE id IN (
    SELECT id FROM outbox WHERE done_at IS NULL AND due_at = 'infinity' ORDER BY id LIMIT %d)"""
PAD = (
    "UPDATE matches SET version = version + %(more)s WHERE id = %(match)s",
    "UPDATE entries SET n = n + %(more)s WHERE match_id = %(match)s",
    """
    INSERT INTO entries (match_id, n, at, by, key, event, sealed, head)
    SELECT match_id, n - %(more)s + i * %(log)s, at, by, 'p' || i || '.' || key, event, sealed, head
    FROM entries, generate_series(0, %(times)s - 2) i WHERE match_id = %(match)s""",
    """
    UPDATE asks SET opened_n = opened_n + %(more)s, first_n = first_n + %(more)s, last_n = last_n + %(more)s
    WHERE match_id = %(match)s""",
)
DROP = "DELETE FROM folds WHERE match_id = %(match)s"
SHIFT = "UPDATE folds SET n = n + %(more)s WHERE match_id = %(match)s"
SEEN = "UPDATE seats SET seen = seen + %(more)s WHERE match_id = %(match)s"
LEFT, CLAIM = "left", "UPDATE outbox SET claimed_until"
"""What stands on a tape when a mail leaves, and what the statement has in it that claims one."""
SQL = {"psycopg", "SQLAlchemy"}
"""The parts of a mail's time, as `where` names them, that are SQL."""


def addition_ms(clock: Callable[[], float] = time.process_time) -> float:
    """Returns how many milliseconds a hundred thousand additions take, by this clock: the median of a few times."""
    took = []
    for _ in range(ADDED):
        start, total = clock(), 0
        for number in range(ADDITIONS):
            total += number
        took.append((clock() - start) * 1000)
    return median(took)


def slugs_of_games() -> list[str]:
    """Returns the games that the service offers."""
    return [slug for slug in all_games() if slug != "endless"]


def read_efforts(words: str) -> dict[str, float]:
    """Returns what `Effort.each` says in words: the CPU milliseconds of each part, but for the client."""
    return {part: float(ms) for part, ms in re.findall(r"(web|worker|PostgreSQL) ([\d.]+)", words)}


# --- pages -----------------------------------------------------------------------------------------------------------


def answers_until(entries: int, number: int) -> int:
    """Returns how many answers of the match of this number make a log of at least this many entries."""
    game = all_games()[GAME]
    played = Table(game, SEATS, game.meta.options(), number.to_bytes(32, "big"), deal=f"{number:024x}")
    for done, _ in enumerate(random_decisions(played)):
        if len(played.entries) >= entries:
            return done
    raise RuntimeError(f"the match of {number} is over after {len(played.entries)} entries")


def pad_log(address: str, match_id: str, entries: int, *, older: bool) -> None:
    """Puts copies of the whole log before itself, until it has this many entries: no match is that long.

    The copies' questions have other keys. What moves have kept of the log stays; with `older` it is dropped, as if an
    older version had played the match.
    """
    with psycopg.connect(address) as host, host.cursor(row_factory=tuple_row) as sent:
        row = sent.execute("SELECT version FROM matches WHERE id = %s", [match_id]).fetchone()
        assert row is not None
        times = -(-entries // row[0])
        told = {"match": match_id, "log": row[0], "more": (times - 1) * row[0], "times": times}
        tables = {name for (name,) in sent.execute("SELECT tablename FROM pg_tables")}
        seen = sent.execute(
            "SELECT 1 FROM information_schema.columns WHERE (table_name, column_name) = ('seats', 'seen')"
        ).fetchone()
        for statement in (*PAD, *([SEEN] if seen else [])):
            sent.execute(statement, told)
        sent.execute("DELETE FROM snapshots WHERE match_id = %(match)s", told)
        if "folds" in tables:
            sent.execute(DROP if older else SHIFT, told)


def accept_copies() -> None:
    """Lets the rules of this tree read a log that begins several times; those of 11c4cf5b do so by themselves."""
    with suppress(ImportError, AttributeError):
        from pbem.games.allegeance.rules import Allegeance

        Allegeance.check_event = lambda *_: None  # type: ignore[method-assign]


def request_environ(path: str) -> dict[str, Any]:
    """Returns the request for a page, as a server hands it to the application."""
    return {
        "REQUEST_METHOD": "GET", "PATH_INFO": path, "QUERY_STRING": "", "SCRIPT_NAME": "", "SERVER_NAME": "127.0.0.1",
        "SERVER_PORT": "80", "SERVER_PROTOCOL": "HTTP/1.1", "REMOTE_ADDR": "127.0.0.1", "HTTP_HOST": "127.0.0.1",
        "HTTP_ACCEPT_LANGUAGE": "en", "HTTP_ACCEPT_ENCODING": "gzip", "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http", "wsgi.errors": sys.stderr, "wsgi.multithread": True, "wsgi.multiprocess": True,
        "wsgi.run_once": False, "wsgi.input": io.BytesIO(),
    }  # fmt: skip


def pages(ready: Machine, stack: ExitStack) -> Round:
    """The pages of all seats of some matches, in a process that keeps nothing between two of them."""
    name, numbers = ready.empty(), count(FIRST)
    site = ready.site(name)
    os.environ.update(ready.environ(name, free_port()))
    app, made = create_forgetful_app(), dict[tuple[int, str], list[str]]()
    accept_copies()

    def begin(said: str, _headers: Any, _error: Any = None, /) -> Any:
        assert said.startswith("200"), said

    def tables(natural: int, entries: int, kept: str) -> Iterator[str]:
        left = 2
        while left:
            number = next(numbers)
            try:
                ahead = answers_until(natural, number)
            except RuntimeError:
                continue
            match = create_match(site, GAME, number, most=1, ahead=ahead)
            if entries > natural:
                pad_log(ready.libpq(name), match.id, entries, older=kept != "by moves")
            if kept == "by task":
                from pbem.services.log import keeping

                assert keeping.keep_folds(site, match.id)
            left -= 1
            yield from (f"/play/{token}" for token in match.tokens)

    def measure(entries: int, natural: int, times: int, kept: str) -> dict[str, float]:
        if (entries, kept) not in made:
            made[entries, kept] = [*tables(natural, entries, kept)]
            for path in made[entries, kept] * 2:
                b"".join(app(request_environ(path), begin))
        start = time.process_time()
        for _ in range(times):
            for path in made[entries, kept]:
                b"".join(app(request_environ(path), begin))
        spent = (time.process_time() - start) * 1000
        return {"ms": spent / times / len(made[entries, kept]), "additions": addition_ms()}

    return measure


# --- mails -----------------------------------------------------------------------------------------------------------


class Through:
    """A transport that hands each mail on, and remembers the last one."""

    last = b""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __enter__(self) -> Through:
        self._inner.__enter__()
        return self

    def __exit__(self, *error: Any) -> Any:
        return self._inner.__exit__(*error)

    def send(self, mail: Any, to: str) -> Any:
        """Sends it."""
        Through.last = mail.raw
        return self._inner.send(mail, to)


class Taped(Through):
    """Notes on the tape, too, when a mail leaves."""

    def __init__(self, inner: Any, tape: bare.Tape) -> None:
        super().__init__(inner)
        self._tape = tape

    def send(self, mail: Any, to: str) -> Any:
        """Sends it."""
        self._tape.sent.append((LEFT, None, False))
        return super().send(mail, to)


def picture_width(raw: bytes) -> int:
    """Returns the width of the first picture of a mail, in pixels, as its PNG says; 0 without one."""
    for part in email.message_from_bytes(raw, policy=email.policy.default).walk():
        if part.get_content_type() == "image/png":
            data = part.get_payload(decode=True)
            assert isinstance(data, bytes)
            return int.from_bytes(data[16:20], "big")
    return 0


def letters(ready: Machine, stack: ExitStack) -> Round:
    """Turn mails of matches of all games in the middle, each with a picture of its own, on one connection."""
    name = ready.empty()
    site, numbers, games = ready.site(name), count(30_000), slugs_of_games()

    def fill(matches: int) -> None:
        for _ in range(matches):
            number = next(numbers)
            create_match(site, games[number % len(games)], number, most=1, ahead=8 + number % 20)
        execute(ready.libpq(name), mails.TURNS, HELD)

    def measure(matches: int, sent: int) -> dict[str, float]:
        if matches:
            fill(matches)
        execute(ready.libpq(name), LET % sent)
        parts = Counter[str]()
        signal.signal(signal.SIGPROF, lambda _number, frame: parts.update([part_of(frame)]))
        signal.setitimer(signal.ITIMER_PROF, 0.001, 0.001)
        start, left = time.process_time(), 0
        while left < sent:
            some = sender.drain(site, lambda: Through(sender.transport_for(site)))
            if not some:
                raise RuntimeError(f"only {left} of {sent} mails were there")
            left += some
        spent = (time.process_time() - start) * 1000
        signal.setitimer(signal.ITIMER_PROF, 0)
        each = {f"ms of {part}": spent / left * count / parts.total() for part, count in parts.items()}
        sql = sum(each.get(f"ms of {part}", 0) for part in SQL)
        return {
            "ms": spent / left,
            "sql": sql,
            "width": picture_width(Through.last),
            "additions": addition_ms(),
            **each,
        }

    return measure


# --- moves -----------------------------------------------------------------------------------------------------------


def queues_of_answers(site: Site, numbers: Iterator[int], each: int) -> list[list[bytes]]:
    """Returns for each connection a queue of this many answers in matches of its own, of all games in turn."""
    games = slugs_of_games()

    def queue() -> list[bytes]:
        found: list[bytes] = []
        while len(found) < each:
            number = next(numbers)
            match = create_match(site, games[number % len(games)], number, most=each - len(found))
            found += [answer(match, said) for said in match.script]
        return found

    return [queue() for _ in range(AT_ONCE)]


def moves(ready: Machine, stack: ExitStack) -> Round:
    """Durable moves over HTTP in 16 matches at once, at the Procfile's web with two processes."""
    name, numbers = ready.empty(), count(10_000)
    site = ready.site(name)
    web = stack.enter_context(ready.web(name))

    def measure(seconds: float) -> dict[str, float]:
        todo = queues_of_answers(site, numbers, int((seconds + WARM_S) * FASTEST / AT_ONCE))
        effort = Effort({"web": web.pid, "PostgreSQL": ready.postmaster})
        rush = at_once(web.port, todo, 201, WARM_S, seconds)
        return {"rate": rush.rate, **read_efforts(effort.each(rush.answered)), "additions": addition_ms()}

    return measure


def read_and_write_batches(sent: Sequence[bare.Sent]) -> Iterator[list[tuple[str, Any]]]:
    """Yields the statements of each transaction as two batches: those that read, and those from the first write on."""
    batch, writes = list[tuple[str, Any]](), False
    for statement, parameters, many in sent:
        if statement in ("commit", "rollback"):
            yield batch
            yield [(statement, None)]
            batch, writes = [], False
            continue
        if not writes and not statement.lstrip().upper().startswith(("SELECT", "WITH", "SET")):
            writes = True
            yield batch
            batch = []
        batch += [(statement, one) for one in parameters] if many else [(statement, parameters)]


def send_tape(address: str, sent: Sequence[bare.Sent], ready: Barrier) -> None:
    """Sends a tape batch by batch, each in one round trip, as soon as everybody is ready."""
    todo = [batch for batch in read_and_write_batches(sent) if batch]
    with psycopg.connect(address) as connection, connection.cursor() as cursor:
        ready.wait()
        for batch in todo:
            if batch[0][0] in ("commit", "rollback"):
                getattr(connection, batch[0][0])()
                continue
            with connection.pipeline():
                for statement, parameters in batch:
                    cursor.execute(statement, parameters)


def replay_tapes(address: str, tapes: Sequence[Sequence[bare.Sent]]) -> float:
    """Sends all tapes concurrently, as `send_tape` does; returns the seconds that this takes."""
    ready = Barrier(len(tapes) + 1)
    threads = [Thread(target=send_tape, args=(address, tape, ready)) for tape in tapes]
    for thread in threads:
        thread.start()
    ready.wait()
    start = time.perf_counter()
    for thread in threads:
        thread.join()
    return time.perf_counter() - start


def plain(ready: Machine, stack: ExitStack) -> Round:
    """What moves send, sent by bare psycopg: each statement alone, or as two batches a transaction."""
    name = ready.empty()
    site, games = ready.site(name), slugs_of_games()
    matches = [create_match(site, games[n % len(games)], n, most=BARE_MOVES) for n in range(1, AT_ONCE + 1)]
    site.engine.dispose()
    ready.database.freeze(name)
    taped = ready.site(ready.database.create(name))
    tapes = bare.record(taped, matches, BARE_MOVES)
    taped.engine.dispose()
    moves = sum(len(match.script[:BARE_MOVES]) for match in matches)
    statements = sum(1 for tape in tapes for one in tape if one[0] not in ("commit", "rollback")) / moves

    def measure(batched: bool) -> dict[str, float]:
        again = ready.database.create(name)
        execute(ready.libpq(again), "CHECKPOINT")
        spent = replay_tapes(ready.libpq(again), tapes) if batched else bare.replay(ready.libpq(again), tapes)
        return {"rate": moves / spent, "statements": statements, "additions": addition_ms()}

    return measure


def two_batches(ready: Machine, stack: ExitStack) -> Round:
    """The statements of a mail of this tree, by bare psycopg: one batch until it leaves, one after it; all is read."""
    name, games = ready.empty(), slugs_of_games()
    site = ready.site(name)
    for number in range(MAILS):
        create_match(site, games[number % len(games)], 30_000 + number, most=1, ahead=8 + number % 20)
    site.engine.dispose()
    execute(ready.libpq(name), mails.TURNS)
    ready.database.freeze(name)
    taped = ready.site(ready.database.create(name))
    tape = bare.Tape(taped.engine)
    sent = sender.drain(taped, lambda: Taped(sender.transport_for(taped), tape))
    taped.engine.dispose()
    if sum(CLAIM in statement for statement, _, _ in tape.sent) < sent:
        raise RuntimeError("mails were claimed by another statement")

    def measure() -> dict[str, float]:
        again = ready.database.create(name)
        with psycopg.connect(ready.libpq(again)) as connection:
            start = time.process_time()
            for batch in statements_around_sending(tape.sent):
                with connection.pipeline():
                    told = [connection.execute(statement, parameters) for statement, parameters in batch]
                    connection.commit()
                for cursor in told:
                    if cursor.description:
                        cursor.fetchall()
            spent = (time.process_time() - start) * 1000
        statements = sum(len(batch) for batch in statements_around_sending(tape.sent))
        return {"ms": spent / sent, "statements": statements / sent, "additions": addition_ms()}

    return measure


def statements_around_sending(sent: Sequence[bare.Sent]) -> Iterator[list[tuple[Any, Any]]]:
    """Yields the statements from each claim until the mail left, and those after it."""
    batch = list[tuple[Any, Any]]()
    for statement, parameters, many in (*sent, (LEFT, None, False)):
        if statement == LEFT or CLAIM in statement:
            if batch:
                yield batch
            batch = []
        if statement not in (LEFT, "commit", "rollback"):
            batch += [(statement, one) for one in parameters] if many else [(statement, parameters)]


# --- whole turns, and the start --------------------------------------------------------------------------------------


def whole(ready: Machine, stack: ExitStack) -> Round:
    """Whole turns of many matches at once, as `make bench ARGS=turns` plays them."""

    def measure(seconds: float) -> dict[str, float]:
        (row,) = turns.rows(ready, seconds * turns.DEFAULT_S / turns.MEASURED_S)
        parts = read_efforts(row.note)
        if not row.value:
            raise RuntimeError(f"mails were lost: {row.note}")
        return {"ms": sum(parts.values()), "rate": row.value, "additions": addition_ms(), **parts}

    return measure


def start(ready: Machine, stack: ExitStack) -> Round:
    """`pbem run` in an empty folder."""

    def measure(memory: bool) -> dict[str, float]:
        steps = embedded.rows(replace(ready, folder=Path(mkdtemp(dir=ready.folder))), 1)
        before = addition_ms(time.perf_counter)
        found = {"s": next(steps).value}
        found |= {"mb": next(steps).value} if memory else {}
        steps.close()  # type: ignore[attr-defined]  # a generator, which ends what it has started
        return found | {"additions": median([before, addition_ms(time.perf_counter)])}

    return measure


WORKS: Mapping[str, Callable[[Machine, ExitStack], Round]] = {
    "pages": pages, "mails": letters, "moves": moves, "bare": plain, "two_batches": two_batches,
    "turns": whole, "start": start,
}  # fmt: skip


def main(work: str) -> None:
    """Does rounds until there is no more line."""
    says = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what the service logs goes where errors go
    with machine() as ready, ExitStack() as stack:
        measure = WORKS[work](ready, stack)
        says.write("{}\n")
        for line in sys.stdin:
            says.write(json.dumps(measure(**json.loads(line))) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
