"""Makes every stream, bucket and consumer of the account CLUB, or brings them up to date: `python -m deploy.nats`.

Run once before the services of a new version start, with the address, the user `provisioner` and its password in
`LEVATA_NATS_URL`, `LEVATA_NATS_USER` and `LEVATA_NATS_PASSWORD`. Repeats safely; messages stay.
"""

import asyncio
import sys

from deploy.nats.provision import provision
from shared.bus import BusUnavailable
from shared.settings import ServiceSettings
from shared.stream_setup import MismatchError

if __name__ == "__main__":
    try:
        asyncio.run(provision(ServiceSettings()))
    except (BusUnavailable, MismatchError) as error:
        sys.exit(f"The streams could not be made: {error}")
