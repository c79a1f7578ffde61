"""Changes of address, and going away

Revision ID: 0010
Revises: 0009
Create Date: 2026-11-21 14:00:00
"""

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    pass


def downgrade() -> None:
    pass
