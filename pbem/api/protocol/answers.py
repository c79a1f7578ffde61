"""Answers: a value as JSON with its ETag, and the type of the value as a schema of the OpenAPI document.

What an operation answers is declared once: the `msgspec.Struct` that its view returns. Its fields and their
descriptions (`Annotated[int, about(…)]`) make the schema.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, get_args, get_origin, get_type_hints

import msgspec
from flask import Response, json, request

from pbem.answers import COMPONENTS
from pbem.api.protocol.generated import Schema, allow_more_fields, trim_descriptions
from pbem.clock import iso_format

FOR_OTHER_SITES = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "ETag, Location, Link, Retry-After, Allow, WWW-Authenticate, "
    "Idempotency-Replayed, X-Request-ID, Deprecation, Sunset, RateLimit, RateLimit-Policy",
}
"""The headers by which pages of other sites may read an answer, and some of its headers."""


def json_response(value: Any, status: int = 200) -> Response:
    """Returns the value as JSON: its names sorted, and its moments to the second."""
    plain = msgspec.to_builtins(value, builtin_types=(datetime,))
    body = json.dumps(plain, default=iso_format, separators=(",", ":"))
    return Response(f"{body}\n", status, mimetype="application/json")


def answer_type(view: Any) -> Any:
    """Returns the type of what a view answers, by its annotation; None for a `Response`, NoneType for nothing."""
    kind = get_type_hints(view)["return"]
    if get_origin(kind) is tuple:
        kind = get_args(kind)[0]
    return None if kind is Response else kind


def schema_reference(kind: type) -> Schema:
    """Returns the schema of a type of the document, by its name there."""
    return {"$ref": f"{COMPONENTS}{kind.__name__}"}


def schemas_of(types: Iterable[Any]) -> dict[str, Schema]:
    """Returns the schemas of these types, and of those that they hold, by their names in the document."""
    _, schemas = msgspec.json.schema_components(types, ref_template=f"{COMPONENTS}{{name}}")
    return {
        name: trim_descriptions(allow_more_fields(_require_default_fields(schema))) for name, schema in schemas.items()
    }


def _require_default_fields(schema: Schema) -> Schema:
    """Returns the schema of a Struct as it is answered: fields that have a default in Python are always there, too."""
    fields: Mapping[str, Schema] = schema.get("properties", {})
    there = [name for name, field in fields.items() if name in schema["required"] or "default" in field]
    bare = {name: {key: part for key, part in field.items() if key != "default"} for name, field in fields.items()}
    return {**schema, "properties": bare, "required": there} if fields else schema


def etag_of(response: Response) -> str:
    """Returns the ETag of the answer, as headers write it: a hash of the body, which tells the caller nothing more."""
    response.add_etag()
    return response.headers["ETag"]


def conditional_response(response: Response) -> Response:
    """Returns the answer with its ETag, or 304 if the caller has it.

    Answers to requests with a token are never stored. Neither are streams, which have no ETag; a proxy that compresses
    them would hold back their pieces.
    """
    response.headers.update(FOR_OTHER_SITES)
    response.headers["Vary"] = "Authorization, Accept-Language"
    if response.is_streamed:
        response.headers["Cache-Control"] = "no-store, no-transform"
        return response
    private = "Authorization" in request.headers or request.method not in ("GET", "HEAD")
    response.headers["Cache-Control"] = "private, no-store" if private else "no-cache"
    if request.method in ("GET", "HEAD") and response.status_code == 200:
        etag_of(response)
        response.make_conditional(request)
    return response
