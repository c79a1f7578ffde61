"""Shares of the matches: together they are all matches, apart they have nothing in common."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import select
from sqlmodel import col

from pbem.models.clocks import Outage
from pbem.models.tables import Match, Player
from pbem.services.clock import outages
from pbem.services.log import archiving
from pbem.services.mail import digests, reminders
from pbem.services.play import timeouts
from pbem.services.shards import ALL, Shard
from tests.harness.cases import cases
from tests.services.letterbox import kinds_of_mails, once_a_day
from tests.table import START, THREE, House

OF = 3
SHARDS = tuple(Shard(number, OF) for number in range(OF))


def spread_entropy() -> Callable[[int], bytes]:
    """Returns bytes as in production, where ids begin at random, that are the same in every run."""
    counter = itertools.count(1)
    return lambda n: hashlib.shake_256(str(next(counter)).encode()).digest(n)


@pytest.fixture
def town(house: House) -> House:
    """A house whose matches are spread over all shares."""
    return replace(house, site=replace(house.site, entropy=spread_entropy()))


def matches_in(house: House, shard: Shard) -> set[str]:
    with house.site.reading() as session:
        return set(session.execute(select(col(Match.id)).where(*shard.match_conditions(col(Match.id)))).scalars())


@cases("of", [1, 2, 3, 5, 16, 256])
def test_each_id_is_in_exactly_one_shard(of: int) -> None:
    shards = [Shard(number, of) for number in range(of)]
    lows, highs = [one.lowest_id for one in shards], [one.id_above_highest for one in shards]
    assert lows[0] is None
    assert highs[-1] is None
    assert lows[1:] == highs[:-1]
    assert sorted(lows[1:], key=str) == lows[1:]
    assert len({*lows}) == of


@pytest.mark.long
def test_the_shards_together_cover_all_matches_and_players(town: House) -> None:
    begun = {town.begin() for _ in range(5)}
    parts = [matches_in(town, shard) for shard in SHARDS]
    assert all(parts)
    assert sorted(one for part in parts for one in part) == sorted(begun)
    assert matches_in(town, ALL) == begun
    with town.site.reading() as session:
        players = [
            session.execute(select(col(Player.id)).where(*shard.player_conditions(col(Player.id)))).scalars().all()
            for shard in SHARDS
        ]
    assert sorted(one for part in players for one in part) == [1, 2, 3]


@pytest.mark.on_postgresql
def test_a_sweep_of_a_shard_handles_only_its_own_matches(town: House) -> None:
    begun = [town.begin() for _ in range(4)]
    unfilled = [town.create() for _ in range(4)]
    town.drain()
    town.clock.forward(hours=36)
    for shard in SHARDS:
        count = len(matches_in(town, shard) & {*begun})
        assert reminders.sweep_reminders(town.site, shard) == 3 * count
        assert reminders.sweep_reminders(town.site, shard) == 0
    town.drain()
    timeouts.beat_and_sweep_deadlines_if_web_up(town.site)
    for _ in range(40):  # without a gap that would be an outage
        town.clock.forward(minutes=9)
        outages.beat_and_apply_outages(town.site)
    town.clock.at = START + timedelta(days=3, hours=8)
    with town.site.writing() as work:
        work.connection().exec_driver_sql("DELETE FROM pulse")
    for shard in SHARDS:
        own = matches_in(town, shard)
        assert timeouts.beat_and_sweep_deadlines_if_web_up(town.site, shard) == 3 * len(own & {*begun})
    town.clock.forward(days=30)
    for shard in SHARDS:
        own = matches_in(town, shard)
        late = {one for one in unfilled if town.view(one, None).sheet.status == "unconfirmed"}
        assert timeouts.cancel_lapsed_matches(town.site, shard) == len(own & late)


@pytest.mark.long
def test_a_sweep_of_a_shard_queues_only_digests_of_its_players(town: House) -> None:
    town.begin()
    for name in THREE:
        once_a_day(town, name, 9)
    town.drain()
    town.clock.at = START.replace(hour=12) + timedelta(days=1)
    assert [digests.queue_digests_and_reopen_mails(town.site, shard) for shard in SHARDS] == [1, 1, 1]
    town.drain()
    assert [kinds_of_mails(town, name)[-1] for name in THREE] == ["digest"] * 3


@pytest.mark.long
def test_an_outage_is_done_once_it_is_given_back_in_every_shard(town: House) -> None:
    begun = [town.begin() for _ in range(4)]
    town.drain()
    timeouts.beat_and_sweep_deadlines_if_web_up(town.site)
    town.clock.forward(days=1)
    for shard in SHARDS:
        assert not _what_is_done(town)
        assert timeouts.beat_and_sweep_deadlines_if_web_up(town.site, shard) == 0
        moved = {one for one in begun if town.asks(one)[0].deadline == START + timedelta(days=4)}
        assert moved == {one for first in SHARDS[: shard.number + 1] for one in matches_in(town, first)}
    assert _what_is_done(town)


def test_an_old_outage_noted_by_hand_is_given_back_in_every_shard(town: House) -> None:
    begun = [town.begin() for _ in range(4)]
    town.drain()
    before = {one: town.asks(one)[0].deadline for one in begun}
    town.clock.forward(hours=45)
    ended = town.clock.at - timedelta(hours=30)
    outages.record_outage_by_hand(town.site, ended - timedelta(hours=4), ended)
    for shard in SHARDS:
        assert not _what_is_done(town)
        outages.beat_and_apply_outages(town.site, shard)
    assert _what_is_done(town)
    assert [one for one in begun if town.asks(one)[0].deadline == before[one]] == []


@pytest.mark.long
def test_a_run_for_a_shard_archives_only_its_matches(town: House) -> None:
    for _ in range(4):
        town.play_out(town.begin(3))
    town.clock.forward(days=8)
    parts = [len(matches_in(town, shard)) for shard in SHARDS]
    assert all(parts)
    assert [archiving.archive_matches(town.site, shard) for shard in SHARDS] == parts


def _what_is_done(house: House) -> bool:
    with house.site.reading() as session:
        found = session.execute(select(col(Outage.done))).scalars().all()
        return bool(found) and all(found)
