"""The page of a game: its goal, how long it takes, its bots, and the ways to play it."""

from __future__ import annotations

from sqlmodel import select

from pbem.models.tables import SeatRow
from tests.web.cast import Page, Web


def test_the_page_of_a_game_says_what_it_is_and_how_long_it_takes(web: Web) -> None:
    page = Page(web.client().get("/games/hogen").text)
    assert "3 or 4 players 6–7 turns each about 5–6 days hard" in page.words
    assert "By Jean-Denis Oste, 2013. Rules" in page.words
    assert {"/new?game=hogen", "/rules/hogen"} <= {*page.hrefs()}


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
