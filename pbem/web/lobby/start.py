"""The home page, which lists the matches of a signed-in player; the games; and the form that starts a match.

After the form comes the page that names the mail by which its organiser confirms the match, and sends it once more. A
cookie says which match the browser has started. It opens nothing: it names the address that was typed, and asks for
that mail again. A link would do as much wherever it is passed on.
"""

import re
from typing import Any

from flask import Blueprint, Response, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from pbem.errors import N_, Invalid, Problem, Unauthorized
from pbem.games import all_games, broken_games
from pbem.kit.bots import usual_bot
from pbem.kit.contract import AnyGame, Intro
from pbem.origins import origin_own_other_or_unsaid
from pbem.render.pictures import svg_with_names
from pbem.render.problems import why_game_is_broken_in_words
from pbem.services.access.idempotency import IdempotencyKey
from pbem.services.lobby import matches, reminding
from pbem.services.lobby.match_request import BotSeat
from pbem.services.players.players import Account, check_address
from pbem.services.tokens import SentClaim, unknown_link
from pbem.services.views import match_views, seats
from pbem.services.who import ORGANISER
from pbem.web.features import head_of, parts_of
from pbem.web.lobby.match_form import Form, bots_form, empty_form, read_form
from pbem.web.protocol import sign_in
from pbem.web.protocol.language import _, page_language
from pbem.web.protocol.page import game_at, number_in, page, site
from pbem.web.views.match_list import matches_of

bp = Blueprint("start", __name__)

_PRESS = re.compile(r"[0-9a-f]{32}")
GUEST_ZONE = "Europe/Paris"
"""Nothing of a guest's has a deadline, so they are not asked for their time zone."""
SENT_COOKIE = "sent"


@bp.get("/")
def show_home() -> Response:
    """Shows a player, or a guest with matches, what they play; anybody else what this site is, and the games."""
    player = sign_in.current_visitor()
    mine = matches_of(player) if player is not None else None
    if player is not None and mine is not None and (mine.groups or player.address is not None):
        return page(
            "lobby/home.html", boards_of=mine.games, player=player, mine=mine, now=site().now(),
            parts=parts_of("home_page", player),
        )  # fmt: skip
    return _render_games("lobby/newcomer.html", in_head=head_of(None))


@bp.get("/games")
def show_games() -> Response:
    """Shows the games, the easiest first."""
    sign_in.current_visitor()  # whose language it speaks
    return _render_games("lobby/all_games.html", parts=parts_of("games_page"))


def _render_games(template: str, **more: Any) -> Response:
    """Renders a page that shows the games; those that cannot be played here at present are named with the reason."""
    found = games_by_ease()
    broken = [(one.slug, why_game_is_broken_in_words(one.why, page_language())) for one in broken_games()]
    return page(template, boards_of=found, games=found, broken=broken, **more)


@bp.get("/games/<slug>")
def show_game(slug: str) -> Response:
    """Shows what the game is, for somebody who does not know it yet, and the ways to play it. Raises NotFound."""
    game = game_at(slug)
    sign_in.current_visitor()  # whose language it speaks
    lang, intro = page_language(), game.intro or Intro()
    turn = [(svg_with_names(picture.draw(lang), ()), picture.text[lang]) for picture in intro.turn]
    return page(
        "lobby/game.html", boards_of=(game,), offered=game, intro=intro, turn=turn, usual=usual_bot(game),
        in_head=head_of(game),
    )  # fmt: skip


@bp.post("/now")
def play_now() -> AnyResponse:
    """Starts a match against bots at once; a caller who is a stranger plays it as a guest of this browser.

    A page that was shown to a stranger has no token for a session that began since. So this takes none: `origin`
    refuses other sites, and the session's cookie does not come with their forms.
    """
    player, lang = sign_in.current_visitor(), page_language()
    name = (seats.latest_name(site(), player) if player is not None else "") or _("Guest")
    game = game_at(request.form.get("game") or next((game.meta.slug for game in games_by_ease()), ""))
    zone = player.zone if player is not None else GUEST_ZONE
    form = bots_form(game, site().config, request.form, name)
    try:
        wanted = form.match()
        started = matches.start_match_against_bots(
            site(), sign_in.caller_of(player), game.meta.slug, name, lang, zone, options=wanted.options,
            bots=[one for one in wanted.seats if isinstance(one, BotSeat)], spectators=wanted.spectators,
            word=wanted.word, once=_idempotency_key_of_press(player),
        )  # fmt: skip
    except Invalid as problem:
        return _render_form(form, sign_in.current_player(), problem)
    if player is None:
        sign_in.open_session(started.player, guest=True)
    token = seats.play_token(site(), started.match_id, started.seat)
    return redirect(url_for("play.show_seat", token=token, done="now"), 303)


def _idempotency_key_of_press(player: Account | None) -> IdempotencyKey | None:
    """Returns the key of this press of the form's button, by its random number and everything else in it.

    None without a number, and for a stranger whose browser does not say that the form is our own: a repeated press
    opens the session of the first.
    """
    if not _PRESS.fullmatch(request.form.get("once", "")):
        return None
    if player is None and origin_own_other_or_unsaid(request, site().config.url) != "own":
        return None
    said = sorted((name, value) for name, value in request.form.items() if name != "csrf_token")
    digest = site().tokens.request_digest(repr(said).encode())
    return IdempotencyKey(f"player:{player.id}" if player is not None else "stranger", digest, digest)


def games_by_ease() -> list[AnyGame]:
    """Returns the games, the easiest first."""
    return sorted(all_games().values(), key=lambda game: (game.meta.ease, game.meta.minutes))


@bp.get("/new")
def show_match_form() -> Response:
    """Shows the form for a match of the game in the query, or of the first game."""
    game = game_at(request.args.get("game") or next(iter(all_games()), ""))
    player = sign_in.current_player()
    name = seats.latest_name(site(), player) if player else ""
    return _render_form(empty_form(game, site().config, request.args.get("others", ""), player, name), player)


@bp.post("/new")
def create_match() -> AnyResponse:
    """Creates the match; errors are shown beside their fields, and nothing typed is lost."""
    player = sign_in.current_player_of_form()
    form = read_form(game_at(request.form.get("game", "")), site().config, request.form, player)
    if form.troubles:
        return _render_form(form, player, Invalid(N_("Some of your entries need correcting.")))
    try:
        match_id = matches.create_match(
            site(), sign_in.caller_of(player), form.match(), browser=sign_in.player_known_here()
        )
    except Problem as problem:
        return _render_form(form, player, problem)
    sheet = match_views.read_sheet(site(), match_id, ORGANISER)
    if player is None or sheet.status == "unconfirmed":
        path = url_for("start.show_sent")
        response = redirect(path, 303)
        token = site().tokens.sign_for(SentClaim, match_id, check_address(form.address)[1])
        secure = site().config.url.startswith("https:")
        response.set_cookie(SENT_COOKIE, token, path=path, secure=secure, httponly=True, samesite="Lax")
        return response
    token = seats.play_token(site(), match_id, ORGANISER)
    return redirect(url_for("play.show_seat", token=token, done="started"), 303)


def _render_form(form: Form, player: Account | None, trouble: Problem | None = None) -> Response:
    shown = games_by_ease()
    return page(
        "lobby/match_form.html", game=form.game, boards_of=shown, refused=trouble, games=shown,
        parts=parts_of("match_form", player, form.game, form.others), form=form, player=player,
    )  # fmt: skip


# --- where the mail went --------------------------------------------------------------------------------------


def _claim_in_cookie() -> SentClaim:
    return site().tokens.read(SentClaim, request.cookies.get(SENT_COOKIE, ""))


@bp.get("/new/sent")
def show_sent(trouble: Problem | None = None) -> Response:
    """Says where the mail went."""
    try:
        sent = reminding.read_sent_confirmation(site(), _claim_in_cookie())
    except Unauthorized:
        sent = None
    return page(
        "lobby/sent.html", refused=trouble,
        sent=sent, now=site().now(), again="done" in request.args and not trouble,
    )  # fmt: skip


@bp.post("/new/sent")
def send_mail_again() -> AnyResponse:
    """Sends the mail once more; pressed twice, it leaves once."""
    number = number_in("number", 2)
    try:
        if number is None:
            raise unknown_link()
        reminding.resend_confirmation(site(), _claim_in_cookie(), number, browser=sign_in.player_known_here())
    except Problem as problem:
        return show_sent(problem)
    return redirect(url_for("start.show_sent", done="again"), 303)
