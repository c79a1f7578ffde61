"""A player's calendar, on the page of preferences: holidays, weekends, quiet hours."""

from collections.abc import Callable
from datetime import date

from flask import Blueprint, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from pbem.errors import N_, Changed, Invalid, Problem
from pbem.services.clock import holidays
from pbem.web.account import preferences
from pbem.web.protocol import forms
from pbem.web.protocol.language import _
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
    csrf.protect()
    player, weekends = require_player(), request.form.get("weekends") == "1"
    try:
        quiet = holidays.checked_quiet(request.form.get("from", ""), request.form.get("to", ""))
        holidays.set_hours(site(), player.id, weekends, quiet, version=forms.seen_version())
    except Changed as problem:
        return _ask_again(problem, player.id, weekends, quiet)
    except Problem as problem:
        return preferences(player, problem)
    return redirect(url_for("account.me", done="1"), 303)


def _ask_again(problem: Changed, player_id: int, weekends: bool, quiet: tuple[int, int] | None) -> AnyResponse:
    def hours(told: tuple[int, int] | None) -> str:
        return " – ".join(_("%(hour)s:00", hour=hour) for hour in told or ()) or "–"

    weekends_off, stored = holidays.hours_of(holidays.read_calendar(site(), player_id))
    fields = (
        forms.Field(_("Pause my clock at weekends"), weekends_off, weekends, forms.yes_or_no),
        forms.Field(_("Hours without a deadline"), stored, quiet, hours),
    )
    return forms.ask_again(problem, fields, url_for("account.me"))


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
