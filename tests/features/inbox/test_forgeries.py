"""Forged mails: none of them acts, whatever they claim, and none changes anything in a match."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import select

from pbem.features.inbox import reading
from pbem.features.inbox.incoming.verdicts import verify_sender
from pbem.features.inbox.reply_tokens import tokens_of
from pbem.features.inbox.tables import InboxRow
from pbem.features.inbox.ways.intake import take_in_mail
from pbem.models.tables import Player, SeatRow, Suppression
from pbem.services.site import Site
from pbem.services.views import match_views
from tests.features.inbox.incoming.signing import Names, public_key_record, sign_mail
from tests.features.inbox.replying import comes_in, inbox_rows, mail_of_player, send_and_read, token_of
from tests.features.inbox.reports import bounce_report, complaint_report
from tests.services.letterbox import id_of, newest_mail
from tests.table import CAST, House, address_of, open_house

OURS = "mx.pbem.example"
RECORDS = {
    "s1._domainkey.example.org": public_key_record(),
    "s1._domainkey.evil.example": public_key_record("evil"),
    "_dmarc.example.org": b"v=DMARC1; p=none",
}


def judge_with_known_domains(site: Site, row: InboxRow, sender: str) -> Any:
    """Judges as a site does whose name servers know these domains."""
    assert row.raw is not None
    return verify_sender(row.raw, sender, trusted=(OURS,), resolver=Names(RECORDS))


class Forger:
    """Makes mails that must not act, of each kind in turn."""

    def __init__(
        self, house: House, match_id: str, other_id: str, seat: int, old: str, genuine: bytes, seed: int
    ) -> None:
        self.house, self.match_id, self.other_id, self.seat, self.old = house, match_id, other_id, seat, old
        self.genuine = genuine
        self.luck = random.Random(seed)
        self.token = token_of(house, match_id, seat)
        self.others = {n: token_of(house, match_id, n) for n in range(3) if n != seat}
        self.kinds: list[Callable[[], bytes]] = [
            self.spoof, self.sign_unaligned, self.claim, self.anothers_token, self.old_token, self.stranger,
            self.token_guess, self.change, self.replay, self.two_authors, self.bounce, self.complain,
            self.unsubscribe,
        ]  # fmt: skip

    def one(self, number: int) -> bytes:
        return self.kinds[number % len(self.kinds)]()

    def _mail(self, who: str, token: str, **more: Any) -> bytes:
        return mail_of_player(
            self.house, who, token, self.luck.choice(["F3", "announce M2", "pass", "T1\nsay hello"]), **more
        )

    def spoof(self) -> bytes:
        return self._mail(CAST[self.seat], self.token)

    def sign_unaligned(self) -> bytes:
        return sign_mail(self.spoof(), "evil.example", "evil")

    def claim(self) -> bytes:
        says = "dmarc=pass header.from=example.org; dkim=pass header.d=example.org"
        claims = [
            f"{OURS}.evil.example; {says}", f"evil.example ({OURS}); {says}", f'"{OURS}; {says}" ; none',
            f"evil.example; spf=fail ({OURS}; {says})", f"evil.example; x=y reason=\"{OURS}; {says}\"",
        ]  # fmt: skip
        return self._mail(CAST[self.seat], self.token, headers=[("Authentication-Results", self.luck.choice(claims))])

    def anothers_token(self) -> bytes:
        """A player's own mail, well signed, to the address of another's question."""
        holder = self.luck.choice([*self.others])
        return sign_mail(self._mail(CAST[holder], self.token))

    def old_token(self) -> bytes:
        """Another answer to a question that is answered; the same one again would be told the same and do nothing."""
        return sign_mail(
            mail_of_player(self.house, CAST[self.seat], self.old, self.luck.choice(["F4", "announce M2", "pass"]))
        )

    def stranger(self) -> bytes:
        return sign_mail(self._mail("mallory@evil.example", self.token), "evil.example", "evil")

    def token_guess(self) -> bytes:
        at = self.luck.randrange(1, len(self.token))
        letter = self.luck.choice([c for c in "abcdefghijklmnopqrstuvwxyz234567" if c != self.token[at]])
        return sign_mail(self._mail(CAST[self.seat], f"{self.token[:at]}{letter}{self.token[at + 1 :]}"))

    def change(self) -> bytes:
        signed = sign_mail(mail_of_player(self.house, CAST[self.seat], self.token, "say hello"))
        return signed.replace(b"say hello", self.luck.choice([b"F3", b"F4", b"M1"]))

    def replay(self) -> bytes:
        """A mail that was acted on, as it was, or with another id or addressee."""
        new = f"<{self.luck.random()}@programs.example>".encode()
        old = self.genuine.split(b"Message-ID: ")[1].split(b"\n")[0].rstrip(b"\r")
        there = self.luck.choice([*self.others.values(), self.token]).encode()
        return self.luck.choice([
            self.genuine + b" " * 0,
            self.genuine.replace(b"Message-ID: " + old, b"Message-ID: " + new),
            self.genuine.replace(self.old.encode(), there),
        ])  # fmt: skip

    def two_authors(self) -> bytes:
        own = address_of(CAST[self.seat])
        raw = self._mail(self.luck.choice([f"mallory@evil.example, {own}", f"{own}, mallory@evil.example"]), self.token)
        return sign_mail(raw, "evil.example", "evil")

    def bounce(self) -> bytes:
        return bounce_report(address_of(CAST[self.seat]), original=self._id()).replace(b"bounces@", self._place())

    def complain(self) -> bytes:
        raw = complaint_report(address_of(CAST[self.seat]), self._id()).replace(b"abuse@", self._place())
        raw = raw.replace(b"feedback@provider.example", b"mallory@evil.example")
        return self.luck.choice([raw, sign_mail(raw, "evil.example", "evil")])

    def unsubscribe(self) -> bytes:
        """A mail to a token that stops or mutes: guessed, or made of another, or another's."""
        tokens = tokens_of(self.house.site.config.secret)
        stop = tokens.for_stop(id_of(self.house, CAST[self.seat]))
        mute = tokens.for_mute(self.match_id, self.seat, 1)  # of an epoch that is not
        guessed = self.luck.choice([f"m{self.token[1:]}", f"s{self.token[1:]}", f"m{stop[1:]}", mute, f"{stop[:-1]}a"])
        return self.luck.choice([
            self._mail(CAST[self.seat], guessed), self._mail("mallory@evil.example", stop), self._mail("Charlie", stop),
        ])  # fmt: skip

    def _id(self) -> str:
        """The id of a mail to the seat, which everybody whom it was forwarded to knows."""
        return str(newest_mail(self.house, CAST[self.seat])["Message-ID"])

    def _place(self) -> bytes:
        """Where a report may go: to the token of a reply, or to that of a return path, guessed."""
        named = self.luck.choice([self.token, f"b{self.token[1:]}", "b" + "a" * 25, *self.others.values()])
        return f"play+{named}@".encode()


def state_of(house: House) -> list[object]:
    """Whom mail reaches, and who has muted a match."""
    with house.site.reading() as session:
        people = [(one.id, one.bounced_at) for one in session.exec(select(Player))]
        seats = [(one.match_id, one.seat, one.muted) for one in session.exec(select(SeatRow))]
        return [people, seats, list(session.exec(select(Suppression)))]


def send_forgeries(house: House, count: int, seed: int = 7) -> Counter[str | None]:
    """Sends this many forgeries to a match, and returns what became of them; the match stays as it was."""
    match_id, other_id = house.begin(game="allegeance"), house.begin(game="allegeance")
    seat = house.asks(match_id)[0].seat
    old = token_of(house, match_id, seat)
    genuine = sign_mail(mail_of_player(house, CAST[seat], old, "F3"))
    assert send_and_read(house, genuine, judge_with_known_domains).verdict == "acted"
    while not any(ask.seat == seat for ask in house.asks(match_id)):
        house.play(match_id, house.asks(match_id)[0].seat)
    forger = Forger(house, match_id, other_id, seat, old, genuine, seed)
    house.drain()
    before = [match_views.read_sheet(house.site, one, None).version for one in (match_id, other_id)]
    state = state_of(house)
    for number in range(count):
        take_in_mail(house.site, forger.one(number), via="lmtp", recipients=[f"n{number}@elsewhere.example"])
        reading.read_inbox(house.site, judge_with_known_domains)
    assert [match_views.read_sheet(house.site, one, None).version for one in (match_id, other_id)] == before
    assert state_of(house) == state
    found = Counter(row.verdict for row in inbox_rows(house)[1:])
    assert sum(found.values()) == count
    return found


EXPECTED = {"asked", "silent", "stale", "stranger", "duplicate", "automatic", "refused", "unknown report"}


@pytest.mark.long
def test_no_forged_mail_changes_a_match(house: House) -> None:
    found = send_forgeries(house, 39)
    assert found["acted"] == 0
    assert {*found} <= EXPECTED
    house.drain()
    assert {to for to, _ in house.mail.all_sent} <= {address_of(name) for name in CAST[:3]}  # nobody else is written to


@pytest.fixture
def small_house(sqlite_url: str, tmp_path: Path) -> Iterator[House]:
    """A house on the one kind of database: what is forged is told from the mail."""
    yield from open_house(sqlite_url, tmp_path, **comes_in())


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.timeout(3000)
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(1, 4))])
def test_no_forged_mail_of_a_thousand_changes_a_match(small_house: House, seed: int) -> None:
    found = send_forgeries(small_house, 1_250, seed)
    assert found["acted"] == 0
    assert {*found} <= EXPECTED
