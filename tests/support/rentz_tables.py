"""Tables of Rentz as the table service would send them, made of the engine's own positions."""

from functools import partial

from services.table.wire import wires
from tests.support import match_tables

WIRE = wires()["rentz"]
told = partial(match_tables.told, WIRE)
update_of = partial(match_tables.update_of, WIRE)
waiting = partial(match_tables.waiting, WIRE)
