"""The service as `make run` starts it, with matches in it, and the addresses of the pages that are measured."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import func, select

from benchmarks.service.machine import ROOT, free_port, run_child
from benchmarks.service.matches import OpenMatch, create_match, script_of
from pbem.config import Config
from pbem.games import all_games
from pbem.models.tables import OutboxRow, SeatRow, table
from pbem.services.play import moves
from pbem.services.site import Site, open_site
from pbem.services.tokens import PlayClaim

START_S = 60.0
MAILS_S = 300.0
AHEAD = 24
"""How many moves are played before a page is measured."""
LONGEST = 10_000
"""More moves than any match has."""
PAGES = ("home", "player", "new", *sorted(all_games()), "after", "replay", "ended", "rules")
"""Home of a newcomer, of a player; the form; a seat of each game with the most seats; the page after a move; …"""


@dataclass(frozen=True)
class Served:
    """A running service: its address, and the path of each page by its name."""

    url: str
    paths: Mapping[str, str]
    account: str
    """The path of a link that signs a player in."""


@contextmanager
def serve_positions() -> Iterator[Served]:
    """Runs the service on an empty folder while the block runs, with matches played to real positions."""
    with TemporaryDirectory(prefix="pbem-pages-") as folder:
        port, log = free_port(), Path(folder) / "run.log"
        known = {name: value for name, value in os.environ.items() if not name.startswith("PBEM_")}
        environ = known | {"PORT": str(port), "PBEM_DATA": str(Path(folder) / "var"), "PYTHONPATH": str(ROOT)}
        with run_child([sys.executable, "-m", "pbem.cli", "run"], environ, log) as launcher:
            end = time.monotonic() + START_S
            while not _does_port_answer(port):
                if launcher.poll() is not None or time.monotonic() > end:
                    raise RuntimeError(log.read_text())
                time.sleep(0.05)
            site = open_site(Config.from_env(environ, "embedded"))
            try:
                paths, account = _play_to_positions(site)
                _await_mails(site)
            finally:
                site.engine.dispose()
            yield Served(f"http://127.0.0.1:{port}", paths, account)


def _does_port_answer(port: int) -> bool:
    connection = HTTPConnection("127.0.0.1", port, timeout=2)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def _play_to_positions(site: Site) -> tuple[dict[str, str], str]:
    """Plays the matches; returns the paths of the pages, and the link that signs in the player whom all of them ask."""
    paths = {"home": "/", "player": "/", "new": "/new?game=niigata", "rules": "/rules/hexen-rennen"}
    player: int | None = None
    for number, slug in enumerate(sorted(all_games()), 1):
        match, seat, player = _create_match_at(site, slug, number * 100, player)
        paths[slug] = f"/play/{match.tokens[seat]}"
    match, seat, player = _create_match_at(site, "hogen", 1000, player)
    paths["replay"] = f"/play/{match.tokens[seat]}/replay"
    match, seat, player = _create_match_at(site, "allegeance", 2000, player)
    said = match.script[0]
    moves.play_answer(site, site.tokens.read(PlayClaim, match.tokens[seat]), said.key, json.loads(said.move), "web")
    paths["after"] = f"/play/{match.tokens[seat]}?done=1"
    paths["ended"] = f"/play/{create_match(site, 'hexen-rennen', 3000, ahead=LONGEST, most=0).tokens[0]}"
    return paths, f"/account/{site.tokens.for_account(player, 0, site.now())}"


def _create_match_at(site: Site, slug: str, number: int, player: int | None) -> tuple[OpenMatch, int, int]:
    """Creates a match with the most seats that goes on; returns it, the seat that is asked, and its player.

    The player is this one, or a new one. The number is that of the first match to try.
    """
    game = all_games()[slug]
    seats = max(game.meta.seats)
    while len(plan := script_of(game, seats, number, AHEAD + 1)) <= AHEAD:
        number += 1
    seat = plan[AHEAD].seat
    match = create_match(
        site, slug, number, seats=seats, most=1, ahead=AHEAD, players={} if player is None else {seat: player}
    )
    with site.reading() as session:
        found = session.get_one(SeatRow, (match.id, seat)).player_id
    assert found is not None
    return match, seat, found


def _await_mails(site: Site) -> None:
    """Waits until the mails about these matches are written: their pictures take the processor."""
    end, outbox = time.monotonic() + MAILS_S, table(OutboxRow)
    while time.monotonic() < end:
        with site.reading() as session:
            if not session.execute(select(func.count()).where(outbox.c.done_at.is_(None))).scalar_one():
                return
        time.sleep(0.2)
    raise RuntimeError("the mails about the matches are never written")
