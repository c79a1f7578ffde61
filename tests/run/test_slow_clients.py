"""A client that sends half a request or reads half an answer delays nobody else, and is soon disconnected."""

from __future__ import annotations

import json
import select
import socket
import time
from contextlib import suppress
from itertools import product
from pathlib import Path

import pytest

from pbem.run.connections import HEAD_BYTES, READ_S
from tests.harness.cases import cases
from tests.harness.waiting import wait_until
from tests.run.webs import (
    HALF_BODY,
    HALF_HEAD,
    MATCH,
    Web,
    headers_of_post,
    open_connections,
    read_all,
    run_web,
    still_open,
)

MANY = 100
SLOWER = 4.0
"""This many times as long as before the quickest of many answers may take beside slow clients, sooner or later: on a
web that waits for them there is none."""


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "sent",
    [b"", HALF_HEAD, HALF_BODY, headers_of_post(500_000) + bytes(200_000)],
    ids=["nothing", "head", "body", "large body"],
)
def test_pages_and_api_answer_while_a_hundred_requests_are_half_sent(patient: Web, sent: bytes) -> None:
    before = {path: patient.took(path) for path in ("/", "/api/v1/games")}
    with open_connections(patient, MANY, sent) as lines:
        for path, usual in before.items():
            wait_until(lambda: patient.took(path) < SLOWER * usual, f"{path} is as quick as before")  # noqa: B023
        assert still_open(lines), "they were answered while the others were there"


@cases("begun", [HALF_HEAD, HALF_BODY[:-200]])
def test_pages_and_api_answer_while_a_hundred_clients_send_byte_by_byte(patient: Web, begun: bytes) -> None:
    rest = (headers_of_post(MATCH) + MATCH)[len(begun) :]
    with open_connections(patient, MANY, begun) as lines:
        for at in range(20):
            for line in lines:
                line.sendall(rest[at : at + 1])
            assert patient.get("/")[0] == patient.get("/api/v1/games")[0] == 200
        assert still_open(lines)


def test_pages_and_api_answer_while_many_clients_take_no_answer(patient: Web) -> None:
    with open_connections(patient, 20, b"GET /test/large HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n") as lines:
        for _ in range(20):
            assert patient.get("/")[0] == patient.get("/api/v1/games")[0] == 200
        assert all(line.recv(15) == b"HTTP/1.1 200 OK" for line in lines)


@cases("sent", [HALF_HEAD, HALF_BODY])
def test_a_request_that_arrives_too_slowly_gets_408_and_changes_nothing(impatient: Web, sent: bytes, mode: str) -> None:
    with open_connections(impatient, MANY, sent) as lines:
        for line in lines:
            answer = read_all(line)
            assert answer.startswith(b"HTTP/1.1 408 Request Timeout\r\n"), answer
            assert b"\r\naccess-control-allow-origin: *\r\n" in answer
            assert answer.count(b"HTTP/1.1") == 1
    if mode == "embedded":
        assert json.loads(impatient.get("/mailbox.json")[1]) == []


def test_a_connection_on_which_nothing_is_asked_is_closed(impatient: Web) -> None:
    with open_connections(impatient, MANY, b"") as lines:
        assert {read_all(line) for line in lines} == {b""}


@cases("begun", [HALF_HEAD, HALF_BODY[:-200]])
def test_the_time_limit_is_for_the_whole_request_however_often_bytes_come(impatient: Web, begun: bytes) -> None:
    with open_connections(impatient, 1, begun) as [line]:
        line.settimeout(0.02)
        for byte in b"x" * 3000:
            try:
                line.sendall(bytes([byte]))
                if line.recv(1):
                    break
            except TimeoutError:
                continue
            except (ConnectionResetError, BrokenPipeError):
                break
        else:
            raise AssertionError("it went on for a minute")


def test_the_time_limit_of_a_second_request_begins_with_its_first_byte(impatient: Web) -> None:
    with open_connections(impatient, 1, b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n") as [line]:
        got = b""
        while not got.endswith(b"\r\n\r\nok"):
            got += line.recv(1 << 16)
        line.sendall(HALF_BODY)
        assert read_all(line).startswith(b"HTTP/1.1 408 ")


@cases("more, at_once", product([b"", b"\r\n"], [True, False]))
def test_a_connection_on_which_nothing_more_is_asked_is_closed(impatient: Web, more: bytes, at_once: bool) -> None:
    request = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    with open_connections(impatient, 1, request + more * at_once) as [line]:
        _read_until(line, b"\r\n\r\nok")
        line.sendall(b"" if at_once else more)
        assert read_all(line) == b""


def test_a_connection_on_which_a_body_arrives_after_its_answer_is_closed(impatient: Web) -> None:
    body = bytes(3_000_000)
    with open_connections(impatient, 1, headers_of_post(body)) as [line]:
        assert line.recv(13) == b"HTTP/1.1 413 "
        line.sendall(body)
        assert read_all(line).count(b"HTTP/1.1") == 0


def test_a_request_being_sent_keeps_its_time_when_the_earlier_answer_ends(web: Web, folder: Path) -> None:
    web.get("/test/limits?seconds=3600&idle=0.1")
    with open_connections(web, 1, f"GET /test/held?folder={folder} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()) as [
        line
    ]:
        line.sendall(HALF_HEAD)
        wait_until(lambda: any(folder.glob("begun*")), "the first request is being answered")
        assert web.get("/healthz")[0] == 200, "what was sent before has been read"
        (folder / "go").touch()
        assert line.recv(15) == b"HTTP/1.1 200 OK"
        with open_connections(web, 1, b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n") as [other]:
            assert read_all(other), "a connection that became idle later is closed"
        assert _is_open(line)


@pytest.mark.parametrize("second", [HALF_HEAD, HALF_BODY], ids=["head", "body"])
def test_a_timed_out_request_is_not_answered_before_an_earlier_one(impatient: Web, folder: Path, second: bytes) -> None:
    held = f"GET /test/held?folder={folder} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()
    with open_connections(impatient, 1, held + second) as [line]:
        assert read_all(line) == b"", "the connection is closed"
        (folder / "go").touch()


@pytest.mark.parametrize(
    "second", [b"\x16\x03\x01 this is no HTTP\r\n\r\n", b"CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n"]
)
def test_an_invalid_request_is_not_answered_before_an_earlier_one(patient: Web, folder: Path, second: bytes) -> None:
    held = f"GET /test/held?folder={folder} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()
    with open_connections(patient, 1, held + second) as [line]:
        assert read_all(line) == b"", "the connection is closed"
        (folder / "go").touch()


@pytest.mark.parametrize("before", [0, 1], ids=["alone", "after another"])
def test_a_client_that_ends_its_side_after_its_request_gets_its_answer(
    impatient: Web, folder: Path, before: int
) -> None:
    held = f"GET /test/held?folder={folder} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()
    with open_connections(impatient, 1, held + before * b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n") as [line]:
        line.shutdown(socket.SHUT_WR)
        wait_until(lambda: any(folder.glob("begun*")), "the request is being answered")
        assert impatient.get("/healthz")[0] == 200, "the end of the client's side has been seen"
        (folder / "go").touch()
        answer = read_all(line)
    assert answer.count(b"HTTP/1.1 200 OK\r\n") == 1 + before
    assert answer.rpartition(b"HTTP/1.1")[2].count(b"connection: close\r\n") == 1


def test_a_client_that_ends_its_side_within_a_request_is_not_answered(patient: Web) -> None:
    with open_connections(patient, 1, HALF_BODY) as [line]:
        line.shutdown(socket.SHUT_WR)
        assert read_all(line) == b""


def test_a_client_that_takes_no_answer_is_cut_off(impatient: Web) -> None:
    with open_connections(impatient, 1, b"GET /test/large HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n") as [line]:
        assert line.recv(15) == b"HTTP/1.1 200 OK"
        # A poll reports a reset connection, though no data is read.
        line.settimeout(30)
        wait_until(lambda: _is_reset(line), "the connection is cut", 30)


@pytest.mark.parametrize("leaves", [True, False], ids=["leaves", "reads no more"])
def test_an_endless_answer_ends_when_its_client_leaves_or_reads_no_more(
    impatient: Web, folder: Path, leaves: bool
) -> None:
    request = f"GET /test/endless?folder={folder} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()
    with open_connections(impatient, 1, request) as [line]:
        assert line.recv(15) == b"HTTP/1.1 200 OK"
        if leaves:
            line.close()
        wait_until((folder / "left").exists, "the application has ended the answer")


def test_a_waiting_client_that_ends_its_side_is_answered_at_once(patient: Web, folder: Path) -> None:
    request = f"GET /test/waits?folder={folder} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()
    with open_connections(patient, 1, request) as [line]:
        wait_until((folder / "waits").exists, "the request waits")
        line.shutdown(socket.SHUT_WR)
        assert read_all(line).endswith(b"True")


def test_headers_without_end_are_refused(patient: Web) -> None:
    line_of_them = b"X-More: " + b"x" * 1000 + b"\r\n"
    with open_connections(patient, 1, HALF_HEAD.partition(b"\r\n")[0] + b"\r\n") as [line]:
        for _ in range(HEAD_BYTES // 1000):
            line.sendall(line_of_them)
        assert still_open([line])
        line.sendall(line_of_them)
        assert read_all(line).startswith(b"HTTP/1.1 431 ")


@cases("piece, many", product([100_000, 30_000, 4_000], [True, False]))
def test_too_large_headers_are_refused_in_whatever_pieces_they_come(patient: Web, piece: int, many: bool) -> None:
    more = b"X-More: xxxxxxxx\r\n" * 2000 if many else b"X-More: " + b"x" * 40_000 + b"\r\n"
    sent = HALF_HEAD.partition(b"\r\n")[0] + b"\r\nHost: 127.0.0.1\r\n" + more + b"\r\n"
    with open_connections(patient, 1, sent[:piece]) as [line]:
        for at in range(piece, len(sent), piece):
            with suppress(OSError):  # it has been refused by then
                line.sendall(sent[at : at + piece])
        assert read_all(line).startswith(b"HTTP/1.1 431 ")


def test_a_body_that_is_too_large_is_refused_however_it_is_sent(patient: Web) -> None:
    chunked = headers_of_post().replace(b"Content-Length: 0", b"Transfer-Encoding: chunked")
    chunk = b"10000\r\n" + bytes(0x10000) + b"\r\n"
    for sent in (headers_of_post(3_000_000), chunked + 17 * chunk):
        with open_connections(patient, 1, sent) as [line]:
            assert line.recv(13) == b"HTTP/1.1 413 "


@pytest.mark.long
def test_pages_stay_quick_until_half_sent_requests_time_out_in_real_time(
    mode: str, database: str, redis_apart: str, tmp_path: Path
) -> None:
    with run_web(mode, tmp_path, database, redis_apart) as web:
        quiet = web.took("/")
        for sent in (HALF_HEAD, HALF_BODY):
            with open_connections(web, MANY, sent) as lines:
                begun = time.monotonic()
                assert [web.get(path)[0] for path in ("/", "/api/v1/games")] == [200, 200]
                assert still_open(lines) or time.monotonic() - begun > READ_S
                wait_until(lambda: web.took("/") < SLOWER * quiet, "a page is as quick as before")
                for line in lines:
                    assert read_all(line).startswith(b"HTTP/1.1 408 ")
                assert time.monotonic() - begun > READ_S * 0.9


def _read_until(line: socket.socket, end: bytes) -> bytes:
    """Returns the data on the connection up to and including this end."""
    got = b""
    while not got.endswith(end):
        piece = line.recv(1 << 16)
        assert piece, got
        got += piece
    return got


def _is_open(line: socket.socket) -> bool:
    """True if the server has not closed the connection, whatever it has answered on it."""
    poll = select.poll()
    poll.register(line, select.POLLRDHUP)
    return not poll.poll(0)


def _is_reset(line: socket.socket) -> bool:
    poll = select.poll()
    poll.register(line, select.POLLERR | select.POLLHUP)
    return bool(poll.poll(0))
