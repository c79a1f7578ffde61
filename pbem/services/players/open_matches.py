"""How many matches a player may have open: few at first, more with each match they have played to its end.

    the first number + 2 for each match played to its end − 3 for each absence

It never exceeds twenty times the first number, and never falls below two, so that nobody is shut out. An absence is
counted when a seat becomes absent after two missed turns; while the service is down no time runs out, so none is
counted.

Open are those in which they have a seat, and those that they started, even after they have resigned: others play on.
This holds without an account, too: a player is an address. The number is checked when they start a match; an invitation
can always be accepted, since somebody else's number paid for the match. Bots have no number.
"""

from typing import Annotated

from msgspec import Meta, Struct
from sqlalchemy import ColumnElement, and_, func, union, update
from sqlmodel import Session, col, select

from pbem.errors import N_, TooManyOpen
from pbem.models.tables import Match, Player, SeatRow, table
from pbem.services.log import locks
from pbem.services.site import Site, Work

EACH = 2
"""How many more each finished match adds."""
ABSENCE = 3
"""How many fewer each absence leaves."""
LEAST = 2
"""The number never falls below this, nor below the first one if that is smaller."""
TIMES = 20
"""The number never exceeds this many times the first one."""
OPEN = ("inviting", "running", "paused")


class OpenMatches(Struct, frozen=True):
    """How many matches a player has open, and how many they may have when they start another."""

    count: int
    most: Annotated[int | None, Meta(description="Null where the site has no caps.")]
    absences: Annotated[int, Meta(description="How often they were absent; each leaves three fewer.")] = 0


def read_open_matches(site: Site, player_id: int) -> OpenMatches:
    """Returns the player's numbers."""
    with site.reading() as session:
        return open_matches_with_limit(site, session, player_id)


def check_may_start(site: Site, session: Session, player_id: int | None) -> None:
    """Raises TooManyOpen if the player has as many matches open as they may.

    Nothing is locked, so of several matches started at the same moment each may pass. The refusal names no number: the
    link of one seat may ask for a rematch, and is not told of other matches.
    """
    if not site.config.has_caps or player_id is None:
        return
    opened = open_matches_with_limit(site, session, player_id)
    if opened.most is not None and opened.count >= opened.most:
        raise TooManyOpen(
            N_(
                "You have as many matches open as you may have. Play one to its end or resign from one, then start"
                " another: each match that you play to its end allows you %(more)s more, and each absence %(fewer)s"
                " fewer. Those that you started count until they are over."
            ),
            {"more": str(EACH), "fewer": str(ABSENCE)},
        )


def count_absence(work: Work, player_id: int | None) -> None:
    """Counts an absence of the player, who has just become absent from a match.

    `player_id` is None for a player who was erased; then nothing happens. The match is locked already, and a player
    may only be waited for before that. So this never waits: it raises Busy if somebody else is changing the player.
    """
    if player_id is None:
        return
    p = table(Player).c
    free = select(p.id).where(p.id == player_id).with_for_update(key_share=True, skip_locked=True)
    one = free.suffix_with("/* FOR NO KEY UPDATE SKIP LOCKED */", dialect="sqlite").scalar_subquery()
    counted = update(table(Player)).where(p.id == one).values(absences=p.absences + 1)
    if work.connection().execute(counted).rowcount != 1:
        raise locks.busy_error()


def open_matches_with_limit(site: Site, session: Session, player_id: int) -> OpenMatches:
    """Returns the player's numbers as this session sees them.

    It reads the player's seats and matches by index, and no more finished matches than can raise the number.
    """
    first, is_open = site.config.open_matches, col(Match.status).in_(OPEN)
    played = select(col(Match.id)).join(SeatRow, _plays_in_match_condition(player_id)).where(is_open)
    started = select(col(Match.id)).where(col(Match.organiser_id) == player_id, is_open)
    count: int = session.execute(select(func.count()).select_from(union(played, started).subquery())).scalar_one()
    absences = session.exec(select(Player.absences).where(Player.id == player_id)).one()
    if not site.config.has_caps:
        return OpenMatches(count, None, absences)
    enough = -(-(first * (TIMES - 1) + ABSENCE * absences) // EACH)
    finished = (
        select(col(Match.id))
        .join(SeatRow, _plays_in_match_condition(player_id))
        .where(col(Match.status) == "over", col(SeatRow.absent).is_(False))
        .distinct()
        .limit(enough)
    )
    ended: int = session.execute(select(func.count()).select_from(finished.subquery())).scalar_one()
    most = max(first + EACH * ended - ABSENCE * absences, min(LEAST, first))
    return OpenMatches(count, min(most, first * TIMES), absences)


def _plays_in_match_condition(player_id: int) -> ColumnElement[bool]:
    return and_(
        col(SeatRow.match_id) == col(Match.id),
        col(SeatRow.player_id) == player_id,
        col(SeatRow.status) == "accepted",
        col(SeatRow.resigned).is_(False),
    )
