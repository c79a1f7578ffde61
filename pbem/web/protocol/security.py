"""From which site a form was sent, and what a page says of itself so that its link stays secret (its CSP).

A form that changes something comes from our own pages, or from no browser. The session's cookie is `SameSite=Lax` and
its forms carry a token, but a page that opens a session, or needs none, has neither. So every POST outside the API is
checked, unless it is exempted here:

* `origins.origin_own_other_or_unsaid` says where it comes from.
* Our pages have no referrer, so the forms of a browser that sends no `Sec-Fetch-Site` say `Origin: null`: that is
  accepted, except for opening a session, whose page therefore sends its origin, and nothing more.

The API reads no cookie; `pbem.api.protocol.problems` says what other sites may do there.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from flask import Response, current_app, g, request

from pbem.environment import is_loopback
from pbem.errors import N_, Forbidden
from pbem.origins import origin_own_other_or_unsaid
from pbem.web.protocol.page import site

POLICY = {
    "default-src": "'none'",
    "style-src": "'self'",
    "script-src": "'self'",
    "worker-src": "'self'",
    "img-src": "'self'",
    "font-src": "'self'",
    "manifest-src": "'self'",
    "connect-src": "'self'",
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
}

SAFE = ("GET", "HEAD", "OPTIONS")
OPENS_SESSION = frozenset({"account.open_session"})
_FORGED = N_(
    "This was sent from another site, so nothing was done. If you intended it, open the page here and press its button."
)

View = TypeVar("View", bound=Callable[..., Any])


def policy(**changed: str) -> str:
    """Returns the content security policy with some directives changed: `policy(frame_src="'self'")`."""
    directives = POLICY | {name.replace("_", "-"): value for name, value in changed.items()}
    return "; ".join(f"{name} {value}" for name, value in directives.items())


USUAL_POLICY = policy()


def keep_private() -> None:
    """Marks the answer as private: nobody stores it."""
    g.private = True


def keep_unlisted() -> None:
    """Keeps the answer out of search engines; anyone with its address may read and store it."""
    g.unlisted = True


def one_click(view: View) -> View:
    """Marks a view to which a mail program may post by itself (RFC 8058), also from a web page of its own.

    It may only ever reduce mail, and acts by a token that is in the mail alone, without any cookie's help.
    """

    @wraps(view)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        answer = view(*args, **kwargs)
        return Response("ok", mimetype="text/plain") if is_one_click() and answer.status_code < 400 else answer

    vars(wrapper)["one_click"] = True
    return cast(View, wrapper)


def is_one_click() -> bool:
    """True if a mail program posts by itself to a view that is marked so."""
    view = current_app.view_functions.get(request.endpoint or "")
    return hasattr(view, "one_click") and request.form.get("List-Unsubscribe") == "One-Click"


def give_origin(response: Response) -> Response:
    """Returns the page, with a referrer policy that sends its origin with its form, but not its address."""
    response.headers["Referrer-Policy"] = "strict-origin"
    return response


def check_said() -> None:
    """Checks that the browser says that this form comes from our page, as `give_origin` lets all of them do.

    For a form that opens a session only sometimes. Raises Forbidden.
    """
    if origin_own_other_or_unsaid(request, site().config.url) == "unsaid":
        raise Forbidden(_FORGED)


def check_origin() -> None:
    """Checks that this POST to a page is exempted or comes from our own page. Raises Forbidden."""
    if request.endpoint is None or is_one_click():
        return
    found = origin_own_other_or_unsaid(request, site().config.url)
    if found == "other" or (found == "unsaid" and request.endpoint in OPENS_SESSION):
        raise Forbidden(_FORGED)


def is_local_request() -> bool:
    """True if the request comes from this machine, names this machine, and passed no proxy.

    If a proxy forwarded it, the peer is the proxy, and the client may be anybody.
    """
    host, names = request.host, [name.lower() for name, _value in request.headers]
    name = host.rsplit(":", 1)[0] if not host.endswith("]") else host
    forwarded = any(one in ("forwarded", "via", "x-real-ip") or one.startswith("x-forwarded-") for one in names)
    return is_loopback(request.remote_addr or "") and is_loopback(name) and not forwarded
