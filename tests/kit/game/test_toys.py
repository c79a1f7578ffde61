"""Pig and Sealed, the games that are said on the layer alone, obey every law, and are played as installed packages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from pbem.games import broken_games, folder_of_game, found_games
from pbem.kit.contract import AnyGame, Ask
from pbem.kit.laws.bounds import check_bounds
from pbem.kit.laws.imagined import check_imagined, view_of
from pbem.kit.laws.luck import check_luck
from pbem.kit.laws.matches import check_fallbacks, check_match
from pbem.kit.laws.orders import check_declared, check_orders
from pbem.kit.laws.plans import check_plans
from pbem.kit.play import LawBroken, Sample, Table, random_decisions
from pbem.kit.replay import By
from pbem.testing.check import check_game
from pbem.testing.moves import check_moves
from pbem.testing.starter import pig
from tests.kit.game import sealed
from tests.transcripts import seed_of

TOYS = pytest.mark.parametrize("game", [pig.GAME, sealed.GAME], ids=["pig", "sealed"])
MATCHES = 6


@TOYS
def test_a_toy_obeys_every_law(game: AnyGame) -> None:
    check_declared(game)
    check_bounds(game)
    sample, supposed = Sample(), 0
    for number in range(MATCHES):
        for seats in game.meta.seats:
            given = game, seats, game.meta.options(), seed_of(game.meta.slug, seats, number)
            sample.add(check_match(*given)[0])
            check_fallbacks(*given)
            check_luck(*given)
            check_orders(*given)
            supposed += check_plans(*given)
    assert sample.missing(game) == []
    assert {*sample.refusals} >= {*game.meta.refusals} - {"nobody"}
    assert supposed > 100


@TOYS
def test_a_toys_imagined_states_agree_with_the_seats_view(game: AnyGame) -> None:
    table = Table(game, 2, game.meta.options(), seed_of(game.meta.slug, 2, 1))
    for ask, _ in random_decisions(table):
        check_imagined(table, ask)


def test_the_bot_of_a_toy_plays_legal_moves() -> None:
    game = sealed.GAME
    table = Table(game, 2, game.meta.options(), seed_of(game.meta.slug, 2, 2))
    while asks := game.pending(table.state):
        ask = asks[0]
        move = game.bots["greedy"](
            view_of(table, ask.seat), ask.seat, table.luck.bot(table.next_entry_number, ask.key, ask.seat)
        )
        assert move in game.legal(table.state, ask.seat)
        table.play(ask, move, By(seat=ask.seat))
    assert game.outcome(table.state) is not None


class Often(pig.PigGame):
    state, moves = pig.State, (pig.Roll, pig.Hold)
    events = (pig.Began, pig.Dared, pig.Rolled, pig.Held)

    def asks(self, s: pig.State) -> Iterator[Any]:
        """Asks each question in a turn of its own, and so in a mail of its own."""
        yield Ask(s.active, f"t{s.count}.roll", f"t{s.count}", "roll")


def test_the_authors_check_finds_a_seat_asked_again_in_a_new_turn() -> None:
    with pytest.raises(LawBroken, match=r"seat . is asked again, but in a turn of its own: t\d+.roll, then t"):
        check_moves(Often().assemble(), 2, None, bytes(32))


@pytest.mark.usefixtures("install")
@TOYS
def test_the_authors_check_finds_no_fault_in_the_toys(game: AnyGame) -> None:
    checks = [*check_game(game, folder_of_game(game.meta.slug), 10)]
    assert [fault for check in checks for fault in check.faults] == []
    assert len(checks) > 8


@pytest.mark.usefixtures("install")
def test_games_of_an_installed_package_are_found_without_faults() -> None:
    found = found_games()
    assert [found[slug].game for slug in ("pig", "sealed")] == [pig.GAME, sealed.GAME]
    assert [found[slug].wrong for slug in ("pig", "sealed")] == [(), ()]
    assert broken_games() == ()
