"""How many matches a player may have open: few at first, more with each match they have played to its end.

Open are those in which they have a seat, and those that they started, even after they have resigned: others play on.
Without an account, too: a player is an address. The number is checked when they start a match; an invitation can
always be accepted, since somebody else's number paid for the match. Bots have no number.
"""

from dataclasses import dataclass

from sqlalchemy import ColumnElement, and_, func, union
from sqlmodel import Session, col, select

from pbem.errors import N_, TooManyOpen
from pbem.models.tables import Match, SeatRow
from pbem.services.site import Site

EACH = 2
"""How many more each finished match adds."""
TIMES = 20
"""The number never exceeds so many times the first one."""
OPEN = ("inviting", "running", "paused")


@dataclass(frozen=True)
class OpenMatches:
    """How many matches a player has open, and how many they may have; None where the site has no caps."""

    count: int
    most: int | None


def read_open_matches(site: Site, player_id: int) -> OpenMatches:
    """Returns the player's numbers."""
    with site.reading() as session:
        return _open_matches(site, session, player_id)


def check_may_start(site: Site, session: Session, player_id: int | None) -> None:
    """Raises TooManyOpen if the player has as many matches open as they may.

    Nothing is locked, so of several matches started at the same moment each may pass. The refusal names no number: the
    link of one seat may ask for a rematch, and is not told of other matches.
    """
    if not site.config.capped or player_id is None:
        return
    opened = _open_matches(site, session, player_id)
    if opened.most is not None and opened.count >= opened.most:
        raise TooManyOpen(
            N_(
                "You have as many matches open as you may have. Play one to its end or resign from one, then start"
                " another: each match that you play to its end allows you %(more)s more. Those that you started count"
                " until they are over."
            ),
            {"more": str(EACH)},
        )


def _open_matches(site: Site, session: Session, player_id: int) -> OpenMatches:
    """Reads the player's seats and matches by index, and no more finished matches than can raise the number."""
    first, is_open = site.config.open_matches, col(Match.status).in_(OPEN)
    played = select(col(Match.id)).join(SeatRow, _plays(player_id)).where(is_open)
    started = select(col(Match.id)).where(col(Match.organiser_id) == player_id, is_open)
    count: int = session.execute(select(func.count()).select_from(union(played, started).subquery())).scalar_one()
    if not site.config.capped:
        return OpenMatches(count, None)
    finished = (
        select(col(Match.id))
        .join(SeatRow, _plays(player_id))
        .where(col(Match.status) == "over", col(SeatRow.absent).is_(False))
        .distinct()
        .limit(first * (TIMES - 1) // EACH + 1)
    )
    ended: int = session.execute(select(func.count()).select_from(finished.subquery())).scalar_one()
    return OpenMatches(count, min(first + EACH * ended, first * TIMES))


def _plays(player_id: int) -> ColumnElement[bool]:
    return and_(
        col(SeatRow.match_id) == col(Match.id),
        col(SeatRow.player_id) == player_id,
        col(SeatRow.status) == "accepted",
        col(SeatRow.resigned).is_(False),
    )
