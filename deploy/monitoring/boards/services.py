"""The services: every method, and the processes that serve it."""

from typing import Final

from deploy.monitoring.panels import Board, Choice, Panel, Row

OF: Final = 'NS, job=~"$job"'
OF_METHOD: Final = 'NS, job=~"$job", method=~"$method"'

SERVICES: Final = Board(
    "services",
    "Services",
    "Every method of the services, their processes, and what they are given by NATS.",
    (
        Row(
            "Calls",
            (
                Panel(
                    "Calls a second",
                    [
                        (
                            f"sum by (method) (namespace_job_method:levata_rpc_handled:rate5m{{{OF_METHOD}}})",
                            "{{method}}",
                        )
                    ],
                    unit="reqps",
                ),
                Panel(
                    "Calls that fail by our fault",
                    [(f"namespace_job_method:levata_rpc_failed:ratio_rate5m{{{OF_METHOD}}}", "{{method}}")],
                    unit="percentunit",
                ),
                Panel(
                    "Codes",
                    [(f"sum by (code) (rate(levata_rpc_handled_total{{{OF_METHOD}}}[$__rate_interval]))", "{{code}}")],
                    unit="reqps",
                    says="FAILED_PRECONDITION is the rules of a game; UNAUTHENTICATED a token that has run out.",
                ),
                Panel(
                    "Time to answer, p50",
                    [(f"namespace_job_method:levata_rpc_seconds:p50_rate5m{{{OF_METHOD}}}", "{{method}}")],
                    unit="s",
                ),
                Panel(
                    "Time to answer, p99",
                    [(f"namespace_job_method:levata_rpc_seconds:p99_rate5m{{{OF_METHOD}}}", "{{method}}")],
                    unit="s",
                ),
                Panel(
                    "Refusals by reason",
                    [(f"sum by (reason) (rate(levata_rpc_refused_total{{{OF}}}[$__rate_interval]))", "{{reason}}")],
                    unit="reqps",
                ),
            ),
        ),
        Row(
            "Streams",
            (
                Panel(
                    "Open now",
                    [(f"sum by (method) (levata_rpc_in_flight{{{OF_METHOD}}})", "{{method}}")],
                    says="Calls and streams; watches and plays are people who look on.",
                ),
                Panel(
                    "Messages sent a second",
                    [
                        (
                            f"sum by (method) (rate(levata_rpc_messages_sent_total{{{OF_METHOD}}}[$__rate_interval]))",
                            "{{method}}",
                        )
                    ],
                    unit="ops",
                ),
                Panel(
                    "How long they last, p50",
                    [
                        (
                            f"""histogram_quantile(0.5, sum by (method, le)
                            (rate(levata_rpc_stream_seconds_bucket{{{OF_METHOD}}}[$__rate_interval])))""",
                            "{{method}}",
                        )
                    ],
                    unit="s",
                    says="Streams that end after seconds, over and over, are a bad connection.",
                ),
            ),
        ),
        Row(
            "Processes",
            (
                Panel("Ready", [(f"levata_ready{{{OF}}}", "{{job}} {{instance}}")], width=6),
                Panel(
                    "Checks that fail",
                    [(f"levata_readiness_check_ok{{{OF}}} == 0", "{{instance}}: {{check}}")],
                    width=6,
                    says="Empty when all is well.",
                ),
                Panel(
                    "Processors",
                    [(f"rate(process_cpu_seconds_total{{{OF}}}[$__rate_interval])", "{{job}} {{instance}}")],
                    width=6,
                    says="A process uses one at most.",
                ),
                Panel(
                    "Memory",
                    [(f"process_resident_memory_bytes{{{OF}}}", "{{job}} {{instance}}")],
                    unit="bytes",
                    width=6,
                ),
                Panel(
                    "Lag of the event loop, p99",
                    [(f"namespace_job_instance:levata_loop_lag_seconds:p99_rate5m{{{OF}}}", "{{job}} {{instance}}")],
                    unit="s",
                    width=6,
                ),
                Panel(
                    "File descriptors",
                    [(f"process_open_fds{{{OF}}} / process_max_fds{{{OF}}}", "{{job}} {{instance}}")],
                    unit="percentunit",
                    width=6,
                ),
                Panel(
                    "Age",
                    [(f"time() - process_start_time_seconds{{{OF}}}", "{{job}} {{instance}}")],
                    unit="s",
                    width=6,
                    says="A line that falls back to 0 is a start.",
                ),
                Panel(
                    "Versions",
                    [(f"count by (job, version) (levata_build_info{{{OF}}})", "{{job}} {{version}}")],
                    kind="areas",
                    width=6,
                    says="Two of one service at once: a rollout is going on.",
                ),
            ),
        ),
        Row(
            "Given by NATS",
            (
                Panel(
                    "Deliveries a second",
                    [
                        (
                            f"""sum by (stream, consumer, outcome)
                            (rate(levata_consumer_handled_total{{{OF}}}[$__rate_interval]))""",
                            "{{stream}} {{outcome}}",
                        )
                    ],
                    unit="ops",
                ),
                Panel(
                    "Time to handle one, p95",
                    [
                        (
                            f"""histogram_quantile(0.95, sum by (stream, consumer, le)
                            (rate(levata_consumer_seconds_bucket{{{OF}}}[$__rate_interval])))""",
                            "{{stream}} for {{consumer}}",
                        )
                    ],
                    unit="s",
                ),
                Panel(
                    "At hand and waiting",
                    [
                        (f"sum by (stream) (levata_consumer_in_flight{{{OF}}})", "{{stream}} at hand"),
                        (f"max by (stream) (levata_consumer_waiting{{{OF}}})", "{{stream}} waiting"),
                    ],
                ),
            ),
        ),
    ),
    (
        Choice("job", "levata_ready{NS}", "job"),
        Choice("method", 'levata_rpc_started_total{NS, job=~"$job"}', "method"),
    ),
)
