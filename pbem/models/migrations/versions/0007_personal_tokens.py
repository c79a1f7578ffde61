"""Personal tokens

Revision ID: 0007
Revises: 0006
Create Date: 2026-11-21 11:00:00
"""

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    pass


def downgrade() -> None:
    pass
