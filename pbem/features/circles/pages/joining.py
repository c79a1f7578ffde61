"""The page of a circle's invitation link: anyone who has it joins, at once if they are signed in, else by a mail."""

from functools import partial

from flask import Blueprint, Response, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from pbem.errors import Problem
from pbem.features.circles import joining, sheets
from pbem.features.circles.claims import CircleClaim
from pbem.services.players.players import Account
from pbem.web.lobby.offers import answer, asking_form, mail_sent
from pbem.web.protocol.language import _, remember_language
from pbem.web.protocol.page import page, site
from pbem.web.protocol.sign_in import current_player

bp = Blueprint("joining", __name__)


@bp.get("/circle/join/<token>")
def ask(token: str) -> Response:
    """Shows the circle's name and the form that asks to join."""
    return _ask(token, current_player())


def _ask(token: str, player: Account | None, trouble: Problem | None = None) -> Response:
    linked = sheets.read_invitation(site(), site().tokens.read(CircleClaim, token))
    return page("features/circles/join.html", linked=linked, **asking_form(player, trouble))


@bp.post("/circle/join/<token>")
def join(token: str) -> AnyResponse:
    """Makes a signed-in player a member at once; anybody else gets a mail, by which they join."""
    claim, language = site().tokens.read(CircleClaim, token), request.form.get("language", "")
    sent = remember_language(redirect(url_for("joining.sent", token=token), 303), language)
    return answer(joining.OFFER, claim, language, sent, _lead_in, partial(_ask, token))


def _lead_in(circle_id: str) -> AnyResponse:
    return redirect(url_for("circles.show", circle_id=circle_id, done="joined"), 303)


@bp.get("/circle/join/<token>/sent")
def sent(token: str) -> Response:
    """Says that the mail is on its way; the page does not tell whether the address was known."""
    site().tokens.read(CircleClaim, token)
    text = _("An email is on its way to the address that you gave. You are a member when you accept there.")
    return mail_sent(text)
