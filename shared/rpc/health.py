"""The standard health service (grpc.health.v1). Watches end when the server drains, and hold up nothing."""

import asyncio
from typing import Any

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING
SERVICE_UNKNOWN = health_pb2.HealthCheckResponse.SERVICE_UNKNOWN
NAME = health_pb2.DESCRIPTOR.services_by_name["Health"].full_name


class Health(health_pb2_grpc.HealthServicer):  # type: ignore[misc]  # a class without types
    """Says whether each service, and the server as a whole under the empty name, takes calls."""

    def __init__(self, services: list[str]) -> None:
        self._services = ["", *services, NAME]
        self._serving = False
        self._ended = False
        self._changed = asyncio.Condition()

    async def set(self, serving: bool) -> None:
        """Changes what is said, and tells those who watch."""
        async with self._changed:
            self._serving = serving
            self._changed.notify_all()

    async def end(self) -> None:
        """Says for good that no calls are taken, and ends the watches."""
        self._ended = True
        await self.set(False)

    def _status(self, service: str) -> Any:
        if service not in self._services:
            return SERVICE_UNKNOWN
        return SERVING if self._serving else NOT_SERVING

    async def Check(self, request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> Any:
        """The status now; NOT_FOUND for a service that is not here."""
        status = self._status(request.service)
        if status == SERVICE_UNKNOWN:
            await context.abort(grpc.StatusCode.NOT_FOUND, "no such service")
        return health_pb2.HealthCheckResponse(status=status)

    async def List(self, request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> Any:
        """The status of every service now."""
        return health_pb2.HealthListResponse(
            statuses={name: health_pb2.HealthCheckResponse(status=self._status(name)) for name in self._services}
        )

    async def Watch(self, request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        """The status now and at every change, until the server drains."""
        told: Any = None

        def news() -> bool:
            return self._ended or self._status(request.service) != told

        while True:
            async with self._changed:
                await self._changed.wait_for(news)
                status = self._status(request.service)
            if status != told:
                told = status
                await context.write(health_pb2.HealthCheckResponse(status=status))
            if self._ended:
                return
