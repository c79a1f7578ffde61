"""Databases with many matches, a tenth of them open: some are really played, then copied in SQL.

1. Prefixes of matches of all games are played, and whole matches, of which some are archived. They are the templates.
2. A new database gets their tables without any index. The templates stand in a schema beside them, and are copied.
3. It gets its indexes, its keys and its statistics.

A copy has an id of its own, so its seals and its later luck are those of no real match; all else is plausible: rows,
lengths, questions, deadlines over the next three days, matches that ended in the last two years. Rows of one match lie
far apart, as they do when many matches go on at once. A player sits in a dozen open matches.
"""

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import timedelta
from hashlib import md5

import psycopg

from benchmarks.service.machine import Machine
from benchmarks.service.matches import Answer, OpenMatch, create_match
from pbem.clock import now
from pbem.features.checkpoints.making import make_checkpoint_of_today
from pbem.games import all_games
from pbem.models.engine import migrate
from pbem.services.log import archiving
from pbem.services.results import tallying
from pbem.services.site import Site
from pbem.services.tokens import PlayClaim
from pbem.services.views import talk
from tests.harness.servers import postgres_programs

SHAPES, WHOLE = 10, 4
"""How many prefixes of each game are played, and how many whole matches; as many of these are archived."""
AHEAD = (4, 60)
MOST = 5000
ALL, LATELY = 10, 0.2
"""How many matches there are for each open one, and how many ended in the last week, so that their logs are rows."""
SAID = 3
"""How many messages are written in a match, on average; its first seat has a note."""
_SAYING = "Good luck to all of you. I shall be away on Sunday, so take your time; next week I am faster again."
EACH_PLAYER = 12
"""In how many open matches each player sits, on average."""
CHUNK = 20_000
SEATS = max(max(game.meta.seats) for game in all_games().values())
LOADING = {
    "fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "autovacuum": "off",
    "wal_level": "minimal", "max_wal_size": "8GB", "work_mem": "256MB", "maintenance_work_mem": "512MB",
    "jit": "off", "shared_buffers": "512MB",
}  # fmt: skip
"""The settings of a PostgreSQL in which only a load happens, which would be repeated after a crash."""

_COPIES = """
CREATE TEMPORARY TABLE copies AS
SELECT i, substr(md5(i::text), 1, 24) AS id, a.id AS like_id,
       now() - interval '1 hour' - ({since}) * interval '1 second' AS ended
FROM generate_series(%(first)s::int, %(last)s::int) i
JOIN shape.all a ON a.kind = '{kind}' AND a.nth = i %% (SELECT count(*) FROM shape.all WHERE kind = '{kind}')"""
_SINCE = {"open": "0", "lately": "i %% 590000", "archived": "691200 + i * 7919::bigint %% 60000000"}
"""How many seconds ago a match ended: within a week; before that, within two years."""
_PLAYERS = """
INSERT INTO players (address, canonical, language, zone, verified_at, epoch, created_at)
SELECT 'p' || i || '@example.org', 'p' || i || '@example.org', 'en', 'Europe/Paris', now(), 0, now()
FROM generate_series(1, %(players)s::int) i"""
_LATER = "now() + interval '12 hours' + (c.i %% 4301) * interval '1 minute'"
_PLAYER = "%(player)s + (c.i * 7 + {seat} * 13) %% %(players)s"
_CHANGED = {
    "matches": {"id": "c.id", "organiser_id": _PLAYER.format(seat=0)},
    "seats": {"player_id": _PLAYER.format(seat="t.seat")},
    "results": {"player_id": _PLAYER.format(seat="t.seat"), "ended_at": "c.ended"},
    "outbox": {
        "dedupe": "t.dedupe || c.id", "player_id": _PLAYER.format(seat="t.seat"),
        "created_at": "c.ended", "due_at": "c.ended", "done_at": "c.ended", "result": "'sent'",
    },
}  # fmt: skip
"""The columns that differ from the copied row's."""
_ASKED = {
    "deadline": _LATER, "acts_at": f"{_LATER} + interval '12 minutes'",
    "remind_at": f"{_LATER} - interval '30 minutes'", "mailed_at": "now()", "follow_at": "NULL",
}  # fmt: skip
"""Those of an open question; what is answered keeps its times."""
_ENDED = {"started_at": "c.ended - interval '30 days'", "ended_at": "c.ended", "tallied_at": "c.ended"}
_SCATTERED = {"entries": "t.n, c.i", "asks": "t.opened_n, c.i", "outbox": "t.id, c.i", "messages": "t.id, c.i"}
"""In which order rows come: that in which matches write them that go on side by side."""
_FEW = {
    "archived": {
        "outbox": "t.of_shape <= 12 AND c.ended > now() - interval '170 days'",
        **dict.fromkeys(("messages", "notes"), "c.ended > now() - interval '360 days'"),
    }
}
"""Which rows are copied: retention deletes older ones, and with all mails they would be half of the database."""
_SHAPE = """
CREATE TABLE shape.{table} AS SELECT *, row_number() OVER (PARTITION BY {key}) AS of_shape FROM {table}
WHERE {key} IN (SELECT id FROM shape.all)"""
_COPY = """
INSERT INTO {table} ({columns}) SELECT {values} FROM copies c JOIN shape.{table} t ON t.{key} = c.like_id
WHERE {which} ORDER BY {order}"""
_TABLES = """
SELECT c.table_name FROM information_schema.columns c JOIN pg_class ON pg_class.oid = c.table_name::regclass
WHERE c.table_schema = 'public' AND NOT relispartition AND
      (c.column_name = 'match_id' OR c.table_name = 'matches' AND c.column_name = 'id') ORDER BY 1"""
_COLUMNS = """
SELECT column_name FROM information_schema.columns WHERE table_schema = 'public' AND table_name = %s
       AND coalesce(column_default, '') NOT LIKE 'nextval%%' ORDER BY ordinal_position"""


@dataclass(frozen=True)
class Filled:
    """A database with this many open matches among ten times as many, and the first id of its players."""

    name: str
    size: int
    player: int
    players: int
    answers: tuple[Answer, ...]
    """The next answer of a copy: that of the number `i` is `answers[i % len(answers)]`."""
    used: int = 0
    """How many of its matches were played on by earlier runs."""

    def match(self, site: Site, i: int) -> OpenMatch:
        """Returns the copy with this number, from 0, and its next answer."""
        copied, said = md5(str(i).encode(), usedforsecurity=False).hexdigest()[:24], self.answers[i % len(self.answers)]
        return OpenMatch(copied, "", [site.tokens.sign(PlayClaim(copied, seat, 0)) for seat in range(SEATS)], [said])


@dataclass(frozen=True)
class Shapes:
    """A database with the played matches, to be copied, never opened, and the next answer of each open one."""

    name: str
    answers: tuple[Answer, ...]


def templates_of_games(machine: Machine) -> Shapes:
    """Returns prefixes and whole matches of all games."""
    name, luck = machine.database.create(name=f"shapes_{time.time_ns()}"), random.Random(18)
    migrate(machine.database.url(name))
    site = machine.site(name)
    slugs = [slug for slug in all_games() if slug != "endless"]

    def create(number: int, ahead: int) -> OpenMatch:
        slug = slugs[number % len(slugs)]
        seats = all_games()[slug].meta.seats
        match = create_match(site, slug, number, most=1, ahead=ahead, seats=seats[number // len(slugs) % len(seats)])
        for said in range(luck.randrange(2 * SAID + 1)):
            talk.post_message(site, PlayClaim(match.id, said % 2, 0), _SAYING[: luck.randrange(8, len(_SAYING))])
        talk.write_note(site, PlayClaim(match.id, 0, 0), _SAYING)
        return match

    made = [create(90_000 + number, luck.randrange(*AHEAD)) for number in range(SHAPES * len(slugs))]
    later = machine.site(name, now=lambda: now() + archiving.AFTER + timedelta(hours=1))
    for at in range(2):
        for number in range(WHOLE * len(slugs)):
            create(95_000 + 500 * at + number, MOST)
        tallying.tally_matches(site)
        if at == 0:  # the later ones stay rows
            while archiving.archive_matches(later):
                pass
    for one in (site, later):
        one.engine.dispose()
    with psycopg.connect(machine.libpq(name), autocommit=True) as connection:
        connection.execute("CREATE SCHEMA shape")
        connection.execute(
            "CREATE TABLE shape.all AS SELECT id, kind, row_number() OVER (PARTITION BY kind ORDER BY id) - 1 AS nth "
            "FROM (SELECT id, CASE WHEN status = 'running' THEN 'open' WHEN archived_at IS NULL THEN 'lately' "
            "ELSE 'archived' END AS kind FROM matches) m"
        )
        for (table,) in connection.execute(_TABLES).fetchall():
            connection.execute(_SHAPE.format(table=table, key="id" if table == "matches" else "match_id"))
        of_open = connection.execute("SELECT id FROM shape.all WHERE kind = 'open' ORDER BY nth").fetchall()
        connection.execute("TRUNCATE matches, players RESTART IDENTITY CASCADE")  # what refers to them, too
    next_of = {match.id: match.script[0] for match in made if match.script}
    return Shapes(name, tuple(next_of[one] for (one,) in of_open))


def find_filled(machine: Machine, size: int) -> Filled | None:
    """Returns the database with this many open matches, if an earlier run has left it, its tables up to date."""
    name = _name_of_database(size)
    with machine.database.connect("postgres") as connection:
        if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone() is None:
            return None
    with machine.database.connect(name) as connection:
        if connection.execute("SELECT to_regclass('filled')").fetchone() == (None,):
            raise RuntimeError(f"{name} was not filled to its end: remove the folder, and begin again")
        said = connection.execute("SELECT told FROM filled").fetchone()
    assert said is not None
    migrate(machine.database.url(name))
    told = json.loads(said[0])
    if told["used"] > size // 4:  # the smaller ones, which take no time to make
        machine.database.drop(name)
        return None
    _shift_times_to_now(machine, name)
    answers = tuple(Answer(**one | {"move": one["move"].encode()}) for one in told.pop("answers"))
    return Filled(**told, answers=answers)


_AGE = "(SELECT least(interval '7 days', now() - max(ended_at)) FROM matches WHERE archived_at IS NULL)"
_MOVED = """
UPDATE asks SET deadline = deadline + {age}, acts_at = acts_at + {age}, remind_at = remind_at + {age}
WHERE closed_at IS NULL;
UPDATE matches SET ended_at = ended_at + {age} WHERE status = 'over' AND archived_at IS NULL"""


def _shift_times_to_now(machine: Machine, name: str) -> None:
    """Moves deadlines and the ends of matches by the time since they were written, if that is long: nothing is due."""
    with machine.database.connect(name) as connection:
        if connection.execute(f"SELECT {_AGE} > interval '6 hours'").fetchone() == (True,):
            connection.execute(_MOVED.format(age=_AGE))
            connection.execute("VACUUM ANALYZE")


def note_used(machine: Machine, filled: Filled, used: int) -> None:
    """Notes in the database how many of its matches are played on, for the next run."""
    told = asdict(replace(filled, used=used))
    told["answers"] = [one | {"move": one["move"].decode()} for one in told["answers"]]
    with machine.database.connect(filled.name) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS filled (told text)")
        connection.execute("DELETE FROM filled")
        connection.execute("INSERT INTO filled VALUES (%s)", [json.dumps(told)])


def fill_database(machine: Machine, template: Shapes, size: int) -> Filled:
    """Returns a new database with copies of the template's matches, this many of them open."""
    name, players = machine.database.create(name=_name_of_database(size)), max(24, size * 3 // EACH_PLAYER)
    dump = machine.folder / "shapes.dump"
    _run_program(machine, "pg_dump", "--format=custom", f"--file={dump}", template.name)
    _run_program(machine, "pg_restore", "--section=pre-data", "--section=data", f"--dbname={name}", str(dump))
    with psycopg.connect(machine.libpq(name), autocommit=True) as connection:
        given = {"player": 1, "players": players}
        connection.execute(_PLAYERS, given)
        last, tables = 0, _tables_to_copy(connection)
        for kind, share in (("open", 1), ("lately", LATELY), ("archived", ALL - 1 - LATELY)):
            first, last = last, last + int(size * share)
            for at in range(first, last, CHUNK):
                _copy_templates(connection, kind, tables, given | {"first": at, "last": min(at + CHUNK, last) - 1})
            _print_progress(f"{name}: {last:,} matches")
        connection.execute("DROP SCHEMA shape CASCADE")
    _run_program(machine, "pg_restore", "--section=post-data", "--exclude-schema=shape", f"--dbname={name}", str(dump))
    _print_progress(f"{name}: indexes")
    site = machine.site(name)
    make_checkpoint_of_today(site)  # of all of them: those of the days that follow take what has changed
    site.engine.dispose()
    _print_progress(f"{name}: checkpoint")
    with psycopg.connect(machine.libpq(name), autocommit=True) as connection:
        connection.execute("VACUUM (FREEZE, ANALYZE)")
        filled = Filled(name, size, given["player"], players, template.answers)
        note_used(machine, filled, 0)
        connection.execute("CHECKPOINT")
        size_of = connection.execute("SELECT pg_database_size(current_database())").fetchone()
    os.sync()
    _print_progress(f"{name}: {size_of[0] / 1e9:.1f} GB" if size_of else name)
    return filled


def _tables_to_copy(connection: psycopg.Connection) -> dict[str, list[str]]:
    """Returns the tables with rows of the templates, and their columns that are not numbered by themselves."""
    return {
        table: [column for (column,) in connection.execute(_COLUMNS, [table]).fetchall()]
        for (table,) in connection.execute(_TABLES).fetchall()
        if connection.execute(f"SELECT 1 FROM shape.{table} LIMIT 1").fetchone()  # noqa: S608 - of our tables
    }


def _copy_templates(
    connection: psycopg.Connection, kind: str, tables: dict[str, list[str]], given: dict[str, int]
) -> None:
    """Copies templates of this kind to the matches with these numbers."""
    with connection.transaction():
        connection.execute(_COPIES.format(kind=kind, since=_SINCE[kind]), given)
        connection.execute("ANALYZE copies")
        for table, columns in tables.items():
            values = {column: f"t.{column}" for column in columns} | {"match_id": "c.id"} | _CHANGED.get(table, {})
            if table == "matches" and kind != "open":
                values |= _ENDED
            if table == "asks" and kind == "open":
                values |= {
                    column: f"CASE WHEN t.closed_at IS NULL THEN {value} ELSE t.{column} END"
                    for column, value in _ASKED.items()
                }
            statement = _COPY.format(
                table=table, columns=", ".join(columns), values=", ".join(values[one] for one in columns),
                key="id" if table == "matches" else "match_id", which=_FEW.get(kind, {}).get(table, "true"),
                order=_SCATTERED.get(table, "c.i"),
            )  # fmt: skip
            connection.execute(statement, given)
        connection.execute("DROP TABLE copies")


def _name_of_database(size: int) -> str:
    return f"open_{size}"


def _run_program(machine: Machine, program: str, *words: str) -> None:
    where = [f"--host={machine.database.folder}", "--username=postgres"]
    subprocess.run([str(postgres_programs() / program), *where, *words], check=True)


_start = time.monotonic()


def _print_progress(sentence: str) -> None:
    sys.stderr.write(f"{time.monotonic() - _start:5.0f} s: {sentence}\n")


def yield_databases(machine: Machine, sizes: Sequence[int]) -> Iterator[Filled]:
    """Yields a database of each size: an earlier run's, or a new one."""
    template = None
    for size in sizes:
        found = find_filled(machine, size)
        if found is None:
            template = template or templates_of_games(machine)
            found = fill_database(machine, template, size)
        yield found
