"""A bot of a package plays where bots think; one that fails is named, and the clock plays for it."""

from __future__ import annotations

import sys
import threading
from functools import partial
from typing import Any

import pytest
from sqlmodel import col, select
from structlog.testing import capture_logs

from pbem.games import find_game
from pbem.kit.bots import extra_bots
from pbem.kit.contract import PackagedBot
from pbem.kit.laws.imagined import view_of
from pbem.kit.logs import logfile
from pbem.kit.logs.verdict import verify
from pbem.kit.play import Table
from pbem.kit.texts import Text
from pbem.models.tables import AskRow
from pbem.services.lobby import matches
from pbem.services.lobby.match_request import BotSeat, Invitee, NewMatch
from pbem.services.play import bots, patience, stand_ins, timeouts
from pbem.services.views import match_views
from pbem.services.who import STRANGER
from tests.games.stage.bot_packages import Offer
from tests.games.stage.bot_packages import offer as offer
from tests.services.play.stage.presence import sleep
from tests.table import House, claim_of


def begin(house: House, *others: str) -> str:
    """A match of Alice against these bots."""
    wanted = NewMatch("hogen", [Invitee("Alice", "alice@example.org"), *map(BotSeat, others)])
    match_id = matches.create(house.site, STRANGER, wanted)
    matches.confirm(house.site, house.claim("confirm", match_id, 0), "fr", "Europe/Paris")
    return match_id


def movers(house: House, match_id: str) -> set[tuple[int | None, str | None, int | None]]:
    """Returns which bots have moved, and under which versions."""
    entries = house.view(match_id, None).entries
    return {(one.by.bot, one.by.via, one.by.version) for one in entries if one.by.bot is not None}


def test_a_packages_bot_plays_in_the_thinking_worker_only(offer: Offer, house: House) -> None:
    offer()
    match_id = begin(house, "wily", "wily")
    assert bots.play_bots(house.site) == 0
    assert bots.must_think(house.site)
    assert bots.play_thinkers(house.site) == 2
    assert movers(house, match_id) == {(1, "wily", 3), (2, "wily", 3)}


@pytest.mark.long
def test_a_packages_bot_plays_to_the_end_and_its_choices_verify(offer: Offer, house: House) -> None:
    offer(body="return view.legal[chance.below(len(view.legal))]")
    match_id = begin(house, "wily", "wily")
    while (asks := house.asks(match_id)) and house.view(match_id, None).sheet.status == "running":
        if 0 in {ask.seat for ask in asks}:
            house.play(match_id, 0)
        bots.play_thinkers(house.site)
    log = match_views.read_log(house.site, match_id, None)
    assert verify(logfile.read(logfile.write(log), find_game), thoughts=True).ok


FAULTS = {
    "return None": "its answer is not legal",
    "return view": "its answer is not legal",
    "raise RuntimeError('no idea')": "RuntimeError('no idea')",
    "raise SystemExit(3)": "SystemExit(3)",
    "while True: pass": "it has thought for 0.2 seconds",
}


@pytest.mark.parametrize("body", FAULTS)
def test_a_failing_bot_of_a_package_is_named_and_the_fallback_plays(
    offer: Offer, house: House, monkeypatch: pytest.MonkeyPatch, body: str
) -> None:
    monkeypatch.setattr(bots, "answer_of", partial(patience.answer_of, most=0.2))
    offer(body=body)
    match_id = begin(house, "wily", "greedy")
    with capture_logs() as logged:
        assert bots.play_thinkers(house.site) == 0
    [failed] = [line for line in logged if line["event"] == "bot.failed"]
    assert (failed["bot"], failed["seat"], failed["match"]) == ("wily", 1, match_id)
    assert bots.play_bots(house.site) == 1, "nobody waits for it"
    house.time_is_up(match_id)
    assert timeouts.sweep_deadlines(house.site) == 1, "as every bot that thinks, it has some time more"
    house.clock.forward(seconds=stand_ins.BOT_PATIENCE.total_seconds() + 1)
    assert timeouts.sweep_deadlines(house.site) >= 1
    assert {one.by.clock for one in house.view(match_id, None).entries} >= {1}


def test_a_thread_that_has_thought_too_long_ends() -> None:
    def ponder(*_: Any) -> None:
        while True:
            pass

    bot = PackagedBot(ponder, Text("a", "b"), Text("c", "d"))
    with pytest.raises(patience.BotFailed, match="wily: it has thought for"):
        ask_bot(bot, 0.05)
    for thread in threading.enumerate():
        if thread.name == "bot":
            thread.join(20)
            assert not thread.is_alive()


def ask_bot(bot: PackagedBot, most: float) -> Any:
    """Asks the bot the first question of a match."""
    game = find_game("hogen")
    assert game is not None
    table = Table(game, 3, game.meta.options(), bytes(32))
    ask = game.pending(table.state)[0]
    luck = table.luck.bot(table.position, ask.key, ask.seat)
    return patience.answer_of(game, "wily", bot, view_of(table, ask.seat), ask.seat, luck, most)


def test_an_answer_that_says_it_equals_everything_is_not_played() -> None:
    """What is played is one of the legal moves, never an object of the package."""

    class Sly:
        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = None  # type: ignore[assignment]

    bot = PackagedBot(lambda *_: Sly(), Text("a", "b"), Text("c", "d"))
    assert type(ask_bot(bot, 10)).__module__ == "pbem.games.hogen.facts"


def test_a_packages_bot_can_stand_in_for_an_absent_player(offer: Offer, house: House) -> None:
    offer()
    match_id = house.begin(3)
    stand_ins.choose_stand_in(house.site, claim_of(house.site, match_id, 1), "wily")
    sleep(house, match_id, 1)
    while all(ask.seat != 1 for ask in house.asks(match_id)):
        house.play(match_id, house.asks(match_id)[0].seat)
    timeouts.sweep_deadlines(house.site)
    with house.site.reading() as session:
        asks = session.exec(select(AskRow).where(AskRow.seat == 1, col(AskRow.closed_at).is_(None))).all()
        handed = [ask.bot for ask in asks]
    assert handed == ["wily"]
    assert bots.play_thinkers(house.site) == 1
    assert (1, "wily", 3) in movers(house, match_id)
    told = [line.text for line in house.view(match_id, None).story("en", 0)]
    assert any(line.startswith("Move by a bot (Bot: Wily) for {1}.") for line in told)


def test_the_fallback_plays_once_a_bots_package_is_gone(offer: Offer, house: House) -> None:
    module = offer()
    match_id = begin(house, "wily", "greedy")
    game = find_game("hogen")
    assert game is not None
    extra_bots(game).clear()  # type: ignore[attr-defined]  # as after a restart without it
    assert sys.modules[module].asked == []
    assert bots.play_thinkers(house.site) == 0
    assert bots.play_bots(house.site) == 1
    house.time_is_up(match_id)
    assert timeouts.sweep_deadlines(house.site) == 2
