"""The application sees what its client sent, and nothing that a client can forge."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import pytest

from tests.harness.cases import cases
from tests.run.webs import Web, headers_of_post, open_connections, read_all


def request_as_seen(web: Web, request: bytes) -> dict[str, Any]:
    """Returns how the application saw a request."""
    with open_connections(web, 1, request) as [line]:
        answer, _, body = read_all(line).partition(b"\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 200 "), answer
        found: dict[str, Any] = json.loads(body)
        return found


def request_and_close(path: str, *headers: str) -> bytes:
    """Returns a request that closes its connection."""
    lines = [f"GET {path} HTTP/1.1", "Host: pbem.example", "Connection: close", *headers]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


@pytest.mark.long
def test_the_remote_address_is_the_connections_despite_any_header(patient: Web) -> None:
    seen = request_as_seen(
        patient, request_and_close("/test/asked", "X-Forwarded-For: 192.0.2.7", "X-Forwarded-Proto: https")
    )
    assert (seen["REMOTE_ADDR"], seen["wsgi.url_scheme"]) == ("127.0.0.1", "http")


def test_a_header_with_an_underscore_does_not_pass_for_another(patient: Web) -> None:
    seen = request_as_seen(
        patient, request_and_close("/test/asked", "X_Forwarded_For: 192.0.2.7", "X_Request_Id: abcdefgh")
    )
    assert "HTTP_X_FORWARDED_FOR" not in seen
    assert "HTTP_X_REQUEST_ID" not in seen


def test_repeated_headers_are_joined(patient: Web) -> None:
    seen = request_as_seen(
        patient, request_and_close("/test/asked", "Accept: text/html", "Accept: */*", "Cookie: a=1", "Cookie: b=2")
    )
    assert (seen["HTTP_ACCEPT"], seen["HTTP_COOKIE"]) == ("text/html,*/*", "a=1; b=2")


def test_path_and_query_arrive_as_they_were_sent(patient: Web) -> None:
    seen = request_as_seen(patient, request_and_close("/test/%61sked?name=%C3%A9&x=%2F"))
    assert seen["QUERY_STRING"] == "name=%C3%A9&x=%2F"
    assert seen["PATH_INFO"] == "/test/asked"


@cases("sent", [b"", b"{}", "é".encode() * 50_000])
def test_a_body_arrives_whole_with_its_length_or_in_chunks(patient: Web, sent: bytes) -> None:
    close = {"Connection": "close"}
    whole = request_as_seen(patient, headers_of_post(sent, "/test/asked", **close) + sent)
    chunks = [sent[at : at + 999] for at in range(0, len(sent), 999)]
    chunked = b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks) + b"0\r\n\r\n"
    without = headers_of_post(sent, "/test/asked", **close).replace(
        f"Content-Length: {len(sent)}".encode(), b"Transfer-Encoding: chunked"
    )
    for seen in (whole, request_as_seen(patient, without + chunked)):
        assert seen["body"].encode() == sent
        assert int(seen.get("CONTENT_LENGTH", 0)) == len(sent)
        assert "HTTP_TRANSFER_ENCODING" not in seen


def test_several_requests_on_one_connection_are_answered_in_order(patient: Web) -> None:
    with open_connections(
        patient,
        1,
        request_and_close("/healthz").replace(b"Connection: close\r\n", b"") * 3 + request_and_close("/readyz"),
    ) as [line]:
        answers = read_all(line).split(b"HTTP/1.1 ")[1:]
    assert [answer[:3] for answer in answers[:3]] == [b"200"] * 3
    assert len(answers) == 4
    assert b'"status"' in answers[3]


def test_a_head_request_is_answered_without_a_body(patient: Web) -> None:
    with open_connections(patient, 1, request_and_close("/").replace(b"GET", b"HEAD")) as [line]:
        answer, _, body = read_all(line).partition(b"\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert b"content-length: " in answer.lower()
    assert body == b""


def test_a_request_that_is_not_http_is_refused(patient: Web) -> None:
    with open_connections(patient, 1, b"\x16\x03\x01 this is no HTTP\r\n\r\n") as [line]:
        assert read_all(line).startswith(b"HTTP/1.1 400 ")


def test_no_header_tells_which_server_answers(patient: Web) -> None:
    with open_connections(patient, 1, request_and_close("/healthz")) as [line]:
        assert b"\r\nserver:" not in read_all(line).lower()


def test_a_line_of_the_log_has_the_route_and_the_id_but_no_token(patient: Web, mode: str) -> None:
    token = "c2VjcmV0.0.1.c2ln"
    with open_connections(patient, 1, request_and_close(f"/play/{token}", "X-Request-Id: alice-0001")) as [line]:
        assert b"\r\nx-request-id: alice-0001\r\n" in read_all(line).lower()
    said = patient.log.read_text()
    assert token not in said
    if mode == "production":
        lines = [json.loads(line) for line in said.splitlines()]
        [found] = [line for line in lines if line.get("request_id") == "alice-0001"]
        assert (found["event"], found["route"], found["status"]) == ("request", "/play/<token>", 401)


def test_every_line_of_production_is_json(patient: Web, mode: str) -> None:
    if mode == "production":
        with open_connections(patient, 1, b"\x16\x03\x01 this is no HTTP\r\n\r\n") as [line]:
            read_all(line)
        events = [json.loads(line)["event"] for line in patient.log.read_text().splitlines()]
        assert "Invalid HTTP request received." in events


UPGRADES = {
    "h2c": {"Connection": "Upgrade, HTTP2-Settings", "Upgrade": "h2c", "HTTP2-Settings": "AAMAAABkAAQAAP__"},
    "websocket": {"Connection": "keep-alive, Upgrade", "Upgrade": "websocket"},
}


@cases("offer, chunked, pieces", product(UPGRADES.values(), [False, True], [1, 2, 3]))
def test_the_body_of_a_request_that_offers_an_upgrade_is_no_request(
    patient: Web, offer: dict[str, str], chunked: bool, pieces: int
) -> None:
    smuggled = request_and_close("/healthz")
    begun, body = headers_of_post(smuggled, "/test/asked", **offer), smuggled
    if chunked:
        begun = begun.replace(b"Content-Length: %d" % len(smuggled), b"Transfer-Encoding: chunked")
        body = b"%x\r\n%s\r\n0\r\n\r\n" % (len(smuggled), smuggled)
    last = request_and_close("/test/asked?last")
    sent = {1: [begun + body + last], 2: [begun, body + last], 3: [begun, body, last]}[pieces]
    with open_connections(patient, 1, b"") as [line]:
        for piece in sent:
            line.sendall(piece)
            # The process reads what it has before it answers a later connection.
            assert patient.get("/healthz")[0] == 200
        first, second = read_all(line).split(b"HTTP/1.1 ")[1:]
    found = [json.loads(answer.partition(b"\r\n\r\n")[2]) for answer in (first, second)]
    assert [seen["body"] for seen in found] == [smuggled.decode(), ""]
    assert [seen["QUERY_STRING"] for seen in found] == ["", "last"]
    assert "HTTP_UPGRADE" not in found[0]


@cases("offer", UPGRADES.values())
def test_a_request_that_offers_an_upgrade_is_answered_as_any_other(patient: Web, offer: dict[str, str]) -> None:
    lines = [f"{name}: {value}" for name, value in offer.items()]
    one = request_and_close("/test/asked", *lines).replace(b"Connection: close\r\n", b"")
    with open_connections(patient, 1, 3 * one + request_and_close("/readyz")) as [line]:
        answers = read_all(line).split(b"HTTP/1.1 ")[1:]
    assert [answer[:3] for answer in answers] == [b"200"] * 4


def test_a_connect_request_is_refused(patient: Web) -> None:
    with open_connections(
        patient, 1, b"CONNECT pbem.example:443 HTTP/1.1\r\nHost: pbem.example\r\n\r\n" + request_and_close("/")
    ) as [line]:
        answer = read_all(line)
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert answer.count(b"HTTP/1.1") == 1
