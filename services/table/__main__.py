"""Serves tables: `python -m services.table`."""

from services.table.service import bind
from services.table.settings import TableSettings
from shared.process import main

if __name__ == "__main__":
    main("table", TableSettings, bind)
