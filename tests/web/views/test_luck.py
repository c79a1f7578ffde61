"""The luck of a match on its pages: the beginning of the commitment, never the seed."""

from __future__ import annotations

import re
from html import unescape

import pytest
from sqlmodel import col, update

from pbem.models.tables import Match
from tests.table import play_out
from tests.web.cast import Page, Web, play_on
from tests.web.everywhere import Everywhere

SAID = {
    "en": "at the end, compare the log with all 64 in your first email",
    "fr": "à la fin, comparez le journal aux 64 de votre premier courriel",
}
NOW = {
    "en": "changed, compare the log with all 64 digits in your first email",
    "fr": "changé, comparez le journal aux 64 chiffres de votre premier courriel",
}


def luck_of(web: Web, match_id: str) -> tuple[str, bytes]:
    """Returns the commitment of the match and its seed."""
    with web.site.reading() as session:
        match = session.get_one(Match, match_id)
        return match.commitment, match.seed


def said(web: Web, path: str, lang: str) -> str:
    """Returns the words of the page."""
    return unescape(Page(web.client(lang).get(f"{path}?lang={lang}").text).said)


@pytest.mark.parametrize("lang", ["en", "fr"])
def test_the_page_of_a_match_has_the_first_16_digits_with_a_plain_sentence(everywhere: Everywhere, lang: str) -> None:
    web, known = everywhere.web, everywhere.matches
    for phase in ("inviting", "running", "over", "left"):
        commitment, _ = luck_of(web, known[phase])
        digits = " ".join(re.findall("....", commitment[:16]))
        for path in (web.link("play", known[phase], 0), f"/match/{known[phase]}"):
            words = said(web, path, lang)
            assert digits in words, (phase, path)
            assert (SAID[lang] in words, NOW[lang] in words) == (phase != "over", phase == "over")


@pytest.mark.parametrize("lang", ["en", "fr"])
def test_against_bots_all_64_digits_are_to_be_kept_before_the_end_and_compared_after_it(web: Web, lang: str) -> None:
    keep = {"en": "keep these 64 digits now", "fr": "gardez ces 64 chiffres dès maintenant"}[lang]
    compare = {"en": "download the log under the replay", "fr": "téléchargez le journal sous la relecture"}[lang]
    match_id = web.start()
    with web.site.writing() as work:
        work.execute(update(Match).where(col(Match.id) == match_id).values(untimed=True))
    commitment, _ = luck_of(web, match_id)
    for over in (False, True):
        if over:
            play_out(web.site, match_id)
        words = said(web, web.link("play", match_id, 0), lang)
        assert commitment in words
        assert (keep in words, compare in words) == (not over, over)


def test_a_match_that_was_called_off_promises_no_check(everywhere: Everywhere) -> None:
    web, off = everywhere.web, everywhere.matches["off"]
    commitment, _ = luck_of(web, off)
    for path in (web.link("play", off, 0), f"/match/{off}"):
        words = said(web, path, "en")
        assert commitment[:4] + " " + commitment[4:8] not in words
        assert "first email of this match" not in words


def test_the_seed_is_in_no_page_and_no_answer_before_the_end(web: Web) -> None:
    match_id = web.start()
    play_on(web, match_id, 5)
    commitment, seed = luck_of(web, match_id)
    api, play = f"/api/v1/matches/{match_id}", web.link("play", match_id, 0)
    bearer = {"Authorization": f"Bearer {play.rsplit('/', 1)[1]}"}
    looked = [f"{api}{part}" for part in ("", "/state", "/events", "/log", "/story", "/ask")]
    looked += [play, f"{play}/replay", f"{play}/replay/log", f"/match/{match_id}", f"/replay/{match_id}"]
    for path in looked:
        answer = web.client().get(path, headers=bearer if path.startswith("/api") else {})
        assert answer.status_code == 200, path
        assert seed.hex() not in answer.text.lower(), path
    assert commitment in web.client().get(api).text
