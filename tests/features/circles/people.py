"""A circle and its people: Alice has founded it, Bob and others are in, Charlie is not."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import col, select

from pbem.features.circles import founding, joining, sheets
from pbem.features.circles.claims import CircleClaim, MemberClaim
from pbem.features.circles.tables import Circle, CircleMember, Occasion
from pbem.models.results import Result
from pbem.models.tables import OutboxRow, SeatRow
from pbem.services.lobby.match_request import Invitee
from pbem.services.players import players
from tests.table import House, address_of

READER = ("en", "Europe/Paris")


def verify_address(house: House, name: str) -> int:
    """Returns the id of one of the cast, whose address is proven."""
    with house.site.writing() as work:
        player = players.find_or_add(work, address_of(name), "en", house.clock())
        player.verified_at = player.verified_at or house.clock()
        work.flush()
        assert player.id is not None
        return player.id


def circle_of(house: House, *names: str, title: str = "Les Lacs") -> str:
    """Returns the id of a circle that the first of these has founded and the others have joined, a minute apart."""
    first, *others = names
    circle_id = founding.found_circle(house.site, verify_address(house, first), title, first)
    for name in others:
        house.clock.forward(minutes=1)
        joining.join_signed_in(house.site, invitation_link_claim(house, circle_id), verify_address(house, name), name)
    return circle_id


def invitation_link_claim(house: House, circle_id: str) -> CircleClaim:
    """Returns the claim of the invitation link."""
    with house.site.reading() as session:
        return CircleClaim(circle_id, session.get_one(Circle, circle_id).epoch)


def member_claim(house: House, circle_id: str, name: str) -> MemberClaim:
    """Returns what one of the cast acts with in the circle."""
    return sheets.claim_of_player(house.site, verify_address(house, name), circle_id)


def row_of(house: House, circle_id: str, name: str) -> CircleMember:
    """Returns the row of one of the cast, whatever its status."""
    mine = (col(CircleMember.circle_id) == circle_id, col(CircleMember.player_id) == verify_address(house, name))
    with house.site.reading() as session:
        row = session.exec(select(CircleMember).where(*mine)).one()
        session.expunge(row)
        return row


def id_in(house: House, circle_id: str, name: str) -> int:
    """Returns the id of one of the cast as a member."""
    number = row_of(house, circle_id, name).id
    assert number is not None
    return number


def names_in(house: House, circle_id: str, viewer: str = "Alice") -> list[str]:
    """Returns the names that a member sees, the founder's first if they have been there longest."""
    return [one.name for one in sheets.read_circle(house.site, member_claim(house, circle_id, viewer)).members]


def ask_to_join_circle(house: House, circle_id: str, name: str) -> None:
    """Has one of the cast ask for the circle with its link."""
    joining.send_join_link(
        house.site, invitation_link_claim(house, circle_id), Invitee(name, address_of(name)), *READER
    )


def rows_queued(house: House, kind: str) -> list[OutboxRow]:
    """Returns the rows of the outbox of this kind, oldest first."""
    with house.site.reading() as session:
        return list(session.exec(select(OutboxRow).where(col(OutboxRow.kind) == kind).order_by(col(OutboxRow.id))))


def weeks_of_tables(house: House) -> list[tuple[datetime, bool]]:
    """Returns the weeks of all standing tables: when they start, and whether they are done."""
    with house.site.reading() as session:
        rows = session.exec(select(Occasion).order_by(col(Occasion.starts_at)))
        return [(row.starts_at, row.done_at is not None) for row in rows]


def store_result(house: House, match_id: str, places: list[int]) -> None:
    """Stores how the match ended, as its tally does."""
    with house.site.writing() as work:
        seats = work.exec(select(SeatRow).where(col(SeatRow.match_id) == match_id).order_by(col(SeatRow.seat))).all()
        for seat, place in zip(seats, places, strict=True):
            work.add(
                Result(
                    match_id=match_id, seat=seat.seat, game="hogen", player_id=seat.player_id, bot=seat.bot,
                    place=place, ended_at=house.clock(),
                )
            )  # fmt: skip
