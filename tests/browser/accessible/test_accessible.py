"""Every page in every state, checked by axe-core for WCAG 2.2 AA and good practice, in light and dark mode.

Every run checks the pages that everybody meets, in English on a phone, with one of the games, and some of them in dark
mode, chosen by hand so that they have the pairs of colours of all. What few meet, and the rest, the long run checks.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from pbem import create_app
from pbem.services.lobby import matches
from pbem.services.lobby.match_request import BotSeat, Invitee, NewMatch, OpenSeat
from pbem.services.play import bots, presence, substitutes
from pbem.services.tokens import (
    ChangeClaim,
    ConfirmClaim,
    InvitationClaim,
    NeverClaim,
    OfferClaim,
    StopClaim,
    VacancyClaim,
    next_opening,
)
from pbem.services.views.match_views import read_sheet
from pbem.services.who import STRANGER
from tests.browser.accessible.axe import LIGHT_FIRST, open_reader
from tests.browser.games import ONE, SIZES, click_and_wait
from tests.docs.gallery import house, serve_pages
from tests.table import House, address_of, claim_of

pytestmark = [pytest.mark.browser, pytest.mark.timeout(1800)]

LANGS = ("en", "fr")


def path_of_seat_page(home: House, match_id: str, seat: int) -> str:
    """The path of a seat's page."""
    return f"/play/{home.token('play', match_id, seat)}"


# --- before a match ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lang", "every"),
    [
        pytest.param("en", False, id="en"),
        pytest.param("en", True, id="en every", marks=pytest.mark.long),
        pytest.param("fr", True, id="fr every", marks=pytest.mark.long),
    ],
)
def test_axe_accepts_the_first_page_and_the_form_asking_for_links(
    browser: Browser, base: str, lang: str, every: bool
) -> None:
    with open_reader(browser, base, lang=lang) as reader:
        reader.see("start page", "/")
        page = reader.go("/links")
        if every:
            reader.look("links")
        page.locator("form button").first.evaluate("button => { button.form.noValidate = true }")
        page.fill("input[name=address]", "nobody")
        page.locator("main form button").click()
        expect(page.locator("[aria-invalid=true]")).to_be_visible()
        reader.look("links, with an address that is none")
        if every:
            reader.see("links sent", "/links/sent")
            reader.see("open a log", "/replay/open")


@pytest.mark.long
@LIGHT_FIRST
def test_axe_accepts_the_pages_of_a_guest(browser: Browser, home: House, base: str, dark: bool) -> None:
    with open_reader(browser, base, dark=dark) as reader:
        reader.see("games", "/games").get_by_role("button", name="Play now").first.click()
        reader.page.wait_for_url("**/play/**")
        bots.play_quick_bots(home.site)
        reader.page.reload()
        reader.look("a guest's board")
        for what, path in (("matches", "/"), ("preferences", "/me"), ("address", "/me/address"), ("end", "/me/erase")):
            reader.see(f"a guest's {what}", path)


@pytest.mark.long
@LIGHT_FIRST
@pytest.mark.parametrize("game", ONE)
def test_axe_accepts_the_form_of_a_new_match(browser: Browser, base: str, game: str, dark: bool) -> None:
    with open_reader(browser, base, dark=dark) as reader:
        page = reader.see("new match", f"/new?game={game}")
        page.locator("button.play").evaluate("button => { button.form.noValidate = true }")
        page.fill("input[name=name]", "Alice")
        page.fill("input[name=address]", "alice at home")
        page.fill("textarea[name=friends]", "bob at home")
        page.locator(".fold").evaluate_all("folds => folds.forEach((fold) => { fold.open = true })")
        page.locator("button.play").click()
        expect(page.locator("[aria-invalid=true]").first).to_be_visible()
        reader.look("new match, with mistakes")
        reader.see("new match against bots", f"/new?game={game}&others=bots")
        reader.see("new match by links", f"/new?game={game}&others=links")


@pytest.mark.long
@LIGHT_FIRST
@pytest.mark.parametrize("game", ONE)
def test_axe_accepts_the_rules_pages(browser: Browser, base: str, game: str, dark: bool) -> None:
    with open_reader(browser, base, dark=dark) as reader:
        for lang in LANGS:
            page = reader.see(f"rules in {lang}", f"/rules/{game}?lang={lang}")
            expect(page.locator("html")).to_have_attribute("lang", lang)


@pytest.mark.long
@LIGHT_FIRST
@pytest.mark.parametrize("lang", ["en", pytest.param("fr", marks=pytest.mark.long)])
def test_axe_accepts_the_error_pages(browser: Browser, home: House, base: str, lang: str, dark: bool) -> None:
    with open_reader(browser, base, lang=lang, dark=dark) as reader:
        reader.see("nothing here", "/nowhere", 404)
        reader.see("a link of nobody", "/play/nobody.0.0.x", 401)
        reader.see("no such game", "/new?game=chess", 404)
        match_id = home.begin(3)
        reader.see("an outworn link", f"/play/{home.token('play', match_id, 1, 7)}", 401)


# --- sitting down -----------------------------------------------------------------------------------------------


@pytest.mark.long
@LIGHT_FIRST
def test_axe_accepts_the_pages_to_confirm_invite_and_leave(
    browser: Browser, home: House, base: str, dark: bool
) -> None:
    with open_reader(browser, base, dark=dark) as reader:
        match_id = home.create(3)
        reader.see("sent", "/new/sent")
        confirm, invitation = (
            home.token("confirm", match_id, 0),
            [home.token("invitation", match_id, seat) for seat in (1, 2)],
        )
        reader.see("confirm", f"/confirm/{confirm}")
        reader.see("invitation before it is confirmed", f"/invitation/{invitation[0]}")
        matches.confirm_match(home.site, home.tokens.read(ConfirmClaim, confirm), "en", "Europe/Paris")
        reader.see("confirmed already", f"/confirm/{confirm}")
        reader.see("invitation", f"/invitation/{invitation[0]}")
        matches.accept_invitation(home.site, home.tokens.read(InvitationClaim, invitation[1]), "en", "Europe/London")
        reader.see("accepted already", f"/invitation/{invitation[1]}")
        reader.see("a seat before the start", path_of_seat_page(home, match_id, 2))
        reader.see("give up the seat", path_of_seat_page(home, match_id, 2) + "/withdraw")
        matches.decline_invitation(home.site, home.tokens.read(InvitationClaim, invitation[0]))
        reader.see("declined", f"/invitation/{invitation[0]}")
        page = reader.see("the organiser's seat, with a free chair", path_of_seat_page(home, match_id, 0))
        # The free chair is unfolded; what is folded in it is seen once it is.
        folded = page.locator("main details:not([open], .menu, .why) > summary:visible")
        while folded.count():
            folded.first.click()
        reader.look("the organiser's seat, with all unfolded")
        reader.see("call the match off", path_of_seat_page(home, match_id, 0) + "/withdraw")
        matches.cancel_or_leave_match(home.site, home.claim("play", match_id, 0))
        reader.see("called off", path_of_seat_page(home, match_id, 0))
        reader.see("called off, for somebody who had accepted", path_of_seat_page(home, match_id, 2))
        reader.see("called off, for those who look on", f"/match/{match_id}")


@pytest.mark.long
@LIGHT_FIRST
def test_axe_accepts_the_pages_to_join_by_a_link(browser: Browser, home: House, base: str, dark: bool) -> None:
    wanted = NewMatch("hogen", [Invitee("Alice", address_of("Alice")), OpenSeat(), BotSeat("greedy")])
    match_id = matches.create_match(home.site, STRANGER, wanted)
    join = f"/join/{home.token('join', match_id, 1, next_opening(0) >> 16)}"
    with open_reader(browser, base, dark=dark) as reader:
        reader.see("join before it is confirmed", join)
        matches.confirm_match(home.site, home.claim("confirm", match_id, 0), "en", "Europe/Paris")
        page = reader.see("join", join)
        page.locator("button.play").evaluate("button => { button.form.noValidate = true }")
        page.fill("input[name=name]", "Carol")
        page.fill("input[name=address]", "nobody")
        page.locator("button.play").click()
        expect(page.locator("[role=alert]")).to_be_visible()
        reader.look("join, with a mistake")
        reader.see("asked for the seat", f"{join}/sent")
        reader.see("the organiser's seat, with a link to give away", path_of_seat_page(home, match_id, 0))
        matches.cancel_or_leave_match(home.site, home.claim("play", match_id, 0))
        reader.see("join, called off", join)


@pytest.mark.long
@LIGHT_FIRST
def test_axe_accepts_the_pages_to_take_over_a_seat(browser: Browser, dark: bool) -> None:
    with (
        house() as home,
        serve_pages(create_app(site=home.site)) as base,
        open_reader(browser, base, dark=dark) as reader,
    ):
        match_id = home.begin(3, late="vote")
        presence.resign(home.site, claim_of(home.site, match_id, 1))
        token = substitutes.substitute_links_by_seat(home.site, read_sheet(home.site, match_id, 0), 0)[1].rpartition(
            "/"
        )[2]
        reader.see("a seat, with a link for a substitute", path_of_seat_page(home, match_id, 0))
        page = reader.see("take over", f"/substitute/{token}")
        page.locator("button.play").evaluate("button => { button.form.noValidate = true }")
        page.fill("input[name=name]", "Charlie")
        page.fill("input[name=address]", "nobody")
        page.locator("button.play").click()
        expect(page.locator("[role=alert]")).to_be_visible()
        reader.look("take over, with a mistake")
        reader.see("asked for the seat", f"/substitute/{token}/sent")
        substitutes.ask_for_seat(
            home.site,
            home.tokens.read(VacancyClaim, token),
            Invitee("Charlie", address_of("Charlie")),
            "en",
            "Europe/Paris",
        )
        offer = home.site.tokens.sign(OfferClaim(1))
        page = reader.see("the button that takes the seat", f"/takeover/{offer}")
        page.locator("button.play").click()
        expect(page.locator(".slot > .item.mine:not([hidden])")).to_be_visible()
        reader.look("the seat, just taken")
        reader.see("taken already", f"/takeover/{offer}")
        reader.see("taken by another", f"/substitute/{token}")
        reader.see("the former owner's link", path_of_seat_page(home, match_id, 1), 401)


@pytest.mark.long
@LIGHT_FIRST
def test_axe_accepts_the_pages_to_renew_a_link_and_to_stop_mails(browser: Browser, dark: bool) -> None:
    with (
        house() as home,
        serve_pages(create_app(site=home.site)) as base,
        open_reader(browser, base, dark=dark) as reader,
    ):
        match_id = home.begin(3)
        page = reader.see("renew", path_of_seat_page(home, match_id, 2) + "/renew")
        click_and_wait(page, page.locator("button.play"))
        expect(page.locator("button.play")).to_have_count(0)
        reader.look("renewed")
        page = reader.see("mute", f"/mute/{home.token('mute', match_id, 1)}")
        click_and_wait(page, page.locator("main form button").first)
        reader.look("muted")
        tokens = home.site.tokens
        page = reader.see("mute all", f"/digest/{tokens.sign_for(StopClaim, 2, 'bob@example.org')}")
        click_and_wait(page, page.locator("main form button").first)
        reader.look("all muted")
        page = reader.see("only this once", f"/never/{tokens.sign_for(NeverClaim, 2, 'bob@example.org')}")
        click_and_wait(page, page.locator("main form button").first)
        reader.look("never again, done")


@pytest.mark.long
@LIGHT_FIRST
@pytest.mark.parametrize("size", SIZES)
def test_axe_accepts_the_pages_of_a_signed_in_player(
    browser: Browser, base: str, size: dict[str, int], dark: bool
) -> None:
    with (
        house() as home,
        serve_pages(create_app(site=home.site)) as own_base,
        open_reader(browser, own_base, size, dark=dark) as reader,
    ):
        running = home.begin(3)
        home.begin(3, "niigata")
        over = home.begin(2, "allegeance", options={"target": 1})
        home.play_on(over)
        home.create(4, "hagakure")
        account = home.site.tokens.for_account(1, 0, home.clock())
        reader.see("sign in", f"/account/{account}")
        reader.page.locator("button.play").click()
        expect(reader.page.locator("ul.mine li").first).to_be_visible()
        reader.look("my matches")
        reader.see("preferences", "/me")
        click_and_wait(reader.page, reader.page.locator("main form button").first)
        reader.look("preferences, kept")
        reader.see("erase me", "/me/erase")
        page = reader.see("change my address", "/me/address")
        page.locator("input[name=address]").fill("alicia@example.net")
        click_and_wait(page, page.locator("main form button").first)
        reader.look("change my address, asked")
        for side in ("old", "new"):
            reader.see(f"change of address, {side}", f"/address/{home.site.tokens.sign(ChangeClaim(1, side))}")
        reader.see("my tokens", "/me/tokens")
        reader.page.locator("input[name=name]").fill("My bot")
        reader.page.locator("main form button").last.click()
        expect(reader.page.locator("#token")).to_be_visible()
        reader.look("my tokens, one just made")
        reader.see("a new match of mine", "/new?game=hogen")
        reader.see("my seat in a running match", path_of_seat_page(home, running, 0))
        reader.see("my seat in a match that is over", path_of_seat_page(home, over, 0))
        home.clock.forward(days=3)
        reader.see("my matches, some late", "/")
