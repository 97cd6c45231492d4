"""What each column of a frame is: a number, a text, a date, or nothing that can be used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any, Literal

import polars as pl

from rarebit._text import counted
from rarebit.tables._errors import ColumnsMismatchError

Role = Literal["number", "text", "date"]
# Columns that an error names, those whose names are compared, and how much alike they must be.
_LISTED, _COMPARED, _ALIKE = 10, 1000, 0.7


def role_of(dtype: Any) -> Role | None:
    """Return what a column of this type is to us; None where it cannot become a feature."""
    if dtype.is_numeric() or dtype in (pl.Boolean, pl.Duration, pl.Time):
        return "number"
    if dtype in (pl.String, pl.Categorical, pl.Enum):
        return "text"
    if dtype in (pl.Date, pl.Datetime):
        return "date"
    return None


def as_role(name: str | list[str], dtype: Any, role: Role, zone: str = "UTC") -> pl.Expr:
    """Return the column, or several of one type, in the type that its role has in a `Table`.

    Dates that have a time zone become the local time of the zone that is given.
    """
    column = pl.col(name)
    if role == "number":
        if dtype == pl.Duration:
            column = column.dt.total_microseconds()  # whatever unit the frame counts in
        elif dtype == pl.Time:
            column = column.to_physical()
        elif dtype in (pl.Categorical, pl.Enum):
            column = column.cast(pl.String)
        return column.cast(pl.Float64)
    if role == "date":
        if dtype == pl.String:
            return column.str.to_datetime(strict=False, time_unit="us")
        # One zone for all, so that the hour means the same in every file.
        if getattr(dtype, "time_zone", None):
            column = column.dt.convert_time_zone(zone).dt.replace_time_zone(None)
        return column.cast(pl.Datetime("us"))
    if dtype == pl.Boolean or dtype.is_integer() or dtype in (pl.String, pl.Categorical, pl.Enum):
        return column.cast(pl.String)
    if dtype.is_numeric():
        # "1", not "1.0": the same value must read the same in every file.
        whole = (column.cast(pl.Float64) % 1 == 0).fill_null(False) & (column.abs() < 2**53)
        return (
            pl.when(whole)
            .then(column.cast(pl.Int64, strict=False).cast(pl.String))
            .otherwise(column.cast(pl.String))
        )
    return column.cast(pl.String)


def check_names(wanted: Iterable[str], present: Iterable[str], source: str, what: str = "") -> None:
    """Refuse names that are no column, and say which was probably meant."""
    names = list(present)
    there = set(names)
    missing = [name for name in wanted if name not in there]
    if not missing:
        return
    near = get_close_matches(missing[0], names, n=1)
    if near:
        hint = f"did you mean {near[0]!r}?"
    elif len(names) == 1:
        hint = (
            f"its only column is {_short(names[0])!r}, so that the delimiter may be wrong, or "
            "lines above the names of the columns must be removed."
        )
    else:
        shown = ", ".join(_short(name) for name in names[:8])
        hint = f"it has {shown}{', …' if len(names) > 8 else ''}; give one of them."
    kind = f"{what} column" if what else "column"
    raise ColumnsMismatchError(f"{source} has no {kind} {missing[0]!r}: {hint}")


def check_schema(
    wanted: Mapping[str, Role], present: Mapping[str, Any], source: str, apart: Iterable[Any] = ()
) -> None:
    """Refuse a file that lacks columns of a schema, name them all, and say which may be renamed.

    ``present`` has the type of each column that is there; columns of ``apart`` are known and no
    candidates for being renamed.
    """
    missing = [name for name in wanted if name not in present]
    if not missing:
        return
    if len(missing) == len(wanted) and _is_of_images(missing):
        raise ColumnsMismatchError(
            f"{source} is a table, and the model is of images: give a folder with images."
        )
    listed = ", ".join(repr(_short(name)) for name in missing[:_LISTED])
    more = f" and {len(missing) - _LISTED:,} more" if len(missing) > _LISTED else ""
    known = {*wanted, *apart}
    unknown = [name for name in present if name not in known]
    renamed = _renamed(missing, unknown)
    advice = f"add {'it' if len(missing) == 1 else 'them'}"
    if renamed:
        pairs = [f"{_short(was)!r} to {_short(name)!r}" for was, name in renamed.items()]
        advice += f", or rename {', '.join(pairs)}"
    elif len(missing) == len(unknown) == 1 and role_of(present[unknown[0]]) == wanted[missing[0]]:
        renamed = {unknown[0]: missing[0]}
        advice += (
            f", or rename {_short(unknown[0])!r} to {_short(missing[0])!r} if it is that column"
        )
    others = [repr(_short(name)) for name in unknown if name not in renamed]
    beside = ""
    if others:
        shown = ", ".join(others[:5]) + (", …" if len(others) > 5 else "")
        beside = f" (it has {shown}, which {'is' if len(others) == 1 else 'are'} not needed)"
    raise ColumnsMismatchError(
        f"{source} lacks {len(missing):,} of {counted(len(wanted), 'column')}: {listed}{more}"
        f"{beside}; {advice}."
    )


def _is_of_images(names: Iterable[str]) -> bool:
    """Whether columns are what images of a folder are measured by."""
    from rarebit.tables._descriptors import descriptor_names

    return set(names) <= set(descriptor_names(colours=True))


def _renamed(missing: list[str], unknown: list[str]) -> dict[str, str]:
    """Return columns whose names are like those of missing ones, and these."""
    found: dict[str, str] = {}
    free = {name.lower(): name for name in reversed(unknown[:_COMPARED])}
    for name in missing[:_LISTED]:
        near = get_close_matches(name.lower(), list(free), n=1, cutoff=_ALIKE)
        if near:
            found[free.pop(near[0])] = name
    return found


def check_types(wanted: Mapping[str, Role], types: Mapping[str, Any], source: str) -> None:
    """Refuse columns whose type cannot be what the schema says; strings may yet be anything."""
    for name, role in wanted.items():
        found = role_of(types[name])
        if types[name] == pl.Null or found in ("text", role) or role == "text":
            continue
        raise ColumnsMismatchError(
            f"Column {_short(name)!r} of {source} must hold {role}s, and it holds "
            f"{'values of type ' + str(types[name]) if found is None else found + 's'}: correct "
            "it, or give the file that was meant."
        )


def check_wishes(wishes: Mapping[str, str], schema: Mapping[str, Role], source: str) -> None:
    """Refuse words on columns that contradict what a model learned from them."""
    for name, wish in wishes.items():
        if name not in schema:
            continue
        if wish == "drop":
            raise ColumnsMismatchError(
                f"Column {_short(name)!r} of {source} cannot be left out, because the model was "
                f"trained with it: leave out --as {_short(name)}=drop, or train a model without "
                "the column."
            )
        meant = _MEANT.get(wish, "number")
        if meant != schema[name]:
            raise ColumnsMismatchError(
                f"Column {_short(name)!r} of {source} must be read as a {schema[name]}, as the "
                f"model was trained, and {wish!r} is a {meant}: give another kind, or train again."
            )


# What the kinds of `--as` are that are no numbers.
_MEANT: dict[str, Role] = {
    **dict.fromkeys(("date", "day-first", "month-first"), "date"),
    **dict.fromkeys(("category", "text"), "text"),
}  # fmt: skip


def _short(name: str) -> str:
    return name if len(name) <= 60 else f"{name[:57]}…"
