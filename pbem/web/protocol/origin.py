"""Protection from cross-site requests: a form that changes something comes from our own pages, or from no browser.

The session's cookie is `SameSite=Lax` and its forms carry a token, but a page that opens a session, or needs none, has
neither. So every POST outside the API is checked, unless it is exempted here:

* `origins.origin_of` says where it comes from.
* Our pages have no referrer, so the forms of a browser that sends no `Sec-Fetch-Site` say `Origin: null`: that is
  accepted, except for opening a session, whose page therefore sends its origin, and nothing more.

The API reads no cookie; `pbem.api.protocol.cors` says what other sites may do there.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from flask import Flask, Response, current_app, request

from pbem.errors import N_, Forbidden
from pbem.origins import origin_of
from pbem.web.protocol.page import site

SAFE = ("GET", "HEAD", "OPTIONS")
OPENS_SESSION = frozenset({"account.open_session"})
_FORGED = N_(
    "This was sent from another site, so nothing was done. If you intended it, open the page here and press its button."
)


View = TypeVar("View", bound=Callable[..., Any])


def one_click(view: View) -> View:
    """Marks a view to which a mail program may post by itself (RFC 8058), also from a web page of its own.

    Only ever less mail, by a token that stands in the mail alone, and without any cookie's help.
    """
    vars(view)["one_click"] = True
    return view


def is_one_click() -> bool:
    """True if a mail program posts by itself to a view that is marked so."""
    view = current_app.view_functions.get(request.endpoint or "")
    return hasattr(view, "one_click") and request.form.get("List-Unsubscribe") == "One-Click"


def init_app(app: Flask) -> None:
    """Refuses POSTs from other sites to pages; call this after the language of the answer is set."""
    app.before_request(_check)


def give_origin(response: Response) -> Response:
    """Returns the page, with a referrer policy that sends its origin with its form, but not its address."""
    response.headers["Referrer-Policy"] = "strict-origin"
    return response


def check_said() -> None:
    """Guarantees that the browser has said that this comes from our page, as `give_origin` lets all do.

    For a form that opens a session only sometimes. Raises Forbidden.
    """
    if origin_of(request, site().config.url) == "unsaid":
        raise Forbidden(_FORGED)


def _check() -> None:
    """Checks that the request is exempted or comes from our own page. Raises Forbidden."""
    if request.method in SAFE or request.endpoint is None or request.path.startswith("/api/"):
        return
    if is_one_click():
        return
    found = origin_of(request, site().config.url)
    if found == "other" or (found == "unsaid" and request.endpoint in OPENS_SESSION):
        raise Forbidden(_FORGED)
