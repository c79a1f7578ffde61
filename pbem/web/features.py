"""Pages of features: a feature has a module `pages` with these names, those that it needs.

PARTS        its blueprints
LIMITS       its rate limits, each a `Limit` of `pbem.limits`
NAV          its entries in the navigation of all pages: pairs of an endpoint and of what it is called, marked by `N_`.
             Strangers see them, too
bodies       returns for the settings which addresses take a larger body: by their path, of how many bytes, and
             whether it may come with this `Authorization`
SCOPES       what a program may do with it by a token: by the token's scope, words marked by `N_`

and functions that return the `Parts` which it adds to a page of the core, called with what the page shows:

seat_page(seated, view, token)    the page of this seat, and of the match as it sees it, which this play link opens
replay_page(replay)               the page of this `ReplayPage`
home_page(player)                 the start page of this player, who may be a guest
games_page()                      the list of the games
game_page(game)                   the page of this game, and each place that offers it to a stranger
offer_page(game)                  the page that offers somebody a seat at this game: its link opens no seat yet
preferences_page(player)          the preferences of this player, who has an address
head(shown)                       a page for everybody, about the match of a `Sheet`, a `ReplayPage`, or a game, on its
                                  page and that of its rules; None: the start page of a stranger
result_page(view, step_href)      the page of a match that is over, as a viewer has this `View` of it; `step_href` gives
                                  the address of a step of their replay
mail_page(mail)                   the page of this mail in the mailbox of this machine
match_form(player, game, others)  the form for a match of the game; `others` is who else plays. The player is None for a
                                  stranger and for a guest

While a feature is off, its addresses answer 410, and nothing of it is on other pages.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from flask import Flask, Response, current_app, render_template, request
from jinja2 import ChoiceLoader, FileSystemLoader, PrefixLoader, TemplateNotFound
from markupsafe import Markup

from pbem import limits
from pbem.config import Config
from pbem.discovery import TEMPLATES, attributes_of_features, folder_of_package, packages_of_features
from pbem.errors import NotOffered, Problem
from pbem.kit.contract import AnyGame
from pbem.kit.texts import Lang
from pbem.limits import Limit
from pbem.services.views.match_views import Sheet
from pbem.services.views.replays import MatchReplay
from pbem.web.protocol import navigation
from pbem.web.protocol.errors import problem_page
from pbem.web.protocol.language import _, page_language
from pbem.web.protocol.page import site, variables_in
from pbem.web.protocol.security import is_one_click


@dataclass(frozen=True)
class Parts:
    """What a feature adds to a page, at the places that this page has.

    On that of a seat `under_bar` stands under the bar of a move that was just played. In its menu `beside_rules` are
    `<li>` after the link to the rules, `beside_orders` after that to its orders, and `links` are `<li>` further down.
    On that of a replay `under_board` stands under the controls, `under_story` under the story, and `links` are `<a>`
    at the end of those in between. `scripts` are names of static files, which every state of either page loads.

    `head` stands in the head of a page for everybody. On that of a match that is over `sections` are beside the board.
    On the start page of a player, and on that of their preferences, `sections` stand among the page's own; `links` are
    `<a>` beside the matches that are over, and `<a class="ctl">` at the top. The latter has `programs` beside what
    programs may do. The list of the games has `links`, `<a>`, below it. On the page of a game, and on one that offers a
    seat at it, `links` are `<a class="ctl">` beside the ways to play it. On the page for a new match `above_form`
    stands above the form.
    """

    head: Markup = field(default_factory=Markup)
    under_bar: Markup = field(default_factory=Markup)
    beside_rules: Markup = field(default_factory=Markup)
    beside_orders: Markup = field(default_factory=Markup)
    links: Markup = field(default_factory=Markup)
    under_board: Markup = field(default_factory=Markup)
    under_story: Markup = field(default_factory=Markup)
    sections: Markup = field(default_factory=Markup)
    programs: Markup = field(default_factory=Markup)
    above_form: Markup = field(default_factory=Markup)
    scripts: tuple[str, ...] = ()


@dataclass(frozen=True)
class ReplayPage:
    """A replay as its page shows it: at the step `at`, counted from 1, for what its address or a refused form `said`.

    `seat` and `token` are those of the reader, whose play link opens the page; None if anybody may open it. `refused`
    is why that form was refused.
    """

    seen: MatchReplay
    at: int
    said: Mapping[str, str]
    seat: int | None = None
    token: str | None = None
    refused: Problem | None = None


def parts_of(name: str, *shown: object) -> list[Parts]:
    """Returns what the features that are on add to the page of this name, for what it shows: see this module."""
    return [add(*shown) for add in attributes_of_features("pages", name, site().config.features)]


def head_of(shown: Sheet | ReplayPage | AnyGame | None) -> Markup:
    """Returns what features put into the head of a page for everybody, which is about this."""
    return Markup().join(part.head for part in parts_of("head", shown))


def ways_into(game: AnyGame, name: str = "game_page") -> Markup:
    """Returns the links by which features lead into this game, for the page of this name."""
    return Markup().join(part.links for part in parts_of(name, game))


def also_may(scope: str) -> list[str]:
    """Returns what a token of this scope allows with each of the features that are on, in words."""
    words = attributes_of_features("pages", "SCOPES", site().config.features)
    return [_(one[scope]) for one in words if scope in one]


def menu_entry(href: str, words: str) -> Markup:
    """Returns an entry of the menu on the page of a seat."""
    return Markup('<li><a href="{}">{}</a></li>').format(href, words)


def macros_of(template: str) -> Any:
    """Returns the macros of a feature's template in the language of the page, of which they know nothing else."""
    return current_app.jinja_env.get_template(template).make_module(variables_in(page_language()))


def rendered(template: str, **context: Any) -> Markup:
    """Returns a feature's template, which has the globals of all templates, as a part of a page."""
    return Markup(render_template(template, **context).strip())  # noqa: S704  # escaped by the template


def sections(place: str, lang: Lang, names: tuple[str, ...]) -> str:
    """Returns what these features say at a place of a text, in Markdown: their templates `<place>.<lang>.md`."""
    return "\n".join(filter(None, (_template_text(f"features/{name}/{place}.{lang}.md") for name in names)))


def _template_text(template: str) -> str:
    """Returns the text of a template; none if there is no such template."""
    env = current_app.jinja_env
    try:
        return env.loader.get_source(env, template)[0] if env.loader is not None else ""
    except TemplateNotFound:
        return ""


def larger_bodies(config: Config) -> dict[str, tuple[int, Callable[[str], bool]]]:
    """Returns the paths at which a larger body may come, of how many bytes, and with which `Authorization`."""
    found = attributes_of_features("pages", "bodies", config.features)
    return {path: most for bodies in found for path, most in bodies(config).items()}


def init_app(app: Flask, config: Config) -> None:
    """Adds the pages of all features, and their templates; those of features that are off, and their files, answer 410.

    Call this once the language is set.
    """
    own = {
        name: FileSystemLoader(folder_of_package(package) / "templates")
        for name, package in packages_of_features().items()
    }
    app.jinja_loader = ChoiceLoader([FileSystemLoader(TEMPLATES), PrefixLoader({"features": PrefixLoader(own)})])
    for blueprint in _items_in_page_attributes("PARTS", tuple(packages_of_features())):
        app.register_blueprint(blueprint)
    limits.cap(app, config, _items_in_page_attributes("LIMITS", config.features), problem_page)
    app.jinja_env.globals["ways_into"] = ways_into
    navigation.init_app(app, _navigation_entries(config))
    off = tuple(name for name in packages_of_features() if name not in config.features)
    blueprints = {blueprint.name for blueprint in _items_in_page_attributes("PARTS", off)}
    capped: list[Limit] = _items_in_page_attributes("LIMITS", off)
    answers = {limit.endpoint: limit.refuse for limit in capped if limit.refuse}
    files = tuple(f"features/{name}/" for name in off)

    def refuse_if_off() -> Response | None:
        asked = request.endpoint or ""
        if is_one_click():
            return None  # less mail is had at any time
        file = (request.view_args or {}).get("name", "") if asked == "assets.serve_static_file" else ""
        if request.blueprint in blueprints or file.startswith(files):
            return answers.get(asked, problem_page)(NotOffered())
        return None

    if off:
        app.before_request(refuse_if_off)


def _navigation_entries(config: Config) -> dict[str, tuple[str, list[str]]]:
    """Returns the entries in the navigation by their endpoints, with the blueprints of the features that have them."""
    entries = dict[str, tuple[str, list[str]]]()
    for feature in packages_of_features():
        if feature in config.features:
            blueprints = [one.name for one in _items_in_page_attributes("PARTS", (feature,))]
            entries |= {
                endpoint: (title, blueprints) for endpoint, title in _items_in_page_attributes("NAV", (feature,))
            }
    return entries


def _items_in_page_attributes(what: str, names: tuple[str, ...]) -> list[Any]:
    """Returns all that these features have in what their pages call this."""
    return [one for found in attributes_of_features("pages", what, names) for one in found]
