"""How often one place on the network may do what mails others or fills disks; pages and API count together."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flask import Flask, Response, request
from flask_limiter import Limiter, RequestLimit
from flask_limiter.util import get_remote_address

from pbem.config import Config
from pbem.errors import N_, TooMany

JOINS_PER_HOUR = 20
LOGS_PER_HOUR = 30


@dataclass(frozen=True)
class Account:
    """What is counted under one name, for all endpoints that do the same: its cap in an hour, what is said above."""

    name: str
    per_hour: int
    refusal: str


def matches(config: Config) -> Account:
    """The account of matches started."""
    refusal = N_("Many matches were started from here within the hour. Please wait.")
    return Account("matches", config.matches_per_ip_hour, refusal)


def joins() -> Account:
    """The account of seats asked for by a link: each may send a mail to whoever is named."""
    return Account(
        "joins", JOINS_PER_HOUR, N_("Seats were asked for very often from here within the hour. Please wait.")
    )


def logs() -> Account:
    """The account of logs sent: each is kept for a month."""
    return Account("logs", LOGS_PER_HOUR, N_("Many logs were sent from here within the hour. Please wait."))


def cap(app: Flask, config: Config, endpoint: str, account: Account, answer: Callable[[TooMany], Response]) -> None:
    """Caps an endpoint per address of the network, not where all mail stays on this machine; `answer` says refusals."""
    if not config.capped:
        return

    def refuse(limit: RequestLimit) -> Response:
        # Returned, because an error raised here would pass for a dead storage.
        wait = max(1, int(limit.reset_at - time.time()))
        return answer(TooMany(account.refusal, retry_after=wait))

    _capped(app).add(endpoint)
    limit = _limiter(app, config).shared_limit(f"{account.per_hour} per hour", account.name, on_breach=refuse)
    limited: Any = limit(app.view_functions[endpoint])
    app.view_functions[endpoint] = limited


def _limiter(app: Flask, config: Config) -> Limiter:
    """The application's one limiter: without a Redis it holds the counts, with two of them each would count alone.

    All processes share the counts where there is a Redis; should it be down, each counts for itself.
    """
    known: Limiter | None = app.extensions.get("pbem.limiter")
    capped = _capped(app)
    if known is None:
        known = app.extensions["pbem.limiter"] = Limiter(
            get_remote_address,
            app=app,
            storage_uri=_storage(config.redis_url),
            strategy="fixed-window",
            in_memory_fallback_enabled=True,
            key_prefix="pbem",
        )
        # What is not capped need not be looked up among what is, at each request.
        known.request_filter(lambda: request.endpoint not in capped)
    return known


def _capped(app: Flask) -> set[str]:
    """The endpoints that have a cap."""
    endpoints: set[str] = app.extensions.setdefault("pbem.capped", set())
    return endpoints


def _storage(redis_url: str | None) -> str:
    if redis_url is None:
        return "memory://"
    return f"redis+{redis_url}" if redis_url.startswith("unix://") else redis_url
