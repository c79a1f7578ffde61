"""The local mailbox: every mail of this machine, for one person who tries all seats. Others get 404."""

import json
import re
from datetime import datetime
from pathlib import Path

from flask import Blueprint, Response, abort, jsonify, request, url_for

from pbem.errors import N_, Invalid, Problem
from pbem.mail import mailbox as kept
from pbem.render.problems import problem_sentence
from pbem.services.players.players import check_address
from pbem.web import features
from pbem.web.protocol.language import page_language
from pbem.web.protocol.page import has_mailbox, page, site
from pbem.web.protocol.security import is_local_request, keep_private, policy

_BLANK_ZONE = re.compile(r"(?<=[0-9]) (?=[0-9]{2}:?[0-9]{2}$)")

bp = Blueprint("mailbox", __name__)


@bp.before_request
def check_mailbox_allowed() -> None:
    """Answers 404 unless mail stays on this machine, and the request comes from it and names it."""
    keep_private()
    if not (has_mailbox(site().config) and is_local_request()):
        abort(404)


def mail_folder() -> Path:
    return site().config.data / "mailbox"


@bp.get("/mailbox")
def show_inbox() -> Response:
    """Shows the mails, newest first."""
    return page("mailbox/mailbox.html", lines=kept.list_mails(mail_folder()))


@bp.get("/mailbox.json")
def list_mails() -> Response:
    """Lists the mails for programs: id, to, subject, date; `?to=` (an address) and `?since=` (a time) filter them."""
    try:
        to, since = _address_filter(), _time_filter()
    except Problem as problem:
        said = {"status": problem.status, "code": problem.code, "detail": problem_sentence(problem, page_language())}
        return Response(json.dumps(said), problem.status, mimetype="application/problem+json")
    return jsonify(kept.list_mails(mail_folder(), to, since))


def _query_argument(name: str) -> str | None:
    """Returns the query's value of this name; None without one. Raises Invalid if it is given twice."""
    said = request.args.getlist(name)
    if len(said) > 1:
        raise Invalid(N_("Give “%(name)s” once, or not at all."), {"name": name})
    return said[0] if said else None


def _address_filter() -> str | None:
    said = _query_argument("to")
    if said is None:
        return None
    try:
        return check_address(said)[0]
    except Invalid:
        raise Invalid(N_("“to” takes an email address; %(said)s is not one."), {"said": repr(said[:80])}) from None


def _time_filter() -> datetime | None:
    """Returns the time, which must have a zone. Raises Invalid."""
    typed = _query_argument("since")
    if typed is None:
        return None
    try:
        # The plus sign of a zone, unless escaped, arrives as a space.
        moment = datetime.fromisoformat(_BLANK_ZONE.sub("+", typed))
        moment.timestamp()
    except (ValueError, OverflowError):
        moment = None
    if moment is None or moment.tzinfo is None:
        raise Invalid(N_("“since” takes a time with its zone, like 2026-03-12T12:04:00Z."))
    return moment


@bp.get("/mailbox/<mail_id>.eml")
def raw_mail(mail_id: str) -> Response:
    """Returns the mail as it was sent."""
    found = kept.read_raw_mail(mail_folder(), mail_id)
    if found is None:
        abort(404)
    return Response(found, mimetype="message/rfc822")


def _read_mail(mail_id: str) -> kept.Mail:
    found = kept.read_mail(
        mail_folder(), mail_id, lambda cid: url_for("mailbox.mail_picture", mail_id=mail_id, cid=cid)
    )
    if found is None:
        abort(404)
    return found


@bp.get("/mailbox/<mail_id>")
def show_mail(mail_id: str) -> Response:
    """Shows one mail, as HTML and as text."""
    found = _read_mail(mail_id)
    response = page("mailbox/mail.html", mail=found, parts=features.parts_of("mail_page", found))
    response.headers["Content-Security-Policy"] = policy(frame_src="'self'")
    return response


@bp.get("/mailbox/<mail_id>/html")
def mail_html(mail_id: str) -> Response:
    """Returns the HTML part for the frame: no scripts, pictures from this site only, links open in the whole window."""
    found = _read_mail(mail_id).html.replace("<head>", '<head><base target="_top">', 1)
    response = Response(found, mimetype="text/html")
    response.headers["Content-Security-Policy"] = (
        "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'self'; sandbox allow-top-navigation-by-user-activation allow-popups"
    )
    return response


@bp.get("/mailbox/<mail_id>/pictures/<cid>")
def mail_picture(mail_id: str, cid: str) -> Response:
    """Returns a picture of the mail."""
    found = _read_mail(mail_id).pictures.get(cid)
    if found is None:
        abort(404)
    return Response(found, mimetype="image/png")
