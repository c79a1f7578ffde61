"""Seasons: they begin and end by themselves, on their dates, with what there is."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from pbem.errors import Gone
from pbem.features.leagues import founding, news, reading
from pbem.features.leagues.entry import entering
from pbem.features.leagues.letters import finish
from pbem.features.leagues.running import seasons, starting
from pbem.features.leagues.scores import standings
from pbem.features.leagues.scores.standings import Row
from pbem.models.tables import Match
from pbem.services.who import HOST, STRANGER
from tests.features.leagues.cups import running_cup
from tests.features.leagues.stage import (
    DAY,
    begin_season,
    end_season,
    enter_all,
    entrants_by_name,
    found_league,
    give_result,
    id_of_player,
    matches_of_season,
    season_row,
)
from tests.services.letterbox import kinds_of_mails, newest_mail, text_of
from tests.table import CAST, FOUR, THREE, House, address_of


def rows_of_division(house: House, season_id: str) -> list[Row]:
    """Returns the only division's rows."""
    (division,) = standings.read_divisions(house.site, STRANGER, season_id)
    return list(division.rows)


@pytest.mark.long
def test_a_season_begins_and_ends_on_its_dates_and_announces_the_next(house: House) -> None:
    made = found_league(house, matches=2)
    enter_all(house, made.season_id, *THREE)
    assert seasons.sweep_seasons(house.site) == 0
    begin_season(house, made.season_id)
    assert season_row(house, made.season_id).status == "running"
    played = matches_of_season(house, made.season_id)
    assert [one.round for one in played] == [1, 2]
    give_result(house, played[0].match_id, 1, 2, 3)
    end_season(house, made.season_id)
    assert season_row(house, made.season_id).status == "closed"
    found = rows_of_division(house, made.season_id)
    assert [(row.place, row.points, row.played, row.matches) for row in found] == [
        (1, 1.5, 1, 2), (2, 1.0, 1, 2), (3, 0.5, 1, 2)
    ]  # fmt: skip
    assert found[0].entrant_id == json.loads(played[0].seats)[0]
    following, _ = reading.read_league(house.site, STRANGER, made.league_id).seasons
    assert (following.number, following.status, following.entered) == (2, "open", 0)
    assert following.starts_at == season_row(house, made.season_id).ends_at + 7 * DAY
    assert {one.status for one in entrants_by_name(house, following.id).values()} == {"invited"}, "nobody plays unasked"


@pytest.mark.long
def test_all_matches_of_a_season_start_at_once_without_invitations(house: House) -> None:
    made = found_league(house, matches=2)
    enter_all(house, made.season_id, *THREE)
    begin_season(house, made.season_id)
    for one in matches_of_season(house, made.season_id):
        assert [seat.status for seat in house.view(one.match_id, None).sheet.seats] == ["accepted"] * 3
        assert house.asks(one.match_id)
    house.drain()
    for name in THREE:
        subjects = [mail["Subject"] for mail in house.mail.to(address_of(name))]
        assert sum("has begun" in subject for subject in subjects) == 1
        assert not any("invites" in subject for subject in subjects)


def test_a_season_with_too_few_entrants_is_called_off_with_a_mail(house: House) -> None:
    made = found_league(house)
    enter_all(house, made.season_id, "Alice", "Bob")
    begin_season(house, made.season_id)
    assert season_row(house, made.season_id).status == "cancelled"
    assert matches_of_season(house, made.season_id) == []
    house.drain()
    mail, following = house.mail.to("bob@example.org")
    assert "/entry/" in following.get_body(("plain",)).get_content(), "the next one is announced"  # type: ignore[union-attr]
    assert "does not take place" in mail["Subject"]
    assert seasons.sweep_seasons(house.site) == 0


@pytest.mark.parametrize(("unfinished", "points"), [("half", [0.5] * 3), ("none", [0.0] * 3)])
def test_unfinished_matches_count_by_the_rule_of_the_terms(
    house: House, unfinished: str, points: list[float]
) -> None:  # fmt: skip
    made = found_league(house, matches=1, unfinished=unfinished)
    enter_all(house, made.season_id, *THREE)
    begin_season(house, made.season_id)
    (one,) = matches_of_season(house, made.season_id)
    end_season(house, made.season_id)
    assert [row.points for row in rows_of_division(house, made.season_id)] == points
    with house.site.reading() as session:
        assert session.get_one(Match, one.match_id).status == "running", "it goes on"


@pytest.mark.long
def test_a_match_of_a_game_with_scores_can_count_as_it_stands(house: House) -> None:
    made = found_league(house, game="niigata", matches=1, seats=2, unfinished="standing")
    enter_all(house, made.season_id, "Alice", "Bob")
    begin_season(house, made.season_id)
    (one,) = matches_of_season(house, made.season_id)
    while len({*(scores := standing_scores(house, one.match_id))}) == 1:
        (ask, *_) = house.asks(one.match_id)
        house.bot_plays(one.match_id, ask.seat)
    end_season(house, made.season_id)
    leader = json.loads(one.seats)[scores.index(max(scores))]
    assert [(row.entrant_id == leader, row.points) for row in rows_of_division(house, made.season_id)] == [
        (True, 1),
        (False, 0),
    ]


def standing_scores(house: House, match_id: str) -> tuple[int, ...]:
    view = house.view(match_id, None)
    scores = view.game.scores(view.fold)
    assert scores is not None
    return scores


def test_a_season_waits_for_finished_matches_not_yet_tallied(house: House) -> None:
    made = found_league(house, matches=1)
    enter_all(house, made.season_id, *THREE)
    begin_season(house, made.season_id)
    (one,) = matches_of_season(house, made.season_id)
    house.play_out(one.match_id)
    end_season(house, made.season_id)
    assert season_row(house, made.season_id).status == "running"
    give_result(house, one.match_id, 1, 2, 2)
    house.clock.forward(minutes=2)
    seasons.sweep_seasons(house.site)
    assert [row.points for row in rows_of_division(house, made.season_id)] == [1, 0.25, 0.25]


@pytest.mark.long
def test_an_interrupted_season_start_creates_no_table_twice(house: House) -> None:
    made = found_league(house, matches=3, division_size=3)
    entering.enter_bots(house.site, HOST, made.season_id, "random", 30)
    stops = iter([False, False, True])
    object.__setattr__(house.site, "stopping", lambda: next(stops, True))
    begin_season(house, made.season_id)
    assert season_row(house, made.season_id).status == "starting"
    assert len(matches_of_season(house, made.season_id)) == 20, "a slice"
    object.__setattr__(house.site, "stopping", lambda: False)
    seasons.sweep_seasons(house.site)
    seasons.sweep_seasons(house.site)
    known = [(one.division, one.round, one.seats) for one in matches_of_season(house, made.season_id)]
    assert len(known) == len({*known}) == 30
    assert season_row(house, made.season_id).status == "running"


def test_a_stopped_sweep_leaves_its_season_to_the_next(house: House) -> None:
    made = found_league(house, matches=1)
    enter_all(house, made.season_id, *THREE)
    house.clock.at = season_row(house, made.season_id).starts_at
    stopped = iter([False])
    object.__setattr__(house.site, "stopping", lambda: next(stopped, True))
    seasons.sweep_seasons(house.site)  # it stops before its first match
    object.__setattr__(house.site, "stopping", lambda: False)
    assert seasons.sweep_seasons(house.site) == 1
    assert seasons.sweep_seasons(house.site) == 0


def test_a_worker_whose_lease_expired_leaves_the_season_to_the_next(house: House) -> None:
    made = found_league(house, matches=1)
    enter_all(house, made.season_id, *THREE)
    house.clock.at = season_row(house, made.season_id).starts_at
    writing, claimed = house.site.writing, iter([True])

    def take_long_after_the_claim() -> Any:
        if not next(claimed, False):
            object.__setattr__(house.site, "writing", writing)
            house.clock.forward(minutes=10)
            stopped = iter([False])
            object.__setattr__(house.site, "stopping", lambda: next(stopped, True))
            seasons.sweep_seasons(house.site)  # another worker, which stops before its first match
            object.__setattr__(house.site, "stopping", lambda: False)
        return writing()

    object.__setattr__(house.site, "writing", take_long_after_the_claim)
    seasons.sweep_seasons(house.site)
    assert (season_row(house, made.season_id).status, matches_of_season(house, made.season_id)) == ("starting", [])
    seasons.sweep_seasons(house.site)
    assert (season_row(house, made.season_id).status, len(matches_of_season(house, made.season_id))) == ("running", 1)


def test_a_season_whose_worker_died_is_due_again_when_its_lease_ends(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    class Died(BaseException):
        """Like a kill: nobody catches it."""

    def die(*_: object) -> None:
        raise Died

    made = found_league(house, matches=1)
    enter_all(house, made.season_id, *THREE)
    with monkeypatch.context() as patch:
        patch.setattr(starting, "create_missing_matches", die)
        with pytest.raises(Died):
            begin_season(house, made.season_id)
    house.clock.forward(minutes=9, seconds=59)
    assert seasons.sweep_seasons(house.site) == 0
    house.clock.forward(seconds=1)
    assert seasons.sweep_seasons(house.site) == 1
    assert season_row(house, made.season_id).status == "running"


@pytest.mark.long
def test_promotion_and_relegation_hold_for_those_who_enter_again(house: House) -> None:
    made = found_league(house, matches=1, division_size=3)
    enter_all(house, made.season_id, *CAST)
    begin_season(house, made.season_id)
    for one in matches_of_season(house, made.season_id):
        give_result(house, one.match_id, 1, 2, 3)
    end_season(house, made.season_id)
    before = entrants_by_name(house, made.season_id)
    moved = {name: row.moves_to for name, row in before.items()}
    assert sorted(moved.values(), key=str) == [1, 1, 1, 2, 2, 2]
    following = reading.read_league(house.site, STRANGER, made.league_id).seasons[0]
    enter_all(house, following.id, *CAST)
    begin_season(house, following.id)
    assert {name: row.division for name, row in entrants_by_name(house, following.id).items()} == moved


def test_the_organiser_can_end_a_season_early_and_the_league_for_good(house: House) -> None:
    made = found_league(house, matches=1)
    enter_all(house, made.season_id, *THREE)
    begin_season(house, made.season_id)
    alice, bob = id_of_player(house, "Alice"), id_of_player(house, "Bob")
    founding.end_league(house.site, alice, made.league_id)
    assert season_row(house, made.season_id).status == "running"
    with pytest.raises(Exception, match="organiser"):
        seasons.end_season_early(house.site, bob, made.season_id)
    seasons.end_season_early(house.site, alice, made.season_id)
    seasons.sweep_seasons(house.site)
    assert season_row(house, made.season_id).status == "closed"
    assert len(reading.read_league(house.site, STRANGER, made.league_id).seasons) == 1, "no next one"
    with pytest.raises(Gone):
        founding.open_season(house.site, alice, made.league_id, house.clock() + DAY)


def test_the_final_mail_shows_the_standings_and_asks_about_the_next_season(house: House) -> None:
    made = found_league(house, matches=1)
    enter_all(house, made.season_id, *THREE)
    begin_season(house, made.season_id)
    house.drain()
    end_season(house, made.season_id)
    house.mail.clear()
    house.drain()
    assert kinds_of_mails(house, "Bob").count("finish") == 1
    (mail,) = [one for one in house.mail.to("bob@example.org") if "is over" in one["Subject"]]
    text = mail.get_body(("plain",)).get_content()  # type: ignore[union-attr]
    assert "/entry/" in text
    assert all(name in text for name in THREE)
    assert sum("Bob" in line and line.startswith("* ") for line in text.splitlines()) == 1


def test_a_large_divisions_mail_shows_its_top_and_the_readers_neighbours(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, number in (("DIVISION_MOST", 3), ("FIRST", 1), ("NEXT", 1)):
        monkeypatch.setattr(finish, name, number)
    made, _ = running_cup(house)
    seasons.end_season_early(house.site, id_of_player(house, "Alice"), made.season_id)
    seasons.sweep_seasons(house.site)
    house.drain()
    shown = {name: re.findall(r"\d+\. (\w+) — ", text_of(newest_mail(house, name))) for name in FOUR}
    assert shown == {
        "Alice": ["Alice", "Bob"],
        "Bob": ["Alice", "Bob", "Carol"],
        "Carol": ["Alice", "Bob", "Carol", "Dave"],
        "Dave": ["Alice", "Carol", "Dave"],
    }


@pytest.mark.long
def test_a_division_whose_number_does_not_fit_has_uneven_tables(house: House) -> None:
    made = found_league(house, matches=1)
    enter_all(house, made.season_id, *FOUR)
    begin_season(house, made.season_id)
    assert [len(json.loads(one.seats)) for one in matches_of_season(house, made.season_id)] == [4]


@pytest.mark.long
def test_a_season_lets_players_take_back_only_moves_that_revealed_nothing(house: House) -> None:
    """Against bots alone a request would be granted at once: look, take back, and play knowing."""
    made = found_league(house, game="niigata", matches=1, seats=2)
    enter_all(house, made.season_id, "Alice")
    entering.enter_bots(house.site, HOST, made.season_id, "random", 1)
    begin_season(house, made.season_id)
    (one,) = matches_of_season(house, made.season_id)
    with house.site.reading() as session:
        assert session.get_one(Match, one.match_id).takebacks == "free"


@pytest.mark.on_postgresql
def test_the_bots_named_in_the_terms_fill_the_last_table(house: House) -> None:
    made = found_league(house, matches=1, bots=["greedy"])
    enter_all(house, made.season_id, *FOUR)
    begin_season(house, made.season_id)
    assert [len(json.loads(one.seats)) for one in matches_of_season(house, made.season_id)] == [3, 3]
    assert sum(one.bot == "greedy" for one in entrants_by_name(house, made.season_id).values()) == 2


def test_a_finished_season_lists_entrants_by_final_place(house: House) -> None:
    made = found_league(house, game="niigata", matches=2, seats=2)
    enter_all(house, made.season_id, "Alice", "Bob", "Carol", "Dave")
    begin_season(house, made.season_id)
    first, *_ = matches_of_season(house, made.season_id)
    give_result(house, first.match_id, 2, 1)
    end_season(house, made.season_id)
    (division,) = standings.read_divisions(house.site, STRANGER, made.season_id)
    places = [row.place for row in division.rows]
    assert places == sorted(places)
    assert places[0] == 1
    assert [row.points for row in division.rows] == sorted((row.points for row in division.rows), reverse=True)
    assert len({*places}) > 2, "unfinished matches have moved some"


@pytest.mark.long
def test_the_next_season_keeps_the_organisers_bots_but_not_the_fillers(house: House) -> None:
    made = found_league(house, matches=1, bots=["greedy"])
    enter_all(house, made.season_id, *THREE)
    entering.enter_bots(house.site, HOST, made.season_id, "random", 1)
    begin_season(house, made.season_id)
    assert len(entrants_by_name(house, made.season_id)) == 6
    end_season(house, made.season_id)
    following = reading.read_league(house.site, STRANGER, made.league_id).seasons[0]
    assert sorted(one.bot or "" for one in entrants_by_name(house, following.id).values()) == ["", "", "", "random"]


def test_carrying_over_to_a_new_season_can_leave_out_the_bots(house: House) -> None:
    made, empty = found_league(house, matches=1), found_league(house, matches=1)
    enter_all(house, made.season_id, "Alice", "Bob")
    entering.enter_bots(house.site, HOST, made.season_id, "random", 1)
    with house.site.writing() as work:
        news.carry_entrants_over(work, made.season_id, empty.season_id, house.clock(), bots=False)
    assert entrants_by_name(house, empty.season_id).keys() == {"Alice", "Bob"}
    with house.site.writing() as work:
        news.carry_entrants_over(work, made.season_id, empty.season_id, house.clock())
    assert len(entrants_by_name(house, empty.season_id)) == 3


@pytest.mark.long
def test_bots_alone_do_not_play_a_season_after_the_first(house: House) -> None:
    made = found_league(house, matches=1, least=3)
    enter_all(house, made.season_id, "Alice")
    entering.enter_bots(house.site, HOST, made.season_id, "random", 5)
    begin_season(house, made.season_id)
    assert season_row(house, made.season_id).status == "running"
    end_season(house, made.season_id)
    following = reading.read_league(house.site, STRANGER, made.league_id).seasons[0]
    begin_season(house, following.id)
    assert season_row(house, following.id).status == "cancelled"
    assert len(reading.read_league(house.site, STRANGER, made.league_id).seasons) == 2, "nobody waits for another"


def test_after_a_season_called_off_the_next_has_its_divisions_and_invitees(house: House) -> None:
    made = found_league(house, matches=1, division_size=3, least=4)
    enter_all(house, made.season_id, *CAST)
    begin_season(house, made.season_id)
    for one in matches_of_season(house, made.season_id):
        give_result(house, one.match_id, 1, 2, 3)
    end_season(house, made.season_id)
    moved = {name: row.moves_to for name, row in entrants_by_name(house, made.season_id).items()}
    second = reading.read_league(house.site, STRANGER, made.league_id).seasons[0]
    enter_all(house, second.id, "Alice")
    begin_season(house, second.id)
    assert season_row(house, second.id).status == "cancelled"
    third = reading.read_league(house.site, STRANGER, made.league_id).seasons[0]
    assert (third.number, third.starts_at) == (3, house.clock() + 7 * DAY)
    assert {row.status for row in entrants_by_name(house, third.id).values()} == {"invited"}
    house.drain()
    assert "callup" in kinds_of_mails(house, "Bob")
    enter_all(house, third.id, *CAST)
    begin_season(house, third.id)
    assert {name: row.division for name, row in entrants_by_name(house, third.id).items()} == moved
