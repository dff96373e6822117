"""What the club stands on: the ledger, NATS, the edge."""

from typing import Final

from deploy.monitoring.boards.questions import per_minute, per_second, quantile
from deploy.monitoring.panels import Board, Panel, Row

LEDGER: Final = Board(
    "ledger",
    "Ledger",
    "Results, what is told of them, and who signs in.",
    (
        Row(
            "Results",
            (
                Panel(
                    "Results a minute",
                    [(per_minute("levata_ledger_results_total", "outcome"), "{{outcome}}")],
                    says="A contradiction or a malformed one wants somebody to look.",
                ),
                Panel(
                    "Results that wait",
                    [('max(levata_consumer_waiting{NS, stream="RESULTS", consumer="ledger"})', "in NATS")],
                ),
                Panel(
                    "Time to post one, p95",
                    [
                        (
                            quantile(
                                0.95, "levata_consumer_seconds", matchers='NS, stream="RESULTS", consumer="ledger"'
                            ),
                            "p95",
                        )
                    ],
                    unit="s",
                ),
                Panel(
                    "By game, a minute",
                    [
                        (per_minute("levata_ledger_results_total", "game"), "{{game}}"),
                        (per_minute("levata_ledger_reversals_total", "game"), "{{game}} taken back"),
                    ],
                ),
                Panel(
                    "Outbox",
                    [
                        ("max(levata_ledger_outbox_unsent{NS})", "not told yet"),
                        ("sum(rate(levata_ledger_outbox_sent_total{NS}[$__rate_interval])) * 60", "told a minute"),
                    ],
                ),
                Panel("Age of the oldest in it", [("max(levata_ledger_outbox_lag_seconds{NS})", "lag")], unit="s"),
            ),
        ),
        Row(
            "Accounts",
            (
                Panel(
                    "Sign-ins a minute",
                    [(per_minute("levata_ledger_sign_ins_total", "kind", 'NS, outcome="ok"'), "{{kind}}")],
                    width=12,
                ),
                Panel(
                    "Sign-ins refused a minute",
                    [
                        (
                            per_minute("levata_ledger_sign_ins_total", "kind, outcome", 'NS, outcome!="ok"'),
                            "{{kind}}: {{outcome}}",
                        )
                    ],
                    width=12,
                ),
            ),
        ),
        Row(
            "Service",
            (
                Panel(
                    "Database answers",
                    [('levata_readiness_check_ok{NS, check="database"}', "{{instance}}")],
                ),
                Panel(
                    "Time to answer, p99",
                    [('namespace_job_method:levata_rpc_seconds:p99_rate5m{NS, job="ledger"}', "{{method}}")],
                    unit="s",
                ),
                Panel(
                    "Calls that fail by our fault",
                    [('namespace_job_method:levata_rpc_failed:ratio_rate5m{NS, job="ledger"}', "{{method}}")],
                    unit="percentunit",
                ),
            ),
        ),
    ),
)

NATS: Final = Board(
    "nats",
    "NATS",
    "NATS as the services see it, and as it sees itself.",
    (
        Row(
            "As the services see it",
            (
                Panel("Connected", [("sum by (job) (levata_bus_connected{NS})", "{{job}}")], width=6),
                Panel(
                    "Connections won back",
                    [("sum by (job) (increase(levata_bus_reconnects_total{NS}[$__rate_interval]))", "{{job}}")],
                    width=6,
                ),
                Panel(
                    "Publishes a second",
                    [("sum by (subject) (namespace_subject:levata_bus_publishes:rate5m{NS})", "{{subject}}")],
                    unit="ops",
                    width=6,
                ),
                Panel(
                    "Publishes that fail",
                    [
                        (
                            "max by (subject) (namespace_subject:levata_bus_publishes_failed:ratio_rate5m{NS})",
                            "{{subject}}",
                        )
                    ],
                    unit="percentunit",
                    width=6,
                ),
                Panel(
                    "Time to store, p50",
                    [(quantile(0.5, "levata_bus_publish_seconds", "subject, "), "{{subject}}")],
                    unit="s",
                    width=6,
                ),
                Panel(
                    "Time to store, p99",
                    [("max by (subject) (namespace_subject:levata_bus_publish_seconds:p99_rate5m{NS})", "{{subject}}")],
                    unit="s",
                    width=6,
                ),
                Panel(
                    "Messages that wait",
                    [("max by (stream, consumer) (levata_consumer_waiting{NS})", "{{stream}} for {{consumer}}")],
                    width=6,
                ),
                Panel(
                    "Dead letters",
                    [
                        ('max(levata_stream_messages{NS, stream="DEAD"})', "lie there"),
                        (
                            'sum(increase(levata_consumer_handled_total{NS, outcome="dead"}[$__rate_interval]))',
                            "new",
                        ),
                    ],
                    width=6,
                ),
            ),
        ),
        Row(
            "Streams",
            (
                Panel(
                    "Copies that are missing",
                    [
                        (
                            """max by (stream) (levata_stream_copies{NS})
                            - max by (stream) (levata_stream_copies_in_sync{NS})""",
                            "{{stream}}",
                        )
                    ],
                    says="0 is good. As many as there are copies: nobody leads the stream.",
                    width=6,
                ),
                Panel("Messages", [("max by (stream) (levata_stream_messages{NS})", "{{stream}}")], width=6),
                Panel("Bytes", [("max by (stream) (levata_stream_bytes{NS})", "{{stream}}")], unit="bytes", width=6),
                Panel(
                    "Age of the newest backup",
                    [('time() - max(levata_stream_newest_timestamp_seconds{NS, stream="BACKUPS"})', "age")],
                    unit="s",
                    says="One is taken every four hours where the component backup is in use. Decades: there is none.",
                    width=6,
                ),
            ),
        ),
        Row(
            "As the servers see it",
            (
                Panel(
                    "Disk used",
                    [
                        (
                            """max by (server_id) (jetstream_server_total_message_bytes{NS})
                            / max by (server_id) (jetstream_server_max_storage{NS})""",
                            "{{server_id}}",
                        )
                    ],
                    unit="percentunit",
                    says="Of what JetStream may use. When it is full nothing can be played.",
                ),
                Panel("Memory", [("max by (server_id) (gnatsd_varz_mem{NS})", "{{server_id}}")], unit="bytes"),
                Panel(
                    "Processors",
                    [("max by (server_id) (gnatsd_varz_cpu{NS})", "{{server_id}}")],
                    unit="percent",
                    says="100 is one processor.",
                ),
                Panel(
                    "Messages a second",
                    [
                        ("sum by (server_id) (rate(gnatsd_varz_in_msgs{NS}[$__rate_interval]))", "{{server_id}} in"),
                        ("sum by (server_id) (rate(gnatsd_varz_out_msgs{NS}[$__rate_interval]))", "{{server_id}} out"),
                    ],
                    unit="ops",
                ),
                Panel(
                    "Connections",
                    [
                        ("max by (server_id) (gnatsd_varz_connections{NS})", "{{server_id}} clients"),
                        ("max by (server_id) (gnatsd_routez_num_routes{NS})", "{{server_id}} routes"),
                    ],
                ),
                Panel(
                    "Clients cut off",
                    [
                        (
                            "max by (server_id) (increase(gnatsd_varz_slow_consumers{NS}[$__rate_interval]))",
                            "{{server_id}}",
                        )
                    ],
                    says="Because they did not read in time.",
                ),
            ),
        ),
    ),
)

CLUB: Final = 'NS, envoy_http_conn_manager_prefix="club"'
BEHIND: Final = 'NS, envoy_cluster_name=~"table|matchmaking|bot|ledger"'

EDGE: Final = Board(
    "edge",
    "Edge",
    "Envoy before the services: who comes in, who is refused, and what fails on the way.",
    (
        Row(
            "Who comes in",
            (
                Panel(
                    "Calls a second",
                    [(per_second("envoy_http_downstream_rq_total", "instance", CLUB), "{{instance}}")],
                    unit="reqps",
                ),
                Panel(
                    "Connections",
                    [(f"sum by (instance) (envoy_http_downstream_cx_active{{{CLUB}}})", "{{instance}}")],
                ),
                Panel(
                    "Calls and streams open",
                    [(f"sum by (instance) (envoy_http_downstream_rq_active{{{CLUB}}})", "{{instance}}")],
                ),
                Panel(
                    "Refused, a second",
                    [
                        (f"sum(rate(envoy_http_jwt_authn_denied{{{CLUB}}}[$__rate_interval]))", "token"),
                        (f"sum(rate(envoy_http_rbac_denied{{{CLUB}}}[$__rate_interval]))", "origin"),
                        ("sum(rate(envoy_http_local_rate_limit_rate_limited{NS}[$__rate_interval]))", "too fast"),
                    ],
                    unit="reqps",
                ),
                Panel(
                    "Refused, of all",
                    [("sum(namespace:envoy_http_refused:ratio_rate5m{NS})", "refused")],
                    unit="percentunit",
                ),
                Panel(
                    "Public keys fetched",
                    [
                        (
                            f"sum(increase(envoy_http_jwt_authn_jwks_fetch_success{{{CLUB}}}[$__rate_interval]))",
                            "fetched",
                        ),
                        (
                            f"sum(increase(envoy_http_jwt_authn_jwks_fetch_failed{{{CLUB}}}[$__rate_interval]))",
                            "failed",
                        ),
                    ],
                ),
            ),
        ),
        Row(
            "What is passed on",
            (
                Panel(
                    "Passed on, a second",
                    [
                        (
                            f"""sum by (envoy_cluster_name, envoy_response_code_class)
                            (rate(envoy_cluster_upstream_rq_xx{{{BEHIND}}}[$__rate_interval]))""",
                            "{{envoy_cluster_name}} {{envoy_response_code_class}}xx",
                        )
                    ],
                    unit="reqps",
                    says="2xx is everything that a service has answered, refusals too; 5xx the edge could not pass on.",
                ),
                Panel(
                    "Calls that fail at the edge",
                    [
                        (
                            """max by (envoy_cluster_name)
                            (namespace_service:envoy_cluster_upstream_rq_failed:ratio_rate5m{NS})""",
                            "{{envoy_cluster_name}}",
                        )
                    ],
                    unit="percentunit",
                ),
                Panel(
                    "Servers that take calls",
                    [
                        (
                            f"max by (envoy_cluster_name) (envoy_cluster_membership_healthy{{{BEHIND}}})",
                            "{{envoy_cluster_name}}",
                        )
                    ],
                ),
                Panel(
                    "Time to answer, p99",
                    [
                        (
                            f"""histogram_quantile(0.99, sum by (envoy_cluster_name, le)
                            (rate(envoy_cluster_upstream_rq_time_bucket{{{BEHIND}}}[$__rate_interval])))""",
                            "{{envoy_cluster_name}}",
                        )
                    ],
                    unit="ms",
                    says="Streams count with all their length.",
                ),
                Panel(
                    "Trouble with connections",
                    [
                        (
                            per_second("envoy_cluster_upstream_cx_connect_fail", "envoy_cluster_name", BEHIND),
                            "{{envoy_cluster_name}} not made",
                        ),
                        (
                            per_second("envoy_cluster_upstream_rq_timeout", "envoy_cluster_name", BEHIND),
                            "{{envoy_cluster_name}} too late",
                        ),
                        (
                            per_second(
                                "envoy_cluster_upstream_cx_destroy_remote_with_active_rq", "envoy_cluster_name", BEHIND
                            ),
                            "{{envoy_cluster_name}} broken",
                        ),
                    ],
                    unit="ops",
                ),
                Panel(
                    "Memory",
                    [("envoy_server_memory_allocated{NS}", "{{instance}}")],
                    unit="bytes",
                ),
            ),
        ),
    ),
)
