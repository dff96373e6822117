"""Generates the Python stubs of the contract into `shared/gen`; with `--check`, says whether they are fresh.

The compiler is the one in grpcio-tools, so nothing but the locked packages is needed. Generated modules import one
another by their proto path; those imports are moved below `shared.gen`, so that no other package's `levata` or `buf`
can stand in their way.
"""

import argparse
import filecmp
import re
import shutil
import sys
import tempfile
from importlib import resources
from pathlib import Path

from grpc_tools import protoc

PROTOS = Path(__file__).parent
TARGET = PROTOS.parent / "shared" / "gen"
HEADER = '"""Generated from protos/ by `make protos`; not edited by hand."""\n'
MOVED_IMPORT = re.compile(r"^(from|import) (levata|buf)(?=[.\s])", re.MULTILINE)
MOVED_NAME = re.compile(r"(?<![\w./\"])(levata|buf)(?=(?:\.\w+)*\.\w+_pb2)")


def generate(target: Path) -> None:
    """Writes all stubs to `target`, which must not exist."""
    target.mkdir(parents=True)
    sources = sorted(str(path.relative_to(PROTOS)) for path in PROTOS.rglob("*.proto"))
    services = [source for source in sources if "service " in (PROTOS / source).read_text()]
    include = str(resources.files("grpc_tools") / "_proto")
    common = ["protoc", f"-I{PROTOS}", f"-I{include}"]
    for arguments, files in (
        ([f"--python_out={target}", f"--mypy_out=quiet,readable_stubs:{target}"], sources),
        ([f"--grpc_python_out={target}", f"--mypy_grpc_out=quiet:{target}"], services),
    ):
        if protoc.main([*common, *arguments, *files]) != 0:
            sys.exit("protoc failed")
    for path in sorted(target.rglob("*.py*")):
        text = path.read_text()
        text = MOVED_IMPORT.sub(r"\1 shared.gen.\2", text)
        if path.suffix == ".pyi":
            text = MOVED_NAME.sub(r"shared.gen.\1", text).replace("shared.gen.shared.gen.", "shared.gen.")
        path.write_text(text)
    for folder in [target, *(path for path in target.rglob("*") if path.is_dir())]:
        (folder / "__init__.py").write_text(HEADER)


def differences(left: Path, right: Path) -> list[str]:
    """Names the files that are not the same in both folders."""
    names = {
        str(path.relative_to(root))
        for root in (left, right)
        for path in root.rglob("*.py*")
        if path.suffix in (".py", ".pyi")
    }
    return sorted(
        name
        for name in names
        if not ((left / name).exists() and (right / name).exists())
        or not filecmp.cmp(left / name, right / name, shallow=False)
    )


def main() -> None:
    """Generates, or checks with `--check`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="fail if the stubs are not fresh; change nothing")
    check = parser.parse_args().check
    with tempfile.TemporaryDirectory() as folder:
        fresh = Path(folder) / "gen"
        generate(fresh)
        if check:
            stale = differences(fresh, TARGET)
            if stale:
                sys.exit("stubs are not fresh; run `make protos`: " + ", ".join(stale))
        else:
            shutil.rmtree(TARGET, ignore_errors=True)
            shutil.copytree(fresh, TARGET)


if __name__ == "__main__":
    main()
