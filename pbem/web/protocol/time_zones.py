"""The time zone in forms: a field that is searched by zone, city or country, with what was typed in it."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from flask import request

from pbem.errors import Invalid
from pbem.kit.texts import Lang
from pbem.render import i18n
from pbem.render.problems import sentence
from pbem.services.players.players import checked_zone
from pbem.web.protocol.language import page_language


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
        return _choices(page_language())


def zone_field(stored: str = "Europe/Paris", *, known: bool = True) -> ZoneField:
    """Returns the field as typed; in a fresh form with the stored zone, which is a guess unless it is `known`."""
    typed = request.form.get("zone")
    if typed is None:
        return ZoneField(stored, "", guess=not known)
    try:
        checked_zone(typed_zone())
    except Invalid as problem:
        return ZoneField(typed, sentence(problem, page_language()), guess=False)
    return ZoneField(typed_zone(), "", guess=False)


def typed_zone() -> str:
    """Returns the zone that the form names in any case, or by its city alone; else the text as typed."""
    typed = request.form.get("zone", "").strip()
    return _by_name().get(typed.casefold().replace(" ", "_"), typed)


@cache
def _by_name() -> dict[str, str]:
    """Returns the zones by their names and by those of their cities, in lower case.

    A city that several older names share names no zone, unless it is in a name that is used today.
    """
    names = {zone.casefold(): zone for zone in i18n.zones()}
    return _by_city(i18n.zones()) | _by_city(i18n.places()) | names


def _by_city(zones: Iterable[str]) -> dict[str, str]:
    """Returns the zones by their cities' names in lower case, without those that have the same."""
    cities = [(zone.rpartition("/")[2].casefold(), zone) for zone in zones]
    times = Counter(city for city, _ in cities)
    return {city: zone for city, zone in cities if times[city] == 1}


@cache
def _choices(lang: Lang) -> tuple[tuple[str, str], ...]:
    return (*((zone, i18n.zone_place(zone, lang)) for zone in sorted(i18n.places())), ("UTC", "UTC"))
