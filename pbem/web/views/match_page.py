"""A match as its pages show it: story, board, choices, and who is up, all from one viewer's fold."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, get_args

from markupsafe import Markup, escape
from msgspec.structs import replace

from pbem.kit.contract import AnyGame, Extent, Link, Meta, Move, Outcome, Scene, Shape
from pbem.kit.endings import endings_of
from pbem.kit.replay import evolve_all
from pbem.kit.words import put_in
from pbem.render import i18n, phrases, pictures
from pbem.render.i18n import join_and
from pbem.render.verdicts import verdict
from pbem.services.views.match_views import Line, OpenAsk, SeatView, Sheet, View, just_happened
from pbem.services.views.menus import Menu, Option, menu
from pbem.web.protocol.language import _, page_language
from pbem.web.protocol.page import address, site
from pbem.web.views.result import won

SHOWN_LINES = 4
"""The lines of the story that spectators see."""
ABOUT_READER = 2
"""The lines that name the reader and stay open beside the latest."""
MOST_LETTERS = 20
"""Choices with longer labels do not stand side by side on a phone, or beside a board."""


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
    on_pad: bool = False
    """True if the pad, where it is shown, has the same link."""


@dataclass(frozen=True)
class Chosen:
    """A whole move, ready for the button: what it says, and how it is written."""

    move: Move
    sentence: Markup
    notation: str


@dataclass(frozen=True)
class Table:
    """What a page shows of a begun match. `story` are the lines that stay open, `folded` all others.

    `board` has a drawing for each shape of screen, one of which is shown; `pad` is beside the wide ones, or empty.
    """

    folded: list[tuple[int, Markup]]
    story: list[tuple[int, Markup]]
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
    unseen: bool
    """True if something in `story` is new to the seat's owner: it stays until they have seen it."""


def table(view: View, picks: Sequence[str], path: str, extent: str = "") -> Table:
    """Returns the match as the page at `path` shows it after these picks; `extent` as in `Scene`, "" for none."""
    here = _Address(path, next((known for known in get_args(Extent) if known == extent), None))
    lang, names, game = page_language(), view.sheet.names, view.game
    found = menu(view, lang, picks)
    recent = _recent_lines(view)
    lines = [(n, _told(line, names, game.meta)) for n, line in enumerate(recent, 1)]
    ask, opened = view.ask, _stay_open(view, recent)
    drawn = _board(view, found, here, recent)
    pad = drawn.pop("pad", Markup())
    return Table(
        folded=[line for line in lines if line[0] not in opened],
        story=[line for line in lines if line[0] in opened],
        board=Markup().join(drawn.values()),
        pad=pad,
        shaped=len(drawn) > 1,
        prompt=phrases.html(game.prompt(ask.ask, view.fold, lang), names, game.meta) if ask else None,
        taken=[(_href(view, here, one.picks), _shown(view, one.step.label)) for one in found.back],
        back=_href(view, here, found.before) if found.before is not None else None,
        choices=[_choice(view, found, option, here, pad) for option in found.options],
        long_choices=any(len(phrases.text(option.step.label, names)) > MOST_LETTERS for option in found.options),
        folded_choices=bool(found.options)
        and all(option.step.text.partition("-")[0] in game.meta.on_board for option in found.options),
        chosen=_chosen_move(view, found),
        key=ask.key if ask else None,
        lost=found.lost,
        version=view.sheet.version,
        unseen=view.has_unseen(lang),
    )


@dataclass(frozen=True)
class _Address:
    """The page, and how much of the board its reader asked for: its links keep that."""

    path: str
    extent: Extent | None


def _href(view: View, here: _Address, picks: Sequence[str]) -> str:
    query = {"ask": view.ask.key} if view.ask is not None else {}
    query |= {"pick": ",".join(picks)} if picks else {}
    return address(here.path, query | ({"extent": here.extent} if here.extent else {}))


def _choice(view: View, found: Menu, option: Option, here: _Address, pad: Markup) -> Choice:
    href = _href(view, here, option.picks)
    return Choice(
        href, _shown(view, option.step.label), found.has_taken(option), on_pad=f'href="{escape(href)}"' in pad
    )


def _shown(view: View, label: str) -> Markup:
    return phrases.html(label, view.sheet.names, view.game.meta)


def _chosen_move(view: View, found: Menu) -> Chosen | None:
    if found.move is None:
        return None
    sentence = view.game.label(found.move, view.fold, page_language())
    told = phrases.html(sentence, view.sheet.names, view.game.meta)
    return Chosen(found.move, told, view.game.format(found.move))


def _told(line: Line, names: Sequence[str], meta: Meta) -> Markup:
    """Returns the line with names and marks, struck out if what it tells was taken back."""
    told = phrases.html(line.text, names, meta)
    return Markup("<s>{}</s>").format(told) if line.undone else told


def _recent_lines(view: View) -> list[Line]:
    """Returns what the viewer has not seen yet; the last few lines for spectators, or if they have seen it all."""
    since = view.recap(page_language()) if view.viewer is not None else []
    return since or view.story(page_language())[-SHOWN_LINES:]


def _stay_open(view: View, recent: Sequence[Line]) -> set[int]:
    """Returns the numbers of the lines to show: all that a seat has not seen, for a spectator the latest.

    Otherwise the latest, and the newest ones that name the seat's player.
    """
    if view.viewer is None:
        return set(range(1, len(recent) + 1)[-SHOWN_LINES:])
    if view.has_unseen(page_language()):
        return set(range(1, len(recent) + 1))
    about = [n for n, line in enumerate(recent, 1) if put_in(view.viewer) in line.text]
    return {*about[-ABOUT_READER:], len(recent)}


def _board(view: View, found: Menu, here: _Address, recent: Sequence[Line]) -> dict[Shape, Markup]:
    """Draws the board in its shapes, with its touch targets; after a chosen move, as far as it can be foreseen."""
    game, names = view.game, view.sheet.names

    def links(options: Sequence[Option]) -> dict[str, Link]:
        said = {option.step.text: phrases.text(option.step.label, names) for option in options}
        return {option.step.text: Link(_href(view, here, option.picks), said[option.step.text]) for option in options}

    fold: Any = view.fold
    if found.move is not None and view.viewer is not None:
        fold = evolve_all(game, fold, game.preview(fold, view.viewer, found.move))
    scene = Scene(
        links=links((*found.options, *found.free)), chosen=found.picks, recent=just_happened(recent),
        others=links(found.others), extent=here.extent,
        extents={extent: _href(view, _Address(here.path, extent), found.picks) for extent in get_args(Extent)},
        resigned=view.sheet.has_resigned(view.viewer), over=view.sheet.ended, bots=view.sheet.bots,
    )  # fmt: skip
    drawn = {}
    for shape in game.meta.shapes:
        shown = replace(scene, shape=shape)
        if shape == "pad":  # it stands for the list, so its links are in the tab order, unlike those on a board
            shown = replace(shown, links=_in_tab_order(scene.links), others=_in_tab_order(scene.others))
        drawn[shape] = pictures.page_svg(game.draw(fold, view.viewer, page_language(), shown), names)
    return drawn


def _in_tab_order(links: Mapping[str, Link]) -> dict[str, Link]:
    return {step: replace(link, in_tab_order=True) for step, link in links.items()}


# --- around the board ----------------------------------------------------------------------------------------


def headline(sheet: Sheet, seat: int | None) -> str:
    """Returns who must do what, in a line."""
    if sheet.has_resigned(seat):
        return _("You have resigned")
    match sheet.status:
        case "unconfirmed":
            return _("This match waits for its organiser")
        case "inviting":
            return _("Not everybody has accepted yet")
        case "over" if sheet.outcome is not None:
            return won(sheet.outcome, sheet.names, seat)
        case "cancelled":
            return _("The match was called off")
        case "paused":
            return _("The match is paused: nobody is at the table")
    ask = own_ask(sheet, seat)
    if ask is not None and ask.sealed is not None:
        return _("Your answer is sealed")
    if ask is not None:
        return sheet.game.meta.asks[ask.kind].title[page_language()]
    return _("Waiting for %(names)s", names=join_and([sheet.names[ask.seat] for ask in sheet.asks], page_language()))


def own_ask(sheet: Sheet, seat: int | None) -> OpenAsk | None:
    """Returns the seat's open question; None without one, and for a player who has resigned: the clock answers it."""
    return None if sheet.has_resigned(seat) else next((ask for ask in sheet.asks if ask.seat == seat), None)


def sealed_answer(view: View) -> Markup | None:
    """Returns the viewer's own sealed answer in a few words, as the list of choices has it; None without one."""
    if view.ask is None or view.ask.sealed is None:
        return None
    steps = view.game.path(view.ask.sealed, view.fold, page_language())
    return phrases.html(" › ".join(step.label for step in steps), view.sheet.names, view.game.meta)


def sealed_text(view: View) -> str | None:
    """Returns the viewer's own sealed answer in the game's notation, "" without one; None where none is sealed."""
    if view.ask is None or not view.ask.silent:
        return None
    return view.game.format(view.ask.sealed) if view.ask.sealed is not None else ""


def ending(sheet: Sheet) -> str:
    """Returns how the match ended, in a sentence; "" before that."""
    if sheet.cancelled is not None:
        return {
            "withdrawn": _("The organiser cancelled it."),
            "lapsed": _("Not everybody answered in time."),
            "host": _("The host has stopped it."),
            "abandoned": _("Nobody came back to it."),
            "season": _("Its season ended before the match did."),
        }[sheet.cancelled]
    if sheet.outcome is None:
        return ""
    return outcome_sentence(sheet.game, sheet.outcome, sheet.names)


def outcome_sentence(game: AnyGame, outcome: Outcome, names: Sequence[str]) -> str:
    """Returns how a match ended, in a sentence."""
    lang = page_language()
    return verdict(endings_of(game)[outcome.reason][lang], [names[seat] for seat in outcome.winners], lang)


def seat_lines(sheet: Sheet, seat: int | None) -> list[Who]:
    """Returns a line for everybody at the table; `seat` is the reader's own."""
    rows = []
    for place in sheet.seats:
        name = _("%(name)s (you)", name=place.name) if place.seat == seat else called(place)
        name = _("Free seat") if place.status == "open" else name
        bounces = _("emails to %(name)s bounce", name=place.name) if place.bounces else ""
        more = " · ".join(part for part in (bounces, _standing(place)) if part)
        rows.append(
            Who(place.seat, name, _says(sheet, place.seat), now=place.asked, more=more, bot=place.bot is not None)
        )
    return rows


def _standing(place: SeatView) -> str:
    """Returns what the player shows of themselves; "" if that is nothing."""
    shown, lang = place.standing, page_language()
    if shown is None:
        return ""
    rated, pace = shown.rating, shown.pace
    rating = _("rating %(range)s", range=i18n.rating(rated.value, rated.plus_minus, lang)) if rated else ""
    usual = (
        _("usually answers within %(time)s", time=i18n.length(timedelta(seconds=pace.median_s), lang)) if pace else ""
    )
    return " · ".join(part for part in (rating, usual) if part)


def called(place: SeatView) -> str:
    """Returns what a page calls the person at the seat."""
    return _("Player %(letter)s", letter=place.name) if place.unnamed else place.name


def _says(sheet: Sheet, seat: int) -> str:
    if sheet.status in ("unconfirmed", "inviting"):
        return {
            "open": _("waits for somebody"),
            "invited": _("has not answered yet"),
            "accepted": _("has accepted"),
            "declined": _("has declined"),
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
    state = _away(place) or (_("is to play") if place.asked else _("waits"))
    return " · ".join(part for part in (state, _bank(place)) if part)


def _bank(place: SeatView) -> str:
    """Returns what is left of the player's bank; "" if the match has no banks."""
    if place.bank_s is None or place.bot is not None:
        return ""
    return _("%(time)s in the bank", time=i18n.time_left(timedelta(seconds=place.bank_s), page_language()))


def _away(place: SeatView) -> str:
    """Returns until when the player is on holiday; "" if they are not. Days are the reader's."""
    last = place.away_until(site().now().date())
    return _("on holiday until %(day)s", day=day_text(last)) if last is not None else ""


def day_text(day: date) -> str:
    """Returns the day with its name."""
    return i18n.date_of(day, page_language())
