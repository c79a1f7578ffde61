"""Laws for every page: well formed, harmless, in both languages; viewing it changes nothing."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from urllib.parse import urljoin, urlsplit

import pytest

from pbem.kit.texts import LANGS
from pbem.services.mail import sender
from tests.harness.cases import cases
from tests.web.cast import Page, Web, play_on
from tests.web.everywhere import Everywhere

FETCHED = {"script": "src", "img": "src", "iframe": "src", "link": "href", "form": "action"}
PRIVATE = ("play", "confirm", "invitation", "mute", "account", "never", "substitute", "takeover")


@pytest.mark.long
@pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.long)], ids=["every third", "every"])
def test_every_page_is_well_formed_and_speaks_both_languages(everywhere: Everywhere, step: int) -> None:
    for path in everywhere.paths[::step]:
        said = {}
        for lang, spoken in (("en", path), ("fr", f"{path}{'&' if '?' in path else '?'}lang=fr")):
            answer = everywhere.answer(spoken)
            assert answer.status_code == 200, f"{path}: {answer.text[:200]}"
            page = Page(answer.text)
            assert next(known["lang"] for tag, known in page.tags if tag == "html") == lang
            ids = [known["id"] for _, known in page.tags if "id" in known]
            assert len(ids) == len(set(ids)), path
            said[lang] = page.words
        assert said["fr"] != said["en"], path


@pytest.mark.long
def test_no_page_has_inline_scripts_or_styles_or_resources_of_other_sites(everywhere: Everywhere) -> None:
    for path in everywhere.paths:
        page = Page(everywhere.answer(path).text)
        for tag, known in page.tags:
            assert tag not in ("style", "object", "embed", "base"), path
            assert not [name for name in known if name == "style" or name.startswith("on")], (path, tag, known)
            if tag == "script":
                assert known["src"].startswith("/static/"), path
            fetched = known.get(FETCHED.get(tag, ""), "")
            assert not fetched or fetched.startswith(("/static/", "/")), (path, tag, known)
            assert not fetched.startswith("//"), (path, tag, known)
        assert "<script>" not in page.text


@pytest.mark.long
def test_every_answer_carries_the_headers_that_keep_links_secret(everywhere: Everywhere) -> None:
    for path in [*everywhere.paths, "/nope", "/play/nonsense"]:
        headers = everywhere.answer(path).headers
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy, path
        assert "unsafe" not in policy, path
        assert headers["X-Content-Type-Options"] == "nosniff"
        # The page whose form opens a session sends its origin, which proves that the form is ours; but no path.
        assert headers["Referrer-Policy"] == ("strict-origin" if path.startswith("/account/") else "no-referrer")
        if path.split("/")[1] in PRIVATE:
            assert headers["Cache-Control"] == "no-store", path
            assert headers["X-Robots-Tag"] == "noindex", path
            assert "Set-Cookie" not in headers, path


@pytest.mark.long
def test_pages_with_a_one_time_form_key_cannot_be_shared_by_a_cache(everywhere: Everywhere) -> None:
    """A cache between them may answer with a page that it has, if a tag says that it is the newest."""
    told_apart = [path for path in everywhere.paths if b'name="once"' in everywhere.answer(path).data]
    assert "/" in told_apart
    tagged = [path for path in told_apart if "ETag" in everywhere.answer(path).headers]
    assert tagged, "as the page of a match that anybody may watch"
    for path in tagged:
        assert everywhere.answer(path).headers["Cache-Control"] == "no-store", path


@pytest.mark.long
@pytest.mark.parametrize("most", [150, pytest.param(1200, marks=pytest.mark.long)])
def test_following_every_link_with_get_and_head_changes_no_row(everywhere: Everywhere, most: int) -> None:
    client, seen, queue = everywhere.web.client(), set[str](), deque(everywhere.paths)
    while queue and len(seen) < most:
        path = queue.popleft()
        if path in seen:
            continue
        seen.add(path)
        answer, head = client.get(path), client.head(path)
        assert answer.status_code == head.status_code, path
        assert answer.status_code < 400, f"{path}: {answer.status_code}"
        assert head.data == b""
        if answer.mimetype == "text/html":
            # A redirect has no page of ours.
            links = [answer.location] if answer.location else Page(answer.text).hrefs()
            own = [link for link in links if urlsplit(link).netloc == "" and "lang=" not in link]
            queue += [urljoin(path, link) for link in own if not link.startswith("/me#")]  # for who is signed in
    assert len(seen) >= min(most, 200)
    assert seen >= set(everywhere.paths)
    assert everywhere.web.everything() == everywhere.rows


@pytest.mark.long
def test_a_language_once_chosen_stays_chosen(web: Web) -> None:
    client = web.client("en")
    assert "Board games by email" in client.get("/").text
    assert "Des jeux de société par courriel" in client.get("/?lang=fr").text
    assert "Des jeux de société par courriel" in client.get("/").text


@pytest.mark.long
def test_a_players_page_speaks_their_language_unless_they_choose_another(web: Web, hogen: str) -> None:
    path = web.link("play", hogen, 0)
    assert 'lang="en"' in web.client("fr").get(path).text.split(">", 3)[1]
    assert 'lang="fr"' in web.client("en").get(f"{path}?lang=fr").text.split(">", 3)[1]


def style_sheet(page: Page) -> str:
    """Returns the address of the page's first style sheet; other links, like its icons, may come before it."""
    return next(known["href"] for tag, known in page.tags if tag == "link" and known["rel"] == "stylesheet")


@pytest.mark.long
def test_static_files_may_be_kept_for_ever_under_the_name_of_their_content(web: Web) -> None:
    page = Page(web.client().get("/").text)
    style = style_sheet(page)
    answer = web.client().get(style)
    assert answer.status_code == 200
    assert "immutable" in answer.headers["Cache-Control"]
    assert "immutable" not in web.client().get("/static/old/styles/look.css").headers["Cache-Control"]
    assert web.client().get(f"{style.rsplit('/', 1)[0]}/../pages.py").status_code == 404


@pytest.mark.long
def test_urls_in_pages_come_from_the_settings_and_never_from_the_request(web: Web, hogen: str) -> None:
    for path in ("/", web.link("play", hogen, 0), f"/match/{hogen}", "/nope"):
        assert "evil.example" not in web.client().get(path, headers={"Host": "evil.example"}).text


@cases("path", ["/nope", "/match/none", "/replay/none", "/rules/none", "/new?game=none"])
def test_an_unknown_url_shows_a_friendly_page_with_a_way_on(web: Web, path: str) -> None:
    for lang in LANGS:
        answer = web.client(lang).get(path)
        assert answer.status_code == 404
        assert "/" in Page(answer.text).hrefs("ctl")


def test_a_wrong_method_on_a_page_lists_the_allowed_ones(web: Web) -> None:
    answer = web.client().post("/rules/hogen")
    assert answer.status_code == 405
    assert "GET" in answer.headers["Allow"]


@cases(
    "path, page",
    [
        ("/play/none/say", "/play/none"),
        ("/replay/none/pictures", "/replay/none"),
        ("/me/webhooks/1/deliveries/2/redeliver", "/me/webhooks/1"),
        ("/now", "/"),
        ("/push/stop", "/"),
    ],
)
def test_opening_a_forms_post_url_redirects_to_its_page(web: Web, path: str, page: str) -> None:
    for answer in (web.client().get(f"{path}?lang=fr"), web.client().head(path)):
        assert (answer.status_code, answer.location) == (303, page)
        assert answer.headers["Cache-Control"] == "no-store", "the path may hold a token"


def test_a_server_error_shows_a_page_without_details(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbem.web.lobby.start.all_games", lambda: 1 / 0)
    answer = web.client().get("/")
    assert answer.status_code == 500
    assert "division" not in answer.text
    Page(answer.text)


@pytest.mark.long
def test_a_body_that_is_too_large_is_refused(make_web: Callable[..., Web]) -> None:
    web = make_web(max_body=1000)
    assert web.client().post("/links", data={"address": "a" * 2000}).status_code == 413


def test_a_page_is_in_the_readers_first_language_whatever_its_region(web: Web) -> None:
    for header, language in (("fr-CA,en;q=0.8", "fr"), ("en-GB,fr;q=0.8", "en"), ("de,es;q=0.8", "fr")):
        assert f'<html lang="{language}">' in web.client().get("/", headers={"Accept-Language": header}).text


@pytest.mark.long
def test_only_html_pages_set_the_language_cookie(web: Web, hogen: str) -> None:
    play_on(web, hogen, 3)
    sender.drain(web.site)
    assert "lang=en" in web.client().get("/?lang=en").headers["Set-Cookie"]
    style = style_sheet(Page(web.client().get("/").text))
    play, frames = web.link("play", hogen, 0), "replay/frames.json"
    mail = web.client().get("/mailbox.json").json
    assert mail
    others = [f"/replay/{hogen}/frames.json", f"{play}/{frames}", "/healthz", style, "/api/v1/games", "/mailbox.json"]
    for path in [*others, f"/mailbox/{mail[0]['id']}/html", f"{play}/replay/log"]:
        answer = web.client().get(f"{path}?lang=en")
        assert answer.status_code == 200, path
        assert "Set-Cookie" not in answer.headers, path


def test_every_page_begins_with_a_skip_link(everywhere: Everywhere) -> None:
    for path in everywhere.paths:
        page = Page(everywhere.answer(path).text)
        assert page.hrefs()[0] == "#main", path
        assert [tag for tag, known in page.tags if known.get("id") == "main"] == ["main"], path
