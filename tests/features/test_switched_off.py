"""With PBEM_FEATURES a host switches features off: then their addresses say so, and nothing else changes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlalchemy import text

from pbem.discovery import packages_of_features
from pbem.services.privacy import erasure, retention
from tests.features.playing import WAYS, play_match
from tests.features.push.device import Phone, devices_of, subscribe_device_to_seat
from tests.harness.cases import cases
from tests.table import House, address_of
from tests.web.cast import Web

SAID = {"en": "This site does not offer this feature.", "fr": "Ce site ne propose pas cette fonction."}
PHONE = Phone("https://push.example.org/send/1")


def restart_without_features(house: House) -> House:
    """Returns the house with all features switched off, as after a restart."""
    object.__setattr__(house.site.config, "features", ())
    return house


def test_with_all_features_off_a_match_goes_on_by_mail_page_and_api(make_house: Callable[..., House]) -> None:
    house = make_house(features=())
    assert play_match(house, "hogen", 6) == ("running", dict.fromkeys(WAYS, 2))


@cases("lang", ["en", "fr"])
def test_the_url_of_a_switched_off_page_answers_410_with_a_sentence(make_web: Callable[..., Web], lang: str) -> None:
    answer = make_web(features=()).client().get(f"/sw.js?lang={lang}")
    assert (answer.status_code, answer.mimetype) == (410, "text/html")
    assert SAID[lang] in answer.text


def test_a_switched_off_json_url_answers_410_in_json(make_web: Callable[..., Web]) -> None:
    client = make_web(features=()).client()
    for path in ("/push/stop", "/play/x/push", "/play/x/push/opened"):
        answer = client.post(path, json={"endpoint": "x"}, headers={"Accept-Language": "en"})
        assert (answer.status_code, answer.mimetype) == (410, "application/problem+json")
        assert answer.get_json() == {"status": 410, "code": "not_offered", "detail": SAID["en"]}


def test_static_files_of_a_feature_that_is_off_are_not_served(make_web: Callable[..., Web]) -> None:
    on, off = make_web().client(), make_web(features=()).client()
    for name, status in (("features/push/push.js", 410), ("scripts/live.js", 200), ("features/none/push.js", 404)):
        assert off.get(f"/static/any/{name}").status_code == status
    assert on.get("/static/any/features/push/push.js").mimetype == "text/javascript"
    assert on.get("/static/any/features/push/../tables.py").status_code == 404


def test_a_seats_page_and_the_metrics_mention_push_only_while_it_is_on(
    web: Web, hogen: str, make_web: Callable[..., Web]
) -> None:
    for here, named in ((web, True), (make_web(features=()), False)):
        seat = here.client().get(here.link("play", hogen, 0)).text
        assert ("push" in seat) == named
        assert "data-sound" in seat, "the sound of the page is no part of it"
        assert ("pbem_push_total" in here.client().get("/metrics").text) == named


@cases("lang", ["en", "fr"])
def test_the_help_page_describes_only_features_that_are_on(make_web: Callable[..., Web], lang: str) -> None:
    on, off = (make_web(**said).client().get(f"/help?lang={lang}").text for said in ({}, {"features": ()}))
    assert "<h2>Notifications</h2>" in on
    assert "<h2>Notifications</h2>" not in off
    assert "features" not in off


def test_a_seats_page_has_a_new_etag_once_a_feature_is_switched_off(web: Web, hogen: str) -> None:
    link = web.link("play", hogen, 0)
    tag = web.client().get(link).headers["ETag"]
    assert web.client().get(link, headers={"If-None-Match": tag}).status_code == 304
    object.__setattr__(web.site.config, "features", ())
    assert web.client().get(link, headers={"If-None-Match": tag}).status_code == 200


@pytest.fixture
def match_with_device(house: House) -> str:
    """A match whose first seat has a device."""
    match_id = house.begin()
    subscribe_device_to_seat(house, match_id, 0, PHONE)
    return match_id


def test_with_push_off_mails_are_sent_at_once_and_devices_are_kept(house: House, match_with_device: str) -> None:
    restart_without_features(house).drain()
    assert house.mail.to(address_of("Alice"))
    assert [one.seat for one in devices_of(house)] == [0]
    with house.site.engine.connect() as connection:
        assert connection.execute(text("SELECT count(*) FROM outbox WHERE pushed_at IS NOT NULL")).scalar_one() == 0


def test_erasure_deletes_data_of_features_that_are_off(house: House, match_with_device: str) -> None:
    restart_without_features(house)
    with house.site.reading() as session:
        player = session.connection().execute(text("SELECT player_id FROM seats WHERE seat = 0")).scalar_one()
    erasure.erase_player(house.site, player)
    assert devices_of(house) == []


def test_retention_deletes_old_rows_of_features_that_are_off(house: House, match_with_device: str) -> None:
    house.play_out(match_with_device)
    house.clock.forward(days=8)
    retention.delete_old_rows(restart_without_features(house).site)
    assert devices_of(house) == []


def test_all_features_are_on_by_default(house: House) -> None:
    assert house.site.config.features == tuple(packages_of_features())
