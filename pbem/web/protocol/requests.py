"""What is done with every request: it is logged and counted under an id, its language and origin are looked at; and
with its answer: the headers by which browsers, search engines and caches keep links secret, unless the view has set
them, and gzip.

The line has the route (`/play/<token>`), never the path; no query, and no header of the caller except a well-formed
X-Request-Id, by which a proxy's log and ours can be joined. Compressed pages open quickly on a phone; a test limits the
size of a first visit.
"""

import logging
import re
import secrets
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import structlog
from flask import Flask, Response, current_app, g, request
from werkzeug import routing
from zlib_ng import zlib_ng

from pbem.logs import MASKING
from pbem.services.counters import Mark
from pbem.services.site import Site
from pbem.services.views.waiting import VISIT, Visit
from pbem.web.protocol.language import remember_choice, speak
from pbem.web.protocol.security import SAFE, USUAL_POLICY, check_origin

_ID = re.compile(r"[A-Za-z0-9_-]{8,64}")
_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
QUIET = {"/healthz", "/readyz", "/metrics"}
"""What machines ask every few seconds; logged only when it goes wrong."""
LEAST = 1000
"""Bytes below which packing saves nothing worth the time."""
_LEVEL = 6
_GZIP = 31
"""zlib's way to say: with the largest window, in the envelope of gzip."""
USUAL = {
    "Content-Security-Policy": USUAL_POLICY, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
}  # fmt: skip
"""The headers of every answer, unless its view has set them."""
_PACKED = ("text/html", "text/css", "text/javascript", "image/svg+xml")

log = structlog.get_logger()


def init_app(app: Flask, unrouted: Callable[[], Response | None]) -> None:
    """Times, counts, compresses and (in production) logs every request. Call this first, so that it is done last.

    `unrouted` answers what reaches no view, and asks what a view allows, or returns None.
    """
    app.before_request(partial(_begin_request, unrouted))
    app.after_request(_finish_response)
    # Frameworks log the path of a failed request, which may be a link.
    app.logger.addFilter(MASKING)
    for handler in logging.getLogger().handlers:
        handler.addFilter(MASKING)


def _begin_request(unrouted: Callable[[], Response | None]) -> Response | None:
    g.begun = time.perf_counter()
    sent = request.headers.get("X-Request-Id", "")
    # No dots: a link's token has some, so it cannot reach the log as an id.
    g.request_id = sent if _ID.fullmatch(sent) else secrets.token_hex(8)
    structlog.contextvars.bind_contextvars(request_id=g.request_id)
    if not request.path.startswith("/api/"):
        speak(None)
        if request.method not in SAFE:
            check_origin()
    return unrouted() if request.routing_exception is not None or request.method == "OPTIONS" else None


def _finish_response(response: Response) -> Response:
    put = response.headers.setdefault
    named = {*response.headers.keys(lower=True)}  # `setdefault` raises an error for each that is missing
    for name, value in USUAL.items():
        if name.lower() not in named:
            response.headers.add(name, value)
    if "token" in (request.view_args or {}) or g.get("private"):
        response.headers["Cache-Control"] = "no-store"
        put("X-Robots-Tag", "noindex")
    elif g.get("unlisted"):
        put("X-Robots-Tag", "noindex")
    if response.mimetype in _PACKED:
        if response.mimetype == "text/html" and "Cache-Control" not in response.headers:
            put("Cache-Control", "no-cache")
            response.vary.update(("Cookie", "Accept-Language"))
        if "switchable" in g:
            remember_choice(response)
        _compress_response(response)
    response.headers["X-Request-ID"] = g.request_id
    _count_request(response)
    structlog.contextvars.unbind_contextvars("request_id")
    return response


def _count_request(response: Response) -> None:
    site: Site = current_app.extensions["pbem"]
    visit: Visit | None = request.environ.get(VISIT)
    if visit is not None and visit.was_called_before and response.status_code < 500:
        return  # the same request once more, for a caller who has waited for news: it was counted when it came
    took, status = time.perf_counter() - g.begun, response.status_code
    route = request.url_rule.rule if request.url_rule is not None else "unknown"
    method = request.method if request.method in _METHODS else "other"
    code = str(g.get("refusal") or f"http_{status}") if status >= 400 else None
    marks = [Mark("requests", (route, method, f"{status // 100}xx")), Mark("duration", (route, method), took)]
    site.counters.add(marks if code is None else [*marks, Mark("refusals", (code,))])
    if site.config.mode == "production" and (request.path not in QUIET or code is not None):
        said = {"method": method, "route": route, "status": status, "ms": round(took * 1000, 1)}
        (log.warning if status >= 500 else log.info)("request", **said | ({"code": code} if code is not None else {}))


def gzip_bytes(plain: bytes) -> bytes:
    """Returns the bytes as gzip packs them, always the same."""
    return zlib_ng.compress(plain, level=_LEVEL, wbits=_GZIP)


def accepts_gzip() -> bool:
    """True if the client accepts gzip."""
    return "gzip" in request.accept_encodings.values() and request.accept_encodings.quality("gzip") > 0


def _compress_response(response: Response) -> None:
    """Compresses a page or a static text if the client accepts that."""
    if response.status_code == 304 or "Content-Encoding" in response.headers:
        return
    response.vary.add("Accept-Encoding")
    # The size of a compressed page reveals how much of it repeats the query, and anybody can make a signed-in reader
    # follow a link with a query of their choice. Nobody can if the address itself is the secret.
    secret = {"token", "match_id", "stamp"} & set(request.view_args or {})
    guessable = "signed" in g or (current_app.config["SESSION_COOKIE_NAME"] in request.cookies and not secret)
    if request.method == "HEAD" or not accepts_gzip() or guessable:
        return
    response.direct_passthrough = False
    plain = response.get_data()
    if len(plain) < LEAST:
        return
    etag, _weak = response.get_etag()
    if etag:
        response.set_etag(etag, weak=True)  # the same thing, in other bytes
    response.set_data(gzip_bytes(plain))
    response.content_encoding = "gzip"


class Rule(routing.Rule):
    """A rule of addresses that writes the code which builds them when it is first needed.

    Writing it takes most of the time of making an application, and a process builds the addresses of few of its rules.
    """

    def _compile_builder(self, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        name = "_build_unknown" if append_unknown else "_build"
        compile_now = super()._compile_builder

        def build_first(rule: Rule, **values: Any) -> tuple[str, str]:
            build: Callable[..., tuple[str, str]] = compile_now(append_unknown).__get__(rule)
            setattr(rule, name, build)
            return build(**values)

        return build_first


class Application(Flask):
    """The application, of plain functions alone: Flask asks of each in every request whether it is async."""

    url_rule_class = Rule

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """Returns the function as it is."""
        return func
