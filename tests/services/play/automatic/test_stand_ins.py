"""A bot plays for a player who is absent, if they have chosen one: it is told as its, and ends when they are back."""

from __future__ import annotations

from typing import Any

import pytest

from pbem import games
from pbem.errors import Gone, Invalid
from pbem.games import Found
from pbem.kit.logs import logfile
from pbem.kit.logs.verdict import verify
from pbem.kit.replay import Absent, By
from pbem.services.lobby.match_request import SILENT
from pbem.services.log.table import lock_table
from pbem.services.monitoring import backlog
from pbem.services.play import bots, presence, stand_ins, timeouts
from pbem.services.views import match_views
from tests.kit.toys import IMAGINING
from tests.services.play.stage.presence import miss_turns, seat_of
from tests.table import House, claim_of
from tests.windows import answer_window, pass_floor, play_to_window, rows_of

GAME = IMAGINING.meta.slug


@pytest.fixture(autouse=True)
def imagining(monkeypatch: pytest.MonkeyPatch) -> None:
    """A game that bots can think about is installed."""
    known = {**games.found_games(), GAME: Found(IMAGINING, "pbem.games.hogen", "tests")}
    monkeypatch.setattr(games, "look_for_games", lambda: (known, ()))


def match_with_absent_bob(house: House, bot: str, game: str = "hogen", seats: int = 3) -> str:
    """A match in which Bob has chosen this bot, and has become absent."""
    match_id = house.begin(seats, game=game)
    stand_ins.choose_stand_in(house.site, claim_of(house.site, match_id, 1), bot)
    if game == GAME:  # too short for two missed turns
        make_absent(house, match_id)
    else:
        miss_turns(house, match_id, 1)
    assert seat_of(house, match_id, 1).absent
    return match_id


def make_absent(house: House, match_id: str, seat: int = 1) -> None:
    """The player of this seat, Bob, is absent from now on."""
    with house.site.writing() as work:
        locked = lock_table(work, match_id)
        locked.record([Absent(seat)])
        row = locked.seats[seat]
        row.absent, row.misses, row.away_n = True, 2, locked.match.version


def next_of_bob(house: House, match_id: str) -> None:
    """Plays for the others until Bob is asked."""
    while all(ask.seat != 1 for ask in house.asks(match_id)):
        house.play(match_id, house.asks(match_id)[0].seat)


def bots_that_moved(house: House, match_id: str) -> set[tuple[int | None, str | None]]:
    """Returns which bots have moved, and for which seats."""
    return {(e.by.bot, e.by.via) for e in house.view(match_id, None).entries if e.by.bot is not None}


def test_the_chosen_bot_plays_for_an_absent_player_and_the_story_says_so(house: House) -> None:
    match_id = match_with_absent_bob(house, "greedy")
    before = house.view(match_id, None).sheet.version
    next_of_bob(house, match_id)
    assert timeouts.sweep_deadlines(house.site) >= 1
    answered = [entry for entry in house.view(match_id, None).entries[before:] if entry.by.bot == 1]
    assert answered
    assert {entry.by.via for entry in answered} == {"greedy"}
    assert all(entry.by.clock != 1 for entry in house.view(match_id, None).entries[before:])
    told = [line.text for line in house.view(match_id, None).story("en", 0)]
    assert any(line.startswith("Move by a bot (Good bot) for {1}.") for line in told)


@pytest.mark.long
def test_without_a_chosen_stand_in_no_bot_plays_for_an_absent_player(house: House) -> None:
    match_id = match_with_absent_bob(house, "")
    next_of_bob(house, match_id)
    timeouts.sweep_deadlines(house.site)
    assert bots_that_moved(house, match_id) == set()


def test_the_stand_in_never_plays_for_a_present_player(house: House) -> None:
    match_id = house.begin()
    stand_ins.choose_stand_in(house.site, claim_of(house.site, match_id, 1), "greedy")
    miss_turns(house, match_id, 1, 1)
    assert bots_that_moved(house, match_id) == set()
    assert [e.by.clock for e in house.view(match_id, None).entries if e.by.clock is not None]


def test_a_stand_in_stops_when_the_player_is_back(house: House) -> None:
    match_id = match_with_absent_bob(house, "easy", GAME, 2)
    next_of_bob(house, match_id)
    timeouts.sweep_deadlines(house.site)  # left to the bot, which has not begun yet
    presence.end_own_absence(house.site, claim_of(house.site, match_id, 1))
    assert bots.play_thinkers(house.site) == 0
    assert [ask.seat for ask in house.asks(match_id)] == [1]
    house.play(match_id, 1)
    assert bots_that_moved(house, match_id) == set()


@pytest.mark.long
def test_a_thinking_stand_in_thinks_in_the_thinking_worker(house: House) -> None:
    match_id = match_with_absent_bob(house, "easy", GAME, 2)
    next_of_bob(house, match_id)
    house.wakes.clear()
    assert timeouts.sweep_deadlines(house.site) == 0
    assert house.wakes
    assert timeouts.sweep_deadlines(house.site) == 0, "it has time"
    assert bots.play_thinkers(house.site) == 1
    assert bots_that_moved(house, match_id) == {(1, "easy")}


def test_if_a_stand_in_does_not_think_in_time_the_fallback_plays(house: House) -> None:
    match_id = match_with_absent_bob(house, "easy", GAME, 2)
    next_of_bob(house, match_id)
    timeouts.sweep_deadlines(house.site)
    house.clock.forward(seconds=stand_ins.BOT_PATIENCE.total_seconds() + 1)
    assert timeouts.sweep_deadlines(house.site) == 1
    assert bots_that_moved(house, match_id) == set()


def test_choosing_the_same_stand_in_again_leaves_it_to_think(house: House) -> None:
    match_id = match_with_absent_bob(house, "easy", GAME, 2)
    next_of_bob(house, match_id)
    timeouts.sweep_deadlines(house.site)
    stand_ins.choose_stand_in(house.site, claim_of(house.site, match_id, 1), "easy")
    assert bots.play_thinkers(house.site) == 1
    assert bots_that_moved(house, match_id) == {(1, "easy")}


def test_choosing_another_stand_in_repeatedly_does_not_delay_the_match(house: House) -> None:
    match_id = match_with_absent_bob(house, "easy", GAME, 2)
    next_of_bob(house, match_id)
    for bot in ("fair", "easy"):
        assert timeouts.sweep_deadlines(house.site) == 0
        house.clock.forward(seconds=stand_ins.BOT_PATIENCE.total_seconds() / 2 + 1)
        stand_ins.choose_stand_in(house.site, claim_of(house.site, match_id, 1), bot)
    assert timeouts.sweep_deadlines(house.site) == 1
    assert bots_that_moved(house, match_id) == set()


@pytest.mark.long
@pytest.mark.parametrize("in_time", [True, False])
def test_a_stand_in_has_its_time_to_think_however_late_the_sweep_comes(house: House, in_time: bool) -> None:
    match_id = match_with_absent_bob(house, "easy", GAME, 2)
    next_of_bob(house, match_id)
    house.clock.forward(seconds=2 * stand_ins.BOT_PATIENCE.total_seconds())
    assert timeouts.sweep_deadlines(house.site) == 0
    house.clock.forward(seconds=stand_ins.BOT_PATIENCE.total_seconds() / 2 if in_time else LONG_S)
    assert count_late_questions(house) == (0 if in_time else 1)
    assert bots.is_any_thinker_asked(house.site)
    assert timeouts.sweep_deadlines(house.site) == (0 if in_time else 1)
    assert bots.play_thinkers(house.site) == (1 if in_time else 0)
    assert count_late_questions(house) == 0
    assert bots_that_moved(house, match_id) == ({(1, "easy")} if in_time else set())


LONG_S = stand_ins.BOT_PATIENCE.total_seconds() + 1


def count_late_questions(house: House) -> int:
    """Returns how many questions the clock should have answered."""
    with house.site.one_statement() as connection:
        return backlog.asks_due(connection, house.site.now()).count


@pytest.mark.long
def test_views_of_others_do_not_reveal_an_absent_players_stand_in(house: House) -> None:
    """Until it has played: also while a bot thinks."""
    seen: list[Any] = []
    for bot in ("", "loud", "easy"):
        match_id = match_with_absent_bob(house, bot, GAME, 2)
        next_of_bob(house, match_id)
        if bot == "easy":
            timeouts.sweep_deadlines(house.site)
        sheet = house.view(match_id, 0).sheet
        at = sheet.started_at
        assert at is not None
        seen.append(
            (
                sheet.seats,
                [(a.seat, a.key, a.deadline and a.deadline - at, a.acts_at and a.acts_at - at) for a in sheet.asks],
            )
        )
    assert seen[0] == seen[1] == seen[2]


def test_a_bot_that_fails_leaves_the_move_to_the_fallback(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    match_id = match_with_absent_bob(house, "greedy")
    before = house.view(match_id, None).sheet.version

    def broken(*_: object) -> object:
        raise RuntimeError("no idea")

    monkeypatch.setattr(stand_ins, "bots_of", lambda game: {"greedy": broken})
    next_of_bob(house, match_id)
    assert timeouts.sweep_deadlines(house.site) >= 1
    after = house.view(match_id, None).entries[before:]
    assert {entry.by.bot for entry in after} == {None}
    assert 1 in {entry.by.clock for entry in after}


def test_a_stand_in_of_another_game_or_in_a_match_that_is_over_is_refused(house: House) -> None:
    match_id = house.begin()
    with pytest.raises(Invalid):
        stand_ins.choose_stand_in(house.site, claim_of(house.site, match_id, 1), "deep thought")
    with pytest.raises(Invalid):
        stand_ins.choose_stand_in(house.site, claim_of(house.site, match_id, 1), "endless")
    presence.resign(house.site, claim_of(house.site, match_id, 1))
    with pytest.raises(Gone):
        stand_ins.choose_stand_in(house.site, claim_of(house.site, match_id, 1), "greedy")


@pytest.mark.long
@pytest.mark.parametrize(("bot", "game", "seats"), [("easy", GAME, 2), ("greedy", "hogen", 3)])
def test_a_stand_ins_moves_are_verified_by_repeating_them(house: House, bot: str, game: str, seats: int) -> None:
    match_id = match_with_absent_bob(house, bot, game, seats)
    while asked := house.asks(match_id):
        timeouts.sweep_deadlines(house.site)
        bots.play_thinkers(house.site)
        if house.asks(match_id) == asked:
            house.play(match_id, asked[0].seat)
    log = logfile.read(logfile.log_to_bytes(match_views.read_log(house.site, match_id, None)), games.find_game)
    verdict = verify(log)
    assert verdict.ok, verdict.findings
    assert (1, bot) in bots_that_moved(house, match_id)


# --- in silent windows ---------------------------------------------------------------------------------------------


def in_window(house: House, bot: str) -> tuple[str, int]:
    """A match in a silent window in which the sweep has answered for an absent seat, and that seat."""
    match_id = house.begin(4, "allegeance", windows=SILENT)
    seat = (house.asks(match_id)[0].seat + 1) % 4
    stand_ins.choose_stand_in(house.site, claim_of(house.site, match_id, seat), bot)
    make_absent(house, match_id, seat)
    play_to_window(house, match_id)
    timeouts.sweep_deadlines(house.site)
    return match_id, seat


@pytest.mark.long
def test_in_a_silent_window_the_stand_in_looks_like_the_clock(house: House) -> None:
    seen: list[Any] = []
    for bot in ("", "greedy"):
        match_id, seat = in_window(house, bot)
        sealed = next(row for row in rows_of(house, match_id) if row.seat == seat)
        assert sealed.sealed_by is not None
        assert ("greedy" in sealed.sealed_by) == (bot == "greedy")
        other = next(ask.seat for ask in house.asks(match_id) if ask.seat != seat)
        sheet = house.view(match_id, other).sheet
        assert sheet.started_at is not None
        times = [
            (a.deadline and a.deadline - sheet.started_at, a.acts_at and a.acts_at - sheet.started_at)
            for a in sheet.asks
        ]
        before = sheet.version
        for ask in house.asks(match_id):
            if ask.seat != seat:
                answer_window(house, match_id, ask.seat)
        pass_floor(house, match_id)
        answered = [e for e in house.view(match_id, other).entries[before:] if e.key == sealed.key]
        seen.append((times, {e.by for e in answered if e.by.seat != other}))
    assert seen[0] == seen[1]
    assert seen[0][1] == {By()}


def test_a_returning_player_voids_the_bots_sealed_answer_in_a_window(house: House) -> None:
    match_id, seat = in_window(house, "greedy")
    presence.end_own_absence(house.site, claim_of(house.site, match_id, seat))
    assert [row.seat for row in rows_of(house, match_id) if row.sealed is not None] == []
