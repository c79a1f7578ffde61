"""Taking back a move, and what the others say to it. Each is a button of a form: a link changes nothing."""

from collections.abc import Callable

from flask import Blueprint, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from pbem.errors import Problem
from pbem.services.play import takeback
from pbem.services.play.takeback import TakenBack
from pbem.services.tokens import SeatClaim
from pbem.web.play import seat_page
from pbem.web.protocol.page import site

bp = Blueprint("takeback", __name__)


@bp.post("/play/<token>/takeback")
def take_back(token: str) -> AnyResponse:
    """Takes back the reader's latest move, or asks the others to agree."""
    return _act(token, lambda claim: takeback.take_back(site(), claim, _to()), done="undone", otherwise="asked")


@bp.post("/play/<token>/takeback/consent")
def consent(token: str) -> AnyResponse:
    """Agrees that somebody takes back a move, or declines it."""
    agree = request.form.get("agree") == "1"
    said = "agreed" if agree else "declined"
    return _act(
        token, lambda claim: takeback.give_consent(site(), claim, _to(), agree=agree), done=said, otherwise=said
    )


@bp.post("/play/<token>/takeback/withdraw")
def withdraw(token: str) -> AnyResponse:
    """Ends the reader's own request."""
    return _act(token, lambda claim: takeback.withdraw(site(), claim), done="withdrawn", otherwise="withdrawn")


@bp.post("/play/<token>/takeback/tell")
def tell(token: str) -> AnyResponse:
    """Lets the emails that are held go out now."""
    claim = seat_page.open_link(token)
    try:
        takeback.release_mail(site(), claim)
    except Problem as problem:
        return seat_page.render_problem(token, problem)
    return redirect(url_for("play.show", token=token), 303)


def _to() -> int:
    return request.form.get("to", -1, int)


def _act(token: str, act: Callable[[SeatClaim], TakenBack], *, done: str, otherwise: str) -> AnyResponse:
    claim = seat_page.open_link(token)
    try:
        result = act(claim)
    except Problem as problem:
        return seat_page.render_problem(token, problem)
    done = f"{done}_orders" if result.orders_ended else done
    return redirect(url_for("play.show", token=token, done=done if result.done else otherwise), 303)
