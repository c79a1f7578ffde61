"""A match as its pages show it: story, board, choices, and who is up, all from one viewer's fold."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from itertools import zip_longest
from typing import get_args

from flask import request
from markupsafe import Markup, escape
from msgspec.structs import replace

from pbem.kit.contract import AnyGame, Extent, Link, Move, Outcome, Phrase, Scene, Shape
from pbem.kit.replay import evolve_all
from pbem.render import i18n, phrases, pictures
from pbem.render.i18n import join_and
from pbem.render.table_story import outcome_in_words, why_called_off
from pbem.services.views.match_views import Line, OpenAsk, Sheet, SheetSeat, View
from pbem.services.views.menus import Menu, Option, menu_after_picks, picks_of
from pbem.web.protocol.language import _, page_language
from pbem.web.protocol.page import address, site
from pbem.web.views.result import winners_sentence

SHOWN_LINES = 4
"""The lines of the story that spectators see."""
MOST_NAMED = 2
"""Of more players a headline says how many they are."""
MOST_LETTERS = 20
"""Choices with longer labels do not stand side by side on a phone, or beside a board."""
LONGEST_WORD = 7
"""Nor do those with longer words: a third of the column beside a board has no room for them."""


@dataclass(frozen=True)
class Who:
    """One line of "who is up"."""

    seat: int
    name: str
    says: str
    now: bool
    more: str = ""
    """What the others should know besides: that mails do not reach this player, their rating, how fast they answer."""
    bot: bool = False


@dataclass(frozen=True)
class Choice:
    """One thing that can be chosen next: a link to the page with it chosen."""

    href: str
    label: Markup
    current: bool
    also_on: str = ""
    """Where the page has the same link besides: "on-board" if the upright board has it, "on-pad" if the pad has."""


@dataclass(frozen=True)
class Chosen:
    """A whole move, ready for the button: what it says, and how it is written."""

    move: Move
    sentence: Markup
    notation: str


@dataclass(frozen=True)
class CardShown:
    """A card of the news, in words for the page."""

    title: Markup
    lines: list[Markup]
    table: list[list[Markup]]


@dataclass(frozen=True)
class NewsLine:
    """A line of the news. Who has read it has seen the log up to the entry `upto`.

    `name` is what addresses call it: its entry, and which line of that it is.
    """

    name: str
    text: Markup
    upto: int
    card: CardShown | None


@dataclass(frozen=True)
class Table:
    """What a page shows of a begun match. `unread` is the place of the first of its news that is unread, if any is.

    `board` has a drawing for each shape of screen, one of which is shown; `pad` is beside the wide ones, or empty.
    """

    news: list[NewsLine]
    unread: int | None
    board: Markup
    pad: Markup
    shaped: bool
    prompt: Markup | None
    taken: list[tuple[str, Markup]]
    """The steps chosen so far, each with the address of the page without it."""
    back: str | None
    """The address of the page before the last choice; None if nothing is chosen."""
    choices: list[Choice]
    long_choices: bool
    """True if a narrow column would break the label of a choice into three lines and more."""
    folded_choices: bool
    """True if the choices are made on the board, and the list of them unfolds below."""
    chosen: Chosen | None
    key: str | None
    lost: bool
    version: int
    """The version of the match that the page shows."""
    refused: list[tuple[str, Markup]]
    """What cannot be chosen although one may look for it, with the address of the page that says why."""


@dataclass(frozen=True)
class _Here:
    """The page with a view, and how much of the board its reader asked for: its links keep that."""

    view: View
    path: str
    extent: Extent | None

    def href(self, picks: Sequence[str], extent: Extent | None = None, refused: str = "") -> str:
        """Returns the address of the page with these picks; one with a `refused` move says why it is."""
        ask = self.view.ask
        query = {"ask": ask and ask.key, "pick": ",".join(picks), "no": refused, "extent": extent or self.extent}
        return address(self.path, {name: value for name, value in query.items() if value})

    def board_links(self, options: Sequence[Option]) -> dict[str, Link]:
        """Returns the links of a board that lead to these options, by the notation of their steps."""
        names = self.view.sheet.names
        return {
            one.step.text: Link(self.href(one.picks), phrases.phrase_text(one.step.label, names)) for one in options
        }


def board_extent_in_query() -> Extent | None:
    """Returns how much of the board the address asks for; None if it does not say, or by no known word."""
    return next((known for known in get_args(Extent) if known == request.args.get("extent")), None)


def picks_in_query() -> tuple[str, ...]:
    """Returns the steps of a move that the address says are chosen."""
    return tuple(pick for pick in request.args.get("pick", "").split(",") if pick)


def table_on_page(view: View, picks: Sequence[str], path: str, extent: Extent | None = None) -> Table:
    """Returns the match as the page at `path` shows it after these picks; `extent` as in `Scene`."""
    here = _Here(view, path, extent)
    lang, game, ask = page_language(), view.game, view.ask
    show = partial(phrases.phrase_html, names=view.sheet.names, meta=game.meta)
    found = menu_after_picks(view, lang, picks)
    options, marked = found.options, found.picks_taken
    if not marked and ask is not None and ask.sealed is not None:
        marked = picks_of(game, view, ask.sealed)  # what was answered, until another answer is chosen
    news = view.news(lang)
    lines = news.lines if view.viewer is not None else news.lines[-SHOWN_LINES:]
    links, others = here.board_links((*options, *found.free)), here.board_links(found.others)
    refused = _find_refused_choices(here, found, {*links, *others})
    of_steps = {step: link for step, link, _text in refused if step}
    scene = replace(
        view.scene(enumerate(lines, 1)), chosen=marked, links=links, others=others, refused=of_steps, extent=extent,
        extents={extent: here.href(found.picks_taken, extent) for extent in get_args(Extent)},
    )  # fmt: skip
    drawn = _board_in_shapes(view, found.move, scene)
    pad = drawn.get("pad", Markup())
    chosen, choices = None, []
    if found.move is not None:
        chosen = Chosen(found.move, show(game.label(found.move, view.fold, lang)), game.format(found.move))
    for option in options:
        href, label = links[option.step.text].href, show(option.step.label)
        link, upright = f'href="{escape(href)}"', drawn["portrait"]
        also_on = " ".join(name for name, there in (("on-board", upright), ("on-pad", pad)) if link in there)
        choices.append(Choice(href, label, {*option.picks} <= {*marked}, also_on))
    return Table(
        news=[*_news_lines(lines, show)],
        unread=news.unread,
        board=Markup().join(board for shape, board in drawn.items() if shape != "pad"),
        pad=pad,
        shaped=len(drawn) > 1,
        prompt=show(game.prompt(ask.ask, view.fold, lang)) if ask else None,
        taken=[(here.href(one.picks), show(one.step.label)) for one in found.back],
        back=here.href(found.before) if found.before is not None else None,
        choices=choices,
        long_choices=any(_is_long_label(links[option.step.text].label) for option in options),
        folded_choices=bool(options) and all(one.step.text.partition("-")[0] in game.meta.on_board for one in options),
        chosen=chosen,
        key=ask.key if ask else None,
        lost=found.lost,
        version=view.sheet.version,
        refused=[(link.href, show(text)) for _step, link, text in refused],
    )


def _is_long_label(label: str) -> bool:
    return len(label) > MOST_LETTERS or any(len(word) > LONGEST_WORD for word in label.split())


def _news_lines(lines: Sequence[Line], show: Callable[[Phrase], Markup]) -> Iterator[NewsLine]:
    at = 0  # how many lines of the same entry come before
    for line, after in zip_longest(lines, lines[1:]):
        text, card = show(line.text), None
        if line.card is not None:
            rows = [[*map(show, row)] for row in line.card.table]
            card = CardShown(show(line.card.title), [*map(show, line.card.lines)], rows)
        # An entry with several lines is read once the last of them is.
        goes_on = after is not None and after.n == line.n
        upto = line.n - 1 if goes_on else line.n
        yield NewsLine(f"{line.n}.{at}", Markup("<s>{}</s>").format(text) if line.undone else text, upto, card)
        at = at + 1 if goes_on else 0


def _find_refused_choices(here: _Here, found: Menu, offered: Collection[str]) -> list[tuple[str, Link, Phrase]]:
    """Returns what the viewer may look for but cannot choose: the next step to it or "", the link to why not, its name.

    `offered` are the steps that can be chosen, be it next or instead of one that was taken since there was no other.
    All is made from the viewer's own fold. The reason is worked out only for who follows the link.
    """
    view, game, lang = here.view, here.view.game, page_language()
    if view.ask is None or view.viewer is None:
        return []
    legal, refused = view.legal(), list[tuple[str, Link, Phrase]]()
    # Once a move is chosen, the options stand in for its last step.
    before = found.options[0].picks[:-1] if found.options else found.picks_taken
    for one in game.candidates(view.ask.ask, view.fold, lang):
        if one.move in legal:
            continue
        steps = [step.text for step in game.path(one.move, view.fold, lang)]
        step = next((step for step in steps if step not in before), "")
        href = here.href(before, refused=game.format(one.move))
        label = _("Why not %(name)s?", name=phrases.phrase_text(one.text, view.sheet.names))
        refused.append(("" if step in offered else step, Link(href, label), one.text))
    return refused


def _board_in_shapes(view: View, move: Move | None, scene: Scene) -> Mapping[Shape, Markup]:
    """Returns the board in its shapes; after a chosen move, as far as it can be foreseen.

    A page is rendered again whenever something around the board has changed, such as the talk: the board is drawn again
    only if it shows something else than at the last time.
    """
    shown, lang = (view.fold, move, scene, view.sheet.names), page_language()
    known = view.drawn.get(lang)
    if known is not None and known[0] == shown:
        return known[1]
    game, fold, drawn = view.game, view.fold, dict[Shape, Markup]()
    if move is not None and view.viewer is not None:
        fold = evolve_all(game, fold, game.preview(fold, view.viewer, move))
    for shape in game.meta.shapes:
        shaped = replace(scene, shape=shape)
        if shape in ("pad", "portrait"):  # they stand for the list, so their links are in the tab order
            first, instead = (
                {step: replace(link, in_tab_order=True) for step, link in one.items()}
                for one in (scene.links, scene.others)
            )
            shaped = replace(shaped, links=first, others=instead)
        drawn[shape] = pictures.svg_with_names(game.draw(fold, view.viewer, lang, shaped), view.sheet.names)
    view.drawn[lang] = shown, drawn
    return drawn


# --- around the board ----------------------------------------------------------------------------------------


def status_line_of_match(sheet: Sheet, seat: int | None) -> str:
    """Returns who must do what, in a line."""
    if sheet.has_resigned(seat):
        return _("You have resigned")
    match sheet.status:
        case "unconfirmed":
            return _("Not confirmed yet")
        case "inviting" if seat is not None and sheet.seats[seat].status == "declined":
            return _("You have declined")
        case "inviting":
            return _("Not everyone is here yet")
        case "over" if sheet.outcome is not None:
            return winners_sentence(sheet.outcome, sheet.names, seat)
        case "cancelled":
            return _("The match was called off")
        case "paused":
            return _("The match is paused")
    ask = own_ask(sheet, seat)
    if ask is not None and ask.sealed is not None:
        return _("Your answer is sealed")
    if ask is not None:
        return sheet.game.meta.asks[ask.kind].title[page_language()]
    if len(sheet.asks) > MOST_NAMED:
        return _("Waiting for %(num)s players", num=len(sheet.asks))
    return _("Waiting for %(names)s", names=join_and([sheet.names[ask.seat] for ask in sheet.asks], page_language()))


def own_ask(sheet: Sheet, seat: int | None) -> OpenAsk | None:
    """Returns the seat's open question; None without one, and for a player who has resigned: the clock answers it."""
    return None if sheet.has_resigned(seat) else next((ask for ask in sheet.asks if ask.seat == seat), None)


def own_sealed_answer(view: View) -> tuple[Markup | None, str | None]:
    """Returns the viewer's own sealed answer in a few words, as the list of choices has it, and in notation.

    None and "" without one; None and None where none is sealed.
    """
    game, ask = view.game, view.ask
    if ask is None or (not ask.silent and ask.sealed is None):
        return None, None
    if ask.sealed is None:
        return None, ""
    steps = " › ".join(step.label for step in game.path(ask.sealed, view.fold, page_language()))
    return phrases.phrase_html(steps, view.sheet.names, game.meta), game.format(ask.sealed) if ask.silent else None


def ending_sentence(sheet: Sheet) -> str:
    """Returns how the match ended, in a sentence; "" before that."""
    if sheet.cancelled is not None:
        return why_called_off(sheet.cancelled, page_language())
    if sheet.outcome is None:
        return ""
    return outcome_sentence(sheet.game, sheet.outcome, sheet.names)


def outcome_sentence(game: AnyGame, outcome: Outcome, names: Sequence[str]) -> str:
    """Returns how a match ended, in a sentence."""
    return outcome_in_words(game, outcome, names, page_language())


def seat_lines(sheet: Sheet, seat: int | None) -> list[Who]:
    """Returns a line for everybody at the table; `seat` is the reader's own."""
    rows, today = [], site().now().date()  # days are the reader's
    for place in sheet.seats:
        name = name_at(place)
        if place.seat == seat:
            name = _("You") if place.is_unnamed else _("%(name)s (you)", name=place.name)
        name = _("Free seat") if place.status == "open" else name
        more = [_("emails to %(name)s bounce", name=place.name)] if place.bounces else []
        if place.rating:
            rated = i18n.rating_text(place.rating.value, place.rating.plus_minus, page_language())
            more.append(_("rating %(range)s", range=rated))
        if place.pace:
            usual = i18n.duration_in_words(timedelta(seconds=place.pace.median_s), page_language())
            more.append(_("usually answers within %(time)s", time=usual))
        says, bot = _seat_status_words(sheet, place.seat, seat, today), place.bot is not None
        rows.append(Who(place.seat, name, says, now=place.asked, more=" · ".join(more), bot=bot))
    return rows


def name_at(place: SheetSeat) -> str:
    """Returns what a page calls the person at the seat."""
    return _("Player %(letter)s", letter=place.name) if place.is_unnamed else place.name


def _seat_status_words(sheet: Sheet, seat: int, own: int | None, today: date) -> str:
    if sheet.status in ("unconfirmed", "inviting"):
        return {
            "open": "",
            "invited": _("not answered yet") if seat != own and sheet.status == "inviting" else "",
            "accepted": _("plays"),
            "declined": _("declined"),
        }[sheet.seats[seat].status]
    if sheet.outcome is not None:
        score = sheet.outcome.scores[seat] if sheet.outcome.scores else None
        won = _("has won") if seat in sheet.outcome.winners else ""
        return " · ".join(part for part in (won, "" if score is None else str(score)) if part)
    if sheet.status not in ("running", "paused"):
        return ""
    place = sheet.seats[seat]
    if place.resigned:
        return _("has resigned; moves are automatic")
    if place.absent:
        return _("is absent; the clock moves")
    away = place.away_until(today)
    state = [] if away is None else [_("on holiday until %(day)s", day=day_text(away))]
    if place.bank_s is not None and place.bot is None:
        left = i18n.time_left(timedelta(seconds=place.bank_s), page_language())
        state.append(_("%(time)s in the bank", time=left))
    return " · ".join(state)


def day_text(day: date) -> str:
    """Returns the day with its name."""
    return i18n.date_with_weekday(day, page_language())
