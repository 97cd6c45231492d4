"""Formats that labels are written in."""

from __future__ import annotations

import csv
import json
from os import PathLike
from pathlib import Path
from typing import Any

from rarebit._formulas import guarded
from rarebit.exceptions import RarebitError

PAPERS = (".ris", ".bib")
_ENDINGS = (".csv", ".tsv", ".jsonl", ".parquet", ".xlsx")
_DELIMITERS = {".csv": ",", ".tsv": "\t"}


class LabelImportError(RarebitError, ValueError):
    """A file of labels that does not fit the data; the message says what it must hold."""


def check_export_name(path: str | PathLike[str], source: str) -> None:
    """Refuse a name of a file of labels whose format cannot be written.

    Parameters
    ----------
    path : path
        Where the labels shall go.
    source : str
        Name of the data: papers are written back in the format that they came in.

    Examples
    --------
    >>> check_export_name("labels.tsv", "payments.csv")
    >>> check_export_name("screened.ris", "papers.ris")
    """
    file = Path(path)
    ending, own = file.suffix.lower(), Path(source).suffix.lower()
    if ending in _ENDINGS or (ending in PAPERS and ending == own):
        return
    if ending in PAPERS:
        raise LabelImportError(
            f"{file.name} can be written from a {ending} file only, and the data are {source}: "
            f"write {', '.join(_ENDINGS[:-1])} or {_ENDINGS[-1]}."
        )
    allowed = ", ".join([*_ENDINGS, *([own] if own in PAPERS else [])])
    raise LabelImportError(
        f"Labels of {source} can be written to {allowed}, got {file.name!r}: choose another ending."
    )


def write_records(
    path: Path, ending: str, names: list[str], records: list[list[Any]], *, raw: bool
) -> None:
    """Write labels as a table, in the format of an ending that `check_export_name` accepts."""
    if ending in _DELIMITERS:
        _write_delimited(path, _DELIMITERS[ending], names, records, raw)
    elif ending == ".jsonl":
        _write_json_lines(path, names, records)
    else:
        _write_frame(path, ending, names, records)


def _write_delimited(
    path: Path, delimiter: str, names: list[str], records: list[list[Any]], raw: bool
) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=delimiter)
        for record in ([*names], *records):
            writer.writerow(
                [guarded(each) if isinstance(each, str) and not raw else each for each in record]
            )


def _write_json_lines(path: Path, names: list[str], records: list[list[Any]]) -> None:
    with path.open("w", encoding="utf-8") as file:
        for record in records:
            file.write(json.dumps(dict(zip(names, record, strict=True)), ensure_ascii=False))
            file.write("\n")


def _write_frame(path: Path, ending: str, names: list[str], records: list[list[Any]]) -> None:
    import polars as pl

    columns = {name: [record[i] for record in records] for i, name in enumerate(names)}
    if ending == ".parquet":
        columns["label"] = [None if value is None else str(value) for value in columns["label"]]
        pl.DataFrame(columns, strict=False).write_parquet(path)
        return
    from rarebit.tables import SheetWriter

    sheet = SheetWriter()
    sheet.append(pl.DataFrame(columns, strict=False))
    sheet.save(path)
