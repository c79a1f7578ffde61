"""Waiting until a match goes on, in a thread that could answer somebody else: so few wait at once, and none for long.

Nothing is held meanwhile, no connection and no lock: twice a second one statement asks how far the match is. Whoever
waits wakes when its version has grown, when it has ended, or when the link of his seat is another. What he is told then
is read anew, and whether he may be told it, too.
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
"""So many places one caller has at most: a program may follow a match and wait for it; a stranger has one."""
KEPT = 1
"""So many places strangers never get: whoever is at a table finds one, however many of them come."""
ENDED = ("over", "cancelled")

_matches, _seats = table(Match), table(SeatRow)
_FAR = Prepared(
    select(_matches.c.version, _matches.c.status, _seats.c.epoch)
    .join(_seats, and_(_seats.c.match_id == _matches.c.id, _seats.c.seat == bindparam("seat")), isouter=True)
    .where(_matches.c.id == bindparam("match"))
)


class Slot:
    """One of the places for those who wait; it is given back once, however often that is said."""

    def __init__(self, give_back: Callable[[], None]) -> None:
        self._give_back: Callable[[], None] | None = give_back
        self._lock = threading.Lock()

    def leave(self) -> None:
        """Guarantees that the place is free for somebody else."""
        with self._lock:
            give_back, self._give_back = self._give_back, None
        if give_back is not None:
            give_back()


@dataclass
class Waiting:
    """The places of one process for those who wait, and how they do. `ended` tells that the process is to end."""

    places: int
    sleep: Callable[[float], None] = time.sleep
    time: Callable[[], float] = time.monotonic
    ended: Callable[[], bool] = lambda: False
    _taken: Counter[str] = field(default_factory=Counter, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    def place(self, who: str, *, stranger: bool) -> Slot | None:
        """A place for this caller, to be left again; None while he has his, or all are taken that he may have."""
        places, each = (self.places - KEPT, EACH_STRANGER) if stranger else (self.places, EACH)
        with self._lock:
            if self._taken.total() >= places or self._taken[who] >= each:
                return None
            self._taken[who] += 1
        return Slot(partial(self._leave, who))

    def _leave(self, who: str) -> None:
        with self._lock:
            self._taken -= Counter({who: 1})  # who has none left is forgotten

    def until(self, news: Callable[[], bool], most_s: float) -> bool:
        """Whether there were news, looked for now and then for at most so many seconds."""
        end = self.time() + most_s
        while not news():
            left = end - self.time()
            if left <= 0 or self.ended():
                return False
            self.sleep(min(EVERY_S, left))
        return True


def news_of(site: Site, match_id: str, viewer: Viewer, after: int) -> Callable[[], bool]:
    """Tells, when called, whether there is something to look at for who knows the match up to this entry."""
    _, _, epoch = _far(site, match_id, viewer)

    def news() -> bool:
        version, status, now = _far(site, match_id, viewer)
        return version > after or status in ENDED or now != epoch

    return news


def _far(site: Site, match_id: str, viewer: Viewer) -> tuple[int, str, int | None]:
    """How far the match is, and the epoch of the viewer's seat. A match that is not there any more has ended."""
    with site.glancing() as connection:
        found = _FAR.send(connection, {"match": match_id, "seat": viewer}).rows()
    version, status, epoch = found[0] if found else (0, "cancelled", None)
    return version, status, epoch
