"""Erasing a player while they play and are invited: in any order, nothing is left half done."""

from __future__ import annotations

import itertools
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete, select, update

from pbem.errors import Busy, Problem
from pbem.features.inbox import forgetting
from pbem.features.inbox.incoming import message
from pbem.features.inbox.incoming.message import read_message
from pbem.features.inbox.tables import InboxRow
from pbem.models.tables import Player, SeatRow, table
from pbem.services.privacy import erasure
from tests.harness.interleaving import Choice, at_random, every_order, in_order, interleave_jobs
from tests.harness.servers import PostgresServer, copy_sqlite
from tests.harness.waiting import SECONDS
from tests.services.letterbox import player_of
from tests.table import House, open_house, submit_answer

OUTCOMES = {
    "played": "play play create" + 10 * " erase",
    "unauthorized": "play create" + 5 * " erase" + " play" + 5 * " erase",
    "gone": "create" + 5 * " erase" + " play play" + 5 * " erase",
}
"""What becomes of the move, and an order of transactions that leads there.

The player's client looks up its link and answers. The erasing looks the player up, looks for mails that name them,
lists their matches, leaves each match, lists the matches in which others have taken their seats over, leaves their
circles and leagues, lists these matches again and deletes their pictures, and forgets the rest; an invitation that came
in between makes it begin again. A link that was looked up before the match was left, and is used afterwards, has ended:
"unauthorized".
"""


class Leaving:
    """Bob plays, is invited to another match and is erased, all at once."""

    def __init__(self, house: House) -> None:
        self.house, self.match_id = house, house.begin()
        house.drain()
        self.number = player_of(house, "Bob").id or 0
        view = house.view(self.match_id, 1)
        assert view.ask is not None
        self._key, self._move = view.ask.key, view.legal()[0]

    def jobs(self) -> dict[str, Callable[[], object]]:
        return {"play": self.play, "create": self.house.create, "erase": self.erase}

    def play(self) -> str:
        """Returns the result of Bob's move: "played", or the code of the problem."""
        try:
            submit_answer(self.house.site, self.match_id, 1, self._key, self._move, "api")
        except Problem as refused:
            return refused.code
        return "played"

    def erase(self) -> None:
        """Erases Bob; retries when told to."""
        while True:
            try:
                return erasure.erase_player(self.house.site, self.number)
            except Busy:
                continue

    def check(self, results: dict[str, object]) -> str:
        """Returns the result of the move. Fails if data of Bob's is left, or another player was affected."""
        assert isinstance(results["create"], str), results
        assert results["erase"] is None, results
        sheet = self.house.view(self.match_id, None).sheet
        assert (sheet.names[1], sheet.seats[1].resigned) == ("(B)", True)
        with self.house.site.reading() as session:
            assert session.get_one(Player, self.number).address == ""
            seats = table(SeatRow)
            held = session.execute(select(seats.c.match_id).where(seats.c.player_id == self.number)).all()
        # PostgreSQL may store an invitation at the very moment in which Bob's row is emptied.
        assert len(held) <= (self.house.site.engine.dialect.name == "postgresql")
        self.house.drain()
        assert "" not in self.house.mail.tried, "nobody is written to at no address"
        outcome = results["play"]
        assert isinstance(outcome, str), results
        assert outcome in OUTCOMES
        return outcome


@pytest.fixture
def fresh_houses(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], Iterator[House]]:
    """Opens one house after another, each on a database of its own."""
    numbers = itertools.count()

    def on_sqlite(migrated: Path) -> Iterator[House]:
        path = tmp_path / f"{next(numbers)}.db"
        copy_sqlite(migrated, path)
        yield from open_house(f"sqlite:///{path}", tmp_path)

    def on_postgres(server: PostgresServer, migrated: str) -> Iterator[House]:
        lent = server.lend(migrated)
        yield from open_house(lent.url, tmp_path)
        server.take_back(lent)

    if request.param == "sqlite":
        migrated_file = request.getfixturevalue("sqlite_migrated")
        return lambda: on_sqlite(migrated_file)
    server, migrated_name = request.getfixturevalue("postgres"), request.getfixturevalue("postgres_migrated")
    return lambda: on_postgres(server, migrated_name)


def test_incoming_mails_erased_during_an_erasures_search_are_skipped(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, t = house.clock(), table(InboxRow)
    encoded = b"Content-Transfer-Encoding: base64\n\n" + b64encode(b"write to bob@example.org")
    with house.site.writing() as work:
        for number, raw in enumerate((encoded, b"From: bob@example.org\n\nhello", b"From: bob@example.org\n\nbye")):
            row = InboxRow(
                id=number, digest=f"{number}", via="lmtp", size=len(raw), received_at=now, due_at=now, raw=raw
            )
            row.message_id = f"<{number}@example.org>"
            work.add(row)

    def read_slowly(*given: Any, **more: Any) -> Any:
        with house.site.writing() as work:
            work.execute(update(t).where(t.c.id == 1).values(raw=None))
            work.execute(delete(t).where(t.c.id == 2))
        return read_message(*given, **more)

    monkeypatch.setattr(message, "read_message", read_slowly)
    assert forgetting.erase_unowned_texts_with_addresses(house.site, ["bob@example.org"]) == 1
    with house.site.reading() as session:
        kept = session.execute(select(t.c.id, t.c.raw, t.c.message_id).order_by(t.c.id)).all()
    assert [tuple(one) for one in kept] == [(0, None, None), (1, None, "<1@example.org>")]


@pytest.mark.long
@pytest.mark.parametrize("outcome", OUTCOMES)
def test_each_interleaving_of_move_and_erasure_has_its_expected_outcome(house: House, outcome: str) -> None:
    leaving = Leaving(house)
    run = interleave_jobs(house.site.engine, in_order(OUTCOMES[outcome]), leaving.jobs())
    assert leaving.check(run.results) == outcome
    assert run.taken == OUTCOMES[outcome].split()


@pytest.mark.long
def test_playing_and_inviting_during_an_erasure_leave_nothing_half_done(house: House) -> None:
    leaving = Leaving(house)
    with ThreadPoolExecutor(3) as pool:
        tasks = {name: pool.submit(job) for name, job in leaving.jobs().items()}
        leaving.check({name: task.result(timeout=SECONDS) for name, task in tasks.items()})


@pytest.mark.long
@pytest.mark.parametrize("seeds", [range(2), pytest.param(range(2, 6), marks=pytest.mark.long)])
@pytest.mark.parametrize("fresh_houses", ["postgresql"], indirect=True)
def test_erasure_interleaved_by_statement_leaves_nothing_half_done(
    fresh_houses: Callable[[], Iterator[House]], seeds: range
) -> None:
    for seed in seeds:
        for house in fresh_houses():
            leaving = Leaving(house)
            run = interleave_jobs(house.site.engine, at_random(seed), leaving.jobs(), statements=True)
            leaving.check(run.results)


@pytest.mark.long
@pytest.mark.apart
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("fresh_houses", ["postgresql"], indirect=True)
def test_erasure_in_every_order_of_transactions_leaves_nothing_half_done(
    fresh_houses: Callable[[], Iterator[House]],
) -> None:
    found = Counter[str]()

    def attempt(choose: Choice) -> None:
        found[_outcome(fresh_houses, choose)] += 1

    assert every_order(attempt, 3000) == found.total()
    assert found.keys() == OUTCOMES.keys()


@pytest.mark.long
@pytest.mark.parametrize("fresh_houses", ["sqlite", "postgresql"], indirect=True)
def test_erasure_in_random_transaction_orders_leaves_nothing_half_done(
    fresh_houses: Callable[[], Iterator[House]],
) -> None:
    found = Counter(_outcome(fresh_houses, at_random(seed)) for seed in range(60))
    assert found.keys() == OUTCOMES.keys()


def _outcome(fresh_houses: Callable[[], Iterator[House]], choose: Choice) -> str:
    """Returns what becomes of the move in a house of its own."""
    [outcome] = [
        leaving.check(interleave_jobs(house.site.engine, choose, leaving.jobs()).results)
        for house in fresh_houses()
        for leaving in [Leaving(house)]
    ]
    return outcome
