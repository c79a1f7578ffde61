"""Mail that a relay posts, answers on the page of the local mailbox, and help with replies.

A relay posts the whole mail as the body of `POST /inbound`, with the secret of PBEM_INBOUND_SECRET.

The secret is a bearer token or, for relays that know no other way, the password of basic authentication. The envelope
is in X-Envelope-From and X-Envelope-To, never in the address: servers on the way log addresses, and tokens stand in it.
201 says that the mail is kept, 200 that it was before; after anything but these the relay must post it again.
"""

import hmac
import re
from collections.abc import Callable

from flask import Blueprint, Response, abort, request
from werkzeug.datastructures import Authorization
from werkzeug.exceptions import RequestEntityTooLarge

from pbem.config import Config
from pbem.errors import N_, Busy, Invalid, Problem
from pbem.features.inbox.settings import INBOUND, MAIL_BYTES
from pbem.features.inbox.ways.intake import Via, take_in_mail
from pbem.features.inbox.ways.local import quote_lines, write_answer
from pbem.limits import Limit
from pbem.mail import mailbox as kept
from pbem.render.problems import problem_sentence
from pbem.web.features import Parts, rendered, sections
from pbem.web.mailbox import check_mailbox_allowed, mail_folder
from pbem.web.protocol.language import _, page_language
from pbem.web.protocol.page import page, site
from pbem.web.protocol.security import keep_private

INBOUND_PATH, ANSWER_PATH = "/inbound", "/mailbox/incoming"
RETRY_S = 30
MOST_RECIPIENTS = 100
LONGEST_ANSWER = 100_000
_LONGEST_ADDRESS = 320
_FORMS = ("multipart/form-data", "application/x-www-form-urlencoded")

bp = Blueprint("inbox", __name__)
PARTS = (bp,)


@bp.post(INBOUND_PATH)
def take() -> Response:
    """Keeps the mail in the body; 404 unless this site takes mail in this way."""
    keep_private()
    secret = site().config.group(INBOUND).secret
    if secret is None:
        abort(404)
    if not _has_secret(request.headers.get("Authorization", ""), secret):
        return _plain_text_response(
            "The secret is wrong, or missing.", 401, **{"WWW-Authenticate": 'Bearer realm="inbound"'}
        )
    if request.mimetype in _FORMS:
        return _plain_text_response("The body is the mail itself (message/rfc822), not a form.", 415)
    sender, recipients = _envelope_of_request()
    if len(recipients) > MOST_RECIPIENTS or any(len(one) > _LONGEST_ADDRESS for one in (sender or "", *recipients)):
        return _plain_text_response("The envelope is too large.", 400)
    return keep_mail_in_request("http", sender, recipients)


def keep_mail_in_request(via: Via, sender: str | None, recipients: tuple[str, ...]) -> Response:
    """Keeps the mail that is the request's body; answers 201 or 200, or 400, 413 or 503 if it is not kept."""
    request.max_content_length = MAIL_BYTES
    try:
        raw = request.get_data(cache=False)
    except RequestEntityTooLarge:
        return _plain_text_response(f"A mail may have {MAIL_BYTES} bytes.", 413)
    if not raw.strip():
        return _plain_text_response("There is no mail in the body.", 400)
    try:
        fresh = take_in_mail(site(), raw, via=via, mail_from=sender, recipients=recipients)
    except Busy:
        return _plain_text_response("Not now; please send it again.", 503, **{"Retry-After": str(RETRY_S)})
    return _plain_text_response("Kept.", 201) if fresh else _plain_text_response("Kept before.", 200)


def bodies(config: Config) -> dict[str, tuple[int, Callable[[str], bool]]]:
    """Returns the paths at which a request's body may be a whole mail: see `pbem.web.features`."""
    secret = config.group(INBOUND).secret
    ways: dict[str, tuple[int, Callable[[str], bool]]] = {}
    if secret is not None:
        ways[INBOUND_PATH] = MAIL_BYTES, lambda authorization: _has_secret(authorization, secret)
    if config.uses_local_mailbox:
        ways[ANSWER_PATH] = MAIL_BYTES, lambda _authorization: True
    return ways


def _has_secret(authorization: str, secret: str) -> bool:
    """True if the header has the secret. The comparison takes the same time wherever they differ."""
    given = Authorization.from_header(authorization) if authorization.isascii() else None
    sent = (given.token or given.password or "") if given is not None else ""
    return hmac.compare_digest(sent.encode(), secret.encode())


def _envelope_of_request() -> tuple[str | None, tuple[str, ...]]:
    """Returns the sender, None if it is not said, and the recipients."""
    sender = request.headers.get("X-Envelope-From")
    said = ",".join(request.headers.getlist("X-Envelope-To"))
    recipients = [one.strip(" <>") for one in re.split(r"[,\s]+", said) if one.strip(" <>")]
    return None if sender is None else sender.strip(" <>"), tuple(dict.fromkeys(recipients))


def _plain_text_response(text: str, status: int, **headers: str) -> Response:
    return Response(f"{text}\n", status, headers, mimetype="text/plain")


def refuse(problem: Problem) -> Response:
    """Says in text, as these addresses say everything, why no mail is taken."""
    keep_private()
    return _plain_text_response(problem_sentence(problem, "en"), problem.status)


LIMITS = (Limit("inbox.take", None, refuse), Limit("inbox.incoming", None, refuse))


# --- the mailbox of this machine -----------------------------------------------------------------------------


def mail_page(mail: kept.Mail) -> Parts:
    """Returns the form for an answer to the mail."""
    return Parts(sections=rendered("features/inbox/mail_page.html", mail=mail, quoted=quote_lines(mail.text)))


@bp.post(ANSWER_PATH)
def incoming() -> Response:
    """Takes in the mail that is the request's body, as if it had come from its sender."""
    check_mailbox_allowed()
    return keep_mail_in_request("mailbox", None, ())


@bp.post("/mailbox/<mail_id>/answer")
def answer(mail_id: str) -> Response:
    """Takes in an answer to a mail, as a mail program would write it."""
    check_mailbox_allowed()
    found = kept.read_raw_mail(mail_folder(), mail_id)
    if found is None:
        abort(404)
    text = request.form.get("text", "").replace("\r\n", "\n")
    if not text.strip() or len(text) > LONGEST_ANSWER:
        raise Invalid(N_("Please type an answer above the quoted lines."))
    try:
        mail = write_answer(found, text, site().now())
    except ValueError:
        raise Invalid(N_("This email cannot be answered: it names nobody, or cannot be read.")) from None
    take_in_mail(site(), mail.raw, via="mailbox", mail_from=mail.sender, recipients=(mail.to,))
    said = _("It was handed in like any email that comes in. What comes of it stands in the mailbox in a moment.")
    return page("note.html", title=_("Your answer has been sent"), text=said)


@bp.get("/help/mail")
def show_help_for_mail() -> Response:
    """Shows what can be written in a reply; where no mail comes back, it says that alone."""
    title = _("Playing by email alone")
    if site().config.group(INBOUND).reply_to is None:
        return page("features/inbox/no_replies.html", title=title)
    from pbem.render.markdown import markdown_html

    text = sections("replying", page_language(), ("inbox",))
    return page("docs/guide.html", title=title, text=markdown_html(text))
