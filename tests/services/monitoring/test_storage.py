"""A database that stores nothing makes the service unready; an almost full disk warns; another secret is said."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from typing import NoReturn

import pytest
from structlog.testing import capture_logs

from pbem.commands import checks
from pbem.services.monitoring import alarm
from pbem.services.monitoring.health import read_health
from tests.table import House, open_house

MB = 1_000_000


@pytest.fixture
def small_house(sqlite_url: str, tmp_path: object) -> House:
    """A house on SQLite, whose disk a test fills."""
    return next(open_house(sqlite_url, tmp_path))  # type: ignore[arg-type]  # it is a path


@pytest.fixture
def leave_free(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Lets the disk have this many free bytes of a hundred gigabytes."""
    usage = type(shutil.disk_usage("/"))

    def leave(free: int) -> None:
        monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(100_000 * MB, 100_000 * MB - free, free))

    return leave


@pytest.mark.parametrize(
    ("free", "level", "status"), [(0, "FAIL", "unready"), (50 * MB, "WARN", "ready"), (5_000 * MB, "OK", "ready")]
)
def test_the_free_disk_space_is_reported(
    small_house: House, leave_free: Callable[[int], None], free: int, level: str, status: str
) -> None:
    leave_free(free)
    (found,) = checks.check_disk(small_house.site.config)
    assert found.level == level
    assert f"{free / MB:,.0f} MB free" in found.said
    health = read_health(small_house.site.config, small_house.clock())
    assert health.readiness_word == status
    assert health.database == ("full" if free == 0 else "ok")


def test_a_database_that_may_not_be_written_is_unready_and_says_so(
    small_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert read_health(small_house.site.config, small_house.clock()).database == "read_only"
    (found,) = checks.check_disk(small_house.site.config)
    assert (found.level, "read-only" in found.said) == ("FAIL", True)


def test_a_database_whose_folder_is_gone_is_unready(small_house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    def is_gone(folder: object) -> NoReturn:
        raise FileNotFoundError(folder)

    monkeypatch.setattr(shutil, "disk_usage", is_gone)
    health = read_health(small_house.site.config, small_house.clock())
    assert (health.readiness_word, health.database) == ("unready", "read_only")
    assert [*checks.check_disk(small_house.site.config)] == []


def test_a_changed_secret_is_logged_once_and_reported_by_the_doctor(small_house: House) -> None:
    site = small_house.site

    def what_is_said() -> list[str]:
        with site.reading() as session:
            return [
                one.said
                for one in checks.check_other_secret_used(session.connection(), changed.config, small_house.clock())
            ]

    changed = replace(site, config=replace(site.config, secret="another secret of more than 32 letters"))
    alarm.watch_mails(site)
    with capture_logs() as logs:
        alarm.watch_mails(site)
        alarm.watch_mails(changed)
        alarm.watch_mails(changed)
    assert [line["event"] for line in logs].count("secret.changed") == 1
    (text,) = what_is_said()
    assert "another one than this database was used with before" in text
    small_house.clock.forward(days=31)
    assert what_is_said() == []
