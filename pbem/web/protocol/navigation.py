"""The navigation, which has the same entries in the same order on every page.

The number of matches that wait for the reader, and the initial of their name, take a statement. They stand on pages
that have read anyway who is signed in, but not on those of a link, nor on those that anybody may see of a match: these
cost what they cost without a session, and their ETags say nothing of other matches.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal, cast

from flask import Flask, g, request, session

from pbem.services.views import match_list
from pbem.web.protocol.assets import address_functions_below
from pbem.web.protocol.language import _
from pbem.web.protocol.page import site

Current = Literal["", "page", "true"]
"""Whether a page is that of an entry, or is one of those below it; as in `aria-current`."""
_OWN = ("preferences", "privacy", "records")


@dataclass(frozen=True)
class Entry:
    """A link of the navigation, with the number of matches that wait for the reader, which only one entry has."""

    href: str
    title: str
    current: Current = ""
    waiting: int = 0


@dataclass(frozen=True)
class Navigation:
    """The entries, and the one that is the reader's own: their preferences, or signing in. `initial` is of their name.

    `initial` is "" where it is not known who reads.
    """

    entries: list[Entry]
    own: Entry
    known: bool
    initial: str = ""


def _navigation(more: Mapping[str, tuple[str, Collection[str]]]) -> Navigation:
    """Returns the navigation of the page that is made, once for each request.

    `more` are entries of features by their endpoints: what each is called, and the blueprints of its pages.
    """
    if "navigation" in g:
        return cast(Navigation, g.navigation)
    known = "player" in session and "stranger" not in g
    may_count = "signed" in g and "failed" not in g and not {"token", "match_id"} & set(request.view_args or {})
    own = match_list.read_navigation(site(), g.signed) if may_count else None
    address = address_functions_below(request.script_root)["url_for"]
    home = "start.show_home" if known else "account.show_links_form"
    path, page = request.path, request.blueprint or ""
    # The first page of a stranger is about games, too.
    about_games = path.startswith(("/games/", "/new")) or (path == "/" and not known)
    entries = [
        Entry(address("start.show_games"), _("Play"), _entry_current("start.show_games", below=about_games)),
        Entry(address(home), _("Matches"), _entry_current(home), own.waiting if own else 0),
    ]
    for endpoint, (title, blueprints) in more.items():
        entries.append(Entry(address(endpoint), _(title), _entry_current(endpoint, below=page in blueprints)))
    title, endpoint = (
        (_("Preferences"), "preferences.show_preferences") if known else (_("Sign in"), "account.show_sign_up_form")
    )
    mine = Entry(address(endpoint), title, _entry_current(endpoint, below=known and page in _OWN))
    made = g.navigation = Navigation(entries, mine, known, own.initial if own else "")
    return made


def _entry_current(endpoint: str, *, below: bool = False) -> Current:
    return "page" if request.endpoint == endpoint else "true" if below else ""


def init_app(app: Flask, more: Mapping[str, tuple[str, Collection[str]]]) -> None:
    """Gives the templates the navigation, with these entries of features; see `_navigation`."""
    app.jinja_env.globals["navigation"] = partial(_navigation, more)
