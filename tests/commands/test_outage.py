"""A host credits an outage by hand, once."""

from datetime import timedelta

from pbem.kit.replay import Extended
from pbem.services.play import timeouts
from tests.commands.conftest import Pbem
from tests.table import START, House, deadline_of


def hours_deadlines_moved(house: House, match_id: str) -> float:
    """Returns by how many hours the deadlines of the match have moved."""
    (found,) = {deadline_of(ask) for ask in house.asks(match_id)}
    return (found - START) / timedelta(hours=1) - 72


def test_the_outage_command_moves_deadlines_by_the_outage_only_once(pbem: Pbem, house: House) -> None:
    house.clock.at = START - timedelta(hours=8)
    match_id = house.begin()
    house.drain()
    assert hours_deadlines_moved(house, match_id) == -8
    house.clock.at = START
    asked = pbem("outage", "2026-03-12T08:04", stdin="n\n")
    assert "Move all running deadlines for 2026-03-12T08:04:00Z to 2026-03-12T12:04:00Z?" in asked.stdout
    assert asked.exit_code == 1
    timeouts.beat_and_sweep_deadlines_if_web_up(house.site)
    assert hours_deadlines_moved(house, match_id) == -8
    given = pbem("outage", "2026-03-12T08:04", "--until", "2026-03-12T10:04", "--yes")
    assert "noted: 2026-03-12T08:04:00Z to 2026-03-12T10:04:00Z" in given.stdout
    assert "noted: 2026-03-12T10:04:00Z to 2026-03-12T12:04:00Z" in pbem("outage", "2026-03-12T08:04", "--yes").stdout
    assert pbem("outage", "2026-03-12T08:04", "--yes").stdout == "All of this was given back before.\n"
    timeouts.beat_and_sweep_deadlines_if_web_up(house.site)
    assert hours_deadlines_moved(house, match_id) == -4
    entries = [entry.event for entry in house.view(match_id, None).entries]
    assert [event for event in entries if isinstance(event, Extended)] == [Extended(14400)], "both at once"


def test_the_outage_command_refuses_invalid_and_future_times(pbem: Pbem) -> None:
    for words in (["2026-03-12T12:05"], ["2026-03-12T08:00", "--until", "2026-03-12T07:00"], ["soon"]):
        assert pbem("outage", *words, "--yes").exit_code != 0
