"""Points ratings, stopped matches, and who held a seat at the start.

Revision: 0002; after: 0001
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
INSTANT = sa.DateTime(timezone=True)
APPEND_ONLY = ("match_starters", "points_rating_changes")


def upgrade() -> None:
    """Adds the tables and columns; matches posted before were all finished, and nobody knows who began them."""
    op.add_column("matches", sa.Column("stopped", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("matches", sa.Column("hands_finished", sa.Integer(), nullable=False, server_default="1"))
    op.add_column("matches", sa.Column("hands", sa.Integer(), nullable=False, server_default="1"))
    op.drop_column("matches", "all_human")
    op.create_table(
        "match_starters",
        sa.Column("match_id", sa.String(64), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.String(64), nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("gone", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("match_id", "seat", name="pk_match_starters"),
        sa.ForeignKeyConstraint(["match_id"], ["matches.match_id"], name="fk_match_starters_match_id"),
        sa.ForeignKeyConstraint(["player_id"], ["accounts.player_id"], name="fk_match_starters_player_id"),
    )
    _points_ratings()
    op.create_table(
        "ratings_told",
        sa.Column("game", sa.String(16), nullable=False),
        sa.Column("number", BIG, nullable=False),
        sa.PrimaryKeyConstraint("game", name="pk_ratings_told"),
    )
    # Messages were numbered by the changes in them: whoever has seen those must not take the next ones for old.
    op.execute("INSERT INTO ratings_told SELECT game, max(change_id) FROM rating_changes GROUP BY game")
    for table in APPEND_ONLY:
        _make_append_only(table)


def downgrade() -> None:
    """Drops them; whether all seats were people at the start is not known afterwards."""
    for table in ("ratings_told", "points_ratings", "points_rating_changes", "match_starters"):
        op.drop_table(table)
    op.add_column("matches", sa.Column("all_human", sa.Boolean(), nullable=False, server_default=sa.false()))
    for column in ("hands", "hands_finished", "stopped"):
        op.drop_column("matches", column)


def _points_ratings() -> None:
    op.create_table(
        "points_rating_changes",
        sa.Column("change_id", BIG, nullable=False),
        sa.Column("match_id", sa.String(64), nullable=False),
        sa.Column("posting", BIG, nullable=False),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("game", sa.String(16), nullable=False),
        sa.Column("player_id", sa.String(64), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("change", sa.Integer(), nullable=False),
        sa.Column("rating", BIG, nullable=False),
        sa.Column("changed_at", INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("change_id", name="pk_points_rating_changes"),
        sa.ForeignKeyConstraint(["match_id"], ["matches.match_id"], name="fk_points_rating_changes_match_id"),
        sa.ForeignKeyConstraint(["player_id"], ["accounts.player_id"], name="fk_points_rating_changes_player_id"),
        sa.UniqueConstraint("match_id", "player_id", "kind", name="uq_points_rating_changes_match_id_player_id_kind"),
    )
    op.create_index("ix_points_rating_changes_game_player_id", "points_rating_changes", ["game", "player_id"])
    op.create_index("ix_points_rating_changes_player_id_posting", "points_rating_changes", ["player_id", "posting"])
    op.create_table(
        "points_ratings",
        sa.Column("game", sa.String(16), nullable=False),
        sa.Column("player_id", sa.String(64), nullable=False),
        sa.Column("rating", BIG, nullable=False),
        sa.Column("matches", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("game", "player_id", name="pk_points_ratings"),
        sa.ForeignKeyConstraint(["player_id"], ["accounts.player_id"], name="fk_points_ratings_player_id"),
    )
    op.create_index("ix_points_ratings_game_rating_player_id", "points_ratings", ["game", "rating", "player_id"])


def _make_append_only(table: str) -> None:
    if op.get_bind().dialect.name == "sqlite":
        for change in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER {table}_no_{change.lower()} BEFORE {change} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
            )
        return
    op.execute(
        f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
        "FOR EACH STATEMENT EXECUTE FUNCTION ledger_append_only()"
    )
