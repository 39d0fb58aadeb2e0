"""What outlives a process: result sets, the answers about them, saved engines and feedback, in SQLite or PostgreSQL.

Importing this loads neither SQLAlchemy nor pandas; `Store.open` does.
"""

from chatsearch.store.store import ResultSetLine as ResultSetLine
from chatsearch.store.store import Store as Store
from chatsearch.store.store import StoredResults as StoredResults
