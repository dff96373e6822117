"""`python -m shared.terminal`: the club in a terminal."""

import argparse

from shared.client import Addresses
from shared.terminal.app import LevataApp
from shared.terminal.settings import TerminalSettings
from shared.terminal.texts import LANGUAGES


def main() -> None:
    """Reads the settings and runs the application until the player leaves."""
    settings = TerminalSettings()
    parser = argparse.ArgumentParser(prog="levata play", description="Play at the club in a terminal.")
    parser.add_argument(
        "--language", choices=LANGUAGES, default=settings.spoken, help="of the screen (LEVATA_LANGUAGE)"
    )
    arguments = parser.parse_args()
    chosen = settings.model_copy(update={"language": arguments.language})
    LevataApp(chosen, Addresses.from_environment()).run()


if __name__ == "__main__":
    main()
