"""People at a table: some play by programs, some by the links in their mails; `correspondents` play by replies."""

from __future__ import annotations

import html
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.message import EmailMessage
from typing import Any
from urllib.parse import parse_qs, urljoin, urlsplit

from pbem.games import all_games
from pbem.kit.orders.typed import format_order
from tests.chaos.asking import Persistent
from tests.chaos.ledger import Ack, Back
from tests.chaos.relay import Relay
from tests.production.topology import Answer
from tests.web.cast import Page

READER = {"language": "en", "zone": "Europe/Paris"}
PATIENCE_S = 12.0
"""A player who has heard nothing for this long opens the page of their last mail."""
ORDERS = 0.15
"""How often a program orders beforehand before it looks at what it is asked."""
BACK = 0.15
"""How often a program wants to take back its latest move, at a table that does so."""
REFUSALS = ("stale", "gone", "illegal")
"""What an honest player may be told: somebody was faster."""


@dataclass
class Person(ABC):
    """A player in a seat, once the match has begun."""

    caller: Persistent
    relay: Relay
    url: str
    address: str
    seat: int
    token: str
    moves: int = 0
    ordered: bool = False
    """Whether they have saved orders."""

    @property
    def match_id(self) -> str:
        """The match of the seat."""
        return self.token.split(".")[0]

    def api(self, path: str = "", body: Any = None, method: str | None = None) -> Answer:
        """The answer of the API to this seat."""
        where = f"{self.url}/api/v1/matches/{self.match_id}{path}"
        return self.caller.ask(where, body, method=method, Authorization=f"Bearer {self.token}")

    def play(self) -> None:
        """Plays until the match is over, or the time is."""
        idle = 0
        while True:
            if self.step():
                self.moves += 1
                idle = 0
                self.caller.pause(0.0, 0.2)
                continue
            idle += 1
            if idle % 4 == 0 and self.api().json["status"] == "over":
                return
            self.caller.pause(0.3, 0.8)

    @abstractmethod
    def step(self) -> bool:
        """Answers what is asked; returns whether there was a question."""

    def resign(self) -> None:
        """Resigns."""
        answer = self.caller.ask(f"{self.url}/play/{self.token}/resign", form={})
        if "done=resigned" in answer.url:
            self.caller.ledger.resign(self.match_id, self.seat)
        elif answer.status not in (200, 409):
            self.caller.ledger.complain(f"{answer.status} to somebody who resigns")

    def note_refusal(self, status: int, code: str) -> None:
        """Notes a refusal, and complains of an undeserved one.

        An order of one's own may have answered between one's look at the question and one's move.
        """
        self.caller.ledger.count(f"moves refused as {code}")
        if code not in REFUSALS and not (code == "answered" and self.ordered):
            self.caller.ledger.complain(f"a move was refused with {status} {code}")


@dataclass
class ByApi(Person):
    """A player who uses a program."""

    takes_back: bool = False

    def step(self) -> bool:
        """Answers by the API, with one of the first legal moves that it shows; now and then it orders beforehand."""
        if self.takes_back and self.back():
            return False
        if self.caller.luck.random() < ORDERS:
            self.order()
        found = self.api("/ask").json
        if not found.get("ask") or found["ask"]["sealed"]:
            return False
        body = {"key": found["ask"]["key"], "move": self.caller.luck.choice(found["legal"])["move"]}
        answer = self.api("/moves", body)
        if answer.status != 201:
            self.note_refusal(answer.status, answer.json["code"])
            return True
        self.caller.ledger.write(ack_of(self.match_id, self.seat, body, answer))
        return True

    def back(self) -> bool:
        """Agrees to what another wants to take back, or takes back its own latest move; returns whether it waits."""
        request, luck = self.api().json.get("takeback"), self.caller.luck
        if request is None:
            if luck.random() < BACK and (to := self.api("/takeback").json.get("to")) is not None:
                self.took_back(self.api("/takeback", {"to": to}), to)
            return False
        if request["seat"] != self.seat and self.seat not in request["agreed"]:
            answer = self.api("/takeback/consent", {"to": request["to"], "agree": luck.random() < 0.8})
            self.took_back(answer, request["to"])
        return luck.random() < 0.8  # gives the others time to agree

    def took_back(self, answer: Answer, to: int) -> None:
        """Notes what has become of the wish to take something back."""
        ledger = self.caller.ledger
        if answer.status == 200 and answer.json["done"]:
            ledger.take_back(Back(self.match_id, self.seat, to, answer.json["version"]))
            ledger.count("moves taken back")
        elif answer.status == 200:
            ledger.count("wishes to take back that were asked, agreed to or declined")
        elif (code := answer.json["code"]) in REFUSALS:
            ledger.count(f"wishes to take back refused as {code}")
        else:
            ledger.complain(f"taking back was refused with {answer.status} {code}")

    def order(self) -> None:
        """Saves one of the rules that its game declares, or stops its orders."""
        sheet, ledger = self.api().json, self.caller.ledger
        game = all_games()[sheet["game"]]
        samples = [format_order(order, game) for rule in game.meta.orders for order in rule.samples]
        orders = self.caller.luck.sample(samples, min(len(samples), self.caller.luck.randrange(3)))
        body = {"version": sheet["version"], "orders": orders}
        ledger.order(self.match_id, self.seat, orders, saved=False)
        answer = self.api("/orders", body, method="PUT")
        if answer.status == 200:
            ledger.order(self.match_id, self.seat, orders, saved=True)
            ledger.count("orders saved")
            self.ordered = True
            ledger.counts["questions answered by orders as they were saved"] += answer.json["answered"]
        elif (code := answer.json["code"]) in REFUSALS:
            ledger.count(f"orders refused as {code}")
        else:
            ledger.complain(f"orders were refused with {answer.status} {code}")


@dataclass
class ByMail(Person):
    """A player who follows the links in their mails, chooses on the page and presses the button."""

    read: int = 0
    waited: float = field(default=0.0)

    def step(self) -> bool:
        """Opens the newest mail if it is unread; returns whether a move was played."""
        mails = self.relay.to(self.address)
        fresh, self.read = mails[self.read :], len(mails)
        told = [link for mail in fresh for link in links_of_choices(mail)]
        if told:
            newest = [link for link in told if key_of_question(link) == key_of_question(told[-1])]
            return self.open(self.caller.luck.choice(newest))
        self.waited += 1
        if self.waited > PATIENCE_S:
            return self.open(f"{self.url}/play/{self.token}")
        return False

    def open(self, link: str) -> bool:
        """Plays on this page as long as it asks something; returns whether a move was played."""
        self.waited, played = 0, False
        page = self.page(self.caller.ask(link))
        while (form := self.choose_move(page)) is not None:
            answer = self.caller.ask(urljoin(self.url, form["action"]), form=form["fields"])
            page = self.page(answer)
            if not re.search(r"[?&]done=(1|again)\b", answer.url):
                self.note_refusal(answer.status, "answered" if "already answered" in page.words else "stale")
                return played
            key, move = form["fields"]["key"], form["fields"]["move"]
            self.caller.ledger.write(Ack(self.match_id, self.seat, key, move))
            self.moves += 1
            played = True
        return played

    def choose_move(self, page: Page) -> dict[str, Any] | None:
        """Follows links until a whole move is chosen; returns the button's form, or None if nothing is asked."""
        for _ in range(100):
            form = page.form("confirm")
            if form is not None:
                return {"action": form.action, "fields": form.fields}
            options = page.hrefs("opt")
            if not options:
                return None
            page = self.page(self.caller.ask(urljoin(self.url, self.caller.luck.choice(options))))
        return None

    def page(self, answer: Answer) -> Page:
        """Returns the parsed page."""
        if answer.status not in (200, 409, 422):
            self.caller.ledger.complain(f"{answer.status} to a player who follows their links")
        return Page(answer.text)


def ack_of(match_id: str, seat: int, body: Mapping[str, Any], answer: Answer) -> Ack:
    """The move that the API has acknowledged by this answer."""
    said = answer.json
    entries = tuple(entry["n"] for entry in said["events"])
    return Ack(match_id, seat, body["key"], body["move"], said["version"], entries, said["sealed"])


def links_of_choices(mail: EmailMessage) -> list[str]:
    """Returns the links of a mail that choose an answer; its text has none where answers can be typed."""
    page = mail.get_body(("html",))
    found = [] if page is None else _CHOICE.findall(str(page.get_content()))
    return [html.unescape(link) for link in found]


def key_of_question(link: str) -> str:
    """Returns the key of the question that a link answers."""
    return parse_qs(urlsplit(link).query)["ask"][0]


_CHOICE = re.compile(r'href="([^"]*/play/[^"]*\?ask=[^"]*)"')
