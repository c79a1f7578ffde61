"""`pbem doctor` names each fault, and says how to fix it."""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import time_machine
from celery.app.control import Inspect
from sqlalchemy import create_engine, text, update

from pbem import clock
from pbem.commands import checks, doctor, reach
from pbem.config import Config
from pbem.discovery import TEMPLATES
from pbem.environment import Smtp
from pbem.mail import compose
from pbem.mail.compose import TooLarge
from pbem.mail.send import PermanentFailure
from pbem.models.schema import comparison
from pbem.models.schema.branches import Branch
from pbem.models.tables import Match, table
from pbem.run.listening import lock_data_folder
from pbem.services.clock import outages
from pbem.services.database_time import DatabaseTime
from pbem.services.findings import Finding
from pbem.services.mail import sender
from pbem.services.monitoring import alarm, failures, probes
from pbem.services.players import quotas
from tests.commands.conftest import Pbem
from tests.harness.waiting import SECONDS
from tests.production.sink import Sink
from tests.services.log.logs import rename_open_questions
from tests.table import START, House, address_of

SECRET = "a secret of more than 32 letters for tests"


def config(tmp_path: Path, **settings: object) -> Config:
    """Settings with some of them changed."""
    known = {"mode": "production", "data": tmp_path, "database_url": "sqlite://", "secret": SECRET}
    return Config(**{**known, **settings})  # type: ignore[arg-type]  # each test names what fits


def findings_of_doctor(pbem: Pbem, *words: str) -> dict[str, Finding]:
    """Returns the findings of the doctor, the worst of each check."""
    result = pbem("doctor", "--json", *words)
    said = json.loads(result.stdout)
    assert said["ok"] is (result.exit_code == 0)
    order = ("OK", "WARN", "FAIL")
    findings = sorted((Finding(**check) for check in said["checks"]), key=lambda one: order.index(one.level))
    return {finding.check: finding for finding in findings}


@pytest.fixture(autouse=True)
def deaf_address(bare: Pbem, monkeypatch: pytest.MonkeyPatch) -> None:
    """The public address is a port on which nobody listens."""
    monkeypatch.setenv("PBEM_URL", "http://127.0.0.1:1")


@pytest.fixture
def renders() -> None:
    """Lets the doctor render its page and its mail in a test that asks for this."""


@pytest.fixture
def compares() -> None:
    """Lets the doctor compare the tables with their models in a test that asks for this."""


@pytest.fixture(autouse=True)
def quick(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaves out elsewhere what takes the doctor most of its time: an application is made, and each table looked at."""
    if "renders" not in request.fixturenames:
        monkeypatch.setattr(doctor, "check_rendering", lambda config: iter(()))
    if "compares" not in request.fixturenames:
        monkeypatch.setattr(comparison, "schema_differences", lambda connection: [])


@pytest.mark.long
@pytest.mark.usefixtures("renders")
def test_doctor_finds_only_the_address_wrong_while_web_does_not_run(pbem: Pbem, house: House) -> None:
    house.begin(3)
    house.drain()
    said = findings_of_doctor(pbem)
    wrong = {check: finding.said for check, finding in said.items() if finding.level != "OK"}
    assert wrong.keys() == {"address"}, wrong
    assert "Is web running" in said["address"].todo


DOCTOR = """
import sys
from pathlib import Path
from pbem import discovery
discovery.TEMPLATES = Path(sys.argv.pop(1))
from pbem.web.protocol import assets
match sys.argv.pop(1):
    case "static":
        assets.FOLDER = Path("nowhere")
    case "fonts":
        from pbem.render.raster import fonts
        fonts.FILES = ("gone.ttf",)
    case "schema":
        from pbem.api.protocol import problems
        problems.SCHEMA = 0
from pbem.cli import main
main()
"""


# Each case takes a process.
@pytest.mark.long
@pytest.mark.parametrize(
    ("missing", "found_by"),
    [("web", "page"), ("mail", "mail"), ("static", "page"), ("fonts", "pictures"), ("schema", "page")],
)
@pytest.mark.usefixtures("pbem")
def test_doctor_fails_on_a_page_mail_or_picture_it_cannot_render(tmp_path: Path, missing: str, found_by: str) -> None:
    shutil.copytree(TEMPLATES, tmp_path / "some", ignore=shutil.ignore_patterns(missing))
    argv = [sys.executable, "-c", DOCTOR, str(tmp_path / "some"), missing, "doctor", "--json"]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    said = {check["check"]: Finding(**check) for check in json.loads(done.stdout)["checks"]}
    assert done.returncode == 1
    well = {"pictures": "OK", "page": "OK", "mail": "OK"}
    assert {check: said[check].level for check in well} == {**well, found_by: "FAIL"}
    because = {"web": "TemplateNotFound", "mail": "TemplateNotFound", "schema": "TypeError"}
    assert because.get(missing, "FileNotFoundError") in said[found_by].said
    assert "Install it again" in said[found_by].todo


class Well(BaseHTTPRequestHandler):
    """A site in good health, as the doctor sees it."""

    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/healthz" else 404)
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_: object) -> None:
        """Does nothing."""


@pytest.mark.long
def test_doctor_asks_the_address_that_the_running_site_has_noted(pbem: Pbem, tmp_path: Path) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), Well) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_address[1]}"
        with lock_data_folder(config(tmp_path, mode="embedded", url=url)):
            said = findings_of_doctor(pbem)
            assert (said["address"].level, said["address"].said) == ("OK", f"{url}/healthz answers")
            assert url in said["settings"].said
        server.shutdown()
    assert findings_of_doctor(pbem)["address"].said.startswith("http://127.0.0.1:1/healthz cannot be reached")


KILLED = """
import os, pathlib, signal, sys, types
from pbem.run.listening import lock_data_folder
with lock_data_folder(types.SimpleNamespace(data=pathlib.Path(sys.argv[1]), url=sys.argv[2])):
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_doctor_does_not_trust_the_address_file_of_a_killed_process(pbem: Pbem, tmp_path: Path) -> None:
    """The address that a killed process noted stays behind, and is not trusted."""
    subprocess.run([sys.executable, "-c", KILLED, tmp_path, "http://127.0.0.1:2"], check=False, timeout=120)
    assert (tmp_path / "address").read_text().startswith("http://127.0.0.1:2\n")
    said = findings_of_doctor(pbem)
    assert said["address"].said.startswith("http://127.0.0.1:1/healthz cannot be reached")
    assert "127.0.0.1:2" not in said["settings"].said


@pytest.mark.long
@pytest.mark.usefixtures("renders")
def test_doctor_prints_a_level_per_line_and_what_to_do_below(pbem: Pbem) -> None:
    result = pbem("doctor")
    assert result.exit_code == 1
    assert "OK    migrations: the newest one is there\n" in result.stdout
    assert "FAIL  address: http://127.0.0.1:1/healthz cannot be reached" in result.stdout
    assert "\n      → Links in mails lead there." in result.stdout


@pytest.mark.long
def test_doctor_warns_of_late_mails_and_matches_and_fails_on_questions(pbem: Pbem, house: House) -> None:
    match_id = house.begin(3)
    with house.site.writing() as session:
        session.connection().execute(text("UPDATE outbox SET due_at = '2026-03-12 12:02:00.000000'"))
        session.connection().execute(text("UPDATE asks SET acts_at = '2026-03-12 11:00:00.000000'"))
    assert findings_of_doctor(pbem)["matches due"].level == "OK"
    with house.site.writing() as session:
        session.connection().execute(text("UPDATE matches SET lapses_at = '2026-03-12 12:02:00.000000'"))
    said = findings_of_doctor(pbem)
    assert (said["mail due"].level, said["deadlines due"].level) == ("WARN", "FAIL")
    assert said["matches due"].level == "WARN"
    assert "the oldest for 120 s" in said["mail due"].said
    assert match_id not in pbem("doctor").stdout


@pytest.mark.long
def test_doctor_uses_the_singular_for_one_overdue_question(pbem: Pbem, house: House) -> None:
    match_id = house.begin(3)
    for seat in (0, 1):
        house.play(match_id, seat)
    house.drain()
    with house.site.writing() as session:
        session.connection().execute(text("UPDATE asks SET acts_at = '2026-03-12 12:03:59.000000'"))
    house.clock.forward(minutes=5)
    assert findings_of_doctor(pbem)["deadlines due"].said.startswith("1 question, the oldest for ")
    assert findings_of_doctor(pbem)["mail due"].said.startswith("0 mails, ")


def test_doctor_finds_a_match_whose_open_questions_differ_from_the_rules(pbem: Pbem, house: House) -> None:
    match_id = house.begin(3)
    assert findings_of_doctor(pbem)["questions"].level == "OK"
    rename_open_questions(house, match_id, 2)
    said = findings_of_doctor(pbem)["questions"]
    assert (said.level, said.said) == ("FAIL", "1 match asks other questions than it should")
    assert "pbem match rebuild" in said.todo


def test_doctor_counts_matches_whose_game_is_not_installed(pbem: Pbem, house: House) -> None:
    house.begin()
    with house.site.writing() as session:
        session.execute(text("UPDATE matches SET game = 'nim'"))
    said = findings_of_doctor(pbem)["games"]
    assert (said.level, said.said) == ("FAIL", "the game is unavailable, so these stand still: 1 match of nim")
    assert "pbem match cancel" in said.todo


def test_doctor_finds_a_log_changed_in_the_database(pbem: Pbem, house: House) -> None:
    match_id = house.begin(3)
    house.play(match_id, 0)
    assert findings_of_doctor(pbem)["chains"].level == "OK"
    with house.site.writing() as session:
        session.connection().execute(text("UPDATE entries SET at = '2026-03-12 11:00:00.000000' WHERE n = 2"))
    said = findings_of_doctor(pbem)["chains"]
    assert (said.level, said.said) == ("FAIL", "1 log is not as it was written")
    assert f"{match_id} at entry 2" in said.todo


@pytest.mark.long
def test_doctor_finds_a_match_not_archived_a_day_after_it_was_due(pbem: Pbem, house: House) -> None:
    house.begin(3)

    def end(ended_at: datetime) -> None:
        with house.site.writing() as work:
            work.connection().execute(update(table(Match)).values(status="over", ended_at=ended_at))

    end(START - timedelta(days=8) + timedelta(minutes=1))
    assert (findings_of_doctor(pbem)["archives"].level, findings_of_doctor(pbem)["archives"].said) == (
        "OK",
        "none is late",
    )
    end(START - timedelta(days=8))
    late = findings_of_doctor(pbem)["archives"]
    assert (late.level, late.said) == ("WARN", "1 match is over for more than eight days and not archived")
    assert "archive.failed" in late.todo


@pytest.mark.long
def test_doctor_finds_a_finished_match_without_results_for_an_hour(pbem: Pbem, house: House) -> None:
    house.begin(3)

    def end(ended_at: datetime) -> None:
        with house.site.writing() as work:
            work.connection().execute(update(table(Match)).values(status="over", ended_at=ended_at))

    assert (findings_of_doctor(pbem)["results"].level, findings_of_doctor(pbem)["results"].said) == (
        "OK",
        "none is late",
    )
    end(START - timedelta(minutes=59))
    assert findings_of_doctor(pbem)["results"].level == "OK"
    end(START - timedelta(minutes=61))
    late = findings_of_doctor(pbem)["results"]
    assert (late.level, late.said) == ("WARN", "1 match that is over has no results yet, for 3660 s")
    assert "tally.unreadable" in late.todo


def test_doctor_fails_while_web_has_sent_no_heartbeat_for_minutes(pbem: Pbem, house: House) -> None:
    house.clock.forward(minutes=-11)
    outages.record_heartbeat(house.site, "web")
    house.clock.forward(minutes=1)
    outages.record_heartbeat(house.site, "sweep")
    said = findings_of_doctor(pbem)["pulse"]
    assert (said.level, said.said) == ("FAIL", "web silent for 660 s")
    assert "pbem.run.server" in said.todo
    house.clock.forward(minutes=10)
    outages.record_heartbeat(house.site, "web")
    assert findings_of_doctor(pbem)["pulse"].level == "OK"


@pytest.mark.long
def test_doctor_fails_on_a_heartbeat_in_the_future_until_the_next_sweep(pbem: Pbem, house: House) -> None:
    outages.beat_and_apply_outages(house.site)
    assert findings_of_doctor(pbem)["marks"].level == "OK"
    house.clock.forward(days=400)
    outages.beat_and_apply_outages(house.site)
    house.clock.at = START
    said = findings_of_doctor(pbem)["marks"]
    assert (said.level, said.said) == ("FAIL", "the service was said to be up at 2027-04-16 12:04:00 UTC")
    outages.beat_and_apply_outages(house.site)
    assert findings_of_doctor(pbem)["marks"].level == "OK"


@pytest.mark.long
@pytest.mark.parametrize(("off_s", "level"), [(0, "OK"), (20, "WARN"), (-86_400 * 400, "FAIL")])
def test_doctor_compares_the_machines_clock_with_the_running_sites_time(
    pbem: Pbem, house: House, off_s: int, level: str
) -> None:
    now = DatabaseTime(house.site.engine, lambda: START - timedelta(seconds=off_s), clock.seconds_since_boot)
    now.settle()
    said = findings_of_doctor(pbem)["clock"]
    assert said.level == level
    assert re.fullmatch(r"this machine's clock and the time of the site differ by \S+ s", said.said) or level == "OK"


@pytest.mark.long
def test_doctor_fails_on_mails_waiting_longer_than_the_hosts_limit(
    pbem: Pbem, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.begin(3)
    with house.site.writing() as session:
        session.connection().execute(text("UPDATE outbox SET due_at = '2026-03-12 11:49:00.000000'"))
    assert findings_of_doctor(pbem)["mail due"].level == "FAIL"
    assert "`pbem mail list --due`" in findings_of_doctor(pbem)["mail due"].todo
    monkeypatch.setenv("PBEM_MAIL_LATE", "3600")
    assert findings_of_doctor(pbem)["mail due"].level == "WARN"


def test_doctor_names_the_game_whose_mails_leave_without_a_picture(
    pbem: Pbem, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object) -> bytes:
        raise ValueError("no SVG that a picture knows: '<text>Bob'")

    house.begin(3)
    with monkeypatch.context() as broken:
        broken.setattr(compose, "draw_board", failing)
        house.drain()
    said = findings_of_doctor(pbem)["mail pictures"]
    assert (said.level, "mail.undrawn" in said.todo) == ("FAIL", True)
    assert said.said.startswith("mails about Hogen leave without their picture, the last one ")
    alarm.watch_mails(house.site)
    assert findings_of_doctor(pbem)["mail pictures"].level == "OK"


def test_doctor_fails_for_a_day_on_a_mail_that_was_given_up(
    pbem: Pbem, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    def overflow(*_: object) -> object:
        raise TooLarge("the HTML has too many bytes")

    house.begin(3)
    assert findings_of_doctor(pbem)["mail given up"] == Finding("mail given up", "OK", "none for a fault of ours")
    monkeypatch.setattr(sender, "compose_mail", overflow)
    house.drain()
    house.clock.forward(seconds=sender.TOO_LARGE_S + 1)
    house.drain()
    said = findings_of_doctor(pbem)["mail given up"]
    assert (said.level, said.said.startswith("a mail was given up, the last one ")) == ("FAIL", True)
    assert "pbem mail list --failed" in said.todo
    assert "unsendable" in pbem("mail", "list", "--failed").stdout
    house.clock.forward(days=1, seconds=1)
    alarm.watch_mails(house.site)
    assert findings_of_doctor(pbem)["mail given up"].level == "OK"


@pytest.mark.long
def test_doctor_distinguishes_mails_refused_for_our_fault_from_bounces(pbem: Pbem, house: House) -> None:
    house.begin(3)
    house.mail.refusing = {
        address_of("Bob"): PermanentFailure(550, "5.7.1 relaying denied", "recipient"),
        address_of("Carol"): PermanentFailure(550, "5.1.1 no such user", "recipient"),
    }
    house.drain()
    said = findings_of_doctor(pbem)
    assert (said["mail refused"].level, said["mail refused"].said) == ("WARN", "1 × 550 5.7.1")
    assert "SPF" in said["mail refused"].todo
    assert (said["addresses"].level, said["addresses"].said) == ("OK", "1 player's address is refused")
    assert "example.org" not in pbem("doctor").stdout.replace("play.example.org", "")


def test_doctor_finds_a_used_up_daily_limit_of_mail_to_strangers(
    pbem: Pbem, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SMTP_URL", "smtp://127.0.0.1:1?tls=none")
    monkeypatch.setenv("PBEM_FROM", "pbem@example.org")
    monkeypatch.setenv("PBEM_UNVERIFIED_MAILS_PER_DAY", "1")
    before = findings_of_doctor(pbem)
    assert "database" in before
    assert "mail held back" not in before
    with house.site.writing() as session:
        quotas.take_from_quota_or_raise(session, quotas.Quota(quotas.SITE, 1), house.clock())
    said = findings_of_doctor(pbem)["mail held back"]
    assert said.level == "WARN"
    assert "PBEM_UNVERIFIED_MAILS_PER_DAY" in said.todo


def test_doctor_lists_mails_that_cannot_be_rendered(pbem: Pbem, house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    assert findings_of_doctor(pbem)["mail rendered"].level == "OK"

    def failing(*_: object) -> None:
        raise KeyError("a template of an older version")

    house.begin(3)
    with monkeypatch.context() as patch:
        patch.setattr("pbem.services.mail.sender.compose_mail", failing)
        house.drain()
    said = findings_of_doctor(pbem)["mail rendered"]
    assert said.level == "FAIL"
    assert said.said.startswith("3 cannot be")
    assert "mail.unrendered" in said.todo
    assert pbem("mail", "list", "--failed").stdout.count(" unrendered") == 3
    house.clock.forward(minutes=1)
    house.drain()
    assert findings_of_doctor(pbem)["mail rendered"].level == "OK"


def test_doctor_fails_on_a_clock_behind_the_newest_rows(pbem: Pbem, house: House) -> None:
    house.clock.forward(days=1)
    house.begin(3)
    assert findings_of_doctor(pbem)["clock"].level == "FAIL"


def test_doctor_reports_a_database_of_an_older_or_a_newer_version(pbem: Pbem, house: House) -> None:
    with house.site.engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '0014'"))
    assert findings_of_doctor(pbem)["migrations"].todo == "Run: pbem migrate"
    refused = pbem("migrate")
    assert refused.exit_code == 1
    assert "of a newer pbem, or of one before 0.1.0: use that program, or an empty database." in refused.output
    with house.site.engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    assert findings_of_doctor(pbem)["migrations"].level == "WARN"


@pytest.mark.parametrize(
    ("step", "level", "said", "todo"),
    [
        ("0001", "FAIL", "have not been upgraded to the version that is installed", "Run: pbem migrate"),
        ("0003", "WARN", "belong to a newer version of it than is installed", "Upgrade its package too"),
    ],
)
def test_doctor_names_a_feature_whose_tables_are_of_another_version(
    pbem: Pbem, house: House, monkeypatch: pytest.MonkeyPatch, step: str, level: str, said: str, todo: str
) -> None:
    monkeypatch.setattr(probes, "branches", lambda: (Branch("feed", Path(), "0002"),))
    with house.site.engine.begin() as connection:
        connection.execute(text("CREATE TABLE schema_of_feed (version_num VARCHAR(32) NOT NULL)"))
        connection.execute(text("INSERT INTO schema_of_feed VALUES (:step)"), {"step": step})
    told = findings_of_doctor(pbem)["migrations"]
    assert (told.level, told.said) == (level, f"the tables of the feature 'feed' {said}")
    assert told.todo.startswith(todo)


def test_doctor_fails_on_a_postgresql_without_fsync(postgres_url: str, tmp_path: Path) -> None:
    findings = {f.check: f for f in checks.check_database(config(tmp_path, database_url=postgres_url))}
    assert findings["durability"].level == "FAIL", "the tests' own server is as fast as it is forgetful"
    assert "fsync=on" in findings["durability"].todo
    assert (findings["database"].level, findings["clock"].level) == ("OK", "OK")


@pytest.mark.long
@pytest.mark.parametrize(("off_s", "level"), [(-3600, "FAIL"), (-9, "WARN"), (9, "WARN"), (3600, "FAIL")])
def test_doctor_compares_the_machines_clock_with_the_databases(
    postgres_url: str, tmp_path: Path, off_s: int, level: str
) -> None:
    with time_machine.travel(datetime.now(UTC) + timedelta(seconds=off_s)):
        findings = [f for f in checks.check_database(config(tmp_path, database_url=postgres_url)) if f.check == "clock"]
    assert [f.level for f in findings] == [level, "OK"], "nothing was written yet"
    differ = re.fullmatch(r"this machine and the database differ by (\S+) s", findings[0].said)
    assert differ is not None
    assert float(differ[1]) == pytest.approx(abs(off_s), abs=2)
    assert "chrony" in findings[0].todo


def test_doctor_never_prints_a_password(tmp_path: Path) -> None:
    url = "postgresql+psycopg://pbem:hush-hush@127.0.0.1:1/pbem"
    (finding,) = checks.check_database(config(tmp_path, database_url=url))
    assert finding.level == "FAIL"
    (other,) = checks.check_broker_beat_and_workers(config(tmp_path, redis_url="redis://:hush-hush@127.0.0.1:1/0"))
    assert other.level == "FAIL"
    assert "hush" not in finding.said + other.said


def test_doctor_fails_on_a_readable_secret_file_and_warns_of_a_weak_secret(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text(SECRET)
    (tmp_path / "secret").chmod(0o644)
    levels = [finding.level for finding in checks.check_signing_secret(config(tmp_path))]
    assert levels == ["OK", "FAIL"]
    (tmp_path / "secret").chmod(0o600)
    assert [finding.level for finding in checks.check_signing_secret(config(tmp_path, secret="ab" * 20))] == ["WARN"]


@pytest.mark.long
def test_doctor_fails_on_missing_beat_and_on_missing_worker(
    redis_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "PING_S", 0.3)
    findings = {f.check: f.level for f in checks.check_broker_beat_and_workers(config(tmp_path, redis_url=redis_url))}
    assert findings == {"broker": "OK", "beat": "FAIL", "workers": "FAIL", "thinking": "WARN"}


@pytest.mark.parametrize(
    ("queues", "levels"),
    [(("celery",), ("OK", "WARN")), (("thinking",), ("FAIL", "OK")), (("celery", "thinking"), ("OK", "OK"))],
)
def test_doctor_reports_each_queue_that_no_worker_takes(
    queues: tuple[str, ...], levels: tuple[str, str], redis_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = {f"{name}@host": [{"name": name}] for name in queues}
    monkeypatch.setattr(Inspect, "active_queues", lambda self: answers)
    findings = {f.check: f.level for f in checks.check_broker_beat_and_workers(config(tmp_path, redis_url=redis_url))}
    assert (findings["workers"], findings["thinking"]) == levels


@contextmanager
def server(*answers: bytes) -> Iterator[int]:
    """Yields the port of a server that answers with these lines, one to each line it receives."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            connection, _ = listening.accept()
            with connection, connection.makefile("rb") as heard:
                for answer in answers:
                    connection.sendall(answer + b"\r\n")
                    if not heard.readline():
                        return

        threading.Thread(target=serve, daemon=True).start()
        yield int(listening.getsockname()[1])


def smtp_findings(tmp_path: Path, smtp: Smtp) -> list[Finding]:
    """Returns the finding about this mail server."""
    return [*reach.check_smtp(config(tmp_path, smtp=smtp))]


def test_doctor_compares_the_clock_with_a_mail_servers_greeting(tmp_path: Path) -> None:
    greeting = b"220 mail.example.org ESMTP; Thu, 12 Mar 2020 12:00:00 +0000"
    with server(greeting, b"250 hello", b"250 ok", b"221 bye") as port:
        findings = smtp_findings(tmp_path, Smtp("127.0.0.1", port, tls="none", timeout=SECONDS))
    assert [(f.check, f.level) for f in findings] == [("mail server", "OK"), ("clock", "FAIL")]


@pytest.mark.parametrize(
    ("answers", "tls", "said"),
    [
        ((b"554 go away",), "none", "554"),
        ((b"220 hello", b"250 hello", b"221 bye"), "starttls", "does not offer encryption"),
        ((b"HTTP/1.1 400 Bad Request",), "ssl", "does not speak TLS"),
    ],
)
def test_doctor_says_what_a_mail_server_does_wrong(
    tmp_path: Path, answers: tuple[bytes, ...], tls: str, said: str
) -> None:
    with server(*answers) as port:
        smtp = Smtp("127.0.0.1", port, tls=tls, timeout=SECONDS)  # type: ignore[arg-type]  # one of the three
        (finding,) = smtp_findings(tmp_path, smtp)
    assert finding.level == "FAIL"
    assert said in finding.said
    assert finding.todo


def test_doctor_reports_a_refused_smtp_login_without_the_password(tmp_path: Path) -> None:
    answers = (b"220 hello", b"250-hello\r\n250 AUTH PLAIN", b"535 no", b"221 bye")
    with server(*answers) as port:
        (finding,) = smtp_findings(tmp_path, Smtp("127.0.0.1", port, "play", "hush-hush", "none", 5))
    assert "refuses user and password" in finding.said
    assert "hush" not in finding.said


def test_doctor_fails_on_an_unreachable_mail_server(tmp_path: Path) -> None:
    (finding,) = smtp_findings(tmp_path, Smtp("no-such-machine.invalid", 25, tls="none", timeout=SECONDS))
    assert finding.level == "FAIL"


def test_doctor_sends_a_test_mail_only_if_asked(pbem: Pbem, monkeypatch: pytest.MonkeyPatch) -> None:
    assert findings_of_doctor(pbem, "--to", "host@example.org")["test mail"].level == "WARN"
    sink = Sink()
    sink.start()
    try:
        monkeypatch.setenv("SMTP_URL", f"smtp://127.0.0.1:{sink.port}?tls=none")
        monkeypatch.setenv("PBEM_FROM", "play@pbem.example")
        assert findings_of_doctor(pbem)["mail server"].level == "OK"
        assert sink.got == []
        assert findings_of_doctor(pbem, "--to", "host@example.org")["test mail"].level == "OK"
    finally:
        sink.stop()
    (mail,) = sink.got
    assert (mail["To"], mail["From"]) == ("host@example.org", "play@pbem.example")


def test_doctor_lists_wrong_settings_as_findings(bare: Pbem, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PBEM_SECRET", "short")
    monkeypatch.setenv("PORT", "no number")
    result = bare("doctor", "--json")
    assert result.exit_code == 1
    assert [check["level"] for check in json.loads(result.stdout)["checks"]] == ["OK", "FAIL", "FAIL"]


@pytest.mark.long
@pytest.mark.usefixtures("renders")
def test_doctor_changes_no_mail_in_the_outbox(pbem: Pbem, house: House, sqlite_url: str) -> None:
    house.begin(3)
    engine = create_engine(sqlite_url)
    with engine.connect() as connection:
        before = connection.execute(text("SELECT id, due_at, done_at, claimed_until FROM outbox")).all()
        pbem("doctor")
        assert connection.execute(text("SELECT id, due_at, done_at, claimed_until FROM outbox")).all() == before
    engine.dispose()


@pytest.mark.usefixtures("compares")
def test_doctor_names_differences_between_tables_and_models(pbem: Pbem, house: House) -> None:
    assert findings_of_doctor(pbem)["tables"].level == "OK"
    with house.site.engine.begin() as connection:
        connection.execute(text("ALTER TABLE webhooks DROP COLUMN busy_run"))
    said = findings_of_doctor(pbem)["tables"]
    assert (said.level, said.said) == ("FAIL", "column webhooks.busy_run is missing")
    assert "Tables that differ" in said.todo


def test_doctor_names_a_task_that_fails_repeatedly(pbem: Pbem, house: House) -> None:
    assert findings_of_doctor(pbem)["tasks"].level == "OK"
    recorder = failures.Recorder()
    house.clock.at = START - timedelta(minutes=2)
    for _ in range(3):
        recorder.note_end_of_run(house.site, "call_hooks", "OperationalError")
        house.clock.forward(minutes=1)
    said = findings_of_doctor(pbem)["tasks"]
    assert (said.level, said.said) == (
        "FAIL", "call_hooks has failed 3 times since 2026-03-12 12:02:00 UTC (OperationalError)",
    )  # fmt: skip


def test_doctor_fails_on_a_program_too_old_for_the_database(pbem: Pbem, house: House) -> None:
    with house.site.engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9000'"))
    assert findings_of_doctor(pbem)["migrations"].level == "WARN"
    with house.site.engine.begin() as connection:
        connection.execute(text("UPDATE schema_floor SET revision = '9000'"))
    said = findings_of_doctor(pbem)["migrations"]
    assert said.level == "FAIL"
    assert "9000 or later" in said.said
