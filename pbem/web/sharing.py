"""What a player shows of themselves: the form among their preferences."""

from flask import Blueprint, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from pbem.services.results import sharing
from pbem.web.protocol.page import site
from pbem.web.protocol.sign_in import csrf, require_player

bp = Blueprint("sharing", __name__)


@bp.post("/me/shown")
def choose() -> AnyResponse:
    """Sets what the player shows: a box that is not ticked is left out of the form."""
    csrf.protect()
    ticked = {name: name in request.form for name in ("rated", "pace_shown", "weekly")}
    sharing.choose(site(), require_player().id, **ticked)
    return redirect(url_for("account.me", done="1", _anchor="shown"), 303)
