"""Table talk and private notes, on the page of a seat."""

from flask import Blueprint, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from pbem.errors import Changed, Problem
from pbem.services.views import talk
from pbem.services.views.talk import LONGEST_NOTE
from pbem.web.play import seat_page
from pbem.web.protocol import forms
from pbem.web.protocol.language import _
from pbem.web.protocol.page import site

bp = Blueprint("talk", __name__)


@bp.post("/play/<token>/say")
def say(token: str) -> AnyResponse:
    """Sends a message to the table; a refused text stays in its field."""
    claim = seat_page.open_link(token)
    try:
        talk.say(site(), claim, request.form.get("say", ""))
    except Problem as problem:
        return seat_page.render_problem(token, problem)
    return redirect(url_for("play.show", token=token, _anchor="talk"), 303)


@bp.post("/play/<token>/note")
def note(token: str) -> AnyResponse:
    """Saves the seat's note; a refused text stays in its field."""
    claim, text = seat_page.open_link(token), request.form.get("note", "")
    try:
        talk.write_note(site(), claim, text, version=forms.seen_version())
    except Changed as problem:
        stored, entered = talk.read_talk(site(), claim.match_id, claim.seat).note, talk.checked_text(text, LONGEST_NOTE)
        field = forms.Field(_("My note"), stored, entered, name="note", lines=8, longest=LONGEST_NOTE)
        return forms.ask_again(problem, [field], url_for("play.show", token=token, _anchor="note"))
    except Problem as problem:
        return seat_page.render_problem(token, problem)
    return redirect(url_for("play.show", token=token, done="noted", _anchor="note"), 303)
