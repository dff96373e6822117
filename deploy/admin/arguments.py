"""The command line of `levata admin`: what can be asked, and with which arguments."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from deploy.admin.answer import printable
from deploy.admin.place import login_name

DRAIN_SECONDS: Final = 90.0
CERTAIN_CHARACTERS: Final = 6
"""So many characters of an id whoever changes a table has to give."""
STATUSES: Final = ("waiting", "playing", "frozen", "finished", "stopped")
_EPILOG: Final = """\
Exit codes: 0 done, and in order; 1 not done, or not in order; 2 asked wrongly.
Where the club is: as LEVATA_NATS_URL, LEVATA_NATS_USER, LEVATA_NATS_PASSWORD and LEVATA_DATABASE_URL say; without a
user at NATS, the club that is up on this machine.
A table is named by its id, or by as much of its beginning as no other has; of one that is to be changed 6 characters at
least."""


def parse(given: Sequence[str] | None) -> argparse.Namespace:
    """What is asked; ends the process with 2 when it makes no sense."""
    parser = argparse.ArgumentParser(
        prog="levata admin",
        description="For those who run a club: its tables, servers, dead letters and totals.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--state", type=Path, metavar="DIRECTORY", help="state directory of a club on this machine")
    parser.set_defaults(by=login_name(), json=False, changes=False)
    commands = parser.add_subparsers(dest="command", metavar="command", required=True)
    _tables(commands)
    _changes(commands)
    _servers(commands)
    _dead(commands)
    _totals(commands)
    audit = _add(commands, "audit", "list what operators did, the oldest first")
    audit.add_argument("--last", type=_count, metavar="N", help="only the newest N")
    asked = parser.parse_args(given)
    if getattr(asked, "reveal", False) and not asked.reason:
        parser.error("--reveal wants a --reason: it shows what players have hidden from each other")
    if getattr(asked, "reason", None) and not asked.by:
        parser.error("who are you? --as NAME (in a pod everybody has the same login name)")
    if isinstance(numbers := getattr(asked, "numbers", None), list):
        asked.numbers = _letters(parser, numbers)
    return asked


def _letters(parser: argparse.ArgumentParser, given: list[str]) -> list[int] | None:
    """The numbers of dead letters; None for all of them."""
    if given == ["all"]:
        return None
    if not all(one.isdecimal() and int(one) for one in given):
        parser.error(f"dead letters are named by their numbers, or by `all` alone: {' '.join(given)}")
    return [int(one) for one in given]


Commands = argparse._SubParsersAction


def _add(
    commands: "Commands[argparse.ArgumentParser]", name: str, what: str, more: str = ""
) -> argparse.ArgumentParser:
    command = commands.add_parser(name, help=what, description=f"{what[0].upper()}{what[1:]}. {more}".strip())
    command.add_argument("--json", action="store_true", help="print JSON, for programs")
    return command


def _accountable(command: argparse.ArgumentParser, *, required: bool = True) -> None:
    """Arguments of whatever somebody has to answer for; what wants a reason in any case changes something."""
    command.set_defaults(changes=required)
    command.add_argument("--reason", type=_words, required=required, metavar="WHY", help="why; stays on record")
    known = login_name()
    default = f"default: {known}" if known else "wanted in a pod"
    command.add_argument("--as", dest="by", type=_words, default=known, metavar="NAME", help=f"who you are ({default})")


def _tables(commands: "Commands[argparse.ArgumentParser]") -> None:
    listed = _add(commands, "tables", "list all tables of the club")
    listed.add_argument("--status", choices=STATUSES, help="only those")
    listed.add_argument("--game", metavar="NAME", help="only tables of this game, such as arzoi")
    show = _add(commands, "show", "show a table: seats, decision, deadlines, state of its log; nobody's cards")
    show.add_argument("table", type=str.lower, metavar="TABLE")
    log = _add(
        commands,
        "log",
        "print the records of a table's log",
        "Packs, seed and invitation code are left out. With --reveal they are not: that shows everybody's hidden "
        "cards, also of a match that is on, and is entered in the audit.",
    )
    log.add_argument("table", type=str.lower, metavar="TABLE")
    log.add_argument("--last", type=_count, metavar="N", help="only the newest N records")
    log.add_argument(
        "--reveal", action="store_true", help="everything, everybody's hidden cards included; wants --reason"
    )
    _accountable(log, required=False)
    chain = _add(
        commands,
        "chain",
        "verify numbers and hashes of logs, and say where one breaks",
        "All logs when none is named; those of tables that were given up are then no fault.",
    )
    chain.add_argument("tables", type=str.lower, metavar="TABLE", nargs="*")


def _changes(commands: "Commands[argparse.ArgumentParser]") -> None:
    tell = "told to everybody at the table; without it they learn no more than that it was an operator"
    freeze = _add(
        commands,
        "freeze",
        "let a table stand still",
        "Clocks stop, nobody can act, no bot is asked, until it is resumed.",
    )
    freeze.add_argument("table", type=_certain, metavar="TABLE")
    freeze.add_argument("--tell", type=_words, metavar="TEXT", help=tell)
    _accountable(freeze)
    resume = _add(commands, "resume", "let a frozen table go on", "Everybody has the time that was left.")
    resume.add_argument("table", type=_certain, metavar="TABLE")
    _accountable(resume)
    stop = _add(
        commands,
        "stop",
        "stop a table for good",
        "A match that is on is told to the ledger as stopped. A table whose log is damaged is given up: it leaves the "
        "lobby, no result comes of it, and its log stays for looking at.",
    )
    stop.add_argument("table", type=_certain, metavar="TABLE")
    stop.add_argument("--tell", type=_words, metavar="TEXT", help=tell)
    _accountable(stop)


def _servers(commands: "Commands[argparse.ArgumentParser]") -> None:
    _add(commands, "servers", "list the servers that answer")
    drain = _add(
        commands,
        "drain",
        "let a server go in good order",
        "As at SIGTERM: it hands over what it has and ends; whatever keeps it running starts it anew.",
    )
    drain.add_argument(
        "server", metavar="NAME", help="its name in `levata admin servers`; in a cluster that of its pod"
    )
    drain.add_argument(
        "--wait",
        type=_seconds,
        default=DRAIN_SECONDS,
        metavar="SECONDS",
        help="how long to wait until it has gone, 0 for not at all (default: %(default)g)",
    )
    drain.add_argument(
        "--even-the-last",
        action="store_true",
        help="also the only server of its kind that is ready: its service is away then",
    )
    _accountable(drain)


def _dead(commands: "Commands[argparse.ArgumentParser]") -> None:
    dead = commands.add_parser(
        "dead", help="dead letters: list, show, again, drop", description="Messages that consumers gave up."
    )
    kinds = dead.add_subparsers(dest="kind", metavar="what", required=True)
    _add(kinds, "list", "list them, the oldest first")
    show = _add(kinds, "show", "show one")
    show.add_argument("number", type=_count, metavar="NUMBER")
    show.add_argument(
        "--reveal", action="store_true", help="its message too: a bot's turn has a hand in it; wants --reason"
    )
    _accountable(show, required=False)
    for name, what in (
        ("again", "send them again where they came from; what cannot be sent stays"),
        ("drop", "remove them for good"),
    ):
        command = _add(kinds, name, what)
        command.add_argument("numbers", nargs="+", metavar="NUMBER", help="which; or `all`")
        _accountable(command)


def _totals(commands: "Commands[argparse.ArgumentParser]") -> None:
    totals = commands.add_parser(
        "totals", help="totals of the ledger: check, recompute", description="Totals and ratings are sums of entries."
    )
    kinds = totals.add_subparsers(dest="kind", metavar="what", required=True)
    _add(kinds, "check", "compare them with the entries")
    _accountable(_add(kinds, "recompute", "make those anew that do not agree with the entries"))


def _certain(text: str) -> str:
    """The beginning of a table's id that hardly names another table than the one that is meant."""
    if len(text) < CERTAIN_CHARACTERS:
        raise argparse.ArgumentTypeError(
            f"{text!r} is too short to change a table by: {CERTAIN_CHARACTERS} characters of its id at least"
        )
    return text.lower()


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("1 or more")
    return number


def _seconds(text: str) -> float:
    number = float(text)
    if not 0 <= number <= 3600:
        raise argparse.ArgumentTypeError("0 to 3600")
    return number


def _words(text: str) -> str:
    words = " ".join(text.split())
    if not 1 <= len(words) <= 200:
        raise argparse.ArgumentTypeError("1 to 200 characters")
    if printable(words) != words:
        raise argparse.ArgumentTypeError("no characters that are not to be seen")
    return words
