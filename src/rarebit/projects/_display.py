"""Rows as people look at them: cells with what is unusual in them, texts, pictures."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from datetime import date, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rarebit._later import is_sparse
from rarebit.projects._findings import describe_rows, short_value, show_rows
from rarebit.projects._preparing import RowsElsewhere
from rarebit.tables import Shown, Table

_SAMPLE = 20_000  # rows that tell what is usual
_RARE = 0.005  # share of rows from which a value is unusual
_MORE_AND_LESS = {
    "number": ("larger", "smaller"),
    "time": ("later", "earlier"),
    "date": ("later", "earlier"),
}
_PROSE = 60  # letters of a cell, on average, from which a column is a text
_MOST_CATEGORIES = 200
_TITLES = ("title", "subject", "headline", "name")
_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".tif", ".tiff", ".pgm", ".ppm")
_LARGEST_SIDE = 2048


class Display:
    """Rows of a table, ready to be shown.

    Parameters
    ----------
    table : Table
        The data.
    folder : Path or None, default=None
        Where names of pictures in columns lead to; None for a table without such columns.
    hidden : collection of str, default=()
        Columns that are not shown with a row, because they hold answers.
    """

    def __init__(
        self, table: Table, folder: Path | None = None, hidden: Collection[str] = ()
    ) -> None:
        self.table, self._hidden = table, hidden
        self._folder = None if folder is None else folder.resolve()
        # Rows in memory, of which some tell what is usual.
        self._rows = table.sample if isinstance(table, RowsElsewhere) else table
        step = max(1, self._rows.n_rows // _SAMPLE)
        self._sample = np.arange(0, self._rows.n_rows, step)[:_SAMPLE]

    # --- columns ------------------------------------------------------------------------

    @cached_property
    def kinds(self) -> dict[str, str]:
        """Column to "number", "time", "date", "category", "text" or "image"."""
        table = self.table
        kinds = {} if table.pixels else dict.fromkeys(table.number_names, "number")
        kinds |= {name: "time" for name, form in self._rows.forms.items() if form.kind == "time"}
        for name in table.records.columns:
            kinds[name] = self._kind(name)
        return kinds

    def _kind(self, name: str) -> str:
        column = self._rows.records[name]
        if column.dtype.is_temporal():
            return "date"
        sample = column.gather(self._sample).drop_nulls()
        if sample.dtype != pl.String or not len(sample):
            return "category"
        if name != self.table.text and self._folder is not None:
            names = sample.head(50).str.to_lowercase().to_list()
            if all(value.endswith(_PICTURES) for value in names):
                return "image"
        length = sample.str.len_chars().mean()
        long = isinstance(length, int | float) and length > _PROSE
        return "text" if name == self.table.text or long else "category"

    @cached_property
    def picture_columns(self) -> list[str]:
        """Columns that hold names of picture files."""
        return [name for name, kind in self.kinds.items() if kind == "image"]

    def picture_index(self, name: str) -> int:
        """Return the number under which `picture` knows a picture of a row."""
        return self.picture_columns.index(name) if name in self.picture_columns else 0

    @cached_property
    def _title(self) -> str | None:
        words = [name for name, kind in self.kinds.items() if kind not in ("number", "time")]
        named = {name.lower(): name for name in words}
        found = next((named[name] for name in _TITLES if name in named), None)
        return found if self.table.text is not None else None

    @cached_property
    def _sorted(self) -> dict[str, NDArray[Any]]:
        """Numbers, times (seconds of the day) and dates of the sample, each column sorted."""
        table = self._rows
        columns: dict[str, NDArray[Any]] = {}
        for name, kind in self.kinds.items():
            if kind == "date":
                moments = table.records[name].gather(self._sample).drop_nulls()
                columns[name] = np.sort(moments.cast(pl.Datetime("us")).to_numpy())
        if table.pixels or is_sparse(table.numbers):
            return columns
        block = np.asarray(table.numbers[self._sample], dtype=np.float64)
        for j, name in enumerate(table.number_names):
            column = np.sort(block[:, j][np.isfinite(block[:, j])])
            columns[name] = column // 1e9 if self.kinds.get(name) == "time" else column
        return columns

    @cached_property
    def _shares(self) -> dict[str, dict[str, float]]:
        """Share of the rows of each value, in columns of few values."""
        shares = {}
        for name, kind in self.kinds.items():
            if kind != "category":
                continue
            values = self._rows.records[name].gather(self._sample).cast(pl.String, strict=False)
            counts = values.drop_nulls().value_counts(sort=True)
            if 1 < counts.height <= _MOST_CATEGORIES:
                rows = counts.rows()
                shares[name] = {value: n / len(self._sample) for value, n in rows}
        return shares

    # --- rows ---------------------------------------------------------------------------

    def rows(self, rows: Sequence[int]) -> list[dict[str, Any]]:
        """Return rows as values that JSON has.

        Parameters
        ----------
        rows : sequence of int
            Positions of rows; the file is read once for all of them.

        Returns
        -------
        list of dict
            ``row``, ``id``, ``title``, ``text``, ``text_name``, ``cells`` and ``images`` (names) of
            each. A cell has its ``value``, and is ``shown`` as it is written in the file.
        """
        if self.table.image is not None:
            return [
                {
                    "row": row, "id": self.id(row), "title": None, "text": None, "text_name": None,
                    "cells": [], "images": ["image"],
                }
                for row in rows
            ]  # fmt: skip
        as_written = show_rows(self.table, rows)
        return [self._row(row, shown) for row, shown in zip(rows, as_written, strict=True)]

    def row(self, row: int) -> dict[str, Any]:
        """Return one row, as `rows` returns several."""
        return self.rows([row])[0]

    def id(self, row: int) -> Any:
        """Return the id of a row."""
        name = self.table.ids[row]
        return name.item() if isinstance(name, np.generic) else name

    def images(self, row: int) -> list[str]:
        """Return the names of the pictures of a row."""
        if self.table.image is not None:
            return ["image"]
        if not self.picture_columns:
            return []
        table, at = self.table.single(row)
        return [name for name in self.picture_columns if table.records[name][at]]

    def _row(self, row: int, shown: Shown) -> dict[str, Any]:
        understood = self.table.show(row).fields
        title = shown.fields.get(self._title) if self._title else None
        cells = [
            self._cell(name, understood[name], written)
            for name, written in shown.fields.items()
            if name not in (self._title, *self._hidden) and self.kinds.get(name) != "image"
        ]
        return {
            "row": row,
            "id": shown.id,
            "title": None if title is None else str(title),
            "text": shown.text,
            "text_name": self.table.text,
            "cells": cells,
            "images": self.images(row),
        }

    def _cell(self, name: str, value: Any, written: Any) -> dict[str, Any]:
        kind = self.kinds.get(name, "number")
        return {
            "name": name,
            "kind": kind,
            "value": _plain(value),
            "shown": short_value(written),
            "unusual": self._unusual(name, kind, value),
        }

    def _unusual(self, name: str, kind: str, value: Any) -> str | None:
        if value is None:
            return None
        if kind in _MORE_AND_LESS and name in self._sorted:
            usual = self._sorted[name]
            if len(usual) < 100:
                return None
            place = _comparable(value, kind)
            below = np.searchsorted(usual, place, "left") / len(usual)
            above = 1.0 - np.searchsorted(usual, place, "right") / len(usual)
            more, less = _MORE_AND_LESS[kind]
            if below >= 1.0 - _RARE:
                return f"{more} than in {_percent(below)} of the rows"
            if above >= 1.0 - _RARE:
                return f"{less} than in {_percent(above)} of the rows"
        if kind == "category" and name in self._shares and len(self._sample) >= 100:
            share = self._shares[name].get(str(value), 0.0)
            if share < _RARE:
                shown = 100 * max(share, 1 / self.table.n_rows)
                return f"in {shown:.2f} % of the rows only"
        return None

    def summaries(
        self, rows: Sequence[int], words: str = "", first: Collection[str] = ()
    ) -> list[str]:
        """Return rows in a line each, with what was searched for in sight (`describe_rows`)."""
        if self.table.image is not None:
            return [""] * len(rows)
        return describe_rows(self.table, rows, words, first)[0]

    # --- pictures -----------------------------------------------------------------------

    def picture(self, row: int, column: int, size: int | None = None) -> bytes | None:
        """Return a picture of a row as PNG, made anew from its pixels.

        Parameters
        ----------
        row : int
            Position of the row.
        column : int
            Which of its pictures.
        size : int or None, default=None
            Longer side in pixels; None for the picture as it is, but not above 2,048.

        Returns
        -------
        bytes or None
            None where there is no such picture, or its name leads out of the folder of the data.
        """
        import io

        from PIL import Image

        image = self._image(row, column)
        if image is None:
            return None
        longest = max(image.size)
        wanted = min(size or longest, _LARGEST_SIDE)
        if wanted != longest:
            scale = wanted / longest
            # Smooth: people read a digit of 8 x 8 pixels as strokes, not as a pattern of squares.
            sides = [max(1, round(side * scale)) for side in image.size]
            image = image.resize((sides[0], sides[1]), Image.Resampling.BICUBIC)
        out = io.BytesIO()
        image.save(out, "PNG")
        return out.getvalue()

    def _image(self, row: int, column: int) -> Any:
        from PIL import Image

        if self.table.image is not None:
            if column != 0:
                return None
            pixels = np.asarray(self.table.image(row))
            if pixels.dtype != np.uint8:
                top = float(pixels.max()) if pixels.size else 1.0
                pixels = (pixels * (255.0 / max(top, 1e-12))).clip(0, 255).astype(np.uint8)
            return Image.fromarray(pixels)
        if not 0 <= column < len(self.picture_columns) or self._folder is None:
            return None
        table, at = self.table.single(row)
        name = table.records[self.picture_columns[column]][at]
        if not isinstance(name, str) or "\x00" in name or "://" in name:
            return None
        try:
            # Links are followed first: what counts is where the name leads to.
            path = (self._folder / name).resolve()
            if not path.is_relative_to(self._folder) or path.suffix.lower() not in _PICTURES:
                return None
            with Image.open(path) as opened:
                opened.load()
                return opened.convert("RGB" if opened.mode not in ("L", "RGBA") else opened.mode)
        except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
            return None


def _percent(share: float) -> str:
    # Never "100 %" of the rows: the row itself is one of them.
    return f"{min(math.floor(1000 * share) / 10, 99.9):g} %"


def _comparable(value: Any, kind: str) -> Any:
    """Return a value of a row as the sorted columns have it."""
    if kind == "time":  # 04:56:00
        return sum(
            int(part) * unit for part, unit in zip(value.split(":"), (3600, 60, 1), strict=True)
        )
    return np.datetime64(value, "us") if kind == "date" else value


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, datetime | date):
        return value.isoformat()
    return value if value is None or isinstance(value, str | int | bool) else str(value)
