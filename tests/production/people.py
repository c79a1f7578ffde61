"""Three people and their match: Alice plays by the links in her mails, Bob and Carol by programs."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from email.message import EmailMessage
from functools import partial
from random import Random
from typing import Any

from pbem.config import Config
from pbem.services.lobby import matches
from pbem.services.lobby.match_request import AT_ONCE, BotSeat, Invitee, NewMatch, Wish
from pbem.services.site import open_site
from pbem.services.tokens import ConfirmClaim, InvitationClaim, PlayClaim
from pbem.services.who import STRANGER
from tests.harness.waiting import wait_until
from tests.production.sink import links_in_mail
from tests.production.topology import Service, send_request
from tests.table import THREE
from tests.web.cast import Page

PURPOSES = ("play", "confirm", "invitation", "mute", "never", "replay", "account", "address")
"""What links in mails are for."""
READER = {"language": "en", "zone": "Europe/Paris"}


def address_of(name: str) -> str:
    """The address of one of the cast."""
    return f"{name.lower()}@example.org"


@dataclass
class People:
    """The people at one table."""

    service: Service
    game: str = "hogen"
    names: tuple[str, ...] = THREE
    bots: tuple[str, ...] = ()
    """Programs on the seats after theirs."""
    match_id: str = ""
    tokens: dict[int, str] = field(default_factory=dict)
    acknowledged: list[tuple[int, str]] = field(default_factory=list)
    """Seat and question of every move that was answered with success."""
    luck: Random = field(default_factory=lambda: Random(1))
    """By which Alice chooses: the first of everything makes a match of Hogen ten times as long."""

    def api(self, path: str) -> str:
        """Returns an address of the API, on the web servers in turn."""
        port = self.service.ports[len(self.acknowledged) % 2]
        return f"http://127.0.0.1:{port}/api/v1{path}"

    def sit_down(self) -> None:
        """Creates the match and accepts by the links in the mails."""
        seats = [{"name": name, "email": address_of(name)} for name in self.names]
        seats += [{"bot": bot} for bot in self.bots]
        created = send_request(
            self.api("/matches"), {"game": self.game, "seats": seats, "clock": {"windows": "at_once"}}
        )
        assert created.status == 201, created.text
        self.match_id = created.json["id"]
        self._press("confirm", 0)
        for seat in range(1, len(self.names)):
            self._press("invitation", seat)
        for seat, name in enumerate(self.names):
            wait_until(partial(self._play_links, name), f"{name} has a play link")
            self.tokens[seat] = self._play_links(name)[-1].split("/play/")[1].split("?")[0].split("/")[0]

    def sit_down_at_once(self) -> None:
        """Does the same through the services: the test needs neither mails nor the processes that send them."""
        site = open_site(Config.from_env(self.service.environ(), "production"))
        people = [Invitee(name, address_of(name)) for name in self.names]
        seats: list[Wish] = [*people, *(BotSeat(bot) for bot in self.bots)]
        self.match_id = matches.create_match(site, STRANGER, NewMatch(self.game, seats, windows=AT_ONCE))
        confirm = site.tokens.sign(ConfirmClaim(self.match_id, 0, 0))
        matches.confirm_match(site, site.tokens.read(ConfirmClaim, confirm), **READER)
        for seat in range(1, len(self.names)):
            matches.accept_invitation(
                site,
                site.tokens.read(InvitationClaim, site.tokens.sign(InvitationClaim(self.match_id, seat, 0))),
                **READER,
            )
        self.tokens = {seat: site.tokens.sign(PlayClaim(self.match_id, seat, 0)) for seat in range(len(self.names))}
        site.engine.dispose()

    def _press(self, purpose: str, seat: int) -> None:
        found = partial(self._links, self.names[seat], purpose)
        wait_until(found, f"the mail with the link {purpose}")
        extra = {"answer": "accept"} if purpose == "invitation" else {}
        answer = send_request(found()[0], form={**READER, **extra})
        assert answer.status == 200, answer.text

    def _play_links(self, name: str) -> list[str]:
        return self._links(name, "play")

    def _links(self, name: str, purpose: str) -> list[str]:
        return [link for mail in self.service.sink.to(address_of(name)) for link in links_in_mail(mail, purpose)]

    def _links_in_mails(self, key: str) -> list[str]:
        """Returns the links in the mails to the first seat that answer this question."""
        return [link for link in self._play_links(self.names[0]) if f"?ask={key}&" in link]

    def open_questions(self) -> Iterator[tuple[int, str]]:
        """Yields seat and key of every open question, looked up one after another."""
        for seat in self.tokens:
            if (found := self._put(seat))["ask"]:
                yield seat, found["ask"]["key"]

    def _put(self, seat: int) -> Any:
        """Returns the seat's question and its legal moves."""
        answer = send_request(self.api(f"/matches/{self.match_id}/ask"), Authorization=f"Bearer {self.tokens[seat]}")
        assert answer.status == 200, answer.text
        return answer.json

    def play(self, seat: int, key: str) -> None:
        """Answers the question: Alice by the mail about it, the others by the API."""
        if seat == 0 and self._by_mail(key):
            return
        body = {"key": key, "move": self._put(seat)["legal"][-1]["move"]}
        bearer = f"Bearer {self.tokens[seat]}"
        answer = send_request(self.api(f"/matches/{self.match_id}/moves"), body, Authorization=bearer)
        assert answer.status == 201, answer.text
        self.acknowledged.append((seat, key))

    def _by_mail(self, key: str) -> bool:
        """Answers by the first link of a mail about this question; returns False if there is no such mail."""
        turn = key.rpartition(".")[0]
        if not self._links_in_mails(key) and any(turn in link for link in self._play_links(self.names[0])):
            return False  # it followed at once on her own answer: no second mail
        wait_until(partial(self._links_in_mails, key), f"the mail about {key}")
        page = Page(send_request(html.unescape(self.luck.choice(self._links_in_mails(key)))).text)
        while page.form("confirm") is None:
            page = Page(send_request(self.service.url + self.luck.choice(page.hrefs("opt"))).text)
        form = page.form("confirm")
        assert form is not None
        answer = send_request(self.service.url + form.action, form=form.fields)
        assert answer.status == 200, answer.text
        assert re.search(r"done=1", answer.url), answer.url
        self.acknowledged.append((0, form.fields["key"]))
        return True

    def play_to_the_end(self, most: int = 2000) -> None:
        """Plays until nobody is asked any more."""
        for _ in range(most):
            asked = next(self.open_questions(), None)
            if asked is None:
                return
            self.play(*asked)
        raise AssertionError("the match does not end")

    def all_secrets(self) -> list[str]:
        """Returns every token in any mail, and every address: secrets that no log may hold."""
        return sorted({address_of(name) for name in self.names} | tokens_in(self.service.sink.got))


def tokens_in(mails: Iterable[EmailMessage], *purposes: str) -> set[str]:
    """Returns every token in these mails, or only those in links of these purposes."""
    found = set[str]()
    for mail in mails:
        for purpose in purposes or PURPOSES:
            for link in links_in_mail(mail, purpose):
                token = link.split(f"/{purpose}/")[1].split("?")[0].split("/")[0]
                if "." in token:
                    found.add(token)
    return found
