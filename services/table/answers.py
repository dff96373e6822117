"""What a table answered to requests, so that a repeat gets the first answer."""

from collections import OrderedDict

from services.table.errors import RequestIdReusedError
from services.table.facts import Record, Request

REMEMBERED = 256
"""Requests remembered for each player."""


class Answers:
    """The latest requests of each player at one table, and the revisions that they made."""

    def __init__(self) -> None:
        self._by_player: dict[str, OrderedDict[str, tuple[str, int]]] = {}

    def remember(self, record: Record) -> None:
        """Takes in a record of the log."""
        request = record.request
        if request is None:
            return
        answers = self._by_player.setdefault(request.player, OrderedDict())
        answers[request.id] = (request.digest, record.n)
        if len(answers) > REMEMBERED:
            answers.popitem(last=False)

    def find(self, request: Request) -> int | None:
        """The revision that an earlier request with this id made; None if there was none.

        Raises:
            RequestIdReusedError: There was one, with another body.
        """
        answers = self._by_player.get(request.player)
        if answers is None or request.id not in answers:
            return None
        digest, revision = answers[request.id]
        if digest != request.digest:
            raise RequestIdReusedError
        return revision
