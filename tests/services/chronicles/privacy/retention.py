"""What is deleted once its time is over: to the second, and only where nothing needs it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any
from unittest.mock import patch

from sqlmodel import SQLModel, update

from pbem.features.inbox.tables import InboxRow
from pbem.features.planning.tables import PlanRow
from pbem.models.accounts import AddressChange
from pbem.models.tables import (
    Match,
    MessageRow,
    NoteRow,
    OrderRow,
    OutboxRow,
    Player,
    SeatRow,
    SubstituteRow,
    table,
)
from pbem.services.privacy import retention
from tests.services.chronicles.chronicle import Chronicle
from tests.services.players.listed import store_rows
from tests.table import House

SECOND, DAY = timedelta(seconds=1), timedelta(days=1)


def tell(house: House, told: Chronicle) -> None:
    old, young, running, cancelled = (house.create() for _ in range(4))
    with house.site.writing() as work:
        for table_of in (OutboxRow,):
            work.connection().execute(table(table_of).delete())
    told.lines += [f"  {', '.join(retention.all_sweeps())}"]
    _end(house, old, young, running, cancelled, timedelta(0))
    told.skip()
    _tell_dated_rows(house, told)
    _tell_mails(house, told, old, running)
    _tell_talk(house, told, (old, young, running, cancelled))
    _tell_seats(house, told, (old, young, running, cancelled))
    _tell_strangers(house, told)
    _tell_batches(house, told)


def _end(house: House, old: str, young: str, running: str, cancelled: str, age: timedelta) -> None:
    """Ends two matches so long ago, one a second later; one runs."""
    m, at = table(Match), house.clock() - age
    ends = {old: ("over", at), young: ("over", at + SECOND), running: ("running", None), cancelled: ("cancelled", at)}
    with house.site.writing() as work:
        for match_id, (status, ended) in ends.items():
            work.execute(update(m).where(m.c.id == match_id).values(status=status, ended_at=ended, lapses_at=None))


def _tell_deleted_rows(house: House, told: Chronicle, kind: str, most: int = 500) -> None:
    """Notes what goes of a kind of rows."""

    def forget() -> int:
        with house.site.writing() as work:
            return retention.all_sweeps()[kind](work, house.clock(), most)

    told.do(f"{kind}, at most {most}", forget)


def _tell_dated_rows(house: House, told: Chronicle) -> None:
    """Requests for addresses, and mails that have come in."""
    now = house.clock()
    for age in (30 * DAY, 30 * DAY, 30 * DAY - SECOND, 40 * DAY):
        store_rows(house, AddressChange(player_id=1, address="x", canonical="x", at=now - age, until=now))
    told.skip()
    _tell_deleted_rows(house, told, "changes", 1)
    _tell_deleted_rows(house, told, "changes")
    for at, (age, raw) in enumerate((
        (30 * DAY, b"x"), (30 * DAY - SECOND, b"x"), (31 * DAY, None), (180 * DAY - SECOND, b"x"), (180 * DAY, b"x"),
        (181 * DAY, None), (190 * DAY, b"x"),
    )):  # fmt: skip
        more: dict[str, Any] = {
            "mail_from": "a@x.org",
            "recipients": "[1]",
            "message_id": "m",
            "match_id": None,
            "player_id": 1,
            "seat": 2,
        }
        store_rows(
            house, InboxRow(digest=f"{at}", via="lmtp", size=1, received_at=now - age, due_at=now, raw=raw, **more)
        )
    told.skip()
    _tell_deleted_rows(house, told, "texts", 1)
    _tell_deleted_rows(house, told, "texts")
    _tell_deleted_rows(house, told, "incoming", 1)
    _tell_deleted_rows(house, told, "incoming")


def _tell_mails(house: House, told: Chronicle, old: str, running: str) -> None:
    now, age = house.clock(), 180 * DAY
    cases = [
        (old, age, age),
        (None, age, age),
        (running, age, age),
        (None, age, age - SECOND),
        (None, age - SECOND, age),
        (None, age, None),
        (None, age, age),
        (None, age, age),
    ]
    for at, (match_id, created, done) in enumerate(cases):
        store_rows(house,
        OutboxRow(dedupe=f"{at}", kind="links", match_id=match_id, created_at=now - created, due_at=now,
              done_at=now - done if done is not None else None))  # fmt: skip
    told.skip()
    _tell_deleted_rows(house, told, "mails", 1)
    _tell_deleted_rows(house, told, "mails")
    with house.site.writing() as work:
        work.connection().execute(table(OutboxRow).delete())
    told.skip()


def _tell_talk(house: House, told: Chronicle, match_ids: tuple[str, str, str, str]) -> None:
    """What seats have said and kept for themselves, of matches that ended a year ago, and of others."""
    _end(house, *match_ids, 365 * DAY)
    now = house.clock()
    kinds: Mapping[str, Callable[[str, int], SQLModel]] = {
        "messages": lambda match_id, seat: MessageRow(match_id=match_id, seat=seat, at=now, text="x"),
        "notes": lambda match_id, seat: NoteRow(match_id=match_id, seat=seat, at=now, text="x"),
        "orders": lambda match_id, seat: OrderRow(match_id=match_id, seat=seat, version=1, body="x", via="web"),
        "plans": lambda match_id, seat: PlanRow(match_id=match_id, seat=seat, body="x"),
    }
    for kind, row in kinds.items():
        store_rows(house, *(row(match_id, seat) for match_id in match_ids for seat in (0, 1)))
        told.skip()
        _tell_deleted_rows(house, told, kind, 1)
        _tell_deleted_rows(house, told, kind)


def _tell_seats(house: House, told: Chronicle, match_ids: tuple[str, str, str, str]) -> None:
    _end(house, *match_ids, 30 * DAY)
    now = house.clock()
    for match_id in match_ids:
        for epoch, player in ((None, 1), (None, 2), (3, 1)):
            store_rows(house, SubstituteRow(match_id=match_id, seat=0, away_n=1, player_id=player, name="x", at=now,
                  epoch=epoch, void=epoch is not None))  # fmt: skip
    told.skip()
    _tell_deleted_rows(house, told, "offers", 1)
    _tell_deleted_rows(house, told, "offers")
    statuses = {0: "accepted", 1: "declined", 2: "invited"}
    with house.site.writing() as work:
        for match_id in match_ids:
            for seat, status in statuses.items():
                row = work.get_one(SeatRow, (match_id, seat))
                row.status, row.word = status, "crane"
                work.add(row)
    told.skip()
    _tell_deleted_rows(house, told, "seats", 1)
    _tell_deleted_rows(house, told, "seats")
    with house.site.writing() as work:
        work.get_one(Player, 1).verified_at = None
    told.skip()
    _tell_deleted_rows(house, told, "organisers", 1)
    with house.site.writing() as work:
        work.get_one(Player, 1).verified_at = now
    told.skip()
    _tell_deleted_rows(house, told, "organisers")


def _tell_strangers(house: House, told: Chronicle) -> None:
    """Addresses that were typed: young, verified, needed, mailed lately, mailed long ago, and the newest one."""
    now, age = house.clock(), 30 * DAY
    mails: dict[int, tuple[Any, ...]] = {
        14: ("sent", now - age + SECOND), 15: ("sent", now - age), 16: ("stale", now), 17: (None, None),
    }  # fmt: skip
    for number in range(10, 20):
        young = {11: now - age + SECOND}.get(number, now - age)
        proven = now if number == 12 else None
        address = f"{number}@x.org"
        store_rows(house, Player(id=number, address=address, canonical=address, created_at=young, verified_at=proven))
    store_rows(house, AddressChange(player_id=13, address="x", canonical="x", at=now, until=now))
    for number, (result, done) in mails.items():
        store_rows(house, OutboxRow(dedupe=f"{number}", kind="links", player_id=number, created_at=now, due_at=now,
              result=result, done_at=done))  # fmt: skip
    told.skip()
    _tell_deleted_rows(house, told, "strangers", 1)
    _tell_deleted_rows(house, told, "strangers")
    _tell_deleted_rows(house, told, "strangers")


def _tell_batches(house: House, told: Chronicle) -> None:
    now = house.clock()
    for _ in range(6):
        store_rows(house, AddressChange(player_id=1, address="x", canonical="x", at=now - 30 * DAY, until=now))
    told.skip()
    asked = iter([False, False, True])
    with patch.object(retention, "AT_ONCE", 2):
        changes = retention.FORGET_OLD["changes"]
        with patch.object(retention, "all_sweeps", lambda: {"changes": changes}):
            object.__setattr__(house.site, "stopping", lambda: next(asked, True))
            told.do("asked to stop after two batches", lambda: retention.delete_old_rows(house.site))
            object.__setattr__(house.site, "stopping", lambda: False)
            told.do("the rest", lambda: retention.delete_old_rows(house.site))
    told.do("all kinds", lambda: retention.delete_old_rows(house.site))
