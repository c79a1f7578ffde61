"""The cache of viewers' knowledge: separate for each viewer, and dropped as soon as it is outdated."""

from __future__ import annotations

from typing import Any

import pytest

from pbem.kit import replay
from pbem.kit.contract import Event
from pbem.kit.replay import fold_for_viewer, redact_entries
from pbem.kit.secrecy import redact
from pbem.services.log import store
from pbem.services.site import Cache, Site
from tests.table import House


@pytest.mark.long
def test_a_page_looked_at_again_reuses_the_cached_entries_and_fold(house: House) -> None:
    match_id = house.begin()
    first, again = house.view(match_id, 0), house.view(match_id, 0)
    assert first.entries is again.entries
    assert first.fold is again.fold


@pytest.mark.long
def test_cached_views_equal_each_viewers_redacted_log(house: House) -> None:
    match_id = house.begin(game="hagakure")
    for _ in range(6):
        for viewer in (None, 0, 1, 2, None, 2, 1, 0):
            seen = house.view(match_id, viewer)
            with house.site.reading() as session:
                log = store.load_entries(session, match_id, seen.game)
            assert seen.fold == fold_for_viewer(seen.game, log, viewer)
            assert list(seen.entries) == redact_entries(log, viewer)
            assert seen.viewer == viewer
        house.play(match_id, house.asks(match_id)[0].seat)


@pytest.mark.long
def test_a_page_that_is_looked_at_first_redacts_each_entry_once(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    match_id, seen = house.begin(game="hagakure"), list[object]()

    def note(event: Event, *how: Any) -> Event:
        seen.append(event)
        return redact(event, *how)

    monkeypatch.setattr(replay, "redact", note)
    assert len(house.view(match_id, 0).entries) == len(seen) > 0


def test_a_cached_page_shows_moves_of_another_process(house: House) -> None:
    match_id = house.begin()
    other = House(Site(house.site.config, house.site.engine, now=house.clock), house.clock, house.mail, [])
    for _ in range(3):
        assert house.view(match_id, 0).entries == other.view(match_id, 0).entries
        other.play(match_id, other.asks(match_id)[0].seat)


def test_view_story_returns_only_lines_after_the_given_entry(house: House) -> None:
    match_id = house.begin()
    for _ in range(4):
        house.play(match_id, house.asks(match_id)[0].seat)
    view = house.view(match_id, 0)
    whole = view.story("en", 0)
    assert whole
    assert view.story("en", after=whole[0].n) == whole[1:]
    assert view.story("fr", 0) != whole == view.story("en", 0)


@pytest.mark.long
def test_a_cached_story_serves_every_starting_entry_in_its_language(house: House) -> None:
    match_id = house.begin(game="hagakure")
    for _ in range(8):
        house.play(match_id, house.asks(match_id)[0].seat)
    whole = house.view(match_id, None).story("en", 0)
    fresh = House(Site(house.site.config, house.site.engine, now=house.clock), house.clock, house.mail, [])
    for after in (3, 5, 10**9, 4, 0, 2, *range(100)):
        view = fresh.view(match_id, None)
        assert view.story("en", after) == [line for line in whole if line.n > after]
    assert fresh.view(match_id, None).told.keys() == {"en"}


def test_the_cache_evicts_the_least_recently_used_entry() -> None:
    seen = Cache[int](3)
    for number in range(3):
        seen.keep(number, number)
    seen.find(0)
    seen.keep(1, 10)
    seen.keep(3, 3)
    assert [seen.find(number) for number in range(4)] == [0, 10, None, 3]
