"""What a player shows of themselves: the form among their preferences."""

from collections.abc import Mapping

from flask import Blueprint, redirect, request, url_for
from msgspec.structs import asdict
from werkzeug.wrappers import Response as AnyResponse

from pbem.errors import Changed
from pbem.services.results import sharing
from pbem.web.protocol import forms
from pbem.web.protocol.language import _
from pbem.web.protocol.page import site
from pbem.web.protocol.sign_in import csrf, require_player

bp = Blueprint("sharing", __name__)


@bp.post("/me/shown")
def choose() -> AnyResponse:
    """Sets what the player shows: a box that is not ticked is left out of the form."""
    csrf.protect()
    player = require_player()
    ticked = {name: name in request.form for name in ("rated", "pace_shown", "weekly")}
    try:
        sharing.choose(
            site(), player.id, rated=ticked["rated"], pace_shown=ticked["pace_shown"], weekly=ticked["weekly"],
            version=forms.seen_version(),
        )  # fmt: skip
    except Changed as problem:
        return _ask_again(problem, player.id, ticked)
    return redirect(url_for("account.me", done="1", _anchor="shown"), 303)


def _ask_again(problem: Changed, player_id: int, ticked: Mapping[str, bool]) -> AnyResponse:
    titles = {
        "rated": _("Rate me"), "pace_shown": _("Show others how fast I usually answer"),
        "weekly": _("Send me an email a week about my circles and seasons, if I have any"),
    }  # fmt: skip
    stored = asdict(sharing.read_shared(site(), player_id).choices)
    fields = [forms.Field(title, stored[name], ticked[name], forms.yes_or_no) for name, title in titles.items()]
    return forms.ask_again(problem, fields, url_for("account.me", _anchor="shown"))
