"""The lines of docs/cup.md, typed by an organiser from outside, run a cup; its players answer their mails."""

from __future__ import annotations

import email
import email.policy
import json
import os
import re
import subprocess
import threading
import urllib.error
import urllib.request
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import service as service
from tests.docs.getting_started import BLOCK, SITE
from tests.harness.waiting import SECONDS, wait_until

PAGE = Path(__file__).parents[2] / "docs" / "cup.md"
MOST = 30
PLAYERS = ("bob", "carol", "dave", "fanny")


def commands_to_type() -> str:
    """Returns all lines to type, in order."""
    blocks = BLOCK.findall(PAGE.read_text())
    assert {language for language, _ in blocks} == {"sh"}
    return "".join(text for _, text in blocks)


def send_to_api(service: str, path: str, body: Any = None, token: str | None = None) -> Any:
    """Sends a request to the API; returns the answer."""
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
    data = json.dumps(body).encode() if body is not None else None
    with urllib.request.urlopen(urllib.request.Request(f"{service}/api/v1{path}", data, headers)) as answer:
        return json.load(answer)


def tokens_in_mails(service: str, who: str, kind: str) -> list[str]:
    """Returns the tokens of this kind in somebody's mails, the newest first."""
    found = []
    with urllib.request.urlopen(f"{service}/mailbox.json?to={who}%40example.org") as listed:
        mails = json.load(listed)
    for mail in mails:
        with urllib.request.urlopen(f"{service}/mailbox/{mail['id']}.eml") as raw:
            body = email.message_from_bytes(raw.read(), policy=email.policy.default).get_body(("plain",))
        assert body is not None
        found += re.findall(rf"/{kind}/([^/\s?#]+)", body.get_content())
    return found


def wait_for(service: str, who: str, kind: str) -> str:
    """Returns the newest token of this kind, once there is one."""
    wait_until(lambda: bool(tokens_in_mails(service, who, kind)), f"{who} has a mail with a link to {kind}")
    return tokens_in_mails(service, who, kind)[0]


def organisers_token(service: str) -> str:
    """Returns a token of Alice's that may read and create: she started a match once, and asked for her links."""
    seats = [{"name": "Alice", "email": "alice@example.org"}, {"bot": "random"}]
    send_to_api(service, "/matches", {"game": "allegeance", "seats": seats, "language": "en"})
    send_to_api(
        service, f"/confirm/{wait_for(service, 'alice', 'confirm')}", {"language": "en", "zone": "Europe/London"}
    )
    urllib.request.urlopen(f"{service}/links", b"address=alice%40example.org").close()
    account = wait_for(service, "alice", "account")
    wanted = {"name": "cup", "scopes": ["read", "create"], "days": 1}
    return str(send_to_api(service, "/me/tokens", wanted, account)["token"])


class Players(threading.Thread):
    """The four who are invited: each enters with one press; at each table one of them resigns, in turn."""

    def __init__(self, service: str, folder: Path) -> None:
        super().__init__(daemon=True)
        self.service, self.folder = service, folder
        self.over: dict[str, str] = {}
        """Who has resigned, by match."""

    def run(self) -> None:
        """Enters, and plays the semifinals and the finals as they come."""
        for who in PLAYERS:
            send_to_api(self.service, f"/entry/{wait_for(self.service, who, 'entry')}/accept", {})
        for name in ("semifinals.json", "finals.json"):
            wait_until(partial(self.has_made, name), f"the organiser has written {name}")
            for match_id in self.matches(name):
                wait_until(partial(self.resign, match_id), f"somebody resigns from {match_id}")

    def matches(self, name: str) -> list[str]:
        """Returns the ids in a file of the organiser's; none before it is written."""
        try:
            return [one["id"] for one in json.loads((self.folder / name).read_text())["matches"]]
        except (OSError, ValueError):
            return []

    def has_made(self, name: str) -> bool:
        """Returns whether the organiser has made these matches."""
        return bool(self.matches(name))

    def resign(self, match_id: str) -> bool:
        """Has the last of the four resign who has a link to this match; returns whether somebody had one."""
        for who in reversed(PLAYERS):
            for token in dict.fromkeys(tokens_in_mails(self.service, who, "play")):
                try:
                    send_to_api(self.service, f"/matches/{match_id}/resign", {}, token)
                except urllib.error.HTTPError as refused:
                    if refused.code != 403:  # 403: the link leads to another match
                        raise
                else:
                    self.over[match_id] = who
                    return True
        return False


def test_the_example_of_the_cup_page_has_no_more_lines_than_promised() -> None:
    lines = [line for line in commands_to_type().splitlines() if line.strip()]
    assert len(lines) <= MOST
    assert commands_to_type().count(SITE) == 1


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_typing_the_commands_of_the_cup_page_runs_a_cup(service: str, tmp_path: Path) -> None:
    lines = "set -euo pipefail\n" + commands_to_type().replace(SITE, service)
    players = Players(service, tmp_path)
    players.start()
    environment = {**os.environ, "TOKEN": organisers_token(service)}
    typed = subprocess.run(
        ["bash", "-c", lines], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=900, check=False
    )
    assert typed.returncode == 0, typed.stdout + typed.stderr
    players.join(SECONDS)
    assert len(players.over) == 4
    season = json.loads((tmp_path / "season.json").read_text())
    assert (season["status"], season["results"], season["entered"]) == ("closed", 4, 4)
    standings = season["divisions"][0]["standings"]
    assert [(one["place"], one["points"]) for one in standings] == [(1, 2.0), (2, 1.0), (2, 1.0), (4, 0.0)] or [
        (one["place"], one["points"]) for one in standings
    ] == [(1, 2.0), (2, 1.0), (3, 1.0), (4, 0.0)]
    assert standings[0]["name"].lower() not in players.over.values()
    assert typed.stdout.splitlines() == [f"{one['place']}. {one['name']}" for one in standings]
