"""Coming back to a seat, resigning, and voting on a late seat."""

from flask import Blueprint, Response, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from pbem.errors import Problem
from pbem.services.play import presence, voting
from pbem.services.views import seats
from pbem.web.play import seat_page
from pbem.web.protocol.language import speak
from pbem.web.protocol.page import claim_of, page, site

bp = Blueprint("presence", __name__)


@bp.post("/play/<token>/back")
def back(token: str) -> AnyResponse:
    """Ends the absence of the seat's player."""
    claim = seat_page.open_link(token)
    try:
        presence.come_back(site(), claim)
    except Problem as problem:
        return seat_page.render_problem(token, problem)
    return redirect(url_for("play.show", token=token, done="back"), 303)


@bp.get("/play/<token>/resign")
def ask_resign(token: str) -> Response:
    """Explains resigning, with the button for it."""
    seated = seats.read_seat(site(), claim_of(token))
    speak(seated.language)
    return page("play/resign.html", game=seated.sheet.game, token=token, seated=seated, sheet=seated.sheet)


@bp.post("/play/<token>/resign")
def resign(token: str) -> AnyResponse:
    """Resigns: the clock moves for the seat until the end."""
    claim = seat_page.open_link(token)
    try:
        presence.resign(site(), claim)
    except Problem as problem:
        return seat_page.render_problem(token, problem)
    return redirect(url_for("play.show", token=token), 303)


@bp.post("/play/<token>/vote")
def vote(token: str) -> AnyResponse:
    """Votes for letting the clock move for a late seat."""
    claim = seat_page.open_link(token)
    try:
        voting.vote(site(), claim, request.form.get("late", -1, int))
    except Problem as problem:
        return seat_page.render_problem(token, problem)
    return redirect(url_for("play.show", token=token, done="voted"), 303)
