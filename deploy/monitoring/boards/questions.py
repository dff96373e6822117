"""What is asked alike on many dashboards."""


def quantile(share: float, name: str, by: str = "", matchers: str = "NS") -> str:
    """A quantile of a histogram over all processes; `by`: labels to keep apart, each with a comma after it."""
    return f"histogram_quantile({share}, sum by ({by}le) (rate({name}_bucket{{{matchers}}}[$__rate_interval])))"


def per_second(name: str, by: str, matchers: str = "NS") -> str:
    """How fast a counter rises, over all processes."""
    return f"sum by ({by}) (rate({name}{{{matchers}}}[$__rate_interval]))"


def per_minute(name: str, by: str, matchers: str = "NS") -> str:
    """The same for what happens seldom."""
    return f"{per_second(name, by, matchers)} * 60"
