"""Bots fill seats: they answer in a worker, at once, without mail, and from their own fold."""

from typing import Any

import pytest

from pbem.errors import Invalid
from pbem.games import find_game
from pbem.games.niigata.facts import Pass, Take
from pbem.games.niigata.facts_state import State, tiles_matching_dice
from pbem.kit.logs import logfile
from pbem.kit.logs.verdict import verify
from pbem.services.lobby import matches
from pbem.services.lobby.match_request import BotSeat, Invitee, NewMatch
from pbem.services.log import leases
from pbem.services.play import bots, timeouts
from pbem.services.views import match_views
from pbem.services.who import STRANGER
from tests.harness.cases import cases
from tests.services.letterbox import kinds_of_mails
from tests.table import House, submit_answer

ALICE = Invitee("Alice", "alice@example.org")
BOB = Invitee("Bob", "bob@example.org")


def begin_with_others(house: House, *others: BotSeat | Invitee, game: str = "hogen", **wanted: Any) -> str:
    """A match of Alice and these others, started as far as Alice alone can."""
    match_id = matches.create_match(house.site, STRANGER, NewMatch(game, [ALICE, *others], **wanted))
    matches.confirm_match(house.site, house.claim("confirm", match_id, 0), "fr", "Europe/Paris")
    return match_id


@pytest.mark.long
def test_a_person_against_bots_begins_at_once_and_never_waits(house: House) -> None:
    match_id = begin_with_others(house, BotSeat("random"), BotSeat("random"), game="hagakure", options={"rounds": 1})
    while house.asks(match_id):
        bots.play_quick_bots(house.site)
        asks = house.asks(match_id)
        assert all(ask.seat == 0 for ask in asks)
        if asks:
            house.play(match_id, 0)
    assert house.view(match_id, 0).sheet.status == "over"
    log = logfile.read(logfile.log_to_bytes(match_views.read_log(house.site, match_id, None)), find_game)
    assert verify(log).ok
    assert {e.by.bot for e in log.entries} == {None, 1, 2}


@pytest.mark.long
def test_bots_get_no_mail(house: House) -> None:
    match_id = begin_with_others(house, BotSeat("random"), BotSeat("random"), game="hagakure", options={"rounds": 1})
    while house.asks(match_id):
        if not bots.play_quick_bots(house.site):
            house.play(match_id, 0)
        house.drain()
    assert {"turn", "over"} <= set(kinds_of_mails(house, "Alice"))
    assert len(house.mail.all_sent) > 3
    assert {to for to, _ in house.mail.all_sent} == {"alice@example.org"}


@pytest.mark.long
def test_a_match_waits_for_its_people_before_the_bots_play(house: House) -> None:
    match_id = begin_with_others(house, BotSeat("random"), BOB)
    assert bots.play_quick_bots(house.site) == 0
    assert house.view(match_id, None).sheet.status == "inviting"
    matches.accept_invitation(house.site, house.claim("invitation", match_id, 2), "en", "Europe/London")
    assert bots.play_quick_bots(house.site) == 1
    assert [ask.seat for ask in house.asks(match_id)] == [0, 2]


@pytest.mark.long
def test_the_worker_is_woken_when_a_bot_is_asked(house: House) -> None:
    match_id = begin_with_others(house, BotSeat("random"), BotSeat("random"))
    bots.play_quick_bots(house.site)
    house.wakes.clear()
    house.play(match_id, 0)
    while [ask.seat for ask in house.asks(match_id)] == [0]:
        house.play(match_id, 0)
    assert house.wakes


def test_the_clock_plays_for_a_failing_bot_when_its_time_is_up(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    match_id = begin_with_others(house, BotSeat("random"), BotSeat("random"))

    def broken(*_: object) -> object:
        raise RuntimeError("no idea")

    monkeypatch.setattr(bots, "bots_of", lambda game: {"random": broken})
    assert bots.play_quick_bots(house.site) == 0
    assert len(house.asks(match_id)) == 3
    house.time_is_up(match_id)
    assert timeouts.sweep_deadlines(house.site) == 3


@cases(
    "seats",
    [
        [BotSeat("random"), ALICE, BOB],
        [BotSeat("random")] * 3,
        [ALICE, BotSeat("deep thought"), BotSeat("random")],
    ],
)
def test_a_table_without_an_organiser_or_with_an_unknown_bot_is_refused(
    house: House, seats: list[BotSeat | Invitee]
) -> None:
    with pytest.raises(Invalid):
        matches.create_match(house.site, STRANGER, NewMatch("hogen", seats))


@pytest.mark.long
def test_in_a_race_a_bot_takes_one_turn_after_each_turn_of_a_person(house: House) -> None:
    wanted = NewMatch("niigata", [ALICE, BotSeat("greedy"), BotSeat("greedy")], options={"picking": "grab"})
    match_id = matches.create_match(house.site, STRANGER, wanted)
    matches.confirm_match(house.site, house.claim("confirm", match_id, 0), "fr", "Europe/Paris")
    races = 0
    while races < 2:
        asks = {ask.seat: ask for ask in house.asks(match_id)}
        before = house.view(match_id, None).sheet.version
        bots.play_quick_bots(house.site)
        answers = [e for e in house.view(match_id, None).entries[before:] if e.by.bot is not None and e.key]
        if 0 in asks and asks[0].kind == "grab":
            races += 1
            keys = [(e.by.bot, e.key) for e in answers if e.key and ".grab" in e.key]
            assert len({seat for seat, _ in keys}) == len(set(keys)), "a bot answered twice before a person did"
        if any(ask.seat == 0 for ask in house.asks(match_id)):
            house.play(match_id, 0)


@pytest.mark.on_postgresql
def test_in_a_race_a_bot_waits_for_a_persons_first_take(house: House) -> None:
    match_id = begin_race(house, BotSeat("greedy"))
    grabbing = {ask.seat for ask in house.asks(match_id) if ask.kind == "grab"}
    assert grabbing == {0, 1}
    assert bots.play_quick_bots(house.site) == 0
    house.play(match_id, 0)
    assert bots.play_quick_bots(house.site) >= 1


def test_in_a_race_a_thinking_bot_waits_until_all_people_have_passed(house: House) -> None:
    match_id = begin_race(house, BotSeat("easy"))
    assert not bots.is_any_thinker_asked(house.site)
    submit_answer(house.site, match_id, 0, key_of(house, match_id, 0), Pass(), "web")
    assert bots.is_any_thinker_asked(house.site)


def test_in_a_race_bots_take_freely_once_all_people_have_passed(house: House) -> None:
    match_id = begin_race(house, BotSeat("greedy"))
    submit_answer(house.site, match_id, 0, key_of(house, match_id, 0), Pass(), "web")
    assert bots.play_quick_bots(house.site) >= 2


def begin_race(house: House, *others: BotSeat | Invitee) -> str:
    """A match of Alice and these others by grabbing, in which more tiles match the dice than there are seats."""
    for _ in range(60):
        match_id = matches.create_match(
            house.site, STRANGER, NewMatch("niigata", [ALICE, *others], options={"picking": "grab"})
        )
        matches.confirm_match(house.site, house.claim("confirm", match_id, 0), "fr", "Europe/Paris")
        if BOB in others:
            matches.accept_invitation(house.site, house.claim("invitation", match_id, 1), "en", "Europe/London")
        if len(takes_of_matching_tiles(house, match_id)) > 1 + len(others):
            return match_id
    raise AssertionError("no such throw in 60 matches")


def takes_of_matching_tiles(house: House, match_id: str) -> list[Take]:
    """Returns the moves that take a tile which matches the dice."""
    fold = house.view(match_id, None).fold
    assert isinstance(fold, State)
    return [Take(tile) for tile in fold.display if tile in tiles_matching_dice(fold)]


def key_of(house: House, match_id: str, seat: int) -> str:
    """Returns the key of the seat's open question."""
    return next(ask.key for ask in house.asks(match_id) if ask.seat == seat)


@pytest.mark.long
def test_in_a_race_a_pass_by_the_clock_lets_a_bot_take_one_turn(house: House) -> None:
    match_id = begin_race(house, BOB, BotSeat("greedy"))
    assert bots.play_quick_bots(house.site) == 0
    house.time_is_up(match_id)
    timeouts.answer_expired_ask(house.site, match_id, key_of(house, match_id, 0), 0)
    assert bots.play_quick_bots(house.site) == 1
    assert {ask.seat for ask in house.asks(match_id)} == {1, 2}


@pytest.mark.long
def test_in_a_race_a_bot_catches_up_after_the_worker_has_slept(house: House) -> None:
    match_id = begin_race(house, BOB, BotSeat("greedy"))
    submit_answer(house.site, match_id, 0, key_of(house, match_id, 0), Pass(), "web")
    fold = house.view(match_id, None).fold
    assert isinstance(fold, State)
    wanted = next((tile for tile in fold.display if tile not in tiles_matching_dice(fold)), fold.display[0])
    submit_answer(house.site, match_id, 1, key_of(house, match_id, 1), Take(wanted), "web")
    assert bots.play_quick_bots(house.site) == 2
    assert [(ask.seat, ask.kind) for ask in house.asks(match_id)] == [(1, "grab")]


@pytest.mark.long
def test_bots_waiting_for_people_in_a_race_do_not_delay_other_bots(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leases, "BATCH", 1)
    slow = [begin_race(house, BotSeat("greedy")) for _ in range(2)]
    begin_with_others(house, BotSeat("random"), BotSeat("random"))
    assert bots.play_quick_bots(house.site) >= 2
    house.clock.forward(seconds=5)
    assert bots.play_quick_bots(house.site) == 0
    house.clock.forward(seconds=5)
    house.play(slow[1], 0)
    assert bots.play_quick_bots(house.site) >= 1


@pytest.mark.long
def test_a_persons_answer_in_a_race_wakes_the_worker_for_waiting_bots(house: House) -> None:
    match_id = begin_race(house, BotSeat("greedy"))
    assert bots.play_quick_bots(house.site) == 0
    house.wakes.clear()
    submit_answer(
        house.site, match_id, 0, key_of(house, match_id, 0), takes_of_matching_tiles(house, match_id)[0], "web"
    )
    assert {ask.seat for ask in house.asks(match_id)} == {0, 1}
    assert house.wakes
