"""The page after the form of a new match: the mail that its organiser confirms it with, and the same mail once more.

A cookie says which match the browser has started. It opens nothing: it names the address that was typed, and asks for
that mail again. A link would do as much wherever it is passed on.
"""

from flask import Blueprint, Response, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from pbem.errors import Problem, Unauthorized
from pbem.services.lobby import reminding
from pbem.services.lobby.reminding import Sent
from pbem.services.players.players import checked_address
from pbem.services.tokens import SentClaim, unknown_link
from pbem.web.protocol.page import number_in, page, site
from pbem.web.protocol.sign_in import known_player

bp = Blueprint("sent", __name__)

COOKIE = "sent"


def lead_to_page(match_id: str, address: str) -> AnyResponse:
    """Returns the redirect to the page, with the cookie that names the match."""
    response = redirect(url_for("sent.show"), 303)
    token = site().tokens.sign_for(SentClaim, match_id, checked_address(address)[1])
    secure = site().config.url.startswith("https:")
    response.set_cookie(COOKIE, token, path=url_for("sent.show"), secure=secure, httponly=True, samesite="Lax")
    return response


def _claim() -> SentClaim:
    return site().tokens.read(SentClaim, request.cookies.get(COOKIE, ""))


def _read() -> Sent | None:
    try:
        return reminding.read_sent(site(), _claim())
    except Unauthorized:
        return None


@bp.get("/new/sent")
def show() -> Response:
    """Says where the mail went."""
    return _page()


def _page(trouble: Problem | None = None) -> Response:
    return page(
        "lobby/sent.html", refused=trouble,
        sent=_read(), now=site().now(), again="done" in request.args and not trouble,
    )  # fmt: skip


@bp.post("/new/sent")
def send_again() -> AnyResponse:
    """Sends the mail once more; pressed twice, it leaves once."""
    number = number_in("number", 2)
    try:
        if number is None:
            raise unknown_link()
        reminding.send_again(site(), _claim(), number, browser=known_player())
    except Problem as problem:
        return _page(problem)
    return redirect(url_for("sent.show", done="again"), 303)
