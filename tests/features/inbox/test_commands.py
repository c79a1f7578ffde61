"""`pbem inbox`: what a host sees of the mails that have come in."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem.features.inbox.tables import InboxRow
from pbem.features.inbox.ways.intake import take_in_mail
from tests.commands.conftest import Pbem
from tests.features.inbox.replying import reply_to_question
from tests.table import House, open_house


@pytest.fixture
def pbem(bare: Pbem, house: House) -> Pbem:
    """The command `pbem` on the house's database."""
    return bare


@pytest.fixture
def house(sqlite_url: str, tmp_path: Path) -> Iterator[House]:
    """A site on a SQLite file in the data folder."""
    yield from open_house(sqlite_url, tmp_path)


def test_the_inbox_list_shows_each_mails_outcome_and_no_text_unless_asked(pbem: Pbem, house: House) -> None:
    assert pbem("inbox", "list").stdout == "There are no such mails.\n"
    match_id = house.begin(game="allegeance")
    seat = house.asks(match_id)[0].seat
    take_in_mail(house.site, b"From: charlie@example.org\nSubject: hello\n\nIs anybody there?\n", via="imap")
    reply_to_question(
        house, match_id, seat, "say hello"
    )  # without an address that mail comes back to, no mail names a seat
    listed = pbem("inbox", "list").stdout.splitlines()
    assert len(listed) == 3
    assert all("stranger" in line for line in listed[1:])
    assert "no-seat" in listed[2]
    shown = pbem("inbox", "show", "1").stdout
    assert "it names no seat" in shown
    assert "charlie" not in shown
    assert "Is anybody there?" in pbem("inbox", "show", "1", "--text").stdout
    assert pbem("inbox", "list", "--verdict", "acted").stdout == "There are no such mails.\n"


def test_a_mails_control_characters_do_not_reach_the_hosts_terminal(pbem: Pbem, house: House) -> None:
    raw = "Subject:\tx\r\n\r\n\x1b]0;owned\x07\x9b2J\u202eabc\rdef\n".encode()
    take_in_mail(house.site, raw, via="lmtp", mail_from="\x1b[2J@example.org")
    shown = pbem("inbox", "show", "1", "--text").stdout
    assert "Subject:\tx\n\n\\x1b]0;owned\\x07\\x9b2J\\u202eabc\\rdef\n" in shown
    assert not set(shown) & set("\x1b\x07\x9b\r\u202e")


def test_the_host_can_reprocess_a_mail_that_has_done_nothing(pbem: Pbem, house: House) -> None:
    take_in_mail(house.site, b"From: charlie@example.org\n\nhello\n", via="imap")
    assert "waiting" in pbem("inbox", "list", "--waiting").stdout
    assert "Mail 1 is due." in pbem("inbox", "again", "1").stdout
    assert pbem("inbox", "again", "2").exit_code == 1
    with house.site.writing() as work:
        row = work.get_one(InboxRow, 1)
        row.done_at, row.verdict = house.clock(), "acted"
    assert pbem("inbox", "again", "1").exit_code == 1
