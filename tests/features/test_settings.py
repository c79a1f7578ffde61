"""A feature says which variables a host may set; they are read and checked with all others."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from pbem.config import Config, ConfigError
from tests.features.installed import install_feed

SECRET = {"PBEM_SECRET": "s" * 40}
SETTINGS = """
from pbem.environment import Number

MOST = Number("PBEM_FEED_MOST", 10, 1, 99)
SETTINGS = (MOST,)
"""


def test_a_setting_of_a_feature_is_read_checked_and_has_a_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with install_feed(tmp_path, monkeypatch, {"settings.py": SETTINGS}):
        most = import_module("pbem_feed.settings").MOST
        assert Config.from_env(SECRET, "embedded").number(most) == 10
        assert Config.from_env(SECRET | {"PBEM_FEED_MOST": "7"}, "embedded").number(most) == 7
        for off in ({}, {"PBEM_FEATURES": "none"}):
            with pytest.raises(ConfigError, match="PBEM_FEED_MOST: '100' is not a whole number from 1 to 99"):
                Config.from_env(SECRET | off | {"PBEM_FEED_MOST": "100"}, "embedded")
