"""What players see: tables, bots, queues."""

from typing import Final

from deploy.monitoring.boards.questions import per_minute, per_second, quantile
from deploy.monitoring.panels import Board, Choice, Panel, Row

TABLES: Final = Board(
    "tables",
    "Tables",
    "Tables and what happens at them.",
    (
        Row(
            "The club",
            (
                Panel("Tables", [("max by (status) (levata_tables_listed{NS})", "{{status}}")], kind="areas"),
                Panel("Seats at open tables", [("max by (kind) (levata_seats{NS})", "{{kind}}")], kind="areas"),
                Panel(
                    "Matches a minute",
                    [
                        (per_minute("levata_matches_started_total", "game"), "{{game}} started"),
                        (per_minute("levata_matches_finished_total", "game"), "{{game}} finished"),
                        (per_minute("levata_tables_stopped_total", "reason"), "stopped: {{reason}}"),
                    ],
                ),
            ),
        ),
        Row(
            "Play",
            (
                Panel(
                    "Actions a second, by game",
                    [("sum by (game) (namespace_game_by:levata_table_actions:rate5m{NS})", "{{game}}")],
                    kind="areas",
                    unit="ops",
                ),
                Panel(
                    "Actions a second, by whom",
                    [("sum by (by) (namespace_game_by:levata_table_actions:rate5m{NS})", "{{by}}")],
                    kind="areas",
                    unit="ops",
                ),
                Panel(
                    "Actions refused",
                    [(per_second("levata_table_actions_refused_total", "reason"), "{{reason}}")],
                    unit="ops",
                    says="One reason that rises after a release of an app is a fault of the app.",
                ),
                Panel(
                    "Time out",
                    [(per_minute("levata_table_timeouts_total", "kind"), "{{kind}} a minute")],
                    says="turn: a decision's time was out. absence: somebody was away for too long.",
                ),
                Panel(
                    "Decided by the table itself",
                    [
                        ("sum(rate(levata_table_rule_of_thumb_total{NS}[$__rate_interval])) * 60", "a minute"),
                        ("sum(rate(levata_bot_turns_published_total{NS}[$__rate_interval])) * 60", "offered to bots"),
                    ],
                    says="For want of a bot's answer.",
                ),
                Panel(
                    "Frozen",
                    [
                        ("sum(levata_tables_alive_frozen{NS})", "log damaged"),
                        ("max(levata_tables_listed_suspended{NS})", "by an operator"),
                        ("sum(increase(levata_tables_frozen_total{NS}[1h]))", "damaged within the hour"),
                    ],
                    says="A damaged log: there must never be one. By an operator: players wait.",
                ),
            ),
        ),
        Row(
            "Servers",
            (
                Panel("Tables in memory", [("levata_tables_alive{NS}", "{{instance}}")]),
                Panel("Watches", [("levata_table_watches{NS}", "{{instance}}")]),
                Panel(
                    "Watches cut off",
                    [("sum(increase(levata_table_watches_cut_off_total{NS}[$__rate_interval]))", "too slow")],
                ),
                Panel(
                    "Changes a second",
                    [
                        ("sum(rate(levata_table_records_total{NS}[$__rate_interval]))", "written"),
                        ("sum(rate(levata_table_conflicts_total{NS}[$__rate_interval]))", "decided again"),
                    ],
                    unit="ops",
                    says="Decided again: another server was first.",
                ),
                Panel(
                    "Time to store a change",
                    [
                        (quantile(0.5, "levata_bus_publish_seconds", matchers='NS, subject="tables.log"'), "p50"),
                        (quantile(0.99, "levata_bus_publish_seconds", matchers='NS, subject="tables.log"'), "p99"),
                    ],
                    unit="s",
                ),
                Panel(
                    "Time to read a table",
                    [
                        (quantile(0.5, "levata_table_recovery_seconds"), "p50"),
                        (quantile(0.99, "levata_table_recovery_seconds"), "p99"),
                    ],
                    unit="s",
                    says="When a server takes over a table that it does not have in memory.",
                ),
            ),
        ),
    ),
)

BOTS: Final = Board(
    "bots",
    "Bots",
    "How long turns wait for a bot, and what becomes of them.",
    (
        Row(
            "Turns",
            (
                Panel(
                    "Turns a second",
                    [
                        ("sum(rate(levata_bot_turns_published_total{NS}[$__rate_interval]))", "offered"),
                        (per_second("levata_bot_turns_total", "outcome"), "{{outcome}}"),
                    ],
                    unit="ops",
                    says="Only answered and moved_on are as they should be.",
                ),
                Panel(
                    "Turns that wait",
                    [
                        ('max(levata_consumer_waiting{NS, stream="BOT_TURNS", consumer="bots"})', "waiting"),
                        ('sum(levata_consumer_in_flight{NS, stream="BOT_TURNS", consumer="bots"})', "at hand"),
                    ],
                    says="What the number of bots follows where they scale by themselves.",
                ),
                Panel(
                    "Time that a turn waits for a bot",
                    [
                        (quantile(0.5, "levata_bot_turn_lag_seconds"), "p50"),
                        (quantile(0.95, "levata_bot_turn_lag_seconds"), "p95"),
                    ],
                    unit="s",
                ),
            ),
        ),
        Row(
            "Answers",
            (
                Panel(
                    "Time to decide, p95",
                    [(quantile(0.95, "levata_bot_think_seconds", "level, "), "{{level}}")],
                    unit="s",
                ),
                Panel(
                    "Time from arrival to accepted answer",
                    [
                        (quantile(0.5, "levata_bot_answer_seconds"), "p50"),
                        (quantile(0.95, "levata_bot_answer_seconds"), "p95"),
                    ],
                    unit="s",
                    says="The pace that bots keep is in it.",
                ),
                Panel(
                    "Time until a bot has acted, at the table",
                    [
                        (quantile(0.5, "levata_table_bot_seconds"), "p50"),
                        (quantile(0.95, "levata_table_bot_seconds"), "p95"),
                    ],
                    unit="s",
                ),
                Panel(
                    "What goes wrong",
                    [
                        (per_second("levata_bot_fallbacks_total", "level"), "{{level}} failed"),
                        ("sum(rate(levata_bot_submit_retries_total{NS}[$__rate_interval]))", "submitted again"),
                        ("sum(rate(levata_table_rule_of_thumb_total{NS}[$__rate_interval]))", "decided by tables"),
                    ],
                    unit="ops",
                ),
                Panel(
                    "Talk and advice",
                    [
                        ("sum(rate(levata_bot_chat_lines_total{NS}[$__rate_interval]))", "lines said"),
                        (per_second("levata_bot_suggestions_total", "level"), "moves suggested by {{level}}"),
                    ],
                    unit="ops",
                ),
                Panel(
                    "Processors",
                    [('rate(process_cpu_seconds_total{NS, job="bot"}[$__rate_interval])', "{{instance}}")],
                ),
            ),
        ),
    ),
)

OF_QUEUE: Final = 'NS, queue=~"$queue"'

QUEUES: Final = Board(
    "queues",
    "Queues",
    "Who waits for a table, for how long, and what comes of it.",
    (
        Row(
            "Waiting",
            (
                Panel(
                    "Tickets that wait",
                    [(f"max by (queue) (levata_matchmaking_waiting{{{OF_QUEUE}}})", "{{queue}}")],
                    kind="areas",
                ),
                Panel(
                    "Wait, p50",
                    [(quantile(0.5, "levata_matchmaking_wait_seconds", "queue, ", OF_QUEUE), "{{queue}}")],
                    unit="s",
                ),
                Panel(
                    "Wait, p90",
                    [
                        (
                            f"""max by (queue)
                            (namespace_queue:levata_matchmaking_wait_seconds:p90_rate15m{{{OF_QUEUE}}})""",
                            "{{queue}}",
                        )
                    ],
                    unit="s",
                    says="Bots take the free seats after half a minute.",
                ),
            ),
        ),
        Row(
            "What comes of it",
            (
                Panel(
                    "Tickets a minute",
                    [
                        (
                            f"sum(rate(levata_matchmaking_tickets_taken_total{{{OF_QUEUE}}}[$__rate_interval])) * 60",
                            "taken",
                        ),
                        (
                            per_minute("levata_matchmaking_tickets_ended_total", "outcome", OF_QUEUE),
                            "{{outcome}}",
                        ),
                    ],
                    says="expired is somebody who waited in vain: there must be none.",
                ),
                Panel(
                    "Tables a minute",
                    [
                        (per_minute("levata_matchmaking_tables_total", "queue", OF_QUEUE), "{{queue}}"),
                        (
                            per_minute("levata_matchmaking_table_failures_total", "outcome", OF_QUEUE),
                            "not made: {{outcome}}",
                        ),
                    ],
                ),
                Panel(
                    "Seats taken by bots, a minute",
                    [(per_minute("levata_matchmaking_bots_seated_total", "queue", OF_QUEUE), "{{queue}}")],
                    says="Many: too few people for so many queues.",
                ),
                Panel(
                    "Ratings heard, a minute",
                    [
                        (per_minute("levata_matchmaking_ratings_total", "outcome"), "{{outcome}}"),
                        (
                            per_minute("levata_matchmaking_tickets_rerated_total", "queue", OF_QUEUE),
                            "on tickets that wait: {{queue}}",
                        ),
                    ],
                    says="What the ledger tells after every match of two people or more; old is what came twice.",
                ),
            ),
        ),
        Row(
            "Processes",
            (
                Panel(
                    "Queues led",
                    [(f"sum by (instance) (levata_matchmaking_leading{{{OF_QUEUE}}})", "{{instance}}")],
                    kind="areas",
                    width=12,
                    says="Together always as many as there are queues.",
                ),
                Panel("Tickets watched", [("levata_matchmaking_watches{NS}", "{{instance}}")], width=12),
            ),
        ),
    ),
    (Choice("queue", "levata_matchmaking_waiting{NS}", "queue"),),
)
