"""The row about orders: what an answer by order costs, against one by hand in the same matches."""

import time
from collections.abc import Iterator
from datetime import timedelta
from statistics import mean

from benchmarks.service.machine import Machine
from benchmarks.service.matches import create_match
from benchmarks.service.report import Row
from pbem.kit.codec import plain
from pbem.services.play import moves, ordering, timeouts
from pbem.services.site import Site
from pbem.services.tokens import PlayClaim, SeatClaim
from pbem.services.views import match_views

SEATS = 4
LATER = timedelta(hours=1)
ORDERS = ("always nobori: none for match", "lowest for match")


def _claim(match_id: str, seat: int) -> SeatClaim:
    return PlayClaim(match_id, seat, 0)


def _play(site: Site, match_id: str, until: float) -> Iterator[tuple[float, int]]:
    """Plays the match by hand where no order answers; yields the seconds of each move, with 0.

    Then those of the sweep's look at orders an hour later, if any has answered, with their number.
    """
    while time.perf_counter() < until:
        sheet = match_views.read_sheet(site, match_id, None)
        if sheet.over:
            return
        ask = sheet.asks[0]
        view = match_views.read_view(site, match_id, ask.seat)
        move = plain(view.legal()[0])
        start = time.perf_counter()
        moves.answer(site, _claim(match_id, ask.seat), ask.key, move, "api")
        yield time.perf_counter() - start, 0
        version = match_views.read_sheet(site, match_id, None).version
        start = time.perf_counter()
        timeouts.follow_orders(site, site.now() + LATER)
        took = time.perf_counter() - start
        after = match_views.read_view(site, match_id, None)
        if orders := len({entry.key for entry in after.entries if entry.n > version and entry.key is not None}):
            yield took, orders


def rows(machine: Machine, seconds: float) -> Iterator[Row]:
    """Plays matches of Hagakure in which three of four seats have orders."""
    site = machine.site(machine.empty())
    by_hand, by_order = list[float](), list[tuple[float, int]]()
    until, number = time.perf_counter() + 2 * seconds, 1
    while time.perf_counter() < until:
        match_id = create_match(site, "hagakure", number, seats=SEATS, scripted=False).id
        for seat in range(1, SEATS):
            version = match_views.read_sheet(site, match_id, None).version
            ordering.save_orders(site, _claim(match_id, seat), version, ORDERS, "api")
        for took, orders in _play(site, match_id, until):
            if orders:
                by_order.append((took, orders))
            else:
                by_hand.append(took)
        number += 1
    site.engine.dispose()
    hand = mean(by_hand)
    each = mean(took / orders for took, orders in by_order)
    note = f"{each * 1e3:.2f} ms against {hand * 1e3:.2f} ms; up to {max(count for _, count in by_order)} at once"
    yield Row("an answer by order against one by hand", each / hand, 1.0, "x", "<=", note)
