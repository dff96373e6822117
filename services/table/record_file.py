"""The record of a match in a file, as the commands are given it."""

import sys
from pathlib import Path


class UnreadableRecordError(Exception):
    """The file holds no text; the message says so in one line that names it."""


def shown(file: str) -> str:
    """What the file is called in what people are told."""
    return "standard input" if file == "-" else file


def read(file: str) -> str:
    """The text in a file; of `-` that of standard input. Raises `UnreadableRecordError`."""
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        return data.decode("utf-8-sig")
    except OSError as error:
        raise UnreadableRecordError(f"{shown(file)}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UnreadableRecordError(f"{shown(file)}: is not UTF-8 text; get the record again, as text") from error
