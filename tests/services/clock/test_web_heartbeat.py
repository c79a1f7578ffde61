"""The web records its heartbeat without any visit, and goes on after the database was away."""

import dataclasses
import threading
from datetime import timedelta
from types import SimpleNamespace

import pytest
from sqlmodel import select
from structlog.testing import capture_logs

from pbem.errors import Unavailable
from pbem.models.clocks import Heartbeat
from pbem.services.clock import outages, web_heartbeat
from tests.harness.waiting import wait_until
from tests.table import START, House


def heartbeats(house: House) -> set[str]:
    """Returns the names of all heartbeats ever recorded."""
    with house.site.reading() as session:
        return {heartbeat.name for heartbeat in session.exec(select(Heartbeat))}


def test_a_web_process_records_its_heartbeat_every_minute_until_it_stops(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        house.clock.forward(seconds=seconds)

    monkeypatch.setattr(web_heartbeat, "time", SimpleNamespace(sleep=sleep))
    site = dataclasses.replace(house.site, stopping=lambda: len(waits) == 3)
    web_heartbeat.start_web_heartbeat(site)
    wait_until(lambda: "heart" not in {thread.name for thread in threading.enumerate()}, "the end of the thread")
    with house.site.reading() as session:
        assert session.get_one(Heartbeat, "web").at == START + timedelta(seconds=120)
    assert waits == [60, 60, 60]


@pytest.mark.parametrize("gone", [Unavailable("away", retry_after=5), RuntimeError("no such table: pulse")])
def test_a_failed_heartbeat_is_logged_and_the_next_one_works(
    house: House, monkeypatch: pytest.MonkeyPatch, gone: Exception
) -> None:
    def feel(*_: object) -> None:
        raise gone

    monkeypatch.setattr(outages, "record_heartbeat", feel)
    with capture_logs() as logs:
        web_heartbeat.beat_once(dataclasses.replace(house.site))
    assert [line["event"] for line in logs] == ["heart.failed"]
    monkeypatch.undo()
    web_heartbeat.beat_once(house.site)
    assert heartbeats(house) == {"web"}
