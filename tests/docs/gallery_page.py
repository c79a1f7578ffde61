"""The pictures in `docs/pictures/`, and the page that shows them.

    python -m tests.docs.gallery --docs --out docs

Each game is played in a house of its own, so that its pictures do not depend on earlier ones.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser

from pbem import create_app
from pbem.games import all_games, find_game
from pbem.mail import mailbox
from pbem.render import pictures
from tests.browser.games import choose_move
from tests.docs.gallery import address_of_page, advance_match, house, send_due_mails, serve_pages
from tests.table import House

PHONE, DESKTOP = (390, 844), (1204, 900)
COVER = 400
"""The width of the picture of a cover, in pixels."""
LONGEST = 1300
"""Pixels of a phone's page that are shown: what is below says nothing about the board."""
MOST = 120_000
"""Bytes of a picture."""
COLOURS = 128
EARLY = {"allegeance": 8, "hagakure": 9, "hexen-rennen": 14, "hogen": 8, "niigata": 14}
LATE = {"allegeance": 26, "hagakure": 52, "hexen-rennen": 62, "hogen": 18, "niigata": 46}
SEATS = 3


@dataclass(frozen=True)
class Shot:
    """A picture: its file name without extension, how it is taken, and its caption."""

    name: str
    size: tuple[int, int]
    dark: bool
    caption: str = ""


ABOUT = {
    "allegeance": "The Door and its pile, what was announced, and each Palace with its top card alone.",
    "hagakure": "The trick, the hand, the banners, and the score sheet; a head's shape tells who it is.",
    "hexen-rennen": "Forty-eight tiles by night, a broom after each stage, and the goals under straw roofs.",
    "hogen": "The palace, the hands as far as they are known, the allies, and who has called whom.",
    "niigata": "The map grows as tiles are laid, and the ponds join; it can be moved and enlarged.",
}

STATES = (
    Shot("asked", PHONE, False, "Your turn, on a phone: what happened, the board, and the choices."),
    Shot("chosen", PHONE, True, "A chosen move, in dark mode: the board after it, and one button."),
    Shot("late", DESKTOP, False, "Later in the match, on a desktop."),
    Shot("late-dark", DESKTOP, True, "The same in dark mode."),
)
REPLAYS = (
    Shot("replay", PHONE, False, "The replay on a phone: step by step, from any seat."),
    Shot("replay-desktop", DESKTOP, True, "The replay on a desktop, in dark mode: the story beside the board."),
    Shot("mail", (640, 844), False, "The turn mail, as a mail program shows it."),
)
AROUND = (
    Shot("home", PHONE, False),
    Shot("home-desktop", DESKTOP, True),
    Shot("new", PHONE, False),
    Shot("new-desktop", DESKTOP, False),
)


def take_picture(browser: Browser, shot: Shot, url: str, path: Path, lang: str) -> None:
    """Takes the picture, small enough to be kept beside the code."""
    page = browser.new_page(
        viewport={"width": shot.size[0], "height": shot.size[1]},
        color_scheme="dark" if shot.dark else "light",
        reduced_motion="reduce",
        locale={"fr": "fr-FR", "en": "en-GB"}[lang],
    )
    for _ in range(2):
        page.goto(url)  # On the second visit the fonts have loaded in time.
    if shot.name == "chosen":
        choose_move(page)
    full = shot.size != DESKTOP
    height = min(page.evaluate("document.documentElement.scrollHeight"), LONGEST) if full else shot.size[1]
    page.set_viewport_size({"width": shot.size[0], "height": height})
    page.evaluate("window.scrollTo(0, 0)")
    page.evaluate("document.fonts.ready.then(() => true)")
    picture = with_palette(page.screenshot(type="png"))
    assert len(picture) <= MOST, f"{path.name} has {len(picture)} bytes"
    path.write_bytes(picture)
    page.close()


def with_palette(picture: bytes) -> bytes:
    """Returns the PNG with at most COLOURS colours, as many as flat areas and the edges of letters need."""
    small = io.BytesIO()
    with Image.open(io.BytesIO(picture)) as image:
        # The median cut keeps the colours of large areas exactly; two rounds of means bring the others near theirs.
        few = image.convert("RGB").quantize(COLOURS, Image.Quantize.MEDIANCUT, kmeans=2, dither=Image.Dither.NONE)
        few.save(small, "PNG", optimize=True)
    return small.getvalue()


def of_game(browser: Browser, slug: str, folder: Path) -> None:
    """The pictures of one game's board, replay and turn mail."""
    with house() as home, serve_pages(create_app(site=home.site)) as base:
        match_id = home.begin(SEATS, slug)
        for shot in (*STATES, *REPLAYS):
            if shot.name in ("asked", "late"):
                assert advance_match(home, match_id, EARLY[slug] if shot.name == "asked" else LATE[slug] - EARLY[slug])
                send_due_mails(home)
            url, lang = _address(home, base, slug, match_id, shot)
            take_picture(browser, shot, url, folder / f"{slug}-{shot.name}.png", lang)


def _address(home: House, base: str, slug: str, match_id: str, shot: Shot) -> tuple[str, str]:
    """The address of what the picture shows, and the language it is in: that of the seat that is asked."""
    seat = home.asks(match_id)[0].seat
    lang = "en" if seat else "fr"
    if shot.name == "mail":
        lines = mailbox.list_mails(home.site.config.data / "mailbox")
        return f"{base}/mailbox/{next(line['id'] for line in lines if line['id'].startswith('turn-'))}/html", lang
    kind = "replay" if shot.name.startswith("replay") else "play"
    return address_of_page(home, base, slug, match_id, kind, seat, lang), lang


def of_covers(folder: Path) -> None:
    """The covers of all games, as mails show them."""
    for slug, game in all_games().items():
        cover = pictures.board_png(game, str(pictures.cover_svg(game, "en")), (), COVER)
        (folder / f"cover-{slug}.png").write_bytes(cover)


def take_pictures_before_match(browser: Browser, folder: Path) -> None:
    """The pictures of the pages before a match."""
    paths = {"home": "/", "new": "/new?game=hogen&others=bots"}
    with house() as home, serve_pages(create_app(site=home.site)) as base:
        for shot, lang in zip(AROUND, ("fr", "en", "fr", "en"), strict=True):
            path = paths[shot.name.partition("-")[0]]
            take_picture(browser, shot, base + path, folder / f"{shot.name}.png", lang)


def text_of_page() -> Iterator[str]:
    """The lines of the page that shows the pictures."""
    yield "# Pictures\n"
    yield " ".join(
        f'<img src="pictures/cover-{slug}.png" width="160" alt="{game.meta.title["en"]}">'
        for slug, game in all_games().items()
    )
    yield ""
    yield "For players. The pictures of each game show, in this order:\n"
    yield from (f"* {shot.caption}" for shot in STATES + REPLAYS)
    yield "\nThe pictures are made by `python -m tests.docs.gallery --docs --out docs`.\n"
    for slug, about in ABOUT.items():
        game = find_game(slug)
        assert game is not None
        yield f"## {game.meta.title['en']}\n"
        yield f"{about}\n"
        yield from _what_is_shown(STATES + REPLAYS, f"{slug}-")
    yield "## Before a match\n"
    yield from _what_is_shown(AROUND, "")


def _what_is_shown(shots: tuple[Shot, ...], prefix: str) -> Iterator[str]:
    for shot in shots:
        width = 300 if shot.size == PHONE else 600
        yield f'<img src="pictures/{prefix}{shot.name}.png" width="{width}" alt="{shot.name}">\n'


def make_docs(browser: Browser, out: Path) -> None:
    """Takes all pictures of the docs, and writes the page that shows them."""
    folder = out / "pictures"
    folder.mkdir(parents=True, exist_ok=True)
    for slug in ABOUT:
        of_game(browser, slug, folder)
    of_covers(folder)
    take_pictures_before_match(browser, folder)
    (out / "gallery.md").write_text("\n".join(text_of_page()), "utf-8")
