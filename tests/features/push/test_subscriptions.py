"""Devices subscribe to a seat by its link, and are forgotten with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from pbem.errors import Gone, Invalid, Unauthorized, Unlinkable
from pbem.features.push import subscriptions
from pbem.features.push.subscriptions import PER_DEVICE, PER_SEAT
from pbem.services.lobby import matches
from pbem.services.log.cancellation import call_off
from pbem.services.log.table import lock_table
from pbem.services.privacy import erasure, retention
from pbem.services.tokens import PlayClaim
from pbem.services.views import seats
from pbem.services.who import STRANGER
from tests.features.push.device import Phone, device_with_receiver, devices_of, subscribe_device_to_seat
from tests.features.webhooks.hook_receiver import Receiver
from tests.services.letterbox import id_of
from tests.table import House, claim_of

HERE = "https://push.example.org/send/1"


@pytest.mark.long
def test_a_device_that_subscribes_again_is_kept_once_with_its_newest_keys(house: House, there: Receiver) -> None:
    match_id = house.begin()
    first = subscribe_device_to_seat(house, match_id, 0, device_with_receiver(there))
    second = subscribe_device_to_seat(house, match_id, 0, Phone(first.endpoint))
    (kept,) = devices_of(house)
    assert (kept.endpoint, kept.p256dh) == (first.endpoint, second.subscription.p256dh)
    assert first.endpoint not in kept.device


@pytest.mark.long
@pytest.mark.parametrize(
    "endpoint",
    [
        "http://push.example.org/1", "https://127.0.0.1/1", "https://10.0.0.1/", "https://[::1]/", "https://localhost/",
        "https://169.254.169.254/latest", "https://user@push.example.org/", "https://push.internal/", "ftp://a.example/",
        "https://push.example.org:22/", f"https://push.example.org/{'x' * 1000}", "",
    ],
)  # fmt: skip
def test_a_push_endpoint_must_be_a_public_server(make_house: Callable[..., House], endpoint: str) -> None:
    house = make_house()
    match_id = house.begin()
    with pytest.raises(Unlinkable):
        subscribe_device_to_seat(house, match_id, 0, Phone(endpoint))
    assert devices_of(house) == []


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "wrong",
    [
        {"p256dh": ""},
        {"p256dh": "A" * 87},
        {"p256dh": "é" * 87},
        {"p256dh": "B" * 400},
        {"auth": ""},
        {"auth": "AAAA"},
        {"auth": "!" * 22},
    ],
    ids=str,
)
def test_malformed_push_keys_are_refused(house: House, wrong: dict[str, str]) -> None:
    match_id = house.begin()
    with pytest.raises(Invalid):
        subscriptions.subscribe_device(
            house.site, claim_of(house.site, match_id, 0), replace(Phone(HERE).subscription, **wrong)
        )


@pytest.mark.long
def test_push_keys_with_base64_padding_are_accepted(house: House) -> None:
    match_id = house.begin()
    given = Phone(HERE).subscription
    padded = replace(given, p256dh=f"{given.p256dh}=", auth=f"{given.auth}==================")
    subscriptions.subscribe_device(house.site, claim_of(house.site, match_id, 0), padded)
    (kept,) = devices_of(house)
    assert (kept.p256dh, kept.auth) == (given.p256dh, given.auth)


@pytest.mark.on_postgresql
def test_a_seat_keeps_the_newest_devices(house: House) -> None:
    match_id = house.begin()
    for n in range(PER_SEAT + 2):
        house.clock.forward(seconds=1)
        subscribe_device_to_seat(house, match_id, 0, Phone(f"{HERE}{n}"))
    assert sorted(one.endpoint for one in devices_of(house)) == [f"{HERE}{n}" for n in range(2, PER_SEAT + 2)]


def test_a_device_has_a_limit_of_seats(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    assert PER_DEVICE >= 50
    monkeypatch.setattr(subscriptions, "PER_DEVICE", 1)
    device = Phone(HERE)
    first, second = house.begin(), house.begin()
    subscribe_device_to_seat(house, first, 0, device)
    subscribe_device_to_seat(house, first, 0, device)
    with pytest.raises(Invalid):
        subscribe_device_to_seat(house, second, 0, device)


@pytest.mark.long
def test_an_ended_link_cannot_subscribe_a_device(house: House) -> None:
    match_id = house.begin()
    claim = claim_of(house.site, match_id, 1)
    seats.renew_link(house.site, claim)
    with pytest.raises(Unauthorized):
        subscriptions.subscribe_device(house.site, claim, Phone(HERE).subscription)


@pytest.mark.long
def test_a_device_cannot_subscribe_to_a_match_that_is_over(house: House) -> None:
    match_id = house.begin()
    claim = claim_of(house.site, match_id, 0)
    with house.site.writing() as work:
        call_off(lock_table(work, match_id), "host")
    with pytest.raises(Gone):
        subscriptions.subscribe_device(house.site, claim, Phone(HERE).subscription)


@pytest.mark.on_postgresql
def test_a_device_that_stops_ends_all_its_seats_and_no_other_device(house: House) -> None:
    first, second = house.begin(), house.begin()
    device, other = Phone(HERE), Phone(f"{HERE}2")
    for match_id in (first, second):
        subscribe_device_to_seat(house, match_id, 0, device)
        subscribe_device_to_seat(house, match_id, 0, other)
    subscriptions.unsubscribe_device(house.site, HERE)
    assert {one.endpoint for one in devices_of(house)} == {other.endpoint}
    subscriptions.unsubscribe_device(house.site, HERE)


@pytest.mark.long
def test_erasing_a_player_forgets_the_devices_of_their_seats_at_once(house: House) -> None:
    match_id = house.begin()
    subscribe_device_to_seat(house, match_id, 0, Phone(HERE))
    subscribe_device_to_seat(house, match_id, 1, Phone(f"{HERE}2"))
    erasure.erase_player(house.site, id_of(house, "Bob"))
    assert [one.seat for one in devices_of(house)] == [0]


def test_tidying_drops_the_devices_of_old_links_and_of_long_ended_matches(house: House) -> None:
    running, ended = house.begin(), house.begin()
    for match_id in (running, ended):
        for seat in (0, 1):
            subscribe_device_to_seat(house, match_id, seat, Phone(f"{HERE}{seat}"))
    seats.renew_link(house.site, claim_of(house.site, running, 1))
    house.play_out(ended)
    retention.delete_old_rows(house.site)
    assert len(devices_of(house)) == 3
    house.clock.forward(seconds=subscriptions.KEPT / timedelta(seconds=1))
    retention.delete_old_rows(house.site)
    assert [(one.match_id, one.seat) for one in devices_of(house)] == [(running, 0)]


def test_a_guests_seat_cannot_subscribe_a_device(house: House) -> None:
    started = matches.start_match_against_bots(house.site, STRANGER, "allegeance", "Guest", "en", "Europe/London")
    claim = PlayClaim(started.match_id, started.seat, 0)
    with pytest.raises(Gone):
        subscriptions.subscribe_device(house.site, claim, Phone(HERE).subscription)
