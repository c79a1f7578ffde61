"""The clock of a match: mails that start it, holidays, outages, and a clock that was set wrong."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

import pytest

from pbem.services.clock import holidays, outages, web_heartbeat
from pbem.services.play import presence, timeouts
from pbem.services.shards import Shard
from tests.harness.undrawn import replace_pictures
from tests.services.chronicles.chronicle import Chronicle
from tests.services.letterbox import player_of
from tests.table import House, claim_of


def tell(house: House, told: Chronicle) -> None:
    with pytest.MonkeyPatch.context() as patch:
        replace_pictures(patch)
        match_id = _tell_mails(house, told)
        _tell_holidays(house, told, match_id)
        _tell_hours(house, told)
        _tell_outages(house, told, match_id)
        _set_back(house, told)


def _tell_mails(house: House, told: Chronicle) -> str:
    told.part("mails start clocks")
    match_id = house.begin(3, "hogen")
    house.follow_orders()
    told.skip()
    house.clock.forward(minutes=5)
    told.do("five minutes late", house.drain)
    other = house.begin(2, "niigata", bank_s=600)
    house.follow_orders()
    told.skip()
    house.clock.forward(minutes=5, seconds=1)
    told.do("a second more", house.drain)
    presence.resign(house.site, claim_of(house.site, other, 0))
    house.drain()
    told.skip()
    return match_id


def _tell_holidays(house: House, told: Chronicle, match_id: str) -> None:
    told.part("holidays")
    site, bob = house.site, player_of(house, "Bob").id
    assert bob is not None

    def away(first: date, last: date) -> Callable[[], None]:
        return lambda: holidays.add_holiday(site, bob, first, last)

    told.do("yesterday", away(date(2026, 3, 11), date(2026, 3, 13)))
    told.do("backwards", away(date(2026, 3, 14), date(2026, 3, 13)))
    told.do("until a year from now", away(date(2027, 3, 1), date(2027, 3, 14)))
    told.do("three days from today", away(date(2026, 3, 12), date(2026, 3, 14)))
    told.do("the last of them is taken", away(date(2026, 3, 14), date(2026, 3, 16)))
    told.do("so is what lies around them", away(date(2026, 3, 12), date(2026, 3, 20)))
    told.do("the day after", away(date(2026, 3, 15), date(2026, 3, 15)))
    told.do("27 days are too many", away(date(2026, 5, 1), date(2026, 5, 27)))
    told.do("26 are not", away(date(2026, 5, 1), date(2026, 5, 26)))
    told.do("one more is", away(date(2026, 12, 31), date(2027, 1, 1)))
    told.do("another year", away(date(2027, 1, 1), date(2027, 1, 30)))
    told.do("and a day of it", away(date(2027, 2, 1), date(2027, 2, 1)))
    told.do("as read", lambda: holidays.read_calendar(site, bob))
    told.do("no holiday begins then", lambda: holidays.cancel_holiday(site, bob, date(2026, 3, 13)))
    told.do("one to come", lambda: holidays.cancel_holiday(site, bob, date(2026, 5, 1)))
    told.do("tomorrow's", lambda: holidays.cancel_holiday(site, bob, date(2026, 3, 15)))
    house.clock.forward(days=1)
    told.do("today's ends today", lambda: holidays.cancel_holiday(site, bob, date(2026, 3, 12)))
    house.clock.forward(days=1)
    told.do("what is over stays", lambda: holidays.cancel_holiday(site, bob, date(2026, 3, 12)))
    told.do("as read at last", lambda: holidays.read_calendar(site, bob))
    assert match_id


def _tell_hours(house: House, told: Chronicle) -> None:
    told.part("weekends and quiet hours")
    site, carol = house.site, player_of(house, "Carol").id
    assert carol is not None
    told.do("weekends off", lambda: holidays.set_clock_hours(site, carol, True, None))
    told.do("once more", lambda: holidays.set_clock_hours(site, carol, True, None))
    before = holidays.read_calendar(site, carol)
    told.do("quiet hours", lambda: holidays.set_clock_hours(site, carol, True, (22, 7), was=before))
    told.do("it was another", lambda: holidays.set_clock_hours(site, carol, False, (1, 2), was=before))
    told.do("no such zone", lambda: holidays.set_clock_hours(site, carol, False, None, "Nowhere/At_All"))
    told.do("in another zone", lambda: holidays.set_clock_hours(site, carol, True, (22, 7), "Asia/Tokyo"))
    told.do("all hours again", lambda: holidays.set_clock_hours(site, carol, False, None, "Europe/London"))


def _tick(house: House) -> Callable[[], int]:
    return lambda: timeouts.beat_and_sweep_deadlines_if_web_up(house.site)


def _tell_outages(house: House, told: Chronicle, match_id: str) -> None:
    told.part("outages")
    site = house.site
    told.do("the first beat", _tick(house))
    told.do("that of the web", lambda: web_heartbeat.beat_once(site))
    house.clock.forward(seconds=29)
    told.do("29 seconds later", _tick(house))
    house.clock.forward(seconds=1)
    told.do("30 seconds after it", _tick(house))
    house.clock.forward(minutes=9, seconds=29)
    told.do("nobody stops within ten minutes", lambda: timeouts.beat_and_check_web(site))
    house.clock.forward(seconds=1)
    told.do("it is settled", lambda: outages.is_settled(site))
    house.clock.forward(seconds=1)
    told.do("not any more", lambda: outages.is_settled(site))
    told.do("the web is down", lambda: timeouts.beat_and_check_web(site))
    told.do("and up again", lambda: web_heartbeat.beat_once(site))
    told.do("which is given back", _tick(house))
    house.clock.forward(hours=25)
    told.do("half of the matches, after a day", lambda: timeouts.beat_and_sweep_deadlines_if_web_up(site, Shard(0, 2)))
    told.do("the other half", lambda: timeouts.beat_and_sweep_deadlines_if_web_up(site, Shard(1, 2)))
    told.do("the web has missed the same", lambda: web_heartbeat.beat_once(site))
    told.do("it has jumped", lambda: outages.is_settled(site))
    told.do("which is given back once", _tick(house))
    house.clock.forward(minutes=10, seconds=-1)
    told.do("for almost ten minutes", lambda: outages.is_settled(site))
    web_heartbeat.beat_once(site)
    told.do("a beat", _tick(house))
    house.clock.forward(seconds=1)
    told.do("and no longer", lambda: outages.is_settled(site))
    now = house.clock.at
    told.do(
        "by hand, in part known before",
        lambda: outages.record_outage_by_hand(site, now - timedelta(hours=30), now - timedelta(minutes=5)),
    )
    told.do("and given back", _tick(house))
    told.do(
        "nothing new", lambda: outages.record_outage_by_hand(site, now - timedelta(hours=2), now - timedelta(hours=1))
    )
    told.do("Alice plays", lambda: house.play(match_id, 0).version)


def _set_back(house: House, told: Chronicle) -> None:
    told.part("a clock set back")
    site = house.site

    def beat() -> int:
        web_heartbeat.beat_once(site)
        return timeouts.beat_and_sweep_deadlines_if_web_up(site)

    told.do("up", beat)
    house.clock.forward(seconds=-30)
    told.do("by half a minute", beat)
    house.clock.forward(seconds=-1)
    told.do("by a second more", beat)
    house.clock.forward(seconds=-1)
    told.do("by 31 seconds", beat)
    house.clock.forward(minutes=-10)
    told.do("by ten minutes more", beat)
    house.clock.forward(minutes=-10, seconds=-1)
    told.do("by more than that", beat)
    house.clock.forward(days=300)
    told.do("300 days ahead", beat)
    told.do("is not settled", lambda: outages.is_settled(site))
    house.clock.forward(days=-300, minutes=2)
    told.do("is not settled, either", lambda: outages.is_settled(site))
    told.do("set right", beat)
    told.do("and again", beat)
    told.do("matches that have lapsed", lambda: timeouts.cancel_lapsed_matches(site))
