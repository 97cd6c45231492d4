"""The data of a project: one file, several files one below the other, or a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

from rarebit.exceptions import InputTypeError
from rarebit.projects._errors import ProjectError
from rarebit.projects._preparing import RowsElsewhere
from rarebit.projects._settings import Settings
from rarebit.tables import Table, as_table, concatenate, is_frame, scan_table

Progress = Callable[[str, int | None], AbstractContextManager[Callable[[int], None]]]
# Any is a frame of pandas, polars or Arrow, which need not be installed.
Source = str | PathLike[str] | Table | Sequence[str | PathLike[str]] | Any
ADDED = "the frame added"  # name of rows that come later
# Options of reading that mean something for rows in memory.
_OF_FRAMES = ("id", "text", "embed", "drop", "categorical", "columns", "aside", "duplicates")


@contextmanager
def silent(what: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
    """Show no progress."""
    yield lambda steps: None


def read_source(source: Source, settings: Settings, progress: Progress) -> Table:
    """Read the data of a project.

    Parameters
    ----------
    source : path, sequence of paths, Table or frame
        Rows of several files come below each other; later ones must have the columns of the first.
    settings : Settings
        With ``oracle``, ``target`` and ``reading``.
    progress : function of str and int or None
        Shows the progress of reading.

    Returns
    -------
    Table
        All rows.
    """
    if isinstance(source, Table):
        return source
    if is_frame(source):
        return _from_frame(source, settings, "frame")
    paths: list[Any] = [source] if isinstance(source, str | PathLike) else _listed(source)
    tables: list[Table] = []
    for path in paths:
        tables.append(read_part(path, settings, progress, tables[0] if tables else None))
    return concatenate(tables)


def _from_frame(source: Any, settings: Settings, name: str, like: Table | None = None) -> Table:
    given = {key: value for key, value in settings.reading.items() if key in _OF_FRAMES}
    if like is not None:
        given |= {"schema": _schema_of(like), "forms": like.forms}
    return as_table(source, target=settings.oracle or settings.target, name=name, **given)


def _listed(source: Any) -> list[Any]:
    """Return paths of several files, if these were given."""
    paths = list(source) if isinstance(source, Sequence) else []
    if not paths or not all(isinstance(path, str | PathLike) for path in paths):
        raise ProjectError(
            "A project is opened with a file, several files, a Table, or a frame of pandas, polars "
            f"or Arrow, got {type(source).__name__}: give one of these, such as "
            "pandas.DataFrame(rows)."
        )
    return paths


def read_part(
    path: str | PathLike[str],
    settings: Settings,
    progress: Progress,
    like: Table | None = None,
) -> Table:
    """Read one file, as the columns of an earlier table were read if given."""
    known: dict[str, Any] = {}
    if like is not None:
        known = {"schema": _schema_of(like), "forms": like.forms}
    column = settings.oracle or settings.target
    scan = scan_table(path, target=column, spill=True, **known, **dict(settings.reading))
    with progress(f"Reading {Path(path).name}", scan.n_expected) as advance:
        return scan.read(advance)


def read_more(table: Table, source: Any, settings: Settings, progress: Progress) -> Table:
    """Return a table with the rows of a further file or frame at its end."""
    if isinstance(table, RowsElsewhere):
        raise ProjectError(
            "Rows cannot be added to a pool on a cluster while it is open: put the file into its "
            "folder, and open it with a new store."
        )
    if isinstance(source, Table):
        return concatenate([table, source])
    if is_frame(source):
        return concatenate([table, _from_frame(source, settings, ADDED, table)])
    if not isinstance(source, str | PathLike):
        raise InputTypeError(
            "Rows are added from a file, a Table, or a frame of pandas, polars or Arrow, got "
            f"{type(source).__name__}: give one of these, such as pandas.DataFrame(rows)."
        )
    return concatenate([table, read_part(source, settings, progress, table)])


def _schema_of(table: Table) -> dict[str, Any]:
    """Roles of the columns, so that a small file is not understood differently."""
    roles: dict[str, Any] = dict.fromkeys(table.number_names, "number")
    for name, kind in table.records.schema.items():
        roles[name] = "date" if kind.is_temporal() else "text"
    return roles
