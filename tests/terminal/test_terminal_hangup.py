"""A client whose terminal is closed goes, and does not run on without one."""

import os
import pty
import subprocess
import sys
import time
from pathlib import Path

WITHIN = 40.0


def test_a_client_whose_terminal_is_closed_goes(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    environment = os.environ | {"LEVATA_STATE": str(tmp_path), "TERM": "xterm-256color", "LINES": "24", "COLUMNS": "80"}
    command = [sys.executable, "-m", "shared.terminal"]
    client = subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment, start_new_session=True
    )
    try:
        os.close(theirs)
        shown = b""
        deadline = time.monotonic() + WITHIN
        while b"Levata" not in shown and time.monotonic() < deadline:
            shown += os.read(ours, 4096)
        assert b"Levata" in shown
        os.close(ours)
        client.wait(WITHIN)
    finally:
        client.kill()
        client.wait()
