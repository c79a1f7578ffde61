"""The OpenAPI 3.1 document, made when it is first read: it takes a tenth of a second, and few ever ask for it."""

import json
import re
from collections.abc import Sequence
from functools import cache
from http import HTTPStatus
from typing import Any

import flask_smorest
from apispec.ext.marshmallow import MarshmallowPlugin
from flask import Flask, Response
from werkzeug.http import HTTP_STATUS_CODES

from pbem.answers import COMPONENTS
from pbem.api.protocol import callers, generated, headers, problems
from pbem.api.protocol.answers import conditional_response
from pbem.api.protocol.bodies import Generated
from pbem.api.protocol.endpoints import PREFIX, Endpoints
from pbem.api.protocol.problems import codes
from pbem.games import all_games

RESPONSES = "#/components/responses/"
EVERYWHERE = {"500": HTTPStatus.INTERNAL_SERVER_ERROR.name}
UNCHANGED = {"description": "With `If-None-Match`: what the caller has under this ETag is still the answer. No body."}
STATUSES = (400, 401, 403, 404, 405, 409, 412, 413, 415, 422, 428, 429, 500, 503)
LASTING = {status.name: HTTP_STATUS_CODES[status].upper().replace(" ", "_") for status in map(HTTPStatus, STATUSES)}
"""The names of responses in the document, by those of Python, which has renamed some with 3.13."""

LICENSE = {"name": "MIT", "identifier": "MIT"}
HEADERS = {
    "ETag": "A hash of the body: send it as `If-None-Match` to read again, or as `If-Match` to change what was read.",
    "Idempotency-Replayed": "`true` if the request was done before, under the same `Idempotency-Key`.",
    "X-Request-ID": "The request's id, as the log of the site has it.",
    "Retry-After": "In how many seconds to send the same again.",
    "WWW-Authenticate": "What the token lacks.",
}
"""What answers say beside their bodies."""
SAID_BY = {
    304: ["ETag"], 401: ["WWW-Authenticate"], 403: ["WWW-Authenticate"], 429: ["Retry-After"],
    503: ["Retry-After"],
}  # fmt: skip
"""Which of these the problems of a status have, and an answer that is the same as before."""

SCHEMES = {
    "seat": "The token of one seat of one match.",
    "account": "The token of the link that signs a player in.",
    "token": "A personal token that a player made for their programs. Each operation names its scope.",
}
"""The tokens by which callers say who they are."""

TEXT = {"type": "string", "minLength": 1}
"""What is known of a text in an address by its rule alone."""
IDS = {"pattern": "^[0-9a-f]{1,32}$"}
"""What the ids are like that are no numbers."""
LIMITS = {
    "token": {"pattern": "^[A-Za-z0-9._-]+$", "maxLength": 500},
    "slug": {"pattern": "^[a-z][a-z0-9]*(-[a-z0-9]+)*$"},
    "first": {"format": "date"},
}
"""What other texts in addresses are like, by their names."""

_ABOUT = """\
Play by program what people play by mail. Send `Authorization: Bearer <token>` with a personal token, which players
make on their page (`pbem_pat.…`), or with the token of one seat: the last segment of the path of its play link. Without
one a request is a spectator's. What is sent is read strictly; what is answered may grow: read what you know.

Every read has an `ETag`, and every error is `application/problem+json` with a stable `code`. Sentences come in the
language of the token's player, else by `Accept-Language`, else in French; `?lang=en` asks for one.
"""


class Api(flask_smorest.Api):
    """flask-smorest's extension without its error handlers, which would apply to the whole application."""

    DEFAULT_ERROR_RESPONSE_NAME = None

    def _register_error_handlers(self) -> None:
        """Leaves errors to the blueprints."""

    def _register_pagination_header(self) -> None:
        """Leaves out what no endpoint here uses."""

    def _register_responses(self) -> None:
        content = {problems.PROBLEM_JSON: {"schema": {"$ref": f"{COMPONENTS}Problem"}}}
        for status in map(HTTPStatus, STATUSES):
            response = {"description": HTTP_STATUS_CODES[status], "content": content}
            self.spec.components.response(status.name, response, lazy=status.name not in EVERYWHERE.values())
        self.spec.components.response(HTTPStatus.NOT_MODIFIED.name, dict(UNCHANGED))


def _reference_to_generated(self: Any, field: Any, *, ret: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Returns the reference to the component of a generated field, which replaces the inferred schema."""
    if not isinstance(field, Generated):
        return {}
    ret.clear()
    ref = {"$ref": f"{COMPONENTS}{field.component}"}
    return {"anyOf": [ref, {"type": "null"}]} if field.allow_none else ref


def serve_document(app: Flask, blueprints: Sequence[Endpoints], url: str) -> None:
    """Serves the document of these blueprints at /api/v1/openapi.json.

    The application's extension `pbem.openapi` is a function that returns it.
    """

    @cache  # two threads that come first may both make it
    def build_document() -> dict[str, Any]:
        return _build_document(app, blueprints, url)

    @cache
    def document_body() -> str:
        return json.dumps(build_document(), ensure_ascii=False)

    def document_response() -> Response:
        return conditional_response(Response(document_body(), mimetype="application/json"))

    app.extensions["pbem.openapi"] = build_document
    app.add_url_rule(f"{PREFIX}/openapi.json", "api-openapi", document_response)


def _build_document(app: Flask, blueprints: Sequence[Endpoints], url: str) -> dict[str, Any]:
    document: dict[str, Any] = _specification_of_blueprints(app, blueprints).to_dict()
    document["info"] |= {"description": _ABOUT, "license": LICENSE}
    components = document["components"]
    components["responses"] = {LASTING.get(name, name): one for name, one in components["responses"].items()}
    generated.name_word_lists(document)
    components["schemas"] = generated.split_by_game(components["schemas"], list(all_games()))
    document["servers"] = [{"url": url}]
    document["tags"] = [{**tag, "name": tag["name"].removeprefix("api-")} for tag in document["tags"]]
    _constrain_path_texts(document)
    for item in (*document["paths"].values(), *document.get("webhooks", {}).values()):
        for method, operation in item.items():
            if method != "parameters":
                operation["tags"] = [tag.removeprefix("api-") for tag in operation["tags"]]
                _complete_operation(method, operation)
    _name_scopes(app, document)
    _declare_headers(document)
    generated.title_and_prune_components(document)
    document["x-codes"] = codes()
    return document


def _specification_of_blueprints(app: Flask, blueprints: Sequence[Endpoints]) -> Any:
    """Returns the specification of these blueprints, with the generated schemas."""
    plugin = MarshmallowPlugin()
    named = {"title": "pbem", "version": "1", "openapi_version": "3.1.0"}
    api = Api(app, spec_kwargs={"marshmallow_plugin": plugin, **named})
    plugin.converter.add_attribute_function(_reference_to_generated)  # type: ignore[union-attr]  # made by the line above
    schemas = generated.game_components(all_games().values())
    for name, schema in {"Problem": dict(problems.SCHEMA), **schemas}.items():
        api.spec.components.schema(name, schema)
    for name, about in SCHEMES.items():
        api.spec.components.security_scheme(name, {"type": "http", "scheme": "bearer", "description": about})
    for blueprint in blueprints:
        blueprint.register_views_in_doc(api, app, api.spec, name=blueprint.name, parameters=None)
        api.spec.tag({"name": blueprint.name, "description": blueprint.description})
    return api.spec


def _constrain_path_texts(document: dict[str, Any]) -> None:
    """Says of each text in an address what it is like, where its operation does not say it."""
    for item in document["paths"].values():
        for part in item.get("parameters", ()):
            if part["in"] == "path" and part["schema"] == TEXT:
                part["schema"] |= IDS if part["name"].endswith("_id") else LIMITS.get(part["name"], {})


def _complete_operation(method: str, operation: dict[str, Any]) -> None:
    """Adds what all operations answer, and says of those that need no token that they do not."""
    operation.setdefault("security", [])
    if "2XX" in operation["responses"]:  # a call that a webhook gets
        return
    common = EVERYWHERE | ({"304": HTTPStatus.NOT_MODIFIED.name} if method == "get" else {})
    operation["responses"] |= {code: {"$ref": f"{RESPONSES}{name}"} for code, name in common.items()}
    repeatable = any(one.get("name") == headers.KEY_HEADER for one in operation.get("parameters", ()))
    for status, response in operation["responses"].items():
        if (name := response.get("$ref", "").removeprefix(RESPONSES)) in LASTING:
            response["$ref"] = f"{RESPONSES}{LASTING[name]}"
        elif "$ref" not in response:
            tagged = method == "get" and status == "200" and "text/event-stream" not in response.get("content", {})
            _add_header_references(
                response, [*(["ETag"] if tagged else []), *(["Idempotency-Replayed"] if repeatable else [])]
            )


def _declare_headers(document: dict[str, Any]) -> None:
    """Adds the headers that answers have beside their bodies, to those of all operations, too."""
    document["components"]["headers"] = {
        name: {"description": about, "schema": {"type": "string"}} for name, about in HEADERS.items()
    }
    numbers = {LASTING[status.name]: status.value for status in map(HTTPStatus, STATUSES)}
    for name, response in document["components"]["responses"].items():
        _add_header_references(response, SAID_BY.get(numbers.get(name, 304), []))


def _add_header_references(response: dict[str, Any], names: list[str]) -> None:
    known = {name: {"$ref": f"#/components/headers/{name}"} for name in (*names, "X-Request-ID")}
    response["headers"] = {**response.get("headers", {}), **known}


def _name_scopes(app: Any, document: dict[str, Any]) -> None:
    """Adds to each operation that takes an access token the scopes it needs."""
    for rule in app.url_map.iter_rules():
        operations = document["paths"].get(re.sub(r"<(?:[^<>:]+:)?(\w+)>", r"{\1}", rule.rule), {})
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}:
            operation = operations.get(method.lower(), {})
            if operation.get("security"):
                scopes = list(callers.scopes_needed(app.view_functions[rule.endpoint], method))
                ways = operation["security"]
                operation["security"] = [{"token": scopes} if "token" in way else way for way in ways]
