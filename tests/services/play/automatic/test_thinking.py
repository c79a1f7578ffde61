"""Bots that think are played apart from those that answer at once: nobody waits for their thoughts."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from pbem import games
from pbem.games import Found
from pbem.kit.bots import EASY
from pbem.kit.logs import logfile
from pbem.kit.logs.verdict import verify
from pbem.kit.replay import Extended
from pbem.models.tables import AskRow
from pbem.services.lobby import matches
from pbem.services.lobby.match_request import BotSeat, Invitee, NewMatch
from pbem.services.log import leases, locks, store
from pbem.services.log.table import lock_table
from pbem.services.play import bots
from pbem.services.views import match_views
from pbem.services.who import STRANGER
from tests.kit.toys import IMAGINING, Show
from tests.table import House

GAME = IMAGINING.meta.slug
Choose = Callable[..., Any]


@pytest.fixture(autouse=True)
def imagining(monkeypatch: pytest.MonkeyPatch) -> None:
    """A game that bots can think about is installed."""
    known = {**games.found_games(), GAME: Found(IMAGINING, "pbem.games.hogen", "tests")}
    monkeypatch.setattr(games, "look_for_games", lambda: (known, ()))


def begin_against_bot(house: House, bot: str) -> str:
    """A match of Alice and this bot in which the bot is asked."""
    wanted = NewMatch(GAME, [Invitee("Alice", "alice@example.org"), BotSeat(bot)])
    match_id = matches.create_match(house.site, STRANGER, wanted)
    matches.confirm_match(house.site, house.claim("confirm", match_id, 0), "fr", "Europe/Paris")
    house.play(match_id, 0)
    assert [ask.seat for ask in house.asks(match_id)] == [1]
    return match_id


def replace_bots(monkeypatch: pytest.MonkeyPatch, choose: Choose) -> None:
    """Has every bot choose so."""
    monkeypatch.setattr(bots, "bots_of", lambda game: dict.fromkeys(("easy", "loud"), choose))


def test_a_bot_that_thinks_is_played_by_the_task_for_thinking_bots(house: House) -> None:
    match_id = begin_against_bot(house, "easy")
    assert bots.play_quick_bots(house.site) == 0
    assert bots.is_any_thinker_asked(house.site)
    assert bots.play_thinkers(house.site) == 1
    assert not bots.is_any_thinker_asked(house.site)
    assert [ask.seat for ask in house.asks(match_id)] == [0]


def test_a_bot_that_answers_at_once_is_not_played_by_the_thinking_task(house: House) -> None:
    begin_against_bot(house, "loud")
    assert not bots.is_any_thinker_asked(house.site)
    assert bots.play_thinkers(house.site) == 0
    assert bots.play_quick_bots(house.site) == 1


@pytest.mark.long
@pytest.mark.parametrize("bot", ["easy", "loud"])
def test_in_a_paused_match_no_bot_answers_or_is_claimed(house: House, bot: str) -> None:
    match_id = begin_against_bot(house, bot)
    set_status(house, match_id, "paused")
    assert not bots.is_any_thinker_asked(house.site)
    assert (bots.play_quick_bots(house.site), bots.play_thinkers(house.site)) == (0, 0)
    with house.site.reading() as session:
        assert [ask.claimed_until for ask in store.open_asks(session, match_id)] == [None]
    set_status(house, match_id, "running")
    assert bots.play_quick_bots(house.site) + bots.play_thinkers(house.site) == 1


def set_status(house: House, match_id: str, status: str) -> None:
    with house.site.writing() as work:
        match = locks.lock_match(work, match_id)
        match.status = status
        work.add(match)


@pytest.mark.long
def test_bots_that_answer_at_once_do_so_while_another_thinks(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    begin_against_bot(house, "easy")
    quick = begin_against_bot(house, "loud")
    played: list[int] = []

    def think(view: Any, seat: int, chance: Any) -> Show:
        replace_bots(monkeypatch, lambda *_: Show(1))
        played.append(bots.play_quick_bots(house.site))
        return Show(1)

    replace_bots(monkeypatch, think)
    assert bots.play_thinkers(house.site) == 1
    assert played == [1]
    assert [ask.seat for ask in house.asks(quick)] == [0]


@pytest.mark.on_postgresql
def test_a_thought_that_outlasts_its_claim_is_not_played_again(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    match_id = begin_against_bot(house, "easy")
    before = house.view(match_id, None).sheet.version
    thoughts: list[int] = []

    def think(view: Any, seat: int, chance: Any) -> Show:
        thoughts.append(seat)
        if len(thoughts) == 1:
            house.clock.forward(seconds=61)
            assert bots.play_thinkers(house.site) == 1, "another process takes the claim over"
        return Show(1)

    replace_bots(monkeypatch, think)
    assert bots.play_thinkers(house.site) == 0
    assert thoughts == [1, 1]
    entries = house.view(match_id, None).entries[before:]
    assert [entry.by.bot for entry in entries if entry.key] == [1]


def test_a_thought_about_a_match_that_has_gone_on_is_thought_again(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = begin_against_bot(house, "easy")
    thoughts: list[int] = []

    def think(view: Any, seat: int, chance: Any) -> Show:
        thoughts.append(seat)
        if len(thoughts) == 1:
            move_deadlines(house, match_id)
        return Show(1)

    replace_bots(monkeypatch, think)
    assert bots.play_thinkers(house.site) == 1
    assert len(thoughts) == 2


def move_deadlines(house: House, match_id: str) -> None:
    """An entry that is no move is written."""
    with house.site.writing() as work:
        lock_table(work, match_id).record([Extended(60)])


def test_the_worker_claims_one_question_at_a_time_for_bots_that_think(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin_against_bot(house, "easy")
    begin_against_bot(house, "easy")
    left: list[int] = []

    def think(view: Any, seat: int, chance: Any) -> Show:
        left.append(len(leases.read_unclaimed_asks(house.site, order=AskRow.opened_at, most=9)))
        return Show(1)

    replace_bots(monkeypatch, think)
    assert bots.play_thinkers(house.site) == 2
    assert left == [1, 1], "the other question is anybody's; then that of the first person"


def test_a_bot_thinks_as_long_about_a_forced_answer_as_about_any_other(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin_against_bot(house, "easy")
    imagined: list[int] = []

    def imagine(view: Any, seat: int, chance: Any) -> Any:
        imagined.append(seat)
        return replace(view.fold, numbers=tuple(one or 0 for one in view.fold.numbers))

    monkeypatch.setattr(type(IMAGINING), "legal", lambda self, state, seat: (Show(1),))
    monkeypatch.setattr(type(IMAGINING), "imagine", staticmethod(imagine))
    assert bots.play_thinkers(house.site) == 1
    assert len(imagined) == EASY.iterations


def test_the_choices_of_a_thinking_bot_can_be_verified(house: House) -> None:
    match_id = begin_against_bot(house, "easy")
    while house.asks(match_id):
        if not bots.play_thinkers(house.site):
            house.play(match_id, 0)
    log = logfile.read(logfile.log_to_bytes(match_views.read_log(house.site, match_id, None)), games.find_game)
    verdict = verify(log)
    assert verdict.ok
    assert verdict.count("bots") is None, "a page does not think for minutes"
    assert "bots" in verdict.not_checked
    again = verify(log, thoughts=True)
    assert again.ok
    assert again.count("bots") == len({entry.key for entry in log.entries if entry.by.bot is not None})
    assert {entry.by.via for entry in log.entries if entry.by.bot is not None} == {"easy"}
