"""The schema of 0.1.0. Until that release, a change to it raises the number: databases made before are refused.

Revision ID: 0019
Revises:
Create Date: 2026-11-22 14:03:00.989545
"""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

import pbem.models.types
from pbem.models.partitions import leaves_of_entries

revision = "0019"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "checkpoint_places",
        sa.Column("match_id", sqlmodel.sql.sqltypes.AutoString(length=32), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("leaf", sa.Integer(), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("match_id"),
    )
    op.create_table(
        "checkpoints",
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("begun_at", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.Column("stage", sqlmodel.sql.sqltypes.AutoString(length=10), nullable=False),
        sa.Column("after", sa.Text(), nullable=False),
        sa.Column("size", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("root", sa.LargeBinary(), nullable=True),
        sa.Column("note", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("day"),
        sa.UniqueConstraint("number"),
    )
    op.create_table(
        "cosigned",
        sa.Column("origin", sqlmodel.sql.sqltypes.AutoString(length=255), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("at", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("origin"),
    )
    op.create_table(
        "checkpoint_leaves",
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("chunk", sa.Integer(), nullable=False),
        sa.Column("root", sa.LargeBinary(), nullable=False),
        sa.Column("leaves", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["day"],
            ["checkpoints.day"],
        ),
        sa.PrimaryKeyConstraint("day", "chunk"),
    )
    op.create_table(
        "idempotency",
        sa.Column("owner", sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
        sa.Column("key", sqlmodel.sql.sqltypes.AutoString(length=128), nullable=False),
        sa.Column("digest", sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
        sa.Column("answer", sa.Text(), nullable=True),
        sa.Column("at", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("owner", "key"),
    )
    with op.batch_alter_table("idempotency", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_idempotency_at"), ["at"], unique=False)

    op.create_table(
        "outages",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("since", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.Column("until", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.Column("noted_at", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.Column("done", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "players",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("address", sqlmodel.sql.sqltypes.AutoString(length=254), nullable=True),
        sa.Column("canonical", sqlmodel.sql.sqltypes.AutoString(length=254), nullable=True),
        sa.Column("language", sqlmodel.sql.sqltypes.AutoString(length=2), nullable=False),
        sa.Column("zone", sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
        sa.Column("verified_at", pbem.models.types.Utc(timezone=True), nullable=True),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("digest_hour", sa.Integer(), nullable=True),
        sa.Column("weekends_off", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("pictures", sa.Boolean(), server_default=sa.true(), nullable=False),
        sa.Column("quiet_from", sa.Integer(), nullable=True),
        sa.Column("quiet_to", sa.Integer(), nullable=True),
        sa.Column("hints_hidden", sa.Text(), server_default="", nullable=False),
        sa.Column("bounced_at", pbem.models.types.Utc(timezone=True), nullable=True),
        sa.Column("bounced_why", sqlmodel.sql.sqltypes.AutoString(length=20), nullable=True),
        sa.Column("visited_at", pbem.models.types.Utc(timezone=True), nullable=True),
        sa.Column("page_key", sqlmodel.sql.sqltypes.AutoString(length=32), nullable=True),
        sa.Column("created_at", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.CheckConstraint(
            "(address IS NULL) = (visited_at IS NOT NULL) AND (address IS NULL) = (canonical IS NULL)",
            name="ck_players_guest",
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("canonical"),
        sa.UniqueConstraint("page_key"),
    )
    with op.batch_alter_table("players", schema=None) as batch_op:
        batch_op.create_index(
            "ix_players_bounced",
            ["bounced_at"],
            unique=False,
            sqlite_where=sa.text("bounced_at IS NOT NULL"),
            postgresql_where=sa.text("bounced_at IS NOT NULL"),
        )
        batch_op.create_index(
            "ix_players_unverified",
            ["created_at"],
            unique=False,
            sqlite_where=sa.text("verified_at IS NULL"),
            postgresql_where=sa.text("verified_at IS NULL"),
        )
        batch_op.create_index(batch_op.f("ix_players_visited_at"), ["visited_at"], unique=False)

    op.create_table(
        "pulse",
        sa.Column("name", sqlmodel.sql.sqltypes.AutoString(length=10), nullable=False),
        sa.Column("at", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
    op.create_table(
        "quotas",
        sa.Column("name", sqlmodel.sql.sqltypes.AutoString(length=80), nullable=False),
        sa.Column("used", sa.Integer(), nullable=False),
        sa.Column("until", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
    with op.batch_alter_table("quotas", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_quotas_until"), ["until"], unique=False)

    op.create_table(
        "suppressions",
        sa.Column("digest", sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
        sa.Column("reason", sqlmodel.sql.sqltypes.AutoString(length=20), nullable=False),
        sa.Column("at", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("digest"),
    )
    op.create_table(
        "address_changes",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("address", sqlmodel.sql.sqltypes.AutoString(length=254), nullable=False),
        sa.Column("canonical", sqlmodel.sql.sqltypes.AutoString(length=254), nullable=False),
        sa.Column("first", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("at", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.Column("until", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.Column("old_ok_at", pbem.models.types.Utc(timezone=True), nullable=True),
        sa.Column("new_ok_at", pbem.models.types.Utc(timezone=True), nullable=True),
        sa.Column("done_at", pbem.models.types.Utc(timezone=True), nullable=True),
        sa.Column("result", sqlmodel.sql.sqltypes.AutoString(length=12), nullable=True),
        sa.ForeignKeyConstraint(
            ["player_id"],
            ["players.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("address_changes", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_address_changes_canonical"), ["canonical"], unique=False)
        batch_op.create_index(batch_op.f("ix_address_changes_player_id"), ["player_id"], unique=False)

    op.create_table(
        "imported_logs",
        sa.Column("id", sqlmodel.sql.sqltypes.AutoString(length=32), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=True),
        sa.Column("game", sqlmodel.sql.sqltypes.AutoString(length=40), nullable=False),
        sa.Column("document", sa.LargeBinary(), nullable=False),
        sa.Column("size", sa.Integer(), server_default="0", nullable=False),
        sa.Column("at", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.Column("until", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["player_id"],
            ["players.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    with op.batch_alter_table("imported_logs", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_imported_logs_player_id"), ["player_id"], unique=False)
        batch_op.create_index("ix_imported_logs_size", ["player_id", "size"], unique=False)
        batch_op.create_index(batch_op.f("ix_imported_logs_until"), ["until"], unique=False)

    op.create_table(
        "matches",
        sa.Column("id", sqlmodel.sql.sqltypes.AutoString(length=32), nullable=False),
        sa.Column("game", sqlmodel.sql.sqltypes.AutoString(length=40), nullable=False),
        sa.Column("options", sa.Text(), nullable=False),
        sa.Column("status", sqlmodel.sql.sqltypes.AutoString(length=12), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("seed", sa.LargeBinary(), nullable=False),
        sa.Column("commitment", sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
        sa.Column("words", sa.Text(), nullable=True),
        sa.Column("head", sqlmodel.sql.sqltypes.AutoString(length=64), nullable=True),
        sa.Column("turn_s", sa.Integer(), nullable=False),
        sa.Column("window_s", sa.Integer(), nullable=False),
        sa.Column("late", sqlmodel.sql.sqltypes.AutoString(length=10), server_default="fallback", nullable=False),
        sa.Column("bank_s", sa.Integer(), nullable=True),
        sa.Column("increment_s", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("untimed", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("spectators", sa.Boolean(), nullable=False),
        sa.Column("organiser_id", sa.Integer(), nullable=True),
        sa.Column("created_at", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.Column("lapses_at", pbem.models.types.Utc(timezone=True), nullable=True),
        sa.Column("started_at", pbem.models.types.Utc(timezone=True), nullable=True),
        sa.Column("ended_at", pbem.models.types.Utc(timezone=True), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.Column("rematch_of", sqlmodel.sql.sqltypes.AutoString(length=32), nullable=True),
        sa.Column("shifted_for", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("nth", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.Column("first_names", sa.Text(), nullable=True),
        sa.Column("ordering", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("silent", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("undone", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("takebacks", sqlmodel.sql.sqltypes.AutoString(length=8), server_default="consent", nullable=False),
        sa.Column("undoing", sa.Text(), nullable=True),
        sa.Column("archived_at", pbem.models.types.Utc(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["organiser_id"],
            ["players.id"],
        ),
        sa.ForeignKeyConstraint(
            ["rematch_of"],
            ["matches.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    with op.batch_alter_table("matches", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_matches_lapses_at"), ["lapses_at"], unique=False)
        batch_op.create_index(batch_op.f("ix_matches_rematch_of"), ["rematch_of"], unique=True)
        batch_op.create_index(batch_op.f("ix_matches_organiser_id"), ["organiser_id"], unique=False)
        batch_op.create_index("ix_matches_ended", ["ended_at", "id"], unique=False)
        batch_op.create_index(
            "ix_matches_kept",
            ["ended_at", "id"],
            unique=False,
            sqlite_where=sa.text("status = 'over' AND archived_at IS NULL"),
            postgresql_where=sa.text("status = 'over' AND archived_at IS NULL"),
        )
        batch_op.create_index("ix_matches_status", ["status", "id"], unique=False)

    op.create_table(
        "personal_tokens",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("name", sqlmodel.sql.sqltypes.AutoString(length=60), nullable=False),
        sa.Column("digest", sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
        sa.Column("hint", sqlmodel.sql.sqltypes.AutoString(length=4), nullable=False),
        sa.Column("scopes", sqlmodel.sql.sqltypes.AutoString(length=40), nullable=False),
        sa.Column("created_at", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.Column("expires_at", pbem.models.types.Utc(timezone=True), nullable=True),
        sa.Column("used_at", pbem.models.types.Utc(timezone=True), nullable=True),
        sa.Column("revoked_at", pbem.models.types.Utc(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["player_id"],
            ["players.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("digest"),
    )
    with op.batch_alter_table("personal_tokens", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_personal_tokens_player_id"), ["player_id"], unique=False)

    op.create_table(
        "vacations",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("first", sa.Date(), nullable=False),
        sa.Column("last", sa.Date(), nullable=False),
        sa.ForeignKeyConstraint(
            ["player_id"],
            ["players.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    with op.batch_alter_table("vacations", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_vacations_player_id"), ["player_id"], unique=False)

    op.create_table(
        "archives",
        sa.Column("match_id", sqlmodel.sql.sqltypes.AutoString(length=32), nullable=False),
        sa.Column("form", sa.Integer(), nullable=False),
        sa.Column("waits", sa.Text(), nullable=False),
        sa.Column("packed", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["match_id"],
            ["matches.id"],
        ),
        sa.PrimaryKeyConstraint("match_id"),
    )
    if op.get_bind().dialect.name == "postgresql":  # it is compressed already: trying again would only take time
        op.execute("ALTER TABLE archives ALTER COLUMN packed SET STORAGE EXTERNAL")
    op.create_table(
        "asks",
        sa.Column("match_id", sqlmodel.sql.sqltypes.AutoString(length=32), nullable=False),
        sa.Column("key", sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("turn", sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
        sa.Column("kind", sqlmodel.sql.sqltypes.AutoString(length=40), nullable=False),
        sa.Column("origin", sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
        sa.Column("bot", sqlmodel.sql.sqltypes.AutoString(length=40), nullable=True),
        sa.Column("opened_at", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.Column("opened_n", sa.Integer(), nullable=False),
        sa.Column("deadline", pbem.models.types.Utc(timezone=True), nullable=True),
        sa.Column("runs_out", pbem.models.types.Utc(timezone=True), nullable=True),
        sa.Column("allowed_s", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("mailed_at", pbem.models.types.Utc(timezone=True), nullable=True),
        sa.Column("acts_at", pbem.models.types.Utc(timezone=True), nullable=True),
        sa.Column("remind_at", pbem.models.types.Utc(timezone=True), nullable=True),
        sa.Column("vote_since", pbem.models.types.Utc(timezone=True), nullable=True),
        sa.Column("claimed_until", pbem.models.types.Utc(timezone=True), nullable=True),
        sa.Column("floor_at", pbem.models.types.Utc(timezone=True), nullable=True),
        sa.Column("sealed_at", pbem.models.types.Utc(timezone=True), nullable=True),
        sa.Column("sealed", sa.Text(), nullable=True),
        sa.Column("sealed_by", sa.Text(), nullable=True),
        sa.Column("closes_at", pbem.models.types.Utc(timezone=True), nullable=True),
        sa.Column("closed_at", pbem.models.types.Utc(timezone=True), nullable=True),
        sa.Column("closed_by", sqlmodel.sql.sqltypes.AutoString(length=10), nullable=True),
        sa.Column("answer", sa.Text(), nullable=True),
        sa.Column("first_n", sa.Integer(), nullable=True),
        sa.Column("last_n", sa.Integer(), nullable=True),
        sa.Column("told_at", pbem.models.types.Utc(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["match_id"],
            ["matches.id"],
        ),
        sa.PrimaryKeyConstraint("match_id", "key", "seat"),
    )
    with op.batch_alter_table("asks", schema=None) as batch_op:
        batch_op.create_index(
            "ix_asks_bots",
            ["opened_at"],
            unique=False,
            sqlite_where=sa.text("closed_at IS NULL AND bot IS NOT NULL AND sealed_at IS NULL"),
            postgresql_where=sa.text("closed_at IS NULL AND bot IS NOT NULL AND sealed_at IS NULL"),
        )
        batch_op.create_index(
            "ix_asks_closing",
            ["closes_at"],
            unique=False,
            sqlite_where=sa.text("closed_at IS NULL AND closes_at IS NOT NULL"),
            postgresql_where=sa.text("closed_at IS NULL AND closes_at IS NOT NULL"),
        )
        batch_op.create_index(
            "ix_asks_due",
            ["acts_at"],
            unique=False,
            sqlite_where=sa.text("closed_at IS NULL"),
            postgresql_where=sa.text("closed_at IS NULL"),
        )
        batch_op.create_index(
            "ix_asks_open",
            ["match_id"],
            unique=False,
            sqlite_where=sa.text("closed_at IS NULL"),
            postgresql_where=sa.text("closed_at IS NULL"),
        )
        batch_op.create_index(
            "ix_asks_remind",
            ["remind_at"],
            unique=False,
            sqlite_where=sa.text("closed_at IS NULL AND remind_at IS NOT NULL"),
            postgresql_where=sa.text("closed_at IS NULL AND remind_at IS NOT NULL"),
        )

    op.create_table(
        "entries",
        sa.Column("match_id", sqlmodel.sql.sqltypes.AutoString(length=32), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("at", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("key", sqlmodel.sql.sqltypes.AutoString(length=64), nullable=True),
        sa.Column("event", sa.Text(), nullable=False),
        sa.Column("sealed", sa.Text(), nullable=True),
        sa.Column("head", sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
        sa.ForeignKeyConstraint(
            ["match_id"],
            ["matches.id"],
        ),
        sa.PrimaryKeyConstraint("match_id", "n"),
        postgresql_partition_by="HASH (match_id)",
    )
    if op.get_bind().dialect.name == "postgresql":
        for leaf in leaves_of_entries():
            op.execute(leaf)

    op.create_table(
        "messages",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match_id", sqlmodel.sql.sqltypes.AutoString(length=32), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("at", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.Column("text", sqlmodel.sql.sqltypes.AutoString(length=500), nullable=False),
        sa.ForeignKeyConstraint(
            ["match_id"],
            ["matches.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    with op.batch_alter_table("messages", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_messages_match_id"), ["match_id"], unique=False)

    op.create_table(
        "notes",
        sa.Column("match_id", sqlmodel.sql.sqltypes.AutoString(length=32), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("at", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["match_id"],
            ["matches.id"],
        ),
        sa.PrimaryKeyConstraint("match_id", "seat"),
    )
    op.create_table(
        "outbox",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("dedupe", sqlmodel.sql.sqltypes.AutoString(length=160), nullable=False),
        sa.Column("kind", sqlmodel.sql.sqltypes.AutoString(length=20), nullable=False),
        sa.Column("match_id", sqlmodel.sql.sqltypes.AutoString(length=32), nullable=True),
        sa.Column("seat", sa.Integer(), nullable=True),
        sa.Column("player_id", sa.Integer(), nullable=True),
        sa.Column("key", sqlmodel.sql.sqltypes.AutoString(length=64), nullable=True),
        sa.Column("created_at", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.Column("due_at", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.Column("claimed_until", pbem.models.types.Utc(timezone=True), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("done_at", pbem.models.types.Utc(timezone=True), nullable=True),
        sa.Column("result", sqlmodel.sql.sqltypes.AutoString(length=40), nullable=True),
        sa.Column("answer", sqlmodel.sql.sqltypes.AutoString(length=20), nullable=True),
        sa.Column("counted_at", pbem.models.types.Utc(timezone=True), nullable=True),
        sa.Column("unrendered_since", pbem.models.types.Utc(timezone=True), nullable=True),
        sa.Column("pushed_at", pbem.models.types.Utc(timezone=True), nullable=True),
        sa.Column("opened_at", pbem.models.types.Utc(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["match_id"],
            ["matches.id"],
        ),
        sa.ForeignKeyConstraint(
            ["player_id"],
            ["players.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("dedupe"),
    )
    with op.batch_alter_table("outbox", schema=None) as batch_op:
        batch_op.create_index("ix_outbox_created", ["created_at"], unique=False)
        batch_op.create_index(
            "ix_outbox_digest",
            ["match_id"],
            unique=False,
            sqlite_where=sa.text("result = 'digest'"),
            postgresql_where=sa.text("result = 'digest'"),
        )
        batch_op.create_index(
            "ix_outbox_due",
            ["due_at"],
            unique=False,
            sqlite_where=sa.text("done_at IS NULL"),
            postgresql_where=sa.text("done_at IS NULL"),
        )
        batch_op.create_index(batch_op.f("ix_outbox_match_id"), ["match_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_outbox_player_id"), ["player_id"], unique=False)

    op.create_table(
        "replay_pictures",
        sa.Column("id", sqlmodel.sql.sqltypes.AutoString(length=32), nullable=False),
        sa.Column("dedupe", sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
        sa.Column("match_id", sqlmodel.sql.sqltypes.AutoString(length=32), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=True),
        sa.Column("eyes", sqlmodel.sql.sqltypes.AutoString(length=4), nullable=False),
        sa.Column("lang", sqlmodel.sql.sqltypes.AutoString(length=2), nullable=False),
        sa.Column("theme", sqlmodel.sql.sqltypes.AutoString(length=5), nullable=False),
        sa.Column("kind", sqlmodel.sql.sqltypes.AutoString(length=3), nullable=False),
        sa.Column("frame_ms", sa.Integer(), nullable=False),
        sa.Column("first_n", sa.Integer(), nullable=False),
        sa.Column("last_n", sa.Integer(), nullable=False),
        sa.Column("seen", sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
        sa.Column("total", sa.Integer(), nullable=False),
        sa.Column("drawn", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("size", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("created_at", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.Column("turn_at", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.Column("claimed_until", pbem.models.types.Utc(timezone=True), nullable=True),
        sa.Column("attempts", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("done_at", pbem.models.types.Utc(timezone=True), nullable=True),
        sa.Column("result", sqlmodel.sql.sqltypes.AutoString(length=10), nullable=True),
        sa.Column("until", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=True),
        sa.ForeignKeyConstraint(
            ["match_id"],
            ["matches.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("dedupe"),
    )
    with op.batch_alter_table("replay_pictures", schema=None) as batch_op:
        batch_op.create_index(
            "ix_replay_pictures_due",
            ["turn_at"],
            unique=False,
            sqlite_where=sa.text("done_at IS NULL"),
            postgresql_where=sa.text("done_at IS NULL"),
        )
        batch_op.create_index("ix_replay_pictures_match", ["match_id", "seat"], unique=False)
        batch_op.create_index(batch_op.f("ix_replay_pictures_until"), ["until"], unique=False)

    op.create_table(
        "seats",
        sa.Column("match_id", sqlmodel.sql.sqltypes.AutoString(length=32), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=True),
        sa.Column("bot", sqlmodel.sql.sqltypes.AutoString(length=40), nullable=True),
        sa.Column("name", sqlmodel.sql.sqltypes.AutoString(length=24), nullable=False),
        sa.Column("status", sqlmodel.sql.sqltypes.AutoString(length=10), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("muted", sa.Boolean(), nullable=False),
        sa.Column("misses", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("absent", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("resigned", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("bank_s", sa.Integer(), nullable=True),
        sa.Column("word", sqlmodel.sql.sqltypes.AutoString(length=40), nullable=True),
        sa.Column("away_n", sa.Integer(), nullable=True),
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
    with op.batch_alter_table("seats", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_seats_player_id"), ["player_id"], unique=False)
        batch_op.create_index(
            "ix_seats_unfilled",
            ["match_id"],
            unique=False,
            sqlite_where=sa.text("player_id IS NOT NULL AND status IN ('invited', 'declined')"),
            postgresql_where=sa.text("player_id IS NOT NULL AND status IN ('invited', 'declined')"),
        )

    op.create_table(
        "plans",
        sa.Column("match_id", sqlmodel.sql.sqltypes.AutoString(length=32), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["match_id"],
            ["matches.id"],
        ),
        sa.PrimaryKeyConstraint("match_id", "seat"),
    )
    op.create_table(
        "orders",
        sa.Column("match_id", sqlmodel.sql.sqltypes.AutoString(length=32), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("via", sqlmodel.sql.sqltypes.AutoString(length=16), nullable=False),
        sa.Column("answered", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("left_key", sqlmodel.sql.sqltypes.AutoString(length=64), nullable=True),
        sa.Column("news", sa.Text(), server_default="", nullable=False),
        sa.Column("mailed", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.ForeignKeyConstraint(
            ["match_id"],
            ["matches.id"],
        ),
        sa.PrimaryKeyConstraint("match_id", "seat"),
    )
    op.create_table(
        "snapshots",
        sa.Column("match_id", sqlmodel.sql.sqltypes.AutoString(length=32), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("fold", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["match_id"],
            ["matches.id"],
        ),
        sa.PrimaryKeyConstraint("match_id"),
    )
    op.create_table(
        "substitutes",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match_id", sqlmodel.sql.sqltypes.AutoString(length=32), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("away_n", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("name", sqlmodel.sql.sqltypes.AutoString(length=24), nullable=False),
        sa.Column("at", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.Column("void", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=True),
        sa.Column("former_id", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["former_id"],
            ["players.id"],
        ),
        sa.ForeignKeyConstraint(
            ["match_id"],
            ["matches.id"],
        ),
        sa.ForeignKeyConstraint(
            ["player_id"],
            ["players.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    with op.batch_alter_table("substitutes", schema=None) as batch_op:
        batch_op.create_index(
            "ix_substitutes_asked",
            ["match_id", "seat", "away_n", "player_id"],
            unique=True,
            sqlite_where=sa.text("NOT void"),
            postgresql_where=sa.text("NOT void"),
        )

    op.create_table(
        "votes",
        sa.Column("match_id", sqlmodel.sql.sqltypes.AutoString(length=32), nullable=False),
        sa.Column("key", sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("voter", sa.Integer(), nullable=False),
        sa.Column("at", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["match_id"],
            ["matches.id"],
        ),
        sa.PrimaryKeyConstraint("match_id", "key", "seat", "voter"),
    )
    op.create_table(
        "push_subscriptions",
        sa.Column("match_id", sqlmodel.sql.sqltypes.AutoString(length=32), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("device", sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("endpoint", sqlmodel.sql.sqltypes.AutoString(length=1000), nullable=False),
        sa.Column("p256dh", sqlmodel.sql.sqltypes.AutoString(length=87), nullable=False),
        sa.Column("auth", sqlmodel.sql.sqltypes.AutoString(length=22), nullable=False),
        sa.Column("created_at", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.Column("refusals", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.ForeignKeyConstraint(
            ["match_id"],
            ["matches.id"],
        ),
        sa.PrimaryKeyConstraint("match_id", "seat", "device"),
    )
    with op.batch_alter_table("push_subscriptions", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_push_subscriptions_device"), ["device"], unique=False)

    op.create_table(
        "webhooks",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=True),
        sa.Column("match_id", sqlmodel.sql.sqltypes.AutoString(length=32), nullable=True),
        sa.Column("url", sqlmodel.sql.sqltypes.AutoString(length=500), nullable=False),
        sa.Column("kinds", sqlmodel.sql.sqltypes.AutoString(length=40), nullable=False),
        sa.Column("preset", sqlmodel.sql.sqltypes.AutoString(length=10), nullable=False),
        sa.Column("language", sqlmodel.sql.sqltypes.AutoString(length=2), nullable=False),
        sa.Column("salt", sqlmodel.sql.sqltypes.AutoString(length=32), server_default="", nullable=False),
        sa.Column("epoch", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("created_at", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.Column("failing_since", pbem.models.types.Utc(timezone=True), nullable=True),
        sa.Column("wait_until", pbem.models.types.Utc(timezone=True), nullable=True),
        sa.Column("busy_until", pbem.models.types.Utc(timezone=True), nullable=True),
        sa.Column("busy_run", sa.Integer(), nullable=True),
        sa.Column("disabled_at", pbem.models.types.Utc(timezone=True), nullable=True),
        sa.Column("why", sqlmodel.sql.sqltypes.AutoString(length=20), nullable=True),
        sa.ForeignKeyConstraint(
            ["match_id"],
            ["matches.id"],
        ),
        sa.ForeignKeyConstraint(
            ["player_id"],
            ["players.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("webhooks", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_webhooks_player_id"), ["player_id"], unique=False)

    op.create_table(
        "deliveries",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("webhook_id", sa.Integer(), nullable=False),
        sa.Column("dedupe", sqlmodel.sql.sqltypes.AutoString(length=160), nullable=False),
        sa.Column("kind", sqlmodel.sql.sqltypes.AutoString(length=10), nullable=False),
        sa.Column("match_id", sqlmodel.sql.sqltypes.AutoString(length=32), nullable=True),
        sa.Column("seat", sa.Integer(), nullable=True),
        sa.Column("key", sqlmodel.sql.sqltypes.AutoString(length=64), nullable=True),
        sa.Column("after_n", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("n", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("created_at", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.Column("due_at", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.Column("attempts", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("done_at", pbem.models.types.Utc(timezone=True), nullable=True),
        sa.Column("result", sqlmodel.sql.sqltypes.AutoString(length=12), nullable=True),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("error", sqlmodel.sql.sqltypes.AutoString(length=12), nullable=True),
        sa.ForeignKeyConstraint(
            ["match_id"],
            ["matches.id"],
        ),
        sa.ForeignKeyConstraint(
            ["webhook_id"],
            ["webhooks.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("dedupe"),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("deliveries", schema=None) as batch_op:
        batch_op.create_index(
            "ix_deliveries_due",
            ["due_at"],
            unique=False,
            sqlite_where=sa.text("done_at IS NULL"),
            postgresql_where=sa.text("done_at IS NULL"),
        )
        batch_op.create_index(batch_op.f("ix_deliveries_webhook_id"), ["webhook_id"], unique=False)

    op.create_table(
        "webhook_marks",
        sa.Column("webhook_id", sa.Integer(), nullable=False),
        sa.Column("match_id", sqlmodel.sql.sqltypes.AutoString(length=32), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("over", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.ForeignKeyConstraint(
            ["match_id"],
            ["matches.id"],
        ),
        sa.ForeignKeyConstraint(
            ["webhook_id"],
            ["webhooks.id"],
        ),
        sa.PrimaryKeyConstraint("webhook_id", "match_id"),
    )

    op.create_table(
        "inbox",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("digest", sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
        sa.Column("message_id", sqlmodel.sql.sqltypes.AutoString(length=255), nullable=True),
        sa.Column("via", sqlmodel.sql.sqltypes.AutoString(length=10), nullable=False),
        sa.Column("mail_from", sqlmodel.sql.sqltypes.AutoString(length=320), nullable=True),
        sa.Column("recipients", sa.Text(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("received_at", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.Column("due_at", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.Column("claimed_until", pbem.models.types.Utc(timezone=True), nullable=True),
        sa.Column("attempts", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("done_at", pbem.models.types.Utc(timezone=True), nullable=True),
        sa.Column("verdict", sqlmodel.sql.sqltypes.AutoString(length=20), nullable=True),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.Column("lines", sa.Text(), nullable=True),
        sa.Column("answered", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("match_id", sqlmodel.sql.sqltypes.AutoString(length=32), nullable=True),
        sa.Column("seat", sa.Integer(), nullable=True),
        sa.Column("player_id", sa.Integer(), nullable=True),
        sa.Column("raw", sa.LargeBinary(), nullable=True),
        sa.ForeignKeyConstraint(
            ["match_id"],
            ["matches.id"],
        ),
        sa.ForeignKeyConstraint(
            ["player_id"],
            ["players.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("digest"),
    )
    with op.batch_alter_table("inbox", schema=None) as batch_op:
        batch_op.create_index(
            "ix_inbox_due",
            ["due_at"],
            unique=False,
            sqlite_where=sa.text("done_at IS NULL"),
            postgresql_where=sa.text("done_at IS NULL"),
        )
        batch_op.create_index(batch_op.f("ix_inbox_match_id"), ["match_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_inbox_message_id"), ["message_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_inbox_player_id"), ["player_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_inbox_received_at"), ["received_at"], unique=False)
        batch_op.create_index("ix_inbox_verdict", ["via", "verdict"], unique=False)


def downgrade() -> None:
    raise NotImplementedError("before this schema there was none")
