"""People who come to NATS as one of its users and try what they may not."""

import base64
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import nats
from nats.aio.client import Client
from nats.aio.msg import Msg

from deploy.local.secrets import NATS_USERS, Secrets
from deploy.local.settings import LocalSettings
from shared.streams import CLUB, account_of


@dataclass
class Visitor:
    """A plain connection as one user, which keeps what it is given and what it is refused.

    Attributes:
        user: The user.
        client: The connection; answers come to an inbox of the user's.
        refusals: What the server has refused.
        received: Everything that has come, on whichever subscription: subject and content.
    """

    user: str
    client: Client
    refusals: list[str] = field(default_factory=list)
    received: list[tuple[str, bytes]] = field(default_factory=list)

    @property
    def at_home(self) -> bool:
        """Its account is that of the streams: what it may not do is refused there. Elsewhere it is not heard."""
        return account_of(self.user) == CLUB

    async def refused_publish(self, subject: str, data: bytes = b"") -> bool:
        """Publishes with an inbox to answer to, and says whether the server refused the subject."""
        await self.send(subject, data)
        return await self._refused("publish", subject)

    async def refused_subscription(self, subject: str) -> bool:
        """Subscribes, and says whether the server refused the subject."""
        await self.listen(subject)
        return await self._refused("subscription", subject)

    async def send(self, subject: str, data: bytes = b"", reply: str | None = None) -> None:
        """Publishes, with an inbox of its own to answer to unless another is named."""
        await self.client.publish(subject, data, reply=reply or f"_INBOX.{self.user}.answer")

    async def listen(self, subject: str) -> None:
        """Subscribes, and keeps what comes."""

        async def keep(message: Msg) -> None:
            self.received.append((message.subject, message.data))

        await self.client.subscribe(subject, cb=keep)

    async def settle(self) -> None:
        """Returns when the server has done all that it was sent, and what it had to say is here."""
        await self.client.flush()  # the client sends the first ping before what it has buffered, the second after it
        await self.client.flush()

    def has_seen(self, secret: bytes) -> list[str]:
        """The subjects on which something came that holds a secret, in plain or as JetStream's answers encode it."""
        return [subject for subject, data in self.received if any(form in data for form in encoded(secret))]

    async def _refused(self, what: str, subject: str) -> bool:
        await self.settle()
        wanted = f'permissions violation for {what} to "{subject}"'.lower()
        return any(wanted in refusal.lower() for refusal in self.refusals)


def encoded(secret: bytes) -> list[bytes]:
    """A secret of at least a dozen bytes as it is, and its middle in base64, wherever in a message it begins."""
    assert len(secret) >= 12
    return [secret, *(base64.b64encode(b" " * shift + secret)[4:-4] for shift in range(3))]


@contextlib.asynccontextmanager
async def nats_visitors(settings: LocalSettings, passwords: Secrets) -> AsyncIterator[dict[str, Visitor]]:
    """One of each user, until the end of the block."""
    made: dict[str, Visitor] = {}
    for user in NATS_USERS:
        refusals: list[str] = []

        async def note(error: Exception, refusals: list[str] = refusals) -> None:
            refusals.append(str(error))

        client = await nats.connect(
            f"nats://{settings.host}:{settings.nats_port}",
            user=user,
            password=passwords.nats_passwords[user],
            error_cb=note,
            inbox_prefix=f"_INBOX.{user}",
        )
        made[user] = Visitor(user, client, refusals)
        await made[user].listen(f"_INBOX.{user}.>")
    try:
        yield made
    finally:
        for visitor in made.values():
            await visitor.client.close()
