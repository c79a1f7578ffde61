"""Closing a season: what is done about matches that are not over, and about those that are in the way."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select, update
from sqlalchemy.exc import OperationalError

from pbem.errors import Gone
from pbem.features.leagues import founding, reading
from pbem.features.leagues.entry import entrants as admission
from pbem.features.leagues.letters import finish as letter
from pbem.features.leagues.running import bulk, seasons
from pbem.features.leagues.scores import standings
from pbem.features.leagues.tables import League
from pbem.models.deals import DealRow
from pbem.models.tables import Match, table
from pbem.services.log import store
from pbem.services.play import presence
from pbem.services.results import tallying
from pbem.services.who import STRANGER
from tests.features.leagues.cups import finish_match, pair_matches, running_cup
from tests.features.leagues.stage import (
    DAY,
    begin_season,
    end_season,
    enter_all,
    entrants_by_name,
    found_league,
    id_of_player,
    matches_of_season,
    season_row,
)
from tests.services.letterbox import kinds_of_mails
from tests.table import CAST, FOUR, THREE, House, address_of, claim_of


def points_of_division(house: House, season_id: str) -> list[float]:
    """The points of the only division, best first."""
    (division,) = standings.read_divisions(house.site, STRANGER, season_id)
    return [row.points for row in division.rows]


def status_and_deal(house: House, match_id: str) -> tuple[str, bool]:
    """The match's status, and whether its deal is open."""
    with house.site.reading() as session:
        match = session.get_one(Match, match_id)
        return match.status, match.deal_id is None or session.get_one(DealRow, match.deal_id).opened_at is not None


@pytest.mark.long
def test_the_end_of_a_duplicate_season_cancels_matches_and_opens_all_deals(house: House) -> None:
    made = found_league(house, game="niigata", matches=1, seats=2, division_size=4, duplicate=True, rest_days=None)
    enter_all(house, made.season_id, *FOUR)
    begin_season(house, made.season_id)
    first, second = (one.match_id for one in matches_of_season(house, made.season_id))
    finish_match(house, first)
    tallying.tally_matches(house.site)
    assert status_and_deal(house, first) == ("over", False)
    house.drain()
    end_season(house, made.season_id)
    assert (status_and_deal(house, first), status_and_deal(house, second)) == (("over", True), ("cancelled", True))
    assert season_row(house, made.season_id).status == "closed"
    assert points_of_division(house, made.season_id) == [1.0, 0.5, 0.5, 0.0], "a draw, by the terms"
    house.mail.clear()
    house.drain()
    assert sum("cancelled" in kinds_of_mails(house, name) for name in FOUR) == 2


def test_an_interrupted_closing_of_a_season_resumes_where_it_stopped(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seasons, "SLICE", 1)
    made, (alice, bob, carol, dave) = running_cup(house, duplicate=True)
    played = pair_matches(house, made.season_id, (alice, bob), (carol, dave), (alice, carol), (bob, dave))
    stops = iter([False, False, False])
    object.__setattr__(house.site, "stopping", lambda: next(stops, True))
    end_season(house, made.season_id)
    assert sorted(status_and_deal(house, one)[0] for one in played) == ["cancelled", "cancelled", "running", "running"]
    assert season_row(house, made.season_id).status == "running"
    object.__setattr__(house.site, "stopping", lambda: False)
    seasons.sweep_seasons(house.site)
    assert {status_and_deal(house, one) for one in played} == {("cancelled", True)}
    assert season_row(house, made.season_id).status == "closed"


@pytest.mark.long
def test_the_process_closing_a_season_renews_its_lease(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seasons, "SLICE", 1)
    made, (alice, bob, carol, dave) = running_cup(house, duplicate=True)
    pair_matches(house, made.season_id, (alice, bob), (carol, dave), (alice, carol), (bob, dave))
    left: list[timedelta] = []

    def slowly() -> bool:
        house.clock.at += seasons.LEASE * 0.9
        left.append(season_row(house, made.season_id).due_at - house.clock())
        return False

    object.__setattr__(house.site, "stopping", slowly)
    end_season(house, made.season_id)
    assert season_row(house, made.season_id).status == "closed"
    assert len(left) > 4
    assert min(left[1:]) > timedelta(), "the first time it is still due"


@pytest.mark.long
def test_the_end_of_a_season_cancels_shared_deals_but_no_other_matches(house: House) -> None:
    made, (alice, bob, carol, dave) = running_cup(house)
    shared = pair_matches(house, made.season_id, (alice, bob), (carol, dave), same_deal=True)
    (own,) = pair_matches(house, made.season_id, (alice, carol))
    end_season(house, made.season_id)
    assert [status_and_deal(house, one)[0] for one in (*shared, own)] == ["cancelled", "cancelled", "running"]


@pytest.mark.long
def test_the_end_of_a_duplicate_season_cancels_matches_with_their_own_deal(house: House) -> None:
    made, (alice, bob, carol, dave) = running_cup(house, duplicate=True)
    shared = pair_matches(house, made.season_id, (alice, bob), (carol, dave))
    (own,) = pair_matches(house, made.season_id, (alice, carol), same_deal=False)
    end_season(house, made.season_id)
    assert {status_and_deal(house, one) for one in (*shared, own)} == {("cancelled", True)}


@pytest.mark.on_postgresql
@pytest.mark.parametrize("duplicate", [False, True])
def test_a_season_whose_game_is_unavailable_is_closed_when_it_is_back(house: House, duplicate: bool) -> None:
    made, (alice, bob, carol, dave) = running_cup(house, duplicate=duplicate)
    played = pair_matches(house, made.season_id, (alice, bob), (carol, dave))
    game = set_game(house, "forgotten")
    end_season(house, made.season_id)
    assert [status_and_deal(house, one)[0] for one in played] == ["running", "running"]
    assert season_row(house, made.season_id).status == "running"
    set_game(house, game)
    house.clock.forward(minutes=10)
    seasons.sweep_seasons(house.site)
    assert season_row(house, made.season_id).status == "closed"


def set_game(house: House, slug: str) -> str:
    """Lets the league and its matches be of this game, as if theirs was gone or had come back; returns theirs."""
    with house.site.writing() as session:
        before: str = session.execute(select(table(League).c.game)).scalar_one()
        for one in (League, Match):
            session.execute(update(table(one)).values(game=slug))
        return before


def test_a_match_that_cannot_be_read_counts_as_a_draw(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    made = found_league(house, game="niigata", matches=1, seats=2, unfinished="standing")
    enter_all(house, made.season_id, "Alice", "Bob")
    begin_season(house, made.season_id)

    def broken(table: store.Table) -> None:
        raise ValueError("a log that cannot be played")

    monkeypatch.setattr(store.Table, "state", property(broken))
    end_season(house, made.season_id)
    assert season_row(house, made.season_id).status == "closed"
    assert points_of_division(house, made.season_id) == [0.5, 0.5]


def test_a_season_is_not_closed_with_draws_while_the_database_is_away(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = found_league(house, game="niigata", matches=1, seats=2, unfinished="standing")
    enter_all(house, made.season_id, "Alice", "Bob")
    begin_season(house, made.season_id)

    def away(table: store.Table) -> None:
        raise OperationalError("SELECT 1", {}, Exception("the server closed the connection"))

    with monkeypatch.context() as patched:
        patched.setattr(store.Table, "state", property(away))
        with pytest.raises(OperationalError):
            end_season(house, made.season_id)
    assert season_row(house, made.season_id).status == "running"


def test_matches_have_scores_as_they_stand_until_they_are_over(house: House) -> None:
    running, paused, over = (house.begin(2, "niigata") for _ in range(3))
    with house.site.writing() as work:
        work.get_one(Match, paused).status = "paused"
    presence.resign(house.site, claim_of(house.site, over, 0))
    assert [house.view(one, None).sheet.status for one in (running, paused, over)] == ["running", "paused", "over"]
    scores = seasons.scores_as_they_stand(house.site, [running, paused, over], lambda: True)
    assert scores == {running: (0, 0), paused: (0, 0), over: None}


def test_reading_scores_of_a_season_stops_when_the_process_must(house: House) -> None:
    made = found_league(house, game="niigata", matches=1, seats=2, unfinished="standing")
    enter_all(house, made.season_id, "Alice", "Bob")
    begin_season(house, made.season_id)
    stops = iter([False])
    object.__setattr__(house.site, "stopping", lambda: next(stops, True))
    end_season(house, made.season_id)
    assert season_row(house, made.season_id).status == "running"
    object.__setattr__(house.site, "stopping", lambda: False)
    assert seasons.sweep_seasons(house.site) == 1, "it is due at once"
    assert season_row(house, made.season_id).status == "closed"


@pytest.mark.long
def test_a_match_that_is_never_tallied_delays_a_seasons_end_by_an_hour(house: House) -> None:
    made = found_league(house, matches=1)
    enter_all(house, made.season_id, *THREE)
    begin_season(house, made.season_id)
    (one,) = matches_of_season(house, made.season_id)
    house.play_out(one.match_id)
    end_season(house, made.season_id)
    house.clock.at += seasons.PATIENCE - timedelta(minutes=1)
    seasons.sweep_seasons(house.site)
    assert season_row(house, made.season_id).status == "running"
    house.clock.forward(minutes=2)
    seasons.sweep_seasons(house.site)
    assert season_row(house, made.season_id).status == "closed"
    assert points_of_division(house, made.season_id) == [0.5] * 3


@pytest.mark.long
def test_after_a_long_outage_a_season_still_waits_for_its_results(house: House) -> None:
    made = found_league(house, game="allegeance", matches=1)
    enter_all(house, made.season_id, "Alice", "Bob")
    begin_season(house, made.season_id)
    finish_match(house, matches_of_season(house, made.season_id)[0].match_id)
    house.clock.at = season_row(house, made.season_id).ends_at + 3 * seasons.PATIENCE
    seasons.sweep_seasons(house.site)
    assert season_row(house, made.season_id).status == "running"
    tallying.tally_matches(house.site)
    house.clock.forward(minutes=2)
    seasons.sweep_seasons(house.site)
    assert points_of_division(house, made.season_id) == [1.0, 0.0]


@pytest.mark.long
def test_a_season_postponed_while_claimed_does_not_begin(house: House) -> None:
    made = found_league(house, matches=1)
    enter_all(house, made.season_id, *THREE)
    house.clock.at = season_row(house, made.season_id).starts_at
    later = house.clock() + 7 * DAY
    writing, claimed = house.site.writing, iter([True])

    def put_off_after_the_claim() -> Any:
        if not next(claimed, False):
            object.__setattr__(house.site, "writing", writing)
            founding.change_start_of_season(house.site, id_of_player(house, "Alice"), made.season_id, later)
        return writing()

    object.__setattr__(house.site, "writing", put_off_after_the_claim)
    seasons.sweep_seasons(house.site)
    row = season_row(house, made.season_id)
    assert (row.status, row.due_at) == ("open", later)


@pytest.mark.long
def test_the_final_mail_shows_the_top_of_a_division_and_the_readers_rows(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(letter, "DIVISION_MOST", 5)
    monkeypatch.setattr(letter, "FIRST", 1)
    monkeypatch.setattr(letter, "NEXT", 1)
    made = found_league(house, game="allegeance", pairing="organiser", matches=1, rest_days=None)
    enter_all(house, made.season_id, *CAST)
    bulk.begin_season_early(house.site, id_of_player(house, "Alice"), made.season_id)
    end_season(house, made.season_id)
    house.mail.clear()
    house.drain()
    last = sorted(entrants_by_name(house, made.season_id).values(), key=lambda row: row.id or 0)
    (mail,) = [one for one in house.mail.to(address_of(last[4].name)) if "is over" in one["Subject"]]
    told = mail.get_body(("plain",)).get_content()  # type: ignore[union-attr]
    assert [row.name for row in last if f". {row.name} " in told] == [last[at].name for at in (0, 3, 4, 5)]


@pytest.mark.long
def test_a_season_paired_by_its_organiser_has_a_lower_entrant_limit(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(admission, "PAIRED_MOST", 2)
    made = found_league(house, game="allegeance", pairing="organiser")
    enter_all(house, made.season_id, "Alice", "Bob")
    with pytest.raises(Gone, match="full"):
        enter_all(house, made.season_id, "Carol")
    rotation = found_league(house, game="allegeance")
    enter_all(house, rotation.season_id, *THREE)


@pytest.mark.long
def test_the_page_of_one_division_reads_only_that_division(house: House) -> None:
    made = found_league(house, matches=1, division_size=3)
    enter_all(house, made.season_id, *CAST)
    begin_season(house, made.season_id)
    (second,) = standings.read_divisions(house.site, STRANGER, made.season_id, 2)
    both = standings.read_divisions(house.site, STRANGER, made.season_id)
    assert second == both[1]
    _, view = reading.read_league_and_season(house.site, id_of_player(house, second.rows[0].name), made.season_id)
    assert view.entrant is not None
    assert (view.entrant.division, view.divisions) == (2, 2)
    assert standings.read_divisions(house.site, STRANGER, made.season_id, 9) == ()
