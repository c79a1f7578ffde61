"""Without the folder of a feature everything else is as it was: matches are played by mail, page and REST."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pbem.discovery import OURS, packages_of_features
from pbem.games import all_games
from tests.features.playing import WAYS
from tests.harness.cases import cases

ROOT = Path(__file__).parents[2]
OUR_FEATURES = sorted(name for name, package in packages_of_features().items() if package.startswith(f"{OURS}."))
BESIDE = {"circles": {"leagues"}, "webhooks": {"leagues"}}
"""What has to be taken away with a feature, since it imports it."""


def tree_without_feature(feature: str, folder: Path) -> Path:
    """Returns a tree of links to this one, without the folder of the feature, and of what imports it."""
    gone = {feature, *BESIDE.get(feature, ())}
    tree = folder / f"without-{feature}"
    for place in (tree / "pbem", tree / "pbem" / "features"):
        place.mkdir(parents=True)
    for path in [*(ROOT / "pbem").iterdir(), *(ROOT / "pbem" / "features").iterdir()]:
        if path.name not in {"features", "__pycache__"} | gone:
            (tree / path.relative_to(ROOT)).symlink_to(path)
    (tree / "tests").symlink_to(ROOT / "tests")
    return tree


def run_in_tree(tree: Path, *words: str) -> str:
    """Returns what Python prints there. Raises CalledProcessError."""
    settings = {name: value for name, value in os.environ.items() if not name.startswith("PBEM_")}
    settings |= {"PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, *words], cwd=tree, env=settings, check=True, stdout=subprocess.PIPE, text=True
    ).stdout


def test_every_built_in_feature_is_tested_without_its_folder() -> None:
    assert sorted(path.parent.name for path in (ROOT / "pbem" / "features").glob("*/__init__.py")) == OUR_FEATURES


@pytest.mark.long  # of what is switched off, test_switched_off.py shows it in every run
@pytest.mark.parametrize("feature", OUR_FEATURES)
def test_without_a_features_folder_a_match_goes_on_by_mail_page_and_api(feature: str, tmp_path: Path) -> None:
    tree = tree_without_feature(feature, tmp_path)
    said = run_in_tree(tree, "-m", "tests.features.playing", str(tree), "6", "hogen")
    assert said.splitlines()[-1] == f"hogen running {dict.fromkeys(WAYS, 2)}"


@cases("feature", OUR_FEATURES)
def test_a_feature_without_its_folder_is_no_longer_found(feature: str, tmp_path: Path) -> None:
    found = "from pbem.discovery import packages_of_features; print(*packages_of_features())"
    assert run_in_tree(tree_without_feature(feature, tmp_path), "-c", found).split() == sorted(
        packages_of_features().keys() - {feature, *BESIDE.get(feature, ())}
    )


@pytest.mark.long
@cases("feature", OUR_FEATURES)
def test_without_a_features_folder_the_migrated_schema_has_no_differences(feature: str, tmp_path: Path) -> None:
    stored = f"sqlite:///{tmp_path}/pbem.db"
    compare = (
        "from pbem.models.engine import make_engine, migrate\n"
        "from pbem.models.schema.comparison import schema_differences\n"
        f"migrate({stored!r}); print(schema_differences(make_engine({stored!r}).connect()))"
    )
    assert run_in_tree(tree_without_feature(feature, tmp_path), "-c", compare).splitlines()[-1] == "[]"


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.timeout(3000)
@pytest.mark.parametrize("feature", OUR_FEATURES)
@pytest.mark.parametrize("game", sorted(all_games()))
def test_without_a_features_folder_each_game_is_played_to_its_end(feature: str, game: str, tmp_path: Path) -> None:
    said = run_in_tree(
        tree_without_feature(feature, tmp_path), "-m", "tests.features.playing", str(tmp_path), "1500", game
    )
    assert f"{game} over " in said
    assert all(way in said.splitlines()[-1] for way in WAYS)
