"""Compresses answers with gzip, so that pages open quickly on a phone; a test limits the size of a first visit."""

from flask import Flask, Response, current_app, g, request
from zlib_ng import zlib_ng

LEAST = 1000
"""Bytes below which packing saves nothing worth the time."""
_LEVEL = 6
_GZIP = 31
"""zlib's way to say: with the largest window, in the envelope of gzip."""
_PACKED = ("text/html", "text/css", "text/javascript", "image/svg+xml")


def init_app(app: Flask) -> None:
    """Compresses pages and static texts for clients that accept it. Call this first, so that compression comes last."""
    app.after_request(_pack)


def packed(plain: bytes) -> bytes:
    """Returns the bytes as gzip packs them, always the same."""
    return zlib_ng.compress(plain, level=_LEVEL, wbits=_GZIP)


def accepts_gzip() -> bool:
    """True if the client accepts gzip."""
    return "gzip" in request.accept_encodings.values() and request.accept_encodings.quality("gzip") > 0


def _pack(response: Response) -> Response:
    if response.mimetype not in _PACKED or response.status_code == 304 or "Content-Encoding" in response.headers:
        return response
    response.vary.add("Accept-Encoding")
    if request.method == "HEAD" or not accepts_gzip() or _guessable():
        return response
    response.direct_passthrough = False
    plain = response.get_data()
    if len(plain) < LEAST:
        return response
    etag, _weak = response.get_etag()
    if etag:
        response.set_etag(etag, weak=True)  # the same thing, in other bytes
    response.set_data(packed(plain))
    response.content_encoding = "gzip"
    return response


def _guessable() -> bool:
    """True if the page may hold a secret that the address does not.

    The size of a compressed page reveals how much of it repeats the query, and anybody can make a signed-in reader
    follow a link with a query of their choice. Nobody can if the address itself is the secret.
    """
    named = {"token", "match_id", "stamp"} & set(request.view_args or {})
    return "signed" in g or (current_app.config["SESSION_COOKIE_NAME"] in request.cookies and not named)
