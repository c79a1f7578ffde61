"""The table's messages and a player's own note, on a page of their own; the newest one is on the seat's page, too."""

from __future__ import annotations

import html
import re

import pytest

from pbem.games import all_games
from pbem.kit.texts import LANGS
from pbem.services.log import cancellation
from pbem.services.views import match_views
from tests.web.cast import Page, Web, items_in
from tests.web.lobby.guests import play_now

SCRIPT = "<script>alert(1)</script> http://example.com"


@pytest.mark.long
def test_only_seated_players_see_the_chat(web: Web, hogen: str) -> None:
    alice, bob = (web.link("play", hogen, seat) for seat in (0, 1))
    client = web.client()
    answer = client.post(f"{alice}/say", data={"say": SCRIPT})
    assert answer.status_code == 303
    shown = client.get(f"{bob}/talk").text
    assert "&lt;script&gt;alert(1)&lt;/script&gt; http://example.com" in shown
    assert not any(href.startswith("http://example.com") for href in Page(shown).hrefs())
    for path in (f"/match/{hogen}", f"/replay/{hogen}", f"{bob}/replay"):
        assert "alert(1)" not in client.get(path).text


def test_only_the_seats_own_player_sees_its_note(web: Web, hogen: str) -> None:
    alice, bob = (web.link("play", hogen, seat) for seat in (0, 1))
    client = web.client()
    client.post(f"{alice}/note", data={"note": "Bob has a four"})
    assert "Bob has a four" in client.get(f"{alice}/talk").text
    assert "Bob has a four" not in client.get(f"{bob}/talk").text
    assert "Bob has a four" not in client.get(f"/match/{hogen}").text


def test_a_refused_message_stays_in_its_field(web: Web, hogen: str) -> None:
    alice = web.link("play", hogen, 0)
    answer = web.client().post(f"{alice}/say", data={"say": "y" * 501})
    assert answer.status_code == 422
    assert "y" * 501 in answer.text
    assert "at most 500 characters" in Page(answer.text).words


def test_reading_the_chat_posts_nothing(web: Web, hogen: str) -> None:
    alice = web.link("play", hogen, 0)
    before = web.everything()
    assert web.client().get(f"{alice}/say").location == alice
    web.client().get(f"{alice}?say=hello")
    assert web.everything() == before


@pytest.mark.long
def test_after_a_refused_message_the_link_to_the_other_language_works(web: Web, hogen: str) -> None:
    alice = web.link("play", hogen, 0)
    answer = web.client().post(f"{alice}/say", data={"say": "y" * 501})
    (other,) = {href for href in Page(answer.text).hrefs() if "lang=fr" in href}
    assert web.client().get(other).status_code == 200


@pytest.mark.long
@pytest.mark.parametrize("slug", all_games())
def test_a_games_rule_of_silence_is_shown_beside_the_chat_form(web: Web, slug: str) -> None:
    game = all_games()[slug]
    alice = web.link("play", web.start(game=slug), 0)
    for lang in LANGS:
        page = web.client().get(f"{alice}/talk", query_string={"lang": lang}).text
        talk = page[page.index('id="talk"') : page.index('id="note"')]
        shown = re.findall(r'<p class="s muted silence"[^>]*>(.*?)</p>', talk)
        silence = game.meta.silence(game.meta.options())
        assert [html.unescape(words) for words in shown] == ([] if silence is None else [silence[lang]])
        if shown:
            assert talk.index(shown[0]) < talk.index("<textarea")


@pytest.mark.long
def test_the_rule_of_silence_is_not_shown_after_the_match(web: Web, hogen: str) -> None:
    path = f"{web.link('play', hogen, 0)}/talk"
    assert "silence" in web.client().get(path).text
    cancellation.cancel_match_for_host(web.site, hogen)
    assert "silence" not in web.client().get(path).text


@pytest.mark.long
def test_a_new_chat_message_is_announced_until_its_reader_writes(web: Web, hogen: str) -> None:
    alice, bob = (web.link("play", hogen, seat) for seat in (0, 1))
    client, line = web.client(), 'data-part="line"'
    client.post(f"{alice}/say", data={"say": "Who is first?"})
    client.post(f"{alice}/say", data={"say": SCRIPT})
    shown = client.get(bob).text
    below = shown[shown.index(line) :]
    assert "&lt;script&gt;" in below
    assert "<em>2</em>" in below
    assert items_in(shown, "news")[-1].startswith("Alice ")
    assert line not in client.get(alice).text, "one has written it"
    client.post(f"{bob}/say", data={"say": "I am"})
    assert line not in client.get(bob).text


@pytest.mark.long
def test_against_bots_only_there_is_no_chat_but_a_note(web: Web) -> None:
    client = web.client()
    path = play_now(client, "hogen")
    page = Page(client.get(f"{path}/talk").text)
    actions = [form.action for form in page.forms]
    assert f"{path}/note" in actions
    assert f"{path}/say" not in actions
    assert "Talk" not in page.words


def test_the_chat_page_does_not_compute_the_match(web: Web, hogen: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = web.link("play", hogen, 0)
    monkeypatch.setattr(match_views, "glance", lambda *_: 1 / 0)
    answer = web.client().get(f"{path}/talk")
    assert answer.status_code == 200
    assert web.client().get(path).status_code == 500, "the page of the seat does"
    again = web.client().get(f"{path}/talk", headers={"If-None-Match": answer.headers["ETag"]})
    assert again.status_code == 304


@pytest.mark.long
def test_the_talk_pages_etag_changes_with_messages_and_ones_own_note(web: Web, hogen: str) -> None:
    alice, bob = (f"{web.link('play', hogen, seat)}" for seat in (0, 1))
    client = web.client()
    for path, field in ((f"{bob}/say", "say"), (f"{alice}/note", "note")):
        tag = client.get(f"{alice}/talk").headers["ETag"]
        client.post(path, data={field: "Hello"})
        assert client.get(f"{alice}/talk", headers={"If-None-Match": tag}).status_code == 200
    tag = client.get(f"{alice}/talk").headers["ETag"]
    client.post(f"{bob}/note", data={"note": "his own"})
    assert client.get(f"{alice}/talk", headers={"If-None-Match": tag}).status_code == 304
