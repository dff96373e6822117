"""The whole club on one machine: NATS and the four services, started, watched and stopped by one process."""

import os

# The supervisor asks services over gRPC and starts processes meanwhile. gRPC would prepare itself for each of these
# forks and complain on the terminal when it cannot; the children become other programs at once, so there is no need.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
