"""Errors as `application/problem+json`: a status, a stable code, and a sentence in the caller's language.

    {"type": "about:blank", "title": "Conflict", "status": 409, "code": "stale", "detail": "…", "ask": {…}}

`pbem.errors` decides the status and the code of each kind of error. Routing errors never reach a blueprint:
`answer_unrouted` answers them, and what pages of other sites ask beforehand. These may do what their token allows, and
read what needs no token (CORS). The API reads no cookie, and the allowed origin is `*`, which browsers refuse to
combine with credentials. So a page elsewhere has exactly the rights of the token that it sends. It may not do what
needs no token (`callers.SOMEONE`: starting a match, sending a log), because that would count against its reader's
network.
"""

from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any

import structlog
from flask import Blueprint, Response, current_app, g, json, request
from werkzeug.exceptions import HTTPException, NotFound, default_exceptions
from werkzeug.routing import RequestRedirect

from pbem.api.protocol.answers import FOR_OTHER_SITES
from pbem.api.protocol.callers import language
from pbem.errors import N_, InsufficientScope, Invalid, Problem, Unauthorized
from pbem.render.problems import problem_sentence

PROBLEM_JSON = "application/problem+json"

PREFIX = "/api/v1/"
METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE"
ACCEPTED = "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID"
KEPT_S = 86_400

log = structlog.get_logger()


class Malformed(Problem, status=400, code="malformed"):
    """The body is not JSON."""


class DuplicateField(Problem, status=400, code="duplicate_field"):
    """An object of the body gives the same name twice; `extra["duplicate"]` is that name."""


class NoSuchAddress(Problem, status=404, code="not_found"):
    """Nothing is served under this path."""


class WrongMethod(Problem, status=405, code="method_not_allowed"):
    """The path is served, but not with this method."""


class TooLarge(Problem, status=413, code="too_large"):
    """The body has more bytes than are read."""


class NotJson(Problem, status=415, code="not_json"):
    """The body's content type is not JSON."""


class Internal(Problem, status=500, code="internal"):
    """An error of the service."""


def answer(problem: Problem) -> Response:
    """Returns the problem as an answer in the caller's language."""
    g.refusal = problem.code
    response = Response(json.dumps(problem_json(problem)), status=problem.status, mimetype=PROBLEM_JSON)
    if problem.retry_after is not None:
        response.headers["Retry-After"] = str(problem.retry_after)
    if isinstance(problem, Unauthorized):
        error = ', error="invalid_token"' if "Authorization" in request.headers else ""
        response.headers["WWW-Authenticate"] = f'Bearer realm="pbem"{error}'
    if isinstance(problem, InsufficientScope):
        lacking = f'error="insufficient_scope", scope="{problem.extra["needs"]}"'
        response.headers["WWW-Authenticate"] = f'Bearer realm="pbem", {lacking}'
    return response


def problem_json(problem: Problem) -> dict[str, Any]:
    """Returns the problem as JSON, with its sentence in the caller's language."""
    said = problem_sentence(problem, language())
    fields = {"fields": dict.fromkeys(problem.fields or ("",), said)} if isinstance(problem, Invalid) else {}
    return {
        **fields,
        **problem.extra,
        "type": "about:blank",
        "title": HTTPStatus(problem.status).phrase,
        "status": problem.status,
        "code": problem.code,
        "detail": said,
    }


def with_fields(problem: Invalid, *paths: str) -> Invalid:
    """Returns the same refusal for these fields of the request."""
    return Invalid(problem.message, problem.facts, fields=paths, extra=problem.extra)


def _problem_of_http(error: HTTPException) -> Problem:
    match error.code:
        case 404:
            return NoSuchAddress(N_("There is nothing at this address. GET /api/v1/openapi.json lists all addresses."))
        case 405:
            message = N_("This address does not support %(method)s. The header “Allow” lists what it supports.")
            return WrongMethod(message, {"method": request.method})
        case 413:
            limit = request.max_content_length
            return TooLarge(N_("The body is too large: at most %(limit)s bytes are read."), {"limit": limit})
        case 415:
            return NotJson(N_("Send the body as application/json."))
        case code if code is not None and code >= 500:
            return _internal_problem()
    return Malformed(N_("The request cannot be read."))


def _internal_problem() -> Internal:
    return Internal(
        N_("Something went wrong on our side. As far as we know nothing has changed; please try again."),
        extra={"request_id": g.request_id},
    )


def answer_http(error: HTTPException) -> Response:
    """Returns the problem for an error of the routing or of the framework, with its headers."""
    if isinstance(error.response, Response):
        return error.response
    response = answer(_problem_of_http(error))
    for name, value in error.get_headers():
        if name in ("Allow", "Retry-After"):
            response.headers[name] = value
    return response


def _answer_unexpected(error: Exception) -> Response:
    # The path may hold a token, the endpoint's name cannot.
    log.error("api.failed", request_id=g.request_id, endpoint=request.endpoint, exc_info=error)
    return answer(_internal_problem())


def handle_in(blueprint: Blueprint) -> None:
    """Answers every error in the blueprint's views with a problem.

    Codes are registered one by one, because the application's handler for a code takes precedence over a blueprint's
    handler for all.
    """
    blueprint.register_error_handler(Problem, answer)
    for code in default_exceptions:
        blueprint.register_error_handler(code, answer_http)
    blueprint.register_error_handler(HTTPException, answer_http)
    blueprint.register_error_handler(Exception, _answer_unexpected)


def answer_unrouted() -> Response | None:
    """Answers a request that reaches no view under /api; None if it is for something else."""
    if not request.path.startswith("/api/") and request.path != "/api":
        return None
    response = _answer_unrouted()
    if request.path.startswith(PREFIX):
        response.headers.update(FOR_OTHER_SITES)
    return response


def _answer_unrouted() -> Response:
    asked = "Origin" in request.headers and "Access-Control-Request-Method" in request.headers
    if request.method == "OPTIONS" and asked and request.path.startswith(PREFIX):
        # The page may read the refusal of the request that follows.
        response = Response()
        response.headers["Access-Control-Allow-Methods"] = METHODS
        response.headers["Access-Control-Allow-Headers"] = ACCEPTED
        response.headers["Access-Control-Max-Age"] = str(KEPT_S)
        return _make_no_content(response)
    error = request.routing_exception
    if isinstance(error, RequestRedirect):  # "//" in the path: a page of HTML would lead to the other address
        return answer_http(NotFound())
    if error is not None:
        return answer_http(error)
    return _make_no_content(current_app.make_default_options_response())  # no token is checked and no match is read


def _make_no_content(response: Response) -> Response:
    response.status_code = 204
    del response.headers["Content-Type"]
    return response


# --- in the document ---------------------------------------------------------------------------------------------


def _text_schema(about: str, **more: str) -> dict[str, str]:
    return {"type": "string", **more, "description": about}


SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "description": "What went wrong and what to do; `code` is stable, `detail` is for people.",
    "properties": {
        "type": {"const": "about:blank"},
        "title": _text_schema("The phrase of the status."),
        "status": {"type": "integer"},
        "code": {"type": "string"},
        "detail": _text_schema("A sentence in the caller's language."),
        "fields": {
            "type": "object",
            "additionalProperties": {"type": "string"},
            "description": "With `invalid`: what is wrong with each field, by its path; an empty one: the request.",
        },
        "duplicate": _text_schema("With `duplicate_field`: the name that stands twice, its first 64 characters."),
        "why": _text_schema(
            "With `malformed`, `unreadable` and wrong options: the parser's own words, for developers."
        ),
        "rule": _text_schema("With `illegal`: the rule, as the rules page numbers it."),
        "rule_page": _text_schema(
            "With `illegal`: where the rule can be read, unless `rule` is `-`.", format="uri-reference"
        ),
        "reason": _text_schema(
            "With `illegal`: a key of the game's `refusals`. With `unauthorized`, for a personal token that has ended: "
            "`revoked` or `expired`."
        ),
        "ask": {
            "type": ["object", "null"],
            "properties": {
                "key": {"type": "string"},
                "kind": {"type": "string"},
                "seat": {"type": "integer"},
                "deadline": {"type": ["string", "null"], "format": "date-time"},
            },
            "description": "With `stale` and `answered`, and `gone` to a move: the caller's question that is open now.",
        },
        "legal": _text_schema("With `illegal` and `unreadable`: where the legal moves are.", format="uri-reference"),
        "needs": _text_schema("With `insufficient_scope`: the scope that the token lacks, or `account`."),
        "etag": _text_schema("With `changed`: the ETag of what stands there now."),
        "request_id": _text_schema("With `internal`: what to tell the host."),
    },
    "required": ["type", "title", "status", "code", "detail"],
}


ADVICE = {
    "malformed": "Send well-formed JSON in UTF-8, not nested too deeply.",
    "duplicate_field": "Give each name once in an object: `duplicate` says which stands twice.",
    "unauthorized": "Send a token that is valid now.",
    "forbidden": "Use a token of this match: this one is for something else.",
    "insufficient_scope": "Make a token with the scope that `needs` names.",
    "not_found": "Look at the address: there is no such match, game or thing, or it is private.",
    "method_not_allowed": "Use a method that the header `Allow` names.",
    "stale": "Look at `ask`, the question that is open now, and answer that.",
    "answered": "Look at `ask`: this question has another answer, which stays.",
    "gone": "Do nothing: the match has not begun, is over or was called off, or what was made is not there any more.",
    "not_offered": "Do without: the host of this site has switched it off.",
    "not_over": "Wait until the match is over; a match that was called off has none.",
    "changed": "Get it again, look whether the change still makes sense, and send that with the new `ETag`.",
    "too_large": "Send a smaller body.",
    "not_json": "Send `Content-Type: application/json`.",
    "invalid": "Correct the fields that `fields` names.",
    "unreadable": "Look at the legal moves: this is none of the game's.",
    "illegal": "Choose another move: `rule` and `reason` say why this one is refused.",
    "key_reused": "Draw a new Idempotency-Key for each new thing; repeat one only with the very same request.",
    "unlinkable": "Give another address, one that everybody on the internet can reach.",
    "precondition_required": "Get it first, and send its `ETag` as `If-Match`.",
    "too_many": "Wait as long as `Retry-After` says.",
    "too_many_open": "Play a match to its end, or resign from one you did not start: see `open_matches` of `GET /me`.",
    "internal": "Tell the host the `request_id`; nothing is known to have changed.",
    "busy": "Send the same again after `Retry-After`.",
    "unavailable": "Send the same again after `Retry-After`.",
    "outdated": "Send the same again after `Retry-After`: a newer server takes over.",
    "undrawable": "Do without the picture, or ask again after `Retry-After`.",
    "game_unavailable": "Wait: `unavailable` of `GET /games` says why. No clock runs in its matches.",
}


def codes() -> list[dict[str, Any]]:
    """Returns the codes by status, each with what it means and what to do."""
    found: dict[str, dict[str, Any]] = {}
    for kind in _all_problem_kinds(Problem):
        means = (kind.__doc__ or "").strip().partition("\n")[0].partition(";")[0].rstrip(".") + "."
        told = {"status": kind.status, "code": kind.code, "means": means, "do": ADVICE[kind.code]}
        found.setdefault(kind.code, told)
    return sorted(found.values(), key=lambda told: (told["status"], told["code"]))


def _all_problem_kinds(kind: type[Problem]) -> Iterator[type[Problem]]:
    for inner in kind.__subclasses__():
        if inner.__module__.startswith("pbem."):
            yield inner
            yield from _all_problem_kinds(inner)
