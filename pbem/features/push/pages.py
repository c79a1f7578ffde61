"""What the page of a seat and its service worker ask for, and what the page shows. Answers are JSON, or nothing."""

import json
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

from flask import Blueprint, Response, request, send_from_directory, url_for

from pbem.errors import N_, Invalid, Problem
from pbem.features.push import subscriptions
from pbem.features.push.subscriptions import Device
from pbem.limits import Account, Limit
from pbem.render.problems import problem_sentence
from pbem.services.views.match_views import View
from pbem.services.views.seats import Seated
from pbem.web.features import Parts, macros_of
from pbem.web.protocol.language import page_language
from pbem.web.protocol.page import claim_of, site
from pbem.web.protocol.security import keep_private

bp = Blueprint("push", __name__)

STATIC = Path(__file__).parent / "static"
SCRIPT = "features/push/push.js"
TEMPLATE = "features/push/seat_page.html"
PUSHES_PER_HOUR = 300
"""How often one place may subscribe, stop and open: a device subscribes each of its seats once a day."""
PUSHES = Account(
    "pushes", PUSHES_PER_HOUR, N_("Notifications were set too often from your network within the hour. Please wait.")
)
PARTS = (bp,)


def problem_json(problem: Problem) -> Response:
    """Returns the problem for a script: its code, and a sentence."""
    keep_private()
    said = {"status": problem.status, "code": problem.code, "detail": problem_sentence(problem, page_language())}
    response = Response(json.dumps(said), problem.status, mimetype="application/problem+json")
    if problem.retry_after is not None:
        response.headers["Retry-After"] = str(problem.retry_after)
    return response


LIMITS = tuple(Limit(f"push.{view}", PUSHES, problem_json) for view in ("subscribe", "note_opened", "stop"))
_UNREADABLE = N_("This request cannot be read. Please load the page again.")


def seat_page(seated: Seated, _view: View, token: str) -> Parts:
    """Returns the offer under the bar, and the switches among the links: they end notifications on every page.

    There is no offer if nobody waits for the seat.
    """
    offered = {
        "key": subscriptions.public_key(site().config.secret),
        "url": url_for("push.subscribe", token=token),
        "name": f"{seated.sheet.id}/{seated.seat}/{seated.epoch}",
    } if seated.waited_for else None  # fmt: skip
    part = macros_of(TEMPLATE)
    return Parts(under_bar=part.under_bar(offered), links=part.links(offered), scripts=(SCRIPT,))


def _with_json_answer(view: Callable[..., None]) -> Callable[..., Response]:
    """Wraps the view: 204 once it is done, else the problem as JSON."""

    @wraps(view)
    def answer(**arguments: str) -> Response:
        keep_private()
        try:
            view(**arguments)
        except Problem as problem:
            return problem_json(problem)
        return Response(status=204)

    return answer


@bp.get("/sw.js")
def worker() -> Response:
    """Sends the service worker, at the root so that it may open every page; browsers look for newer ones."""
    return send_from_directory(STATIC, "sw.js", max_age=0)


@bp.post("/play/<token>/push")
@_with_json_answer
def subscribe(token: str) -> None:
    """Has the device notified of this seat's turns; the body is what `PushSubscription.toJSON` returns."""
    said = _json_body()
    keys = said.get("keys")
    if not isinstance(keys, dict):
        raise Invalid(_UNREADABLE)
    device = Device(_text_field(said, "endpoint"), _text_field(keys, "p256dh"), _text_field(keys, "auth"))
    subscriptions.subscribe_device(site(), claim_of(token), device)


@bp.post("/play/<token>/push/opened")
@_with_json_answer
def note_opened(token: str) -> None:
    """Notes that the notification of this `mail` was opened, so that it does not follow."""
    mail = _text_field(_json_body(), "mail")
    if not mail.isascii():
        raise Invalid(_UNREADABLE)
    subscriptions.note_opened(site(), claim_of(token), mail)


@bp.post("/push/stop")
@_with_json_answer
def stop() -> None:
    """Ends all notifications of the device with this `endpoint`, which only it knows."""
    subscriptions.unsubscribe_device(site(), _text_field(_json_body(), "endpoint"))


def _json_body() -> dict[str, Any]:
    said = request.get_json(silent=True)
    if not isinstance(said, dict):
        raise Invalid(_UNREADABLE)
    return said


def _text_field(said: dict[str, Any], name: str) -> str:
    text = said.get(name)
    if not isinstance(text, str):
        raise Invalid(_UNREADABLE)
    return text
