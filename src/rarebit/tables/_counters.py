"""Columns of whole numbers that name the rows: ids that would become a feature."""

from __future__ import annotations

import re
import shlex
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rarebit.tables._forms import Form
from rarebit.tables._matrix import let_go
from rarebit.tables._table import Table

COUNTER = "every row has its own number"
ALMOST_COUNTER = "nearly every row has its own number"
POSSIBLE_ID = "every row has its own whole number: if it is an id"
ALMOST_POSSIBLE_ID = f"nearly {POSSIBLE_ID}"
# Rows from which different whole numbers are no accident.
_FEWEST = 50
_FIRST = 1000
_STEP = 1 << 16
# A row entered twice, or without its number, does not make a feature of an id.
_REPEATED = 0.01
_ID_NAME = re.compile(
    r"(?i:(?:^|[_\W])(?:id|ids|idx|index|key|uid|uuid|guid|no|nr|num|number|ref|row|rowid|seq)$"
    r"|^id[_\W]|nummer$|^(?:record|row_?number)$)"
    r"|[a-z](?:Id|ID|Nr|No)$"
    # What exports of libraries and of screening programs call the key of a paper.
    r"|(?i:^(?:pmid|pmcid|pubmed|covidence|rayyan|doi|eid|ut(?:\W.*)?|accession|ref_?id|record_?id)$"
    r"|(?:[^\W_]|^\W*+_)[_\W]*#$)"
)
# The index that a frame writes beside its columns has no name, or the one pandas gives it.
_NO_NAME = re.compile(r"\s*|(?i:unnamed: [0-9]+(?:\.[0-9]+)*)")
# Words of a name, and digits of every number, that an id may have and a measurement too.
_ID_WORD = re.compile(
    r"(?i:(?:^|[_\W\d])(?:id|number|nr|no|key|code|serial)(?:$|[_\W\d]))|[a-z](?:Id|ID|Nr|No)$"
)
_LONG = 100_000


def may_be_id(form: Form | None) -> bool:
    """Return whether numbers that are written in this form may name the rows.

    What a person said, a currency or a unit tells that they are amounts; marks between thousands
    tell nothing.

    Examples
    --------
    >>> may_be_id(Form("number", grouping=",")), may_be_id(Form("number", units=("kg",)))
    (True, False)
    """
    return form is None or (form.kind == "number" and not form.given and not form.units)


def why_counter(numbers: Any, column: int, name: str) -> str | None:
    """Return why a column of whole numbers is an id; None for one that is not.

    It is one if all rows, but for one in a hundred (two at least), have a number of their own, and
    if the name is that of an id or there is no name, or no cell is missing and the numbers follow
    each other with hardly a gap, in any order.

    Parameters
    ----------
    numbers : ndarray of shape (n_rows, n_columns)
        All numbers.
    column : int
        Which of them.
    name : str
        Its name.
    """
    n_rows = len(numbers)
    if n_rows < _FEWEST:
        return None
    spare = max(2, int(_REPEATED * n_rows))
    named = bool(_ID_NAME.search(name) or _NO_NAME.fullmatch(name))
    # Almost every column is told by its first rows.
    first = _known(numbers[:_FIRST, column])
    if (first != np.trunc(first)).any():
        return None
    if len(np.unique(first)) < min(n_rows, _FIRST) - min(spare, _FIRST // 20):
        return None
    low, high, n_known = np.inf, -np.inf, 0
    for start in range(0, n_rows, _STEP):
        part = _known(numbers[start : start + _STEP, column])
        if (part != np.trunc(part)).any():
            return None
        if len(part):
            low, high = min(low, part.min()), max(high, part.max())
        n_known += len(part)
        let_go(numbers)  # a mapped file must not stay in memory for one of its columns
    if n_known < n_rows - (spare if named else 0):
        return None
    if high - low + 1 <= n_rows + spare:
        seen = np.zeros(int(high - low) + 1, dtype=bool)
        for start in range(0, n_rows, _STEP):
            part = _known(numbers[start : start + _STEP, column])
            seen[(part - low).astype(np.intp)] = True
            let_go(numbers)
        different = int(np.count_nonzero(seen))
    elif named:
        different = len(np.unique(_known(numbers[:, column])))
        let_go(numbers)
    else:
        return None
    if different == n_rows:
        return COUNTER
    return ALMOST_COUNTER if different >= n_rows - spare else None


def find_possible_ids(table: Table) -> dict[str, str]:
    """Return columns of numbers that may be ids and are learned all the same, and what to do.

    Every row, but for one in a hundred (two at least), has a whole number of its own there, and the
    rows are sorted by it, all numbers have six digits or more, or the name holds a word such as
    ``code``. Measurements may look like that too, so that such a column is only told.

    Parameters
    ----------
    table : Table
        All rows.

    Returns
    -------
    dict of str to str
        The remark on each such column.

    Examples
    --------
    >>> import numpy as np
    >>> from rarebit.tables import as_table
    >>> table = as_table({"ticket": 7 * np.arange(60), "x": np.arange(60) / 7})
    >>> find_possible_ids(table)["ticket"]
    'every row has its own whole number: if it is an id, give --id ticket or --drop ticket'
    """
    if table.n_rows < _FEWEST or table.pixels or table.image is not None:
        return {}
    if sparse.issparse(table.numbers):
        return {}
    found = {}
    for j, name in enumerate(table.number_names):
        may_be = may_be_id(table.forms.get(name))
        n_repeated = _repeated(table.numbers, j, name) if may_be else None
        if n_repeated is None:
            continue
        quoted = shlex.quote(name)
        if n_repeated:  # ids must be unique
            said = f"{ALMOST_POSSIBLE_ID}, give --drop {quoted} or --id {quoted} --duplicates first"
        else:
            said = f"{POSSIBLE_ID}, give --id {quoted} or --drop {quoted}"
        found[name] = said
    return found


def _repeated(numbers: Any, column: int, name: str) -> int | None:
    """Return how many rows have a number of an earlier row; None if it cannot be an id."""
    n_repeated = 0
    # Almost every column is told by its first rows.
    for rows in (slice(_FIRST), slice(None)):
        values = np.asarray(numbers[rows, column], dtype=np.float64)
        let_go(numbers)
        if not np.isfinite(values).all() or values.min() < 0 or (values % 1 != 0).any():
            return None
        spare = max(2, int(_REPEATED * len(values)))
        # A row entered a second time stands beside its twin, or breaks the order twice.
        in_order = np.count_nonzero(values[1:] <= values[:-1]) <= spare
        if not (in_order or values.min() >= _LONG or _ID_WORD.search(name)):
            return None
        n_repeated = len(values) - len(np.unique(values))
        if n_repeated > spare:
            return None
    return n_repeated


def _known(cells: Any) -> NDArray[np.float64]:
    values = np.asarray(cells, dtype=np.float64)
    return np.asarray(values[np.isfinite(values)])
