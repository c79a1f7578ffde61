"""Every request under /api: what pages of other sites may do, and addresses that are not there.

Pages of other sites may do what their token allows, and read what needs no token (CORS). The API reads no cookie, and
the allowed origin is `*`, which browsers refuse to combine with credentials. So a page elsewhere has exactly the rights
of the token that it sends. It may not do what needs no token (`callers.SOMEONE`: starting a match, sending a log),
because that would count against its reader's network.
"""

from flask import Flask, Response, current_app, request
from werkzeug.exceptions import NotFound
from werkzeug.routing import RequestRedirect

from pbem.api.protocol.answers import expose
from pbem.api.protocol.problems import answer_http

PREFIX = "/api/v1/"
METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE"
ACCEPTED = "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID"
KEPT_S = 86_400


def init_app(app: Flask) -> None:
    """Answers what reaches no view under /api."""
    app.before_request(_begin)


def _begin() -> Response | None:
    if request.routing_exception is None and request.method != "OPTIONS":
        return None
    if request.path.startswith(PREFIX):
        return expose(_answer())
    return _answer() if request.path.startswith("/api/") or request.path == "/api" else None


def _answer() -> Response:
    asked = "Origin" in request.headers and "Access-Control-Request-Method" in request.headers
    if request.method == "OPTIONS" and asked and request.path.startswith(PREFIX):
        # The page may read the refusal of the request that follows.
        response = Response()
        response.headers["Access-Control-Allow-Methods"] = METHODS
        response.headers["Access-Control-Allow-Headers"] = ACCEPTED
        response.headers["Access-Control-Max-Age"] = str(KEPT_S)
        return _without_body(response)
    error = request.routing_exception
    if isinstance(error, RequestRedirect):  # "//" in the path: a page of HTML would lead to the other address
        return answer_http(NotFound())
    if error is not None:
        return answer_http(error)
    return _without_body(current_app.make_default_options_response())  # no token is checked and no match is read


def _without_body(response: Response) -> Response:
    response.status_code = 204
    del response.headers["Content-Type"]
    return response
