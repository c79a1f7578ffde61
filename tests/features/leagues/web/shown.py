"""A league on its pages."""

from __future__ import annotations

import html
import re

from flask.testing import FlaskClient

from tests.web.cast import path_of, secret_of

FORM = {
    "name": "Autumn league", "game": "hogen", "starts": "2026-03-20", "days": "42", "matches_each": "2",
    "division_size": "8", "seats": "3", "promoted": "1", "relegated": "1", "turn_s": "172800", "unfinished": "half",
    "listed": "on",
}  # fmt: skip


def found_league_by_form(client: FlaskClient, **typed: str) -> str:
    """Founds a league by its form; returns the path of its season."""
    secret = secret_of(client.get("/leagues/new").text)
    return path_of(client.post("/leagues/new", data={"csrf_token": secret, **FORM, **typed}))


def section_of_page(page: str, name: str) -> str:
    """What the section of this name says; "" if the page has none."""
    found = re.search(rf'<section[^>]*data-part="{name}".*?</section>', page, re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", html.unescape(found[0])).split()) if found else ""
