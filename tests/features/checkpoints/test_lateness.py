"""A checkpoint is late from two days after the last one, or after the first match began."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import update

from pbem.features.checkpoints import hooks, making
from pbem.features.checkpoints.tables import CheckpointRow
from pbem.models.tables import Match, table
from pbem.services.findings import Due
from tests.commands.conftest import Pbem
from tests.features.checkpoints.played import add_matches
from tests.table import START, House, open_house
from tests.web.cast import Web

DAY = timedelta(days=1)


@pytest.fixture
def house(sqlite_url: str, tmp_path: Path) -> Iterator[House]:
    """A site on a SQLite file in the data folder."""
    yield from open_house(sqlite_url, tmp_path)


def test_before_the_first_checkpoint_lateness_counts_from_the_oldest_match(house: House) -> None:
    match_id, now = house.begin(), house.clock()
    with house.site.writing() as work:
        played = update(table(Match)).where(table(Match).c.id == match_id)
        work.connection().execute(played.values(started_at=now - 3 * DAY))
    with house.site.engine.connect() as there:
        assert hooks.age_of_last_checkpoint_s(there, now) == 259_200.0
        assert hooks.due(there, now) == Due(1, 86_400.0)
        assert hooks.due(there, now - DAY) == Due(0, 0.0)


@pytest.mark.long
def test_a_site_without_a_checkpoint_for_two_days_is_degraded_but_ready(
    make_web: Callable[..., Web],
) -> None:
    web = make_web()

    def ready() -> tuple[str, str]:
        answer = web.client().get("/readyz")
        assert answer.json is not None
        assert answer.status_code == 200
        return answer.json["status"], answer.json["checkpoint"]

    now = web.site.now()
    past = replace(web.site, now=lambda: now - timedelta(days=3))
    add_matches(past, ["aa"])
    assert ready() == ("degraded", "late"), "there was never one, though a match has been going on"
    making.make_checkpoint_of_today(past)
    assert ready() == ("degraded", "late")
    making.make_checkpoint_of_today(web.site)
    assert ready() == ("ready", "ok")


@pytest.mark.long
def test_doctor_finds_a_checkpoint_that_is_older_than_two_days(
    house: House, bare: Pbem, monkeypatch: pytest.MonkeyPatch
) -> None:
    def found() -> list[tuple[str, str]]:
        said = json.loads(bare("doctor", "--json").stdout)["checks"]
        return [(one["level"], one["said"]) for one in said if one["check"] == "checkpoint"]

    making.make_checkpoint_of_today(replace(house.site, now=lambda: START - timedelta(hours=47)))
    assert found() == [("OK", "the last one is 47 hours old")]
    with house.site.writing() as work:
        work.connection().execute(update(table(CheckpointRow)).values(begun_at=START - timedelta(hours=50)))
    assert found() == [("WARN", "the last one is 50 hours old")]
    monkeypatch.setenv("PBEM_FEATURES", "none")
    assert found() == [], "it is off"
