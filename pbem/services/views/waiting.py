"""Waiting for news of a match, in a thread that could serve another request: few may wait at once, and not for long.

No connection and no lock is held while waiting; twice a second one statement reads the match's progress. A caller wakes
when the version has grown, when the match has ended, or when the link of their seat was replaced. They then read the
match again, including whether they may still see it.
"""

import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from sqlalchemy import and_, bindparam, select

from pbem.kit.contract import Viewer
from pbem.models.prepared import Prepared
from pbem.models.tables import Match, SeatRow, table
from pbem.services.site import Site

EVERY_S = 0.5
EACH, EACH_STRANGER = 2, 1
"""The maximum number of slots per caller: a program may stream a match and wait for it; a stranger has one slot."""
KEPT = 1
"""The number of slots reserved for players, however many strangers come."""
ENDED = ("over", "cancelled")

_matches, _seats = table(Match), table(SeatRow)
_FAR = Prepared(
    select(_matches.c.version, _matches.c.status, _seats.c.epoch)
    .join(_seats, and_(_seats.c.match_id == _matches.c.id, _seats.c.seat == bindparam("seat")), isouter=True)
    .where(_matches.c.id == bindparam("match"))
)


class Slot:
    """One of the slots for waiting callers; leaving it more than once has no further effect."""

    def __init__(self, give_back: Callable[[], None]) -> None:
        self._give_back: Callable[[], None] | None = give_back
        self._lock = threading.Lock()

    def leave(self) -> None:
        """Guarantees that the slot is free for somebody else."""
        with self._lock:
            give_back, self._give_back = self._give_back, None
        if give_back is not None:
            give_back()


@dataclass
class Waiting:
    """The slots of one process for waiting callers. `ended` returns True when the process is about to end."""

    places: int
    sleep: Callable[[float], None] = time.sleep
    time: Callable[[], float] = time.monotonic
    ended: Callable[[], bool] = lambda: False
    _taken: Counter[str] = field(default_factory=Counter, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    def take_slot(self, who: str, *, stranger: bool) -> Slot | None:
        """Returns a slot for this caller, which they must leave; None if they have their maximum or no slot is free."""
        places, each = (self.places - KEPT, EACH_STRANGER) if stranger else (self.places, EACH)
        with self._lock:
            if self._taken.total() >= places or self._taken[who] >= each:
                return None
            self._taken[who] += 1
        return Slot(partial(self._leave, who))

    def _leave(self, who: str) -> None:
        with self._lock:
            self._taken -= Counter({who: 1})  # Counter subtraction drops callers with no slots

    def wait_for(self, news: Callable[[], bool], most_s: float) -> bool:
        """True if there was news within `most_s` seconds; polls for it."""
        end = self.time() + most_s
        while not news():
            left = end - self.time()
            if left <= 0 or self.ended():
                return False
            self.sleep(min(EVERY_S, left))
        return True


def news_of(site: Site, match_id: str, viewer: Viewer, after: int) -> Callable[[], bool]:
    """Returns a function that returns True if there is news for a viewer who knows the match up to this entry."""
    _, _, epoch = _far(site, match_id, viewer)

    def news() -> bool:
        version, status, now = _far(site, match_id, viewer)
        return version > after or status in ENDED or now != epoch

    return news


def _far(site: Site, match_id: str, viewer: Viewer) -> tuple[int, str, int | None]:
    """Returns the match's version, status and the epoch of the viewer's seat. A deleted match counts as cancelled."""
    with site.one_statement() as connection:
        found = _FAR.send(connection, {"match": match_id, "seat": viewer}).rows()
    version, status, epoch = found[0] if found else (0, "cancelled", None)
    return version, status, epoch
