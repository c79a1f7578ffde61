"""Every page and every state of it, checked by axe-core for WCAG 2.2 AA and good practice, on light and dark paper."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Page, expect

from pbem import create_app
from pbem.mail import mailbox
from pbem.rules import logfile
from pbem.services import digests, matches, moves, outbox, players, reminders, talk
from pbem.services.matches import BotSeat, Invitee, NewMatch, OpenSeat
from pbem.services.tokens import next_opening
from pbem.services.views import read_log
from tests.browser.axe import DESKTOP, PHONE, Reader
from tests.gallery import advance, house, served
from tests.services.letterbox import once_a_day
from tests.table import House, address_of

pytestmark = pytest.mark.browser

GAMES = ("allegeance", "hagakure", "hexen-rennen", "hogen", "niigata")
LANGS = ("en", "fr")
LETTERS = ("cancelled", "confirm", "declined", "digest", "invitation", "links", "over", "reminder", "started", "turn")


def test_what_is_wrong_on_a_page_is_found(browser: Browser, base: str) -> None:
    with (
        pytest.raises(AssertionError, match=r"pale, dark: color-contrast.*") as caught,
        reading(browser, base) as reader,
    ):
        reader.go("/").evaluate(
            """document.querySelector("h1").innerHTML = '<a href="/x"><svg viewBox="0 0 9 9"></svg></a>Pale';
            document.querySelector("h1").className = "s muted";
            document.styleSheets[0].insertRule("h1.s { color: #888 !important; background: #777 }")"""
        )
        reader.look("pale")
    assert "link-name" in str(caught.value)


@pytest.fixture(scope="module")
def home() -> Iterator[House]:
    """A house whose pages are served, and whose mail lies in its own mailbox."""
    with house() as opened:
        yield opened


@pytest.fixture(scope="module")
def base(home: House) -> Iterator[str]:
    """Where its pages are served."""
    with served(create_app(site=home.site)) as address:
        yield address


@contextmanager
def reading(browser: Browser, base: str, size: dict[str, int] = PHONE, lang: str = "en") -> Iterator[Reader]:
    """A reader; what he found wrong fails the test at the end, all of it."""
    reader = Reader(browser, base, size, lang)
    try:
        yield reader
    finally:
        reader.context.close()
    reader.judge()


def own(home: House, match_id: str, seat: int) -> str:
    """The path of a seat's page."""
    return f"/play/{home.token('play', match_id, seat)}"


def asked(home: House, match_id: str) -> int:
    """A seat that is asked."""
    return home.asked(match_id)[0].seat


def idle(home: House, match_id: str, seats: int = 3) -> int | None:
    """A seat that is not asked; None where all are."""
    busy = {ask.seat for ask in home.asked(match_id)}
    return next((seat for seat in range(seats) if seat not in busy), None)


# --- before a match ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", LANGS)
def test_the_first_page_and_the_forms_that_start_something(browser: Browser, base: str, lang: str) -> None:
    with reading(browser, base, lang=lang) as reader:
        reader.see("start page", "/")
        reader.see("links", "/links")
        page = reader.page
        page.locator("form button").first.evaluate("button => { button.form.noValidate = true }")
        page.fill("input[name=address]", "nobody")
        page.locator("main form button").click()
        expect(page.locator("[aria-invalid=true]")).to_be_visible()
        reader.look("links, with an address that is none")
        reader.see("links sent", "/links/sent")
        reader.see("open a log", "/replay/open")


@pytest.mark.parametrize("game", GAMES)
def test_the_form_of_a_new_match(browser: Browser, base: str, game: str) -> None:
    with reading(browser, base) as reader:
        page = reader.see("new match", f"/new?game={game}")
        page.locator("button.play").evaluate("button => { button.form.noValidate = true }")
        page.fill("input[name=name0]", "Alice")
        page.fill("input[name=address0]", "alice at home")
        page.locator("button.play").click()
        expect(page.locator("[aria-invalid=true]").first).to_be_visible()
        reader.look("new match, with mistakes")
        reader.see("new match against bots", f"/new?game={game}&others=bots")
        reader.see("new match by links", f"/new?game={game}&others=links")


@pytest.mark.parametrize("game", GAMES)
def test_the_rules(browser: Browser, base: str, game: str) -> None:
    with reading(browser, base) as reader:
        for lang in LANGS:
            page = reader.see(f"rules in {lang}", f"/rules/{game}?lang={lang}")
            expect(page.locator("html")).to_have_attribute("lang", lang)


@pytest.mark.parametrize("lang", LANGS)
def test_error_pages(browser: Browser, home: House, base: str, lang: str) -> None:
    with reading(browser, base, lang=lang) as reader:
        reader.see("nothing here", "/nowhere", 404)
        reader.see("a link of nobody", "/play/nobody.0.0.x", 401)
        reader.see("no such game", "/new?game=chess", 404)
        match_id = home.begin(3)
        reader.see("an outworn link", f"/play/{home.token('play', match_id, 1, 7)}", 401)


# --- sitting down -----------------------------------------------------------------------------------------------


def test_confirming_inviting_and_leaving(browser: Browser, home: House, base: str) -> None:
    with reading(browser, base) as reader:
        match_id = home.create(3)
        reader.see("sent", "/new/sent")
        confirm, invitation = (
            home.token("confirm", match_id, 0),
            [home.token("invitation", match_id, seat) for seat in (1, 2)],
        )
        reader.see("confirm", f"/confirm/{confirm}")
        reader.see("invitation before it is confirmed", f"/invitation/{invitation[0]}")
        matches.confirm(home.site, confirm, "en", "Europe/Paris")
        reader.see("confirmed already", f"/confirm/{confirm}")
        reader.see("invitation", f"/invitation/{invitation[0]}")
        matches.accept(home.site, invitation[1], "en", "Europe/London")
        reader.see("accepted already", f"/invitation/{invitation[1]}")
        reader.see("a seat before the start", own(home, match_id, 2))
        reader.see("give up the seat", own(home, match_id, 2) + "/withdraw")
        matches.decline(home.site, invitation[0])
        reader.see("declined", f"/invitation/{invitation[0]}")
        page = reader.see("the organiser's seat, with a free chair", own(home, match_id, 0))
        for summary in page.locator("main details > summary").all():
            summary.click()
        reader.look("the organiser's seat, with all unfolded")
        reader.see("call the match off", own(home, match_id, 0) + "/withdraw")
        matches.withdraw(home.site, home.token("play", match_id, 0))
        reader.see("called off", own(home, match_id, 0))
        reader.see("called off, for somebody who had accepted", own(home, match_id, 2))
        reader.see("called off, for those who look on", f"/match/{match_id}")


def test_joining_by_a_link(browser: Browser, home: House, base: str) -> None:
    wanted = NewMatch("hogen", [Invitee("Alice", address_of("Alice")), OpenSeat(), BotSeat("greedy")])
    match_id = matches.create(home.site, wanted)
    join = f"/join/{home.token('join', match_id, 1, next_opening(0) >> 16)}"
    with reading(browser, base) as reader:
        reader.see("join before it is confirmed", join)
        matches.confirm(home.site, home.token("confirm", match_id, 0), "en", "Europe/Paris")
        page = reader.see("join", join)
        page.locator("button.play").evaluate("button => { button.form.noValidate = true }")
        page.fill("input[name=name]", "Carol")
        page.fill("input[name=address]", "nobody")
        page.locator("button.play").click()
        expect(page.locator("[role=alert]")).to_be_visible()
        reader.look("join, with a mistake")
        reader.see("asked for the seat", f"{join}/sent")
        reader.see("the organiser's seat, with a link to give away", own(home, match_id, 0))
        matches.withdraw(home.site, home.token("play", match_id, 0))
        reader.see("join, called off", join)


def test_a_link_that_is_renewed_and_mails_that_are_stopped(browser: Browser, home: House, base: str) -> None:
    match_id = home.begin(3)
    with reading(browser, base) as reader:
        page = reader.see("renew", own(home, match_id, 2) + "/renew")
        page.locator("button.play").click()
        expect(page.locator("button.play")).to_have_count(0)
        reader.look("renewed")
        page = reader.see("mute", f"/mute/{home.token('mute', match_id, 1)}")
        page.locator("main form button").first.click()
        reader.look("muted")
        tokens = home.site.tokens
        page = reader.see("mute all", f"/digest/{tokens.for_stop(2)}")
        page.locator("main form button").first.click()
        reader.look("all muted")
        page = reader.see("never again", f"/never/{tokens.for_never(2)}")
        page.locator("main form button").first.click()
        reader.look("never again, done")


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_what_one_sees_who_is_signed_in(browser: Browser, base: str, size: dict[str, int]) -> None:
    with house() as home, served(create_app(site=home.site)) as own_base, reading(browser, own_base, size) as reader:
        running = home.begin(3)
        home.begin(3, "niigata")
        over = home.begin(2, "allegeance", options={"target": 1})
        home.play_on(over)
        home.create(4, "hagakure")
        account = home.site.tokens.for_account(1, 0, home.clock())
        reader.see("sign in", f"/account/{account}")
        reader.page.locator("button.play").click()
        expect(reader.page.locator("ul.cards li").first).to_be_visible()
        reader.look("my matches")
        reader.see("preferences", "/me")
        reader.page.locator("main form button").first.click()
        reader.look("preferences, kept")
        reader.see("a new match of mine", "/new?game=hogen")
        reader.see("my seat in a running match", own(home, running, 0))
        reader.see("my seat in a match that is over", own(home, over, 0))
        home.clock.forward(days=3)
        reader.see("my matches, some late", "/")


# --- at the table -----------------------------------------------------------------------------------------------


def complete(page: Page) -> None:
    """Takes first choices until a whole move stands there."""
    for _ in range(12):
        if page.locator("form.confirm button").count():
            return
        before = page.url
        page.locator(".todo a.opt").first.click()
        expect(page).not_to_have_url(before)
    raise AssertionError("no whole move after twelve choices")


def type_move(page: Page, text: str) -> None:
    """Sends a move in notation, and waits for the answer."""
    if not page.locator("input[name=text]").is_visible():
        page.locator(".typed summary").click()
    page.fill("input[name=text]", text)
    page.locator(".typed button").click()
    expect(page.locator("[role=alert]").first).to_be_visible()


@pytest.mark.parametrize("game", GAMES)
def test_the_page_of_a_seat_in_every_state(browser: Browser, home: House, base: str, game: str) -> None:
    match_id = home.begin(3, game)
    with reading(browser, base) as reader:
        for decisions in (0, 13, 30):
            advance(home, match_id, decisions)
            if not home.asked(match_id):
                break
            seat = asked(home, match_id)
            page = reader.see(f"asked after {decisions}", own(home, match_id, seat))
            page.locator(".todo a.opt").first.click()
            reader.look(f"one choice after {decisions}")
            complete(page)
            reader.look(f"chosen after {decisions}")
            type_move(reader.go(own(home, match_id, seat)), "abracadabra")
            reader.look(f"not readable after {decisions}")
            page.reload()
            complete(reader.go(own(home, match_id, seat)))
            page.locator("form.confirm button").click()
            expect(page.locator(".notice[role=status]").first).to_be_visible()
            reader.look(f"played after {decisions}")
            if (waiting := idle(home, match_id)) is not None:
                reader.see(f"waiting after {decisions}", own(home, match_id, waiting))
        reader.see("the page of those who look on", f"/match/{match_id}")


@pytest.mark.parametrize("game", GAMES)
def test_a_match_that_is_over(browser: Browser, home: House, base: str, game: str) -> None:
    match_id = home.begin(3, game)
    while advance(home, match_id, 50):
        pass
    with reading(browser, base) as reader:
        reader.see("over", own(home, match_id, 1))
        reader.see("over, for those who look on", f"/match/{match_id}")


def test_what_is_refused_and_what_is_said_at_the_table(browser: Browser, home: House, base: str) -> None:
    match_id = home.begin(3)
    talk.say(home.site, match_id, 2, "Shall we begin?")
    talk.write_note(home.site, match_id, 1, "Carol has F1")
    with reading(browser, base) as reader:
        page = reader.see("with a message and a note", own(home, match_id, 1))
        page.locator(".todo a.opt").first.click()
        expect(page.locator("form.confirm button")).to_be_visible()
        view = home.view(match_id, 1)
        assert view.ask is not None
        moves.submit(home.site, match_id, 1, view.ask.key, view.legal()[-1], "api")
        page.locator("form.confirm button").click()
        expect(page.locator("[role=alert]").first).to_be_visible()
        reader.look("answered already")
        reader.see("a link to an earlier question", own(home, match_id, 1) + f"?ask={view.ask.key}")


# --- watching again ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_the_replay(browser: Browser, home: House, base: str, game: str) -> None:
    match_id = home.begin(3, game)
    with reading(browser, base) as reader:
        advance(home, match_id, 12)
        reader.see("replay of a running match", own(home, match_id, 1) + "/replay")
        while advance(home, match_id, 50):
            pass
        page = reader.see("replay, first step", f"/replay/{match_id}?step=1")
        last = int(page.locator("#step").get_attribute("max") or "0")
        reader.see("replay, in the middle, through Bob's eyes", f"/replay/{match_id}?step={last // 2}&viewer=1")
        page.locator("#next").click()
        expect(page.locator("#step")).to_have_value(str(last // 2 + 1))
        reader.look("replay, a step on")
        reader.see("replay, last step", f"/replay/{match_id}?step={last}")


@pytest.mark.parametrize("game", ["hogen", "niigata"])
def test_a_log_that_was_sent_whole_or_damaged(browser: Browser, home: House, base: str, game: str) -> None:
    match_id = home.begin(3, game)
    while advance(home, match_id, 50):
        pass
    whole = logfile.write(read_log(home.site, match_id, None))
    broken = json.loads(whole)
    del broken["events"][4]
    with reading(browser, base) as reader:
        for what, document in (("an opened log", whole), ("a damaged log", json.dumps(broken).encode())):
            page = reader.go("/replay/open")
            page.set_input_files("input[type=file]", {"name": "log.json", "mimeType": "text/json", "buffer": document})
            page.locator("button.play").click()
            expect(page.locator("#board" if document == whole else "[role=alert]")).to_be_visible()
            reader.look(what)


# --- wide screens, and mail -------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_the_same_on_a_wide_screen_in_french(browser: Browser, home: House, base: str, game: str) -> None:
    match_id = home.begin(3, game)
    advance(home, match_id, 20)
    with reading(browser, base, DESKTOP, "fr") as reader:
        page = reader.see("asked", own(home, match_id, asked(home, match_id)))
        complete(page)
        reader.look("chosen")
        reader.see("those who look on", f"/match/{match_id}")
        reader.see("replay", f"/replay/{match_id}?step=7")
        reader.see("new match", f"/new?game={game}")
        reader.see("start page", "/")


def post(home: House) -> None:
    """Sends what is due into the house's mailbox."""
    while outbox.drain(home.site):
        pass


def correspond(home: House) -> None:
    """Lets a mail of each kind come, each while it still says something true."""
    match_id = home.create(3)
    post(home)
    matches.confirm(home.site, home.token("confirm", match_id, 0), "fr", "Europe/Paris")
    post(home)
    matches.decline(home.site, home.token("invitation", match_id, 1))
    post(home)
    matches.withdraw(home.site, home.token("play", match_id, 0))
    for game in GAMES:
        home.begin(3, game)
        post(home)
    once_a_day(home, "Carol", 18)
    home.clock.forward(hours=37)
    reminders.sweep_reminders(home.site)
    digests.sweep_digests(home.site)
    post(home)
    home.play_on(home.begin(3))
    players.send_links(home.site, address_of("Bob"))
    post(home)


def test_the_mailbox_and_every_mail_in_it(browser: Browser) -> None:
    with house() as home, served(create_app(site=home.site)) as base, reading(browser, base) as reader:
        correspond(home)
        mails: dict[tuple[str, str], str] = {}
        for line in mailbox.lines(home.site.config.data / "mailbox"):
            mails.setdefault((line["id"].split("-")[0], line["subject"]), line["id"])
        assert {kind for kind, _ in mails} == set(LETTERS)
        reader.see("mailbox", "/mailbox")
        reader.see("a mail", f"/mailbox/{next(iter(mails.values()))}")
        for (kind, subject), mail_id in mails.items():
            reader.see(f"{kind} mail, {subject}", f"/mailbox/{mail_id}/html")
