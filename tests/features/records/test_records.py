"""A player's record: what is over, against whom, how fast; and what of it is public."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import insert
from sqlmodel import col, select

from pbem.errors import Unauthorized
from pbem.features.records import records
from pbem.models.tables import AskRow, Match, SeatRow, table
from pbem.services.lobby import matches
from pbem.services.lobby.match_request import Invitee
from pbem.services.play import presence, substitutes
from pbem.services.privacy import erasure
from pbem.services.tokens import OfferClaim, VacancyClaim
from pbem.services.views import match_views
from tests.harness.sent import count_statements
from tests.services.letterbox import player_of
from tests.table import House, claim_of


@pytest.fixture
def over(house: House) -> str:
    """A match of three that is over."""
    match_id = house.begin(3)
    house.clock.forward(minutes=1)
    house.play_out(match_id)
    return match_id


def number_of(house: House, name: str) -> int:
    number = player_of(house, name).id
    assert number is not None
    return number


def add_copies_of_match(house: House, match_id: str, count: int) -> None:
    """Adds this many matches like this one, with their seats and asks."""
    with house.site.writing() as session:
        match = session.get_one(Match, match_id).model_dump()
        seats = [s.model_dump() for s in session.exec(select(SeatRow).where(SeatRow.match_id == match_id)).all()]
        asks = [a.model_dump() for a in session.exec(select(AskRow).where(AskRow.match_id == match_id)).all()]
        ids = [f"{2**64 + n:024x}" for n in range(count)]
        for rows, model in (([match], Match), (seats, SeatRow), (asks, AskRow)):
            key = "id" if model is Match else "match_id"
            every: list[dict[str, Any]] = [{**row, key: one} for one in ids for row in rows]
            session.execute(insert(table(model)), every)


def test_a_record_counts_finished_matches_and_times_the_answers(house: House, over: str) -> None:
    house.begin(3)
    record = records.read_own_record(house.site, number_of(house, "Alice"))
    assert record.matches == 1
    assert record.games["hogen"].matches == 1
    assert {friend.name: friend.results_in_all_games.matches for friend in record.friends} == {"Bob": 1, "Carol": 1}
    assert record.answers is not None
    outcome = match_views.read_sheet(house.site, over, 0).outcome
    assert outcome is not None
    assert record.games["hogen"].won == (outcome.winners == (0,))


@pytest.mark.long
def test_the_median_covers_the_first_answers_of_own_turns_since_their_mail(house: House) -> None:
    match_id = house.begin(3)
    for ask in house.asks(match_id):
        house.clock.forward(hours=1)
        house.play(match_id, ask.seat)
    took = [records.read_own_record(house.site, number_of(house, name)).answers for name in ("Alice", "Bob", "Carol")]
    assert all(one is not None and one.count == 1 for one in took)
    assert [one.median for one in took if one] == [timedelta(hours=hours) for hours in (1, 2, 3)]


@pytest.mark.long
def test_an_answer_at_a_table_without_deadlines_is_not_timed(house: House) -> None:
    match_id = house.begin(3)
    alice = number_of(house, "Alice")
    begun = matches.start_match_against_bots(house.site, alice, "hogen", "Alice", "en", "UTC").match_id
    house.clock.forward(days=20)
    house.play(begun, 0)
    assert records.read_own_record(house.site, alice).answers is None
    house.play(match_id, 0)
    assert records.read_own_record(house.site, alice).answers is not None


@pytest.mark.long
def test_automatic_moves_do_not_count_in_a_players_answer_times(house: House) -> None:
    match_id = house.begin(3)
    house.time_is_up(match_id)
    assert records.read_own_record(house.site, number_of(house, "Alice")).answers is None


def test_a_substitutes_answer_times_leave_out_the_former_players(house: House) -> None:
    match_id = house.begin(3)
    house.play(match_id, 1)
    presence.resign(house.site, claim_of(house.site, match_id, 1))
    link = substitutes.substitute_links_by_seat(house.site, match_views.read_sheet(house.site, match_id, 0), 0)[1]
    vacancy = house.site.tokens.read(VacancyClaim, link.rpartition("/")[2])
    house.clock.forward(minutes=1)
    substitutes.ask_for_seat(house.site, vacancy, Invitee("Dave", "dave@example.org"), "en", "Europe/Paris")
    offer = house.site.tokens.read(OfferClaim, house.site.tokens.sign(OfferClaim(1)))
    substitutes.accept_offer(house.site, offer, "en", "Europe/Paris")
    assert records.read_own_record(house.site, number_of(house, "Dave")).answers is None


@pytest.mark.long
def test_a_long_record_takes_as_many_statements_as_a_short_one(house: House, over: str) -> None:
    alice = number_of(house, "Alice")
    short = count_statements(house.site.engine, lambda: records.read_own_record(house.site, alice))
    add_copies_of_match(house, over, 30)
    assert count_statements(house.site.engine, lambda: records.read_own_record(house.site, alice)) == short
    assert records.read_own_record(house.site, alice).matches == 31


@pytest.mark.long
def test_a_record_is_public_only_by_choice_and_a_withdrawn_link_stays_dead(house: House, over: str) -> None:
    site, alice = house.site, number_of(house, "Alice")
    assert records.read_own_record(site, alice).key is None
    records.publish_record(site, alice)
    first = records.read_own_record(site, alice).key
    assert first is not None
    assert len(first) == 32
    records.publish_record(site, alice)
    assert records.read_own_record(site, alice).key == first
    assert records.read_public_record(site, first).games["hogen"].matches == 1
    records.unpublish_record(site, alice)
    for key in (first, "", "None"):
        with pytest.raises(Unauthorized):
            records.read_public_record(site, key)
    records.publish_record(site, alice)
    assert records.read_own_record(site, alice).key != first


def test_erasure_ends_the_public_page_and_clears_the_records_of_others(house: House, over: str) -> None:
    site, alice = house.site, number_of(house, "Alice")
    bob = number_of(house, "Bob")
    records.publish_record(site, alice)
    key = records.read_own_record(site, alice).key
    assert key is not None
    erasure.erase_player(site, alice)
    with pytest.raises(Unauthorized):
        records.read_public_record(site, key)
    with pytest.raises(Unauthorized):
        records.publish_record(site, alice)
    assert [friend.name for friend in records.read_own_record(site, bob).friends] == ["Carol"]


@pytest.mark.long
def test_a_record_is_the_same_on_sqlite_and_postgresql(house: House) -> None:
    match_id = house.begin(3)
    house.clock.forward(hours=2)
    house.play(match_id, 0)
    with house.site.writing() as session:
        match = session.get_one(Match, match_id)
        match.status, match.outcome, match.ended_at = "over", '{"reason":"x","winners":[0]}', house.site.now()
        session.add(match)
        assert session.exec(select(AskRow).where(col(AskRow.closed_by) == "seat")).all()
    record = records.read_own_record(house.site, number_of(house, "Alice"))
    assert (record.matches, record.answers) == (1, records.Answers(1, timedelta(hours=2)))
