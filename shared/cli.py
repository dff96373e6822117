"""The console script `levata`: one command for each thing that a person starts.

Commands live where their duty does and are found by name only when asked for, so nothing shared depends on a service.
"""

import importlib.util
import os
import runpy
import signal
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

CUT_SHORT: Final = 128 + signal.SIGPIPE
"""Exit code of a command whose output nobody reads to the end, as shells know it."""

INTERRUPTED: Final = 128 + signal.SIGINT
"""Exit code of a command that somebody ended with Ctrl-C."""


@dataclass(frozen=True, slots=True)
class Command:
    """A module that is run as `python -m` would run it.

    Attributes:
        module: Its dotted name.
        summary: A line for the list of commands.
        arguments: What comes before the arguments of the person.
    """

    module: str
    summary: str
    arguments: tuple[str, ...] = ()


COMMANDS: Mapping[str, Command] = {
    "up": Command("deploy.local", "start the club on this machine", ("up",)),
    "down": Command("deploy.local", "stop the club that runs on this machine", ("down",)),
    "backup": Command("deploy.backup", "take a backup of a club, or look whether one is whole", ("backup",)),
    "restore": Command("deploy.backup", "restore a backup into a club that is empty", ("restore",)),
    "admin": Command("deploy.admin", "look after a club: tables, servers, dead letters, totals"),
    "play": Command("shared.terminal", "sit down at a table in this terminal"),
    "demo": Command("shared.terminal.demo", "let four bots play a whole match, and print it"),
    "replay": Command("services.table.replay", "play the record of a match again, and print its score sheet"),
    "verify": Command("services.table.verify", "prove the shuffles of a match from its record"),
    "arena": Command("services.bot.arena", "let levels of bots play each other, and print their strength"),
    "version": Command("services.table.version", "say which version this is, and which build of the engine it runs"),
    "bench": Command("tests.bench", "measure; in a checkout only"),
}


def usage() -> str:
    """The list of commands."""
    width = max(map(len, COMMANDS))
    rows = (f"  {name:<{width}}  {command.summary}" for name, command in COMMANDS.items())
    return "\n".join(["usage: levata <command> [arguments]", "", *rows, "", "`levata <command> --help` says more."])


def main(arguments: list[str] | None = None) -> None:
    """Runs the command that the first argument names, with the others; ends with its exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    if not given or given[0] in ("-h", "--help", "help"):
        print(usage())
        sys.exit(0 if given else 2)
    name, *rest = given
    command = COMMANDS.get(name)
    if command is None:
        sys.exit(f"levata: there is no command {name!r}\n\n{usage()}")
    if not is_here(command.module):
        sys.exit(f"levata: {name} is not part of this installation ({command.module} is missing)")
    sys.argv = [f"levata {name}", *command.arguments, *rest]
    try:
        try:
            runpy.run_module(command.module, run_name="__main__", alter_sys=True)
        finally:
            print(end="", flush=True)
    except KeyboardInterrupt:
        # Ctrl-C, also while the command is still being imported.
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # Whoever read it, such as `head`, has had enough. What is left in the buffer has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(CUT_SHORT)


def is_here(module: str) -> bool:
    """Whether the module can be found, without running it."""
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


if __name__ == "__main__":
    main()
