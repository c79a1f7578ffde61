"""Leagues, seasons and entrants as programs send and see them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, get_type_hints

import marshmallow as ma
from marshmallow import fields, validate
from msgspec import Meta, Struct, convert
from msgspec.structs import replace

from pbem.answers import one_of
from pbem.api.protocol.bodies import BoundedInt, Generated, RequestSchema, SingleLine, StrictBool
from pbem.api.protocol.callers import site
from pbem.api.protocol.problems import with_fields
from pbem.errors import N_, Invalid
from pbem.features.leagues.entry.entrants import EntrantView
from pbem.features.leagues.reading import LeagueView, LeagueWithSeasons, SeasonView, SharedDeal
from pbem.features.leagues.scores.standings import Division
from pbem.features.leagues.terms import SeasonTerms

PAIRING, UNFINISHED = ("rotation", "organiser"), ("half", "standing", "none")
STATUSES = ("open", "starting", "running", "closed", "cancelled")
Page = Annotated[str, Meta(description="Its page, for people."), Meta(extra_json_schema={"format": "uri"})]
_MOST = 10_000_000
_OUT = N_("This number is out of range.")

_NUMBERS = (
    "seats", "division_size", "matches", "days", "turn_s", "window_s", "promoted", "relegated", "least",
)  # fmt: skip


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


class SeasonListed(Struct, frozen=True):
    """A season in its league's sheet."""

    id: str
    number: Annotated[int, Meta(description="1 for the first one.")]
    status: Annotated[str, one_of(STATUSES)]
    starts_at: datetime
    ends_at: datetime
    closed_at: datetime | None


class LeagueShown(Struct, frozen=True):
    """A league with its seasons, the newest first."""

    id: str
    name: str
    game: str
    circle: Annotated[str | None, Meta(description="Only members of this circle may enter; null: all.")]
    listed: Annotated[bool, Meta(description="Whether the site lists it for everybody.")]
    organised: Annotated[bool, Meta(description="Whether the caller organises it.")]
    terms: Annotated[SeasonTerms, Meta(description="Those of its next season.")]
    created_at: datetime
    ended_at: datetime | None
    seasons: list[SeasonListed]
    page: Page


class StandingShown(Struct, frozen=True, rename={"entrant_id": "entrant"}):
    """An entrant in a division's table. Those who share a place are level by every tie-break, in this order."""

    entrant_id: int
    name: str
    bot: str | None
    place: int
    points: float
    against: Annotated[float, Meta(description="The first tie-break: points against those who are level.")]
    opponents: Annotated[float, Meta(description="The second one: the average of the points of their opponents.")]
    played: Annotated[int, Meta(description="Matches that count so far.")]
    matches: Annotated[int, Meta(description="Matches in all.")]
    moves_to: int | None


class DivisionShown(Struct, frozen=True):
    """A division's table, best first."""

    number: Annotated[int, Meta(description="1 is the highest.")]
    standings: list[StandingShown]


class SeasonShown(Struct, frozen=True, kw_only=True):
    """A season: its terms, dates, shared deals, and the standings of each division; before the start there are none."""

    id: str
    league: str
    name: Annotated[str, Meta(description="The league's.")]
    game: str
    number: int
    status: Annotated[str, one_of(STATUSES)]
    organised: Annotated[bool, Meta(description="Whether the caller organises it.")]
    terms: SeasonTerms
    starts_at: datetime
    ends_at: datetime
    closed_at: datetime | None
    entered: Annotated[int, Meta(description="How many play.")]
    matches: Annotated[int, Meta(description="How many matches it has so far.")]
    results: Annotated[int, Meta(description="The number of the last result in its feed.")]
    entrant: Annotated[EntrantView | None, Meta(description="The caller's own; null: they were never asked.")]
    deals: list[SharedDeal]
    divisions: list[DivisionShown]
    page: Page


def league_answer(league: LeagueWithSeasons) -> LeagueShown:
    """Returns the league as programs see it."""
    seasons = [
        SeasonListed(one.id, one.number, one.status, one.starts_at, one.ends_at, one.closed_at)
        for one in league.seasons
    ]
    return LeagueShown(
        league.id, league.name, league.slug, league.circle_id, league.listed, league.mine, league.terms,
        league.created_at, league.ended_at, seasons, page_of(league.id),
    )  # fmt: skip


def season_answer(
    league: LeagueView, season: SeasonView, divisions: Sequence[Division], shared: Sequence[SharedDeal]
) -> SeasonShown:  # fmt: skip
    """Returns the season as programs see it, with the tables of these divisions."""
    return SeasonShown(
        id=season.id, number=season.number, status=season.status, starts_at=season.starts_at, ends_at=season.ends_at,
        closed_at=season.closed_at, league=league.id, name=league.name, game=league.slug, organised=league.mine,
        terms=season.terms, entered=season.entered, matches=season.matches, results=season.results,
        entrant=season.entrant, deals=_deals(shared),
        divisions=[
            DivisionShown(one.number, [convert(row, StandingShown, from_attributes=True) for row in one.rows])
            for one in divisions
        ],
        page=page_of(league.id),
    )  # fmt: skip


def _deals(shared: Sequence[SharedDeal]) -> list[SharedDeal]:
    """Returns each deal once, in the first of the divisions and rounds that it is played in, with all its tables."""
    by_id: dict[str, list[SharedDeal]] = {}
    for one in shared:
        by_id.setdefault(one.id, []).append(one)
    deals = [
        replace(
            parts[0], division=min(one.division for one in parts), round=min(one.round for one in parts),
            tables=sum(one.tables for one in parts),
        )
        for parts in by_id.values()
    ]  # fmt: skip
    return sorted(deals, key=lambda deal: (deal.division, deal.round, deal.id))


def page_of(league_id: str) -> str:
    """Returns the URL of the league's page."""
    return site().url(f"/league/{league_id}")


def locate_terms(problem: Invalid) -> Invalid:
    """Turns a refusal of terms into one of the field that its facts name."""
    match problem.facts:
        case {"name": str(name)} if name in _NUMBERS or name == "rest_days":
            return with_fields(problem, f"terms.{name}")
        case {"bots": _}:
            return with_fields(problem, "terms.bots")
        case {"allowed": _}:
            return with_fields(problem, "terms.seats")
    return with_fields(problem, "terms")
