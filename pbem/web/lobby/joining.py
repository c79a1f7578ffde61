"""Coming to a table by its link, and what the organiser does about seats that stay empty; playing a match again."""

from collections.abc import Callable
from typing import Any

from flask import Blueprint, Response, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from pbem.errors import Problem, Unauthorized
from pbem.kit.options import in_words
from pbem.render import lookalikes
from pbem.render.problems import sentence
from pbem.services.lobby import joining, rematches
from pbem.services.lobby.joining import Opening
from pbem.services.lobby.match_request import Invitee
from pbem.services.players.players import Account
from pbem.services.tokens import SeatClaim
from pbem.services.views import seats
from pbem.services.views.match_views import Sheet
from pbem.web.play import seat_page
from pbem.web.play.sidebar import around
from pbem.web.protocol.language import _, settle, speak, spoken
from pbem.web.protocol.page import claim_of, page, site
from pbem.web.protocol.sign_in import caller, checked_player, signed_in
from pbem.web.protocol.time_zones import zones
from pbem.web.views.match_page import who

bp = Blueprint("join", __name__)


@bp.get("/join/<token>")
def ask_join(token: str) -> Response:
    """Which match it is, who sits there already, and the form by which one asks for the seat."""
    return _ask(token, joining.read_opening(site(), site().tokens.read_opening(token)), signed_in())


def _ask(token: str, opening: Opening, player: Account | None, trouble: Problem | None = None) -> Response:
    sheet, form = opening.sheet, request.form
    common, placed = zones()
    name = seats.known_name(site(), player) if player else ""
    return page(
        "lobby/join.html", game=sheet.game, refused=trouble, token=token, opening=opening,
        sheet=sheet, player=player, own=seats.own_seat(site(), player, sheet.id) if player else None,
        who=who(sheet, None) if opening.free else [],
        trouble=sentence(trouble, spoken()) if trouble else None,
        name=form.get("name", name), address=form.get("address", ""),
        language=form.get("language", spoken()), zone=form.get("zone", "Europe/Paris"), common=common, placed=placed,
    )  # fmt: skip


def settings(sheet: Sheet) -> list[tuple[str, str]]:
    """The options of a match in words."""
    lang = spoken()
    return [(title[lang], chosen[lang]) for title, chosen in in_words(sheet.game.meta, sheet.options)]


@bp.post("/join/<token>")
def join(token: str) -> AnyResponse:
    """Asks for the seat: who is signed in sits down at once, anybody else by the mail that comes now."""
    player, claim = checked_player(), site().tokens.read_opening(token)
    name, language = request.form.get("name", ""), request.form.get("language", "")
    try:
        if player is not None:
            match_id, seat = joining.sit_down(site(), claim, player.id, name)
            return redirect(url_for("play.show", token=seats.play_token(site(), match_id, seat), done="sat"), 303)
        who_else = Invitee(name, request.form.get("address", ""))
        joining.join(site(), claim, who_else, language, request.form.get("zone", ""))
    except Unauthorized:
        raise
    except Problem as problem:
        return _ask(token, joining.read_opening(site(), claim), player, problem)
    return settle(redirect(url_for("join.sent", token=token), 303), language)


@bp.get("/join/<token>/sent")
def sent(token: str) -> Response:
    """Where to look now: the same page whether or not the address was known."""
    opening = joining.read_opening(site(), site().tokens.read_opening(token))
    text = _("An invitation is on its way to the address that you gave. The seat is yours when you accept it there.")
    return page(
        "note.html", game=opening.sheet.game, title=_("Check your mailbox"), text=text, mailbox=True,
        sheet=opening.sheet,
    )  # fmt: skip


# --- what the organiser does ---------------------------------------------------------------------------------


@bp.post("/play/<token>/open")
def open_seat(token: str) -> AnyResponse:
    """Opens a seat that nobody has taken, or makes a new link to it."""
    return _organise(token, "opened", lambda claim, place: joining.open_seat(site(), claim, place))


@bp.post("/play/<token>/fill")
def fill(token: str) -> AnyResponse:
    """Gives a seat that nobody has taken to a bot."""
    bot = request.form.get("bot", "")
    return _organise(token, "filled", lambda claim, place: joining.fill(site(), claim, place, bot))


def _organise(token: str, done: str, act: Callable[[SeatClaim, int], Any]) -> AnyResponse:
    claim, place = claim_of(token), request.form.get("seat", "")
    try:
        act(claim, int(place) if place.isascii() and place.isdecimal() and len(place) < 3 else -1)
    except Problem as problem:
        seated, view = seats.read_play(site(), claim)
        speak(seated.language)
        return seat_page.render(token, seated, view, trouble=problem)
    return redirect(url_for("play.show", token=token, done=done), 303)


@bp.post("/play/<token>/rematch")
def rematch(token: str) -> AnyResponse:
    """The match once more: made now, or there already; one's way into it comes by mail, or at once if signed in."""
    player, claim = signed_in(), claim_of(token)
    seated, view = seats.read_play(site(), claim)
    speak(seated.language)
    try:
        way = rematches.play_again(site(), claim, caller(player))
    except Problem as problem:
        return seat_page.render(token, seated, view, trouble=problem)
    if way.seat == "play":
        return redirect(url_for("play.show", token=way.token, done="rematch"), 303)
    if way.seat == "invitation":
        return redirect(url_for("lobby.ask_accept", token=way.token), 303)
    return redirect(url_for("play.show", token=token, done="again_by_mail"), 303)


# --- beside the board ----------------------------------------------------------------------------------------


@bp.app_context_processor
def beside() -> dict[str, Any]:
    """What templates of a match's pages may ask for: `alike(sheet)`, the warnings of names that look alike,
    `around(seated)`, `rematch_of(sheet)`, `settings(sheet)`.
    """
    return {
        "alike": lambda sheet: [lookalikes.warning(sheet.names, seats, spoken()) for seats in sheet.alike],
        "around": around,
        "rematch_of": lambda sheet: rematches.read_rematch(site(), sheet.id) if sheet.over else None,
        "settings": settings,
    }
