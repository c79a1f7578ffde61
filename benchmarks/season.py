"""How long one sweep takes to close a season, and how many statements it sends.

    python -m benchmarks.season --entrants 10000
    python -m benchmarks.season --entrants 10000 --database postgresql://…/an_empty_one

It fills a database with a season that is due: this many players in divisions of eight, three matches each at tables of
four, of which every tenth is not over. Then one run of the sweep closes it: places and points, moves between divisions,
the next season with its entrants, and the mails. The number of statements must not depend on that of the players, so a
season of a hundred is closed first, in the same database; the exit status says whether both took as many.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import event, func, insert, select
from sqlmodel import SQLModel

from pbem.config import Config
from pbem.features.leagues.running import seasons
from pbem.features.leagues.running.pairing import division_sizes, pair_division
from pbem.features.leagues.tables import Entrant, League, Season, SeasonMatch
from pbem.features.leagues.terms import check_and_complete_terms, terms_as_json
from pbem.games import find_game
from pbem.models.engine import migrate
from pbem.models.results import Result
from pbem.models.tables import Match, OutboxRow, Player, table
from pbem.services.site import Site, open_site

NOW = datetime(2026, 3, 12, 12, tzinfo=UTC)
GAME, SEATS, DIVISION, MATCHES, UNFINISHED = "niigata", 4, 8, 3, 10
FEW = 100
SECRET = "a secret of more than 32 letters for benchmarks"  # noqa: S105  # of a database that is thrown away


def fill_season(site: Site, name: str, entrants: int) -> str:
    """Adds a running season that is due, with its results; returns its id."""
    game = find_game(GAME)
    assert game is not None
    terms = check_and_complete_terms(site, game, {"seats": SEATS, "division_size": DIVISION, "matches": MATCHES})
    season_id, begun = f"5ea{name}", NOW - timedelta(days=42)
    with site.writing() as work:
        connection = work.connection()

        def add(model: Any, rows: list[dict[str, Any]]) -> None:
            connection.execute(insert(table(model)), rows)

        highest = (connection.execute(select(func.max(table(one).c.id))).scalar() or 0 for one in (Player, Entrant))
        first = max(highest) + 1
        numbers = range(first, first + entrants)
        add(Player, [_player_row(number, begun) for number in numbers])
        add(League, [{"id": f"1ea{name}", "name": "A league", "game": GAME, "owner_id": first, "listed": False,
                      "terms": terms_as_json(terms), "created_at": begun}])  # fmt: skip
        add(Season, [{"id": season_id, "league_id": f"1ea{name}", "number": 1, "terms": terms_as_json(terms),
                      "status": "running", "starts_at": begun, "ends_at": NOW, "due_at": NOW,
                      "created_at": begun}])  # fmt: skip
        sizes = division_sizes(entrants, DIVISION, SEATS)
        placed = [division for division, size in enumerate(sizes, 1) for _ in range(size)]
        add(Entrant, [
            {"id": number, "season_id": season_id, "player_id": number, "name": f"P{number}", "status": "entered",
             "division": division, "at": begun}
            for number, division in zip(numbers, placed, strict=True)
        ])  # fmt: skip
        tables = list(_tables_of_season(first, sizes))
        ids = [f"{name}{at:x}" for at in range(len(tables))]
        over = [at % UNFINISHED != 0 for at in range(len(tables))]
        add(Match, [_match_row(one, begun, done) for one, done in zip(ids, over, strict=True)])
        add(SeasonMatch, [
            {"match_id": one, "season_id": season_id, "division": division, "round": number, "seats": json.dumps(seats)}
            for one, (division, number, seats) in zip(ids, tables, strict=True)
        ])  # fmt: skip
        add(Result, [
            {"match_id": one, "seat": seat, "game": GAME, "player_id": who, "place": seat + 1, "score": 9 - seat,
             "ended_at": NOW}
            for one, done, (_, _, seats) in zip(ids, over, tables, strict=True) if done
            for seat, who in enumerate(seats)
        ])  # fmt: skip
        if connection.dialect.name == "postgresql":  # its sequences do not notice ids that are given
            for known in ("players", "entrants"):
                highest_id = select(func.max(SQLModel.metadata.tables[known].c.id)).scalar_subquery()
                connection.execute(select(func.setval(func.pg_get_serial_sequence(known, "id"), highest_id)))
    return season_id


def _tables_of_season(first: int, sizes: tuple[int, ...]) -> Iterator[tuple[int, int, list[int]]]:
    for division, size in enumerate(sizes, 1):
        for number, seats in pair_division(size, SEATS, (2, 3, 4, 5, 6), MATCHES):
            yield division, number, [first + seat for seat in seats]
        first += size


def _player_row(number: int, at: datetime) -> dict[str, Any]:
    address = f"p{number}@example.org"
    return {
        "id": number, "address": address, "canonical": address, "language": "en", "zone": "Europe/Paris", "epoch": 0,
        "verified_at": at, "created_at": at,
    }  # fmt: skip


def _match_row(match_id: str, at: datetime, over: bool) -> dict[str, Any]:
    return {
        "id": match_id, "game": GAME, "options": "{}", "status": "over" if over else "running", "version": 0,
        "seed": bytes(32), "commitment": "0" * 64, "turn_s": 86_400, "window_s": 3600, "spectators": True,
        "created_at": at, "started_at": at, "ended_at": NOW if over else None, "tallied_at": NOW if over else None,
    }  # fmt: skip


@contextmanager
def counting_statements(site: Site) -> Iterator[list[int]]:
    """Counts the statements sent to the database; one with many rows counts once."""
    count = [0]

    def note(*_: object) -> None:
        count[0] += 1

    event.listen(site.engine, "before_cursor_execute", note)
    try:
        yield count
    finally:
        event.remove(site.engine, "before_cursor_execute", note)


def fill_and_close_season(site: Site, name: str, entrants: int) -> int:
    """Fills a season and closes it; prints what that took, and returns the number of statements."""
    season_id = fill_season(site, name, entrants)
    with counting_statements(site) as count:
        begun = time.perf_counter()
        seasons.sweep_seasons(site)
        took = time.perf_counter() - begun
    with site.reading() as session:
        season = session.get_one(Season, season_id)
        places = session.execute(
            select(func.count()).where(table(Entrant).c.season_id == season_id, table(Entrant).c.place.is_not(None))
        ).scalar()
        mails = session.execute(
            select(func.count()).where(table(OutboxRow).c.kind == "finish", table(OutboxRow).c.created_at == NOW)
        ).scalar()
    assert season.status == "closed", season.status
    assert places == entrants, f"{places} of {entrants} have a place"
    assert mails is not None
    assert mails >= entrants
    print(f"{entrants:>8} players: {took:7.2f} s, {count[0]} statements")  # noqa: T201
    return count[0]


def main() -> int:
    """Closes a season of few and one of many; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--entrants", type=int, default=10_000)
    parser.add_argument("--database", help="the URL of an empty one; SQLite in a temporary folder without it")
    told = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        url = told.database or f"sqlite:///{folder}/season.sqlite"
        config = Config(mode="embedded", data=Path(folder), database_url=url, secret=SECRET)
        migrate(url)
        site = open_site(config, now=lambda: NOW)
        few, many = fill_and_close_season(site, "a", FEW), fill_and_close_season(site, "b", told.entrants)
        site.engine.dispose()
    return 0 if few == many else 1


if __name__ == "__main__":
    sys.exit(main())
