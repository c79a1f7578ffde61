"""What several forms have: fields for a lucky word, a zone, a bot, a language, and the version they were opened with.

A form that was opened before somebody saved another one is answered by a page that shows both, and saves whichever is
wanted (`ask_again`). A time zone is searched by its name, by a city or by a country.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any

from flask import Response, g, request

from pbem.errors import Changed, Invalid
from pbem.kit.texts import Lang
from pbem.render import i18n
from pbem.render.problems import problem_sentence
from pbem.services.lobby.match_request import normalise_and_check_lucky_word
from pbem.services.players.players import FIRST_ZONE, check_zone
from pbem.services.versions import merge_and_list_clashes
from pbem.web.protocol.language import _, page_language
from pbem.web.protocol.page import page, site


@dataclass(frozen=True)
class LuckyField:
    """The field: what stands in it, and what is wrong with that, or ""."""

    value: str
    trouble: str


def lucky_field(proposed: str = "") -> LuckyField:
    """Returns the field as typed; in a fresh form with the word that is proposed."""
    typed = request.form.get("word")
    return LuckyField(proposed, "") if typed is None else LuckyField(typed, lucky_word_error(typed))


def error_of_check(check: Callable[[], object]) -> str:
    """Returns in a sentence why something typed is Invalid, as the check says by raising it; "" if it raises none."""
    try:
        check()
    except Invalid as problem:
        return problem_sentence(problem, page_language())
    return ""


def lucky_word_error(typed: str) -> str:
    """Returns in a sentence why this is no lucky word; "" if it is one, or nothing."""
    return error_of_check(lambda: normalise_and_check_lucky_word(typed))


def lucky_word_typed() -> str | None:
    """Returns the lucky word of the form as it was typed; None if the form has none."""
    return request.form.get("word")


@dataclass(frozen=True)
class ZoneField:
    """A form's time zone: what stands in the field, and what is wrong with it, "" for nothing.

    With `guess` the browser's zone is proposed instead, if a script can tell it: its owner has not chosen any yet.
    """

    zone: str
    trouble: str
    guess: bool

    @property
    def choices(self) -> tuple[tuple[str, str], ...]:
        """Returns the zones to choose from, each with its place."""
        return _zone_choices(page_language())

    @property
    def time_name(self) -> str:
        """Returns what the time of the zone in the field is called, such as "Paris time"; the field must be right."""
        return i18n.zone_name(site().now(), self.zone, page_language())

    @property
    def time_names(self) -> Mapping[str, str]:
        """Returns what the times of the zones to choose from are called."""
        return _zone_time_names(page_language())


def zone_field(stored: str = FIRST_ZONE, *, known: bool = True) -> ZoneField:
    """Returns the field as typed; in a fresh form with the stored zone, which is a guess unless it is `known`."""
    typed = request.form.get("zone")
    if typed is None:
        return ZoneField(stored, "", guess=not known)
    trouble = error_of_check(lambda: check_zone(zone_typed()))
    return ZoneField(typed if trouble else zone_typed(), trouble, guess=False)


def language_typed(own: str | None = None) -> str:
    """Returns the language that the form names; without a field for one the reader's `own`, or that of the page."""
    return request.form.get("language", own or page_language())


def zone_typed() -> str:
    """Returns the zone that the form names in any case, or by its city alone; else the text as typed."""
    typed = request.form.get("zone", "").strip()
    return _zones_by_name().get(typed.casefold().replace(" ", "_"), typed)


@cache
def _zones_by_name() -> dict[str, str]:
    """Returns the zones by their names and by those of their cities, in lower case.

    A city that several older names share names no zone, unless it is in a name that is used today.
    """
    names = {zone.casefold(): zone for zone in i18n.zones()}
    return _zones_by_city(i18n.zones()) | _zones_by_city(i18n.country_codes_by_current_zone()) | names


def _zones_by_city(zones: Iterable[str]) -> dict[str, str]:
    """Returns the zones by their cities' names in lower case, without those that have the same."""
    cities = [(zone.rpartition("/")[2].casefold(), zone) for zone in zones]
    times = Counter(city for city, _ in cities)
    return {city: zone for city, zone in cities if times[city] == 1}


@cache
def _zone_choices(lang: Lang) -> tuple[tuple[str, str], ...]:
    return (
        *((zone, i18n.zone_country_and_city(zone, lang)) for zone in sorted(i18n.country_codes_by_current_zone())),
        ("UTC", "UTC"),
    )


@cache
def _zone_time_names(lang: Lang) -> Mapping[str, str]:
    return {zone: i18n.zone_name(datetime.min.replace(tzinfo=UTC), zone, lang) for zone, _ in _zone_choices(lang)}


@dataclass(frozen=True)
class Field:
    """A value of a form, as it is stored and as it was entered.

    `says` puts it into words. A text is entered in the field `name`, of this many `lines`; None: it was chosen.
    """

    title: str
    stored: Any
    entered: Any
    says: Callable[[Any], str] = str
    name: str | None = None
    lines: int = 1
    longest: int = 0


def form_version_seen() -> str | None:
    """Returns the version that came with the form; None if it was opened before forms had one."""
    return request.form.get("version")


def yes_or_no(value: bool) -> str:
    """Returns whether a box is ticked, in words."""
    return _("yes") if value else _("no")


def ask_again_after_change(problem: Changed, fields: Sequence[Field], back: str) -> Response:
    """Renders what is stored beside what was entered, with the button that saves the latter all the same.

    `fields` are all values of the form, in the order of its version; those that would change are shown. What was
    entered is kept in the page. `back` is the address of the page with the stored values.
    """
    merged = merge_and_list_clashes(
        form_version_seen(), [one.stored for one in fields], [one.entered for one in fields]
    )
    differ = [one for one, value in zip(fields, merged.values, strict=True) if value != one.stored]
    g.refusal = problem.code
    own = {"csrf_token", "version", *(one.name for one in differ)}
    return page(
        "stale.html", status=409, fields=differ, version=merged.version, back=back, action=request.path,
        guarded="csrf_token" in request.form,
        others=[(name, value) for name, value in request.form.items(multi=True) if name not in own],
    )  # fmt: skip
