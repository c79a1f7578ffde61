"""What is measured in each database, the databases in turn, so that other work on the machine meets all alike.

Of each thing the time and the CPU are compared: that of this process, of the web and of PostgreSQL together.
"""

import gc
import logging
import random
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import count

import structlog
from flask.testing import FlaskClient

from benchmarks.scale import filled as filling
from benchmarks.scale.filled import Filled
from benchmarks.service.clients import Line, answer, request_of_page
from benchmarks.service.clockwork import time_sweep
from benchmarks.service.effort import Effort
from benchmarks.service.incoming import REPLY_TO, SERVER, reply_that_plays
from benchmarks.service.machine import SECRET, Machine, Web, execute
from benchmarks.service.matches import OpenMatch, create_match
from benchmarks.service.report import Row, percentile
from pbem import create_app
from pbem.features.inbox import reading
from pbem.features.inbox.ways import intake
from pbem.models.tables import Match
from pbem.services.hooks import tasks_of
from pbem.services.log import archiving, keeping
from pbem.services.mail import digests, reminders, sender
from pbem.services.monitoring import alarm
from pbem.services.play import bots, timeouts
from pbem.services.privacy import retention
from pbem.services.results import tallying
from pbem.services.shards import ALL
from pbem.services.site import Site

MATCHES, MOVES = 5, 24
"""How many matches are played in a round, and how many moves of each."""
AMONG = 6
"""In how many of the many matches one move is played in a round, and of how many others a page is read, and a mail
sent; no process keeps anything of them. As many again are cold: nobody has read their rows since the database began, so
PostgreSQL has to fetch their pages, the dearer the more there are for its memory."""
DUE = 20
VISITS, REPLIES, BEATS = 8, 5, 2
MINUTE_S = 60
BAR, NO_BAR = 1.15, float("inf")
"""What is fetched for the first time costs what the machine's disk and memory cost: it is said, and has no bar."""
COLD = "cold "
PIECE = 1 << 24

INCOMING = {"PBEM_REPLY_TO": REPLY_TO, "PBEM_AUTHSERV": SERVER, "PBEM_INBOUND_SECRET": SECRET}
_STRIDE = 389
"""No divisor of any size, so no match comes twice in a database that is large enough."""
_MAIL = """
UPDATE outbox o SET done_at = NULL, result = NULL, due_at = now(), claimed_until = NULL
WHERE kind = 'turn' AND match_id = '{}' AND EXISTS (
    SELECT FROM asks a WHERE a.match_id = o.match_id AND a.seat = o.seat AND a.origin = o.key AND closed_at IS NULL)"""
_AS_IF_IT_HAD_RUN = (
    "DELETE FROM pulse",
    "UPDATE outages SET done = true",
    "INSERT INTO pulse SELECT 'swept:' || name, max(ended_at) FROM matches, (VALUES ('folds', 8), ('messages', 365), "
    "('notes', 365), ('orders', 365), ('plans', 365)) old (name, days) "
    "WHERE ended_at < now() - days * interval '1 day' GROUP BY name",
)
"""The time since an earlier run is no outage, for which all matches would get time back; what has been said long ago
is deleted already."""

_numbers = count(int(time.time()) * 1000)
"""No run has had them before, in databases that are kept."""


@dataclass
class Spent:
    """How long each one of a kind took in one of the databases, and the CPU of all together, in milliseconds."""

    times: list[float] = field(default_factory=list)
    cpu: float = 0.0

    @property
    def cpu_each(self) -> float:
        """The milliseconds of CPU of each."""
        return self.cpu / len(self.times)

    @property
    def p50(self) -> float:
        """The milliseconds within which half of them were done."""
        return percentile(0.5, self.times)


class Place:
    """A database that is measured: its site in this process, and its web."""

    def __init__(self, machine: Machine, filled: Filled, web: Web) -> None:
        self.machine, self.filled, self.line = machine, filled, Line(web.port)
        self.processes = {"web": web.pid, "PostgreSQL": machine.postmaster}
        self.spent = defaultdict[str, Spent](Spent)
        self.site = machine.site(filled.name, INCOMING, wake=lambda: None)
        self.due = [create_match(self.site, "endless", next(_numbers), scripted=False).id for _ in range(DUE)]
        self.app = create_app(site=self.site)
        self.reader = create_app(site=machine.site(filled.name)).test_client()
        """It reads pages ahead: then PostgreSQL has their rows in memory, and those who are measured have nothing."""
        shapes = len(filled.answers)
        self.used = -(-filled.used // shapes) * shapes  # so that all databases begin with copies of the same match
        self.most = filled.size // 2
        """How many of its matches are played on at most, by all runs, and of how many others pages are read."""

    @property
    def has_more(self) -> bool:
        """Whether there are matches of which nothing is kept: one half is played on, of the other pages are read."""
        return self.used + 2 * AMONG <= self.most

    def measure_once(self) -> None:
        """Measures everything once."""
        ask = self.line.send_and_time
        for number in range(MATCHES):
            slug = ("hogen", "hagakure", "allegeance", "niigata", "hexen-rennen")[number % 5]
            match = create_match(self.site, slug, next(_numbers), most=MOVES)
            with self._count_cpu("move") as times:
                times += [ask(answer(match, said), 201) * 1e3 for said in match.script]
        for kind in ("", COLD) if self.has_more else ():
            half = self.filled.size // 2
            numbers = [(self.used + number) * _STRIDE % half for number in range(AMONG)]
            self.used += AMONG
            moved, read = ([self.filled.match(self.site, base + one) for one in numbers] for base in (0, half))
            if not kind:
                for match in (*moved, *read):
                    _seconds_of(partial(self.reader.get, f"/play/{match.tokens[match.script[0].seat]}"))
            with self._count_cpu(f"{kind}among") as times:
                times += [ask(answer(match, match.script[0]), 201) * 1e3 for match in moved]
            with self._count_cpu(f"{kind}page") as times:
                times += [
                    ask(request_of_page(f"/play/{match.tokens[match.script[0].seat]}"), 200) * 1e3 for match in read
                ]
            self._send_turn_mails(read, kind)
        with self._count_cpu("sweep") as times:
            times.append(time_sweep(self.site, self.machine, self.filled.name, self.due, rounds=1))
        clients = [_sign_in(self.app.test_client(), self.site, self._next_player()) for _ in range(VISITS)]
        for kind in (COLD, ""):
            with self._count_cpu(f"{kind}home") as times:
                times += [_seconds_of(lambda: client.get("/")) for client in clients]  # noqa: B023
        replies = [create_match(self.site, "hogen", next(_numbers), most=1) for _ in range(REPLIES)]
        with self._count_cpu("inbox") as times:
            times += [self._take_in_reply(match) for match in replies]
        self._drain_outbox()
        with self._count_cpu("idle") as times:
            times += [_seconds_of(self._run_idle_beat) for _ in range(BEATS)]
        with self._count_cpu("rare") as times:
            times.append(_seconds_of(partial(retention.delete_old_rows, self.site)))
        with self._count_cpu("week") as times:
            times.append(_seconds_of(partial(self._run_feature_tasks, lambda period_s: period_s > MINUTE_S)))

    @contextmanager
    def _count_cpu(self, what: str) -> Iterator[list[float]]:
        """Yields a list for the times of what is done in the block, whose CPU it counts.

        Not that of the garbage collector, which may take as long as ten pages, in whichever database it comes.
        """
        gc.collect()
        gc.disable()
        effort, spent, times = Effort(self.processes), self.spent[what], list[float]()
        try:
            yield times
        finally:
            gc.enable()
        spent.cpu += sum(effort.shares(1).values())
        spent.times += times

    def _send_turn_mails(self, matches: Sequence[OpenMatch], kind: str) -> None:
        """Sends the turn mails of these matches, and no other."""
        self._drain_outbox()
        execute(self.machine.libpq(self.filled.name), *(_MAIL.format(match.id) for match in matches))
        with self._count_cpu(f"{kind}mail") as times:
            start = time.perf_counter()
            sent = self._drain_outbox()
            times += [(time.perf_counter() - start) * 1e3 / sent] * sent
        if sent < len(matches):
            raise RuntimeError(f"{sent} mails left, and {len(matches)} were due")

    def _drain_outbox(self) -> int:
        """Sends all that is due by one connection; returns how many mails left."""
        total = 0
        while sent := sender.drain(self.site, lambda: sender.transport_for(self.site)):
            total += sent
        return total

    def _run_idle_beat(self) -> None:
        """Does once what beat asks for each minute or more often, with nothing to do."""
        site = self.site
        self._drain_outbox()
        bots.play_quick_bots(site)
        bots.is_any_thinker_asked(site)
        timeouts.beat_and_sweep_deadlines_if_web_up(site)
        reminders.beat_and_sweep_reminders_if_web_up(site)
        digests.queue_digests_and_reopen_mails(site)
        timeouts.cancel_lapsed_matches(site)
        archiving.archive_matches(site)
        tallying.tally_matches(site)
        keeping.sweep_folds(site)
        alarm.watch_mails(site)
        self._run_feature_tasks(lambda period_s: period_s <= MINUTE_S)

    def _run_feature_tasks(self, comes: Callable[[float], bool]) -> None:
        for task in tasks_of(self.site.config.features).values():
            if not comes(task.period_s):
                continue
            if task.must_think is not None:
                task.must_think(self.site)
            else:
                task.run(self.site, *((ALL,) if task.kind == "shard" else ()))

    def _next_player(self) -> int:
        return self.filled.player + random.randrange(self.filled.players)

    def _take_in_reply(self, match: OpenMatch) -> float:
        """Takes in a mail that plays a move, and reads it."""
        mail, _, to = reply_that_plays(self.site, match)

        def come() -> None:
            intake.take_in_mail(self.site, mail, via="lmtp", recipients=[to])
            if reading.read_inbox(self.site) != 1:
                raise RuntimeError("the mail was not read")

        before, took = self._version_of_match(match.id), _seconds_of(come)
        if self._version_of_match(match.id) == before:
            raise RuntimeError("the mail was read, but its move was not played")
        return took

    def _version_of_match(self, match_id: str) -> int:
        with self.site.reading() as session:
            return session.get_one(Match, match_id).version


def _seconds_of(do: Callable[[], object]) -> float:
    start = time.perf_counter()
    done = do()
    took = (time.perf_counter() - start) * 1e3
    if getattr(done, "status_code", 200) != 200:
        raise RuntimeError(f"the page answered {getattr(done, 'status_code', None)}")
    return took


def _sign_in(client: FlaskClient, site: Site, player: int) -> FlaskClient:
    client.post(f"/account/{site.tokens.for_account(player, 0, site.now())}")
    return client


def measure_databases(machine: Machine, databases: Sequence[Filled], minutes: float) -> Iterator[Row]:
    """Measures each database for that long; yields the ratios of their times and CPU to those of the smallest."""
    _warm_postgresql_files(machine)
    for one in databases:
        execute(machine.libpq(one.name), *_AS_IF_IT_HAD_RUN)
    with ExitStack() as stack:
        places = [Place(machine, one, stack.enter_context(machine.web(one.name))) for one in databases]
        more = min(place.most - place.used for place in places)
        if more < 2 * AMONG:
            sys.stderr.write(
                "All matches of a database have been used: there are no rows of matches with nothing kept.\n"
            )
        for place in places:
            place.most = place.used + more  # each is measured as often
        for place in places:
            structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
            start = time.monotonic()
            place.measure_once()  # what is loaded and compiled once counts for nobody, nor the day's checkpoint
            while place.site.looked_at.get(keeping.WALK, "") is not None:
                keeping.sweep_folds(place.site)  # what comes once with a release is not what each minute costs
            sys.stderr.write(f"{place.filled.name}: {time.monotonic() - start:.0f} s for the first round\n")
            place.spent.clear()
        gc.freeze()
        end, rounds = time.monotonic() + minutes * 60 * len(places), 0
        while rounds == 0 or time.monotonic() < end:
            rounds += 1
            for place in places if rounds % 2 else reversed(places):  # who comes second finds the same pictures drawn
                place.measure_once()
        for place in places:
            place.site.engine.dispose()
            place.reader.application.extensions["pbem"].engine.dispose()
            filling.note_used(machine, place.filled, place.used)
    yield from (row for what in _FIGURES for kind in ("", COLD) for row in _rows_of_figure(places, what, kind))
    sys.stdout.write("\n".join(("", *_table_for_docs(places), "", "")))


def _rows_of_figure(places: Sequence[Place], what: str, kind: str) -> Iterator[Row]:
    """Yields the rows of a figure, warm or cold; none if it is not measured so."""
    if kind + what not in places[0].spent:
        return
    small = places[0].spent[kind + what]
    for place in places[1:]:
        large = place.spent[kind + what]
        for unit, above, below in (("p50", large.p50, small.p50), ("CPU", large.cpu_each, small.cpu_each)):
            note = f"{above:.2f} : {below:.2f} ms, {len(large.times)} and {len(small.times)} times"
            name = f"{_FIGURES[what]}{', rows cold' if kind else ''}, {place.filled.size:,} open: {unit}"
            yield Row(name, above / below, NO_BAR if kind else BAR, "x", "<=", note)


def _table_for_docs(places: Sequence[Place]) -> Iterator[str]:
    """Yields the table of docs/scaling.md: the largest database to the smallest."""
    small, large = places[0].spent, places[-1].spent
    yield "| | CPU | p50 | rows cold: CPU | p50 |"
    yield "|---|---|---|---|---|"
    for what, name in _FIGURES.items():
        cells = list[str]()
        for kind, bar in (("", BAR), (COLD, NO_BAR)):
            if kind + what in small:
                above, below = large[kind + what], small[kind + what]
                for many, few in ((above.cpu_each, below.cpu_each), (above.p50, below.p50)):
                    missed = " (missed)" if many / few > bar else ""
                    cells.append(f"{many:.3g} : {few:.3g} ms, {many / few:.2f}{missed}")
        yield f"| {' | '.join([name, *cells, *['–'] * (4 - len(cells))])} |"


def _warm_postgresql_files(machine: Machine) -> None:
    """Reads all files of PostgreSQL: a site that has run for days has what it uses in memory, where it has room."""
    for file in (machine.database.folder / "data" / "base").glob("*/*"):
        with file.open("rb") as opened:
            while opened.read(PIECE):
                pass


_FIGURES = {
    "among": "a move, nothing kept", "move": "a move in a match just begun", "page": "a cold page of a seat",
    "home": "home page of a player in a dozen open matches and 130 others", "sweep": f"deadline sweep, {DUE} due",
    "mail": "a turn mail with its picture", "inbox": "a mail that plays a move",
    "idle": "what beat asks for each minute, nothing due", "rare": "every ten minutes: retention, nothing to delete",
    "week": "every ten minutes: whether the mail of the week is due",
}  # fmt: skip
