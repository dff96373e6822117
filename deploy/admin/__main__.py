"""`levata admin`, or `python -m deploy.admin`: what those who run a club look at and do."""

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence

from deploy.admin import arguments, place
from deploy.admin.answer import printable
from deploy.admin.commands import run
from deploy.admin.errors import AdminError
from services.ledger.errors import LedgerError
from services.table.live import ContendedError
from shared import logs
from shared.bus import BusRefused, BusUnavailable


def main(given: Sequence[str] | None = None) -> int:
    """Runs one command; its exit code."""
    asked = arguments.parse(given)
    logs.configure(level="error", stream=sys.stderr)
    try:
        answer = asyncio.run(run(asked, place.settings(asked.state)))
    except AdminError as error:
        return _complain(asked, str(error))
    except ContendedError as error:
        return _complain(asked, f"{error}: others write to its log all the time; nothing was done, try again")
    except BusUnavailable as error:
        doubt = ". Look whether it was done before you do it again" if asked.changes else ""
        return _complain(asked, f"NATS did not answer: {error}{doubt}")
    except (BusRefused, LedgerError) as error:
        return _complain(asked, str(error))
    except KeyboardInterrupt:
        return 130
    print(printable(json.dumps(answer.data, indent=2, ensure_ascii=False) if asked.json else answer.text))
    return 0 if answer.good else 1


def _complain(asked: argparse.Namespace, what: str) -> int:
    said = json.dumps({"error": what}, ensure_ascii=False) if asked.json else f"levata admin: {what}"
    print(printable(said), file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
