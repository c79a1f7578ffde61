"""One log line a request: route, status, duration, code, with an id; and no secrets or names."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from billiard.einfo import ExceptionInfo
from billiard.exceptions import WorkerLostError
from kombu.exceptions import OperationalError

from pbem.logs import AsJson, Calm
from tests.harness.waiting import SECONDS
from tests.table import THREE, address_of
from tests.web.cast import Web, choose_move, press_only_button


@pytest.fixture
def web(make_web: Callable[..., Web], monkeypatch: pytest.MonkeyPatch) -> Web:
    """A site that logs as production does."""
    return make_web(mode="production", matches_per_ip_hour=1000)


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The site's log lines about its requests, in their final form."""
    said: list[dict[str, Any]] = []

    class Log:
        """Keeps the line instead of printing it."""

        def info(self, event: str, **facts: Any) -> None:
            said.append({"event": event, **facts})

        warning = info

    monkeypatch.setattr("pbem.web.protocol.requests.log", Log())
    return said


@pytest.mark.long
def test_a_request_is_logged_in_one_line_with_its_route_not_its_path(
    web: Web, hogen: str, lines: list[dict[str, Any]]
) -> None:
    lines.clear()
    web.client().get(web.link("play", hogen, 0) + "?pick=x")
    web.client().get(f"/api/v1/matches/{'0' * 24}")
    assert [(line["method"], line["route"], line["status"]) for line in lines] == [
        ("GET", "/play/<token>", 200),
        ("GET", "/api/v1/matches/<match_id>", 404),
    ]
    assert lines[1]["code"] == "not_found"
    assert all(line["ms"] >= 0 for line in lines)


@pytest.mark.long
def test_a_well_formed_request_id_is_kept_and_any_other_replaced(web: Web, hogen: str) -> None:
    client = web.client()
    assert client.get("/", headers={"X-Request-Id": "proxy-0123456789"}).headers["X-Request-ID"] == "proxy-0123456789"
    token = web.link("play", hogen, 0).split("/")[-1]
    for foreign in ("short", "a b c d e f g h", token, "x" * 65, "alice@example.org"):
        answered = client.get("/api/v1/games", headers={"X-Request-Id": foreign}).headers["X-Request-ID"]
        assert answered != foreign
        assert len(answered) == 16


def test_probes_are_logged_only_when_something_is_wrong(web: Web, lines: list[dict[str, Any]]) -> None:
    for path in ("/healthz", "/readyz"):
        web.client().get(path)
    assert lines == []
    web.client().get("/metrics", headers={"Host": "play.example.org"})
    assert [line["route"] for line in lines] == ["/metrics"]


@pytest.mark.long
def test_no_log_line_of_a_begun_match_holds_a_token_address_or_name(
    web: Web, lines: list[dict[str, Any]], capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    match_id, client = web.start(), web.client()
    paths = [web.link("play", match_id, seat) for seat in range(3)]
    for path in paths:
        press_only_button(client, choose_move(client, path, lambda hrefs: hrefs[0]))
        client.post(path, data={"key": "t1.none", "text": f"nonsense of {THREE[0]}"})
    client.post("/links", data={"address": address_of("Alice")})
    said = capfd.readouterr()
    everything = json.dumps(lines) + said.out + said.err + caplog.text
    assert '"/play/<token>"' in everything
    for secret in (*(path.split("/")[-1] for path in paths), *THREE, "example.org"):
        assert secret not in everything


def log_record(error: Exception, name: str = "celery.beat") -> logging.LogRecord:
    """Returns a library's log record with a traceback."""
    try:
        raise error
    except type(error):
        return logging.LogRecord(
            name, logging.ERROR, __file__, 1, "Message Error: %s\nstack", ("gone",), sys.exc_info()
        )


def test_an_absent_broker_is_one_log_line_and_others_keep_a_traceback() -> None:
    away, bug, ours = (
        log_record(OperationalError("gone")),
        log_record(ValueError("a bug")),
        log_record(OSError("disk"), "pbem"),
    )
    for line in (away, bug, ours):
        assert Calm().filter(line)
    assert json.loads(AsJson().format(away))["event"] == "Message Error: gone (OperationalError)"
    assert "exception" not in json.loads(AsJson().format(away))
    for line in (bug, ours):
        assert "Traceback" in json.loads(AsJson().format(line))["exception"]


def test_a_task_whose_process_was_killed_is_one_log_line() -> None:
    try:
        raise WorkerLostError("signal 9")
    except WorkerLostError:
        lost = ExceptionInfo().exc_info
    line = logging.LogRecord("celery.worker.request", logging.ERROR, __file__, 1, "Task raised", (), lost)
    assert Calm().filter(line)
    assert json.loads(AsJson().format(line)).keys() == {"event", "logger", "level", "timestamp"}


def test_a_beat_schedule_torn_by_a_kill_is_one_log_line() -> None:
    torn = log_record(ValueError("malformed"))
    torn.msg, torn.args = "Removing corrupted schedule file %r: %r", ("/tmp/beat", "malformed")
    assert Calm().filter(torn)
    said = json.loads(AsJson().format(torn))
    assert said["event"].startswith("Removing corrupted schedule file '/tmp/beat'")
    assert "exception" not in said


def test_log_lines_of_several_processes_do_not_run_into_each_other(tmp_path: Path) -> None:
    """Without a buffer, as in containers, a separate write of the line end lets another line in between."""
    log = tmp_path / "log"
    program = (
        "import structlog, pbem.logs; pbem.logs.configure_logging(as_json=True); log = structlog.get_logger()\n"
        "for n in range(3000): log.info(str(n))"
    )
    with log.open("ab", buffering=0) as output:
        writers = [subprocess.Popen([sys.executable, "-u", "-c", program], stdout=output) for _ in range(2)]
        assert [writer.wait(SECONDS) for writer in writers] == [0, 0]
    said = [json.loads(line)["event"] for line in log.read_text().splitlines()]
    assert Counter(said) == {str(n): 2 for n in range(3000)}


def test_a_log_message_of_any_library_is_json_on_one_line() -> None:
    line = AsJson().format(logging.LogRecord("any", logging.WARNING, __file__, 1, "two\nlines", (), None))
    assert "\n" not in line
    assert json.loads(line)["level"] == "warning"


@pytest.mark.long
def test_a_form_sent_to_a_locked_database_gets_503_with_retry_after(web: Web, lines: list[dict[str, Any]]) -> None:
    """The page is the form again, with the typed values; a proxy reads the headers."""
    running, unconfirmed = web.start(), web.create()
    client = web.client()
    board = choose_move(client, web.link("play", running, 0), lambda hrefs: hrefs[0]).form("confirm")
    assert board is not None
    forms = {
        web.link("confirm", unconfirmed, 0): {"language": "en", "zone": "Europe/Paris"},
        board.action: board.fields,
        "/links": {"address": address_of("Alice")},
        "/new": {"game": "hogen", "name": "Dave", "address": "dave@example.org",
                 "friends": "Erin <erin@example.org>, frank@example.org"},
    }  # fmt: skip
    lines.clear()
    with web.site.writing() as session:
        session.connection()  # SQLite has one writer, and this is it
        for path, form in forms.items():
            answer = client.post(path, data=form)
            assert (answer.status_code, answer.headers.get("Retry-After")) == (503, "1"), path
    assert [line["code"] for line in lines if line["method"] == "POST"] == ["busy"] * len(forms)
