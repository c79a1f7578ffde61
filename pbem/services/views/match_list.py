"""A player's matches as a paginated list for programs: newest first, with a cursor that new matches do not shift."""

import base64
import binascii
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import msgspec
from sqlalchemy.orm import aliased
from sqlmodel import Session, and_, col, or_, select

from pbem.errors import N_, Invalid
from pbem.kit.contract import Outcome
from pbem.models.tables import AskRow, Match, SeatRow
from pbem.services.log import store
from pbem.services.site import Site

SEATED = ("accepted", "invited")


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
    """A match and the player's own seat in it; `deadline` is set if it is their turn."""

    match: Match
    own: SeatRow
    deadline: datetime | None
    seats: Sequence[SeatRow]
    former: str | None
    """The match this is a rematch of, if the player sat in it; others must not learn its id, which gives access."""

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


def page(site: Site, player_id: int, wanted: Wanted) -> tuple[list[Mine], str | None]:
    """Returns one page of the player's matches and the cursor of the next page, None on the last. Raises Invalid.

    These are matches in which they hold a seat or are invited; one in which they have several seats is listed once.
    """
    last = _read(wanted.after) if wanted.after is not None else None
    with site.reading() as session:
        found = session.exec(_asked_for(player_id, wanted, last).limit(wanted.limit + 1)).all()
        rows = found[: wanted.limit]
        around = _seats(session, [match.id for match, _, _ in rows])
        known = _sat_at(session, player_id, [match.rematch_of for match, _, _ in rows if match.rematch_of])
    mine = [
        Mine(match, own, ask.deadline if ask else None, around[match.id], known.get(match.rematch_of))
        for match, own, ask in rows
    ]
    return mine, _cursor(mine[-1].match) if len(found) > wanted.limit else None


def _asked_for(player_id: int, wanted: Wanted, last: tuple[datetime, str] | None) -> Any:
    made, match_id, seat = col(Match.created_at), col(Match.id), col(SeatRow.seat)
    asked = and_(col(AskRow.match_id) == match_id, col(AskRow.seat) == seat, col(AskRow.closed_at).is_(None))
    query = (
        select(Match, SeatRow, AskRow)
        .join(SeatRow, col(SeatRow.match_id) == match_id)
        .join(AskRow, asked, isouter=True)
        .where(col(SeatRow.player_id) == player_id, _his(SeatRow), col(SeatRow.status).in_(wanted.seats))
        .where(~_better(player_id))
        .order_by(made.desc(), match_id.desc())
    )
    if wanted.statuses:
        query = query.where(col(Match.status).in_(wanted.statuses))
    if wanted.game is not None:
        query = query.where(col(Match.game) == wanted.game)
    if wanted.turn is not None:
        query = query.where(col(AskRow.key).is_not(None) if wanted.turn else col(AskRow.key).is_(None))
    if last is not None:
        query = query.where(or_(made < last[0], and_(made == last[0], match_id < last[1])))
    return query


def _his(seat: Any) -> Any:
    """The condition that the seat makes the match the player's own.

    Nobody learns of an invitation before the organiser confirms the match.
    """
    return or_(seat.status == "accepted", and_(seat.status == "invited", col(Match.status) == "inviting"))


def _better(player_id: int) -> Any:
    """The condition that another seat of the player's comes first: an accepted one, or one with a smaller number."""
    other = aliased(SeatRow)
    before = or_(
        and_(other.status == "accepted", col(SeatRow.status) == "invited"),
        and_(other.status == col(SeatRow.status), other.seat < col(SeatRow.seat)),
    )
    return select(other.seat).where(other.match_id == Match.id, other.player_id == player_id, before).exists()


def _seats(session: Session, match_ids: list[str]) -> dict[str, list[SeatRow]]:
    rows = session.exec(
        select(SeatRow).where(col(SeatRow.match_id).in_(match_ids)).order_by(col(SeatRow.match_id), col(SeatRow.seat))
    )
    found: dict[str, list[SeatRow]] = {match_id: [] for match_id in match_ids}
    for row in rows:
        found[row.match_id].append(row)
    return found


def _sat_at(session: Session, player_id: int, match_ids: list[str]) -> dict[str | None, str]:
    """Returns those of the matches in which the player sat, as a dict from each id to itself."""
    if not match_ids:
        return {}
    sat = select(SeatRow.match_id).where(
        col(SeatRow.match_id).in_(match_ids), col(SeatRow.player_id) == player_id, col(SeatRow.status) == "accepted"
    )
    return {match_id: match_id for match_id in session.exec(sat)}


# --- cursors -------------------------------------------------------------------------------------------------


def _cursor(match: Match) -> str:
    """Returns the cursor that marks this match as the end of a page."""
    return base64.urlsafe_b64encode(f"{match.created_at.isoformat()}.{match.id}".encode()).decode().rstrip("=")


def _read(cursor: str) -> tuple[datetime, str]:
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
