"""A site for tests and the people at its table: the cast, first of all Alice and Bob, is seated, Charlie is not."""

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
from sqlalchemy import func
from sqlmodel import col, select

from pbem.config import Config
from pbem.kit.bots import bots_of
from pbem.kit.chance import SeedChance
from pbem.kit.codec import plain
from pbem.kit.contract import Move, PlayerView
from pbem.mail.mime import Mail
from pbem.models.engine import make_engine
from pbem.models.tables import AskRow, OrderRow
from pbem.services.lobby import match_request, matches
from pbem.services.log import store
from pbem.services.log.store import Table
from pbem.services.mail import sender
from pbem.services.play import moves, timeouts
from pbem.services.play.moves import Receipt
from pbem.services.site import Site
from pbem.services.tokens import (
    SEAT_CLAIMS,
    Claim,
    OpeningClaim,
    PlayClaim,
    SeatClaim,
    SeatPurpose,
    Tokens,
    VacancyClaim,
)
from pbem.services.views import match_views, seats
from pbem.services.who import STRANGER
from tests.harness.compiled import hand_on_compiled, take_over_compiled
from tests.harness.waiting import SECONDS

LINKS: dict[str, Callable[[str, int, int], Claim]] = {
    **SEAT_CLAIMS,
    "join": OpeningClaim,
    "substitute": VacancyClaim,
}
CAST = ("Alice", "Bob", "Carol", "Dave", "Maximilienne", "Fanny")
"""As many as a table of any game seats; one name is long."""
THREE, FOUR = CAST[:3], CAST[:4]
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


def entropy_by_count() -> Callable[[int], bytes]:
    """Returns bytes that differ at every call and are the same in every run."""
    counter = itertools.count(1)
    return lambda n: next(counter).to_bytes(n, "big")


@dataclass
class Outgoing:
    """A transport that keeps the mail instead of sending it to a relay."""

    failing: Exception | None = None
    refusing: dict[str, Exception] = field(default_factory=dict)
    """How mails to single addresses fail."""
    tried: list[str] = field(default_factory=list)
    """To whom something was to be sent, whether it was taken or not."""
    _read: list[tuple[str, EmailMessage]] = field(default_factory=list)
    _unread: list[tuple[str, bytes]] = field(default_factory=list)

    @property
    def all_sent(self) -> list[tuple[str, EmailMessage]]:
        """The mails sent, oldest first, as their reader's program parses them, with this machine's line ends.

        They are parsed when a test reads them, because parsing takes as long as writing.
        """
        while self._unread:
            to, raw = self._unread.pop(0)
            here = raw.replace(b"\r\n", b"\n")
            self._read.append((to, message_from_bytes(here, _class=EmailMessage, policy=default)))
        return self._read

    def clear(self) -> None:
        """Forgets the mails sent."""
        self._read.clear()
        self._unread.clear()

    def __enter__(self) -> Outgoing:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def send(self, mail: Mail, to: str) -> None:
        """Keeps the mail, or fails if told to."""
        self.tried.append(to)
        if failing := self.failing or self.refusing.get(to):
            raise failing
        self._unread.append((to, mail.raw))

    def to(self, address: str) -> list[EmailMessage]:
        """Returns the mails sent to this address, oldest first."""
        return [message for addressed, message in self.all_sent if addressed == address]


def submit_answer(site: Site, match_id: str, seat: int, key: str, move: Move, via: str) -> Receipt:
    """Plays a seat's answer as the holder of its play link does. Raises as `moves.answer`."""
    return moves.play_answer(site, claim_of(site, match_id, seat), key, plain(move), via)


def claim_of(site: Site, match_id: str, seat: int) -> SeatClaim:
    """Returns the claim of the seat's current play link, read from its token as pages and API read it."""
    return site.tokens.read(PlayClaim, seats.play_token(site, match_id, seat))


def play_on(
    site: Site, match_id: str, most: int = 2000, at: int = 0, then: Callable[[], None] = lambda: None
) -> int:  # fmt: skip
    """Plays the first legal move, or the at-th, until nobody is asked; returns the number of moves.

    `then` is done after each.
    """
    for count in range(most):
        asks = match_views.read_sheet(site, match_id, 0).asks
        if not asks:
            return count
        view = match_views.read_view(site, match_id, asks[0].seat)
        submit_answer(site, match_id, asks[0].seat, asks[0].key, view.legal()[at], "api")
        then()
    raise AssertionError("the match does not end")


def play_out(site: Site, match_id: str, then: Callable[[], None] = lambda: None) -> int:
    """Plays the last legal move until nobody is asked; returns the number of moves.

    In Hogen these are wrong declarations: the match is over after two moves of each, and after 250 of the first ones.
    """
    return play_on(site, match_id, at=-1, then=then)


def deadline_of(ask: AskRow | match_views.OpenAsk) -> datetime:
    """Returns the deadline of a question at a table that has any."""
    assert ask.deadline is not None, "the table is untimed"
    return ask.deadline


@dataclass
class House:
    """A site with its clock, which moves only by hand, and its outgoing mail."""

    site: Site
    clock: MovedClock
    mail: Outgoing
    wakes: list[datetime]
    app: Flask | None = None

    @property
    def tokens(self) -> Tokens:
        """The reader of this site's link tokens."""
        return self.site.tokens

    def claim(self, purpose: SeatPurpose, match_id: str, seat: int, epoch: int = 0) -> SeatClaim:
        """Returns the claim of the seat's link for this purpose."""
        return SEAT_CLAIMS[purpose](match_id, seat, epoch)

    def token(self, purpose: str, match_id: str, seat: int, epoch: int = 0) -> str:
        """Returns the seat's token for a purpose."""
        return self.site.tokens.sign(LINKS[purpose](match_id, seat, epoch))

    def create(self, seats: int = 3, game: str = "hogen", **wanted: Any) -> str:
        """Creates an unconfirmed match of the first of the cast. Raises ValueError if there are too few of them."""
        if seats > len(CAST):
            raise ValueError(f"{seats} seats are more than the cast of {len(CAST)} can fill")
        wanted.setdefault("windows", match_request.AT_ONCE)  # where they are not silent, no test has to wait for floors
        people = [match_request.Invitee(name, address_of(name)) for name in CAST[:seats]]
        return matches.create_match(self.site, STRANGER, match_request.NewMatch(game, people, **wanted))

    def begin(self, seats: int = 3, game: str = "hogen", **wanted: Any) -> str:
        """Creates a match that everybody has accepted."""
        match_id = self.create(seats, game, **wanted)
        matches.confirm_match(self.site, self.claim("confirm", match_id, 0), "fr", "Europe/Paris")
        for seat in range(1, seats):
            matches.accept_invitation(self.site, self.claim("invitation", match_id, seat), "en", "Europe/London")
        return match_id

    def view(self, match_id: str, viewer: int | None) -> match_views.WholeView:
        """Returns the match as this viewer sees it."""
        return match_views.read_view(self.site, match_id, viewer)

    def asks(self, match_id: str) -> list[match_views.OpenAsk]:
        """Returns the open questions in seat order."""
        with self.site.reading() as session:
            return list(match_views.sheet(Table(session, store.get_match(session, match_id)), None).asks)

    def play(self, match_id: str, seat: int, at: int = 0) -> moves.Receipt:
        """The seat answers its open question with its at-th legal move; then orders answer what that leads to."""
        view = self.view(match_id, seat)
        assert view.ask is not None
        receipt = submit_answer(self.site, match_id, seat, view.ask.key, view.legal()[at], "api")
        self.follow_orders()
        return receipt

    def follow_orders(self) -> None:
        """Lets orders answer, as the sweep does; the clock moves to the moments until which they wait."""
        while (waiting := self._orders_wait_until()) is not None:
            self.clock.at = max(self.clock.at, waiting)
            timeouts.let_orders_answer(self.site, self.clock.at)

    def _orders_wait_until(self) -> datetime | None:
        """Returns when a seat with orders is next looked at; None if no such seat is asked."""
        with self.site.reading() as session:
            looked = select(func.min(AskRow.follow_at).label("seen_by_tests")).where(
                col(AskRow.closed_at).is_(None), col(AskRow.follow_at).is_not(None),
                col(OrderRow.match_id) == col(AskRow.match_id), col(OrderRow.seat) == col(AskRow.seat),
                col(OrderRow.body) != "",
            )  # fmt: skip
            return session.exec(looked).one()

    def bot_plays(self, match_id: str, seat: int, n: int = 0, seed: bytes = bytes(32)) -> moves.Receipt:
        """Answers the seat's open ask with the greedy bot's choice; `n` and the seed are the bot's luck."""
        view = self.view(match_id, seat)
        assert view.ask is not None
        move = bots_of(view.game)["greedy"](
            PlayerView(view.fold, len(view.sheet.seats)), seat, SeedChance(seed, n, "bot", seat)
        )
        receipt = submit_answer(self.site, match_id, seat, view.ask.key, move, "api")
        self.follow_orders()
        return receipt

    def play_on(self, match_id: str, most: int = 2000, at: int = 0) -> int:
        """Plays the first legal move, or the at-th, until nobody is asked; returns the number of moves."""
        return play_on(self.site, match_id, most, at, self.follow_orders)

    def play_out(self, match_id: str) -> int:
        """Does `play_out` for the match."""
        return play_out(self.site, match_id, self.follow_orders)

    def time_is_up(self, match_id: str) -> None:
        """Sends the mails, and moves the clock to the moment when it acts for the last open question."""
        self.follow_orders()
        self.drain()
        with self.site.reading() as session:
            acts = [ask.acts_at for ask in store.open_asks(session, match_id) if ask.acts_at is not None]
        self.clock.at = max([self.clock.at, *acts])

    def drain(self) -> int:
        """Sends due mail into `mail`, in as many runs as needed; returns the number of mails that left."""
        sent = 0
        while True:
            wakes = len(self.wakes)
            sent += sender.drain(self.site, lambda: self.mail)
            if len(self.wakes) == wakes:
                return sent


def address_of(name: str) -> str:
    """Returns the address of one of the cast."""
    return f"{name.lower()}@example.org"


def open_house(database_url: str, data: Path, **settings: Any) -> Iterator[House]:
    """Yields a house on this database, and closes it afterwards."""
    secret = "a secret of more than 32 letters for tests"
    # The time for a lock depends on the machine: no test fails because of it.
    settings.setdefault("lock_wait_s", SECONDS)
    config = Config(mode="embedded", data=data, database_url=database_url, secret=secret, **settings)
    clock = MovedClock()
    wakes: list[datetime] = []
    engine = make_engine(database_url, lock_wait_s=config.lock_wait_s)
    take_over_compiled(engine, config.lock_wait_s)
    site = Site(config, engine, now=clock, entropy=entropy_by_count(), wake=lambda: wakes.append(clock()))
    yield House(site, clock, Outgoing(), wakes)
    hand_on_compiled(engine, config.lock_wait_s)
