"""What an operator asks of matchmaking."""

from collections.abc import Iterable

from shared.metrics import Metrics

WAIT_SECONDS = (1.0, 2.5, 5.0, 10.0, 15.0, 20.0, 30.0, 45.0, 60.0, 120.0, 300.0, 600.0)


class Measures:
    """The metrics of matchmaking. Each process mirrors all queues: of `waiting` take the highest, not the sum.

    Args:
        metrics: Where they are.
        queues: Ids of the queues there are.
    """

    def __init__(self, metrics: Metrics, queues: Iterable[str] = ()) -> None:
        self.waiting = metrics.gauge("matchmaking_waiting", "Tickets that wait.", ("queue",))
        self.taken = metrics.counter("matchmaking_tickets_taken_total", "Tickets taken.", ("queue",))
        self.ended = metrics.counter(
            "matchmaking_tickets_ended_total", "Tickets that ended: matched, cancelled, expired.", ("queue", "outcome")
        )
        self.wait_seconds = metrics.histogram(
            "matchmaking_wait_seconds", "From taking a ticket to its table.", ("queue",), WAIT_SECONDS
        )
        self.tables = metrics.counter("matchmaking_tables_total", "Tables made.", ("queue",))
        self.bots = metrics.counter("matchmaking_bots_seated_total", "Seats of those that bots took.", ("queue",))
        self.failures = metrics.counter(
            "matchmaking_table_failures_total",
            "Attempts to make a table that failed: unanswered (it is tried again), refused, given_up.",
            ("queue", "outcome"),
        )
        self.ratings = metrics.counter(
            "matchmaking_ratings_total",
            "Ratings that the ledger told: newer than those known, or old.",
            ("outcome",),
        )
        self.rerated = metrics.counter(
            "matchmaking_tickets_rerated_total", "Tickets whose player's rating changed while they waited.", ("queue",)
        )
        for outcome in ("newer", "old"):
            self.ratings.labels(outcome)
        self.leading = metrics.gauge("matchmaking_leading", "1 while this process matches the queue.", ("queue",))
        self.watches = metrics.gauge("matchmaking_watches", "Tickets watched at this process.", ())
        for queue in queues:
            self.waiting.labels(queue)
            self.taken.labels(queue)
            self.tables.labels(queue)
            self.bots.labels(queue)
            self.rerated.labels(queue)
            self.wait_seconds.labels(queue)
            self.leading.labels(queue)
            for outcome in ("matched", "cancelled", "expired"):
                self.ended.labels(queue, outcome)
            for outcome in ("unanswered", "refused", "given_up"):
                self.failures.labels(queue, outcome)
