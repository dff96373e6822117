"""Dead letters: the list, one of them, send again, drop."""

import base64
from collections.abc import Awaitable, Callable
from typing import Any

from deploy.admin.answer import Answer, moment_of, on_one_line, span, table_of
from deploy.admin.desk import Desk
from deploy.admin.errors import AdminError
from shared.bus import BusRefused, BusUnavailable
from shared.dead_letters import DeadLetter, NoSuchLetterError

SHOWN_BYTES = 2_000
"""So much of a message is shown to people."""


async def listed(desk: Desk) -> Answer:
    """All dead letters."""
    letters = [letter async for letter in desk.letters]
    now = desk.now()
    rows = [
        (
            one.number,
            one.stream,
            one.consumer,
            one.subject,
            one.delivered,
            f"{span(now - one.buried_at.timestamp() * 1000)} ago",
            one.reason,
        )
        for one in letters
    ]
    head = ("NUMBER", "STREAM", "CONSUMER", "SUBJECT", "TRIES", "GIVEN UP", "REASON")
    text = f"{table_of(head, rows)}\n{_count(len(letters))}" if letters else "no dead letters"
    return Answer(text, [_data(one) for one in letters])


async def show(desk: Desk, number: int, reveal: bool, why: str) -> Answer:
    """One dead letter; with its message only if that is wanted, for a bot's turn has a hand in it."""
    letter = await _get(desk, number)
    text = [
        f"number    {letter.number}",
        f"from      {letter.subject}, stream {letter.stream}, consumer {letter.consumer}",
        f"given up  {moment_of(letter.buried_at)}, after {letter.delivered} deliveries",
        f"reason    {on_one_line(letter.reason)}",
        f"message   {len(letter.data)} bytes" + (":" if reveal else "; --reveal shows them"),
    ]
    data = _data(letter)
    if reveal:
        await desk.note("reveal dead letter", _name(letter), why)
        rest = len(letter.data) - SHOWN_BYTES
        text.append(letter.data[:SHOWN_BYTES].decode(errors="backslashreplace"))
        text += [f"... and {rest} bytes more; --json has them all"] if rest > 0 else []
        data["message_base64"] = base64.b64encode(letter.data).decode()
    return Answer("\n".join(text), data)


async def again(desk: Desk, numbers: list[int] | None, why: str) -> Answer:
    """Sends dead letters again where they came from; all of them for None. What could not be sent stays."""

    async def send(letter: DeadLetter) -> str:
        await desk.letters.send_again(letter)
        return f"sent again on {letter.subject}"

    return await _each(desk, numbers, "send dead letter again", send, why)


async def drop(desk: Desk, numbers: list[int] | None, why: str) -> Answer:
    """Removes dead letters for good; all of them for None."""

    async def remove(letter: DeadLetter) -> str:
        await desk.letters.drop(letter.number)
        return "dropped"

    return await _each(desk, numbers, "drop dead letter", remove, why)


async def _each(
    desk: Desk, numbers: list[int] | None, did: str, do: Callable[[DeadLetter], Awaitable[str]], why: str
) -> Answer:
    """Does something to dead letters, one after the other, each with a line in the audit; `do` says what was done."""
    if numbers is None:
        letters = [letter async for letter in desk.letters]
    else:
        letters = [await _get(desk, number) for number in dict.fromkeys(numbers)]
    text: list[str] = []
    data: list[dict[str, Any]] = []
    for letter in letters:
        await desk.note(did, _name(letter), why)
        try:
            done = await do(letter)
        except (BusUnavailable, BusRefused, NoSuchLetterError) as error:
            text.append(f"{letter.number}  still here: {error}")
            data.append({"number": letter.number, "done": False, "error": str(error)})
        else:
            text.append(f"{letter.number}  {done}")
            data.append({"number": letter.number, "done": True})
    return Answer("\n".join(text) or "no dead letters", data, good=all(one["done"] for one in data))


async def _get(desk: Desk, number: int) -> DeadLetter:
    try:
        return await desk.letters.get(number)
    except NoSuchLetterError as error:
        raise AdminError(f"{error}: `levata admin dead list` lists those that are") from error


def _name(letter: DeadLetter) -> str:
    return f"{letter.number} of {letter.stream} {letter.consumer}"


def _count(letters: int) -> str:
    return "1 dead letter" if letters == 1 else f"{letters} dead letters"


def _data(letter: DeadLetter) -> dict[str, Any]:
    return {
        "number": letter.number,
        "stream": letter.stream,
        "consumer": letter.consumer,
        "subject": letter.subject,
        "reason": letter.reason,
        "delivered": letter.delivered,
        "given_up": moment_of(letter.buried_at),
        "bytes": len(letter.data),
    }
