"""Pictures of the pages in a browser, from matches that the games' own bots have played.

    python -m tests.docs.gallery --out pictures [--game hogen] [--decisions 0,20,60] [--seats fewest,most]
        [--size 390x844,844x390,1280x800,1600x900] [--lang fr,en] [--scheme light,dark] [--first-screen]
        [--page play,chosen,match,replay,over,home,new,game,rules] [--options '{"picking": "grab"}']
    python -m tests.docs.gallery --docs --out docs       the pictures of the docs, and the page that shows them

Each picture is named after what it shows. The same arguments always show the same matches, so the pictures of two
versions can be compared by their names.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import msgspec
from flask import Flask
from playwright.sync_api import Browser, sync_playwright
from werkzeug.serving import make_server

from pbem import create_app
from pbem.games import all_games
from pbem.models.engine import migrate
from pbem.services.mail import sender
from tests.browser.games import choose_move
from tests.harness.chromium import OPTIONS, chromium
from tests.table import House, open_house

SIZES = "390x844,844x390,1280x800,1600x900"
"""A phone, the same on its side, a small and a large screen."""
END = 100_000
"""More decisions than any match has."""
GALLERY = b"the same matches in any gallery  "[:32]


@contextmanager
def house() -> Iterator[House]:
    """A house on a new database."""
    with TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/pbem.db"
        migrate(url)
        yield from open_house(url, Path(folder))


@contextmanager
def serve_pages(app: Flask) -> Iterator[str]:
    """The address at which the pages are served meanwhile."""
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()


def advance_match(home: House, match_id: str, decisions: int) -> bool:
    """Lets bots play this many decisions for the people; returns whether a person is asked next."""
    for n in range(decisions):
        asks = home.asks(match_id)
        if not asks:
            return False
        home.bot_plays(match_id, asks[n % len(asks)].seat, n, GALLERY)
    return bool(home.asks(match_id))


def send_due_mails(home: House) -> None:
    """Sends due mail into the house's mailbox."""
    wakes = -1
    while wakes != len(home.wakes):
        wakes = len(home.wakes)
        sender.drain(home.site)


def take_screenshot(
    browser: Browser, url: str, path: Path, size: str, scheme: str, *, choose: bool = False, whole: bool = True
) -> None:
    """One picture of a page, whole or its first screen, after a first choice where one is wanted."""
    width, height = map(int, size.split("x"))
    page = browser.new_page(
        viewport={"width": width, "height": height},
        color_scheme="dark" if scheme == "dark" else "light",
        reduced_motion="reduce",
    )
    page.goto(url)
    if choose and page.locator(".todo").count():
        choose_move(page)
    page.screenshot(path=str(path), full_page=whole)
    page.close()


def address_of_page(home: House, base: str, slug: str, match_id: str, page: str, seat: int, lang: str) -> str:
    """Returns the address of a page of this kind, of a match or of its game."""
    token = home.token("play", match_id, seat)
    return {
        "play": f"{base}/play/{token}",
        "chosen": f"{base}/play/{token}",
        "over": f"{base}/play/{token}",
        "match": f"{base}/match/{match_id}?lang={lang}",
        "replay": f"{base}/play/{token}/replay",
        "home": f"{base}/?lang={lang}",
        "new": f"{base}/new?game={slug}&lang={lang}",
        "game": f"{base}/games/{slug}?lang={lang}",
        "rules": f"{base}/rules/{slug}?lang={lang}",
    }[page]


def seats_of(slug: str, wanted: str) -> int:
    """Returns a number of seats of the game: "fewest", "most", or the number itself."""
    numbers = all_games()[slug].meta.seats
    return {"fewest": min(numbers), "most": max(numbers)}.get(wanted) or int(wanted)


def _words(_context: object, _parameter: object, value: str) -> list[str]:
    return value.split(",")


@click.command()
@click.option("--out", type=click.Path(path_type=Path), required=True)
@click.option("--game", "slugs", callback=_words, default="allegeance,hagakure,hexen-rennen,hogen,niigata")
@click.option("--decisions", callback=_words, default="0,12,40")
@click.option("--seats", callback=_words, default="3", help="Numbers, or fewest, or most.")
@click.option("--size", "sizes", callback=_words, default=SIZES, help="Width x height of the window.")
@click.option("--first-screen", is_flag=True, help="What fits in the window alone, instead of the whole page.")
@click.option("--lang", "langs", callback=_words, default="fr")
@click.option("--scheme", "schemes", callback=_words, default="light")
@click.option("--page", "pages", callback=_words, default="play")
@click.option("--options", default="{}")
@click.option("--docs", is_flag=True, help="Take those of the docs instead, and write the page that shows them.")
def main(
    out: Path, slugs: Sequence[str], decisions: Sequence[str], seats: Sequence[str], sizes: Sequence[str],
    first_screen: bool, langs: Sequence[str], schemes: Sequence[str], pages: Sequence[str], options: str, docs: bool,
) -> None:  # fmt: skip
    """Takes the pictures."""
    logging.getLogger("werkzeug").setLevel(logging.WARNING)
    out.mkdir(parents=True, exist_ok=True)
    if docs:
        # They build on this module.
        from tests.docs.gallery_page import make_docs
        from tests.docs.turn_pictures import make_turn

        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium(), headless=True, args=OPTIONS)
            make_docs(browser, out)
            make_turn(browser, out / "pictures")
            browser.close()
        return

    with sync_playwright() as playwright, house() as home, serve_pages(create_app(site=home.site)) as base:
        browser = playwright.chromium.launch(executable_path=chromium(), headless=True, args=OPTIONS)
        for slug, count in [(slug, seats_of(slug, wanted)) for slug in slugs for wanted in seats]:
            match_id, done = home.begin(count, slug, options=msgspec.json.decode(options)), 0
            for decided in sorted(map(int, decisions)) + [END] * ("over" in pages):
                advance_match(home, match_id, decided - done)
                done = decided
                asks = home.asks(match_id)
                shown = [page for page in pages if (page == "over") == (decided == END)]
                for lang, page in product(langs, shown):
                    # A person who confirmed or accepted in this language is shown, if possible one who is asked.
                    own = [0] if lang == "fr" else list(range(1, count))
                    seat = next((ask.seat for ask in asks if ask.seat in own), own[0])
                    url = address_of_page(home, base, slug, match_id, page, seat, lang)
                    for size, scheme in product(sizes, schemes):
                        moment = "end" if decided == END else f"{decided:03}"
                        path = out / f"{slug}-{count}-{moment}-{page}-{lang}-{size}-{scheme}.png"
                        take_screenshot(
                            browser, url, path, size, scheme, choose=page == "chosen", whole=not first_screen
                        )
                        click.echo(path)
        browser.close()


if __name__ == "__main__":
    main()
