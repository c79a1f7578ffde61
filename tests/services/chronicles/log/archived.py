"""Matches that ended a week ago, and what is still read of them."""

from __future__ import annotations

import json
import lzma
from typing import Any

from sqlalchemy import select
from structlog.testing import capture_logs

from pbem.models.tables import SeatRow, table
from pbem.services.log import archive, archiving, proofs, store, waits
from pbem.services.log.archive import Question, Stored, pack_archive, unpack_archive
from pbem.services.play import presence
from tests.services.chronicles.cast import change_rows
from tests.services.chronicles.chronicle import Chronicle, value_in_a_line
from tests.services.log.logs import FIRST, a_log
from tests.table import House


def tell(house: House, told: Chronicle) -> None:
    site, game = house.site, store.game_by_slug("hogen")
    told.part("a week later")
    first, later = house.begin(3), house.begin(3)
    change_rows(house, told, "UPDATE asks SET mailed_at = opened_at WHERE seat = 1")
    house.clock.forward(hours=2, microseconds=1500)
    for match_id in (first, later):
        for seat in range(3):
            house.play(match_id, seat)
    change_rows(house, told, "UPDATE asks SET mailed_at = closed_at WHERE seat = 2 AND closed_at IS NOT NULL")
    change_rows(
        house,
        told,
        "INSERT INTO votes (match_id, key, seat, voter, at) VALUES (:m, 't0.ally0', 0, 1, '2026-03-12 12:04:00')",
        m=first,
    )
    change_rows(house, told, "INSERT INTO folds (match_id, n, body) VALUES (:m, 2, X'7B')", m=first)
    orders = "INSERT INTO orders (match_id, seat, version, body, via, news) VALUES (:m, :s, 1, '', 'page', :n)"
    for seat, news in enumerate(("", "[]")):
        change_rows(house, told, orders, m=first, s=seat, n=news)
    for match_id in (later, first):
        house.clock.forward(hours=1)
        for seat in (1, 2):
            presence.resign(site, house.claim("play", match_id, seat))
    told.skip()
    running = house.begin(3)
    with site.reading() as session:
        kept = {match_id: _what_is_kept(session, match_id) for match_id in (first, later)}
    told.skip()
    house.clock.forward(days=6, hours=22, minutes=59, seconds=59)
    told.do("a second before", lambda: _archive(house))
    change_rows(house, told, "UPDATE entries SET n = 99 WHERE match_id = :m AND n = 1", m=later)
    house.clock.forward(seconds=1)
    told.do("one of which an entry is missing", lambda: _archive(house))
    told.do("once more", lambda: _archive(house))
    change_rows(house, told, "UPDATE entries SET n = 1 WHERE match_id = :m AND n = 99", m=later)
    told.do("when it is there", lambda: _archive(house))
    house.clock.forward(hours=1)
    told.do("an hour later", lambda: _archive(house))
    told.do("no more", lambda: _archive(house))

    told.part("what is read of them")
    seats = select(table(SeatRow).c.match_id, table(SeatRow).c.seat, table(SeatRow).c.player_id).subquery()
    with site.reading() as session:
        told.do("the same as before", lambda: [_what_is_kept(session, one) == kept[one] for one in (first, later)])
        told.do(
            "an archive", lambda: [archive.find_archive(session, one) is not None for one in (first, running, "ff")]
        )
        for one in archive.asks_in_archive(session, first):
            told.do(f"{one.key} of seat {one.seat}", lambda one=one: {k: v for k, v in one.model_dump().items() if v})  # type: ignore[misc]
        told.do("one of them", lambda: [_key(store.get_ask(session, first, "t0.ally1", seat)) for seat in (0, 1)])
        told.do("of none", lambda: archive.asks_in_archive(session, running))
        told.do("of a seat", lambda: [one.key for one in store.asks_of_seat(session, first, 1)])
        told.do("entries", lambda: [one.n for one in store.load_entries(session, first, game)])
        told.do("after the third", lambda: [one.n for one in store.load_entries(session, first, game, 3)])
        told.do("seals", lambda: [(n, len(sealed)) for n, sealed, _ in proofs.read_seals(session, first, 1, 4)])
        told.do("how long they took", lambda: waits.waits_in_archives(session, seats))
        told.do("in rows", lambda: waits.waits_in_rows(session, seats))
    _tell_waiting(house, told, running, seats)
    _tell_packing(told)


def _archive(house: House) -> Any:
    """Archives what may be; returns how many matches that were, and what is logged."""
    with capture_logs() as logs:
        done = archiving.archive_matches(house.site)
    return [done, *({name: said for name, said in one.items() if name != "exc_info"} for one in logs)]


def _what_is_kept(session: Any, match_id: str) -> Any:
    match, game = store.get_match(session, match_id), store.game_by_slug("hogen")
    entries = store.load_entries(session, match_id, game)
    return [value_in_a_line(one) for one in (*entries, *proofs.read_seals(session, match_id))], match.head


def _key(ask: Any) -> Any:
    return ask.key if ask is not None else None


def _tell_waiting(house: House, told: Chronicle, match_id: str, seats: Any) -> None:
    """How long players took, where not everything counts."""
    told.part("how long it took")
    house.clock.forward(minutes=5)
    for seat in range(3):
        house.play(match_id, seat)
    change_rows(house, told, "UPDATE asks SET mailed_at = closed_at WHERE match_id = :m AND seat = 2", m=match_id)
    away = {"m": match_id}

    def took(title: str, sql: str = "") -> None:
        if sql:
            change_rows(house, told, sql, **away)
        with house.site.reading() as session:
            told.do(title, lambda: [(one.seat, one.took) for one in waits.waits_in_rows(session, seats)])

    took("by hand")
    took("by the clock", "UPDATE asks SET closed_by = 'clock' WHERE match_id = :m AND key = 't0.ally0'")
    took("after another question", "UPDATE asks SET closed_by = 'seat', origin = 'x' WHERE match_id = :m AND seat = 0")
    took("in a window", "UPDATE asks SET origin = key, floor_at = opened_at WHERE match_id = :m AND seat = 0")
    took("by an order", "UPDATE asks SET floor_at = NULL, closed_at = opened_at WHERE match_id = :m AND seat = 0")
    took("before the mail", "UPDATE asks SET mailed_at = '2027-01-01 00:00:00' WHERE match_id = :m AND seat = 1")
    columns = "match_id, seat, away_n, player_id, name, at, void, epoch"
    values = "match_id, seat, 1, player_id, name, '2027-01-01 00:00:00', false, 1"
    row = f"INSERT INTO substitutes ({columns}) SELECT {values} FROM seats WHERE match_id = :m AND seat = 2"
    took("before a substitute came", row)
    took("who did not", "UPDATE substitutes SET epoch = NULL WHERE match_id = :m")
    took("who came before", "UPDATE substitutes SET epoch = 1, at = '2026-01-01 00:00:00' WHERE match_id = :m")


def _tell_packing(told: Chronicle) -> None:
    told.part("the form")
    key, rows = a_log(most=30)
    asked = [
        Question("r1.t1.call", 0, "r1.t1", "call", "r1.t1.call", 1, "seat", '{"type":"Call"}', 2, 3, None, None),
        Question("r1.t1.answer1", 1, "r1.t1", "answer", "r1.t1.call", 1, "table", None, None, None, "{}", '{"seat":1}'),
        Question("r1.t2.call", 1, "r1.t2", "call", "r1.t2.call", 3, "undone", "{}", 4, 4, None, None),
        Question("r1.t0.call", 1, "r1.t2", "call", "r1.t2.call", 3, "clock", None, 4, None, None, None),
    ]
    in_order = unpack_archive(1, pack_archive(rows, asked, key, FIRST)).questions
    told.do("in order", lambda: [one.key for one in in_order])

    def packs(title: str, entries: list[Stored], questions: list[Question], first: str = FIRST) -> None:
        told.do(title, lambda: _pack(entries, questions, key, first))

    packs("as the rules have it", rows, asked)
    at = next(at for at, row in enumerate(rows) if row.sealed)
    for title, seals in (
        ("another seal", {next(iter(rows[at].sealed)): "f" * 64}),
        ("of nothing", {"event.gone": "e" * 64}),
        ("of a place that is not there", {"event.hands.99": "e" * 64}),
        ("of no number", {"event.hands.x": "e" * 64}),
    ):
        changed = [*rows]
        changed[at] = rows[at]._replace(sealed={**rows[at].sealed, **seals})
        packs(title, changed, [])
    changed = [*rows[:3], rows[3]._replace(head="d" * 64), *rows[4:]]
    packs("another head", changed, [])
    packs("parts of a second", [rows[0]._replace(at=rows[0].at.replace(microsecond=7))], [])
    packs("nothing", [], [])
    packs("numbers that leave one out", [rows[0], rows[2]], [])


def _pack(entries: list[Stored], questions: list[Question], key: bytes, first: str) -> Any:
    try:
        packed = pack_archive(entries, reversed(questions), key, first)
    except ValueError as error:
        return str(error)
    columns = json.loads(lzma.decompress(packed))
    whole, asks = columns["heads"] is not None, {name: one for name, one in columns["asks"].items() if one}
    return {
        "bytes": packed,
        "whole": whole,
        "lines": len(unpack_archive(1, packed).lines),
        "asks": asks,
        "at": columns["at"][:3],
    }
