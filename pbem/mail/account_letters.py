"""What every mail has, and the mails about a player's account, which are about no match: see `letters`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import ClassVar, Literal

from pbem.kit.contract import Lang
from pbem.mail.parts import MatchLink, Sender


@dataclass(frozen=True, kw_only=True)
class Letter:
    """What every mail has: `row` is the outbox row it comes from, `at` the moment it is written.

    `never_url` opens the page with the button "never write to me again"; `unsubscribe` is where a mail program's
    own button posts to, None where the reader has asked for the mail himself.
    """

    kind: ClassVar[str]

    row: int
    to: str
    lang: Lang
    zone: str
    at: datetime
    sender: Sender
    never_url: str
    unsubscribe: str | None = None

    def __post_init__(self) -> None:
        if self.at.tzinfo is None:
            raise ValueError("a letter is written at an aware moment")


@dataclass(frozen=True, kw_only=True)
class MyLinks(Letter):
    """The links that were asked for. `account_url` works for `life`, the others as long as their match."""

    kind = "links"

    account_url: str
    life: timedelta
    matches: tuple[MatchLink, ...]


@dataclass(frozen=True, kw_only=True)
class Readdressed(MyLinks):
    """The reader is written to at this address from now on: the older links of his seats have ended."""

    kind = "readdressed"


@dataclass(frozen=True, kw_only=True)
class Readdress(Letter):
    """Shall the player be written to elsewhere? Both mailboxes are asked; `side` says which one this mail is for.

    `wanted` is the new address: the mail to the new mailbox does not hold the old one. The request lapses at `until`.
    """

    kind = "readdress"

    side: Literal["old", "new"]
    wanted: str
    change_url: str
    until: datetime


@dataclass(frozen=True, kw_only=True)
class WebhookOff(Letter):
    """The reader's webhook that leads to `place` is called no more: since `since` it failed, or it has said `gone`.

    `page_url` is where it can be enabled again.
    """

    kind = "webhook"

    place: str
    gone: bool
    since: datetime | None
    page_url: str
