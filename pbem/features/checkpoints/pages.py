"""The site's checkpoints, as programs and other hosts fetch them: plain text in the formats of C2SP."""

from datetime import date

from flask import Blueprint, Response, abort, request

from pbem.features.checkpoints import notes, published
from pbem.web.protocol.page import site

bp = Blueprint("checkpoints", __name__)

PARTS = (bp,)


@bp.get("/checkpoint")
def show_latest() -> Response:
    """Shows the latest signed note."""
    return _plain_text_response(published.read_note(site()))


@bp.get("/checkpoint/<day>")
def show_day(day: str) -> Response:
    """Shows the signed note of a day, written as 2026-11-25."""
    try:
        wanted = date.fromisoformat(day)
    except ValueError:
        abort(404)
    if wanted.isoformat() != day:  # Python reads other forms, too
        abort(404)
    return _plain_text_response(published.read_note(site(), wanted))


@bp.get("/checkpoint/days")
def show_days() -> Response:
    """Shows all days that have a checkpoint, a line for each: the leaves of the tree that the notes sign."""
    return _plain_text_response(published.read_list_of_days(site()))


@bp.get("/checkpoint/key")
def show_key() -> Response:
    """Shows the key that checks the signatures of this site's notes."""
    return _plain_text_response(f"{notes.signer_of_own_checkpoints(site().config).key}\n")


@bp.get("/checkpoint/cosigner-key")
def show_cosigner_key() -> Response:
    """Shows the key that checks this site's cosignatures below the notes of others."""
    return _plain_text_response(f"{notes.cosigner_of_other_sites(site().config).key}\n")


def _plain_text_response(text: str) -> Response:
    response = Response(text, mimetype="text/plain")
    response.headers["Cache-Control"] = "no-cache"  # a cosignature may be added to any of them
    response.add_etag()
    response.make_conditional(request)
    return response
