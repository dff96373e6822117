"""A service with all four kinds of methods, and somebody who calls them."""

from collections.abc import AsyncIterator
from typing import Any

import grpc

from shared.auth import caller
from shared.errors import LevataError
from shared.gen.levata.table.v1 import table_pb2 as pb

SERVICE = "levata.test.v1.TestService"
TABLE_ID = "t" * 20


def chat(text: str) -> pb.SendChatRequest:
    return pb.SendChatRequest(request_id="request-1", table_id=TABLE_ID, text=text)


class Echo:
    """All kinds of methods. The word `no` is refused, and `boom` is an accident."""

    @staticmethod
    def answer(request: pb.SendChatRequest) -> pb.ChatSaid:
        if request.text == "no":
            raise LevataError(grpc.StatusCode.PERMISSION_DENIED, "MUTED")
        if request.text == "boom":
            raise RuntimeError("boom")
        return pb.ChatSaid(text=request.text, name=caller().name)

    async def one(self, request: pb.SendChatRequest, context: Any) -> pb.ChatSaid:
        return self.answer(request)

    async def yielding(self, request: pb.SendChatRequest, context: Any) -> AsyncIterator[pb.ChatSaid]:
        yield pb.ChatSaid(text="first")
        yield self.answer(request)

    async def writing(self, request: pb.SendChatRequest, context: Any) -> None:
        await context.write(pb.ChatSaid(text="first"))
        await context.write(self.answer(request))

    async def collecting(self, requests: AsyncIterator[pb.SendChatRequest], context: Any) -> pb.ChatSaid:
        said = [self.answer(request).text async for request in requests]
        return pb.ChatSaid(text=" ".join(said), name=caller().name)

    async def talking(self, requests: AsyncIterator[pb.SendChatRequest], context: Any) -> AsyncIterator[pb.ChatSaid]:
        async for request in requests:
            yield self.answer(request)

    def register(self, server: grpc.aio.Server) -> None:
        codec = {
            "request_deserializer": pb.SendChatRequest.FromString,
            "response_serializer": pb.ChatSaid.SerializeToString,
        }
        handlers: dict[str, Any] = {
            "One": grpc.unary_unary_rpc_method_handler(self.one, **codec),  # type: ignore[arg-type]
            "Yielding": grpc.unary_stream_rpc_method_handler(self.yielding, **codec),  # type: ignore[arg-type]
            "Writing": grpc.unary_stream_rpc_method_handler(self.writing, **codec),  # type: ignore[arg-type]
            "Collecting": grpc.stream_unary_rpc_method_handler(self.collecting, **codec),  # type: ignore[arg-type]
            "Talking": grpc.stream_stream_rpc_method_handler(self.talking, **codec),  # type: ignore[arg-type]
        }
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, handlers),))


class Client:
    """Calls every kind in the same way: some texts in, some texts out."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._channel = channel

    async def call(self, method: str, texts: list[str], metadata: Any) -> list[str]:
        path = f"/{SERVICE}/{method}"
        write, read = pb.SendChatRequest.SerializeToString, pb.ChatSaid.FromString
        if method == "One":
            return [(await self._channel.unary_unary(path, write, read)(chat(texts[0]), metadata=metadata)).text]
        if method in ("Yielding", "Writing"):
            stream = self._channel.unary_stream(path, write, read)(chat(texts[0]), metadata=metadata)
            return [said.text async for said in stream]
        requests = [chat(text) for text in texts]
        if method == "Collecting":
            collected = await self._channel.stream_unary(path, write, read)(iter(requests), metadata=metadata)
            return [collected.text]
        talk = self._channel.stream_stream(path, write, read)(iter(requests), metadata=metadata)
        return [said.text async for said in talk]
