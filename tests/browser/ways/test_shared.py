"""A match that is shown to a stranger: who won, then what game this is, and what they can do about it."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from pbem.services.lobby import matches
from pbem.services.lobby.match_request import BotSeat, Invitee, NewMatch, OpenSeat
from pbem.services.tokens import next_opening
from pbem.services.who import STRANGER
from tests.browser.accessible.axe import open_reader
from tests.browser.turns.measure import SETTLED
from tests.table import House, address_of, play_out

pytestmark = pytest.mark.browser

ORDER = """() => {
  const top = (one) => one.getBoundingClientRect().top + scrollY;
  const words = (said) => [...document.querySelectorAll("main :is(h1, a, button, summary)")]
    .find((one) => one.textContent.includes(said) && one.checkVisibility());
  const box = document.querySelector(".play-this"), button = box.querySelector(".play");
  return {
    who: top(document.querySelector("main h1")), game: top(box), begin: button.getBoundingClientRect().bottom,
    replay: top(words("Watch the replay")), log: top(words("Download the log")), luck: top(words("How luck was kept")),
  };
}"""
PHONES = ((360, 740), (390, 844), (844, 390))


@pytest.fixture(scope="module")
def over(home: House) -> str:
    """A match that is over."""
    match_id = home.begin(3)
    play_out(home.site, match_id)
    return match_id


@pytest.mark.parametrize(
    "size", [PHONES[1], *(pytest.param(one, marks=pytest.mark.long) for one in (PHONES[0], PHONES[2], (1280, 800)))]
)
def test_a_shared_match_shows_the_winner_then_the_game_then_the_replay(
    browser: Browser, base: str, over: str, size: tuple[int, int]
) -> None:
    page = browser.new_page(viewport={"width": size[0], "height": size[1]})
    page.goto(f"{base}/match/{over}?lang=en")
    page.evaluate(SETTLED)
    found = page.evaluate(ORDER)
    assert found["who"] < found["game"] < found["replay"] < found["log"] <= found["luck"]
    assert found["begin"] <= size[1], "on the first screen"
    page.close()


@pytest.mark.parametrize(
    "size", [PHONES[1], *(pytest.param(one, marks=pytest.mark.long) for one in (PHONES[0], PHONES[2], (1280, 800)))]
)
def test_a_shared_replay_says_what_game_it_is_on_the_first_screen(
    browser: Browser, base: str, over: str, size: tuple[int, int]
) -> None:
    for lang in ("fr", "en"):
        page = browser.new_page(viewport={"width": size[0], "height": size[1]})
        page.goto(f"{base}/replay/{over}?lang={lang}&step=2")
        page.evaluate(SETTLED)
        box = page.locator(".play-this").bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= size[1], lang
        page.close()


@pytest.mark.parametrize("size", PHONES)
def test_a_spectators_page_has_the_navigation_and_a_players_the_menu(
    browser: Browser, home: House, base: str, size: tuple[int, int]
) -> None:
    match_id = home.begin(3)
    page = browser.new_page(viewport={"width": size[0], "height": size[1]})
    page.goto(f"{base}/match/{match_id}?lang=en")
    for entry in ("Play", "Matches", "Circles", "Leagues", "Sign in"):
        expect(page.locator(".bar").get_by_role("link", name=entry, exact=True)).to_be_visible()
    assert page.get_by_role("img", name="pbem").filter(visible=True).count() == 1, "one mark"
    page.goto(f"{base}/play/{home.token('play', match_id, 0)}?lang=en")
    expect(page.locator(".bar")).to_be_hidden()
    page.locator(".menu > summary").click()
    assert page.locator(".sheet .ways a").all_text_contents() == ["Play", "Matches", "Circles", "Leagues", "Sign in"]
    page.close()


def test_axe_accepts_the_pages_of_shared_matches(browser: Browser, home: House, base: str, over: str) -> None:
    with open_reader(browser, base) as reader:
        reader.see("a match that is over", f"/match/{over}")
        reader.see("its replay", f"/replay/{over}")
        reader.see("a match that is played", f"/match/{home.begin(3)}")


def test_a_strangers_press_of_play_this_now_opens_a_board(browser: Browser, base: str, over: str) -> None:
    page = browser.new_page(java_script_enabled=False)
    page.goto(f"{base}/match/{over}?lang=en")
    page.get_by_role("button", name="Play this now").click()
    page.wait_for_url("**/play/**")
    page.close()


def test_the_page_of_an_open_seat_also_offers_a_match_of_ones_own(browser: Browser, home: House, base: str) -> None:
    wanted = NewMatch("hogen", [Invitee("Alice", address_of("Alice")), OpenSeat(), BotSeat("greedy")])
    match_id = matches.create_match(home.site, STRANGER, wanted)
    matches.confirm_match(home.site, home.claim("confirm", match_id, 0), "en", "Europe/Paris")
    page = browser.new_page(java_script_enabled=False)
    join = f"{base}/join/{home.token('join', match_id, 1, next_opening(0) >> 16)}?lang=en"
    page.goto(join)
    expect(page.get_by_role("button").nth(0)).to_have_text("Ask for the seat")
    expect(page.get_by_role("button").nth(1)).to_contain_text("Play this now")
    matches.cancel_or_leave_match(home.site, home.claim("play", match_id, 0))
    page.goto(join)
    page.get_by_role("button", name="Play this now").click()
    page.wait_for_url("**/play/**")
    page.close()
