"""What an invitation page says of the match, and whose language and time zone it proposes."""

from __future__ import annotations

import re
from typing import Any

import pytest
from sqlalchemy import text

from pbem.games import all_games
from pbem.services.lobby.match_request import Invitee, Unnamed
from pbem.services.players.players import FIRST_ZONE
from pbem.services.views.seats import Seated
from pbem.web.protocol.page import seat_of_link
from tests.web.cast import READER, Page, Web, path_of

ACCEPT = {"answer": "accept"}


def path_of_new_invitation(web: Web, seat: int = 1, **more: Any) -> str:
    """Returns the path of an invitation to a new match of Alice, Bob and Carol; Alice lives in New York."""
    match_id = web.create(**more)
    answer = web.client().post(web.link("confirm", match_id, 0), data=READER)
    assert answer.status_code == 303
    return web.link("invitation", match_id, seat)


def value_in(page: Page, name: str) -> str:
    """Returns what stands in a field: the value, or the choice."""
    tags = iter(page.tags)
    field = next(known for _, known in tags if known.get("name") == name)
    if "value" in field:
        return field["value"]
    return next(known["value"] for tag, known in tags if tag == "option" and "selected" in known)


def words_in(web: Web, path: str) -> str:
    """Returns the words of the page, without those in drawings."""
    return Page(re.sub(r"<svg.*?</svg>", "", web.client().get(path).text, flags=re.S)).words


def test_an_invitation_is_shown_to_a_stranger_in_their_browsers_language(web: Web) -> None:
    path = path_of_new_invitation(web)  # the mail was in English, as the organiser wrote it
    for wants, lang, says in (
        ("fr-CA,fr;q=0.9", "fr", "Français, heure de Paris"),
        ("en-GB", "en", "English, Paris time"),
        ("ja", "en", "English, Paris time"),
    ):
        page = Page(web.client(wants).get(path).text)
        assert (f'<html lang="{lang}">' in page.text, value_in(page, "language")) == (True, lang)
        assert says in page.words.replace(" ,", ",")


def test_a_stranger_does_not_learn_the_zone_of_the_organiser(web: Web) -> None:
    page = Page(web.client().get(path_of_new_invitation(web)).text)
    assert value_in(page, "zone") == FIRST_ZONE
    assert "Paris time" in page.words
    assert "New York time" not in page.words
    assert "data-guess" in page.text, "which the browser's replaces where there is a script"


def test_a_known_player_keeps_their_language_and_zone_unless_changed(web: Web) -> None:
    first = web.start()  # Bob accepts in English, in London
    assert first
    path = path_of_new_invitation(web)
    page = Page(web.client("fr").get(path).text)
    assert '<html lang="en">' in page.text
    for asked in (path, f"{path}?lang=fr"):
        page = Page(web.client("fr").get(asked).text)
        assert (value_in(page, "language"), value_in(page, "zone")) == ("en", "Europe/London")
        assert "data-guess" not in page.text
        assert "English" in page.words
    sent = {"language": value_in(page, "language"), "zone": value_in(page, "zone")}
    before = web.everything()["players"][1]
    assert web.client("fr").post(path, data={**ACCEPT, **sent}).status_code == 303
    after = web.everything()["players"][1]
    assert [after[name] for name in ("language", "zone")] == [before[name] for name in ("language", "zone")]
    assert web.client().post(path, data={**ACCEPT, "language": "fr", "zone": "Asia/Tokyo"}).status_code == 303


def test_an_invitation_says_who_plays_and_who_has_not_answered(web: Web) -> None:
    path = path_of_new_invitation(web)
    words = words_in(web, path)
    assert "Alice plays Bob (you) Carol not answered yet" in words
    assert "3 days a turn" in words


def test_the_page_to_confirm_does_not_say_that_players_have_not_answered(web: Web) -> None:
    words = words_in(web, web.link("confirm", web.create(), 0))
    assert "Alice (you) Bob Carol" in words
    assert "not answered yet" not in words


def test_the_french_title_of_the_page_to_confirm_begins_with_the_game(web: Web) -> None:
    """A title may begin with an article, with which a preposition before it would have to merge."""
    match_id = web.create(game="niigata")
    said = Page(web.client().get(f"{web.link('confirm', match_id, 0)}?lang=fr").text).words
    assert "Les bassins de Niigata : commencer la partie ?" in said.replace("\u00a0", " ")


def test_an_accepted_invitation_links_to_rules_and_lesson_while_waiting(web: Web) -> None:
    client, path = web.client(), path_of_new_invitation(web)
    page = Page(client.get(path_of(client.post(path, data={**ACCEPT, **READER}))).text)
    assert {"/rules/hogen", "/games/hogen/learn"} <= {*page.hrefs()}


def test_an_invited_player_without_a_name_is_called_you(web: Web) -> None:
    people = [Invitee("Alice", "alice@example.org"), Unnamed("bob@example.org"), Unnamed("carol@example.org")]
    words = words_in(web, path_of_new_invitation(web, seats=people))
    assert "Alice plays You Player (C) not answered yet" in words
    assert "Your name" in words


def test_an_invitation_says_how_long_a_match_of_its_size_takes(web: Web) -> None:
    intro = all_games()["hogen"].intro
    assert intro is not None
    turns = {one.seats: one.turns for one in intro.lengths}
    words = Page(web.client().get(path_of_new_invitation(web)).text).words
    assert f"about {turns[3]} turns each" in words
    assert f"{turns[4]} turns" not in words


def test_an_invitation_folds_its_settings_below_the_accept_button(web: Web) -> None:
    page = Page(web.client().get(path_of_new_invitation(web)).text)
    button = page.words.index("Accept and play")
    assert page.words.index("How luck is kept fair") > button
    assert page.words.index("All settings of this match") > button
    assert all("open" not in known for tag, known in page.tags if tag == "details")


def test_a_link_renewed_while_the_page_is_made_is_not_on_it(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    path = path_of_new_invitation(web)
    own = path_of(web.client().post(path, data={**ACCEPT, **READER}))
    assert own.partition("?")[0] in Page(web.client().get(path).text).hrefs()

    def read_then_renew(token: str, purpose: Any = "play") -> Seated:
        seated = seat_of_link(token, purpose)
        with web.site.writing() as work:
            work.connection().execute(text("UPDATE seats SET epoch = epoch + 1 WHERE seat = 1"))
        return seated

    monkeypatch.setattr("pbem.web.lobby.invitations.seat_of_link", read_then_renew)
    links = [one for one in Page(web.client().get(path).text).hrefs() if one.startswith("/play/")]
    assert [web.client().get(one).status_code for one in links] == [401], "who had the old link must not get the new"
