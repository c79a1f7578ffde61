"""The pages' cast: Alice organises, Bob and Carol are seated; and parsers for their pages."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from html import unescape
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlsplit

from flask import Flask
from flask.testing import FlaskClient
from sqlmodel import select
from werkzeug.test import TestResponse

from pbem.models.tables import Player, SeatRow
from pbem.services.lobby import matches
from pbem.services.lobby.match_request import AT_ONCE, Invitee, NewMatch
from pbem.services.site import Site
from pbem.services.tokens import SEAT_CLAIMS, ConfirmClaim, InvitationClaim, SeatPurpose
from pbem.services.views import match_views
from pbem.services.who import STRANGER
from tests.harness.applications import lend_application
from tests.harness.rows import every_row
from tests.table import THREE, address_of, submit_answer

ALICE = {"name": "Alice", "address": "alice@example.org"}
READER = {"language": "en", "zone": "America/New_York"}
VOID = {"meta", "link", "input", "br", "hr", "img", "base"}


@dataclass
class Form:
    """A form of a page: its address, and the values that it would send without the reader's input."""

    action: str
    method: str
    classes: str
    fields: dict[str, str] = field(default_factory=dict)


class Page(HTMLParser):
    """A parsed page. Raises AssertionError if an element is not closed in order.

    Its forms are those of its own, without the one in every page's footer.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.forms: list[Form] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert not self._open, f"never closed: {self._open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = {name: value or "" for name, value in attrs}
        assert len(known) == len(attrs), f"an attribute twice: {attrs}"
        self.tags.append((tag, known))
        if tag not in VOID:
            self._open.append(tag)
        if tag == "form" and "footer" not in self._open:
            self.forms.append(Form(known.get("action", ""), known.get("method", "get"), known.get("class", "")))
        unsent = not known.get("name") or (known.get("type") == "radio" and "checked" not in known)
        if tag == "input" and self.forms and "form" in self._open and "footer" not in self._open and not unsent:
            self.forms[-1].fields[known["name"]] = known.get("value", "")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert "svg" in self._open, f"<{tag}/> outside of a drawing"
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self._open, f"</{tag}> closes nothing"
        assert self._open[-1] == tag, f"</{tag}> where {self._open} is open"
        self._open.pop()

    def hrefs(self, classes: str | None = None) -> list[str]:
        """Returns the targets of the links, of one class or all."""
        return [
            known["href"]
            for tag, known in self.tags
            if tag == "a" and (classes is None or classes in known.get("class", "").split())
        ]

    def form(self, classes: str) -> Form | None:
        """The form of this class."""
        return next((form for form in self.forms if classes in form.classes.split()), None)

    @property
    def words(self) -> str:
        """The text without its tags."""
        return " ".join(re.sub(r"<[^>]+>", " ", self.text).split())


@dataclass
class Web:
    """The pages of one site, and access to the site behind them."""

    site: Site
    app: Flask = field(init=False)

    def __post_init__(self) -> None:
        self.app = lend_application(self.site)

    def client(self, lang: str = "en") -> FlaskClient:
        """A browser that prefers a language and keeps its cookies."""
        client = self.app.test_client()
        client.environ_base["HTTP_ACCEPT_LANGUAGE"] = lang
        return client

    def link(self, purpose: SeatPurpose, match_id: str, seat: int, epoch: int = 0) -> str:
        """The path of the page that a mail's link opens."""
        return f"/{purpose}/{self.site.tokens.sign(SEAT_CLAIMS[purpose](match_id, seat, epoch))}"

    def create(self, names: tuple[str, ...] = THREE, **more: Any) -> str:
        """Returns the id of a match that waits for its organiser."""
        people = [Invitee(name, address_of(name)) for name in names]
        # Where windows are not silent, no test has to wait for their floors.
        wanted = NewMatch(**{"game": "hogen", "seats": people, "language": "en", "windows": AT_ONCE, **more})
        return matches.create_match(self.site, STRANGER, wanted)

    def confirm(self, match_id: str) -> None:
        """The organiser confirms the match."""
        token = self.link("confirm", match_id, 0).split("/")[-1]
        matches.confirm_match(self.site, self.site.tokens.read(ConfirmClaim, token), "en", "Europe/Paris")

    def accept(self, match_id: str, seat: int, word: str | None = None) -> None:
        """A player accepts, with this lucky word."""
        token = self.link("invitation", match_id, seat).split("/")[-1]
        matches.accept_invitation(
            self.site, self.site.tokens.read(InvitationClaim, token), "en", "Europe/London", word=word
        )

    def start(self, names: tuple[str, ...] = THREE, **more: Any) -> str:
        """Returns the id of a match that has just begun."""
        match_id = self.create(names, **more)
        self.confirm(match_id)
        for seat in range(1, len(names)):
            self.accept(match_id, seat)
        return match_id

    def rename(self, match_id: str, seat: int, name: str) -> None:
        """Calls a player what nobody can call themselves there any more."""
        with self.site.writing() as work:
            work.get_one(SeatRow, (match_id, seat)).name = name

    def everything(self) -> dict[str, list[dict[str, Any]]]:
        """Returns every row of every table."""
        return every_row(self.site.engine)


def path_of(answer: TestResponse) -> str:
    """Returns the redirect's target, with the query."""
    parts = urlsplit(answer.headers["Location"])
    return f"{parts.path}?{parts.query}" if parts.query else parts.path


def choose_move(client: FlaskClient, path: str, pick: Any) -> Page:
    """Follows links until a whole move is chosen; returns the seat's page. `pick` picks among the links."""
    page = Page(client.get(path).text)
    while page.form("confirm") is None:
        page = Page(client.get(pick(page.hrefs("opt"))).text)
    return page


def play_on(web: Web, match_id: str, moves: int, seed: int = 1) -> int:
    """Plays up to this many moves, first their kind and then the move drawn by lot; returns how many were made.

    Not by links and buttons, for `test_seat_page` shows that they lead to the same moves, in many times the time.
    """
    rng = random.Random(seed)
    for made in range(moves):
        asks = match_views.read_sheet(web.site, match_id, 0).asks
        if not asks:
            return made
        legal = match_views.read_view(web.site, match_id, asks[0].seat).legal()
        kind = rng.choice(list(dict.fromkeys(type(move) for move in legal)))
        move = rng.choice([move for move in legal if type(move) is kind])
        submit_answer(web.site, match_id, asks[0].seat, asks[0].key, move, "web")
    return moves


def press_only_button(client: FlaskClient, page: Page) -> TestResponse:
    """Returns the answer to the only button."""
    form = page.form("confirm")
    assert form is not None
    return client.post(form.action, data=form.fields)


def words_of(web: Web, path: str, lang: str = "en") -> str:
    """Returns the words of the page."""
    text = web.client(lang).get(f"{path}{'&' if '?' in path else '?'}lang={lang}").text
    return unescape(Page(text).words).replace("\u00a0", " ")


def sign_in(web: Web, name: str) -> FlaskClient:
    """The browser of a player who has pressed the button of their account link."""
    client = web.client()
    with web.site.reading() as session:
        player = session.exec(select(Player).where(Player.canonical == address_of(name))).one()
        assert player.id is not None
        link = web.site.tokens.for_account(player.id, player.epoch, web.site.now())
    assert path_of(client.post(f"/account/{link}")) == "/"
    return client


def path_of_account_link(web: Web, name: str = "alice") -> str:
    with web.site.reading() as session:
        player = session.exec(select(Player).where(Player.canonical == f"{name}@example.org")).one()
        assert player.id is not None
        return f"/account/{web.site.tokens.for_account(player.id, player.epoch, web.site.now())}"


def secret_of(page: str) -> str:
    found = re.search(r'name="csrf_token" value="([^"]+)"', page)
    assert found is not None
    return found[1]


CHARLIE = {"name": "Charlie", "address": "charlie@example.org", **READER}


def seat_link(web: Web, match_id: str, seat: int = 1) -> str:
    """Returns the current path of the seat's page."""
    with web.site.reading() as session:
        epoch = session.get_one(SeatRow, (match_id, seat)).epoch
    return web.link("play", match_id, seat, epoch)


def items_in(text: str, *kinds: str) -> list[str]:
    """Returns the words of the items in the strip of a page, those in sight and the others, of these kinds."""
    strip = text.partition('data-part="news"')[2].partition("</section>")[0]
    found = re.findall(r'<div class="item (\w+)"[^>]*>(.*?)</div>', strip, re.S)
    return [Page(f"<div>{inside}</div>").words for kind, inside in found if kind in kinds]


def item_in_sight(text: str) -> str:
    """Returns the words of the item of the strip that is in sight."""
    (inside,) = re.findall(r'<div class="item \w+"[^>]*(?<! hidden)>(.*?)</div>', text, re.S)
    return Page(f"<div>{inside}</div>").words
