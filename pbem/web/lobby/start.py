"""The home page, which lists the matches of a signed-in player, and the form that starts a match."""

from flask import Blueprint, Response, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from pbem.errors import N_, Invalid, NotFound, Problem
from pbem.games import all_games, find_game
from pbem.kit.contract import AnyGame
from pbem.render.problems import sentence
from pbem.services.lobby import matches
from pbem.services.players.players import Account
from pbem.services.views import match_views, seats
from pbem.services.who import ORGANISER
from pbem.web.lobby.match_form import PERSON, Form, Row, empty_form, read_form
from pbem.web.lobby.sent import lead_to_page
from pbem.web.protocol.known_browsers import known_player
from pbem.web.protocol.language import page_language
from pbem.web.protocol.page import page, site
from pbem.web.protocol.sign_in import caller, checked_player, current_player
from pbem.web.views.match_list import groups_of
from pbem.web.views.share import home_card

bp = Blueprint("start", __name__)


@bp.get("/")
def home() -> Response:
    """Shows a signed-in player their matches, anybody else what this site is, and the games."""
    player = current_player()
    groups = groups_of(player) if player else []
    card = None if player else home_card()
    return page(
        "lobby/home.html", games=all_games().values(), player=player, groups=groups, now=site().now(), card=card
    )


@bp.get("/new")
def new() -> Response:
    """Shows the form for a match of the game in the query, or of the first game."""
    game = _game(request.args.get("game") or next(iter(all_games()), ""))
    player = current_player()
    me = Row(PERSON, seats.latest_name(site(), player), player.address or "") if player else Row(PERSON)
    return _form(empty_form(game, site().config, me, request.args.get("others", "")), player)


@bp.post("/new")
def create() -> AnyResponse:
    """Creates the match; errors are shown beside their fields, and nothing typed is lost."""
    player = checked_player()
    form = read_form(_game(request.form.get("game", "")), site().config, request.form, player)
    if any(row.wrong for row in form.rows):
        return _form(form, player, Invalid(N_("Some of your entries need correcting.")))
    try:
        match_id = matches.create(site(), caller(player), form.match(), browser=known_player())
    except Problem as problem:
        return _form(form, player, problem)
    sheet = match_views.read_sheet(site(), match_id, ORGANISER)
    if player is None or sheet.status == "unconfirmed":
        # Seat numbers, not names: an address made up by somebody must not put their words on our page.
        alike = "-".join(str(seat + 1) for seat in sheet.alike[0]) if sheet.alike else None
        return lead_to_page(match_id, form.rows[ORGANISER].address, alike)
    token = seats.play_token(site(), match_id, ORGANISER)
    return redirect(url_for("play.show", token=token, done="started"), 303)


def _game(slug: str) -> AnyGame:
    game = find_game(slug)
    if game is None:
        raise NotFound(N_("There is no game “%(game)s” here."), {"game": slug[:40]})
    return game


def _form(form: Form, player: Account | None, trouble: Problem | None = None) -> Response:
    return page(
        "lobby/match_form.html", game=form.game, refused=trouble, games=all_games().values(),
        form=form, player=player, trouble=sentence(trouble, page_language()) if trouble else None,
    )  # fmt: skip
