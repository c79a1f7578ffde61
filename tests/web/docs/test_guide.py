"""Help and privacy, and the footer that leads there."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pbem.kit.texts import LANGS
from tests.features.inbox.replying import comes_in
from tests.harness.cases import cases
from tests.web.cast import Page, Web


def test_the_page_to_ask_for_links_leads_to_help_and_privacy(web: Web) -> None:
    for lang, said in zip(LANGS, ("Comment se joue un tour", "How a turn goes"), strict=True):
        client = web.client(lang)
        hrefs = Page(client.get("/links").text).hrefs()
        assert {"/help", "/privacy"} <= set(hrefs)
        assert said in client.get("/help").text
        assert client.get("/privacy").status_code == 200


@cases("feature, path, said", [("pictures", "/help", "Save as a GIF"), ("records", "/privacy", "a public link")])
def test_the_guide_mentions_a_feature_only_while_it_is_on(
    make_web: Callable[..., Web], feature: str, path: str, said: str
) -> None:
    assert said in make_web(features=(feature,)).client("en").get(path).text
    assert said not in make_web(features=()).client("en").get(path).text


@pytest.mark.long
def test_every_link_of_the_help_and_privacy_pages_works(web: Web) -> None:
    for lang in LANGS:
        for path in ("/help", "/privacy"):
            for href in Page(web.client(lang).get(path).text).hrefs():
                assert href.startswith("#") or web.client(lang).get(href).status_code == 200, href


@pytest.mark.long
def test_with_replies_on_the_help_page_says_what_a_reply_may_contain(make_web: Callable[..., Web]) -> None:
    web = make_web(**comes_in("play+{token}@pbem.example"))
    for lang, said in zip(LANGS, ("arrêter les consignes", "stop orders"), strict=True):
        client = web.client(lang)
        assert said in client.get("/help/mail").text
        for href in Page(client.get("/help/mail").text).hrefs():
            assert href.startswith("#") or client.get(href).status_code == 200, href


def test_with_replies_off_the_help_page_says_so(web: Web) -> None:
    for lang, said in zip(LANGS, ("aucune réponse par courriel", "no answers by email"), strict=True):
        text = web.client(lang).get("/help/mail").text
        assert said in text
        assert "F3" not in text


@pytest.mark.long
def test_guests_read_how_long_they_are_kept_and_what_is_their_only_key(web: Web) -> None:
    for lang, said in zip(
        LANGS, (("visiteur", "cookie", "deux semaines"), ("guest", "cookie", "two weeks")), strict=True
    ):
        for path in ("/help", "/privacy"):
            text = " ".join(Page(web.client(lang).get(path).text).words.split()).lower()
            assert all(word in text for word in said), path


@pytest.mark.long
def test_the_source_is_linked_where_the_host_says_it_is(make_web: Callable[..., Web]) -> None:
    source = "https://code.example.org/pbem"
    assert source in Page(make_web(source=source).client().get("/").text).hrefs()
    assert "Source" not in make_web(source=None).client().get("/").text
