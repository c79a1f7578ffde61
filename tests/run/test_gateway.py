"""What the gateway stores of requests that have not arrived completely."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from pbem.api.protocol import problems
from pbem.run import gateway
from pbem.run.gateway import Gateway

SCOPE = {
    "type": "http", "method": "POST", "raw_path": b"/", "query_string": b"", "http_version": "1.1", "scheme": "http",
    "server": ("127.0.0.1", 8000), "client": ("127.0.0.1", 40000), "headers": [],
}  # fmt: skip


class Client:
    """A client that sends a body in pieces, each on demand; `None` disconnects."""

    def __init__(self, *pieces: bytes | None) -> None:
        self.pieces = list(pieces)
        self.told: list[dict[str, Any]] = []

    async def receive(self) -> dict[str, Any]:
        """The next message."""
        await asyncio.sleep(0)
        piece = self.pieces.pop(0)
        if piece is None:
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": piece, "more_body": bool(self.pieces)}

    async def send(self, message: dict[str, Any]) -> None:
        """Takes a part of the answer."""
        self.told.append(message)


def echo_application(environ: dict[str, Any], start: Any) -> list[bytes]:
    """Answers with the body."""
    body = environ["wsgi.input"].read()
    start("200 OK", [("Content-Length", str(len(body)))])
    return [body]


def statuses_of_clients(*clients: Client, threads: int = 1) -> list[int | None]:
    """Returns the statuses of the answers to simultaneous clients; None if there is no answer."""

    async def all_of_them() -> None:
        served = Gateway(echo_application, threads, max_body=100)
        await asyncio.gather(*(served(SCOPE, client.receive, client.send) for client in clients))
        assert (served.unfinished, served.kept_bytes, served.busy) == ({}, 0, False)

    asyncio.run(all_of_them())
    return [client.told[0]["status"] if client.told else None for client in clients]


def test_request_bodies_being_received_share_a_memory_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gateway, "BODIES_BYTES", 30)
    several = [Client(b"0123456789", b"0123456789", b"end") for _ in range(2)]
    assert sorted(statuses_of_clients(*several), key=str) == [200, 503]
    assert statuses_of_clients(Client(b"0123456789", b"0123456789", b"end")) == [200], "one by one there is room"


def test_beyond_the_shared_limit_the_oldest_request_body_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gateway, "BODIES_BYTES", 50)
    halves = [Client(b"0123456789" * 2, *[b""] * 50, b"end") for _ in range(3)]
    assert statuses_of_clients(*halves, Client(b"0123456789", b"end")) == [503, 200, 200, 200]


def test_a_body_that_takes_too_much_by_itself_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gateway, "BODIES_BYTES", 50)
    assert statuses_of_clients(Client(b"x" * 60, b"", b"", b"", b"end")) == [503]


@pytest.mark.parametrize("path", [b"/", b"/api/v1/matches"])
def test_a_refused_body_is_a_problem_that_any_page_may_read_under_the_api(
    monkeypatch: pytest.MonkeyPatch, path: bytes
) -> None:
    monkeypatch.setattr(gateway, "BODIES_BYTES", 1)
    monkeypatch.setitem(SCOPE, "raw_path", path)
    client = Client(b"xx", b"", b"end")
    assert statuses_of_clients(client) == [503]
    headers, body = dict(client.told[0]["headers"]), client.told[1]["body"]
    assert headers[b"content-length"] == b"%d" % len(body)
    if path == b"/":
        assert (body, b"access-control-allow-origin" in headers) == (b"", False)
    else:
        assert headers[b"access-control-allow-origin"] == b"*"
        assert headers[b"content-type"] == b"application/problem+json"
        assert (json.loads(body)["code"], json.loads(body)["status"]) == ("busy", 503)
        assert problems.PREFIX.encode() == gateway.API


def test_a_client_that_leaves_in_the_middle_of_its_body_is_not_answered() -> None:
    assert statuses_of_clients(Client(b"0123", None), Client(b"0123", b"4")) == [None, 200]


def test_an_error_of_the_application_is_the_servers_to_answer() -> None:
    def broken(_environ: dict[str, Any], _start: Any) -> list[bytes]:
        raise RuntimeError("broken")

    async def one() -> None:
        served = Gateway(broken, 1, max_body=100)
        with pytest.raises(RuntimeError, match="broken"):
            await served(SCOPE, Client(b"").receive, Client().send)
        assert not served.busy

    asyncio.run(one())


def test_the_gateway_takes_larger_bodies_on_some_paths_with_a_secret() -> None:
    async def request_that_arrives(path: bytes, said: bytes = b"Bearer secret") -> bytes:
        served = Gateway(
            echo_application, 1, max_body=10, larger={"/mails": (100, lambda said: said == "Bearer secret")}
        )
        client = Client(*[b"0123456789"] * 6, b"end")
        headers = [*SCOPE["headers"], (b"authorization", said)]
        await served({**SCOPE, "raw_path": path, "headers": headers}, client.receive, client.send)
        return b"".join(message.get("body", b"") for message in client.told)

    assert asyncio.run(request_that_arrives(b"/mails")) == b"0123456789" * 6 + b"end"
    for path in (b"/mails/", b"/"):
        assert len(asyncio.run(request_that_arrives(path))) == 20
    assert len(asyncio.run(request_that_arrives(b"/mails", b"Bearer guess"))) == 20
