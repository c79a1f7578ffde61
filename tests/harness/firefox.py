"""The system's Firefox, driven by playwright over WebDriver BiDi, not by a build of playwright's own.

    python -m tests.harness.firefox ...      Firefox itself, with these arguments, behind the relay

Playwright speaks to any Firefox over BiDi, but asks at once for the emulation of media features, which Firefox's long
term releases do not know yet, and gives up when they refuse. So between the two stands a relay that answers this one
command in their place, as done; everything else it hands on as it is. Where a test wants dark paper or no motion, it
says so by a preference: see `PREFERENCES`.
"""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from aiohttp import ClientSession, ClientWebSocketResponse, WSMsgType, web
from playwright.sync_api import Browser, Playwright

FIREFOX = ("firefox-esr", "firefox")
LISTENS = re.compile(rb"WebDriver BiDi listening on (ws://\S+)")
UNKNOWN = "emulation.setMediaFeaturesOverride"
PREFERENCES: Mapping[str, Mapping[str, int | bool]] = {
    "light": {"layout.css.prefers-color-scheme.content-override": 1},
    "dark": {"layout.css.prefers-color-scheme.content-override": 0},
    "still": {"ui.prefersReducedMotion": 1},
}
"""What stands for playwright's emulation of media: the colours of the paper, and no motion."""


def firefox() -> str:
    """Returns the path of the system's Firefox. Skips the test if there is none."""
    found = next((path for name in FIREFOX if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("no Firefox on this machine (Debian: apt-get install firefox-esr)")
    return found


@contextmanager
def open_firefox(playwright: Playwright, *wanted: str) -> Iterator[Browser]:
    """Yields a headless Firefox with these of `PREFERENCES`. Skips the test if there is no Firefox."""
    firefox()
    preferences = {name: value for one in wanted for name, value in PREFERENCES[one].items()}
    with TemporaryDirectory() as folder:
        relay = Path(folder) / "firefox"
        relay.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m {__spec__.name} "$@"\n')
        relay.chmod(0o755)
        browser = playwright.firefox.launch(
            executable_path=relay, channel="moz-firefox", headless=True, firefox_user_prefs={**preferences}
        )
        yield browser
        browser.close()


async def _listen(firefox: asyncio.subprocess.Process) -> str:
    """Returns the address at which this Firefox takes commands, once it says so; hands on what it says before."""
    assert firefox.stderr is not None
    async for line in firefox.stderr:
        if said := LISTENS.search(line):
            return said[1].decode()
        sys.stderr.buffer.write(line)
    raise SystemExit("Firefox has ended before it listened")


async def _relay(request: web.Request, address: str) -> web.WebSocketResponse:
    """Hands on what both sides say until one of them has nothing more to say."""
    driver = web.WebSocketResponse(max_msg_size=0)
    await driver.prepare(request)
    emulating = set[int]()
    async with ClientSession() as session, session.ws_connect(f"{address}/session", max_msg_size=0) as browser:

        async def ask() -> None:
            async for said in driver:
                if said.type == WSMsgType.TEXT:
                    asked = json.loads(said.data)
                    if asked["method"] == UNKNOWN:
                        emulating.add(asked["id"])
                    await browser.send_str(said.data)

        async def answer(said: str) -> None:
            told = json.loads(said)
            if told.get("error") == "unknown command" and told["id"] in emulating:
                said = json.dumps({"type": "success", "id": told["id"], "result": {}})
            await driver.send_str(said)

        asking = asyncio.create_task(ask())
        await _read(browser, answer)
        asking.cancel()
    return driver


async def _read(browser: ClientWebSocketResponse, answer: Callable[[str], Awaitable[None]]) -> None:
    async for said in browser:
        if said.type == WSMsgType.TEXT:
            await answer(said.data)


async def _main(arguments: list[str]) -> int:
    process = await asyncio.create_subprocess_exec(firefox(), *arguments, stderr=asyncio.subprocess.PIPE, limit=2**20)
    address = await _listen(process)
    app = web.Application()
    app.router.add_get("/session", lambda request: _relay(request, address))
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    sys.stderr.write(f"WebDriver BiDi listening on ws://{host}:{port}\n")  # what playwright waits for
    sys.stderr.flush()
    assert process.stderr is not None
    async for line in process.stderr:
        sys.stderr.buffer.write(line)
    return await process.wait()


if __name__ == "__main__":
    sys.exit(asyncio.run(_main(sys.argv[1:])))
