"""The rows about pages: a running match with a log of 300 events, requested many times, with caches and without."""

from collections.abc import Iterator
from typing import Any

from benchmarks.service import endless
from benchmarks.service.clients import at_once, request_of_page
from benchmarks.service.machine import Machine
from benchmarks.service.matches import create_match
from benchmarks.service.report import Row, percentile
from pbem.services.site import Cache
from pbem.services.views import match_views

EVENTS, READERS = 300, 8
KEEPS = "benchmarks.service.endless:create_app"
FORGETS = "benchmarks.service.pages:create_forgetful_app"


def measure_seat_pages(machine: Machine, seconds: float) -> Iterator[Row]:
    """Measures the page of a seat, without an ETag: the whole page each time."""
    name = machine.empty()
    site = machine.site(name)
    ahead = 100
    while True:  # the first position with a log this long; few matches of this game are shorter
        match = create_match(site, "allegeance", 40_000 + ahead, most=1, ahead=ahead)
        view = match_views.read_view(site, match.id, 0)
        if view.sheet.version >= EVENTS and not view.sheet.over:
            break
        ahead += 20
    asked = next((ask.seat for ask in view.sheet.asks), 0)
    site.engine.dispose()
    log = f"{view.sheet.game.meta.slug}, {view.sheet.version} events"
    for how, factory, bar in (("warm", KEEPS, 500), ("cold", FORGETS, 150)):
        with machine.web(name, factory) as web:
            rush = at_once(
                web.port, [[request_of_page(f"/play/{match.tokens[asked]}")] * 20_000] * READERS, 200, 2, seconds
            )
            spent = web.effort.each(rush.answered)
        note = f"{log}, p99 {percentile(0.99, rush.took) * 1e3:.0f} ms, {spent}"
        yield Row(f"page of a running match, 300 events, {how}", rush.rate, bar, "/s", ">=", note)


def create_forgetful_app() -> Any:
    """Returns the service's application in a process that keeps nothing of a match between two requests."""
    disable_caches()
    return endless.create_app()


def disable_caches() -> None:
    """Makes this process keep nothing of a match from now on, to its end."""
    Cache.keep = lambda *_: None  # type: ignore[method-assign]
