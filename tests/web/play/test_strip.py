"""The strip of a seat's page without scripts: what it shows first, paging, and cards that wait for a tap."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from pbem.kit.contract import Card
from pbem.services.views.match_views import News, View, read_view
from tests.table import CAST, submit_answer
from tests.web.cast import Page, Web, choose_move, item_in_sight, items_in, path_of


def play_until_news(web: Web, seat: int = 0) -> tuple[str, str, int]:
    """A match that asks the seat something, with several unread lines for it; its page, and the number of lines."""
    rng = random.Random(8)
    for _ in range(20):
        match_id = web.start(game="hogen")
        for _ in range(24):
            mover = read_view(web.site, match_id, None).sheet.asks[0].seat
            view = read_view(web.site, match_id, mover)
            assert view.ask is not None
            submit_answer(web.site, match_id, mover, view.ask.key, rng.choice([*view.legal()][:6]), "web")
            mine = read_view(web.site, match_id, seat)
            if mine.sheet.status != "running":
                break
            news = mine.news("en")
            if mine.ask is not None and news.unread is not None and len(news.lines) - news.unread > 2:
                return match_id, web.link("play", match_id, seat), len(news.lines)
    raise AssertionError("no match with three unread lines")


def unread_of(text: str) -> int | None:
    """The place of the first unread item; None if all is read."""
    found = re.search(r'data-unread="(\d+)"', text)
    return int(found[1]) if found else None


def go_on(client: FlaskClient, page: str, classes: str = "on") -> TestResponse:
    """Presses the pager's button, or that of the open card."""
    if classes == "card":
        shown = re.search(r'<dialog class="card" [^>]* open>.*?</dialog>', page, re.S)
        assert shown is not None
        form = Page(shown[0]).forms[0]
    else:
        form = next(one for one in Page(page).forms if one.classes == classes)
    return client.post(form.action, data=form.fields)


def test_news_opens_at_the_first_unread_line_and_goes_on_by_a_form(web: Web) -> None:
    _match_id, path, count = play_until_news(web)
    client = web.client()
    page = client.get(path).text
    first = unread_of(page)
    assert first is not None
    every = items_in(page, "mine", "asked", "news")
    assert item_in_sight(page) == every[first]
    assert client.get(path).text == page, "fetching a page reads nothing: programs do so, too"
    for at in range(first + 1, len(every)):
        page = client.get(path_of(go_on(client, page))).text
        assert item_in_sight(page) == items_in(page, "mine", "asked", "news")[-(len(every) - at)]
    assert unread_of(page) is None
    assert 'aria-disabled="true"' in page.partition('class="pg next')[2].partition(">")[0]
    other_device = web.client().get(path).text
    assert unread_of(other_device) is None
    assert len(items_in(other_device, "news")) <= count, "what was read before the own last move is gone"


def test_paging_back_in_the_news_marks_nothing_as_read(web: Web) -> None:
    _match_id, path, _count = play_until_news(web)
    client = web.client()
    page = client.get(path_of(go_on(client, client.get(path).text))).text
    (back,) = Page(page).hrefs("prev")
    before = client.get(back).text
    assert unread_of(before) == unread_of(page)
    assert item_in_sight(before) != item_in_sight(page)


def test_paging_through_news_keeps_the_chosen_move(web: Web) -> None:
    _match_id, path, _count = play_until_news(web)
    client = web.client()
    chosen = choose_move(client, path, lambda links: links[0])
    assert chosen.form("confirm") is not None
    after = Page(client.get(path_of(go_on(client, chosen.text))).text)
    assert after.form("confirm") is not None


@pytest.fixture
def with_card(web: Web, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """A match in whose unread news the second line has a card; its page."""
    match_id, path, _count = play_until_news(web)
    told = View.news

    def with_one(self: View, lang: Any) -> News:
        news = told(self, lang)
        at = next((n for n, line in enumerate(news.lines) if line.n == entry), None)
        if at is None:
            return news
        card = Card("{1} is out", ("They declared, and were wrong.",), (("", "{0}"), ("points", "3")))
        return replace(news, lines=(*news.lines[:at], replace(news.lines[at], card=card), *news.lines[at + 1 :]))

    news = read_view(web.site, match_id, 0).news("en")
    assert news.unread is not None
    entry = news.lines[news.unread + 1].n
    monkeypatch.setattr(View, "news", with_one)
    return match_id, path


def open_card(text: str) -> str:
    """The words of the open card; "" if none is open."""
    found = re.search(r'<dialog class="card" [^>]* open>.*?</dialog>', text, re.S)
    return Page(found[0]).words if found else ""


def test_a_news_card_opens_when_reached_and_waits_for_a_tap(web: Web, with_card: tuple[str, str]) -> None:
    _match_id, path = with_card
    client = web.client()
    page = client.get(path).text
    assert open_card(page) == ""
    page = client.get(path_of(go_on(client, page))).text
    assert open_card(page).startswith(f"{CAST[1]} is out They declared, and were wrong.")
    reached = unread_of(page)
    again = web.client().get(path).text
    assert open_card(again), "it waits, on every device"
    assert reached is not None
    after = client.get(path_of(go_on(client, page, "card"))).text
    assert open_card(after) == ""
    assert unread_of(after) != reached
    assert open_card(web.client().get(path).text) == ""


def test_an_unread_news_card_opens_before_the_first_choice(web: Web, with_card: tuple[str, str]) -> None:
    _match_id, path = with_card
    client = web.client()
    assert open_card(client.get(path).text) == ""
    chosen = choose_move(client, path, lambda links: links[0])
    assert open_card(chosen.text)
    after = client.get(path_of(go_on(client, chosen.text, "card")))
    assert open_card(after.text) == ""
    assert Page(after.text).form("confirm") is not None, "what was chosen stays chosen"


def test_spectators_page_through_news_by_links_without_stored_state(web: Web) -> None:
    match_id, _path, _count = play_until_news(web)
    client, path = web.client(), f"/match/{match_id}"
    before = web.everything()
    page = client.get(path).text
    (back,) = Page(page).hrefs("prev")
    earlier = client.get(back).text
    assert item_in_sight(earlier) != item_in_sight(page)
    (forth,) = Page(earlier).hrefs("next")
    assert item_in_sight(client.get(forth).text) == item_in_sight(page)
    assert web.everything() == before
