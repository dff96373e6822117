"""For which trace a fact is told.

Revision: 0003; after: 0002
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the column; facts that were written before belong to no trace."""
    op.add_column("outbox", sa.Column("trace", sa.String(64), nullable=False, server_default=""))


def downgrade() -> None:
    """Drops it."""
    op.drop_column("outbox", "trace")
