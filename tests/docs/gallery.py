"""Pictures of the pages in a browser, from matches that the games' own bots have played.

    python -m tests.docs.gallery --out pictures [--game hogen] [--decisions 0,20,60] [--seats 3] [--width 390,1204]
        [--lang fr,en] [--scheme light,dark] [--page play,chosen,match,replay,over] [--options '{"picking": "grab"}']
    python -m tests.docs.gallery --docs --out docs       the pictures of the docs, and the page that shows them

Each picture is named after what it shows. The same arguments always show the same matches.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import msgspec
from flask import Flask
from playwright.sync_api import Browser, sync_playwright
from werkzeug.serving import make_server

from pbem import create_app
from pbem.models.engine import migrate
from pbem.services.mail import sender
from tests.harness.chromium import OPTIONS, chromium
from tests.table import House, open_house

PAGES = ("play", "chosen", "match", "replay")
GALLERY = b"the same matches in any gallery  "[:32]


@contextmanager
def house() -> Iterator[House]:
    """A house on a new database."""
    with TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/pbem.db"
        migrate(url)
        yield from open_house(url, Path(folder))


@contextmanager
def served(app: Flask) -> Iterator[str]:
    """The address at which the pages are served meanwhile."""
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()


def advance(home: House, match_id: str, decisions: int) -> bool:
    """Lets bots play this many decisions for the people; returns whether a person is asked next."""
    for n in range(decisions):
        asks = home.asked(match_id)
        if not asks:
            return False
        home.bot_plays(match_id, asks[n % len(asks)].seat, n, GALLERY)
    return bool(home.asked(match_id))


def post(home: House) -> None:
    """Sends due mail into the house's mailbox."""
    wakes = -1
    while wakes != len(home.wakes):
        wakes = len(home.wakes)
        sender.drain(home.site)


def shoot(browser: Browser, url: str, path: Path, width: int, scheme: str, *, choose: bool = False) -> None:
    """One picture of a whole page, after a first choice where one is wanted."""
    page = browser.new_page(
        viewport={"width": width, "height": 844},
        color_scheme="dark" if scheme == "dark" else "light",
        reduced_motion="reduce",
    )
    page.goto(url)
    while choose and page.locator(".todo a.opt").count() and not page.locator("form.confirm button.play").count():
        page.locator(".todo a.opt").first.click()
    page.screenshot(path=str(path), full_page=True)
    page.close()


def address_of_page(home: House, base: str, match_id: str, page: str, seat: int, lang: str) -> str:
    """Returns the address of a page of this kind for this match."""
    token = home.token("play", match_id, seat)
    return {
        "play": f"{base}/play/{token}",
        "chosen": f"{base}/play/{token}",
        "match": f"{base}/match/{match_id}?lang={lang}",
        "replay": f"{base}/play/{token}/replay",
    }[page]


def _words(_context: object, _parameter: object, value: str) -> list[str]:
    return value.split(",")


@click.command()
@click.option("--out", type=click.Path(path_type=Path), required=True)
@click.option("--game", "slugs", callback=_words, default="allegeance,hagakure,hexen-rennen,hogen,niigata")
@click.option("--decisions", callback=_words, default="0,12,40")
@click.option("--seats", type=int, default=3)
@click.option("--width", "widths", callback=_words, default="390,1204")
@click.option("--lang", "langs", callback=_words, default="fr")
@click.option("--scheme", "schemes", callback=_words, default="light")
@click.option("--page", "pages", callback=_words, default="play")
@click.option("--options", default="{}")
@click.option("--docs", is_flag=True, help="Take those of the docs instead, and write the page that shows them.")
def main(
    out: Path, slugs: Sequence[str], decisions: Sequence[str], seats: int, widths: Sequence[str],
    langs: Sequence[str], schemes: Sequence[str], pages: Sequence[str], options: str, docs: bool,
) -> None:  # fmt: skip
    """Takes the pictures."""
    logging.getLogger("werkzeug").setLevel(logging.WARNING)
    out.mkdir(parents=True, exist_ok=True)
    if docs:
        from tests.docs.gallery_page import make_docs  # It builds on this module.

        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium(), headless=True, args=OPTIONS)
            make_docs(browser, out)
            browser.close()
        return

    with sync_playwright() as playwright, house() as home, served(create_app(site=home.site)) as base:
        browser = playwright.chromium.launch(executable_path=chromium(), headless=True, args=OPTIONS)
        for slug in slugs:
            match_id, done = home.begin(seats, slug, options=msgspec.json.decode(options)), 0
            for wanted in sorted(map(int, decisions)):
                advance(home, match_id, wanted - done)
                done = wanted
                asks = home.asked(match_id)
                for lang in langs:
                    # A person who confirmed or accepted in this language is shown, if possible one who is asked.
                    own = [0] if lang == "fr" else list(range(1, seats))
                    seat = next((ask.seat for ask in asks if ask.seat in own), own[0])
                    for page in pages:
                        url = address_of_page(home, base, match_id, page, seat, lang)
                        for width in widths:
                            for scheme in schemes:
                                name = f"{slug}-{seats}-{wanted:03}-{page}-{lang}-{width}-{scheme}.png"
                                shoot(browser, url, out / name, int(width), scheme, choose=page == "chosen")
                                click.echo(out / name)
        browser.close()


if __name__ == "__main__":
    main()
