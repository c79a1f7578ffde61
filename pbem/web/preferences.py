"""A player's preferences: language and mails, their calendar, what they show of themselves, their access tokens."""

from collections.abc import Callable
from datetime import date
from typing import Any

from flask import Blueprint, Response, redirect, request, url_for
from msgspec.structs import asdict
from werkzeug.wrappers import Response as AnyResponse

from pbem.errors import N_, Changed, Invalid, NotFound, Problem
from pbem.render import i18n
from pbem.services.access import access_tokens
from pbem.services.clock import holidays
from pbem.services.kinds import kinds_of_mail_sent
from pbem.services.mail import digests
from pbem.services.players import players
from pbem.services.results import sharing
from pbem.web.features import also_may, parts_of
from pbem.web.protocol import forms
from pbem.web.protocol.forms import zone_field, zone_typed
from pbem.web.protocol.language import _, page_language, remember_language
from pbem.web.protocol.page import form_version, page, site
from pbem.web.protocol.sign_in import csrf, require_player, require_player_of_form, require_visitor
from pbem.web.views.match_page import day_text

bp = Blueprint("preferences", __name__)
LIVES = (7, 30, 90, 366)
"""For how many days a token may hold good, as the form offers it; besides without an end."""
USUAL_LIFE, USUAL_SCOPES = "90", ("read", "play")


@bp.get("/me")
def show_preferences(trouble: Problem | None = None) -> Response:
    """Shows the player's preferences, with the problem that prevented a change."""
    player = require_visitor()
    calendar = holidays.read_calendar(site(), player.id)
    return page(
        "account/preferences.html", refused=trouble, player=player,
        language=request.form.get("language", player.language), zone=zone_field(player.zone),
        hour=request.form.get("digest", _digest_hour_text(player.digest_hour)),
        pictures=player.pictures if (wanted := _is_pictures_box_ticked()) is None else wanted,
        calendar=calendar, today=calendar.day_of(site().now()), written=day_text, allowance=holidays.ALLOWANCE,
        parts=parts_of("preferences_page", player) if player.address is not None else [],
        shared=sharing.read_shared(site(), player.id), weekly_sent="week" in kinds_of_mail_sent(site().config.features),
        hours=holidays.clock_hours(calendar),
        version=form_version(*digests.mail_settings_of(player), entered="language" in request.form),
    )  # fmt: skip


def _digest_hour_text(hour: int | None) -> str:
    """Returns the hour of the daily digest as typed; None for a mail each turn."""
    return "" if hour is None else str(hour)


def _is_pictures_box_ticked() -> bool | None:
    """Returns whether the box for pictures in mails is ticked; None if the form has no such box.

    A browser leaves out a box that is not ticked, so a hidden "0" stands before it in the form.
    """
    said = request.form.getlist("pictures")
    return "1" in said if said else None


@bp.post("/me")
def change_preferences() -> AnyResponse:
    """Sets language, time zone, a mail each turn or one a day, and whether mails show the board as a picture."""
    csrf.protect()
    player = require_visitor()
    language, pictures = request.form.get("language", ""), _is_pictures_box_ticked()
    try:
        hour = digests.check_digest_hour(request.form.get("digest", _digest_hour_text(player.digest_hour)))
        stored = digests.set_preferences(
            site(), player.id, language, zone_typed(), hour, pictures=pictures, version=forms.form_version_seen()
        )  # fmt: skip
    except Changed as problem:
        entered = (language, zone_typed(), hour, player.pictures if pictures is None else pictures)
        return _ask_again_for_preferences(problem, player.id, entered)
    except Problem as problem:
        return show_preferences(problem)
    return remember_language(redirect(url_for("preferences.show_preferences", done="1"), 303), stored)


def _ask_again_for_preferences(
    problem: Changed, player_id: int, entered: tuple[str, str, int | None, bool]
) -> Response:
    def digest_in_words(hour: int | None) -> str:
        return _("An email each turn") if hour is None else _("One email a day, at %(hour)s:00", hour=hour)

    titles = (_("Language"), _("Time zone"), _("Emails"), _("Show the board as a picture in my emails"))
    says: tuple[Callable[[Any], str], ...] = (
        {"fr": "Français", "en": "English"}.__getitem__,
        str,
        digest_in_words,
        forms.yes_or_no,
    )
    stored = digests.mail_settings_of(players.read_account(site(), player_id))
    fields = [
        forms.Field(title, now, wanted, words)
        for title, now, wanted, words in zip(titles, stored, entered, says, strict=True)
    ]
    return forms.ask_again_after_change(problem, fields, url_for("preferences.show_preferences"))


# --- holidays, weekends, quiet hours ------------------------------------------------------------------------


def _change_and_show(change: Callable[[int], None]) -> AnyResponse:
    """Makes a change for the signed-in player, and shows their page again."""
    player = require_player_of_form()
    try:
        change(player.id)
    except Problem as problem:
        return show_preferences(problem)
    return redirect(url_for("preferences.show_preferences", done="1"), 303)


@bp.post("/me/hours")
def set_quiet_hours() -> AnyResponse:
    """Sets weekends and quiet hours."""
    player, weekends = require_player_of_form(), request.form.get("weekends") == "1"
    try:
        quiet = holidays.parse_quiet_hours(request.form.get("from", ""), request.form.get("to", ""))
        holidays.set_clock_hours(site(), player.id, weekends, quiet, version=forms.form_version_seen())
    except Changed as problem:
        weekends_off, stored = holidays.clock_hours(holidays.read_calendar(site(), player.id))
        fields = (
            forms.Field(_("Pause my clock at weekends"), weekends_off, weekends, forms.yes_or_no),
            forms.Field(_("Hours without a deadline"), stored, quiet, _quiet_hours_text),
        )
        return forms.ask_again_after_change(problem, fields, url_for("preferences.show_preferences"))
    except Problem as problem:
        return show_preferences(problem)
    return redirect(url_for("preferences.show_preferences", done="1"), 303)


def _quiet_hours_text(told: tuple[int, int] | None) -> str:
    return " – ".join(_("%(hour)s:00", hour=hour) for hour in told or ()) or "–"


@bp.post("/me/holiday")
def announce_holiday() -> AnyResponse:
    """Announces a holiday."""
    return _change_and_show(
        lambda player: holidays.add_holiday(site(), player, _date_in_form("first"), _date_in_form("last"))
    )


@bp.post("/me/holiday/end")
def cancel_holiday() -> AnyResponse:
    """Cancels a holiday; one that has already begun ends today."""
    return _change_and_show(lambda player: holidays.cancel_holiday(site(), player, _date_in_form("first")))


def _date_in_form(field: str) -> date:
    try:
        return date.fromisoformat(request.form.get(field, ""))
    except ValueError:
        raise Invalid(N_("A day is written like 2026-07-14.")) from None


# --- what they show of themselves ---------------------------------------------------------------------------


@bp.post("/me/shown")
def set_visibility() -> AnyResponse:
    """Sets what the player shows: a box that is not ticked is left out of the form."""
    player = require_player_of_form()
    ticked = {name: name in request.form for name in ("rated", "pace_shown", "weekly")}
    try:
        sharing.choose_what_to_share(
            site(), player.id, rated=ticked["rated"], pace_shown=ticked["pace_shown"], weekly=ticked["weekly"],
            version=forms.form_version_seen(),
        )  # fmt: skip
    except Changed as problem:
        titles = (
            _("Rate me"),
            _("Show others how fast I usually answer"),
            _("Send me an email a week about my circles and seasons, if I have any"),
        )
        stored = asdict(sharing.read_shared(site(), player.id).choices)
        fields = [
            forms.Field(title, stored[name], now, forms.yes_or_no)
            for title, (name, now) in zip(titles, ticked.items(), strict=True)
        ]
        return forms.ask_again_after_change(problem, fields, url_for("preferences.show_preferences", _anchor="shown"))
    return redirect(url_for("preferences.show_preferences", done="1", _anchor="shown"), 303)


# --- access tokens ------------------------------------------------------------------------------------------


@bp.get("/me/tokens")
def show_tokens(
    trouble: Problem | None = None, made: tuple[access_tokens.TokenSheet, str | None] | None = None
) -> Response:
    """Shows the player's tokens and the form for a new one; with the one just created, or with why none was."""
    player, typed = require_player(), request.form if trouble else None
    may = {
        "read": _("see your matches as you see them"),
        "play": _("play, talk and resign for you, and change your calendar"),
        "create": _("start matches for you, invite people, call off what has not begun"),
    }
    may = {scope: ", ".join((words, *also_may(scope))) for scope, words in may.items()}
    return page(
        "account/access_tokens.html", refused=trouble,
        tokens=access_tokens.list_active_tokens(site(), player.id), made=made, zone=player.zone, lives=LIVES, may=may,
        words=lambda scopes: i18n.join_and([may[scope] for scope in scopes], page_language()),
        name=typed.get("name", "") if typed else "", days=typed.get("days", "") if typed else USUAL_LIFE,
        chosen=typed.getlist("scope") if typed else USUAL_SCOPES,
    )  # fmt: skip


@bp.post("/me/tokens")
def create_token() -> Response:
    """Creates a token and shows it, in this answer only."""
    player = require_player_of_form()
    try:
        days = _token_lifetime(request.form.get("days", ""))
        made = access_tokens.create_token(
            site(), player.id, request.form.get("name", ""), request.form.getlist("scope"), days
        )
    except Problem as problem:
        return show_tokens(problem)
    return show_tokens(made=made)


@bp.post("/me/tokens/<int:token_id>/revoke")
def revoke_token(token_id: int) -> AnyResponse:
    """Revokes a token."""
    player = require_player_of_form()
    try:
        access_tokens.revoke_token(site(), player.id, token_id)
    except NotFound as problem:  # it was revoked on another page, or has expired
        return show_tokens(problem)
    return redirect(url_for("preferences.show_tokens", done="1"), 303)


def _token_lifetime(typed: str) -> int | None:
    """Returns the lifetime chosen in the form; None for no expiry. Raises Invalid."""
    if not typed:
        return None
    if not (typed.isascii() and typed.isdigit() and len(typed) < 5):
        raise Invalid(N_("A token is valid for 1 to 366 days, or until you revoke it."))
    return int(typed)
