"""`pbem doctor` about the ways by which mail comes in."""

import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from pbem.config import Config
from pbem.features.inbox import doctor
from pbem.features.inbox.settings import Imap, Lmtp
from pbem.services.findings import Finding
from tests.commands.conftest import Pbem
from tests.features.inbox.replying import comes_in
from tests.harness.waiting import SECONDS
from tests.table import House, open_house


def findings_on_intakes(tmp_path: Path, **ways: object) -> list[Finding]:
    """Returns what is found about these ways in."""
    known: dict[str, Any] = {"mode": "production", "data": tmp_path, "database_url": "sqlite://", "secret": "s" * 32}
    return list(doctor.check(Config(**known, **comes_in(None, **ways))))


def test_doctor_names_each_intake_that_does_not_work(tmp_path: Path) -> None:
    imap = Imap("127.0.0.1", 1, "alice", "imapword", tls="none")
    path = str(tmp_path / "lmtp")
    by_imap, by_lmtp, by_post = findings_on_intakes(
        tmp_path, imap=imap, lmtp=Lmtp(path=path), secret="relayword-of-tests"
    )
    assert [by_imap.level, by_lmtp.level, by_post.level] == ["FAIL", "FAIL", "OK"]
    assert "127.0.0.1:1 does not open INBOX" in by_imap.said
    assert path in by_lmtp.said
    assert "pbem inbound" in by_lmtp.todo
    assert "/inbound" in by_post.said
    assert "imapword" not in str((by_imap, by_lmtp, by_post))
    assert "relayword" not in str(by_post)


def test_doctor_distinguishes_an_lmtp_server_from_something_else(tmp_path: Path) -> None:
    for greeting, level in ((b"220 mx pbem\r\n", "OK"), (b"HTTP/1.1 400\r\n", "FAIL")):
        with socket.create_server(("127.0.0.1", 0)) as server:

            def greet(server: socket.socket = server, greeting: bytes = greeting) -> None:
                connection, _ = server.accept()
                with connection:
                    connection.sendall(greeting)

            thread = threading.Thread(target=greet)
            thread.start()
            (found_it,) = findings_on_intakes(tmp_path, lmtp=Lmtp("127.0.0.1", server.getsockname()[1]))
            thread.join(SECONDS)
        assert found_it.level == level, found_it


@pytest.mark.parametrize("step", ["newest", "first"])
def test_doctor_reads_stored_mails_only_in_tables_of_this_version(bare: Pbem, house: House, step: str) -> None:
    if step == "first":
        with house.site.writing() as work:
            work.connection().execute(text("UPDATE alembic_version SET version_num = '0001'"))
    found = {one["check"] for one in json.loads(bare("doctor", "--json").stdout)["checks"]}
    assert ("mail unread" in found) == (step == "newest")
    assert {"database", "migrations", "mail in"} <= found


def test_doctor_reports_unreadable_tables_in_one_line(bare: Pbem, house: House) -> None:
    with house.site.writing() as work:
        work.connection().execute(text("DROP TABLE inbox"))
    found = [one for one in json.loads(bare("doctor", "--json").stdout)["checks"] if one["check"] == "database"]
    assert "no such table: inbox" in found[-1]["said"]


@pytest.fixture
def house(sqlite_url: str, tmp_path: Path) -> Iterator[House]:
    """A site on a SQLite file in the data folder."""
    yield from open_house(sqlite_url, tmp_path)


def test_doctor_accepts_a_site_without_an_intake(tmp_path: Path) -> None:
    (finding,) = findings_on_intakes(tmp_path)
    assert finding.level == "OK"
