"""The orders of a seat: those that stand, the form for one more, what they have done; and the page of all that.

Nobody but the seat's owner is shown any of it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from flask import Response, g, request, url_for
from markupsafe import Markup
from werkzeug.datastructures import MultiDict

from pbem.errors import N_, Gone, Illegal, Problem
from pbem.kit.contract import AnyGame, Order
from pbem.kit.orders.forms import (
    Input,
    Unfit,
    ask_kinds_allowing_list_orders,
    inputs_of,
    make_order,
    rule_with_word,
    scope_proposal,
    scopes_of_game,
)
from pbem.kit.orders.shapes import Line
from pbem.kit.orders.typed import format_order, tell_order
from pbem.kit.replay import fold_for_viewer
from pbem.kit.texts import Lang
from pbem.render import phrases
from pbem.render.i18n import message_catalogue
from pbem.render.problems import problem_sentence
from pbem.services.play import order_checks, ordering
from pbem.services.views import match_views, seats
from pbem.services.views.match_views import View, WholeView
from pbem.services.views.seats import Seated
from pbem.web.play.beside import next_match
from pbem.web.protocol.language import _, page_language, speak
from pbem.web.protocol.page import claim_of, page, site

TYPED = "typed"
"""The form in which an order is typed."""
PREFIX = "v-"
"""What the names of a form's own fields begin with, so that none of them is that of a field of every form."""
LIST = N_("A list of answers")
Ways = tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
SCOPE_WORDS = {
    "question": N_("for one question only"),
    "turn": N_("for one turn"),
    "round": N_("until the end of this round"),
    "match": N_("until I stop it"),
}


@dataclass(frozen=True)
class Entered:
    """What is entered into a form; `word` names the form: a rule's word, a kind of question, or `TYPED`."""

    word: str
    values: Mapping[str, Sequence[str]] = field(default_factory=dict)


def read_order_form(form: MultiDict[str, str]) -> Entered:
    """Returns what the sent form says."""
    values = {name.removeprefix(PREFIX): found for name, found in form.lists()}
    return Entered(form.get("form", ""), values)


@dataclass(frozen=True)
class Told:
    """What the entered order will do and its typed form; or else what is wrong, at which field, and by which rule."""

    says: Markup | None = None
    text: str = ""
    why: str = ""
    field: str = ""
    rule: str = ""
    rule_page: str = ""


@dataclass(frozen=True)
class Form:
    """An open form. `given` are the values in its fields, `told` is None until something was entered."""

    word: str
    title: str
    question: str
    inputs: tuple[Input, ...]
    given: Mapping[str, Sequence[str]]
    scopes: list[tuple[str, str]]
    guards: list[tuple[str, str]]
    window: bool
    told: Told | None


@dataclass(frozen=True)
class Panel:
    """What a seat is shown of its orders: each in a sentence and as it is typed, and the forms for more.

    `groups` are the forms by the question that they answer, in order: its title, and the title and word of each form.
    `form` is the open one, in `typed` if an order is typed there.
    """

    standing: list[tuple[Markup, str]]
    groups: Ways
    form: Form | None
    typed: Form | None
    version: int
    window: bool
    """Whether the game has questions for which silent windows open."""


DONE = {
    "ordered": N_("Order saved."),
    "answered": N_("Order saved. The question was open by now: your order has answered it."),
    "stopped": N_("Order stopped."),
    "all_stopped": N_("All your orders are stopped."),
}


def orders_panel(seated: Seated, view: WholeView, token: str, entered: Entered | None = None) -> Panel | None:
    """Returns the orders of the seat for its owner; None where none can be followed any more, or yet."""
    sheet = seated.sheet
    if view.fold is None or sheet.status not in ("running", "paused") or sheet.has_resigned(seated.seat):
        return None
    standing = []
    if seated.orders:
        found = ordering.read_orders(site(), claim_of(token))
        told = zip(found.orders, found.says(page_language()), strict=True)
        standing = [(view.markup(says), format_order(order, found.game)) for order, says in told]
    entered = entered or (Entered(request.args["order"]) if "order" in request.args else None)
    form = _open_form(view, seated.seat, entered) if entered is not None and sheet.status == "running" else None
    groups = _forms_by_question(view.game, page_language()) if sheet.status == "running" else ()
    form, typed = (None, form) if form is not None and form.word == TYPED else (form, None)
    window = view.game.meta.has_windows
    return Panel(standing, groups, form, typed, sheet.version, window)


def tell_entered_order(view: WholeView, seat: int, entered: Entered) -> Told:
    """Returns what the entered order will do if it is saved now, or why it cannot be."""
    try:
        order = make_entered_order(view, seat, entered)
    except Unfit as unfit:
        return Told(why=unfit.why[page_language()], field=unfit.field)
    except Problem as problem:
        rule = problem.extra if isinstance(problem, Illegal) else {}
        said, page = problem_sentence(problem, page_language()), rule.get("rule_page", "")
        return Told(why=said, field="text" if entered.word == TYPED else "", rule=rule.get("rule", ""), rule_page=page)
    seen = fold_for_viewer(view.game, view.entries, None) if isinstance(order, Line) else None
    said = tell_order(order, view.game, page_language(), seen)
    return Told(view.markup(said), format_order(order, view.game))


def make_entered_order(view: View, seat: int, entered: Entered) -> Order:
    """Returns the entered order, if it can be saved. Raises Unfit, and as `order_checks.read_and_check_order` does."""
    if entered.word == TYPED:
        return order_checks.read_and_check_order(
            view.game, view.fold, seat, next(iter(entered.values.get("text", ())), "")
        )
    order = make_order(entered.word, entered.values, view.game, view.fold, seat)
    return order_checks.read_and_check_order(view.game, view.fold, seat, format_order(order, view.game))


@cache
def _forms_by_question(game: AnyGame, lang: Lang) -> Ways:
    lists, groups = ask_kinds_allowing_list_orders(game.meta), []
    for kind, ask in game.meta.asks.items():
        forms = [(rule.title[lang], rule.word) for rule in game.meta.orders if kind in rule.asks]
        forms += [(message_catalogue(lang).gettext(LIST), kind)] if kind in lists else []
        if forms:
            groups.append((ask.title[lang], tuple(forms)))
    return tuple(groups)


def _open_form(view: WholeView, seat: int, entered: Entered) -> Form | None:
    """Returns the form that is open; None if the game has no such form."""
    meta, lang, word = view.game.meta, page_language(), entered.word
    told = tell_entered_order(view, seat, entered) if entered.values else None
    if word == TYPED:
        return Form(word, "", "", (), entered.values, [], [], False, told)
    rule = rule_with_word(meta, word)
    if rule is None and word not in ask_kinds_allowing_list_orders(meta):
        return None
    kinds = rule.asks if rule else (word,)
    window = any(meta.asks[kind].window for kind in kinds)
    return Form(
        word, rule.title[lang] if rule else _(LIST), meta.asks[kinds[0]].title[lang],
        inputs_of(word, view.game, view.fold, seat, lang),
        {"scope": [scope_proposal(word, view.game, view.fold, seat)], **entered.values},
        [(scope, _(SCOPE_WORDS[scope])) for scope in scopes_of_game(meta)],
        [] if window else [(guard, kind.text[lang]) for guard, kind in meta.guards.items()],
        window, told,
    )  # fmt: skip


# --- what they have done -----------------------------------------------------------------------------------------


def order_news(seated: Seated, view: View, token: str) -> tuple[list[Markup], list[Markup]] | None:
    """Returns what the seat's orders have answered, and what they have left to their owner; None without any news."""
    if not seated.orders_news or view.fold is None:
        return None
    news = ordering.read_orders(site(), claim_of(token)).news
    seen = view if ordering.view_covers_news(view, news) else match_views.read_whole(site(), view)
    found = ordering.news_in_words(seen, news, page_language())
    if not found.answered and not found.left:
        return None
    return [view.markup(line) for line in found.answered], [view.markup(line) for line in found.left]


# --- their page --------------------------------------------------------------------------------------------------


def read_seat_and_view(token: str) -> tuple[Seated, WholeView]:
    """Returns the seat and the match as it sees it, and sets the page's language.

    Raises Unauthorized, and Gone before the match has begun.
    """
    seated, view = seats.read_play(site(), claim_of(token))
    speak(seated.language)
    if view.fold is None:
        raise Gone(N_("The match has not begun yet."))
    return seated, view


def render_orders(
    token: str,
    seated: Seated,
    view: WholeView,
    *,
    trouble: Problem | None = None,
    entered: Entered | None = None,
) -> Response:
    """Renders the orders of the seat: what they have done, those that stand, and the forms for more.

    `entered` is what was entered in a form. Once something is saved, the next match that waits is one tap away.
    """
    g.path, done = url_for("acts.show_orders", token=token), request.args.get("done", "")
    return page(
        "play/orders.html", game=view.game, refused=trouble, token=token, sheet=view.sheet,
        notice=_(DONE[done]) if done in DONE else None, orders=orders_panel(seated, view, token, entered),
        ordered=order_news(seated, view, token),
        following=next_match(seated) if done in DONE else None,
        # No drawing stands in a list to choose from.
        name_choice=lambda name: phrases.phrase_text(name, view.sheet.names),
    )  # fmt: skip
