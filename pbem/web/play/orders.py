"""Orders on the page of their seat: read what one will do, save it, stop one or all. Nobody else is shown any of it."""

from flask import Blueprint, Response, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from pbem.errors import N_, Gone, Problem, Stale
from pbem.services.play import ordering
from pbem.services.views import seats
from pbem.services.views.match_views import View
from pbem.services.views.seats import Seated
from pbem.web.play import order_panel, seat_page
from pbem.web.protocol.language import speak
from pbem.web.protocol.page import claim_of, page, site

bp = Blueprint("orders", __name__)


@bp.get("/play/<token>/orders")
def show(token: str) -> AnyResponse:
    """Leads to the orders on the seat's page."""
    seat_page.open_link(token)
    return redirect(url_for("play.show", token=token, _anchor="orders"), 303)


@bp.post("/play/<token>/orders")
def order(token: str) -> AnyResponse:
    """Saves the order whose sentence stood above the button; anything else that was entered is told first.

    What was entered stays in its fields, also when the match has moved on meanwhile.
    """
    seated, view = _enter(token)
    entered, version = order_panel.entered_in(request.form), _version()
    told = order_panel.tell(view, seated.seat, entered)
    agreed = request.form.get("do") == "save" and told.says is not None and request.form.get("said") == told.text
    if not agreed:
        moved = Stale(ordering.MOVED_ON) if version != view.sheet.version else None
        return seat_page.render_orders(token, seated, view, entered, moved)
    try:
        done = ordering.add_order(site(), claim_of(token), version, told.text, "web")
    except Problem as problem:
        return seat_page.render_orders(token, *_enter(token), entered, problem)
    word = "answered" if done.answered else "ordered"
    return redirect(url_for("play.show", token=token, done=word, _anchor="orders"), 303)


@bp.post("/play/<token>/orders/say")
def say(token: str) -> Response:
    """Returns, for the script, the part of the form that tells what the entered order will do."""
    seated, view = _enter(token)
    told = order_panel.tell(view, seated.seat, order_panel.entered_in(request.form))
    return page("play/order_said.html", game=view.game, told=told)


@bp.post("/play/<token>/orders/stop")
def stop(token: str) -> AnyResponse:
    """Stops one order, given in its typed form; or all of them. That it has ended already is no problem."""
    claim = seat_page.open_link(token)
    try:
        if "all" in request.form:
            ordering.stop_orders(site(), claim)
        else:
            ordering.stop_order(site(), claim, request.form.get("order", ""))
    except Problem as problem:
        return seat_page.render_problem(token, problem)
    word = "all_stopped" if "all" in request.form else "stopped"
    return redirect(url_for("play.show", token=token, done=word, _anchor="orders"), 303)


@bp.post("/play/<token>/orders/read")
def read(token: str) -> AnyResponse:
    """Puts away what the orders have done, which their owner has read."""
    claim = seat_page.open_link(token)
    ordering.note_read(site(), claim, max(_version(), 0))
    return redirect(url_for("play.show", token=token), 303)


@bp.get("/stop-orders/<token>")
def ask_stop_all(token: str) -> Response:
    """Explains stopping all orders, with the button for it, for the link in a mail."""
    seated = seats.read_seat(site(), claim_of(token, "orders"))
    speak(seated.language)
    return page("play/stop_orders.html", game=seated.sheet.game, token=token, seated=seated, sheet=seated.sheet)


@bp.post("/stop-orders/<token>")
def stop_all(token: str) -> AnyResponse:
    """Stops all orders of the seat."""
    ordering.stop_orders(site(), claim_of(token, "orders"))
    return redirect(url_for("orders.ask_stop_all", token=token), 303)


def _enter(token: str) -> tuple[Seated, View]:
    """Returns the seat and the match as it sees it. Raises Unauthorized, and Gone before the match has begun."""
    seated, view = seats.read_play(site(), claim_of(token))
    speak(seated.language)
    if view.fold is None:
        raise Gone(N_("The match has not begun yet."))
    return seated, view


def _version() -> int:
    """Returns the version of the match at which the form was made; -1, which none has, if it is no number."""
    typed = request.form.get("version", "")
    return int(typed) if typed.isascii() and typed.isdecimal() and len(typed) < 9 else -1
