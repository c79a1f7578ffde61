"""Carries out the faults of a plan, each at its time, while everybody plays."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import cast

import psycopg

from tests.chaos.plan import Fault
from tests.chaos.relay import Mood, Relay
from tests.chaos.town import Part, Town

TRY_AGAIN_S = 0.5
SOMEBODY_S = 60.0
UP = """
UPDATE asks SET deadline = now() - interval '1 hour', acts_at = now()
WHERE closed_at IS NULL AND sealed_at IS NULL AND bot IS NULL AND acts_at > now()"""


@dataclass
class Unrest:
    """The schedule of faults. Runs in the thread that started the processes: Linux ends them with it."""

    town: Town
    relay: Relay
    begun: float = 0.0
    done: Counter[str] = field(default_factory=Counter)
    _later: list[tuple[float, Callable[[], None]]] = field(default_factory=list)
    _moods: int = 0

    def run(self, faults: Sequence[Fault], seconds: float) -> None:
        """Carries out the faults for this many seconds; returns when everything has been restarted."""
        self.begun = time.monotonic()
        self._later = [(fault.at, lambda fault=fault: self.strike(fault)) for fault in faults]  # type: ignore[misc]
        while self._later or self.seconds < seconds:
            self._later.sort(key=lambda one: one[0])
            while self._later and self._later[0][0] <= self.seconds:
                self._later.pop(0)[1]()
            self.town.look()
            time.sleep(0.1)

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.begun

    def strike(self, fault: Fault) -> None:
        """Causes one fault, and schedules its end; a part that is away cannot fail again.

        A timeout needs a player who is thinking: if there is none just now, it waits a little.
        """
        end = self._begin(fault)
        if end is None:
            if fault.part == "clock" and self.seconds < fault.at + SOMEBODY_S:
                self.later(TRY_AGAIN_S, lambda: self.strike(fault))
            return
        self.done[str(fault)] += 1
        self.later(fault.lasts, end)

    def later(self, seconds: float, action: Callable[[], None]) -> None:
        """Calls the function this many seconds from now."""
        self._later.append((self.seconds + seconds, action))

    def _begin(self, fault: Fault) -> Callable[[], None] | None:
        town = self.town
        if fault.part == "mail":
            self._moods += 1
            self.relay.become(cast(Mood, fault.how))
            return lambda mood=self._moods: self.cheer_up(mood)  # type: ignore[misc]
        if fault.part == "postgres":
            return self._after(town.postgres_up, town.kill_postgres(fault.how), self.start_postgres)
        if fault.part == "redis":
            return self._after(town.redis_up, town.kill_redis(), town.start_redis)
        if fault.part == "clock":
            return _do_nothing if self.time_is_up() else None
        if fault.part == "host":
            gone = town.kill_host(fault.which)
            return (lambda: self.start_all(gone)) if gone else None
        parts = [part for part in town.parts if part.command == fault.part]
        part = parts[fault.which % len(parts)]
        alive = part.process is not None and part.process.popen.poll() is None
        return self._after(alive, town.kill(part, fault.how), lambda: town.start(part))

    def time_is_up(self) -> bool:
        """Moves the deadline and the grace of every person who is thinking into the past."""
        try:
            with psycopg.connect(self.town.service.database_url) as host:
                return host.execute(UP).rowcount > 0
        except psycopg.OperationalError:
            return False

    @staticmethod
    def _after(alive: bool, down: bool, start: Callable[[], None]) -> Callable[[], None] | None:
        if down:
            return start
        return _do_nothing if alive else None

    def start_all(self, parts: Sequence[Part]) -> None:
        """Starts these parts."""
        for part in parts:
            self.town.start(part)

    def start_postgres(self) -> None:
        """Starts the database, with retries."""
        if not self.town.start_postgres():
            self.later(TRY_AGAIN_S, self.start_postgres)

    def cheer_up(self, mood: int) -> None:
        """Ends a bad mood, unless another has followed it; starts to measure how long the next mail takes."""
        if mood != self._moods:
            return
        self.relay.become("well")
        taken = len(self.relay.taken)
        self.town.measure("mail", lambda: len(self.relay.taken) > taken)


def _do_nothing() -> None:
    """Restores a part that comes back by itself."""
