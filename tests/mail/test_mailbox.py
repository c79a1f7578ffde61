"""The folder that replaces a mail server on a single machine."""

from __future__ import annotations

import errno
import io
import json
import os
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pbem.mail import mailbox
from pbem.mail.compose import compose_mail
from pbem.mail.letters import Letter
from pbem.mail.mime import Mail
from pbem.mail.send import MailboxTransport, RelayDown
from tests.mail import samples

TURN = samples.your_turn("fr")
BAD_IDS = ["", ".", "..", "../turn-" + "0" * 36, "turn-" + "0" * 35, "turn-" + "0" * 36 + "\n", "/etc/passwd", "turn-x"]


def send_letters(folder: Path, *letters: Letter) -> list[str]:
    """Sends the letters one after the other, a second apart, and returns the ids of the mailbox, newest first."""
    for age, letter in enumerate(letters):
        message = compose_mail(letter, samples.SECRET)
        MailboxTransport(folder).send(message, letter.to)
        path = folder / f"{message.id[1:].partition('@')[0]}.eml"
        os.utime(path, (1000 + age, 1000 + age))
    return [line["id"] for line in mailbox.list_mails(folder)]


@pytest.mark.long
def test_the_mailbox_lists_the_newest_mail_first(tmp_path: Path) -> None:
    ids = send_letters(tmp_path, samples.confirm("fr"), TURN, samples.my_links("en"))
    assert [mail_id.partition("-")[0] for mail_id in ids] == ["links", "turn", "confirm"]
    assert mailbox.list_mails(tmp_path)[1] == {
        "id": ids[1],
        "sender": "Hogen · à vous",
        "to": "carol@players.example",
        "subject": "Hogen avec Alice, Bob et Dave",
        "date": "2026-03-12T12:04:00Z",
    }


@pytest.mark.long
def test_a_mail_sent_twice_is_in_the_mailbox_once(tmp_path: Path) -> None:
    assert len(send_letters(tmp_path, TURN, TURN, replace(TURN, at=TURN.at + timedelta(hours=1)))) == 1
    assert mailbox.list_mails(tmp_path)[0]["date"] == "2026-03-12T13:04:00Z"


@pytest.mark.long
def test_the_mailbox_returns_the_raw_mail_unchanged(tmp_path: Path) -> None:
    (mail_id,) = send_letters(tmp_path, TURN)
    raw = mailbox.read_raw_mail(tmp_path, mail_id)
    assert raw == bytes(compose_mail(TURN, samples.SECRET))
    message = message_from_bytes(raw, policy=default)
    assert isinstance(message, EmailMessage)
    assert message["To"].addresses[0].addr_spec == TURN.to


@pytest.mark.long
def test_an_opened_mails_html_links_to_the_urls_of_its_pictures(tmp_path: Path) -> None:
    (mail_id,) = send_letters(tmp_path, TURN)
    mail = mailbox.read_mail(tmp_path, mail_id, lambda cid: f"/mailbox/{mail_id}/{cid}")
    assert mail is not None
    assert {cid.split("-")[0] for cid in mail.pictures} == {"board", "mon"}
    for cid, picture in mail.pictures.items():
        assert picture.startswith(b"\x89PNG")
        assert f'src="/mailbox/{mail_id}/{cid}"' in mail.html
    assert "cid:" not in mail.html
    assert TURN.answers.links[0].href in mail.text
    assert mail.line["id"] == mail_id


def test_a_mail_without_a_picture_opens_too(tmp_path: Path) -> None:
    (mail_id,) = send_letters(tmp_path, samples.confirm("en"))
    mail = mailbox.read_mail(tmp_path, mail_id, lambda cid: cid)
    assert mail is not None
    assert mail.pictures == {}
    assert "https://pbem.example/confirm/c0" in mail.html


@pytest.mark.long
@pytest.mark.parametrize("mail_id", BAD_IDS)
def test_an_id_of_another_form_never_reaches_the_file_system(tmp_path: Path, mail_id: str) -> None:
    folder = tmp_path / "mailbox"
    send_letters(folder, TURN)
    (tmp_path / f"turn-{'0' * 36}.eml").write_bytes(b"outside")
    assert mailbox.read_raw_mail(folder, mail_id) is None
    assert mailbox.read_mail(folder, mail_id, lambda cid: cid) is None


def test_an_unknown_mail_id_gives_none(tmp_path: Path) -> None:
    send_letters(tmp_path, TURN)
    assert mailbox.read_raw_mail(tmp_path, "turn-" + "0" * 36) is None


def test_a_mailbox_that_was_never_written_to_is_empty(tmp_path: Path) -> None:
    assert mailbox.list_mails(tmp_path / "none") == []


def test_drafts_and_foreign_files_are_not_listed(tmp_path: Path) -> None:
    send_letters(tmp_path, TURN)
    (tmp_path / f".turn-{'0' * 36}.77").write_bytes(b"half")
    (tmp_path / "notes.eml").write_bytes(b"mine")
    assert len(mailbox.list_mails(tmp_path)) == 1
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".turn-") and path.suffix != ".77"]


def test_the_mailbox_does_not_store_a_mail_with_a_foreign_message_id(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="Message-ID"):
        mailbox.store_mail(tmp_path, Mail("<../../x@y.example>", b"Subject: mine\r\n\r\n"))
    assert list(tmp_path.iterdir()) == []


DAVE = "dave@players.example"


@pytest.fixture
def count_opened(monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[list[str], Counter[str]]]:
    """Lists mails; returns their ids, and how often the file of each mail was opened."""

    def list_mails(folder: Path, **wanted: Any) -> tuple[list[str], Counter[str]]:
        opened: Counter[str] = Counter()
        really = io.open

        def noting(file: Any, *args: Any, **more: Any) -> Any:
            if str(file).endswith(".eml"):
                opened[Path(file).stem] += 1
            return really(file, *args, **more)

        with monkeypatch.context() as patch:
            patch.setattr(io, "open", noting)
            patch.setattr("builtins.open", noting)
            found = [line["id"] for line in mailbox.list_mails(folder, **wanted)]
        return found, opened

    return list_mails


def arrival_of_mail(age: int) -> datetime:
    """When the mail at this index of `send_letters` arrived."""
    return datetime.fromtimestamp(1000 + age, UTC)


def test_a_mail_is_read_once_however_often_it_is_listed(
    tmp_path: Path, count_opened: Callable[..., tuple[list[str], Counter[str]]]
) -> None:
    letters = (samples.confirm("fr"), TURN, samples.my_links("en"), replace(TURN, row=77, to=DAVE))
    newest, links, turn, first = ids = send_letters(tmp_path, *letters)
    os.utime(tmp_path / f"{first}.eml", (999, 999))  # another one, for all one knows
    assert count_opened(tmp_path) == (ids, Counter([first]))
    everything = {line["id"]: line["to"] for line in mailbox.list_mails(tmp_path)}
    carols = [mail_id for mail_id in ids if everything[mail_id] == TURN.to]
    assert everything[newest] == DAVE
    assert turn in carols
    for wanted, shown in (
        ({}, ids),
        ({"to": DAVE}, [newest]),
        ({"to": "DAVE@players.Example"}, [newest]),
        ({"to": TURN.to}, carols),
        ({"since": arrival_of_mail(2)}, [newest, links]),
        ({"since": arrival_of_mail(3)}, [newest]),
        ({"since": arrival_of_mail(4)}, []),
        ({"to": DAVE, "since": arrival_of_mail(1)}, [newest]),
        ({"to": DAVE, "since": arrival_of_mail(4)}, []),
        ({"to": "nobody@players.example"}, []),
    ):
        assert count_opened(tmp_path, **wanted) == (shown, Counter()), wanted


def test_a_mail_sent_again_to_another_address_is_found_at_that_one_alone(tmp_path: Path) -> None:
    (mail_id,) = send_letters(tmp_path, TURN)
    assert send_letters(tmp_path, replace(TURN, to=DAVE)) == [mail_id]
    assert [line["to"] for line in mailbox.list_mails(tmp_path, to=DAVE)] == [DAVE]
    assert mailbox.list_mails(tmp_path, to=TURN.to) == []


def test_erasing_an_address_also_clears_the_index_of_older_versions(tmp_path: Path) -> None:
    send_letters(tmp_path, TURN, replace(TURN, row=77, to=DAVE))
    (tmp_path / "to").mkdir()
    (tmp_path / "to" / "turn.0123456789abcdef").touch()
    assert mailbox.delete_mails_to(tmp_path, DAVE.upper()) == 1
    assert [line["to"] for line in mailbox.list_mails(tmp_path)] == [TURN.to]
    assert not (tmp_path / "to").exists()


def test_storing_a_mail_does_not_list_the_mailbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    send_letters(tmp_path, TURN)
    listings: list[Path] = []
    glob = Path.glob

    def noting(self: Path, pattern: str) -> Any:
        listings.append(self)
        return glob(self, pattern)

    for listing in ("listdir", "scandir"):
        monkeypatch.setattr(os, listing, lambda path=".": pytest.fail(f"{path} is listed"))
    monkeypatch.setattr(Path, "glob", noting)
    MailboxTransport(tmp_path).send(compose_mail(replace(TURN, row=77, to=DAVE), samples.SECRET), DAVE)
    assert listings == []
    monkeypatch.undo()
    assert [line["to"] for line in mailbox.list_mails(tmp_path, to=DAVE)] == [DAVE]


@pytest.mark.parametrize("to", [None, TURN.to])
def test_a_mail_that_is_erased_meanwhile_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, to: str | None
) -> None:
    kept, erased = send_letters(tmp_path, TURN, replace(TURN, row=77))
    os.utime(tmp_path / f"{erased}.eml")  # else its line would be known
    (tmp_path / f"turn-{'0' * 36}.eml").symlink_to("nothing")  # listed, and gone before its age is read
    really = mailbox.read_summary

    def erasing(path: Path) -> mailbox.MailSummary:
        if path.stem == erased:
            path.unlink(missing_ok=True)
        return really(path)

    monkeypatch.setattr(mailbox, "read_summary", erasing)
    assert [line["id"] for line in mailbox.list_mails(tmp_path, to=to)] == [kept]


def test_the_mailbox_returns_none_for_a_mail_erased_while_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (mail_id,) = send_letters(tmp_path, TURN)
    really = Path.read_bytes

    def erasing(self: Path) -> bytes:
        self.unlink(missing_ok=True)
        return really(self)

    monkeypatch.setattr(Path, "read_bytes", erasing)
    assert mailbox.read_raw_mail(tmp_path, mail_id) is None


BROKEN = [
    b"Subject: =?utf-8?q?=FF=FE?=", b"Subject: =?utf-8?q?a=00b?=", b"Subject: \xff\xfe", b"Subject: =?utf-8?b?====?=",
    b"Subject: =?nowhere?q?a?=", b"Subject: a\x00b\x1b", b"Date: yesterday", b"Date: Fri, 31 Dec 9999 23:59:59 -1200",
    b"To: <", b"To: a@b@c, \xff <\x00@x>", b'To: "', b"To: =?utf-8?q?=0AX=3Ay?= <a@b.example>", b"To:", b"no header",
]  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("header", BROKEN)
def test_a_mail_with_a_broken_header_is_listed_and_opened_like_any_other(tmp_path: Path, header: bytes) -> None:
    send_letters(tmp_path, TURN)
    mail_id = "turn-" + "0" * 36
    (tmp_path / f"{mail_id}.eml").write_bytes(header + b"\r\n\r\nWords\r\n")
    lines = mailbox.list_mails(tmp_path)
    assert {line["id"] for line in lines} > {mail_id}
    opened = mailbox.read_mail(tmp_path, mail_id, str)
    assert opened is not None
    assert opened.line in lines
    for line in lines:
        for shown in line.values():
            str(shown).encode()  # otherwise no page could hold it
            assert "\0" not in str(shown)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from([b"Subject", b"To", b"Date"]), st.binary(max_size=60))
def test_a_mail_with_any_header_value_can_be_listed(tmp_path: Path, name: bytes, value: bytes) -> None:
    (tmp_path / ("turn-" + "0" * 36 + ".eml")).write_bytes(name + b": " + value + b"\r\n\r\n")
    (line,) = mailbox.list_mails(tmp_path)
    assert json.dumps(line, ensure_ascii=False).encode()
    assert "\0" not in "".join(map(str, line.values()))


def test_the_mailbox_lists_a_non_ascii_address_unencoded(tmp_path: Path) -> None:
    send_letters(tmp_path, replace(TURN, to="chloe@jeux-à-deux.example"))
    assert mailbox.list_mails(tmp_path)[0]["to"] == "chloe@jeux-à-deux.example"


def test_a_full_disk_leaves_no_half_written_mail_and_stops_the_sending_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(RelayDown, match="No space left"):
        MailboxTransport(tmp_path).send(compose_mail(TURN, samples.SECRET), TURN.to)
    assert [path.name for path in tmp_path.iterdir()] == []


@pytest.mark.parametrize("zone", ["Pacific/Chatham", "UTC"])
def test_a_date_whose_zone_is_unknown_is_one_of_utc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, zone: str) -> None:
    file = tmp_path / "some.eml"
    file.write_text("Date: Thu, 12 Mar 2026 12:04:00 -0000\n\n")
    with monkeypatch.context() as patch:
        patch.setenv("TZ", zone)
        time.tzset()
        assert mailbox.read_summary(file)["date"] == "2026-03-12T12:04:00Z"
    time.tzset()
