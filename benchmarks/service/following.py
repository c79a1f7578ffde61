"""Rows about what follows an answer: from the commit of a move to that of a bot's or an order's. And what an answer by
order costs, against one by hand in the same matches.

Production runs as the Procfile says, with a worker and beat; `pbem run` as it is.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from http.client import HTTPConnection
from itertools import count
from statistics import mean, median
from typing import Any

from sqlalchemy import text

from benchmarks.service.machine import ROOT, SECRET, Machine, await_port, free_port, run_child
from benchmarks.service.matches import create_match
from benchmarks.service.report import Row, percentile
from pbem.config import Config
from pbem.kit.codec import plain
from pbem.services.play import moves, ordering, timeouts
from pbem.services.site import Site
from pbem.services.tokens import PlayClaim, SeatClaim
from pbem.services.views import match_views
from pbem.services.wakeup import open_with_broker, wakeup_for

FOLLOWED, WARM = 40, 5
"""How many answers are followed, after the first few."""
THINK_S = 0.3
"""How long a player thinks at least."""
PATIENCE_S, POLL_S = 12.0, 0.001
BAR_MS = 50.0
_STANDS = text(
    "SELECT m.version, (SELECT min(a.kind) FROM asks a WHERE a.match_id = m.id AND a.seat = :seat"
    " AND a.closed_at IS NULL) FROM matches m WHERE m.id = :id"
)


@dataclass
class Place:
    """A running service, as its player and its database see it."""

    site: Site
    port: int

    def version_and_question(self, match_id: str, seat: int) -> tuple[int, str | None]:
        """Returns the version of the match, and the kind of what the seat is asked, if anything."""
        with self.site.one_statement() as connection:
            version, kind = connection.execute(_STANDS, {"id": match_id, "seat": seat}).one()
        return version, kind

    def play_first_legal(self, match_id: str, seat: int) -> tuple[int, float]:
        """Plays the seat's first legal move over HTTP; returns the version then, and when the answer was there."""
        view = match_views.read_view(self.site, match_id, seat)
        assert view.ask is not None
        body = json.dumps({"key": view.ask.key, "move": plain(view.legal()[0])})
        token = self.site.tokens.sign(PlayClaim(match_id, seat, 0))
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        line = HTTPConnection("127.0.0.1", self.port, timeout=30)
        line.request("POST", f"/api/v1/matches/{match_id}/moves", body, headers)
        answer = line.getresponse()
        told = json.loads(answer.read())
        line.close()
        if answer.status == 409:  # an order was quicker
            return self.version_and_question(match_id, seat)[0], time.perf_counter()
        if answer.status != 201:
            raise RuntimeError(str(told))
        return told["version"], time.perf_counter()


def measure_following(machine: Machine, seconds: float) -> Iterator[Row]:
    """Measures what follows in production and in `pbem run`."""
    with _production_place(machine) as place:
        yield from _measure_following_answers(place, "")
    with _place_of_pbem_run(machine) as place:
        yield from _measure_following_answers(place, " of pbem run")


@contextmanager
def _production_place(machine: Machine) -> Iterator[Place]:
    name = machine.empty()
    with machine.web(name, processes=1) as web:
        environ = machine.environ(name, web.port)
        with machine.worker(environ), machine.running("beat", environ):
            site = machine.site(name, wake=wakeup_for(machine.site(name).config))
            yield Place(site, web.port)
            site.engine.dispose()


@contextmanager
def _place_of_pbem_run(machine: Machine) -> Iterator[Place]:
    port, data = free_port(), machine.folder / "followed"
    known = {name: value for name, value in os.environ.items() if not name.startswith("PBEM_")}
    environ = known | {
        "PORT": str(port), "PBEM_DATA": str(data), "PYTHONPATH": str(ROOT), "PBEM_MODE": "embedded",
        "PBEM_SECRET": SECRET, "REDIS_URL": machine.redis_url,
    }  # fmt: skip
    with run_child([sys.executable, "-m", "pbem.cli", "run"], environ, machine.folder / "followed.log") as launcher:
        await_port(port, launcher)
        site = open_with_broker(Config.from_env(environ, "embedded"))
        time.sleep(2)  # the worker is there a moment after the web
        yield Place(site, port)
        site.engine.dispose()


def _measure_following_answers(place: Place, where: str) -> Iterator[Row]:
    """Measures from a move to what a bot answers, and to what an order answers before all eyes."""
    for who, took in (("a bot's answer", _seconds_to_bot_answers), ("an order's answer", _seconds_to_order_answers)):
        late = took(place)[WARM:]
        note = f"p90 {percentile(0.9, late) * 1e3:.0f} ms, {len(late)} moves"
        yield Row(f"from a move to {who}{where}, p50", median(late) * 1e3, BAR_MS, "ms", "<=", note)


def _seconds_to_bot_answers(place: Place) -> list[float]:
    took, numbers = list[float](), count(1)
    while len(took) < FOLLOWED + WARM:
        match_id = create_match(place.site, "niigata", next(numbers), scripted=False, bots={1: "greedy"}).id
        place.site.wake()
        while len(took) < FOLLOWED + WARM and _wait_until(partial(_is_asked, place, match_id)):
            took += _seconds_to_next_answer(place, match_id, None)
    return took


def _is_asked(place: Place, match_id: str) -> bool:
    return place.version_and_question(match_id, 0)[1] is not None


def _wait_until(done: Callable[[], bool], seconds: float = PATIENCE_S) -> bool:
    end = time.perf_counter() + seconds
    while not done():
        if time.perf_counter() > end:
            return False
        time.sleep(POLL_S)
    return True


def _seconds_to_order_answers(place: Place) -> list[float]:
    took, numbers = list[float](), count(1_000)
    while len(took) < FOLLOWED + WARM:
        match_id = create_match(place.site, "niigata", next(numbers), scripted=False).id
        while any(place.version_and_question(match_id, seat)[1] for seat in (0, 1)):
            seat = 0 if place.version_and_question(match_id, 0)[1] else 1
            if seat == 0 and place.version_and_question(match_id, 0)[1] == "pick":
                view = match_views.read_view(place.site, match_id, 0)
                listed = [plain(move) for move in view.legal()][:16]
                said: Any = {"type": "Prefer", "kind": "pick", "moves": listed, "scope": "match"}
                ordering.save_orders(place.site, PlayClaim(match_id, 1, 0), view.sheet.version, [said], "api")
                took += _seconds_to_next_answer(place, match_id, "pick")
            else:
                place.play_first_legal(match_id, seat)
            if len(took) >= FOLLOWED + WARM:
                break
    return took


def _seconds_to_next_answer(place: Place, match_id: str, kind: str | None) -> list[float]:
    """Plays for the first seat; returns after how many seconds the other has answered, if it was asked, and `kind`."""
    time.sleep(THINK_S)
    version, committed = place.play_first_legal(match_id, 0)
    end = committed + PATIENCE_S
    while time.perf_counter() < end:
        now, asked = place.version_and_question(match_id, 1)
        if now > version:
            return [time.perf_counter() - committed]
        if asked is None or (kind is not None and asked != kind):
            return []
        time.sleep(POLL_S)
    return [PATIENCE_S]


# --- what it costs -----------------------------------------------------------------------------------------------

SEATS = 4
LATER = timedelta(hours=1)
ORDERS = ("always nobori: none for match", "lowest for match")


def _seat_claim(match_id: str, seat: int) -> SeatClaim:
    return PlayClaim(match_id, seat, 0)


def _play_by_order(site: Site, match_id: str, until: float) -> Iterator[tuple[float, int]]:
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
        moves.play_answer(site, _seat_claim(match_id, ask.seat), ask.key, move, "api")
        yield time.perf_counter() - start, 0
        version = match_views.read_sheet(site, match_id, None).version
        start = time.perf_counter()
        timeouts.let_orders_answer(site, site.now() + LATER)
        took = time.perf_counter() - start
        after = match_views.read_view(site, match_id, None)
        if orders := len({entry.key for entry in after.entries if entry.n > version and entry.key is not None}):
            yield took, orders


def measure_cost_of_orders(machine: Machine, seconds: float) -> Iterator[Row]:
    """Plays matches of Hagakure in which three of four seats have orders."""
    site = machine.site(machine.empty())
    by_hand, by_order = list[float](), list[tuple[float, int]]()
    until, number = time.perf_counter() + 2 * seconds, 1
    while time.perf_counter() < until:
        match_id = create_match(site, "hagakure", number, seats=SEATS, scripted=False).id
        for seat in range(1, SEATS):
            version = match_views.read_sheet(site, match_id, None).version
            ordering.save_orders(site, _seat_claim(match_id, seat), version, ORDERS, "api")
        for took, orders in _play_by_order(site, match_id, until):
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
