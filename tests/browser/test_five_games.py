"""Each of the five games as people play it: from the first mail to the replay, by the links in the mails.

A few seats and the shortest options keep a match short; bots fill the seats that need no person.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import EmailMessage
from random import Random
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.games import DESKTOP, PHONE, hrefs_of_choices, link_to, read_cards
from tests.browser.mailbox import Mailbox, choice_links, fill_in_people, first_link, html_of, is_over, text_of
from tests.harness.waiting import SECONDS
from tests.table import CAST

# A whole match takes half a minute on an idle machine.
pytestmark = [pytest.mark.browser, pytest.mark.timeout(1800)]


@dataclass(frozen=True)
class Setting:
    """How a game is played here: the number of people, then bots, and the choices in the form."""

    people: int
    bots: int
    options: dict[str, str] = field(default_factory=dict)
    flows: bool = True
    """Whether one person is sure to be asked twice in a turn before the match is over."""


SETTINGS = {
    "allegeance": Setting(1, 1, {"target": "1"}, flows=False),
    "hagakure": Setting(1, 2, {"rounds": "1", "extra_rounds": "0"}, flows=False),
    "hexen-rennen": Setting(1, 1, flows=False),
    "hogen": Setting(2, 1, flows=False),
    "niigata": Setting(1, 1),
}


@dataclass(frozen=True)
class Reader:
    """How a reader reads: the language, the width of the screen, and whether scripts run."""

    lang: str
    size: dict[str, int]
    scripts: bool = True


FRENCH_PHONE = Reader("fr", PHONE)
ENGLISH_DESKTOP = Reader("en", DESKTOP)
PLAIN_PHONE = Reader("fr", PHONE, scripts=False)


@contextmanager
def reading(browser: Browser, service: str, reader: Reader) -> Iterator[Page]:
    """A page that may call no other origin, whose scripts never fail, and whose console stays empty."""
    context = browser.new_context(
        viewport=reader.size,  # type: ignore[arg-type]
        locale={"fr": "fr-FR", "en": "en-GB"}[reader.lang],
        java_script_enabled=reader.scripts,
        reduced_motion="reduce",
    )
    context.set_default_timeout(SECONDS * 1000)
    troubles: list[str] = []
    context.on("weberror", lambda error: troubles.append(str(error.error)))
    context.on("console", lambda said: troubles.append(said.text) if said.type == "error" else None)
    context.on("request", lambda asked: troubles.append(asked.url) if not asked.url.startswith(service) else None)
    context.on("response", lambda said: troubles.append(f"{said.status} {said.url}") if said.status >= 400 else None)
    try:
        yield context.new_page()
    finally:
        context.close()
    assert not troubles


@dataclass
class Sitting:
    """A match in one browser: how its moves are chosen, and what has happened so far."""

    page: Page
    reader: Reader
    luck: Random
    turns: int = 0
    played: int = 0
    by_board: int = 0
    by_list: int = 0
    flowed: int = 0

    def read(self, url: str) -> None:
        """Opens a link of a mail."""
        self.page.goto(url)
        expect(self.page.locator("html")).to_have_attribute("lang", self.reader.lang)

    def play_turn(self, mail: EmailMessage) -> None:
        """Opens one of the mail's choices, or just the board, and plays until the page asks nothing more."""
        choice = self.luck.choice(choice_links(mail))
        self.read(choice if self.turns % 2 == 0 else choice.split("?")[0])
        self.turns += 1
        before = ""
        while self.page.locator(".todo").count():
            turn = self._play()
            self.flowed += turn == before
            before = turn

    def _play(self) -> str:
        """Completes the choice and presses the button; returns the turn of that move."""
        self._choose()
        read_cards(self.page)
        form = self.page.locator("form.confirm")
        key = form.locator("input[name=key]").get_attribute("value") or ""
        form.locator("button.play").click()
        expect(self.page.locator(f"form.confirm input[name=key][value='{key}']")).to_have_count(0)
        expect(self.page).to_have_url(re.compile("[?&]done="))
        assert not self.page.locator(".item.no").count()
        self.played += 1
        return key.rpartition(".")[0]

    def _choose(self) -> None:
        """Takes the board's choices and the form's in turn until a whole move is chosen."""
        confirm = self.page.locator("form.confirm button.play")
        for n in range(20):
            if confirm.count():
                return
            read_cards(self.page)
            # On the board a division can be chosen and given up again for ever; the list leads to its end.
            on_board = self._on_board() if self.by_board <= self.by_list and n < 8 else []
            if on_board:
                self.by_board += 1
                self._take(on_board)
            else:
                self.by_list += 1
                before = self.page.url
                link_to(self.page, self.luck.choice(hrefs_of_choices(self.page))).press("Enter")
                expect(self.page).not_to_have_url(before)
        raise AssertionError("no whole move after twenty choices")

    def _on_board(self) -> list[Locator]:
        """What can be chosen on the board and is not; of a map, only what is in its window, and not its overview."""
        here = urlsplit(self.page.url)
        links = self.page.locator(
            f"figure.board a[href*='pick=']:not([href='{here.path}?{here.query}']):visible:not(:has([data-overview]))"
        )
        window = self.page.locator("figure.board > svg:visible:has([data-pan]) > rect.gr")
        if not window.count():
            return links.all()
        seen, found = window.bounding_box(), []
        for link_ in links.all():
            box = link_.bounding_box()
            if box is None or seen is None:
                continue
            across = seen["x"] + 28 <= box["x"] and box["x"] + box["width"] <= seen["x"] + seen["width"]
            along = seen["y"] + 20 <= box["y"] and box["y"] + box["height"] <= seen["y"] + seen["height"]
            if (across and along) or not link_.evaluate("link => Boolean(link.closest('[data-pan]'))"):
                found.append(link_)
        return found

    def _take(self, choices: list[Locator]) -> None:
        """Takes any of the choices."""
        before = self.page.url
        choices[self.luck.randrange(len(choices))].click()
        expect(self.page).not_to_have_url(before)


def start_match(page: Page, service: str, game: str, mailbox: Mailbox) -> None:
    """Fills in the form on the start page."""
    setting = SETTINGS[game]
    page.goto(service)
    page.locator(f"a[href*='game={game}']").first.click()
    fill_in_people(page, CAST[: setting.people], mailbox)
    for fold in page.locator(".fold > summary").all():
        fold.click()
    if setting.bots:
        page.check(f"input[name=players][value='{setting.people + setting.bots}']")
        page.check("input[name=fill][value=bots]")
        page.check("input[name=rest][value=greedy]")
    for name, word in setting.options.items():
        page.select_option(f"select[name='option.{name}']", word)
    page.locator("form button.play").click()
    expect(page).to_have_url(re.compile("/new/sent"))


def sit_down(page: Page, game: str, lang: str, mailbox: Mailbox) -> None:
    """Confirms, then accepts for the others."""
    (confirm,) = mailbox.wait(1)
    letters = [(confirm, "confirm")]
    for n in range(SETTINGS[game].people):
        if n == 1:
            letters += [(mail, "invitation") for mail in mailbox.wait(SETTINGS[game].people - 1)]
        mail, kind = letters[n]
        page.goto(first_link(mail, kind))
        page.locator(".reader > summary").click()
        page.select_option("select[name=language]", lang)
        page.locator("button.play").click()
        expect(page).to_have_url(re.compile("/play/"))


def play_on(sitting: Sitting, mailbox: Mailbox, people: int) -> list[EmailMessage]:
    """Plays by mail until everybody has heard that the match is over; returns those mails."""
    over: list[EmailMessage] = []
    while len(over) < people:
        for mail in mailbox.wait(1):
            if is_over(mail):
                over.append(mail)
            elif choice_links(mail) and not over:
                sitting.play_turn(mail)
    return over


def check_the_result(sitting: Sitting, mail: EmailMessage, people: int) -> None:
    """The mail has the final table, and the seat's page says the same."""
    assert "<table" in html_of(mail)
    for name in CAST[:people]:
        assert name in text_of(mail)
    sitting.read(first_link(mail, "play").split("?")[0].removesuffix("/replay"))
    expect(sitting.page.locator(".todo")).to_have_count(0)
    expect(sitting.page.locator("h1")).to_contain_text({"fr": "gagn", "en": "won"}[sitting.reader.lang])


def watch_again(sitting: Sitting, mail: EmailMessage) -> None:
    """Steps through the replay by its controls, with or without scripts, and from one seat's view."""
    page = sitting.page
    sitting.read(
        first_link(mail, "replay") if "/replay/" in text_of(mail) else first_link(mail, r"play/[^/\s]+/replay")
    )
    slider, here = page.locator("#step"), page.locator("#steps [aria-current=step]")
    last = slider.get_attribute("max") or ""
    assert int(last) > sitting.played
    for control, step in (("#first", "1"), ("#next", "2"), ("#next", "3"), ("#prev", "2"), ("#last", last)):
        page.locator(control).click()
        expect(slider).to_have_value(step)
        expect(here).to_have_count(1)
        expect(here).to_have_attribute("data-step", step)
    page.locator(".eyes:not([aria-current])").last.click()
    expect(page.locator(".eyes[aria-current=true]")).to_have_count(1)
    expect(page.locator("figure.board > svg:visible").first).to_be_visible()


PLAYED = {"hagakure-phone-fr-without-javascript": ("hagakure", PLAIN_PHONE)}
"""The shortest of all, with a person and two bots. `test_whole_match` seats three people, and plays with scripts."""
AT_LENGTH = {
    **{f"{game}-phone-fr": (game, FRENCH_PHONE) for game in SETTINGS},
    **{f"{game}-desktop-en": (game, ENGLISH_DESKTOP) for game in SETTINGS},
    "hogen-phone-fr-without-javascript": ("hogen", PLAIN_PHONE),
}


@pytest.mark.long
@pytest.mark.parametrize(
    ("game", "reader"),
    [
        *(pytest.param(*told, id=name) for name, told in PLAYED.items()),
        *(
            pytest.param(*told, id=name, marks=pytest.mark.long)
            for name, told in AT_LENGTH.items()
            if name not in PLAYED
        ),
    ],
)
def test_each_game_is_played_in_the_browser_from_first_mail_to_replay(
    browser: Browser, service: str, game: str, reader: Reader
) -> None:
    setting = SETTINGS[game]
    with reading(browser, service, reader) as page:
        tag = f"{game}-{reader.lang}-{reader.size['width']}-{reader.scripts:d}"
        mailbox, sitting = Mailbox(service, tag), Sitting(page, reader, Random(tag))
        start_match(page, service, game, mailbox)
        sit_down(page, game, reader.lang, mailbox)
        over = play_on(sitting, mailbox, setting.people)
        assert sitting.by_board, "nothing was ever chosen on the board itself"
        assert sitting.flowed or not setting.flows, "no question of a turn followed another on its page"
        check_the_result(sitting, over[0], setting.people)
        watch_again(sitting, over[0])
