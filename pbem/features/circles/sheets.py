"""What members see of a circle; strangers see a page of it that is open, with the names of those members who agree.

Nobody sees an address, and invitations that have no answer yet are shown to nobody but their reader: who could tell
which addresses have none would learn which belong to members.
"""

from collections import Counter
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated

from msgspec import Struct, structs
from sqlmodel import Session, col, select

from pbem.answers import about
from pbem.features.circles import standing
from pbem.features.circles.claims import CircleClaim, MemberClaim
from pbem.features.circles.rows import (
    INVITED,
    MEMBER,
    member_row_of_player,
    members_of,
    membership_of_claim,
    no_circle_error,
)
from pbem.features.circles.scores import GameScores, scores_of_circle
from pbem.features.circles.tables import Circle, CircleMatch, Occasion, OccasionAnswer
from pbem.features.circles.tables import CircleMember as MemberRow
from pbem.features.circles.tables import StandingTable as TableRow
from pbem.games import find_game
from pbem.kit.contract import AnyGame
from pbem.models.tables import Match, Player
from pbem.services.lobby.match_request import Terms
from pbem.services.log.store import game_by_slug, seats_of_matches
from pbem.services.site import Site
from pbem.services.tokens import unknown_link

MATCHES_SHOWN = 20


class CircleMember(Struct, frozen=True):
    """A member of a circle."""

    id: int
    name: str
    founder: bool


class StandingTable(Struct, frozen=True, rename={"slug": "game"}):
    """A table that meets every week. `starts_at` is the next time."""

    id: int
    slug: str
    weekday: Annotated[int, about("0 is Monday.")]
    hour: int
    zone: str
    starts_at: datetime
    asking: Annotated[bool, about("Whether members can say yes or no now.")]
    yes: Annotated[tuple[str, ...], about("The names of those who have said yes.")]
    no: tuple[str, ...]
    yours: Annotated[bool | None, about("Null: the caller has not answered.")]


class TableSheet(StandingTable, frozen=True):
    """A standing table as the pages show it to a member. `terms` are those of its matches."""

    terms: Terms
    occasion_id: int | None
    """The occasion for which members can say yes or no; None: they are asked later."""
    silent: bool
    """True if the viewer is not asked by mail any more, because they have not answered for long."""
    may_stop: bool

    @property
    def game(self) -> AnyGame:
        """Its game. Raises GameUnavailable."""
        return game_by_slug(self.slug)


@dataclass(frozen=True)
class Played:
    """A match of the circle that has begun, or still invites."""

    id: str
    game: AnyGame
    status: str
    names: tuple[str, ...]
    spectators: bool
    seat: int | None
    """The viewer's own."""


@dataclass(frozen=True)
class CircleSheet:
    """A circle as one of its members sees it, or somebody who is invited: they see no more than its name and size."""

    id: str
    name: str
    open: bool
    you: MemberRow
    founder: bool
    """True for its founder."""
    size: int
    host: str
    """Who has invited the viewer, "" if nobody has by name."""
    language: str
    zone: str
    verified: bool
    members: tuple[CircleMember, ...] = ()
    tables: tuple[TableSheet, ...] = ()
    matches: tuple[Played, ...] = ()
    """The newest first."""
    scores: tuple[GameScores, ...] = ()
    join_token: str | None = None
    """The token of its invitation link."""


@dataclass(frozen=True)
class OpenPage:
    """A circle whose page is open, as strangers see it: `hidden` members have not agreed that their name is shown."""

    id: str
    name: str
    members: tuple[str, ...]
    hidden: int
    scores: tuple[GameScores, ...]


@dataclass(frozen=True)
class Linked:
    """A circle as the holder of its invitation link sees it."""

    id: str
    name: str
    size: int


class CircleLine(Struct, frozen=True):
    """A circle in the caller's list. `asks` says that a standing table waits for their answer."""

    id: str
    title: str
    status: str
    size: int
    asks: bool


def claim_of_player(site: Site, player_id: int, circle_id: str) -> MemberClaim:
    """Returns what a signed-in player acts with as a member of this circle, or as somebody who is invited.

    Raises NotFound, also if there is no such circle.
    """
    with site.reading() as session:
        circle, row = session.get(Circle, circle_id), member_row_of_player(session, circle_id, player_id)
        if circle is None or circle.dissolved_at is not None or row is None or row.status not in (MEMBER, INVITED):
            raise no_circle_error()
        return MemberClaim(row.id, row.epoch)


# --- pages ---------------------------------------------------------------------------------------------------


def read_circle_briefly(site: Site, claim: MemberClaim) -> CircleSheet:
    """Returns the circle of a membership without its tables and standings. Raises Unauthorized, NotFound."""
    with site.reading() as session:
        return _read_brief_sheet_and_circle(session, claim)[0]


def read_circle(site: Site, claim: MemberClaim) -> CircleSheet:
    """Returns all that a member sees of the circle; to the invited no more than `read_circle_briefly`.

    Raises Unauthorized, NotFound.
    """
    with site.reading() as session:
        sheet, circle = _read_brief_sheet_and_circle(session, claim)
        if sheet.you.status != MEMBER:
            return sheet
        tables = [_table_sheet(session, circle, sheet.you, row) for row in standing.running_tables(session, circle.id)]
        link = site.tokens.sign(CircleClaim(circle.id, circle.epoch))
        return replace(
            sheet, tables=tuple(one for one in tables if one is not None),
            matches=_newest_open_matches(session, sheet.you),
            scores=scores_of_circle(session, circle.id), join_token=link,
        )  # fmt: skip


def _read_brief_sheet_and_circle(session: Session, claim: MemberClaim) -> tuple[CircleSheet, Circle]:
    row = membership_of_claim(session, claim)
    circle, player = session.get_one(Circle, row.circle_id), session.get_one(Player, row.player_id)
    if circle.dissolved_at is not None:
        raise no_circle_error()
    members = members_of(session, circle.id)
    host = next((one.name for one in members if one.player_id == row.by_id), "") if row.by_id is not None else ""
    shown = [
        CircleMember(one.id, one.name, one.player_id == circle.founder_id)
        for one in (members if row.status == MEMBER else ())
    ]
    sheet = CircleSheet(
        circle.id, circle.name, circle.open, row, row.status == MEMBER and row.player_id == circle.founder_id,
        len(members), host, player.language, player.zone, player.verified_at is not None, tuple(shown),
    )  # fmt: skip
    return sheet, circle


def _table_sheet(session: Session, circle: Circle, you: MemberRow, row: TableRow) -> TableSheet | None:
    """Returns the table; None if its game is not here any more."""
    if find_game(row.game) is None:
        return None
    occasion = standing.current_occasion(session, row.id)
    said = standing.answers_to_occasion(session, occasion.id) if occasion is not None else ()
    return TableSheet(
        row.id, row.game, row.weekday, row.hour, row.zone,
        occasion.starts_at if occasion is not None else standing.weekly_hour_of_table(row).next_after(row.next_at),
        occasion is not None,
        tuple(member.name for member, yes in said if yes), tuple(member.name for member, yes in said if not yes),
        next((yes for member, yes in said if member.id == you.id), None),
        standing.terms_of_table(row, None), occasion.id if occasion is not None else None,
        you.id in standing.silent_members(session, row.id), you.player_id in (row.by_id, circle.founder_id),
    )  # fmt: skip


def _newest_open_matches(session: Session, you: MemberRow) -> tuple[Played, ...]:
    """Returns the circle's newest matches that go on."""
    going = (
        select(Match)
        .join(CircleMatch, col(CircleMatch.match_id) == col(Match.id))
        .where(col(CircleMatch.circle_id) == you.circle_id, col(Match.status).in_(("inviting", "running", "paused")))
        .order_by(col(Match.created_at).desc(), col(Match.id))
        .limit(MATCHES_SHOWN)
    )
    found = session.exec(going).all()
    at = seats_of_matches(session, [match.id for match in found])
    return tuple(
        Played(
            match.id, game, match.status, tuple(seat.name for seat in at[match.id]), match.spectators,
            next((s.seat for s in at[match.id] if s.player_id == you.player_id and s.status == "accepted"), None),
        )
        for match in found
        if (game := find_game(match.game)) is not None
    )  # fmt: skip


def read_open_page(site: Site, circle_id: str) -> OpenPage:
    """Returns what anybody sees of a circle whose page is open.

    Raises NotFound for one whose page is closed, the same as for one that does not exist, so that nobody learns which.
    """
    with site.reading() as session:
        circle = session.get(Circle, circle_id)
        if circle is None or circle.dissolved_at is not None or not circle.open:
            raise no_circle_error()
        members = members_of(session, circle_id)
        listed = {member.id: member.name for member in members if member.listed}
        scores = tuple(
            structs.replace(
                one, scores=tuple(structs.replace(s, against=()) for s in one.scores if s.member_id in listed)
            )
            for one in scores_of_circle(session, circle_id)
        )
        return OpenPage(circle.id, circle.name, tuple(listed.values()), len(members) - len(listed), scores)


def read_invitation(site: Site, claim: CircleClaim) -> Linked:
    """Returns the circle of an invitation link. Raises Unauthorized."""
    with site.reading() as session:
        circle = session.get(Circle, claim.circle_id)
        if circle is None or circle.dissolved_at is not None or circle.epoch != claim.epoch:
            raise unknown_link()
        return Linked(circle.id, circle.name, len(members_of(session, circle.id)))


def read_circles_of_player(site: Site, player_id: int) -> tuple[CircleLine, ...]:
    """Returns the circles of a signed-in player by name, and those that invite them."""
    with site.reading() as session:
        found = session.exec(
            select(Circle, MemberRow)
            .join(MemberRow, col(MemberRow.circle_id) == col(Circle.id))
            .where(col(MemberRow.player_id) == player_id, col(MemberRow.status).in_((MEMBER, INVITED)))
            .where(col(Circle.dissolved_at).is_(None))
            .order_by(col(Circle.name), col(Circle.id))
        ).all()
        if not found:
            return ()
        theirs = col(MemberRow.circle_id).in_([circle.id for circle, _ in found])
        members = session.exec(select(MemberRow.circle_id).where(theirs, col(MemberRow.status) == MEMBER))
        sizes, asking = Counter(members), _circles_with_open_question(session, player_id)
        return tuple(
            CircleLine(circle.id, circle.name, row.status, sizes[circle.id], circle.id in asking)
            for circle, row in found
        )


def _circles_with_open_question(session: Session, player_id: int) -> set[str]:
    """Returns the ids of the circles with a question for this member that has no answer."""
    own = (col(OccasionAnswer.occasion_id) == col(Occasion.id), col(OccasionAnswer.member_id) == col(MemberRow.id))
    waiting = (
        select(MemberRow.circle_id)
        .join(TableRow, col(TableRow.circle_id) == col(MemberRow.circle_id))
        .join(Occasion, col(Occasion.standing_id) == col(TableRow.id))
        .where(col(MemberRow.player_id) == player_id, col(MemberRow.status) == MEMBER)
        .where(col(TableRow.stopped_at).is_(None), col(Occasion.done_at).is_(None))
        .where(~select(OccasionAnswer.yes).where(*own).exists())
    )
    return set(session.exec(waiting))
