"""The header `If-Match`: something is changed only if it is still what the caller has seen.

The tag is the `ETag` of the GET that the documentation of each such request names, as the same caller gets it.
"""

import re
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from flask import Response, g, json, request

from pbem.api.protocol.answers import respond, tag
from pbem.api.protocol.headers import takes
from pbem.api.protocol.idempotency import came_before
from pbem.api.protocol.problems import with_fields
from pbem.errors import CHANGED, N_, Changed, Invalid, PreconditionRequired

HEADER = "If-Match"
_TAG = r'(?:W/)?"[\x21\x23-\x7e]*"'
PATTERN = rf"^(?:\*|{_TAG}(?: *, *{_TAG})*)$"
_TAGS = re.compile(PATTERN)

View = TypeVar("View", bound=Callable[..., Any])


def if_match(read: Callable[..., Any], *, required: bool = False) -> Callable[[View], View]:
    """Returns a decorator for views that change what `read` returns: 412 if that is not what the caller has seen.

    A request that was done under its Idempotency-Key is answered again: its caller had seen the state before it.
    `read` takes the parts of the address and returns the answer of the GET, or its content. Where the header is
    `required`, 428 without it. Raises Changed, Invalid, PreconditionRequired.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            wanted = _tags_expected(required)
            if wanted is None:
                return view(*args, **kwargs)
            current = _current_answer(read)
            if tag(current) not in wanted:
                if came_before():
                    return view(*args, **kwargs)
                raise Changed(CHANGED, etag=tag(current))
            g.seen = current
            try:
                return view(*args, **kwargs)
            except Changed:  # by a concurrent request
                raise Changed(CHANGED, etag=tag(_current_answer(read))) from None

        about = f"Only where {_name_of(read)} still has this ETag; `*`: whatever it has."
        return cast(View, takes(wrapper, HEADER, about, {"pattern": PATTERN}, required=required))

    return decorate


def state_seen() -> Any:
    """Returns the state that the caller has seen, confirmed by `If-Match`; None without the header."""
    told: Response | None = g.get("seen")
    return None if told is None else json.loads(told.data)


def _tags_expected(required: bool) -> list[str] | None:
    """Returns the tags of the header; None without it, and for `*`. Raises Invalid, PreconditionRequired.

    A proxy that compresses an answer makes its tag weak; as a hash of the content it still identifies it.
    """
    header = request.headers.get(HEADER)
    if header is None and required:
        message = N_("Send the header “If-Match” with the ETag of the answer that you have seen.")
        raise PreconditionRequired(message)
    if header is None:
        return None
    if not _TAGS.fullmatch(header.strip()):
        message = N_("Put each tag in double quotes, as in the header “ETag”, separated by commas; or send *.")
        raise with_fields(Invalid(message), HEADER)
    return None if header.strip() == "*" else [found.removeprefix("W/") for found in re.findall(_TAG, header)]


def _current_answer(read: Callable[..., Any]) -> Response:
    """Returns the answer that the caller would get now."""
    said = read(**(request.view_args or {}))
    return said if isinstance(said, Response) else respond(said)


def _name_of(read: Callable[..., Any]) -> str:
    """Returns the name of `read` in the OpenAPI document."""
    known = getattr(read, "_apidoc", {}).get("manual_doc", {}).get("operationId")
    return f"the answer of `{known}`" if known else "what it changes"
