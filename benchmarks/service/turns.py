"""The row about whole turns: a move over HTTP, the mail that it causes, with a fresh picture, and the page it opens.

Everything that a turn needs runs as the Procfile says: two web processes, a worker with two, PostgreSQL, Redis. The
mail server is here, and the players, too: each waits for the mail that asks them, opens their page and plays. There is
no beat, so this process wakes the worker once a second, as a beat would.
"""

import asyncio
import re
import time
import zlib
from collections import defaultdict
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

from benchmarks.service.clients import answer, request_of_page
from benchmarks.service.effort import Effort
from benchmarks.service.machine import Machine, await_port, execute, free_port
from benchmarks.service.matches import OpenMatch, create_match
from benchmarks.service.report import Row, percentile
from benchmarks.service.sink import Sink
from pbem.games import all_games
from pbem.services.site import Site
from pbem.services.wakeup import wakeup_for

SEATS = 4
AT_ONCE, MATCHES = 96, 160
LINES = 16
"""The number of connections to the web, as many as the threads that answer, and some."""
WARM_S = 8.0
MEASURED_S = 60.0
DEFAULT_S = 8
"""What `--seconds` is unless given: then this row takes MEASURED_S."""
LOST_S = 60.0
ONLY_TURNS = "UPDATE outbox SET done_at = now(), result = 'stale' WHERE kind <> 'turn'"
_TO = re.compile(rb"RCPT TO:<([^@]+)@")
_PICTURE = b"\r\nContent-ID: <board-"


@dataclass
class Turns:
    """What the players and the mail server have seen so far."""

    moves: int = 0
    pages: int = 0
    mails: int = 0
    octets: int = 0
    lost: int = 0
    """Matches in which a mail was not there in LOST_S seconds: with any, the row counts as 0."""
    pictures: set[int] = field(default_factory=set)
    """The checksums of the pictures: fresh ones differ."""
    waited: list[float] = field(default_factory=list)
    """How long after a move the mail was there that the next player waited for, in seconds."""
    boxes: dict[bytes, asyncio.Semaphore] = field(default_factory=lambda: defaultdict(lambda: asyncio.Semaphore(0)))

    def restart_counting(self) -> None:
        """Counts from now on."""
        self.moves = self.pages = self.mails = self.octets = 0
        self.pictures.clear()
        self.waited.clear()

    def count_mail(self, to: bytes, mail: bytes) -> None:
        """Counts a mail, and tells its reader."""
        _, found, picture = mail.partition(_PICTURE)
        self.mails += 1
        self.octets += len(mail)
        if found:
            body = picture.partition(b"\r\n\r\n")[2].partition(b"\r\n--")[0]  # the next boundary has a token
            self.pictures.add(zlib.crc32(body))
        self.boxes[to].release()


class Postman(Sink):
    """A mail server that keeps the mail at hand, and gives it to the players."""

    def __init__(self, turns: Turns) -> None:
        self._turns, self._to, self._pieces = turns, b"", list[bytes]()

    def _handle_command(self, line: bytes) -> None:
        if found := _TO.match(line):
            self._to = found[1]

    def _handle_piece_of_mail(self, data: bytes) -> None:
        self._pieces.append(data)

    def _handle_end_of_mail(self) -> None:
        self._turns.count_mail(self._to, b"".join(self._pieces))
        self._pieces.clear()


class Lines:
    """Persistent connections to the web, one request at a time on each."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._free: asyncio.Queue[tuple[asyncio.StreamReader, asyncio.StreamWriter] | None] = asyncio.Queue()
        for _ in range(LINES):
            self._free.put_nowait(None)

    async def send_and_read(self, request: bytes, status: int) -> None:
        """Sends a request and reads the answer. Raises RuntimeError for an unexpected one."""
        line = await self._free.get()
        try:
            try:
                line, got = await self._exchange(line, request)
            except (OSError, asyncio.IncompleteReadError):  # closed while it was idle
                line, got = await self._exchange(None, request)
            if not got.startswith(b"HTTP/1.1 %d" % status):
                line = None
                raise RuntimeError(got[:2000].decode(errors="replace"))
        finally:
            self._free.put_nowait(line)

    async def _exchange(self, line: Any, request: bytes) -> tuple[Any, bytes]:
        reader, writer = line or await asyncio.open_connection("127.0.0.1", self._port)
        writer.write(request)
        head: bytes = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
        body: bytes = await reader.readexactly(length)
        return (reader, writer), head + body[:1000]


async def _play_match(match: OpenMatch, lines: Lines, turns: Turns) -> None:
    """Plays the match: each question that a mail asks is answered from the page that the mail opens."""
    for said in match.script:
        if said.mailed:
            start = time.perf_counter()
            box = turns.boxes[f"{match.id}.{said.seat}".encode()]
            if not await _has_mail_come(box):
                turns.lost += 1
                return
            turns.waited.append(time.perf_counter() - start)
            await lines.send_and_read(request_of_page(f"/play/{match.tokens[said.seat]}"), 200)
            turns.pages += 1
        await lines.send_and_read(answer(match, said), 201)
        turns.moves += said.mailed


async def _has_mail_come(box: asyncio.Semaphore) -> bool:
    """Returns whether a mail comes before it must be lost."""
    try:
        async with asyncio.timeout(LOST_S):
            await box.acquire()
    except TimeoutError:
        return False
    return True


async def _play_in_sequence(matches: Iterator[OpenMatch], lines: Lines, turns: Turns) -> None:
    for match in matches:
        await _play_match(match, lines, turns)


async def _wake_every_second(wake: Callable[[], None]) -> None:
    while True:
        wake()
        await asyncio.sleep(1)


async def _measure_turns(
    matches: list[OpenMatch], port: int, sink_port: int, wake: Callable[[], None], efforts: Callable[[], Effort],
    seconds: float,
) -> tuple[Turns, str]:  # fmt: skip
    """Plays for some seconds; returns what was seen in them, and the effort of each turn."""
    turns, lines, waiting = Turns(), Lines(port), iter(matches)
    server = await asyncio.get_running_loop().create_server(lambda: Postman(turns), "127.0.0.1", sink_port)
    todo: list[Coroutine[Any, Any, None]] = [_play_in_sequence(waiting, lines, turns) for _ in range(AT_ONCE)]
    try:
        async with asyncio.TaskGroup() as group:  # ends all if one fails
            tasks = [group.create_task(one) for one in (*todo, _wake_every_second(wake))]
            await asyncio.sleep(WARM_S)
            turns.restart_counting()
            effort = efforts()
            await asyncio.sleep(seconds)
            spent = effort.each(max(1, turns.moves))
            seen = replace(turns, pictures={*turns.pictures}, waited=[*turns.waited])
            for task in tasks:
                task.cancel()
    finally:
        server.close()
    return seen, spent


def _create_matches(machine: Machine, name: str, site: Site) -> list[OpenMatch]:
    """Returns matches of all games in turn, at tables of four where the game allows it, with nobody's move played."""
    slugs, numbers = [slug for slug in all_games() if slug != "endless"], count(80_000)
    seats = {slug: max(n for n in all_games()[slug].meta.seats if n <= SEATS) for slug in slugs}
    made = [create_match(site, slugs[i % len(slugs)], next(numbers), seats=seats[slugs[i % len(slugs)]])
            for i in range(MATCHES)]  # fmt: skip
    execute(machine.libpq(name), ONLY_TURNS)
    return made


def rows(machine: Machine, seconds: float) -> Iterator[Row]:
    """Measures for a minute, or for less in proportion to `--seconds`."""
    name, port, sink_port = machine.empty(), free_port(), free_port()
    site = machine.site(name)
    matches, wake = _create_matches(machine, name, site), wakeup_for(site.config)
    site.engine.dispose()
    environ = machine.environ(name, port) | {"SMTP_URL": f"smtp://127.0.0.1:{sink_port}?tls=none"}
    measured = MEASURED_S * seconds / DEFAULT_S
    with machine.running("web", environ) as web, machine.worker(environ) as worker:
        await_port(port, web)

        def efforts() -> Effort:
            return Effort({"web": web.pid, "worker": worker, "PostgreSQL": machine.postmaster})

        seen, spent = asyncio.run(_measure_turns(matches, port, sink_port, wake, efforts, measured))
    rate = 0.0 if seen.lost else min(seen.moves, seen.pages, len(seen.pictures)) / measured
    note = (
        f"{seen.moves} moves, {seen.pages} pages, {seen.mails} mails with {len(seen.pictures)} pictures in "
        f"{measured:.0f} s, {seen.octets / max(1, seen.mails) / 1024:.0f} KB a mail, "
        f"{seen.lost} lost, move to mail p50 {percentile(0.5, seen.waited) if seen.waited else 0:.2f} s; {spent}"
    )
    yield Row("whole turns, every picture fresh", rate, 70, "/s", ">=", note)
