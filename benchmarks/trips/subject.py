"""Counts the files, functions and hops of five trips through pbem: `python subject.py FOLDER`.

It runs with the pbem of any tree since 11c4cf5b, whose folder is in PYTHONPATH, so it uses nothing but entry points
that these trees have in common: settings, site, application, REST API, mails, and the sender's `drain`. The database
and the result, `counts.json`, are in FOLDER, which is empty before.

What is counted, of the calls that the calling thread makes during the trip:

* files: the files below `pbem` in which a function was called, those of the games and the workers included, and the
  templates, which Jinja compiles: their blocks and macros are functions.
* functions: the names called in these files, a name in a file once. So all lambdas of a file count as one function, and
  so do methods of one name in several classes, and all list comprehensions of a file where Python calls these, as it
  does before 3.12. The bodies of modules and classes are no functions, nor is other code made by a library, such as
  the `__init__` of a dataclass.
* hops: how often a function was called, or a generator resumed, in another file than the one before it. A call back
  into the file that the trip has come from is a hop, too, as is each piece of a page that a template hands to the one
  it extends; calls within a file, and of code outside pbem, are none.

Only counts of the same version of Python can be compared.
"""

from __future__ import annotations

import gc
import itertools
import json
import re
import sys
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from functools import partial
from html import unescape
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import FrameType
from typing import Any, Self, TypeVar

import pbem
from pbem.config import Config
from pbem.models.engine import migrate
from pbem.services.mail import sender
from pbem.services.site import open_site

T = TypeVar("T")
SEED_BYTES = 32
WAIT = timedelta(minutes=10)
"""After this, whatever waits for something is due."""
NAMES = ("Alice", "Bob", "Carol")
JSON = {"Accept": "application/json"}
SECRET = "a secret of more than 32 letters for benchmarks"  # noqa: S105  # of a database that is thrown away


class Calls:
    """Counts the calls of functions whose files are in a folder, as this module's docstring defines it."""

    def __init__(self, folder: Path) -> None:
        self._prefix = f"{folder}/"
        self._called: set[tuple[str, str]] = set()
        self._last = ""
        self.hops = 0

    @property
    def files(self) -> dict[str, int]:
        """The number of functions called in each file, by its path in the folder."""
        return dict(sorted(Counter(file for file, _ in self._called).items()))

    def during(self, trip: Callable[[], T]) -> T:
        """Makes the trip, and counts its calls in this thread; returns what it returns."""
        gc.collect()
        gc.disable()  # what a collection finalizes was no part of this trip
        sys.setprofile(self._note_call)
        try:
            return trip()
        finally:
            sys.setprofile(None)
            gc.enable()

    def _note_call(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(self._prefix):
            return
        if not code.co_flags & CO_OPTIMIZED:  # the body of a module or a class
            return
        file = code.co_filename.removeprefix(self._prefix)
        self._called.add((file, code.co_name))
        self.hops += bool(self._last) and file != self._last
        self._last = file


class Outgoing:
    """A transport that keeps the mails in memory."""

    def __init__(self) -> None:
        self._sent: list[tuple[str, bytes]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def send(self, mail: Any, to: str) -> None:
        """Keeps the mail."""
        self._sent.append((to, mail.raw))

    def links(self, page: str) -> dict[str, str]:
        """Returns the tokens of the links to this page in the mails since the last call, by address."""
        sent, self._sent = self._sent, []
        found = {}
        for to, raw in sent:
            message = message_from_bytes(raw, _class=EmailMessage, policy=default)
            text = message.get_body(("plain",))
            if text and (link := re.search(rf"/{page}/([\w.~-]+)", text.get_content())):
                found[to] = link[1]
        return found


class Service:
    """A site with an application, whose clock stands still but for a wait before each run of the outbox."""

    def __init__(self, folder: Path) -> None:
        url = f"sqlite:///{folder}/pbem.db"
        migrate(url)
        config = Config(mode="embedded", data=folder, database_url=url, secret=SECRET)
        self.at, self.mails, numbers = datetime(2026, 3, 12, 12, 4, tzinfo=UTC), Outgoing(), itertools.count(1)

        def entropy(length: int) -> bytes:
            """Returns one seed for all matches, so that they are alike, and other ids at each call."""
            return bytes(length) if length == SEED_BYTES else next(numbers).to_bytes(length, "big")

        self.site = open_site(config, now=lambda: self.at, entropy=entropy)
        self.client = pbem.create_app(site=self.site).test_client(use_cookies=False)

    def post(self, path: str, sent: object, token: str | None = None) -> Any:
        """Returns the REST API's answer to what is sent. Raises RuntimeError if it refuses."""
        return self._call_api("POST", path, token, json=sent)

    def read(self, path: str, token: str) -> Any:
        """Returns what the REST API has there. Raises RuntimeError if it refuses."""
        return self._call_api("GET", path, token)

    def _call_api(self, method: str, path: str, token: str | None, **more: Any) -> Any:
        headers = JSON | ({"Authorization": f"Bearer {token}"} if token else {})
        answer = self.client.open(f"/api/v1/{path}", method=method, headers=headers, **more)
        if answer.status_code >= 400:
            raise RuntimeError(f"{path}: {answer.text}")
        return answer.json

    def open(self, address: str) -> str:
        """Returns a seat's page at this address. Raises RuntimeError if it is not shown."""
        answer = self.client.get(address, headers={"Accept": "text/html"})
        if answer.status_code != 200:
            raise RuntimeError(f"a seat's page: {answer.status}")
        return answer.text

    def drain(self) -> int:
        """Returns the number of mails sent, of those that are due."""
        return sender.drain(self.site, lambda: self.mails)

    def wait_and_drain(self) -> None:
        """Sends what is due after a wait."""
        self.at += WAIT
        self.drain()

    def begin_match(self) -> tuple[str, dict[str, str]]:
        """Begins a match of Hogen with three people; returns its id, and the tokens of their play links in order."""
        people = [{"name": name, "email": f"{name.lower()}@example.org"} for name in NAMES]
        match_id = self.post("matches", {"game": "hogen", "seats": people})["id"]
        self.wait_and_drain()
        for token in self.mails.links("confirm").values():
            self.post(f"confirm/{token}", {})
        self.wait_and_drain()
        for token in self.mails.links("invitation").values():
            self.post(f"invitation/{token}/accept", {})
        self.wait_and_drain()
        return match_id, dict(sorted(self.mails.links("play").items()))


def count_calls(trip: Callable[[], T]) -> tuple[T, Calls]:
    """Makes the trip; returns what it returns, and its calls."""
    calls = Calls(Path(pbem.__file__).parent)
    return calls.during(trip), calls


def make_trips(service: Service) -> dict[str, Calls]:
    """Makes the trips in a new match; returns the calls of each by its name.

    All choose their ally. The pages are those of the last of them: opened first after the moves of the others, so that
    nothing of the match is kept; then again with nothing new; and again after a page with a step of a move, so that
    nothing but the board is drawn again, where a tree keeps it. The move is their choice, by the REST API, which begins
    the first turn; and then the mail about that turn is sent.

    Raises RuntimeError if the match does not go that way.
    """
    match_id, tokens = service.begin_match()
    if len(tokens) != len(NAMES):
        raise RuntimeError(f"of {len(NAMES)} players, {len(tokens)} have a play link")
    pages = {token: f"/play/{token}" for token in tokens.values()}
    for page in pages.values():
        service.open(page)
    for token, page in pages.items():
        _, moved = count_calls(partial(service.open, page))
        ask = service.read(f"matches/{match_id}/ask", token)
        answer = {"key": ask["ask"]["key"], "move": ask["legal"][0]["move"]}
        service.open(page)
        text, again = count_calls(partial(service.open, page))
        step = re.search(r'href="(/play/[^"]*\bpick=[^"]+)"', text)
        if step is None:
            raise RuntimeError("no step of a move can be touched")
        service.open(unescape(step[1]))
        _, drawn = count_calls(partial(service.open, page))
        _, move = count_calls(partial(service.post, f"matches/{match_id}/moves", answer, token))
    service.at += WAIT
    left, drain = count_calls(service.drain)
    if left != 1:
        raise RuntimeError(f"{left} mails in place of one left about the first turn")
    return {
        "a REST move": move,
        "a seat page": again,
        "a page with its board": drawn,
        "a page after a move": moved,
        "a drain of mails": drain,
    }


def main(folder: Path) -> None:
    """Makes the trips twice, in two matches that are alike, so that everything is warm; writes the second counts."""
    service = Service(folder)
    make_trips(service)
    counts = {name: {"files": calls.files, "hops": calls.hops} for name, calls in make_trips(service).items()}
    (folder / "counts.json").write_text(json.dumps(counts))
    service.site.engine.dispose()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
