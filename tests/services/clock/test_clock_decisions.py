"""The clock's decisions during a match: each is in the log, and holds through clock changes,
a sleeping server, moves at the last second and two sweeps at once."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from sqlmodel import select

from pbem.errors import Problem
from pbem.kit.contract import AnyGame
from pbem.kit.logs.verdict import verify
from pbem.kit.replay import (
    Absent,
    AnyEntry,
    Cancelled,
    Extended,
    Paused,
    PutToVote,
    Replaced,
    Resigned,
    Resumed,
    Returned,
    TableEvent,
    Voted,
    fold_for_viewer,
)
from pbem.models.tables import Player, SubstituteRow
from pbem.services.clock import holidays
from pbem.services.lobby.match_request import Invitee
from pbem.services.log import store
from pbem.services.play import moves, presence, substitutes, timeouts, voting
from pbem.services.tokens import OfferClaim, VacancyClaim
from pbem.services.views import match_views
from tests.services.play.stage.races import at_once, job_that_answers
from tests.table import House, claim_of, deadline_of

DAY = timedelta(days=1)


def ids_of_players(house: House) -> list[int]:
    """Returns the ids of the players, in the order in which they joined."""
    with house.site.reading() as session:
        return [*session.exec(select(Player.id).order_by(Player.id))]  # type: ignore[arg-type]


# --- the table's own terms -----------------------------------------------------------------------------------


def match_with_window(house: House, **wanted: Any) -> tuple[str, AnyGame]:
    """A match of Allégeance in which a player is asked outside their own turn."""
    match_id = house.begin(3, "allegeance", **wanted)
    game = house.view(match_id, None).game
    for _ in range(30):
        if any(game.meta.asks[ask.kind].window for ask in house.asks(match_id)):
            return match_id, game
        house.play(match_id, house.asks(match_id)[0].seat)
    raise AssertionError("nobody is ever asked outside his turn")


@pytest.mark.long
def test_a_window_question_has_the_window_time_and_missing_it_is_counted(house: House) -> None:
    match_id, game = match_with_window(house, turn_s=5 * 86_400, window_s=7200)
    asks = [ask for ask in house.asks(match_id) if game.meta.asks[ask.kind].window]
    assert {deadline_of(ask) - house.clock.at for ask in asks} == {timedelta(hours=2)}
    house.time_is_up(match_id)
    assert timeouts.sweep_deadlines(house.site) >= 1
    with house.site.reading() as session:
        misses = {seat.seat: seat.misses for seat in store.seats_of(session, match_id)}
    assert {misses[ask.seat] for ask in asks} == {1}


def test_by_default_a_turn_has_three_days_and_a_window_one(house: House) -> None:
    match_id, _game = match_with_window(house)
    sheet = match_views.read_sheet(house.site, match_id, None)
    assert (sheet.turn_s, sheet.window_s, sheet.late, sheet.bank_s) == (3 * 86_400, 86_400, "fallback", None)


STATUS: dict[str, type[TableEvent]] = {"paused": Paused, "running": Resumed, "cancelled": Cancelled}


# --- every decision is in the log ----------------------------------------------------------------------------


def what_is_shown(house: House, match_id: str) -> dict[str, Any]:
    """Returns what the clock and the people decide: deadlines, players of the seats, whether the match is paused."""
    sheet = match_views.read_sheet(house.site, match_id, None)
    return {
        "status": sheet.status,
        **{f"seat {s.seat}": (s.name, s.absent, s.resigned) for s in sheet.seats},
        **{f"deadline {a.key} {a.seat}": a.deadline for a in sheet.asks},
        **{f"vote {a.key} {a.seat}": a.vote and a.vote.cast for a in sheet.asks},
        **{f"acts {a.key} {a.seat}": a.acts_at for a in sheet.asks if a.acts_at is not None},
    }


def is_explained(what: str, old: Any, new: Any, entries: Sequence[AnyEntry]) -> bool:
    """Returns whether these log entries are the ones that this change of `what_is_shown` requires."""
    events = [entry.event for entry in entries]
    kind, _, of = what.partition(" ")
    if kind == "status":
        ends = any(entry.key is not None for entry in entries)
        return ends if new == "over" else any(isinstance(event, STATUS[new]) for event in events)
    seat = int(of.split()[-1])

    def is_told(*kinds: type[TableEvent]) -> bool:
        return any(isinstance(event, kinds) and getattr(event, "seat", None) == seat for event in events)

    anew = is_told(Returned, Replaced)
    if kind == "seat":
        (name, absent, resigned), (name_now, absent_now, resigned_now) = old, new
        return (
            (name == name_now or is_told(Replaced))
            and (absent == absent_now or is_told(*([Absent] if absent_now else [Returned, Replaced, Resigned])))
            and (resigned == resigned_now or is_told(Resigned if resigned_now else Replaced))
        )
    moved = sum(e.seconds for e in events if isinstance(e, Extended) and e.seat in (None, seat))
    if kind == "deadline":
        return anew or abs((new - old).total_seconds() - moved) <= 1
    if kind == "vote":
        return is_told(PutToVote) if old is None else anew if new is None else is_told(Voted)
    return anew or moved != 0 or is_told(Absent, Resigned, PutToVote, Voted)


class Life:
    """A match in which every possible event happens at random."""

    def __init__(self, house: House, luck: random.Random) -> None:
        self.house, self.luck = house, luck
        self.match_id = house.begin(4, late=luck.choice(("fallback", "vote")))
        self.deeds = (
            self.move, self.wait, self.wait, self.mail, self.sweep, self.sweep, self.sleep, self.vote, self.back,
            self.resign, self.substitute, self.holiday, self.hours,
        )  # fmt: skip

    def step(self) -> None:
        """Causes an event; impossible ones are refused."""
        try:
            self.luck.choice(self.deeds)()
        except Problem:
            return

    def seat(self) -> int:
        return self.luck.randrange(4)

    def move(self) -> None:
        asks = self.house.asks(self.match_id)
        if asks:
            self.house.play(self.match_id, self.luck.choice(asks).seat)

    def wait(self) -> None:
        """Advances the clock while the sweeps run all the time."""
        for _ in range(self.luck.choice((1, 8))):
            self.house.clock.forward(minutes=9)
            timeouts.beat_and_sweep_deadlines_if_web_up(self.house.site)

    def sleep(self) -> None:
        """Advances the clock while no sweep runs."""
        self.house.clock.forward(hours=self.luck.choice((1, 20)))
        timeouts.beat_and_sweep_deadlines_if_web_up(self.house.site)

    def mail(self) -> None:
        self.house.drain()

    def sweep(self) -> None:
        """Advances the clock past a deadline, and sweeps."""
        self.house.time_is_up(self.match_id)
        timeouts.sweep_deadlines(self.house.site)

    def vote(self) -> None:
        for voter in range(4):
            voting.vote_to_let_clock_move(self.house.site, claim_of(self.house.site, self.match_id, voter), self.seat())

    def back(self) -> None:
        presence.end_own_absence(self.house.site, claim_of(self.house.site, self.match_id, self.seat()))

    def resign(self) -> None:
        if self.luck.random() < 0.3:
            presence.resign(self.house.site, claim_of(self.house.site, self.match_id, self.seat()))

    def substitute(self) -> None:
        viewer, name = self.seat(), f"Sub {self.luck.randrange(10**6)}"
        links = substitutes.substitute_links_by_seat(
            self.house.site, match_views.read_sheet(self.house.site, self.match_id, viewer), viewer
        )
        for link in links.values():
            who = Invitee(name, f"{name.replace(' ', '')}@example.org")
            substitutes.ask_for_seat(
                self.house.site,
                self.house.tokens.read(VacancyClaim, link.rpartition("/")[2]),
                who,
                "en",
                "Europe/Paris",
            )
            with self.house.site.reading() as session:
                newest = max(session.exec(select(SubstituteRow.id)).all(), key=lambda number: number or 0)
            substitutes.accept_offer(
                self.house.site,
                OfferClaim(newest or 0),
                "en",
                "Europe/Paris",
            )

    def holiday(self) -> None:
        today = self.house.clock.at.date()
        holidays.add_holiday(
            self.house.site, self.luck.choice(ids_of_players(self.house)), today + DAY, today + 2 * DAY
        )

    def hours(self) -> None:
        player, quiet = self.luck.choice(ids_of_players(self.house)), self.luck.choice((None, (22, 7), (9, 17)))
        holidays.set_clock_hours(self.house.site, player, self.luck.random() < 0.5, quiet)


@pytest.mark.long
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in (4, 5))])
def test_each_change_at_a_table_besides_moves_is_explained_by_its_log(house: House, seed: int) -> None:
    life = Life(house, random.Random(seed))
    kinds = set()
    for _ in range(40):
        before, version = what_is_shown(house, life.match_id), house.view(life.match_id, None).sheet.version
        life.step()
        after, sheet = what_is_shown(house, life.match_id), house.view(life.match_id, None).sheet
        changed = {name for name in before.keys() & after.keys() if before[name] != after[name]}
        entries = [entry for entry in house.view(life.match_id, None).entries if entry.n > version]
        for name in changed:
            assert is_explained(name, before[name], after[name], entries), (name, before[name], after[name], entries)
        kinds |= {name.split()[0] for name in changed}
        if sheet.status in ("over", "cancelled"):
            break
    assert kinds >= {"deadline", "seat"}, "else nothing was put to the test"
    log = match_views.read_log(house.site, life.match_id, None)
    if log.viewer == "all":
        assert verify(log).ok
    assert fold_for_viewer(log.game, log.entries, None) == house.view(life.match_id, None).fold


# --- changed clocks ------------------------------------------------------------------------------------------


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("begins", "zone"),
    [
        pytest.param(
            "2026-03-27T20:30+00:00", "Europe/London", marks=pytest.mark.on_postgresql
        ),  # forward on Sunday the 29th
        ("2026-10-23T20:30+00:00", "Europe/London"),  # and back on Sunday the 25th
        ("2026-10-30T20:30+00:00", "America/New_York"),  # and back on Sunday, November 1st
        ("2026-04-03T20:30+00:00", "Australia/Lord_Howe"),  # by half an hour
    ],
)
@pytest.mark.parametrize("weekends_off", [False, True])
def test_across_a_dst_change_deadlines_avoid_quiet_hours_and_are_exact(
    house: House, begins: str, zone: str, weekends_off: bool
) -> None:
    house.create()
    house.clock.at = datetime.fromisoformat(begins).astimezone(UTC)
    bob = ids_of_players(house)[1]
    match_id = house.begin()
    holidays.set_clock_hours(house.site, bob, weekends_off, (0, 8), zone)
    house.drain()
    ask = next(ask for ask in house.asks(match_id) if ask.seat == 1)
    local = deadline_of(ask).astimezone(ZoneInfo(zone))
    assert local.hour >= 8
    assert not weekends_off or local.weekday() < 5
    assert deadline_of(ask) - house.clock.at >= timedelta(days=3)
    assert ask.acts_at is not None
    assert ask.acts_at.astimezone(ZoneInfo(zone)).hour >= 8
    for other in (0, 2):
        house.play(match_id, other)
    house.clock.at = ask.acts_at - timedelta(seconds=1)
    assert timeouts.sweep_deadlines(house.site) == 0
    house.clock.forward(seconds=1)
    assert timeouts.sweep_deadlines(house.site) == 1


def test_a_holiday_across_a_dst_change_gives_back_exactly_its_days(house: House) -> None:
    house.create()
    house.clock.at = datetime.fromisoformat("2026-10-23T12:00+00:00")
    match_id = house.begin()
    house.drain()
    before = next(deadline_of(ask) for ask in house.asks(match_id) if ask.seat == 1)
    holidays.add_holiday(house.site, ids_of_players(house)[1], date(2026, 10, 24), date(2026, 10, 25))
    after = next(deadline_of(ask) for ask in house.asks(match_id) if ask.seat == 1)
    assert after - before == timedelta(hours=49)  # that weekend has one hour more
    holidays.cancel_holiday(house.site, ids_of_players(house)[1], date(2026, 10, 24))
    assert next(ask.deadline for ask in house.asks(match_id) if ask.seat == 1) == before


# --- a sleeping server, the last second, two at once ---------------------------------------------------------


@pytest.mark.on_postgresql
def test_two_sweeps_and_a_move_at_once_give_back_an_outage_once(
    house: House,
) -> None:
    match_id = house.begin(3, turn_s=7200)
    timeouts.beat_and_sweep_deadlines_if_web_up(house.site)
    house.drain()
    due = {ask.seat: deadline_of(ask) for ask in house.asks(match_id)}
    house.clock.forward(hours=9)
    results = at_once(
        partial(timeouts.beat_and_sweep_deadlines_if_web_up, house.site),
        partial(timeouts.beat_and_sweep_deadlines_if_web_up, house.site),
        job_that_answers(house, match_id, 0, 0),
    )
    assert results[:2] == [0, 0], "no tick plays for anybody who has slept with the server"
    assert isinstance(results[2], moves.Receipt)
    timeouts.beat_and_sweep_deadlines_if_web_up(house.site)
    left = {ask.seat: deadline_of(ask) for ask in house.asks(match_id)}
    assert {seat: deadline - due[seat] for seat, deadline in left.items()} == dict.fromkeys((1, 2), timedelta(hours=9))


@pytest.mark.long
def test_at_the_last_second_either_the_move_or_one_of_many_sweeps_wins(house: House) -> None:
    for _ in range(2):
        match_id = house.begin()
        for seat in (1, 2):
            house.play(match_id, seat)
        house.time_is_up(match_id)
        with house.site.writing() as session:
            for ask in store.open_asks(session, match_id):
                ask.claimed_until = None
        sweeps = (partial(timeouts.sweep_deadlines, house.site) for _ in range(3))
        move, *swept = at_once(job_that_answers(house, match_id, 0, 0), *sweeps)
        assert not [result for result in swept if isinstance(result, Problem)]
        by = [entry.by for entry in house.view(match_id, None).entries if entry.key == "t0.ally0"]
        assert len(by) >= 1
        assert len({(one.seat, one.clock) for one in by}) == 1
        assert (by[0].seat == 0) == isinstance(move, moves.Receipt)
