"""Starts and stops a club on this machine: `python -m deploy.local [up|down]`, which is `make up` and `make down`."""

import argparse
import asyncio
import logging
import os
import sys
from collections.abc import Mapping
from pathlib import Path

import structlog
from pydantic import ValidationError

from deploy.local import background, ports, roster, secrets
from deploy.local.errors import LocalError
from deploy.local.instance import Instance
from deploy.local.output import Terminal
from deploy.local.settings import LocalSettings
from deploy.local.supervisor import Supervisor
from deploy.local.welcome import welcome


def main() -> None:
    """Runs one command and ends the process with its exit code."""
    arguments = _arguments()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    try:
        settings = _settings(arguments)
        if arguments.command == "down":
            background.stop(settings, Terminal())
        elif arguments.detach:
            background.start(settings, Terminal())
        else:
            _up(settings, Terminal(), arguments.announce)
    except LocalError as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit(130)


def _arguments() -> argparse.Namespace:
    given = sys.argv[1:]
    command = given.pop(0) if given and given[0] in ("up", "down") else "up"
    parser = argparse.ArgumentParser(prog=f"levata {command}")
    parser.set_defaults(command=command, tables=None, bots=None)
    parser.add_argument("--state", type=Path, metavar="DIRECTORY", help="where everything is kept (default: .state)")
    if command == "down":
        parser.description = "Stops the club that runs on this machine, and waits until all has ended."
        return parser.parse_args(given)
    parser.description = "Runs a whole club on this machine."
    parser.add_argument("--tables", type=int, metavar="N", help="processes of the table service (default: 1)")
    parser.add_argument("--bots", type=int, metavar="N", help="processes of the bot service (default: 1)")
    parser.add_argument("--detach", action="store_true", help="return when it is up, and let it run in the background")
    parser.add_argument("--announce", type=int, help=argparse.SUPPRESS)
    return parser.parse_args(given)


def _settings(arguments: argparse.Namespace) -> LocalSettings:
    chosen = {name: getattr(arguments, name) for name in ("state", "tables", "bots")}
    try:
        return LocalSettings(**{name: value for name, value in chosen.items() if value is not None})
    except ValidationError as error:
        complaints = (f"{_named(str(fault['loc'][0]), chosen)}: {fault['msg']}" for fault in error.errors())
        raise LocalError("These settings cannot be:\n" + "\n".join(complaints)) from error


def _named(setting: str, chosen: Mapping[str, object]) -> str:
    """The name under which a person gave the setting: an option, or a variable of the environment."""
    return f"--{setting}" if chosen.get(setting) is not None else f"LEVATA_{setting.upper()}"


def _up(settings: LocalSettings, terminal: Terminal, announce: int | None) -> None:
    with Instance(settings.state) as instance:
        terminal.say("Starting the club; this takes some seconds ...")
        for name in instance.end_leftovers():
            terminal.say(f"An earlier {name} was still running and has been ended.")
        ports.require_free(settings.host, settings.ports())
        roster.nats_server(settings)
        if settings.edge:
            roster.envoy(settings)
        made = secrets.prepare(settings.state)
        instance.admit_operator(roster.operator_access(settings, made))

        def up() -> None:
            instance.publish_addresses(roster.addresses(settings))
            terminal.say(welcome(settings))
            if announce is not None:
                os.write(announce, background.UP)
                os.close(announce)

        asyncio.run(Supervisor(settings, made, instance, terminal).run(up))
    terminal.say("Stopped.")


if __name__ == "__main__":
    main()
