"""One run: everybody plays, parts fail, everything recovers, and the checks run.

1. The topology starts, and all tables begin a match undisturbed.
2. The plan's faults happen. Tables whose match ends begin another one.
3. The faults end, and the players stop. Mails that wait for a retry, and claims of killed workers, become due at
   once, as if the time until then had passed; the run first checks that they do not wait longer than allowed.
4. Every table that still plays makes one more move without a retry.
5. The checks run; then all processes are stopped, and must stop.
"""

from __future__ import annotations

import json
import re
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random

import psycopg
from celery import Celery
from click.testing import CliRunner

from pbem.cli import main
from pbem.config import Config
from pbem.features.inbox import reading
from pbem.features.inbox.ways import arrivals
from pbem.services.log import leases
from pbem.services.mail import claims
from pbem.services.players import bounces
from pbem.services.site import open_site
from tests.chaos import checks, checks_inbox, checks_mail
from tests.chaos.asking import Persistent
from tests.chaos.correspondents import Courier
from tests.chaos.evidence import Evidence, Looked
from tests.chaos.ledger import Ledger
from tests.chaos.plan import Fault
from tests.chaos.players import ack_of
from tests.chaos.relay import Relay
from tests.chaos.report import Report
from tests.chaos.tables import TABLES, Party
from tests.chaos.town import RECOVERY_S, Town
from tests.chaos.unrest import Unrest
from tests.production.hosts import Host
from tests.production.people import tokens_in
from tests.production.sink import free_port
from tests.production.topology import Service, send_request

BEGUN_S, SETTLE_S = 150.0, 120.0
PING_S = 3.0
ALIVE_S = 10.0
"""A claim that is older than this belongs to nobody: everything answers at once by now."""
SETTINGS = {
    "PBEM_MATCHES_PER_IP_HOUR": "100000", "PBEM_MATCHES_PER_ADDRESS_DAY": "100000", "PBEM_OPEN_MATCHES": "1000",
    "PBEM_MAILS_PER_ADDRESS_DAY": "100000", "PBEM_UNVERIFIED_MAILS_PER_DAY": "100000",
}  # fmt: skip
OWN = "@pbem.example"
"""The site's own addresses: it writes to itself every hour."""
LEASES = (
    ("outbox", "done_at", claims.LEASE), ("asks", "closed_at", leases.LEASE), ("inbox", "done_at", arrivals.LEASE),
)  # fmt: skip
MOST_WAITS = {
    "retry": timedelta(seconds=bounces.LAST_RETRY_S * 1.25), "mail": claims.LEASE, "ask": leases.LEASE,
    "arrival": timedelta(seconds=reading.FIRST_RETRY_S * 2 ** (reading.TRIES - 1)), "reading": arrivals.LEASE,
}  # fmt: skip


@dataclass(frozen=True)
class Scale:
    """The size of a run."""

    seed: str
    seconds: float
    faults: tuple[Fault, ...]
    webs: int = 2
    workers: int = 2
    beats: int = 1
    shards: int = 1
    tables: int = len(TABLES)
    processes_a_web: int = 2
    smtp_timeout_s: int = 2
    hosts: tuple[Host, ...] = ()
    """Where everything runs; none: all of it in this checkout."""


@dataclass
class Run:
    """A run on a service whose database has its tables, before any process has started."""

    service: Service
    relay: Relay
    scale: Scale
    ledger: Ledger = field(default_factory=Ledger)
    courier: Courier = field(default_factory=lambda: Courier(free_port()))
    stop: threading.Event = field(default_factory=threading.Event)
    lateness: Looked = field(default_factory=lambda: Looked("retries and claims end in time"))
    read: Counter[str] = field(default_factory=Counter)
    """What became of the mails that came in, by verdict."""
    goes_on: Looked = field(default_factory=lambda: Looked("tables go on at the first try"))

    def report(self) -> Report:
        """Runs, and returns the report."""
        begun = time.monotonic()
        self.service.settings |= (
            SETTINGS
            | self.courier.settings
            | {
                "WEB_CONCURRENCY": str(self.scale.processes_a_web),
                "PBEM_SHARDS": str(self.scale.shards),
                "SMTP_URL": f"smtp://127.0.0.1:{self.relay.port}?tls=none&timeout={self.scale.smtp_timeout_s}",
            }
        )
        scale = self.scale
        town = Town(self.service, Random(scale.seed), scale.webs, scale.workers, scale.beats, scale.hosts)
        town.open()
        parties, threads = self.gather()
        unrest = Unrest(town, self.relay)
        print_progress(
            f"{time.monotonic() - begun:.0f} s: everybody plays; {len(self.scale.faults)} faults are to come"
        )
        unrest.run(self.scale.faults, self.scale.seconds)
        print_progress(f"{time.monotonic() - begun:.0f} s: no more faults")
        town.await_all(RECOVERY_S)
        print_progress(f"{time.monotonic() - begun:.0f} s: everything works again")
        self.stop.set()
        for thread in threads:
            thread.join(60)
        if any(thread.is_alive() for thread in threads):
            self.ledger.complain("a player still waits for an answer a minute after everything works")
        print_progress(f"{time.monotonic() - begun:.0f} s: the players have gone")
        self.settle()
        self.one_more_move(parties)
        self.settle()
        print_progress(f"{time.monotonic() - begun:.0f} s: everything has settled")
        shared = Looked("hosts share no file", count=len(town.parts), wrong=town.files_in_common())
        done = self.checks(town) + ([shared] if scale.hosts else [])
        figures = self.figures(time.monotonic() - begun)
        title = f"seed {self.scale.seed}, {self.scale.seconds:.0f} s of faults"
        return Report(title, unrest.done, figures, town.recovered, done)

    def gather(self) -> tuple[list[Party], list[threading.Thread]]:
        """All tables, playing."""
        luck = Random(self.scale.seed)
        ports = self.service.ports[: self.scale.webs]
        parties = [
            Party(
                table, number, Persistent(ports, self.ledger, Random(luck.random()), self.stop), self.relay,
                self.courier, self.service.url, self.scale.seed,
            )
            for number, table in enumerate(TABLES[: self.scale.tables])
        ]  # fmt: skip
        threads = [threading.Thread(target=party.run, daemon=True) for party in parties]
        for thread in threads:
            thread.start()
        for party in parties:
            assert party.sat.wait(BEGUN_S), f"{party.table.game} never begins: {self.ledger.complaints}"
        return parties, threads

    def settle(self) -> None:
        """Returns when no work is left, or after a time limit."""
        end = time.monotonic() + SETTLE_S
        while time.monotonic() < end:
            with psycopg.connect(self.service.database_url) as host:
                self.hurry(host)
                left = host.execute(LEFT).fetchone()
            if left == (0, 0, 0):
                return
            time.sleep(0.5)

    def hurry(self, host: psycopg.Connection) -> None:
        """Makes all retries and dead claims due now; first checks how long they would wait."""
        waiting = host.execute(WAITING).fetchall()
        now = datetime.now(UTC)
        for what, until, most in waiting:
            longest = MOST_WAITS[most]
            self.lateness.hold(until - now <= longest, f"{what} waits for another {until - now}")
        host.execute(f"UPDATE outbox SET due_at = now() WHERE done_at IS NULL AND due_at > now() AND NOT {ORDERED}")
        # A call with an answer is claimed by nobody: it rests until its retry, and is due all the while.
        host.execute("UPDATE outbox SET claimed_until = NULL WHERE done_at IS NULL AND answer IS NOT NULL")
        host.execute("UPDATE inbox SET due_at = now() WHERE done_at IS NULL AND due_at > now()")
        for table, column, lease in LEASES:
            dead = now + lease - timedelta(seconds=ALIVE_S)
            host.execute(
                f"UPDATE {table} SET claimed_until = now() - interval '1 second' "
                f"WHERE {column} IS NULL AND claimed_until BETWEEN now() AND %s",
                [dead],
            )

    def one_more_move(self, parties: list[Party]) -> None:
        """Every table that still plays makes a move without a retry."""
        for party in parties:
            tokens = [(person.seat, person.token) for person in party.people]
            for seat, token in tokens:
                url = f"{self.service.url}/api/v1/matches/{token.split('.')[0]}"
                asked = send_request(f"{url}/ask", Authorization=f"Bearer {token}")
                if not self.goes_on.hold(asked.status == 200, f"{party.table.game} seat {seat}: {asked.status}"):
                    continue
                question = asked.json["ask"]
                if question is None or question["sealed"]:  # another answer would replace the one that is sealed
                    continue
                body = {"key": question["key"], "move": asked.json["legal"][0]["move"]}
                made = send_request(f"{url}/moves", body, Authorization=f"Bearer {token}")
                if self.goes_on.hold(
                    made.status == 201, f"{party.table.game} seat {seat}: {made.status} {made.text[:200]}"
                ):
                    self.ledger.write(ack_of(token.split(".")[0], seat, body, made))
                break

    def checks(self, town: Town) -> list[Looked]:
        """All checks."""
        site = open_site(Config.from_env(self.service.environ(), "production"))
        with ThreadPoolExecutor(1) as pool, ExitStack() as last:
            last.callback(site.engine.dispose)
            well = pool.submit(self.well, town, site.config)
            to_players = [one for one in self.relay.taken if not one.to.endswith(OWN)]
            evidence = Evidence(site, to_players, self.ledger)
            self.read.update(row.verdict or "nothing" for row in evidence.inbox)
            found = [
                checks.check_moves(evidence), checks.check_take_backs(evidence), checks.check_orders(evidence),
                checks.check_logs(evidence), checks.check_laws(evidence),
                checks.verify_logs(evidence),
                checks.check_chains(evidence), checks.check_projections(evidence), checks_mail.open_asks(evidence),
                checks_mail.check_sent(evidence), checks_mail.check_repeated_mails(evidence),
                checks_mail.check_clocks(evidence), checks_mail.check_waiting_work(evidence),
                checks_inbox.check_deliveries(evidence), checks_inbox.check_replies(evidence),
                checks_inbox.check_answers(evidence),
            ]  # fmt: skip
        found += [self.lateness, self.goes_on, well.result()]
        town.close()
        return [*found, self.ends(town), self.answers(), self.quiet_logs()]

    def well(self, town: Town, config: Config) -> Looked:
        """Checks that every web server is ready, every worker answers, and `pbem doctor` finds no fault."""
        looked = Looked("web, workers and doctor are well")
        for port in self.service.ports[: town.webs]:
            ready = send_request(f"http://127.0.0.1:{port}/readyz")
            looked.hold(ready.status == 200 and ready.json["status"] == "ready", ready.text)
        with Celery(broker=config.broker_url, set_as_current=False) as app:
            heard = app.control.ping(timeout=PING_S, limit=town.workers) or []
        looked.hold(len(heard) == town.workers, f"{len(heard)} of {town.workers} workers answer: {heard}")
        doctor = CliRunner().invoke(main, ["doctor"], env=self.service.environ())
        looked.hold(doctor.exit_code == 0, doctor.output)
        return looked

    def ends(self, town: Town) -> Looked:
        """Checks that no process ended by itself, all came back, and none was left behind."""
        looked = Looked("processes come back, end when told, leave nothing")
        looked.count = len(town.groups)
        looked.wrong += town.complaints
        with suppress(TimeoutError):
            end = time.monotonic() + 20
            while town.left_behind() and time.monotonic() < end:
                time.sleep(0.2)
        looked.hold(not town.left_behind(), f"left behind: {town.left_behind()}")
        return looked

    def answers(self) -> Looked:
        """Checks that nobody received an answer that must not occur."""
        looked = Looked("players were told nothing they should not be")
        looked.count = len(self.ledger.acks) + self.ledger.counts.total()
        looked.wrong += self.ledger.complaints
        looked.hold(self.ledger.acks, "nobody has played")
        return looked

    def quiet_logs(self) -> Looked:
        """Checks that no log has a traceback, a token, an address or half a line."""
        looked = Looked("logs: whole lines, no traceback, token or address")
        secrets = sorted(
            tokens_in(one.message for one in self.relay.taken) | {one.to for one in self.relay.taken}
            | {to for _, recipients in self.ledger.deliveries for to in recipients}
        )  # fmt: skip
        for process in self.service.processes:
            said = ORPHAN.sub("", process.output)
            at = said.find("Traceback")
            looked.hold(at < 0, f"{process.log.name}: {said[max(0, at - 300) : at + 1500]}")
            odd = [line for line in said.splitlines() if not is_known_log_line(line)]
            looked.hold(not odd, f"{process.log.name} has {len(odd)} lines of no known shape: {odd[:2]}")
            given_away = [secret for secret in secrets if secret in said]
            looked.hold(not given_away, f"{process.log.name} has {given_away[:3]}")
        return looked

    def figures(self, seconds: float) -> list[tuple[str, str]]:
        """The counters for the report."""
        ids = Counter(one.message_id for one in self.relay.taken)
        told = [(what, str(count)) for what, count in sorted(self.ledger.counts.items())]
        return [
            ("moves acknowledged", str(len(self.ledger.acks))),
            *told,
            ("mails written to the service", str(len(self.ledger.replies))),
            *((f"mails that came in: {verdict}", str(count)) for verdict, count in sorted(self.read.items())),
            ("longest wait for an answer, with all tries", f"{self.ledger.slowest:.1f} s"),
            ("mails taken", str(len(ids))),
            ("mails that came again", str(sum(count - 1 for count in ids.values()))),
            *((f"mails that met a server that was {mood}", str(n)) for mood, n in sorted(self.relay.troubled.items())),
            ("the whole run", f"{seconds:.0f} s"),
        ]


ORDERED = """
(kind = 'turn' AND EXISTS (
    SELECT 1 FROM asks WHERE asks.match_id = outbox.match_id AND asks.seat = outbox.seat
        AND asks.origin = outbox.key AND asks.closed_at IS NULL AND asks.follow_at > now()))"""
"""Whether a mail waits for an order that answers later: nothing but time ends that."""
LEFT = f"""
SELECT (SELECT count(*) FROM outbox WHERE done_at IS NULL AND NOT {ORDERED}),
       (SELECT count(*) FROM asks JOIN matches ON matches.id = asks.match_id
        WHERE closed_at IS NULL AND status = 'running' AND (closes_at <= now() OR sealed_at IS NULL AND (
            bot IS NOT NULL AND asks.claimed_until IS NULL OR acts_at <= now()
            OR NOT EXISTS (SELECT 1 FROM asks other WHERE other.match_id = asks.match_id
                           AND other.closed_at IS NULL AND other.bot IS NULL)))),
       (SELECT count(*) FROM inbox WHERE done_at IS NULL)"""
WAITING = """
SELECT dedupe, due_at, 'retry' FROM outbox WHERE done_at IS NULL AND due_at > now()
UNION ALL SELECT dedupe, claimed_until, CASE WHEN answer IS NULL THEN 'mail' ELSE 'retry' END
          FROM outbox WHERE done_at IS NULL AND claimed_until > now()
UNION ALL SELECT match_id || ' ' || key, claimed_until, 'ask' FROM asks
          WHERE closed_at IS NULL AND claimed_until > now()
UNION ALL SELECT 'the mail ' || id, due_at, 'arrival' FROM inbox WHERE done_at IS NULL AND due_at > now()
UNION ALL SELECT 'the mail ' || id, claimed_until, 'reading' FROM inbox
          WHERE done_at IS NULL AND claimed_until > now()"""


PLAIN = re.compile(r"|worker: Warm shutdown \(MainProcess\)|Process 'ForkPoolWorker-\d+' pid:\d+ exited with '.*'")
"""What Celery and billiard print past all logging."""


ORPHAN = re.compile(
    r"(?:Process ForkPoolWorker-\d+:\nTraceback \(most recent call last\):\n(?: .*\n)*?.* in on_loop_start\n"
    r"|Pool process .* error: BrokenPipeError.*\nTraceback \(most recent call last\):\n(?: .*\n)*?.* in workloop\n"
    r")"
    r"(?: .*\n)*BrokenPipeError: \[Errno 32\] Broken pipe\n"
)
"""What billiard prints in a child whose main process is killed: as the child begins, or as it hands in a result."""


def is_known_log_line(line: str) -> bool:
    """True if a line of a log is JSON, or one of the few known exceptions."""
    try:
        return PLAIN.fullmatch(line) is not None or isinstance(json.loads(line), dict)
    except ValueError:
        return False


def print_progress(sentence: str) -> None:
    """Prints the progress of the run."""
    sys.stderr.write(f"{sentence}\n")
