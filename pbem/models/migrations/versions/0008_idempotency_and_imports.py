"""Keys of requests that are not done twice, and logs that were sent here

Revision ID: 0008
Revises: 0007
Create Date: 2026-11-21 12:00:00
"""

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    pass


def downgrade() -> None:
    pass
