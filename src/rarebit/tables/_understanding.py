"""Columns of strings are understood by the evidence of all their cells, never cell by cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import polars as pl

from rarebit._text import column_name
from rarebit.tables._amounts import (
    BLANK,
    amount_expression,
    doubt_about,
    doubt_of,
    understand_amounts,
)
from rarebit.tables._errors import TableError
from rarebit.tables._forms import WISHES, Form
from rarebit.tables._frame_errors import short
from rarebit.tables._missing import is_absent, without_few_absent
from rarebit.tables._moments import (
    date_expression,
    is_clock,
    is_pattern,
    time_expression,
    understand_dates,
    understand_epochs,
    understand_times,
)
from rarebit.tables._spans import span_expression, typed_span, understand_spans

# Rows, and cells of all columns together, that are looked at first.
SAMPLE_ROWS = 10_000
_SAMPLE_CELLS = 2_000_000
_PAIRS = (
    {"yes", "no"}, {"y", "n"}, {"true", "false"}, {"t", "f"}, {"ja", "nein"}, {"j", "n"},
    {"wahr", "falsch"}, {"oui", "non"}, {"vrai", "faux"}, {"si", "no"}, {"sí", "no"},
    {"sim", "não"}, {"on", "off"}, {"ja", "nej"}, {"ja", "nee"}, {"tak", "nie"},
)  # fmt: skip
_DIGITS, _PADDED = r"^\s*[0-9]+\s*$", r"^\s*0[0-9]"
_THREES = r"^[-+]?[1-9][0-9]{0,2}(?:\.[0-9]{3})*$"
_NO_POINT = r"^[-+]?[0-9]{1,3}$"
# Cells with a point that it takes to doubt a column of numbers.
_FEW = 3


def sample_rows(n_columns: int) -> int:
    """Return how many rows are looked at first."""
    return max(100, min(SAMPLE_ROWS, _SAMPLE_CELLS // max(n_columns, 1)))


def understand_columns(
    cells: Mapping[str, pl.Series],
    wishes: Mapping[str, str],
    source: str,
    mark: str | None = None,
    counts: Mapping[str, pl.Series] | None = None,
) -> dict[str, Form]:
    """Return the form of every column that has one.

    Parameters
    ----------
    cells : mapping of str to Series
        Strings, or whole numbers, of each column.
    wishes : mapping of str to str
        What people say that columns are.
    source : str
        Name of the file, for errors.
    mark : {".", ","} or None, default=None
        Decimal mark of columns that are not among these, for cells that do not tell.
    counts : mapping of str to Series or None, default=None
        How often each cell stands in its column; None for once.

    Returns
    -------
    dict of str to Form
        Columns of words, and whole numbers that are no moments, are not in it.
    """
    cleaned = {name: clean(column) for name, column in cells.items()}
    found = {}
    for name, column in list(cleaned.items()):
        form = understand_column(name, column, wishes.get(name), None, source)
        if form is None and column.dtype == pl.String and name not in wishes:
            known = without_few_absent(cells[name], (counts or {}).get(name))
            form = None if known is None else understand_column(name, known, None, None, source)
            if form is None or known is None or form.role == "text":
                continue
            cleaned[name] = known
        if form is not None:
            found[name] = form
    locale = locale_of(found.values())
    for name in [name for name, form in found.items() if form.doubt and form.kind != "date"]:
        again = understand_column(name, cleaned[name], wishes.get(name), locale or mark, source)
        decided = locale or mark
        # Points beside decimal commas are what a program may have written, such as rates.
        plain = again is not None and again.kind == "number" and decided == ","
        if again is not None and decided is not None and (locale is None or plain):
            again = replace(again, doubt=doubt_of(cleaned[name], decided))
        if again is not None:
            found[name] = again
    return found


def locale_of(forms: Any) -> str | None:
    """Return the one decimal mark of all columns that show it beyond doubt, None if none does."""
    marks = {
        form.decimal
        for form in forms
        if form.role == "number" and form.kind != "time" and not form.doubt
        and (form.decimal == "," or form.grouping)
    }  # fmt: skip
    return marks.pop() if len(marks) == 1 else None


def clean(column: pl.Series) -> pl.Series:
    """Return the cells that say something."""
    known = column.drop_nulls()
    if known.dtype != pl.String:
        return known
    return known.filter(~known.str.contains(BLANK))


def understand_column(
    name: str, cells: pl.Series, wish: str | None, locale: str | None, source: str
) -> Form | None:
    """Return the form of one column, None for words and plain numbers."""
    if wish is not None:
        return _as_wished(name, cells, wish, locale, source)
    if cells.dtype != pl.String:
        return understand_epochs(name, cells) if cells.dtype.is_integer() else None
    if not len(cells):
        return None
    return (
        understand_dates(cells)
        or understand_times(cells)
        or understand_spans(cells)
        or understand_codes(cells)
        or understand_amounts(cells, locale)
        or _booleans(cells)
    )


def padded_columns(cells: Mapping[str, pl.Series]) -> list[str]:
    """Return the columns that have a cell with zeros before its digits, in one pass over all.

    Examples
    --------
    >>> padded_columns({"zip": pl.Series(["01067"]), "n": pl.Series(["10"])})
    ['zip']
    """
    if not cells:
        return []
    frame = pl.DataFrame([column.alias(name) for name, column in cells.items()])
    found = frame.select(pl.all().str.contains(_PADDED).any()).row(0)
    return [name for name, padded in zip(frame.columns, found, strict=True) if padded]


def understand_codes(cells: pl.Series) -> Form | None:
    """Return the form of digits such as 00123: a number would lose its zeros, and has none.

    Examples
    --------
    >>> understand_codes(pl.Series(["01067", "99084"])).kind
    'code'
    >>> understand_codes(pl.Series(["0", "10"])) is None
    True
    """
    known = clean(cells)
    if not known.head(100).str.contains(_DIGITS).all() or not known.str.contains(_PADDED).any():
        return None
    return Form("code") if known.str.contains(_DIGITS).all() else None


def _booleans(cells: pl.Series) -> Form | None:
    if cells.head(50).n_unique() > 4:
        return None
    values = {str(cell).strip().lower() for cell in cells.unique().head(7)}
    return Form("boolean") if values in _PAIRS else None


def _as_wished(name: str, cells: pl.Series, wish: str, locale: str | None, source: str) -> Form:
    form = _wished(cells, wish, locale)
    if form is None:
        raise _no_such(name, cells, wish, locale, source)
    return form


def _wished(cells: pl.Series, wish: str, locale: str | None) -> Form | None:
    """Return the form that a column has as people want it, None if no cell can be read so."""
    if wish in ("category", "text"):
        return Form(wish, given=True)
    if cells.dtype == pl.Duration:
        return Form("duration", given=True) if wish == "number" else None
    if cells.dtype != pl.String:
        if wish in ("date", "day-first", "month-first") and cells.dtype.is_integer():
            found = understand_epochs("time", cells)
            return None if found is None else replace(found, given=True)
        # A number or a date that the file itself knows.
        return Form("number" if cells.dtype.is_numeric() else "date", given=True)
    form: Form | None
    if wish in ("date", "day-first", "month-first"):
        order = None if wish == "date" else wish.partition("-")[0]
        form = understand_dates(cells, first=order, lenient=True)
        if form is not None and order is not None:
            form = replace(form, doubt="")
    elif wish == "time":
        form = understand_times(cells, lenient=True)
    else:
        mark = {"decimal-comma": ",", "decimal-point": "."}.get(wish)
        # People who say money mean that a mark before three digits is one of thousands.
        sort = "money" if wish == "money" else None
        form = understand_amounts(cells, locale, lenient=True, sort=sort, mark=mark)
        if form is not None and wish in ("money", "percent"):
            form = replace(form, kind=wish)
        if form is not None and not _any_fits(cells, form):
            form = None
    return None if form is None else replace(form, given=True)


def _any_fits(cells: pl.Series, form: Form) -> bool:
    fits = amount_expression(pl.col("cell"), form)[1]
    return bool(cells.rename("cell").to_frame().select(fits.any()).item())


def _no_such(name: str, cells: pl.Series, wish: str, locale: str | None, source: str) -> TableError:
    shown = f"its first cell is {str(cells[0])[:40]!r}" if len(cells) else "it is empty"
    form = understand_column(name, cells, None, locale, source)
    usual = "category" if cells.dtype == pl.String else "number"
    read = usual if form is None else form.sentence(name).partition(";")[0]
    if cells.dtype == pl.String:
        fitting = [each for each in WISHES if each == "drop" or _wished(cells, each, locale)]
    else:
        fitting = ["number", "category", "text", "drop"]
    return TableError(
        f"Column {name!r} of {source} was said to be {wish}, and no cell of it can be read so: "
        f"{shown}. It can be {', '.join(fitting[:-1])} or {fitting[-1]}, and is taken for {read} "
        "where nobody says what it is."
    )


def thousands_in_disguise(cells: pl.Series) -> bool:
    """Return whether cells that polars took for 1.234 may be thousands.

    Examples
    --------
    >>> thousands_in_disguise(pl.Series(["1.234", "17"]))
    True
    >>> thousands_in_disguise(pl.Series(["1.234", "0.125"]))
    False
    """
    known = clean(cells)
    return bool(
        len(known)
        and known.head(100).str.contains(_THREES).all()
        and known.str.contains(".", literal=True).any()
        and known.str.contains(_THREES).all()
    )


def wants_cells(cells: pl.Series, wish: str) -> bool:
    """Return whether numbers must be seen as they are written to be read as a person says.

    Numbers are as good where nobody can read them in two ways, and quicker.
    """
    if wish in ("decimal-comma", "decimal-point"):
        return True
    return wish in ("number", "money", "percent") and thousands_in_disguise(cells)


def form_of_thousands(cells: pl.Series, locale: str | None) -> Form | None:
    """Return the form of a column that polars took for decimals and that may hold thousands.

    Parameters
    ----------
    cells : Series of str
        As they are written.
    locale : {".", ","} or None
        Decimal mark of the other columns: they decide. Without them cells are decimals, as they
        are everywhere else, and the form says that this may be wrong where some cells have no
        point: three decimals in each cell are measurements.
    """
    if locale == "." or not thousands_in_disguise(cells):
        return None
    pointed = cells.filter(cells.str.contains(".", literal=True))
    example = str(pointed[0])
    if locale == ",":
        return Form("number", ",", ".", doubt=doubt_about(example, ","))
    if len(pointed) < _FEW or not cells.str.contains(_NO_POINT).any():
        return None
    return Form("number", doubt=doubt_about(example, "."))


def check_form(form: Form) -> Form:
    """Return a form that came from outside, if its pattern is one of ours."""
    good = not form.pattern
    if form.kind in ("date", "time"):
        good = good or (is_pattern if form.kind == "date" else is_clock)(form.pattern)
    if not good:
        raise TableError(f"A column has dates of the format {form.pattern!r}, which is none.")
    return form


def form_expressions(name: str, dtype: Any, form: Form) -> tuple[pl.Expr, pl.Expr] | None:
    """Return the values of a column, and cells that do not fit; None if its type says it all."""
    column = pl.col(name)
    if form.kind == "date" and form.pattern in ("s", "ms") and dtype.is_numeric():
        return _since_1970(column, form.pattern).alias(name), pl.lit(None, pl.String)
    if dtype == pl.Duration and form.role == "number":
        return typed_span(column, form).alias(name), pl.lit(None, pl.String)
    if form.kind in ("date", "time") and (dtype.is_numeric() or dtype == pl.Boolean):
        column = column.cast(pl.String)  # 20240301 is a day as it is written, or none
    elif dtype != pl.String or form.role == "text":
        return None
    if form.kind == "date" and form.pattern in ("s", "ms"):
        number = column.str.strip_chars().cast(pl.Int64, strict=False)
        value = _since_1970(number, form.pattern)
        fits = value.is_not_null()
    elif form.kind == "date":
        value = date_expression(column, form.pattern or "%Y-%m-%d")
        if form.local_zone not in ("", "UTC"):  # texts are read in UTC
            value = value.dt.replace_time_zone("UTC").dt.convert_time_zone(form.local_zone)
            value = value.dt.replace_time_zone(None)
        fits = value.is_not_null()
    elif form.kind == "time":
        value = time_expression(column, form.pattern or "%H:%M:%S%.f")
        fits = value.is_not_null()
    elif form.kind == "duration":
        value, fits = span_expression(column)
    else:
        value, fits = amount_expression(column, form)
    strange = ~fits & ~column.str.contains(BLANK)
    if form.role == "number" and form.kind != "time":
        value = pl.when(fits).then(value)  # others are null where they do not fit
    return value.alias(name), pl.when(strange).then(column)


def plain_expressions(name: str, decimal: str | None) -> tuple[pl.Expr, pl.Expr]:
    """Return the numbers of a column of strings that are plain, and its words for missing ones."""
    column = pl.col(name).str.strip_chars()
    absent = is_absent(column)
    digits = column.str.replace(",", ".", literal=True) if decimal == "," else column
    number = pl.when(~absent).then(digits).cast(pl.Float64)
    return number.alias(name), pl.when(absent & ~column.str.contains(BLANK)).then(column)


def _since_1970(numbers: pl.Expr, unit: str) -> pl.Expr:
    scale = 1_000_000 if unit == "s" else 1000
    return (numbers.cast(pl.Int64, strict=False) * scale).cast(pl.Datetime("us"))


def read_dates(
    name: str, cells: pl.Series, form: Form | None = None
) -> tuple[pl.Series, Form] | None:
    """Return cells of a column of text as dates, and how they were understood.

    Parameters
    ----------
    name : str
        The column.
    cells : Series of str
        All its cells; words for missing ones are missing.
    form : Form or None, default=None
        How a person says that they are written; None to find out.

    Returns
    -------
    tuple of Series and Form, or None
        None where cells are no dates.

    Examples
    --------
    >>> read_dates("day", pl.Series(["31.12.2024", "unknown"]))[0].to_list()
    [datetime.datetime(2024, 12, 31, 0, 0), None]
    """
    known = cells.filter(cells.is_not_null() & ~is_absent(cells))
    if form is None and len(known):
        form = understand_dates(known)
    if form is None or form.kind != "date" or form.pattern in ("s", "ms"):
        return None
    expressions = form_expressions(name, pl.String, form)
    assert expressions is not None
    values = cells.rename(name).to_frame().select(expressions[0]).to_series()
    return values.cast(pl.Datetime("us")), form


def understood(name: str, form: Form) -> str:
    """Return the note on one column."""
    said = form.sentence(short(name))
    if form.kind == "code":
        said += f", no number; --as {short(name)}=number makes it one"
    return f"{column_name(short(name))}: {short(said, 300)}."
