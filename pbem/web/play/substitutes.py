"""Taking over a seat that was left: the page of the shared link, and that of the link in the mail."""

from typing import Any

from flask import Blueprint, Response, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from pbem.errors import Problem, Unauthorized
from pbem.render.problems import sentence
from pbem.services.lobby.match_request import Invitee
from pbem.services.play import substitutes
from pbem.services.play.substitutes import Vacancy
from pbem.services.players.players import Account
from pbem.services.views import seats
from pbem.web.protocol.language import _, settle, speak, spoken
from pbem.web.protocol.page import page, site
from pbem.web.protocol.sign_in import checked_player, signed_in
from pbem.web.protocol.time_zones import zones
from pbem.web.views.match_page import table, who

bp = Blueprint("substitute", __name__)


@bp.get("/substitute/<token>")
def ask_for(token: str) -> Response:
    """Shows the seat, the match as everybody may see it, and the form that asks for the seat."""
    return _ask(token, substitutes.read_vacancy(site(), site().tokens.read_vacancy(token)), signed_in())


def _ask(token: str, vacancy: Vacancy, player: Account | None, trouble: Problem | None = None) -> Response:
    form = request.form
    name = seats.known_name(site(), player) if player else ""
    return _page(
        vacancy, trouble, token=token, player=player, offered=False,
        own=seats.own_seat(site(), player, vacancy.sheet.id) if player else None,
        name=form.get("name", name), address=form.get("address", ""),
        language=form.get("language", spoken()), zone=form.get("zone", "Europe/Paris"),
    )  # fmt: skip


def _page(vacancy: Vacancy, trouble: Problem | None, **more: Any) -> Response:
    common, placed = zones()
    view, sheet = vacancy.view, vacancy.sheet
    return page(
        "play/substitute.html", game=sheet.game, refused=trouble, vacancy=vacancy, sheet=sheet,
        former=sheet.names[vacancy.seat], table=table(view, (), request.path) if view is not None else None,
        who=who(sheet, None), trouble=sentence(trouble, spoken()) if trouble else None, common=common, placed=placed,
        **more,
    )  # fmt: skip


@bp.post("/substitute/<token>")
def ask(token: str) -> AnyResponse:
    """Asks for the seat: a signed-in player gets it at once, anybody else by a mail."""
    player, claim = checked_player(), site().tokens.read_vacancy(token)
    name, language = request.form.get("name", ""), request.form.get("language", "")
    try:
        if player is not None:
            match_id, seat = substitutes.sit_in(site(), claim, player.id, name)
            return redirect(url_for("play.show", token=seats.play_token(site(), match_id, seat), done="taken"), 303)
        who_else = Invitee(name, request.form.get("address", ""))
        substitutes.ask(site(), claim, who_else, language, request.form.get("zone", ""))
    except Unauthorized:
        raise
    except Problem as problem:
        return _ask(token, substitutes.read_vacancy(site(), claim), player, problem)
    return settle(redirect(url_for("substitute.sent", token=token), 303), language)


@bp.get("/substitute/<token>/sent")
def sent(token: str) -> Response:
    """Says that the mail is on its way; the page does not tell whether the address was known."""
    vacancy = substitutes.read_vacancy(site(), site().tokens.read_vacancy(token))
    text = _("A mail is on its way to the address that you gave. The seat is yours when you accept it there.")
    return page("note.html", game=vacancy.sheet.game, title=_("Check your mailbox"), text=text, mailbox=True)


@bp.get("/takeover/<token>")
def ask_accept(token: str) -> Response:
    """Shows the match as everybody may see it, with the button that takes the seat, or the link to it once taken."""
    return _offer(token)


def _offer(token: str, trouble: Problem | None = None) -> Response:
    vacancy = substitutes.read_offer(site(), site().tokens.read_wish(token))
    speak(vacancy.language)
    form = request.form
    return _page(
        vacancy, trouble, token=token, player=None, own=None, offered=True, name=vacancy.name, address="",
        language=form.get("language", spoken()), zone=form.get("zone", vacancy.zone),
    )  # fmt: skip


@bp.post("/takeover/<token>")
def accept(token: str) -> AnyResponse:
    """Takes the seat, and leads to it."""
    language, zone = request.form.get("language", ""), request.form.get("zone", "")
    try:
        match_id, seat = substitutes.accept(site(), site().tokens.read_wish(token), language, zone)
    except Unauthorized:
        raise
    except Problem as problem:
        return _offer(token, problem)
    play = url_for("play.show", token=seats.play_token(site(), match_id, seat), done="taken")
    return settle(redirect(play, 303), language)
