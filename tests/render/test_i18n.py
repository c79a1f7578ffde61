"""Moments, durations and lists as French and English write them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from werkzeug.datastructures import LanguageAccept
from werkzeug.http import parse_accept_header

from pbem.kit.texts import LANGS
from pbem.render import i18n
from tests.harness.cases import cases

EVENING = datetime(2024, 3, 14, 17, 30, tzinfo=UTC)
SUMMER = datetime(2024, 7, 1, 22, 5, tzinfo=UTC)


@cases(
    "header, language",
    [
        ("fr-CA,en;q=0.8", "fr"),
        ("fr-FR,en-US;q=0.7,en;q=0.3", "fr"),
        ("en-GB,fr;q=0.8", "en"),
        ("en;q=0.3,de,FR-be;q=0.5", "fr"),
        ("de-CH,en-IE;q=0.5,fr;q=0", "en"),
        ("fr;q=0,de", None),
        ("de,frr,*;q=0.1", None),
        ("", None),
    ],
)
def test_the_region_of_a_language_in_accept_language_does_not_matter(header: str, language: str | None) -> None:
    assert i18n.language_of_wishes(parse_accept_header(header, LanguageAccept)) == language


def test_a_moment_has_its_weekday_and_the_readers_clock() -> None:
    assert i18n.moment(EVENING, "Europe/Paris", "fr") == "jeudi 14 mars, 18\u00a0h\u00a030"
    assert i18n.moment(EVENING, "Europe/Paris", "en") == "Thursday 14 March, 18:30"
    assert i18n.moment(EVENING, "America/New_York", "en") == "Thursday 14 March, 13:30"


def test_moments_are_shown_in_the_readers_zone_with_summer_time() -> None:
    assert i18n.moment(SUMMER, "Europe/Paris", "fr") == "mardi 2 juillet, 0\u00a0h\u00a005"
    assert i18n.moment(SUMMER, "UTC", "fr") == "lundi 1er juillet, 22\u00a0h\u00a005"


def test_a_short_moment_has_no_weekday() -> None:
    assert i18n.day_and_time(EVENING, "Europe/Paris", "fr") == "14 mars 18\u00a0h\u00a030"
    assert i18n.day_and_time(EVENING, "Europe/Paris", "en") == "14 March 18:30"


def test_a_moment_can_be_shown_to_the_second() -> None:
    at = EVENING.replace(second=7)
    assert i18n.moment_to_the_second(at, "Europe/Paris", "fr") == "14 mars 18\u00a0h\u00a030\u00a0min\u00a007\u00a0s"
    assert i18n.moment_to_the_second(at, "Europe/Paris", "en") == "14 March 18:30:07"


def test_a_naive_moment_is_refused() -> None:
    with pytest.raises(ValueError, match="naive"):
        i18n.moment(EVENING.replace(tzinfo=None), "Europe/Paris", "fr")


@cases(
    "zone, french, english",
    [
        ("Europe/Paris", "heure de Paris", "Paris time"),
        ("Europe/Athens", "heure d’Athènes", "Athens time"),
        ("Africa/Cairo", "heure du Caire", "Cairo time"),
        ("America/Argentina/Ushuaia", "heure d’Ushuaïa", "Ushuaia time"),
        ("Etc/GMT+3", "UTC−3", "UTC−3"),
        ("UTC", "UTC", "UTC"),
    ],
)
def test_a_zone_is_named_by_its_place_or_its_distance(zone: str, french: str, english: str) -> None:
    assert i18n.zone_name(EVENING, zone, "fr") == french
    assert i18n.zone_name(EVENING, zone, "en") == english


def test_every_zone_has_a_name_without_a_narrow_space() -> None:
    names = {i18n.zone_name(EVENING, zone, lang) for zone in i18n.zones() for lang in LANGS}
    assert len(names) > 400
    assert not [name for name in names if "\u202f" in name or "/" in name or not name.strip()]


@cases(
    "zone, french, english",
    [
        ("Europe/Paris", "France", "France"),
        ("America/New_York", "États-Unis (New York)", "United States (New York)"),
        ("Indian/Reunion", "La Réunion", "Réunion"),
        ("America/Coyhaique", "Chili (Coyhaique)", "Chile (Coyhaique)"),
    ],
)
def test_a_zone_is_listed_under_its_country(zone: str, french: str, english: str) -> None:
    assert i18n.zone_country_and_city(zone, "fr") == french
    assert i18n.zone_country_and_city(zone, "en") == english


def test_only_listed_time_zones_are_accepted() -> None:
    assert "Europe/Paris" in i18n.zones()
    assert not {"", "Paris", "../etc/passwd", "localtime", "Europe/Paris\n"} & i18n.zones()


@cases(
    "left, french, english",
    [
        (timedelta(days=2, hours=5, minutes=9), "2 j 5 h", "2 d 5 h"),
        (timedelta(days=2, minutes=9), "2 j", "2 d"),
        (timedelta(hours=5, minutes=20), "5 h 20 min", "5 h 20 min"),
        (timedelta(seconds=59), "1 min", "1 min"),
        (timedelta(seconds=-1), "1 min", "1 min"),
    ],
)
def test_remaining_time_is_given_in_two_units(left: timedelta, french: str, english: str) -> None:
    assert i18n.time_left(left, "fr") == french.replace(" ", "\u00a0")
    assert i18n.time_left(left, "en") == english.replace(" ", "\u00a0")


def test_a_duration_is_given_in_full_words() -> None:
    assert i18n.duration_in_words(timedelta(days=3), "fr") == "3\u00a0jours"
    assert i18n.duration_in_words(timedelta(days=1, hours=12), "en") == "1\u00a0day and 12\u00a0hours"
    assert i18n.duration_in_words(timedelta(minutes=30), "fr") == "30\u00a0minutes"
    assert i18n.duration_in_words(timedelta(0), "en") == "1\u00a0minute"


def test_names_are_listed_with_commas_and_a_last_and() -> None:
    assert i18n.join_and(["Alice", "Bob", "Carol"], "fr") == "Alice, Bob et Carol"
    assert i18n.join_and(["Alice", "Bob", "Carol"], "en") == "Alice, Bob and Carol"
    assert i18n.join_and(["Alice"], "en") == "Alice"
    assert i18n.join_and([], "fr") == ""


@cases(
    "points, french, english",
    [(0, "0 point", "0 points"), (1, "1 point", "1 point"), (1.5, "1,5 point", "1.5 points"),
     (2, "2 points", "2 points"), (0.5, "0,5 point", "0.5 points")],
)  # fmt: skip
def test_points_are_plural_from_two_in_french_and_except_one_in_english(
    points: float, french: str, english: str
) -> None:
    assert i18n.points_in_words(points, "fr").replace("\u00a0", " ") == french
    assert i18n.points_in_words(points, "en").replace("\u00a0", " ") == english
