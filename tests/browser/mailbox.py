"""The local mailbox of a running service, and the links in its mails."""

from __future__ import annotations

import json
import re
import urllib.request
from collections.abc import Sequence
from email import message_from_bytes, policy
from email.message import EmailMessage
from html import unescape

from playwright.sync_api import Page

from tests.harness.waiting import SECONDS, wait_until


class Mailbox:
    """The part of the local mailbox that belongs to one test: the mails to its own addresses."""

    def __init__(self, service: str, tag: str) -> None:
        self._service = service
        self._tag = tag
        self._read: set[str] = set()

    def address(self, name: str) -> str:
        """The address of one of the cast in this test."""
        return f"{name.lower()}.{self._tag}@example.org"

    def _get(self, path: str) -> bytes:
        with urllib.request.urlopen(self._service + path, timeout=SECONDS) as response:
            return bytes(response.read())

    def unread(self) -> list[EmailMessage]:
        """The mails not looked at before, oldest first."""
        listed = [m["id"] for m in json.loads(self._get("/mailbox.json")) if f".{self._tag}@" in m["to"]]
        fresh = [i for i in reversed(listed) if i not in self._read]
        self._read.update(fresh)
        return [
            message_from_bytes(self._get(f"/mailbox/{i}.eml"), _class=EmailMessage, policy=policy.default)
            for i in fresh
        ]

    def wait(self, count: int = 1) -> list[EmailMessage]:
        """Waits for at least this many new mails, and returns them."""
        found: list[EmailMessage] = []

        def enough() -> bool:
            found.extend(self.unread())
            return len(found) >= count

        wait_until(enough, f"{count} new mails")
        return found


def text_of(mail: EmailMessage) -> str:
    """The text half of a mail."""
    body = mail.get_body(("plain",))
    assert body is not None
    return str(body.get_content())


def html_of(mail: EmailMessage) -> str:
    """The HTML half of a mail."""
    body = mail.get_body(("html",))
    assert body is not None
    return str(body.get_content())


def first_link(mail: EmailMessage, path: str) -> str:
    """The first link of the mail to this kind of page."""
    found = re.search(rf"http://\S+/{path}\b\S*", text_of(mail))
    assert found, text_of(mail)
    return found.group()


def choice_links(mail: EmailMessage) -> list[str]:
    """The links of a turn mail that open the board with a choice made."""
    return [unescape(found) for found in re.findall(r'href="(http://[^"]+/play/[^"]+[?]ask=[^"]+)"', html_of(mail))]


def is_over(mail: EmailMessage) -> bool:
    """Whether the mail says that the match is over."""
    return str(mail["Message-ID"]).startswith("<over-")


def fill_in_people(page: Page, names: Sequence[str], mailbox: Mailbox) -> None:
    """Fills in the form of a new match: the organiser, and the friends with their names."""
    organiser, *friends = names
    page.fill("input[name=name]", organiser)
    page.fill("input[name=address]", mailbox.address(organiser))
    page.fill("textarea[name=friends]", "\n".join(f"{name} <{mailbox.address(name)}>" for name in friends))
