"""Features are found by discovery: our folders, and packages that offer one by an entry point."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem import discovery, packages
from pbem.config import Config, ConfigError


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of installed packages, in which `feed` and `push` are offered."""
    for name in ("feed", "other_push"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(f'"""What {name} is for."""\n')
    (tmp_path / "feed" / "hooks.py").write_text("HOOKS = 7\n")
    (tmp_path / "feed" / "letters").mkdir()
    for name in ("__init__", "news"):
        (tmp_path / "feed" / "letters" / f"{name}.py").write_text("")
    info = tmp_path / "feed-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: feed\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[pbem.features]\nfeed = feed\npush = other_push\n")
    monkeypatch.syspath_prepend(tmp_path)
    cached = (
        discovery.packages_of_features,
        discovery.faults_of_features,
        discovery.module_of_feature,
        discovery.folder_of_package,
        discovery.modules_in_feature_folders,
    )
    for each in cached:
        each.cache_clear()
    yield tmp_path
    for each in cached:
        each.cache_clear()
    for name in [name for name in sys.modules if name.partition(".")[0] in ("feed", "other_push")]:
        del sys.modules[name]


def also_offers(install: Path, name: str, points: str) -> None:
    """Installs another distribution with these entry points."""
    info = install / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(points)


def test_our_folders_and_installed_packages_are_found_by_name(install: Path) -> None:
    assert {"feed": "feed", "push": "pbem.features.push"}.items() <= discovery.packages_of_features().items()
    assert list(discovery.packages_of_features()) == sorted(discovery.packages_of_features())
    assert discovery.folder_of_package("feed") == install / "feed"


def test_a_package_cannot_take_the_place_of_one_of_our_features(install: Path) -> None:
    (install / "feed-1.0.dist-info" / "entry_points.txt").write_text("[pbem.features]\npush = other_push\n")
    assert discovery.faults_of_features() == ["the feature 'push' of feed has the name of the one of pbem"]
    with pytest.raises(ConfigError, match="the feature 'push' of feed has the name of the one of pbem"):
        Config.from_env(os.environ, "embedded")


def test_two_packages_with_one_feature_name_are_both_refused(install: Path) -> None:
    (install / "feed-1.0.dist-info" / "entry_points.txt").write_text("[pbem.features]\nfeed = feed\n")
    also_offers(install, "other", "[pbem.features.1]\nfeed = other_push\n")
    assert "feed" not in discovery.packages_of_features()
    assert sorted(discovery.faults_of_features()) == [
        "the feature 'feed' of feed has the name of the one of other",
        "the feature 'feed' of other has the name of the one of feed",
    ]


@pytest.mark.parametrize(
    ("points", "taken"),
    [
        ("[pbem.features]\nfeed = feed\n[pbem.features.2]\nfeed = feed.two\n", "feed"),
        ("[pbem.features.2]\nfeed = feed.two\n[pbem.features.3]\nfeed = feed.three\n", None),
        ("[pbem.features]\nfeed = feed\n[pbem.features.1]\nfeed = feed\n", "feed"),
    ],
)
def test_of_a_features_contract_versions_the_newest_known_one_is_taken(
    install: Path, points: str, taken: str | None
) -> None:
    (install / "feed-1.0.dist-info" / "entry_points.txt").write_text(points)
    assert discovery.packages_of_features().get("feed") == taken
    assert len(discovery.faults_of_features()) == (taken is None)


def test_a_newer_pbem_takes_the_newer_version(install: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "NEWEST", 2)
    points = "[pbem.features]\nfeed = feed\n[pbem.features.2]\nfeed = feed.two\n[pbem.features.3]\nfeed = feed.three\n"
    (install / "feed-1.0.dist-info" / "entry_points.txt").write_text(points)
    assert discovery.packages_of_features()["feed"] == "feed.two"
    assert discovery.faults_of_features() == []


@pytest.mark.parametrize(
    ("group", "unfit"),
    [
        ("pbem.features.1", None),
        ("pbem.features.2", "is written for version 2 of the contract, and this pbem knows none above 1: upgrade pbem"),
        ("pbem.features.x", "?"),
        ("pbem.features2", "?"),
    ],
)
def test_a_package_for_another_contract_version_is_refused_as_feature(
    install: Path, group: str, unfit: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    (install / "feed-1.0.dist-info" / "entry_points.txt").write_text(f"[{group}]\nfeed = feed\n")
    said = [] if unfit in (None, "?") else [f"the feature 'feed' of feed {unfit}"]
    assert ("feed" in discovery.packages_of_features()) is (unfit is None)
    assert discovery.faults_of_features() == said
    if said:
        monkeypatch.setenv("PBEM_FEATURES", "push")
        with pytest.raises(ConfigError, match="'feed' of feed is written for version 2"):
            Config.from_env(os.environ, "embedded")


def test_a_feature_for_an_older_contract_is_refused(install: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "OLDEST", 2)
    monkeypatch.setattr(packages, "NEWEST", 3)
    assert "feed" not in discovery.packages_of_features()
    assert discovery.faults_of_features()[0] == (
        "the feature 'feed' of feed is written for version 1 of the contract, and this pbem knows none below 2: "
        "upgrade the package, or keep the pbem from before"
    )


def test_a_part_of_a_feature_is_its_module_of_that_name_or_none(install: Path) -> None:
    hooks = discovery.module_of_feature("feed", "hooks")
    assert hooks is not None
    assert hooks.HOOKS == 7
    assert discovery.module_of_feature("feed", "tables") is None


def test_modules_of_all_features_are_found_by_folder_without_an_import(install: Path) -> None:
    assert discovery.modules_in_feature_folders("letters")["news"] == discovery.Brought("feed", "feed.letters.news")
    assert "feed.letters.news" not in sys.modules
    assert discovery.modules_in_feature_folders("nothing_of_this_name") == {}


def test_an_import_error_in_a_features_module_is_raised(install: Path) -> None:
    (install / "feed" / "pages.py").write_text("import nothing_of_this_name\n")
    with pytest.raises(ModuleNotFoundError, match="nothing_of_this_name"):
        discovery.module_of_feature("feed", "pages")


def test_folder_and_part_of_a_missing_package_raise_module_not_found() -> None:
    for ask in (discovery.folder_of_package, lambda package: discovery.module_of_feature(package, "hooks")):
        with pytest.raises(ModuleNotFoundError):
            ask("no_package_of_this_name")
