"""The theme of the pages: light or dark as the browser prefers, unless the reader has chosen one in the footer.

The choice is a cookie, so the first byte of a page knows it and nothing flashes; it works without a script. The values
of dark mode stand once, in `dark.css`; the theme decides for which browsers a page links that sheet.
"""

from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from flask import Blueprint, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from pbem.errors import N_, Invalid
from pbem.web.protocol.assets import NIGHT, PAPER

COOKIE = "theme"
_YEAR_S = 365 * 86_400

Theme = Literal["auto", "light", "dark"]
THEMES: tuple[Theme, ...] = ("auto", "light", "dark")

bp = Blueprint("theme", __name__)


@dataclass(frozen=True)
class Scheme:
    """What a page's head says about its colours."""

    schemes: str
    """The content of `<meta name="color-scheme">`: which colours the browser's own controls have."""
    dark_for: str | None
    """The media for which `dark.css` is linked; None: it is not."""
    grounds: tuple[tuple[str, str | None], ...]
    """The colours of the browser's bar, each with its media; None: for all."""


SCHEMES: dict[Theme, Scheme] = {
    "auto": Scheme(
        "light dark",
        "(prefers-color-scheme: dark)",
        ((PAPER, "(prefers-color-scheme: light)"), (NIGHT, "(prefers-color-scheme: dark)")),
    ),
    "light": Scheme("light", None, ((PAPER, None),)),
    "dark": Scheme("dark", "all", ((NIGHT, None),)),
}


def page_theme() -> Theme:
    """Returns the theme that the reader has chosen; "auto" for none."""
    wish = request.cookies.get(COOKIE)
    return wish if wish in THEMES else "auto"


@bp.post("/theme")
def choose() -> AnyResponse:
    """Keeps the theme in a cookie, and leads back to the page with the footer. Raises Invalid."""
    wish = request.form.get("theme", "")
    if wish not in THEMES:
        raise Invalid(N_("There is no such theme."))
    response = redirect(_own_path(request.form.get("back", "")), 303)
    if wish == "auto":
        response.delete_cookie(COOKIE, samesite="Lax")
    else:
        response.set_cookie(COOKIE, wish, _YEAR_S, secure=request.is_secure, httponly=True, samesite="Lax")
    return response


def _own_path(back: str) -> str:
    """Returns the address if it is one of this site without its name, else that of the home page."""
    parts = urlsplit(back)
    own = back.startswith("/") and back.isprintable() and "\\" not in back and not parts.netloc and not parts.scheme
    return back if own and not back.startswith("//") else "/"
