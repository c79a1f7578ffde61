"""Entering a season and withdrawing, on its page or by the link of a mail; no weekly mail."""

from dataclasses import replace
from functools import partial

from flask import Blueprint, Response, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from pbem.errors import Changed, Problem
from pbem.features.leagues import claims, reading, weekly
from pbem.features.leagues.entry import entering
from pbem.features.leagues.news import ENTERED
from pbem.features.leagues.pages import showing
from pbem.services.players.players import NAME_LENGTH, Account, normalise_name
from pbem.services.site import Site
from pbem.web.lobby.offers import take_offer_or_send_mail
from pbem.web.protocol import forms, security
from pbem.web.protocol.language import _, speak
from pbem.web.protocol.page import page, site
from pbem.web.protocol.sign_in import caller_of, require_player_of_form

bp = Blueprint("entry", __name__)


@bp.post("/season/<season_id>/enter")
def enter(season_id: str) -> AnyResponse:
    """Enters the player who is signed in; sends anybody else a mail with the link that enters."""
    return take_offer_or_send_mail(
        replace(entering.OFFER, take=_enter_player), season_id, _redirect_to_season(season_id, "mailed"),
        lambda _entrant: _redirect_to_season(season_id, "entered"), partial(_render_refusal, season_id),
    )  # fmt: skip


def _enter_player(site: Site, season_id: str, who: int, name: str) -> int:
    return entering.enter_player(site, who, season_id, name, version=forms.form_version_seen())


def _redirect_to_season(season_id: str, done: str) -> AnyResponse:
    return redirect(url_for("leagues.show_season", season_id=season_id, done=done), 303)


def _render_refusal(season_id: str, player: Account | None, problem: Problem) -> Response:
    if not isinstance(problem, Changed):
        return showing.show_season(season_id, problem)
    _league, season = reading.read_league_and_season(site(), caller_of(player), season_id)
    name = season.entrant.name if season.entrant and season.own_status == ENTERED else None
    back = url_for("leagues.show_season", season_id=season_id)
    return _ask_again(problem, name, request.form.get("name", ""), back)


@bp.post("/season/<season_id>/withdraw")
def withdraw(season_id: str) -> AnyResponse:
    """Withdraws the player who is signed in."""
    player = require_player_of_form()
    try:
        entering.withdraw_player(site(), player.id, season_id)
    except Problem as problem:
        return showing.show_season(season_id, problem)
    return _redirect_to_season(season_id, "withdrawn")


# --- by the link of a mail -----------------------------------------------------------------------------------


@bp.get("/entry/<token>")
@bp.get("/entry/<token>/decline", endpoint="ask_decline")
def ask(token: str, trouble: Problem | None = None) -> Response:
    """Shows the reader of a mail the season, with the form that enters; once it has begun, what they see of it.

    Mail programs open the second address for the link of their unsubscribe button.
    """
    entry, player = entering.read_entry(site(), site().tokens.read(claims.EntrantClaim, token))
    speak(player.language)
    league, season = reading.read_league_and_season(site(), player.id, entry.season_id)
    parts, public = showing.fields_of_season_page(player.id, league, season, linked=False), league.circle_id is None
    following = parts["following"] if public else None
    return page(
        "features/leagues/entry.html", entry=entry, entered_as=entering.name_if_entered(entry), zone=player.zone,
        token=token, public=public, name=request.form.get("name", entry.name), refused=trouble, **parts,
        next_href=url_for("leagues.show_season", season_id=following.id) if following is not None else None,
    )  # fmt: skip


@bp.post("/entry/<token>")
def confirm(token: str) -> AnyResponse:
    """Enters the season with one press."""
    claim = site().tokens.read(claims.EntrantClaim, token)
    try:
        entering.enter_by_link(site(), claim, request.form.get("name"), version=forms.form_version_seen())
    except Changed as problem:
        entry, _player = entering.read_entry(site(), claim)
        name = request.form.get("name") or entry.name
        return _ask_again(problem, entering.name_if_entered(entry), name, url_for("entry.ask", token=token))
    except Problem as problem:
        return ask(token, problem)
    return redirect(url_for("entry.ask", token=token), 303)


@bp.post("/entry/<token>/decline")
@security.one_click
def decline(token: str) -> AnyResponse:
    """Withdraws, or declines to enter. A mail program's one click (RFC 8058) only declines, and without a page."""
    claim = site().tokens.read(claims.EntrantClaim, token)
    try:
        if security.is_one_click():
            entering.decline_by_link(site(), claim)
        else:
            entering.withdraw_by_link(site(), claim)
    except Problem as problem:
        return ask(token, problem)
    return redirect(url_for("entry.ask", token=token), 303)


def _ask_again(problem: Changed, stored: str | None, entered: str, back: str) -> Response:
    entered, says = normalise_name(entered), lambda name: name or "–"
    field = forms.Field(_("Your name"), stored, entered, says, name="name", longest=NAME_LENGTH)
    return forms.ask_again_after_change(problem, [field], back)


@bp.get("/week/<token>")
def ask_weekly(token: str) -> Response:
    """Explains how to do without the weekly mail, with the button for it."""
    language, wanted = weekly.read_language_and_weekly_setting(site(), site().tokens.read(claims.WeeklyClaim, token))
    speak(language)
    return page("features/leagues/week.html", token=token, wanted=wanted)


@bp.post("/week/<token>")
@security.one_click
def set_weekly(token: str) -> AnyResponse:
    """Turns the weekly mail off, or on again; off without a confirmation for a mail program's one click (RFC 8058)."""
    wanted = request.form.get("weekly") == "on" and not security.is_one_click()
    weekly.set_weekly_setting(site(), site().tokens.read(claims.WeeklyClaim, token), wanted)
    return redirect(url_for("entry.ask_weekly", token=token), 303)
