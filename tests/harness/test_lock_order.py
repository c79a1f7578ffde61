"""The locks of a statement are read from its text as the databases mean it, and breaches of the order are found."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import col, select

from pbem.models.tables import OutboxRow, Player, SeatRow
from pbem.services.log import locks, outbox
from pbem.services.site import Work
from tests.harness.cases import cases
from tests.harness.lock_order import LockOrder, rows_locked_by
from tests.table import House, address_of, open_house


@cases(
    "sql, given, locked",
    [
        (
            "SELECT matches.id FROM matches WHERE matches.id = %(match)s FOR NO KEY UPDATE",
            {"match": "ab"},
            "matches ab",
        ),
        ("SELECT matches.id FROM matches WHERE matches.id = :match /* FOR UPDATE */", {"match": "ab"}, "matches ab"),
        ("SELECT matches.id FROM matches WHERE matches.id = :match", {"match": "ab"}, ""),
        ("UPDATE players SET zone=?, epoch=? WHERE players.id = ?", ("UTC", 1, 7), "players 7"),
        ("UPDATE players SET zone=%(z)s::VARCHAR WHERE players.id = %(i)s::INTEGER", {"z": 1, "i": 7}, "players 7"),
        (
            "UPDATE players SET absences=(players.absences + 1) WHERE players.id = (SELECT players.id FROM players "
            "WHERE players.id = %(i)s FOR NO KEY UPDATE SKIP LOCKED)",
            {"i": 7},
            "",
        ),
        ("DELETE FROM players WHERE players.id IN (?, ?)", (1, 2), "players 1, players 2"),
        ("DELETE FROM players WHERE players.epoch = ?", (1,), "players None"),
        ("INSERT INTO players (address, canonical) VALUES (?, ?)", ("A", "a"), "players by address"),
        ("INSERT INTO seats (match_id, seat, player_id) VALUES (?, ?, ?)", ("ab", 0, None), "seats None"),
        (
            "INSERT INTO seats (match_id, player_id) VALUES (%(m__0)s, %(p__0)s), (%(m__1)s, %(p__1)s)",
            {"m__0": "ab", "p__0": 7, "m__1": "ab", "p__1": 8},
            "players 7, players 8, seats None",
        ),
        (
            "INSERT INTO seats (match_id, player_id) SELECT p0::VARCHAR, p1::INTEGER FROM (VALUES "
            "(%(m__0)s, %(p__0)s, 0), (%(m__1)s, %(p__1)s, 1)) AS imp_sen(p0, p1, sen_counter) "
            "ORDER BY sen_counter RETURNING seats.seat",
            {"m__0": "ab", "p__0": 7, "m__1": "ab", "p__1": 8},
            "players 7, players 8, seats None",
        ),
        (
            "INSERT INTO seats (match_id, player_id) VALUES (?, ?), (?, ?)",
            ("a", 7, "b", 8),
            "players 7, players 8, seats None",
        ),
        ("UPDATE outbox SET player_id=?, result=? WHERE outbox.id = ?", (7, "sent", 3), "players 7, outbox 3"),
        ("INSERT INTO matches (id, organiser_id) VALUES (?, ?)", ("ab", 7), "players 7, matches ab"),
    ],
)
def test_the_rows_that_a_statement_locks_are_read_from_its_sql(sql: str, given: Any, locked: str) -> None:
    assert ", ".join(f"{name} {key}" for name, key in rows_locked_by(sql, given)) == locked


def player_after_match(session: Work, first: str, second: str) -> None:
    locks.lock_match(session, first)
    locks.lock_player(session, 1)


def player_changed_after_match(session: Work, first: str, second: str) -> None:
    player = session.get_one(Player, 1)
    locks.lock_match(session, first)
    player.epoch += 1
    session.add(player)
    session.flush()


def player_pointed_to_after_match(session: Work, first: str, second: str) -> None:
    locks.lock_match(session, first)
    outbox.enqueue(session, "links:1:1", "links", session.get_one(Player, 1).created_at, player_id=1)


def player_held_after_match(session: Work, first: str, second: str) -> None:
    locks.lock_match(session, first)
    locks.hold_players(session, [1])


def many_held_after_match(session: Work, first: str, second: str) -> None:
    locks.lock_match(session, first)
    locks.hold_players_by_one_statement(session, [1])


def players_chosen_after_match(session: Work, first: str, second: str) -> None:
    locks.lock_match(session, first)
    locks.hold_players_of_query(session, select(col(SeatRow.player_id)).where(col(SeatRow.match_id) == first))


def address_held_after_match(session: Work, first: str, second: str) -> None:
    locks.lock_match(session, first)
    locks.hold_player_with_address(session, address_of("Alice"))


def matches_the_wrong_way_round(session: Work, first: str, second: str) -> None:
    locks.lock_match(session, second)
    locks.lock_match(session, first)


def mail_before_match(session: Work, first: str, second: str) -> None:
    session.get_one(OutboxRow, 1).attempts = 7
    session.flush()
    locks.lock_match(session, first)


def seat_without_match(session: Work, first: str, second: str) -> None:
    session.get_one(SeatRow, (first, 0)).muted = True
    session.flush()


def all_in_order(session: Work, first: str, second: str) -> None:
    player = locks.lock_player(session, 1)
    locks.hold_players(session, [2, 3])
    locks.lock_matches(session, [second, first])
    player.epoch += 1
    session.add(player)
    session.get_one(SeatRow, (first, 0)).muted = True
    session.get_one(OutboxRow, 1).attempts = 7
    outbox.enqueue(session, "links:2:1", "links", player.created_at, player_id=2)
    session.flush()
    locks.lock_match(session, first)


@pytest.fixture
def house(database_url: str, tmp_path: Path) -> Iterator[House]:
    """A site on each kind of database."""
    yield from open_house(database_url, tmp_path)


@pytest.mark.parametrize(
    ("deed", "said"),
    [
        (player_after_match, "locked too late: players 1"),
        (player_changed_after_match, "locked too late: players 1"),
        (player_pointed_to_after_match, "locked too late: players 1"),
        (player_held_after_match, "locked too late: players 1"),
        (many_held_after_match, "locked too late: players 1"),
        (players_chosen_after_match, "locked too late: players None"),
        (address_held_after_match, "locked too late: players by address"),
        (matches_the_wrong_way_round, "locked after one that sorts behind it: matches"),
        (mail_before_match, "locked too late: matches"),
        (seat_without_match, "written without the lock of its match: seats"),
        (all_in_order, ""),
    ],
)
def test_rows_locked_out_of_order_are_found_on_both_databases(
    house: House, lock_order: LockOrder, deed: Callable[[Work, str, str], None], said: str
) -> None:
    first, second = sorted((house.begin(), house.begin()))
    assert lock_order.wrong() == []
    with house.site.writing() as session:
        deed(session, first, second)
    wrong = lock_order.wrong()
    assert [one[: len(said)] for one in wrong] == ([said] if said else [])
