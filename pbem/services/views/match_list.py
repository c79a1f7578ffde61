"""A player's matches.

Programs get them page by page: newest first, one seat of each match, with a cursor that new matches do not shift.
Pages and mails get all seats at once, matches that are not over first.
"""

import base64
import binascii
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import msgspec
from sqlmodel import Session, col, select

from pbem.errors import N_, Invalid
from pbem.games import all_games
from pbem.kit.contract import Outcome
from pbem.models.tables import Match, Player, SeatRow
from pbem.services import statements
from pbem.services.log import match_bundle, store
from pbem.services.log.match_bundle import MatchBundle
from pbem.services.players.players import Account
from pbem.services.site import Site
from pbem.services.tokens import SeatPurpose
from pbem.services.views import match_views
from pbem.services.views.match_views import Sheet
from pbem.services.work import Reading

SEATED = ("accepted", "invited")
"""Seats that the player has taken, and those to which they are invited once the organiser has confirmed the match."""
UNCONFIRMED = "unconfirmed"
"""The first seat of a match that the player has yet to confirm as organiser."""
MOST = 200
"""The maximum number of matches in a list that is not paged."""


@dataclass(frozen=True)
class Wanted:
    """Which matches to list; empty or None means no restriction.

    `after` is the cursor of an earlier page. A list that is not `paged` has every seat of the player: first those taken
    in matches that are not over, then those to answer, then the others, each newest first.
    """

    statuses: Collection[str] = ()
    game: str | None = None
    turn: bool | None = None
    seats: Collection[str] = SEATED
    after: str | None = None
    limit: int = 20
    paged: bool = True


@dataclass(frozen=True)
class Mine:
    """A match and the player's own seat in it."""

    own: SeatRow
    match: Match
    around: MatchBundle
    former: str | None = None
    """The match this is a rematch of, if the player sat in it; others must not learn its id, which gives access."""

    @property
    def seats(self) -> Sequence[SeatRow]:
        """Returns the seats of the match in order."""
        return [seat for seat, _ in self.around.people]

    @property
    def deadline(self) -> datetime | None:
        """Returns until when the player is asked, or None if it is not their turn."""
        return next((ask.deadline for ask in self.around.asks if ask.seat == self.own.seat), None)

    @property
    def outcome(self) -> Outcome | None:
        """Returns the outcome; None while the match runs, and if it was cancelled."""
        if self.match.outcome is None or self.match.status != "over":
            return None
        return msgspec.json.decode(self.match.outcome, type=Outcome)

    @property
    def cancelled(self) -> str | None:
        """Returns why the match was cancelled, or None."""
        if self.match.outcome is None or self.match.status == "over":
            return None
        return str(msgspec.json.decode(self.match.outcome)["reason"])


def _read(session: Session, player_id: int | None, wanted: Wanted, most: int) -> list[Mine]:
    """Returns at most this many of the player's matches, in one batch of statements. Raises Invalid."""
    moment, match_id = _read_cursor(wanted.after) if wanted.after is not None else (None, None)
    values = {"player": player_id, "most": most, "slug": wanted.game, "moment": moment, "match": match_id}
    asked = statements.list_matches(
        frozenset(wanted.seats), frozenset(wanted.statuses), wanted.turn,
        game=wanted.game is not None, after=wanted.after is not None, paged=wanted.paged,
    )  # fmt: skip
    return [Mine(*found) for found in match_bundle.listed(session, asked, values)]


# --- for programs --------------------------------------------------------------------------------------------


def page(site: Site, player_id: int, wanted: Wanted) -> tuple[list[Mine], str | None]:
    """Returns one page of the player's matches and the cursor of the next page, None on the last. Raises Invalid.

    These are matches in which they hold a seat or are invited; one in which they have several seats is listed once.
    """
    with site.reading() as session:
        found = _read(session, player_id, wanted, wanted.limit + 1)
        mine = found[: wanted.limit]
        known = _sat_at(session, player_id, [one.match.rematch_of for one in mine if one.match.rematch_of])
    shown = [replace(one, former=known.get(one.match.rematch_of)) for one in mine]
    return shown, _cursor(mine[-1].match) if len(found) > wanted.limit else None


def _sat_at(session: Session, player_id: int, match_ids: list[str]) -> dict[str | None, str]:
    """Returns those of the matches in which the player sat, as a dict from each id to itself."""
    if not match_ids:
        return {}
    sat = select(SeatRow.match_id).where(
        col(SeatRow.match_id).in_(match_ids), col(SeatRow.player_id) == player_id, col(SeatRow.status) == "accepted"
    )
    return {match_id: match_id for match_id in session.exec(sat)}


# --- for pages and mails -------------------------------------------------------------------------------------

PURPOSES: dict[tuple[str, str], SeatPurpose] = {
    ("invited", "inviting"): "invitation",
    ("invited", "unconfirmed"): "confirm",
}


@dataclass(frozen=True)
class MyMatch:
    """A match as the player may see it, and the link to their seat: what it is for, and its token."""

    sheet: Sheet
    seat: int
    purpose: SeatPurpose
    token: str


def read_matches(site: Site, player: Account) -> list[MyMatch]:
    """Returns the player's matches and their open invitations. See `my_matches`."""
    with site.reading() as session:
        return my_matches(site, session, player)


def my_matches(
    site: Site, session: Reading, player: Player | Account, seats: Collection[str] = SEATED
) -> list[MyMatch]:
    """Returns at most MOST of the player's matches: those where it is their turn, then running ones, then the newest.

    Seats to answer come last: invitations, then matches to confirm. A match in progress is never left out in favour of
    one of these or of a finished one. Matches whose game is not installed are left out.
    """
    found = _read(session, player.id, Wanted(seats=seats, paged=False), MOST)
    return sorted((_my_match(site, session, one) for one in found if one.match.game in all_games()), key=_urgency)


def _my_match(site: Site, session: Reading, one: Mine) -> MyMatch:
    purpose = PURPOSES.get((one.own.status, one.match.status), "play")
    sheet = match_views.seen_by(match_views.sheet(session, one.match, one.around), one.own.seat)
    token = site.tokens.for_seat(purpose, one.match.id, one.own.seat, one.own.epoch)
    return MyMatch(sheet, one.own.seat, purpose, token)


def _urgency(mine: MyMatch) -> int:
    if mine.purpose != "play":
        return 4 if mine.purpose == "invitation" else 5
    if mine.sheet.seats[mine.seat].asked:
        return 0
    return {"running": 1, "inviting": 2, "unconfirmed": 2}.get(mine.sheet.status, 3)


# --- cursors -------------------------------------------------------------------------------------------------


def _cursor(match: Match) -> str:
    """Returns the cursor that marks this match as the end of a page."""
    return base64.urlsafe_b64encode(f"{match.created_at.isoformat()}.{match.id}".encode()).decode().rstrip("=")


def _read_cursor(cursor: str) -> tuple[datetime, str]:
    """Returns the moment and the match id in a cursor. Raises Invalid."""
    try:
        said = base64.b64decode(cursor + "=" * (-len(cursor) % 4), b"-_", validate=True).decode("ascii")
        moment, _, match_id = said.rpartition(".")
        at = datetime.fromisoformat(moment)
        if at.tzinfo is None:
            raise _no_cursor()
        at = at.astimezone(UTC)
    except (binascii.Error, ValueError, OverflowError):  # OverflowError: the moment has no date in UTC
        raise _no_cursor() from None
    if not store.MATCH_ID.fullmatch(match_id):
        raise _no_cursor()
    return at, match_id


def _no_cursor() -> Invalid:
    return Invalid(N_("This is not a cursor: send “next” of the previous page unchanged."))
