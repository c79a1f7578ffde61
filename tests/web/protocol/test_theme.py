"""The theme: the browser's, or the one chosen in the footer of a page."""

from __future__ import annotations

import re

import pytest
from flask.testing import FlaskClient

from pbem.web.protocol import assets, page
from tests.harness.cases import cases
from tests.web.cast import Page, Web


def scheme_of(client: FlaskClient, path: str = "/") -> tuple[str, list[str], list[str]]:
    """Returns the colour schemes of the page, the media for which it links dark mode, and the colours of its bar."""
    page = Page(client.get(path).text)
    metas = [known for tag, known in page.tags if tag == "meta"]
    sheets = [known for tag, known in page.tags if tag == "link" and "dark.css" in known["href"]]
    (schemes,) = (known["content"] for known in metas if known.get("name") == "color-scheme")
    grounds = [known["content"] for known in metas if known.get("name") == "theme-color"]
    return schemes, [known["media"] for known in sheets], grounds


@pytest.mark.long
def test_without_a_chosen_theme_a_page_is_as_the_browser_prefers(web: Web) -> None:
    assert scheme_of(web.client()) == (
        "light dark",
        ["(prefers-color-scheme: dark)"],
        [assets.PAPER, assets.NIGHT],
    )


@pytest.mark.long
def test_a_chosen_theme_stays_and_can_be_given_up(web: Web, hogen: str) -> None:
    client, path = web.client(), web.link("play", hogen, 0)
    back = client.post("/theme", data={"theme": "dark", "back": f"{path}?pick=1"})
    assert (back.status_code, back.location) == (303, f"{path}?pick=1")
    assert scheme_of(client, path) == ("dark", ["all"], [assets.NIGHT])
    client.post("/theme", data={"theme": "light", "back": "/"})
    assert scheme_of(client, path) == ("light", [], [assets.PAPER])
    client.post("/theme", data={"theme": "auto", "back": "/"})
    assert client.get_cookie(page.THEME_COOKIE) is None
    assert scheme_of(client, path) == scheme_of(web.client())


@pytest.mark.long
def test_a_page_offers_the_themes_and_shows_the_chosen_one(web: Web) -> None:
    client = web.client()
    client.post("/theme", data={"theme": "light", "back": "/"})
    page = Page(client.get("/links?x=1").text)
    buttons = {known["value"]: known["aria-pressed"] for tag, known in page.tags if known.get("name") == "theme"}
    assert buttons == {"auto": "false", "light": "true", "dark": "false"}
    assert [known["value"] for _, known in page.tags if known.get("name") == "back"] == ["/links?x=1"]


@cases(
    "back", ["", "https://evil.example/", "//evil.example/", "/\\evil.example", "/\t/evil.example", "javascript:x", "x"]
)
def test_choosing_a_theme_leads_to_no_other_site(web: Web, back: str) -> None:
    answer = web.client().post("/theme", data={"theme": "dark", "back": back})
    assert (answer.status_code, answer.location) == (303, "/")


@pytest.mark.long
@cases("path, above", [("/now", "/"), ("/play/none/rematch", "/play/none"), ("/me", "/me")])
def test_after_a_refused_form_theme_and_language_lead_to_a_page(web: Web, path: str, above: str) -> None:
    client = web.client()
    answer = client.post(path, data={"game": "hogen", "others": "bots", "rest": "nobody"})
    assert answer.status_code in (400, 401, 422)
    page = Page(answer.text)
    (back,) = [known["value"] for _, known in page.tags if known.get("name") == "back"]
    other = next(href for href in page.hrefs() if "lang=fr" in href)
    for way in (client.post("/theme", data={"theme": "dark", "back": back}).location, other):
        assert way.partition("?")[0] == above
        assert client.get(way).status_code != 303


def test_an_unknown_theme_is_refused_and_a_foreign_cookie_is_not_believed(web: Web) -> None:
    client = web.client()
    assert client.post("/theme", data={"theme": "neon", "back": "/"}).status_code == 422
    assert client.get_cookie(page.THEME_COOKIE) is None
    client.set_cookie(page.THEME_COOKIE, '"><script>')
    assert scheme_of(client)[0] == "light dark"


def test_another_site_cannot_choose_the_theme(web: Web) -> None:
    forged = web.client().post("/theme", data={"theme": "dark"}, headers={"Sec-Fetch-Site": "cross-site"})
    assert forged.status_code == 403


@pytest.mark.long
def test_choosing_a_theme_changes_the_etag_of_pages(web: Web, hogen: str) -> None:
    client = web.client()
    for path in (web.link("play", hogen, 0), f"/match/{hogen}"):
        tag = client.get(path).headers["ETag"]
        assert client.get(path, headers={"If-None-Match": tag}).status_code == 304
        client.post("/theme", data={"theme": "dark", "back": "/"})
        assert client.get(path, headers={"If-None-Match": tag}).status_code == 200
        client.post("/theme", data={"theme": "auto", "back": "/"})
    assert "Cookie" in client.get("/").headers["Vary"]


def test_dark_mode_is_defined_in_one_style_sheet() -> None:
    sheets = {path.name: path.read_text(encoding="utf-8") for path in assets.FOLDER.glob("styles/*.css")}
    assert [name for name, text in sheets.items() if re.search(r"@media[^{]*prefers-color-scheme", text)] == []
    values = {
        name: set(re.findall(r"(--[\w-]+):", sheets[name].split(":root {", 1)[1].split("}", 1)[0]))
        for name in ("look.css", "dark.css")
    }
    assert values["dark.css"] == values["look.css"]
