"""The weekly mails of many players of one division, and what they say of a circle that somebody has left."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import event, update

from pbem.features.leagues import weekly
from pbem.models.tables import OutboxRow
from tests.features.leagues.admission import circle_season, leave_circle
from tests.features.leagues.stage import begin_season, enter_all, found_league, give_result, matches_of_season
from tests.services.letterbox import kinds_of_mails, newest_mail, text_of
from tests.table import House


def move_clock_to_monday(house: House) -> None:
    """Moves the clock to the next Monday morning."""
    house.clock.at = (house.clock.at + timedelta(days=7 - house.clock.at.weekday())).replace(hour=9)


def begin_season_of(house: House, names: str) -> str:
    """Begins a season of these players, whose names are "K" and a letter each, in one division; returns its id.

    Nothing but weekly mails will leave: boards take long to draw.
    """
    made = found_league(house, game="allegeance", matches=1, seats=2, division_size=32, days=60)
    enter_all(house, made.season_id, *(f"K{letter}" for letter in names))
    begin_season(house, made.season_id)
    with house.site.writing() as work:
        work.execute(update(OutboxRow).values(done_at=house.clock(), result="stale"))
    return made.season_id


def send_weekly(house: House, names: str) -> list[str]:
    """Sends the weekly mails to these players; returns the statements that this took."""
    found: list[str] = []

    def note(connection: Any, cursor: Any, statement: str, *_: Any) -> None:
        found.append(statement)

    move_clock_to_monday(house)
    weekly.queue_weekly_mails(house.site)
    event.listen(house.site.engine, "before_cursor_execute", note)
    house.drain()
    event.remove(house.site.engine, "before_cursor_execute", note)
    assert [kinds_of_mails(house, f"K{letter}")[-1:] for letter in names] == [["week"]] * len(names)
    return found


@pytest.mark.long
@pytest.mark.parametrize("names", ["ab", "abdefghk"], ids=len)
def test_a_division_is_read_once_however_many_players_are_mailed(house: House, names: str) -> None:
    begin_season_of(house, names)
    assert sum("FROM season_matches" in statement for statement in send_weekly(house, names)) == 1


@pytest.mark.on_postgresql
def test_the_weekly_mail_tells_each_reader_their_own_place(house: House) -> None:
    for one in matches_of_season(house, begin_season_of(house, "abde")):
        give_result(house, one.match_id, 1, 2)
    send_weekly(house, "abde")
    said = [text_of(newest_mail(house, f"K{letter}")).split("You are ")[1].split(",")[0] for letter in "abde"]
    assert sorted(said) == ["1st of 4", "1st of 4", "3rd of 4", "3rd of 4"]


def test_a_former_member_gets_no_mail_about_a_season_they_do_not_play(house: House) -> None:
    _made, circle_id = circle_season(house)
    leave_circle(house, circle_id, "Bob")
    move_clock_to_monday(house)
    weekly.queue_weekly_mails(house.site)
    house.drain()
    assert kinds_of_mails(house, "Bob") == []
    assert "Ours, season 1" in text_of(newest_mail(house, "Carol"))
