"""The edge's configuration for a club of one's own: `python -m deploy.edge.configure --origins REGEX --out FILE`.

It is `envoy.yaml` but for the pages that may call, and the proxies that stand before the edge. An overlay puts it in
the place of the other (see deploy/kubernetes/README.md).
"""

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from deploy.edge.render import CONFIGURATION

ORIGINS: Final = r"regex: 'https://(play\.)?levata\.example'"
"""What stands for one's own pages; the other places in the file refer to this one."""
HOPS: Final = "xff_num_trusted_hops: 0"


def configured(origins: str, proxies: int = 0) -> str:
    r"""The configuration.

    Args:
        origins: Regular expression that the origin of a page has to match as a whole, such as
            `https://play\.example\.org`.
        proxies: How many proxies add an address to `x-forwarded-for` before a request comes to the edge. They are
            believed: a number too high lets clients pass for others.

    Raises:
        ValueError: The expression is none, or allows what it cannot mean to allow.
    """
    try:
        if re.fullmatch(origins, "https://levata.invalid"):
            raise ValueError("the expression lets pages from anywhere call")
    except re.error as error:
        raise ValueError(f"{origins} is no regular expression: {error}") from error
    text = CONFIGURATION.read_text()
    quoted = origins.replace("'", "''")
    for old, new in ((ORIGINS, f"regex: '{quoted}'"), (HOPS, f"xff_num_trusted_hops: {proxies}")):
        if text.count(old) != 1:
            raise ValueError(f"{CONFIGURATION.name} does not have {old!r} once")
        text = text.replace(old, new)
    return text


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; its exit code."""
    parser = argparse.ArgumentParser(prog="python -m deploy.edge.configure", description="Writes your envoy.yaml.")
    parser.add_argument("--origins", required=True, metavar="REGEX", help="origins of the pages that may call")
    parser.add_argument("--proxies", type=int, default=0, metavar="N", help="that add to x-forwarded-for before it")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="where")
    asked = parser.parse_args(arguments)
    try:
        asked.out.write_text(configured(asked.origins, asked.proxies))
    except (ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
