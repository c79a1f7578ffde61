"""A player's preferences, for programs: their own time, what they show of themselves, and their access tokens."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Annotated, Any, Literal

from flask import url_for
from marshmallow import fields, validate
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import asdict

from pbem.answers import about
from pbem.api.protocol.bodies import BoundedInt, RequestSchema, Several, SingleLine, StrictBool
from pbem.api.protocol.callers import ACCOUNT, PLAYER, caller, site
from pbem.api.protocol.endpoints import Endpoints
from pbem.api.protocol.headers import idempotency_key, state_seen
from pbem.errors import N_, NotFound
from pbem.services.access import access_tokens
from pbem.services.access.access_tokens import LONGEST_DAYS, SCOPES, Scope, TokenSheet, check_label
from pbem.services.calendar.calendar import Calendar as PlayersTime
from pbem.services.clock import holidays
from pbem.services.players import open_matches, players
from pbem.services.players.open_matches import OpenMatches
from pbem.services.players.players import check_zone
from pbem.services.results import sharing
from pbem.services.results.ratings import ShownRating
from pbem.services.results.sharing import Choices, Pace
from pbem.services.views import seats
from pbem.services.views.match_views import Holiday

blueprint = Endpoints("calendar", "The caller's own time.", who=PLAYER)
shared = Endpoints("sharing", "What the caller shows to others.", who=PLAYER)
programs = Endpoints("tokens", "Tokens that the caller makes for their programs, and who they are.", who=ACCOUNT)


class Quiet(RequestSchema):
    """No deadline falls between these whole hours of the player's zone, 0 to 23; they may pass midnight."""

    first = BoundedInt(0, 23, required=True, data_key="from", about="The whole hour they begin at.")
    last = BoundedInt(0, 23, required=True, data_key="to", about="The whole hour they end at.")


class Hours(RequestSchema):
    """Zone, weekends and quiet hours, all at once."""

    zone = SingleLine(64, check_zone, required=True, about="A time zone of the IANA list.")
    weekends_off = StrictBool(required=True, about="The clock stands still on Saturdays and Sundays.")
    quiet = fields.Nested(Quiet, required=True, allow_none=True)


def _date_field() -> fields.Date:
    wrong = N_("A day is written like 2026-07-14.")
    return fields.Date(required=True, error_messages={"invalid": wrong, "format": wrong})


class NewHoliday(RequestSchema):
    """Days on which the player's clock stops; the other players see them."""

    first = _date_field()
    last = _date_field()


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


def _read_calendar(player_id: int) -> Calendar:
    found = holidays.read_calendar(site(), player_id)
    quiet, away = QuietHours(*found.quiet) if found.quiet else None, [Holiday(*one) for one in found.holidays]
    return Calendar(found.zone, found.weekends_off, quiet, away, holidays.ALLOWANCE)


@blueprint.operation("getCalendar", "GET /me/calendar")
def calendar(player_id: int) -> Calendar:
    """Returns when the caller's clock stops."""
    return _read_calendar(player_id)


@blueprint.operation("putCalendar", "PUT /me/calendar", body=Hours, if_match=calendar)
def put_calendar(body: Mapping[str, Any], player_id: int) -> Calendar:
    """Sets zone, weekends and quiet hours. Equal hours for begin and end mean no quiet hours."""
    quiet = body["quiet"]
    hours = (quiet["first"], quiet["last"]) if quiet and quiet["first"] != quiet["last"] else None
    holidays.set_clock_hours(site(), player_id, body["weekends_off"], hours, body["zone"], _calendar_seen())
    return _read_calendar(player_id)


def _calendar_seen() -> PlayersTime | None:
    """Returns the calendar that the caller has seen, if they say so."""
    told = state_seen()
    if told is None:
        return None
    quiet = (told["quiet"]["from"], told["quiet"]["to"]) if told["quiet"] else None
    away = ((date.fromisoformat(one["first"]), date.fromisoformat(one["last"])) for one in told["holidays"])
    return PlayersTime(told["zone"], told["weekends_off"], quiet, tuple(away))


@blueprint.operation(
    "announceHoliday", "POST /me/calendar/holidays", body=NewHoliday, status=201, repeatable=True, refuses=(409,)
)
def announce_holiday(body: Mapping[str, Any], player_id: int) -> Calendar:
    """Announces a holiday."""
    holidays.add_holiday(site(), player_id, body["first"], body["last"], once=idempotency_key())
    return _read_calendar(player_id)


@blueprint.operation("takeHolidayBack", "DELETE /me/calendar/holidays/<first>", if_match=calendar)
def cancel_holiday(first: str, player_id: int) -> Calendar:
    """Cancels the holiday that begins on this day; one that has already begun ends today."""
    try:
        day = date.fromisoformat(first)
    except ValueError:
        raise NotFound(N_("There is no such holiday.")) from None
    holidays.cancel_holiday(site(), player_id, day)
    return _read_calendar(player_id)


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


@shared.operation("getRatings", "GET /me/ratings")
def ratings(player_id: int) -> Ratings:
    """Returns the caller's ratings, the surest highest first, and their pace."""
    found = sharing.read_shared(site(), player_id)
    return Ratings([GameRating(**asdict(rating), game=game) for game, rating in found.ratings.items()], found.pace)


@shared.operation("getPreferences", "GET /me/preferences")
def preferences(player_id: int) -> Choices:
    """Returns what the caller has chosen to show."""
    return sharing.read_shared(site(), player_id).choices


@shared.operation("putPreferences", "PUT /me/preferences", body=NewChoices, if_match=preferences)
def put_preferences(body: Mapping[str, Any], player_id: int) -> Choices:
    """Sets what the caller shows. Without `rated` their ratings are deleted; wanting some again starts over."""
    told = state_seen()
    was = Choices(**told) if told is not None else None
    return sharing.choose_what_to_share(site(), player_id, **body, was=was)


# --- access tokens, and what a program with one may know of its player ------------------------------------------------


_SCOPE = validate.OneOf(SCOPES, error=N_("A scope is “read”, “play” or “create”."))


class NewToken(RequestSchema):
    """The name, the scopes and the lifetime of a new token."""

    name = SingleLine(200, check_label, required=True, about="For which program: at most 60 letters.")
    scopes = Several(
        fields.String(validate=_SCOPE),
        required=True,
        validate=validate.Length(1, 9, error=N_("A token may do at least one thing.")),
        about="`read`: look at matches as the seat sees them. `play`: answer, talk, resign, change the "
        "calendar. `create`: start matches, invite, call off or leave before the start, logs, webhooks. "
        "None holds another.",
    )
    days = BoundedInt(
        1, LONGEST_DAYS, required=True, allow_none=True,
        about="How many days it holds good; null: until it is revoked."
    )  # fmt: skip


class TokenMade(TokenSheet, frozen=True):
    """A token that was just created. `token` is shown only once; it is null if the same request came before."""

    token: str | None


class Tokens(Struct, frozen=True):
    """The caller's valid tokens, newest first."""

    tokens: list[TokenSheet]


class CallerShown(Struct, frozen=True):
    """How the caller is authenticated: by an account link, which may do everything, or by an access token."""

    kind: Literal["account", "token"]
    scopes: list[Scope]
    expires_at: datetime | None


class Me(Struct, frozen=True):
    """The caller. An access token does not see the address."""

    name: Annotated[str, about("At the table that they came to last; “” without one.")]
    language: str
    zone: str
    caller: CallerShown
    open_matches: OpenMatches
    email: Annotated[str | UnsetType | None, about("With the token of an account link only.")] = UNSET


@programs.operation("getMe", "GET /me", who=PLAYER)
def me(player_id: int) -> Me:
    """Returns the caller, and what their token may do."""
    bearer = caller().bearer
    assert bearer is not None, "a player"
    found, by_link = players.read_account(site(), player_id), bearer.token_id is None
    scopes = [scope for scope in SCOPES if scope in bearer.scopes]
    return Me(
        name=seats.latest_name(site(), found),
        language=found.language,
        zone=found.zone,
        caller=CallerShown("account" if by_link else "token", scopes, bearer.expires_at),
        open_matches=open_matches.read_open_matches(site(), player_id),
        email=found.address if by_link else UNSET,
    )


@programs.operation("listTokens", "GET /me/tokens")
def tokens(player_id: int) -> Tokens:
    """Returns the caller's valid tokens."""
    return Tokens(access_tokens.list_active_tokens(site(), player_id))


@programs.operation(
    "makeToken",
    "POST /me/tokens",
    body=NewToken,
    example={"name": "My bot", "scopes": ["read", "play"], "days": 90},
    status=201,
    repeatable=True,
    refuses=(409,),
)
def create_token(body: Mapping[str, Any], player_id: int) -> tuple[TokenMade, dict[str, str]]:
    """Creates a token. It is shown in this answer only: the site keeps its hash."""
    made, token = access_tokens.create_token(
        site(), player_id, body["name"], body["scopes"], body["days"], once=idempotency_key()
    )
    return TokenMade(**asdict(made), token=token), {"Location": url_for("api-tokens.token", token_id=made.id)}


@programs.operation("getToken", "GET /me/tokens/<int:token_id>")
def token(token_id: int, player_id: int) -> TokenSheet:
    """Returns one of the caller's valid tokens."""
    return access_tokens.read_active_token(site(), player_id, token_id)


@programs.operation("revokeToken", "DELETE /me/tokens/<int:token_id>", must_match=token)
def revoke_token(token_id: int, player_id: int) -> None:
    """Revokes a token: from now on it is refused. This cannot be undone."""
    access_tokens.revoke_token(site(), player_id, token_id)
