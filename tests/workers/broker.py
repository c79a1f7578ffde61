"""A broker that is killed and started again."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import redis

from tests.harness.servers import end_with, redis_binary
from tests.harness.waiting import wait_until

SECRET = "a secret of more than 32 letters for tests"


class Broker:
    """A Redis that can be killed and started again on the same socket."""

    def __init__(self, folder: Path) -> None:
        self.socket = folder / "sock"
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Its address for redis-py and the settings."""
        return f"unix://{self.socket}"

    def start(self) -> None:
        """Starts it and waits until it answers."""
        options = {"port": "0", "unixsocket": str(self.socket), "dir": str(self._folder), "save": ""}
        argv = [str(redis_binary()), *(part for name, value in options.items() for part in (f"--{name}", value))]
        parent = os.getpid()
        self._process = subprocess.Popen(
            argv,
            stdout=subprocess.DEVNULL,
            preexec_fn=lambda: end_with(parent, signal.SIGKILL),  # noqa: PLW1509 - calls into libc only
        )
        wait_until(self._answers, "Redis answers")

    def _answers(self) -> bool:
        try:
            with redis.Redis.from_url(self.url) as client:
                return bool(client.ping())
        except redis.ConnectionError:
            return False

    def kill(self) -> None:
        """Kills it as a crash would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
