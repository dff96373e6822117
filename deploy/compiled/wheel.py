"""Puts the compiled engine into the wheel that is being built, where hatchling is told to: `make wheel`.

Its hook is off otherwise (`enable-by-default`), so that an ordinary installation needs no C compiler.
"""

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompiledEngine(BuildHookInterface[Any]):
    """Compiles the engine before the wheel is built; the wheel is then one for this Python and platform."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Adds the compiled build. Raises `CannotCompileError`."""
        if version == "editable":  # a checkout compiles when it is asked to, and is never the worse for it
            return
        sys.path.insert(0, self.root)
        from deploy.compiled.builder import compile_engine
        from services.table.engine_build import COMPILED

        build = compile_engine(COMPILED)
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
        build_data["force_include"][str(build)] = build.relative_to(Path(self.root)).as_posix()
