"""Any of several hosts answers any request: nobody has to come back to the host where they began.

What happens when hosts die is tried by `make chaos ARGS=--hosts`.
"""

from __future__ import annotations

import http.client
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from pbem.config import Config
from pbem.services.site import open_site
from tests.harness.waiting import SECONDS, wait_until
from tests.production.hosts import Host, foreign_files, make_host
from tests.production.people import People
from tests.production.topology import Service, run_service_parts
from tests.web.cast import Page

pytestmark = pytest.mark.slow
PER_HOUR = 4


@dataclass
class Answer:
    """What a host has answered."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)

    @property
    def page(self) -> Page:
        """The body as a page."""
        return Page(self.body.decode())


@dataclass
class Browser:
    """A client with cookies, which asks whichever host it is told to."""

    ports: tuple[int, int]
    cookies: dict[str, str] = field(default_factory=dict)

    def ask(
        self, at: int, path: str, body: Any = None, *, form: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:  # fmt: skip
        """Returns the answer of the host to a GET, or to a POST of JSON or of a form; redirects are not followed."""
        connection = http.client.HTTPConnection("127.0.0.1", self.ports[at], timeout=SECONDS)
        sent = {"Host": f"127.0.0.1:{self.ports[0]}", "Accept-Language": "en"}
        sent |= headers or {}
        if self.cookies:
            sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        data = None
        if form is not None:
            data, sent["Content-Type"] = urlencode(form), "application/x-www-form-urlencoded"
        elif body is not None:
            data, sent["Content-Type"] = json.dumps(body), "application/json"
        connection.request("GET" if data is None else "POST", path, data, sent)
        answer = connection.getresponse()
        for told in answer.headers.get_all("Set-Cookie") or ():
            self.cookies |= {name: kept.value for name, kept in SimpleCookie(told).items()}
        return Answer(answer.status, answer.headers, answer.read())


@dataclass
class Place:
    """Two web hosts, and a match of three."""

    service: Service
    hosts: list[Host]
    people: People

    def browser(self) -> Browser:
        """Returns a new client."""
        return Browser(self.service.ports)

    def bearer(self, seat: int) -> str:
        """Returns the header's value of the seat's programs."""
        return f"Bearer {self.people.tokens[seat]}"

    def account_link(self, number: int) -> str:
        """Returns the path that signs the player with this number in."""
        site = open_site(Config.from_env(self.service.environ(), "production"))
        link = site.tokens.for_account(number, 0, site.now())
        site.engine.dispose()
        return f"/account/{link}"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """Two web hosts with trees of their own on one PostgreSQL and one Redis."""
    folder = tmp_path_factory.mktemp("hosts")
    with (
        tempfile.TemporaryDirectory(prefix="pbem-", dir="/tmp") as sockets,
        run_service_parts(folder, Path(sockets)) as made,
    ):
        made.migrate()
        made.settings["PBEM_MATCHES_PER_IP_HOUR"] = str(PER_HOUR)
        hosts = [make_host(folder, f"host {number}") for number in range(2)]
        started = [
            made.start_in(host.tree, "web", {"PORT": str(port)} | host.environ)
            for host, port in zip(hosts, made.ports, strict=True)
        ]
        people = People(made)
        people.sit_down_at_once()
        for process in started:
            wait_until(process.works, f"{process.name} works")
        yield Place(made, hosts, people)


def test_a_session_and_its_csrf_tokens_work_at_every_host(place: Place) -> None:
    browser = place.browser()
    assert browser.ask(0, place.account_link(1), form={}).status == 303
    page = browser.ask(1, "/me")
    assert page.status == 200, (page.headers["Location"], browser.cookies)
    form = next(one for one in page.page.forms if one.action == "/me")
    chosen = {**form.fields, "language": "en", "zone": "Asia/Tokyo"}
    assert browser.ask(0, form.action, form=chosen).status == 303
    assert b"Asia/Tokyo" in browser.ask(1, "/me").body
    refused = browser.ask(1, form.action, form={**chosen, "csrf_token": "of nobody"})
    assert refused.status in (400, 403)


def test_a_request_sent_again_to_another_host_is_done_once(place: Place) -> None:
    browser, headers = place.browser(), {"Idempotency-Key": "of-the-first", "X-Forwarded-For": "192.0.2.1"}
    wanted = {
        "game": "hogen",
        "seats": [{"name": "Alice", "email": "alice@example.org"}, {"bot": "greedy"}, {"bot": "greedy"}],
    }
    first = browser.ask(0, "/api/v1/matches", wanted, headers=headers)
    again = browser.ask(1, "/api/v1/matches", wanted, headers=headers)
    assert (first.status, again.status) == (201, 201), (first.body, again.body)
    assert first.json["id"] == again.json["id"]
    assert again.headers["Idempotency-Replayed"] == "true"


def test_hourly_rate_limits_are_shared_by_all_hosts(place: Place) -> None:
    browser = place.browser()
    wanted = {
        "game": "hogen",
        "seats": [{"name": "Carol", "email": "carol@example.org"}, {"bot": "greedy"}, {"bot": "greedy"}],
    }
    said = [browser.ask(number % 2, "/api/v1/matches", wanted).status for number in range(PER_HOUR + 2)]
    assert 1 < said.index(429) <= PER_HOUR
    assert said[-2:] == [429, 429]


def test_an_etag_from_one_host_is_valid_at_another(place: Place) -> None:
    browser, match_id = place.browser(), place.people.match_id
    asked: dict[str, dict[str, str]] = {
        f"/play/{place.people.tokens[1]}": {},
        f"/match/{match_id}/picture.png": {},
        f"/api/v1/matches/{match_id}": {"Authorization": place.bearer(0)},
        f"/api/v1/matches/{match_id}/state": {"Authorization": place.bearer(0)},
    }
    for path, headers in asked.items():
        here, there = (browser.ask(at, path, headers=headers) for at in range(2))
        assert (here.status, there.status) == (200, 200), path
        assert here.headers["ETag"] == there.headers["ETag"], path
        assert here.body == there.body, path
        assert browser.ask(1, path, headers={**headers, "If-None-Match": here.headers["ETag"]}).status == 304, path


def test_a_caller_who_waits_at_one_host_hears_of_a_move_at_the_other(place: Place) -> None:
    browser, people = place.browser(), place.people
    path = f"/api/v1/matches/{people.match_id}"
    version = browser.ask(0, path).json["version"]
    seat, key = next(people.open_questions())
    programs = {"Authorization": place.bearer(seat)}
    move = browser.ask(0, f"{path}/ask", headers=programs).json["legal"][0]["move"]
    with ThreadPoolExecutor() as pool:
        waits = pool.submit(browser.ask, 1, f"{path}/events?after={version}&wait=20")
        wait_until(waits.running, "the caller asks")
        assert browser.ask(0, f"{path}/moves", {"key": key, "move": move}, headers=programs).status == 201
        assert waits.result().json["events"][0]["n"] == version + 1


def test_a_stream_at_one_host_tells_of_a_move_at_the_other(place: Place) -> None:
    browser, people = place.browser(), place.people
    path = f"/api/v1/matches/{people.match_id}"
    version = browser.ask(0, path).json["version"]
    seat, key = next(people.open_questions())
    programs = {"Authorization": place.bearer(seat)}
    move = browser.ask(0, f"{path}/ask", headers=programs).json["legal"][0]["move"]
    stream = http.client.HTTPConnection("127.0.0.1", place.service.ports[1], timeout=SECONDS)
    with closing(stream):
        stream.request("GET", f"{path}/events/stream?after={version}", headers=programs)
        told = stream.getresponse()
        assert told.readline().startswith(b"retry: "), "the stream has begun"
        assert browser.ask(0, f"{path}/moves", {"key": key, "move": move}, headers=programs).status == 201
        entry = next(line for line in told if line.startswith(b"data: "))
        assert json.loads(entry.removeprefix(b"data: "))["n"] == version + 1


def test_hosts_hold_no_file_open_outside_their_own_folder(place: Place, tmp_path: Path) -> None:
    for host, process in zip(place.hosts, place.service.processes, strict=True):
        assert foreign_files(host, [process.popen.pid]) == set()
    with (tmp_path / "of another").open("w") as file:
        assert foreign_files(place.hosts[0], [os.getpid()]) >= {file.name}
