"""The blueprints of the API, and the one declaration of each operation."""

from collections.abc import Callable, Mapping
from functools import wraps
from http import HTTPStatus
from types import MappingProxyType
from typing import Any, get_type_hints

import flask_smorest
from flask import Response

from pbem.api.protocol import callers, problems
from pbem.api.protocol import headers as request_headers
from pbem.api.protocol.answers import answer_type, conditional_response, json_response, schema_reference, schemas_of
from pbem.api.protocol.bodies import Nothing, Query, RequestSchema, StrictParser
from pbem.api.protocol.callers import EVERYBODY, Who
from pbem.services.access.access_tokens import Scope

PREFIX = "/api/v1"


class Endpoints(flask_smorest.Blueprint):
    """A group of operations: strict reading, problems for errors, ETags, authentication first.

    They are for `who`, but for those that say otherwise, and those that change something need these `scopes`.
    """

    ARGUMENTS_PARSER = StrictParser()

    def __init__(self, name: str, description: str, *, who: Who = EVERYBODY, scopes: tuple[Scope, ...] = ()) -> None:
        super().__init__(f"api-{name}", __name__, url_prefix=PREFIX, description=description)
        problems.handle_in(self)
        self.before_request(callers.recognise)
        self.after_request(conditional_response)
        self._who, self._scopes = who, scopes
        self._answers: list[Any] = []
        self._calls: dict[str, dict[str, Any]] = {}

    def tell(self, *types: Any) -> None:
        """Adds types to the document that stand in none of the answers, such as the messages of a stream."""
        self._answers += types

    def call(self, name: str, about: str, kind: Any) -> None:
        """Declares in the document what a webhook of the caller gets."""
        self.tell(kind)
        content = {"application/json": {"schema": schema_reference(kind)}}
        self._calls[name] = {
            "summary": about, "operationId": name, "tags": [self.name],
            "requestBody": {"required": True, "content": content},
            "responses": {"2XX": {"description": "It has arrived. Anything else: it comes again, but for 410."}},
        }  # fmt: skip

    def register_views_in_doc(self, api: Any, app: Any, spec: Any, *, name: str, parameters: Any) -> None:
        """Adds the operations to the document, with the schemas of what they answer."""
        known = spec.components.schemas
        for title, schema in schemas_of(self._answers).items():
            assert known.setdefault(title, schema) == schema, f"two types are called {title}"
        calls = {name: {"post": call} for name, call in self._calls.items()}
        spec.options.setdefault("webhooks", {}).update(calls)
        super().register_views_in_doc(api, app, spec, name=name, parameters=parameters)

    def operation(
        self,
        name: str,
        address: str,
        *,
        who: Who | None = None,
        scopes: tuple[Scope, ...] = (),
        query: type[Query] = Query,
        body: type[RequestSchema] | None = None,
        body_required: bool = True,
        example: Any = None,
        status: int = 200,
        gives: Any = None,
        headers: Mapping[str, str] = MappingProxyType({}),
        if_match: Callable[..., Any] | None = None,
        must_match: Callable[..., Any] | None = None,
        repeatable: bool = False,
        refuses: tuple[int, ...] = (),
        parameters: list[dict[str, Any]] | None = None,
        **more: Any,
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Returns a decorator that serves a view as the operation `name` at an address like “GET /games”.

        The view gets the parts of the address, what `who` adds, each parameter of the query, and the body, which comes
        first. It answers under `status` with what it returns, and with the headers beside it, if any; under 204 if it
        returns nothing. `gives` is the type of the body of a view that returns a `Response`, and a view that needs
        more words for its answer has decorators of its own, below this one. The caller may say which answer of the
        view `if_match` they have seen; of `must_match` they must. The refusals that follow from the declaration are
        documented; `refuses` are the others, and `more` stands in the document as it is.
        """
        method, rule = address.split(maxsplit=1)
        caller = self._who if who is None else who
        seen = must_match or if_match
        known = _refusals_that_follow(method, rule, caller, body, seen, must_match)

        def decorate(view: Any) -> Any:
            if seen is not None:
                view = request_headers.if_match(seen, required=must_match is not None)(view)
            if repeatable:
                view = request_headers.document_idempotency_key(view)
            view = self._with_response_from_result(view, status, gives, headers)
            if body is not None:
                required = body_required and body is not Nothing
                read = {"required": required, "example": example, "as_kwargs": body is Nothing}
                view = self.arguments(body(), **read)(view)
            view = self.arguments(query(), location="query", as_kwargs=True)(view)
            view = caller.admit(view)
            view.scopes = scopes if scopes or method == "GET" else self._scopes
            security = {} if caller.security is None else {"security": caller.security}
            view = self.doc(operationId=name, **security, **more)(view)
            # Where `alt_response` writes, which wraps the view once for each status.
            responses = view._apidoc.setdefault("response", {}).setdefault("responses", {})
            responses |= {one: [HTTPStatus(one).name] for one in sorted({*known, *refuses})}
            return self.route(rule, methods=[method], parameters=parameters)(view)

        return decorate

    def _with_response_from_result(self, view: Any, status: int, gives: Any, headers: Mapping[str, str]) -> Any:
        """Returns the view with an answer of this status, made of what it returns, unless that is a `Response`."""
        made = answer_type(view)
        kind = gives or made
        if kind is None:
            return view

        @wraps(view)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            said = view(*args, **kwargs)
            match said:
                case Response():
                    return said
                case None:
                    return no_content()
                case (value, dict(sent)):
                    return json_response(value, status), sent
                case (value, int(other), dict(sent)):
                    return json_response(value, other), sent
            return json_response(said, status)

        served = wrapper if made is not None else view
        if kind is type(None):
            return self.response(HTTPStatus.NO_CONTENT)(served)
        self._answers.append(kind)
        if status == HTTPStatus.CREATED and get_type_hints(view)["return"] is not kind and gives is None:
            headers = {"Location": "Where what was made can be read.", **headers}
        told = {name: {"schema": {"type": "string"}, "description": about} for name, about in headers.items()}
        return self.response(status, schema_reference(kind), headers=told)(served)


def _refusals_that_follow(method: str, rule: str, who: Who, body: object, seen: object, must_match: object) -> set[int]:
    """Returns the statuses of the problems that follow from a declaration."""
    follow = {
        (400, 413, 415): body is not None,
        (404,): "<" in rule and "<token>" not in rule,
        (412,): seen is not None,
        (428,): must_match is not None,
        (503,): method != "GET",
    }
    return {*who.refuses, *(status for statuses, holds in follow.items() if holds for status in statuses)}


def no_content() -> Response:
    """Returns the answer 204, without a body and so without its type."""
    response = Response(status=HTTPStatus.NO_CONTENT)
    del response.headers["Content-Type"]
    return response
