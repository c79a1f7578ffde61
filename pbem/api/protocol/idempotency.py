"""The header `Idempotency-Key`: a request that creates something may be sent again, and is done once."""

import hashlib
import re
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec
from flask import Response, g, request

from pbem.api.protocol.callers import key_owner, site
from pbem.api.protocol.headers import takes
from pbem.api.protocol.problems import with_fields
from pbem.errors import N_, Invalid
from pbem.kit.codec import encode
from pbem.services.access.idempotency import IdempotencyKey, was_done

HEADER = "Idempotency-Key"
PATTERN = "^[!-~]{1,128}$"
_KEY = re.compile(PATTERN)
_ABOUT = (
    "The caller's own word for this request, kept for 24 hours: the same request under the same key is done once, and "
    "answered again with `Idempotency-Replayed: true`. A new key for each thing wanted, like a random UUID. Without a "
    "token keys belong to the caller's network address (for IPv6 its /64)."
)

View = TypeVar("View", bound=Callable[..., Any])


def repeatable(view: View) -> View:
    """Documents that the view takes the header, and returns the view, which passes `once()` to its service."""
    return takes(view, HEADER, _ABOUT, {"pattern": PATTERN})


def once() -> IdempotencyKey | None:
    """Returns the request's key and digest; None if it came without a key. Raises Invalid."""
    key = request.headers.get(HEADER)
    if key is None:
        return None
    if not _KEY.fullmatch(key):
        raise with_fields(Invalid(N_("A key has 1 to 128 printable ASCII characters, without spaces.")), HEADER)
    made = g.once = IdempotencyKey(key_owner(), key, _digest())
    return made


def came_before() -> bool:
    """True if this very request was done under its key: it may be sent again though its effect changed the ETag."""
    key = request.headers.get(HEADER)
    if key is None or not _KEY.fullmatch(key):
        return False
    return was_done(site(), IdempotencyKey(key_owner(), key, _digest()))


def _digest() -> str:
    """Returns a keyed hash of the request's target and of its body's content, independent of formatting.

    It is keyed so that a reader of the database cannot test which names and addresses were sent.
    """
    body = request.get_data()
    ids = {name: value for name, value in (request.view_args or {}).items() if name != "player_id"}
    content = [
        request.method,
        request.url_rule and request.url_rule.rule,
        ids,
        _plain(body),
    ]
    return site().tokens.request_digest(encode(content))


def _plain(body: bytes) -> Any:
    """Returns the body's content; a hash for a body that is not JSON, which the view will refuse."""
    try:
        return msgspec.json.decode(body) if body else None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return hashlib.sha256(body).hexdigest()


def mark(response: Response) -> Response:
    """Returns the answer, with a header if the request was done before."""
    made: IdempotencyKey | None = g.get("once")
    if made is not None and made.replayed:
        response.headers["Idempotency-Replayed"] = "true"
    return response
