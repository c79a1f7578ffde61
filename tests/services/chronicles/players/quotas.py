"""What strangers can cause within a day, and how many matches a player may have open."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from sqlmodel import update

from pbem.environment import Smtp
from pbem.errors import Busy
from pbem.models.accounts import QuotaRow
from pbem.models.tables import Match, OutboxRow, Player, SeatRow, table
from pbem.services.players import open_matches, quotas
from pbem.services.players.quotas import Quota, Spent
from tests.services.chronicles.chronicle import Chronicle
from tests.services.players.listed import note_results_of_cases, store_rows
from tests.table import House

SETTINGS: dict[str, Any] = {
    "smtp": Smtp(host="127.0.0.1", port=25, user=None, password=None, tls="none", timeout=5),
    "open_matches": 3, "mails_per_address_day": 7, "matches_per_address_day": 6, "unverified_mails_per_day": 8,
}  # fmt: skip
DAY, SECOND = timedelta(days=1), timedelta(seconds=1)
ALICE = 1


def tell(house: House, told: Chronicle) -> None:
    told.part("quotas")
    _take_in_turn(house, told)
    _tell_mails(house, told)
    told.part("open matches")
    _tell_open(house, told)


def _take(house: House, quota: Quota) -> str:
    try:
        with house.site.writing() as work:
            quotas.take_from_quota_or_raise(work, quota, house.clock())
    except Spent as spent:
        return f"spent {spent} until {spent.until}, wait {spent.wait_s(house.clock())} s"
    return "taken"


def _take_in_turn(house: House, told: Chronicle) -> None:
    two, one = Quota("two", 2), Quota("one", 1)
    start = house.clock()
    for _ in range(3):
        told.do("two a day", lambda: _take(house, two))
    told.do("another", lambda: _take(house, one))
    house.clock.at = start + DAY - SECOND / 2
    told.do("a moment before the day is over", lambda: _take(house, two))
    house.clock.at = start + DAY
    told.do("the next day", lambda: _take(house, two))
    told.do("the next day, again", lambda: _take(house, two))
    told.do("and again", lambda: _take(house, two))
    spent = Spent(two, start)
    note_results_of_cases(told, "waits", lambda s: spent.wait_s(start - s * SECOND), (-1, 0, 0.5, 1, 60))

    def forget(most: int) -> int:
        with house.site.writing() as work:
            return quotas.forget_old(work, house.clock(), most)

    told.do("windows that have ended", lambda: forget(9))
    house.clock.at += DAY
    _take(house, one)
    store_rows(house, QuotaRow(name="three", used=1, until=house.clock()))
    told.skip()
    told.do("one of two more", lambda: forget(1))
    told.do("the other", lambda: forget(9))
    note_results_of_cases(told, "mailboxes", quotas.mailbox_for_quotas,
         ("a.lice+x@example.org", "alice@googlemail.com", "+x@example.org", "...@example.org"))  # fmt: skip


def _tell_mails(house: House, told: Chronicle) -> None:
    site, now = house.site, house.clock()
    store_rows(house, Player(address="alice@example.org", canonical="alice@example.org", created_at=now))
    told.skip()

    def row(kind: str, key: str | None = None) -> OutboxRow:
        return OutboxRow(dedupe=kind, kind=kind, key=key, created_at=now, due_at=now)

    kinds = (("links", None), ("invitation", None), ("confirm", None), ("confirm", "own"), ("links", "own"),
             ("turn", None), ("substitute", None))  # fmt: skip
    for proven in (None, now):
        alice = Player(id=ALICE, canonical="alice@example.org", verified_at=proven, created_at=now)
        with site.reading() as session:
            note_results_of_cases(told, f"verified {proven is not None}",
                 lambda one, who=alice: quotas.quotas_of_mail(site, session, row(*one), who), kinds)  # type: ignore[misc]  # fmt: skip
    store_rows(house, row("confirm"))
    told.skip()
    both = (Quota("own", 2), Quota(quotas.SITE, 1))

    def count(number: int, *them: Quota) -> Any:
        spent = quotas.count_mail(site, number, them)
        return spent and (spent.quota, spent.until)

    told.do("no quota", lambda: count(1))
    told.do("a mail is counted", lambda: count(1, *both))
    told.do("only once", lambda: count(1, *both))
    store_rows(house, row("links"))
    told.skip()
    told.do("the site's is spent: nothing is taken", lambda: count(2, *both))
    told.lines += ["", f"  {sorted(site.counters.read().items())}"]
    ages = {"links": DAY, "links, a second younger": DAY - SECOND, "turn": DAY, "invitation": DAY}

    def old(name: str) -> bool:
        mail = row(name.partition(",")[0])
        mail.created_at = now - ages[name]
        return quotas.is_too_old(mail, now)

    note_results_of_cases(told, "too old", old, ages)


def _tell_open(house: House, told: Chronicle) -> None:
    site = house.site
    made = [house.create() for _ in range(5)]
    m, s = table(Match), table(SeatRow)
    told.skip()

    def say(title: str) -> None:
        told.lines += ["", f"## {title}"]
        told.lines.append(f"  {[open_matches.read_open_matches(site, who) for who in (1, 2)]}")
        with site.reading() as session:
            note_results_of_cases(
                told, "may start", lambda who: open_matches.check_may_start(site, session, who), (1, 2, None)
            )

    def ends(*statuses: str) -> None:
        with site.writing() as work:
            for match_id, status in zip(made, statuses, strict=False):
                work.execute(update(m).where(m.c.id == match_id).values(status=status))

    def sits(seat: int, **values: Any) -> None:
        with site.writing() as work:
            work.execute(update(s).where(s.c.seat == seat, s.c.match_id.in_(made)).values(**values))

    say("unconfirmed")
    ends("inviting", "running", "paused", "over", "cancelled")
    say("Alice has started three")
    sits(1, status="accepted")
    say("Bob sits at three")
    sits(1, resigned=True)
    say("and has resigned")
    sits(1, resigned=False, absent=True)
    say("and is absent")
    sits(1, absent=False)
    with site.writing() as work:
        work.execute(update(s).where(s.c.seat == 2, s.c.match_id.in_(made)).values(player_id=2, status="accepted"))
    say("and sits twice")
    ends("over", "over", "over", "over", "over")
    say("all are over")

    def absent(player: int | None) -> None:
        with site.writing() as work:
            open_matches.count_absence(work, player)

    told.do("nobody is absent", lambda: absent(None))
    told.do("Bob is absent", lambda: absent(2))
    say("one absence")
    for _ in range(3):
        absent(2)
    say("four absences")
    try:
        told.do("somebody who is not there", lambda: absent(99))
    except Busy:
        told.lines.append("  busy")
    with site.writing() as work:
        work.execute(update(table(Player)).values(absences=0))
    _tell_many_matches(house, told)


def _tell_many_matches(house: House, told: Chronicle) -> None:
    """The number never exceeds twenty times the first one, and no more matches are read than can raise it."""
    site, now = house.site, house.clock()
    rows = [{"id": f"{at:024x}", "game": "hogen", "options": "{}", "status": "over", "seed": b"", "commitment": "",
             "turn_s": 1, "window_s": 1, "created_at": now} for at in range(900, 925)]  # fmt: skip
    sat = [{"match_id": row["id"], "seat": 0, "player_id": 2, "name": "Bob", "status": "accepted"} for row in rows]
    with site.writing() as work:
        work.connection().execute(table(Match).insert(), rows)
        work.connection().execute(table(SeatRow).insert(), sat)
    told.lines += ["", f"  {open_matches.read_open_matches(site, 2)}"]
    for absences in (1, 2, 9):
        with site.writing() as work:
            work.execute(update(table(Player)).values(absences=absences))
        told.lines.append(f"  {open_matches.read_open_matches(site, 2)}")
