"""A feature from an installed package, for as long as a test runs."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from pbem import discovery, logs
from pbem.features.webhooks.subjects import subject_of_features
from pbem.mail import compose
from pbem.services import hooks, kinds
from pbem.services.players.bounces import kinds_that_prove_address

INFO = "pbem_feed-1.0.dist-info"
CACHED = (
    discovery.packages_of_features, discovery.faults_of_features, discovery.module_of_feature,
    discovery.folder_of_package, discovery.modules_in_feature_folders,
    hooks.hooks_of, hooks.tasks_of, hooks.requests_of, kinds.all_kinds_of_mail, kinds.kinds_of_mail_sent,
    subject_of_features,
    kinds_that_prove_address, compose.find_template,
    compose.mail_environment, logs.pattern_of_secrets,
)  # fmt: skip
"""What remembers what it has found."""


def forget_features() -> None:
    """Has everything look for features again."""
    for each in CACHED:
        each.cache_clear()


@contextmanager
def install_feed(there: Path, monkeypatch: pytest.MonkeyPatch, files: Mapping[str, str]) -> Iterator[Path]:
    """Installs the package `pbem_feed` with these files, which offers the feature `feed`; yields its folder."""
    package = there / "pbem_feed"
    about = {"METADATA": "Metadata-Version: 2.1\nName: pbem-feed\nVersion: 1.0\n"}
    about["entry_points.txt"] = f"[{discovery.GROUP}]\nfeed = pbem_feed\n"
    for path, text in {
        package / "__init__.py": "",
        **{package / name: text for name, text in files.items()},
        **{there / INFO / name: text for name, text in about.items()},
    }.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.syspath_prepend(there)
    forget_features()
    yield package
    forget_features()
    for name in [name for name in sys.modules if name.partition(".")[0] == "pbem_feed"]:
        del sys.modules[name]


def remove_package(package: Path) -> None:
    """Removes the package, as after a restart."""
    shutil.rmtree(package.parent / INFO)
    forget_features()
