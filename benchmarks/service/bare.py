"""The reference: the same statements that moves send, sent again by psycopg alone.

The application plays the moves in this process while its statements are recorded. They are then sent to a database in
the same state, transaction by transaction, with as many connections and threads as there were concurrent matches.
"""

import time
from collections.abc import Sequence
from threading import Thread
from typing import Any

import psycopg
from sqlalchemy import Engine, event

from benchmarks.service.clients import answer
from benchmarks.service.matches import OpenMatch
from pbem import create_app
from pbem.services.site import Site

Sent = tuple[str, Any, bool]
"""A statement, its parameters, and whether these are for many rows."""


class Tape:
    """Records what an engine sends while it is on: statements, commits, rollbacks."""

    def __init__(self, engine: Engine) -> None:
        self.sent: list[Sent] = []
        event.listen(engine, "before_cursor_execute", self._record_statement)
        event.listen(engine, "commit", lambda _: self.sent.append(("commit", None, False)))
        event.listen(engine, "rollback", lambda _: self.sent.append(("rollback", None, False)))

    def _record_statement(
        self, _c: Any, _cursor: Any, statement: str, parameters: Any, _context: Any, many: bool
    ) -> None:
        self.sent.append((statement, parameters, many))


def record(site: Site, matches: Sequence[OpenMatch], moves: int) -> list[list[Sent]]:
    """Returns what the service sends for this many moves of each match, played one after the other."""
    client, out = create_app(site=site).test_client(), []
    tape = Tape(site.engine)
    for match in matches:
        tape.sent = []
        for said in match.script[:moves]:
            head, _, body = answer(match, said).partition(b"\r\n\r\n")
            headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n")[1:])
            told = client.post(f"/api/v1/matches/{match.id}/moves", data=body, headers=headers)
            assert told.status_code == 201, told.text
        out.append(tape.sent)
    return out


def _send_tape(address: str, sent: Sequence[Sent], ready: Any) -> None:
    with psycopg.connect(address) as connection, connection.cursor() as cursor:
        ready.wait()
        for statement, parameters, many in sent:
            if statement == "commit":
                connection.commit()
            elif statement == "rollback":
                connection.rollback()
            elif many:
                cursor.executemany(statement, parameters)
            else:
                cursor.execute(statement, parameters)


def replay(address: str, tapes: Sequence[Sequence[Sent]]) -> float:
    """Sends all tapes concurrently; returns the seconds that this takes."""
    from threading import Barrier

    ready = Barrier(len(tapes) + 1)
    threads = [Thread(target=_send_tape, args=(address, tape, ready)) for tape in tapes]
    for thread in threads:
        thread.start()
    ready.wait()
    start = time.perf_counter()
    for thread in threads:
        thread.join()
    return time.perf_counter() - start
