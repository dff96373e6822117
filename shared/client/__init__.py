"""The client library of the club: what the terminal, the tests and the load generator play through.

```python
async with Club.connect(Addresses(), language="en", store=FileStore(path)) as club:
    await club.sign_in_guest("Ana")
    async with club.play(table_id) as session:
        async for update in session:
            if session.view.my_turn:
                await session.act(session.private.legal_actions[0])
```

Everything here mends itself: calls are repeated while a service is away, streams are resumed after the last revision
seen, requests that were not answered are repeated with the same id, tokens are renewed before they end.
"""

from shared.client.addresses import Addresses
from shared.client.backoff import Backoff
from shared.client.club import Club, new_state
from shared.client.credentials import (
    AnotherPlayerKeptError,
    Credentials,
    CredentialsDamagedError,
    CredentialStore,
    FileStore,
    MemoryStore,
)
from shared.client.errors import ClubError, ContractBrokenError
from shared.client.fold import TableView
from shared.client.observable import ConnectionState, Observable, Phase
from shared.client.session import TableSession
from shared.client.tokens import new_request_id

__all__ = [
    "Addresses",
    "AnotherPlayerKeptError",
    "Backoff",
    "Club",
    "ClubError",
    "ConnectionState",
    "ContractBrokenError",
    "CredentialStore",
    "Credentials",
    "CredentialsDamagedError",
    "FileStore",
    "MemoryStore",
    "Observable",
    "Phase",
    "TableSession",
    "TableView",
    "new_request_id",
    "new_state",
]
