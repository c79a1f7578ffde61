"""The system's Chromium, one for all tests of a process: playwright cannot start twice in one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Playwright, sync_playwright

# The shell, without a window's trimmings, takes half the processor time.
CHROMIUM = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
# Without a sandbox Chromium can run as root, as in a container; the other flags keep it from calling home.
OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]


def chromium() -> str:
    """Returns the path of the system's Chromium. Skips the test if there is none; on CI that is a failure."""
    found = next((path for name in CHROMIUM if (path := shutil.which(name))), None)
    if found is None and os.environ.get("CI"):
        raise AssertionError("CI must have a Chromium: see .ci/run")
    if found is None:
        pytest.skip("no Chromium on this machine (Debian: apt-get install chromium-headless-shell, or chromium)")
    return found


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    """Yields what drives browsers."""
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """Yields a headless Chromium."""
    browser = playwright.chromium.launch(executable_path=chromium(), headless=True, args=OPTIONS)
    yield browser
    browser.close()
