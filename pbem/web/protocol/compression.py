"""Answers packed by gzip, so that a page opens quickly on a phone: what a first visit costs is capped by a test."""

import gzip

from flask import Flask, Response, current_app, g, request

LEAST = 1000
"""Bytes below which packing saves nothing worth the time."""
_PACKED = ("text/html", "text/css", "text/javascript", "image/svg+xml")


def init_app(app: Flask) -> None:
    """Packs pages and static texts for those who can unpack them. To be called first: packing comes last."""
    app.after_request(_pack)


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
    response.set_data(gzip.compress(plain, compresslevel=6, mtime=0))
    response.content_encoding = "gzip"
    return response


def _guessable() -> bool:
    """True if the page may hold a secret that the address does not.

    The size of a packed page tells how much of it repeats the query, which anybody can make up for the reader of a
    session. Where the address itself is the secret, nobody can.
    """
    named = {"token", "match_id", "stamp"} & set(request.view_args or {})
    return "signed" in g or (current_app.config["SESSION_COOKIE_NAME"] in request.cookies and not named)
