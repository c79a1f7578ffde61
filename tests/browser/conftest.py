"""The whole service as `pbem run` starts it, and the system's Chromium."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

CHROMIUM = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
# Without a sandbox it also starts as root, as in a container; the rest keeps it from calling home.
OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
# A machine that does much else takes its time; what comes at once is not waited for.
expect.set_options(timeout=20_000)
START_S = 120


def chromium() -> str:
    """The path of the system's Chromium. Skips the test where there is none; on CI that is a failure."""
    found = next((path for name in CHROMIUM if (path := shutil.which(name))), None)
    if found is None and os.environ.get("CI"):
        raise AssertionError("CI must have a Chromium: see .ci/run")
    if found is None:
        pytest.skip("no Chromium on this machine (Debian: apt-get install chromium)")
    return found


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A headless Chromium."""
    path = chromium()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, headless=True, args=OPTIONS)
        yield browser
        browser.close()


def free_port() -> int:
    """A port nobody listens on just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def answers(url: str) -> bool:
    """Whether the address answers 200."""
    try:
        with urllib.request.urlopen(url, timeout=1) as response:
            return bool(response.status == 200)
    except OSError:
        return False


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a service started as a newcomer starts it, with nothing but a port and a folder."""
    port, data = free_port(), tmp_path_factory.mktemp("var")
    url = f"http://127.0.0.1:{port}"
    environment = {**os.environ, "PORT": str(port), "PBEM_DATA": str(data), "PBEM_MODE": ""}
    log = (Path(data) / "output.txt").open("wb")
    argv = [sys.executable, "-m", "pbem.cli", "run"]
    process = subprocess.Popen(argv, env=environment, stdout=log, stderr=log, start_new_session=True)
    try:
        end = time.monotonic() + START_S
        while not answers(f"{url}/healthz"):
            assert process.poll() is None, Path(log.name).read_text()
            assert time.monotonic() < end, "the service does not answer"
            time.sleep(0.1)
        yield url
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=60)
        log.close()
    assert process.returncode == 0
