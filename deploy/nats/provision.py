"""Makes every stream and bucket of the club, or brings them up to date."""

from shared.bus import Bus
from shared.metrics import Metrics
from shared.settings import ServiceSettings
from shared.streams import STREAMS, ensure


async def provision(settings: ServiceSettings) -> None:
    """Makes what is missing and updates what is there.

    Raises:
        BusUnavailable: NATS does not answer, or refuses user and password.
        StreamMismatchError: A stream stands in the way that cannot be changed.
    """
    bus = await Bus.connect(settings, Metrics("provisioner"), "provisioner")
    try:
        await ensure(bus, list(STREAMS), settings.replicas)
    finally:
        await bus.close()
