"""Every endpoint of the API against every kind of caller: the answer, and that a refusal changes nothing."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from pbem.models.tables import Match
from pbem.services.access import access_tokens
from pbem.services.players import players
from pbem.services.site import Cache
from tests.api.cast import NOON, Api, Entropy, Table, open_site_of
from tests.api.surface import COLUMNS, Row, Scene, all_rows
from tests.harness.cases import cases
from tests.harness.rows import every_row
from tests.harness.servers import copy_sqlite
from tests.table import MovedClock

ROWS = all_rows()


@dataclass
class World:
    """Three matches on a database that is put back before each request: an open one, a private one, Dave's."""

    api: Api
    path: Path
    ids: dict[str, str]
    tokens: dict[str, str]
    changed: bool = True
    """Whether a request may have changed the database since it was restored."""
    watcher: sqlite3.Connection | None = None
    version: int = 0
    """What SQLite counts for the watcher: another number once somebody else has committed anything."""
    seen: Any = None
    """Every row at that version."""
    first: Any = None
    """Every row as it is restored."""

    def reset(self) -> None:
        """Restores the database if it may have changed; keeps the engine, which has its statements compiled."""
        if not self.changed:
            return
        self.changed = False
        self.close()
        for tail in ("-wal", "-shm"):
            self.path.with_name(self.path.name + tail).unlink(missing_ok=True)
        shutil.copy(self.path.with_suffix(".first"), self.path)
        self.api.move_to(replace(self.api.site, heads=Cache(), seen=Cache()))
        self.watcher = sqlite3.connect(self.path)
        self.version = self.commits()
        self.first = self.first or self.rows()
        self.seen = self.first

    def close(self) -> None:
        """Lets go of the database."""
        self.api.site.engine.dispose()
        if self.watcher is not None:
            self.watcher.close()

    def scene(self, row: Row, column: str) -> Scene:
        """What the row may look up."""
        return Scene(self.api, Table(self.api, self.ids[row.table]), self.ids["elsewhere"], column)

    def token(self, row: Row, column: str) -> str | None:
        """The token of this kind of caller; a seat's is that of the row's table."""
        seats = {"own seat": (row.table, 0), "other seat": (row.table, 1), "seat elsewhere": ("elsewhere", 0)}
        if column in seats:
            table, seat = seats[column]
            return self.api.token("play", self.ids[table], seat)
        return self.tokens.get(f"without {row.needs}" if column == "wrong scope" else column)

    def commits(self) -> int:
        """A number that stays the same as long as nothing is committed."""
        assert self.watcher is not None
        return int(self.watcher.execute("PRAGMA data_version").fetchone()[0])

    def trace(self) -> Any:
        """Every row of every table; they are read again only after a commit."""
        if (version := self.commits()) != self.version:
            self.version, self.seen = version, self.rows()
        return self.seen

    def rows(self) -> Any:
        """Every row of every table, except the time at which a token was last used."""
        told = every_row(self.api.site.engine)
        for token in told["personal_tokens"]:
            del token["used_at"]
        return told


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory, sqlite_migrated: Path) -> Iterator[World]:
    """The world as it is before each request."""
    path = tmp_path_factory.mktemp("callers") / "pbem.db"
    clock = MovedClock(NOON)
    copy_sqlite(sqlite_migrated, path)
    api = Api(open_site_of(path.parent, clock, Entropy()))
    ids = {name: api.start(spectators=name == "open") for name in ("open", "private")}
    ids["elsewhere"] = api.start(("Dave", "Bob", "Carol"))
    made = World(api, path, ids, tokens_of(api, clock))
    api.site.engine.dispose()
    shutil.copy(path, path.with_suffix(".first"))
    yield made
    made.close()


def tokens_of(api: Api, clock: MovedClock) -> dict[str, str]:
    """The tokens of players, by kind of caller."""
    alice, dave = player_of(api, "alice"), player_of(api, "dave")
    every = access_tokens.SCOPES
    clock.at = NOON - timedelta(days=2)
    found = {"expired account": api.site.tokens.for_account(alice, 0, clock.at)}
    found["expired PAT"] = token_of(api, alice, "expired", every, 1)
    clock.at = NOON
    found["account"] = api.site.tokens.for_account(alice, 0, clock.at)
    found["own PAT"] = token_of(api, alice, "own", every)
    found["other PAT"] = token_of(api, dave, "own", every)
    found["revoked PAT"] = token_of(api, alice, "revoked", every)
    (revoked,) = (one for one in access_tokens.list_active_tokens(api.site, alice) if one.name == "revoked")
    access_tokens.revoke_token(api.site, alice, revoked.id)
    for lacking in every:
        others = tuple(scope for scope in every if scope != lacking)
        found[f"without {lacking}"] = token_of(api, alice, f"without {lacking}", others)
    return {**found, "garbage": "not.a.real.token"}


def player_of(api: Api, name: str) -> int:
    with api.site.reading() as session:
        player = players.player_by_address(session, f"{name}@example.org")
    assert player is not None
    assert player.id is not None
    return player.id


def token_of(api: Api, player: int, name: str, scopes: tuple[str, ...], days: int | None = None) -> str:
    _, token = access_tokens.create_token(api.site, player, name, scopes, days)
    assert token is not None
    return token


def answer_to_caller(world: World, row: Row, column: str) -> tuple[TestResponse, Any]:
    """Returns the answer to this caller, and all rows as they were before the request."""
    scene = world.scene(row, column)
    path = row.rule.replace("{match_id}", scene.table.id)
    for name, value in row.values.items():
        path = path.replace(f"{{{name}}}", str(value(scene) if callable(value) else value))
    body = row.body(scene) if callable(row.body) else row.body
    token = world.token(row, column)
    headers = {**row.headers, **({"Authorization": f"Bearer {token}"} if token else {})}
    before = world.trace()
    world.changed = True
    client = world.api.app.test_client()
    return client.open(path, method=row.method, json=body, headers=headers), before


def name_of(row: Row) -> str:
    return f"{row.method} {row.rule.removeprefix('/api/v1')} {row.table}"


@pytest.mark.long
def test_every_endpoint_has_a_row_in_the_table_of_callers(world: World) -> None:
    there = {(row.method, row.rule, row.table) for row in ROWS}
    assert len(there) == len(ROWS), "a row twice"
    found = endpoints(world.api.app)
    assert sorted(found - there) == []
    assert sorted(there - found) == []


def endpoints(app: Flask) -> set[tuple[str, str, str]]:
    """Every method of every address of the API, those of a match at both kinds of tables; without former addresses."""
    found = set()
    for rule in app.url_map.iter_rules():
        if not rule.rule.startswith("/api/") or rule.endpoint.endswith("_before"):
            continue
        address = Row("GET", rule.rule, {}).rule
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}:
            found |= {
                (method, address, kind) for kind in (("open", "private") if "{match_id}" in address else ("open",))
            }
    return found


@cases("row", ROWS)
def test_every_row_of_the_table_of_callers_has_a_status_for_each(row: Row) -> None:
    assert set(row.expect) == set(COLUMNS)


@pytest.mark.long
def test_the_openapi_documents_tokens_agree_with_the_table_of_callers(world: World) -> None:
    paths = json.loads(world.api.app.test_client().get("/api/v1/openapi.json").data)["paths"]
    for row in ROWS:
        if row.rule not in paths:  # the document itself
            continue
        ways = paths[row.rule][row.method.lower()]["security"] or [{}]
        scopes = [way["token"] for way in ways if "token" in way]
        by_token = row.expect["wrong scope"] == 403 and row.expect["own PAT"] < 400
        assert scopes == ([[row.needs, *row.also]] if by_token else []), row
        assert ({"account": []} in ways) == (row.expect["account"] < 400 and row.expect["garbage"] == 401), row
        assert ({"seat": []} in ways) == (row.expect["own seat"] < 400 and row.expect["garbage"] == 401), row
        assert row.table == "private" or ({} in ways) == (row.expect["nobody"] < 400), row


FEW = ("nobody", "own seat", "own PAT", "garbage")
"""Callers of an endpoint that reads no token, whose every request needs something made for it alone."""


def rows_with_callers() -> Iterator[Any]:
    """Every row with its callers.

    For the long run are a seat's endpoints at the private table, where they answer the same, and all callers of those
    endpoints that need only a few.
    """
    at_open_table = {(row.method, row.rule): row.expect for row in ROWS if row.table == "open"}
    for row in ROWS:
        twin = row.table == "private" and at_open_table.get((row.method, row.rule)) == row.expect
        few = row.is_staged and len(set(row.expect.values())) == 1
        if few:
            yield pytest.param(row, FEW, id=name_of(row), marks=pytest.mark.long if twin else ())
        marks = pytest.mark.long if few or twin else ()
        yield pytest.param(row, COLUMNS, id=f"{name_of(row)} all" if few else name_of(row), marks=marks)


@pytest.mark.sample(24)
@pytest.mark.parametrize(("row", "columns"), list(rows_with_callers()))
def test_callers_get_the_status_of_the_table_and_refusals_write_nothing(
    world: World, row: Row, columns: Sequence[str]
) -> None:
    answered = {}
    for column in columns:
        world.reset()
        answer, before = answer_to_caller(world, row, column)
        answered[column] = answer.status_code
        if answer.status_code >= 400 or row.method == "GET":
            assert world.trace() == before, column
            world.changed = row.is_staged
        if answer.status_code >= 400:
            problem_of(answer, row, column)
        answer.close()  # what is streamed would go on
    assert answered == {column: row.expect[column] for column in columns}


def problem_of(answer: TestResponse, row: Row, column: str) -> None:
    """A refusal is a problem with its code; a refusal for lack of a scope names the scope."""
    told = json.loads(answer.data)
    assert answer.mimetype == "application/problem+json"
    if answer.status_code == 401:
        assert told["code"] == "unauthorized"
        assert answer.headers["WWW-Authenticate"].startswith('Bearer realm="pbem"')
        assert told.get("reason") == {"revoked PAT": "revoked", "expired PAT": "expired"}.get(column)
    if column == "wrong scope":
        assert told["code"] == "insufficient_scope"
        assert told["needs"] == ("account" if row.expect["own PAT"] == 403 else row.needs)


def test_a_wrong_row_in_the_table_of_callers_fails_the_check(world: World) -> None:
    """Tests the test: a row that promises too much or too little fails."""
    (row,) = (row for row in ROWS if (row.method, row.rule) == ("GET", "/api/v1/me/tokens"))
    wrong = replace(row, expect={**row.expect, "nobody": 200})
    with pytest.raises(AssertionError, match="nobody"):
        test_callers_get_the_status_of_the_table_and_refusals_write_nothing(world, wrong, COLUMNS)


def test_the_database_trace_of_these_tests_notices_a_change(world: World) -> None:
    world.reset()
    before = world.trace()
    world.changed = True
    with world.api.site.writing() as session:
        session.get_one(Match, world.ids["open"]).turn_s += 1
    assert world.trace() != before
