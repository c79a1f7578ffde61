"""The hourly limits for one place on the network: pages and API count together."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from ipaddress import IPv6Address
from pathlib import Path
from typing import Any

import pytest
from flask import Flask, Response
from flask.testing import FlaskClient
from flask_limiter import Limiter
from werkzeug.test import TestResponse

from pbem.config import Config
from pbem.limits import JOINS, JOINS_PER_HOUR, Limit, cap
from pbem.services.site import Site, open_site
from pbem.web.protocol.errors import LINKS_PER_HOUR
from tests.api.cast import body_of_match, check_problem
from tests.harness.applications import lend_application
from tests.harness.cases import cases

MakeClient = Callable[..., FlaskClient]


@pytest.fixture
def make_client(sqlite_url: str, tmp_path: Path) -> Iterator[MakeClient]:
    """Returns a client of a site in production that has no Redis."""
    made: list[Site] = []

    def make(**settings: Any) -> FlaskClient:
        known: dict[str, Any] = {"mode": "production", "data": tmp_path, "database_url": sqlite_url, "secret": "s" * 48}
        made.append(open_site(Config(**known | settings)))
        return lend_application(made[-1]).test_client()

    yield make
    for site in made:
        site.engine.dispose()


def start_form() -> dict[str, str]:
    """Returns the form of the page that starts a match."""
    alice, *friends = body_of_match()["seats"]
    invited = "\n".join(f"{friend['name']} <{friend['email']}>" for friend in friends)
    return {"game": "hogen", "spectators": "1", "name": alice["name"], "address": alice["email"], "friends": invited}


def test_the_limiter_is_not_asked_about_requests_without_a_limit(make_client: MakeClient) -> None:
    app = make_client().application
    every = (app.before_request_funcs[None], app.after_request_funcs[None], app.teardown_request_funcs[None])
    modules = [getattr(hook, "func", hook).__module__ for hook in itertools.chain(*every)]
    assert "pbem.limits" in modules
    assert not [name for name in modules if name.startswith(Limiter.__module__.split(".")[0])]


@pytest.mark.long
def test_page_and_api_share_the_rate_limit_of_new_matches(make_client: MakeClient) -> None:
    client = make_client(matches_per_ip_hour=2)
    assert client.post("/new", data=start_form()).status_code == 303
    assert client.post("/api/v1/matches", json=body_of_match()).status_code == 201
    page = client.post("/new", data=start_form())
    assert (page.status_code, page.mimetype) == (429, "text/html")
    assert 0 < int(page.headers["Retry-After"]) <= 3600
    api = client.post("/api/v1/matches", json=body_of_match())
    check_problem(api, 429, "too_many")
    assert 0 < int(api.headers["Retry-After"]) <= 3600


@pytest.mark.long
def test_each_network_has_its_own_rate_limit(make_client: MakeClient) -> None:
    client = make_client(matches_per_ip_hour=1)
    for place in ("192.0.2.1", "192.0.2.2"):
        for status in (201, 429):
            answer = client.post("/api/v1/matches", json=body_of_match(), environ_base={"REMOTE_ADDR": place})
            assert answer.status_code == status, place


@pytest.mark.long
@cases(
    "path, account",
    [("/season/0a/enter", "joins"), ("/season/0a/invite", "joins"), ("/season/0a/bots", "joins"),
     ("/leagues/new", "matches")],
)  # fmt: skip
def test_forms_of_leagues_count_towards_the_limits_of_joins_and_matches(
    make_client: MakeClient, path: str, account: str
) -> None:
    names = [name for name, *_ in quotas_in(make_client().post(path), "RateLimit")]
    assert account in names


@pytest.mark.long
def test_addresses_can_be_typed_to_enter_a_season_a_few_times_an_hour(make_client: MakeClient) -> None:
    client = make_client()
    asked = [client.post("/season/0a/enter", data={"name": "A"}).status_code for _ in range(JOINS_PER_HOUR)]
    assert 429 not in asked
    assert client.post("/season/0a/enter", data={"name": "A"}).status_code == 429


@pytest.mark.long
def test_links_can_be_asked_for_a_few_times_an_hour(make_client: MakeClient) -> None:
    client = make_client()
    asked = [client.post("/links", data={"address": f"a{n}@example.org"}).status_code for n in range(LINKS_PER_HOUR)]
    assert set(asked) == {303}
    refused = client.post("/links", data={"address": "alice@example.org"})
    assert (refused.status_code, refused.mimetype) == (429, "text/html")
    assert refused.headers["Retry-After"]
    assert client.get("/links").status_code == 200
    assert client.post("/api/v1/matches", json=body_of_match()).status_code == 201, "counted apart"


@pytest.mark.long
def test_signing_up_is_counted_with_the_links_that_are_asked_for(make_client: MakeClient) -> None:
    client = make_client()
    typed = [{"address": f"a{n}@example.org", "zone": "Europe/Paris"} for n in range(LINKS_PER_HOUR)]
    assert {client.post("/signup", data=one).status_code for one in typed} == {303}
    assert client.post("/signup", data=typed[0]).status_code == 429
    assert client.post("/links", data=typed[0]).status_code == 429


@pytest.mark.long
def test_without_outgoing_mail_there_are_no_rate_limits(make_client: MakeClient) -> None:
    client = make_client(mode="embedded", matches_per_ip_hour=1)
    for _ in range(2):
        assert client.post("/new", data=start_form()).status_code == 303
        assert client.post("/api/v1/matches", json=body_of_match()).status_code == 201


# --- networks ------------------------------------------------------------------------------------------------


NUMBERS = itertools.count()


def start_from(client: FlaskClient, place: str) -> TestResponse:
    """Starts a match from this place on the network, each time in the name of another organiser."""
    client.environ_base["REMOTE_ADDR"] = place
    asked = body_of_match()
    asked["seats"][0]["email"] = f"organiser{next(NUMBERS)}@example.org"
    return client.post("/api/v1/matches", json=asked)


def ipv6_address(prefix: str, host: int) -> str:
    return str(IPv6Address(int(IPv6Address(prefix)) + host))


@pytest.mark.long
def test_all_addresses_of_one_ipv6_64_share_the_rate_limit_of_new_matches(make_client: MakeClient) -> None:
    client = make_client()
    statuses = [start_from(client, ipv6_address("2001:db8:1:2::", 2**63 + n * 7919)).status_code for n in range(40)]
    assert statuses == [201] * 10 + [429] * 30


@pytest.mark.long
def test_all_addresses_of_one_ipv6_64_share_the_rate_limit_of_links(make_client: MakeClient) -> None:
    client, statuses = make_client(), []
    for n in range(40):
        client.environ_base["REMOTE_ADDR"] = ipv6_address("2001:db8:1:2::", n)
        statuses.append(client.post("/links", data={"address": f"a{n}@example.org"}).status_code)
    assert statuses == [303] * LINKS_PER_HOUR + [429] * (40 - LINKS_PER_HOUR)


@pytest.mark.long
def test_an_ipv6_48_has_a_higher_rate_limit_than_each_64_in_it(make_client: MakeClient) -> None:
    client = make_client(matches_per_ip_hour=2)
    statuses = [start_from(client, f"2001:db8:1:{n:x}::1").status_code for n in range(12)]
    assert statuses == [201] * 10 + [429] * 2
    assert start_from(client, "2001:db8:2::1").status_code == 201, "another /48"


@pytest.mark.long
def test_refused_requests_of_an_ipv6_64_do_not_count_for_its_48(make_client: MakeClient) -> None:
    client = make_client(matches_per_ip_hour=1)
    assert start_from(client, "2001:db8:1:1::1").status_code == 201
    for _ in range(10):
        assert start_from(client, "2001:db8:1:1::1").status_code == 429
    assert start_from(client, "2001:db8:1:2::1").status_code == 201


@pytest.mark.parametrize(
    "spelled", ["::ffff:192.0.2.1", "::ffff:c000:201", "192.0.2.1:50123", "[::ffff:192.0.2.1]:4711"]
)
def test_all_spellings_of_an_ipv4_address_share_a_rate_limit(make_client: MakeClient, spelled: str) -> None:
    client = make_client(matches_per_ip_hour=1)
    assert start_from(client, "192.0.2.1").status_code == 201
    assert start_from(client, spelled).status_code == 429
    assert start_from(client, "::ffff:192.0.2.2").status_code == 201, "mapped addresses are no /64"


@pytest.mark.parametrize("written", ["", "unknown", "_hidden", "fe80::1%eth0", "1.2.3"])
def test_an_unusable_client_address_from_a_proxy_is_answered_and_counted(make_client: MakeClient, written: str) -> None:
    client = make_client(matches_per_ip_hour=1)
    assert [start_from(client, written).status_code for _ in range(2)] == [201, 429]


@pytest.mark.long
def test_two_web_processes_count_together_where_there_is_a_redis(make_client: MakeClient, redis_url: str) -> None:
    one, other = (make_client(redis_url=redis_url, matches_per_ip_hour=4) for _ in range(2))
    statuses = [start_from(client, "2001:db8::1").status_code for _ in range(3) for client in (one, other)]
    assert statuses == [201] * 4 + [429] * 2


# --- what the answers tell -----------------------------------------------------------------------------------

POLICY = re.compile(r'"([a-z-]+)";q=(\d+);w=(\d+)')
LEFT = re.compile(r'"([a-z-]+)";r=(\d+);t=(\d+)')


def quotas_in(answer: TestResponse, header: str) -> list[tuple[str, int, int]]:
    """Returns the items of a list of quotas, each with its two numbers; checks the form of the whole header."""
    form = POLICY if header == "RateLimit-Policy" else LEFT
    items = [form.fullmatch(item) for item in answer.headers[header].split(", ")]
    assert all(items)
    return [(item[1], int(item[2]), int(item[3])) for item in items if item is not None]


@pytest.mark.long
def test_each_answer_of_a_capped_endpoint_has_rate_limit_headers(make_client: MakeClient) -> None:
    client = make_client(matches_per_ip_hour=3)
    for left in (2, 1, 0, 0):
        answer = start_from(client, "192.0.2.1")
        assert quotas_in(answer, "RateLimit-Policy") == [("matches", 3, 3600)]
        ((name, remaining, seconds),) = quotas_in(answer, "RateLimit")
        assert (name, remaining) == ("matches", left)
        assert 0 < seconds <= 3600
    assert answer.status_code == 429
    assert int(answer.headers["Retry-After"]) >= seconds, "it is no use to come before"
    page = client.post("/new", data=start_form())
    assert (page.status_code, quotas_in(page, "RateLimit")[0][:2]) == (429, ("matches", 0))


@pytest.mark.long
def test_an_invalid_request_counts_towards_the_rate_limit_too(make_client: MakeClient) -> None:
    client = make_client()
    answer = client.post("/api/v1/matches", json={})
    assert answer.status_code == 422
    assert quotas_in(answer, "RateLimit")[0][:2] == ("matches", 9)
    links = client.post("/links", data={"address": "no address"})
    assert quotas_in(links, "RateLimit")[0][:2] == ("links", LINKS_PER_HOUR - 1)


@pytest.mark.long
def test_an_ipv6_caller_is_told_of_both_caps(make_client: MakeClient) -> None:
    client = make_client(matches_per_ip_hour=2)
    start_from(client, "2001:db8:1:1::1")
    answer = start_from(client, "2001:db8:1:2::1")
    assert quotas_in(answer, "RateLimit-Policy") == [("matches", 2, 3600), ("matches-wide", 10, 3600)]
    assert [item[:2] for item in quotas_in(answer, "RateLimit")] == [("matches", 1), ("matches-wide", 8)]


@pytest.mark.long
def test_an_endpoint_without_a_rate_limit_sends_no_limit_headers(make_client: MakeClient) -> None:
    client = make_client()
    for answer in (client.get("/new"), client.get("/api/v1/games"), client.get("/links")):
        assert "RateLimit" not in answer.headers
    at_home = make_client(mode="embedded").post("/api/v1/matches", json=body_of_match())
    assert "RateLimit" not in at_home.headers


def test_requests_are_answered_even_if_the_counts_cannot_be_read(
    make_client: MakeClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = make_client()
    limiter: Limiter = client.application.extensions["pbem.limiter"]
    broken = limiter.storage.base_exceptions
    error = broken if isinstance(broken, type) else broken[0]

    def unread(*_: Any) -> None:
        raise error("no answer")

    monkeypatch.setattr(limiter.limiter, "get_window_stats", unread)
    answer = start_from(client, "192.0.2.1")
    assert answer.status_code == 201
    assert "RateLimit" not in answer.headers


def test_a_limiter_with_hooks_on_every_request_is_refused_at_startup(
    sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = Config(mode="production", data=tmp_path, database_url=sqlite_url, secret="s" * 48)
    app, plain = Flask("capped"), Limiter.init_app
    app.add_url_rule("/", "start", lambda: "")

    def init(limiter: Limiter, app: Flask) -> None:
        app.extensions["limiter"] = set()
        plain(limiter, app)

    monkeypatch.setattr(Limiter, "init_app", init)
    with pytest.raises(RuntimeError, match="hooks"):
        cap(app, config, [Limit("start", JOINS)], lambda _problem: Response())


@pytest.mark.long
def test_answers_to_a_stranger_do_not_reveal_an_organisers_match_count(
    make_client: MakeClient,
) -> None:
    client = make_client(matches_per_ip_hour=100, matches_per_address_day=2)
    answers = []
    for address in ["alice@example.org"] * 12 + ["charlie@example.org"]:
        asked = body_of_match()
        asked["seats"][0]["email"] = address
        answer = client.post("/api/v1/matches", json=asked)
        varying = ("Location", "X-Request-ID", "RateLimit", "Date")
        headers = {name: value for name, value in answer.headers if name not in varying}
        assert answer.json is not None
        answers.append((answer.status_code, answer.json["status"], headers))
    assert answers == [answers[0]] * 13
    assert answers[0][0] == 201
