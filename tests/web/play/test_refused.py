"""“Why not?” on a seat's page: what is not allowed now, with the reason and the rule, from what the reader knows."""

from __future__ import annotations

import re
from html import unescape

import pytest

from pbem.services.play import moves
from pbem.services.tokens import PlayClaim
from pbem.services.views.match_views import View, read_view
from tests.table import THREE
from tests.web.cast import Page, Web, item_in_sight, items_in


def refusals_of(page: Page) -> list[tuple[str, str]]:
    """What the page offers to explain: what cannot be chosen, and the address that says why."""
    listed = page.text.partition("Why not …")[2].partition("</p>")[0]
    found = re.findall(r'<a href="([^"]+)">(.*?)</a>', listed)
    return [(" ".join(re.sub(r"<[^>]+>|&nbsp;", " ", name).split()), unescape(href)) for href, name in found]


@pytest.fixture
def calling(web: Web) -> tuple[str, int]:
    """A match of Hogen in which somebody is to call."""
    match_id = web.start(THREE)
    for seat in range(3):
        view = read_view(web.site, match_id, seat)
        assert view.ask
        claim = web.site.tokens.read(PlayClaim, web.link("play", match_id, seat).split("/")[-1])
        moves.play_answer(web.site, claim, view.ask.key, view.game.format(view.legal()[0]), "web")
    (ask,) = read_view(web.site, match_id, 0).sheet.asks
    return match_id, ask.seat


def see_refusals(web: Web, calling: tuple[str, int], lang: str = "en") -> tuple[Page, View]:
    match_id, seat = calling
    return Page(web.client(lang).get(f"{web.link('play', match_id, seat)}?lang={lang}").text), read_view(
        web.site, match_id, seat
    )


def test_a_forbidden_choice_links_to_the_reason_and_its_rule(web: Web, calling: tuple[str, int]) -> None:
    page, view = see_refusals(web, calling)
    ally = view.fold.allies[calling[1]]
    refused = dict(refusals_of(page))
    assert {ally, ally[0], f"rank {ally[1]}"} <= {*refused}
    assert len(refused) == 2 + 16 - 6
    assert unescape(page.text).count(refused[ally]) > 1, "the board leads there, too"
    for name, why, rule in (
        (ally[0], "Your ally has this clan or rank", "/rules/hogen#4.2"),
        (ally, "Call for a card that has your ally", "/rules/hogen#4.3"),
    ):
        told = web.client().get(refused[name]).text
        assert item_in_sight(told) == items_in(told, "no")[0]
        assert item_in_sight(told).startswith(why)
        assert f'href="{rule}"' in told
        assert "form.confirm" not in told


def test_a_card_beside_the_only_one_that_fits_leads_to_why_not(web: Web, calling: tuple[str, int]) -> None:
    match_id, seat = calling
    for _ in range(60):
        view = read_view(web.site, match_id, seat)
        assert view.ask
        gives = {step.text for move in view.legal() for step in view.game.path(move, view.fold, "en")[:1]}
        others = {f"give-{card}" for card in view.fold.hands[seat]} - gives
        if view.ask.kind == "answer" and len(gives) == 1 and others:
            break
        claim = web.site.tokens.read(PlayClaim, web.link("play", match_id, seat).split("/")[-1])
        notation = view.game.format(next(move for move in view.legal()[5:] or view.legal()))
        moves.play_answer(web.site, claim, view.ask.key, notation, "web")
        (ask,) = read_view(web.site, match_id, 0).sheet.asks
        seat = ask.seat
    page, _view = see_refusals(web, (match_id, seat))
    card = min(others).removeprefix("give-")
    href = dict(refusals_of(page))[card]
    assert unescape(page.text).count(href) > 1, "the board leads there, too"
    (why,) = items_in(web.client().get(href).text, "no")
    assert why.startswith(f"{card} does not answer the call")


@pytest.mark.long
def test_the_reason_against_a_choice_is_given_in_french_too(web: Web, calling: tuple[str, int]) -> None:
    page, _view = see_refusals(web, calling, "fr")
    listed = page.text.partition("Pourquoi pas …")[2].partition("</p>")[0]
    href = unescape(re.findall(r'<a href="([^"]+)">', listed)[0])
    told = web.client("fr").get(f"{href}&lang=fr").text
    assert items_in(told, "no")[0].startswith("Votre alliée a ce clan ou ce rang")


@pytest.mark.long
def test_the_why_not_link_of_a_legal_move_shows_no_reason(web: Web, calling: tuple[str, int]) -> None:
    _page, view = see_refusals(web, calling)
    assert view.ask
    query = {"ask": view.ask.key, "no": view.game.format(view.legal()[0])}
    told = web.client().get(web.link("play", calling[0], calling[1]), query_string=query)
    assert (told.status_code, items_in(told.text, "no")) == (200, [])


@pytest.mark.long
def test_only_the_seat_in_turn_sees_reasons_against_choices(web: Web, calling: tuple[str, int]) -> None:
    match_id, seat = calling
    for other in {0, 1, 2} - {seat}:
        assert "Why not" not in web.client().get(web.link("play", match_id, other)).text
    assert "Why not" not in web.client().get(f"/match/{match_id}").text


@pytest.mark.long
def test_a_board_with_only_legal_choices_links_to_no_reasons(web: Web) -> None:
    assert refusals_of(Page(web.client().get(web.link("play", web.start(THREE), 0)).text)) == []
