"""The table service: tables, and the games that are played at them."""

from services.table.engine_build import chosen_path

# Before anything of the engine can be imported: its compiled build, where the environment asks for it.
__path__ = chosen_path(__path__)
