"""The language of a page: that of ?lang=, else of the cookie, the player, the browser, else French.

The browser comes before a player who has never chosen theirs, such as somebody who is invited for the first time.
"""

from typing import Any, cast

from flask import Flask, Response, g, request
from werkzeug.wrappers import Response as AnyResponse

from pbem.kit.texts import LANGS, Lang
from pbem.render.i18n import language_of_wishes, message_catalogue
from pbem.render.phrases import install_messages

COOKIE = "lang"
_YEAR_S = 365 * 86_400


def init_app(app: Flask) -> None:
    """Gives the templates their translations."""
    install_messages(app.jinja_env, lambda: message_catalogue(page_language()))


def page_language() -> Lang:
    """Returns the language of the current page."""
    return cast(Lang, g.get("lang", LANGS[0]))


def _(message: str, **facts: Any) -> str:
    """Returns the message in the language of the current page."""
    text = message_catalogue(page_language()).gettext(message)
    return text % facts if facts else text


def speak(own: str | None, *, guessed: bool = False) -> None:
    """Sets the language once the reader is known; a choice made on the page takes precedence over theirs.

    `guessed`: they have never chosen theirs, so it counts only if their browser wants none that we speak.
    """
    browser = language_of_wishes(request.accept_languages)
    last = (browser, own) if guessed else (own, browser)
    for wish in (request.args.get("lang"), request.cookies.get(COOKIE), *last):
        if wish in LANGS:
            g.lang = wish
            return
    g.lang = LANGS[0]


def remember_choice(response: Response) -> None:
    """Keeps the language that the address of a page asks for in the cookie."""
    wish = request.args.get("lang")
    if wish in LANGS and request.method in ("GET", "HEAD"):
        _set_language_cookie(response, wish)


def remember_language(response: AnyResponse, language: str) -> AnyResponse:
    """Returns the answer to a form with a language field, which replaces the choice in the cookie."""
    if COOKIE in request.cookies:
        _set_language_cookie(response, language)
    return response


def _set_language_cookie(response: AnyResponse, language: str) -> None:
    if request.cookies.get(COOKIE) != language:
        secure = request.is_secure
        response.set_cookie(COOKIE, language, _YEAR_S, secure=secure, httponly=True, samesite="Lax")
