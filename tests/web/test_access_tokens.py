"""The page of a player's personal tokens."""

from __future__ import annotations

import re
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.harness.cases import cases
from tests.web.cast import Page, Web, account, path_of, secret_of


@pytest.fixture
def alice(web: Web, hogen: str) -> FlaskClient:
    """Alice's browser with a session."""
    client = web.client()
    assert path_of(client.post(account(web))) == "/"
    return client


def send(client: FlaskClient, path: str = "/me/tokens", **form: Any) -> TestResponse:
    """Sends the form; returns the answer."""
    secret = secret_of(client.get("/me/tokens").text)
    return client.post(path, data={"csrf_token": secret, **form})


def make(client: FlaskClient, name: str = "My bot", **form: Any) -> str:
    """Returns the token that the page shows when it is created."""
    wanted: dict[str, Any] = {"scope": ["read", "play"], "days": "30", **form}
    answer = send(client, name=name, **wanted)
    assert answer.status_code == 200
    (token,) = set(re.findall(r"pbem_pat\.[\w-]{43}", answer.text))
    return str(token)


def works(web: Web, match_id: str, token: str) -> int:
    """Returns how the API answers the token."""
    headers = {"Authorization": f"Bearer {token}"}
    return web.client().get(f"/api/v1/matches/{match_id}/ask", headers=headers).status_code


def test_a_token_is_made_shown_once_and_revoked(web: Web, alice: FlaskClient, hogen: str) -> None:
    assert "You have no tokens." in alice.get("/me/tokens").text
    token = make(alice)
    assert works(web, hogen, token) == 200
    shown = alice.get("/me/tokens")
    Page(shown.text)
    assert token not in shown.text
    assert f"ends with {token[-4:]}" in shown.text
    assert "My bot" in shown.text
    (action,) = set(re.findall(r"/me/tokens/\d+/revoke", shown.text))
    assert path_of(send(alice, str(action))) == "/me/tokens?done=1"
    assert "The token is revoked." in alice.get("/me/tokens?done=1").text
    assert works(web, hogen, token) == 401
    assert send(alice, str(action)).status_code == 404


def test_the_page_that_shows_an_access_token_is_sent_with_no_store(alice: FlaskClient) -> None:
    answer = send(alice, name="bot", scope=["read"], days="7")
    Page(answer.text)
    assert "pbem_pat." in answer.text
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["X-Robots-Tag"] == "noindex"
    assert answer.headers["Referrer-Policy"] == "no-referrer"


def test_the_form_sent_again_makes_no_second_token(alice: FlaskClient) -> None:
    make(alice)
    again = send(alice, name="My bot", scope=["play"], days="")
    assert again.status_code == 422
    assert "You have a token called “My bot” already." in again.text
    assert "pbem_pat." not in again.text
    assert alice.get("/me/tokens").text.count("/revoke") == 1


@cases("wrong", [{"name": " "}, {"name": "x" * 61}, {"scope": []}, {"scope": ["all"]}, {"days": "0"}, {"days": "x"}])
def test_an_invalid_token_form_is_refused_and_keeps_the_input(alice: FlaskClient, wrong: dict[str, Any]) -> None:
    typed_in: dict[str, Any] = {"name": "typed", "scope": ["create"], "days": "7", **wrong}
    answer = send(alice, **typed_in)
    page = Page(answer.text)
    assert answer.status_code == 422
    assert "notice trouble" in answer.text
    assert "/revoke" not in answer.text
    typed = [known for tag, known in page.tags if tag == "input" and known.get("name") == "name"]
    assert typed[0]["value"] == wrong.get("name", "typed")


@pytest.mark.long
def test_a_player_can_have_at_most_twenty_access_tokens(alice: FlaskClient) -> None:
    for number in range(20):
        make(alice, f"bot {number}")
    assert "You have 20 tokens; revoke one first." in send(alice, name="one more", scope=["read"]).text


def test_only_a_signed_in_player_makes_or_revokes_tokens_by_our_form(web: Web, alice: FlaskClient) -> None:
    token = {"name": "bot", "scope": ["read"], "days": "7"}
    assert web.client().get("/me/tokens").status_code == 401
    assert alice.post("/me/tokens", data=token).status_code == 400
    assert alice.post("/me/tokens/1/revoke").status_code == 400
    assert "/revoke" not in alice.get("/me/tokens").text


def test_signing_out_ends_no_token(web: Web, alice: FlaskClient, hogen: str) -> None:
    token = make(alice)
    send(alice, "/me/leave")
    assert alice.get("/me/tokens").status_code == 401
    assert works(web, hogen, token) == 200


@pytest.mark.long
def test_nobody_revokes_the_token_of_another(web: Web, alice: FlaskClient, hogen: str) -> None:
    token = make(alice)
    (action,) = set(re.findall(r"/me/tokens/\d+/revoke", alice.get("/me/tokens").text))
    bob = web.client()
    bob.post(account(web, "bob"))
    assert send(bob, str(action)).status_code == 404
    assert works(web, hogen, token) == 200


@pytest.mark.long
def test_the_preferences_lead_to_the_tokens(alice: FlaskClient) -> None:
    assert "/me/tokens" in Page(alice.get("/me").text).hrefs()
