"""Those who wait for news: each has a place on the event loop and none has a thread.

A caller who waits is a future here. Every EVERY_S seconds a thread of its own looks for news for all of them with one
statement (`pbem.services.views.waiting`), and the futures of those who have some are done. Nobody waits, nobody looks.

How many wait is limited in all, per caller, and for strangers more than for players, so that these find a place.
"""

from __future__ import annotations

import asyncio
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple

import structlog

from pbem.errors import Problem

if TYPE_CHECKING:
    from pbem.services.views.waiting import Known, Pause, Places

EVERY_S = 0.5
PLACES_EVERY = 5
"""After this many looks at matches comes one at what players are asked and where they sit, which costs more."""
FAILED_S = 5.0
"""The pause after a look that failed: what the database cannot answer just now, nobody needs to know twice a second."""
EACH, EACH_STRANGER = 8, 2
"""The most places of a caller; strangers are counted by their network."""
STRANGERS = 0.5
"""The share of all places that strangers may take together."""
RENEW_S = 10.0
"""How long the answer to somebody who has waited in vain is kept, for the case that they ask the same again."""

log = structlog.get_logger()


class Woken(Enum):
    """Why somebody waits no longer."""

    NEWS = "there is news"
    TIME = "the time is up"
    LEFT = "the client has left"
    END = "the process is to end"


class Waited(NamedTuple):
    """What was answered, and when, to somebody who has waited in vain."""

    at: float
    pause: Pause
    status: int
    headers: list[tuple[str, str]]
    body: bytes


class Parking:
    """The places of one process for those who wait. `try_to_take_place` may be called
    in any thread, the rest on the event loop.

    `read_news` and `read_places` look for news; they are called in a thread, for they may block.
    """

    def __init__(
        self,
        places: int,
        read_news: Callable[[Sequence[Known]], Collection[Known]],
        read_places: Callable[[Collection[int]], Mapping[int, Places]],
    ) -> None:
        self.places = places
        self.read_news, self.read_places = read_news, read_places
        self._lock = threading.Lock()
        self._by_caller, self.taken, self._strangers, self.ended = Counter[str](), 0, 0, False
        self._waiting = set[asyncio.Future[Woken]]()
        self._known: defaultdict[Known, set[asyncio.Future[Woken]]] = defaultdict(set)
        self._players: defaultdict[int, dict[asyncio.Future[Woken], Places]] = defaultdict(dict)
        self._waited: dict[Hashable, Waited] = {}
        """The answers to those who have waited in vain, by their requests, the oldest first."""
        self._looks: asyncio.Task[None] | None = None
        self.pool = ThreadPoolExecutor(1, thread_name_prefix="news")

    # --- places --------------------------------------------------------------------------------------------------

    def try_to_take_place(self, who: str, *, stranger: bool) -> bool:
        """True if this caller has got a place, which they must leave; False if none is free for them."""
        with self._lock:
            full = self.taken >= self.places or (stranger and self._strangers >= self.places * STRANGERS)
            if self.ended or full or self._by_caller[who] >= (EACH_STRANGER if stranger else EACH):
                return False
            self.taken += 1
            self._by_caller[who] += 1
            self._strangers += stranger
            return True

    def leave_place(self, who: str, *, stranger: bool) -> None:
        """Gives a place back."""
        with self._lock:
            self.taken -= 1
            self._by_caller[who] -= 1
            if not self._by_caller[who]:
                del self._by_caller[who]
            self._strangers -= stranger

    def end(self) -> None:
        """Wakes everybody; from now on nobody waits."""
        self.ended = True
        self._wake_waiting(self._waiting, Woken.END)

    # --- those who come again ------------------------------------------------------------------------------------

    def keep_answer(self, request: Hashable, waited: Waited) -> None:
        """Keeps what somebody was answered who is likely to ask the same again."""
        self._waited.pop(request, None)
        self._waited[request] = waited
        while len(self._waited) > self.places or next(iter(self._waited.values())).at < waited.at - RENEW_S:
            del self._waited[next(iter(self._waited))]

    def find_answer(self, request: Hashable, now: float) -> Waited | None:
        """Returns what this very request was answered a moment ago, if its sender had waited; forgets it."""
        waited = self._waited.pop(request, None)
        return waited if waited is not None and waited.at >= now - RENEW_S else None

    # --- waiting -------------------------------------------------------------------------------------------------

    async def wait(self, pause: Pause, seconds: float, gone: asyncio.Future[Any]) -> Woken:
        """Returns once there is news, this many seconds have passed, the client is `gone`, or the process is to end."""
        if self.ended:
            return Woken.END
        loop = asyncio.get_running_loop()
        news: asyncio.Future[Woken] = loop.create_future()
        self._waiting.add(news)
        for known in pause.known:
            self._known[known].add(news)
        if pause.player_id is not None:
            self._players[pause.player_id][news] = pause.places
        if self._looks is None or self._looks.done():
            self._looks = loop.create_task(self._look_for_news())
        try:
            both: set[asyncio.Future[Any]] = {news, gone}
            await asyncio.wait(both, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._stop_waiting(pause, news)
        if gone.done():
            return Woken.LEFT
        return news.result() if news.done() else Woken.TIME

    def _stop_waiting(self, pause: Pause, news: asyncio.Future[Woken]) -> None:
        self._waiting.discard(news)
        for known in pause.known:
            self._known[known].discard(news)
            if not self._known[known]:
                del self._known[known]
        if pause.player_id is not None:
            del self._players[pause.player_id][news]
            if not self._players[pause.player_id]:
                del self._players[pause.player_id]

    @staticmethod
    def _wake_waiting(waiting: Collection[asyncio.Future[Woken]], why: Woken) -> None:
        for news in waiting:
            if not news.done():
                news.set_result(why)

    async def _look_for_news(self) -> None:
        """Looks for news, now and then, as long as anybody waits."""
        loop, number = asyncio.get_running_loop(), 0
        while self._waiting and not self.ended:
            await asyncio.sleep(EVERY_S)
            number += 1
            try:
                if known := [*self._known]:
                    for one in await loop.run_in_executor(self.pool, self.read_news, known):
                        self._wake_waiting(self._known.get(one, ()), Woken.NEWS)
                if number % PLACES_EVERY == 0 and (players := [*self._players]):
                    now = await loop.run_in_executor(self.pool, self.read_places, players)
                    for player_id, places in now.items():
                        waiting = self._players.get(player_id, {})
                        self._wake_waiting([news for news, before in waiting.items() if before != places], Woken.NEWS)
            except Problem as problem:
                log.warning("waiting.cannot_look", code=problem.code)
                await asyncio.sleep(FAILED_S)
            except Exception:
                log.exception("waiting.cannot_look")
                await asyncio.sleep(FAILED_S)


class Place:
    """A request that may wait, as the application finds it (`Visit` of `pbem.services.views.waiting`)."""

    def __init__(self, parking: Parking) -> None:
        self._parking = parking
        self._held: Pause | None = None
        self._calls = 0
        self.paused: Pause | None = None
        """What the application said in the last call; None if it is done."""

    @property
    def position_of_last_pause(self) -> object:
        """What the last pause said; None at the first call."""
        return self._held.position if self._held is not None else None

    @property
    def was_called_before(self) -> bool:
        """True if the application has been called for this request before."""
        return self._calls > 1

    def begin_call(self) -> None:
        """Begins a call of the application."""
        self._calls += 1
        self.paused = None

    def ask_to_pause(self, pause: Pause) -> bool:
        """True if the request may wait. The application calls it, in a thread."""
        if self._parking.ended or (
            self._held is None and not self._parking.try_to_take_place(pause.who, stranger=pause.stranger)
        ):
            return False
        self._held = self.paused = pause
        return True

    def leave(self) -> None:
        """Gives the place back, if the request has one."""
        if self._held is not None:
            self._parking.leave_place(self._held.who, stranger=self._held.stranger)
            self._held = None
