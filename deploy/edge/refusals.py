"""What the edge says when it refuses: the same kind of status that the services send, as headers for `envoy.yaml`.

`python -m deploy.edge.refusals` prints them; a test holds the configuration to them.
"""

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import grpc
from google.protobuf.duration_pb2 import Duration
from google.rpc.error_details_pb2 import ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status

from shared.errors import DOMAIN


@dataclass(frozen=True, slots=True)
class EdgeRefusal:
    """A refusal of the edge.

    Attributes:
        http: The HTTP status that Envoy has for it.
        code: The canonical code.
        reason: As in `ErrorInfo`.
        message: For developers, in English: the edge knows no languages.
        retry_seconds: When to try again; 0 if there is no use in it.
    """

    http: int
    code: grpc.StatusCode
    reason: str
    message: str
    retry_seconds: int = 0

    @property
    def header(self) -> str:
        """Value of `grpc-status-details-bin`."""
        status = Status(code=self.code.value[0], message=self.message)
        status.details.add().Pack(ErrorInfo(reason=self.reason, domain=DOMAIN))
        if self.retry_seconds:
            status.details.add().Pack(RetryInfo(retry_delay=Duration(seconds=self.retry_seconds)))
        return base64.b64encode(status.SerializeToString(deterministic=True)).decode().rstrip("=")


REFUSALS: Final[Sequence[EdgeRefusal]] = (
    EdgeRefusal(401, grpc.StatusCode.UNAUTHENTICATED, "TOKEN_INVALID", "the edge refused the token"),
    EdgeRefusal(403, grpc.StatusCode.PERMISSION_DENIED, "ORIGIN_FORBIDDEN", "pages of this origin may not call"),
    EdgeRefusal(429, grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_FAST", "too many calls; try again in a second", 1),
    EdgeRefusal(503, grpc.StatusCode.UNAVAILABLE, "DEPENDENCY_DOWN", "no server answers; try again in a second", 1),
)

if __name__ == "__main__":
    for refusal in REFUSALS:
        print(refusal.http, refusal.reason, refusal.header)
