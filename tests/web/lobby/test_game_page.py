"""The page of a game: its goal, how long it takes, its bots, and the ways to play it."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest
from flask import render_template_string
from sqlmodel import select

from pbem.games.hogen import GAME
from pbem.kit.assemble import AssembledGame
from pbem.kit.contract import Intro, Length
from pbem.models.tables import SeatRow
from pbem.web.protocol.page import how_long
from tests.harness.cases import cases
from tests.web.cast import Page, Web
from tests.web.lobby.guests import begin_as_guest

NUMBERS = '{% import "web/pieces.html" as pieces with context %}{{ pieces.numbers(game) }}'


def test_the_page_of_a_game_says_what_it_is_and_how_long_it_takes(web: Web) -> None:
    page = Page(web.client().get("/games/hogen").text)
    assert "3 or 4 players 6–7 turns each 5–6 days by email hard" in page.words
    assert "By Jean-Denis Oste, 2013. Rules" in page.words
    assert {"/new?game=hogen", "/rules/hogen"} <= {*page.hrefs()}


@pytest.mark.parametrize("path", ["/", "/games", "/games/hogen"])
def test_every_page_states_the_same_length_for_a_game(web: Web, path: str) -> None:
    words = Page(web.client().get(path).text).words
    assert "5–6 days by email" in words
    assert "minutes" not in words


@cases(
    "lengths, about, glance",
    [
        ((), "about 10 minutes at a table", "about 10 minutes at a table"),
        ((Length(3, 1, 1),), "1 day by email", "1 turn each 1 day by email"),
        ((Length(3, 1, 9), Length(4, 2, 9)), "9 days by email", "1–2 turns each 9 days by email"),
    ],
)
def test_how_long_a_match_is_follows_from_what_was_measured(
    web: Web, lengths: tuple[Length, ...], about: str, glance: str
) -> None:
    assert isinstance(GAME, AssembledGame)
    game = replace(GAME, meta=msgspec.structs.replace(GAME.meta, minutes=10), intro=Intro(lengths=lengths))
    with web.app.test_request_context("/?lang=en"):
        web.app.preprocess_request()
        assert how_long(game) == about
        shown = render_template_string(NUMBERS, game=game)
        assert glance in Page(shown).words


@pytest.mark.parametrize(
    "path", ["/", "/games", "/games/hogen", "/games/hogen/learn", "/rules/hogen", "/new?game=hogen"]
)
def test_a_guest_reads_every_page_in_the_language_they_began_in(web: Web, path: str) -> None:
    client = web.client()
    client.environ_base["HTTP_ACCEPT_LANGUAGE"] = "fr"
    begin_as_guest(web, client)
    client.environ_base["HTTP_ACCEPT_LANGUAGE"] = "en"
    page = client.get(path)
    assert '<html lang="fr"' in page.text
    assert Page(page.text).words.count("vous attend") == 1


def test_an_unknown_game_has_no_page(web: Web) -> None:
    assert web.client().get("/games/chess").status_code == 404


def test_play_now_seats_the_bots_that_are_chosen(web: Web) -> None:
    client = web.client()
    form = next(form for form in Page(client.get("/games/hogen").text).forms if form.action == "/now")
    assert form.fields["rest"] == "greedy", "the usual one is chosen already"
    for bot in ("greedy", "random"):
        assert client.post("/now", data=form.fields | {"rest": bot}).status_code == 303
        with web.site.reading() as session:
            seats = session.exec(select(SeatRow)).all()
        assert [seat.bot for seat in seats][-2:] == [bot] * 2
