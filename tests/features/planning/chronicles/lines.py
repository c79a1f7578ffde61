"""Lines that are thought out, kept, forgotten, come true, and become orders."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pbem.features.planning import plans
from pbem.kit.codec import plain
from pbem.kit.orders.typed import format_order
from pbem.services.play import moves, ordering, presence
from tests.features.planning.thinking import begin_niigata, think_until, version_of
from tests.services.chronicles.chronicle import Chronicle
from tests.table import House, claim_of


def tell(house: House, told: Chronicle) -> None:
    site = house.site
    match_id, first, second = begin_niigata(house)
    claim = claim_of(site, match_id, second)
    line = think_until(house, match_id, second, 1)
    short, version = line.in_short[:1], version_of(house, match_id)
    told.skip()

    def board(at: int | None, *said: str) -> Callable[[], Any]:
        def read() -> dict[str, Any]:
            found = plans.read_board(site, claim, at, said)
            left = found.left.in_short if found.left is not None else None
            kept = [list(one.in_short) for one in found.lines]
            return {"version": found.version, "at": found.at, "line": found.line.in_short, "left": left, "kept": kept}

        return read

    def keep(version: int, *said: str) -> Callable[[], None]:
        return lambda: plans.keep_line(site, claim, version, said)

    told.do("an empty board", board(None))
    told.do("a line", board(version, *line.in_short))
    told.do("an impossible one", board(None, "whatever"))
    told.do("before the match", board(0))
    told.do("after it", board(version + 1))
    told.do("nothing is kept", keep(version))
    told.do("the impossible is not kept", keep(version, "whatever"))
    told.do("a line is kept", keep(version, *line.in_short))
    told.do("once more", keep(version, *line.in_short))
    told.do("another one", keep(version, *short))
    told.do("the board", board(None, *short))
    told.do("one is forgotten", lambda: plans.forget_line(site, claim, version, short))
    told.do("it is gone already", lambda: plans.forget_line(site, claim, version, short))
    told.do("it has no answer", lambda: plans.save_line_as_orders(site, claim, version, short, "web"))
    told.do("a line is ordered", lambda: _orders(plans.save_line_as_orders(site, claim, version, line.in_short, "web")))
    told.do("what the orders say", lambda: _orders(ordering.read_orders(site, claim)))
    view = house.view(match_id, first)
    coming = next(one for one in view.legal() if view.game.format(one) == line.in_short[0])
    assert view.ask is not None
    moves.play_answer(site, claim_of(site, match_id, first), view.ask.key, plain(coming), "api")
    told.skip()
    told.do("it begins to come true", board(version, *line.in_short))
    told.do("at another version", lambda: plans.save_line_as_orders(site, claim, version, line.in_short, "web"))
    told.do("and is answered", house.follow_orders)
    told.do("then nothing is left", board(None))
    told.do("the last one is forgotten", lambda: plans.forget_line(site, claim, version, line.in_short))
    for seat in range(2):
        presence.resign(site, claim_of(site, match_id, seat))
    told.skip()
    told.do("over", board(None))


def _orders(found: ordering.Ordered) -> dict[str, Any]:
    return {"version": found.version, "orders": [format_order(one, found.game) for one in found.orders]}
