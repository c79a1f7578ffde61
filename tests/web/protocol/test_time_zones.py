"""The time zone that a form names: by its name today, an older one, or its city alone."""

from __future__ import annotations

import pytest
from flask import Flask

from pbem.kit.texts import LANGS, Lang
from pbem.web.protocol import forms, language
from tests.harness.cases import cases
from tests.web.cast import Web


@pytest.fixture
def app(web: Web) -> Flask:
    return web.app


@cases(
    "typed, zone",
    [
        ("Buenos Aires", "America/Argentina/Buenos_Aires"),
        ("istanbul", "Europe/Istanbul"),
        ("Nicosia", "Asia/Nicosia"),
        ("Indianapolis", "America/Indiana/Indianapolis"),
        ("Calcutta", "Asia/Calcutta"),  # an older name, whose city no other zone has
        ("America/Buenos_Aires", "America/Buenos_Aires"),
        ("asia/istanbul", "Asia/Istanbul"),
        ("Atlantis", "Atlantis"),
    ],
)
def test_a_zone_is_found_by_any_of_its_names_and_by_its_city(app: Flask, typed: str, zone: str) -> None:
    with app.test_request_context(method="POST", data={"zone": typed}):
        assert forms.zone_typed() == zone


@cases("lang", LANGS)
def test_no_two_time_zones_on_offer_read_alike_and_each_has_a_country(app: Flask, lang: Lang) -> None:
    with app.test_request_context():
        language.speak(lang)
        places = [place for _, place in forms.zone_field().choices]
    assert len(places) == len(set(places)) > 400
    assert not [place for place in places if "Unknown" in place or "inconnue" in place]
