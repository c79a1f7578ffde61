"""ETags, and what may be kept.

The tag is a hash of the very body that the caller gets, so it tells him nothing more.
"""

from flask import Response, request


def tag(response: Response) -> str:
    """The ETag of the answer, as headers write it."""
    response.add_etag()
    return response.headers["ETag"]


def conditional(response: Response) -> Response:
    """The answer with its ETag, or 304 where the caller has it already; nothing with a token is ever stored.

    What is told as it happens has no tag, and is stored by nobody.
    """
    response.headers["Vary"] = "Authorization, Accept-Language"
    if response.is_streamed:
        response.headers["Cache-Control"] = "no-store"
        return response
    private = "Authorization" in request.headers or request.method not in ("GET", "HEAD")
    response.headers["Cache-Control"] = "private, no-store" if private else "no-cache"
    if request.method in ("GET", "HEAD") and response.status_code == 200:
        tag(response)
        response.make_conditional(request)
    return response
