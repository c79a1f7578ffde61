"""The organiser's forms: founding a league, announcing its seasons, inviting, bots, ending it."""

from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from flask import Blueprint, Response, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from pbem.errors import N_, Invalid, Problem
from pbem.features.leagues import founding, reading
from pbem.features.leagues.entry import entering
from pbem.features.leagues.pages.showing import show, show_season
from pbem.kit.bots import usual_bot
from pbem.services.lobby.match_request import Invitee, Person, Unnamed, require_game
from pbem.services.players.players import Account
from pbem.web.lobby.match_form import read_people
from pbem.web.lobby.start import games_by_ease
from pbem.web.protocol.language import page_language
from pbem.web.protocol.page import page, site
from pbem.web.protocol.sign_in import require_player, require_player_of_form

bp = Blueprint("organising", __name__)
TURNS = (43_200, 86_400, 172_800, 259_200, 604_800)
"""The times for a turn that the form offers."""
HOUR = 12
"""The hour at which seasons begin, in their organiser's zone."""


@bp.get("/leagues/new")
def ask(trouble: Problem | None = None) -> Response:
    """Shows the form that founds a league, and the problem that it met."""
    player = require_player()
    typed = request.form
    today = site().now().astimezone(ZoneInfo(player.zone)).date()
    return page(
        "features/leagues/form.html", games=games_by_ease(), turns=TURNS, typed=typed, fresh=not typed, refused=trouble,
        starts=typed.get("starts", (today + timedelta(days=7)).isoformat()), first_day=today.isoformat(),
    )  # fmt: skip


@bp.post("/leagues/new")
def make() -> AnyResponse:
    """Founds a league with its first season."""
    player, form = require_player_of_form(), request.form
    try:
        made = founding.found_league(
            site(), player.id, form.get("name", ""), form.get("game", ""), _terms_in_form(), _start_in_form(player),
            listed=form.get("listed") == "on",
        )  # fmt: skip
    except Problem as problem:
        return ask(problem)
    return redirect(url_for("leagues.show_season", season_id=made.season_id), 303)


def _terms_in_form() -> dict[str, Any]:
    """Returns the terms as typed. Raises Invalid."""
    form = request.form
    terms: dict[str, Any] = {
        name: _number_in_form(name) for name in ("seats", "division_size", "days", "promoted", "relegated", "turn_s")
    }
    # A field called "matches" would hide the form's own method of that name from scripts.
    terms["matches"] = _number_in_form("matches_each")
    terms["unfinished"] = form.get("unfinished", "half")
    terms["duplicate"] = form.get("duplicate") == "on"
    terms["bots"] = [usual_bot(require_game(form.get("game", "")))] if form.get("bots") == "on" else []
    terms["rest_days"] = 7 if form.get("repeats") == "on" else None
    return terms


def _number_in_form(name: str) -> int:
    typed = request.form.get(name, "").strip()
    if not (typed.isascii() and typed.isdigit() and len(typed) < 8):
        raise Invalid(N_("“%(name)s” must be a number."), {"name": name})
    return int(typed)


def _start_in_form(player: Account) -> datetime:
    try:
        day = date.fromisoformat(request.form.get("starts", ""))
    except ValueError:
        raise Invalid(N_("Please choose the day on which the season begins.")) from None
    return datetime.combine(day, time(HOUR), ZoneInfo(player.zone))


@bp.post("/league/<league_id>/season")
def open_season(league_id: str) -> AnyResponse:
    """Announces another season of a league that has none."""
    player = require_player_of_form()
    try:
        made = founding.open_season(site(), player.id, league_id, _start_in_form(player))
    except Problem as problem:
        return show(league_id, problem)
    return redirect(url_for("leagues.show_season", season_id=made), 303)


@bp.post("/league/<league_id>/end")
def end(league_id: str) -> AnyResponse:
    """Ends a league."""
    player = require_player_of_form()
    try:
        founding.end_league(site(), player.id, league_id)
    except Problem as problem:
        return show(league_id, problem)
    return redirect(url_for("leagues.show", league_id=league_id, done="ended"), 303)


@bp.post("/season/<season_id>/invite")
def invite(season_id: str) -> AnyResponse:
    """Invites people by mail."""
    player = require_player_of_form()
    try:
        people = [_require_name(one) for one in read_people(request.form.get("people", ""))]
        entering.invite_to_season(site(), player.id, season_id, people, page_language())
    except Problem as problem:
        return show_season(season_id, problem)
    return redirect(url_for("leagues.show_season", season_id=season_id, done="invited"), 303)


def _require_name(one: Person) -> Invitee:
    """Returns the person, if they have a name: the season shows it. Raises Invalid."""
    if isinstance(one, Unnamed):
        raise Invalid(N_("Please give “%(address)s” a name: the season shows it."), {"address": one.address[:80]})
    return one


@bp.post("/season/<season_id>/bots")
def enter_bots(season_id: str) -> AnyResponse:
    """Enters bots."""
    player = require_player_of_form()
    try:
        league, _season = reading.read_league_and_season(site(), player.id, season_id)
        entering.enter_bots(site(), player.id, season_id, usual_bot(league.game), _number_in_form("number"))
    except Problem as problem:
        return show_season(season_id, problem)
    return redirect(url_for("leagues.show_season", season_id=season_id, done="bots"), 303)
