"""A bot of a package plays where bots think; one that fails is named, and the clock plays for it."""

from __future__ import annotations

import re
import shutil
import sys
import threading
from collections.abc import MutableMapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sqlmodel import col, select
from structlog.testing import capture_logs

from pbem.games import find_game
from pbem.kit.bots import extra_bots, view_with_legal_moves
from pbem.kit.codec import plain
from pbem.kit.contract import BotView, PackagedBot
from pbem.kit.laws.imagined import view_of
from pbem.kit.logs import logfile
from pbem.kit.logs.verdict import verify
from pbem.kit.play import Table
from pbem.kit.texts import Text
from pbem.models.tables import AskRow
from pbem.services.lobby import matches
from pbem.services.lobby.match_request import BotSeat, Invitee, NewMatch
from pbem.services.play import bots, moves, patience, stand_ins, timeouts
from pbem.services.views import match_views
from pbem.services.who import STRANGER
from tests.games.stage.bot_packages import Offer, look_again
from tests.games.stage.bot_packages import offer as offer
from tests.services.play.stage.presence import miss_turns
from tests.table import House, claim_of


def begin_against_bots(house: House, *others: str) -> str:
    """A match of Alice against these bots."""
    wanted = NewMatch("hogen", [Invitee("Alice", "alice@example.org"), *map(BotSeat, others)])
    match_id = matches.create_match(house.site, STRANGER, wanted)
    matches.confirm_match(house.site, house.claim("confirm", match_id, 0), "fr", "Europe/Paris")
    return match_id


def bots_that_moved(house: House, match_id: str) -> set[tuple[int | None, str | None, int | None]]:
    """Returns which bots have moved, and under which versions."""
    entries = house.view(match_id, None).entries
    return {(one.by.bot, one.by.via, one.by.version) for one in entries if one.by.bot is not None}


def test_a_packages_bot_plays_in_the_thinking_worker_only(offer: Offer, house: House) -> None:
    offer()
    match_id = begin_against_bots(house, "wily", "wily")
    assert bots.play_quick_bots(house.site) == 0
    assert bots.is_any_thinker_asked(house.site)
    assert bots.play_thinkers(house.site) == 2
    assert bots_that_moved(house, match_id) == {(1, "wily", 3), (2, "wily", 3)}


@pytest.mark.long
def test_a_packages_bot_plays_to_the_end_and_its_choices_verify(offer: Offer, house: House) -> None:
    offer(body="return view.legal[chance.below(len(view.legal))]")
    match_id = begin_against_bots(house, "wily", "wily")
    while (asks := house.asks(match_id)) and house.view(match_id, None).sheet.status == "running":
        if 0 in {ask.seat for ask in asks}:
            house.play(match_id, 0)
        bots.play_thinkers(house.site)
    log = match_views.read_log(house.site, match_id, None)
    assert verify(logfile.read(logfile.log_to_bytes(log), find_game), thoughts=True).ok


FAULTS = ["return None", "return view", "raise RuntimeError('no idea')", "raise SystemExit(3)", "while True: pass"]


@pytest.mark.parametrize("body", FAULTS)
def test_a_failing_bot_of_a_package_is_named_and_the_fallback_plays(
    offer: Offer, house: House, monkeypatch: pytest.MonkeyPatch, body: str
) -> None:
    monkeypatch.setattr(bots, "answer_of_bot", partial(patience.answer_of_bot, most=0.2))
    offer(body=body)
    match_id = begin_against_bots(house, "wily", "greedy")
    with capture_logs() as logged:
        assert bots.play_thinkers(house.site) == 0
    [failed] = [line for line in logged if line["event"] == "bot.failed"]
    assert (failed["bot"], failed["seat"], failed["match"]) == ("wily", 1, match_id)
    assert bots.play_quick_bots(house.site) == 1, "nobody waits for it"
    house.time_is_up(match_id)
    assert timeouts.sweep_deadlines(house.site) == 1, "as every bot that thinks, it has some time more"
    house.clock.forward(seconds=stand_ins.BOT_PATIENCE.total_seconds() + 1)
    assert timeouts.sweep_deadlines(house.site) >= 1
    assert {one.by.clock for one in house.view(match_id, None).entries} >= {1}


def test_a_bot_that_thinks_too_long_fails_and_its_thread_ends() -> None:
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
    luck = table.luck.bot(table.next_entry_number, ask.key, ask.seat)
    return patience.answer_of_bot(game, "wily", bot, view_of(table, ask.seat), ask.seat, luck, most)


def test_a_packages_answer_equal_to_everything_is_not_played() -> None:
    """What is played is one of the legal moves, never an object of the package."""

    class Sly:
        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = None  # type: ignore[assignment]

    bot = PackagedBot(lambda *_: Sly(), Text("a", "b"), Text("c", "d"))
    assert type(ask_bot(bot, 10)).__module__ == "pbem.games.hogen.facts"


NAMES = """class Sly(Exception):
        def __repr__(self):
            reached.append(threading.current_thread().name)
            {body}

        __str__ = __repr__

    import threading
    raise Sly(view.legal[0])"""


@pytest.mark.parametrize("body", ["return str(view.legal)", "raise SystemExit(7)"])
def test_what_a_bot_raises_is_told_without_its_repr_or_any_value(offer: Offer, body: str) -> None:
    module = offer(body=NAMES.format(body=body), more="reached = []")
    game = find_game("hogen")
    assert game is not None
    with pytest.raises(patience.BotFailed) as caught:
        ask_bot(extra_bots(game)["wily"], 10)
    file = sys.modules[module].__file__ or ""
    assert re.fullmatch(rf"wily: Sly \(\S+/{module}\.py:\d+\)", str(caught.value)), file
    assert (caught.value.__cause__, caught.value.__context__) == (None, None), "a log would print them"
    assert sys.modules[module].reached == []


def test_an_exception_whose_name_cannot_be_read_is_told_as_nameless() -> None:
    class Nameless(type(Exception)):  # type: ignore[misc]
        def __getattribute__(cls, name: str) -> Any:
            raise SystemExit(7)

    def fail(*_: Any) -> None:
        raise Nameless("Sly", (Exception,), {})

    with pytest.raises(patience.BotFailed, match="wily: it has raised what has no name"):
        ask_bot(PackagedBot(fail, Text("a", "b"), Text("c", "d")), 10)


def test_a_bot_that_does_not_stop_is_not_asked_again_until_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "STOP_S", 0.01)
    asked, free = list[threading.Thread](), threading.Event()

    def ponder(view: BotView, *_: Any) -> Any:
        asked.append(threading.current_thread())
        while not free.is_set():
            with suppress(BaseException):
                free.wait()
        return view.legal[0]

    bot = PackagedBot(ponder, Text("a", "b"), Text("c", "d"))
    try:
        with pytest.raises(patience.BotFailed, match="it has thought for"):
            ask_bot(bot, 0.01)
        for _ in range(3):
            with pytest.raises(patience.BotFailed, match="it has not stopped thinking about an earlier question"):
                ask_bot(bot, 0.01)
        assert len(asked) == 1
    finally:
        free.set()
    asked[0].join(20)
    assert ask_bot(bot, 10) is not None


def test_a_packages_bot_takes_as_long_for_forced_answers_as_for_free_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    slept, now, forced = list[float](), [0.0], [False]
    monkeypatch.setattr(patience, "monotonic", lambda: now[0])
    monkeypatch.setattr(patience, "sleep", slept.append)

    def few(*asked: Any) -> BotView:
        view = view_with_legal_moves(*asked)
        return msgspec.structs.replace(view, legal=view.legal[:1]) if forced[0] else view

    def choose(view: BotView, *_: Any) -> Any:
        now[0] += 0.5 if len(view.legal) == 1 else 3.0
        return view.legal[0]

    monkeypatch.setattr(patience, "view_with_legal_moves", few)
    bot = PackagedBot(choose, Text("a", "b"), Text("c", "d"))
    ask_bot(bot, 10)
    forced[0] = True
    ask_bot(bot, 10)
    assert slept == [2.5]


def test_a_game_slow_to_list_legal_moves_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    def list_for_ever(*_: Any) -> BotView:
        while True:
            pass

    monkeypatch.setattr(patience, "view_with_legal_moves", list_for_ever)
    with pytest.raises(patience.BotFailed, match="wily: it has thought for"):
        ask_bot(PackagedBot(lambda *_: None, Text("a", "b"), Text("c", "d")), 0.05)


def test_a_packages_bot_can_stand_in_for_an_absent_player(offer: Offer, house: House) -> None:
    offer()
    match_id = house.begin(3)
    stand_ins.choose_stand_in(house.site, claim_of(house.site, match_id, 1), "wily")
    miss_turns(house, match_id, 1)
    while all(ask.seat != 1 for ask in house.asks(match_id)):
        house.play(match_id, house.asks(match_id)[0].seat)
    timeouts.sweep_deadlines(house.site)
    with house.site.reading() as session:
        asks = session.exec(select(AskRow).where(AskRow.seat == 1, col(AskRow.closed_at).is_(None))).all()
        handed = [ask.bot for ask in asks]
    assert handed == ["wily"]
    assert bots.play_thinkers(house.site) == 1
    assert (1, "wily", 3) in bots_that_moved(house, match_id)
    told = [line.text for line in house.view(match_id, None).story("en", 0)]
    assert any(line.startswith("Move by a bot (Bot: Wily) for {1}.") for line in told)


def uninstall_package(name: str) -> None:
    """Removes the package of this module, as after a restart."""
    there = Path(sys.modules[name].__file__ or "").parent
    shutil.rmtree(there / f"{name}-1.0.dist-info")
    look_again()


def unknown_bots(logged: Sequence[MutableMapping[str, Any]]) -> list[tuple[str, str]]:
    """Returns the bots that these lines say are unknown; no line says more of them."""
    assert {line["event"] for line in logged} <= {"bot.unknown"}
    return [(line["game"], line["bot"]) for line in logged]


def test_the_fallback_plays_once_a_bots_package_is_gone(offer: Offer, house: House) -> None:
    name = f"gone-{house.site.engine.dialect.name}"  # another in each test of this process
    module = offer(f"hogen.{name}")
    match_id = begin_against_bots(house, name, "greedy")
    uninstall_package(module)
    with capture_logs() as logged:
        assert bots.play_thinkers(house.site) == 0
        assert bots.play_quick_bots(house.site) == 1
        for _ in range(3):
            house.clock.forward(seconds=61)
            assert bots.play_quick_bots(house.site) == 0
    assert unknown_bots(logged) == [("hogen", name)]
    house.time_is_up(match_id)
    assert timeouts.sweep_deadlines(house.site) == 2
    assert sys.modules[module].asked == []


def test_random_plays_for_a_bot_that_is_gone_at_an_untimed_table(offer: Offer, house: House) -> None:
    name = f"lost-{house.site.engine.dialect.name}"
    module = offer(f"niigata.{name}")
    others = [BotSeat(name)]
    match_id = matches.start_match_against_bots(
        house.site, STRANGER, "niigata", "Guest", "en", "Europe/London", bots=others
    ).match_id
    uninstall_package(module)
    with capture_logs() as logged:
        for _ in range(3):
            bots.play_quick_bots(house.site)
            assert {ask.seat for ask in house.asks(match_id)} == {0}, "nobody waits for three days"
            view = house.view(match_id, 0)
            assert view.ask is not None
            guest = house.claim("play", match_id, 0)
            moves.play_answer(house.site, guest, view.ask.key, plain(view.legal()[0]), "web")
    assert unknown_bots(logged) == [("niigata", name)]
    niigata = find_game("niigata")
    assert niigata is not None
    assert bots_that_moved(house, match_id) == {(1, "random", niigata.meta.bot_version)}
