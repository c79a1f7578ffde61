"""`make look`: opens the page of a seat in its states, takes pictures, and prints what is measured on it.

    python -m tests.browser.turns --out build/look [--game hogen] [--seats fewest,most] [--state ask,played-no]
        [--size 360x740,390x844,844x390,1280x800,1366x768,1600x900] [--lang en,fr] [--scheme light,dark]
        [--browser chromium,firefox] [--no-pictures]
    python -m tests.browser.turns --urls FILE       lines "name address", of any server

Prints for each state: where the board begins, words, answers that are not on the first screen, the least target, what
the page is wider than the window, layout shift, and what is cut. `tests.browser.turns.measure` defines each. A family
of states, such as "ask", stands for all of its members.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Any

import click
from playwright.sync_api import Browser, Page, Playwright, sync_playwright

from tests.browser.turns.measure import WATCH_SHIFTS, Measured, measure_page
from tests.browser.turns.states import few_and_many, open_stage, play_states
from tests.docs.gallery import serve_pages
from tests.harness.chromium import OPTIONS, chromium
from tests.harness.firefox import open_firefox
from tests.harness.waiting import SECONDS

GAMES = "allegeance,hagakure,hexen-rennen,hogen,niigata"
SIZES = "360x740,390x844,844x390,1280x800,1366x768,1600x900"
COLUMNS = "{:<36} {:>9} {:>6} {:>5} {:>7} {:>5} {:>6} {:>4} {:>5}  {}"
HEAD = COLUMNS.format("state", "window", "top", "words", "answers", "below", "target", "wide", "shift", "cut")


@contextmanager
def open_browser(playwright: Playwright, name: str, scheme: str) -> Iterator[Browser]:
    """Yields a browser of this name. Firefox learns the colours of the paper when it starts."""
    if name == "firefox":
        with open_firefox(playwright, scheme, "still") as browser:
            yield browser
        return
    browser = playwright.chromium.launch(executable_path=chromium(), headless=True, args=OPTIONS)
    yield browser
    browser.close()


def open_page(browser: Browser, name: str, scheme: str) -> Page:
    """Opens a page without motion on paper of this scheme."""
    dressed: dict[str, Any] = {"reduced_motion": "reduce", "color_scheme": scheme} if name == "chromium" else {}
    context = browser.new_context(locale="en-GB", **dressed)
    context.set_default_timeout(SECONDS * 1000)
    context.add_init_script(WATCH_SHIFTS)
    return context.new_page()


def line_of_table(name: str, size: str, found: Measured) -> str:
    """Returns what is measured, as a line of the table."""
    least = f"{found.targets[0][0]:g}" if found.targets else "-"
    top = "-" if found.top is None else f"{found.top:g}"
    shift, cut, below = f"{found.shift:.2f}", " | ".join(found.cut[:3]), len(found.below)
    figures = top, found.words, found.answers, below, least, f"{found.wide:g}", shift, cut
    return COLUMNS.format(name, size, *figures).rstrip()


def measure_state(page: Page, name: str, address: str, sizes: Sequence[str], out: Path | None, tail: str) -> None:
    """Opens the address in each window, takes its picture and prints a line."""
    for size in sizes:
        width, height = map(int, size.split("x"))
        page.set_viewport_size({"width": width, "height": height})
        page.goto(address)
        click.echo(line_of_table(name, size, measure_page(page)))
        if out is not None:
            page.screenshot(path=str(out / f"{name}-{size}{tail}.png"))


def states_with_addresses(
    games: Sequence[str], seats: Sequence[str], only: Sequence[str], langs: Sequence[str]
) -> Iterator[Any]:
    """Yields the states, each with its language and its address, while their server stands."""
    for slug, many in product(games, seats):
        fewest, most = few_and_many(slug)
        count = {"fewest": fewest, "most": most}.get(many) or int(many)
        with open_stage() as (home, app), serve_pages(app) as base:
            for state in play_states(home, app, slug, count, only):
                for lang in langs:
                    yield state, lang, state.address(base, lang)


def _words(_context: object, _parameter: object, value: str) -> list[str]:
    return [word for word in value.split(",") if word]


@click.command()
@click.option("--out", type=click.Path(path_type=Path), default=Path("build/look"), help="The folder of the pictures.")
@click.option("--game", "games", callback=_words, default=GAMES)
@click.option("--seats", callback=_words, default="fewest,most", help="Numbers, or fewest, or most.")
@click.option("--state", "only", callback=_words, default="", help="Names of states or families; none: all.")
@click.option("--size", "sizes", callback=_words, default=SIZES, help="Width x height of the window.")
@click.option("--lang", "langs", callback=_words, default="en")
@click.option("--scheme", "schemes", callback=_words, default="light")
@click.option("--browser", "name", type=click.Choice(["chromium", "firefox"]), default="chromium")
@click.option("--no-pictures", is_flag=True)
@click.option("--urls", type=click.File(), help='Lines "name address" to look at instead.')
def main(
    out: Path, games: Sequence[str], seats: Sequence[str], only: Sequence[str], sizes: Sequence[str],
    langs: Sequence[str], schemes: Sequence[str], name: str, no_pictures: bool, urls: Any,
) -> None:  # fmt: skip
    """Looks at the states."""
    logging.getLogger("werkzeug").setLevel(logging.WARNING)
    folder = None if no_pictures else out
    out.mkdir(parents=True, exist_ok=True)
    click.echo(HEAD)
    with sync_playwright() as playwright:
        for scheme in schemes:
            with open_browser(playwright, name, scheme) as browser:
                page = open_page(browser, name, scheme)
                if urls is not None:
                    for label, address in (one.split(maxsplit=1) for one in urls if one.strip()):
                        measure_state(page, label, address.strip(), sizes, folder, f"-{scheme}")
                    continue
                for state, lang, address in states_with_addresses(games, seats, only, langs):
                    measure_state(page, state.id, address, sizes, folder, f"-{lang}-{scheme}-{name}")


if __name__ == "__main__":
    main()
