"""Lines that are kept from turn to turn.

matches ─< plans    one row for each seat that keeps some
"""

from sqlalchemy import Text
from sqlmodel import Field, SQLModel


class PlanRow(SQLModel, table=True):
    """The lines that a seat keeps on its planning board. Only its owner learns of the row."""

    __tablename__ = "plans"

    match_id: str = Field(primary_key=True, foreign_key="matches.id", max_length=32)
    seat: int = Field(primary_key=True)
    body: str = Field(sa_type=Text)
    """The lines, as JSON; see `plans.Kept`."""
