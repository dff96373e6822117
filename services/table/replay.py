"""Replays the record of a match and prints its score sheet.

    python -m services.table.replay FILE      ("-" reads standard input)

Every action is checked against the rules, and the result against the play. The exit status is 0 if all agrees, 1 if the
record is broken, and 2 if it cannot be read.
"""

import argparse
import sys
from collections.abc import Sequence

from services.table import record_file
from services.table.engine.games import GAMES
from services.table.engine.record import MatchRecord, NotARecordError, RecordError


def report(record: MatchRecord) -> str:
    """The score sheet of a record that replays, under a heading. Raises `RecordError` if it does not replay."""
    state = record.replay()
    game = GAMES[record.game]
    names = [seat.name for seat in record.seats]
    players = ", ".join([f"{seat.name} (bot)" if seat.kind == "bot" else seat.name for seat in record.seats])
    options = game.options_text(record.options)
    heading = [
        f"Match {record.match_id}: {record.game}{', ' + options if options else ''}, {len(names)} players",
        f"Players in playing order: {players}",
        f"Started {record.started:%Y-%m-%d %H:%M:%S} UTC"
        + (f", ended {record.ended:%Y-%m-%d %H:%M:%S} UTC" if record.ended else ""),
        "",
    ]
    if record.result is None:
        closing = f"Replayed {len(record.actions)} actions; all are legal."
    else:
        closing = f"Replayed {len(record.actions)} actions; all are legal, and the result agrees."
    return "\n".join(heading) + "\n" + game.score_sheet(state, names) + closing + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m services.table.replay", description="Replay the record of a match and print its score sheet."
    )
    parser.add_argument("file", metavar="FILE", help="the record; - for standard input")
    file: str = parser.parse_args(arguments).file
    try:
        text = record_file.read(file)
    except record_file.UnreadableRecordError as error:
        print(error, file=sys.stderr)
        return 2
    try:
        print(report(MatchRecord.parse(text)), end="")
    except RecordError as error:
        where = record_file.shown(file) + (f":{error.line}" if error.line else "")
        print(f"{where}: {error.problem}", file=sys.stderr)
        if isinstance(error, NotARecordError):
            print("Name the file that holds the record of a match.", file=sys.stderr)
        else:
            print(
                "The record was changed or cut after it was written; get it again from where it was kept.",
                file=sys.stderr,
            )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
