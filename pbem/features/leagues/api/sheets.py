"""Leagues, seasons and entrants as programs send and see them."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

import marshmallow as ma
from marshmallow import fields, validate

from pbem.api.protocol.bodies import BoundedInt, Generated, RequestSchema, ResponseSchema, SingleLine, StrictBool
from pbem.api.protocol.callers import site
from pbem.api.protocol.generated import OPTIONS_SHOWN
from pbem.api.protocol.problems import with_fields
from pbem.clock import iso
from pbem.errors import N_, Invalid
from pbem.features.leagues.reading import LeagueView, LeagueWithSeasons, SeasonLine, SeasonView, SharedDeal
from pbem.features.leagues.scores.standings import Division
from pbem.features.leagues.terms import Terms

PAIRING, UNFINISHED = ("rotation", "organiser"), ("half", "standing", "none")
STATUSES = ("open", "starting", "running", "closed", "cancelled")
ENTRANT_STATUSES = ("invited", "entered", "withdrawn", "erased")
_MOST = 10_000_000
_OUT = N_("This number is out of range.")

ABOUT: Mapping[str, str] = {
    "seats": "Seats at a table; 0: as few as the game allows.",
    "division_size": "How many entrants a division has.",
    "matches": "How many matches each entrant plays.",
    "days": "How long the season lasts.",
    "rest_days": "How long after it the next season starts, which is opened by itself; null: no next one.",
    "turn_s": "Seconds for a turn; 0: the site's.",
    "window_s": "Seconds for an answer during another's turn; 0: the site's.",
    "promoted": "How many of each division move up.",
    "relegated": "How many of each division move down.",
    "pairing": "Who pairs: the site in `rotation`, or the `organiser` by `POST /seasons/<id>/matches`.",
    "duplicate": "Whether all tables of a round of a division play the same deal.",
    "bots": "Bots of the game that fill the last tables.",
    "unfinished": "What a match counts that is not over when the season closes: a draw for all its seats (`half`), by "
    "the scores as they are (`standing`), or nothing (`none`). Those that share a deal are called off.",
    "least": "With fewer entrants, or bots alone after the first, there is no season; 0: as few as the game allows.",
    "rated_with_bots": "Whether a match at which a bot sits changes the ratings of the people there.",
}
_NUMBERS = (
    "seats", "division_size", "matches", "days", "turn_s", "window_s", "promoted", "relegated", "least",
)  # fmt: skip


def _said(name: str) -> dict[str, Any]:
    return {"metadata": {"description": ABOUT[name]}}


class SeasonTermsSent(RequestSchema):
    """The terms of a season; what is left out has its default."""

    seats = BoundedInt(0, _MOST, refusal=_OUT, **_said("seats"))
    division_size = BoundedInt(0, _MOST, refusal=_OUT, **_said("division_size"))
    matches = BoundedInt(0, _MOST, refusal=_OUT, **_said("matches"))
    days = BoundedInt(0, _MOST, refusal=_OUT, **_said("days"))
    rest_days = BoundedInt(0, _MOST, refusal=_OUT, allow_none=True, **_said("rest_days"))
    turn_s = BoundedInt(0, _MOST, refusal=_OUT, **_said("turn_s"))
    window_s = BoundedInt(0, _MOST, refusal=_OUT, **_said("window_s"))
    options = Generated("Options")
    promoted = BoundedInt(0, _MOST, refusal=_OUT, **_said("promoted"))
    relegated = BoundedInt(0, _MOST, refusal=_OUT, **_said("relegated"))
    pairing = fields.String(
        validate=validate.OneOf(PAIRING, error=N_("The pairing is “rotation” or “organiser”.")), **_said("pairing")
    )
    duplicate = StrictBool(**_said("duplicate"))
    bots = fields.List(SingleLine(40), validate=validate.Length(0, 5), **_said("bots"))
    unfinished = fields.String(
        validate=validate.OneOf(UNFINISHED, error=N_("An unfinished match counts “half”, “standing” or “none”.")),
        **_said("unfinished"),
    )
    least = BoundedInt(0, _MOST, refusal=_OUT, **_said("least"))
    rated_with_bots = StrictBool(**_said("rated_with_bots"))


class SeasonTerms(ResponseSchema):
    """The terms of a season, with every default filled in."""

    seats = fields.Integer(required=True, **_said("seats"))
    division_size = fields.Integer(required=True, **_said("division_size"))
    matches = fields.Integer(required=True, **_said("matches"))
    days = fields.Integer(required=True, **_said("days"))
    rest_days = fields.Integer(required=True, allow_none=True, **_said("rest_days"))
    turn_s = fields.Integer(required=True, **_said("turn_s"))
    window_s = fields.Integer(required=True, **_said("window_s"))
    options = Generated(OPTIONS_SHOWN, required=True)
    promoted = fields.Integer(required=True, **_said("promoted"))
    relegated = fields.Integer(required=True, **_said("relegated"))
    pairing = fields.String(required=True, validate=validate.OneOf(PAIRING), **_said("pairing"))
    duplicate = fields.Boolean(required=True, **_said("duplicate"))
    bots = fields.List(fields.String(), required=True, **_said("bots"))
    unfinished = fields.String(required=True, validate=validate.OneOf(UNFINISHED), **_said("unfinished"))
    least = fields.Integer(required=True, **_said("least"))
    rated_with_bots = fields.Boolean(required=True, **_said("rated_with_bots"))


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


class SeasonListed(ResponseSchema):
    """A season in its league's sheet."""

    id = fields.String(required=True)
    number = fields.Integer(required=True, metadata={"description": "1 for the first one."})
    status = fields.String(required=True, validate=validate.OneOf(STATUSES))
    starts_at = Moment(required=True)
    ends_at = Moment(required=True)
    closed_at = Moment(required=True, allow_none=True)


class LeagueShown(ResponseSchema):
    """A league with its seasons, the newest first."""

    id = fields.String(required=True)
    name = fields.String(required=True)
    game = fields.String(required=True)
    circle = fields.String(
        required=True, allow_none=True, metadata={"description": "Only members of this circle may enter; null: all."}
    )
    listed = fields.Boolean(required=True, metadata={"description": "Whether the site lists it for everybody."})
    organised = fields.Boolean(required=True, metadata={"description": "Whether the caller organises it."})
    terms = fields.Nested(SeasonTerms, required=True, metadata={"description": "Those of its next season."})
    created_at = Moment(required=True)
    ended_at = Moment(required=True, allow_none=True)
    seasons = fields.List(fields.Nested(SeasonListed), required=True)
    page = fields.String(required=True, metadata={"format": "uri", "description": "Its page, for people."})


class EntrantShown(ResponseSchema):
    """Who plays in a season. `place`, `points` and `moves_to` are null before it is closed."""

    id = fields.Integer(required=True)
    name = fields.String(required=True, metadata={"description": "“” for somebody who was erased."})
    bot = fields.String(required=True, allow_none=True)
    status = fields.String(required=True, validate=validate.OneOf(ENTRANT_STATUSES))
    division = fields.Integer(required=True, allow_none=True)
    place = fields.Integer(required=True, allow_none=True)
    points = fields.Float(required=True, allow_none=True)
    moves_to = fields.Integer(required=True, allow_none=True)


class StandingShown(ResponseSchema):
    """An entrant in a division's table. Those who share a place are level by every tie-break, in this order."""

    entrant = fields.Integer(required=True)
    name = fields.String(required=True)
    bot = fields.String(required=True, allow_none=True)
    place = fields.Integer(required=True)
    points = fields.Float(required=True)
    against = fields.Float(
        required=True, metadata={"description": "The first tie-break: points against those who are level."}
    )
    opponents = fields.Float(
        required=True, metadata={"description": "The second one: the average of the points of their opponents."}
    )
    played = fields.Integer(required=True, metadata={"description": "Matches that count so far."})
    matches = fields.Integer(required=True, metadata={"description": "Matches in all."})
    moves_to = fields.Integer(required=True, allow_none=True)


class DivisionShown(ResponseSchema):
    """A division's table, best first."""

    number = fields.Integer(required=True, metadata={"description": "1 is the highest."})
    standings = fields.List(fields.Nested(StandingShown), required=True)


class DealShown(ResponseSchema):
    """A deal that several tables share. `commitment` fixes it; its tables stay sealed until `opened_at`."""

    id = fields.String(required=True)
    commitment = fields.String(required=True)
    division = fields.Integer(required=True)
    round = fields.Integer(required=True)
    tables = fields.Integer(required=True)
    opened_at = Moment(required=True, allow_none=True)


class SeasonShown(ResponseSchema):
    """A season: its terms, dates, shared deals, and the standings of each division; before the start there are none."""

    id = fields.String(required=True)
    league = fields.String(required=True)
    name = fields.String(required=True, metadata={"description": "The league's."})
    game = fields.String(required=True)
    number = fields.Integer(required=True)
    status = fields.String(required=True, validate=validate.OneOf(STATUSES))
    organised = fields.Boolean(required=True, metadata={"description": "Whether the caller organises it."})
    terms = fields.Nested(SeasonTerms, required=True)
    starts_at = Moment(required=True)
    ends_at = Moment(required=True)
    closed_at = Moment(required=True, allow_none=True)
    entered = fields.Integer(required=True, metadata={"description": "How many play."})
    matches = fields.Integer(required=True, metadata={"description": "How many matches it has so far."})
    results = fields.Integer(required=True, metadata={"description": "The number of the last result in its feed."})
    entrant = fields.Nested(
        EntrantShown, required=True, allow_none=True,
        metadata={"description": "The caller's own; null: they were never asked."},
    )  # fmt: skip
    deals = fields.List(fields.Nested(DealShown), required=True)
    divisions = fields.List(fields.Nested(DivisionShown), required=True)
    page = fields.String(required=True, metadata={"format": "uri", "description": "Its page, for people."})


# --- JSON ----------------------------------------------------------------------------------------------------


def _moments(row: Any, *names: str) -> dict[str, Any]:
    return {name: iso(at) if (at := getattr(row, name)) is not None else None for name in names}


def terms_json(terms: Terms) -> dict[str, Any]:
    """Returns the terms as JSON."""
    return {name: getattr(terms, name) for name in terms.__struct_fields__} | {"bots": list(terms.bots)}


def league_json(league: LeagueWithSeasons) -> dict[str, Any]:
    """Returns the league as JSON."""
    return {
        "id": league.id, "name": league.name, "game": league.slug, "circle": league.circle_id, "listed": league.listed,
        "organised": league.mine, "terms": terms_json(league.terms), **_moments(league, "created_at", "ended_at"),
        "seasons": [_dates(one) for one in league.seasons], "page": page_of(league.id),
    }  # fmt: skip


def season_json(
    league: LeagueView, season: SeasonView, divisions: Sequence[Division], shared: Sequence[SharedDeal]
) -> dict[str, Any]:  # fmt: skip
    """Returns the season as JSON, with the tables of these divisions."""
    return {
        **_dates(season), "league": league.id, "name": league.name, "game": league.slug, "organised": league.mine,
        "terms": terms_json(season.terms), "entered": season.entered, "matches": season.matches,
        "results": season.results, "entrant": season.entrant and asdict(season.entrant),
        "deals": _deals(shared),
        "divisions": [
            {"number": one.number, "standings": [_standing(row) for row in one.rows]} for one in divisions
        ],
        "page": page_of(league.id),
    }  # fmt: skip


def _dates(season: SeasonLine | SeasonView) -> dict[str, Any]:
    return {
        "id": season.id, "number": season.number, "status": season.status,
        **_moments(season, "starts_at", "ends_at", "closed_at"),
    }  # fmt: skip


def _deals(shared: Sequence[SharedDeal]) -> list[dict[str, Any]]:
    """Returns each deal once, in the first of the divisions and rounds that it is played in, with all its tables."""
    by_id: dict[str, list[SharedDeal]] = {}
    for one in shared:
        by_id.setdefault(one.id, []).append(one)
    deals = [
        asdict(parts[0]) | _moments(parts[0], "opened_at") | {
            "division": min(one.division for one in parts), "round": min(one.round for one in parts),
            "tables": sum(one.tables for one in parts),
        }
        for parts in by_id.values()
    ]  # fmt: skip
    return sorted(deals, key=lambda deal: (deal["division"], deal["round"], deal["id"]))


def _standing(row: Any) -> dict[str, Any]:
    return asdict(row) | {"entrant": row.entrant_id}


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
