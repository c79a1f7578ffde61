"""What the organiser does about seats that stay empty; playing a match again."""

from collections.abc import Callable
from typing import Any

from flask import Blueprint, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from pbem.errors import N_, Changed, NotFound, Problem, Stale
from pbem.kit.options import in_words
from pbem.render import problems
from pbem.services.lobby import joining, rematches
from pbem.services.lobby.seating import SeatSeen
from pbem.services.tokens import SeatClaim
from pbem.services.views import seats
from pbem.services.views.match_views import Sheet
from pbem.web.play import seat_page
from pbem.web.protocol.forms import typed_word
from pbem.web.protocol.language import page_language, speak
from pbem.web.protocol.page import claim_of, number_in, site
from pbem.web.protocol.sign_in import caller, current_player

bp = Blueprint("join", __name__)


@bp.post("/play/<token>/open")
def open_seat(token: str) -> AnyResponse:
    """Opens a seat that nobody has taken, or makes a new link to it."""
    return organise(token, "opened", lambda claim, place: joining.open_seat(site(), claim, place, seat_seen()))


@bp.post("/play/<token>/fill")
def fill(token: str) -> AnyResponse:
    """Gives a seat that nobody has taken to a bot."""
    bot = request.form.get("bot", "")
    return organise(token, "filled", lambda claim, place: joining.fill(site(), claim, place, bot, seat_seen()))


def seat_seen() -> SeatSeen | None:
    """Returns the seat as the organiser saw it beside the form; None if that was opened before forms told it."""
    if (told := request.form.get("version")) is None:
        return None
    status, _, name = told.partition(" ")
    return SeatSeen(name, status)


def organise(token: str, done: str, act: Callable[[SeatClaim, int], object]) -> AnyResponse:
    """Acts on the seat that the form names, and leads back to the organiser's page, which says that it is `done`.

    A problem that `act` raises is shown there.
    """
    claim, place = claim_of(token), number_in("seat", 2)
    try:
        if place is None:
            raise NotFound(N_("There is no such seat."))
        act(claim, place)
    except Changed as problem:  # the page shows the seat as it is now, and beside it what was entered
        return seat_page.render_problem(token, Stale(problem.message))
    except Problem as problem:
        return seat_page.render_problem(token, problem)
    return redirect(url_for("play.show", token=token, done=done), 303)


@bp.post("/play/<token>/rematch")
def rematch(token: str) -> AnyResponse:
    """Creates the rematch, or finds it, and leads to the player's seat in it, unless somebody else is signed in."""
    player, claim = current_player(), claim_of(token)
    seated, view = seats.read_play(site(), claim)
    speak(seated.language)
    try:
        way = rematches.sit_down_again(site(), claim, caller(player), word=typed_word())
    except Problem as problem:
        return seat_page.render(token, seated, view, trouble=problem)
    if way.seat == "mail":
        return redirect(url_for("play.show", token=token, done="again_by_mail"), 303)
    done = "rematch" if way.made else "sat" if way.sat else None
    return redirect(url_for("play.show", token=way.token, done=done), 303)


# --- beside the board ----------------------------------------------------------------------------------------


def settings(sheet: Sheet) -> list[tuple[str, str]]:
    """Returns the options of a match in words, the choices as they go on after a colon."""
    lang = page_language()
    chosen = [(title[lang], choice[lang]) for title, choice in in_words(sheet.game.meta, sheet.options)]
    return [(title, choice[:1].lower() + choice[1:]) for title, choice in chosen]


@bp.app_context_processor
def template_variables() -> dict[str, Any]:
    """Returns what the templates of a match's pages use: `alike(sheet)`, the warnings of names that look alike,
    `rematch_of(sheet)`, `settings(sheet)`.
    """
    return {
        "alike": lambda sheet: [problems.name_lookalikes(sheet.names, seats, page_language()) for seats in sheet.alike],
        "rematch_of": lambda sheet: rematches.read_rematch(site(), sheet.id) if sheet.over else None,
        "settings": settings,
    }
