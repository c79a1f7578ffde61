"""Mail that a relay posts: `POST /inbound`, the whole mail as the body, with the secret of PBEM_INBOUND_SECRET.

The secret is a bearer token or, for relays that know no other way, the password of basic authentication. The envelope
is in X-Envelope-From and X-Envelope-To, never in the address: servers on the way log addresses, and tokens stand in it.
201 says that the mail is kept, 200 that it was before; after anything but these the relay must post it again.
"""

import hmac
import re

from flask import Blueprint, Response, abort, request
from werkzeug.datastructures import Authorization
from werkzeug.exceptions import RequestEntityTooLarge

from pbem.config import Config
from pbem.environment import MAIL_BYTES
from pbem.errors import Busy
from pbem.services.inbox.intake import Via, take_in
from pbem.web.protocol.page import site
from pbem.web.protocol.security import keep_private

PATH = "/inbound"
RETRY_S = 30
MOST_RECIPIENTS = 100
_LONGEST_ADDRESS = 320
_FORMS = ("multipart/form-data", "application/x-www-form-urlencoded")

bp = Blueprint("inbound", __name__)


@bp.post(PATH)
def take() -> Response:
    """Keeps the mail in the body; 404 unless this site takes mail in this way."""
    keep_private()
    secret = site().config.inbound.secret
    if secret is None:
        abort(404)
    if not _carries(request.headers.get("Authorization", ""), secret):
        return _say("The secret is wrong, or missing.", 401, **{"WWW-Authenticate": 'Bearer realm="inbound"'})
    if request.mimetype in _FORMS:
        return _say("The body is the mail itself (message/rfc822), not a form.", 415)
    sender, recipients = _envelope()
    if len(recipients) > MOST_RECIPIENTS or any(len(one) > _LONGEST_ADDRESS for one in (sender or "", *recipients)):
        return _say("The envelope is too large.", 400)
    return keep_body("http", sender, recipients)


def keep_body(via: Via, sender: str | None, recipients: tuple[str, ...]) -> Response:
    """Keeps the mail that is the request's body; answers 201 or 200, or 400, 413 or 503 if it is not kept."""
    request.max_content_length = MAIL_BYTES
    try:
        raw = request.get_data(cache=False)
    except RequestEntityTooLarge:
        return _say(f"A mail may have {MAIL_BYTES} bytes.", 413)
    if not raw.strip():
        return _say("There is no mail in the body.", 400)
    try:
        fresh = take_in(site(), raw, via=via, mail_from=sender, recipients=recipients)
    except Busy:
        return _say("Not now; please send it again.", 503, **{"Retry-After": str(RETRY_S)})
    return _say("Kept.", 201) if fresh else _say("Kept before.", 200)


def may_post(config: Config, path: str, authorization: str) -> bool:
    """True if a request to this path with this `Authorization` may have a whole mail as its body."""
    if path != PATH:
        return True  # the page of the local mailbox
    secret = config.inbound.secret
    return secret is not None and _carries(authorization, secret)


def _carries(authorization: str, secret: str) -> bool:
    """True if the header has the secret. The comparison takes the same time wherever they differ."""
    given = Authorization.from_header(authorization) if authorization.isascii() else None
    sent = (given.token or given.password or "") if given is not None else ""
    return hmac.compare_digest(sent.encode(), secret.encode())


def _envelope() -> tuple[str | None, tuple[str, ...]]:
    """Returns the sender, None if it is not said, and the recipients."""
    sender = request.headers.get("X-Envelope-From")
    said = ",".join(request.headers.getlist("X-Envelope-To"))
    recipients = [one.strip(" <>") for one in re.split(r"[,\s]+", said) if one.strip(" <>")]
    return None if sender is None else sender.strip(" <>"), tuple(dict.fromkeys(recipients))


def _say(text: str, status: int, **headers: str) -> Response:
    return Response(f"{text}\n", status, headers, mimetype="text/plain")
