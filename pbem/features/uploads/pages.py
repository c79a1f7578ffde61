"""Uploading a log from a file, and the replay of one, for anyone who has its address.

A file may be forged, and its flaw may first show at a step: the page names the entry at fault. Opening one needs no
token against forgery: it does nothing in anybody's name, and other sites may not post here.
"""

from typing import cast

from flask import Blueprint, Response, redirect, request, url_for
from markupsafe import Markup

from pbem.errors import N_, Gone
from pbem.features.uploads import uploaded_logs
from pbem.features.uploads.limits import LOGS, OPENED
from pbem.features.uploads.uploaded_logs import LogReplay, UploadedLog
from pbem.kit.endings import outcome_of_fold_and_entries
from pbem.kit.logs import log_errors, logfile
from pbem.kit.logs.log_errors import BadLog
from pbem.kit.logs.logfile import Log
from pbem.kit.logs.verdict import verify
from pbem.kit.texts import Text
from pbem.limits import Limit
from pbem.render.i18n import day_with_weekday, player_names_by_letter
from pbem.services.views.luck import Evidence
from pbem.services.who import STRANGER
from pbem.web.features import Parts, ReplayPage
from pbem.web.protocol.language import _, page_language
from pbem.web.protocol.page import page, site, this_page
from pbem.web.protocol.security import keep_unlisted
from pbem.web.views import viewer
from pbem.web.views.luck import compare_with_evidence, verdict_on_page
from pbem.web.views.match_page import outcome_sentence
from pbem.web.views.watch import compress_frames

bp = Blueprint("uploads", __name__)

FORM = "features/uploads/open_log.html"
VIEWER = "features/uploads/uploaded_log.html"
PARTS = (bp,)
SCOPES = {"create": N_("send logs")}
LIMITS = (Limit("uploads.open_file", LOGS), Limit("uploads.show", OPENED), Limit("uploads.frames", OPENED))

EARLIER_RULES = N_("The rules have been corrected since this log was sent, and it does not open any more.")
NO_FILE = Text(fr="aucun fichier n’a été choisi", en="no file was chosen")


@bp.errorhandler(BadLog)
def show_trouble(error: BadLog) -> Response:
    """Shows the form with what is wrong with a damaged log instead of a page."""
    return page(FORM, trouble=error.said[page_language()], entry=error.entry, status=422)


@bp.get("/replay/open")
def ask() -> Response:
    """Shows the form that takes a file."""
    return page(FORM)


@bp.post("/replay/open")
def open_file() -> Response:
    """Stores the file for a day and leads to its page."""
    file = request.files.get("file")
    if file is None or not file.filename:
        raise BadLog(NO_FILE)
    stored = uploaded_logs.keep_log(
        site(), STRANGER, file.stream.read(logfile.MAX_BYTES + 1), lasts=uploaded_logs.OPENED
    )
    return cast(Response, redirect(url_for("uploads.show", log_id=stored.id), 303))


@bp.get("/replay/log/<log_id>")
def show(log_id: str) -> Response:
    """Shows the log in the viewer, at the requested step."""
    keep_unlisted()
    stored = _open_uploaded_log(log_id)
    log, seen = stored.log, _replay_of_log(stored.log)
    at = viewer.read_step(request.args.get("step", ""), len(seen.steps), 1)
    eyes = viewer.viewer_in_address(seen.eyes)
    # The word, mark or commitment in the address, if there is one.
    evidence = Evidence(log.commitment, log.proof.words if log.proof else (), log.heads)
    compared = compare_with_evidence(
        evidence, seen.names, lambda: seen.steps, lambda step: this_page(step=str(step), mail=None)
    )
    return page(
        VIEWER, game=log.game, ending=_end_in_words(seen, log), full=log.viewer == "all",
        **verdict_on_page(verify(log)), compared=compared, commitment=log.commitment,
        whose=viewer.viewer_in_words(seen, seen.eyes), until=day_with_weekday(stored.until, "UTC", page_language()),
        log=url_for("api-imports.document", log_id=stored.id),
        frames=url_for("uploads.frames", log_id=stored.id, viewer=eyes, lang=page_language()),
        here=url_for("uploads.show", log_id=stored.id, viewer=eyes, step=at),
        **viewer.replay_step_variables(seen, at, uploaded_logs.perspectives_of(log)),
    )  # fmt: skip


@bp.get("/replay/log/<log_id>/frames.json")
def frames(log_id: str) -> Response:
    """Returns the boards of the steps, for the script; 422 if one cannot be drawn."""
    keep_unlisted()
    try:
        response = viewer.frames_response(_replay_of_log(_open_uploaded_log(log_id).log))
    except BadLog as error:
        return Response(str(error), status=422, mimetype="text/plain")
    response.add_etag(weak=True)  # weak: the packed answer has the same
    compress_frames(response)
    return cast(Response, response.make_conditional(request))


def _open_uploaded_log(log_id: str) -> UploadedLog:
    """Returns the log. Raises NotFound, and Gone if it could be opened once and no longer can."""
    try:
        return uploaded_logs.open_kept_log(site(), log_id)
    except BadLog as error:
        raise Gone(EARLIER_RULES) from error


def _replay_of_log(log: Log) -> LogReplay:
    """Returns the replay for the viewer in the address. Raises BadLog, NotFound, Forbidden."""
    lang, eyes = page_language(), viewer.read_viewer(request.args.get("viewer", ""))
    return uploaded_logs.replay_log(log, lang, player_names_by_letter(log.seats, lang), eyes)


def _end_in_words(seen: LogReplay, log: Log) -> str:
    """Returns how the match ended, in a sentence; "" if the log does not reach its end. Raises BadLog."""
    last = seen.steps[-1]
    try:
        outcome = outcome_of_fold_and_entries(seen.game, last.fold, log.entries)
        return outcome_sentence(seen.game, outcome, seen.names) if outcome else ""
    except Exception as error:
        # Whatever a forged log breaks inside a game is the log's fault.
        raise BadLog(log_errors.INDESCRIBABLE, last.entry) from error


# --- on other pages --------------------------------------------------------------------------------------------


def replay_page(_shown: ReplayPage | None = None) -> Parts:
    """Returns the link to the form that takes a file."""
    return Parts(links=Markup('<a href="{}">{}</a>').format(url_for("uploads.ask"), _("Open a log file")))


games_page = replay_page
