"""The page of a player's personal tokens."""

from __future__ import annotations

import re
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.harness.cases import cases
from tests.web.cast import Page, Web, path_of, path_of_account_link, secret_of


@pytest.fixture
def alice(web: Web, hogen: str) -> FlaskClient:
    """Alice's browser with a session."""
    client = web.client()
    assert path_of(client.post(path_of_account_link(web))) == "/"
    return client


def send_form(client: FlaskClient, path: str = "/me/tokens", **form: Any) -> TestResponse:
    """Sends the form; returns the answer."""
    secret = secret_of(client.get("/me/tokens").text)
    return client.post(path, data={"csrf_token": secret, **form})


def create_token_by_form(client: FlaskClient, name: str = "My bot", **form: Any) -> str:
    """Returns the token that the page shows when it is created."""
    wanted: dict[str, Any] = {"scope": ["read", "play"], "days": "30", **form}
    answer = send_form(client, name=name, **wanted)
    assert answer.status_code == 200
    (token,) = set(re.findall(r"pbem_pat\.[\w-]{43}", answer.text))
    return str(token)


def status_with_token(web: Web, match_id: str, token: str) -> int:
    """Returns how the API answers the token."""
    headers = {"Authorization": f"Bearer {token}"}
    return web.client().get(f"/api/v1/matches/{match_id}/ask", headers=headers).status_code


def test_the_token_page_creates_shows_once_and_revokes_a_token(web: Web, alice: FlaskClient, hogen: str) -> None:
    assert "You have no tokens." in alice.get("/me/tokens").text
    token = create_token_by_form(alice)
    assert status_with_token(web, hogen, token) == 200
    shown = alice.get("/me/tokens")
    Page(shown.text)
    assert token not in shown.text
    assert f"ends with {token[-4:]}" in shown.text
    assert "My bot" in shown.text
    (action,) = set(re.findall(r"/me/tokens/\d+/revoke", shown.text))
    assert path_of(send_form(alice, str(action))) == "/me/tokens?done=1"
    assert "The token is revoked." in alice.get("/me/tokens?done=1").text
    assert status_with_token(web, hogen, token) == 401
    assert send_form(alice, str(action)).status_code == 404


def test_the_page_that_shows_an_access_token_is_sent_with_no_store(alice: FlaskClient) -> None:
    answer = send_form(alice, name="bot", scope=["read"], days="7")
    Page(answer.text)
    assert "pbem_pat." in answer.text
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["X-Robots-Tag"] == "noindex"
    assert answer.headers["Referrer-Policy"] == "no-referrer"


def test_sending_the_token_form_again_creates_no_second_token(alice: FlaskClient) -> None:
    create_token_by_form(alice)
    again = send_form(alice, name="My bot", scope=["play"], days="")
    assert again.status_code == 422
    assert "You have a token called “My bot” already." in again.text
    assert "pbem_pat." not in again.text
    assert alice.get("/me/tokens").text.count("/revoke") == 1


@cases("wrong", [{"name": " "}, {"name": "x" * 61}, {"scope": []}, {"scope": ["all"]}, {"days": "0"}, {"days": "x"}])
def test_an_invalid_token_form_is_refused_and_keeps_the_input(alice: FlaskClient, wrong: dict[str, Any]) -> None:
    typed_in: dict[str, Any] = {"name": "typed", "scope": ["create"], "days": "7", **wrong}
    answer = send_form(alice, **typed_in)
    page = Page(answer.text)
    assert answer.status_code == 422
    assert "notice trouble" in answer.text
    assert "/revoke" not in answer.text
    typed = [known for tag, known in page.tags if tag == "input" and known.get("name") == "name"]
    assert typed[0]["value"] == wrong.get("name", "typed")


@pytest.mark.long
def test_a_player_can_have_at_most_twenty_access_tokens(alice: FlaskClient) -> None:
    for number in range(20):
        create_token_by_form(alice, f"bot {number}")
    assert "You have 20 tokens; revoke one first." in send_form(alice, name="one more", scope=["read"]).text


def test_only_a_signed_in_player_makes_or_revokes_tokens_by_our_form(web: Web, alice: FlaskClient) -> None:
    token = {"name": "bot", "scope": ["read"], "days": "7"}
    assert web.client().get("/me/tokens").status_code == 401
    assert alice.post("/me/tokens", data=token).status_code == 400
    assert alice.post("/me/tokens/1/revoke").status_code == 400
    assert "/revoke" not in alice.get("/me/tokens").text


def test_signing_out_ends_no_token(web: Web, alice: FlaskClient, hogen: str) -> None:
    token = create_token_by_form(alice)
    send_form(alice, "/me/leave")
    assert alice.get("/me/tokens").status_code == 401
    assert status_with_token(web, hogen, token) == 200


@pytest.mark.long
def test_nobody_revokes_the_token_of_another(web: Web, alice: FlaskClient, hogen: str) -> None:
    token = create_token_by_form(alice)
    (action,) = set(re.findall(r"/me/tokens/\d+/revoke", alice.get("/me/tokens").text))
    bob = web.client()
    bob.post(path_of_account_link(web, "bob"))
    assert send_form(bob, str(action)).status_code == 404
    assert status_with_token(web, hogen, token) == 200


@pytest.mark.long
def test_the_preferences_lead_to_the_tokens(alice: FlaskClient) -> None:
    assert "/me/tokens" in Page(alice.get("/me").text).hrefs()
