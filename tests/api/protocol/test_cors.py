"""Pages of other sites can do with a token what the token allows, and nothing with a cookie."""

from __future__ import annotations

import re
from typing import Any

import pytest
from flask import session

from tests.api.cast import Api, Table, body_of_match, check_problem, json_of

ELSEWHERE = {"Origin": "https://client.example", "Sec-Fetch-Site": "cross-site"}


def send_preflight(api: Api, path: str, method: str = "POST", headers: str = "authorization, content-type") -> Any:
    asked = {"Access-Control-Request-Method": method, "Access-Control-Request-Headers": headers}
    return api.app.test_client().options(path, headers={**ELSEWHERE, **asked})


def words_of_header(value: str) -> set[str]:
    return {word.strip().casefold() for word in value.split(",")}


def routes_of_api(api: Api) -> list[str]:
    return [rule.rule for rule in api.app.url_map.iter_rules() if rule.rule.startswith("/api/")]


def test_a_preflight_allows_every_method_and_header_at_every_address(rest: Api) -> None:
    taken = {"authorization", "content-type"}
    for path in rest.app.extensions["pbem.openapi"]()["paths"].values():
        for operation in path.values():
            parameters = operation.get("parameters", ()) if isinstance(operation, dict) else operation
            taken |= {p["name"].casefold() for p in parameters if p.get("in") == "header"}
    assert {"idempotency-key", "if-match"} <= taken
    for route in [*routes_of_api(rest), "/api/v1/nothing"]:
        answer = send_preflight(rest, re.sub("<[^>]*>", "1", route), "DELETE", ", ".join(taken))
        assert (answer.status_code, answer.data) == (204, b""), route
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        assert taken <= words_of_header(answer.headers["Access-Control-Allow-Headers"])
        assert words_of_header("GET, POST, PUT, PATCH, DELETE") <= words_of_header(
            answer.headers["Access-Control-Allow-Methods"]
        )
        assert int(answer.headers["Access-Control-Max-Age"]) > 0
        assert "Access-Control-Allow-Credentials" not in answer.headers


def test_a_request_to_the_api_cannot_write_to_the_session(rest: Api) -> None:
    with rest.app.test_request_context("/api/v1/games"), pytest.raises(RuntimeError):
        session["player"] = 1


def test_an_options_request_that_is_no_cors_preflight_lists_the_methods(rest: Api) -> None:
    answer = rest.app.test_client().options("/api/v1/games", headers=ELSEWHERE)
    assert answer.status_code == 204
    assert words_of_header(answer.headers["Allow"]) == {"get", "head", "options"}
    assert "Access-Control-Allow-Methods" not in answer.headers
    check_problem(rest.app.test_client().options("/api/v1/nothing"), 404, "not_found")


def test_other_origins_may_read_api_answers_but_not_with_credentials(hogen: Table) -> None:
    client, headers = hogen.api.app.test_client(), {**hogen.alice.headers(), **ELSEWHERE}
    sheet = client.get(f"/api/v1{hogen.path}", headers=headers)
    known = client.get(f"/api/v1{hogen.path}", headers={**headers, "If-None-Match": sheet.headers["ETag"]})
    answers = [
        (200, sheet), (304, known), (200, client.get("/api/v1/openapi.json", headers=ELSEWHERE)),
        (404, client.get("/api/v1/nothing", headers=ELSEWHERE)), (405, client.put("/api/v1/games", headers=ELSEWHERE)),
        (401, client.get("/api/v1/me", headers=ELSEWHERE)),
        (422, client.post(f"/api/v1{hogen.path}/moves", json={}, headers=headers)),
        (200, client.get(f"/api/v1{hogen.path}/events/stream", headers=headers)),
    ]  # fmt: skip
    for status, answer in answers:
        assert answer.status_code == status
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        assert "Access-Control-Allow-Credentials" not in answer.headers
        shown = words_of_header(answer.headers["Access-Control-Expose-Headers"])
        assert words_of_header("ETag, Retry-After, Location, Link, RateLimit, Idempotency-Replayed") <= shown
        answer.close()


@pytest.mark.long
def test_html_pages_have_no_cors_headers(rest: Api) -> None:
    for path in ("/", "/me", "/mailbox.json", "/api", "/apiary", "/docs/api"):
        for answer in (rest.app.test_client().get(path, headers=ELSEWHERE), send_preflight(rest, path)):
            assert not [name for name, _ in answer.headers if name.startswith("Access-Control-")], path


@pytest.mark.parametrize(
    "headers", [ELSEWHERE, {"Origin": "https://client.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "same-site"}]
)
def test_a_cross_site_write_without_a_token_is_refused(rest: Api, headers: dict[str, str]) -> None:
    for path in ("/matches", "/logs"):
        answer = rest.app.test_client().post(f"/api/v1{path}?lang=en", json=body_of_match(), headers=headers)
        assert "token" in check_problem(answer, 403, "forbidden")["detail"]
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
    for own in ({}, {"Sec-Fetch-Site": "same-origin"}, {"Origin": "http://localhost"}):
        json_of(rest.app.test_client().post("/api/v1/matches", json=body_of_match(), headers=own), 201)


@pytest.mark.long
def test_the_api_ignores_session_cookies(hogen: Table) -> None:
    client = hogen.api.app.test_client()
    token = hogen.api.site.tokens.for_account(1, 0, hogen.api.site.now())
    assert client.post(f"/account/{token}").status_code == 303
    assert client.get("/me").status_code == 200
    for path in ("/me", "/me/matches", f"{hogen.path}/ask"):
        check_problem(client.get(f"/api/v1{path}"), 401, "unauthorized")
    check_problem(client.delete("/api/v1/me", json={"confirm": "erase", "never": False}), 401, "unauthorized")
