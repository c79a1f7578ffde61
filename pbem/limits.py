"""Rate limits per network on requests that send mail to others or fill disks; pages and API count together.

A network is an IPv4 address or an IPv6 /64, which is what one household gets; the /48 around it has a cap of its own,
WIDER times as high. Each answer of a capped endpoint says in the headers RateLimit-Policy and RateLimit
(draft-ietf-httpapi-ratelimit-headers-11) what the caller's network may still do. These headers never depend on an
address that somebody has entered.
"""

import math
import re
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import timedelta
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Any

import structlog
from flask import Flask, Response, request
from flask_limiter import Limiter, RequestLimit

from pbem.config import Config
from pbem.errors import N_, Problem, TooMany
from pbem.kit.texts import LANGS
from pbem.render import i18n

JOINS_PER_HOUR = 20
HOUR_S = 3600
WIDER = 5
"""The cap of a /48 is this many times that of a /64: it may be a campus, a small provider, or one host alone."""
WIDE = "-wide"
"""What the name of the wider cap ends with."""
UNKNOWN = "unknown"
_WITH_PORT = re.compile(r"\[(?P<v6>[^\]]+)\](:\d+)?|(?P<v4>[\d.]+):\d+")

log = structlog.get_logger()


@dataclass(frozen=True)
class Account:
    """One counter, shared by all endpoints that do the same: its cap per hour, and the message above it.

    The message may say `%(time)s`: how long it takes until more is possible.
    """

    name: str
    per_hour: int
    refusal: str


@dataclass(frozen=True)
class Limit:
    """The rate limit of an endpoint, "<blueprint>.<view>".

    The account may follow from the configuration; None: anybody may ask as often as they like. `refuse` makes the
    answer to who has asked too often; None: as pages or the API answer. On pages of a feature it also says that this is
    off.
    """

    endpoint: str
    account: Account | Callable[[Config], Account] | None
    refuse: Callable[[Problem], Response] | None = None


JOINS = Account(
    "joins", JOINS_PER_HOUR, N_("Too many seats were requested from your network within the hour. Please wait.")
)
"""Seats requested by a link: each request may send a mail to any address."""


def matches(config: Config) -> Account:
    """Returns the account of matches started."""
    refusal = N_("Too many matches were started from your network within the hour. Please wait.")
    return Account("matches", config.matches_per_ip_hour, refusal)


# --- networks ------------------------------------------------------------------------------------------------


def network(remote: str | None) -> str:
    """Returns the network under which a client's address is counted: an IPv4 address or an IPv6 /64.

    Anything that is not an address counts as one network.

    >>> network("2001:db8:1:2:3::4"), network("::ffff:192.0.2.1"), network("192.0.2.1:4711"), network("hidden")
    ('2001:db8:1:2::/64', '192.0.2.1', '192.0.2.1', 'unknown')
    """
    address = _parse_address(remote)
    if address is None:
        return UNKNOWN
    return _ipv6_network(address, 64) if isinstance(address, IPv6Address) else str(address)


def wider_network(remote: str | None) -> str | None:
    """Returns the IPv6 /48 around a client's address; None for an IPv4 address.

    >>> wider_network("[2001:db8:1:2:3::4]:4711"), wider_network("::ffff:192.0.2.1")
    ('2001:db8:1::/48', None)
    """
    address = _parse_address(remote)
    return _ipv6_network(address, 48) if isinstance(address, IPv6Address) else None


def _parse_address(remote: str | None) -> IPv4Address | IPv6Address | None:
    """Returns the address without the port that some proxies append; None if it is not an address."""
    text = remote or ""
    if found := _WITH_PORT.fullmatch(text):
        text = found["v6"] or found["v4"]
    try:
        address = ip_address(text)
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


def _ipv6_network(address: IPv6Address, prefix: int) -> str:
    return str(IPv6Network((int(address), prefix), strict=False))


# --- caps ----------------------------------------------------------------------------------------------------


def cap(app: Flask, config: Config, limits: Iterable[Limit], answer: Callable[[Problem], Response]) -> None:
    """Caps these endpoints per network, unless all mail stays on this machine.

    `answer` makes the response to a refusal where the limit has no `refuse` of its own.
    """
    if config.has_caps:
        for limit in limits:
            account = limit.account(config) if callable(limit.account) else limit.account
            if account is not None:
                _cap_endpoint(app, config, limit.endpoint, account, limit.refuse or answer)


def _cap_endpoint(
    app: Flask, config: Config, endpoint: str, account: Account, answer: Callable[[Problem], Response]
) -> None:
    def refuse(limit: RequestLimit) -> Response:
        # Returned, because an error raised here would pass for a dead storage.
        left = max(1, _seconds_left(limit))
        wait = timedelta(minutes=math.ceil(left / 60))
        facts = {"time": {lang: i18n.duration_in_words(wait, lang) for lang in LANGS}}
        return answer(TooMany(account.refusal, facts, retry_after=left))

    _endpoints_with_cap(app).add(endpoint)
    limiter, view = _limiter(app, config), app.view_functions[endpoint]
    # The narrower network first: what it refuses does not count for its neighbours.
    narrow = limiter.shared_limit(f"{account.per_hour} per hour", account.name, on_breach=refuse)
    wide = limiter.shared_limit(
        f"{account.per_hour * WIDER} per hour",
        f"{account.name}{WIDE}",
        key_func=lambda: str(wider_network(request.remote_addr)),
        exempt_when=lambda: wider_network(request.remote_addr) is None,
        on_breach=refuse,
    )
    limited: Any = wide(narrow(view))
    app.view_functions[endpoint] = limited


def _limiter(app: Flask, config: Config) -> Limiter:
    """Returns the application's only limiter: without Redis it holds the counts, and two limiters would count apart.

    With Redis all processes share the counts; while it is down, each counts for itself.
    """
    known: Limiter | None = app.extensions.get("pbem.limiter")
    capped = _endpoints_with_cap(app)
    if known is None:
        known = limiter = app.extensions["pbem.limiter"] = Limiter(
            lambda: network(request.remote_addr),
            storage_uri=re.sub("^unix://", "redis+unix://", config.redis_url or "memory://"),
            strategy="fixed-window",
            in_memory_fallback_enabled=True,
            fail_on_first_breach=True,
            key_prefix="pbem",
        )
        # As if it had added its hooks, which would look up limits of all endpoints with every request, and find none.
        app.extensions["limiter"] = {limiter}
        limiter.init_app(app)
        if any(getattr(hook, "__self__", None) is limiter for hook in app.before_request_funcs.get(None, ())):
            raise RuntimeError("flask-limiter has added its hooks: it no longer looks at `extensions` before it does")
        app.after_request(
            lambda response: _add_limit_headers(limiter, response) if request.endpoint in capped else response
        )
    return known


def _add_limit_headers(limiter: Limiter, response: Response) -> Response:
    """Adds the headers that tell the network's limit and what is left of it, and returns the answer."""
    if not limiter.current_limits:
        return response
    try:
        left = [(_name_of_limit(limit), limit.remaining, _seconds_left(limit)) for limit in limiter.current_limits]
    except limiter.storage.base_exceptions:
        log.warning("limits.unread")  # the headers are advice: the request has been counted, and is answered
        return response
    policies = (f'"{_name_of_limit(limit)}";q={limit.limit.amount};w={HOUR_S}' for limit in limiter.current_limits)
    response.headers["RateLimit-Policy"] = ", ".join(policies)
    response.headers["RateLimit"] = ", ".join(f'"{name}";r={remaining};t={t}' for name, remaining, t in left)
    return response


def _name_of_limit(limit: RequestLimit) -> str:
    return limit.request_args[-1]


def _seconds_left(limit: RequestLimit) -> int:
    """Returns the seconds until the limit's window ends."""
    return max(0, int(limit.reset_at - time.time()))


def _endpoints_with_cap(app: Flask) -> set[str]:
    """Returns the endpoints that have a cap."""
    endpoints: set[str] = app.extensions.setdefault("pbem.capped", set())
    return endpoints
