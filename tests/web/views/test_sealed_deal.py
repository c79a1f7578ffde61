"""The pages of a match that is over while other tables still play its deal, and the mail about its end."""

from __future__ import annotations

import pytest

from pbem.kit.texts import LANGS
from pbem.services.mail import sender
from tests.deals import TABLES, begin_deal
from tests.table import Outgoing, address_of, play_out
from tests.web.cast import Web

STILL = {"en": "Other tables still play this deal.", "fr": "D’autres tables jouent encore cette donne."}
SAME = {"en": "Other tables play the same deal.", "fr": "D’autres tables jouent la même donne."}
ENVELOPE = {"en": "when the last table is over", "fr": "quand la dernière table aura fini"}


@pytest.fixture
def tables(web: Web) -> tuple[str, str]:
    """A table that is over, and one that still plays the same deal."""
    _, (over, running) = begin_deal(web)
    play_out(web.site, over)
    return over, running


def words_of(web: Web, path: str, lang: str) -> str:
    """The page in this language, with plain blanks."""
    response = web.client(lang).get(path, query_string={"lang": lang})
    assert response.status_code == 200
    return response.text.replace("\u00a0", " ")


@pytest.mark.long
@pytest.mark.parametrize("lang", LANGS)
def test_a_finished_seat_page_of_a_shared_deal_says_how_long_it_is_sealed(
    web: Web, tables: tuple[str, str], lang: str
) -> None:
    over, running = tables
    page, other = (words_of(web, web.link("play", match_id, 0), lang) for match_id in tables)
    assert STILL[lang] in page
    assert SAME[lang] in other
    assert f"/match/{over}" not in page, "it is shared with nobody"
    play_out(web.site, running)
    for match_id in tables:
        page = words_of(web, web.link("play", match_id, 0), lang)
        assert STILL[lang] not in page
        assert SAME[lang] not in page
        assert f"/match/{match_id}" in page


@pytest.mark.long
@pytest.mark.parametrize("lang", LANGS)
def test_the_luck_page_of_a_sealed_deal_says_when_it_is_opened(web: Web, tables: tuple[str, str], lang: str) -> None:
    over, running = tables
    path = f"{web.link('play', over, 1)}/luck"
    page = words_of(web, path, lang)
    assert ENVELOPE[lang] in page
    assert 'data-part="checks"' not in page
    play_out(web.site, running)
    assert 'data-part="checks"' in words_of(web, path, lang)


@pytest.mark.long
def test_a_finished_seat_pages_etag_changes_when_its_deals_last_table_ends(web: Web, tables: tuple[str, str]) -> None:
    over, running = tables
    client, path = web.client(), web.link("play", over, 0)
    tag = client.get(path).headers["ETag"]
    assert client.get(path, headers={"If-None-Match": tag}).status_code == 304
    play_out(web.site, running)
    assert client.get(path, headers={"If-None-Match": tag}).status_code == 200


@pytest.mark.long
def test_frames_of_a_sealed_replay_are_kept_by_no_cache(web: Web, tables: tuple[str, str]) -> None:
    over, running = tables
    path = f"{web.link('play', over, 0)}/replay/frames.json"
    assert web.client().get(path).headers["Cache-Control"] == "no-store"
    for eyes in ("all", "1", "none"):
        assert web.client().get(path, query_string={"viewer": eyes}).status_code == 403
    play_out(web.site, running)
    assert web.client().get(path, query_string={"viewer": "all"}).status_code == 200


@pytest.mark.long
def test_a_sealed_deals_match_has_no_analysis_and_no_saved_page(web: Web, tables: tuple[str, str]) -> None:
    over, running = tables
    replay, form = f"{web.link('play', over, 0)}/replay", {"kind": "htm", "pace": "fast", "theme": "light"}
    page = web.client().get(replay).text
    assert "analysis" not in page.replace("/analysis", "")
    assert web.client().post(f"{replay}/analysis").status_code == 409
    assert web.client().post(f"/replay/{over}/analysis").status_code == 404
    assert web.client().post(f"{replay}/pictures", data=form).status_code == 422
    play_out(web.site, running)
    assert web.client().post(f"{replay}/pictures", data=form).status_code == 303


@pytest.mark.long
def test_tables_sharing_a_deal_read_only_their_own_chat(web: Web, tables: tuple[str, str]) -> None:
    over, running = tables
    link = web.link("play", over, 0)
    assert web.client().post(f"{link}/say", data={"say": "well played"}).status_code == 303
    assert "well played" in web.client().get(web.link("play", over, 1)).text
    assert "well played" not in web.client().get(web.link("play", running, 0)).text


@pytest.mark.long
@pytest.mark.parametrize("lang", LANGS)
def test_the_end_mail_says_so_while_the_shared_deal_is_still_sealed(web: Web, lang: str) -> None:
    _, (over, running) = begin_deal(web, lang=lang)
    ends = []
    for match_id, (name, *_) in ((over, TABLES[0]), (running, TABLES[1])):
        play_out(web.site, match_id)
        post = Outgoing()
        sender.drain(web.site, lambda post=post: post)  # type: ignore[misc]
        body = post.to(address_of(name))[-1].get_body(("plain",))
        assert body is not None
        ends.append(" ".join(body.get_content().split()))
    assert STILL[lang] in ends[0]
    assert STILL[lang] not in ends[1]
