"""“Why not?” on a seat's page: what is not allowed now, with the reason and the rule, from what the reader knows."""

from __future__ import annotations

import re

import pytest

from pbem.services.play import moves
from pbem.services.tokens import PlayClaim
from pbem.services.views.match_views import View, read_view
from tests.table import THREE
from tests.web.cast import Page, Web


def answers_refused(page: Page) -> list[tuple[str, str, str]]:
    """What the page refuses: the answers, the reason, and where its rule is."""
    found = re.findall(r'<li><span class="not">(.*?)</span> ([^<]*) <a href="([^"]+)">', page.text)
    return [(" ".join(re.sub(r"<[^>]+>|&nbsp;", " ", answers).split()), why, href) for answers, why, href in found]


@pytest.fixture
def calling(web: Web) -> tuple[str, int]:
    """A match of Hogen in which somebody is to call."""
    match_id = web.start(THREE)
    for seat in range(3):
        view = read_view(web.site, match_id, seat)
        assert view.ask
        claim = web.site.tokens.read(PlayClaim, web.link("play", match_id, seat).split("/")[-1])
        moves.answer(web.site, claim, view.ask.key, view.game.format(view.legal()[0]), "web")
    (ask,) = read_view(web.site, match_id, 0).sheet.asks
    return match_id, ask.seat


def see_refusals(web: Web, calling: tuple[str, int], lang: str = "en") -> tuple[Page, View]:
    match_id, seat = calling
    return Page(web.client(lang).get(f"{web.link('play', match_id, seat)}?lang={lang}").text), read_view(
        web.site, match_id, seat
    )


@pytest.mark.long
def test_forbidden_moves_are_listed_with_the_reason_and_a_link_to_the_rule(web: Web, calling: tuple[str, int]) -> None:
    page, view = see_refusals(web, calling)
    ally = view.fold.allies[calling[1]]
    (singles, why, rule), (cards, why_cards, rule_cards) = answers_refused(page)
    assert (rule, rule_cards) == ("/rules/hogen#4.2", "/rules/hogen#4.3")
    assert singles == f"{ally[0]} and rank {ally[1]}"
    assert ally in cards
    assert cards.count(",") + 2 == 16 - 6
    assert why.startswith("Your ally has this clan or rank")
    assert why_cards.startswith("A card you call for must share")


@pytest.mark.long
def test_it_is_told_in_french_too(web: Web, calling: tuple[str, int]) -> None:
    (singles, why, _), _ = answers_refused(see_refusals(web, calling, "fr")[0])
    assert " et rang " in singles
    assert why.startswith("Votre alliée a ce clan ou ce rang")


@pytest.mark.long
def test_nobody_else_is_told_anything(web: Web, calling: tuple[str, int]) -> None:
    match_id, seat = calling
    for other in {0, 1, 2} - {seat}:
        assert "Why not" not in web.client().get(web.link("play", match_id, other)).text
    assert "Why not" not in web.client().get(f"/match/{match_id}").text


@pytest.mark.long
def test_where_everything_is_allowed_nothing_is_asked(web: Web) -> None:
    assert 'class="why"' not in web.client().get(web.link("play", web.start(THREE), 0)).text
