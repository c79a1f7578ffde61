"""Circles, their members and their standing tables as members see them. No address is ever told."""

from datetime import datetime
from typing import Annotated

from msgspec import Meta, Struct

from pbem.api.protocol.callers import site
from pbem.features.circles import sheets
from pbem.features.circles.claims import MemberClaim
from pbem.features.circles.sheets import TableSheet

ITS_NAME = "What the others of the circle call the player: at most 24 letters."


class CircleMember(Struct, frozen=True):
    """A member of a circle."""

    id: int
    name: str
    founder: bool


class StandingTable(Struct, frozen=True):
    """A table that meets every week. `starts_at` is the next time."""

    id: int
    game: str
    weekday: Annotated[int, Meta(description="0 is Monday.")]
    hour: int
    zone: str
    starts_at: datetime
    asking: Annotated[bool, Meta(description="Whether members can say yes or no now.")]
    yes: Annotated[tuple[str, ...], Meta(description="The names of those who have said yes.")]
    no: tuple[str, ...]
    yours: Annotated[bool | None, Meta(description="Null: the caller has not answered.")]


class CircleShown(Struct, frozen=True):
    """A circle as one of its members sees it; to somebody who is invited, members and tables are empty."""

    id: str
    title: str
    status: Annotated[str, Meta(description="The caller's: invited or member.")]
    name: Annotated[str, Meta(description="What the caller is called there.")]
    member: Annotated[int, Meta(description="The caller's id as a member.")]
    founder: Annotated[bool, Meta(description="Whether the caller is the founder.")]
    open: bool
    muted: bool
    listed: bool
    size: int
    members: list[CircleMember]
    tables: list[StandingTable]
    matches: Annotated[list[str], Meta(description="Those that go on, newest first.")]
    join_url: Annotated[str | None, Meta(description="Everybody who has it can join; null for the invited.")]


# --- reading -------------------------------------------------------------------------------------------------


def claim_of(player_id: int, circle_id: str) -> MemberClaim:
    """Returns the player's claim to act in the circle, as a member or invited. Raises NotFound."""
    return sheets.own_claim(site(), player_id, circle_id)


def circle_answer(player_id: int, circle_id: str) -> CircleShown:
    """Returns a circle of the player's. Raises NotFound."""
    sheet = sheets.read_circle(site(), claim_of(player_id, circle_id))
    you, token = sheet.you, sheet.join_token
    assert you.id is not None, "it is stored"
    return CircleShown(
        sheet.id, sheet.name, you.status, you.name, you.id, sheet.founder, sheet.open, you.muted, you.listed,
        sheet.size, [CircleMember(one.id, one.name, one.founder) for one in sheet.members],
        [table_answer(one) for one in sheet.tables], [one.id for one in sheet.matches],
        site().url(f"/circle/join/{token}") if token is not None else None,
    )  # fmt: skip


def table_answer(one: TableSheet) -> StandingTable:
    """Returns a standing table."""
    return StandingTable(
        one.id, one.game.meta.slug, one.weekday, one.hour, one.zone, one.starts_at, one.occasion_id is not None,
        one.yes, one.no, one.yours,
    )  # fmt: skip
