"""The two languages of the service: French first, then English.

Source messages are English; `pbem/translations` holds the French ones. Nothing here needs a request or
Flask, so workers and pages use the same texts. Dates, times and places follow CLDR.
"""

from __future__ import annotations

import gettext
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path
from zoneinfo import ZoneInfo, available_timezones

from babel import Locale
from babel.dates import format_datetime, get_timezone_location
from babel.lists import format_list
from babel.numbers import format_decimal
from babel.units import format_unit

from pbem.errors import N_
from pbem.kit.bots import extra_bots
from pbem.kit.contract import AnyGame
from pbem.kit.notation import seat_letter
from pbem.kit.texts import LANGS, Lang
from pbem.render.phrases import EnglishCatalogue, FrenchCatalogue, elide_before_name, isolate_direction

CATALOGUES = Path(__file__).resolve().parent.parent / "translations"

# British English: day before month, 24 hours, no comma before the last "and".
_LOCALES: dict[Lang, Locale] = {"fr": Locale("fr", "FR"), "en": Locale("en", "GB")}
_NBSP = "\u00a0"
_CLOCKS: dict[Lang, str] = {"fr": f"H'{_NBSP}h{_NBSP}'mm", "en": "HH:mm"}


@cache
def message_catalogue(lang: Lang) -> gettext.NullTranslations:
    """Returns the catalogue of a language: `gettext` and `ngettext` from English messages.

    Raises FileNotFoundError if the compiled French catalogue is missing.
    """
    if lang == "en":
        return EnglishCatalogue()
    return gettext.translation("messages", CATALOGUES, [lang], class_=FrenchCatalogue)


def language_of_wishes(wishes: Iterable[tuple[str, float]]) -> Lang | None:
    """Returns the language that a reader wants most of those we speak, whatever its region; None if they want neither.

    Args:
        wishes: tags and their qualities, as in Accept-Language, the most wanted first: ("fr-CA", 1.0), ("en", 0.8).
    """
    for tag, quality in wishes:
        for lang in LANGS:
            if quality and tag.lower().replace("_", "-").split("-")[0] == lang:
                return lang
    return None


@cache
def zones() -> frozenset[str]:
    """Returns the names of all time zones of the IANA list."""
    return frozenset(available_timezones()) - {"localtime", "Factory"}


@cache
def country_codes_by_current_zone() -> Mapping[str, str]:
    """Returns the zones named after a place that the IANA list goes by today, with their countries' codes.

    Older names of the same zones, which stay valid, are not among them.
    """
    table = (files("tzdata") / "zoneinfo" / "zone.tab").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in table.splitlines() if line and not line.startswith("#"))
    return {row[2]: row[0] for row in rows}


@lru_cache(1024)
def moment(at: datetime, zone: str, lang: Lang) -> str:
    """Returns the moment with its day of the week: "jeudi 14 mars, 18 h 30", "Thursday 14 March, 18:30".

    Raises ValueError for a naive datetime, ZoneInfoNotFoundError for an unknown zone.
    """
    return f"{day_with_weekday(at, zone, lang)}, {_time_of_day(at, zone, lang)}"


@lru_cache(1024)
def short_moment(at: datetime, zone: str, lang: Lang) -> str:
    """Returns the moment in as few letters as can be read: "jeu. 14 mars, 18 h 30", "Thu 14 Mar 18:30".

    Raises as `moment`.
    """
    comma = "," if lang == "fr" else ""
    weekday, date = _format_moment(at, zone, lang, "EEE"), _day_and_month(at, zone, lang, "MMM")
    return f"{weekday} {date}{comma} {_time_of_day(at, zone, lang)}"


def day_with_weekday(at: datetime, zone: str, lang: Lang) -> str:
    """Returns the day with its name: "jeudi 14 mars", "Thursday 14 March". Raises as `moment`."""
    return f"{_format_moment(at, zone, lang, 'EEEE')} {_day_and_month(at, zone, lang)}"


def date_with_weekday(when: date, lang: Lang) -> str:
    """Returns a day of somebody's own calendar, whatever their zone, as `day_with_weekday` writes it."""
    return day_with_weekday(datetime.combine(when, time(12), UTC), "UTC", lang)


def weekday(number: int, lang: Lang) -> str:
    """Returns the name of a day of the week, 0 for Monday, as it stands in a sentence.

    >>> weekday(6, "en"), weekday(0, "fr")
    ('Sunday', 'lundi')
    """
    return str(Locale(lang).days["format"]["wide"][number])


def day_and_time(at: datetime, zone: str, lang: Lang) -> str:
    """Returns the moment without its day of the week: "12 mars 13 h 04", "12 March 13:04". Raises as `moment`."""
    return f"{_day_and_month(at, zone, lang)} {_time_of_day(at, zone, lang)}"


def moment_to_the_second(at: datetime, zone: str, lang: Lang) -> str:
    """Returns the moment with its seconds: "12 mars 13 h 04 min 09 s", "12 March 13:04:09". Raises as `moment`."""
    return f"{_day_and_month(at, zone, lang)} {clock_to_the_second(at, zone, lang)}"


def clock_to_the_second(at: datetime, zone: str, lang: Lang) -> str:
    """Returns the time of day: "13 h 04 min 09 s", "13:04:09". Raises as `moment`."""
    return _format_moment(
        at, zone, lang, _CLOCKS[lang] + (f"'{_NBSP}min{_NBSP}'ss'{_NBSP}s'" if lang == "fr" else ":ss")
    )


def _day_and_month(at: datetime, zone: str, lang: Lang, month: str = "MMMM") -> str:
    day = _format_moment(at, zone, lang, f"d {month}")
    return f"1er{day[1:]}" if lang == "fr" and day.startswith("1 ") else day


def _time_of_day(at: datetime, zone: str, lang: Lang) -> str:
    return _format_moment(at, zone, lang, _CLOCKS[lang])


def _format_moment(at: datetime, zone: str, lang: Lang, pattern: str) -> str:
    if at.tzinfo is None:
        raise ValueError("a naive datetime is no moment")
    return format_datetime(at, pattern, tzinfo=ZoneInfo(zone), locale=_LOCALES[lang])


@lru_cache(1024)
def zone_name(at: datetime, zone: str, lang: Lang) -> str:
    """Returns the name of a zone's time: "heure de Paris", "Paris time".

    A zone without a place is named by its offset from UTC at that moment: "UTC+3".
    """
    info = ZoneInfo(zone)
    if "/" not in zone or zone.startswith("Etc/"):
        minutes = round((at.astimezone(info).utcoffset() or timedelta()).total_seconds() / 60)
        hours, rest = divmod(abs(minutes), 60)
        return f"UTC{'+' if minutes > 0 else '−'}{hours}{f':{rest:02}' if rest else ''}" if minutes else "UTC"
    place = get_timezone_location(info, locale=_LOCALES[lang], return_city=True).rpartition("/")[2]
    return f"heure {_french_genitive(place)}" if lang == "fr" else f"{place} time"


def zone_country_and_city(zone: str, lang: Lang) -> str:
    """Returns the country of a zone named after a place, with the city if it has several zones: "Canada (Halifax)"."""
    locale = _LOCALES[lang]
    before, _, after = locale.zone_formats["region"].partition("%s")
    place = get_timezone_location(ZoneInfo(zone), locale=locale).removeprefix(before).removesuffix(after)
    # Zones that are newer than the Unicode data have a city there, and no country.
    return place.replace(locale.territories["ZZ"], locale.territories[country_codes_by_current_zone().get(zone, "ZZ")])


def _french_genitive(place: str) -> str:
    """Returns the French place with its "de": "du Caire", "d’Athènes", "de Paris"."""
    if place.startswith("Le "):
        return f"du {place[3:]}"
    if place.startswith("Les "):
        return f"des {place[4:]}"
    return elide_before_name("de ", place) + place


def time_left(left: timedelta, lang: Lang) -> str:
    """Returns a length of time in its two largest units, rounded down: "2 j 5 h", "5 h 20 min"; at least "1 min".

    A negative one counts as one minute: nobody is told that they have less than nothing.
    """
    minutes = max(1, int(left.total_seconds() // 60))
    days, hours, rest = minutes // 1440, minutes // 60 % 24, minutes % 60
    units = {"fr": ("j", "h", "min"), "en": ("d", "h", "min")}[lang]
    parts = [f"{n}{_NBSP}{unit}" for n, unit in zip((days, hours, rest), units, strict=True) if n]
    if days and rest:
        parts = parts[:-1]
    return _NBSP.join(parts)


@lru_cache(256)
def duration_in_words(time: timedelta, lang: Lang) -> str:
    """Returns a length of time in full words: "3 jours", "1 day and 12 hours"; whole minutes, at least one."""
    minutes = max(1, round(time.total_seconds() / 60))
    amounts = {"day": minutes // 1440, "hour": minutes // 60 % 24, "minute": minutes % 60}
    parts = [format_unit(n, f"duration-{unit}", locale=_LOCALES[lang]) for unit, n in amounts.items() if n]
    return join_and([_NBSP.join(part.split()) for part in parts], lang)


def rating_text(value: int, plus_minus: int, lang: Lang) -> str:
    """Returns a rating with its uncertainty, which no line break divides: "1 480 ± 90", "1,480 ± 90"."""
    return f"{format_decimal(value, locale=_LOCALES[lang])}{_NBSP}±{_NBSP}{plus_minus}"


def join_and(items: Sequence[str], lang: Lang) -> str:
    """Returns the items as a sentence lists them: "Alice, Bob et Carol", "Alice, Bob and Carol"; "" for none."""
    return format_list([isolate_direction(item) for item in items], locale=_LOCALES[lang])


def player_names_by_letter(seats: int, lang: Lang) -> list[str]:
    """Returns what players are called where nobody knows their names: by the letters of their seats."""
    name = message_catalogue(lang).gettext("Player %(letter)s")
    return [name % {"letter": seat_letter(seat)} for seat in range(seats)]


def ordinal(number: int, lang: Lang) -> str:
    """Returns the ordinal in digits: "2e", "2nd".

    >>> [ordinal(number, "en") for number in (1, 2, 3, 4, 11, 22, 113)], ordinal(2, "fr")
    (['1st', '2nd', '3rd', '4th', '11th', '22nd', '113th'], '2e')
    """
    if lang == "fr":
        return "1re" if number == 1 else f"{number}e"
    last = 0 if number // 10 % 10 == 1 else number % 10
    return f"{number}{('th', 'st', 'nd', 'rd', *['th'] * 6)[last]}"


def format_number(value: float, lang: Lang) -> str:
    """Returns the number with two decimals at most, as the language writes it.

    >>> format_number(2.5, "fr"), format_number(2.0, "en"), format_number(1 / 3, "en")
    ('2,5', '2', '0.33')
    """
    written = f"{value:.2f}".rstrip("0").rstrip(".")
    return written.replace(".", ",") if lang == "fr" else written


def points_in_words(value: float, lang: Lang) -> str:
    """Returns this many points in words; French has the plural from two on."""
    one = value < 2 if lang == "fr" else value == 1
    return message_catalogue(lang).ngettext("%(points)s point", "%(points)s points", 1 if one else 2) % {
        "points": format_number(value, lang)
    }


def join_or(items: Sequence[str], lang: Lang) -> str:
    """Returns the items as a sentence offers them: "3 ou 4", "2, 3 or 4"; "" for none."""
    return format_list([isolate_direction(item) for item in items], style="or", locale=_LOCALES[lang])


BOTS: Mapping[str, tuple[str, str, str]] = {
    "random": (N_("Random bot"), N_("Random"), N_("plays anything the rules allow.")),
    "easy": (N_("Easy bot"), N_("Easy"), N_("looks only a little ahead.")),
    "greedy": (N_("Good bot"), N_("Good"), N_("takes what looks best now.")),
    "fair": (N_("Strong bot"), N_("Strong"), N_("thinks ahead before each move.")),
    "strong": (N_("Very strong bot"), N_("Very strong"), N_("thinks longer, for some seconds a move.")),
}
"""A bot's title, how strong it is in a word or two, and how it plays in a short sentence after that."""


def bot_title(game: AnyGame, bot: str, lang: Lang) -> str:
    """Returns the bot's title; a bot of the game or of a package goes by its own name, or by that of its package."""
    _ = message_catalogue(lang).gettext
    return _(BOTS[bot][0]) if bot in BOTS else _("Bot: %(name)s") % {"name": bot_level(game, bot, lang)}


def bot_level(game: AnyGame, bot: str, lang: Lang) -> str:
    """Returns how strong the bot is; a bot that only its game knows goes by its own name."""
    if (packaged := extra_bots(game).get(bot)) is not None:
        return packaged.title[lang]
    return message_catalogue(lang).gettext(BOTS[bot][1]) if bot in BOTS else bot


def bot_manner(game: AnyGame, bot: str, lang: Lang) -> str:
    """Returns how the bot plays; "" for a bot that only its game knows."""
    if (packaged := extra_bots(game).get(bot)) is not None:
        return packaged.strength[lang]
    return message_catalogue(lang).gettext(BOTS[bot][2]) if bot in BOTS else ""
