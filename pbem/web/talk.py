"""What is said at the table and what is noted for oneself, on the page of a seat."""

from flask import Blueprint, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from pbem.errors import Problem
from pbem.services import seats, talk
from pbem.web import play
from pbem.web.language import speak
from pbem.web.page import site

bp = Blueprint("talk", __name__)


@bp.post("/play/<token>/say")
def say(token: str) -> AnyResponse:
    """Says something to the table; a refused text stays in its field."""
    seated, view = seats.read_play(site(), token)
    speak(seated.language)
    try:
        talk.say(site(), seated.sheet.id, seated.seat, request.form.get("say", ""))
    except Problem as problem:
        return play.render(token, seated, view, trouble=problem)
    return redirect(url_for("play.show", token=token, _anchor="talk"), 303)


@bp.post("/play/<token>/note")
def note(token: str) -> AnyResponse:
    """Keeps the seat's note; a refused text stays in its field."""
    seated, view = seats.read_play(site(), token)
    speak(seated.language)
    try:
        talk.write_note(site(), seated.sheet.id, seated.seat, request.form.get("note", ""))
    except Problem as problem:
        return play.render(token, seated, view, trouble=problem)
    return redirect(url_for("play.show", token=token, done="noted", _anchor="note"), 303)
