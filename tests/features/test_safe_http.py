"""The addresses that webhooks may call; a call goes nowhere else, whatever names and servers do."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import ip_address
from types import SimpleNamespace
from typing import Any

import pytest
import trustme

from pbem.errors import Unlinkable
from pbem.features import safe_http
from pbem.features.safe_http import Answer, is_public_address, post_safely, strip_and_check_url
from tests.features.webhooks.hook_receiver import run_receiver
from tests.harness.cases import cases
from tests.harness.waiting import SECONDS, wait_until

pytestmark = pytest.mark.usefixtures("no_lookups")

BODY, HEADERS = b'{"a":1}', {"Content-Type": "application/json"}

PRIVATE = (
    "127.0.0.1", "127.255.255.254", "0.0.0.0", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1",
    "169.254.169.254", "100.64.0.1", "192.0.0.1", "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1",
    "240.0.0.1", "255.255.255.255", "192.88.99.1", "168.63.129.16",
    "::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::1", "2002:7f00:1::", "2002:a00:1::1", "2001:0:53aa:64c:0:7f8:80ff:fffe", "fe80::1", "fe80::1%eth0",
    "fec0::1", "fc00::1", "fd00::1", "ff02::1", "2001:db8::1", "100::1", "3fff::1",
    "3fff:fff::1",
)  # fmt: skip
PUBLIC = ("1.1.1.1", "8.8.8.8", "2606:4700:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101")


@cases("address", PRIVATE)
def test_non_public_addresses_are_recognised_even_if_embedded_in_ipv6(address: str) -> None:
    assert not is_public_address(ip_address(address))


@cases("address", PUBLIC)
def test_a_public_address_is_recognised(address: str) -> None:
    assert is_public_address(ip_address(address))


@cases(
    "url",
    [
        "http://example.org/hook", "ftp://example.org/", "https://", "example.org", "javascript:alert(1)",
        "https://user@example.org/", "https://user:pw@example.org/", "https://example.org:80/",
        "https://example.org:22/", "https://example.org:99999/", "https://example.org:x/", "https://localhost/",
        "https://localhost./", "https://pbem.local/", "https://db.internal/", "https://database/", "https://127.1/",
        "https://2130706433/", "https://0x7f.0.0.1/", "https://127.0.0.1/", "https://[::1]/", "https://[::ffff:10.0.0.1]/",
        "https://169.254.169.254/latest/meta-data", "https://exämple.org/", "https://example.org/a b",
        "https://example.org/\nX: y", "https://example.org\\@127.0.0.1/", "https://[::1",
        "https://" + "a" * 500 + ".org",
    ],
)  # fmt: skip
def test_an_unsafe_url_is_refused_when_it_is_entered(url: str) -> None:
    with pytest.raises(Unlinkable):
        strip_and_check_url(url, private=False)


@cases(
    "url",
    ["https://example.org/hook?key=1", "https://example.org:8443/", "https://1.1.1.1", "https://[2606:4700::1111]/"],
)
def test_a_url_of_a_public_server_is_accepted(url: str) -> None:
    assert strip_and_check_url(f" {url} ", private=False) == url


def test_a_private_site_accepts_http_urls_of_its_own_network() -> None:
    assert strip_and_check_url("http://127.0.0.1:8123/hook", private=True) == "http://127.0.0.1:8123/hook"
    with pytest.raises(Unlinkable):
        strip_and_check_url("http://user:pw@127.0.0.1/", private=True)


# --- the call ------------------------------------------------------------------------------------------------


Names = dict[str, Sequence[str]]


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> Names:
    """A resolver that knows these names; a list of several answers gives one for each query in turn."""
    known: Names = {}

    def resolve(host: str, port: int, **_: object) -> list[tuple[object, ...]]:
        found = known.get(host)
        if found is None:
            raise socket.gaierror(socket.EAI_NONAME, "unknown")
        return [
            (socket.AF_INET6 if ":" in each else socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, port))
            for each in found
        ]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    return known


@pytest.fixture
def loopback_is_public(monkeypatch: pytest.MonkeyPatch) -> None:
    """Treats 127.0.0.1 as a public server, so that a test can run everything after that check."""
    real = safe_http.is_public_address
    monkeypatch.setattr(safe_http, "is_public_address", lambda address: str(address) == "127.0.0.1" or real(address))


@pytest.fixture
def authority(monkeypatch: pytest.MonkeyPatch) -> trustme.CA:
    """A certificate authority that this machine trusts."""
    made = trustme.CA()
    context = ssl.create_default_context()
    made.configure_trust(context)
    monkeypatch.setattr(safe_http, "tls_context", lambda: context)
    return made


def certificate_for(authority: trustme.CA, name: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(name).configure_cert(context)
    return context


@pytest.mark.long
def test_a_call_posts_the_body_to_the_name_over_tls(
    names: Names, loopback_is_public: None, authority: trustme.CA
) -> None:
    names["hooks.example.org"] = ["127.0.0.1"]
    with run_receiver(certificate_for(authority, "hooks.example.org")) as there:
        url = there.url("/hook?key=1", "hooks.example.org", "https")
        assert post_safely(url, BODY, HEADERS, private=False) == Answer(status=204)
        (got,) = there.got
    assert (got.path, got.body) == ("/hook?key=1", BODY)
    assert got.headers["host"] == f"hooks.example.org:{there.port}"
    assert got.headers["content-type"] == "application/json"


def test_a_certificate_for_another_name_is_not_accepted(
    names: Names, loopback_is_public: None, authority: trustme.CA
) -> None:
    names["hooks.example.org"] = ["127.0.0.1"]
    with run_receiver(certificate_for(authority, "other.example.org")) as there:
        assert (
            post_safely(there.url(host="hooks.example.org", scheme="https"), BODY, HEADERS, private=False).error
            == "tls"
        )
        assert there.got == []


@pytest.mark.long
def test_a_certificate_of_an_unknown_authority_is_not_accepted(
    names: Names, loopback_is_public: None, authority: trustme.CA
) -> None:
    names["hooks.example.org"] = ["127.0.0.1"]
    with run_receiver(certificate_for(trustme.CA(), "hooks.example.org")) as there:
        assert (
            post_safely(there.url(host="hooks.example.org", scheme="https"), BODY, HEADERS, private=False).error
            == "tls"
        )
        assert there.got == []


@cases("answers", [["127.0.0.1"], ["1.1.1.1", "127.0.0.1"], ["::ffff:127.0.0.1"], []])
def test_a_name_with_a_loopback_address_among_others_is_not_called(names: Names, answers: list[str]) -> None:
    names["hooks.example.org"] = answers
    with run_receiver() as there:
        assert (
            post_safely(there.url(host="hooks.example.org", scheme="https"), BODY, HEADERS, private=False).error
            == "address"
        )
        assert there.got == []


def test_an_unknown_name_gets_the_same_answer_as_one_of_a_private_network(names: Names) -> None:
    names["inside.example.org"] = ["10.0.0.1"]
    known = post_safely("https://inside.example.org/", BODY, HEADERS, private=False)
    assert known == post_safely("https://outside.example.org/", BODY, HEADERS, private=False) == Answer(error="address")


@pytest.mark.long
def test_a_name_is_resolved_once_for_both_the_check_and_the_call(
    names: Names, loopback_is_public: None, authority: trustme.CA, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DNS rebinding: a public answer for the check, a private one for the connection."""
    asked = []
    resolve = socket.getaddrinfo

    def changing(host: str, port: int, **more: object) -> object:
        asked.append(host)
        names["hooks.example.org"] = ["127.0.0.1"] if len(asked) == 1 else ["10.0.0.1"]
        return resolve(host, port, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(socket, "getaddrinfo", changing)
    went: list[str] = []

    class Noting(socket.socket):
        def connect(self, where: Any) -> None:
            went.append(where[0])
            super().connect(where)

    monkeypatch.setattr(socket, "socket", Noting)
    with run_receiver(certificate_for(authority, "hooks.example.org")) as there:
        assert post_safely(
            there.url(host="hooks.example.org", scheme="https"), BODY, HEADERS, private=False
        ).is_accepted
    assert [host for host in asked if host == "hooks.example.org"] == ["hooks.example.org"]
    assert went == ["127.0.0.1"], "the connection goes to the very address that was looked at"
    assert (
        post_safely(there.url(host="hooks.example.org", scheme="https"), BODY, HEADERS, private=False).error
        == "address"
    )


@pytest.mark.long
@cases("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(status: int) -> None:
    with run_receiver() as elsewhere, run_receiver() as there:
        there.status, there.headers = status, {"Location": elsewhere.url()}
        answer = post_safely(there.url(), BODY, HEADERS, private=True)
        assert (answer.status, answer.is_accepted) == (status, False)
        assert (len(there.got), elsewhere.got) == (1, [])


@pytest.mark.long
def test_no_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with run_receiver() as proxy, run_receiver() as there:
        for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url(""))
        assert post_safely(there.url(), BODY, HEADERS, private=True).is_accepted
        assert (len(there.got), proxy.got) == (1, [])


def test_a_servers_retry_after_is_respected_up_to_a_limit() -> None:
    with run_receiver() as there:
        there.status = 429
        for said, heard in (("7", 7), ("999999", 3600), ("soon", None), ("-1", None)):
            there.headers = {"Retry-After": said}
            assert post_safely(there.url(), BODY, HEADERS, private=True) == Answer(status=429, wait_s=heard)


def test_a_port_without_a_listener_is_a_connect_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    assert post_safely(f"http://127.0.0.1:{port}/", BODY, HEADERS, private=True).error == "connect"


@dataclass
class Strange:
    """A server that repeats the same answer to any request until a call has been cut off."""

    port: int
    said: int = 0


@contextmanager
def run_strange_server(say: bytes, every_s: float = 0.0) -> Iterator[Strange]:
    """Runs such a server during the block."""
    server = socket.create_server(("127.0.0.1", 0))
    here, done = Strange(server.getsockname()[1]), threading.Event()

    def serve() -> None:
        try:
            peer, _ = server.accept()
            with peer:
                while not done.wait(every_s):
                    peer.sendall(say)
                    here.said += 1
        except OSError:
            return

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield here
    finally:
        done.set()
        server.close()
        thread.join(SECONDS)


@pytest.fixture
def time_is_up(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Returns the event at which the time of a call is up, whatever the clock says."""
    up, set_to = threading.Event(), list[float]()
    for limit in ("CALL_S", "RESOLVE_S", "CONNECT_S"):
        monkeypatch.setattr(safe_http, limit, SECONDS)

    class Timer(threading.Timer):
        def start(self) -> None:
            set_to.append(self.interval)
            super().start()

        def run(self) -> None:
            assert up.wait(SECONDS)
            if not self.finished.is_set():
                self.function(*self.args, **self.kwargs)

    monkeypatch.setattr(threading, "Timer", Timer)
    yield up
    up.set()
    assert set_to
    assert all(0 < interval <= SECONDS for interval in set_to)


def call_until(up: threading.Event, enough: Callable[[], bool], url: str, *, private: bool = True) -> Answer:
    """Returns the result of a call whose time is up as soon as there is enough. The server never ends it."""
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(post_safely, url, BODY, HEADERS, private=private, life_s=SECONDS)
        wait_until(lambda: enough() or answer.done(), "the server has said enough")
        assert not answer.done(), answer.result()
        up.set()
        return answer.result(SECONDS)


@pytest.mark.long
@pytest.mark.parametrize("say", [b"x", b"HTTP/1.1 100 Continue\r\n\r\n"])
def test_a_server_that_trickles_for_ever_is_cut_off(time_is_up: threading.Event, say: bytes) -> None:
    with run_strange_server(say, 0.05) as there:
        answer = call_until(time_is_up, lambda: there.said > 3, f"http://127.0.0.1:{there.port}/")
    assert answer.error == "timeout"


@pytest.mark.long
def test_a_server_whose_headers_never_end_counts_by_its_status(time_is_up: threading.Event) -> None:
    with run_strange_server(b"HTTP/1.1 200 OK\r\nX: y", 0.05) as there:
        assert call_until(time_is_up, lambda: there.said > 3, f"http://127.0.0.1:{there.port}/").is_accepted


def test_a_handshake_that_trickles_for_ever_is_cut_off(
    names: Names, loopback_is_public: None, authority: trustme.CA, time_is_up: threading.Event
) -> None:
    names["hooks.example.org"] = ["127.0.0.1"]
    with run_strange_server(b"", 0.05) as there:
        url = f"https://hooks.example.org:{there.port}/"
        assert call_until(time_is_up, lambda: there.said > 2, url, private=False).error == "timeout"


def test_a_response_that_is_not_http_is_no_answer() -> None:
    with run_strange_server(b"220 mail.example.org ESMTP\r\n") as there:
        assert post_safely(f"http://127.0.0.1:{there.port}/", BODY, HEADERS, private=True).error == "answer"


def test_a_response_body_is_not_read(time_is_up: threading.Event) -> None:
    endless = b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n" + b"x" * 65536
    with run_strange_server(endless, 0.01) as there:  # a client that read on would do so for ever: no time is up here
        url = f"http://127.0.0.1:{there.port}/"
        assert post_safely(url, BODY, HEADERS, private=True, life_s=SECONDS).is_accepted


def test_dns_connect_and_request_share_a_limit_of_five_seconds(names: Names, monkeypatch: pytest.MonkeyPatch) -> None:
    assert safe_http.CALL_S == 5
    names["hooks.example.org"] = ["127.0.0.2", "127.0.0.1"]
    quick, passed = socket.getaddrinfo, [0.0]
    monkeypatch.setattr(safe_http, "time", SimpleNamespace(monotonic=lambda: passed[0]))
    monkeypatch.setattr(safe_http, "RESOLVE_S", SECONDS)
    monkeypatch.setattr(safe_http, "CONNECT_S", 30.0)

    def slow(*asked: Any, **more: Any) -> Any:
        passed[0] += 15.0
        return quick(*asked, **more)

    monkeypatch.setattr(socket, "getaddrinfo", slow)
    tried: list[tuple[str, float]] = []

    class Deaf(socket.socket):
        def connect(self, where: Any) -> None:
            tried.append((where[0], self.gettimeout() or 0))
            passed[0] += self.gettimeout() or 0
            raise TimeoutError

    monkeypatch.setattr(socket, "socket", Deaf)
    assert post_safely("http://hooks.example.org/", BODY, HEADERS, private=True, life_s=50.0).error == "timeout"
    assert tried == [("127.0.0.2", 30.0), ("127.0.0.1", 5.0)]
    assert passed == [50.0]


@pytest.mark.parametrize("lacking", ["files", "threads", "threads to look up names"])
def test_without_free_files_or_threads_a_call_ends_as_a_connect_error(
    monkeypatch: pytest.MonkeyPatch, names: Names, lacking: str
) -> None:
    names["hooks.example.org"] = ["127.0.0.1"]

    def refuse(*_: object) -> None:
        raise OSError(24, "Too many open files") if lacking == "files" else RuntimeError("can't start new thread")

    with run_receiver() as there:
        if lacking == "files":
            monkeypatch.setattr(socket.socket, "dup", refuse)
        else:
            kind = threading.Timer if lacking == "threads" else threading.Thread
            monkeypatch.setattr(kind, "start", refuse)
        assert post_safely(there.url(host="hooks.example.org"), BODY, HEADERS, private=True) == Answer(error="connect")
        monkeypatch.undo()
        assert there.got == []


@pytest.mark.long
@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "0.0.0.0"])
def test_a_url_with_an_ip_address_needs_no_dns_lookup(monkeypatch: pytest.MonkeyPatch, host: str) -> None:
    asked: list[object] = []
    monkeypatch.setattr(socket, "getaddrinfo", lambda *told, **_: asked.append(told))
    with run_receiver() as there:
        told = post_safely(there.url(host=host), BODY, HEADERS, private=True)
        assert told == (Answer(status=204) if host != "[::1]" else Answer(error="connect"))
        assert post_safely(there.url(host=host, scheme="https"), BODY, HEADERS, private=False) == Answer(
            error="address"
        )
    assert asked == []


@pytest.mark.long
def test_a_silent_dns_resolver_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    answered = threading.Event()
    monkeypatch.setattr(safe_http, "RESOLVE_S", 0.2)
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: answered.wait())
    assert post_safely("https://hooks.example.org/", BODY, HEADERS, private=False).error == "address"
    answered.set()  # not before: a call that waits for the answer would wait for ever
