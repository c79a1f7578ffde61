"""What is asked next in the same sitting is answered together with the move, on the page of a seat."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from pbem.kit.contract import Move
from pbem.kit.orders.following import fold_and_question_of_sitting
from pbem.services.play import ordering
from tests.table import House, claim_of, open_house
from tests.web.cast import Page, Web, item_in_sight, items_in, path_of
from tests.windows import answers_told, begin_silent, pass_floor


@pytest.fixture
def house(sqlite_url: str, tmp_path: Path) -> Iterator[House]:
    """A site whose matches are begun without any page."""
    yield from open_house(sqlite_url, tmp_path)


def closing_a_pond(house: House) -> tuple[str, int, Move]:
    """A match of Niigata, the seat that is asked, and a place after which it may put a breeder down."""
    match_id = house.begin(2, "niigata")
    for _ in range(200):
        (ask,) = house.asks(match_id)
        view = house.view(match_id, ask.seat)
        for move in view.legal():
            events = view.game.preview(view.fold, ask.seat, move)
            if fold_and_question_of_sitting(view.game, view.fold, ask.seat, events) is not None:
                return match_id, ask.seat, move
        house.play(match_id, ask.seat)
    raise AssertionError("nobody closes a pond")


def values_of_next_answer(text: str) -> list[str]:
    """The values of the field for what follows."""
    (field,) = re.findall(r'<select name="then".*?</select>', text, re.DOTALL)
    return re.findall(r'<option value="(.*?)"', field)


@pytest.mark.long
@pytest.mark.parametrize("lang", ["en", "fr"])
def test_the_answer_to_the_next_question_can_be_sent_with_a_move(house: House, lang: str) -> None:
    match_id, seat, move = closing_a_pond(house)
    web = Web(house.site)
    path, client = web.link("play", match_id, seat), web.client()
    view = house.view(match_id, seat)
    assert view.ask is not None
    notation = view.game.format(move)
    shown = client.get(f"{path}?lang={lang}&ask={view.ask.key}&move={quote(notation)}").text
    none, *answers = values_of_next_answer(shown)
    assert none == ""
    assert answers
    assert {"en": "Ask me then", "fr": "Me poser la question alors"}[lang] in shown
    sent = {"key": view.ask.key, "move": notation, "then": answers[0]}
    done = client.post(path, data=sent)
    assert done.status_code == 303
    assert house.view(match_id, seat).sheet.version >= view.sheet.version + 2
    keys = [entry.key for entry in house.view(match_id, seat).entries if entry.n > view.sheet.version]
    assert len({key for key in keys if key is not None}) == 2, "two questions were answered"
    again = client.post(path, data=sent)
    assert "done=again" in path_of(again)


@pytest.mark.long
def test_leaving_the_next_answer_empty_asks_the_next_question(house: House) -> None:
    match_id, seat, move = closing_a_pond(house)
    view = house.view(match_id, seat)
    assert view.ask is not None
    sent = {"key": view.ask.key, "move": view.game.format(move), "then": ""}
    web = Web(house.site)
    web.client().post(web.link("play", match_id, seat), data=sent)
    (ask,) = house.asks(match_id)
    assert (ask.seat, ask.kind) == (seat, "claim")


@pytest.mark.long
def test_a_refused_second_answer_of_a_sitting_shows_its_question_again(house: House) -> None:
    match_id, seat, move = closing_a_pond(house)
    view = house.view(match_id, seat)
    assert view.ask is not None
    sent = {"key": view.ask.key, "move": view.game.format(move), "then": "claim 30E N"}
    web = Web(house.site)
    page = Page(web.client().post(web.link("play", match_id, seat), data=sent).text)
    assert item_in_sight(page.text) in items_in(page.text, "no")
    (ask,) = house.asks(match_id)
    assert (ask.seat, ask.kind) == (seat, "claim")


def test_an_answer_in_a_window_can_carry_the_next_announcement(house: House) -> None:
    web, match_id = Web(house.site), begin_silent(house, 3)
    before = house.view(match_id, None).sheet.version
    for asked in house.asks(match_id):
        path, client = web.link("play", match_id, asked.seat), web.client()
        shown = client.get(f"{path}?lang=en&ask={asked.key}&move=pass").text
        assert "if it comes to you after this" in shown
        assert "announce T4" in values_of_next_answer(shown)
        client.post(path, data={"key": asked.key, "move": "pass", "then": "announce T4"})
        assert len(ordering.read_orders(house.site, claim_of(house.site, match_id, asked.seat)).orders) == 1
    pass_floor(house, match_id)
    assert "Announced" in [name for name, _ in answers_told(house, match_id, before)]
