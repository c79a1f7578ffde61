"""CORS: pages of other sites may do what their token allows, and read what needs no token.

The API reads no cookie, and the allowed origin is `*`, which browsers refuse to combine with credentials. So a page
elsewhere has exactly the rights of the token that it sends. It may not do what needs no token (`callers.SOMEONE`:
starting a match, sending a log), because that would count against its reader's network.
"""

from flask import Flask, Response, request

PREFIX = "/api/v1/"
METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE"
ACCEPTED = "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID"
EXPOSED = (
    "ETag, Location, Link, Retry-After, Allow, WWW-Authenticate, Idempotency-Replayed, X-Request-ID, Deprecation, "
    "Sunset, RateLimit, RateLimit-Policy"
)
KEPT_S = 86_400


def init_app(app: Flask) -> None:
    """Lets pages of other sites call the API with tokens; call this before unknown addresses are answered."""
    app.before_request(_preflight)
    app.after_request(_allow)


def _preflight() -> Response | None:
    """Answers a preflight request; the page may read the refusal of the request that follows."""
    asked = "Origin" in request.headers and "Access-Control-Request-Method" in request.headers
    if not (request.method == "OPTIONS" and asked and request.path.startswith(PREFIX)):
        return None
    response = Response(status=204)
    del response.headers["Content-Type"]
    response.headers["Access-Control-Allow-Methods"] = METHODS
    response.headers["Access-Control-Allow-Headers"] = ACCEPTED
    response.headers["Access-Control-Max-Age"] = str(KEPT_S)
    return response


def _allow(response: Response) -> Response:
    if request.path.startswith(PREFIX):
        response.headers["Access-Control-Allow-Origin"] = "*"
        response.headers["Access-Control-Expose-Headers"] = EXPOSED
    return response
