"""Whole matches by replies alone, which real servers hand over: Postfix by LMTP, and an ordinary mailbox by IMAP.

The two ways differ in the address, too: by LMTP each question has one of its own, with a token behind the plus; the
mailbox has a single one, so the subject names the seat, and In-Reply-To the question.
"""

from __future__ import annotations

import imaplib
import smtplib
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from email.message import EmailMessage
from email.policy import SMTP
from pathlib import Path
from random import Random

import pytest

from pbem.features.inbox import reading
from pbem.features.inbox.settings import Imap
from pbem.features.inbox.tables import InboxRow
from pbem.features.inbox.ways.imap import Poller
from pbem.games import all_games
from tests.chaos.correspondents import quote_mail, reply_to
from tests.features.inbox.replying import comes_in, inbox_rows
from tests.features.inbox.whole_matches import choose_reply
from tests.harness.mail_servers import PASSWORD, USER, run_dovecot, run_postfix
from tests.harness.undrawn import undrawn_boards as undrawn_boards
from tests.harness.waiting import wait_until
from tests.production.inbound_mail import does_socket_listen, from_the_docs, taking_in
from tests.table import CAST, House, address_of, open_house

pytestmark = pytest.mark.slow

DOMAIN, SERVER = "pbem.example", "mx.pbem.example"
VOUCHES = f"Authentication-Results: {SERVER}; dmarc=pass header.from=example.org"
BY_POSTFIX = f"smtpd_sender_restrictions = check_sender_access static:{{PREPEND {VOUCHES}}}"
"""A line of main.cf with which Postfix says of each mail what a filter would, above its own Received."""
Send = Callable[[bytes, str, str], object]
"""Sends a mail from an address to an address, and returns once the service has kept it."""
Open = Callable[[str, Path], AbstractContextManager[tuple[House, Send]]]


@contextmanager
def by_lmtp(url: str, data: Path) -> Iterator[tuple[House, Send]]:
    """A house whose mail comes in through Postfix and `pbem inbound`."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        said = from_the_docs("ini", "# /etc/postfix/main.cf").replace("/run/pbem/lmtp", f"{folder}/lmtp")
        settings = {"PBEM_LMTP": f"{folder}/lmtp", "PBEM_REPLY_TO": f"play+{{token}}@{DOMAIN}"}
        said = f"{said.replace('example.org', DOMAIN)}\n{BY_POSTFIX}"
        with run_postfix(DOMAIN, said) as server, taking_in(data, settings):
            wait_until(lambda: does_socket_listen(f"{folder}/lmtp"), "pbem to listen")
            for house in _houses(url, data, settings["PBEM_REPLY_TO"]):

                def send(raw: bytes, author: str, to: str, house: House = house) -> None:
                    before = len(inbox_rows(house))
                    with smtplib.SMTP("127.0.0.1", server.port) as client:
                        client.sendmail(author, [to], raw)
                    wait_until(lambda: len(inbox_rows(house)) > before, "the mail to be kept")

                yield house, send


@contextmanager
def by_imap(url: str, data: Path) -> Iterator[tuple[House, Send]]:
    """A house whose mail comes in through an ordinary mailbox of Dovecot; it looks whenever a mail has been sent."""
    with run_dovecot() as server:
        mailbox = Imap("127.0.0.1", server.port, USER, PASSWORD, tls="none")
        for house in _houses(url, data, f"games@{DOMAIN}"):
            poller = Poller(house.site, mailbox, threading.Event())

            def send(raw: bytes, _author: str, _to: str, poller: Poller = poller) -> None:
                raw = f"{VOUCHES}\r\nReceived: by {SERVER}\r\n".encode() + raw
                with imaplib.IMAP4("127.0.0.1", server.port) as client:
                    client.login(USER, PASSWORD)
                    client.append("INBOX", None, None, raw)
                assert poller.take_in_once() == 1

            yield house, send


def _houses(url: str, data: Path, address: str) -> Iterator[House]:
    for house in open_house(url, data, **comes_in(address, authserv=(SERVER,))):
        house.clock.forward(days=4000)  # `pbem inbound` keeps mails by the real clock, which must not be ahead
        yield house


def write_reply(house: House, seat: int, text: str) -> EmailMessage:
    """Returns the seat's reply to its newest mail."""
    newest = house.mail.to(address_of(CAST[seat]))[-1]
    reply = reply_to(newest, address_of(CAST[seat]), f"<{len(house.mail.all_sent)}.{seat}@programs.example>")
    reply.set_content(f"{text}\n\n{CAST[seat]}\n\nSomebody wrote:\n{quote_mail(newest)}")
    return reply


def answer_by_mail(house: House, send: Send, match_id: str, seat: int, text: str) -> InboxRow:
    """The seat answers what its newest mail asks; returns the row of the reply, which was acted on."""
    mail = write_reply(house, seat, text)
    send(mail.as_bytes(policy=SMTP), address_of(CAST[seat]), mail["To"].addresses[0].addr_spec)
    house.clock.forward(minutes=7)  # a seat gets five answers an hour
    assert reading.read_inbox(house.site) == 1
    row = inbox_rows(house)[-1]
    assert (row.verdict, row.match_id, row.seat) == ("acted", match_id, seat), (text, row.detail, row.lines, row.raw)
    return row


def play_to_end(house: House, send: Send, match_id: str, pick: Callable[[int], str]) -> None:
    """Plays to the end; `pick` says what a seat types. Then all moves of people were made by mail, each by one."""
    house.drain()
    while asked := house.asks(match_id):
        answer_by_mail(house, send, match_id, asked[0].seat, pick(asked[0].seat))
        house.drain()
    view = house.view(match_id, None)
    assert view.sheet.status == "over"
    assert {entry.by.via for entry in view.entries if entry.by.seat is not None} == {"mail"}
    assert len({(entry.key, entry.by.seat) for entry in view.entries if entry.by.seat is not None}) == len(
        inbox_rows(house)
    )


MATCHES = (
    (by_lmtp, "allegeance"), (by_lmtp, "hexen-rennen"), (by_lmtp, "hogen"), (by_imap, "hagakure"), (by_imap, "niigata"),
)  # fmt: skip
IN_THE_LONG_RUN = (MATCHES[3],)


@pytest.mark.long  # people of the chaos run (tests/chaos) reply by LMTP, too
@pytest.mark.parametrize("way", [by_lmtp, by_imap])
def test_a_short_match_is_played_to_its_end_by_replies(sqlite_url: str, tmp_path: Path, way: Open) -> None:
    with way(sqlite_url, tmp_path) as (house, send):
        match_id = house.begin(game="hogen")

        def last(seat: int) -> str:
            view = house.view(match_id, seat)
            return str(view.game.format(view.legal()[-1]))  # wrong declarations end it soon

        play_to_end(house, send, match_id, last)


@pytest.mark.long
@pytest.mark.timeout(3000)
@pytest.mark.parametrize(
    ("way", "slug"),
    [pytest.param(*one, marks=() if one in IN_THE_LONG_RUN else pytest.mark.long) for one in MATCHES],
)
def test_a_match_of_each_game_is_played_to_its_end_by_replies(
    sqlite_url: str, tmp_path: Path, way: Open, slug: str
) -> None:
    luck = Random(5)
    with way(sqlite_url, tmp_path) as (house, send):
        match_id = house.begin(game=slug)
        play_to_end(house, send, match_id, lambda seat: choose_reply(house, match_id, seat, luck))


def test_the_list_of_replied_matches_has_every_game() -> None:
    assert {slug for _, slug in MATCHES} == {*all_games()}
