"""How many matches one place on the network may start on the page in an hour."""

import time
from typing import Any

from flask import Flask, Response
from flask_limiter import Limiter, RequestLimit
from flask_limiter.util import get_remote_address

from pbem.config import Config
from pbem.errors import N_, TooMany
from pbem.web.errors import problem_page

SCOPE = "matches"
"""Under this name the API counts, too: where there is a Redis, both count together."""


def cap(app: Flask, config: Config, endpoint: str) -> None:
    """Caps an endpoint per address of the network; not where all mail stays on this machine.

    Counts are shared by all processes where there is a Redis; should it be down, each counts for itself.
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
    """The answer to one too many. Raising would look to the limiter like storage that is down."""
    wait = max(1, round(limit.reset_at - time.time()))
    return problem_page(
        TooMany(N_("Many matches were started from here within the hour. Please wait."), retry_after=wait)
    )
