"""Who is invited reads what, with whom and how fast, and finds the button, on the first screen."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from pbem.games import all_games
from pbem.services.lobby import matches
from pbem.services.lobby.match_request import Invitee, NewMatch, OpenSeat, Unnamed, Wish
from pbem.services.who import STRANGER
from tests.browser.accessible.axe import open_reader
from tests.browser.games import EACH, click_and_wait
from tests.browser.turns.measure import measure_page
from tests.browser.ways.screens import LANGS, SCREENS, bottom_of_element, open_screen, too_small
from tests.table import CAST, House, address_of

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]

WORDS = 109
"""Half of what the page said before."""
QUICK = [(one, lang) for one in SCREENS[:1] for lang in LANGS]
ALL = [(one, lang) for one in SCREENS for lang in LANGS]
ON_SCREENS = pytest.mark.parametrize(
    ("size", "lang"), [pytest.param(*one, marks=() if one in QUICK else pytest.mark.long) for one in ALL]
)


def invite_bob(home: House, game: str = "hogen", *, named: bool = True, confirmed: bool = True) -> str:
    """Returns the id of a match of as many as the game seats; Bob, who is invited, may have no name there."""
    count = max(all_games()[game].meta.seats)
    people = [Invitee(name, address_of(name)) for name in CAST[:count]]
    seats: list[Wish] = [*people] if named else [people[0], Unnamed(people[1].address), *people[2:]]
    match_id = matches.create_match(home.site, STRANGER, NewMatch(game, seats, language="en"))
    if confirmed:
        matches.confirm_match(home.site, home.claim("confirm", match_id, 0), "en", "Europe/Paris")
    return match_id


def path_of_bob(home: House, match_id: str) -> str:
    """Returns the path of the invitation to the second seat."""
    return f"/invitation/{home.token('invitation', match_id, 1)}"


@ON_SCREENS
@pytest.mark.parametrize("game", EACH)
def test_the_accept_button_is_on_the_first_screen_for_the_largest_table(
    browser: Browser, home: House, base: str, game: str, size: str, lang: str
) -> None:
    for named in (True, False):
        path = path_of_bob(home, invite_bob(home, game, named=named))
        with open_screen(browser, size, lang) as page:
            page.goto(base + path)
            expect(page.locator("html")).to_have_attribute("lang", lang)
            assert bottom_of_element(page.locator("button.play")) <= int(size.partition("x")[2])
            expect(page.locator("input[name=name]")).to_have_count(0 if named else 1)
            found = measure_page(page)
            assert found.words <= WORDS
            assert found.wide == 0
            assert too_small(page) == []
            assert len(page.content()) <= 150_000


@ON_SCREENS
def test_the_button_to_confirm_or_to_claim_a_seat_is_on_the_first_screen(
    browser: Browser, home: House, base: str, size: str, lang: str
) -> None:
    confirm = f"/confirm/{home.token('confirm', invite_bob(home, confirmed=False), 0)}"
    wanted = NewMatch("hogen", [Invitee("Alice", address_of("Alice")), *[OpenSeat()] * 3], language="en")
    opened = matches.create_match(home.site, STRANGER, wanted)
    matches.confirm_match(home.site, home.claim("confirm", opened, 0), "en", "Europe/Paris")
    for path in (confirm, f"/join/{home.token('join', opened, 1, 1)}"):
        with open_screen(browser, size, lang) as page:
            page.goto(base + path)
            if size != "844x390" or path == confirm:
                assert bottom_of_element(page.locator("button.play")) <= int(size.partition("x")[2])
            assert measure_page(page).words <= WORDS
            assert too_small(page) == []


def test_an_invitation_names_the_browsers_zone_and_unfolds_to_change_it(
    browser: Browser, home: House, base: str
) -> None:
    match_id = invite_bob(home)
    path = base + path_of_bob(home, match_id)
    with open_screen(browser, "390x844", "fr", zone="Asia/Tokyo") as page:
        page.goto(path)
        line = page.locator("details.reader > summary")
        expect(line).to_contain_text("Français, heure de Tokyo.")
        expect(page.locator("[name=zone]")).to_be_hidden()
        line.click()
        expect(page.locator("[name=zone]")).to_have_value("Asia/Tokyo")
    with open_screen(browser, "390x844", zone="Asia/Tokyo", scripts=False) as page:
        page.goto(path)
        expect(page.locator("details.reader > summary")).to_contain_text("English, Paris time.")
        click_and_wait(page, page.get_by_role("button", name="Accept and play"))
        expect(page).to_have_url(f"{base}/play/{home.token('play', match_id, 1)}?done=sat")


def test_axe_accepts_an_invitation_folded_and_unfolded(browser: Browser, home: House, base: str) -> None:
    path = path_of_bob(home, invite_bob(home, named=False))
    with open_reader(browser, base) as reader:
        page = reader.see("invitation", path)
        page.locator("main details > summary").first.click()
        page.locator("main details > summary").nth(1).click()
        page.locator("main details > summary").nth(2).click()
        reader.look("invitation, with all unfolded")
