"""`levata.ledger.v1.LedgerService`: from messages to the domain and back. It only reads."""

from collections.abc import Mapping
from typing import Any, Final

import grpc

from services.ledger import history
from services.ledger.database import Database
from services.ledger.hall_of_fame import Famous, hall_of_fame, standing_of
from services.ledger.history import PlayedMatch
from services.ledger.identity_servicer import timestamp
from services.ledger.leaderboards import Leader, Order, leaderboard, usual_order
from services.ledger.models import PointsRatingChange, PointsRatingRow, RatingRow, SeatRow
from services.ledger.pages import page_size
from services.ledger.results import options_message
from shared.auth import caller
from shared.gen.levata.ledger.v1 import ledger_pb2, ledger_pb2_grpc

Context = grpc.aio.ServicerContext[Any, Any]

_ORDERS: Final[Mapping["ledger_pb2.LeaderboardOrder.ValueType", Order]] = {
    ledger_pb2.LEADERBOARD_ORDER_SKILL: "skill",
    ledger_pb2.LEADERBOARD_ORDER_POINTS_RATING: "points",
}
_ORDER_TOLD: Final = {order: told for told, order in _ORDERS.items()}


class LedgerServicer(ledger_pb2_grpc.LedgerServiceServicer):
    """Answers for results, each request from one moment of the database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def GetProfile(
        self, request: ledger_pb2.GetProfileRequest, context: Context
    ) -> ledger_pb2.GetProfileResponse:
        """Gives a player's name, totals, estimates and points ratings."""
        player_id = request.player_id or caller().player_id
        async with self._database.reading() as session:
            account = await history.player(session, player_id)
            standings = []
            for game in await history.games_of(session, player_id):
                famous = await standing_of(session, account, game)
                rating = await history.rating_of(session, player_id, game)
                points = await history.points_rating_of(session, player_id, game)
                standings.append(
                    ledger_pb2.GameStanding(
                        game=game,
                        hall_of_fame=_famous(famous) if famous else None,
                        rating=_rating(rating) if rating else None,
                        points_rating=_points_rating(points) if points else None,
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
        """Lists players by points rating or by estimate, best first."""
        order = _ORDERS.get(request.order, usual_order(request.game))
        async with self._database.reading() as session:
            page = await leaderboard(session, request.game, order, page_size(request.page_size), request.page_token)
        return ledger_pb2.ListLeaderboardResponse(
            entries=[_leader(leader) for leader in page.rows],
            next_page_token=page.next_page_token,
            order=_ORDER_TOLD[order],
        )

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
        points_rating=famous.points_rating,
    )


def _leader(leader: Leader) -> ledger_pb2.LeaderboardEntry:
    return ledger_pb2.LeaderboardEntry(
        rank=leader.rank,
        player_id=leader.player_id,
        name=leader.name,
        rating=_rating(leader.rating) if leader.rating else None,
        points_rating=_points_rating(leader.points_rating) if leader.points_rating else None,
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


def _points_rating(rating: PointsRatingRow) -> ledger_pb2.PointsRating:
    return ledger_pb2.PointsRating(
        player_id=rating.player_id, game=rating.game, rating=rating.rating, matches=rating.matches
    )


def _match(played: PlayedMatch) -> ledger_pb2.Match:
    match = played.match
    return ledger_pb2.Match(
        match_id=match.match_id,
        game=match.game,
        options=options_message(match.options),
        seats=[_seat(played, seat) for seat in played.seats],
        started_at=timestamp(match.started_at),
        ended_at=timestamp(match.ended_at),
        reversed=played.reversed,
        stopped=match.stopped,
        hands_finished=match.hands_finished,
        hands=match.hands,
        points_rating_changes=[_points_change(played, change) for change in played.points_changes],
    )


def _seat(played: PlayedMatch, seat: SeatRow) -> ledger_pb2.SeatResult:
    starter = played.starters.get(seat.seat)
    return ledger_pb2.SeatResult(
        seat=seat.seat,
        player_id=seat.player_id or "",
        name=seat.name,
        points=seat.points,
        place=seat.place,
        decisions_by_bot=seat.decisions_by_bot,
        starter_player_id=starter.player_id if starter else "",
        starter_name=starter.name if starter else "",
        starter_left=starter.gone if starter else False,
    )


def _points_change(played: PlayedMatch, change: PointsRatingChange) -> ledger_pb2.PointsRatingChange:
    starter = played.starters[change.seat]
    return ledger_pb2.PointsRatingChange(
        seat=change.seat,
        player_id=change.player_id,
        name=starter.name,
        change=change.change,
        rating=change.rating,
        left=starter.gone,
    )
