"""A log that a program sent, step by step, for whoever has its address. Every control is a link."""

from typing import cast

from flask import Blueprint, Response, request, url_for

from pbem.errors import N_, Gone
from pbem.kit.logs.logfile import BadLog
from pbem.render.i18n import day
from pbem.services.views import stored_logs, uploaded_logs
from pbem.services.views.stored_logs import Imported
from pbem.services.views.uploaded_logs import OpenedReplay
from pbem.web.protocol.language import spoken
from pbem.web.protocol.page import page, site
from pbem.web.protocol.security import keep_unlisted
from pbem.web.views import viewer
from pbem.web.views.replay import packed
from pbem.web.views.uploaded_logs import checked, ending_of, seen_by

bp = Blueprint("imported", __name__)

EARLIER_RULES = N_("The rules have been corrected since this log was sent, and it does not open any more.")


@bp.get("/replay/log/<log_id>")
def show(log_id: str) -> Response:
    """The log in the viewer, at the step asked for."""
    keep_unlisted()
    try:
        kept = stored_logs.open_kept(site(), log_id)
        return _show(kept, _seen(kept))
    except BadLog as error:
        raise Gone(EARLIER_RULES) from error


@bp.get("/replay/log/<log_id>/frames.json")
def frames(log_id: str) -> Response:
    """The boards of the steps, for the script."""
    keep_unlisted()
    try:
        response = viewer.frames(_seen(stored_logs.open_kept(site(), log_id)))
    except BadLog as error:
        raise Gone(EARLIER_RULES) from error
    response.add_etag(weak=True)  # weak: the packed answer has the same
    packed(response)
    return cast(Response, response.make_conditional(request))


def _seen(kept: Imported) -> OpenedReplay:
    """The log through the eyes that the address asks for."""
    return seen_by(kept.log, request.args.get("viewer", ""))


def _show(kept: Imported, seen: OpenedReplay) -> Response:
    log, last = kept.log, len(seen.steps)
    at = viewer.read_step(request.args.get("step", ""), last, 1)
    eyes = viewer.word(seen.eyes)
    return page(
        "views/stored_log.html", game=log.game, ending=ending_of(seen), full=log.viewer == "all", **checked(log),
        whose=viewer.name_of(seen, seen.eyes), until=day(kept.until, "UTC", spoken()),
        log=url_for("api-imports.document", log_id=kept.id),
        frames=url_for("imported.frames", log_id=kept.id, viewer=eyes, lang=spoken()),
        here=url_for("imported.show", log_id=kept.id, viewer=eyes, step=at),
        **viewer.shown(seen, at, uploaded_logs.choices(log), viewer.Links()),
    )  # fmt: skip
