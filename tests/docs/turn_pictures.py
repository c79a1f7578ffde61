"""The pictures of the README: a turn's mail beside the board, and a turn from the mail to the next one, as a GIF.

    python -m tests.docs.turn_pictures --out docs/pictures

They show a match of Hogen that bots play, and one of the people at its table, on a phone.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path

import click
from PIL import Image, ImageDraw
from playwright.sync_api import Browser, Locator, Page, ViewportSize, sync_playwright

from pbem import create_app
from pbem.features.pictures import gif
from pbem.mail import mailbox
from tests.browser.games import PHONE, play_move, read_cards
from tests.docs.gallery import GALLERY, advance_match, house, send_due_mails, serve_pages
from tests.docs.gallery_page import with_palette
from tests.harness.chromium import OPTIONS, chromium
from tests.table import House

WINDOW: ViewportSize = {"width": PHONE["width"], "height": PHONE["height"]}
STILL, MOVING = "turn.png", "turn.gif"
SEATS, FIRST = 3, 8
"""The size of the table, and after how many decisions somebody may be shown."""
GAP = 24
"""Pixels between the mail and the board, and around them."""
PAPER, EDGE, RING = "#f3ead8", "#8a7d69", "#b0301b"
GLANCE, READ, LOOK, TOUCH = 90, 2600, 3400, 900
"""How long a frame is shown, in milliseconds."""
NEWS = 2
"""How many lines of news are read at the end."""
STEPS = 5
"""In how many frames the mail is scrolled from one place to the next."""
Mail = str
Shown = tuple[str, Mail, int]
"""The match, the mail of a turn, and the seat."""


@dataclass
class Film:
    """The frames of a page so far, with how long each is shown."""

    page: Page
    frames: list[tuple[Image.Image, int]] = field(default_factory=list)

    def show(self, shown_ms: int, touched: Locator | None = None) -> None:
        """Adds a frame of what the window shows, with a ring around what is touched."""
        image = gif.open_png(self.page.screenshot(type="png"))
        if touched is not None:
            box = touched.bounding_box()
            assert box is not None
            x, y, r = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, 24
            ImageDraw.Draw(image).ellipse((x - r, y - r, x + r, y + r), outline=RING, width=6)
        self.frames.append((image, shown_ms))

    def touch(self, there: Locator) -> None:
        """Adds a frame with a ring around what is touched next."""
        self.show(TOUCH, there)

    def scroll_to(self, y: float) -> None:
        """Scrolls the page to this place, frame by frame."""
        start = float(self.page.evaluate("window.scrollY"))
        end = min(y, float(self.page.evaluate("document.documentElement.scrollHeight - window.innerHeight")))
        for step in range(1, STEPS + 1):
            self.page.evaluate(f"window.scrollTo(0, {start + (end - start) * step / STEPS})")
            if step < STEPS:
                self.show(GLANCE)

    def data(self) -> bytes:
        """Returns the GIF."""
        images = [image for image, _ in self.frames]
        palette = gif.palette_of(images)
        drawn = [gif.reduce_to_palette(image, palette) for image in images]
        before = [None, *drawn[:-1]]
        frames = zip(drawn, before, (shown_ms for _, shown_ms in self.frames), strict=True)
        return gif.gif_head(images[0].size, palette) + b"".join(gif.gif_frame(*one) for one in frames) + gif.TAIL


def find_turn(home: House) -> Shown:
    """Lets bots play until somebody who reads English is to call."""
    match_id = home.begin(SEATS, "hogen")
    assert advance_match(home, match_id, FIRST)
    while home.asks(match_id)[0].kind != "act" or home.asks(match_id)[0].seat == 0:
        assert advance_match(home, match_id, 1)
    send_due_mails(home)
    (ask,) = home.asks(match_id)
    lines = mailbox.list_mails(home.site.config.data / "mailbox")
    return match_id, next(line["id"] for line in lines if line["id"].startswith("turn-")), ask.seat


def choice_in(page: Page) -> Locator:
    """A choice in the mail: the last that names a card."""
    return page.locator('a[href*="pick="]', has_text=re.compile(r"^\s*[A-Z]\d\s*$")).last


def address_at(base: str, choice: Locator) -> str:
    """The address that it leads to, at the site that is served."""
    return base + re.sub("^https?://[^/]+", "", choice.get_attribute("href") or "")


def picture_of_mail_and_page(page: Page, base: str, mail: Mail) -> bytes:
    """The mail beside the page that one of its choices opens, as a PNG."""
    page.goto(f"{base}/mailbox/{mail}/html")
    box = page.locator('a[href*="pick="]').last.bounding_box()
    assert box is not None
    page.set_viewport_size({"width": WINDOW["width"], "height": round(box["y"] + box["height"]) + GAP // 3})
    shots = [gif.open_png(page.screenshot(type="png"))]
    page.goto(address_at(base, choice_in(page)))
    page.set_viewport_size(WINDOW)
    read_cards(page)
    shots.append(gif.open_png(page.screenshot(type="png")))
    sheet = Image.new("RGB", (2 * WINDOW["width"] + 3 * GAP, shots[0].height + 2 * GAP), PAPER)
    for number, shot in enumerate(shots):
        x = GAP + number * (WINDOW["width"] + GAP)
        sheet.paste(shot, (x, GAP))
        ImageDraw.Draw(sheet).rectangle((x - 1, GAP - 1, x + shot.width, GAP + shot.height), outline=EDGE)
    raw = BytesIO()
    sheet.save(raw, "PNG")
    return with_palette(raw.getvalue())


def film_turn(page: Page, home: House, base: str, shown: Shown) -> bytes:
    """A turn from its mail to the next question of the same seat, as a GIF."""
    match_id, mail, seat = shown
    page.set_viewport_size(WINDOW)
    page.goto(f"{base}/mailbox/{mail}/html")
    film, choice = Film(page), choice_in(page)
    film.show(LOOK)
    board, place = page.locator("img").first.bounding_box(), choice.bounding_box()
    assert board is not None
    assert place is not None
    film.scroll_to(board["y"] - GAP)
    film.show(LOOK)
    film.scroll_to(place["y"] - WINDOW["height"] / 2)
    film.show(READ)
    film.touch(choice)
    page.goto(address_at(base, choice))
    read_cards(page)
    film.show(LOOK)
    film.touch(page.locator("form.confirm button.play"))
    play_move(page)
    film.show(LOOK)
    while (asks := home.asks(match_id)) and seat not in [ask.seat for ask in asks]:
        home.bot_plays(match_id, asks[0].seat, len(film.frames), GALLERY)
    page.goto(f"{base}/play/{home.token('play', match_id, seat)}")
    film.show(READ)
    for _ in range(NEWS):
        button = page.locator(".slot .next.unread")
        if not button.count():
            break
        film.touch(button)
        button.click()
        page.wait_for_timeout(400)
        film.show(READ)
    film.show(TOUCH)
    return film.data()


def open_page(browser: Browser) -> Page:
    """A phone that reads English, without animations."""
    return browser.new_page(viewport=WINDOW, reduced_motion="reduce", locale="en-GB")


def pictures_by_name(browser: Browser) -> Iterator[tuple[str, bytes]]:
    """The pictures with their names."""
    with house() as home, serve_pages(create_app(site=home.site)) as base:
        shown, page = find_turn(home), open_page(browser)
        page.goto(f"{base}/mailbox/{shown[1]}/html")  # on the next visit the fonts have loaded in time
        yield STILL, picture_of_mail_and_page(page, base, shown[1])
        yield MOVING, film_turn(page, home, base, shown)
        page.close()


def make_turn(browser: Browser, folder: Path) -> None:
    """Writes the pictures into the folder."""
    for name, data in pictures_by_name(browser):
        (folder / name).write_bytes(data)


@click.command()
@click.option("--out", type=click.Path(path_type=Path), required=True)
def main(out: Path) -> None:
    """Takes the pictures."""
    logging.getLogger("werkzeug").setLevel(logging.WARNING)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), headless=True, args=OPTIONS)
        make_turn(browser, out)
        browser.close()


if __name__ == "__main__":
    main()
