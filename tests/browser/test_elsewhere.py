"""A page of another site in a real browser: with a token it can play; the reader's session is out of its reach."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask
from playwright.sync_api import Browser, BrowserContext, expect

from tests.browser.stage.accounts import path_of_account_link, sign_in
from tests.docs.gallery import serve_pages
from tests.table import House

REPORT = "return {status: answer.status, body: await answer.json(), tag: answer.headers.get('ETag')};"
WITH_TOKEN = f"""async ([url, token, method, body]) => {{
    const headers = {{"Authorization": `Bearer ${{token}}`, "Content-Type": "application/json"}};
    const answer = await fetch(url, {{method, headers, body: body && JSON.stringify(body)}});
    {REPORT}
}}"""
WITHOUT = f"""async ([url, method, body, credentials]) => {{
    try {{
        const headers = body ? {{"Content-Type": "application/json"}} : {{}};
        const answer = await fetch(url, {{method, credentials, headers, body: body && JSON.stringify(body)}});
        {REPORT}
    }} catch (error) {{ return error.name; }}
}}"""
BLINDLY = """async (url) => {
    const body = new URLSearchParams();
    return (await fetch(url, {method: "POST", mode: "no-cors", credentials: "include", body})).type;
}"""


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[str]:
    """The address of another site, with one empty page."""
    app = Flask("elsewhere")
    app.add_url_rule("/", "page", lambda: "<!doctype html><title>Elsewhere</title>")
    with serve_pages(app) as address:
        yield address.replace("127.0.0.1", "localhost")


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    opened = browser.new_context(locale="en-GB")
    yield opened
    opened.close()


@pytest.mark.long
def test_a_page_of_another_site_plays_a_move_through_the_api_with_a_token(
    context: BrowserContext, home: House, base: str, elsewhere: str
) -> None:
    match_id = home.begin(3)
    token, path = home.token("play", match_id, 0), f"{base}/api/v1/matches/{match_id}"
    page = context.new_page()
    page.goto(elsewhere)
    asked = page.evaluate(WITH_TOKEN, [f"{path}/ask", token, "GET", None])
    assert asked["status"] == 200
    assert asked["tag"]
    answer: dict[str, Any] = {"key": asked["body"]["ask"]["key"], "move": asked["body"]["legal"][0]["move"]}
    played = page.evaluate(WITH_TOKEN, [f"{path}/moves", token, "POST", answer])
    assert (played["status"], played["body"]["game"]) == (201, "hogen")
    assert home.view(match_id, 0).sheet.version == played["body"]["version"]
    refused = page.evaluate(WITH_TOKEN, [f"{path}/moves", "wrong", "POST", answer])
    assert (refused["status"], refused["body"]["code"]) == (401, "unauthorized")


@pytest.mark.long
def test_a_page_of_another_site_cannot_use_the_readers_session(
    context: BrowserContext, home: House, base: str, elsewhere: str
) -> None:
    home.begin(3)
    reader = sign_in(context, base, path_of_account_link(home, "Alice"))
    page = context.new_page()
    page.goto(elsewhere)
    api = f"{base}/api/v1"
    assert page.evaluate(WITHOUT, [f"{api}/me", "GET", None, "include"]) == "TypeError"
    assert page.evaluate(WITHOUT, [f"{base}/me", "GET", None, "include"]) == "TypeError"
    assert page.evaluate(WITHOUT, [f"{api}/me", "GET", None, "omit"])["status"] == 401
    started = page.evaluate(WITHOUT, [f"{api}/matches", "POST", {"game": "hogen", "seats": []}, "omit"])
    assert (started["status"], started["body"]["code"]) == (403, "forbidden")
    assert page.evaluate(BLINDLY, f"{base}/me/leave") == "opaque"
    reader.goto(f"{base}/me")
    expect(reader.locator("body")).to_contain_text("alice@example.org")


def test_a_form_of_another_site_cannot_change_who_is_signed_in(
    context: BrowserContext, home: House, base: str, elsewhere: str
) -> None:
    home.begin(3)
    reader = sign_in(context, base, path_of_account_link(home, "Alice"))
    for referrer in ("no-referrer", "unsafe-url"):
        page = context.new_page()
        page.goto(elsewhere)
        page.evaluate(
            """([action, policy]) => {
                const form = Object.assign(document.createElement("form"), {action, method: "POST"});
                const meta = Object.assign(document.createElement("meta"), {name: "referrer", content: policy});
                document.head.append(meta);
                document.body.append(form);
                form.submit();
            }""",
            [base + path_of_account_link(home, "Bob"), referrer],
        )
        expect(page.locator("body")).to_contain_text("another site")
    reader.goto(f"{base}/me")
    expect(reader.locator("body")).to_contain_text("alice@example.org")
