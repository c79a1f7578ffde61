"""Every bot of every game returns a legal move when its seat is asked, from its own fold, and always the same one.

It chooses otherwise only under another `Meta.bot_version`.
"""

from collections.abc import Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from pbem.games import all_games
from pbem.kit.bots import EASY, RANDOM, bots_of, is_thinking_bot, usual_bot
from pbem.kit.contract import AnyGame, Ask, Bot
from pbem.kit.play import Table, first_to_answer
from pbem.kit.replay import By, player_view
from tests.harness.cases import cases
from tests.kit.bot_choices import current_pins, pins_of, read_pins, trouble_with_pin
from tests.kit.toys import GLIMPSE, Glimpse, Show
from tests.transcripts import log_of, play_match, seed_of

GAMES: list[AnyGame] = [*all_games().values(), GLIMPSE]


SEATED = [(game, seats, bot) for game in GAMES for seats in game.meta.seats for bot in bots_of(game)]
SELDOM = 10
"""Of this many questions those that think longer than `easy` get one: they differ from it by how long they search."""
MATCHES = 3
"""This many matches with different options share the seats and bots of a game among them."""


@cases("game", GAMES)
def test_every_game_has_the_random_bot_first_and_one_of_its_own(game: AnyGame) -> None:
    names = list(bots_of(game))
    assert names[0] == RANDOM
    assert len(names) > 1
    assert RANDOM not in game.bots


@pytest.mark.long
@pytest.mark.parametrize(
    ("number", "game", "seats", "name"),
    [
        pytest.param(
            at % MATCHES,
            game,
            seats,
            name,
            id=f"{game.meta.slug}-{seats}-{name}",
            marks=() if seats in (min(game.meta.seats), max(game.meta.seats)) else pytest.mark.long,
        )
        for at, (game, seats, name) in enumerate(SEATED)
    ],
)
def test_a_bot_always_answers_with_a_legal_move(number: int, game: AnyGame, seats: int, name: str) -> None:
    """A bot plays among its own kind, then against random bots: the two reach different positions."""
    play_checked_match(game, seats, [name] * seats, number)
    if name != RANDOM:
        play_checked_match(game, seats, [name if seat == number % seats else RANDOM for seat in range(seats)], number)


def play_checked_match(game: AnyGame, seats: int, names: list[str], number: int) -> None:
    """Plays one match to its end within the bound and checks every answer."""
    options = (game.meta.options(), *game.meta.samples)
    table = Table(game, seats, options[number % len(options)], seed_of(game.meta.slug, seats, number))
    for asked in range(game.meta.bound):
        asks = game.pending(table.state)
        if not asks:
            return
        ask = first_to_answer(asks, table.luck, table.next_entry_number)
        name = names[ask.seat] if asked % SELDOM == 0 else _quick(game, names[ask.seat])
        move = answer_of_bot(table, name, ask)
        assert move in game.legal(table.state, ask.seat), table.broken(f"{name} answers {move}")
        assert move == answer_of_bot(table, name, ask), table.broken("it answers by more than fold and luck")
        table.play(ask, move, By(bot=ask.seat))
    assert not game.pending(table.state), table.broken("the bots do not end the match")


def _quick(game: AnyGame, name: str) -> str:
    """Returns the bot that answers most questions of this one: itself, unless it thinks long."""
    return usual_bot(game) if is_thinking_bot(name) and name != EASY.name else name


def answer_of_bot(table: Table, name: str, ask: Ask) -> Any:
    """The bot's answer now, as a worker would compute it: from what the seat has seen of the log."""
    view = player_view(table.game, table.entries, table.seats, ask.seat, table.luck.memory(ask.seat))
    return bots_of(table.game)[name](view, ask.seat, table.luck.bot(table.next_entry_number, ask.key, ask.seat))


# --- pinned choices ----------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("game", [pytest.param(game, id=slug) for slug, game in all_games().items()])
def test_every_bots_choices_equal_those_pinned_for_the_bot_version(game: AnyGame) -> None:
    pinned, found = read_pins(game), current_pins(game)
    assert found
    assert [text for name, pin in found.items() if (text := trouble_with_pin(name, pinned.get(name), pin))] == []
    assert pinned.keys() == found.keys(), "a pin whose bot or transcript is gone"


class Whispering(Glimpse):
    bots: Mapping[str, Bot] = {"loud": lambda view, seat, chance: Show(2 if view.fold.at else 1)}


class WhisperingAndSayingSo(Whispering):
    meta = replace(Glimpse.meta, bot_version=Glimpse.meta.bot_version + 1)


def test_a_bot_changed_without_a_new_bot_version_is_noticed() -> None:
    log = log_of(play_match(GLIMPSE, 2, bytes(32)))
    pinned = pins_of(log)
    assert pinned.keys() == {"random", "loud"}
    changed = pins_of(replace(log, game=Whispering()))
    assert changed["random"] == pinned["random"]
    assert "Raise Meta.bot_version, or" in (trouble_with_pin("x", pinned["loud"], changed["loud"]) or "")
    raised = pins_of(replace(log, game=WhisperingAndSayingSo()))
    assert "not pinned under version 2. Pin it" in (trouble_with_pin("x", pinned["loud"], raised["loud"]) or "")
    assert "not pinned under version 1" in (trouble_with_pin("x", None, pinned["loud"]) or "")
