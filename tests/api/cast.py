"""The cast and the table of the API's tests: Alice, Bob, Carol and Dave have seats, Charlie has none."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import func, select
from werkzeug.test import TestResponse

from pbem.config import Config
from pbem.games import all_games
from pbem.models.tables import AskRow, EntryRow, Match, OutboxRow, table
from pbem.services.site import Site, open_site
from tests.harness.applications import lend_application
from tests.harness.rows import every_row
from tests.harness.servers import copy_sqlite
from tests.table import LINKS, THREE, MovedClock

NOON = datetime(2026, 3, 12, 12, 0, tzinfo=UTC)


@dataclass
class Entropy:
    """Bytes that look random and are the same in every test."""

    drawn: int = 0

    def __call__(self, size: int) -> bytes:
        self.drawn += 1
        return hashlib.sha512(str(self.drawn - 1).encode()).digest()[:size]


def open_site_of(data: Path, now: Callable[[], datetime], luck: Callable[[int], bytes], **settings: Any) -> Site:
    """The site of the database in this directory."""
    known: dict[str, Any] = {
        "mode": "embedded",
        "data": data,
        "database_url": f"sqlite:///{data / 'pbem.db'}",
        "secret": "s" * 48,
        "lock_wait_s": 0.1,
    }
    return open_site(Config(**known | settings), now=now, entropy=luck)


@dataclass(frozen=True)
class Begun:
    """A database with a match that has just begun: it is played once and copied for each test."""

    path: Path
    match_id: str
    drawn: int

    @classmethod
    def on(cls, blank: Path, data: Path, start: Callable[[Site], str]) -> Begun:
        """Begins the match on a copy of the blank database."""
        copy_sqlite(blank, data / "pbem.db")
        luck = Entropy()
        site = open_site_of(data, MovedClock(NOON), luck)
        match_id = start(site)
        site.engine.dispose()
        return cls(data / "pbem.db", match_id, luck.drawn)

    def lay(self, site: Site) -> str:
        """The id of the match, which is then on this site as if it had begun there."""
        assert site.now() == NOON
        assert isinstance(site.entropy, Entropy)
        with site.reading() as session:
            assert session.execute(select(func.count()).select_from(table(Match))).scalar_one() == 0
        assert site.engine.url.database is not None
        copy_sqlite(self.path, Path(site.engine.url.database))
        site.entropy.drawn = self.drawn
        return self.match_id


@dataclass
class Caller:
    """A caller of the API, with or without a token."""

    client: FlaskClient
    token: str | None = None
    language: str | None = "en"

    def headers(self) -> dict[str, str]:
        """The headers they send with every request."""
        sent = {"Accept-Language": self.language} if self.language else {}
        return sent | ({"Authorization": f"Bearer {self.token}"} if self.token else {})

    def get(self, path: str, **headers: str) -> TestResponse:
        """Asks for something under /api/v1."""
        return self.client.get(f"/api/v1{path}", headers=self.headers() | headers)

    def post(self, path: str, body: Any = None, **more: Any) -> TestResponse:
        """Sends a JSON body."""
        return self.client.post(f"/api/v1{path}", json=body, headers=self.headers(), **more)

    def put(self, path: str, body: Any = None) -> TestResponse:
        """Puts a JSON body in place of what was there."""
        return self.client.put(f"/api/v1{path}", json=body, headers=self.headers())

    def send(self, path: str, data: bytes, content_type: str = "application/json") -> TestResponse:
        """Sends bytes as they are."""
        return self.client.post(f"/api/v1{path}", data=data, content_type=content_type, headers=self.headers())


@dataclass
class Api:
    """The API of one site, and what a test may look up behind it."""

    site: Site
    app: Flask = field(init=False)

    def __post_init__(self) -> None:
        self.app = lend_application(self.site)

    def move_to(self, site: Site) -> None:
        """The same application on another site."""
        self.site = site
        self.app.extensions["pbem"] = site

    def caller(self, token: str | None = None, language: str | None = "en") -> Caller:
        """Somebody with this token, or a spectator."""
        return Caller(self.app.test_client(), token, language)

    def token(self, purpose: str, match_id: str, seat: int, epoch: int = 0) -> str:
        """The token in the seat's mail."""
        return self.site.tokens.sign(LINKS[purpose](match_id, seat, epoch))

    def start(self, names: tuple[str, ...] = THREE, **more: Any) -> str:
        """The id of a match that has begun."""
        match_id = self.create(names, **more)
        nobody = self.caller()
        assert nobody.post(f"/confirm/{self.token('confirm', match_id, 0)}", READER).status_code == 200
        for seat in range(1, len(names)):
            accepted = nobody.post(f"/invitation/{self.token('invitation', match_id, seat)}/accept", READER)
            assert accepted.status_code == 200, accepted.text
        return match_id

    def create(self, names: tuple[str, ...] = THREE, **more: Any) -> str:
        """The id of a match that waits for its organiser."""
        created = self.caller().post("/matches", body_of_match(names, **more))
        assert created.status_code == 201, created.text
        return str(created.json["id"])  # type: ignore[index]  # the body is JSON

    def trace(self, match_id: str) -> Any:
        """Everything that a refused request must not change: the match's row, log and asks, and the outbox."""
        rows = every_row(self.site.engine)
        return [rows[table(model).name] for model in (Match, EntryRow, AskRow, OutboxRow)]


READER = {"language": "en", "zone": "Europe/Paris"}


def body_of_match(names: tuple[str, ...] = THREE, **more: Any) -> dict[str, Any]:
    """The body that starts a match."""
    seats = [{"name": name, "email": f"{name.lower()}@example.org"} for name in names]
    return {"game": "hogen", "seats": seats, "language": "en", **more}


@dataclass
class Table:
    """A match of Hogen that has begun, and everybody around it."""

    api: Api
    id: str

    @property
    def path(self) -> str:
        """Where the match is."""
        return f"/matches/{self.id}"

    def seat(self, seat: int) -> Caller:
        """The player in this seat, with their token."""
        return self.api.caller(self.api.token("play", self.id, seat))

    @property
    def alice(self) -> Caller:
        """Seat 0, the organiser."""
        return self.seat(0)

    @property
    def bob(self) -> Caller:
        """Seat 1."""
        return self.seat(1)

    @property
    def charlie(self) -> Caller:
        """A spectator, who has no seat."""
        return self.api.caller()

    def ask(self, seat: int, query: str = "") -> dict[str, Any]:
        """The seat's question and moves."""
        question: dict[str, Any] = json_of(self.seat(seat).get(f"{self.path}/ask{query}"))
        return question

    def seats_asked(self) -> list[int]:
        """The seats that are asked something."""
        return [ask["seat"] for ask in json_of(self.charlie.get(self.path))["asks"]]

    def play(self, seat: int, choice: Mapping[str, Any]) -> TestResponse:
        """Answers the seat's open question with one of its legal moves."""
        key = self.ask(seat)["ask"]["key"]
        return self.seat(seat).post(f"{self.path}/moves", {"key": key, "move": choice["move"]})

    def allies(self) -> int:
        """Lets everybody choose the first ally; returns the seat that begins."""
        for seat in self.seats_asked():
            assert self.play(seat, self.ask(seat)["legal"][0]).status_code == 201
        (active,) = self.seats_asked()
        return active

    def trace(self) -> Any:
        """Everything that a refused request must not change."""
        return self.api.trace(self.id)


def json_of(response: TestResponse, status: int = 200) -> Any:
    """The JSON of an answer with this status."""
    assert response.status_code == status, response.text
    return json.loads(response.data)


def check_problem(response: TestResponse, status: int, code: str) -> Any:
    """The problem in an answer, after checking every part of its format."""
    assert (response.status_code, response.mimetype) == (status, "application/problem+json"), response.text
    said = json.loads(response.data)
    assert (said["status"], said["code"], said["type"]) == (status, code, "about:blank")
    assert said["title"]
    assert said["detail"].strip()
    assert ("fields" in said) == (code == "invalid")
    assert all(said.get("fields", {"": "one"}).values())
    assert "%(" not in said["detail"]
    assert response.headers["X-Request-ID"]
    return said


Message = dict[str, str]


def parse_stream_messages(told: str) -> list[Message]:
    """The messages of a stream without its comments, parsed as a browser does."""
    blocks = [block.splitlines() for block in told.split("\n\n") if block]
    fields = [[line.partition(": ")[::2] for line in block if not line.startswith(":")] for block in blocks]
    return [dict(block) for block in fields if block]


def begin_smallest(rest: Api, slug: str, **more: Any) -> Table:
    """A match of this game with as few people as it takes."""
    seats = min(all_games()[slug].meta.seats)
    return Table(rest, rest.start(("Alice", "Bob", "Carol", "Dave")[:seats], game=slug, **more))
