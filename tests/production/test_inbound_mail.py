"""Mail comes in over real servers, configured as docs/hosting.md says: Postfix by LMTP, an ordinary mailbox by IMAP."""

from __future__ import annotations

import imaplib
import smtplib
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from tests.harness.mail_servers import run_dovecot, run_postfix
from tests.harness.servers import copy_sqlite
from tests.harness.waiting import wait_until
from tests.production.inbound_mail import does_socket_listen, from_the_docs, taking_in

pytestmark = pytest.mark.slow

TOKEN = "qabcdefgh234567"
MAIL = b"From: Alice <alice@example.org>\r\nTo: play@pbem.example\r\nMessage-ID: <1@example.org>\r\n"
MAIL += b"Date: Wed, 25 Nov 2026 12:00:00 +0000\r\n\r\nF3\r\n"


@pytest.fixture
def data(tmp_path: Path, sqlite_migrated: Path) -> Path:
    copy_sqlite(sqlite_migrated, tmp_path / "pbem.db")
    return tmp_path


def rows_kept(data: Path) -> list[tuple[bytes, str, str | None, str]]:
    with closing(sqlite3.connect(data / "pbem.db")) as connection:
        return connection.execute("SELECT raw, via, mail_from, recipients FROM inbox ORDER BY id").fetchall()


@pytest.mark.long
def test_postfix_hands_answers_over_as_the_docs_say(data: Path) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        said = from_the_docs("ini", "# /etc/postfix/main.cf").replace("/run/pbem/lmtp", f"{folder}/lmtp")
        said = said.replace("example.org", "pbem.example")
        with run_postfix("pbem.example", said) as server:
            settings = {"PBEM_LMTP": f"{folder}/lmtp", "PBEM_REPLY_TO": "play+{token}@pbem.example"}
            with taking_in(data, settings), smtplib.SMTP("127.0.0.1", server.port) as client:
                wait_until(lambda: does_socket_listen(f"{folder}/lmtp"), "pbem to listen")
                client.sendmail("alice@example.org", [f"play+{TOKEN}@pbem.example"], MAIL)
                wait_until(lambda: rows_kept(data), "the mail to be kept")
                client.sendmail("", [f"play+{TOKEN}@pbem.example"], MAIL, ["BODY=8BITMIME"])
                wait_until(lambda: len(rows_kept(data)) == 2, "the second mail to be kept")
            (raw, via, sender, recipients), (_raw, _via, null, _to) = rows_kept(data)
            assert (via, sender, null) == ("lmtp", "alice@example.org", "")
            assert recipients == f'["play+{TOKEN}@pbem.example"]'
            assert raw.endswith(MAIL)


@pytest.mark.long
def test_what_postfix_hands_over_while_pbem_is_away_comes_later(data: Path) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        said = from_the_docs("ini", "# /etc/postfix/main.cf").replace("/run/pbem/lmtp", f"{folder}/lmtp")
        said = said.replace("example.org", "pbem.example")
        said += "queue_run_delay = 2s\nminimal_backoff_time = 2s\nmaximal_backoff_time = 2s\n"
        with run_postfix("pbem.example", said) as server:
            with smtplib.SMTP("127.0.0.1", server.port) as client:
                client.sendmail("alice@example.org", [f"play+{TOKEN}@pbem.example"], MAIL)
            log = server.folder / "log"
            wait_until(lambda: log.exists() and "status=deferred" in log.read_text(), "the mail to be deferred")
            with taking_in(data, {"PBEM_LMTP": f"{folder}/lmtp", "PBEM_REPLY_TO": "play+{token}@pbem.example"}):
                wait_until(lambda: rows_kept(data), "the mail to be kept")
            assert len(rows_kept(data)) == 1


@pytest.mark.long
def test_only_mails_to_pbem_are_taken_from_an_ordinary_mailbox_by_imap(data: Path) -> None:
    with run_dovecot() as server, closing(imaplib.IMAP4("127.0.0.1", server.port)) as client:
        client.login("play", "mailword-of-tests")
        mail = MAIL.replace(b"play@", b"play+canary@")
        client.append("INBOX", None, None, MAIL)
        client.append("INBOX", None, None, mail)
        with taking_in(data, {"IMAP_URL": server.url, "PBEM_REPLY_TO": "play+{token}@pbem.example"}):
            wait_until(lambda: rows_kept(data), "the mail to be kept")
            wait_until(lambda: client.select("pbem-taken")[1] == [b"1"], "the mail to be moved")
            assert client.select("INBOX")[1] == [b"1"]
        assert rows_kept(data) == [(mail, "imap", None, "[]")]
