"""The headers that guard a write.

`Idempotency-Key`: a request that creates something may be sent again, and is done once. `If-Match`: something is
changed only if it is still what the caller has seen; the tag is the `ETag` of the GET that the documentation of each
such request names, as the same caller gets it.
"""

import hashlib
import re
from collections.abc import Callable, Mapping
from copy import deepcopy
from functools import wraps
from inspect import signature
from typing import Any, TypeVar, cast

import msgspec
from flask import Response, after_this_request, json, request

from pbem.api.protocol.answers import etag_of, json_response
from pbem.api.protocol.callers import caller, key_owner, site
from pbem.api.protocol.problems import with_fields
from pbem.errors import CHANGED, N_, Changed, Invalid, PreconditionRequired
from pbem.kit.codec import encode
from pbem.services.access.idempotency import IdempotencyKey, was_request_done

View = TypeVar("View", bound=Callable[..., Any])


def document_request_header(
    view: View, name: str, about: str, schema: Mapping[str, Any], *, required: bool = False
) -> View:
    """Documents that the view reads this header, and returns the view."""

    # The place where flask-smorest keeps what its own decorators document; `doc` would replace all other parameters.
    known = deepcopy(getattr(view, "_apidoc", {}))
    parameter = {"in": "header", "name": name, "description": about, "schema": {"type": "string", **schema}}
    known.setdefault("arguments", {}).setdefault("parameters", []).append({**parameter, "required": required})
    view._apidoc = known  # type: ignore[attr-defined]
    return view


KEY_HEADER = "Idempotency-Key"
KEY_PATTERN = "^[!-~]{1,128}$"
_KEY = re.compile(KEY_PATTERN)
_ABOUT = (
    "The caller's own word for this request, kept for 24 hours: the same request under the same key is done once, and "
    "answered again with `Idempotency-Replayed: true`. A new key for each thing wanted, like a random UUID. Without a "
    "token keys belong to the caller's network address (for IPv6 its /64)."
)


def document_idempotency_key(view: View) -> View:
    """Documents that the view takes the header, and returns the view, which passes the `idempotency_key()` on."""
    return document_request_header(view, KEY_HEADER, _ABOUT, {"pattern": KEY_PATTERN})


def idempotency_key() -> IdempotencyKey | None:
    """Returns the request's key and digest; None if it came without a key. Raises Invalid."""
    key = request.headers.get(KEY_HEADER)
    if key is None:
        return None
    if not _KEY.fullmatch(key):
        raise with_fields(Invalid(N_("A key has 1 to 128 printable ASCII characters, without spaces.")), KEY_HEADER)
    made = IdempotencyKey(key_owner(), key, _request_digest())

    @after_this_request
    def tell_replay(response: Response) -> Response:
        if made.replayed:
            response.headers["Idempotency-Replayed"] = "true"
        return response

    return made


def is_repetition() -> bool:
    """True if this very request was done under its key: it may be sent again though its effect changed the ETag."""
    key = request.headers.get(KEY_HEADER)
    if key is None or not _KEY.fullmatch(key):
        return False
    return was_request_done(site(), IdempotencyKey(key_owner(), key, _request_digest()))


def _request_digest() -> str:
    """Returns a keyed hash of the request's target and of its body's content, independent of formatting.

    It is keyed so that a reader of the database cannot test which names and addresses were sent.
    """
    body = request.get_data()
    ids = {name: value for name, value in (request.view_args or {}).items() if name != "player_id"}
    content = [
        request.method,
        request.url_rule and request.url_rule.rule,
        ids,
        _body_content(body),
    ]
    return site().tokens.request_digest(encode(content))


def _body_content(body: bytes) -> Any:
    """Returns the body's content; a hash for a body that is not JSON, which the view will refuse."""
    try:
        return msgspec.json.decode(body) if body else None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return hashlib.sha256(body).hexdigest()


HEADER = "If-Match"
_TAG = r'(?:W/)?"[\x21\x23-\x7e]*"'
PATTERN = rf"^(?:\*|{_TAG}(?: *, *{_TAG})*)$"
_TAGS = re.compile(PATTERN)


def if_match(read: Callable[..., Any], *, required: bool = False) -> Callable[[View], View]:
    """Returns a decorator for views that change what `read` returns: 412 if that is not what the caller has seen.

    A request that was done under its Idempotency-Key is answered again: its caller had seen the state before it.
    `read` takes those parts of the address that it names, and returns the answer of the GET, or its content. Where the
    header is `required`, 428 without it. Raises Changed, Invalid, PreconditionRequired.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            wanted = _if_match_tags(required)
            if wanted is None:
                return view(*args, **kwargs)
            current = _current_answer(read)
            if etag_of(current) not in wanted:
                if is_repetition():
                    return view(*args, **kwargs)
                raise Changed(CHANGED, etag=etag_of(current))
            caller().seen = current
            try:
                return view(*args, **kwargs)
            except Changed:  # by a concurrent request
                raise Changed(CHANGED, etag=etag_of(_current_answer(read))) from None

        documented = getattr(read, "_apidoc", {}).get("manual_doc", {}).get("operationId")
        what = f"the answer of `{documented}`" if documented else "what it changes"
        about = f"Only where {what} still has this ETag; `*`: whatever it has."
        return cast(View, document_request_header(wrapper, HEADER, about, {"pattern": PATTERN}, required=required))

    return decorate


def state_seen() -> Any:
    """Returns the state that the caller has seen, confirmed by `If-Match`; None without the header."""
    told = caller().seen
    return None if told is None else json.loads(told.data)


def _if_match_tags(required: bool) -> list[str] | None:
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
    taken = signature(read).parameters
    said = read(**{name: value for name, value in (request.view_args or {}).items() if name in taken})
    return said if isinstance(said, Response) else json_response(said)
