"""A log that somebody sent: read from a file, shown in the viewer, and forgotten.

Nothing here touches the database or needs a session, and nothing is changed, so the forms need no token against
forgery. The page holds the log, packed, in a form; each control sends it along.
"""

import base64
import binascii
import zlib
from typing import Any

from flask import Blueprint, Response, request, url_for

from pbem.kit.logs import log_errors, logfile
from pbem.kit.logs.logfile import BadLog, Log
from pbem.kit.logs.verdict import NOT_CHECKED, verify
from pbem.kit.notation import seat_letter
from pbem.services.views import uploaded_logs
from pbem.services.views.uploaded_logs import OpenedReplay
from pbem.web.protocol.language import _, spoken
from pbem.web.protocol.page import page
from pbem.web.protocol.security import keep_private
from pbem.web.views import viewer
from pbem.web.views.match_page import ended
from pbem.web.views.replay import packed

bp = Blueprint("opened", __name__)

_PACKED_MOST = 1_000_000


@bp.get("/replay/open")
def ask() -> Response:
    """The form that takes a file."""
    return page("views/open_log.html", trouble=None)


@bp.post("/replay/open")
def show() -> Response:
    """The log in the viewer, at the step asked for; 422 and what is wrong with it where it cannot be shown."""
    keep_private()
    try:
        return _show(uploaded_logs.open_log(_document()))
    except BadLog as error:
        return page("views/open_log.html", trouble=error.said[spoken()], entry=error.entry, status=422)


@bp.post("/replay/open/frames.json")
def frames() -> Response:
    """The boards of the steps, for the script; 422 where the log cannot be shown."""
    keep_private()
    try:
        response = viewer.frames(seen_by(uploaded_logs.open_log(_document()), _said()))
    except BadLog as error:
        return Response(str(error), status=422, mimetype="text/plain")
    packed(response)
    return response


def _show(log: Log) -> Response:
    seen = seen_by(log, _said())
    last = len(seen.steps)
    at = viewer.read_step(request.form.get("step") or request.form.get("at", ""), last, 1)
    return page(
        "views/uploaded_log.html", game=log.game, log=pack(logfile.write(log)),
        frames=url_for("opened.frames", lang=spoken()),
        ending=ending_of(seen), full=log.viewer == "all", seats=log.seats, whose=viewer.name_of(seen, seen.eyes),
        **checked(log),
        **viewer.shown(seen, at, uploaded_logs.choices(log), viewer.Buttons()),
    )  # fmt: skip


def _said() -> str:
    """The eyes that the form asks for; "" for the usual ones."""
    return request.form.get("viewer") or request.form.get("eyes", "")


def seen_by(log: Log, eyes: str) -> OpenedReplay:
    """The log through the eyes that are so written. Raises BadLog, NotFound, Forbidden."""
    letters = [seat_letter(seat) for seat in range(log.seats)]
    names = [_("Player %(letter)s", letter=letter) for letter in letters]
    return uploaded_logs.replay_log(log, spoken(), names, letters, viewer.read_eyes(eyes))


def ending_of(seen: OpenedReplay) -> str:
    """How the match ended, in a sentence; "" where the log does not reach its end. Raises BadLog."""
    last = seen.steps[-1]
    try:
        outcome = seen.game.outcome(last.fold)
        return ended(seen.game, outcome, seen.names) if outcome else ""
    except Exception as error:
        # Whatever a forged log breaks inside a game is the log's fault.
        raise BadLog(log_errors.INDESCRIBABLE, last.entry) from error


def checked(log: Log) -> dict[str, Any]:
    """What the page says of the log's truth: what was found, its own commitment, and what nobody has checked."""
    return {"verdict": verify(log), "commitment": log.seed_sha256, "not_checked": list(NOT_CHECKED.values())}


# --- how the log travels ---------------------------------------------------------------------------------------


def _document() -> bytes:
    """The log as it was sent: a file, or what the page itself packed. Raises BadLog."""
    request.max_form_memory_size = _PACKED_MOST
    file = request.files.get("file")
    if file is not None and file.filename:
        return file.stream.read(logfile.MAX_BYTES + 1)
    if said := request.form.get("log", ""):
        return unpack(said)
    raise BadLog(log_errors.NO_FILE)


def pack(document: bytes) -> str:
    """The document in few letters that a form carries unchanged.

    >>> unpack(pack(b"{}"))
    b'{}'
    """
    return base64.b64encode(zlib.compress(document, 9)).decode("ascii")


def unpack(said: str) -> bytes:
    """The document so packed; of one that is too large just the beginning. Raises BadLog."""
    try:
        return zlib.decompressobj().decompress(base64.b64decode(said, validate=True), logfile.MAX_BYTES + 1)
    except (zlib.error, binascii.Error, ValueError) as error:
        raise BadLog(log_errors.NOT_PACKED) from error
