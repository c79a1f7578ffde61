"""Matches that are over are written down once, seat by seat: place, score, who, and how fast they answered."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import delete, insert, update
from sqlmodel import select
from structlog.testing import capture_logs

from pbem.features.leagues.tables import League, Season, SeasonMatch
from pbem.models.deals import DealRow
from pbem.models.results import Rating, Result
from pbem.models.tables import AskRow, Match, SeatRow, SubstituteRow, table
from pbem.services.lobby.matches import start_match_against_bots
from pbem.services.log import archiving
from pbem.services.play import bots, presence, timeouts
from pbem.services.results import tallying
from pbem.services.who import STRANGER
from tests.harness.sent import count_statements
from tests.services.letterbox import id_of
from tests.services.results.tallying import end_match, want_ratings
from tests.table import THREE, House, claim_of


def results_of_match(house: House, match_id: str) -> list[Result]:
    """Returns the results of the match in seat order."""
    with house.site.reading() as session:
        found = select(Result).where(Result.match_id == match_id).order_by(table(Result).c.seat)
        return list(session.exec(found).all())


def ratings_by_player(house: House) -> dict[int, tuple[float, float, int]]:
    """Returns every rating by player; the tests here know one game."""
    with house.site.reading() as session:
        return {one.player_id: (one.mu, one.sigma, one.matches) for one in session.exec(select(Rating))}


def add_copies_of_match(house: House, match_id: str, count: int) -> list[str]:
    """Adds this many finished matches like this one, each a second later; returns their ids."""
    with house.site.writing() as work:
        match = work.get_one(Match, match_id).model_dump()
        seats = [seat.model_dump() for seat in work.exec(select(SeatRow).where(SeatRow.match_id == match_id))]
        ids = [f"{2**64 - n:024x}" for n in range(count)]
        rows = [
            {**match, "id": one, "ended_at": match["ended_at"] + timedelta(seconds=n)} for n, one in enumerate(ids, 1)
        ]
        work.connection().execute(insert(table(Match)), rows)
        work.connection().execute(insert(table(SeatRow)), [{**seat, "match_id": one} for one in ids for seat in seats])
    return ids


def test_each_seat_of_a_finished_match_gets_a_row_with_place_and_score(house: House) -> None:
    match_id = house.begin(3, "hagakure", options={"rounds": 1})
    assert tallying.tally_matches(house.site) == 0, "it is not over"
    house.play_on(match_id)
    assert tallying.tally_matches(house.site) == 1
    rows = results_of_match(house, match_id)
    sheet = house.view(match_id, None).sheet
    assert sheet.outcome is not None
    assert sheet.outcome.scores is not None
    assert [row.player_id for row in rows] == [id_of(house, name) for name in THREE]
    assert tuple(row.score for row in rows) == sheet.outcome.scores
    assert tuple(row.seat for row in rows if row.place == 1) == sheet.outcome.winners
    assert {row.game for row in rows} == {"hagakure"}
    assert {row.ended_at for row in rows} == {sheet.ended_at}
    assert tallying.tally_matches(house.site) == 0
    assert len(results_of_match(house, match_id)) == 3


@pytest.mark.long
def test_a_resigned_seat_is_tallied_last(house: House) -> None:
    match_id = house.begin(3)
    presence.resign(house.site, claim_of(house.site, match_id, 1))
    presence.resign(house.site, claim_of(house.site, match_id, 0))
    assert tallying.tally_matches(house.site) == 1
    assert [(row.place, row.resigned) for row in results_of_match(house, match_id)] == [
        (2, True),
        (2, True),
        (1, False),
    ]


@pytest.mark.on_postgresql
def test_a_match_that_was_called_off_has_no_results(house: House) -> None:
    match_id = end_match(house, 0)
    with house.site.writing() as work:
        work.connection().execute(update(table(Match)).values(status="cancelled"))
    assert tallying.tally_matches(house.site) == 0
    assert results_of_match(house, match_id) == []


def test_a_bot_gets_a_tally_row_with_its_name(house: House) -> None:
    started = start_match_against_bots(house.site, STRANGER, "hogen", "Zoe", "en", "Europe/Paris")
    match_id = started.match_id
    with house.site.writing() as work:
        m = table(Match)
        over = update(m).where(m.c.id == match_id)
        work.connection().execute(
            over.values(status="over", ended_at=house.clock(), outcome='{"reason":"found","winners":[1]}')
        )
    assert tallying.tally_matches(house.site) == 1
    rows = results_of_match(house, match_id)
    assert [row.bot is None for row in rows] == [row.player_id is not None for row in rows]
    assert rows[0].player_id == started.player.player_id
    assert rows[1].bot is not None


@pytest.mark.long
def test_turns_that_people_answered_themselves_are_timed_and_no_others(house: House) -> None:
    match_id = house.begin(3)
    house.drain()
    for hours in (1, 3, 5):
        (seat,) = {ask.seat for ask in house.asks(match_id)[:1]}
        house.clock.forward(hours=hours)
        house.play(match_id, seat)
        house.drain()
    house.time_is_up(match_id)
    assert timeouts.sweep_deadlines(house.site) > 0
    for seat in (0, 1):
        presence.resign(house.site, claim_of(house.site, match_id, seat))
    assert tallying.tally_matches(house.site) == 1
    with house.site.reading() as session:
        asks = session.exec(select(AskRow).where(AskRow.closed_by == "seat")).all()
        by_clock = session.exec(select(AskRow).where(AskRow.closed_by == "clock")).all()
    assert by_clock
    rows = results_of_match(house, match_id)
    assert sum(row.answers for row in rows) == len([one for one in asks if one.key == one.origin]) == 3
    assert {row.median_s for row in rows if row.answers == 1} <= {
        3600,
        4 * 3600,
        9 * 3600,
        3 * 3600,
        5 * 3600,
        8 * 3600,
    }
    assert all((row.median_s is None) == (row.answers == 0) for row in rows)


def test_a_match_that_is_archived_already_has_the_same_results(house: House) -> None:
    first, second = house.begin(3), house.begin(3)
    for match_id in (first, second):
        for ask in house.asks(match_id):
            house.clock.forward(hours=2)
            house.play(match_id, ask.seat)
        house.play_out(match_id)
    with house.site.writing() as work:
        work.connection().execute(
            update(table(Match)).where(table(Match).c.id == second).values(tallied_at=house.clock())
        )
    assert tallying.tally_matches(house.site) == 1
    early = results_of_match(house, first)
    with house.site.writing() as work:
        work.connection().execute(delete(table(Result)))
        work.connection().execute(update(table(Match)).values(tallied_at=None))
    house.clock.forward(days=8)
    assert archiving.archive_matches(house.site) == 2
    assert tallying.tally_matches(house.site) == 2
    assert [row.model_dump() for row in results_of_match(house, first)] == [row.model_dump() for row in early]
    assert any(row.answers for row in early)


def test_a_match_whose_end_cannot_be_read_holds_up_no_other(house: House) -> None:
    broken, whole = end_match(house, 0), end_match(house, 1)
    with house.site.writing() as work:
        work.connection().execute(update(table(Match)).where(table(Match).c.id == broken).values(outcome="?"))
    with capture_logs() as logged:
        assert tallying.tally_matches(house.site) == 1
    assert [one["match"] for one in logged if one["event"] == "tally.unreadable"] == [broken]
    assert (results_of_match(house, broken), len(results_of_match(house, whole))) == ([], 3)


# --- ratings -------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_people_who_want_ratings_are_rated_among_themselves(house: House) -> None:
    first = end_match(house, 0)
    want_ratings(house, "Alice", "Carol")
    tallying.tally_matches(house.site)
    alice, carol = id_of(house, "Alice"), id_of(house, "Carol")
    rated = ratings_by_player(house)
    assert {*rated} == {alice, carol}
    assert rated[alice][0] > 25 > rated[carol][0]
    assert [row.rated for row in results_of_match(house, first)] == [True, False, True]


@pytest.mark.long
def test_a_lone_player_who_wants_ratings_is_not_rated(house: House) -> None:
    match_id = end_match(house, 0)
    want_ratings(house, "Alice")
    tallying.tally_matches(house.site)
    assert ratings_by_player(house) == {}
    assert not any(row.rated for row in results_of_match(house, match_id))


def test_a_resigned_player_is_rated_as_last(house: House) -> None:
    match_id = house.begin(3)
    want_ratings(house, *THREE)
    for seat in (0, 1):
        presence.resign(house.site, claim_of(house.site, match_id, seat))
    tallying.tally_matches(house.site)
    alice, bob, carol = (ratings_by_player(house)[id_of(house, name)] for name in THREE)
    assert alice == bob
    assert carol[0] > 25 > alice[0]


def test_a_substitute_is_named_but_their_seat_is_not_rated(house: House) -> None:
    match_id = end_match(house, 0)
    want_ratings(house, *THREE)
    with house.site.writing() as work:
        taken = SubstituteRow(
            match_id=match_id,
            seat=2,
            away_n=1,
            player_id=id_of(house, "Carol"),
            name="Carol",
            at=house.clock(),
            epoch=1,
        )
        work.add(taken)
    tallying.tally_matches(house.site)
    assert {*ratings_by_player(house)} == {id_of(house, "Alice"), id_of(house, "Bob")}
    assert results_of_match(house, match_id)[2].player_id == id_of(house, "Carol")


def test_a_match_that_shares_its_deal_has_results_but_rates_nobody(house: House) -> None:
    match_id = end_match(house, 0)
    want_ratings(house, *THREE)
    with house.site.writing() as work:
        deal = DealRow(
            id="d" * 24, game="hogen", options="{}", seats=3, seed=bytes(32), commitment="", words="[]",
            created_at=house.clock(),
        )  # fmt: skip
        work.add(deal)
        work.flush()
        work.connection().execute(update(table(Match)).where(table(Match).c.id == match_id).values(deal_id=deal.id))
    assert tallying.tally_matches(house.site) == 1
    assert len(results_of_match(house, match_id)) == 3
    assert ratings_by_player(house) == {}


def test_a_player_with_two_seats_is_not_rated_against_themselves(house: House) -> None:
    match_id = end_match(house, 0)
    want_ratings(house, *THREE)
    with house.site.writing() as work:
        s = table(SeatRow)
        own = update(s).where(s.c.match_id == match_id, s.c.seat == 1).values(player_id=id_of(house, "Alice"))
        work.connection().execute(own)
    tallying.tally_matches(house.site)
    assert ratings_by_player(house) == {}, "Carol alone is left"


@pytest.mark.long
def test_ratings_count_matches_by_their_ends_whatever_the_batch_size(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    want_ratings_of_all = [*THREE]
    one = end_match(house, 0)
    want_ratings(house, *want_ratings_of_all)
    others = add_copies_of_match(house, one, 6)
    with house.site.writing() as work:
        m = table(Match)
        for n, match_id in enumerate(others):
            ends = f'{{"reason":"found","winners":[{n % 3}]}}'
            work.connection().execute(update(m).where(m.c.id == match_id).values(outcome=ends))
    assert tallying.tally_matches(house.site) == 7
    at_once = ratings_by_player(house)
    with house.site.writing() as work:
        work.connection().execute(delete(table(Result)))
        work.connection().execute(delete(table(Rating)))
        work.connection().execute(update(table(Match)).values(tallied_at=None))
    monkeypatch.setattr(tallying, "AT_ONCE", 2)
    assert tallying.tally_matches(house.site) == 7
    assert ratings_by_player(house) == at_once


@pytest.mark.on_postgresql
def test_two_workers_at_once_tally_each_match_once_with_the_same_ratings(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tallying, "AT_ONCE", 3)
    one = end_match(house, 1)
    want_ratings(house, *THREE)
    match_ids = [one, *add_copies_of_match(house, one, 11)]
    with ThreadPoolExecutor(2) as workers:
        done = [job.result() for job in [workers.submit(tallying.tally_matches, house.site) for _ in range(2)]]
    assert sum(done) == 12
    assert all(len(results_of_match(house, match_id)) == 3 for match_id in match_ids)
    side_by_side = ratings_by_player(house)
    with house.site.writing() as work:
        work.connection().execute(delete(table(Result)))
        work.connection().execute(delete(table(Rating)))
        work.connection().execute(update(table(Match)).values(tallied_at=None))
    assert tallying.tally_matches(house.site) == 12
    assert ratings_by_player(house) == side_by_side


@pytest.mark.on_postgresql
def test_tallying_many_matches_takes_no_more_statements_than_one(house: House) -> None:
    one = end_match(house, 2)
    want_ratings(house, *THREE)
    few = count_statements(house.site.engine, lambda: tallying.tally_matches(house.site))
    add_copies_of_match(house, one, 60)
    with house.site.writing() as work:
        m = table(Match)
        work.connection().execute(update(m).where(m.c.id != one).values(tallied_at=None))
    assert count_statements(house.site.engine, lambda: tallying.tally_matches(house.site)) == few
    assert len(ratings_by_player(house)) == 3
    assert {matches for _, _, matches in ratings_by_player(house).values()} == {61}


def waits_of(rows: Sequence[Result]) -> list[int | None]:
    """Returns the median time of each seat."""
    return [row.median_s for row in rows]


def test_a_bots_answers_do_not_count_towards_anybodys_pace(house: House) -> None:
    started = start_match_against_bots(house.site, STRANGER, "hogen", "Zoe", "en", "Europe/Paris")
    match_id = started.match_id
    bots.play_quick_bots(house.site)
    with house.site.writing() as work:
        m = table(Match)
        ends = '{"reason":"found","winners":[1]}'
        work.connection().execute(
            update(m).where(m.c.id == match_id).values(status="over", ended_at=house.clock(), outcome=ends)
        )
    tallying.tally_matches(house.site)
    assert waits_of(results_of_match(house, match_id)) == [None] * len(results_of_match(house, match_id))


def _sit_a_bot_down(house: House, match_id: str, seat: int) -> None:
    with house.site.writing() as work:
        s = table(SeatRow)
        there = update(s).where(s.c.match_id == match_id, s.c.seat == seat)
        work.connection().execute(there.values(player_id=None, bot="random"))


@pytest.mark.parametrize(
    "terms", ["", "{}", '{"rated_with_bots":true}', '{"later":1,"rated_with_bots":true}', '{"rated_with_bots":1}', "?"]
)
def test_a_match_with_a_bot_is_rated_only_if_its_season_says_so(house: House, terms: str) -> None:
    match_id = end_match(house, 0)
    want_ratings(house, *THREE)
    _sit_a_bot_down(house, match_id, 2)
    if terms:
        now = house.clock()
        with house.site.writing() as work:
            work.add(League(id="a" * 24, name="Ours", game="hogen", terms="{}", created_at=now))
            work.flush()
            dates: dict[str, Any] = {"starts_at": now, "ends_at": now, "due_at": now, "created_at": now}
            work.add(Season(id="b" * 24, league_id="a" * 24, number=1, terms=terms, status="running", **dates))
            work.flush()
            work.add(SeasonMatch(match_id=match_id, season_id="b" * 24, division=1, round=1, seats="[]"))
    assert tallying.tally_matches(house.site) == 1
    assert sorted(row.rated for row in results_of_match(house, match_id)) == [False, "true" in terms, "true" in terms]
