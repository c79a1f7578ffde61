"""A player's preferences, for programs: their own time, and what they show of themselves."""

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any

from marshmallow import fields
from msgspec import Struct
from msgspec.structs import asdict

from pbem.answers import about
from pbem.api.protocol.bodies import BoundedInt, RequestSchema, SingleLine, StrictBool
from pbem.api.protocol.callers import PLAYER, site
from pbem.api.protocol.endpoints import Endpoints
from pbem.api.protocol.headers import once, state_seen
from pbem.errors import N_, NotFound
from pbem.services.calendar.calendar import Calendar as PlayersTime
from pbem.services.clock import holidays
from pbem.services.players.players import check_zone
from pbem.services.results import sharing
from pbem.services.results.ratings import ShownRating
from pbem.services.results.sharing import Choices, Pace
from pbem.services.views.match_views import Holiday

blueprint = Endpoints("calendar", "The caller's own time.")
shared = Endpoints("sharing", "What the caller shows to others.")


class Quiet(RequestSchema):
    """No deadline falls between these whole hours of the player's zone, 0 to 23; they may pass midnight."""

    first = BoundedInt(0, 23, required=True, data_key="from", about="The whole hour they begin at.")
    last = BoundedInt(0, 23, required=True, data_key="to", about="The whole hour they end at.")


class Hours(RequestSchema):
    """Zone, weekends and quiet hours, all at once."""

    zone = SingleLine(64, check_zone, required=True, about="A time zone of the IANA list.")
    weekends_off = StrictBool(required=True, about="The clock stands still on Saturdays and Sundays.")
    quiet = fields.Nested(Quiet, required=True, allow_none=True)


def _day() -> fields.Date:
    wrong = N_("A day is written like 2026-07-14.")
    return fields.Date(required=True, error_messages={"invalid": wrong, "format": wrong})


class NewHoliday(RequestSchema):
    """Days on which the player's clock stops; the other players see them."""

    first = _day()
    last = _day()


class QuietHours(Struct, frozen=True, rename={"first": "from", "last": "to"}):
    """Hours, in the player's time zone, between which no deadline falls."""

    first: int
    last: int


class Calendar(Struct, frozen=True):
    """When the caller's clock stops. A change moves the deadlines of the caller's open questions."""

    zone: str
    weekends_off: bool
    quiet: QuietHours | None
    holidays: list[Holiday]
    allowance: Annotated[int, about("Days of holiday in a calendar year.")]


def _read(player_id: int) -> Calendar:
    found = holidays.read_calendar(site(), player_id)
    quiet, away = QuietHours(*found.quiet) if found.quiet else None, [Holiday(*one) for one in found.holidays]
    return Calendar(found.zone, found.weekends_off, quiet, away, holidays.ALLOWANCE)


@blueprint.operation("getCalendar", "GET /me/calendar", who=PLAYER)
def calendar(player_id: int) -> Calendar:
    """Returns when the caller's clock stops."""
    return _read(player_id)


@blueprint.operation("putCalendar", "PUT /me/calendar", who=PLAYER, body=Hours, if_match=calendar)
def put_calendar(body: Mapping[str, Any], player_id: int) -> Calendar:
    """Sets zone, weekends and quiet hours. Equal hours for begin and end mean no quiet hours."""
    quiet = body["quiet"]
    hours = (quiet["first"], quiet["last"]) if quiet and quiet["first"] != quiet["last"] else None
    holidays.set_hours(site(), player_id, body["weekends_off"], hours, body["zone"], _was())
    return _read(player_id)


def _was() -> PlayersTime | None:
    """Returns the calendar that the caller has seen, if they say so."""
    told = state_seen()
    if told is None:
        return None
    quiet = (told["quiet"]["from"], told["quiet"]["to"]) if told["quiet"] else None
    away = ((date.fromisoformat(one["first"]), date.fromisoformat(one["last"])) for one in told["holidays"])
    return PlayersTime(told["zone"], told["weekends_off"], quiet, tuple(away))


@blueprint.operation(
    "announceHoliday",
    "POST /me/calendar/holidays",
    who=PLAYER,
    body=NewHoliday,
    status=201,
    repeatable=True,
    refuses=(409,),
)
def announce(body: Mapping[str, Any], player_id: int) -> Calendar:
    """Announces a holiday."""
    holidays.announce(site(), player_id, body["first"], body["last"], once=once())
    return _read(player_id)


@blueprint.operation("takeHolidayBack", "DELETE /me/calendar/holidays/<first>", who=PLAYER, if_match=calendar)
def take_back(first: str, player_id: int) -> Calendar:
    """Cancels the holiday that begins on this day; one that has already begun ends today."""
    try:
        day = date.fromisoformat(first)
    except ValueError:
        raise NotFound(N_("There is no such holiday.")) from None
    holidays.take_back(site(), player_id, day)
    return _read(player_id)


# --- what they show of themselves ------------------------------------------------------------------------------


class GameRating(ShownRating, frozen=True):
    """The caller's rating in a game."""

    game: str


class Ratings(Struct, frozen=True):
    """The caller's ratings and pace as others see them."""

    ratings: Annotated[list[GameRating], about("Empty unless the caller wants ratings.")]
    pace: Annotated[Pace | None, about("Null unless the caller shows it and has played ten matches.")]


class NewChoices(RequestSchema):
    """All choices at once."""

    rated = StrictBool(required=True, about="Be rated, and let others see it. False deletes the ratings.")
    pace_shown = StrictBool(required=True, about="Let others see how fast the caller answers.")
    weekly = StrictBool(required=True, about="A mail a week about circles and seasons, if the caller has any.")


@shared.operation("getRatings", "GET /me/ratings", who=PLAYER)
def ratings(player_id: int) -> Ratings:
    """Returns the caller's ratings, the surest highest first, and their pace."""
    found = sharing.read_shared(site(), player_id)
    return Ratings([GameRating(**asdict(rating), game=game) for game, rating in found.ratings.items()], found.pace)


@shared.operation("getPreferences", "GET /me/preferences", who=PLAYER)
def preferences(player_id: int) -> Choices:
    """Returns what the caller has chosen to show."""
    return sharing.read_shared(site(), player_id).choices


@shared.operation("putPreferences", "PUT /me/preferences", who=PLAYER, body=NewChoices, if_match=preferences)
def put_preferences(body: Mapping[str, Any], player_id: int) -> Choices:
    """Sets what the caller shows. Without `rated` their ratings are deleted; wanting some again starts over."""
    told = state_seen()
    was = Choices(**told) if told is not None else None
    return sharing.choose(site(), player_id, **body, was=was)
