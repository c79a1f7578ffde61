"""A browser at the page of a seat: to a question, and along a path of choices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from playwright.sync_api import Browser, BrowserContext

from tests.harness.waiting import SECONDS
from tests.table import House

FIRST_LOAD = 150 * 1024


def open_browser(browser: Browser, size: dict[str, int], **more: Any) -> Iterator[BrowserContext]:
    """A separate browser; any error on its pages fails the test at its end."""
    context = browser.new_context(viewport=size, locale="en-GB", **more)  # type: ignore[arg-type]
    context.set_default_timeout(SECONDS * 1000)
    troubles: list[str] = []
    context.on("weberror", lambda error: troubles.append(str(error.error)))
    context.on("console", lambda said: troubles.append(said.text) if said.type == "error" else None)
    yield context
    context.close()
    assert not troubles


def path_to(home: House, match_id: str, seat: int) -> str:
    return f"/play/{home.token('play', match_id, seat)}"


def who_is_asked(home: House, match_id: str) -> int:
    """A seat that is asked."""
    return home.asks(match_id)[0].seat


def play_decisions(home: House, match_id: str, decisions: int) -> None:
    """Lets the greedy bot play this many decisions for the seats that are asked, or fewer if the match ends."""
    for n in range(decisions):
        if not home.asks(match_id):
            return
        home.bot_plays(match_id, who_is_asked(home, match_id), n)
