"""Files become tables, tables become features."""

from rarebit.tables._encoder import TableEncoder
from rarebit.tables._errors import ColumnsMismatchError, TableError
from rarebit.tables._read import Scan, read_table, scan_table
from rarebit.tables._table import Shown, Table

__all__ = [
    "ColumnsMismatchError",
    "Scan",
    "Shown",
    "Table",
    "TableEncoder",
    "TableError",
    "read_table",
    "scan_table",
]
