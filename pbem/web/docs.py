"""Documentation: the rules of a game, help and privacy, from texts in Markdown; the API, from its OpenAPI document.

They are in the reader's language, but for what the document of the API says. No page needs scripts or external files.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, cast

from flask import Blueprint, Response, current_app
from markupsafe import Markup

from pbem.discovery import TEMPLATES
from pbem.errors import N_, NotFound
from pbem.games import all_games
from pbem.kit.texts import Lang
from pbem.render.i18n import join_or
from pbem.web import features
from pbem.web.protocol import sign_in
from pbem.web.protocol.language import _, page_language
from pbem.web.protocol.page import game_at, page, site

FEATURES = re.compile(r"<!-- features: (\w+) -->\n")
"""The line of a text in whose place stands what features say there, by the name of the place."""

bp = Blueprint("docs", __name__)


@bp.get("/rules/<slug>")
def show_rules(slug: str) -> Response:
    """Shows the game's rules."""
    from pbem.render import markdown

    game = game_at(slug)
    sign_in.current_visitor()  # whose language it speaks
    return page(
        "docs/rules.html", game=game, rules=markdown.rules_of(slug, page_language()), in_head=features.head_of(game)
    )


@bp.get("/help")
def show_help() -> Response:
    """Shows how a turn goes, what the mails do, and when the clock moves."""
    return page("docs/guide.html", title=_("Help"), text=_guide_html("help"))


@bp.get("/privacy")
def show_privacy() -> Response:
    """Shows what is kept about players."""
    return page("docs/guide.html", title=_("Privacy"), text=_guide_html("privacy"))


def _guide_html(name: str) -> Markup:
    return _page_text_html(name, page_language(), site().config.features)


@cache
def _page_text_html(name: str, lang: Lang, on: tuple[str, ...]) -> Markup:
    from pbem.render import markdown

    text = (TEMPLATES / "web" / "docs" / f"{name}.{lang}.md").read_text(encoding="utf-8")
    return markdown.markdown_html(FEATURES.sub(lambda place: features.sections(place[1], lang, on), text))


# --- the API ---------------------------------------------------------------------------------------------------

METHODS = ("get", "post", "put", "patch", "delete")

Json = Mapping[str, Any]


@bp.get("/docs/api")
def show_api() -> Response:
    """Shows every address of the API with its requests and answers."""
    from pbem.render import markdown

    document = _openapi_document()
    operations = [
        _operation_on_page(document, path, method, item)
        for path, item in document["paths"].items()
        for method in METHODS
        if method in item
    ]
    groups = [(tag, [op for op in operations if tag["name"] in op["tags"]]) for tag in document["tags"]]
    return page(
        "docs/reference.html", info=document["info"], groups=[group for group in groups if group[1]],
        root=site().config.url, written=markdown.paragraphs_with_code_html, inline=markdown.line_with_code_html,
        games=all_games().values(),
    )  # fmt: skip


@bp.get("/docs/api/errors")
def show_error_codes() -> Response:
    """Shows every error code with what to do about it."""
    from pbem.render import markdown

    return page(
        "docs/reference_errors.html", codes=_openapi_document()["x-codes"], written=markdown.paragraphs_with_code_html
    )


@bp.get("/docs/api/notation/<slug>")
def show_notation(slug: str) -> Response:
    """Shows what may be typed for the moves of a game, in the reader's language."""
    from pbem.render import markdown

    return page("docs/notation.html", game=game_at(slug), text=markdown.notation_guide_html(slug, page_language()))


@bp.get("/docs/api/schemas/<name>")
def show_schema(name: str) -> Response:
    """Shows one schema, field by field."""
    from pbem.render import markdown

    found = _openapi_document()["components"]["schemas"].get(name)
    if found is None:
        raise NotFound(N_("There is no schema of this name."))
    return page("docs/reference_schema.html", name=name, schema=found, written=markdown.paragraphs_with_code_html)


def _openapi_document() -> dict[str, Any]:
    return cast(dict[str, Any], current_app.extensions["pbem.openapi"]())


def _operation_on_page(document: Json, path: str, method: str, item: Json) -> Json:
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
        "callers": join_or([_token_in_words(way) for way in (raw["security"] or [{}])], page_language()),
        "fields": [
            (p["name"], {**p["schema"], **_parameter_description(p)}, p.get("required", False)) for p in parameters
        ],
        "body": content.get("schema"),
        "example": content.get("example"),
        "answers": [_answer_on_page(document, status, found) for status, found in sorted(raw["responses"].items())],
    }


def _parameter_description(parameter: Json) -> Json:
    return {"description": parameter["description"]} if "description" in parameter else {}


def _token_in_words(way: Json) -> str:
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


def _answer_on_page(document: Json, status: str, response: Json) -> tuple[str, str, Json | None]:
    if "$ref" in response:
        response = document["components"]["responses"][response["$ref"].rpartition("/")[2]]
    schemas = [kind.get("schema") for kind in response.get("content", {}).values()]
    return status, response["description"], schemas[0] if schemas else None
