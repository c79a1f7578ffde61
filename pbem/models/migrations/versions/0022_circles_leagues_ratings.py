"""Circles, results and ratings, leagues with their seasons, and deals that several tables share.

Revision ID: 0022
Revises: 0021
Create Date: 2026-11-26 16:10:00
"""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

import pbem.models.types

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "deals",
        sa.Column("id", sqlmodel.sql.sqltypes.AutoString(length=32), nullable=False),
        sa.Column("game", sqlmodel.sql.sqltypes.AutoString(length=40), nullable=False),
        sa.Column("options", sa.Text(), nullable=False),
        sa.Column("seats", sa.Integer(), nullable=False),
        sa.Column("seed", sa.LargeBinary(), nullable=False),
        sa.Column("commitment", sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        sa.Column("closed", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("tables_left", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("created_at", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.Column("opened_at", pbem.models.types.Utc(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    with op.batch_alter_table("deals", schema=None) as batch_op:
        batch_op.create_index(
            "ix_deals_unopened",
            ["created_at"],
            unique=False,
            sqlite_where=sa.text("opened_at IS NULL"),
            postgresql_where=sa.text("opened_at IS NULL"),
        )

    op.create_table(
        "circles",
        sa.Column("id", sqlmodel.sql.sqltypes.AutoString(length=32), nullable=False),
        sa.Column("name", sqlmodel.sql.sqltypes.AutoString(length=40), nullable=False),
        sa.Column("founder_id", sa.Integer(), nullable=True),
        sa.Column("open", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("epoch", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("created_at", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.Column("dissolved_at", pbem.models.types.Utc(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["founder_id"],
            ["players.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    with op.batch_alter_table("circles", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_circles_founder_id"), ["founder_id"], unique=False)

    op.create_table(
        "ratings",
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("game", sqlmodel.sql.sqltypes.AutoString(length=40), nullable=False),
        sa.Column("mu", sa.Float(), nullable=False),
        sa.Column("sigma", sa.Float(), nullable=False),
        sa.Column("matches", sa.Integer(), nullable=False),
        sa.Column("at", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["player_id"],
            ["players.id"],
        ),
        sa.PrimaryKeyConstraint("player_id", "game"),
    )
    op.create_table(
        "circle_members",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("circle_id", sqlmodel.sql.sqltypes.AutoString(length=32), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=True),
        sa.Column("name", sqlmodel.sql.sqltypes.AutoString(length=24), nullable=False),
        sa.Column("status", sqlmodel.sql.sqltypes.AutoString(length=10), nullable=False),
        sa.Column("epoch", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("muted", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("listed", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("by_id", sa.Integer(), nullable=True),
        sa.Column("at", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["by_id"],
            ["players.id"],
        ),
        sa.ForeignKeyConstraint(
            ["circle_id"],
            ["circles.id"],
        ),
        sa.ForeignKeyConstraint(
            ["player_id"],
            ["players.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    with op.batch_alter_table("circle_members", schema=None) as batch_op:
        batch_op.create_index(
            "ix_circle_members_player",
            ["circle_id", "player_id"],
            unique=True,
            sqlite_where=sa.text("player_id IS NOT NULL"),
            postgresql_where=sa.text("player_id IS NOT NULL"),
        )
        batch_op.create_index(batch_op.f("ix_circle_members_player_id"), ["player_id"], unique=False)

    op.create_table(
        "leagues",
        sa.Column("id", sqlmodel.sql.sqltypes.AutoString(length=32), nullable=False),
        sa.Column("name", sqlmodel.sql.sqltypes.AutoString(length=60), nullable=False),
        sa.Column("game", sqlmodel.sql.sqltypes.AutoString(length=40), nullable=False),
        sa.Column("owner_id", sa.Integer(), nullable=True),
        sa.Column("circle_id", sqlmodel.sql.sqltypes.AutoString(length=32), nullable=True),
        sa.Column("listed", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("terms", sa.Text(), nullable=False),
        sa.Column("created_at", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.Column("ended_at", pbem.models.types.Utc(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["circle_id"],
            ["circles.id"],
        ),
        sa.ForeignKeyConstraint(
            ["owner_id"],
            ["players.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    with op.batch_alter_table("leagues", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_leagues_circle_id"), ["circle_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_leagues_owner_id"), ["owner_id"], unique=False)

    op.create_table(
        "results",
        sa.Column("match_id", sqlmodel.sql.sqltypes.AutoString(length=32), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("game", sqlmodel.sql.sqltypes.AutoString(length=40), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=True),
        sa.Column("bot", sqlmodel.sql.sqltypes.AutoString(length=40), nullable=True),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("score", sa.Integer(), nullable=True),
        sa.Column("resigned", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("answers", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("median_s", sa.Integer(), nullable=True),
        sa.Column("rated", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("ended_at", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["match_id"],
            ["matches.id"],
        ),
        sa.ForeignKeyConstraint(
            ["player_id"],
            ["players.id"],
        ),
        sa.PrimaryKeyConstraint("match_id", "seat"),
    )
    with op.batch_alter_table("results", schema=None) as batch_op:
        batch_op.create_index("ix_results_ended", ["game", "ended_at"], unique=False)
        batch_op.create_index("ix_results_player", ["player_id", "game", "ended_at"], unique=False)

    op.create_table(
        "standing_tables",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("circle_id", sqlmodel.sql.sqltypes.AutoString(length=32), nullable=False),
        sa.Column("by_id", sa.Integer(), nullable=True),
        sa.Column("game", sqlmodel.sql.sqltypes.AutoString(length=40), nullable=False),
        sa.Column("terms", sa.Text(), nullable=False),
        sa.Column("weekday", sa.Integer(), nullable=False),
        sa.Column("hour", sa.Integer(), nullable=False),
        sa.Column("zone", sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
        sa.Column("next_at", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.Column("stopped_at", pbem.models.types.Utc(timezone=True), nullable=True),
        sa.Column("created_at", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["by_id"],
            ["players.id"],
        ),
        sa.ForeignKeyConstraint(
            ["circle_id"],
            ["circles.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    with op.batch_alter_table("standing_tables", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_standing_tables_by_id"), ["by_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_standing_tables_circle_id"), ["circle_id"], unique=False)
        batch_op.create_index(
            "ix_standing_tables_next",
            ["next_at"],
            unique=False,
            sqlite_where=sa.text("stopped_at IS NULL"),
            postgresql_where=sa.text("stopped_at IS NULL"),
        )

    op.create_table(
        "occasions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("standing_id", sa.Integer(), nullable=False),
        sa.Column("starts_at", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.Column("done_at", pbem.models.types.Utc(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["standing_id"],
            ["standing_tables.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    with op.batch_alter_table("occasions", schema=None) as batch_op:
        batch_op.create_index("ix_occasions_table", ["standing_id", "starts_at"], unique=True)

    op.create_table(
        "seasons",
        sa.Column("id", sqlmodel.sql.sqltypes.AutoString(length=32), nullable=False),
        sa.Column("league_id", sqlmodel.sql.sqltypes.AutoString(length=32), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("terms", sa.Text(), nullable=False),
        sa.Column("status", sqlmodel.sql.sqltypes.AutoString(length=12), nullable=False),
        sa.Column("starts_at", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.Column("ends_at", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.Column("due_at", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.Column("closed_at", pbem.models.types.Utc(timezone=True), nullable=True),
        sa.Column("results", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("created_at", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["league_id"],
            ["leagues.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    with op.batch_alter_table("seasons", schema=None) as batch_op:
        batch_op.create_index(
            "ix_seasons_due",
            ["due_at"],
            unique=False,
            sqlite_where=sa.text("closed_at IS NULL"),
            postgresql_where=sa.text("closed_at IS NULL"),
        )
        batch_op.create_index("ix_seasons_league", ["league_id", "number"], unique=True)

    op.create_table(
        "circle_matches",
        sa.Column("match_id", sqlmodel.sql.sqltypes.AutoString(length=32), nullable=False),
        sa.Column("circle_id", sqlmodel.sql.sqltypes.AutoString(length=32), nullable=False),
        sa.Column("occasion_id", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["circle_id"],
            ["circles.id"],
        ),
        sa.ForeignKeyConstraint(
            ["match_id"],
            ["matches.id"],
        ),
        sa.ForeignKeyConstraint(
            ["occasion_id"],
            ["occasions.id"],
        ),
        sa.PrimaryKeyConstraint("match_id"),
    )
    with op.batch_alter_table("circle_matches", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_circle_matches_circle_id"), ["circle_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_circle_matches_occasion_id"), ["occasion_id"], unique=False)

    op.create_table(
        "entrants",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("season_id", sqlmodel.sql.sqltypes.AutoString(length=32), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=True),
        sa.Column("bot", sqlmodel.sql.sqltypes.AutoString(length=40), nullable=True),
        sa.Column("name", sqlmodel.sql.sqltypes.AutoString(length=24), nullable=False),
        sa.Column("status", sqlmodel.sql.sqltypes.AutoString(length=10), nullable=False),
        sa.Column("filler", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("division", sa.Integer(), nullable=True),
        sa.Column("points", sa.Float(), nullable=True),
        sa.Column("place", sa.Integer(), nullable=True),
        sa.Column("moves_to", sa.Integer(), nullable=True),
        sa.Column("at", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["player_id"],
            ["players.id"],
        ),
        sa.ForeignKeyConstraint(
            ["season_id"],
            ["seasons.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    with op.batch_alter_table("entrants", schema=None) as batch_op:
        batch_op.create_index("ix_entrants_division", ["season_id", "division"], unique=False)
        batch_op.create_index(
            "ix_entrants_player",
            ["season_id", "player_id"],
            unique=True,
            sqlite_where=sa.text("player_id IS NOT NULL"),
            postgresql_where=sa.text("player_id IS NOT NULL"),
        )
        batch_op.create_index(batch_op.f("ix_entrants_player_id"), ["player_id"], unique=False)

    op.create_table(
        "occasion_answers",
        sa.Column("occasion_id", sa.Integer(), nullable=False),
        sa.Column("member_id", sa.Integer(), nullable=False),
        sa.Column("yes", sa.Boolean(), nullable=False),
        sa.Column("at", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["member_id"],
            ["circle_members.id"],
        ),
        sa.ForeignKeyConstraint(
            ["occasion_id"],
            ["occasions.id"],
        ),
        sa.PrimaryKeyConstraint("occasion_id", "member_id"),
    )
    op.create_table(
        "season_matches",
        sa.Column("match_id", sqlmodel.sql.sqltypes.AutoString(length=32), nullable=False),
        sa.Column("season_id", sqlmodel.sql.sqltypes.AutoString(length=32), nullable=False),
        sa.Column("division", sa.Integer(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("seats", sa.Text(), nullable=False),
        sa.Column("tallied", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("result_no", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["match_id"],
            ["matches.id"],
        ),
        sa.ForeignKeyConstraint(
            ["season_id"],
            ["seasons.id"],
        ),
        sa.PrimaryKeyConstraint("match_id"),
    )
    with op.batch_alter_table("season_matches", schema=None) as batch_op:
        batch_op.create_index("ix_season_matches_season", ["season_id", "division"], unique=False)
        batch_op.create_index("ix_season_matches_result", ["season_id", "result_no"], unique=True)
        batch_op.create_index(
            "ix_season_matches_untold",
            ["match_id"],
            unique=False,
            sqlite_where=sa.text("tallied AND result_no IS NULL"),
            postgresql_where=sa.text("tallied AND result_no IS NULL"),
        )

    with op.batch_alter_table("matches", schema=None) as batch_op:
        batch_op.add_column(sa.Column("deal_id", sqlmodel.sql.sqltypes.AutoString(length=32), nullable=True))
        batch_op.add_column(sa.Column("tallied_at", pbem.models.types.Utc(timezone=True), nullable=True))
        batch_op.create_index(batch_op.f("ix_matches_deal_id"), ["deal_id"], unique=False)
        batch_op.create_index(
            "ix_matches_untallied",
            ["ended_at", "id"],
            unique=False,
            sqlite_where=sa.text("status = 'over' AND tallied_at IS NULL"),
            postgresql_where=sa.text("status = 'over' AND tallied_at IS NULL"),
        )
        batch_op.create_foreign_key("fk_matches_deal", "deals", ["deal_id"], ["id"])

    with op.batch_alter_table("players", schema=None) as batch_op:
        batch_op.add_column(sa.Column("rated", sa.Boolean(), server_default=sa.false(), nullable=False))
        batch_op.add_column(sa.Column("pace_shown", sa.Boolean(), server_default=sa.false(), nullable=False))
        batch_op.add_column(sa.Column("absences", sa.Integer(), server_default=sa.text("0"), nullable=False))
        batch_op.add_column(sa.Column("weekly", sa.Boolean(), server_default=sa.true(), nullable=False))

    with op.batch_alter_table("webhooks", schema=None) as batch_op:
        batch_op.add_column(sa.Column("league_id", sqlmodel.sql.sqltypes.AutoString(length=32), nullable=True))
        batch_op.create_index(batch_op.f("ix_webhooks_league_id"), ["league_id"], unique=False)
        batch_op.create_foreign_key("fk_webhooks_league", "leagues", ["league_id"], ["id"])

    op.create_table(
        "webhook_season_marks",
        sa.Column("webhook_id", sa.Integer(), nullable=False),
        sa.Column("season_id", sqlmodel.sql.sqltypes.AutoString(length=32), nullable=False),
        sa.Column("results", sa.Integer(), nullable=False),
        sa.Column("status", sqlmodel.sql.sqltypes.AutoString(length=12), nullable=False),
        sa.ForeignKeyConstraint(
            ["season_id"],
            ["seasons.id"],
        ),
        sa.ForeignKeyConstraint(
            ["webhook_id"],
            ["webhooks.id"],
        ),
        sa.PrimaryKeyConstraint("webhook_id", "season_id"),
    )


def downgrade() -> None:
    op.drop_table("webhook_season_marks")
    with op.batch_alter_table("webhooks", schema=None) as batch_op:
        batch_op.drop_constraint("fk_webhooks_league", type_="foreignkey")
        batch_op.drop_index(batch_op.f("ix_webhooks_league_id"))
        batch_op.drop_column("league_id")

    with op.batch_alter_table("players", schema=None) as batch_op:
        batch_op.drop_column("weekly")
        batch_op.drop_column("absences")
        batch_op.drop_column("pace_shown")
        batch_op.drop_column("rated")

    with op.batch_alter_table("matches", schema=None) as batch_op:
        batch_op.drop_constraint("fk_matches_deal", type_="foreignkey")
        batch_op.drop_index(
            "ix_matches_untallied",
            sqlite_where=sa.text("status = 'over' AND tallied_at IS NULL"),
            postgresql_where=sa.text("status = 'over' AND tallied_at IS NULL"),
        )
        batch_op.drop_index(batch_op.f("ix_matches_deal_id"))
        batch_op.drop_column("tallied_at")
        batch_op.drop_column("deal_id")

    op.drop_table("season_matches")
    op.drop_table("occasion_answers")
    op.drop_table("entrants")
    op.drop_table("circle_matches")
    op.drop_table("seasons")
    op.drop_table("occasions")
    op.drop_table("standing_tables")
    op.drop_table("results")
    op.drop_table("leagues")
    op.drop_table("circle_members")
    op.drop_table("ratings")
    op.drop_table("circles")
    op.drop_table("deals")
