"""The lease of beat: a key in the broker that ends by itself unless it is renewed."""

import time

import structlog
from redis import Redis
from redis.exceptions import LockError, RedisError
from redis.lock import Lock

LEASE_KEY = "pbem:beat:lease"
LEASE_S = 10.0
RENEW_S = LEASE_S / 4
"""How often the holder renews the lease, and the others ask for it."""

log = structlog.get_logger()


class Lease:
    """The right to send the tasks, which one process has at a time."""

    def __init__(self, client: Redis, renew_s: float = RENEW_S) -> None:
        self._renew_s = renew_s
        self._lock = Lock(client, LEASE_KEY, timeout=LEASE_S, blocking=False, thread_local=False)
        self._until = 0.0
        self._away: str | None = None
        self.held = False

    def take_or_renew(self) -> bool:
        """Takes or renews the lease; returns True if this process has it now. Never raises."""
        if time.monotonic() < self._until:
            return self.held
        self._until = time.monotonic() + self._renew_s
        held, away = False, None
        try:
            held = self._renew() or self._lock.acquire()
        except (RedisError, OSError) as error:
            away = type(error).__name__
            if away != self._away:
                log.warning("beat.waits", broker=away)
        self._away = away
        if held != self.held:
            log.info("beat.leads" if held else "beat.follows")
        self.held = held
        return held

    def _renew(self) -> bool:
        """Renews the lease if it is this process's, even if the broker's last answer was lost. Raises RedisError."""
        try:  # only the broker knows if a process that has had it and has not released it still has it
            return self._lock.local.token is not None and self._lock.reacquire()
        except LockError:  # it has ended, for this process was away or the broker has restarted
            return False

    def release(self) -> None:
        """Leaves the lease to the others, if this process has it."""
        self.held, self._until = False, 0.0
        if self._lock.local.token is not None:
            try:
                self._lock.release()
            except (RedisError, OSError) as error:  # it ends by itself
                log.info("beat.not_released", error=type(error).__name__)
