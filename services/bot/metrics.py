"""What an operator asks about bots."""

from services.bot.players.levels import LEVELS
from shared.metrics import Metrics

_THINK_SECONDS = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0)


class BotMetrics:
    """The metrics of the bot service, in its registry."""

    def __init__(self, metrics: Metrics) -> None:
        self.turns = metrics.counter(
            "bot_turns_total",
            "Turns taken from the queue: answered, moved_on (the table decided already), too_late (past the deadline "
            "on arrival), gave_up (no answer from the table until the deadline), refused, unreadable.",
            ("outcome",),
        )
        self.fallbacks = metrics.counter(
            "bot_fallbacks_total",
            "Decisions by a rule of thumb because a player failed, or the rules refused what it made up.",
            ("level",),
        )
        self.retries = metrics.counter("bot_submit_retries_total", "Submissions repeated because the table was away.")
        self.think = metrics.histogram(
            "bot_think_seconds", "Time to decide, pace not counted.", ("level", "kind"), buckets=_THINK_SECONDS
        )
        self.lag = metrics.histogram("bot_turn_lag_seconds", "From the publication of a turn to its arrival at a bot.")
        self.answer = metrics.histogram("bot_answer_seconds", "From the arrival of a turn to its accepted answer.")
        self.chat = metrics.counter("bot_chat_lines_total", "Lines said by bots, in accepted answers.")
        self.suggestions = metrics.counter("bot_suggestions_total", "Moves suggested to players.", ("level",))
        for outcome in ("answered", "moved_on", "too_late", "gave_up", "refused", "unreadable"):
            self.turns.labels(outcome)
        for level in (*LEVELS, "unknown"):
            self.fallbacks.labels(level)
        for level in LEVELS:
            self.suggestions.labels(level)
