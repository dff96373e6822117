"""Ranks of the rows of a page: equals share one, and the next rank counts all before it."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import func, select


def ranks(keys: Sequence[float], better: int, before: int) -> list[int]:
    """Ranks of consecutive rows.

    Args:
        keys: What they are sorted by, best first.
        better: How many rows of the whole list are better than the first of these.
        before: How many rows of the whole list stand before the first of these: the better ones and earlier equals.
    """
    found: list[int] = []
    for index, key in enumerate(keys):
        if index == 0:
            found.append(better + 1)
        elif key == keys[index - 1]:
            found.append(found[-1])
        else:
            found.append(before + index + 1)
    return found


async def count(session: AsyncSession, *conditions: ColumnElement[bool] | bool) -> int:
    """How many rows meet all conditions."""
    return (await session.execute(select(func.count()).where(*conditions))).scalar_one()
