"""Standing tables, matches among the members of a circle, and its standings."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from sqlalchemy import update
from sqlmodel import col, select
from structlog.testing import capture_logs

from pbem.features.circles import joining, occasions, scores, sheets, standing, starting
from pbem.features.circles.claims import MemberClaim
from pbem.features.circles.occasions import sizes_of_tables
from pbem.features.circles.standing import Weekly, parse_weekly
from pbem.features.circles.tables import Circle, CircleMember, Occasion, StandingTable
from pbem.models.results import Result
from pbem.models.tables import OutboxRow, table
from pbem.services.access.idempotency import IdempotencyKey
from pbem.services.lobby.match_request import BotSeat, Invitee, NewMatch, OpenSeat
from tests.features.circles.people import (
    circle_of,
    id_in,
    invitation_link_claim,
    member_claim,
    store_result,
    verify_address,
)
from tests.services.chronicles.chronicle import Chronicle
from tests.table import CAST, House

SUNDAY = Weekly(6, 18, "Europe/Paris")
FIRST = datetime(2026, 3, 15, 17, tzinfo=UTC)
"""The first Sunday at 18 h in Paris after the clock begins."""
SECOND = timedelta(seconds=1)


def tell(house: House, told: Chronicle) -> None:
    for name in (*CAST, "Charlie"):
        verify_address(house, name)
    circle_id = circle_of(house, "Alice", "Bob", "Carol", "Dave", "Fanny")
    others = circle_of(house, "Maximilienne", "Bob", title="Others")
    told.skip()
    _tell_hours(told)
    _tell_matches(house, told, circle_id, others)
    _set_up(house, told, circle_id, others)
    _tell_weeks(house, told, circle_id)
    _tell_silence(house, told, circle_id)


def _tell_hours(told: Chronicle) -> None:
    told.part("when a table meets, and how people are spread")
    for day, hour, zone in [(0, 0, "Europe/Paris"), (6, 23, "Asia/Tokyo")]:
        told.do(f"day {day} at {hour} h", partial(parse_weekly, day, hour, zone))
    for day, hour, zone in [(-1, 0, "UTC"), (7, 0, "UTC"), (0, -1, "UTC"), (0, 24, "UTC"), (0, 0, "Atlantis")]:
        told.do(f"day {day} at {hour} h in {zone}", partial(parse_weekly, day, hour, zone))
    at = datetime(2026, 3, 15, 17, tzinfo=UTC)
    for delta in (-SECOND, timedelta(), SECOND, timedelta(days=3), timedelta(days=7), timedelta(days=14)):
        told.do(f"the Sunday after {at + delta:%d %H:%M:%S}", partial(SUNDAY.next_after, at + delta))
    told.do("a Monday in Tokyo", lambda: Weekly(0, 3, "Asia/Tokyo").next_after(at))
    told.do("people over tables of 2 to 4", lambda: [sizes_of_tables(people, (2, 3, 4)) for people in range(14)])
    told.do("of 3 or 5", lambda: [sizes_of_tables(people, (3, 5)) for people in range(14)])
    told.do("of 2", lambda: [sizes_of_tables(people, (2,)) for people in range(6)])


def _tell_matches(house: House, told: Chronicle, circle_id: str, others: str) -> None:
    told.part("matches among members")
    site = house.site
    alice, bob = member_claim(house, circle_id, "Alice"), member_claim(house, circle_id, "Bob")
    ids = {name: id_in(house, circle_id, name) for name in ("Alice", "Bob", "Carol", "Dave", "Fanny")}

    def start(who: MemberClaim, them: list[int], *rest: Any, game: str = "hogen", once: str | None = None) -> str:
        key = IdempotencyKey("bob", "match", once) if once is not None else None
        return starting.create_match_and_invite_members(site, who, them, NewMatch(game, rest), once=key)

    first = told.do(
        "Bob starts one with Alice, a bot and an open seat",
        lambda: start(bob, [ids["Alice"]], BotSeat("random"), OpenSeat(), once="a"),
    )
    assert first is not None
    told.do("the same request again", lambda: start(bob, [ids["Alice"]], BotSeat("random"), OpenSeat(), once="a"))
    told.do("with its key, another one", lambda: start(bob, [ids["Alice"]], OpenSeat(), once="b"))
    told.do("with too few", lambda: start(bob, [ids["Alice"]]))
    told.do("with somebody twice", lambda: start(bob, [ids["Alice"], ids["Alice"]]))
    told.do("with themselves", lambda: start(bob, [ids["Alice"], ids["Bob"]]))
    told.do("with somebody of another circle", lambda: start(bob, [ids["Alice"], id_in(house, others, "Maximilienne")]))
    told.do("with an address", lambda: start(bob, [ids["Alice"]], Invitee("Newcomer", "newcomer@example.org")))
    told.do("with an unknown bot", lambda: start(bob, [ids["Alice"]], BotSeat("deep")))
    told.do("of an unknown game", lambda: start(bob, [ids["Alice"]], OpenSeat(), game="chess"))
    second = told.do("Alice starts one of three", lambda: start(alice, [ids["Carol"], ids["Bob"]]))
    third = start(alice, [ids["Carol"]], game="niigata")
    fourth = start(bob, [ids["Carol"]], game="niigata")
    house.clock.forward(minutes=1)
    fifth = start(alice, [ids["Dave"], ids["Carol"], ids["Bob"]])
    told.skip()
    assert second is not None
    told.do("Alice's matches", lambda: _play(house, alice))
    told.do("Dave's", lambda: _play(house, member_claim(house, circle_id, "Dave")))
    store_result(house, first, [2, 1, 3, 4])
    store_result(house, second, [1, 1, 3])
    store_result(house, third, [1, 2])
    store_result(house, fourth, [1, 2])
    store_result(house, fifth, [4, 1, 2, 2])
    with site.writing() as work:
        r = table(Result)
        work.execute(update(r).where(r.c.match_id.in_((third, fourth))).values(game="niigata"))
    store_result(house, house.begin(3), [1, 2, 3])
    told.skip()
    told.do("the standings", lambda: scores.read_scores(site, alice))
    told.do("for somebody whose link is old", lambda: scores.read_scores(site, MemberClaim(alice.member_id, 9)))
    told.do("those of the others", lambda: scores.read_scores(site, member_claim(house, others, "Bob")))
    joining.set_member_muted_or_listed(site, bob, listed=True)
    with site.writing() as work:
        work.execute(update(table(Circle)).values(open=True))
    told.skip()
    told.do("what strangers see", lambda: sheets.read_open_page(site, circle_id))
    shares = [(1, []), (1, [2]), (2, [1]), (1, [1]), (2, [1, 2, 2]), (3, [1, 3, 5, 5])]
    told.do("what places are worth", lambda: [f"{scores.worth_of_place(*one)}" for one in shares])


def _play(house: House, who: MemberClaim) -> list[Any]:
    return [(one.id, one.game.meta.slug, one.status, one.names, one.spectators, one.seat)
            for one in sheets.read_circle(house.site, who).matches]  # fmt: skip


def _tables(house: House, who: MemberClaim) -> dict[str, Any]:
    """Returns what a member sees of each table: when, the next time, the occasion, yes, no, yours, silent, may stop."""
    return {
        f"{one.id} {one.game.meta.slug}": (
            one.weekday, one.hour, one.zone, one.starts_at, one.occasion_id, one.yes, one.no, one.yours, one.silent,
            one.may_stop,
        )
        for one in sheets.read_circle(house.site, who).tables
    }  # fmt: skip


def _set_up(house: House, told: Chronicle, circle_id: str, others: str) -> None:
    told.part("setting up and stopping")
    site = house.site
    house.clock.at = FIRST - timedelta(days=3)
    alice, bob, carol = (member_claim(house, circle_id, name) for name in ("Alice", "Bob", "Carol"))

    def set_up(weekly: Weekly, once: str | None = None, **wanted: Any) -> int:
        key = IdempotencyKey("bob", "table", once) if once is not None else None
        return standing.set_up_table(site, bob, NewMatch(wanted.pop("game", "hogen"), (), **wanted), weekly, once=key)

    told.do("Bob sets one up", lambda: set_up(SUNDAY, "a", turn_s=7200, spectators=False))
    told.do("the same request again", lambda: set_up(SUNDAY, "a", turn_s=7200, spectators=False))
    told.do("with its key, another one", lambda: set_up(SUNDAY, "b"))
    told.do("of an unknown game", lambda: set_up(SUNDAY, game="chess"))
    told.do("of a clock that nobody has", lambda: set_up(SUNDAY, turn_s=1))
    told.do("a day ahead", lambda: set_up(Weekly(4, 18, "Europe/Paris"), game="niigata"))
    told.do("an hour less than a day ahead", lambda: set_up(Weekly(4, 17, "Europe/Paris")))
    told.do("the fourth", lambda: set_up(Weekly(0, 0, "Asia/Tokyo")))
    told.do("the fifth", lambda: set_up(Weekly(2, 12, "Europe/Paris")))
    told.do("one too many", lambda: set_up(Weekly(2, 12, "Europe/Paris")))
    told.do("what Bob sees", lambda: _tables(house, bob))
    told.do("what Carol sees", lambda: _tables(house, carol))
    told.do("Carol stops one", lambda: standing.stop_table(site, carol, 2))
    told.do("somebody of another circle", lambda: standing.stop_table(site, member_claim(house, others, "Bob"), 2))
    told.do("one that is not there", lambda: standing.stop_table(site, alice, 99))
    told.do("nor can be", lambda: standing.stop_table(site, alice, 2**31))
    told.do("Bob stops one", lambda: standing.stop_table(site, bob, 2))
    house.clock.forward(seconds=1)
    told.do("again", lambda: standing.stop_table(site, bob, 2))
    for number in (3, 4, 5):
        told.do(f"Alice stops number {number}", partial(standing.stop_table, site, alice, number))


def _tell_weeks(house: House, told: Chronicle, circle_id: str) -> None:
    told.part("the weeks of a table")
    site = house.site
    alice, bob, carol, dave, fanny = (
        member_claim(house, circle_id, name) for name in ("Alice", "Bob", "Carol", "Dave", "Fanny")
    )

    def meet() -> int:
        return occasions.run_standing_tables(site)

    told.do("Bob says yes before anybody is asked", lambda: standing.answer_next_occasion(site, bob, 1, True))
    told.do("Bob's circles", lambda: sheets.read_circles_of_player(site, verify_address(house, "Bob")))
    joining.set_member_muted_or_listed(site, dave, muted=True)
    told.skip()
    object.__setattr__(site, "stopping", lambda: True)
    told.do("the process is about to stop", meet)
    object.__setattr__(site, "stopping", lambda: False)
    told.do("members are asked", meet)
    told.do("once", meet)
    told.do("Bob's circles again", lambda: sheets.read_circles_of_player(site, verify_address(house, "Bob")))
    told.do("Bob says yes", lambda: standing.answer_next_occasion(site, bob, 1, True))
    told.do("Bob's circles after that", lambda: sheets.read_circles_of_player(site, verify_address(house, "Bob")))
    house.clock.forward(minutes=1)
    told.do("Bob says yes again", lambda: standing.answer_occasion(site, bob, 1, True))
    told.do("Alice says no", lambda: standing.answer_occasion(site, alice, 1, False))
    told.do("Carol says yes", lambda: standing.answer_occasion(site, carol, 1, True))
    told.do("Maximilienne, of others", lambda: standing.answer_occasion(site, _elsewhere(house), 1, True))
    told.do("and by the table", lambda: standing.answer_next_occasion(site, _elsewhere(house), 1, True))
    told.do("a table that is stopped", lambda: standing.answer_next_occasion(site, carol, 2, True))
    told.do("a table that cannot be", lambda: standing.answer_next_occasion(site, carol, 2**31, True))
    told.do("an occasion that is not there", lambda: standing.answer_occasion(site, carol, 99, True))
    told.do("nor can be", lambda: standing.answer_occasion(site, carol, 2**31, True))
    told.do("what Carol sees", lambda: _tables(house, carol))
    told.do("what Fanny sees", lambda: _tables(house, fanny))
    house.clock.at = FIRST - SECOND
    told.do("a second before the hour", meet)
    told.do("Fanny says no", lambda: standing.answer_occasion(site, fanny, 1, False))
    joining.set_member_muted_or_listed(site, carol, muted=True)
    told.skip()
    house.clock.at = FIRST
    told.do("too late to answer", lambda: standing.answer_occasion(site, fanny, 1, True))
    told.do("two are too few", meet)
    told.do("once more", meet)
    told.do("too late", lambda: standing.answer_occasion(site, fanny, 1, True))
    told.do("nobody is asked yet", lambda: standing.answer_next_occasion(site, fanny, 1, True))
    told.do("what Carol sees between", lambda: _tables(house, carol))
    house.clock.at = FIRST + timedelta(days=3) - SECOND
    told.do("a second too early to ask", meet)
    house.clock.forward(seconds=1)
    told.do("members are asked again", meet)
    for minute, who in enumerate((fanny, alice, dave, bob, carol)):
        house.clock.forward(minutes=1)
        standing.answer_occasion(site, who, 2, minute != 4)
    house.clock.forward(minutes=1)
    standing.answer_occasion(site, fanny, 2, False)
    standing.answer_occasion(site, fanny, 2, True)
    standing.answer_occasion(site, carol, 2, True)
    joining.leave_circle(site, carol)
    joining.join_signed_in(site, invitation_link_claim(house, circle_id), verify_address(house, "Maximilienne"), "Maxi")
    told.skip()
    told.do("what Alice sees", lambda: _tables(house, alice))
    house.clock.at = FIRST + timedelta(days=7)
    told.do("four are seated", meet)
    told.do("Alice's matches", lambda: _play(house, alice))


def _elsewhere(house: House) -> MemberClaim:
    with house.site.reading() as session:
        mine = select(CircleMember).where(col(CircleMember.player_id) == verify_address(house, "Maximilienne"))
        row = session.exec(mine).first()
        assert row is not None
        return MemberClaim(row.id or 0, row.epoch)


def _tell_silence(house: House, told: Chronicle, circle_id: str) -> None:
    told.part("silence, and clocks")
    site = house.site
    alice = member_claim(house, circle_id, "Alice")
    for week in (2, 3, 4):
        house.clock.at = FIRST + timedelta(days=7 * week - 4)
        occasions.run_standing_tables(site)
        with site.reading() as session:
            number = session.exec(select(Occasion.id).order_by(col(Occasion.id).desc())).first()
        standing.answer_occasion(site, alice, number or 0, False)
        if week == 4:
            standing.answer_occasion(site, member_claim(house, circle_id, "Bob"), number or 0, False)
        house.clock.at = FIRST + timedelta(days=7 * week)
        occasions.run_standing_tables(site)
    told.skip()
    told.do("who is silent", lambda: _silent(house))
    told.do("what Fanny sees", lambda: _tables(house, member_claim(house, circle_id, "Fanny")))
    with site.writing() as work:
        work.execute(update(table(OutboxRow)).values(done_at=house.clock()))
    told.skip()
    house.clock.at = FIRST + timedelta(days=7 * 5 - 4)
    told.do("others are asked", lambda: occasions.run_standing_tables(site))
    t = table(StandingTable)
    with site.writing() as work:
        work.execute(update(t).where(t.c.id == 1).values(next_at=house.clock()))
    told.skip()
    told.do("due although the hour has not come", lambda: occasions.run_standing_tables(site))
    with site.writing() as work:
        work.execute(update(t).where(t.c.id == 1).values(game="gone", next_at=house.clock()))
    told.skip()
    told.do("a game that is not there", lambda: occasions.run_standing_tables(site))
    told.do("what Alice sees of it", lambda: _tables(house, alice))
    with site.writing() as work:
        work.execute(update(t).where(t.c.id == 1).values(game="hogen", hour=99, next_at=house.clock()))
    told.skip()
    with capture_logs() as logged:
        told.do("an hour that no day has", lambda: occasions.run_standing_tables(site))
    told.do("which is logged", lambda: [(one["event"], one["table"]) for one in logged])
    with site.writing() as work:
        work.execute(update(table(Occasion)).values(done_at=house.clock()))
        work.execute(update(t).where(t.c.id == 1).values(hour=18, next_at=house.clock()))
    house.clock.forward(days=-2)
    with site.writing() as work:
        work.execute(update(t).where(t.c.id == 1).values(next_at=house.clock()))
    told.skip()
    told.do("due too early, by a clock that was wrong", lambda: occasions.run_standing_tables(site))
    with site.writing() as work:
        values = {"stopped_at": None, "hour": 18, "weekday": 2, "next_at": house.clock()}
        work.execute(update(t).where(t.c.id.in_((2, 3, 4))).values(values))
        work.execute(update(t).where(t.c.id == 4).values(next_at=house.clock() - SECOND))
    told.skip()
    told.do("three are due, the one that is due first before the others", lambda: occasions.run_standing_tables(site))
    told.do("Bob leaves", lambda: joining.leave_circle(site, member_claim(house, circle_id, "Bob")))
    with site.writing() as work:
        told.do("nothing of them is forgotten", lambda: joining.forget_old(work, house.clock(), 10))


def _silent(house: House) -> Any:
    with house.site.reading() as session:
        return standing.silent_members(session, 1)
