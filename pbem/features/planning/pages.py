"""The planning board of a seat: a page to think ahead on. Nothing here is played.

Each ply is a link; the line stands in the address, and nothing is stored before it is kept. The page never changes by
itself, and never leads to the match unless its reader goes there: where a move may be chosen, but is not played either.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, get_args

from flask import Blueprint, Response, g, redirect, request, url_for
from markupsafe import Markup, escape
from msgspec import structs
from werkzeug.datastructures import MultiDict
from werkzeug.wrappers import Response as AnyResponse

from pbem.errors import N_, Invalid, Problem
from pbem.features.lines import orders_from_line
from pbem.features.planning import plans
from pbem.features.planning.plans import Board
from pbem.kit.contract import Extent, Link, Scene
from pbem.kit.plans import MOST_PLIES, Ply, Walk, what_comes
from pbem.render import phrases, pictures
from pbem.services.views import seats
from pbem.services.views.match_views import OpenAsk, View
from pbem.services.views.menus import Menu, menu_after_picks
from pbem.services.views.seats import Seated
from pbem.web.features import Parts, menu_entry
from pbem.web.play.seat_page import claim_and_set_language
from pbem.web.protocol.language import _, page_language, speak
from pbem.web.protocol.page import address, claim_of, page, site
from pbem.web.views.match_page import MOST_LETTERS, board_extent_in_query, picks_in_query, status_line_of_match
from pbem.web.views.strip import Button, Item, refusal_item, strip_of_items

bp = Blueprint("plan", __name__)

PARTS = (bp,)
SUPPOSED = ("own", "other", "fact")
"""What may come next, where something can be thought out."""
DONE = {
    "kept": N_("The line is kept."),
    "forgotten": N_("The line is forgotten."),
    "ordered": N_("Saved as an order. It stands on your page of the match, where you can stop it."),
}
ACTS: dict[str, tuple[Callable[..., object], str]] = {
    "keep": (plans.keep_line, "kept"),
    "forget": (plans.forget_line, "forgotten"),
    "order": (partial(plans.save_line_as_orders, via="web"), "ordered"),
}
"""What the form can do with a line, and the notice afterwards."""


@dataclass(frozen=True)
class Here:
    """The address of a line on the board: where it begins, its plies, and what is shown of the board."""

    path: str
    at: int
    said: tuple[str, ...]
    extent: Extent | None = None

    def href(self, *, picks: Sequence[str] = ()) -> str:
        """Returns the address, with these steps of the next ply chosen."""
        query = [("at", str(self.at)), *(("step", one) for one in self.said)]
        query += [("pick", ",".join(picks))] if picks else []
        query += [("extent", self.extent)] if self.extent else []
        return address(self.path, MultiDict(query))


Choice = tuple[str, Markup]
"""Something that could come next: the address of the line with it, and what it is."""


@dataclass(frozen=True)
class Branch:
    """A ply of the kept lines, and what they go on with. `ends`: the line that ends here, if one does."""

    href: str
    label: Markup
    own: bool
    current: bool
    ends: tuple[str, ...] | None
    then: tuple["Branch", ...]


def seat_page(seated: Seated, view: View, token: str) -> Parts:
    """Returns the link to the board, if something can be thought out on it: who is asked alone has their moves."""
    sheet, seat = seated.sheet, seated.seat
    plays = view.fold is not None and seated.status == "accepted" and not sheet.has_resigned(seat)
    if not plays or sheet.has_ended:
        return Parts()
    alone = len(sheet.asks) == 1 and sheet.asks[0].seat == seat
    if not alone and what_comes(view.game, view.fold, seat, ()).kind not in SUPPOSED:
        return Parts()
    return Parts(beside_orders=menu_entry(url_for("plan.show", token=token), _("Try moves out")))


@bp.get("/play/<token>/plan")
def show(token: str) -> Response:
    """Shows the board with the line of the address. Changes nothing."""
    seated, view = seats.read_play(site(), claim_of(token))
    speak(seated.language)
    at = request.args.get("at", type=int)
    try:
        board = plans.read_board(site(), claim_of(token), at, request.args.getlist("step"))
    except Invalid as problem:
        return _show_refused_line(token, seated, view, problem)
    return _render_board(token, seated, view, board, notice=DONE.get(request.args.get("done", "")))


@bp.post("/play/<token>/plan")
def change(token: str) -> AnyResponse:
    """Keeps the line of the form, forgets it or saves it as orders; shows why it is refused."""
    claim, said = claim_and_set_language(token), request.form.getlist("step")
    at, act = request.form.get("at", 0, int), request.form.get("do", "")
    try:
        if act not in ACTS:
            raise Invalid(N_("This page cannot do that."))
        do, done = ACTS[act]
        do(site(), claim, at, said)
    except Problem as problem:
        seated, view = seats.read_play(site(), claim)
        return _show_refused_line(token, seated, view, problem, at, said)
    stays = request.form.getlist("stay") if act == "forget" else said
    query = [("at", str(at)), *(("step", one) for one in stays), ("done", done)]
    return redirect(address(url_for("plan.show", token=token), MultiDict(query)), 303)


def _show_refused_line(
    token: str, seated: Seated, view: View, problem: Problem, at: int | None = None, said: Sequence[str] = ()
) -> Response:
    """Shows the board with the line as it was, or empty if the line is impossible, and the problem."""
    claim = claim_of(token)
    try:
        board = plans.read_board(site(), claim, at, said)
    except Invalid:
        board = plans.read_board(site(), claim, None, ())
    return _render_board(token, seated, view, board, trouble=problem)


def _render_board(
    token: str, seated: Seated, view: View, board: Board, *, notice: str | None = None, trouble: Problem | None = None
) -> Response:
    path = url_for("plan.show", token=token)
    here = Here(path, board.at, board.line.in_short, board_extent_in_query())
    g.path, g.query = path, MultiDict([("at", str(here.at)), *(("step", one) for one in here.said)])
    told = _plies_in_sentences(view, board.line.start, board.line.plies)
    said = [refusal_item(trouble)] if trouble is not None else []
    said += [Item("mine", _(notice))] if notice else []
    said += [*_news_since_line(view, board, here), _last_supposition(seated, view, told, here)]
    return page(
        "features/planning/plan.html", game=view.game, token=token, sheet=view.sheet, here=here, refused=trouble,
        version=board.version, shown=_fields_of_board(token, view, board, here, told), strip=strip_of_items(None, said),
    )  # fmt: skip


def _fields_of_board(token: str, view: View, board: Board, here: Here, told: Sequence[list[Markup]]) -> dict[str, Any]:
    """Returns the board as the page shows it; `told` is the line in words.

    `play` is the address at which the first move of the line is chosen in the match; None if it is not the reader's.
    """
    line = board.line
    found, asking = _menu_of_steps(view, line, picks_in_query())
    chosen, choices = _steps_of_next_ply(view, line, found, here)
    stale = board.at < board.version
    kept = {one.in_short for one in board.lines}
    first, play = line.plies[0] if line.plies else None, None
    if first is not None and first.ask is not None and first.ask.seat == line.viewer and not stale:
        play = address(url_for("play.show_seat", token=token), {"ask": first.ask.key, "move": first.said})
    return {
        "line": [(replace(here, said=line.in_short[:n]).href(), _join_sentences(said)) for n,
        said in enumerate(told, 1)],
        "asks": _question_in_words(view, line, asking),
        "hint": _hint_for_next_ply(line),
        "chosen": chosen,
        "choices": choices,
        "long": any(len(label.striptags()) > MOST_LETTERS for _href, label in choices),
        "board": Markup().join(_draw_boards(view, line, found, here)),
        "shaped": len(view.game.meta.shapes) > 1,
        "tree": _tree_of_kept_lines(view, board, replace(here, at=board.version)),
        "play": play,
        "is_kept": (board.left.in_short if board.left is not None else line.in_short) in kept,
        "orders": bool(orders_from_line(line.plies, line.viewer)),
    }  # fmt: skip


# --- what the page says ---------------------------------------------------------------------------------------


def _news_since_line(view: View, board: Board, here: Here) -> Iterator[Item]:
    """Yields what has come in the match since the line begins, and where what is left of it goes on."""
    if board.at == board.version:
        return
    told = [view.markup(one.text) for one in view.story(page_language(), after=board.at)]
    if board.left is not None:
        rest = replace(here, at=board.version, said=board.left.in_short).href()
        more, button = "", Button(_("Go on with what still fits"), rest)
    else:
        more, button = _("Your line does not fit any more."), Button(_("Think again from here"), here.path)
    yield Item("asked", Markup("<b>{}</b> {}").format(_("News:"), _join_sentences(told[-1:])), more, (button,))


def _last_supposition(seated: Seated, view: View, told: Sequence[list[Markup]], here: Here) -> Item:
    """Returns what the line supposes last, with the way back; before a line, how the match stands."""
    if not told:
        return Item("news", _("In the match: %(state)s", state=status_line_of_match(view.sheet, seated.seat)))
    back = replace(here, said=here.said[:-1]).href() if len(told) > 1 else here.path
    supposed = escape(_("Suppose: %(what)s")) % {"what": told[-1][0]}
    return Item("chosen", supposed, buttons=(Button(_("Back"), back),))


# --- what could come next ------------------------------------------------------------------------------------


def _menu_of_steps(view: View, line: Walk, picks: Sequence[str]) -> tuple[Menu, View | None]:
    """Returns the steps to the moves that could come, and the position as their mover; None if nobody moves."""
    ask = line.coming.ask
    if ask is None:
        return Menu((), (), None), None
    asked = OpenAsk(ask.seat, ask.key, ask.turn, ask.kind, ask.key, None)
    asking = View(view.sheet, ask.seat, view.recent, line.fold, asked, start=view.start)
    return menu_after_picks(asking, page_language(), picks), asking


def _steps_of_next_ply(view: View, line: Walk, found: Menu, here: Here) -> tuple[list[Choice], list[Choice]]:
    """Returns the steps of the next ply that are chosen, and what can be chosen now."""
    if len(line.plies) >= MOST_PLIES:
        return [], []
    facts, lang = line.coming.facts, page_language()
    if facts:
        says = (view.markup(view.game.foretell(fact, line.fold, lang)) for fact in facts)
        return [], [(_href_with_ply_added(here, f"~{n}"), one) for n, one in enumerate(says)]
    back = [(here.href(picks=one.picks), view.markup(one.step.label)) for one in found.back]
    if found.move is not None:
        label = view.markup(view.game.label(found.move, line.fold, lang))
        return back, [(_href_with_ply_added(here, view.game.format(found.move)), label)]
    return back, [(_option_href(view, here, option), view.markup(option.step.label)) for option in found.options]


def _href_with_ply_added(here: Here, said: str) -> str:
    return replace(here, said=(*here.said, said)).href()


def _option_href(view: View, here: Here, option: Any) -> str:
    """Returns the address with this step chosen; with the whole move, if it is the last."""
    if option.move is None:
        return here.href(picks=option.picks)
    return _href_with_ply_added(here, view.game.format(option.move))


def _question_in_words(view: View, line: Walk, asking: View | None) -> Markup:
    """Returns who is asked what, or what comes."""
    ask, lang = line.coming.ask, page_language()
    if len(line.plies) >= MOST_PLIES:
        return escape(_("This line is as long as a line may be."))
    match line.coming.kind:
        case "own":
            assert ask is not None, "the reader is asked"
            return view.markup(view.game.meta.asks[ask.kind].title[lang])
        case "other":
            assert ask is not None, "somebody is asked"
            return escape(_("What does %(name)s do?", name=view.sheet.names[ask.seat]))
        case "fact":
            return escape(_("What comes?"))
        case "over":
            return escape(_("The match would be over."))
    return escape(_("Nobody can know what comes now."))


def _hint_for_next_ply(line: Walk) -> str:
    if line.coming.kind == "own":
        return _("Choose what you would play. Nothing is played here.")
    if line.coming.kind in ("other", "fact"):
        return _("What is hidden stays hidden here, and no die is rolled: you choose what to suppose.")
    return _("Go back in your line to think of something else.")


# --- the line and the kept ones ------------------------------------------------------------------------------


def _plies_in_sentences(view: View, fold: Any, plies: Sequence[Ply]) -> list[list[Markup]]:
    """Returns each ply in sentences: what is told of its facts, and of the first in any case."""
    game, lang, told = view.game, page_language(), []
    for ply in plies:
        first, said = game.foretell(ply.events[0], fold, lang) if ply.events else "", []
        for event in ply.events:
            said.append(game.tell(event, fold, lang))
            fold = game.evolve(fold, event)
        told.append([view.markup(one) for one in said if one] or [view.markup(first)])
    return told


def _join_sentences(said: Sequence[Markup]) -> Markup:
    return Markup(" ").join(said)


def _tree_of_kept_lines(view: View, board: Board, here: Here) -> tuple[Branch, ...]:
    """Returns the kept lines, with what they begin with in common only once."""
    current = board.line.in_short if board.at == board.version else None
    lines = [(line.in_short, _plies_in_sentences(view, line.start, line.plies), line) for line in board.lines]

    def branches(prefix: tuple[str, ...]) -> tuple[Branch, ...]:
        depth = len(prefix)
        found: dict[str, Branch] = {}
        for said, told, line in lines:
            if len(said) > depth and said[:depth] == prefix and said[depth] not in found:
                path, ask = said[: depth + 1], line.plies[depth].ask
                found[said[depth]] = Branch(
                    href=replace(here, said=path).href(), label=_join_sentences(told[depth]),
                    own=ask is not None and ask.seat == line.viewer, current=path == current,
                    ends=path if any(one == path for one, _, _ in lines) else None, then=branches(path),
                )  # fmt: skip
        return tuple(found.values())

    return branches(())


# --- the board -----------------------------------------------------------------------------------------------


def _draw_boards(view: View, line: Walk, found: Menu, here: Here) -> Iterator[Markup]:
    """Draws the board after the line in each shape, with what could come next as its touch targets.

    What is chosen for another is not marked: to a board the one who chooses on it is its viewer.
    """
    game, names = view.game, view.sheet.names
    options = (*found.options, *found.free) if found.move is None else ()
    links = {
        one.step.text: Link(_option_href(view, here, one), phrases.phrase_text(one.step.label, names))
        for one in options
    }
    last = line.plies[-1].events if line.plies else ()
    scene = Scene(
        links=links, chosen=found.picks_taken if line.coming.kind == "own" else (), recent=tuple(enumerate(last, 1)),
        extent=here.extent,
        extents={extent: replace(here, extent=extent).href(picks=found.picks_taken) for extent in get_args(Extent)},
        bots=view.sheet.bots,
    )  # fmt: skip
    for shape in game.meta.shapes:
        if shape != "pad":
            drawn = game.draw(line.fold, line.viewer, page_language(), structs.replace(scene, shape=shape))
            yield pictures.svg_with_names(drawn, names)
