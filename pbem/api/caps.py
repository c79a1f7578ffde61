"""How many matches one place on the network may start in an hour."""

import time
from typing import Any

from flask import Flask, Response
from flask_limiter import Limiter, RequestLimit
from flask_limiter.util import get_remote_address

from pbem.api import problems
from pbem.config import Config
from pbem.errors import N_, TooMany

SCOPE = "matches"
"""What is counted under one name, here and on the page that starts matches."""


def cap(app: Flask, config: Config, endpoint: str) -> None:
    """Caps an endpoint per address of the network; not where all mail stays on this machine.

    All processes share the counts where there is a Redis; should it be down, each counts for itself.
    """
    if not config.capped:
        return
    limiter = Limiter(
        get_remote_address,
        app=app,
        storage_uri=_storage(config.redis_url),
        strategy="fixed-window",
        in_memory_fallback_enabled=True,
        key_prefix="pbem",
    )
    limit = limiter.shared_limit(f"{config.matches_per_ip_hour} per hour", SCOPE, on_breach=_refuse)
    limited: Any = limit(app.view_functions[endpoint])
    app.view_functions[endpoint] = limited


def _storage(redis_url: str | None) -> str:
    if redis_url is None:
        return "memory://"
    return f"redis+{redis_url}" if redis_url.startswith("unix://") else redis_url


def _refuse(limit: RequestLimit) -> Response:
    """The answer in place of the view's. Returned, because an error raised here would pass for a dead storage."""
    wait = max(1, int(limit.reset_at - time.time()))
    return problems.answer(
        TooMany(N_("Many matches were started from here within the hour. Please wait."), retry_after=wait)
    )
