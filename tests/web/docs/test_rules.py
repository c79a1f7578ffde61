"""The rules of each game as a page: contents, numbers that are anchors, citations that are links, figures."""

from __future__ import annotations

import re

import pytest

from pbem.games import all_games, find_game
from pbem.kit.texts import LANGS, Lang
from pbem.render.markdown import rules_of
from tests.web.cast import Page, Web

SLUGS = pytest.mark.parametrize("slug", list(all_games()))
LANGUAGES = pytest.mark.parametrize("lang", LANGS)
NUMBER = r"(?:R\d+|\d+(?:\.\d+)?)"


def anchors_of_page(html: str) -> list[str]:
    return re.findall(rf'id="({NUMBER})"', html)


@pytest.mark.long
@SLUGS
@LANGUAGES
def test_every_refusal_names_a_rule_that_has_an_anchor(slug: str, lang: Lang) -> None:
    game = find_game(slug)
    assert game
    assert {refusal.rule for refusal in game.meta.refusals.values()} <= set(anchors_of_page(rules_of(slug, lang).body))


@SLUGS
def test_the_rules_have_the_same_anchors_in_both_languages_once_each(slug: str) -> None:
    french, english = (anchors_of_page(rules_of(slug, lang).body) for lang in ("fr", "en"))
    assert french == english
    assert len(french) == len(set(french)) > 40


@pytest.mark.long
@SLUGS
@LANGUAGES
def test_every_link_within_the_rules_leads_to_an_anchor(web: Web, slug: str, lang: Lang) -> None:
    page = Page(web.client(lang).get(f"/rules/{slug}").text)
    within = [href[1:] for href in page.hrefs() if re.fullmatch(f"#{NUMBER}", href)]
    there = anchors_of_page(rules_of(slug, lang).body)
    assert set(within) == set(there)
    assert len(within) > len(there)  # contents and citations besides each rule's own number


@SLUGS
@LANGUAGES
def test_every_rule_cited_on_the_rules_page_is_a_link(slug: str, lang: Lang) -> None:
    prose = re.sub(r"<a .*?</a>|<code>.*?</code>|<svg.*?</svg>|<[^>]+>", "", rules_of(slug, lang).body)
    assert re.findall(r"\(R\d+|\bR\d+\)|\b\d\.\d\b", prose) == []


@pytest.mark.long
@SLUGS
@LANGUAGES
def test_the_contents_of_the_rules_page_list_every_section(web: Web, slug: str, lang: Lang) -> None:
    rules = rules_of(slug, lang)
    assert [number for number, _ in rules.contents] == [str(n) for n in range(1, len(rules.contents) + 1)]
    said = Page(web.client(lang).get(f"/rules/{slug}").text).words
    for number, title in rules.contents:
        assert " ".join(f"{number} {title}".split()) in said
        assert " ".join(f"{number}. {title}".split()) in said


@pytest.mark.long
@SLUGS
def test_the_rules_page_shows_every_figure_with_its_symbols(web: Web, slug: str) -> None:
    game = find_game(slug)
    assert game
    text = web.client().get(f"/rules/{slug}").text
    assert text.count('<figure class="fig">') == len(game.figures)
    assert set(re.findall(r'<use href="#([^"]+)"', text)) <= set(re.findall(r'<symbol id="([^"]+)"', text))
    assert "figure:" not in text


def test_an_unknown_games_rules_page_is_not_found(web: Web) -> None:
    assert web.client().get("/rules/chess").status_code == 404
