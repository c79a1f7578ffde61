"""The folder that stands in for a mail server on one machine."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path

import pytest

from pbem.mail import mailbox
from pbem.mail.compose import compose
from pbem.mail.letters import AnyLetter
from pbem.mail.mime import Mail
from pbem.mail.send import MailboxTransport
from tests.mail import samples

TURN = samples.your_turn("fr")
BAD_IDS = ["", ".", "..", "../turn-" + "0" * 24, "turn-" + "0" * 23, "turn-" + "0" * 24 + "\n", "/etc/passwd", "turn-x"]


def sent(folder: Path, *letters: AnyLetter) -> list[str]:
    """Sends the letters one after the other, a second apart, and returns the ids of the mailbox, newest first."""
    with MailboxTransport(folder) as transport:
        for age, letter in enumerate(letters):
            message = compose(letter, samples.SECRET)
            transport.send(message, letter.to)
            path = folder / f"{message.id[1:].partition('@')[0]}.eml"
            os.utime(path, (1000 + age, 1000 + age))
    return [line["id"] for line in mailbox.lines(folder)]


def test_the_list_has_the_newest_mail_first(tmp_path: Path) -> None:
    ids = sent(tmp_path, samples.confirm("fr"), TURN, samples.my_links("en"))
    assert [mail_id.partition("-")[0] for mail_id in ids] == ["links", "turn", "confirm"]
    assert mailbox.lines(tmp_path)[1] == {
        "id": ids[1],
        "to": "carol@players.example",
        "subject": "Hogen avec Alice, Bob et Dave",
        "date": "2026-03-12T12:04:00Z",
    }


def test_a_mail_sent_twice_is_there_once(tmp_path: Path) -> None:
    assert len(sent(tmp_path, TURN, TURN, replace(TURN, at=TURN.at + timedelta(hours=1)))) == 1
    assert mailbox.lines(tmp_path)[0]["date"] == "2026-03-12T13:04:00Z"


def test_the_raw_mail_is_the_mail(tmp_path: Path) -> None:
    (mail_id,) = sent(tmp_path, TURN)
    raw = mailbox.raw(tmp_path, mail_id)
    assert raw == bytes(compose(TURN, samples.SECRET))
    message = message_from_bytes(raw, policy=default)
    assert isinstance(message, EmailMessage)
    assert message["To"].addresses[0].addr_spec == TURN.to


def test_an_opened_mail_has_its_pictures_where_they_are_served(tmp_path: Path) -> None:
    (mail_id,) = sent(tmp_path, TURN)
    mail = mailbox.opened(tmp_path, mail_id, lambda cid: f"/mailbox/{mail_id}/{cid}")
    assert mail is not None
    ((cid, picture),) = mail.pictures.items()
    assert picture.startswith(b"\x89PNG")
    assert f'src="/mailbox/{mail_id}/{cid}"' in mail.html
    assert "cid:" not in mail.html
    assert TURN.choices[0].href in mail.text
    assert mail.line["id"] == mail_id


def test_a_mail_without_a_picture_opens_too(tmp_path: Path) -> None:
    (mail_id,) = sent(tmp_path, samples.confirm("en"))
    mail = mailbox.opened(tmp_path, mail_id, lambda cid: cid)
    assert mail is not None
    assert mail.pictures == {}
    assert "https://pbem.example/confirm/c0" in mail.html


@pytest.mark.parametrize("mail_id", BAD_IDS)
def test_an_id_of_another_form_never_reaches_the_file_system(tmp_path: Path, mail_id: str) -> None:
    folder = tmp_path / "mailbox"
    sent(folder, TURN)
    (tmp_path / f"turn-{'0' * 24}.eml").write_bytes(b"outside")
    assert mailbox.raw(folder, mail_id) is None
    assert mailbox.opened(folder, mail_id, lambda cid: cid) is None


def test_an_unknown_id_is_no_mail(tmp_path: Path) -> None:
    sent(tmp_path, TURN)
    assert mailbox.raw(tmp_path, "turn-" + "0" * 24) is None


def test_a_mailbox_that_was_never_written_to_is_empty(tmp_path: Path) -> None:
    assert mailbox.lines(tmp_path / "none") == []


def test_drafts_and_foreign_files_are_not_listed(tmp_path: Path) -> None:
    sent(tmp_path, TURN)
    (tmp_path / f".turn-{'0' * 24}.77").write_bytes(b"half")
    (tmp_path / "notes.eml").write_bytes(b"mine")
    assert len(mailbox.lines(tmp_path)) == 1
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".turn-") and path.suffix != ".77"]


def test_a_mail_of_somebody_else_is_not_taken(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="Message-ID"):
        mailbox.put(tmp_path, Mail("<../../x@y.example>", b"Subject: mine\r\n\r\n"))
    assert list(tmp_path.iterdir()) == []
