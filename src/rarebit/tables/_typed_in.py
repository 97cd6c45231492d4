"""Values that people type to compare a column with: as its cells are written, or as ISO 8601."""

from __future__ import annotations

import math
from datetime import datetime, timedelta
from typing import Any

import polars as pl

from rarebit.tables._forms import Form
from rarebit.tables._moments import ISO_DATE, date_expression, time_expression
from rarebit.tables._understanding import form_expressions

_CLOCKS = ("%H:%M", "%H:%M:%S%.f")
_DAY = timedelta(days=1) - timedelta(microseconds=1)


def typed_moments(text: str, form: Form | None) -> tuple[datetime, datetime] | None:
    """Return the first and the last moment that a date means, None for what is no date.

    Parameters
    ----------
    text : str
        A date or a date and a time of ISO 8601, or as the cells of the column are written.
    form : Form or None
        How the column was understood; None where the file itself knows its type.

    Returns
    -------
    tuple of datetime and datetime, or None
        Both are the same where there is a time; a date alone is its whole day.

    Examples
    --------
    >>> form = Form("date", pattern="%d.%m.%Y| %H:%M")
    >>> [str(moment) for moment in typed_moments("01.10.2026", form)]
    ['2026-10-01 00:00:00', '2026-10-01 23:59:59.999999']
    >>> [str(moment) for moment in typed_moments("2026-10-01T05:00", form)]
    ['2026-10-01 05:00:00', '2026-10-01 05:00:00']
    """
    cell = pl.lit(text)
    own = "" if form is None else form.pattern
    # ISO 8601 comes first: no other pattern can read it.
    days = [ISO_DATE] + ([own.partition("|")[0]] if own not in ("", "s", "ms") else [])
    for pattern in days:
        start = _single(cell.str.strip_chars().str.to_datetime(pattern, strict=False))
        if start is not None and start.year > 99:
            return start, start + _DAY
    moment = _single(date_expression(cell, ISO_DATE))
    if moment is None and form is not None:
        moment = _fitting(text, form)
    return None if moment is None else (moment, moment)


def typed_time(text: str, form: Form | None) -> float | None:
    """Return a time of day in nanoseconds since midnight, None for what is none.

    Examples
    --------
    >>> typed_time("5:00 PM", Form("time", pattern="%I:%M %p")) == typed_time("17:00", None)
    True
    """
    own = [form.pattern] if form is not None and form.pattern else []
    for pattern in (*own, *_CLOCKS):
        found = _single(time_expression(pl.lit(text), pattern))
        if found is not None:
            return float(found)
    return None


def typed_number(value: Any, form: Form | None) -> float | None:
    """Return a number as the cells of the column are written, None for what is none.

    Examples
    --------
    >>> typed_number("€1,000", Form("money", units=("€",)))
    1000.0
    >>> typed_number("1.000", Form("number", ",", ".")), typed_number("1.5", Form("number", ","))
    (1000.0, 1.5)
    """
    found = _fitting(value, form or Form("number")) if isinstance(value, str) else None
    try:
        number = float(value if found is None else found)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _fitting(text: str, form: Form) -> Any:
    found = form_expressions("cell", pl.String, form)
    if found is None:
        return None
    return pl.DataFrame({"cell": [text]}).select(found[0]).item()


def _single(expression: pl.Expr) -> Any:
    return pl.select(expression).item()
