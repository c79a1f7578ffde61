"""A match as its pages show it: story, board, choices, and who is up, all from one viewer's fold."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from markupsafe import Markup

from pbem.kit.contract import AnyGame, Link, Outcome, Scene
from pbem.kit.replay import evolve_all
from pbem.render import i18n, phrases, pictures
from pbem.render.i18n import join_and
from pbem.services.views.match_views import Line, OpenAsk, SeatView, Sheet, View, just_happened
from pbem.services.views.menus import Menu, menu
from pbem.web.protocol.language import _, page_language
from pbem.web.protocol.page import address, site

SHOWN_LINES = 4


@dataclass(frozen=True)
class Who:
    """One line of "who is up"."""

    seat: int
    name: str
    says: str
    now: bool
    more: str = ""
    """What the others should know besides: that mails do not reach this player."""


@dataclass(frozen=True)
class Choice:
    """One thing that can be chosen next: a link to the page with it chosen."""

    href: str
    label: Markup
    current: bool


@dataclass(frozen=True)
class Chosen:
    """A whole move, ready for the button: what it says, and how it is written."""

    sentence: Markup
    notation: str


@dataclass(frozen=True)
class Table:
    """What a page shows of a begun match. `earlier` are the lines that do not fit under what happened last."""

    earlier: list[tuple[int, Markup]]
    story: list[tuple[int, Markup]]
    board: Markup
    prompt: Markup | None
    taken: list[tuple[str, Markup]]
    choices: list[Choice]
    chosen: Chosen | None
    key: str | None
    lost: bool


def table(view: View, picks: Sequence[str], path: str) -> Table:
    """Returns the match as the page at `path` shows it after these picks."""
    lang, names, game = page_language(), view.sheet.names, view.game
    found = menu(view, lang, picks)
    recent = _recent_lines(view)
    lines = [(n, phrases.html(line.text, names, game.meta)) for n, line in enumerate(recent, 1)]
    ask = view.ask
    return Table(
        earlier=lines[:-SHOWN_LINES],
        story=lines[-SHOWN_LINES:],
        board=_board(view, found, path, recent),
        prompt=phrases.html(game.prompt(ask.ask, view.fold, lang), names, game.meta) if ask else None,
        taken=_taken_steps(view, found, path),
        choices=[_choice(view, found, option.picks, option.step.label, path) for option in found.options],
        chosen=_chosen_move(view, found),
        key=ask.key if ask else None,
        lost=found.lost,
    )


def _href(view: View, path: str, picks: Sequence[str]) -> str:
    assert view.ask is not None, "choices answer an ask"
    query = {"ask": view.ask.key, "pick": ",".join(picks)} if picks else {"ask": view.ask.key}
    return address(path, query)


def _choice(view: View, found: Menu, picks: tuple[str, ...], label: str, path: str) -> Choice:
    text = phrases.html(label, view.sheet.names, view.game.meta)
    return Choice(_href(view, path, picks), text, current=found.picks[: len(picks)] == picks)


def _taken_steps(view: View, found: Menu, path: str) -> list[tuple[str, Markup]]:
    """Returns the steps of the choice so far, each with the link back to before it."""
    depth = len(found.options[0].picks) - 1 if found.options else 0
    names, meta = view.sheet.names, view.game.meta
    return [
        (_href(view, path, found.picks[:i]), phrases.html(step.label, names, meta))
        for i, step in enumerate(found.taken[:depth])
    ]


def _chosen_move(view: View, found: Menu) -> Chosen | None:
    if found.move is None:
        return None
    sentence = view.game.label(found.move, view.fold, page_language())
    return Chosen(phrases.html(sentence, view.sheet.names, view.game.meta), view.game.format(found.move))


def _recent_lines(view: View) -> list[Line]:
    """Returns what happened since the viewer's own last move; the last few lines for spectators or if nothing did."""
    since = view.recap(page_language()) if view.viewer is not None else []
    return since or view.story(page_language())[-SHOWN_LINES:]


def _board(view: View, found: Menu, path: str, recent: Sequence[Line]) -> Markup:
    """Draws the board with its touch targets; after a chosen move, as far as its result can be foreseen."""
    game, names = view.game, view.sheet.names
    links = {
        option.step.text: Link(_href(view, path, option.picks), phrases.text(option.step.label, names))
        for option in found.options
    }
    fold: Any = view.fold
    if found.move is not None and view.viewer is not None:
        fold = evolve_all(game, fold, game.preview(fold, view.viewer, found.move))
    scene = Scene(links=links, chosen=found.picks, recent=just_happened(recent))
    return pictures.page_svg(game.draw(fold, view.viewer, page_language(), scene), names)


# --- around the board ----------------------------------------------------------------------------------------


def headline(sheet: Sheet, seat: int | None) -> str:
    """Returns who must do what, in a line."""
    match sheet.status:
        case "unconfirmed":
            return _("This match waits for its organiser")
        case "inviting":
            return _("Not everybody has accepted yet")
        case "over":
            return _("The match is over")
        case "cancelled":
            return _("The match was called off")
        case "paused":
            return _("The match is paused: nobody is at the table")
    ask = own_ask(sheet, seat)
    if ask is not None:
        return sheet.game.meta.asks[ask.kind].title[page_language()]
    return _("Waiting for %(names)s", names=join_and([sheet.names[ask.seat] for ask in sheet.asks], page_language()))


def own_ask(sheet: Sheet, seat: int | None) -> OpenAsk | None:
    """Returns the seat's open question, or None."""
    return next((ask for ask in sheet.asks if ask.seat == seat), None)


def ending(sheet: Sheet) -> str:
    """Returns how the match ended, in a sentence; "" before that."""
    if sheet.cancelled is not None:
        return {
            "withdrawn": _("The organiser cancelled it."),
            "lapsed": _("Not everybody answered in time."),
            "host": _("The host has stopped it."),
            "abandoned": _("Nobody came back to it."),
        }[sheet.cancelled]
    if sheet.outcome is None:
        return ""
    return outcome_sentence(sheet.game, sheet.outcome, sheet.names)


def outcome_sentence(game: AnyGame, outcome: Outcome, names: Sequence[str]) -> str:
    """Returns how the rules ended a match, in a sentence."""
    reason = game.meta.endings[outcome.reason][page_language()]
    winners = [names[seat] for seat in outcome.winners]
    if not winners:
        return _("%(reason)s.", reason=reason[:1].upper() + reason[1:])
    if len(winners) == 1:
        return _("%(name)s wins: %(reason)s.", name=winners[0], reason=reason)
    return _("%(names)s win: %(reason)s.", names=join_and(winners, page_language()), reason=reason)


def seat_lines(sheet: Sheet, seat: int | None) -> list[Who]:
    """Returns a line for everybody at the table; `seat` is the reader's own."""
    rows = []
    for place in sheet.seats:
        name = _("%(name)s (you)", name=place.name) if place.seat == seat else place.name
        name = _("Free seat") if place.status == "open" else name
        more = _("emails to %(name)s bounce", name=place.name) if place.bounces else ""
        rows.append(Who(place.seat, name, _says(sheet, place.seat), now=place.asked, more=more))
    return rows


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
        return _("has resigned; the clock plays")
    if place.absent:
        return _("is absent; the clock plays")
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
