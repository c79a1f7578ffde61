"""A season that is paired in rotation: its start, its standings, the weekly mail, its end, and the one after it."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from msgspec import structs
from sqlalchemy import update
from sqlmodel import col, select
from structlog.testing import capture_logs

from pbem.features.circles import joining, occasions, standing, starting
from pbem.features.circles.standing import Weekly
from pbem.features.leagues import founding, reading, weekly
from pbem.features.leagues.claims import WeeklyClaim
from pbem.features.leagues.entry import entering
from pbem.features.leagues.letters import week
from pbem.features.leagues.running import bulk, seasons
from pbem.features.leagues.scores import standings
from pbem.features.leagues.tables import League, Season, SeasonMatch
from pbem.models.tables import Match, OutboxRow, Player, table
from pbem.services.lobby.match_request import Invitee, NewMatch
from pbem.services.who import STRANGER
from tests.features.circles.people import circle_of, id_in, member_claim
from tests.features.circles.people import store_result as counted
from tests.features.leagues.stage import (
    DAY,
    end_season,
    enter_all,
    found_league,
    give_result,
    id_of_player,
    matches_of_season,
    season_row,
)
from tests.services.chronicles.chronicle import Chronicle
from tests.services.mail.built import letter_of
from tests.table import CAST, House, address_of

SECOND = timedelta(seconds=1)
TERMS: dict[str, Any] = {
    "matches": 2, "seats": 2, "division_size": 3, "days": 20, "rest_days": 5, "bots": ["random", "greedy"],
}  # fmt: skip


def tell(house: House, told: Chronicle) -> None:
    for name in (*CAST, "Charlie"):
        id_of_player(house, name)
    told.skip()
    season_id = _tell_beginning(house, told)
    _tell_weeks(house, told, season_id)
    next_id = _tell_ending(house, told, season_id)
    _tell_repeats(house, told, season_id, next_id)
    _tell_lone_players(house, told)


def _sweep(house: House) -> int:
    with capture_logs():
        return seasons.sweep_seasons(house.site)


def _send(house: House) -> None:
    """Lets all mails have left."""
    with house.site.writing() as work:
        work.execute(update(table(OutboxRow)).values(done_at=house.clock()))


def _tell_beginning(house: House, told: Chronicle) -> str:
    told.part("the start")
    site, alice = house.site, id_of_player(house, "Alice")
    made = found_league(house, game="allegeance", **TERMS)
    season_id = made.season_id
    for name in ("Bob", "Alice", "Carol", "Dave", "Fanny"):
        house.clock.forward(minutes=1)
        enter_all(house, season_id, name)
    entering.withdraw_player(site, id_of_player(house, "Fanny"), season_id)
    entering.enter_bots(site, alice, season_id, "easy", 1)
    entering.invite_to_season(site, alice, season_id, [Invitee("Max", address_of("Maximilienne"))], "en")
    _send(house)
    told.skip()
    house.clock.at = season_row(house, season_id).starts_at - SECOND
    told.do("a second too early", lambda: _sweep(house))
    house.clock.forward(seconds=1)
    object.__setattr__(site, "stopping", lambda: True)
    told.do("the process is about to stop", lambda: _sweep(house))
    stops = iter([False])
    object.__setattr__(site, "stopping", lambda: next(stops, True))
    told.do("it stops before the first match is made", lambda: _sweep(house))
    object.__setattr__(site, "stopping", lambda: False)
    _sweep(house)
    told.skip()
    told.do(
        "its matches", lambda: [(one.division, one.round, one.seats) for one in matches_of_season(house, season_id)]
    )
    told.do("its kickoffs", lambda: _mails(house, "kickoff"))
    told.do("the season", lambda: _season(house, season_id))
    told.do("the table of the first division", lambda: standings.read_divisions(site, STRANGER, season_id, 1))
    told.do("of the second", lambda: standings.read_divisions(site, STRANGER, season_id, 2))
    told.do("Bob's matches", lambda: reading.read_own_matches(site, id_of_player(house, "Bob"), season_id))
    told.do("Bob's seasons", lambda: reading.read_own_current_seasons(site, id_of_player(house, "Bob")))
    told.do("begun again", lambda: bulk.begin_season_early(site, alice, season_id))
    return season_id


def _mails(house: House, kind: str) -> list[Any]:
    with house.site.reading() as session:
        found = select(OutboxRow.dedupe, OutboxRow.player_id).where(col(OutboxRow.kind) == kind)
        return [tuple(row) for row in session.exec(found.order_by(col(OutboxRow.id)))]


def _season(house: House, season_id: str) -> Any:
    return structs.replace(reading.read_league_and_season(house.site, STRANGER, season_id)[1], terms=None)


def _give(house: House, one: SeasonMatch, first: int = 0) -> None:
    """Ends the match: this seat is first, the next one second, and so on."""
    seats = len(json.loads(one.seats))
    give_result(house, one.match_id, *(1 + (seat - first) % seats for seat in range(seats)))


def _tell_weeks(house: House, told: Chronicle, season_id: str) -> None:
    told.part("the weekly mail")
    site = house.site
    _send(house)
    for number, one in enumerate(matches_of_season(house, season_id)):
        if number < 3:
            _give(house, one, number)
    circle_id = circle_of(house, "Charlie", "Bob", "Carol", "Maximilienne", title="Lakes")
    charlie = member_claim(house, circle_id, "Charlie")
    standing.set_up_table(site, charlie, NewMatch("hogen", ()), Weekly(2, 18, "Europe/Paris"))
    others = [id_in(house, circle_id, name) for name in ("Bob", "Carol")]
    counted(house, starting.create_match_and_invite_members(site, charlie, others, NewMatch("hogen", ())), [2, 1, 2])
    joining.set_member_muted_or_listed(site, member_claim(house, circle_id, "Carol"), muted=True)
    with site.writing() as work:
        p = table(Player)
        work.execute(update(p).where(p.c.id == player_id(house, "Carol")).values(weekly=False))
        work.execute(update(p).where(p.c.id == player_id(house, "Dave")).values(zone="Pacific/Kiritimati"))
    told.skip()
    for at in (
        datetime(2026, 3, 22, 16, 59, 59, tzinfo=UTC),
        datetime(2026, 3, 22, 17, tzinfo=UTC),
        datetime(2026, 3, 23, 5, 59, 59, tzinfo=UTC),
        datetime(2026, 3, 23, 6, tzinfo=UTC),
        datetime(2026, 3, 23, 17, 59, tzinfo=UTC),
    ):
        house.clock.at = at
        told.do(f"on {at:%A at %H:%M:%S} UTC", lambda: weekly.queue_weekly_mails(site))
    _send(house)
    with site.writing() as work:
        work.execute(update(p).where(p.c.id == player_id(house, "Carol")).values(weekly=True))
    told.skip()
    house.clock.at = datetime(2026, 3, 23, 18, tzinfo=UTC)
    told.do("on Monday at 19 h in Paris", lambda: weekly.queue_weekly_mails(site))
    house.clock.forward(days=1, hours=-8)
    told.do("on Tuesday", lambda: weekly.queue_weekly_mails(site))
    occasions.run_standing_tables(site)
    _send(house)
    told.skip()
    for name in ("Bob", "Carol", "Maximilienne", "Charlie", "Fanny"):
        told.do(f"what it says to {name}", partial(_what_is_told, house, name))
    own = WeeklyClaim(player_id(house, "Bob"), site.tokens.address_digest(address_of("Bob")))
    told.do("Bob's link", lambda: weekly.read_language_and_weekly_setting(site, own))
    told.do("Bob wants none", lambda: weekly.set_weekly_setting(site, own, False))
    told.do("Bob's link after that", lambda: weekly.read_language_and_weekly_setting(site, own))
    told.do("a link of another address", lambda: weekly.set_weekly_setting(site, replace(own, player_id=1), True))
    told.do("of nobody", lambda: weekly.read_language_and_weekly_setting(site, replace(own, player_id=99)))


def player_id(house: House, name: str) -> int:
    """Returns the id of one of the cast: they come in this order."""
    return (*CAST, "Charlie").index(name) + 1


def _what_is_told(house: House, name: str) -> list[Any]:
    with house.site.reading() as session:
        queued = select(OutboxRow).where(OutboxRow.kind == "week", OutboxRow.player_id == player_id(house, name))
        row = session.exec(queued).first()
        letter = letter_of(house.site, session, row)[0] if row is not None else None
    if not isinstance(letter, week.Week):
        return []
    seasons = [replace(one, entry_url="") for one in letter.seasons]
    return [*seasons, *(replace(one, circle_url="", game=None) for one in letter.circles)]


def _tell_ending(house: House, told: Chronicle, season_id: str) -> str:
    told.part("the end")
    site = house.site
    house.clock.at = season_row(house, season_id).ends_at - SECOND
    told.do("a second too early", lambda: _sweep(house))
    house.clock.forward(seconds=1)
    with site.writing() as work:
        league = table(League)
        work.execute(update(league).values(game="gone"))
    told.skip()
    told.do("the game is not there", lambda: _sweep(house))
    with site.writing() as work:
        work.execute(update(league).values(game="allegeance"))
    house.clock.forward(minutes=10)
    told.skip()
    told.do("it ends", lambda: _sweep(house))
    told.do("the tables", lambda: standings.read_divisions(site, STRANGER, season_id))
    following = reading.read_open_following_season(site, id_of_player(house, "Bob"), season_id)
    assert following is not None
    return following.id


def _tell_repeats(house: House, told: Chronicle, season_id: str, next_id: str) -> None:
    told.part("the next one")
    site = house.site
    told.do("who is asked", lambda: reading.read_open_following_season(site, id_of_player(house, "Bob"), season_id))
    for name in ("Fanny", "Dave", "Carol", "Bob"):
        house.clock.forward(minutes=1)
        enter_all(house, next_id, name)
    with site.writing() as work:
        s = table(Season)
        work.execute(update(s).where(s.c.id == next_id).values(starts_at=house.clock() + DAY, due_at=house.clock()))
    told.skip()
    told.do("it was put off", lambda: _sweep(house))
    house.clock.forward(days=1)
    _sweep(house)
    told.skip()
    told.do("who plays in which division", lambda: standings.read_divisions(site, STRANGER, next_id))
    founding.end_league(site, id_of_player(house, "Alice"), season_row(house, next_id).league_id)
    house.clock.at = season_row(house, next_id).ends_at
    m = table(Match)
    with site.writing() as work:
        untold = update(m).where(m.c.id == matches_of_season(house, next_id)[0].match_id)
        work.execute(untold.values(status="over", ended_at=house.clock()))
    told.skip()
    told.do("a match has ended just before the end", lambda: _sweep(house))
    house.clock.forward(minutes=1)
    told.do("a minute later", lambda: _sweep(house))
    house.clock.forward(minutes=59, seconds=-1)
    told.do("an hour later, but for a second", lambda: _sweep(house))
    house.clock.forward(minutes=1)
    told.do("an hour later", lambda: _sweep(house))
    told.do("after the last one nothing follows", lambda: reading.read_open_following_season(site, STRANGER, next_id))


def _tell_lone_players(house: House, told: Chronicle) -> None:
    told.part("bots alone, ranks and rules")
    site = house.site
    made = found_league(house, game="allegeance", **TERMS | {"bots": [], "matches": 1, "unfinished": "none"})
    entering.enter_bots(site, id_of_player(house, "Alice"), made.season_id, "random", 5)
    house.clock.at = season_row(house, made.season_id).starts_at
    _sweep(house)
    told.skip()
    told.do("a first season of bots", lambda: standings.read_divisions(site, STRANGER, made.season_id))
    (first, *_) = matches_of_season(house, made.season_id)
    _give(house, first)
    end_season(house, made.season_id)
    told.skip()
    told.do("unfinished matches do not count", lambda: standings.read_divisions(site, STRANGER, made.season_id))
    house.clock.forward(days=5)
    told.do("no second one takes place without people", lambda: _sweep(house))
