"""Databases with many open matches: some prefixes of matches of all games are really played, then copied in SQL.

A copy has an id of its own, so its seals and its later luck are those of no real match; all else is plausible: rows,
lengths, questions, deadlines over the next three days. A player sits in a dozen of them.
"""

import random
from dataclasses import dataclass
from hashlib import md5

import psycopg

from benchmarks.service.machine import Machine
from benchmarks.service.matches import Answer, OpenMatch, create_match
from pbem.games import all_games
from pbem.services.site import Site
from pbem.services.tokens import PlayClaim

SHAPES = 10
"""How many prefixes of each game are played."""
AHEAD = (4, 60)
EACH_PLAYER = 12
"""In how many matches each player sits, on average."""
CHUNK = 20_000
SEATS = max(max(game.meta.seats) for game in all_games().values())

_COPIES = """
CREATE TEMPORARY TABLE copies AS
SELECT i, substr(md5(i::text), 1, 24) AS id, shapes.id AS like_id
FROM generate_series(%(first)s::int, %(last)s::int) i JOIN shapes ON shapes.nth = i %% (SELECT count(*) FROM shapes)"""
_PLAYERS = """
INSERT INTO players (address, canonical, language, zone, verified_at, epoch, created_at)
SELECT 'p' || i || '@example.org', 'p' || i || '@example.org', 'en', 'Europe/Paris', now(), 0, now()
FROM generate_series(%(first)s::int, %(last)s::int) i"""
_LATER = "interval '1 hour' + (c.i %% 4301) * interval '1 minute'"
_CHANGED = {
    "matches": {"id": "c.id", "organiser_id": "NULL"},
    "seats": {"player_id": "%(player)s + (c.i * 7 + t.seat * 13) %% %(players)s"},
    "entries": {},
    "snapshots": {},
    "asks": {
        "deadline": f"now() + {_LATER}", "acts_at": f"now() + {_LATER} + interval '12 minutes'",
        "remind_at": f"now() + {_LATER} - interval '30 minutes'", "mailed_at": "now()",
    },
    "outbox": {"id": "nextval('outbox_id_seq')", "dedupe": "t.dedupe || c.id", "player_id": "NULL",
               "done_at": "now()", "result": "'sent'"},
}  # fmt: skip
"""The tables that are copied, and the columns that differ from the copied row's."""


@dataclass(frozen=True)
class Filled:
    """A database with this many open matches, and the first id of its many players."""

    name: str
    size: int
    player: int
    players: int
    answers: tuple[Answer, ...]
    """The next answer of a copy: that of the number `i` is `answers[i % len(answers)]`."""

    def match(self, site: Site, i: int) -> OpenMatch:
        """Returns the copy with this number, from 0, and its next answer."""
        copied, said = md5(str(i).encode(), usedforsecurity=False).hexdigest()[:24], self.answers[i % len(self.answers)]
        return OpenMatch(copied, "", [site.tokens.sign(PlayClaim(copied, seat, 0)) for seat in range(SEATS)], [said])


@dataclass(frozen=True)
class Shapes:
    """A database with the played prefixes, to be copied, never opened, and the next answer of each."""

    name: str
    answers: tuple[Answer, ...]


def shapes(machine: Machine) -> Shapes:
    """Returns prefixes of all games."""
    name, luck = machine.empty(), random.Random(18)
    site = machine.site(name)
    slugs = [slug for slug in all_games() if slug != "endless"]
    made = [create_match(site, slugs[number % len(slugs)], 90_000 + number, most=1, ahead=luck.randrange(*AHEAD))
            for number in range(SHAPES * len(slugs))]  # fmt: skip
    site.engine.dispose()
    with psycopg.connect(machine.libpq(name), autocommit=True) as connection:
        connection.execute(
            "CREATE TABLE shapes AS SELECT id, row_number() OVER (ORDER BY id) - 1 AS nth FROM matches"
            " WHERE status = 'running'"
        )
        running = [str(row[0]) for row in connection.execute("SELECT id FROM shapes ORDER BY nth")]
    machine.database.freeze(name)
    next_of = {match.id: match.script[0] for match in made if match.script}
    return Shapes(name, tuple(next_of[one] for one in running))


def fill(machine: Machine, template: Shapes, size: int) -> Filled:
    """Returns a database like the template, with copies of its matches until there are this many."""
    name, players = machine.database.create(template.name), max(24, size * 3 // EACH_PLAYER)
    with psycopg.connect(machine.libpq(name), autocommit=True) as connection:
        connection.execute("SET synchronous_commit = off")
        row = connection.execute("SELECT coalesce(max(id), 0) + 1 FROM players").fetchone()
        assert row is not None
        player = int(row[0])
        connection.execute(_PLAYERS, {"first": 1, "last": players})
        for first in range(0, size, CHUNK):
            _copy(connection, first, min(first + CHUNK, size) - 1, {"player": player, "players": players})
        connection.execute("VACUUM ANALYZE")
        connection.execute("CHECKPOINT")
    return Filled(name, size, player, players, template.answers)


def _copy(connection: psycopg.Connection, first: int, last: int, given: dict[str, int]) -> None:
    """Copies the matches with these numbers."""
    with connection.transaction():
        connection.execute(_COPIES, {"first": first, "last": last})
        connection.execute("ANALYZE copies")
        for table, changed in _CHANGED.items():
            columns = [row[0] for row in connection.execute(
                "SELECT column_name FROM information_schema.columns WHERE table_name = %s ORDER BY ordinal_position",
                [table],
            )]  # fmt: skip
            values = {column: f"t.{column}" for column in columns} | {"match_id": "c.id"} | changed
            if table == "asks":  # what is answered keeps its times
                values |= {
                    column: f"CASE WHEN t.closed_at IS NULL THEN {value} ELSE t.{column} END"
                    for column, value in changed.items()
                }
            chosen = ", ".join(values[column] for column in columns)
            key = "id" if table == "matches" else "match_id"
            connection.execute(
                f"INSERT INTO {table} ({', '.join(columns)}) SELECT {chosen}"  # noqa: S608  # names of this module
                f" FROM copies c JOIN {table} t ON t.{key} = c.like_id",
                given,
            )
        connection.execute("DROP TABLE copies")
