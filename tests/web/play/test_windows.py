"""Silent windows on the seat's page: what is sealed, until when it may be changed, and what others see: nothing."""

from __future__ import annotations

import pytest

from pbem.services.lobby.match_request import AT_ONCE, SILENT
from tests.table import FOUR
from tests.web.cast import Page, Web, choose_move, items_in, path_of, press_only_button

CHANGE = "You can still change it."
QUIET = "Nobody sees when or how you answer before it closes."


def window(web: Web, **more: str) -> tuple[list[str], int]:
    """Returns the pages of the seats of a match of Allégeance at its first window, and its announcer."""
    match_id = web.start(FOUR, **{"game": "allegeance", "windows": SILENT, **more})
    pages = [web.link("play", match_id, seat) for seat in range(4)]
    client = web.client()
    while True:
        asked = [seat for seat in range(4) if "What you can do" in client.get(pages[seat]).text]
        if len(asked) == 3:
            (announcer,) = {*range(4)} - {*asked}
            return pages, announcer
        press_only_button(client, choose_move(client, pages[asked[0]], lambda links: links[0]))


def seals_in(page: Page) -> str:
    """Returns what the page says is sealed."""
    return items_in(page.text, "mine")[0]


@pytest.mark.long
def test_a_sealed_answer_is_shown_to_its_owner_who_may_change_it(web: Web) -> None:
    pages, announcer = window(web)
    client, mine = web.client(), pages[(announcer + 1) % 4]
    assert QUIET in Page(client.get(mine).text).words
    answered = press_only_button(client, choose_move(client, mine, lambda links: links[0]))
    assert path_of(answered).endswith("?done=sealed")
    page = Page(client.get(path_of(answered)).text)
    assert "Your answer is sealed" in page.words
    assert CHANGE in page.words
    assert seals_in(page).startswith("Challenge ")
    changed = press_only_button(client, choose_move(client, mine, lambda links: links[-1]))
    page = Page(client.get(path_of(changed)).text)
    assert seals_in(page).startswith("Let it pass")
    assert QUIET in page.words


def test_an_older_pages_button_does_not_replace_a_newer_sealed_answer(web: Web) -> None:
    pages, announcer = window(web)
    client, mine = web.client(), pages[(announcer + 1) % 4]
    early = choose_move(client, mine, lambda links: links[0])
    assert path_of(press_only_button(client, choose_move(client, mine, lambda links: links[-1]))).endswith(
        "?done=sealed"
    )
    late = press_only_button(client, early)
    assert late.status_code == 409
    assert "You have answered this question meanwhile." in Page(late.text).words
    assert seals_in(Page(client.get(mine).text)).startswith("Let it pass")
    changed = press_only_button(client, choose_move(client, mine, lambda links: links[0]))
    assert seals_in(Page(client.get(path_of(changed)).text)).startswith("Challenge ")


@pytest.mark.long
def test_a_sealed_answer_does_not_change_the_others_pages(web: Web) -> None:
    pages, announcer = window(web)
    client, others = web.client(), [pages[announcer], pages[(announcer + 2) % 4]]
    before = [client.get(page).headers["ETag"] for page in others]
    press_only_button(client, choose_move(client, pages[(announcer + 1) % 4], lambda links: links[0]))
    assert [client.get(page).headers["ETag"] for page in others] == before
    for page, tag in zip(others, before, strict=True):
        assert client.get(page, headers={"If-None-Match": tag}).status_code == 304


@pytest.mark.long
def test_the_etag_of_the_owners_page_changes_with_the_sealed_answer(web: Web) -> None:
    pages, announcer = window(web)
    client, mine = web.client(), pages[(announcer + 1) % 4]
    tags = [client.get(mine).headers["ETag"]]
    for at in (0, -1):
        press_only_button(client, choose_move(client, mine, lambda links, at=at: links[at]))
        tags.append(client.get(mine).headers["ETag"])
    assert len({*tags}) == 3


@pytest.mark.long
def test_with_windows_closing_at_once_the_page_does_not_promise_silence(web: Web) -> None:
    pages, announcer = window(web, windows=AT_ONCE)
    client, mine = web.client(), pages[(announcer + 1) % 4]
    assert QUIET not in Page(client.get(mine).text).words
    answered = press_only_button(client, choose_move(client, mine, lambda links: links[-1]))
    assert path_of(answered).endswith("?done=1")


@pytest.mark.long
@pytest.mark.parametrize("windows", [SILENT, AT_ONCE])
def test_the_help_of_a_question_in_a_window_links_to_the_orders(web: Web, windows: str) -> None:
    pages, announcer = window(web, windows=windows)
    words = "Answer these for me"
    asked, waiting = (Page(web.client().get(pages[(announcer + at) % 4]).text) for at in (1, 0))
    help_with = asked.text.partition('<details class="why">')[2].partition("</details>")[0]
    assert words in help_with
    assert "/orders" in help_with
    assert words not in waiting.words


def test_an_answer_sealed_twice_is_not_said_to_be_played_already(web: Web) -> None:
    pages, announcer = window(web)
    client, mine = web.client(), pages[(announcer + 1) % 4]
    for _ in range(2):
        answered = press_only_button(client, choose_move(client, mine, lambda links: links[-1]))
        assert path_of(answered).endswith("?done=sealed")
        assert "played already" not in Page(client.get(path_of(answered)).text).words


@pytest.mark.long
def test_the_orders_page_hides_who_answered_only_if_answers_are_secret(web: Web) -> None:
    pages, announcer = window(web)
    assert "When answers are secret, no one can tell" in Page(web.client().get(f"{pages[announcer]}/orders").text).words
    match_id = web.start(game="niigata")
    seen = [Page(web.client().get(f"{web.link('play', match_id, seat)}/orders").text).words for seat in range(3)]
    assert all("But an answer that comes quickly may show" in said for said in seen)
    assert not any("no one can tell" in said.lower() for said in seen)
