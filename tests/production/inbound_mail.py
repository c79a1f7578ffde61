"""A mail server that hands mail to pbem, set up as the docs say."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.harness.waiting import SECONDS

ROOT = Path(__file__).parents[2]


@contextmanager
def taking_in(data: Path, settings: Mapping[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """Runs `pbem inbound` during the block; it must end in order."""
    known = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    known |= {"PBEM_MODE": "embedded", "PBEM_SECRET": "s" * 32, "PBEM_DATA": str(data)}
    running = subprocess.Popen([sys.executable, "-m", "pbem.cli", "inbound"], env={**known, **settings})
    try:
        yield running
        running.send_signal(signal.SIGTERM)
        assert running.wait(SECONDS) == 0
    finally:
        running.kill()
        running.wait(SECONDS)


def from_the_docs(language: str, beginning: str) -> str:
    """Returns the block of docs/hosting.md that begins so."""
    text = (ROOT / "docs" / "hosting.md").read_text()
    (found,) = [one for one in re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL) if one.startswith(beginning)]
    return str(found)


def does_socket_listen(path: str) -> bool:
    """True if somebody takes connections on this socket."""
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(path) == 0
