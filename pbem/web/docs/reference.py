"""The API reference, as pages made from the OpenAPI document, without scripts or external files."""

from collections.abc import Mapping
from typing import Any, cast

from flask import Blueprint, Response, current_app
from markdown_it import MarkdownIt
from markupsafe import Markup

from pbem.errors import N_, NotFound
from pbem.games import all_games
from pbem.render.i18n import join_or
from pbem.web.docs.rules import notation_html
from pbem.web.protocol.language import _, page_language
from pbem.web.protocol.page import game_at, page, site

METHODS = ("get", "post", "put", "patch", "delete")

bp = Blueprint("reference", __name__)
_MARKDOWN = MarkdownIt("zero", {"html": False}).enable("backticks")

Json = Mapping[str, Any]


@bp.get("/docs/api")
def overview() -> Response:
    """Shows every address of the API with its requests and answers."""
    document = _document()
    operations = [
        _operation(document, path, method, item)
        for path, item in document["paths"].items()
        for method in METHODS
        if method in item
    ]
    groups = [(tag, [op for op in operations if tag["name"] in op["tags"]]) for tag in document["tags"]]
    return page(
        "docs/reference.html", info=document["info"], groups=[group for group in groups if group[1]],
        root=site().config.url, written=paragraphs_html, inline=inline_html, games=all_games().values(),
    )  # fmt: skip


@bp.get("/docs/api/errors")
def errors() -> Response:
    """Shows every error code with what to do about it."""
    return page("docs/reference_errors.html", codes=_document()["x-codes"], written=paragraphs_html)


@bp.get("/docs/api/notation/<slug>")
def notation(slug: str) -> Response:
    """Shows what may be typed for the moves of a game, in the reader's language."""
    return page("docs/notation.html", game=game_at(slug), text=notation_html(slug, page_language()))


@bp.get("/docs/api/schemas/<name>")
def schema(name: str) -> Response:
    """Shows one schema, field by field."""
    found = _document()["components"]["schemas"].get(name)
    if found is None:
        raise NotFound(N_("There is no schema of this name."))
    return page("docs/reference_schema.html", name=name, schema=found, written=paragraphs_html)


def paragraphs_html(text: str) -> Markup:
    """Returns the text as HTML, with `code` marked up, and paragraphs at empty lines."""
    return Markup(_MARKDOWN.render(text))  # noqa: S704  # html off: all but its own marks is escaped


def inline_html(text: str) -> Markup:
    """Returns a line as HTML, with `code` marked up."""
    return Markup(_MARKDOWN.renderInline(text))  # noqa: S704  # as above


def _document() -> dict[str, Any]:
    return cast(dict[str, Any], current_app.extensions["pbem.openapi"]())


def _operation(document: Json, path: str, method: str, item: Json) -> Json:
    """Returns one method of one address, as the page shows it.

    `fields` stand in the address, each with its name, its schema, and whether it must; `answers` are each a status,
    what it means, and the schema of what comes with it.
    """
    raw = item[method]
    content = raw.get("requestBody", {}).get("content", {}).get("application/json", {})
    parameters = (*item.get("parameters", ()), *raw.get("parameters", ()))
    return {
        "method": method.upper(),
        "path": path,
        "name": raw["operationId"],
        "tags": raw["tags"],
        "texts": [raw[part] for part in ("summary", "description") if raw.get(part)],
        "callers": join_or([_caller(way) for way in (raw["security"] or [{}])], page_language()),
        "fields": [(p["name"], {**p["schema"], **_description(p)}, p.get("required", False)) for p in parameters],
        "body": content.get("schema"),
        "example": content.get("example"),
        "answers": [_answer(document, status, found) for status, found in sorted(raw["responses"].items())],
    }


def _description(parameter: Json) -> Json:
    return {"description": parameter["description"]} if "description" in parameter else {}


def _caller(way: Json) -> str:
    match list(way.items()):
        case [("seat", _scopes)]:
            return _("that of a seat")
        case [("token", [scope])]:
            return _("an access token with the scope “%(scope)s”", scope=scope)
        case [("token", _scopes)]:
            return _("an access token")
        case [("account", _scopes)]:
            return _("that of an account link")
    return _("none")


def _answer(document: Json, status: str, response: Json) -> tuple[str, str, Json | None]:
    if "$ref" in response:
        response = document["components"]["responses"][response["$ref"].rpartition("/")[2]]
    schemas = [kind.get("schema") for kind in response.get("content", {}).values()]
    return status, response["description"], schemas[0] if schemas else None
