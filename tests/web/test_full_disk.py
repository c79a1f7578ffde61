"""On a full disk nothing is said to be done, to anybody: the answer is 503, and it says why."""

from __future__ import annotations

import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from werkzeug.test import TestResponse

from pbem.services.players import players
from tests.table import address_of
from tests.web.cast import Web

KNOWN, UNKNOWN = address_of("Alice"), "nobody@example.org"


@contextmanager
def no_room() -> Iterator[None]:
    """Lets every write into a file fail, as on a full disk. Python ignores the signal that comes with it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def job_that_posts(path: str, **form: str) -> Callable[[Web], TestResponse]:
    """Returns what sends this form."""
    return lambda web: web.client().post(path, data=form)


def ask_for_recent_links(web: Web) -> TestResponse:
    """Asks again for links that are on their way already."""
    assert web.client().post("/links", data={"address": KNOWN}).status_code == 303
    with no_room():
        return web.client().post("/links", data={"address": KNOWN})


@pytest.mark.long
@pytest.mark.parametrize("address", [KNOWN, UNKNOWN])
@pytest.mark.parametrize("path", ["/links", "/signup"])
def test_with_a_full_disk_known_and_unknown_addresses_get_the_same_503(web: Web, path: str, address: str) -> None:
    web.start()
    before = web.everything()
    with no_room():
        answer = job_that_posts(path, address=address, zone="Europe/Paris")(web)
    assert answer.status_code == 503
    assert "the disk is full" in answer.text
    assert int(answer.headers["Retry-After"]) > 0
    assert web.everything() == before
    assert job_that_posts(path, address=address, zone="Europe/Paris")(web).status_code == 303


def test_with_a_full_disk_asking_again_for_links_just_sent_gets_a_503(web: Web) -> None:
    web.start()
    assert ask_for_recent_links(web).status_code == 503


@pytest.mark.long
def test_looking_up_an_unknown_address_deletes_its_request_for_links(web: Web) -> None:
    web.start()
    before = web.everything()
    assert job_that_posts("/links", address=UNKNOWN)(web).status_code == 303
    assert players.queue_requested_links(web.site) == 1
    assert web.everything() == before


@pytest.mark.long
def test_on_a_full_disk_a_move_is_not_acknowledged_and_can_be_repeated(web: Web) -> None:
    match_id = web.start()
    token = web.link("play", match_id, 0).split("/")[-1]
    head: dict[str, Any] = {"headers": {"Authorization": f"Bearer {token}"}}
    client = web.client()
    found = client.get(f"/api/v1/matches/{match_id}/ask", **head).json
    assert found is not None
    body = {"key": found["ask"]["key"], "move": found["legal"][0]["move"]}
    with no_room():
        refused = client.post(f"/api/v1/matches/{match_id}/moves", json=body, **head)
        page = client.get(f"/match/{match_id}")
    assert (refused.status_code, (refused.json or {}).get("code")) == (503, "unavailable")
    assert page.status_code == 200
    assert client.post(f"/api/v1/matches/{match_id}/moves", json=body, **head).status_code == 201
