"""Leagues, seasons and entrants as programs send and see them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, get_type_hints

import marshmallow as ma
from marshmallow import fields, validate
from msgspec import Meta, Struct, convert

from pbem.api.protocol.bodies import BoundedInt, Generated, RequestSchema, SingleLine, StrictBool
from pbem.errors import N_
from pbem.features.leagues.entry.entrants import EntrantView
from pbem.features.leagues.reading import LeagueView, LeagueWithSeasons, Page, SeasonListed, SeasonView, SharedDeal
from pbem.features.leagues.scores.standings import Division, StandingShown
from pbem.features.leagues.terms import SeasonTerms

PAIRING, UNFINISHED = ("rotation", "organiser"), ("half", "standing", "none")
_MOST = 10_000_000
_OUT = N_("This number is out of range.")

_HINTS = get_type_hints(SeasonTerms, include_extras=True)


def _field_info(name: str) -> dict[str, Any]:
    """Returns what the document says of one of the terms: the same of those that are sent and of those of a season."""
    return {"metadata": {"description": _HINTS[name].__metadata__[0].description}}


class SeasonTermsSent(RequestSchema):
    """The terms of a season; what is left out has its default."""

    seats = BoundedInt(0, _MOST, refusal=_OUT, **_field_info("seats"))
    division_size = BoundedInt(0, _MOST, refusal=_OUT, **_field_info("division_size"))
    matches = BoundedInt(0, _MOST, refusal=_OUT, **_field_info("matches"))
    days = BoundedInt(0, _MOST, refusal=_OUT, **_field_info("days"))
    rest_days = BoundedInt(0, _MOST, refusal=_OUT, allow_none=True, **_field_info("rest_days"))
    turn_s = BoundedInt(0, _MOST, refusal=_OUT, **_field_info("turn_s"))
    window_s = BoundedInt(0, _MOST, refusal=_OUT, **_field_info("window_s"))
    options = Generated("Options")
    promoted = BoundedInt(0, _MOST, refusal=_OUT, **_field_info("promoted"))
    relegated = BoundedInt(0, _MOST, refusal=_OUT, **_field_info("relegated"))
    pairing = fields.String(
        validate=validate.OneOf(PAIRING, error=N_("The pairing is “rotation” or “organiser”.")),
        **_field_info("pairing"),
    )
    duplicate = StrictBool(**_field_info("duplicate"))
    bots = fields.List(SingleLine(40), validate=validate.Length(0, 5), **_field_info("bots"))
    unfinished = fields.String(
        validate=validate.OneOf(UNFINISHED, error=N_("An unfinished match counts “half”, “standing” or “none”.")),
        **_field_info("unfinished"),
    )
    least = BoundedInt(0, _MOST, refusal=_OUT, **_field_info("least"))
    rated_with_bots = StrictBool(**_field_info("rated_with_bots"))


class Moment(fields.String):
    """A moment with its zone, as in 2026-05-01T18:00:00Z; in answers in UTC."""

    def __init__(self, **more: Any) -> None:
        said = {"format": "date-time", **more.pop("metadata", {})}
        super().__init__(metadata=said, **more)

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **more: Any) -> Any:
        said = super()._deserialize(value, attr, data, **more)
        try:
            moment = datetime.fromisoformat(said)
            moment.astimezone()
        except (ValueError, OverflowError, OSError):
            raise ma.ValidationError(N_("Send a moment with its zone, like 2026-05-01T18:00:00Z.")) from None
        if moment.tzinfo is None:
            raise ma.ValidationError(N_("Send a moment with its zone, like 2026-05-01T18:00:00Z."))
        return moment


class LeagueShown(LeagueView, frozen=True):
    """A league with its seasons, the newest first."""

    seasons: list[SeasonListed]


class DivisionShown(Struct, frozen=True, rename={"rows": "standings"}):
    """A division's table, best first."""

    number: Annotated[int, Meta(description="1 is the highest.")]
    rows: list[StandingShown]


class SeasonShown(SeasonListed, frozen=True, kw_only=True):
    """A season: its terms, dates, shared deals, and the standings of each division; before the start there are none."""

    number: int
    league: str
    name: Annotated[str, Meta(description="The league's.")]
    game: str
    organised: Annotated[bool, Meta(description="Whether the caller organises it.")]
    terms: SeasonTerms
    entered: Annotated[int, Meta(description="How many play.")]
    matches: Annotated[int, Meta(description="How many matches it has so far.")]
    results: Annotated[int, Meta(description="The number of the last result in its feed.")]
    entrant: Annotated[EntrantView | None, Meta(description="The caller's own; null: they were never asked.")]
    deals: list[SharedDeal]
    divisions: list[DivisionShown]
    page: Page


def league_answer(league: LeagueWithSeasons) -> LeagueShown:
    """Returns the league as programs see it."""
    return convert(league, LeagueShown, from_attributes=True)


def season_answer(
    league: LeagueView, season: SeasonView, divisions: Sequence[Division], shared: Sequence[SharedDeal]
) -> SeasonShown:  # fmt: skip
    """Returns the season as programs see it, with the tables of these divisions."""
    return SeasonShown(
        id=season.id, number=season.number, status=season.status, starts_at=season.starts_at, ends_at=season.ends_at,
        closed_at=season.closed_at, league=league.id, name=league.name, game=league.slug, organised=league.mine,
        terms=season.terms, entered=season.entered, matches=season.matches, results=season.results,
        entrant=season.entrant, deals=[*shared], page=league.page,
        divisions=convert(divisions, list[DivisionShown], from_attributes=True),
    )  # fmt: skip
