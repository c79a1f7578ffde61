"""How much of each quota has been used."""

from datetime import datetime

from sqlmodel import Field, SQLModel

from pbem.models.types import Utc


class QuotaRow(SQLModel, table=True):
    """The use of one quota in its current window, which ends at `until`. The name contains no address."""

    __tablename__ = "quotas"

    name: str = Field(primary_key=True, max_length=80)
    used: int
    until: datetime = Field(sa_type=Utc, index=True)
