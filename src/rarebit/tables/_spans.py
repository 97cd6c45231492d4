"""Durations: as frames hold them, and as pandas and Python write them into text files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from rarebit.tables._errors import ColumnsMismatchError
from rarebit.tables._forms import Form
from rarebit.tables._frame_errors import short
from rarebit.tables._roles import Role
from rarebit.tables._zones import with_zone

_SECOND = 1_000_000
_DAY = 86_400 * _SECOND
# Microseconds of the units that numbers may have beside them.
_UNITS = {
    **dict.fromkeys(("day", "days", "d"), _DAY),
    **dict.fromkeys(("hour", "hours", "h", "hr", "hrs"), 3_600 * _SECOND),
    **dict.fromkeys(("minute", "minutes", "min", "mins"), 60 * _SECOND),
    **dict.fromkeys(("second", "seconds", "sec", "secs", "s"), _SECOND),
    "ms": 1_000,
}
# As pandas and Python write them, 1 days 02:03:04, and ISO 8601, P1DT2H3M4S.
_CLOCK = r"\+?([0-9]{1,2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,6})[0-9]*)?"
_BOTH = rf"^\s*(-?[0-9]+) days?,? {_CLOCK}\s*$"
_SPAN = rf"^\s*(?:(-?[0-9]+) days?(?:,? |\s*$))?(?:{_CLOCK})?\s*$"
_SECONDS = r"([0-9]+)(?:\.([0-9]{1,6})[0-9]*)?S"
_ISO = (
    r"^\s*-?P(?:([0-9]+)D)?(?:T(?:([0-9]+)H)?(?:([0-9]+)M)?"
    rf"(?:{_SECONDS})?)?\s*$"
)


def understand_spans(cells: pl.Series) -> Form | None:
    """Return the form of cells that are durations, None if they are not.

    Parameters
    ----------
    cells : Series of str
        Without missing and blank ones. Days alone are numbers with a unit, a clock alone is a time
        of day: it takes a cell that has both.

    Examples
    --------
    >>> understand_spans(pl.Series(["1 day, 2:03:04", "0:00:30"])).kind
    'duration'
    >>> understand_spans(pl.Series(["2:03:04", "0:00:30"])) is None
    True
    """
    some = cells.head(20)
    if some.str.contains(_ISO).all():
        return Form("duration") if cells.str.contains(_ISO).all() else None
    if not some.str.contains(_SPAN).all() or not cells.str.contains(_BOTH).any():
        return None
    return Form("duration") if cells.str.contains(_SPAN).all() else None


def span_expression(column: pl.Expr) -> tuple[pl.Expr, pl.Expr]:
    """Return the microseconds of a column of strings, and which cells are durations."""
    written, written_fits = _sum_of_parts(column, _SPAN)
    iso, iso_fits = _sum_of_parts(column, _ISO)
    # What follows the days counts forwards after -1 days, and backwards after -P1D.
    iso = pl.when(column.str.contains(r"^\s*-")).then(-iso).otherwise(iso)
    return pl.when(iso_fits).then(iso).otherwise(written), written_fits | iso_fits


def _sum_of_parts(column: pl.Expr, pattern: str) -> tuple[pl.Expr, pl.Expr]:
    """Return the microseconds of cells of a pattern, and which have any part of it."""
    parts = [column.str.extract(pattern, k) for k in range(1, 6)]
    parts[4] = parts[4].str.pad_end(6, "0")
    units = (_DAY, 3_600 * _SECOND, 60 * _SECOND, _SECOND, 1)
    value = pl.sum_horizontal(
        part.cast(pl.Float64, strict=False) * unit for part, unit in zip(parts, units, strict=True)
    )
    return value, pl.any_horizontal(part.is_not_null() for part in parts)


def with_type(dtype: Any, form: Form | None) -> Form | None:
    """Return the form of a column with what its type says: that of durations, or a time zone."""
    if dtype == pl.Duration and form is None:
        return Form("duration")
    return with_zone(dtype, form)


def typed_span(column: pl.Expr, form: Form) -> pl.Expr:
    """Return durations that a frame holds as numbers in the unit of their form."""
    value = column.dt.total_microseconds().cast(pl.Float64)
    return value if form.kind == "duration" else value / _unit(form)


def check_spans(
    forms: Mapping[str, Form], schema: Mapping[str, Role], dtypes: Mapping[str, Any], source: str
) -> None:
    """Refuse durations where a model learned from numbers, and numbers in place of durations.

    Parameters
    ----------
    forms : mapping of str to Form
        How the columns are read.
    schema : mapping of str to role
        Columns of the model.
    dtypes : mapping of str to DataType
        Types of the columns here.
    source : str
        Name of the file, for errors.
    """
    for name, role in schema.items():
        dtype, form = dtypes[name], forms.get(name)
        of_spans = form is not None and form.kind == "duration"
        if dtype == pl.Duration and role == "number" and not (form and (of_spans or _unit(form))):
            units = f" ({form.listed_units})" if form and form.units else ""
            raise ColumnsMismatchError(
                f"Column {short(name)!r} of {source} must hold numbers{units}, and it holds "
                "durations: convert them into the unit that the model learned from, such as by "
                ".dt.total_seconds(); a model of an earlier version that learned from durations "
                "must be trained again."
            )
        if of_spans and dtype not in (pl.Duration, pl.String, pl.Null):
            raise ColumnsMismatchError(
                f"Column {short(name)!r} of {source} must hold durations, as the model was "
                "trained, and it holds numbers of which nobody knows the unit: convert them, such "
                "as by pandas.to_timedelta(column, unit='s'), or write them as '3 days 04:05:06'."
            )


def _unit(form: Form) -> int:
    """Return the microseconds of the unit of plain numbers, 0 where it is none of time."""
    one = form.units[0] if form.kind == "number" and len(form.units) == 1 else ""
    return _UNITS.get(one, 0)
