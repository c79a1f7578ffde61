"""In which language a page speaks: ?lang=, else the cookie, else the player's own, else the browser's, else French."""

from typing import Any, cast

from flask import Flask, Response, g, request
from werkzeug.wrappers import Response as AnyResponse

from pbem.render.i18n import LANGS, Lang, translator

COOKIE = "lang"
_YEAR_S = 365 * 86_400


def init_app(app: Flask) -> None:
    """Gives every request a language, and templates the texts in it."""
    app.before_request(_choose)
    app.after_request(_remember)
    app.jinja_env.add_extension("jinja2.ext.i18n")
    app.jinja_env.install_gettext_callables(  # type: ignore[attr-defined]  # by the extension
        lambda message: translator(spoken()).gettext(message),
        lambda one, many, n: translator(spoken()).ngettext(one, many, n),
        newstyle=True,
    )


def spoken() -> Lang:
    """The language of the page that is being made."""
    return cast(Lang, g.get("lang", LANGS[0]))


def _(message: str, **facts: Any) -> str:
    """The message in the language of the page that is being made."""
    text = translator(spoken()).gettext(message)
    return text % facts if facts else text


def _choose() -> None:
    speak(None)


def speak(own: str | None) -> None:
    """Settles the language, now that the reader's own is known; what he chose on the page goes before it."""
    for wish in (request.args.get("lang"), request.cookies.get(COOKIE), own):
        if wish in LANGS:
            g.lang = wish
            return
    g.lang = request.accept_languages.best_match(LANGS, LANGS[0])


def _remember(response: Response) -> Response:
    wish = request.args.get("lang")
    if wish in LANGS and g.get("switchable") and request.method in ("GET", "HEAD"):
        _keep(response, wish)
    return response


def switchable() -> None:
    """Says that the answer is a page with the switch on it, so that its language is kept; nothing else's is."""
    g.switchable = True


def settle(response: AnyResponse, language: str) -> AnyResponse:
    """The answer to a form in which the reader picked his language: an older choice in a cookie gives way."""
    if COOKIE in request.cookies:
        _keep(response, language)
    return response


def _keep(response: AnyResponse, language: str) -> None:
    if request.cookies.get(COOKIE) != language:
        secure = request.is_secure
        response.set_cookie(COOKIE, language, _YEAR_S, secure=secure, httponly=True, samesite="Lax")
