"""What an operator can see of the ledger, beside what every service shows."""

from typing import Literal

from shared.metrics import Metrics

PostingOutcome = Literal["posted", "duplicate", "contradiction", "stopped", "malformed"]
SignInKind = Literal["guest", "device", "password", "refresh"]


class Measures:
    """The ledger's metrics."""

    def __init__(self, metrics: Metrics) -> None:
        self._results = metrics.counter(
            "ledger_results_total",
            "Results by what became of them: posted, duplicate (posted before), contradiction (posted before and "
            "not the same), stopped (before its end, and not rated by points: nothing is kept), malformed (a dead "
            "letter).",
            ("game", "outcome"),
        )
        self._reversals = metrics.counter("ledger_reversals_total", "Matches taken back.", ("game",))
        self._sign_ins = metrics.counter(
            "ledger_sign_ins_total",
            "Sign-ins by kind (guest, device, password, refresh) and outcome (ok, or the reason of the refusal).",
            ("kind", "outcome"),
        )
        self._unsent = metrics.gauge("ledger_outbox_unsent", "Facts in the database that have not been told yet.")
        self._lag = metrics.gauge("ledger_outbox_lag_seconds", "Age of the oldest of them; 0 when there is none.")
        self._relayed = metrics.counter("ledger_outbox_sent_total", "Facts told from the outbox.")

    def result(self, game: str, outcome: PostingOutcome) -> None:
        """A result arrived."""
        self._results.labels(game, outcome).inc()

    def reversal(self, game: str) -> None:
        """A match was taken back."""
        self._reversals.labels(game).inc()

    def sign_in(self, kind: SignInKind, outcome: str) -> None:
        """Somebody tried to sign in; `outcome` is `ok` or a reason."""
        self._sign_ins.labels(kind, outcome).inc()

    def outbox(self, unsent: int, lag_seconds: float) -> None:
        """So much is waiting to be told, the oldest for so long."""
        self._unsent.set(unsent)
        self._lag.set(lag_seconds)

    def relayed(self) -> None:
        """A fact was told."""
        self._relayed.inc()
