"""A player's calendar, on the page of preferences: holidays, weekends, quiet hours."""

from collections.abc import Callable
from datetime import date

from flask import Blueprint, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from pbem.errors import N_, Invalid, Problem
from pbem.services.clock import holidays
from pbem.web.account import preferences
from pbem.web.protocol.page import site
from pbem.web.protocol.sign_in import csrf, require_player

bp = Blueprint("hours", __name__)


def _change(change: Callable[[int], None]) -> AnyResponse:
    """Makes a change for the signed-in player, and shows their page again."""
    csrf.protect()
    player = require_player()
    try:
        change(player.id)
    except Problem as problem:
        return preferences(player, problem)
    return redirect(url_for("account.me", done="1"), 303)


@bp.post("/me/hours")
def hours() -> AnyResponse:
    """Sets weekends and quiet hours."""
    weekends = request.form.get("weekends") == "1"
    first, last = request.form.get("from", ""), request.form.get("to", "")
    return _change(lambda player: holidays.set_hours(site(), player, weekends, holidays.checked_quiet(first, last)))


@bp.post("/me/holiday")
def holiday() -> AnyResponse:
    """Announces a holiday."""
    return _change(lambda player: holidays.announce(site(), player, _day("first"), _day("last")))


@bp.post("/me/holiday/end")
def end() -> AnyResponse:
    """Cancels a holiday; one that has already begun ends today."""
    return _change(lambda player: holidays.take_back(site(), player, _day("first")))


def _day(field: str) -> date:
    try:
        return date.fromisoformat(request.form.get(field, ""))
    except ValueError:
        raise Invalid(N_("A day is written like 2026-07-14.")) from None
