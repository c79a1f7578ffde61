"""The quiet menu of a seat's page: what is not the game itself, and nothing that is not there."""

from __future__ import annotations

import re

import pytest

from pbem.services.play import ordering, presence
from pbem.services.views.match_views import read_sheet
from tests.table import claim_of, play_out
from tests.web.cast import Page, Web
from tests.web.lobby.guests import play_now


def menu_of(web: Web, path: str) -> Page:
    """Returns the menu of the page."""
    text = web.client().get(path).text
    (menu,) = re.findall(r'<details class="menu".*?</details>', text, re.DOTALL)
    return Page(menu)


def test_the_seat_pages_menu_links_once_to_each_of_its_other_pages(web: Web, hogen: str) -> None:
    path = web.link("play", hogen, 0)
    hrefs = menu_of(web, path).hrefs()
    below = ("replay", "orders", "talk", "talk#note", "luck", "away", "renew", "resign")
    assert {f"{path}/{one}" for one in below} <= {*hrefs}
    assert {"/rules/hogen", f"/match/{hogen}"} <= {*hrefs}
    assert any(href.startswith("/mute/") for href in hrefs)
    assert len(hrefs) == len({*hrefs})


@pytest.mark.long
def test_each_row_of_the_menu_leads_to_a_page(web: Web, hogen: str) -> None:
    for href in menu_of(web, web.link("play", hogen, 1)).hrefs():
        assert web.client().get(href.partition("#")[0]).status_code == 200, href


@pytest.mark.long
def test_a_new_message_and_orders_that_stand_show_in_the_menu(web: Web) -> None:
    match_id = web.start(game="hagakure")
    alice, bob = (web.link("play", match_id, seat) for seat in (0, 1))
    assert "new message" not in menu_of(web, bob).words
    for words in ("Hello", "Who begins?"):
        web.client().post(f"{alice}/say", data={"say": words})
    assert "2 new messages" in menu_of(web, bob).words
    claim, version = claim_of(web.site, match_id, 1), read_sheet(web.site, match_id, 1).version
    ordering.add_order(web.site, claim, version, "always nobori: none for match", "web")
    assert "set" in menu_of(web, bob).words.split()
    assert "set" not in menu_of(web, alice).words.split()


@pytest.mark.long
def test_after_resigning_or_the_end_the_menu_has_no_orders_or_resign(web: Web, hogen: str) -> None:
    path = web.link("play", hogen, 2)
    presence.resign(web.site, claim_of(web.site, hogen, 2))
    assert not {f"{path}/{one}" for one in ("orders", "away", "resign")} & {*menu_of(web, path).hrefs()}
    over = web.start()
    play_out(web.site, over)
    path = web.link("play", over, 0)
    assert not {f"{path}/{one}" for one in ("orders", "away", "resign")} & {*menu_of(web, path).hrefs()}


@pytest.mark.long
def test_against_bots_the_menu_has_a_note_and_no_talk(web: Web) -> None:
    client = web.client()
    path = play_now(client, "hogen")
    text = client.get(path).text
    assert f"{path}/talk#note" in Page(text).hrefs()
    assert f"{path}/talk" not in Page(text).hrefs()
    assert f"{path}/away" not in Page(text).hrefs(), "nothing is late without deadlines"


@pytest.mark.long
def test_the_menu_has_rows_with_the_ids_orders_talk_and_note(web: Web, hogen: str) -> None:
    menu = menu_of(web, web.link("play", hogen, 0))
    assert {"orders", "talk", "note"} <= {known.get("id") for tag, known in menu.tags if tag == "li"}
