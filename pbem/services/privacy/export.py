"""What is stored about a player, for the player: their row, and what fates, seats and features say of other tables."""

from collections.abc import Iterable
from typing import Any

from sqlalchemy import ColumnElement, Table, and_, or_, select, true
from sqlmodel import Session, SQLModel

from pbem.models.tables import Match, Player, SeatRow, table
from pbem.services.hooks import all_personal
from pbem.services.privacy.fates import all_fates
from pbem.services.site import Site
from pbem.services.tokens import unknown_link
from pbem.services.who import ORGANISER

OURS = {"canonical", "epoch"}
"""The columns of a player's row that they do not get: a copy of their address, and a count of what no longer opens."""
SEATS: dict[str, tuple[str, ...]] = {
    "messages": ("match_id", "at", "text"), "notes": ("match_id", "at", "text"), "orders": ("match_id", "body"),
    # What they answered is in the log of the match, which they can download.
    "asks": (), "votes": (),
}  # fmt: skip
"""What they get of the tables with rows of seats, where the seat is theirs."""

Rows = list[dict[str, Any]]


def export_player(site: Site, player_id: int) -> dict[str, Any]:
    """Returns the player's data by table: {"player": {…}, "seats.player_id": [{…}], "notes": [{…}], …}.

    The values are those of the columns. Features are asked whether they are on or off. Raises Unauthorized if the
    player has been erased.
    """
    with site.reading() as session:
        player = session.get(Player, player_id)
        if player is None or player.address == "":
            raise unknown_link()
        found: dict[str, Any] = {
            "player": {name: getattr(player, name) for name in Player.model_fields if name not in OURS}
        }
        seat = table(SeatRow)
        for name, fate in sorted(all_fates().items()):
            at, column = name.split(".")
            rows = SQLModel.metadata.tables[at]
            if fate.export:
                told = _condition_of_confirmed_matches() if rows is seat else true()
                found[name] = _rows_to_export(session, rows, fate.export, and_(rows.c[column] == player_id, told))
        for name, columns in sorted(columns_for_seat_export().items()):
            if not columns:
                continue
            rows = SQLModel.metadata.tables[name]
            theirs = select(seat.c.seat).where(
                seat.c.player_id == player_id, seat.c.match_id == rows.c.match_id, seat.c.seat == rows.c.seat,
                # What a former owner of the seat has left there is of an earlier epoch.
                rows.c.epoch == seat.c.epoch if "epoch" in rows.c else true(),
            )  # fmt: skip
            found[name] = _rows_to_export(session, rows, columns, theirs.exists())
        for name, columns in sorted(columns_for_export_through().items()):
            if not columns:
                continue
            at, column = name.split(".")
            rows = SQLModel.metadata.tables[at]
            (key,) = rows.c[column].foreign_keys
            owner = key.column.table
            theirs = select(owner.c.player_id).where(owner.c.player_id == player_id, key.column == rows.c[column])
            found[name] = _rows_to_export(session, rows, columns, theirs.exists())
        return found


def _condition_of_confirmed_matches() -> ColumnElement[bool]:
    """Returns the SQL condition of confirmed matches and of organisers: nobody else learns of an invitation before."""
    seat, match = table(SeatRow), table(Match)
    unconfirmed = select(match.c.id).where(match.c.id == seat.c.match_id, match.c.status == "unconfirmed")
    return or_(seat.c.seat == ORGANISER, ~unconfirmed.exists())


def columns_for_seat_export() -> dict[str, tuple[str, ...]]:
    """Returns the columns that a seat's player gets of the tables with rows of seats, by the table's name."""
    return SEATS | {name: columns for personal in all_personal() for name, columns in personal.export.items()}


def columns_for_export_through() -> dict[str, tuple[str, ...]]:
    """Returns the columns that a player gets of the rows that belong to a row of theirs, by "table.column"."""
    return {name: columns for personal in all_personal() for name, columns in personal.export_through.items()}


def _rows_to_export(session: Session, rows: Table, columns: Iterable[str], theirs: ColumnElement[bool]) -> Rows:
    found = session.execute(select(*(rows.c[name] for name in columns)).where(theirs).order_by(*rows.primary_key))
    return [dict(row._mapping) for row in found]
