"""Coming back to a seat, who stands in meanwhile, resigning, and voting on a late seat."""

from flask import Blueprint, Response, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from pbem.errors import Changed, Problem
from pbem.render.i18n import join_and
from pbem.services.play import presence, stand_ins, voting
from pbem.services.views import seats
from pbem.web.play import seat_page
from pbem.web.protocol import forms
from pbem.web.protocol.forms import offered_bots
from pbem.web.protocol.language import _, page_language, speak
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


@bp.post("/play/<token>/stand-in")
def stand_in(token: str) -> AnyResponse:
    """Chooses who plays for the seat while its player is absent."""
    claim, bot = seat_page.open_link(token), request.form.get("bot", "")
    try:
        stand_ins.choose_stand_in(site(), claim, bot, version=forms.seen_version())
    except Changed as problem:
        seated = seats.read_seat(site(), claim)
        titles = {"": _("The clock: a cautious move"), **dict(offered_bots(seated.sheet.game))}
        field = forms.Field(_("Who plays for me"), seated.stand_in, bot, lambda one: titles.get(one, one))
        return forms.ask_again(problem, [field], url_for("play.show", token=token))
    except Problem as problem:
        return seat_page.render_problem(token, problem)
    return redirect(url_for("play.show", token=token, done="stands_in"), 303)


@bp.get("/play/<token>/resign")
def ask_resign(token: str) -> Response:
    """Explains resigning, and whether it ends the match, with the button for it."""
    seated = seats.read_seat(site(), claim_of(token))
    speak(seated.language)
    sheet = seated.sheet
    end = presence.end_by_resigning(sheet.seats, seated.seat)
    winners = join_and([sheet.names[seat] for seat in end.winners], page_language()) if end else ""
    return page("play/resign.html", game=sheet.game, token=token, seated=seated, sheet=sheet, end=end, winners=winners)


@bp.post("/play/<token>/resign")
def resign(token: str) -> AnyResponse:
    """Resigns: the clock moves for the seat until the end, or the match is over."""
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
