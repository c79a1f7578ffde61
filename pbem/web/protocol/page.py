"""Renders a page: its template, the symbols that its drawings use, and the globals of all templates.

Its theme is light or dark as the browser prefers, unless the reader has chosen one in the footer. The choice is a
cookie, so the first byte of a page knows it and nothing flashes; it works without a script.

A match's page has an ETag: a repeated request gets 304 before anything is folded. The tag is made of what the page's
reader sees anyway: the seats, the open asks with their deadlines, the reader's own sealed answer, the number of log
entries, the last message, the links beside the board, the features that are on, whether somebody is signed in, and the
software's version. So it tells them nothing more, and changes when the page does, also by an upgrade.
"""

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import cache, partial
from typing import Any, Literal, cast
from urllib.parse import urlencode, urlsplit

from flask import Blueprint, Flask, Response, current_app, g, make_response, redirect, render_template, request, session
from markupsafe import Markup
from werkzeug.datastructures import MultiDict
from werkzeug.wrappers import Response as AnyResponse

from pbem.config import Config
from pbem.environment import is_loopback
from pbem.errors import N_, Invalid, NotFound, Problem, Unauthorized
from pbem.games import find_game
from pbem.kit.bots import bots_of
from pbem.kit.contract import AnyGame, Viewer
from pbem.kit.options import in_words
from pbem.kit.texts import Lang
from pbem.render import badges, i18n, phrases, pictures
from pbem.render.i18n import message_catalogue
from pbem.render.phrases import message_functions
from pbem.render.problems import lookalikes_warning, problem_sentence
from pbem.services.players import guests
from pbem.services.site import Site
from pbem.services.tokens import SEAT_CLAIMS, PlayerClaim, SeatClaim, SeatPurpose
from pbem.services.versions import digest_of_values
from pbem.services.views import seats
from pbem.services.views.match_views import Sheet
from pbem.services.views.seats import Seated
from pbem.web.protocol.assets import NIGHT, PAPER, address_functions_below, software_version
from pbem.web.protocol.language import _, page_language, speak

_SYMBOLS = "<!--symbols-->"
THEME_COOKIE = "theme"
_YEAR_S = 365 * 86_400

Theme = Literal["auto", "light", "dark"]
THEMES: tuple[Theme, ...] = ("auto", "light", "dark")

bp = Blueprint("theme", __name__)


def site() -> Site:
    """Returns the site that this application serves."""
    return cast(Site, current_app.extensions["pbem"])


def claim_of(token: str, purpose: SeatPurpose = "play") -> SeatClaim:
    """Returns the claim of a seat's link for this purpose. A guest's seat opens only in their own browser.

    Raises Unauthorized.
    """
    if purpose == "play" and (found := site().tokens.read_guest(token)) is not None:
        claim, guest = found
        if session.get("player") != guest:
            raise Unauthorized(N_("This seat opens only in the browser in which its match was begun."))
        note_visit()
        return claim
    return site().tokens.read(SEAT_CLAIMS[purpose], token)


def game_at(slug: str) -> AnyGame:
    """Returns the game that an address names by this slug. Raises NotFound."""
    game = find_game(slug)
    if game is None:
        raise NotFound(N_("There is no game “%(game)s” here."), {"game": slug[:40]})
    return game


def seat_of_link(token: str, purpose: SeatPurpose = "play") -> Seated:
    """Returns the seat of a link, and sets the page's language to its player's. Raises Unauthorized."""
    seated = seats.read_seat(site(), claim_of(token, purpose))
    speak(seated.language, guessed=not seated.has_settings)
    return seated


def note_visit() -> None:
    """Notes, once a day, that the browser of the guest whose session this is was here."""
    today = site().now().date().isoformat()
    if session.get("guest", today) != today:
        guests.note_visit(site(), PlayerClaim(session["player"], session["epoch"]))
        session["guest"] = today  # and the cookie is sent again, so that it lives for as long as the guest is kept


def number_in(field: str, digits: int = 9) -> int | None:
    """Returns the number in a hidden field of the form, which has at most this many digits; None for anything else."""
    typed = request.form.get(field, "")
    return int(typed) if typed.isascii() and typed.isdecimal() and len(typed) <= digits else None


def has_mailbox(config: Config) -> bool:
    """True if the mailbox page is served: mail stays here, and its links lead to this machine."""
    return config.uses_local_mailbox and is_loopback(urlsplit(config.url).hostname or "")


def page(
    template: str,
    *,
    game: AnyGame | None = None,
    boards_of: Sequence[AnyGame] = (),
    status: int = 200,
    refused: Problem | None = None,
    etag: str | None = None,
    **context: Any,
) -> Response:
    """Renders the page. The symbols used in it are defined at its beginning.

    `template` is the path of one of ours below `web`, or that of a feature, below `features`.
    `etag` is its tag, a weak one, since "3 days left" changes without being news; a refused form's answer has none.
    `boards_of` are other games than the page's own of which it shows boards.
    `refused` is the problem that prevented an action: the answer has its status, and its Retry-After. The template has
    it in words as `trouble`, which is None without one.
    """
    g.switchable = True
    trouble = problem_sentence(refused, page_language()) if refused else None
    path = template if template.startswith("features/") else f"web/{template}"
    html = render_template(path, **{"game": game, "trouble": trouble} | context)
    html = html.replace(_SYMBOLS, pictures.symbol_definitions(game, html, others=boards_of), 1)
    response = make_response(html, refused.status if refused else status)
    if refused is not None:
        g.refusal = refused.code
        if refused.retry_after is not None:
            response.headers["Retry-After"] = str(refused.retry_after)
    elif etag is not None:
        response.set_etag(etag, weak=True)
    return response


def this_page(**changed: str | None) -> str:
    """Returns this page's address with a changed query; None removes a parameter.

    That of the nearest page above for a page that only answers a form, and has no address of its own. A view that
    answers a form with a page that has one puts its path into `g.path`, and its query into `g.query`.
    """
    path: str = g.get("path", request.path)
    query: MultiDict[str, str] = MultiDict(g.get("query", request.args))
    if request.method not in ("GET", "HEAD") and (nearest := nearest_page(path)) != path:
        path, query = nearest, MultiDict()
    for name, value in changed.items():
        query.poplist(name)
        if value is not None:
            query[name] = value
    return address(path, query)


def nearest_page(path: str) -> str:
    """Returns the path if some route answers GET there, else the nearest such path above it."""
    routes = current_app.create_url_adapter(request)
    while path != "/" and not (routes and routes.test(path, "GET")):
        path = path.rpartition("/")[0] or "/"
    return path


def address(path: str, query: Mapping[str, Any]) -> str:
    """Returns the path with the query; commas are not escaped."""
    said = urlencode(list(query.items(multi=True) if isinstance(query, MultiDict) else query.items()), safe=",")
    return f"{path}?{said}" if said else path


def how_many(seats: Sequence[int]) -> str:
    """Returns the numbers of players of a game in words: "2", "3 or 4", "2 to 6"."""
    if len(seats) > 2 and list(seats) == list(range(seats[0], seats[-1] + 1)):
        return _("%(fewest)s to %(most)s", fewest=seats[0], most=seats[-1])
    if len(seats) == 1:
        return str(seats[0])
    return _("%(some)s or %(most)s", some=", ".join(map(str, seats[:-1])), most=seats[-1])


def how_long(game: AnyGame) -> str:
    """Returns how long a match of the game takes, in words, "5–6 days by email", or at a table if not measured."""
    days = [one.days for one in game.intro.lengths] if game.intro else []
    if not days:
        return _("about %(minutes)s minutes at a table", minutes=game.meta.minutes)
    words = message_catalogue(page_language()).ngettext("%(days)s day by email", "%(days)s days by email", max(days))
    return words % {"days": span(days)}


def span(numbers: Sequence[int]) -> str:
    """Returns from which to which these numbers are: "5–6", or the only one."""
    return "–".join(map(str, sorted({min(numbers), max(numbers)})))


def form_version(*values: object, entered: bool = False) -> str:
    """Returns the version of a form of these values; that which came with it if it shows what was `entered` again."""
    return (request.form.get("version") if entered else None) or digest_of_values(*values)


def settings(sheet: Sheet) -> list[tuple[str, str]]:
    """Returns the options of a match in words, the choices as they go on after a colon."""
    lang = page_language()
    chosen = [(title[lang], choice[lang]) for title, choice in in_words(sheet.game.meta, sheet.options)]
    return [(title, choice[:1].lower() + choice[1:]) for title, choice in chosen]


def init_app(app: Flask, config: Config) -> None:
    """Gives the templates what they call, and what depends on who opens the page."""
    app.jinja_env.globals.update(
        {
            "this_page": this_page,
            "source": config.source,
            "paper": PAPER,
            "night": NIGHT,
            "symbols_go_here": _SYMBOLS,
            "badge": badges.badge_picture,
            "said": phrases.phrase_html,
            "bots_of": bots_of,
            "how_many": how_many,
            "how_long": how_long,
            "span": span,
            "timedelta": timedelta,
            "once": partial(secrets.token_hex, 16),
            "form_version": form_version,
            "uses_local_mailbox": has_mailbox(config),
            "settings": settings,
        }
    )
    app.context_processor(_reader_variables)


def _reader_variables() -> dict[str, Any]:
    """Returns what a page, and the parts of it that features render, know of who reads it."""
    if "of_reader" in g:
        return cast(dict[str, Any], g.of_reader)
    known = variables_in(page_language()) | address_functions_below(request.script_root)
    g.of_reader = known | {"other_href": this_page(lang=known["other_lang"]), "theme": page_theme()}
    return cast(dict[str, Any], g.of_reader)


@cache
def variables_in(lang: Lang) -> dict[str, Any]:
    """Returns what the templates of all pages in a language know."""
    gettext = message_catalogue(lang).gettext
    return message_functions(partial(message_catalogue, lang), Markup) | {
        "lang": lang,
        "other_lang": "en" if lang == "fr" else "fr",
        "themes": [("auto", gettext("Auto")), ("light", gettext("Light")), ("dark", gettext("Dark"))],
        "cover": partial(pictures.cover_svg, lang=lang),
        "join_and": partial(i18n.join_and, lang=lang),
        "moment": partial(i18n.moment, lang=lang),
        "short_moment": partial(i18n.short_moment, lang=lang),
        "day_and_time": partial(i18n.day_and_time, lang=lang),
        "zone_name": partial(i18n.zone_name, lang=lang),
        "time_left": partial(i18n.time_left, lang=lang),
        "length": partial(i18n.duration_in_words, lang=lang),
        "rating_range": lambda rating: i18n.rating_text(rating.value, rating.plus_minus, lang),
        "level_of": partial(i18n.bot_level, lang=lang),
        "title_of": partial(i18n.bot_title, lang=lang),
        "manner_of": partial(i18n.bot_manner, lang=lang),
        "alike": lambda sheet: [lookalikes_warning(sheet.names, seats, lang) for seats in sheet.alike],
    }


def page_theme() -> Theme:
    """Returns the theme that the reader has chosen; "auto" for none."""
    wish = request.cookies.get(THEME_COOKIE)
    return wish if wish in THEMES else "auto"


@bp.post("/theme")
def choose() -> AnyResponse:
    """Keeps the theme in a cookie, and leads back to the page with the footer. Raises Invalid."""
    wish = request.form.get("theme", "")
    if wish not in THEMES:
        raise Invalid(N_("There is no such theme."))
    back = request.form.get("back", "")
    parts = urlsplit(back)
    own = back.startswith("/") and back.isprintable() and "\\" not in back and not parts.netloc and not parts.scheme
    response = redirect(back if own and not back.startswith("//") else "/", 303)
    if wish == "auto":
        response.delete_cookie(THEME_COOKIE, samesite="Lax")
    else:
        response.set_cookie(THEME_COOKIE, wish, _YEAR_S, secure=request.is_secure, httponly=True, samesite="Lax")
    return response


def tag_of(sheet: Sheet, viewer: Viewer, said: int = 0, sidebar: object = None) -> str:
    """Returns the tag of the match's page for this viewer.

    `said` is the number of the last message they may read, `sidebar` what is shown beside the board.
    """
    facts = (
        software_version(), site().config.features, page_language(), page_theme(), "player" in session, viewer,
        sheet.id, sheet.status, sheet.sealed, sheet.cancelled, sheet.version, said, sidebar, sheet.takeback,
        sheet.seats, sheet.asks,
    )  # fmt: skip
    return hashlib.sha256(repr(facts).encode()).hexdigest()[:24]


def unless_known(tag: str) -> Response | None:
    """Returns 304 if the reader has the page of this tag; else None: it has to be made."""
    if not request.if_none_match.contains_weak(tag):
        return None
    response = Response(status=304)
    response.set_etag(tag, weak=True)
    return response
