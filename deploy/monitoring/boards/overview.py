"""The one dashboard to look at first: is the club well, and if not, which part of it?"""

from typing import Final

from deploy.monitoring.panels import Board, Panel, Row

OVERVIEW: Final = Board(
    "overview",
    "Overview",
    "Whether the club is well, and which part of it is not.",
    (
        Row(
            "Now",
            (
                Panel(
                    "Alerts that fire",
                    [('count(ALERTS{NS, alertname=~"Levata.+", alertstate="firing"}) or vector(0)', "")],
                    kind="number",
                    width=3,
                    red_from=1,
                    says="What they mean is in the runbook.",
                ),
                Panel(
                    "Ready",
                    [("sum by (job) (levata_ready{NS})", "{{job}}")],
                    kind="number",
                    width=6,
                    red_below=1,
                    says="Processes that take calls, by service.",
                ),
                Panel(
                    "Tables in play", [('max(levata_tables_listed{NS, status="playing"})', "")], kind="number", width=3
                ),
                Panel("People at tables", [('max(levata_seats{NS, kind="human"})', "")], kind="number", width=3),
                Panel(
                    "Actions a second, now",
                    [("sum(namespace_game_by:levata_table_actions:rate5m{NS})", "")],
                    kind="number",
                    width=3,
                    unit="ops",
                ),
                Panel(
                    "Calls that fail, now",
                    [
                        (
                            """sum(namespace_job_method:levata_rpc_failed:rate5m{NS})
                            / sum(namespace_job_method:levata_rpc_handled:rate5m{NS})""",
                            "",
                        )
                    ],
                    kind="number",
                    width=3,
                    unit="percentunit",
                    red_from=0.01,
                    says="By our own fault, of all calls to all services.",
                ),
                Panel(
                    "Frozen tables",
                    [("sum(levata_tables_alive_frozen{NS})", "")],
                    kind="number",
                    width=3,
                    red_from=1,
                    says="Their logs are damaged. There must never be one.",
                ),
            ),
        ),
        Row(
            "Golden signals of the services",
            (
                Panel(
                    "Calls a second",
                    [("sum by (job) (namespace_job_method:levata_rpc_handled:rate5m{NS})", "{{job}}")],
                    unit="reqps",
                    width=6,
                ),
                Panel(
                    "Calls that fail",
                    [("namespace_job:levata_rpc_failed:ratio_rate5m{NS}", "{{job}}")],
                    unit="percentunit",
                    width=6,
                    says="By our own fault: DATA_LOSS, DEADLINE_EXCEEDED, INTERNAL, UNAVAILABLE, UNKNOWN.",
                ),
                Panel(
                    "Time to answer, p99",
                    [("namespace_job:levata_rpc_seconds:p99_rate5m{NS}", "{{job}}")],
                    unit="s",
                    width=6,
                    says="Calls with one answer; streams are not counted.",
                ),
                Panel(
                    "Lag of the event loops, p99",
                    [("max by (job) (namespace_job_instance:levata_loop_lag_seconds:p99_rate5m{NS})", "{{job}}")],
                    unit="s",
                    width=6,
                    says="Saturation: above a quarter of a second a process has more to do than it can.",
                ),
            ),
        ),
        Row(
            "Play",
            (
                Panel(
                    "Tables",
                    [("max by (status) (levata_tables_listed{NS})", "{{status}}")],
                    kind="areas",
                    says="Of the whole club, as the lobby has them.",
                ),
                Panel("Seats at open tables", [("max by (kind) (levata_seats{NS})", "{{kind}}")], kind="areas"),
                Panel(
                    "Actions a second",
                    [("sum by (by) (namespace_game_by:levata_table_actions:rate5m{NS})", "{{by}}")],
                    kind="areas",
                    unit="ops",
                    says="By players, by bots, and by bots because somebody's time was out.",
                ),
                Panel(
                    "Time until a bot has acted",
                    [
                        (
                            """histogram_quantile(0.5,
                            sum by (le) (rate(levata_table_bot_seconds_bucket{NS}[$__rate_interval])))""",
                            "p50",
                        ),
                        (
                            """histogram_quantile(0.95,
                            sum by (le) (rate(levata_table_bot_seconds_bucket{NS}[$__rate_interval])))""",
                            "p95",
                        ),
                    ],
                    unit="s",
                    says="As a player sees it: the pace that bots keep is in it.",
                ),
                Panel(
                    "Not decided by whose turn it was",
                    [
                        ("sum(namespace:levata_table_timeouts:ratio_rate10m{NS})", "time out, of all actions"),
                        (
                            "sum(namespace:levata_table_rule_of_thumb:ratio_rate5m{NS})",
                            "rule of thumb, of bots' actions",
                        ),
                    ],
                    unit="percentunit",
                ),
                Panel(
                    "Wait in the queues, p90",
                    [("max by (queue) (namespace_queue:levata_matchmaking_wait_seconds:p90_rate15m{NS})", "{{queue}}")],
                    unit="s",
                ),
            ),
        ),
        Row(
            "What waits, and what it waits for",
            (
                Panel(
                    "Messages that wait",
                    [("max by (stream, consumer) (levata_consumer_waiting{NS})", "{{stream}} for {{consumer}}")],
                ),
                Panel(
                    "Results",
                    [
                        ("sum(rate(levata_results_published_total{NS}[$__rate_interval])) * 60", "published"),
                        (
                            'sum(rate(levata_ledger_results_total{NS, outcome="posted"}[$__rate_interval])) * 60',
                            "posted",
                        ),
                    ],
                    says="A minute. The second line follows the first.",
                ),
                Panel(
                    "Time to store, p99",
                    [("max by (subject) (namespace_subject:levata_bus_publish_seconds:p99_rate5m{NS})", "{{subject}}")],
                    unit="s",
                    says="From a publish to JetStream's acknowledgement. Every action waits for one on tables.log.",
                ),
            ),
        ),
    ),
)
