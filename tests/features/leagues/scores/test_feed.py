"""The feed of a season's results: it only grows, and a cursor never passes what comes later."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from sqlalchemy import text, update

from pbem.features.leagues.scores import feed
from pbem.features.leagues.tables import SeasonMatch
from pbem.models.tables import Match, table
from pbem.services.play import presence
from pbem.services.results import tallying
from tests.features.leagues.cups import finish_match, page_of_results, pair_matches, running_cup, tally_and_publish
from tests.features.leagues.stage import season_row
from tests.harness.sent import count_statements
from tests.table import House, claim_of


def numbers_of_results(found: feed.Results) -> list[tuple[int, str]]:
    """The numbers of a page's results, with their matches."""
    return [(one.number, one.match) for one in found.results]


def test_a_result_is_in_the_feed_once_its_match_is_tallied(house: House) -> None:
    made, (alice, bob, carol, dave) = running_cup(house)
    first, second = pair_matches(house, made.season_id, (alice, dave), (carol, bob))
    assert tally_and_publish(house) == 0
    assert page_of_results(house, made.season_id) == feed.Results(0, (), False)
    house.clock.forward(hours=1)
    finish_match(house, second, loser=0)
    assert tally_and_publish(house) == 1
    (only,) = page_of_results(house, made.season_id).results
    assert (only.number, only.match, only.game, only.division, only.round) == (1, second, "allegeance", 1, 1)
    assert only.ended_at == house.clock()
    assert [(seat.entrant, seat.place, seat.resigned) for seat in only.seats] == [(carol, 2, True), (bob, 1, False)]
    finish_match(house, first)
    assert tally_and_publish(house) == 1
    assert numbers_of_results(page_of_results(house, made.season_id)) == [(1, second), (2, first)]
    assert numbers_of_results(page_of_results(house, made.season_id, after=1)) == [(2, first)]
    assert season_row(house, made.season_id).results == 2


def test_one_publishing_run_covers_several_transactions_of_results(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed, "AT_ONCE", 1)
    made, (alice, bob, carol, dave) = running_cup(house)
    for match_id in pair_matches(house, made.season_id, (alice, dave), (carol, bob)):
        finish_match(house, match_id)
    tallying.tally_matches(house.site)
    assert feed.publish_results(house.site) == 2
    assert season_row(house, made.season_id).results == 2


@pytest.mark.long
def test_a_result_tallied_late_comes_after_a_readers_cursor(house: House) -> None:
    """It has the earlier time: a cursor of times would have passed it."""
    made, (alice, bob, carol, dave) = running_cup(house)
    late, early = pair_matches(house, made.season_id, (alice, dave), (carol, bob))
    for match_id in (late, early):
        finish_match(house, match_id)
    tallying.tally_matches(house.site)
    m = table(SeasonMatch)
    with house.site.writing() as work:
        work.connection().execute(update(m).where(m.c.match_id == late).values(tallied=False))
    assert feed.publish_results(house.site) == 1
    cursor = page_of_results(house, made.season_id).cursor
    house.clock.forward(hours=1)
    with house.site.writing() as work:  # its transaction began before the other one's, and commits only now
        work.connection().execute(update(m).where(m.c.match_id == late).values(tallied=True))
    assert feed.publish_results(house.site) == 1
    assert numbers_of_results(page_of_results(house, made.season_id, cursor)) == [(2, late)]


@pytest.mark.long
def test_paging_through_the_feed_gives_each_result_once(house: House) -> None:
    made, (alice, bob, carol, dave) = running_cup(house)
    played = pair_matches(
        house, made.season_id, (alice, bob), (carol, dave), (alice, carol), (bob, dave), (alice, dave)
    )
    for match_id in played:
        finish_match(house, match_id)
    assert tally_and_publish(house) == 5
    read, after, more = [], 0, True
    while more:
        found = page_of_results(house, made.season_id, after, most=2)
        read += numbers_of_results(found)
        after, more = found.cursor, found.more
    assert [number for number, _ in read] == [1, 2, 3, 4, 5]
    assert {match_id for _, match_id in read} == {*played}
    assert page_of_results(house, made.season_id, after) == feed.Results(5, (), False)


@pytest.mark.long
def test_a_result_of_a_shared_deal_is_public_once_all_its_tables_are_over(house: House) -> None:
    made, (alice, bob, carol, dave) = running_cup(house, duplicate=True)
    first, second = pair_matches(house, made.season_id, (alice, dave), (bob, carol))
    third = pair_matches(house, made.season_id, (alice, bob), same_deal=False)[0]
    finish_match(house, first)
    finish_match(house, third)
    assert tally_and_publish(house) == 1
    assert numbers_of_results(page_of_results(house, made.season_id)) == [(1, third)]
    finish_match(house, second)
    assert tally_and_publish(house) == 2
    assert {match_id for _, match_id in numbers_of_results(page_of_results(house, made.season_id, 1))} == {
        first,
        second,
    }


@pytest.mark.long
def test_a_cancelled_match_is_not_in_the_feed_of_results(house: House) -> None:
    made, (alice, bob, carol, dave) = running_cup(house)
    first, second = pair_matches(house, made.season_id, (alice, dave), (carol, bob))
    with house.site.writing() as work:
        match = work.get_one(Match, first)
        match.status, match.ended_at, match.outcome = "cancelled", house.clock(), '"host"'
        work.add(match)
    presence.resign(house.site, claim_of(house.site, second, 0))
    assert tally_and_publish(house) == 1
    assert numbers_of_results(page_of_results(house, made.season_id)) == [(1, second)]


@pytest.mark.long
def test_of_two_workers_that_publish_at_once_each_result_gets_one_number(house: House) -> None:
    made, (alice, bob, carol, dave) = running_cup(house)
    played = pair_matches(house, made.season_id, (alice, bob), (carol, dave), (alice, carol), (bob, dave))
    for match_id in played:
        finish_match(house, match_id)
    tallying.tally_matches(house.site)
    with ThreadPoolExecutor(2) as pool:
        counts = [*pool.map(feed.publish_results, [house.site, house.site])]
    assert sum(counts) == 4
    assert [number for number, _ in numbers_of_results(page_of_results(house, made.season_id))] == [1, 2, 3, 4]
    assert season_row(house, made.season_id).results == 4


@pytest.mark.long
def test_publishing_and_reading_many_results_cost_no_more_statements(house: House) -> None:
    costs = []
    for tables in (1, 4):
        made, (alice, bob, carol, dave) = running_cup(house)
        pairs = ((alice, bob), (carol, dave), (alice, carol), (bob, dave))[:tables]
        for match_id in pair_matches(house, made.season_id, *pairs):
            finish_match(house, match_id)
        tallying.tally_matches(house.site)
        publishing = count_statements(house.site.engine, lambda: feed.publish_results(house.site))
        costs.append((publishing, count_statements(house.site.engine, partial(page_of_results, house, made.season_id))))
        assert len(page_of_results(house, made.season_id).results) == tables
    assert costs[0] == costs[1]


@pytest.mark.on_postgresql
def test_looking_for_results_skips_running_and_cancelled_matches(house: House) -> None:
    looking = "SELECT match_id FROM season_matches WHERE tallied AND result_no IS NULL"
    with house.site.reading() as session:
        if session.connection().dialect.name == "sqlite":
            plan = session.execute(text(f"EXPLAIN QUERY PLAN {looking}")).all()
        else:
            session.execute(text("SET LOCAL enable_seqscan = off"))  # a table without rows is read as a whole
            plan = session.execute(text(f"EXPLAIN {looking}")).all()
    assert "ix_season_matches_untold" in str(plan)
    made, (alice, bob, carol, dave) = running_cup(house)
    first, second = pair_matches(house, made.season_id, (alice, dave), (carol, bob))
    finish_match(house, first)
    tallying.tally_matches(house.site)
    with house.site.reading() as session:
        assert [session.get_one(SeasonMatch, one).tallied for one in (first, second)] == [True, False]
