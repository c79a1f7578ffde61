"""The page of a circle's invitation link: anyone who has it joins, at once if they are signed in, else by a mail."""

from flask import Blueprint, Response, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from pbem.errors import Problem, Unauthorized
from pbem.features.circles import claims, joining, sheets
from pbem.render.problems import sentence
from pbem.services.lobby.match_request import Invitee
from pbem.services.players.players import Account
from pbem.services.views import seats
from pbem.web.protocol.forms import typed_zone, zone_field
from pbem.web.protocol.language import _, page_language, remember_language
from pbem.web.protocol.page import page, site
from pbem.web.protocol.sign_in import checked_player, current_player

bp = Blueprint("joining", __name__)


@bp.get("/circle/join/<token>")
def ask(token: str) -> Response:
    """Shows the circle's name and the form that asks to join."""
    return _ask(token, current_player())


def _ask(token: str, player: Account | None, trouble: Problem | None = None) -> Response:
    linked = sheets.read_invitation(site(), site().tokens.read(claims.CircleClaim, token))
    name = request.form.get("name", seats.latest_name(site(), player) if player is not None else "")
    return page(
        "features/circles/join.html", refused=trouble, linked=linked, player=player, name=name,
        address=request.form.get("address", ""), language=request.form.get("language", page_language()),
        zone=zone_field(known=False), trouble=sentence(trouble, page_language()) if trouble else None,
    )  # fmt: skip


@bp.post("/circle/join/<token>")
def join(token: str) -> AnyResponse:
    """Makes a signed-in player a member at once; anybody else gets a mail, by which they join."""
    player, claim = checked_player(), site().tokens.read(claims.CircleClaim, token)
    name, language = request.form.get("name", ""), request.form.get("language", "")
    try:
        if player is not None:
            circle_id = joining.join_at_once(site(), claim, player.id, name)
            return redirect(url_for("circles.show", circle_id=circle_id, done="joined"), 303)
        newcomer = Invitee(name, request.form.get("address", ""))
        joining.ask_to_join(site(), claim, newcomer, language, typed_zone())
    except Unauthorized:
        raise
    except Problem as problem:
        return _ask(token, player, problem)
    return remember_language(redirect(url_for("joining.sent", token=token), 303), language)


@bp.get("/circle/join/<token>/sent")
def sent(token: str) -> Response:
    """Says that the mail is on its way; the page does not tell whether the address was known."""
    site().tokens.read(claims.CircleClaim, token)
    text = _("An email is on its way to the address that you gave. You are a member when you accept there.")
    return page("note.html", title=_("Check your mailbox"), text=text, mailbox=True)
