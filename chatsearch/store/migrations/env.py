"""What Alembic runs: the migrations, over the connection and in the transaction that upgrade.py has begun."""

from alembic import context

from chatsearch.store.tables import VERSION_TABLE, metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata, version_table=VERSION_TABLE)
with context.begin_transaction():
    context.run_migrations()
