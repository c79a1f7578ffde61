"""A feature need not have any of the names that its modules may have."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pbem.api.features import with_features
from pbem.config import Config
from pbem.discovery import packages_of_features
from pbem.features.webhooks.subjects import subject_of_features
from pbem.logs import mask_secrets
from pbem.services.hooks import hooks_of, overdue_of, requests_of, tasks_of
from pbem.web.features import also_may
from tests.commands.conftest import Pbem
from tests.features.installed import install_feed
from tests.web.cast import Web

MODULES = ("settings", "tables", "hooks", "pages", "api", "tasks", "webhooks", "claims", "commands")
FEED = ("feed",)


@pytest.fixture
def feed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Installs a feature whose modules have none of the names that they may have."""
    with install_feed(tmp_path / "there", monkeypatch, {f"{name}.py": "" for name in MODULES}) as package:
        yield package


def test_a_feature_with_empty_modules_adds_nothing_to_the_services(feed: Path) -> None:
    assert "feed" in packages_of_features()
    assert Config.from_env({"PBEM_SECRET": "s" * 40}, "embedded").features == tuple(packages_of_features())
    assert (hooks_of(FEED), overdue_of(FEED), tasks_of(FEED), requests_of(FEED), subject_of_features(FEED)) == (
        (),
        {},
        {},
        {},
        None,
    )
    assert mask_secrets("/play/c2VjcmV0") == "/play/***"


@pytest.mark.parametrize("on", [True, False])
def test_a_feature_with_empty_modules_adds_nothing_to_pages_and_api(
    feed: Path, make_web: Callable[..., Web], on: bool
) -> None:
    web = make_web(features=tuple(name for name in packages_of_features() if on or name != "feed"))
    assert web.client().get("/").status_code == 200
    assert with_features((), FEED) == []
    with web.app.test_request_context("/"):
        assert also_may("play") is not None


def test_a_feature_with_an_empty_commands_module_adds_none(feed: Path, bare: Pbem) -> None:
    assert bare("--help").exit_code == 0
    assert bare("no-command-of-this-name").exit_code == 2


def test_a_features_link_prefixes_are_masked_as_text_and_not_as_patterns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with install_feed(tmp_path, monkeypatch, {"claims.py": 'LINKS = ("feed.v1/of", "feed(")\n'}):
        assert (
            mask_secrets("/feed.v1/of/secret /feedxv1/of/word /feed(/secret")
            == "/feed.v1/of/*** /feedxv1/of/word /feed(/***"
        )
