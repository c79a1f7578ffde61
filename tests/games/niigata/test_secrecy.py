"""The secrecy law: the tiles that nobody has seen change nothing that anybody can receive."""

from itertools import islice

import pytest

from pbem.games.niigata import GAME
from pbem.games.niigata.facts import LaidOut
from pbem.games.niigata.facts_state import NiigataOptions
from pbem.kit.chance import SeedChance
from pbem.kit.codec import encode
from pbem.kit.contract import IllegalMove
from pbem.kit.play import Table, random_decisions
from pbem.kit.replay import evolve_all
from pbem.kit.secrecy import redact
from tests.games.niigata.tables import CHARLIE
from tests.games.niigata.worlds import TRIES, worlds


def test_compared_worlds_differ_in_the_unseen_stock() -> None:
    table = Table(GAME, 3, GAME.meta.options(), bytes(32))
    for _ in islice(random_decisions(table), 8):
        pass
    stocks = {other[0].event.stock for other in worlds(table.entries, CHARLIE, 50)}
    assert len(stocks) == 50
    shown = len(table.entries[0].event.stock) - len(table.state.stock)
    assert {stock[:shown] for stock in stocks} == {table.entries[0].event.stock[:shown]}


def test_no_viewer_sees_a_tile_before_it_is_turned_up() -> None:
    table = Table(GAME, 4, GAME.meta.options(), bytes(32))
    laid_out = table.entries[0].event
    assert isinstance(laid_out, LaidOut)
    for viewer in table.viewers:
        seen = redact(laid_out, viewer)
        assert set(seen.stock) == set(seen.removed) == {None}
        assert (len(seen.stock), len(seen.removed)) == (72, 7)
        assert set(table.folds[viewer].stock) == {None}


def test_a_refused_take_changes_no_other_seats_view() -> None:
    table = Table(GAME, 2, NiigataOptions("grab"), bytes(32))
    before = [encode(table.folds[viewer]) for viewer in table.viewers]
    for move in TRIES:
        if move not in GAME.legal(table.state, 0):
            with pytest.raises(IllegalMove):
                GAME.decide(table.state, 0, move, SeedChance(bytes(32), 9, "decide", 0))
    assert [
        encode(evolve_all(GAME, None, (redact(e.event, v) for e in table.entries))) for v in table.viewers
    ] == before
