"""ETags and Cache-Control.

The ETag is a hash of the body that the caller gets, so it tells them nothing more.
"""

from flask import Response, request


def tag(response: Response) -> str:
    """Returns the ETag of the answer, as headers write it."""
    response.add_etag()
    return response.headers["ETag"]


def conditional(response: Response) -> Response:
    """Returns the answer with its ETag, or 304 if the caller has it; answers to requests with a token are never stored.

    Streams have no ETag and are never stored; a proxy that compresses them would hold back their pieces.
    """
    response.headers["Vary"] = "Authorization, Accept-Language"
    if response.is_streamed:
        response.headers["Cache-Control"] = "no-store, no-transform"
        return response
    private = "Authorization" in request.headers or request.method not in ("GET", "HEAD")
    response.headers["Cache-Control"] = "private, no-store" if private else "no-cache"
    if request.method in ("GET", "HEAD") and response.status_code == 200:
        tag(response)
        response.make_conditional(request)
    return response
