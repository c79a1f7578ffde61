"""Requests with retries: a request that is refused for now, or never answered, is sent again unchanged."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPException
from random import Random
from typing import Any
from urllib.parse import urlsplit

from tests.chaos.ledger import Ledger
from tests.production.topology import Answer, send_request


class Over(Exception):
    """The time to play is over."""


@dataclass
class Persistent:
    """A caller who asks again until they get a definite answer, at any of the web servers."""

    ports: tuple[int, ...]
    ledger: Ledger
    luck: Random
    stop: threading.Event

    def ask(
        self,
        url: str,
        body: Any = None,
        *,
        form: Mapping[str, str] | None = None,
        method: str | None = None,
        **headers: str,
    ) -> Answer:
        """Returns the first definite answer. Raises Over."""
        begun = time.monotonic()
        while True:
            answer = self._once(self._anywhere(url), body, form, method, headers)
            if answer is not None:
                self.ledger.took(time.monotonic() - begun)
                return answer
            self.pause(0.1, 0.7)

    def pause(self, least: float, most: float) -> None:
        """Waits. Raises Over when it is time to end."""
        if self.stop.wait(self.luck.uniform(least, most)):
            raise Over

    def _anywhere(self, url: str) -> str:
        parts = urlsplit(url)
        return parts._replace(netloc=f"127.0.0.1:{self.luck.choice(self.ports)}").geturl()

    def _once(
        self, url: str, body: Any, form: Mapping[str, str] | None, method: str | None, headers: Mapping[str, str]
    ) -> Answer | None:
        try:
            answer = send_request(url, body, form=form, method=method, **headers)
        except (OSError, HTTPException):
            self.ledger.count("requests never answered")
            return None
        if answer.status < 500 and answer.status != 429:
            return answer
        self.ledger.count(f"requests answered {answer.status}")
        route = urlsplit(url).path.split("/")[1:4:2]
        if answer.status != 503:
            self.ledger.complain(f"{answer.status} to /{'/…/'.join(route)}: {answer.text[:200]!r}")
        elif not any(name.lower() == "retry-after" for name in answer.headers):
            self.ledger.complain(f"503 without Retry-After to /{'/…/'.join(route)}")
        return None
