"""The first tables.

Revision: 0001; after: none
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
INSTANT = sa.DateTime(timezone=True)
APPEND_ONLY = ("matches", "match_seats", "entries", "rating_changes", "reversals")


def upgrade() -> None:
    """Makes the tables, and lets the database itself refuse to change what happened."""
    _accounts()
    _results()
    _totals()
    for table in APPEND_ONLY:
        _make_append_only(table)


def downgrade() -> None:
    """Drops everything."""
    for table in (
        "outbox",
        "ratings",
        "rating_changes",
        "standings",
        "reversals",
        "entries",
        "match_seats",
        "matches",
        "sign_in_attempts",
        "refresh_tokens",
        "sign_in_families",
        "accounts",
    ):
        op.drop_table(table)
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP FUNCTION ledger_append_only()")


def _accounts() -> None:
    op.create_table(
        "accounts",
        sa.Column("player_id", sa.String(64), nullable=False),
        sa.Column("name", sa.String(48), nullable=False),
        sa.Column("name_key", sa.String(96), nullable=False),
        sa.Column("external", sa.Boolean(), nullable=False),
        sa.Column("device_hash", sa.LargeBinary(), nullable=True),
        sa.Column("password_hash", sa.String(256), nullable=True),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("request_id", sa.String(64), nullable=True),
        sa.Column("request_hash", sa.LargeBinary(), nullable=True),
        sa.PrimaryKeyConstraint("player_id", name="pk_accounts"),
        sa.UniqueConstraint("name_key", name="uq_accounts_name_key"),
        sa.UniqueConstraint("request_id", name="uq_accounts_request_id"),
    )
    op.create_table(
        "sign_in_families",
        sa.Column("family_id", sa.String(64), nullable=False),
        sa.Column("player_id", sa.String(64), nullable=False),
        sa.Column("started_at", INSTANT, nullable=False),
        sa.Column("revoked_at", INSTANT, nullable=True),
        sa.Column("revoked_because", sa.String(16), nullable=True),
        sa.PrimaryKeyConstraint("family_id", name="pk_sign_in_families"),
        sa.ForeignKeyConstraint(["player_id"], ["accounts.player_id"], name="fk_sign_in_families_player_id"),
    )
    op.create_index("ix_sign_in_families_player_id", "sign_in_families", ["player_id"])
    op.create_table(
        "refresh_tokens",
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("family_id", sa.String(64), nullable=False),
        sa.Column("issued_at", INSTANT, nullable=False),
        sa.Column("expires_at", INSTANT, nullable=False),
        sa.Column("used_at", INSTANT, nullable=True),
        sa.Column("used_by_request", sa.String(64), nullable=True),
        sa.Column("successor_nonce", sa.LargeBinary(), nullable=True),
        sa.PrimaryKeyConstraint("token_hash", name="pk_refresh_tokens"),
        sa.ForeignKeyConstraint(["family_id"], ["sign_in_families.family_id"], name="fk_refresh_tokens_family_id"),
    )
    op.create_index("ix_refresh_tokens_family_id", "refresh_tokens", ["family_id"])
    op.create_index("ix_refresh_tokens_expires_at", "refresh_tokens", ["expires_at"])
    op.create_table(
        "sign_in_attempts",
        sa.Column("attempt_key", sa.String(128), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("window_ends_at", INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("attempt_key", name="pk_sign_in_attempts"),
    )
    op.create_index("ix_sign_in_attempts_window_ends_at", "sign_in_attempts", ["window_ends_at"])


def _results() -> None:
    op.create_table(
        "matches",
        sa.Column("posting", BIG, nullable=False),
        sa.Column("match_id", sa.String(64), nullable=False),
        sa.Column("table_id", sa.String(64), nullable=False),
        sa.Column("game", sa.String(16), nullable=False),
        sa.Column("options", sa.Text(), nullable=False),
        sa.Column("started_at", INSTANT, nullable=False),
        sa.Column("ended_at", INSTANT, nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        sa.Column("private", sa.Boolean(), nullable=False),
        sa.Column("all_human", sa.Boolean(), nullable=False),
        sa.Column("posted_at", INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("posting", name="pk_matches"),
        sa.UniqueConstraint("match_id", name="uq_matches_match_id"),
    )
    op.create_table(
        "match_seats",
        sa.Column("match_id", sa.String(64), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.String(64), nullable=True),
        sa.Column("posting", BIG, nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("points", BIG, nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("decisions_by_bot", BIG, nullable=False),
        sa.PrimaryKeyConstraint("match_id", "seat", name="pk_match_seats"),
        sa.ForeignKeyConstraint(["match_id"], ["matches.match_id"], name="fk_match_seats_match_id"),
        sa.ForeignKeyConstraint(["player_id"], ["accounts.player_id"], name="fk_match_seats_player_id"),
    )
    op.create_index("ix_match_seats_player_id_posting", "match_seats", ["player_id", "posting"])
    op.create_table(
        "entries",
        sa.Column("entry_id", BIG, nullable=False),
        sa.Column("match_id", sa.String(64), nullable=False),
        sa.Column("player_id", sa.String(64), nullable=False),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("game", sa.String(16), nullable=False),
        sa.Column("points", BIG, nullable=False),
        sa.Column("matches", sa.Integer(), nullable=False),
        sa.Column("wins", sa.Integer(), nullable=False),
        sa.Column("posted_at", INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("entry_id", name="pk_entries"),
        sa.ForeignKeyConstraint(["match_id"], ["matches.match_id"], name="fk_entries_match_id"),
        sa.ForeignKeyConstraint(["player_id"], ["accounts.player_id"], name="fk_entries_player_id"),
        sa.UniqueConstraint("match_id", "player_id", "kind", name="uq_entries_match_id_player_id_kind"),
    )
    op.create_index("ix_entries_game_player_id", "entries", ["game", "player_id"])
    op.create_table(
        "reversals",
        sa.Column("match_id", sa.String(64), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("reversed_at", INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("match_id", name="pk_reversals"),
        sa.ForeignKeyConstraint(["match_id"], ["matches.match_id"], name="fk_reversals_match_id"),
    )
    op.create_table(
        "rating_changes",
        sa.Column("change_id", BIG, nullable=False),
        sa.Column("match_id", sa.String(64), nullable=False),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("game", sa.String(16), nullable=False),
        sa.Column("player_id", sa.String(64), nullable=False),
        sa.Column("mean_before", sa.Float(53), nullable=False),
        sa.Column("deviation_before", sa.Float(53), nullable=False),
        sa.Column("mean", sa.Float(53), nullable=False),
        sa.Column("deviation", sa.Float(53), nullable=False),
        sa.Column("matches", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("change_id", name="pk_rating_changes"),
        sa.ForeignKeyConstraint(["match_id"], ["matches.match_id"], name="fk_rating_changes_match_id"),
        sa.ForeignKeyConstraint(["player_id"], ["accounts.player_id"], name="fk_rating_changes_player_id"),
        sa.UniqueConstraint("match_id", "player_id", "kind", name="uq_rating_changes_match_id_player_id_kind"),
    )
    op.create_index("ix_rating_changes_game_player_id", "rating_changes", ["game", "player_id"])


def _totals() -> None:
    op.create_table(
        "standings",
        sa.Column("game", sa.String(16), nullable=False),
        sa.Column("player_id", sa.String(64), nullable=False),
        sa.Column("points", BIG, nullable=False),
        sa.Column("matches", sa.Integer(), nullable=False),
        sa.Column("wins", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("game", "player_id", name="pk_standings"),
        sa.ForeignKeyConstraint(["player_id"], ["accounts.player_id"], name="fk_standings_player_id"),
    )
    op.create_index("ix_standings_game_points_player_id", "standings", ["game", "points", "player_id"])
    op.create_table(
        "ratings",
        sa.Column("game", sa.String(16), nullable=False),
        sa.Column("player_id", sa.String(64), nullable=False),
        sa.Column("mean", sa.Float(53), nullable=False),
        sa.Column("deviation", sa.Float(53), nullable=False),
        sa.Column("ordinal", sa.Float(53), nullable=False),
        sa.Column("matches", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("game", "player_id", name="pk_ratings"),
        sa.ForeignKeyConstraint(["player_id"], ["accounts.player_id"], name="fk_ratings_player_id"),
    )
    op.create_index("ix_ratings_game_ordinal_player_id", "ratings", ["game", "ordinal", "player_id"])
    op.create_table(
        "outbox",
        sa.Column("outbox_id", BIG, nullable=False),
        sa.Column("subject", sa.String(128), nullable=False),
        sa.Column("message_id", sa.String(128), nullable=False),
        sa.Column("payload", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("sent_at", INSTANT, nullable=True),
        sa.PrimaryKeyConstraint("outbox_id", name="pk_outbox"),
        sa.UniqueConstraint("message_id", name="uq_outbox_message_id"),
    )
    op.create_index("ix_outbox_sent_at_outbox_id", "outbox", ["sent_at", "outbox_id"])


def _make_append_only(table: str) -> None:
    if op.get_bind().dialect.name == "sqlite":
        for change in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER {table}_no_{change.lower()} BEFORE {change} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
            )
        return
    op.execute(
        "CREATE OR REPLACE FUNCTION ledger_append_only() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation'; END $$"
    )
    op.execute(
        f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
        "FOR EACH STATEMENT EXECUTE FUNCTION ledger_append_only()"
    )
