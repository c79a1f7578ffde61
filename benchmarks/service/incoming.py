"""Rows about mail that comes in: how soon a reply is answered, by LMTP and by IMAP, and how many are kept a second."""

import imaplib
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from email.message import EmailMessage
from email.policy import SMTP
from itertools import count
from smtplib import LMTP

import psycopg

from benchmarks.service.machine import Machine, await_port, execute, free_port
from benchmarks.service.matches import OpenMatch, create_match
from benchmarks.service.report import Row, percentile
from benchmarks.service.sink import START_S
from pbem.features.inbox.reply_tokens import tokens_of
from pbem.games import find_game
from pbem.kit.codec import codec_for
from pbem.services.site import Site
from tests.harness.mail_servers import PASSWORD, USER, run_dovecot

SERVER = "mx.pbem.example"
REPLY_TO = "play+{token}@pbem.example"
REPLIES = 40
LOOKS = 2
WAIT_S = 150.0
"""Two looks into the mailbox, and time to spare."""
FOLLOWED = """
SELECT 1 FROM inbox i JOIN outbox o ON o.match_id = i.match_id AND o.created_at >= i.received_at
WHERE i.match_id = %s AND i.verdict = 'acted' AND o.result = 'sent'"""
NOTHING_DUE = "UPDATE outbox SET done_at = now()"
"""The mails of the matches before: a worker would draw them all before it answers the first reply."""

_numbers = count(1)


def reply_that_plays(site: Site, match: OpenMatch) -> tuple[bytes, str, str]:
    """Returns a mail that plays the first answer of the match's script, its author and its recipient."""
    answer, game = match.script[0], find_game(match.game)
    assert game is not None
    to = REPLY_TO.replace("{token}", tokens_of(site.config.secret).for_question(match.id, answer.seat, 0, answer.key))
    author = f"{match.id}.{answer.seat}@example.org"
    mail = EmailMessage()
    mail["Authentication-Results"] = f"{SERVER}; dmarc=pass header.from=example.org"
    mail["Received"] = f"by {SERVER}"
    mail["From"], mail["To"], mail["Subject"] = author, to, "Re: your turn"
    mail["Message-ID"] = f"<{next(_numbers)}@programs.example>"
    mail.set_content(game.format(codec_for(game).move(answer.move)))
    return mail.as_bytes(policy=SMTP), author, to


@contextmanager
def _run_inbound(machine: Machine, name: str, settings: Mapping[str, str], worker: bool) -> Iterator[None]:
    """Runs the Procfile's inbound on the database, and a worker if one is wanted, while the block runs."""
    environ = {**machine.environ(name, free_port()), "PBEM_REPLY_TO": REPLY_TO, "PBEM_AUTHSERV": SERVER, **settings}
    environ["WORKER_CONCURRENCY"] = "1"
    with machine.running("inbound", environ) as inbound:
        if "PBEM_LMTP" in settings:
            await_port(int(settings["PBEM_LMTP"].rpartition(":")[2]), inbound)
        if not worker:
            yield
            return
        with machine.running("worker", environ):
            _wait_until(lambda: b"worker.ready" in (machine.folder / "worker.log").read_bytes(), START_S)
            yield


def _wait_until(holds: Callable[[], object], seconds: float) -> None:
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            raise RuntimeError(f"nothing has come of it in {seconds:.0f} s")
        time.sleep(0.01)


def _seconds_to_answer(machine: Machine, name: str, match: OpenMatch, deliver: Callable[[], object]) -> float:
    """Returns the seconds from the delivery of a reply until the mail that follows on it has been sent."""
    with psycopg.connect(machine.libpq(name), autocommit=True) as host:
        start = time.perf_counter()
        deliver()
        _wait_until(lambda: host.execute(FOLLOWED, [match.id]).fetchone(), WAIT_S)
        return time.perf_counter() - start


def _measure_lmtp(machine: Machine) -> Iterator[Row]:
    name, port = machine.empty(), free_port()
    site = machine.site(name)
    matches = [create_match(site, "hogen", 50_000 + number, most=1, ahead=8) for number in range(REPLIES)]
    execute(machine.libpq(name), NOTHING_DUE)
    took = list[float]()
    with (
        _run_inbound(machine, name, {"PBEM_LMTP": f"127.0.0.1:{port}"}, worker=True),
        LMTP("127.0.0.1", port) as client,
    ):
        for match in matches:
            raw, author, to = reply_that_plays(site, match)
            took.append(_seconds_to_answer(machine, name, match, lambda: client.sendmail(author, to, raw)))  # noqa: B023
    site.engine.dispose()
    note = f"p50 {percentile(0.5, took):.2f} s, {len(took)} replies in turn"
    yield Row("by LMTP, from a reply to the mail that follows: slowest", max(took), 5, "s", "<=", note)


def _measure_imap(machine: Machine) -> Iterator[Row]:
    name = machine.empty()
    site = machine.site(name)
    matches = [create_match(site, "hogen", 60_000 + number, most=1, ahead=8) for number in range(LOOKS)]
    execute(machine.libpq(name), NOTHING_DUE)
    took = list[float]()
    with run_dovecot() as server, _run_inbound(machine, name, {"IMAP_URL": server.url}, worker=True):
        for match in matches:
            raw, _, _ = reply_that_plays(site, match)

            def deliver(raw: bytes = raw) -> None:
                with imaplib.IMAP4("127.0.0.1", server.port) as client:
                    client.login(USER, PASSWORD)
                    client.append("INBOX", None, None, raw)

            took.append(_seconds_to_answer(machine, name, match, deliver))
    site.engine.dispose()
    note = f"{', '.join(f'{one:.0f}' for one in took)}: each arrived just after a look, a minute before the next"
    yield Row("by IMAP, from a reply to the mail that follows: slowest", max(took), 90, "s", "<=", note)


def _measure_rate(machine: Machine, seconds: float) -> Iterator[Row]:
    name, port = machine.empty(), free_port()
    site = machine.site(name)
    raw, author, to = reply_that_plays(site, create_match(site, "hogen", 70_000, most=1))
    taken = 0
    with (
        _run_inbound(machine, name, {"PBEM_LMTP": f"127.0.0.1:{port}"}, worker=False),
        LMTP("127.0.0.1", port) as client,
    ):
        start = time.perf_counter()
        while time.perf_counter() - start < seconds:
            taken += 1
            client.sendmail(author, to, b"X-Number: %d\r\n" % taken + raw)
        rate = taken / (time.perf_counter() - start)
    with psycopg.connect(machine.libpq(name)) as host:
        kept = host.execute("SELECT count(*) FROM inbox").fetchone()
    if kept != (taken,):
        raise RuntimeError(f"{taken} mails were acknowledged, {kept} are kept")
    site.engine.dispose()
    yield Row("mails taken in by LMTP, one connection", rate, 40, "/s", ">=", "committed before the answer")


def measure_incoming_mail(machine: Machine, seconds: float) -> Iterator[Row]:
    """Measures both ways in, and the rate of one of them; by IMAP where a Dovecot is installed, which takes minutes."""
    yield from _measure_lmtp(machine)
    yield from _measure_rate(machine, seconds)
    yield from _measure_imap(machine)
