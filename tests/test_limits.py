"""What one place on the network may do in an hour: pages and API count together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from pbem import create_app
from pbem.config import Config
from pbem.services.site import Site, open_site
from pbem.web.limits import LINKS_PER_HOUR, OPENED_PER_HOUR
from tests.api.cast import problem, wanted

MakeClient = Callable[..., FlaskClient]


@pytest.fixture
def make_client(sqlite_url: str, tmp_path: Path) -> Iterator[MakeClient]:
    """Makes somebody who uses a site in production that has no Redis."""
    made: list[Site] = []

    def make(**settings: Any) -> FlaskClient:
        known: dict[str, Any] = {"mode": "production", "data": tmp_path, "database_url": sqlite_url, "secret": "s" * 48}
        made.append(open_site(Config(**known | settings)))
        return create_app(site=made[-1]).test_client()

    yield make
    for site in made:
        site.engine.dispose()


def form() -> dict[str, str]:
    """What the page that starts a match sends."""
    filled = {"game": "hogen", "turn": "86400", "spectators": "1"}
    for i, seat in enumerate(wanted()["seats"]):
        filled |= {f"name{i}": seat["name"], f"address{i}": seat["email"]}
    return filled


def test_the_page_and_the_api_start_matches_on_one_account(make_client: MakeClient) -> None:
    client = make_client(matches_per_ip_hour=2)
    assert client.post("/new", data=form()).status_code == 303
    assert client.post("/api/v1/matches", json=wanted()).status_code == 201
    page = client.post("/new", data=form())
    assert (page.status_code, page.mimetype) == (429, "text/html")
    assert 0 < int(page.headers["Retry-After"]) <= 3600
    api = client.post("/api/v1/matches", json=wanted())
    problem(api, 429, "too_many")
    assert 0 < int(api.headers["Retry-After"]) <= 3600


def test_another_place_has_an_account_of_its_own(make_client: MakeClient) -> None:
    client = make_client(matches_per_ip_hour=1)
    for place in ("192.0.2.1", "192.0.2.2"):
        for status in (201, 429):
            answer = client.post("/api/v1/matches", json=wanted(), environ_base={"REMOTE_ADDR": place})
            assert answer.status_code == status, place


def test_links_can_be_asked_for_so_many_times_an_hour(make_client: MakeClient) -> None:
    client = make_client()
    asked = [client.post("/links", data={"address": f"a{n}@example.org"}).status_code for n in range(LINKS_PER_HOUR)]
    assert set(asked) == {303}
    refused = client.post("/links", data={"address": "alice@example.org"})
    assert (refused.status_code, refused.mimetype) == (429, "text/html")
    assert refused.headers["Retry-After"]
    assert client.get("/links").status_code == 200
    assert client.post("/api/v1/matches", json=wanted()).status_code == 201, "counted apart"


def test_logs_can_be_opened_so_many_times_an_hour(make_client: MakeClient) -> None:
    client = make_client()
    sent = {client.post("/replay/open", data={"packed": "no log"}).status_code for _ in range(OPENED_PER_HOUR)}
    assert sent == {422}
    assert client.post("/replay/open/frames.json", data={"packed": "no log"}).status_code == 429


def test_where_mail_stays_on_the_machine_nothing_is_counted(make_client: MakeClient) -> None:
    client = make_client(mode="embedded", matches_per_ip_hour=1)
    for _ in range(2):
        assert client.post("/new", data=form()).status_code == 303
        assert client.post("/api/v1/matches", json=wanted()).status_code == 201
