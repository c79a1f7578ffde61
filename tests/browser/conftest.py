"""The whole service as `pbem run` starts it, and for each module a house whose pages are served."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from pbem import create_app
from tests.docs.gallery import house, serve_pages
from tests.harness.waiting import SECONDS, wait_until
from tests.table import House

# A loaded machine is slow; what arrives early is not waited for.
expect.set_options(timeout=SECONDS * 1000)


def free_port() -> int:
    """A port on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def does_url_answer(url: str) -> bool:
    """Whether the address answers 200."""
    try:
        with urllib.request.urlopen(url, timeout=SECONDS) as response:
            return bool(response.status == 200)
    except OSError:
        return False


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a service started as a newcomer starts it, with only a port and a folder."""
    port, data = free_port(), tmp_path_factory.mktemp("var")
    url = f"http://127.0.0.1:{port}"
    environment = {**os.environ, "PORT": str(port), "PBEM_DATA": str(data), "PBEM_MODE": ""}
    log = (Path(data) / "output.txt").open("wb")
    argv = [sys.executable, "-m", "pbem.cli", "run"]
    process = subprocess.Popen(argv, env=environment, stdout=log, stderr=log, start_new_session=True)
    try:

        def up() -> bool:
            assert process.poll() is None, Path(log.name).read_text()
            return does_url_answer(f"{url}/healthz")

        wait_until(up, "the service answers")
        yield url
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(SECONDS)
        log.close()
    assert process.returncode == 0


@pytest.fixture(scope="module")
def home() -> Iterator[House]:
    """A house that serves its pages and keeps its mail in its own mailbox."""
    with house() as opened:
        yield opened


@pytest.fixture(scope="module")
def base(home: House) -> Iterator[str]:
    """The address of its pages."""
    with serve_pages(create_app(site=home.site)) as address:
        yield address
