"""A package may offer a bot for a game: it is found, or left out with a sentence, and sees what its seat sees."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from click.testing import CliRunner

from pbem.cli import main
from pbem.commands import checks
from pbem.games import find_game, list_faults, slow_bots
from pbem.kit.bots import bots_of, extra_bots, thinking_bots_of, usual_bot, version_of
from pbem.kit.contract import AnyGame, BotView
from pbem.kit.laws.imagined import view_of
from pbem.kit.play import Table, random_decisions
from pbem.render.i18n import bot_level, bot_manner, bot_title
from pbem.services.play.patience import answer_of_bot
from tests.games.stage.bot_packages import Offer
from tests.games.stage.bot_packages import offer as offer
from tests.games.stage.reaching import secrets_found

SEED = bytes([7]) * 32


def hogen() -> AnyGame:
    game = find_game("hogen")
    assert game is not None
    return game


def test_a_bot_of_a_package_is_the_last_of_its_game_and_of_no_other(offer: Offer) -> None:
    before = [*bots_of(hogen())]
    offer()
    assert [*bots_of(hogen())] == [*before, "wily"]
    niigata = find_game("niigata")
    assert niigata is not None
    assert "wily" not in bots_of(niigata)
    assert "wily" in slow_bots()
    assert version_of(hogen(), "wily") == 3
    assert [*list_faults()] == []


def test_a_packages_bot_has_its_own_name_and_description(offer: Offer) -> None:
    offer()
    assert [bot_level(hogen(), "wily", lang) for lang in ("fr", "en")] == ["Rusé", "Wily"]
    assert [bot_manner(hogen(), "wily", lang) for lang in ("fr", "en")] == [
        "prend le premier coup.", "takes the first move.",
    ]  # fmt: skip
    assert bot_title(hogen(), "wily", "en") == "Bot: Wily"


def test_a_packages_bot_is_neither_the_default_nor_an_adviser(offer: Offer) -> None:
    module = offer()
    assert usual_bot(hogen()) == "greedy"
    table = Table(hogen(), 3, hogen().meta.options(), SEED)
    ask = hogen().pending(table.state)[0]
    thinking_bots_of(hogen())["fair"](view_of(table, ask.seat), ask.seat, table.luck.bot(1, ask.key, ask.seat))
    assert sys.modules[module].asked == []


def test_a_packages_bot_is_gone_without_its_package(offer: Offer) -> None:
    assert "wily" not in bots_of(hogen())


MINE = "the bot {point!r} of {name} 1.0 "
GONE = "from nowhere import nothing\n"
LEFT_OUT: list[tuple[str, dict[str, Any], str]] = [
    ("hogen.wily", {"code": GONE}, "cannot be loaded: ModuleNotFoundError: No module named 'nowhere'"),
    ("hogen.wily", {"code": "raise SystemExit(3)"}, "cannot be loaded: SystemExit: 3"),
    ("hogen.wily", {"code": "NOTHING = 1"}, "cannot be loaded: AttributeError: "),
    ("hogen.wily", {"code": "BOT = 1"}, "is no bot: it is a int, not a PackagedBot of pbem.kit.contract"),
    ("hogen.wily", {"more": "BOT = PackagedBot(3, Text('a', 'b'), Text('c', 'd'))"}, "is no bot: its `choose` cannot"),
    ("hogen.wily", {"more": "BOT = PackagedBot(choose, Text('a', ''), Text('c', 'd'))"}, "is no bot: its title must"),
    ("hogen.wily", {"more": "BOT = PackagedBot(choose, Text('a', 'b'), 'c')"}, "is no bot: its strength must"),
    ("hogen.wily", {"version": 0}, "is no bot: its version must be a number from 1 on"),
    ("hogen.greedy", {}, "has the name of a bot that hogen has already"),
    ("hogen.random", {}, "has the name of a bot that hogen has already"),
    ("hogen.strong", {}, "has the name of a bot that hogen has already"),
    ("hogen.none", {}, "has the name of a bot that hogen has already"),
    ("hogen.Wily", {}, "has no name of small letters, digits, _ and -, of 32 at most"),
    ("hogen.wily", {"group": "pbem.bots.99"}, "is written for version 99 of the contract"),
]


@pytest.mark.parametrize(("point", "wrong", "why"), LEFT_OUT)
def test_a_bot_that_cannot_be_used_is_left_out_and_named(
    offer: Offer, point: str, wrong: dict[str, Any], why: str
) -> None:
    before = [*bots_of(hogen())]
    name = offer(point, **wrong)
    assert [*bots_of(hogen())] == before
    [(slug, origin, said)] = list_faults()
    assert (slug, origin) == ("hogen", f"{name} 1.0")
    assert said.startswith(MINE.format(point=point, name=name) + why)
    assert said.endswith(". The game is played without it.")
    assert [one.said for one in checks.check_games()] == [said.removesuffix(".")]


@pytest.mark.long
def test_checking_a_game_reports_a_packages_bot_that_was_left_out(offer: Offer) -> None:
    offer(code=GONE)
    done = CliRunner().invoke(main, ["check", "hogen", "--matches", "1", "--json"])
    loads = json.loads(done.stdout)["checks"][0]
    assert (loads["check"], loads["ok"]) == ("loads", False)
    assert "No module named 'nowhere'" in loads["faults"][0]["said"]


def test_two_packages_bots_of_one_name_are_both_left_out(offer: Offer) -> None:
    names = sorted([offer(), offer()])
    assert "wily" not in bots_of(hogen())
    both = " and ".join(f"{name} 1.0" for name in names)
    assert [said for _, _, said in list_faults()] == [
        f"the bot 'hogen.wily' of {name} 1.0 has the name of another: {both} offer it. The game is played without it."
        for name in names
    ]


def test_a_bot_named_like_another_games_own_bot_is_left_out(offer: Offer) -> None:
    """Else that bot, in all matches of its game, would wait where bots think."""
    niigata = find_game("niigata")
    assert niigata is not None
    own = niigata.bots
    object.__setattr__(niigata, "bots", {**own, "keen": own["greedy"]})
    try:
        name = offer("hogen.keen")
        said = "has the name of a bot that niigata has already. The game is played without it."
        assert [*list_faults()] == [("hogen", f"{name} 1.0", MINE.format(point="hogen.keen", name=name) + said)]
        assert "keen" not in {*slow_bots(), *bots_of(hogen())}
    finally:
        object.__setattr__(niigata, "bots", own)


def test_a_bot_for_a_game_that_is_not_here_is_named_and_not_loaded(offer: Offer) -> None:
    name = offer("chess.wily", code=GONE)
    [(slug, origin, said)] = list_faults()
    assert (slug, origin) == ("chess", f"{name} 1.0")
    assert said == f"the bot 'chess.wily' of {name} 1.0 is for a game that is not here. It waits for it."
    assert name not in sys.modules


def test_a_bots_module_may_look_up_its_game_while_being_imported(offer: Offer) -> None:
    offer(more="from pbem.games import find_game\nGAME = find_game('hogen')\nassert GAME is not None")
    assert "wily" in bots_of(hogen())
    assert [*list_faults()] == []


@pytest.mark.long
def test_a_packages_bot_is_checked_to_answer_legally(offer: Offer) -> None:
    offer(body="return None")
    done = CliRunner().invoke(main, ["check", "hogen", "--matches", "2", "--json"])
    [bots] = [one for one in json.loads(done.stdout)["checks"] if one["check"] == "bots"]
    assert "the bot 'wily' answers" in bots["faults"][0]["said"]
    assert "with None, which is not legal" in bots["faults"][0]["said"]


FRAMES = """import sys
    frame = sys._getframe()
    while frame is not None:
        asked.append([*frame.f_locals.values()])
        frame = frame.f_back
    return view.legal[0]"""


@pytest.mark.parametrize("slug", ["hogen", "hagakure", "niigata", "allegeance", "hexen-rennen"])
def test_a_packages_bot_receives_nothing_that_references_hidden_values(offer: Offer, slug: str) -> None:
    """Neither from the view, nor from the frames that have called it where the service lets it think."""
    module = offer(f"{slug}.wily", FRAMES)
    game = find_game(slug)
    assert game is not None
    table = Table(game, max(game.meta.seats), game.meta.options(), SEED)
    asked = sys.modules[module].asked
    for count, (ask, _) in enumerate(random_decisions(table)):
        if count > 24:
            break
        if count % 6:
            continue
        asked.clear()
        view, chance = view_of(table, ask.seat), table.luck.bot(table.next_entry_number, ask.key, ask.seat)
        answer_of_bot(game, "wily", extra_bots(game)["wily"], view, ask.seat, chance)
        [(given, seat, luck), *_] = asked
        assert isinstance(given, BotView)
        assert given.legal == (*game.legal(view.fold, seat),)
        whole = None if view.fold == table.state else table.state  # where nothing is hidden both may be one object
        assert secrets_found([table.seed, table.key], ask.seat, whole, given, luck, *asked) == []
