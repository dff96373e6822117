"""Whether a process answers yet."""

import asyncio
import contextlib

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from deploy.local.roster import Role

ASK_SECONDS = 1.0
READY = b"GET /ready HTTP/1.1\r\nhost: club\r\nconnection: close\r\n\r\n"


async def is_ready(role: Role) -> bool:
    """Asks a process once whether it serves."""
    match role.greets:
        case "grpc":
            return await answers_grpc(role.address)
        case "nats":
            return await _says(role.address, b"", b"INFO ")
        case "http":
            return await answers_http(role.address)


async def answers_http(address: str) -> bool:
    """Asks a server for `/ready` once, and returns whether it is."""
    return await _says(address, READY, b"HTTP/1.1 200 ")


async def answers_grpc(address: str) -> bool:
    """Asks a server once for its health, and returns whether it serves."""
    async with grpc.aio.insecure_channel(address, options=[("grpc.enable_http_proxy", 0)]) as channel:
        try:
            answer = await health_pb2_grpc.HealthStub(channel).Check(
                health_pb2.HealthCheckRequest(), timeout=ASK_SECONDS
            )
        except grpc.aio.AioRpcError:
            return False
        return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)


async def _says(address: str, question: bytes, greeting: bytes) -> bool:
    """Whether the first line of what a server sends begins as expected."""
    host, _, port = address.rpartition(":")
    try:
        async with asyncio.timeout(ASK_SECONDS):
            reader, writer = await asyncio.open_connection(host.strip("[]"), int(port))
            try:
                writer.write(question)
                return (await reader.readline()).startswith(greeting)
            finally:
                writer.close()
                with contextlib.suppress(OSError):
                    await writer.wait_closed()
    except (OSError, TimeoutError):
        return False
