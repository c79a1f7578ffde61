"""A feature adds to pages and the API's document at places that they have, and hides its secrets from the log."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pbem.api import BLUEPRINTS
from pbem.api.features import with_features
from pbem.discovery import packages_of_features
from pbem.logs import mask_secrets
from tests.features.installed import install_feed
from tests.web.cast import Web, sign_in

PAGES = """
from markupsafe import Markup
from pbem.web.features import Parts

PARTS = ()
SCOPES = {"play": "read the feed", "more": "none has this scope"}


def home_page(player):
    return Parts(sections=Markup("<section>feed of {}</section>").format(player.address))


def preferences_page(player):
    programs = Markup("<p>programs of {}</p>").format(player.address)
    return Parts(sections=Markup("<section>choices of {}</section>").format(player.address), programs=programs)


def match_form(player, game, others):
    return Parts(above_form=Markup("<p>feed: {} {} {}</p>").format(player and player.address, game.meta.slug, others))
"""
API = """
from pbem.api.protocol.endpoints import Endpoints

PARTS = (Endpoints("feed", "What is new."),)
AFTER = "imports"
"""
CLAIMS = 'LINKS = ("feed/of", "news")\nSECRETS = (r"(feedkey_)[a-z]+", r"(/feeds/)[^/]+")\n'


@pytest.fixture
def feed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The feature `feed`, which adds to pages."""
    with install_feed(tmp_path, monkeypatch, {"pages.py": PAGES, "api.py": API, "claims.py": CLAIMS}) as folder:
        yield folder


@pytest.mark.parametrize("on", [True, False])
def test_a_feature_adds_to_the_pages_of_a_player_while_it_is_on(
    feed: Path, make_web: Callable[..., Web], on: bool
) -> None:
    web = make_web(features=("feed",) if on else ())
    web.start()
    for path, added in (
        ("/", "<section>feed of alice@example.org</section>"),
        ("/me", "<section>choices of alice@example.org</section>"),
        ("/me", "<p>programs of alice@example.org</p>"),
        ("/me/tokens", "and change your calendar, read the feed"),
        ("/new?game=hogen&others=friends", "<p>feed: alice@example.org hogen friends</p>"),
        ("/new?game=niigata&others=bots", "<p>feed: alice@example.org niigata bots</p>"),
    ):
        assert (added in sign_in(web, "Alice").get(path).text) == on, path
    assert ("<p>feed: None hogen links</p>" in web.client().get("/new?game=hogen&others=links").text) == on


def test_the_log_hides_the_tokens_of_links_of_a_feature(feed: Path) -> None:
    assert mask_secrets("/feed/of/c0ffee.1.c2VjcmV0/then?x=1") == "/feed/of/***/then?x=1"
    assert mask_secrets("/news/c2VjcmV0 and /play/c2VjcmV0") == "/news/*** and /play/***"


def test_the_log_hides_other_secrets_of_a_feature(feed: Path) -> None:
    assert mask_secrets("feedkey_abc, /feeds/abc/1 and /play/c2VjcmV0") == "feedkey_***, /feeds/***/1 and /play/***"


def test_a_feature_stands_in_the_api_document_after_the_one_it_names(feed: Path) -> None:
    for on in (tuple(packages_of_features()), ("feed",)):
        tags = [one.name for one in with_features(BLUEPRINTS, on)]
        there = [name for name in tags if name in ("api-streams", "api-imports", "api-feed", "api-privacy")]
        assert there == ["api-streams", *(["api-imports"] if len(on) > 1 else []), "api-feed", "api-privacy"]
