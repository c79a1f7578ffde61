"""The local mailbox: every mail of this machine, for one person who tries all seats. Nobody else gets an answer."""

from pathlib import Path

from flask import Blueprint, Response, abort, jsonify, url_for

from pbem.mail import mailbox as kept
from pbem.web.nearby import from_here
from pbem.web.page import has_mailbox, page, site
from pbem.web.security import keep_private, policy

bp = Blueprint("mailbox", __name__)


@bp.before_request
def _only_here() -> None:
    """Answers 404 unless mail stays on this machine, and the request comes from it and names it."""
    keep_private()
    if not (has_mailbox() and from_here()):
        abort(404)


def _folder() -> Path:
    return site().config.data / "mailbox"


@bp.get("/mailbox")
def inbox() -> Response:
    """The list, the newest first."""
    return page("mailbox.html", lines=kept.lines(_folder()))


@bp.get("/mailbox.json")
def listing() -> Response:
    """The list for programs: id, to, subject, date."""
    return jsonify(kept.lines(_folder()))


@bp.get("/mailbox/<mail_id>.eml")
def raw(mail_id: str) -> Response:
    """The mail as it was sent."""
    found = kept.raw(_folder(), mail_id)
    if found is None:
        abort(404)
    return Response(found, mimetype="message/rfc822")


def _opened(mail_id: str) -> kept.Mail:
    found = kept.opened(_folder(), mail_id, lambda cid: url_for("mailbox.picture", mail_id=mail_id, cid=cid))
    if found is None:
        abort(404)
    return found


@bp.get("/mailbox/<mail_id>")
def mail(mail_id: str) -> Response:
    """One mail, as HTML and as text."""
    response = page("mail.html", mail=_opened(mail_id))
    response.headers["Content-Security-Policy"] = policy(frame_src="'self'")
    return response


@bp.get("/mailbox/<mail_id>/html")
def html(mail_id: str) -> Response:
    """The HTML part for the frame: no scripts, pictures from here alone, links open in the whole window."""
    found = _opened(mail_id).html.replace("<head>", '<head><base target="_top">', 1)
    response = Response(found, mimetype="text/html")
    response.headers["Content-Security-Policy"] = (
        "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'self'; sandbox allow-top-navigation-by-user-activation allow-popups"
    )
    return response


@bp.get("/mailbox/<mail_id>/pictures/<cid>")
def picture(mail_id: str, cid: str) -> Response:
    """A picture of the mail."""
    found = _opened(mail_id).pictures.get(cid)
    if found is None:
        abort(404)
    return Response(found, mimetype="image/png")
