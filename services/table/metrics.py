"""What an operator of a card club asks of the table service. No player and no table is ever a label."""

from typing import get_args

from services.table import facts as f
from services.table.decide import Change
from shared.metrics import Metrics


class TableMetrics:
    """The counters and gauges of this service."""

    def __init__(self, metrics: Metrics) -> None:
        self.alive = metrics.gauge("tables_alive", "Tables that this server has in memory.")
        self.alive_frozen = metrics.gauge("tables_alive_frozen", "Of those, tables whose log is damaged.")
        self.listed = metrics.gauge("tables_listed", "Tables of the club, as the lobby has them.", ("status",))
        self.suspended = metrics.gauge(
            "tables_listed_suspended", "Tables of the club that an operator has frozen, as the lobby has them."
        )
        self.seats = metrics.gauge("seats", "Seats at the open tables of the club.", ("kind",))
        self.watchers = metrics.gauge("table_watches", "Watches open on this server.")
        self.slow = metrics.counter("table_watches_cut_off_total", "Watches ended because they fell behind.")
        self.frozen = metrics.counter("tables_frozen_total", "Tables frozen because their log is damaged.")
        self.conflicts = metrics.counter(
            "table_conflicts_total", "Changes decided again because another server was first."
        )
        self.records = metrics.counter("table_records_total", "Changes written to the logs.")
        self.actions = metrics.counter("table_actions_total", "Actions played.", ("game", "by"))
        self.refused = metrics.counter(
            "table_actions_refused_total", "Actions refused, on streams or by single calls.", ("reason",)
        )
        self.timeouts = metrics.counter(
            "table_timeouts_total",
            "Decisions whose time was out (turn), and players who were away for too long (absence).",
            ("kind",),
        )
        self.thumbs = metrics.counter(
            "table_rule_of_thumb_total", "Decisions that the table made, for want of a bot's answer."
        )
        self.started = metrics.counter("matches_started_total", "Matches started.", ("game",))
        self.finished = metrics.counter("matches_finished_total", "Matches played to the end.", ("game",))
        self.stopped = metrics.counter("tables_stopped_total", "Tables stopped before the end.", ("reason",))
        self.posted = metrics.counter("results_published_total", "Results handed to the ledger's stream.", ("game",))
        self.turns = metrics.counter("bot_turns_published_total", "Decisions offered to bots.")
        self.bot_seconds = metrics.histogram(
            "table_bot_seconds", "From the moment a decision is a bot's to the bot's accepted action, pace included."
        )
        self.recovery = metrics.histogram("table_recovery_seconds", "To read a table's log and fold it.")
        for kind in ("turn", "absence"):
            self.timeouts.labels(kind)
        for reason in get_args(f.StopReason):
            if reason != "operator":  # that is written by no server
                self.stopped.labels(reason)

    def committed(self, change: Change, by_itself: bool) -> None:
        """Counts a change that was written; `by_itself`: the table made it because something was due."""
        self.records.inc()
        game = change.state.options.game
        for fact, _ in change.facts:
            match fact:
                case f.ActionTaken(by=by):
                    self.actions.labels(game, by).inc()
                    if by_itself:
                        self.thumbs.inc()
                case f.ClockExpired():
                    self.timeouts.labels("turn").inc()
                case f.WentAway():
                    self.timeouts.labels("absence").inc()
                case f.MatchStarted():
                    self.started.labels(game).inc()
                case f.MatchFinished():
                    self.finished.labels(game).inc()
                case f.TableStopped(reason=reason):
                    self.stopped.labels(reason).inc()
                case _:
                    pass
