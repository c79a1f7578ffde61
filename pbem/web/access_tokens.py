"""A player's access tokens: creates one for a program, shows when it was last used, and revokes it."""

from flask import Blueprint, Response, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from pbem.errors import N_, Invalid, NotFound, Problem
from pbem.render import i18n
from pbem.services.access import access_tokens
from pbem.services.players.players import Account
from pbem.web.features import also_may
from pbem.web.protocol.language import _, page_language
from pbem.web.protocol.page import page, site
from pbem.web.protocol.sign_in import csrf, require_player

bp = Blueprint("tokens", __name__)

LIVES = (7, 30, 90, 366)
"""For how many days a token may hold good, as the form offers it; besides without an end."""
USUAL_LIFE, USUAL_SCOPES = "90", ("read", "play")


@bp.get("/me/tokens")
def tokens() -> Response:
    """Shows the player's tokens, and the form for a new one."""
    return _render(require_player())


@bp.post("/me/tokens")
def make() -> Response:
    """Creates a token and shows it, in this answer only."""
    csrf.protect()
    player = require_player()
    try:
        days = _days(request.form.get("days", ""))
        made = access_tokens.make(site(), player.id, request.form.get("name", ""), request.form.getlist("scope"), days)
    except Problem as problem:
        return _render(player, trouble=problem)
    return _render(player, made=made)


@bp.post("/me/tokens/<int:token_id>/revoke")
def revoke(token_id: int) -> AnyResponse:
    """Revokes a token."""
    csrf.protect()
    player = require_player()
    try:
        access_tokens.revoke(site(), player.id, token_id)
    except NotFound as problem:  # it was revoked on another page, or has expired
        return _render(player, trouble=problem)
    return redirect(url_for("tokens.tokens", done="1"), 303)


def _render(
    player: Account, trouble: Problem | None = None, made: tuple[access_tokens.TokenSheet, str | None] | None = None
) -> Response:
    """Renders the page, with the token that was just created, or with the reason why none was."""
    typed, may = request.form if trouble else None, _may()
    return page(
        "account/access_tokens.html", refused=trouble,
        tokens=access_tokens.list_tokens(site(), player.id), made=made, zone=player.zone, lives=LIVES, may=may,
        words=lambda scopes: i18n.join_and([may[scope] for scope in scopes], page_language()),
        name=typed.get("name", "") if typed else "", days=typed.get("days", "") if typed else USUAL_LIFE,
        chosen=typed.getlist("scope") if typed else USUAL_SCOPES,
    )  # fmt: skip


def _may() -> dict[str, str]:
    """Returns each scope in words."""
    may = {
        "read": _("see your matches as you see them"),
        "play": _("play, talk and resign for you, and change your calendar"),
        "create": _("start matches for you, invite people, call off what has not begun"),
    }
    return {scope: ", ".join((words, *also_may(scope))) for scope, words in may.items()}


def _days(typed: str) -> int | None:
    """Returns the lifetime chosen in the form; None for no expiry. Raises Invalid."""
    if not typed:
        return None
    if not (typed.isascii() and typed.isdigit() and len(typed) < 5):
        raise Invalid(N_("A token is valid for 1 to 366 days, or until you revoke it."))
    return int(typed)
