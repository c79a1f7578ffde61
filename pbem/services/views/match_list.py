"""A player's own matches.

Programs get them page by page: newest first, one seat of each match, with a cursor that new matches do not shift. One
that follows all of them gets how they stand (`read_own_match_standings`). Pages and mails get all seats at once,
because each has
its own link.
"""

import base64
import binascii
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Annotated, Any

from msgspec import Meta, Struct
from sqlalchemy import bindparam, case, exists, func
from sqlalchemy import select as core_select
from sqlmodel import and_, col, or_, select

from pbem.answers import about, one_of
from pbem.clock import iso_format
from pbem.errors import N_, Invalid
from pbem.games import all_games
from pbem.kit.contract import AnyGame, Outcome
from pbem.models.prepared import OneOf, Prepared, objects_of_join
from pbem.models.tables import AskRow, Match, Player, SeatRow, table
from pbem.services.log import deals, store
from pbem.services.players import guests
from pbem.services.players.players import Account
from pbem.services.site import Reading, Site
from pbem.services.tokens import SEAT_CLAIMS, SeatPurpose
from pbem.services.views import match_views
from pbem.services.views.match_views import Sheet, Status
from pbem.services.views.waiting import ASKED, ENDED, GOES_ON, Known, Place, Places, query_of_places_of_players
from pbem.services.who import ORGANISER

SEATED = ("accepted", "invited")
MOST = 200
"""The maximum number of matches for each purpose in a list that has no pages."""
OWN: tuple[SeatPurpose, ...] = ("play", "invitation")
_INVITED = col(SeatRow.status) == "invited"
PURPOSE: Any = case(
    (col(SeatRow.status) == "accepted", "play"),
    (and_(_INVITED, col(Match.status) == "inviting"), "invitation"),
    (and_(_INVITED, col(Match.status) == "unconfirmed", col(SeatRow.seat) == ORGANISER), "confirm"),
)
"""What a player's link to the seat is for; NULL if the match is not theirs.

Nobody learns of an invitation before the organiser confirms the match.
"""
_made, _match_id = col(Match.created_at), col(Match.id)
_newest = (_made.desc(), _match_id.desc())


def _query_of_seats_with_place_in_order(player_id: Any, wanted: Any, within: Any, *order: Any) -> Any:
    """Returns a subquery of the player's seats for the purposes that are `wanted`, each with its place in this order.

    Places are counted from one among the seats for which `within` is the same.
    """
    place = func.row_number().over(partition_by=within, order_by=order).label("place")
    seats = select(col(SeatRow.match_id), col(SeatRow.seat), PURPOSE.label("purpose"), place).join(Match)
    return seats.where(col(SeatRow.player_id) == player_id, wanted).subquery()


# --- all at once, for pages and mails ------------------------------------------------------------------------


@dataclass(frozen=True)
class MyMatch:
    """A seat in a player's list, and the token of the link to it, which is for this purpose."""

    sheet: Sheet
    seat: int
    purpose: SeatPurpose
    token: str

    @property
    def is_asked(self) -> bool:
        """True if it is the player's turn; an answer that is sealed has been given."""
        waits = any(ask.seat == self.seat and ask.sealed is None for ask in self.sheet.asks)
        return waits and not self.sheet.has_resigned(self.seat)


def my_matches(
    site: Site, session: Reading, player: Player | Account, purposes: Collection[SeatPurpose] = OWN
) -> list[MyMatch]:
    """Returns the player's seats for these purposes, at most MOST for each; without games that are not installed.

    First those where it is their turn, then running ones, other taken ones, open invitations and matches to confirm,
    each newest first. A match in progress is never left out in favour of a finished one.
    """
    found = _query_of_my_matches().flush_and_send(session, {"player": player.id, "purposes": purposes}).rows()
    rows = [
        (seat, match, row[-1])
        for (seat, match), row in zip(objects_of_join(session, (SeatRow, Match), found), found, strict=True)
    ]
    tables = store.read_tables(session, (match for _, match, _ in rows))
    sealed = deals.ids_of_sealed_matches(session, [match for _, match, _ in rows])
    matches = []
    for seat, match, purpose in rows:
        if match.game in all_games():
            sheet = match_views.sheet(tables[match.id], seat.seat, sealed=match.id in sealed, listed=True)
            if purpose == "play":
                token = site.tokens.for_owner(match.id, seat.seat, seat.epoch, guests.guest_id(player))
            else:
                token = site.tokens.sign(SEAT_CLAIMS[purpose](match.id, seat.seat, seat.epoch))
            matches.append(MyMatch(sheet, seat.seat, purpose, token))
    return sorted(matches, key=_sort_key_by_urgency)


@cache
def _query_of_my_matches() -> Prepared:
    """Returns the query of `my_matches`, built once; its parameters are `player` and `purposes`."""
    ended = or_(col(Match.status) == "over", col(Match.status) == "cancelled")  # `IN` would be expanded with each call
    order = (ended, *_newest, col(SeatRow.seat))
    own = _query_of_seats_with_place_in_order(bindparam("player"), OneOf(PURPOSE, "purposes"), PURPOSE, *order)
    seats, matches = table(SeatRow), table(Match)
    query = core_select(seats, matches, own.c.purpose).join(matches, seats.c.match_id == matches.c.id)
    query = query.join(own, (seats.c.match_id == own.c.match_id) & (seats.c.seat == own.c.seat))
    return Prepared(query.where(own.c.place <= MOST).order_by(own.c.place))


def _sort_key_by_urgency(mine: MyMatch) -> int:
    if mine.purpose != "play":
        return 4 if mine.purpose == "invitation" else 5
    return 0 if mine.is_asked else {"running": 1, "inviting": 2}.get(mine.sheet.status, 3)


def read_my_matches(site: Site, player: Account) -> list[MyMatch]:
    """Returns the player's matches and their open invitations."""
    with site.reading() as session:
        return my_matches(site, session, player)


@dataclass(frozen=True)
class Own:
    """How many matches and invitations wait for a player, and the initial of their latest name, "" for none."""

    waiting: int
    initial: str


def read_navigation(site: Site, player_id: int) -> Own:
    """Returns what the navigation of all pages says of a player. It takes one statement."""
    with site.one_statement() as connection:
        waiting, name = connection.execute(_query_of_navigation(), {"player": player_id}).one()
    return Own(waiting, next((letter.upper()[0] for letter in name or "" if letter.isalnum()), ""))


@cache
def _query_of_navigation() -> Any:
    """Returns the query of `read_navigation`, whose parameter is `player`."""
    theirs, place = _seats.c.player_id == bindparam("player"), _matches.c.id == _seats.c.match_id
    plays = (_seats.c.status == "accepted", _seats.c.resigned.is_(False), _matches.c.status == "running")
    invited = (_seats.c.status == "invited", _matches.c.status == "inviting")
    waits = and_(
        place, theirs, _matches.c.game.in_([*all_games()]), or_(and_(*plays, exists().where(ASKED)), and_(*invited))
    )
    number = core_select(func.count()).where(waits).scalar_subquery()
    sat = core_select(_seats.c.name).where(place, theirs, _seats.c.status == "accepted")
    return core_select(number, sat.order_by(_matches.c.created_at.desc()).limit(1).scalar_subquery())


@dataclass(frozen=True)
class Next:
    """A match that waits for a player's move: its game, and the token of the link to their seat."""

    game: AnyGame
    token: str


def read_next_turn(site: Site, player: Account, besides: str) -> Next | None:
    """Returns the match, other than `besides`, that waits for the player's move with the nearest deadline, if any.

    It takes one query.
    """
    waits = (
        select(_match_id, col(Match.game), col(SeatRow.seat), col(SeatRow.epoch))
        .join(SeatRow)
        .join(AskRow, ASKED)
        .where(col(SeatRow.player_id) == player.id, col(SeatRow.status) == "accepted", col(SeatRow.resigned).is_(False))
        .where(col(Match.status) == "running", _match_id != besides, col(Match.game).in_([*all_games()]))
        .order_by(col(AskRow.deadline).is_(None), col(AskRow.deadline), _match_id)
    )
    with site.reading() as session:
        found = session.exec(waits.limit(1)).first()
    if found is None:
        return None
    match_id, game, seat, epoch = found
    return Next(all_games()[game], site.tokens.for_owner(match_id, seat, epoch, guests.guest_id(player)))


# --- page by page, for programs ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Wanted:
    """Which matches to list; empty or None means no restriction. `after` is the cursor of an earlier page."""

    statuses: Collection[str] = ()
    game: str | None = None
    turn: bool | None = None
    seats: Collection[str] = SEATED
    after: str | None = None
    limit: int = 20


@dataclass(frozen=True)
class Mine:
    """A match and the player's own seat in it; `deadline` is set if it is their turn and the table has any."""

    match: Match
    own: SeatRow
    asked: bool
    deadline: datetime | None
    seats: Sequence[SeatRow]
    former: str | None
    """The match this is a rematch of, if the player sat in it; others must not learn its id, which gives access."""


def page_of_own_matches(site: Site, player_id: int, wanted: Wanted) -> tuple[list[Mine], str | None]:
    """Returns one page of the player's matches and the cursor of the next page, None on the last. Raises Invalid.

    These are matches in which they hold a seat or are invited; one in which they have several seats is listed once.
    """
    last = _read_cursor(wanted.after) if wanted.after is not None else None
    with site.reading() as session:
        found = session.exec(_query_of_page_after_cursor(player_id, wanted, last).limit(wanted.limit + 1)).all()
        rows = found[: wanted.limit]
        seats = store.seats_of_matches(session, [match.id for match, *_ in rows])
        earlier = [match.rematch_of for match, *_ in rows if match.rematch_of]
        sat = select(SeatRow.match_id).where(
            col(SeatRow.match_id).in_(earlier), col(SeatRow.player_id) == player_id, col(SeatRow.status) == "accepted"
        )
        known: dict[str | None, str] = {former: former for former in session.exec(sat)} if earlier else {}
    matches = [
        Mine(match, own, key is not None, until, seats[match.id], known.get(match.rematch_of))
        for match, own, key, until in rows
    ]
    return matches, _cursor_of_match(matches[-1].match) if len(found) > wanted.limit else None


def _query_of_page_after_cursor(player_id: int, wanted: Wanted, last: tuple[datetime, str] | None) -> Any:
    own = _query_of_seats_with_place_in_order(
        player_id, PURPOSE.in_(OWN), col(SeatRow.match_id), col(SeatRow.status), col(SeatRow.seat)
    )
    query = (
        select(Match, SeatRow, AskRow.key, AskRow.deadline)
        .join(SeatRow)
        .join(own, and_(col(SeatRow.match_id) == own.c.match_id, col(SeatRow.seat) == own.c.seat))
        .join(AskRow, ASKED, isouter=True)
        .where(own.c.place == 1, col(SeatRow.status).in_(wanted.seats))
        .order_by(*_newest)
    )
    if wanted.statuses:
        query = query.where(col(Match.status).in_(wanted.statuses))
    if wanted.game is not None:
        query = query.where(col(Match.game) == wanted.game)
    if wanted.turn is not None:
        query = query.where(col(AskRow.key).is_not(None) if wanted.turn else col(AskRow.key).is_(None))
    if last is not None:
        query = query.where(or_(_made < last[0], and_(_made == last[0], _match_id < last[1])))
    return query


# --- cursors -------------------------------------------------------------------------------------------------


def _cursor_of_match(match: Match) -> str:
    """Returns the cursor that marks this match as the end of a page."""
    return base64.urlsafe_b64encode(f"{match.created_at.isoformat()}.{match.id}".encode()).decode().rstrip("=")


def _read_cursor(cursor: str) -> tuple[datetime, str]:
    """Returns the moment and the match id in a cursor. Raises Invalid."""
    try:
        decoded = base64.b64decode(cursor + "=" * (-len(cursor) % 4), b"-_", validate=True).decode("ascii")
        moment, _, match_id = decoded.rpartition(".")
        at = datetime.fromisoformat(moment)
        if at.tzinfo is None:
            raise _bad_cursor_error()
        at = at.astimezone(UTC)
    except (binascii.Error, ValueError, OverflowError):  # OverflowError: the moment has no date in UTC
        raise _bad_cursor_error() from None
    if not store.MATCH_ID.fullmatch(match_id):
        raise _bad_cursor_error()
    return at, match_id


def _bad_cursor_error() -> Invalid:
    return Invalid(N_("This is not a cursor: send “next” of the previous page unchanged."))


# --- for a program that follows all of them ----------------------------------------------------------------------


LATE = timedelta(minutes=1)
"""A match that ended this long before a program's last message may have become visible after it."""

_matches, _seats, _asks = table(Match), table(SeatRow), table(AskRow)
_MORE = (_asks.c.kind, _matches.c.game, _matches.c.version, _matches.c.outcome)


class AskStanding(Struct, frozen=True):
    """The caller's open question in a match of theirs."""

    key: str
    kind: str
    deadline: Annotated[str | None, Meta(extra_json_schema={"format": "date-time"})]


class MatchStanding(Struct, frozen=True):
    """How a match stands for a player who sits there or is invited."""

    id: str
    game: str
    status: Status
    version: int
    seat: int
    seat_status: Annotated[str, one_of(SEATED)]
    ask: Annotated[AskStanding | None, about("Null without one, and where the answer is sealed.")]
    outcome: Outcome | None
    cancelled: Annotated[str | None, about("Why it was called off.")]

    @property
    def goes_on(self) -> bool:
        """True unless it has ended."""
        return self.status not in ENDED

    @property
    def what_reader_knows(self) -> Known:
        """What a program that has been told this knows of the match."""
        return Known(self.id, self.version, None, None)


@dataclass(frozen=True)
class Standings:
    """How a player's matches stand, by their ids, and the places by whose changes one knows when to read it again."""

    at: datetime
    matches: dict[str, MatchStanding]
    places: Places


def read_own_match_standings(
    site: Site, player_id: int, known: Collection[str] = (), since: datetime | None = None
) -> Standings:
    """Returns all matches that go on, those of the `known` that have ended, and those that have ended `since`.

    A match in which the player has two seats appears once, by the seat they have taken.
    """
    theirs: Any = [_matches.c.id.in_(known)]
    if since is not None:
        theirs.append(_matches.c.ended_at >= since - LATE)
    ended = and_(_seats.c.status == "accepted", _matches.c.status.in_(ENDED), or_(*theirs))
    now = site.now()
    with site.one_statement() as connection:
        rows = connection.execute(query_of_places_of_players([player_id], *_MORE).where(or_(GOES_ON, ended))).all()
    standings = [_match_standing(Place(*row[1:7]), *row[7:]) for row in rows]
    standings.sort(key=lambda one: (one.seat_status, one.seat, one.id), reverse=True)  # of two, the last one counts
    stay = frozenset(Place(*row[1:7]) for row in rows if row[4] not in ENDED)
    return Standings(now, {one.id: one for one in standings}, stay)


def _match_standing(place: Place, kind: str | None, game: str, version: int, outcome: str | None) -> MatchStanding:
    status, until, ask = place.match_status, place.deadline, None
    if status == "running" and place.key is not None and kind is not None:
        ask = AskStanding(place.key, kind, iso_format(until) if until is not None else None)
    end = match_views.end_of(status, outcome)
    return MatchStanding(place.match_id, game, status, version, place.seat, place.seat_status, ask, *end)
