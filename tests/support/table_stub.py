"""A table service that only takes actions: it notes every submission and answers as the test says."""

import asyncio
from collections.abc import Callable
from typing import Any

import grpc

from shared.errors import LevataError
from shared.gen.levata.table.v1 import table_pb2
from shared.harness import Harness
from shared.settings import ServiceSettings
from shared.stream_setup import ensure

Answer = Callable[[table_pb2.SubmitActionRequest, int], LevataError | None]
"""Gets a request and how many came before it; an error refuses it."""

SERVICE = table_pb2.DESCRIPTOR.services_by_name["TableService"].full_name
WAIT_SECONDS = 30.0


def accept(request: table_pb2.SubmitActionRequest, before: int) -> LevataError | None:
    """Takes every action."""
    return None


class TableStub:
    """Takes actions.

    Attributes:
        requests: Every submission, in order, refused ones too.
        accepted: Those that were taken.
        answer: How to answer.
        gate: Submissions wait until this is set.
    """

    def __init__(self) -> None:
        self.requests: list[table_pb2.SubmitActionRequest] = []
        self.accepted: list[table_pb2.SubmitActionRequest] = []
        self.answer: Answer = accept
        self.gate = asyncio.Event()
        self.gate.set()
        self._changed = asyncio.Condition()

    async def bind(self, harness: Harness, settings: ServiceSettings) -> None:
        """Puts it on a harness, with the queue of turns beside it."""
        await ensure(harness.bus, ["BOT_TURNS"], settings.replicas)
        harness.add_servicer(_register, self, SERVICE)

    async def submit_action(
        self, request: table_pb2.SubmitActionRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> table_pb2.SubmitActionResponse:
        error = self.answer(request, len(self.requests))
        async with self._changed:
            self.requests.append(request)
            self._changed.notify_all()
        await self.gate.wait()
        if error is not None:
            raise error
        async with self._changed:
            self.accepted.append(request)
            self._changed.notify_all()
        return table_pb2.SubmitActionResponse(revision=(request.revision or 0) + 1)

    async def wait_for(self, requests: int = 0, accepted: int = 0) -> None:
        """Returns when so many submissions have come and been taken. Raises `TimeoutError`."""
        async with asyncio.timeout(WAIT_SECONDS), self._changed:
            await self._changed.wait_for(lambda: len(self.requests) >= requests and len(self.accepted) >= accepted)


def _register(stub: TableStub, server: grpc.aio.Server) -> None:
    handler = grpc.unary_unary_rpc_method_handler(
        stub.submit_action,
        request_deserializer=table_pb2.SubmitActionRequest.FromString,
        response_serializer=table_pb2.SubmitActionResponse.SerializeToString,
    )
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, {"SubmitAction": handler}),))
