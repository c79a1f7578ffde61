"""The notation page of each game: found from the reference, in the reader's language."""

from __future__ import annotations

import pytest

from pbem.games import all_games
from tests.harness.cases import cases
from tests.web.cast import Page, Web


def test_the_api_reference_links_to_the_notation_of_every_game(web: Web) -> None:
    hrefs = Page(web.client().get("/docs/api").text).hrefs()
    assert {f"/docs/api/notation/{slug}" for slug in all_games()} <= set(hrefs)


@pytest.mark.long
@cases("slug", list(all_games()))
@cases("lang, word", [("fr", "Ce que vous tapez"), ("en", "What you type")])
def test_a_games_notation_is_explained_in_the_readers_language(web: Web, slug: str, lang: str, word: str) -> None:
    page = Page(web.client(lang).get(f"/docs/api/notation/{slug}").text)
    assert word in page.words
    title = all_games()[slug].meta.title["fr" if lang == "fr" else "en"]
    assert " ".join(title.split()) in page.words
    assert f"/rules/{slug}" in page.hrefs()
    assert [tag for tag, _ in page.tags if tag == "table"]


@pytest.mark.long
def test_pages_with_a_field_for_a_move_link_to_the_notation(web: Web, hogen: str) -> None:
    answer = web.client().get(web.link("play", hogen, 0))
    assert "/docs/api/notation/hogen" in Page(answer.text).hrefs()


def test_an_unknown_games_notation_page_is_not_found(web: Web) -> None:
    assert web.client().get("/docs/api/notation/chess").status_code == 404
