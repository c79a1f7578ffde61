"""Guests who play at once, without an account."""

from __future__ import annotations

from flask.testing import FlaskClient

from pbem.services.play import bots
from tests.web.cast import Page, Web, path_of


def play_now(client: FlaskClient, game: str = "") -> str:
    """Presses the button on the start page, or the game's among all games; returns the path of the board."""
    page = Page(client.get("/games" if game else "/").text)
    form = next(form for form in page.forms if form.action == "/now" and form.fields.get("game", "") == game)
    answer = client.post("/now", data=form.fields)
    assert answer.status_code == 303, answer.text
    return path_of(answer).partition("?")[0]


def begin_as_guest(web: Web, client: FlaskClient) -> str:
    path = play_now(client)
    bots.play_quick_bots(web.site)
    return path
