"""How long it takes to tally finished matches: their results, the times of their answers, and ratings of everybody.

    python -m benchmarks.tallies [--matches 10000] [--players 2000] [--seats 4] [--answers 12] [--database sqlite]

Everybody wants ratings, which is the most work there can be. The statements are counted: there must not be one for each
match or player.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from sqlalchemy import event, func, insert, select
from sqlmodel import Session

from pbem.clock import now
from pbem.config import Config
from pbem.models.engine import migrate
from pbem.models.results import Rating, Result
from pbem.models.tables import AskRow, Match, Player, SeatRow, table
from pbem.services.results import tallying
from pbem.services.site import Site, open_site
from tests.harness import servers

SECRET = "Kq7wZt2mXc9LrV4bNs8HjP5dFg3YaU6e"  # noqa: S105 - of a site that lives for a minute
LOT = 1000


@contextmanager
def site_on(database: str) -> Iterator[Site]:
    """Opens a site on a new database of this kind."""
    with TemporaryDirectory() as folder:
        if database == "sqlite":
            yield _open_site(Path(folder), f"sqlite:///{folder}/pbem.sqlite")
            return
        with servers.durable_postgres(on_disk=True) as server:
            yield _open_site(Path(folder), server.url(server.create()))


def _open_site(folder: Path, url: str) -> Site:
    migrate(url)
    return open_site(Config(mode="embedded", data=folder, database_url=url, secret=SECRET))


def fill_site(site: Site, told: argparse.Namespace) -> None:
    """Adds the players, and finished matches of these, as many statements as there are lots."""
    luck, at = Random(7), now() - timedelta(days=30)
    with site.writing() as work:
        people = [
            {"id": n, "address": f"p{n}@example.org", "canonical": f"p{n}@example.org", "rated": True, "created_at": at}
            for n in range(1, told.players + 1)
        ]
        _insert_rows(work, Player, people)
    for start in range(0, told.matches, LOT):
        matches, seats, asks = [], [], []
        for n in range(start, min(start + LOT, told.matches)):
            match_id, ended = f"{luck.getrandbits(96):024x}", at + timedelta(minutes=n)
            matches.append(
                {
                    "id": match_id, "game": "hogen", "options": "{}", "status": "over", "version": 1, "seed": b"",
                    "commitment": "", "turn_s": 1, "window_s": 1, "created_at": at, "ended_at": ended,
                    "outcome": f'{{"reason":"found","winners":[{luck.randrange(told.seats)}]}}',
                }
            )  # fmt: skip
            for seat, player in enumerate(luck.sample(range(1, told.players + 1), told.seats)):
                seats.append(
                    {"match_id": match_id, "seat": seat, "player_id": player, "name": "P", "status": "accepted"}
                )
                asks += [_ask_row(match_id, seat, turn, at, luck) for turn in range(told.answers)]
        with site.writing() as work:
            for model, rows in ((Match, matches), (SeatRow, seats), (AskRow, asks)):
                _insert_rows(work, model, rows)


def _ask_row(match_id: str, seat: int, turn: int, at: Any, luck: Random) -> dict[str, Any]:
    key = f"t{turn}.s{seat}"
    opened = at + timedelta(hours=turn)
    return {
        "match_id": match_id, "key": key, "seat": seat, "turn": key, "kind": "act", "origin": key, "opened_at": opened,
        "opened_n": turn, "mailed_at": opened, "closed_at": opened + timedelta(seconds=luck.randrange(1, 90_000)),
        "closed_by": "seat",
    }  # fmt: skip


def _insert_rows(session: Session, model: Any, rows: list[dict[str, Any]]) -> None:
    if rows:
        session.connection().execute(insert(table(model)), rows)


def main() -> int:
    """Prints how long the sweep took, and fails if it sends a statement for each match or player."""
    parser = argparse.ArgumentParser(description="Tallies finished matches, and times it.")
    for name, usual in (("matches", 10_000), ("players", 2000), ("seats", 4), ("answers", 12)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    parser.add_argument("--database", choices=("postgresql", "sqlite"), default="postgresql")
    told = parser.parse_args()
    with site_on(told.database) as site:
        fill_site(site, told)
        sent = [0]
        event.listen(site.engine, "before_cursor_execute", lambda *_: sent.__setitem__(0, sent[0] + 1))
        start, cpu, done = time.perf_counter(), time.process_time(), 0
        while part := tallying.tally_matches(site):
            done += part
        took, busy = time.perf_counter() - start, time.process_time() - cpu
        with site.reading() as session:
            results = session.execute(select(func.count()).select_from(table(Result))).scalar_one()
            ratings = session.execute(select(func.count()).select_from(table(Rating))).scalar_one()
        site.engine.dispose()
    lots = -(-told.matches // tallying.AT_ONCE)
    sys.stdout.write(
        f"{told.database}: {done:,} matches, {results:,} results, {ratings:,} ratings in {took:.1f} s"
        f" ({took / done * 1e3:.2f} ms a match, {busy:.1f} s of CPU here), {sent[0]:,} statements in {lots} lots\n"
    )
    return 0 if done == told.matches and sent[0] <= 16 * (lots + 2) else 1


if __name__ == "__main__":
    sys.exit(main())
