"""Logs and counts each request under a request id, which the answer returns.

The line has the route (`/play/<token>`), never the path; no query, and no header of the caller except a well-formed
X-Request-Id, by which a proxy's log and ours can be joined.
"""

import re
import secrets
import time

import structlog
from flask import Flask, Response, g, request

from pbem.services.counters import Mark
from pbem.services.views.waiting import VISIT, Visit
from pbem.web.protocol.page import site

_ID = re.compile(r"[A-Za-z0-9_-]{8,64}")
QUIET = {"health.alive", "health.ready", "metrics.show"}
"""What machines ask every few seconds; logged only when it goes wrong."""

log = structlog.get_logger()


def init_app(app: Flask) -> None:
    """Times, counts and (in production) logs every request. Call this first, so that it sees the final answer."""

    def begin() -> None:
        g.begun = time.perf_counter()
        sent = request.headers.get("X-Request-Id", "")
        # No dots: a link's token has some, so it cannot reach the log as an id.
        g.request_id = sent if _ID.fullmatch(sent) else secrets.token_hex(8)
        structlog.contextvars.bind_contextvars(request_id=g.request_id)

    def end(response: Response) -> Response:
        response.headers["X-Request-ID"] = g.request_id
        if _goes_on() and response.status_code < 500:
            return response  # it was counted when it came
        took = time.perf_counter() - g.begun
        here = site()
        here.counters.add(_marks(response, took))
        if here.config.log_json and (request.endpoint not in QUIET or response.status_code >= 400):
            _say(response, took)
        return response

    app.before_request(begin)
    app.after_request(end)
    app.teardown_request(lambda _error: structlog.contextvars.unbind_contextvars("request_id"))


def _goes_on() -> bool:
    """True if this is the same request once more, for a caller who has waited for news."""
    visit: Visit | None = request.environ.get(VISIT)
    return visit is not None and visit.again


def route() -> str:
    """Returns the request's route with its placeholders; "unknown" without one."""
    return request.url_rule.rule if request.url_rule is not None else "unknown"


def _method() -> str:
    return request.method if request.method in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS") else "other"


def _marks(response: Response, took: float) -> list[Mark]:
    status = f"{response.status_code // 100}xx"
    marks = [Mark("requests", (route(), _method(), status)), Mark("duration", (route(), _method()), took)]
    if (code := _code(response)) is not None:
        marks.append(Mark("refusals", (code,)))
    return marks


def _code(response: Response) -> str | None:
    """Returns the problem's code, or the bare status without one; None if the request was not refused."""
    if response.status_code < 400:
        return None
    return str(g.get("refusal") or f"http_{response.status_code}")


def _say(response: Response, took: float) -> None:
    said = {"method": _method(), "route": route(), "status": response.status_code, "ms": round(took * 1000, 1)}
    if (code := _code(response)) is not None:
        said["code"] = code
    (log.warning if response.status_code >= 500 else log.info)("request", **said)
