"""A match whose game is unavailable stands still, and blocks neither its people nor the host."""

from datetime import date, datetime, timedelta

import pytest
from sqlalchemy import text
from sqlmodel import col, select
from structlog.testing import capture_logs

from pbem.errors import GameUnavailable
from pbem.kit.contract import Outcome
from pbem.kit.replay import Extended
from pbem.models.tables import Match, OutboxRow, SeatRow
from pbem.services.clock import holidays, outages
from pbem.services.lobby.match_request import BotSeat, Invitee, NewMatch
from pbem.services.lobby.matches import accept_invitation, confirm_match, create_match
from pbem.services.log import cancellation, store
from pbem.services.play import bots, presence, timeouts
from pbem.services.players.players import request_links
from pbem.services.privacy import erasure
from pbem.services.shards import Shard
from pbem.services.views import match_list
from pbem.services.who import STRANGER
from tests.services.letterbox import kinds_of_mails, newest_mail, player_of, text_of
from tests.table import House, address_of, claim_of


def remove_game(house: House, match_id: str) -> None:
    """Uninstalls the game of this match."""
    with house.site.writing() as session:
        session.execute(text("UPDATE matches SET game = 'forgotten' WHERE id = :id"), {"id": match_id})


def bring_back(house: House, match_id: str, game: str = "hogen") -> None:
    """Installs its game again."""
    with house.site.writing() as session:
        session.execute(text("UPDATE matches SET game = :game WHERE id = :id"), {"id": match_id, "game": game})


def status_of(house: House, match_id: str) -> tuple[str, int]:
    """Returns the match's status and version."""
    with house.site.reading() as session:
        match = session.get_one(Match, match_id)
        return match.status, match.version


@pytest.fixture
def match_of_lost_game(house: House) -> str:
    """A running match of a game that is no longer installed."""
    match_id = house.begin()
    house.drain()
    remove_game(house, match_id)
    return match_id


@pytest.mark.long
def test_players_of_an_unavailable_game_still_see_their_other_matches(house: House, match_of_lost_game: str) -> None:
    other = house.begin()
    invited = [house.create(), house.create()]
    for match_id in invited:
        confirm_match(house.site, house.claim("confirm", match_id, 0), "fr", "Europe/Paris")
    remove_game(house, invited[0])
    with house.site.reading() as session:
        bob = player_of(house, "Bob")
        found = match_list.my_matches(house.site, session, bob)
    assert [(mine.sheet.id, mine.purpose) for mine in found] == [(other, "play"), (invited[1], "invitation")]
    house.drain()
    request_links(house.site, address_of("Bob"))
    house.drain()
    assert kinds_of_mails(house, "Bob")[-1] == "links"
    said = text_of(newest_mail(house, "Bob"))
    assert house.token("play", other, 1) in said
    assert house.token("play", match_of_lost_game, 1) not in said


@pytest.mark.long
def test_a_holiday_also_moves_the_deadline_of_an_unavailable_game(house: House, match_of_lost_game: str) -> None:
    other = house.begin()
    house.drain()
    bob = player_of(house, "Bob").id
    assert bob is not None
    first = date(2026, 3, 13)

    def deadlines() -> list[object]:
        with house.site.reading() as session:
            asks = [ask for match_id in (match_of_lost_game, other) for ask in store.open_asks(session, match_id)]
        return [ask.deadline for ask in asks if ask.seat == 1]

    before = deadlines()
    holidays.add_holiday(house.site, bob, first, first + timedelta(days=7))
    moved = deadlines()
    assert all(later - earlier == timedelta(days=8) for earlier, later in zip(before, moved, strict=True))  # type: ignore[operator]  # moments
    bring_back(house, match_of_lost_game)
    assert house.play(match_of_lost_game, 1).version == status_of(house, match_of_lost_game)[1]


@pytest.mark.long
def test_a_player_can_resign_from_and_return_to_an_unavailable_games_match(
    house: House, match_of_lost_game: str
) -> None:
    before = status_of(house, match_of_lost_game)[1]
    presence.resign(house.site, claim_of(house.site, match_of_lost_game, 1))
    assert status_of(house, match_of_lost_game) == ("running", before + 1)
    with house.site.writing() as session:
        session.get_one(SeatRow, (match_of_lost_game, 2)).absent = True
    presence.end_own_absence(house.site, claim_of(house.site, match_of_lost_game, 2))
    assert status_of(house, match_of_lost_game) == ("running", before + 2)
    bring_back(house, match_of_lost_game)
    house.play(match_of_lost_game, 0)
    assert house.view(match_of_lost_game, None).sheet.seats[1].resigned


def test_a_paused_match_ends_without_scores_when_only_a_bot_is_left(house: House) -> None:
    wanted = NewMatch(
        "hagakure", [Invitee("Alice", address_of("Alice")), Invitee("Bob", address_of("Bob")), BotSeat("random")]
    )
    match_id = create_match(house.site, STRANGER, wanted)
    confirm_match(house.site, house.claim("confirm", match_id, 0), "fr", "Europe/Paris")
    accept_invitation(house.site, house.claim("invitation", match_id, 1), "en", "Europe/London")
    remove_game(house, match_id)
    with house.site.writing() as session:
        session.get_one(SeatRow, (match_id, 0)).absent = True
    presence.resign(house.site, claim_of(house.site, match_id, 1))
    assert status_of(house, match_id)[0] == "paused"
    presence.resign(house.site, claim_of(house.site, match_id, 0))
    assert status_of(house, match_id)[0] == "over"
    bring_back(house, match_id, "hagakure")
    assert bots.play_quick_bots(house.site) == 0
    assert house.view(match_id, None).sheet.outcome == Outcome("last_seat", (2,))


@pytest.mark.long
def test_the_host_can_cancel_a_match_of_an_unavailable_game(house: House, match_of_lost_game: str) -> None:
    before = status_of(house, match_of_lost_game)[1]
    cancellation.cancel_match_for_host(house.site, match_of_lost_game)
    assert status_of(house, match_of_lost_game) == ("cancelled", before + 1)
    with house.site.reading() as session:
        assert store.open_asks(session, match_of_lost_game) == []


@pytest.mark.long
def test_a_player_can_be_erased_from_a_match_of_an_unavailable_game(house: House, match_of_lost_game: str) -> None:
    bob = player_of(house, "Bob").id
    assert bob is not None
    erasure.erase_player(house.site, bob)
    assert erasure.find_player_to_erase(house.site, number=bob) is None
    with house.site.reading() as session:
        seat = session.get_one(SeatRow, (match_of_lost_game, 1))
        assert (seat.player_id, seat.name, seat.resigned) == (None, "(B)", True)


# --- its clock -----------------------------------------------------------------------------------------------


def deadlines_of(house: House, match_id: str) -> list[datetime | None]:
    """Returns the deadlines of the open questions."""
    with house.site.reading() as session:
        return [ask.deadline for ask in store.open_asks(session, match_id)]


def stand_still(house: House, **time: float) -> None:
    """Lets the time pass while the sweeps run as they do."""
    timeouts.cancel_lapsed_matches(house.site)
    house.clock.forward(**time)
    with capture_logs() as logs:
        timeouts.sweep_deadlines(house.site)
        timeouts.cancel_lapsed_matches(house.site)
        bots.play_quick_bots(house.site)
    assert [line for line in logs if line["log_level"] in ("error", "critical")] == []


@pytest.mark.long
def test_an_unavailable_games_clock_stops_and_gets_its_time_back(house: House) -> None:
    lost, other = house.begin(), house.begin()
    house.drain()
    before, version = deadlines_of(house, lost), status_of(house, lost)[1]
    remove_game(house, lost)
    stand_still(house, days=9)
    assert status_of(house, lost) == ("running", version)
    assert status_of(house, other)[1] > 0
    assert house.view(other, None).entries[-1].by.clock is not None
    bring_back(house, lost)
    assert not any(timeouts.answer_expired_ask(house.site, lost, ask.key, ask.seat) for ask in house.asks(lost))
    timeouts.cancel_lapsed_matches(house.site)
    later = [None if at is None else at + timedelta(days=9) for at in before]
    assert deadlines_of(house, lost) == later
    told = [entry.event for entry in house.view(lost, None).entries if isinstance(entry.event, Extended)]
    assert told == [Extended(9 * 86_400)]
    timeouts.cancel_lapsed_matches(house.site)
    assert deadlines_of(house, lost) == later
    house.play(lost, 0)
    house.time_is_up(lost)
    assert timeouts.sweep_deadlines(house.site) > 0


@pytest.mark.long
def test_an_unavailable_game_costs_no_bank_time_even_before_a_sweep(house: House) -> None:
    lost = house.begin(bank_s=5 * 86_400, increment_s=0)
    house.drain()
    house.clock.forward(hours=2)
    remove_game(house, lost)
    stand_still(house, days=1.8)
    bring_back(house, lost)
    house.play(lost, 0)
    timeouts.cancel_lapsed_matches(house.site)
    house.play(lost, 1)
    assert [seat.bank_s for seat in house.view(lost, None).sheet.seats][:2] == [5 * 86_400 - 2 * 3600] * 2


def test_outage_time_of_an_unavailable_game_is_given_back_only_once(house: House, match_of_lost_game: str) -> None:
    before = deadlines_of(house, match_of_lost_game)
    timeouts.beat_and_sweep_deadlines_if_web_up(house.site)
    timeouts.cancel_lapsed_matches(house.site)
    house.clock.forward(hours=5)
    timeouts.beat_and_sweep_deadlines_if_web_up(house.site)
    bring_back(house, match_of_lost_game)
    timeouts.cancel_lapsed_matches(house.site)
    assert deadlines_of(house, match_of_lost_game) == [None if at is None else at + timedelta(hours=5) for at in before]


@pytest.mark.long
def test_a_game_unavailable_for_a_moment_moves_no_deadline(house: House, match_of_lost_game: str) -> None:
    before = deadlines_of(house, match_of_lost_game), status_of(house, match_of_lost_game)
    stand_still(house, minutes=5)
    bring_back(house, match_of_lost_game)
    timeouts.cancel_lapsed_matches(house.site)
    assert (deadlines_of(house, match_of_lost_game), status_of(house, match_of_lost_game)) == before
    with house.site.reading() as session:
        assert session.get_one(Match, match_of_lost_game).held_since is None


@pytest.mark.on_postgresql
def test_unavailable_matches_are_marked_as_held_once_and_by_shard(house: House, match_of_lost_game: str) -> None:
    others = [house.create() for _ in range(2)]
    for one in others:
        remove_game(house, one)
    with house.site.reading() as session:
        mine = session.exec(select(Match.id).where(*Shard(0, 2).match_conditions(col(Match.id)))).all()
    outages.hold_or_resume_unavailable_matches(house.site, Shard(0, 2))
    first = house.clock.at
    house.clock.forward(hours=1)
    assert since_when_held(house, match_of_lost_game, *others) == {
        one: first if one in mine else None for one in (match_of_lost_game, *others)
    }
    outages.hold_or_resume_unavailable_matches(house.site)
    outages.hold_or_resume_unavailable_matches(house.site, Shard(0, 2))
    later = house.clock.at
    assert since_when_held(house, match_of_lost_game, *others) == {
        one: first if one in mine else later for one in (match_of_lost_game, *others)
    }


def since_when_held(house: House, *match_ids: str) -> dict[str, datetime | None]:
    """Returns since when the matches stand still."""
    with house.site.reading() as session:
        return {one: session.get_one(Match, one).held_since for one in match_ids}


@pytest.mark.on_postgresql
def test_a_waiting_match_of_an_unavailable_game_does_not_lapse(house: House) -> None:
    match_id = house.create()
    remove_game(house, match_id)
    stand_still(house, days=40)
    assert status_of(house, match_id)[0] == "unconfirmed"
    bring_back(house, match_id)
    timeouts.cancel_lapsed_matches(house.site)
    assert status_of(house, match_id)[0] == "unconfirmed"
    house.clock.forward(days=40)
    timeouts.cancel_lapsed_matches(house.site)
    assert status_of(house, match_id)[0] == "cancelled"


@pytest.mark.long
def test_a_cancelled_match_of_an_unavailable_game_is_no_longer_held(house: House, match_of_lost_game: str) -> None:
    stand_still(house, hours=1)
    cancellation.cancel_match_for_host(house.site, match_of_lost_game)
    timeouts.cancel_lapsed_matches(house.site)
    with house.site.reading() as session:
        assert session.get_one(Match, match_of_lost_game).held_since is None


@pytest.mark.long
def test_mails_of_an_unavailable_game_wait_without_raising_the_alarm(house: House) -> None:
    lost = house.begin()
    remove_game(house, lost)
    with capture_logs() as logs:
        house.drain()
    assert "mail.unrendered" not in [line["event"] for line in logs]
    with house.site.reading() as session:
        waiting = session.exec(
            select(OutboxRow).where(col(OutboxRow.match_id) == lost, col(OutboxRow.done_at).is_(None))
        )
        rows = waiting.all()
    assert len(rows) == 3
    assert [row.unrendered_since for row in rows] == [None] * 3
    bring_back(house, lost)
    house.clock.forward(minutes=11)
    assert house.drain() == 3
    assert kinds_of_mails(house, "Bob")[-1] == "turn"


@pytest.mark.long
def test_opening_a_match_of_an_unavailable_game_says_that_it_waits(house: House, match_of_lost_game: str) -> None:
    with pytest.raises(GameUnavailable) as caught:
        house.view(match_of_lost_game, 1)
    assert (caught.value.status, caught.value.code, caught.value.retry_after) == (503, "game_unavailable", 600)
