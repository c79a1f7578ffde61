"""The secrecy law for notifications: on two worlds that differ only in what a viewer may not see, their devices are
notified at the same moments, with the same bytes before they are encrypted."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from sqlalchemy import text

from pbem.features.push import ahead
from pbem.features.push.notices import Notice
from pbem.features.push.subscriptions import Call
from pbem.features.push.tables import PushSubscription
from pbem.kit.contract import AnyGame
from pbem.services.site import Site
from tests.features.push.device import Phone, subscribe_device_to_seat
from tests.secrecy.received import (
    a_match_with_other_worlds,
    copy_with,
    full_log,
    reopen_mail,
    tables_to_compare,
    worlds_of,
)
from tests.table import House, submit_answer

pytestmark = pytest.mark.usefixtures("no_lookups")

Sent = list[tuple[bytes, str, int, str]]


@pytest.fixture
def pushes(monkeypatch: pytest.MonkeyPatch) -> Sent:
    """What the push services are given: the text before it is encrypted, and what they read themselves."""
    made: Sent = []

    def notify(site: Site, devices: Sequence[PushSubscription], notice: Notice) -> list[Call]:
        made.append((notice.payload(), notice.tag, notice.ttl_s, notice.urgency))
        return [Call(device, "accepted") for device in devices]

    monkeypatch.setattr(ahead, "notify_devices", notify)
    return made


def what_device_is_sent(house: House, match_id: str, viewer: int, sent: Sent) -> Sent:
    """Returns what the viewer's device is sent about the newest mail, and after their first blind move."""
    sent.clear()
    reopen_mail(house, viewer)
    house.drain()
    view = house.view(match_id, viewer)
    move = next((m for m in view.legal() if type(m).__name__ in worlds_of(view.game.meta.slug).BLIND_MOVES), None)
    if view.ask is not None and move is not None:
        submit_answer(house.site, match_id, viewer, view.ask.key, move, "api")
        house.drain()
    return [*sent]


@pytest.mark.sample(1, 2)
@pytest.mark.parametrize(("game", "at", "everybody"), tables_to_compare())
def test_devices_in_two_worlds_that_look_alike_are_notified_of_the_same(
    game: AnyGame, at: int, everybody: bool, house: House, tmp_path: Path, pushes: Sent
) -> None:
    match_id, pairs = a_match_with_other_worlds(house, game, at, everybody)
    seats = {viewer for viewer, _ in pairs if viewer is not None}
    for seat in seats:
        subscribe_device_to_seat(house, match_id, seat, Phone(f"https://push.example.org/{seat}"))
    true, asked = full_log(house, match_id), {ask.seat for ask in house.asks(match_id)}
    for number, (viewer, other) in enumerate(pairs):
        if viewer is None:
            continue
        here = copy_with(house, match_id, true, tmp_path / f"here{number}")
        there = copy_with(house, match_id, other, tmp_path / f"there{number}")
        first = what_device_is_sent(here, match_id, viewer, pushes)
        assert bool(first) >= (viewer in asked), "a seat that is asked is notified"
        assert first == what_device_is_sent(there, match_id, viewer, pushes)
        for world in (here, there):
            world.site.engine.dispose()


@pytest.mark.long
def test_a_notification_does_not_tell_how_many_mails_others_have_got(
    house: House, tmp_path: Path, pushes: Sent
) -> None:
    """In one world the mails before it have other numbers: somebody else was mailed, or was not."""
    match_id = house.begin(3, "hagakure")
    seat = house.asks(match_id)[0].seat
    subscribe_device_to_seat(house, match_id, seat, Phone("https://push.example.org/1"))
    got = []
    for place, more in (("here", 0), ("there", 1000)):
        world = copy_with(house, match_id, full_log(house, match_id), tmp_path / place)
        with world.site.engine.begin() as connection:
            connection.execute(text("UPDATE outbox SET id = id + :more"), {"more": more})
        pushes.clear()
        reopen_mail(world, seat)
        world.drain()
        got.append([*pushes])
        world.site.engine.dispose()
    assert got[0]
    assert got[0] == got[1]
