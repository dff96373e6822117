"""`levata.ledger.v1.LedgerService`: from messages to the domain and back. It only reads."""

from typing import Any

import grpc

from services.ledger import history
from services.ledger.database import Database
from services.ledger.hall_of_fame import Famous, hall_of_fame, leaderboard, standing_of
from services.ledger.history import PlayedMatch
from services.ledger.identity_servicer import timestamp
from services.ledger.models import RatingRow
from services.ledger.pages import page_size
from services.ledger.results import options_message
from shared.auth import caller
from shared.gen.levata.ledger.v1 import ledger_pb2, ledger_pb2_grpc

Context = grpc.aio.ServicerContext[Any, Any]


class LedgerServicer(ledger_pb2_grpc.LedgerServiceServicer):
    """Answers for results, each request from one moment of the database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def GetProfile(
        self, request: ledger_pb2.GetProfileRequest, context: Context
    ) -> ledger_pb2.GetProfileResponse:
        """Gives a player's name, totals and estimates."""
        player_id = request.player_id or caller().player_id
        async with self._database.reading() as session:
            account = await history.player(session, player_id)
            standings = []
            for game in await history.games_of(session, player_id):
                famous = await standing_of(session, account, game)
                rating = await history.rating_of(session, player_id, game)
                standings.append(
                    ledger_pb2.GameStanding(
                        game=game,
                        hall_of_fame=_famous(famous) if famous else None,
                        rating=_rating(rating) if rating else None,
                    )
                )
        return ledger_pb2.GetProfileResponse(
            player_id=player_id, name=account.name, created_at=timestamp(account.created_at), standings=standings
        )

    async def ListHallOfFame(
        self, request: ledger_pb2.ListHallOfFameRequest, context: Context
    ) -> ledger_pb2.ListHallOfFameResponse:
        """Lists sums of final points, best first (AZ-48)."""
        async with self._database.reading() as session:
            page = await hall_of_fame(session, request.game, page_size(request.page_size), request.page_token)
        return ledger_pb2.ListHallOfFameResponse(
            entries=[_famous(famous) for famous in page.rows], next_page_token=page.next_page_token
        )

    async def ListLeaderboard(
        self, request: ledger_pb2.ListLeaderboardRequest, context: Context
    ) -> ledger_pb2.ListLeaderboardResponse:
        """Lists players by estimate, best first."""
        async with self._database.reading() as session:
            page = await leaderboard(session, request.game, page_size(request.page_size), request.page_token)
        entries = [
            ledger_pb2.LeaderboardEntry(rank=leader.rank, name=leader.name, rating=_rating(leader.rating))
            for leader in page.rows
        ]
        return ledger_pb2.ListLeaderboardResponse(entries=entries, next_page_token=page.next_page_token)

    async def ListMatches(
        self, request: ledger_pb2.ListMatchesRequest, context: Context
    ) -> ledger_pb2.ListMatchesResponse:
        """Lists a player's matches, newest first, as far as the caller may know them."""
        viewer_id = caller().player_id
        async with self._database.reading() as session:
            page = await history.matches_of(
                session,
                request.player_id or viewer_id,
                request.game,
                viewer_id,
                page_size(request.page_size),
                request.page_token,
            )
        return ledger_pb2.ListMatchesResponse(
            matches=[_match(played) for played in page.rows], next_page_token=page.next_page_token
        )

    async def GetMatch(self, request: ledger_pb2.GetMatchRequest, context: Context) -> ledger_pb2.GetMatchResponse:
        """Gives one match, if the caller may know it."""
        async with self._database.reading() as session:
            played = await history.match_of(session, request.match_id, caller().player_id)
        return ledger_pb2.GetMatchResponse(match=_match(played))

    async def GetMatchRecord(
        self, request: ledger_pb2.GetMatchRecordRequest, context: Context
    ) -> ledger_pb2.GetMatchRecordResponse:
        """Gives the record of a match, if the caller may know it."""
        async with self._database.reading() as session:
            played = await history.match_of(session, request.match_id, caller().player_id)
        return ledger_pb2.GetMatchRecordResponse(record=played.match.record)


def _famous(famous: Famous) -> ledger_pb2.HallOfFameEntry:
    return ledger_pb2.HallOfFameEntry(
        rank=famous.rank,
        player_id=famous.player_id,
        name=famous.name,
        points=famous.points,
        matches=famous.matches,
        wins=famous.wins,
    )


def _rating(rating: RatingRow) -> ledger_pb2.Rating:
    return ledger_pb2.Rating(
        player_id=rating.player_id,
        game=rating.game,
        mean=rating.mean,
        deviation=rating.deviation,
        ordinal=rating.ordinal,
        matches=rating.matches,
    )


def _match(played: PlayedMatch) -> ledger_pb2.Match:
    return ledger_pb2.Match(
        match_id=played.match.match_id,
        game=played.match.game,
        options=options_message(played.match.options),
        seats=[
            ledger_pb2.SeatResult(
                seat=seat.seat,
                player_id=seat.player_id or "",
                name=seat.name,
                points=seat.points,
                place=seat.place,
                decisions_by_bot=seat.decisions_by_bot,
            )
            for seat in played.seats
        ],
        started_at=timestamp(played.match.started_at),
        ended_at=timestamp(played.match.ended_at),
        reversed=played.reversed,
    )
