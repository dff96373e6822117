"""Alembic's entry: works on the connection that `services.ledger.schema` hands over, inside its transaction."""

from alembic import context
from sqlalchemy import Connection

from services.ledger.models import METADATA

connection = context.config.attributes.get("connection")
if not isinstance(connection, Connection):
    raise RuntimeError("run migrations with `python -m services.ledger migrate`")

context.configure(connection=connection, target_metadata=METADATA, render_as_batch=True, transactional_ddl=True)
with context.begin_transaction():
    context.run_migrations()
