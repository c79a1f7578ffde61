"""Measures and prints: `python -m benchmarks.pages [PAGE ...]`."""

import argparse
import os
import sys
import time
from collections.abc import Iterator, Sequence

from playwright.sync_api import Browser, StorageState, sync_playwright

from benchmarks.pages.positions import PAGES, Served, serve_positions
from benchmarks.pages.report import Visit, bars_missed, median_visit, table_of_visits
from benchmarks.pages.slow_phone import visit_page
from tests.harness.chromium import OPTIONS, chromium

SIZES = ((390, 844), (1280, 800))


def main(words: Sequence[str] | None = None) -> None:
    """Opens the pages that are named, or all, and prints the table. Exits with 1 when a bar is not met."""
    parser = argparse.ArgumentParser(description="Measures first visits of pages on a slow phone, beside their bars.")
    parser.add_argument("pages", nargs="*", metavar="PAGE", help=f"only these: {', '.join(PAGES)}")
    parser.add_argument("--visits", type=int, default=3, help="how often each page is opened; medians are printed")
    args = parser.parse_args(words)
    unknown = set(args.pages) - set(PAGES)
    if unknown:
        parser.error(f"there is no page {', '.join(sorted(unknown))}; there are {', '.join(PAGES)}")
    start = time.monotonic()
    with serve_positions() as service, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), headless=True, args=OPTIONS)
        rows = list(_measure_pages(browser, service, args.pages or PAGES, args.visits))
        browser.close()
    load = os.getloadavg()[0]
    sys.stdout.write(
        f"{table_of_visits(rows)}\nload {load:.1f}, {os.cpu_count()} cores, {time.monotonic() - start:.0f} s\n"
    )
    sys.exit(1 if any(bars_missed(row) for _, row in rows) else 0)


def _measure_pages(browser: Browser, service: Served, names: Sequence[str], visits: int) -> Iterator[tuple[str, Visit]]:
    account = _sign_in(browser, service) if "player" in names else None
    for size in SIZES:
        for name in names:
            title = f"{name} {size[0]}x{size[1]}"
            sys.stderr.write(f"{title} …\n")
            signed_in = account if name == "player" else None
            url = service.url + service.paths[name]
            yield title, median_visit([visit_page(browser, url, size, signed_in) for _ in range(visits)])


def _sign_in(browser: Browser, service: Served) -> StorageState:
    """Returns the cookies of the player after signing in with the link of a mail."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(service.url + service.account)
    page.locator("main button").click()
    page.wait_for_url(service.url + "/")
    state = context.storage_state()
    context.close()
    return state


if __name__ == "__main__":
    main()
