"""Archives: what is left of the rows of a match that ended long ago."""

from sqlalchemy import LargeBinary, Text
from sqlmodel import Field, SQLModel


class ArchiveRow(SQLModel, table=True):
    """The log and the asks of a match that is over, in place of their rows; see `pbem.services.log.archive`."""

    __tablename__ = "archives"

    match_id: str = Field(primary_key=True, foreign_key="matches.id", max_length=32)
    form: int
    """How `packed` is written: an archive is never written again, so all forms there ever were must be readable."""
    waits: str = Field(sa_type=Text)
    """How long the owners of the seats took to answer, as JSON: for each seat the seconds of each of their turns."""
    packed: bytes = Field(sa_type=LargeBinary)
