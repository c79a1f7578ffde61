"""Shows errors as friendly pages: what happened, and where to go from here.

Here is also which pages are capped per network, since what is too much is such an error.
"""

from collections.abc import Callable
from functools import wraps
from typing import TypeVar, cast

import structlog
from flask import Flask, Response, g, redirect, request
from flask_wtf.csrf import CSRFError
from werkzeug.exceptions import HTTPException

from pbem.errors import N_, NoMatch, Problem, Unauthorized
from pbem.limits import JOINS, Account, Limit, matches
from pbem.render.problems import problem_sentence
from pbem.services.tokens import SeatPurpose
from pbem.services.views import match_views
from pbem.web.protocol.language import _, page_language
from pbem.web.protocol.page import claim_of, nearest_page, page, site
from pbem.web.protocol.security import keep_private

log = structlog.get_logger()

_Error = TypeVar("_Error", bound=Exception)
_Answer = TypeVar("_Answer")

_PURPOSES: tuple[SeatPurpose, ...] = ("play", "invitation", "confirm", "mute", "orders")
_SAID = {
    400: N_("This request cannot be read. Please go back and try again."),
    404: N_("There is nothing at this address."),
    405: N_("This address does not take this kind of request. Please go back and try again."),
    413: N_("That was too large. Please go back and send less."),
    429: N_("Too many requests. Please wait a moment."),
}


# Needs no template, no catalogue and no style sheet: it is shown when one of them cannot be read.
_BARE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>pbem</title>
</head>
<body>
<main>
<p lang="fr">Une erreur s’est produite de notre côté. Réessayez dans un moment.</p>
<p>Something went wrong on our side. Please try again in a moment.</p>
</main>
</body>
</html>
"""


def init_app(app: Flask) -> None:
    """Shows every problem outside the API as a page."""
    app.register_error_handler(Problem, problem_page)
    app.register_error_handler(CSRFError, _answer_forged)
    app.register_error_handler(HTTPException, _answer_http)
    app.register_error_handler(Exception, _with_answer_if_handler_fails(_answer_unexpected))


def _with_answer_if_handler_fails(show: Callable[[_Error], _Answer]) -> Callable[[_Error], _Answer | Response]:
    """Lets the handler answer whatever happens: an error in it would close the connection without a word."""

    @wraps(show)
    def answer(error: _Error) -> _Answer | Response:
        try:
            return show(error)
        except Exception as failure:
            why, where = type(error).__name__, request.endpoint
            log.error("page.unrendered", endpoint=where, method=request.method, problem=why, exc_info=failure)
            away = error if isinstance(error, Problem) and error.status > 500 else None
            response = Response(_BARE, away.status if away else 500)
            if away and away.retry_after is not None:
                response.headers["Retry-After"] = str(away.retry_after)
            return response

    return answer


@_with_answer_if_handler_fails
def problem_page(problem: Problem) -> Response:
    """Renders the problem in words, with its status and when to try again."""
    match = _match_of_expired_link() if problem.status < 500 else None
    return _render_error(problem.status, problem_sentence(problem, page_language()), match, problem)


@_with_answer_if_handler_fails
def _answer_forged(error: CSRFError) -> Response:
    text = _("This form was open for too long. Please go back, load the page again and send it once more.")
    return _render_error(400, text, None)


@_with_answer_if_handler_fails
def _answer_http(error: HTTPException) -> Response | HTTPException:
    if error.code is None or error.code < 400 or error.response is not None:
        return error
    if error.code >= 500:
        return _answer_unexpected(error)
    if error.code == 405 and request.method in ("GET", "HEAD"):
        # A reader who opens again the address to which a form was sent, once the answer to it has shown it.
        keep_private()
        return cast(Response, redirect(nearest_page(request.path), 303))
    response = _render_error(error.code, _(_SAID.get(error.code, _SAID[400])), None)
    for name, value in error.get_headers():
        if name == "Allow":
            response.headers[name] = value
    return response


def _answer_unexpected(error: Exception) -> Response:
    # The path may hold a token; the endpoint's name cannot.
    log.error("page.failed", endpoint=request.endpoint, method=request.method, exc_info=error)
    # The match is not looked up: what has just failed may be the database.
    return _render_error(500, _("Please try again in a moment."), None)


def _render_error(status: int, text: str, match: str | None, problem: Problem | None = None) -> Response:
    title = {
        401: _("This link does not open anything"),
        404: _("Nothing here"),
        500: _("Something went wrong on our side"),
    }
    heading = title.get(status, _("That did not work"))
    lost = isinstance(problem, (Unauthorized, NoMatch))
    g.failed = True  # nothing more is read for this page
    return page("error.html", status=status, refused=problem, title=heading, text=text, lost=lost, match=match)


def _match_of_expired_link() -> str | None:
    """Returns the match that an expired link was for, if everybody may see its page.

    Never raises: it only adds to a page about another problem, and that page must be shown.
    """
    token = (request.view_args or {}).get("token")
    if token is None:
        return None
    for purpose in _PURPOSES:
        try:
            claim = claim_of(token, purpose)
            sheet = match_views.read_sheet(site(), claim.match_id, None)
        except Unauthorized:
            continue
        except Problem:
            return None
        except Exception as error:
            log.error("page.match_unread", endpoint=request.endpoint, exc_info=error)
            return None
        return sheet.id if sheet.status in ("running", "over") else None
    return None


LINKS_PER_HOUR = 20
"""How often one place may ask for links: more than a household needs, less than it takes to try many addresses."""

LINKS = Account(
    "links", LINKS_PER_HOUR, N_("Links were requested too often from your network within the hour. Please wait.")
)

DATA = Account("data", 30, N_("Data was downloaded too often from your network within the hour. Please wait."))


LIMITS = (
    Limit("start.create_match", matches),
    Limit("start.play_now", matches),
    Limit("vacancies.ask_for_seat", JOINS),
    Limit("account.send_links", LINKS),
    Limit("account.sign_up", LINKS),
    Limit("account.send_links_to_seat", LINKS),
    Limit("privacy.download_data", DATA),
    Limit("privacy.ask_address_change", LINKS),  # a guest is new whenever they like
)
"""Those of pages that send mail to any address, and of those that are expensive."""
