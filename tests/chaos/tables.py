"""Tables at which people play one match after another, each person in their own thread."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from tests.chaos.asking import Over, Persistent
from tests.chaos.correspondents import ByReply, Courier
from tests.chaos.players import READER, ByApi, ByMail, Person
from tests.chaos.relay import Relay
from tests.production.sink import links_in_mail
from tests.table import CAST
from tests.web.cast import Page


@dataclass(frozen=True)
class Table:
    """Who plays each seat: "api", "mail" (its links), "reply" or a bot; and who resigns after some moves."""

    game: str
    seats: tuple[str, ...]
    resigns: int | None = None
    clock: Mapping[str, Any] = field(default_factory=lambda: {"windows": "at_once"})
    takes_back: bool = False


SILENT = {"windows": "silent", "turn_s": 300, "window_s": 120}
"""Windows that close after some seconds, though everybody has answered at once."""
TABLES = (
    Table("hogen", ("reply", "mail", "api")),
    Table("allegeance", ("mail", "reply")),
    Table("hagakure", ("api", "reply", "random")),
    Table("hexen-rennen", ("reply", "mail", "api"), resigns=2),
    Table("niigata", ("reply", "api", "greedy")),
    # They play fast: the more moves are under way, the more are hit.
    Table("hogen", ("api",) * 4),
    Table("allegeance", ("api",) * 3),
    Table("hagakure", ("api",) * 3),
    Table("hexen-rennen", ("api",) * 2),
    Table("niigata", ("api",) * 4),
    Table("hogen", ("reply",) * 3),
    Table("hexen-rennen", ("reply",) * 2),
    Table("allegeance", ("api",) * 3, clock=SILENT),
    Table("niigata", ("api",) * 3, takes_back=True),
    Table("hagakure", ("api",) * 3, takes_back=True),
    Table("hogen", ("api",) * 3, takes_back=True),
)
PEOPLE = ("api", "mail", "reply")
GAMES = 5
"""The first tables play all five."""


@dataclass
class Party:
    """A table that plays one match after another."""

    table: Table
    number: int
    caller: Persistent
    relay: Relay
    courier: Courier
    url: str
    seed: str
    sat: threading.Event = field(default_factory=threading.Event)
    """Set when the first match has begun."""
    people: list[Person] = field(default_factory=list)
    matches: int = 0

    def run(self) -> None:
        """Plays until the time is over. An exception becomes a complaint."""
        try:
            while True:
                self.matches += 1
                self.people = self.sit_down()
                self.sat.set()
                self.play()
        except Over:
            return
        except Exception as error:  # noqa: BLE001 - reported at the end, and fails the run
            self.caller.ledger.complain(f"a player of {self.table.game} gave up: {type(error).__name__}: {error}")

    def address(self, seat: int) -> str:
        """The seat's e-mail address in this match."""
        return f"{CAST[seat].lower()}.{self.number}.{self.matches}@example.org"

    def sit_down(self) -> list[Person]:
        """The people of a new match that has begun, after everybody has followed the link in their mail."""
        taken = enumerate(self.table.seats)
        seats = [{"name": CAST[at], "email": self.address(at)} if how in PEOPLE else {"bot": how} for at, how in taken]
        created = self.caller.ask(
            f"{self.url}/api/v1/matches", {"game": self.table.game, "seats": seats, "clock": dict(self.table.clock)}
        )
        assert created.status == 201, created.text
        people = [at for at, how in enumerate(self.table.seats) if how in PEOPLE]
        for at in people:
            link = self.newest_link(at, "invitation" if at else "confirm")
            done = self.caller.ask(link, form={**READER, "answer": "accept"} if at else READER)
            if done.status not in (200, 409):
                self.caller.ledger.complain(f"{done.status} to somebody who sits down: {Page(done.text).words[:200]}")
        return [self.person(at) for at in people]

    def newest_link(self, seat: int, purpose: str) -> str:
        """The newest link of this kind in a mail to the seat, once there is one."""
        while True:
            found = [link for mail in self.relay.to(self.address(seat)) for link in links_in_mail(mail, purpose)]
            if found:
                return found[-1]
            self.caller.pause(0.1, 0.3)

    def person(self, seat: int) -> Person:
        """The player of that seat, with the token of their first mail."""
        token = urlsplit(self.newest_link(seat, "play")).path.split("/")[2]
        luck = type(self.caller.luck)(f"{self.seed} {self.number} {self.matches} {seat}")
        caller = Persistent(self.caller.ports, self.caller.ledger, luck, self.caller.stop)
        if self.table.seats[seat] == "mail":
            return ByMail(caller, self.relay, self.url, self.address(seat), seat, token)
        if self.table.seats[seat] == "reply":
            return ByReply(caller, self.relay, self.url, self.address(seat), seat, token, courier=self.courier)
        return ByApi(caller, self.relay, self.url, self.address(seat), seat, token, takes_back=self.table.takes_back)

    def play(self) -> None:
        """Lets all people play, each in their own thread, until the match is over."""
        threads = [threading.Thread(target=self.let_play, args=(person,), daemon=True) for person in self.people]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if self.caller.stop.is_set():
            raise Over

    def let_play(self, person: Person) -> None:
        """Lets one person play; an exception becomes a complaint."""
        try:
            if person.seat == self.table.resigns:
                while person.moves < 2:
                    person.step()
                    person.caller.pause(0.3, 0.6)
                person.resign()
                return
            person.play()
        except Over:
            return
        except Exception as error:  # noqa: BLE001 - reported at the end, and fails the run
            said = f"a player of {self.table.game} gave up: {type(error).__name__}: {error}"
            person.caller.ledger.complain(said)
