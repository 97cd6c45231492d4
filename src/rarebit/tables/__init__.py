"""Files become tables, tables become features."""

from importlib.util import find_spec as _find_spec
from typing import TYPE_CHECKING as _TYPE_CHECKING

from rarebit._extras import how_to_install as _how_to_install
from rarebit._later import names_later as _names_later

if _find_spec("polars") is None:
    raise ModuleNotFoundError(
        f"Tables need the package polars, which is not installed: {_how_to_install('cli')}.",
        name="polars",
    )

from rarebit.tables._checksum import checksum_of
from rarebit.tables._concatenate import concatenate
from rarebit.tables._errors import ColumnsMismatchError, RepeatedIdError, TableError
from rarebit.tables._forms import WISHES as WISHES
from rarebit.tables._forms import Form
from rarebit.tables._frame_scan import FrameScan
from rarebit.tables._frames import as_table
from rarebit.tables._in_memory import is_frame as is_frame
from rarebit.tables._in_memory import with_index_column as with_index_column
from rarebit.tables._matrix import free_memory as free_memory
from rarebit.tables._read import IMAGES as IMAGES
from rarebit.tables._read import Scan, read_table, scan_table
from rarebit.tables._standard_input import save_standard_input as save_standard_input
from rarebit.tables._table import Shown, Table
from rarebit.tables._table import clock as clock
from rarebit.tables._typed_in import typed_moments as typed_moments
from rarebit.tables._typed_in import typed_number as typed_number
from rarebit.tables._typed_in import typed_time as typed_time
from rarebit.tables._understanding import read_dates as read_dates

if _TYPE_CHECKING:
    from rarebit.tables._counters import find_possible_ids as find_possible_ids
    from rarebit.tables._emptied import emptied_note as emptied_note
    from rarebit.tables._encoder import TableEncoder
    from rarebit.tables._leaks import find_leaks as find_leaks
    from rarebit.tables._look import Look, look
    from rarebit.tables._numbers import NumberScaler as NumberScaler
    from rarebit.tables._ranges import RangeCheck as RangeCheck
    from rarebit.tables._ranges import is_range as is_range
    from rarebit.tables._records import RecordEncoder as RecordEncoder
    from rarebit.tables._references import decision_of as decision_of
    from rarebit.tables._references import with_decision as with_decision
    from rarebit.tables._spreadsheets import SheetWriter as SheetWriter

# Rows can be read and shown without scikit-learn; these names are looked up when they are used.
__getattr__ = _names_later(
    __name__,
    {
        "_counters": ("find_possible_ids",),
        "_encoder": ("TableEncoder",),
        "_leaks": ("find_leaks",),
        "_look": ("Look", "look"),
        "_numbers": ("NumberScaler",),
        "_emptied": ("emptied_note",),
        "_ranges": ("RangeCheck", "is_range"),
        "_records": ("RecordEncoder",),
        "_references": ("decision_of", "with_decision"),
        "_spreadsheets": ("SheetWriter",),
    },
)

__all__ = [
    "ColumnsMismatchError",
    "Form",
    "FrameScan",
    "Look",
    "RepeatedIdError",
    "Scan",
    "Shown",
    "Table",
    "TableEncoder",
    "TableError",
    "as_table",
    "checksum_of",
    "concatenate",
    "look",
    "read_table",
    "scan_table",
]
