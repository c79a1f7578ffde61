"""When an open question is looked at for its next reminder

Revision ID: 0011
Revises: 0010
Create Date: 2026-11-21 17:00:00
"""

import sqlalchemy as sa
from alembic import op

import pbem.models.types

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

REMINDED = sa.text("closed_at IS NULL AND remind_at IS NOT NULL")


def upgrade() -> None:
    op.add_column("asks", sa.Column("remind_at", pbem.models.types.Utc(timezone=True), nullable=True))
    # The sweep looks at each of them once, some at a time, and puts down when it really is to be looked at.
    op.execute(
        "UPDATE asks SET remind_at = mailed_at WHERE closed_at IS NULL AND bot IS NULL AND mailed_at IS NOT NULL"
    )
    op.create_index("ix_asks_remind", "asks", ["remind_at"], sqlite_where=REMINDED, postgresql_where=REMINDED)


def downgrade() -> None:
    op.drop_index("ix_asks_remind", table_name="asks")
    op.drop_column("asks", "remind_at")
