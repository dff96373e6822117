"""Makes every stream and bucket of the club's account, and the consumers on them, or brings them up to date."""

from shared.bus import Bus
from shared.metrics import Metrics
from shared.settings import ServiceSettings
from shared.stream_setup import ensure
from shared.streams import CLUB, of_account


async def provision(settings: ServiceSettings) -> None:
    """Makes what is missing and updates what is there.

    Raises:
        BusUnavailable: NATS does not answer, or refuses user and password.
        MismatchError: A stream or a consumer stands in the way that cannot be changed.
    """
    bus = await Bus.connect(settings, Metrics("provisioner"), "provisioner")
    try:
        await ensure(bus, of_account(CLUB), settings.replicas)
    finally:
        await bus.close()
