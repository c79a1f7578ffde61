"""How somebody comes to a circle: signed in, at the circle's own address, or by the link in its mails.

Anyone who has its invitation link joins, at once if they are signed in, else by a mail.
"""

from dataclasses import dataclass
from functools import partial

from flask import Blueprint, Response, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from pbem.errors import Problem
from pbem.features.circles import claims, joining, sheets
from pbem.features.circles.claims import CircleClaim, MemberClaim
from pbem.render import i18n
from pbem.services.players.players import Account
from pbem.web.lobby.offers import offer_form_context, render_mail_sent, take_offer_or_send_mail
from pbem.web.protocol.forms import language_typed
from pbem.web.protocol.language import _, page_language, remember_language, speak
from pbem.web.protocol.page import page, site
from pbem.web.protocol.sign_in import csrf, current_player, require_player


@dataclass(frozen=True)
class Entered:
    """Somebody who acts as a member of a circle. `base` is the path of its page for them; `player` is signed in."""

    claim: MemberClaim
    base: str
    player: Account | None
    """None: they came by the link in a mail, which is the secret."""


def require_signed_in_member(circle_id: str) -> Entered:
    """Returns the session's player as a member; a form must carry the session's token.

    Raises Unauthorized, NotFound, CSRFError.
    """
    if request.method == "POST":
        csrf.protect()
    player = require_player()
    return Entered(
        sheets.claim_of_player(site(), player.id, circle_id), url_for("circles.show", circle_id=circle_id), player
    )


def require_member_of_link(token: str) -> Entered:
    """Returns the member of the link, and sets the page's language to theirs. Raises Unauthorized, NotFound."""
    claim = site().tokens.read(claims.MemberClaim, token)
    speak(sheets.read_circle_briefly(site(), claim).language)
    return Entered(claim, url_for("circles.show_by_link", token=token), None)


def names_of_weekdays() -> list[str]:
    """Returns the names of the days, Monday first."""
    return [i18n.weekday(number, page_language()) for number in range(7)]


# --- the invitation link --------------------------------------------------------------------------------------

bp = Blueprint("joining", __name__)


@bp.get("/circle/join/<token>")
def ask(token: str) -> Response:
    """Shows the circle's name and the form that asks to join."""
    return _join_form_page(token, current_player())


def _join_form_page(token: str, player: Account | None, trouble: Problem | None = None) -> Response:
    linked = sheets.read_invitation(site(), site().tokens.read(CircleClaim, token))
    return page("features/circles/join.html", linked=linked, **offer_form_context(player, trouble))


@bp.post("/circle/join/<token>")
def join(token: str) -> AnyResponse:
    """Makes a signed-in player a member at once; anybody else gets a mail, by which they join."""
    claim = site().tokens.read(CircleClaim, token)
    sent = remember_language(redirect(url_for("joining.show_sent", token=token), 303), language_typed())

    def lead_in(circle_id: str) -> AnyResponse:
        return redirect(url_for("circles.show", circle_id=circle_id, done="joined"), 303)

    return take_offer_or_send_mail(joining.OFFER, claim, sent, lead_in, partial(_join_form_page, token))


@bp.get("/circle/join/<token>/sent")
def show_sent(token: str) -> Response:
    """Says that the mail is on its way; the page does not tell whether the address was known."""
    site().tokens.read(CircleClaim, token)
    text = _("An email is on its way to the address that you gave. You are a member when you accept there.")
    return render_mail_sent(text)
