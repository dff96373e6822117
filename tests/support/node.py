"""Node and the packages of a folder, for tests that want what is written for it."""

import shutil
import subprocess
from pathlib import Path

import pytest

INSTALL_SECONDS = 240


def node_with(folder: Path) -> str:
    """The program `node`, with the packages of the folder's lock installed there.

    The test that asks is skipped where there is no node, or no network to install from.
    """
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        pytest.skip("node and npm are not installed here")
    installed = subprocess.run(
        [npm, "ci", "--no-audit", "--no-fund", "--prefer-offline"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=INSTALL_SECONDS,
    )
    if installed.returncode != 0:
        pytest.skip(f"the packages of {folder.name} cannot be installed here: {installed.stderr.strip()[-300:]}")
    return node
