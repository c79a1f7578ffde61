"""An organiser makes many matches of their season at once: all of them, once, or none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from sqlmodel import select

from pbem.errors import Forbidden, Gone, Invalid, KeyReused, NotFound
from pbem.features.leagues.entry import entering
from pbem.features.leagues.running import bulk, seasons
from pbem.features.leagues.running.bulk import NewTable
from pbem.features.leagues.tables import Entrant, SeasonMatch
from pbem.models.deals import DealRow
from pbem.models.tables import Match, SeatRow
from pbem.services.access.idempotency import IdempotencyKey
from tests.features.leagues.cups import open_cup, pair_matches, running_cup
from tests.features.leagues.stage import found_league, id_of_player, matches_of_season, season_row
from tests.table import House


def facts_of_refusal(house: House, season_id: str, wanted: Sequence[NewTable], **more: Any) -> str:
    """The field that is named in the refusal of these tables, of which none was made."""
    before = len(matches_of_season(house, season_id))
    with pytest.raises(Invalid) as problem:
        bulk.create_and_start_tables(house.site, id_of_player(house, "Alice"), season_id, wanted, **more)
    assert len(matches_of_season(house, season_id)) == before
    (field,) = problem.value.fields
    return field


def seats_of(house: House, match_id: str) -> list[tuple[str, str]]:
    """The names and states of the match's seats."""
    with house.site.reading() as session:
        rows = session.exec(select(SeatRow).where(SeatRow.match_id == match_id).order_by("seat")).all()
        return [(row.name, row.status) for row in rows]


@pytest.mark.long
def test_paired_matches_run_at_once_with_the_seats_as_given(house: House) -> None:
    made, (alice, bob, carol, dave) = running_cup(house)
    first, second = pair_matches(house, made.season_id, (dave, alice), (bob, carol))
    assert seats_of(house, first) == [("Dave", "accepted"), ("Alice", "accepted")]
    assert seats_of(house, second) == [("Bob", "accepted"), ("Carol", "accepted")]
    with house.site.reading() as session:
        assert {session.get_one(Match, match_id).status for match_id in (first, second)} == {"running"}
    assert {row.match_id: (row.round, row.seats) for row in matches_of_season(house, made.season_id)} == {
        first: (1, f"[{dave}, {alice}]"), second: (1, f"[{bob}, {carol}]"),
    }  # fmt: skip
    assert house.play(first, house.asks(first)[0].seat).version > 0


@pytest.mark.long
def test_an_entrants_next_paired_match_is_in_the_next_round(house: House) -> None:
    made, (alice, bob, carol, dave) = running_cup(house)
    tables_made = bulk.create_and_start_tables(
        house.site, id_of_player(house, "Alice"), made.season_id,
        [NewTable((alice, bob)), NewTable((alice, carol)), NewTable((bob, dave)), NewTable((carol, dave), 3)],
    )  # fmt: skip
    assert [one.round for one in tables_made] == [1, 2, 2, 3]
    with house.site.reading() as session:
        commitments = [session.get_one(Match, one.id).commitment for one in tables_made]
    assert [one.commitment for one in tables_made] == commitments


def test_a_repeated_pairing_request_creates_nothing_and_answers_alike(house: House) -> None:
    made, (alice, bob, carol, dave) = running_cup(house)
    key = IdempotencyKey("player:1", "one", "digest")
    first = pair_matches(house, made.season_id, (alice, bob), (carol, dave), once=key)
    again = IdempotencyKey("player:1", "one", "digest")
    assert pair_matches(house, made.season_id, (alice, bob), (carol, dave), once=again) == first
    assert again.replayed
    assert len(matches_of_season(house, made.season_id)) == 2
    with pytest.raises(KeyReused):
        pair_matches(house, made.season_id, (alice, dave), once=IdempotencyKey("player:1", "one", "another digest"))
    assert len(matches_of_season(house, made.season_id)) == 2


def test_one_impossible_table_cancels_the_whole_pairing_request(house: House) -> None:
    made, (alice, bob, carol, dave) = running_cup(house)
    good = NewTable((alice, bob))
    assert facts_of_refusal(house, made.season_id, [good, NewTable((carol,))]) == "matches.1.seats"
    assert facts_of_refusal(house, made.season_id, [good, NewTable((carol, carol))]) == "matches.1.seats.1"
    assert facts_of_refusal(house, made.season_id, [good, NewTable((999, carol))]) == "matches.1.seats.0"
    assert facts_of_refusal(house, made.season_id, [good, NewTable((carol, alice), 1)]) == "matches.1.round"
    assert facts_of_refusal(house, made.season_id, []) == "matches"
    assert facts_of_refusal(house, made.season_id, [good] * (bulk.MOST + 1)) == "matches"
    pair_matches(house, made.season_id, (alice, bob), (alice, carol), (alice, dave))
    more = [NewTable((bob, dave)), NewTable((alice, bob))]
    assert facts_of_refusal(house, made.season_id, more) == "matches.1.seats.0", "the terms say three"


def test_an_entrant_who_withdrew_cannot_be_paired(house: House) -> None:
    made, (alice, bob, carol, dave) = open_cup(house)
    entering.withdraw_player(house.site, id_of_player(house, "Dave"), made.season_id)
    bulk.begin_season_early(house.site, id_of_player(house, "Alice"), made.season_id)
    assert (
        facts_of_refusal(house, made.season_id, [NewTable((alice, bob)), NewTable((carol, dave))])
        == "matches.1.seats.1"
    )


def test_only_the_organiser_of_a_running_season_pairs_its_matches(house: House) -> None:
    made, (alice, bob, *_) = open_cup(house)
    wanted, charlie = [NewTable((alice, bob))], id_of_player(house, "Charlie")
    organiser = id_of_player(house, "Alice")
    with pytest.raises(Gone):
        bulk.create_and_start_tables(house.site, organiser, made.season_id, wanted)
    bulk.begin_season_early(house.site, organiser, made.season_id)
    with pytest.raises(Forbidden):
        bulk.create_and_start_tables(house.site, charlie, made.season_id, wanted)
    with pytest.raises(Forbidden):
        bulk.begin_season_early(house.site, charlie, made.season_id)
    with pytest.raises(NotFound):
        bulk.create_and_start_tables(house.site, organiser, "f" * 24, wanted)
    with pytest.raises(Gone):
        bulk.begin_season_early(house.site, organiser, made.season_id)
    assert matches_of_season(house, made.season_id) == []


def test_the_next_sweep_pairs_a_rotation_season_started_by_hand(house: House) -> None:
    made, entered = open_cup(house, pairing="rotation")
    with pytest.raises(Gone):
        bulk.create_and_start_tables(
            house.site, id_of_player(house, "Alice"), made.season_id, [NewTable(tuple(entered[:2]))]
        )
    bulk.begin_season_early(house.site, id_of_player(house, "Alice"), made.season_id)
    assert season_row(house, made.season_id).status == "open"
    assert seasons.sweep_seasons(house.site) == 1
    row = season_row(house, made.season_id)
    assert (row.status, row.starts_at) == ("running", house.clock())
    assert len(matches_of_season(house, made.season_id)) == 6


def test_a_season_with_too_few_entrants_cannot_be_started_by_hand(house: House) -> None:
    made = found_league(house, game="allegeance", pairing="organiser", least=3)
    for name in ("Alice", "Bob"):
        entering.enter_player(house.site, id_of_player(house, name), made.season_id, name)
    with pytest.raises(Gone):
        bulk.begin_season_early(house.site, id_of_player(house, "Alice"), made.season_id)
    assert season_row(house, made.season_id).status == "open"


@pytest.mark.long
def test_tables_of_one_request_share_a_sealed_deal_only_if_asked(house: House) -> None:
    made, (alice, bob, carol, dave) = running_cup(house)
    apart = pair_matches(house, made.season_id, (alice, bob), (carol, dave))
    shared = pair_matches(house, made.season_id, (alice, carol), (bob, dave), same_deal=True)
    with house.site.reading() as session:
        deals = [session.get_one(Match, match_id).deal_id for match_id in (*apart, *shared)]
        assert deals[:2] == [None, None]
        assert deals[2] == deals[3] is not None
        row = session.get_one(DealRow, deals[2])
        assert (row.closed, row.tables_left) == (True, 2)


def test_no_entrant_plays_the_same_deal_twice(house: House) -> None:
    made, (alice, bob, carol, dave) = running_cup(house)
    again = [NewTable((alice, bob)), NewTable((carol, dave)), NewTable((carol, alice))]
    found = facts_of_refusal(house, made.season_id, again, same_deal=True)
    assert found == "matches.2.seats.0"


def test_each_round_of_a_duplicate_season_has_a_deal_of_its_own(house: House) -> None:
    made, (alice, bob, carol, dave) = running_cup(house, duplicate=True)
    played = pair_matches(house, made.season_id, (alice, bob), (carol, dave), (carol, alice), (dave, bob))
    with house.site.reading() as session:
        deals = [session.get_one(Match, match_id).deal_id for match_id in played]
    assert deals[0] == deals[1] != deals[2] == deals[3]


def test_a_bot_sits_on_the_seat_of_an_entrant_who_was_erased(house: House) -> None:
    made, (alice, bob, *_) = running_cup(house)
    with house.site.writing() as work:
        entrant = work.get_one(Entrant, bob)
        entrant.player_id, entrant.name, entrant.status = None, "", "erased"
        work.add(entrant)
    (match_id,) = pair_matches(house, made.season_id, (alice, bob))
    with house.site.reading() as session:
        assert session.get_one(SeatRow, (match_id, 1)).bot is not None
        assert session.get_one(SeasonMatch, match_id).seats == f"[{alice}, {bob}]"
