"""Property tests of the engine: the same examples on every run, however slow the machine."""

from hypothesis import settings

settings.register_profile("engine", deadline=None, derandomize=True)
settings.load_profile("engine")
