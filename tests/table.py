"""A site for tests and the people at its table: Alice, Bob, Carol and Dave are seated, Charlie is not."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import Any

from flask import Flask

from pbem.config import Config
from pbem.kit.codec import plain
from pbem.kit.contract import Move
from pbem.mail.mime import Mail
from pbem.models.engine import make_engine
from pbem.services.lobby import match_request, matches
from pbem.services.log import store
from pbem.services.mail import sender
from pbem.services.play import moves
from pbem.services.play.moves import Receipt
from pbem.services.site import Site
from pbem.services.tokens import LinkPurpose, SeatClaim, SeatPurpose, Tokens
from pbem.services.views import match_views, seats
from pbem.services.who import STRANGER
from tests.harness.compiled import hand_on_compiled, take_over_compiled
from tests.harness.waiting import SECONDS

CAST = ("Alice", "Bob", "Carol", "Dave")
THREE = CAST[:3]
START = datetime(2026, 3, 12, 12, 4, tzinfo=UTC)


@dataclass
class MovedClock:
    """A clock that stands still until a test moves it."""

    at: datetime = START

    def __call__(self) -> datetime:
        return self.at

    def forward(self, **delta: float) -> None:
        """Moves the clock, by keywords of timedelta."""
        self.at += timedelta(**delta)


def counted_entropy() -> Callable[[int], bytes]:
    """Bytes that are different at every call and the same in every run."""
    counter = itertools.count(1)
    return lambda n: next(counter).to_bytes(n, "big")


@dataclass
class Outgoing:
    """A transport that keeps what is sent, in place of a relay."""

    failing: Exception | None = None
    refusing: dict[str, Exception] = field(default_factory=dict)
    """How mails to single addresses fail."""
    tried: list[str] = field(default_factory=list)
    """To whom something was to be sent, whether it was taken or not."""
    _read: list[tuple[str, EmailMessage]] = field(default_factory=list)
    _unread: list[tuple[str, bytes]] = field(default_factory=list)

    @property
    def sent(self) -> list[tuple[str, EmailMessage]]:
        """What was sent, oldest first, as its reader's program parses it, its lines ended as here.

        It is parsed once a test looks at it, for that takes as long as writing it.
        """
        while self._unread:
            to, raw = self._unread.pop(0)
            here = raw.replace(b"\r\n", b"\n")
            self._read.append((to, message_from_bytes(here, _class=EmailMessage, policy=default)))
        return self._read

    def clear(self) -> None:
        """Forgets what was sent."""
        self._read.clear()
        self._unread.clear()

    def __enter__(self) -> Outgoing:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def send(self, mail: Mail, to: str) -> None:
        """Keeps the mail, or fails as told."""
        self.tried.append(to)
        if failing := self.failing or self.refusing.get(to):
            raise failing
        self._unread.append((to, mail.raw))

    def to(self, address: str) -> list[EmailMessage]:
        """What was sent to this address, oldest first."""
        return [message for addressed, message in self.sent if addressed == address]


def submit(site: Site, match_id: str, seat: int, key: str, move: Move, via: str) -> Receipt:
    """Plays a seat's answer as who holds its play link does. Raises as `moves.answer`."""
    return moves.answer(site, claim_of(site, match_id, seat), key, plain(move), via)


def claim_of(site: Site, match_id: str, seat: int) -> SeatClaim:
    """What the seat's play link says as it stands, read from its token as pages and API read it."""
    return site.tokens.read_seat("play", seats.play_token(site, match_id, seat))


def play_on(site: Site, match_id: str, most: int = 2000, at: int = 0) -> int:
    """Plays the first legal move, or the at-th, until nobody is asked; returns the number of moves."""
    for count in range(most):
        asks = match_views.read_sheet(site, match_id, None).asks
        if not asks:
            return count
        view = match_views.read_view(site, match_id, asks[0].seat)
        submit(site, match_id, asks[0].seat, asks[0].key, view.legal()[at], "api")
    raise AssertionError("the match does not end")


def play_out(site: Site, match_id: str) -> int:
    """Plays the last legal move until nobody is asked; returns the number of moves.

    In Hogen these declare, and wrongly: the match is over after two moves of each, and after 250 of the first ones.
    """
    return play_on(site, match_id, at=-1)


@dataclass
class House:
    """A site with its moved clock and its outgoing mail."""

    site: Site
    clock: MovedClock
    mail: Outgoing
    rings: list[datetime]
    app: Flask | None = None

    @property
    def tokens(self) -> Tokens:
        """What reads the links of this site."""
        return self.site.tokens

    def claim(self, purpose: SeatPurpose, match_id: str, seat: int, epoch: int = 0) -> SeatClaim:
        """What that token says."""
        return SeatClaim(match_id, seat, epoch, purpose)

    def token(self, purpose: LinkPurpose, match_id: str, seat: int, epoch: int = 0) -> str:
        """The seat's token for a purpose."""
        return self.site.tokens.for_seat(purpose, match_id, seat, epoch)

    def create(self, seats: int = 3, game: str = "hogen", **wanted: Any) -> str:
        """An unconfirmed match of the first of the cast."""
        people = [match_request.Invitee(name, address_of(name)) for name in CAST[:seats]]
        return matches.create(self.site, STRANGER, match_request.NewMatch(game, people, **wanted))

    def begin(self, seats: int = 3, game: str = "hogen", **wanted: Any) -> str:
        """A match that everybody has accepted."""
        match_id = self.create(seats, game, **wanted)
        matches.confirm(self.site, self.claim("confirm", match_id, 0), "fr", "Europe/Paris")
        for seat in range(1, seats):
            matches.accept(self.site, self.claim("invitation", match_id, seat), "en", "Europe/London")
        return match_id

    def view(self, match_id: str, viewer: int | None) -> match_views.View:
        """The match as this viewer sees it."""
        return match_views.read_view(self.site, match_id, viewer)

    def asked(self, match_id: str) -> list[match_views.OpenAsk]:
        """The open questions in seat order."""
        with self.site.reading() as session:
            return list(match_views.sheet(session, store.get_match(session, match_id)).asks)

    def play(self, match_id: str, seat: int, at: int = 0) -> moves.Receipt:
        """The seat answers its open question with its at-th legal move."""
        view = self.view(match_id, seat)
        assert view.ask is not None
        return submit(self.site, match_id, seat, view.ask.key, view.legal()[at], "api")

    def play_on(self, match_id: str, most: int = 2000, at: int = 0) -> int:
        """Plays the first legal move, or the at-th, until nobody is asked; returns the number of moves."""
        return play_on(self.site, match_id, most, at)

    def play_out(self, match_id: str) -> int:
        """Does `play_out` for the match."""
        return play_out(self.site, match_id)

    def time_is_up(self, match_id: str) -> None:
        """The mails leave, and the clock moves to the moment when it acts for the last open question."""
        self.drain()
        with self.site.reading() as session:
            acts = [ask.acts_at for ask in store.open_asks(session, match_id) if ask.acts_at is not None]
        self.clock.at = max([self.clock.at, *acts])

    def drain(self) -> int:
        """Sends what is due into `mail`, in as many runs as it takes; gives how many mails left."""
        sent = 0
        while True:
            rings = len(self.rings)
            sent += sender.drain(self.site, lambda: self.mail)
            if len(self.rings) == rings:
                return sent


def address_of(name: str) -> str:
    """The address of one of the cast."""
    return f"{name.lower()}@example.org"


def open_house(database_url: str, data: Path, **settings: Any) -> Iterator[House]:
    """A house on this database, closed afterwards."""
    secret = "a secret of more than 32 letters for tests"
    # How long a lock may take depends on the machine: no test fails for that.
    settings.setdefault("lock_wait_s", SECONDS)
    config = Config(mode="embedded", data=data, database_url=database_url, secret=secret, **settings)
    clock = MovedClock()
    rings: list[datetime] = []
    engine = make_engine(database_url, lock_wait_s=config.lock_wait_s)
    take_over_compiled(engine)
    site = Site(config, engine, now=clock, entropy=counted_entropy(), wake=lambda: rings.append(clock()))
    yield House(site, clock, Outgoing(), rings)
    hand_on_compiled(engine)
    engine.dispose()
