"""At the table: every state of a seat's page, replay, opened log and mail, checked by axe-core."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from pbem import create_app
from pbem.kit.logs import logfile
from pbem.mail import mailbox
from pbem.services.lobby import match_request, matches
from pbem.services.mail import digests, reminders
from pbem.services.play import presence, substitutes, timeouts
from pbem.services.players import players
from pbem.services.tokens import VacancyClaim
from pbem.services.views import talk
from pbem.services.views.match_views import read_log, read_sheet
from tests.browser.accessible.axe import LIGHT_FIRST, Reader, open_reader
from tests.browser.games import (
    DESKTOP,
    EVERY_TIME,
    GAMES,
    ONE,
    PHONE,
    choose_first,
    choose_move,
    hrefs_of_choices,
    play_move,
)
from tests.docs.gallery import advance_match, house, send_due_mails, serve_pages
from tests.services.letterbox import once_a_day
from tests.table import House, address_of, claim_of, submit_answer

pytestmark = [pytest.mark.browser, pytest.mark.timeout(1800)]

LETTERS = (
    "absent", "cancelled", "confirm", "declined", "digest", "invitation", "links", "over", "reminder", "started",
    "substitute", "turn", "vote",
)  # fmt: skip


def path_of_seat_page(home: House, match_id: str, seat: int) -> str:
    """The path of a seat's page."""
    return f"/play/{home.token('play', match_id, seat)}"


def who_is_asked(home: House, match_id: str) -> int:
    """A seat that is asked."""
    return home.asks(match_id)[0].seat


def seat_not_asked(home: House, match_id: str, seats: int = 3) -> int | None:
    """A seat that is not asked; None where all are."""
    busy = {ask.seat for ask in home.asks(match_id)}
    return next((seat for seat in range(seats) if seat not in busy), None)


SPOILED = """() => {
  const heading = document.querySelector("h1");
  heading.innerHTML = '<a href="/x"><svg viewBox="0 0 9 9"></svg></a>';
  document.styleSheets[0].insertRule("@media (prefers-color-scheme: dark) { p { color: #333 !important } }");
}"""


@pytest.mark.long
def test_the_axe_check_finds_faults_planted_in_a_page(browser: Browser, base: str) -> None:
    reader = Reader(browser, base)
    reader.go("/links").evaluate(SPOILED)
    reader.look("spoiled")
    reader.context.close()
    assert {line.split()[0] for line in reader.found["spoiled"]} == {"empty-heading", "link-name"}
    assert {line.split()[0] for line in reader.found["spoiled, dark"]} == {"color-contrast"}
    with pytest.raises(AssertionError, match="link-name"):
        reader.judge()


# --- at the table -----------------------------------------------------------------------------------------------


def type_move(page: Page, text: str) -> None:
    """Sends a move in notation, and waits for the answer."""
    page.locator(".ask .why > summary").click()
    page.fill("input[name=text]", text)
    page.locator(".ask .why form button").click()
    expect(page.locator(".item.no")).to_be_visible()


STATES = ("asked", "one choice", "chosen", "not readable", "played", "waiting")
MOST = ("chosen", "not readable", "played")
"""Between them they have what the other states show."""


@pytest.mark.long
@pytest.mark.parametrize(
    ("moments", "states"),
    [
        pytest.param((13,), MOST, id="midway"),
        pytest.param((0, 13, 30), STATES, id="throughout", marks=pytest.mark.long),
    ],
)
@pytest.mark.parametrize("game", ONE)
def test_axe_accepts_a_seats_page_in_every_state(
    browser: Browser, home: House, base: str, game: str, moments: Sequence[int], states: Sequence[str]
) -> None:
    match_id = home.begin(3, game)
    with open_reader(browser, base) as reader:

        def look(state: str, decisions: int) -> None:
            if state in states:
                reader.look(f"{state} after {decisions}")

        for decisions in moments:
            advance_match(home, match_id, decisions)
            if not home.asks(match_id):
                break
            seat = who_is_asked(home, match_id)
            page = reader.go(path_of_seat_page(home, match_id, seat))
            look("asked", decisions)
            if hrefs_of_choices(page):  # a seat with a single move finds it chosen
                choose_first(page)
                look("one choice", decisions)
            choose_move(page)
            look("chosen", decisions)
            type_move(reader.go(path_of_seat_page(home, match_id, seat)), "abracadabra")
            look("not readable", decisions)
            page.reload()
            choose_move(reader.go(path_of_seat_page(home, match_id, seat)))
            play_move(page)
            look("played", decisions)
            if (waiting := seat_not_asked(home, match_id)) is not None:
                reader.go(path_of_seat_page(home, match_id, waiting))
                look("waiting", decisions)
        if "waiting" in states:
            reader.see("the page of those who look on", f"/match/{match_id}")
        for state in set(states) - {"waiting"}:
            assert any(looked.startswith(state) for looked in reader.looked), f"nobody was looked at: {state}"


COVERED = """() => {
    const boxes = [...document.querySelectorAll("main :is(h1, h2, p, li, dl, table, button, figure)")]
        .filter((part) => !part.closest("details:not([open]), .hidden"))
        .map((part) => [part, part.getBoundingClientRect()]);
    const apart = (a, b) => a.left > b.right - 1 || a.top > b.bottom - 1;
    const meet = (a, b) => a.width && b.width && !apart(a, b) && !apart(b, a);
    const holds = (one, other) => one.contains(other) || other.contains(one);
    const covers = ([one, a], [other, b]) => !holds(one, other) && meet(a, b);
    return boxes.filter((box) => boxes.some((other) => covers(box, other))).map(([part]) => part.outerHTML);
}"""
"""The parts of a page that lie over each other."""


@pytest.mark.long
@pytest.mark.parametrize("game", ONE)
def test_axe_accepts_the_page_of_a_finished_match(browser: Browser, home: House, base: str, game: str) -> None:
    match_id = home.begin(3, game)
    while advance_match(home, match_id, 50):
        pass
    talk.post_message(home.site, claim_of(home.site, match_id, 2), "Well played!")
    with open_reader(browser, base) as reader:
        for state, path in (
            ("over", path_of_seat_page(home, match_id, 1)),
            ("over, for those who look on", f"/match/{match_id}"),
        ):
            page = reader.see(state, path)
            page.set_viewport_size({"width": PHONE["width"], "height": PHONE["height"]})
            assert page.evaluate(COVERED) == []
        expect(reader.go(path_of_seat_page(home, match_id, 1)).locator(".won > .line")).to_contain_text("Well played!")


@pytest.mark.long
@LIGHT_FIRST
def test_axe_accepts_a_seats_page_with_chat_a_note_and_a_refused_move(
    browser: Browser, home: House, base: str, dark: bool
) -> None:
    match_id = home.begin(3)
    talk.post_message(home.site, claim_of(home.site, match_id, 2), "Shall we begin?")
    talk.write_note(home.site, claim_of(home.site, match_id, 1), "Carol has F1")
    with open_reader(browser, base, dark=dark) as reader:
        page = reader.see("with a message and a note", path_of_seat_page(home, match_id, 1))
        choose_move(page)
        view = home.view(match_id, 1)
        assert view.ask is not None
        submit_answer(home.site, match_id, 1, view.ask.key, view.legal()[-1], "api")
        page.locator("form.confirm button").click()
        expect(page.locator(".item.no")).to_be_visible()
        reader.look("answered already")
        reader.see("a link to an earlier question", path_of_seat_page(home, match_id, 1) + f"?ask={view.ask.key}")


# --- watching again ---------------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("game", ONE)
def test_axe_accepts_the_page_about_a_matchs_luck(browser: Browser, home: House, base: str, game: str) -> None:
    match_id = home.begin(3, game)
    with open_reader(browser, base) as reader:
        advance_match(home, match_id, 12)
        reader.see("luck, sealed", path_of_seat_page(home, match_id, 1) + "/luck")
        while advance_match(home, match_id, 50):
            pass
        page = reader.see("luck, open", path_of_seat_page(home, match_id, 1) + "/luck")
        mark = page.locator(".mark").text_content() or ""
        page.get_by_label("Your lucky word, or a mark or commitment from an email").fill(mark)
        page.get_by_role("button", name="Compare").click()
        expect(page.get_by_role("status")).to_contain_text("Yes: at this step the match had this mark.")
        reader.see("luck, for those who look on", f"/match/{match_id}/luck?mail=hello")


@pytest.mark.long
@pytest.mark.parametrize("game", ONE)
def test_axe_accepts_the_replay(browser: Browser, home: House, base: str, game: str) -> None:
    match_id = home.begin(3, game)
    with open_reader(browser, base) as reader:
        advance_match(home, match_id, 12)
        reader.see("replay of a running match", path_of_seat_page(home, match_id, 1) + "/replay")
        while advance_match(home, match_id, 50):
            pass
        page = reader.see("replay, first step", f"/replay/{match_id}?step=1")
        last = int(page.locator("#step").get_attribute("max") or "0")
        reader.see("replay, in the middle, through Bob's eyes", f"/replay/{match_id}?step={last // 2}&viewer=1")
        page.locator("#next").click()
        expect(page.locator("#step")).to_have_value(str(last // 2 + 1))
        reader.look("replay, a step on")
        reader.see("replay, last step", f"/replay/{match_id}?step={last}")


@pytest.mark.long
@pytest.mark.parametrize("game", ONE)
def test_axe_accepts_the_page_of_an_uploaded_log_whole_or_damaged(
    browser: Browser, home: House, base: str, game: str
) -> None:
    match_id = home.begin(3, game)
    while advance_match(home, match_id, 50):
        pass
    whole = logfile.log_to_bytes(read_log(home.site, match_id, None))
    broken = json.loads(whole)
    del broken["events"][4]
    with open_reader(browser, base) as reader:
        for what, document in (("an opened log", whole), ("a damaged log", json.dumps(broken).encode())):
            page = reader.go("/replay/open")
            page.set_input_files("input[type=file]", {"name": "log.json", "mimeType": "text/json", "buffer": document})
            page.locator("button.play").click()
            expect(page.locator("#board" if document == whole else "[role=alert]")).to_be_visible()
            reader.look(what)


# --- wide screens, and mail -------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("game", ONE)
def test_axe_accepts_the_table_pages_on_a_wide_screen_in_french(
    browser: Browser, home: House, base: str, game: str
) -> None:
    match_id = home.begin(3, game)
    advance_match(home, match_id, 9)
    with open_reader(browser, base, DESKTOP, "fr") as reader:
        page = reader.see("asked", path_of_seat_page(home, match_id, who_is_asked(home, match_id)))
        choose_move(page)
        reader.look("chosen")
        reader.see("spectators", f"/match/{match_id}")
        reader.see("replay", f"/replay/{match_id}?step=7")
        reader.see("new match", f"/new?game={game}")
        reader.see("start page", "/")


SOME = ("hagakure", *EVERY_TIME)
"""Enough for somebody to miss two turns in a row."""


def send_every_kind_of_mail(home: House, games: Sequence[str]) -> None:
    """Sends a mail of each kind while its content is still true."""
    match_id = home.create(3)
    send_due_mails(home)
    matches.confirm_match(home.site, home.claim("confirm", match_id, 0), "fr", "Europe/Paris")
    send_due_mails(home)
    matches.decline_invitation(home.site, home.claim("invitation", match_id, 1))
    send_due_mails(home)
    matches.cancel_or_leave_match(home.site, home.claim("play", match_id, 0))
    for game in games:
        home.begin(3, game)
        send_due_mails(home)
    once_a_day(home, "Carol", 18)
    home.clock.forward(hours=37)
    reminders.sweep_reminders(home.site)
    digests.queue_digests_and_reopen_mails(home.site)
    send_due_mails(home)
    home.play_out(home.begin(3))
    players.request_links(home.site, address_of("Bob"))
    send_due_mails(home)
    let_time_pass(home)


def let_time_pass(home: House) -> None:
    """A player is late and voted on, another becomes absent, and another resigns and needs a substitute."""
    voting = home.begin(3, late="vote")
    send_due_mails(home)
    home.play(voting, 0)
    home.play(voting, 2)
    left = home.begin(3)
    send_due_mails(home)
    home.time_is_up(voting)
    for _ in range(4):
        timeouts.sweep_deadlines(home.site)
        send_due_mails(home)
        home.clock.forward(days=4)
    presence.resign(home.site, claim_of(home.site, left, 1))
    presence.end_own_absence(home.site, claim_of(home.site, left, 0))
    link = substitutes.substitute_links_by_seat(home.site, read_sheet(home.site, left, 0), 0)[1]
    who = match_request.Invitee("Charlie", address_of("Charlie"))
    substitutes.ask_for_seat(
        home.site, home.tokens.read(VacancyClaim, link.rpartition("/")[2]), who, "fr", "Europe/Paris"
    )
    send_due_mails(home)


def serve_unguarded(route: Route) -> None:
    """Serves the mail without our mailbox's content security policy, which forbids all scripts, the checker's too."""
    answer = route.fetch()
    guards = {"content-security-policy"}
    route.fulfill(response=answer, headers={k: v for k, v in answer.headers.items() if k.lower() not in guards})


@pytest.mark.long
@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.long)], ids=["one of a kind", "all"])
def test_axe_accepts_the_mailbox_and_every_kind_of_mail_in_it(browser: Browser, every: bool) -> None:
    with house() as home, serve_pages(create_app(site=home.site)) as base, open_reader(browser, base) as reader:
        send_every_kind_of_mail(home, GAMES if every else SOME)
        mails: dict[tuple[str, str], mailbox.MailSummary] = {}
        for line in mailbox.list_mails(home.site.config.data / "mailbox"):
            mails.setdefault((line["id"].split("-")[0], line["subject"] if every else ""), line)
        assert {kind for kind, _ in mails} == set(LETTERS)
        reader.see("mailbox", "/mailbox")
        reader.see("a mail", f"/mailbox/{next(iter(mails.values()))['id']}")
        reader.page.route("**/html", serve_unguarded)
        for (kind, _), line in mails.items():
            reader.go(f"/mailbox/{line['id']}/html")
            reader.look(f"{kind} mail, {line['subject']}", practice=())
